// A game step by step: its positions, as the events of `referee match --json-moves` have them, and what steps
// through them.
import { el, svg } from "./elements.js";

// The names of columns or rows; a number above 1 stands for as many without names.
function namesOf(words) {
  const names = words.split(" "), count = Number(names[0]);
  return names.length === 1 && count > 1 ? Array(count).fill("") : names;
}

// A position from its board, and the one before it. What moved is marked.
/** @param {any} board @param {number} side @param {Position} [before] @returns {Position} */
function positionOf(board, side, before) {
  if (typeof board !== "string")
    return { side, text: board?.text, isMissing: !board && Boolean(before?.cells || before?.isMissing) };
  const [, kind, columns, rows, names, all] =
    /^(columns|lines) (.*) rows (.*?)(?: names (\S+))? cells (.*)$/.exec(board) || [];
  if (all)
    return { side, columns: namesOf(columns), rows: namesOf(rows), names, hasLines: kind === "lines",
      cells: all.split(" "), changed: [] };
  const words = board.split(" "), cells = before.cells.slice(), changed = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    cells[words[at]] = words[at + 1];
    changed.push(Number(words[at]));
  }
  return { ...before, side, cells, changed, highlights: [] };
}

// The positions and moves of a game. `old` is what was returned for an earlier state of it.
/** @param {GridGame} game @param {any} [old] */
function replayGame(game, old) {
  const { moves: texts, grids, turns } = game, sideOf = (plies) => Number(turns[plies] || 1 + (plies % 2));
  const isSame = old && old.id === game.id && old.start === game.start;
  let kept = 0;
  while (isSame && kept < old.moves.length && old.moves[kept].text === texts[kept]) kept += 1;
  const positions = isSame ? old.positions.slice(0, kept + 1) : [positionOf(grids[0], sideOf(0))];
  const moves = isSame ? old.moves.slice(0, kept) : [];
  for (let at = kept; at < texts.length; at += 1) {
    moves.push({ text: texts[at], side: sideOf(at) });
    positions.push(positionOf(grids[at + 1], sideOf(at + 1), positions[at]));
  }
  // Only the last position can be marked.
  const last = positions.length - 1;
  if (kept < last || !isSame) positions[last] = { ...positions[last], highlights: game.highlights };
  return { id: game.id, start: game.start, positions, moves };
}

// The buttons that step: name, label, key, picture.
const STEPS = [
  ["step-start", "First position", "Home", "M5 4v16M19 4L8 12l11 8z"],
  ["step-back", "Previous move", "←", "M17 4L6 12l11 8z"],
  ["step-forward", "Next move", "→", "M7 4l11 8L7 20z"],
  ["step-end", "Last position", "End", "M19 4v16M5 4l11 8-11 8z"],
];

const icon = (d) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));

// What steps: functions for keys, and buttons by their names. `go` gets a number of moves, `step` by how many.
function stepsOf(go, step) {
  const acts = [() => go(0), () => step(-1), () => step(1), () => go(Infinity)];
  const buttons = Object.fromEntries(
    STEPS.map(([name, label, title, d],
      at) => [name, el("button", { type: "button", title, "aria-label": label, onclick: acts[at] }, icon(d))]
    ),
  );
  return { buttons, keys: { Home: acts[0], ArrowLeft: acts[1], ArrowRight: acts[2], End: acts[3] } };
}

export { positionOf, replayGame, stepsOf, icon };
