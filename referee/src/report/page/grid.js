// The boards of games by a rules program. `boards.rs` packs them and describes the format.
import { CELL, EDGE } from "./board.js";
import { el, svg, text } from "./elements.js";

const OTHER_GAME = {
  isOther: true,
  slides: false,
  pieces: ["first player", "second player"],
  outcome: () => null,
  legal: () => [],
  // `piece` is a side, or the word of a cell.
  pieceAt(piece, x, y) {
    const [side, word] = typeof piece === "number" ? [piece, ""] : readCell(piece);
    const disc = (r, kind) => svg("circle", { cx: x + CELL / 2, cy: y + CELL / 2, r, class: kind });
    if (!side) return wordAt(word, x, y, "word");
    return svg("g", { class: `piece side-${side}` }, disc(23, "brick"), word ? wordAt(word, x, y, "symbol") : side === 2 && disc(15, "inlay"));
  },
  cornerOf: (position, cell, isTurned) => gridPlaces(position).corner(cell, isTurned),
  drawBoard(position, legal, isTurned) {
    if (position.cells) return drawGrid(position, legal, isTurned);
    if (position.text) return el("pre", { class: "board-text", tabindex: 0 }, position.text);
    return position.isMissing ? el("p", { class: "help" }, "This page has no board of the position.") : "";
  },
  cellWords({ cells, changed }, cell) {
    const [side, word] = readCell(cells[cell]);
    return [side ? OTHER_GAME.pieces[side - 1] : word ? "" : "empty", word, changed.has(cell) && "last move"].filter(Boolean);
  },
};

// The size of the letters of a word, at most `most`, so that it fits into a width.
const letters = (word, width, most) => Math.min(most, width / (0.62 * Math.max(1, word.length)));

function wordAt(word, x, y, kind) {
  const size = letters(word, CELL - 12, 28);
  return text(x + CELL / 2, y + CELL / 2 + 0.35 * size, word, "middle", { class: kind, "font-size": size });
}

// The side of the piece in a cell (0 for none), and the symbol or word to show.
const readCell = (cell) => (/^[xo]/.test(cell) ? [cell[0] === "x" ? 1 : 2, cell.slice(1)] : [0, cell === "." ? "" : cell]);

// The names of columns or rows: a text, or the number of those without names.
const readNames = (names) => (typeof names === "number" ? Array(names).fill("") : names.split(" "));

// The positions of a game: the side to move, and the grid, a text, or nothing.
function readBoards({ length, extra }) {
  const { boards = [], turns = "" } = extra;
  let grid = null;
  return Array.from({ length: length + 1 }, (_, plies) => {
    const board = boards[plies], side = Number(turns[plies] || 1 + (plies % 2));
    if (Array.isArray(board)) {
      grid = { columns: readNames(board[0]), rows: readNames(board[1]), cells: board[2].split(" "), changed: new Set() };
    } else if (typeof board === "string" && grid) {
      const words = board.split(" "), cells = grid.cells.slice(), changed = new Set();
      for (let at = 0; at + 1 < words.length; at += 2) {
        cells[words[at]] = words[at + 1];
        changed.add(Number(words[at]));
      }
      grid = { ...grid, cells, changed };
    } else return { side, text: board && board.text, isMissing: boards.length > 0 && plies >= boards.length };
    return { ...grid, side };
  });
}

// The places of a drawing: its edges, its size, and the corner of each cell at the top left.
function gridPlaces({ columns, rows }) {
  // Labels of a wide board are as large on the screen as those of a small one.
  const scale = Math.max(1, columns.length / 9), size = 14 * scale;
  const left = Math.max(EDGE * scale, ...rows.map((row) => 0.62 * size * row.length + 10)), top = EDGE * scale;
  const turn = (index, names, isTurned) => CELL * (isTurned ? names.length - 1 - index : index);
  const x = (column, isTurned) => left + turn(column, columns, isTurned), y = (row, isTurned) => top + turn(row, rows, isTurned);
  return { size, left, top, x, y, width: columns.length * CELL + 2 * left, height: rows.length * CELL + 2 * top,
    corner: (cell, isTurned) => [x(cell % columns.length, isTurned), y(Math.floor(cell / columns.length), isTurned)] };
}

function drawGrid({ columns, rows, cells, changed }, legal = [], isTurned = false) {
  const { size, left, top, x, y, width, height, corner } = gridPlaces({ columns, rows });
  const board = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "board grid-of-words", "aria-hidden": "true" });
  const label = (at, down, word, most) => board.append(text(at, down + 0.35 * most, word, "middle", { class: "label", "font-size": most }));
  columns.forEach((name, index) => [top / 2, height - top / 2].forEach((down) => label(x(index, isTurned) + CELL / 2, down, name, letters(name, CELL, size))));
  rows.forEach((name, index) => [left / 2, width - left / 2].forEach((at) => label(at, y(index, isTurned) + CELL / 2, name, size)));
  cells.forEach((cell, index) => {
    const [x, y] = corner(index, isTurned), row = Math.floor(index / columns.length), column = index % columns.length;
    const [side, word] = readCell(cell), isLast = changed.has(index);
    board.append(svg("rect", { x, y, width: CELL, height: CELL, class: `cell ${(row + column) % 2 ? "dark" : ""} ${isLast ? "last" : ""}` }));
    if (side) board.append(OTHER_GAME.pieceAt(cell, x, y));
    else if (word) board.append(wordAt(word, x, y, isLast ? "word on-last" : "word"));
    if (isLast) board.append(svg("path", { d: `M${x} ${y}m2 18v-16h16m24 56h16v-16`, class: "corner" }));
    if (legal.some((move) => move.to === index)) board.append(svg("circle", { cx: x + (word ? 12 : CELL / 2), cy: y + (word ? 12 : CELL / 2), r: word ? 6 : 8, class: "legal" }));
  });
  return board;
}

export { OTHER_GAME, gridPlaces };
