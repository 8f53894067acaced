// What the page says, in the sentences of `referee play`.
import { ROW, room } from "./rules.js";
import { minus } from "./scores.js";

const MAX_LINE_MOVES = 12;
const COUNTS = ["five", "six", "seven", "eight"];

const playerText = (side) => `Player ${side}`;
const labelOf = (rules, side) => `${playerText(side)} (${rules.signs[side - 1]})`;

// The longest line of bricks of one colour: its length and its ends.
function longestLine(cells) {
  let best = { length: 0 };
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    for (let from = 0; from < 64; from++) {
      let length = 0, to = from;
      for (let row = from >> 3, column = from % ROW; row < 8 && column >= 0 && column < 8;
        row += down, column += right)
      {
        if (!cells[from] || cells[ROW * row + column] !== cells[from]) break;
        to = ROW * row + column;
        length += 1;
      }
      if (length > best.length) best = { length, from, to };
    }
  }
  return best;
}

// Why a position is the end of the game.
function endReason(rules, position) {
  const outcome = rules.outcome(position);
  switch (outcome.reason) {
    case "five": {
      const { length, from, to } = longestLine(position.cells);
      const ends = `${rules.cellText(from)} to ${rules.cellText(to)}`;
      return `${rules.signs[outcome.winner - 1]} has ${COUNTS[length - 5]} in line, ${ends}`;
    }
    case "full":
      return "the board is full and neither side has five in line";
    case "blocked":
      return `${rules.signs[position.side - 1]} has no move`;
    default: {
      const [first, second] = [1, 2].map((side) =>
        `${rules.signs[side - 1]} has ${room(position, side).length}`
      );
      return `turn limit ${position.limit} reached: ${first} cells to go to, ${second}`;
    }
  }
}

const resultText = (winner) => (winner ? `${playerText(winner)} won!` : "It's a tie!");

// Why a click on a cell is no move. `from` is the chosen piece in Gridlock.
function whyIllegal(rules, position, from, to) {
  const name = rules.cellText(to);
  if (!rules.slides)
    return position.cells[to] ? `${name} holds a brick already`
      : `${name} touches neither a wall nor a brick`;
  if (from === null) {
    if (!position.cells[to]) return `${name} is empty: choose one of your pieces first`;
    if (position.cells[to] !== position.side) return `the piece on ${name} is the opponent's`;
    return `the piece on ${name} has no empty neighbour to go to`;
  }
  return position.cells[to] ? `${name} is not empty` : `${name} is not next to ${rules.cellText(from)}`;
}

// What an engine expects in a position with `side` to move.
function expectation(rules, who, side, info) {
  if (!info || !info.score) return `${who} reports no score.`;
  const { kind, value } = info.score, own = labelOf(rules, side), other = labelOf(rules, 3 - side);
  const proven =
    {
      win: value === 1 ? `${own} wins with the next move. That is proven.`
        : `${own} wins in at most ${value} moves, counting both sides. That is proven.`,
      loss: value === 1 ? `${other} wins with the next move. That is proven.`
        : `${other} wins, on this line in ${value} moves, counting both sides. That is proven.`,
      draw: "a tie. That is proven.",
    }[kind];
  return `${who} expects: ${proven || `score ${signed(value / 100)} for ${own}. That is an estimate.`}`;
}

const signed = (value, digits = 2) => minus(`${value < 0 ? "" : "+"}${value.toFixed(digits)}`);

// A score from the first player's point of view, in a few signs.
function shortScore({ kind, value }, side, digits = 2) {
  const turn = side === 1 ? 1 : -1;
  if (kind === "cp") return signed((turn * value) / 100, digits);
  if (kind === "draw") return "=";
  return `${(kind === "win") === (side === 1) ? "+" : "−"}#${value}`;
}

// A score in at most four signs. Its place in the bar says whom it favours.
function barScore({ kind, value }) {
  if (kind === "draw") return "=";
  if (kind !== "cp") return `#${value}`;
  const points = Math.abs(value) / 100;
  return points < 9.95 ? points.toFixed(1) : String(Math.round(points));
}

// A time on a clock.
function clockText(milliseconds) {
  const all = Math.max(0, milliseconds) / 1000;
  if (all < 10) return `0:0${(Math.floor(all * 10) / 10).toFixed(1)}`;
  const seconds = Math.ceil(all - 1e-9);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export { MAX_LINE_MOVES, playerText, labelOf, endReason, resultText, whyIllegal, expectation };
export { shortScore, barScore, clockText };
