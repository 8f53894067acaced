// What the pages say.
import { pieceIcon } from "./board.js";
import { minus, scoreText } from "./scores.js";

const MAX_LINE_MOVES = 12;

// A side, by what the game calls its pieces; and with its sign, as the board draws it.
/** @param {Rules} rules @param {number} side */
const labelOf = ({ pieces }, side) => pieces[side - 1].replace(/^./, (sign) => sign.toUpperCase());
/** @param {Rules} rules @param {number} side */
const signed = (rules, side) => [pieceIcon(rules, side), labelOf(rules, side)];

// What the engine says of the sides, x and o, in these words.
const inWords = (rules, text) => text.replace(/\b[xo]\b/g, (side) => labelOf(rules, " xo".indexOf(side)));

const resultText = (rules, winner) => (winner ? `${labelOf(rules, winner)} wins` : "A draw");

// What an engine expects in a position with `side` to move.
function expectation(rules, who, side, info) {
  if (!info || !info.score) return `${who} reports no score.`;
  const { kind, value } = info.score, own = labelOf(rules, side), other = labelOf(rules, 3 - side);
  const proven =
    {
      win: value === 1 ? `${own} wins with the next move. That is proven.`
        : `${own} wins in at most ${value} plies. That is proven.`,
      loss: value === 1 ? `${other} wins with the next move. That is proven.`
        : `${other} wins in ${value} plies on this line. That is proven.`,
      draw: "a draw. That is proven.",
    }[kind];
  return `${who} expects: ${proven || `score ${points(value / 100)} for ${own}. That is an estimate.`}`;
}

const points = (value, digits = 2) => minus(`${value < 0 ? "" : "+"}${value.toFixed(digits)}`);

// A score from the first player's point of view, in a few signs.
function shortScore({ kind, value }, side, digits = 2) {
  const turn = side === 1 ? 1 : -1;
  if (kind === "cp") return points((turn * value) / 100, digits);
  if (kind === "draw") return "=";
  return `${(kind === "win") === (side === 1) ? "+" : "−"}#${value}`;
}

// The score of a side, as the first player sees it.
const scoreFor = (score, side) => (score.kind === "cp" ? shortScore(score, side) : scoreText(score));

// A score in at most four signs. Its place in the bar says whom it favours.
function barScore({ kind, value }) {
  if (kind === "draw") return "=";
  if (kind !== "cp") return `#${value}`;
  const size = Math.abs(value) / 100;
  return size < 9.95 ? size.toFixed(1) : String(Math.round(size));
}

// A time on a clock.
function clockText(milliseconds) {
  const all = Math.max(0, milliseconds) / 1000;
  if (all < 10) return `0:0${(Math.floor(all * 10) / 10).toFixed(1)}`;
  const seconds = Math.ceil(all - 1e-9);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export { MAX_LINE_MOVES, labelOf, signed, inWords, resultText, expectation, shortScore, scoreFor, barScore, clockText };
