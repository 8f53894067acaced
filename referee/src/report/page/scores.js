// Scores of engines, and results of games.

// The results as result files have them, by the winner: none, or a side.
const RESULTS = ["1/2-1/2", "1-0", "0-1"];

// A result as people write it.
const outcomeOf = (result) => ["½–½", "1–0", "0–1"][RESULTS.indexOf(result)];

// Expected points of the mover, from 0 to 1: see "Mistakes" in docs/results.md.
function expected({ kind, value }) {
  return kind === "cp" ? 1 / (1 + Math.exp(-value / 400)) : kind === "win" ? 1 : kind === "loss" ? 0 : 0.5;
}

// A score such as `cp 12`, `win 3` or `draw`; null for none.
function parseScore(words) {
  const [kind, value] = (words || "").split(" ");
  return kind ? { kind, value: Number(value || 0) } : null;
}

const minus = (text) => String(text).replace("-", "−");

function scoreText({ kind, value }) {
  if (kind === "cp") return minus((value < 0 ? "" : "+") + (value / 100).toFixed(2));
  return kind === "draw" ? "proven draw" : `${kind} in ${value} ${value === 1 ? "ply" : "plies"}`;
}

export { RESULTS, outcomeOf, expected, parseScore, minus, scoreText };
