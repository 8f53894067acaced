// The strips above and below the board: who plays, whose turn it is, the clock.
import { CELL, pieceAt } from "./board.js";
import { svg, el } from "./elements.js";
import { clockText, labelOf } from "./sentences.js";
import { playerChoice } from "./player-choice.js";

class Strip {
  #known = "";
  #clock = el("span", { class: "clock", role: "timer" });
  #note = el("span", { class: "note-of-player" });

  // `changed` gets the side and the word of its new player.
  constructor(changed) {
    this.changed = changed;
    this.element = el("div", { class: "strip" });
  }

  show({ rules, variant, side, player, isToMove, time, note }) {
    const known = [variant, side, player.name].join(" ");
    if (known !== this.#known) {
      this.#known = known;
      const label = labelOf(rules, side);
      const choice = playerChoice({ id: `player-${side}`, label: `${label} is played by`, variant, value: player.name, isShort: true, changed: (words) => this.changed(side, words) });
      this.element.replaceChildren(svg("svg", { viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" }, pieceAt(rules, side, 0, 0)), el("strong", {}, label), choice.element, this.#note, this.#clock);
    }
    this.element.classList.toggle("to-move", isToMove);
    this.#note.replaceChildren(note || "");
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
