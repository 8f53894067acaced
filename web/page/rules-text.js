// The rules of both games, in words.
import { el } from "./elements.js";
import { openDialog } from "./dialog.js";

const RULES_TEXT = {
  "magnetic-cave": [
    "Two players take turns and put one brick each on a board of 8 by 8 cells: first ■, then □.",
    "The left and the right wall are magnets. A brick goes on an empty cell beside a wall, or directly to "
    + "the left or right of a brick of any colour.",
    "At first a6 and h1 are legal moves. b6 is not: it touches "
    + "neither a wall nor a brick. After a6 it is legal.",
    "Five or more bricks of one colour in a row, column or diagonal win at once. If the board is full "
    + "without such a line, the game is a tie.",
  ],
  gridlock: [
    "Both players have the same number of pieces, X and O, on random cells of a board of "
    + "7 by 7. They take turns; X begins.",
    "In a turn a player moves one own piece to an empty cell above, below, left or right of it: choose "
    + "the piece, then the cell, or drag it.",
    "A player who is to move and cannot move loses.",
    "At the turn limit, the player with more space wins: the empty cells beside the own pieces, "
    + "each counted once. Equal space is a tie.",
  ],
};

const KEYS = [
  ["arrow keys", "on the board: move between the cells"],
  ["Enter", "plays the cell; in Gridlock first the piece, then its new cell"],
  ["← → Home End", "beside the board: step through the game"],
  ["Page up, Page down", "step through the game, also on the board"],
  ["h", "hint"],
  ["w", "why: score and line"],
  ["a", "analysis"],
  ["u", "undo"],
  ["f", "flip the board"],
  ["n", "new game"],
  ["b", "go to the board"],
  ["Escape", "back to the game; puts a chosen piece down"],
];

function rulesDialog(variant, title) {
  openDialog(`Rules of ${title}`, [
    el("ul", {}, RULES_TEXT[variant].map((words) => el("li", {}, words))),
    el("h3", {}, "Keys"),
    el("dl", { class: "keys" },
      KEYS.map(([key, words]) => el("div", {}, el("dt", {}, key), el("dd", {}, words)))),
  ]);
}

export { rulesDialog };
