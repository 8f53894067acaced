// The strips above and below the board: who plays, whose turn it is, the clock.
import { el } from "./elements.js";
import { clockText, labelOf, signed } from "./sentences.js";

class Strip {
  #known = "";
  #clock = el("span", { class: "clock", role: "timer" });
  #note = el("span", { class: "note-of-player" });

  // `choice` makes the element with which a player is chosen; it gets the side, its label and what
  // `show` gets.
  constructor(choice) {
    this.choice = choice;
    this.element = el("div", { class: "strip" });
  }

  show(state) {
    const { rules, variant, side, player, isToMove, time, note } = state;
    const known = [variant, side, player.name].join(" ");
    if (known !== this.#known) {
      this.#known = known;
      const label = labelOf(rules, side);
      this.element.replaceChildren(el("strong", { class: "sign" }, signed(rules, side)),
        this.choice(side, label, state), this.#note, this.#clock);
    }
    this.element.classList.toggle("to-move", isToMove);
    this.#note.replaceChildren(note || "");
    this.#note.title = `last move: time, score (+ is good for ${labelOf(rules, 1)})`;
    this.showTime(time);
  }

  showTime(time) {
    this.#clock.hidden = time === null;
    if (time === null) return;
    const words = clockText(time);
    if (this.#clock.textContent !== words) this.#clock.textContent = words;
    this.#clock.classList.toggle("short", time < 10_000);
  }
}

export { Strip };
