// Drags a piece to another cell with the mouse. Clicks on both cells do the same.
import { CELL, pieceAt } from "./board.js";
import { svg } from "./elements.js";

// A pointer that has moved less than this clicks, in CSS pixels.
const LEAST_WAY = 5;

class Drag {
  #pick;
  #drop;
  #start = null;
  #ghost = null;

  // `grid` has the cells. `pick` gets the first cell, and returns what `pieceAt` needs if a piece can
  // be dragged from there, else null. `drop` gets the other cell.
  constructor(grid, pick, drop) {
    this.#pick = pick;
    this.#drop = drop;
    grid.addEventListener("pointerdown", (event) => {
      const cell = event.target.closest("[data-cell]");
      if (cell && event.pointerType === "mouse" && event.button === 0)
        this.#start = { cell: Number(cell.dataset.cell), x: event.clientX, y: event.clientY,
          size: cell.getBoundingClientRect().width };
    });
    document.addEventListener("pointermove", (event) => this.#move(event));
    document.addEventListener("pointerup", (event) => this.#end(event));
    document.addEventListener("pointercancel", () => this.#clear());
  }

  #move({ clientX, clientY }) {
    if (!this.#start) return;
    const { cell, x, y, size } = this.#start;
    if (!this.#ghost) {
      if (Math.hypot(clientX - x, clientY - y) < LEAST_WAY) return;
      const found = this.#pick(cell);
      if (!found) {
        this.#clear();
        return;
      }
      this.#ghost = svg("svg", { viewBox: `0 0 ${CELL} ${CELL}`, width: size, height: size, class: "dragged",
        "aria-hidden": "true" }, pieceAt(found.rules, found.piece, 0, 0));
      document.body.append(this.#ghost);
    }
    this.#ghost.style.transform = `translate(${clientX - size / 2}px, ${clientY - size / 2}px)`;
  }

  #end({ clientX, clientY }) {
    const { cell: from } = this.#start || {}, isDragged = this.#ghost !== null;
    this.#clear();
    const cell = isDragged && document.elementFromPoint(clientX, clientY)?.closest("[data-cell]");
    if (cell && Number(cell.dataset.cell) !== from) this.#drop(Number(cell.dataset.cell));
  }

  #clear() {
    this.#ghost?.remove();
    this.#start = this.#ghost = null;
  }
}

export { Drag };
