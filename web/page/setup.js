// Setting up a position: pieces by clicks on the board, or a FEN.
import { startAt } from "./rules.js";
import { el } from "./elements.js";

// What the numbers are with which a FEN ends, where games begin with a placement.
const COUNTS = ["Turns played", "Turn limit"];

function fenOf(rules, { cells, side, counts }) {
  const width = rules.columns.length;
  const rows = [...rules.rows].map((_, row) =>
    cells.slice(width * row, width * (row + 1)).join("").replace(/\.+/g, (empty) => empty.length)
  );
  return [rows.join("/"), ".xo"[side], ...counts].join(" ");
}

// A random placement in which both sides can move; of a game without placements its start.
function randomStart(rules, { pieces, turns }) {
  if (!rules.hasSetup) return rules.start;
  for (;;) {
    const cells = rules.cells.map((_, at) => (at < pieces ? "x" : at < 2 * pieces ? "o" : "."));
    cells.forEach((cell, at) => {
      const other = Math.floor(Math.random() * (at + 1));
      [cells[at], cells[other]] = [cells[other], cell];
    });
    const starts = [1, 2].map((side) => startAt(rules, fenOf(rules, { cells, side, counts: [0, turns] })));
    if (starts.every(({ ending }) => !ending)) return starts[0].fen;
  }
}

class Setup {
  // `changed` draws the board, `done` gets the FEN, or null.
  constructor({ rules, position, changed, done }) {
    Object.assign(this, { rules, changed, done });
    this.piece = "x";
    this.#set(position);
    this.element = el("section", { class: "setup", "aria-label": "Set up a position" });
    this.#build();
  }

  // Puts the chosen piece on a cell, or takes it away.
  click(cell) {
    const { cells } = this.position;
    cells[cell] = cells[cell] === this.piece ? "." : this.piece;
    this.#show();
  }

  #set({ cells, side, columns, rows, fen }) {
    this.position = { columns, rows, cells: [...cells], side, counts: fen.split(" ").slice(2) };
  }

  #put(position) {
    this.#set(position);
    this.#show();
  }

  #build() {
    const { rules } = this;
    const pieces = [...rules.pieces, "empty"].map((name, at) =>
      el("label", { class: "radio" },
        el("input", { type: "radio", name: "piece", value: "xo."[at], checked: at === 0, onchange: () => {
          this.piece = "xo."[at];
        } }), ` ${at < 2 ? `${rules.signs[at]} ` : ""}${name}`)
    );
    this.counts = this.position.counts.map((_, at) =>
      el("input", { type: "number", id: `setup-${at}`, min: at, max: rules.setup.turns[1],
        oninput: ({ target }) => {
          this.position.counts[at] = target.value;
          this.#show();
        } })
    );
    this.side = el("select", { id: "setup-side", onchange: () => {
      this.position.side = Number(this.side.value);
      this.#show();
    } }, [1, 2].map((side) => el("option", { value: side }, `Player ${side} (${rules.signs[side - 1]})`)));
    this.fen = el("input", { type: "text", id: "setup-fen", spellcheck: "false", autocomplete: "off",
      onchange: () => this.#read((position) => this.#put(position)) });
    this.problem = el("p", { class: "problem", role: "alert" });
    const start = startAt(rules, rules.start);
    this.element.replaceChildren(el("h2", {}, "Set up a position"),
      el("fieldset", {}, el("legend", {}, "A click puts"), pieces),
      el("p", {}, el("label", { for: "setup-side" }, "To move"), this.side),
      this.counts.map((field, at) => el("p", {}, el("label", { for: field.id }, COUNTS[at]), field)),
      el("p", {}, el("label", { for: "setup-fen" }, "FEN"), this.fen), this.problem,
      el("p", { class: "buttons" },
        el("button", { type: "button", class: "main-button",
          onclick: () => this.#read(({ fen }) => this.done(fen)) }, "Play from here"),
        el("button", { type: "button",
          onclick: () => this.#put({ ...start, cells: start.cells.map(() => ".") }) }, "Clear"),
        el("button", { type: "button", onclick: () => this.#put(start) }, "Start position"),
        el("button", { type: "button", onclick: () => this.done(null) }, "Cancel")));
    this.#show();
  }

  #show() {
    this.problem.replaceChildren();
    this.side.value = String(this.position.side);
    this.fen.value = fenOf(this.rules, this.position);
    this.counts.forEach((field, at) => {
      if (field.value !== this.position.counts[at]) field.value = this.position.counts[at];
    });
    this.changed();
  }

  // Gives the position of the field to `take` if the engine accepts it; otherwise the reason is shown.
  #read(take) {
    try {
      take(startAt(this.rules, this.fen.value.trim()));
    } catch (error) {
      this.problem.replaceChildren(error.message);
    }
  }
}

export { Setup, randomStart };
