// The board of a position. A position has its `cells`, which are words as in an answer to `query grid`,
// and the names of its columns and rows.
import { el, svg, text } from "./elements.js";

const CELL = 60, EDGE = 26;

// How the signs of sides are drawn; others are discs.
const brick = (inset, kind) =>
  svg("rect", { x: inset, y: inset, width: CELL - 2 * inset, height: CELL - 2 * inset, rx: 5, class: kind });
const disc = (r, kind) => svg("circle", { cx: CELL / 2, cy: CELL / 2, r, class: kind });
const SHAPES = { "■": () => brick(7, "brick"), "□": () => [brick(7, "brick"), brick(15, "inlay")],
  X: () => svg("path", { d: "M15 15l30 30m0-30l-30 30", class: "cross-piece" }),
  O: () => disc(17, "ring-piece") };

// The size of the letters of a word, at most `most`, so that it fits into a width.
const letters = (word, width, most) => Math.min(most, width / (0.62 * Math.max(1, word.length)));

function wordAt(word, x, y, kind) {
  const size = letters(word, CELL - 12, 28);
  return text(x + CELL / 2, y + CELL / 2 + 0.35 * size, word, "middle", { class: kind, "font-size": size });
}

// The side of the piece in a cell (0 for none), and the symbol or word to show.
function readCell(cell) {
  if (typeof cell === "number") return [cell, ""];
  return /^[xo]/.test(cell) ? [cell[0] === "x" ? 1 : 2, cell.slice(1)] : [0, cell === "." ? "" : cell];
}

// What stands in a cell, drawn into a cell whose corner is at (x, y). `piece` is a side or a word.
function pieceAt(game, piece, x, y) {
  const [side, word] = readCell(piece), shape = SHAPES[game.signs[side - 1]];
  if (!side) return wordAt(word, x, y, "word");
  const drawn = shape ? shape() : [disc(23, "brick"), !word && side === 2 && disc(15, "inlay")];
  return svg("g", { class: `piece side-${side}`, transform: `translate(${x} ${y})` }, drawn,
    word && wordAt(word, 0, 0, "symbol"));
}

const pieceIcon = (game, piece) =>
  svg("svg", { viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" }, pieceAt(game, piece, 0, 0));

// The name of a cell: its letter comes first.
function cellText({ columns, rows }, cell) {
  const [column, row] = [columns[cell % columns.length], rows[Math.floor(cell / columns.length)]];
  return /^\d/.test(column) && !/^\d/.test(row) ? row + column : column + row;
}

// The places of a drawing: its edges, its size, and the corner of each cell at the top left. A turned board is seen
// from the other side.
function placesOf({ columns = [], rows = [] }, isTurned = false) {
  // Labels of a wide board are as large on the screen as those of a small one.
  const scale = Math.max(1, columns.length / 9), size = 14 * scale;
  const left = Math.max(EDGE * scale, ...rows.map((row) => 0.62 * size * row.length + 10)),
    top = EDGE * scale;
  const turn = (index, names) => CELL * (isTurned ? names.length - 1 - index : index);
  const x = (column) => left + turn(column, columns), y = (row) => top + turn(row, rows);
  return { columns, rows, size, left, top, x, y, width: columns.length * CELL + 2 * left,
    height: rows.length * CELL + 2 * top,
    corner: (cell) => [x(cell % columns.length), y(Math.floor(cell / columns.length))] };
}

// The cells to mark: those that the last move changed, and those that show why the game is over.
const isChanged = (position, cell) => Boolean(position.changed?.includes(cell));
const isShown = (position, cell) => Boolean(position.highlights?.includes(cell));

// Who is to move at the end has lost: its own cells are those that are blocked.
const isBlocked = (position, cell) => readCell(position.cells[cell])[0] === position.side;

// The board of a position as an element. `legal` are moves whose targets are marked.
function drawBoard(game, position, legal = [], isTurned = false) {
  if (position.text) return el("pre", { class: "board-text", tabindex: 0 }, position.text);
  if (!position.cells)
    return position.isMissing ? el("p", { class: "help" }, "This page has no board of the position.") : "";
  const { columns, rows, size, left, top, x, y, width, height, corner } = placesOf(position, isTurned);
  const board = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "board", "data-game": game.name,
    "aria-hidden": "true" });
  board.append(
    ...[left - 8, width - left].map((at) =>
      svg("rect", { x: at, y: top, width: 8, height: height - 2 * top, class: "side-edge" })
    ),
  );
  const label = (at, down, word, most) =>
    board.append(text(at, down + 0.35 * most, word, "middle", { class: "coordinate", "font-size": most }));
  columns.forEach((name, index) =>
    [top / 2, height - top / 2].forEach((down) =>
      label(x(index) + CELL / 2, down, name, letters(name, CELL, size))
    )
  );
  rows.forEach((name, index) =>
    [(left - 8) / 2, width - (left - 8) / 2].forEach((at) => label(at, y(index) + CELL / 2, name, size))
  );
  for (const [cell, piece] of position.cells.entries()) {
    const [x, y] = corner(cell), [side, word] = readCell(piece), isLast = isChanged(position, cell);
    const isDark = (Math.floor(cell / columns.length) + (cell % columns.length)) % 2;
    board.append(
      svg("rect", { x, y, width: CELL, height: CELL,
        class: `cell ${isDark ? "dark" : ""} ${isLast ? "last" : ""}` }),
    );
    if (side) board.append(pieceAt(game, piece, x, y));
    else if (word) board.append(wordAt(word, x, y, isLast ? "word on-last" : "word"));
    if (isShown(position, cell))
      board.append(
        svg("rect", { x: x + 3, y: y + 3, width: CELL - 6, height: CELL - 6, rx: 8,
          class: `shown ${isBlocked(position, cell) ? "blocked" : ""}` }),
      );
    if (isLast && (side || word))
      board.append(svg("path", { d: `M${x} ${y}m2 18v-16h16m24 56h16v-16`, class: "corner" }));
    if (legal.some((move) => move.to === cell))
      board.append(
        svg("circle", { cx: x + (word ? 12 : CELL / 2), cy: y + (word ? 12 : CELL / 2), r: word ? 6 : 8,
          class: "legal" }),
      );
  }
  return board;
}

// A cell in words.
function cellWords(game, position, cell) {
  const [side, word] = readCell(position.cells[cell]);
  return [
    side ? game.pieces[side - 1] : word ? "" : "empty",
    word,
    isChanged(position, cell) && "last move",
    isShown(position, cell) && (isBlocked(position, cell) ? "blocked" : "winning line"),
  ].filter(Boolean);
}

// The board for screen readers: a table, row by row.
function boardTable(game, position, caption) {
  if (!position.cells) return "";
  const { columns, rows } = position;
  const head = (scope, name, index) => el("th", { scope }, name || String(index + 1));
  return el("div", { class: "hidden" },
    el("table", {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, el("td"), columns.map((name, index) => head("col", name, index)))),
      el("tbody", {},
        rows.map((name, row) =>
          el("tr", {}, head("row", name, row), columns.map((_, column) =>
            el("td", {}, cellWords(game, position, columns.length * row + column).join(", "))
          ))
        ))));
}

export { CELL, pieceAt, pieceIcon, cellText, placesOf, drawBoard, cellWords, boardTable };
