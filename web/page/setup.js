// Setting up a position: pieces by clicks on the board, or a FEN.
import { RULES, fenOf, parseFen } from "./rules.js";
import { START } from "./session.js";
import { el } from "./elements.js";

class Setup {
  // `refusal` returns a promise of the reason why the engine refuses a FEN, `changed` draws the
  // board, `done` gets the FEN, or null.
  constructor({ variant, position, refusal, changed, done }) {
    Object.assign(this, { variant, rules: RULES[variant], position: structuredClone(position), refusal,
      changed, done });
    this.piece = 1;
    this.element = el("section", { class: "setup", "aria-label": "Set up a position" });
    this.#build();
  }

  // Puts the chosen piece on a cell, or takes it away.
  click(cell) {
    const { cells } = this.position;
    cells[cell] = cells[cell] === this.piece ? 0 : this.piece;
    this.#show();
  }

  #build() {
    const { rules } = this;
    const pieces = [...rules.pieces, "empty"].map((name, at) =>
      el("label", { class: "radio" },
        el("input", { type: "radio", name: "piece", value: (at + 1) % 3, checked: at === 0, onchange: () => {
          this.piece = (at + 1) % 3;
        } }), ` ${at < 2 ? `${rules.signs[at]} ` : ""}${name}`)
    );
    const number = (id, label, key, min) =>
      el("p", {}, el("label", { for: id }, label),
        el("input", { type: "number", id, min, max: 1000, oninput: (event) => {
          this.position[key] = Number(event.target.value);
          this.#show();
        } }));
    this.side = el("select", { id: "setup-side", onchange: () => {
      this.position.side = Number(this.side.value);
      this.#show();
    } }, [1, 2].map((side) => el("option", { value: side }, `Player ${side} (${rules.signs[side - 1]})`)));
    this.fen = el("input", { type: "text", id: "setup-fen", spellcheck: "false", autocomplete: "off",
      onchange: () => this.#read() });
    this.problem = el("p", { class: "problem", role: "alert" });
    const set = (fen) => () => {
      this.position = parseFen(rules, fen);
      this.#show();
    };
    const empty = `${Array(rules.size).fill(rules.size).join("/")} x${rules.slides ? " 0 40" : ""}`;
    this.element.replaceChildren(el("h2", {}, "Set up a position"),
      el("fieldset", {}, el("legend", {}, "A click puts"), pieces),
      el("p", {}, el("label", { for: "setup-side" }, "To move"), this.side),
      rules.slides
        ? el("div", {}, number("setup-played", "Turns played", "played", 0),
          number("setup-limit", "Turn limit", "limit", 1)) : "",
      el("p", {}, el("label", { for: "setup-fen" }, "FEN"), this.fen), this.problem,
      el("p", { class: "buttons" },
        el("button", { type: "button", class: "main-button", onclick: () => this.#finish() },
          "Play from here"), el("button", { type: "button", onclick: set(empty) }, "Clear"),
        el("button", { type: "button", onclick: set(START[this.variant]) }, "Start position"),
        el("button", { type: "button", onclick: () => this.done(null) }, "Cancel")));
    this.#show();
  }

  #show() {
    this.problem.replaceChildren();
    this.side.value = String(this.position.side);
    this.fen.value = fenOf(this.rules, this.position);
    for (const key of ["played", "limit"]) {
      const field = this.element.querySelector(`#setup-${key}`);
      if (field && Number(field.value) !== this.position[key]) field.value = String(this.position[key]);
    }
    this.changed();
  }

  // The FEN of the field if the engine accepts it; otherwise the reason is shown.
  async #accepted() {
    const fen = this.fen.value.trim().replace(/\s+/g, " ");
    let why;
    try {
      why = await this.refusal(this.variant, fen);
    } catch (error) {
      why = error.message;
    }
    if (why) this.problem.replaceChildren(why);
    return why ? null : fen;
  }

  async #read() {
    const fen = await this.#accepted();
    if (!fen) return;
    this.position = parseFen(this.rules, fen);
    this.#show();
  }

  async #finish() {
    const fen = await this.#accepted();
    if (fen) this.done(fen);
  }
}

export { Setup };
