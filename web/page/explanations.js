// Why a game is over, and why a move is none, by the rules of both games.
import { ROW, room } from "./rules.js";

const COUNTS = ["five", "six", "seven", "eight"];

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
      return `${rules.signs[outcome.winner - 1]} has ${COUNTS[length - 5]} in line, ${
        rules.cellText(from)
      } to ${rules.cellText(to)}`;
    }
    case "full":
      return "the board is full and neither side has five in line";
    case "blocked":
      return `${rules.signs[position.side - 1]} has no move`;
    default:
      return `turn limit ${position.limit} reached: ${rules.signs[0]} has ${
        room(position, 1).length
      } cells to go to, ${rules.signs[1]} has ${room(position, 2).length}`;
  }
}

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

export { endReason, whyIllegal };
