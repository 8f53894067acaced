// The board of a position. A position has its `cells`, which are words as in an answer to `query grid`,
// and the names of its columns and rows.
import { el, svg, text } from "./elements.js";

const CELL = 60, NARROW = 18, EDGE = 26;

// Between the cells may be narrow columns and rows, with walls.
const isNarrow = (name) => /.[|_]$/.test(name);
const sizeOf = (name) => (isNarrow(name) ? NARROW : CELL);

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

// A piece outside the board, beside the name of its player. In a sentence it has a name.
/** @param {Rules} game @param {any} piece @param {string} [name] */
const pieceIcon = (game, piece, name) =>
  svg("svg", { viewBox: `0 0 ${CELL} ${CELL}`, class: "sign", role: name && "img", "aria-label": name,
    "aria-hidden": !name && "true" }, pieceAt(game, piece, 0, 0));
const signOf = (game, side) => pieceIcon(game, side, game.pieces[side - 1]);

// A sentence of the rules, in which the sides, x and o, are shown as on the board.
/** @param {Rules} game @param {string} words */
const withSigns = (game, words) =>
  words.split(/\b([xo])\b/).map((part, at) => (at % 2 ? signOf(game, part === "x" ? 1 : 2) : part));

// The name of a cell: as `names` says, such as `{row},{column}`; otherwise its letter comes first.
/** @param {Position} position @param {number} cell */
function cellText({ columns, rows, names }, cell) {
  const [column, row] = [columns[cell % columns.length], rows[Math.floor(cell / columns.length)]];
  if (names) return names.replace("{column}", column).replace("{row}", row);
  return /^\d/.test(column) && !/^\d/.test(row) ? row + column : column + row;
}

// The places of a drawing: its edges, its size, and the corner of each cell at the top left. A turned board is seen
// from the other side.
/** @param {Position} position @param {boolean} [isTurned] */
function placesOf({ columns = [], rows = [] }, isTurned = false) {
  // Labels of a wide board are as large on the screen as those of a small one.
  const wide = (names) => names.filter((name) => !isNarrow(name));
  const scale = Math.max(1, wide(columns).length / 9), size = 14 * scale;
  const left = Math.max(EDGE * scale, ...wide(rows).map((row) => 0.62 * size * row.length + 10)),
    top = EDGE * scale;
  const sum = (names) => names.reduce((all, name) => all + sizeOf(name), 0);
  const before = (index, names) => sum(isTurned ? names.slice(index + 1) : names.slice(0, index));
  const x = (column) => left + before(column, columns), y = (row) => top + before(row, rows);
  const at = (cell) => [cell % columns.length, Math.floor(cell / columns.length)];
  return { columns, rows, size, left, top, x, y, width: sum(columns) + 2 * left, height: sum(rows) + 2 * top,
    corner: (cell) => [x(at(cell)[0]), y(at(cell)[1])],
    area: (cell) => [sizeOf(columns[at(cell)[0]]), sizeOf(rows[at(cell)[1]])] };
}

// Whether a cell is a place for a wall.
/** @param {Position} position @param {number} cell */
const isWallPlace = ({ columns, rows }, cell) =>
  isNarrow(columns[cell % columns.length]) || isNarrow(rows[Math.floor(cell / columns.length)]);

// The lines that cross in a cell, as the path from its corner.
/** @param {Position} position @param {number} cell @param {boolean} isTurned */
function crossing({ columns, rows }, cell, isTurned) {
  const ends = (index, names) => [index > 0, index < names.length - 1];
  const [left, right] = ends(cell % columns.length, columns), half = CELL / 2;
  const [up, down] = ends(Math.floor(cell / columns.length), rows);
  const [west, east, north, south] = isTurned ? [right, left, down, up] : [left, right, up, down];
  return [
    `M${west ? 0 : half} ${half}L${east ? CELL : half} ${half}`,
    `M${half} ${north ? 0 : half}L${half} ${south ? CELL : half}`,
  ].join("");
}

// The cells to mark: those that the last move changed, and those that show why the game is over.
const isChanged = (position, cell) => position.changed?.includes(cell);
const isShown = (position, cell) => position.highlights?.includes(cell);

// Who is to move at the end has lost: its own cells are those that are blocked.
const isBlocked = (position, cell) => readCell(position.cells[cell])[0] === position.side;

// The board of a position as an element. `legal` are moves whose targets are marked.
/** @param {Rules} game @param {Position} position @param {{ to: number }[]} legal @param {boolean} isTurned */
function drawBoard(game, position, legal = [], isTurned = false) {
  if (position.text) return el("pre", { class: "board-text", tabindex: 0 }, position.text);
  if (!position.cells)
    return position.isMissing ? el("p", { class: "help" }, "This page has no board of the position.") : "";
  const { columns, rows, size, left, top, x, y, width, height, corner, area } = placesOf(position, isTurned);
  const board = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "board", "data-game": game.name,
    "aria-hidden": "true" });
  board.append(
    ...[left - 8, width - left].map((at) =>
      svg("rect", { x: at, y: top, width: 8, height: height - 2 * top, class: "side-edge" })
    ),
  );
  const label = (at, down, word, most) =>
    board.append(text(at, down + 0.35 * most, word, "middle", { class: "coordinate", "font-size": most }));
  columns.forEach((name, index) => {
    if (isNarrow(name)) return;
    for (const down of [top / 2, height - top / 2])
      label(x(index) + CELL / 2, down, name, letters(name, CELL, size));
  });
  rows.forEach((name, index) => {
    if (isNarrow(name)) return;
    for (const at of [(left - 8) / 2, width - (left - 8) / 2]) label(at, y(index) + CELL / 2, name, size);
  });
  for (const [cell, piece] of position.cells.entries()) {
    const [x, y] = corner(cell), [side, word] = readCell(piece), isLast = isChanged(position, cell);
    const isDark = (Math.floor(cell / columns.length) + (cell % columns.length)) % 2;
    const isLegal = legal.some((move) => move.to === cell);
    if (isWallPlace(position, cell)) {
      const [wide, high] = area(cell);
      if (piece !== ".")
        board.append(
          svg("rect", { x, y, width: wide, height: high,
            class: `wall side-${side} ${isLast ? "last" : ""}` }),
        );
      if (isLegal) board.append(svg("circle", { cx: x + wide / 2, cy: y + high / 2, r: 5, class: "legal" }));
      continue;
    }
    const kind = position.hasLines ? "plain-cell" : `${isDark ? "dark" : ""} ${isLast ? "last" : ""}`;
    board.append(svg("rect", { x, y, width: CELL, height: CELL, class: `cell ${kind}` }));
    if (position.hasLines)
      board.append(
        svg("path", { d: crossing(position, cell, isTurned), transform: `translate(${x} ${y})`,
          class: "crossing" }),
      );
    if (side) board.append(pieceAt(game, piece, x, y));
    else if (word) board.append(wordAt(word, x, y, "word"));
    if (isShown(position, cell))
      board.append(
        svg("rect", { x: x + 3, y: y + 3, width: CELL - 6, height: CELL - 6, rx: 8,
          class: `shown ${isBlocked(position, cell) ? "blocked" : ""}` }),
      );
    if (isLast && (side || word))
      board.append(svg("path", { d: `M${x} ${y}m2 18v-16h16m24 56h16v-16`, class: "corner" }));
    if (isLegal)
      board.append(
        svg("circle", { cx: x + (word ? 12 : CELL / 2), cy: y + (word ? 12 : CELL / 2), r: word ? 6 : 8,
          class: "legal" }),
      );
  }
  return board;
}

// A cell in words.
/** @param {Rules} game @param {Position} position @param {number} cell */
function cellWords(game, position, cell) {
  const [side, word] = readCell(position.cells[cell]);
  if (isWallPlace(position, cell))
    return [position.cells[cell] === "." ? "no wall" : "wall", isChanged(position, cell) && "last move"]
      .filter(Boolean);
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

export { sizeOf, pieceAt, pieceIcon, signOf, withSigns, cellText, placesOf, drawBoard, cellWords, boardTable };
