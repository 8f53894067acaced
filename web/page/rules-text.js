// The rules of a game, in words, and the keys of the page.
import { el } from "./elements.js";
import { inSigns } from "./games.js";
import { openDialog } from "./dialog.js";
import { letterSwitch } from "./letters.js";
import { template } from "./template.js";

function rulesDialog(game) {
  openDialog(`Rules of ${game.title}`, [
    el("ul", {}, game.rules.map((words) => el("li", {}, inSigns(game, words)))),
    template("keys").element,
    letterSwitch(),
  ]);
}

export { rulesDialog };
