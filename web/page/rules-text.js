// The rules of a game, in words, and the keys of the page.
import { el } from "./elements.js";
import { openDialog } from "./dialog.js";
import { letterSwitch } from "./letters.js";
import { inWords } from "./sentences.js";

const KEYS = [
  ["arrows, Home, End", "on the board: to a cell, the ends of a row"],
  ["Enter", "plays the cell, or a piece and its new cell"],
  ["← → Home End", "elsewhere: step through the game"],
  ["Page up, Page down", "the same, everywhere"],
  ["Escape", "back to the game; puts a piece down"],
  ["b", "to the board"],
];

// `letters` has the button of each letter, and `nameOf` its name for people.
/** @param {Rules} game @param {(button: string) => string} nameOf @param {Record<string, string>} letters */
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
