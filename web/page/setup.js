// Setting up a position: pieces by clicks on the board, or a FEN.
import { startAt } from "./rules.js";
import { el } from "./elements.js";
import { labelOf, signed } from "./sentences.js";
import { template } from "./template.js";

/** @param {Rules} rules @param {{ cells?: string[], side: number, counts: any[] }} position */
function fenOf(rules, { cells, side, counts }) {
  const width = rules.columns.length;
  const rows = [...rules.rows].map((_, row) =>
    cells.slice(width * row, width * (row + 1)).join("").replace(/\.+/g, (empty) => String(empty.length))
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
  #piece = "x";
  /** @type {Position & { counts: string[] }} */
  position = null;

  // `changed` draws the board, `done` gets the FEN, or null.
  constructor({ rules, position, changed, done }) {
    const { element, parts } = template("setup-form"), start = startAt(rules, rules.start);
    this.rules = rules;
    this.changed = changed;
    this.element = element;
    this.parts = parts;
    parts["setup-pieces"].append(...[signed(rules, 1), signed(rules, 2), "Empty"].map((name, at) => {
      const choose = () => {
        this.#piece = "xo."[at];
      };
      return el("label", { class: "radio" },
        el("input", { type: "radio", name: "piece", checked: at === 0, onchange: choose }), " ", name);
    }));
    parts["setup-side"].append(...[1, 2].map((side) => el("option", { value: side }, labelOf(rules, side))));
    parts["setup-side"].addEventListener("change", () => {
      this.position.side = Number(parts["setup-side"].value);
      this.#show();
    });
    parts["setup-fen"].addEventListener("change", () => this.#read((read) => this.#set(read)));
    const acts = { play: () => this.#read(({ fen }) => done(fen)),
      clear: () => this.#set({ ...start, cells: start.cells.map(() => ".") }), start: () => this.#set(start),
      cancel: () => done(null) };
    for (const [name, act] of Object.entries(acts)) parts[`setup-${name}`].addEventListener("click", act);
    this.#set(position);
  }

  // Puts the chosen piece on a cell, or takes it away.
  click(cell) {
    const { cells } = this.position;
    cells[cell] = cells[cell] === this.#piece ? "." : this.#piece;
    this.#show();
  }

  /** @param {Position} position */
  #set({ cells, side, columns, rows, fen }) {
    // Where games count their turns, the FEN ends with the counts.
    this.position = { columns, rows, cells: [...cells], side, counts: fen.split(" ").slice(2) };
    this.#show();
  }

  #show() {
    this.#tell("");
    this.parts["setup-side"].value = String(this.position.side);
    this.parts["setup-fen"].value = fenOf(this.rules, this.position);
    this.changed();
  }

  #tell(why) {
    this.parts["setup-problem"].replaceChildren(why);
  }

  // Gives the position of the field to `take` if the engine accepts it; otherwise the reason is shown.
  #read(take) {
    try {
      take(startAt(this.rules, this.parts["setup-fen"].value.trim()));
    } catch (error) {
      this.#tell(error.message);
    }
  }
}

export { Setup, randomStart };
