// Lines of play: their moves as buttons that show the position after them.
import { el } from "./elements.js";
import { MAX_LINE_MOVES } from "./sentences.js";

// The buttons of a line. `show` gets the number of moves of the line to show; without it, the moves are text.
function lineButtons(words, show, most = MAX_LINE_MOVES) {
  return el("span", { class: "line-moves" },
    words.slice(0, most).map((word,
      at) => (show ? el("button", { type: "button", class: "line-move", onclick: () => show(at + 1) }, word)
        : `${word} `)
    ), words.length > most && " …");
}

export { lineButtons };
