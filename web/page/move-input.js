// Entering a move: by the cells that it names, by a button, or as text.
import { el } from "./elements.js";
import { cellText } from "./board.js";
import { movesWithCells } from "./named-cells.js";

// The most moves that get a button each.
const MOST_BUTTONS = 40;

class MoveInput {
  #play;
  #say;
  #changed;
  #refuse;
  #moves = [];
  #chosen = [];
  #known = "";
  #choices = el("div", { class: "buttons", role: "group", "aria-label": "Moves" });
  #list = el("datalist", { id: "legal-moves" });
  #input = el("input", { type: "text", id: "move", list: "legal-moves", autocomplete: "off",
    spellcheck: "false", size: 8 });
  #form;
  /** @type {Rules} */
  rules = null;
  /** @type {Position} */
  position = null;

  // `play` gets the text of a move, `say` a sentence for people, `refuse` one that answers a wrong click; `changed` draws
  // the board.
  constructor(play, say, changed, refuse) {
    this.#refuse = refuse;
    this.#play = play;
    this.#say = say;
    this.#changed = changed;
    this.#form = el("form", { class: "move-form", onsubmit: (event) => this.#submit(event) },
      el("label", { for: "move" }, "Your move"), this.#input, this.#list,
      el("button", { type: "submit" }, "Play"));
    this.element = el("div", { class: "move-input" }, this.#choices, this.#form);
  }

  // `legal` are the texts of the moves that can be played now.
  show(rules, position, legal) {
    const known = `${legal.join(" ")} ${JSON.stringify(position)}`;
    this.element.hidden = legal.length === 0;
    if (known === this.#known) return;
    this.rules = rules;
    this.position = position;
    this.#known = known;
    this.#chosen = [];
    this.#moves = movesWithCells(position, legal);
    this.#form.hidden = !rules.isOther;
    this.#list.replaceChildren(...legal.map((value) => el("option", { value })));
    this.#input.value = "";
    this.#showChoices();
  }

  // The cell that was chosen last; null for none.
  get chosen() {
    return this.#chosen.at(-1) ?? null;
  }

  // The cells that can be chosen next.
  get targets() {
    const next = this.#candidates().filter(({ cells }) => this.#chosen.length > 0 || cells.length === 1).map((
      { cells },
    ) => cells[this.#chosen.length]);
    return [...new Set(next)].filter((cell) => cell !== undefined);
  }

  // The moves that begin with the cells that are chosen.
  #candidates(chosen = this.#chosen) {
    return this.#moves.filter(({ cells }) =>
      cells.length >= chosen.length && chosen.every((cell, at) => cells[at] === cell)
    );
  }

  reset() {
    if (!this.#chosen.length) return false;
    this.#chosen = [];
    this.#showChoices();
    return true;
  }

  click(cell) {
    const name = (one) => cellText(this.position, one);
    const tries = [[...this.#chosen, cell], [cell]];
    const found = this.chosen === cell ? null : tries.find((chosen) => this.#candidates(chosen).length > 0);
    if (!found) {
      const isPutDown = this.chosen === cell, text = [...this.#chosen, cell].map(name).join("");
      const isWhole = this.#moves.some(({ cells }) => cells.length === this.#chosen.length + 1);
      this.reset();
      this.#changed();
      if (isPutDown) this.#say(`Put down ${name(cell)}`);
      else this.#refuse(`No move begins with ${text}`);
      // What plays the move knows the rules of the built-in games, and says what is wrong.
      if (isWhole && !isPutDown && !this.rules.isOther) this.#play(text);
      return;
    }
    this.#chosen = found;
    const candidates = this.#candidates(),
      complete = candidates.filter(({ cells }) => cells.length === found.length);
    if (candidates.length === 1 && complete.length === 1) {
      this.#play(complete[0].text);
      return;
    }
    this.#showChoices();
    if (complete.length) this.#choices.querySelector("button").focus();
    this.#say(
      complete.length ? `Choose one of ${complete.map(({ text }) => text).join(", ")}`
        : `Chosen: ${name(cell)}. It can go to ${this.targets.map(name).join(", ")}`,
    );
    this.#changed();
  }

  // Buttons for moves that cells do not decide.
  #showChoices() {
    const complete = this.#candidates().filter(({ cells }) => cells.length === this.#chosen.length);
    const shown = complete.length <= MOST_BUTTONS ? complete : [];
    this.#choices.replaceChildren(
      ...shown.map(({ text }) => el("button", { type: "button", onclick: () => this.#play(text) }, text)),
    );
  }

  #submit(event) {
    event.preventDefault();
    const words = this.#input.value.trim();
    const move = this.#moves.find(({ text }) => text === words)
      || this.#moves.find(({ text }) => text.toLowerCase() === words.toLowerCase());
    if (move) this.#play(move.text);
    else this.#say(
        words ? `“${words.slice(0, 40)}” is no legal move` : "Type a move, such as one of the list",
      );
  }
}

export { MoveInput };
