// The board to click on, and to use with the keyboard: the drawing of a position, under a grid of
// cells that a screen reader reads.
import { el } from "./elements.js";
import { cellText, cellWords, drawBoard, placesOf, sizeOf } from "./board.js";
import { drawMarks } from "./marks.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class BoardView {
  #onCell;
  #place = el("div", { class: "drawing" });
  #grid = el("div", { role: "grid", "aria-label": "Board" });
  #cells = new Map();
  #shape = "";
  #places = [];
  #shown = "";
  #cursor = null;
  // Screen readers hear it elsewhere.
  #answer = el("p", { class: "answer", "aria-hidden": "true", hidden: true });

  // `onCell` gets each cell that is clicked or chosen with Enter.
  constructor(onCell) {
    this.#onCell = onCell;
    this.element = el("div", { class: "board-place" }, this.#place, this.#grid, this.#answer);
    this.#grid.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (!cell) return;
      this.#moveTo(Number(cell.dataset.cell));
      this.#onCell(this.#cursor);
    });
    this.#grid.addEventListener("keydown", (event) => this.#key(event));
  }

  // Draws a position. `legal` are moves whose targets are marked, `chosen` is a cell or null, `marks` are
  // those of `drawMarks`.
  show({ rules, position, legal = [], chosen = null, isTurned = false, marks = [] }) {
    const key = JSON.stringify([rules.title, position, legal, chosen, isTurned, marks]);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#answer.hidden = true;
    const drawing = drawBoard(rules, position, legal, isTurned);
    if (position.cells) drawMarks(drawing, { rules, position, marks, chosen, isTurned });
    this.#place.replaceChildren(drawing);
    this.#build(rules, position, isTurned);
    for (const [cell, element] of this.#cells) {
      const words = [cellText(position, cell), ...cellWords(rules, position, cell)];
      if (legal.some((move) => move.to === cell)) words.push("legal");
      if (chosen === cell) words.push("chosen");
      words.push(...marks.filter((mark) => mark.name && mark.move.to === cell).map((mark) => mark.name));
      const label = words.join(", ");
      if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
    }
  }

  // Answers a click beside the cell, above it in the lower half of the board.
  answer(words) {
    const cell = this.#cells.get(this.#cursor);
    if (!cell) return;
    const own = cell.getBoundingClientRect(), all = this.element.getBoundingClientRect();
    const isLow = own.top + own.bottom > all.top + all.bottom, { style } = this.#answer;
    style.top = isLow ? "auto" : `${own.bottom - all.top + 4}px`;
    style.bottom = isLow ? `${all.bottom - own.top + 4}px` : "auto";
    this.#answer.textContent = words;
    this.#answer.hidden = false;
  }

  // The cell that the keyboard is on.
  focus() {
    this.#cells.get(this.#cursor)?.focus();
  }

  // The cells for the keyboard, as many as the board has.
  #build(rules, position, isTurned) {
    const { columns, rows, left, top, width, height } = placesOf(position),
      percent = (part, all) => `${(100 * part) / all}%`;
    const shape = [rules.title, columns, rows, isTurned].join(" ");
    if (shape === this.#shape) return;
    const hadFocus = this.#grid.contains(document.activeElement);
    this.#shape = shape;
    const inOrder = (names) => (isTurned ? [...names.keys()].reverse() : [...names.keys()]);
    this.#places = inOrder(rows).map((row) =>
      inOrder(columns).map((column) => columns.length * row + column)
    );
    this.#cells.clear();
    this.#grid.className = "cells";
    this.#grid.style.inset = `${percent(top, height)} ${percent(left, width)}`;
    this.#grid.hidden = !position.cells;
    const shares = (names) => inOrder(names).map((index) => `${sizeOf(names[index])}fr`).join(" ");
    this.#grid.style.gridTemplateRows = shares(rows);
    this.#grid.replaceChildren(...this.#places.map((row) => {
      const line = el("div", { role: "row" }, row.map((cell) => {
        const element = el("div", { role: "gridcell", tabindex: -1, "data-cell": cell });
        this.#cells.set(cell, element);
        return element;
      }));
      line.style.gridTemplateColumns = shares(columns);
      return line;
    }));
    if (!this.#cells.has(this.#cursor)) this.#cursor = this.#places.at(-1)?.[0] ?? null;
    if (this.#cursor !== null) this.#cells.get(this.#cursor).tabIndex = 0;
    if (hadFocus) this.focus();
  }

  #moveTo(cell) {
    if (!this.#cells.has(cell)) return;
    this.#cells.get(this.#cursor).tabIndex = -1;
    this.#cursor = cell;
    this.#cells.get(cell).tabIndex = 0;
    this.focus();
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = ARROWS[event.key], row = this.#places.findIndex((cells) => cells.includes(this.#cursor));
    if (step) {
      const next = this.#places[row + step[0]]?.[this.#places[row].indexOf(this.#cursor) + step[1]];
      if (next !== undefined) this.#moveTo(next);
    } else if (event.key === "Home" || event.key === "End") {
      this.#moveTo(this.#places[row].at(event.key === "Home" ? 0 : -1));
    } else if (event.key === "Enter" || event.key === " ") {
      if (!event.repeat) this.#onCell(this.#cursor);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

export { BoardView };
