// The rules of a game, in words, and the keys of the page.
import { el } from "./elements.js";
import { openDialog } from "./dialog.js";
import { letterSwitch } from "./letters.js";
import { inWords } from "./sentences.js";

const KEYS = [
  ["arrows, Home, End", "on the board: to another cell, to the ends of a row"],
  ["Enter", "on a cell: plays it, or chooses a piece and then its new cell"],
  ["← → Home End", "beside the board: steps through the game"],
  ["Page up, Page down", "the same, also on the board"],
  ["Escape", "back to the game; puts a chosen piece down"],
  ["b", "to the board"],
];

// `letters` has the button of each letter, and `nameOf` its name for people.
function rulesDialog(game, nameOf, letters) {
  const keys = [...KEYS, ...Object.entries(letters).map(([key, button]) => [key, nameOf(button)])];
  openDialog(`Rules of ${game.title}`, [
    el("ul", {}, game.rules.map((words) => el("li", {}, game.isOther ? words : inWords(game, words)))),
    el("h3", {}, "Keys"),
    el("dl", { class: "keys" }, keys.map(([key, words]) => [el("dt", {}, key), el("dd", {}, words)])),
    letterSwitch(),
  ]);
}

export { rulesDialog };
