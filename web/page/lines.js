// Lines of play: their moves as buttons that show the position after them.
import { el } from "./elements.js";
import { MAX_LINE_MOVES } from "./sentences.js";

// The buttons of a line. `show` gets the number of moves of the line to show.
function lineButtons(words, show, most = MAX_LINE_MOVES) {
  return el("span", { class: "line-moves" }, words.slice(0, most).map((word, at) => el("button", { type: "button", class: "line-move", onclick: () => show(at + 1) }, word)), words.length > most && " …");
}

export { lineButtons };
