// The moves of a game, as links.
import { change, el } from "./elements.js";

class MoveList {
  #items = [];
  #begin = "";

  #linkOf;

  // `go` gets the number of moves after which the position is shown; `linkOf` makes the link to a game.
  constructor(go, linkOf) {
    this.#linkOf = linkOf;
    this.element = el("ol", { class: "moves", "aria-label": "Moves" });
    this.element.addEventListener("click", (event) => {
      const item = event.target.closest("a");
      if (!item || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(this.#items.indexOf(item) + 1);
    });
  }

  // `moves` are those of a game from `start`; the position after `shown` of them is on the board.
  show({ variant, start, moves, shown }) {
    const words = moves.map((move) => move.text);
    const begin = `${variant} ${start}`;
    const isKept = (item, at) => begin === this.#begin && item.dataset.move === words[at];
    const firstOther = this.#items.findIndex((item, at) => !isKept(item, at));
    if (firstOther >= 0) this.#items.splice(firstOther).forEach((item) => item.parentElement.remove());
    this.#begin = begin;
    for (let at = this.#items.length; at < words.length; at++) {
      const item = el("a", { href: this.#linkOf({ variant, start, moves: words.slice(0, at + 1) }),
        "data-move": words[at] }, el("span", { class: "number" }, `${at + 1}.`), ` ${words[at]}`);
      this.#items.push(item);
      this.element.append(el("li", {}, item));
    }
    const hadFocus = this.element.contains(document.activeElement), item = this.#items[shown - 1];
    const stop = item ?? this.#items.at(-1);
    for (const one of this.#items) {
      // The Tab key stops once in the list; the keys that step through the game move the focus within it.
      change(one, { tabindex: one === stop ? 0 : -1, "aria-current": one === item && "step" });
    }
    if (hadFocus) stop?.focus({ preventScroll: true });
    this.element.scrollTop = item ? item.offsetTop - this.element.clientHeight / 2 : 0;
  }
}

export { MoveList };
