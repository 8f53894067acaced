// The boards of games by a rules program. `boards.rs` packs them and describes the format.
import { CELL, EDGE } from "./board.js";
import { el, svg, text } from "./elements.js";

const OTHER_GAME = {
  isOther: true,
  slides: false,
  pieces: ["first player", "second player"],
  outcome: () => null,
  legal: () => [],
  pieceAt(piece, x, y, symbol) {
    const disc = (r, kind) => svg("circle", { cx: x + CELL / 2, cy: y + CELL / 2, r, class: kind });
    return svg("g", { class: `piece side-${piece}` }, disc(23, "brick"), symbol ? wordAt(symbol, x, y, "symbol") : piece === 2 && disc(15, "inlay"));
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

function drawGrid({ columns, rows, cells, changed }) {
  // Labels of a wide board are as large on the screen as those of a small one.
  const scale = Math.max(1, columns.length / 9), size = 14 * scale;
  const left = Math.max(EDGE * scale, ...rows.map((row) => 0.62 * size * row.length + 10)), top = EDGE * scale;
  const width = columns.length * CELL, height = rows.length * CELL;
  const board = svg("svg", { viewBox: `0 0 ${width + 2 * left} ${height + 2 * top}`, class: "board grid-of-words", "aria-hidden": "true" });
  const label = (x, y, word, most) => board.append(text(x, y + 0.35 * most, word, "middle", { class: "label", "font-size": most }));
  columns.forEach((name, index) => [top / 2, top * 1.5 + height].forEach((y) => label(left + (index + 0.5) * CELL, y, name, letters(name, CELL, size))));
  rows.forEach((name, index) => [left / 2, left * 1.5 + width].forEach((x) => label(x, top + (index + 0.5) * CELL, name, size)));
  cells.forEach((cell, index) => {
    const column = index % columns.length, row = Math.floor(index / columns.length), x = left + column * CELL, y = top + row * CELL;
    const [side, word] = readCell(cell), isLast = changed.has(index);
    board.append(svg("rect", { x, y, width: CELL, height: CELL, class: `cell ${(row + column) % 2 ? "dark" : ""} ${isLast ? "last" : ""}` }));
    if (side) board.append(OTHER_GAME.pieceAt(side, x, y, word));
    else if (word) board.append(wordAt(word, x, y, isLast ? "word on-last" : "word"));
    if (isLast) board.append(svg("path", { d: `M${x} ${y}m2 18v-16h16m24 56h16v-16`, class: "corner" }));
  });
  return board;
}

// The grid for screen readers.
function gridTable({ columns, rows, cells, changed }, caption) {
  const words = (index) => {
    const [side, word] = readCell(cells[index]);
    return [side ? OTHER_GAME.pieces[side - 1] : word ? "" : "empty", word, changed.has(index) && "last move"].filter(Boolean).join(", ");
  };
  const head = (scope, name, index) => el("th", { scope }, name || String(index + 1));
  return el("div", { class: "hidden" }, el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, el("td"), columns.map((name, index) => head("col", name, index)))),
    el("tbody", {}, rows.map((name, row) => el("tr", {}, head("row", name, row), columns.map((_, column) => el("td", {}, words(row * columns.length + column))))))));
}

const plainBoardOf = boardOf;
boardOf = (rules, position, last, legal, caption) => {
  if (!rules.isOther) return plainBoardOf(rules, position, last, legal, caption);
  if (position.cells) return [drawGrid(position), gridTable(position, caption)];
  if (position.text) return [el("pre", { class: "board-text", tabindex: 0 }, position.text)];
  return position.isMissing ? [el("p", { class: "help" }, "This page has no board of the position.")] : [];
};
