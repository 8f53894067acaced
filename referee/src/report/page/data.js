// Reads the games of the page. `results/page_games.rs` describes their form.
import { RESULTS, outcomeOf, parseScore } from "./scores.js";
import { replayGame } from "./steps.js";

// The data of the page: compressed JSON in base64.
/** @returns {Promise<ReadMatch[]>} */
async function readData() {
  const signs = atob(document.getElementById("data").textContent), bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at++) bytes[at] = signs.charCodeAt(at);
  const { matches } = await new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")),
  ).json();
  return readMatches(matches);
}

/** @param {{ match: ReportMatch, games: ReportGame[] }[]} matches @returns {ReadMatch[]} */
const readMatches = (matches) =>
  matches.map(({ match, games }, index) => {
    /** @type {any} */
    const one = { ...match, index, single: matches.length === 1, prefix: index ? `match-${index + 1}-` : "" };
    one.games = games.map((game) => readGame(one, game)).sort((a, b) => a.id - b.id);
    one.byId = new Map(one.games.map((game) => [game.id, game]));
    one.meetingsOf = one.players.map(() => new Map());
    for (const meeting of one.meetings) {
      const [first, second] = meeting.players;
      one.meetingsOf[first].set(second, meeting);
      one.meetingsOf[second].set(first, meeting);
    }
    return one;
  });

// A game with its match. `winner` is a side, or 0 for a draw; `outcome` is the result for people.
/** @param {ReadMatch} match @param {ReportGame} game @returns {ReadGame} */
function readGame(match, game) {
  const winner = RESULTS.indexOf(game.result), length = Math.max(0, (game.played.length - 1) / 2);
  return { ...game, match, winner, outcome: outcomeOf(game.result), length };
}

// A whole game: positions, and for each move its player, text, time, score and mark.
/** @param {ReadGame} game */
function replay(game) {
  const { opening, played, analysis, left = [] } = game, scores = (all = []) => all.map(parseScore);
  const { positions, moves } = replayGame({ ...game, moves: played.filter((_, at) => at % 2),
    grids: played.filter((_, at) => at % 2 === 0) });
  const columns = { time: game.ms, score: scores(game.scores), before: scores(analysis?.before),
    after: scores(analysis?.after), best: analysis?.lines };
  const marks = new Map(game.marks?.map(([index, kind, judge]) => [index, { kind, judge }])),
    faults = new Map(game.faults),
    factsOf = (index) =>
      Object.entries(columns).map((
        [name, column],
      ) => [name, index >= opening ? column?.[index - opening] : undefined]),
    // Lines of play apart from numbers.
    words = (index, kind) =>
      game.match.factWords.flatMap(([name, words]) => {
        const value = game.facts?.[name]?.[index - opening];
        return value && typeof value === kind ? [words.replace("N", () => String(value))] : [];
      });
  return { game, positions, clocks: left,
    moves: moves.map((move, index) => ({ ...move, ...Object.fromEntries(factsOf(index)), index,
      facts: words(index, "number"), lines: words(index, "string"), mover: move.side - 1,
      written: game.written?.[index] || move.text, opening: index < opening, mark: marks.get(index),
      fault: faults.get(index), clock: left[index + 2] })
    ) };
}

function timeText(ms) {
  if (ms < 1000) return `${Number(ms.toPrecision(3))} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(2)} s`
    : `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")} min`;
}

export { readData, readMatches, replay, timeText };
