// The rules of a game, in words, and the keys of the page.
import { el } from "./elements.js";
import { inSigns } from "./games.js";
import { openDialog } from "./dialog.js";

const KEYS = [
  ["arrow keys", "on the board: move between the cells"],
  ["Enter", "plays the cell; where pieces move first the piece, then its new cell"],
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

function rulesDialog(game) {
  openDialog(`Rules of ${game.title}`, [
    el("ul", {}, game.rules.map((words) => el("li", {}, inSigns(game, words)))),
    el("h3", {}, "Keys"),
    el("dl", { class: "keys" },
      KEYS.map(([key, words]) => el("div", {}, el("dt", {}, key), el("dd", {}, words)))),
  ]);
}

export { rulesDialog };
