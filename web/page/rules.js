// The rules of all games, from an engine that answers before a question returns.
import { GAMES } from "./games.js";
import { ERROR } from "./engine.js";
import { inWords } from "./sentences.js";
import { positionOf } from "./steps.js";

const QUERIES = ["fen", "grid", "p1turn", "result", "reason", "highlights", "note", "moves"];

let answers = [], engine, variant;

// Loads the games and their rules from an engine that `start` starts with a function for its lines and, if any,
// arguments.
async function loadRules(start) {
  const onLine = (line) => answers.push(line);
  await start(onLine, ["games"]);
  for (const game of JSON.parse(answers.pop())) GAMES[game.name] = game;
  engine = await start(onLine);
}

// Why the engine refuses a position; with the number of the move, if it is about one.
class RulesError extends Error {
  /** @param {string} why @param {number} move */
  constructor(why, move) {
    super(move ? `move ${move}: ${why}` : why);
    this.why = why;
    this.move = move;
  }
}

// The position that a line of the protocol sets up, after another one, if any: its `moves` have a text and cells, its
// `ending` says who has won and why, or is null. Throws an error with the sentence of the engine.
/** @param {Rules} rules @param {string} line @param {Position} [before] @returns {Position} */
function positionAt(rules, line, before) {
  const options = rules.name === variant ? [] : [`setoption name UCI_Variant value ${rules.name}`];
  variant = rules.name;
  answers = [];
  engine.send([...options, line.replace(/\s+/g, " "), ...QUERIES.map((word) => `query ${word}`)].join("\n"));
  engine.run();
  const error = answers.find((answer) => answer.startsWith(ERROR));
  if (error) {
    const [, move, why] = /^(?:move (\d+): )?(.*)/.exec(error.slice(ERROR.length));
    throw new RulesError(why, Number(move ?? 0));
  }
  if (answers.length !== QUERIES.length) throw new Error("The rules have failed. Load the page again.");
  const [fen, grid, isFirst, result, reason, highlights, note, moves] = answers.map((answer) =>
    answer.slice("response ".length)
  );
  const position = positionOf(grid, isFirst === "true" ? 1 : 2),
    wordsOf = (text) => text.split(" ").filter(Boolean), cellOf = (name) => rules.cells.indexOf(name);
  return { ...position, fen, note, highlights: wordsOf(highlights).map(cellOf),
    changed: before ? rules.cells.flatMap((_, at) => position.cells[at] === before.cells[at] ? [] : [at])
      : [],
    moves: wordsOf(moves).map((text) => ({ text, from: cellOf(text.slice(0, 2)),
      to: cellOf(text.slice(-2)) })
    ),
    ending: result === "none" ? null
      : { winner: ["draw", "p1win", "p2win"].indexOf(result), why: inWords(rules, reason) } };
}

const startAt = (rules, fen) => positionAt(rules, `position fen ${fen}`);

// The moves from a position, and the positions before, between and after them. Throws an error that names the first
// move that cannot be played, and says why.
/** @param {Rules} rules @param {Position} start @param {string[]} words @returns {Replayed} */
function replayMoves(rules, start, words) {
  const positions = [start];
  const moves = words.map((word, at) => {
    const before = positions[at];
    try {
      positions.push(positionAt(rules, `position fen ${before.fen} moves ${word}`, before));
    } catch (error) {
      throw error.move ? new RulesError(error.why, at + 1) : error;
    }
    return { ...before.moves.find(({ text }) => text === word.toLowerCase()), side: before.side };
  });
  return { positions, moves };
}

export { loadRules, startAt, replayMoves };
