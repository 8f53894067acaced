// The board of a position. `rules` of another game draw their own boards, see `grid.js`.
import { ROW } from "./rules.js";
import { el, svg, text } from "./elements.js";

const CELL = 60, EDGE = 26;

// The piece of a side, drawn into a cell whose corner is at (x, y).
function pieceAt(rules, piece, x, y) {
  if (rules.isOther) return rules.pieceAt(piece, x, y);
  const brick = (inset, kind) => svg("rect", { x: x + inset, y: y + inset, width: CELL - 2 * inset, height: CELL - 2 * inset, rx: 5, class: kind });
  const cross = `M${x + 15} ${y + 15}l30 30m0-30l-30 30`;
  return svg("g", { class: `piece side-${piece}` },
    !rules.slides ? [brick(7, "brick"), piece === 2 && brick(15, "inlay")]
      : piece === 1 ? svg("path", { d: cross, class: "cross-piece" }) : svg("circle", { cx: x + CELL / 2, cy: y + CELL / 2, r: 17, class: "ring-piece" }));
}

const pieceIcon = (rules, piece) => svg("svg", { viewBox: `0 0 ${CELL} ${CELL}`, "aria-hidden": "true" }, pieceAt(rules, piece, 0, 0));

// The names of the columns and rows, and by how much the number of a cell grows from row to row.
function shapeOf(rules, { columns = [], rows = [] }) {
  return rules.isOther ? { columns, rows, stride: columns.length } : { columns: [...rules.columns], rows: [...rules.rows], stride: ROW };
}

// The corner of a cell at the top left. A turned board is seen from the other side.
function cornerOf(rules, cell, isTurned) {
  const place = (index) => EDGE + (isTurned ? rules.size - 1 - index : index) * CELL;
  return [place(cell % ROW), place(cell >> 3)];
}

// The board of a position as SVG. `last` is the last move, `legal` the moves to show.
function drawBoard(rules, position, last, legal, isTurned = false) {
  if (rules.isOther) return rules.drawBoard(position, legal, isTurned);
  const side = rules.size * CELL, all = side + 2 * EDGE;
  const at = (cell) => cornerOf(rules, cell, isTurned);
  const outcome = rules.outcome(position);
  const shown = new Set(outcome ? outcome.cells : []);
  const board = svg("svg", { viewBox: `0 0 ${all} ${all}`, class: `board ${rules.slides ? "grid-board" : "cave-board"}`, "aria-hidden": "true" });
  if (!rules.slides) board.append(...[EDGE - 8, EDGE + side].map((x) => svg("rect", { x, y: EDGE, width: 8, height: side, class: "wall" })));
  for (let index = 0; index < rules.size; index++) {
    const middle = cornerOf(rules, 9 * index, isTurned)[0] + CELL / 2;
    for (const edge of [17, all - 8]) board.append(text(middle, edge, rules.columns[index], "middle", { class: "coordinate" }));
    for (const edge of [8, all - 8]) board.append(text(edge, middle + 5, rules.rows[index], "middle", { class: "coordinate" }));
  }
  for (let cell = 0; cell < 64; cell++) {
    if (cell >> 3 >= rules.size || cell % ROW >= rules.size) continue;
    const [x, y] = at(cell), piece = position.cells[cell];
    const dark = ((cell >> 3) + (cell % ROW)) % 2;
    board.append(svg("rect", { x, y, width: CELL, height: CELL, class: `cell ${dark ? "dark" : ""} ${last && (last.to === cell || last.from === cell) ? "last" : ""}` }));
    if (piece) board.append(pieceAt(rules, piece, x, y));
    if (shown.has(cell)) board.append(svg("rect", { x: x + 3, y: y + 3, width: CELL - 6, height: CELL - 6, rx: 8, class: `shown ${outcome.reason}` }));
    if (legal.some((move) => move.to === cell)) board.append(svg("circle", { cx: x + CELL / 2, cy: y + CELL / 2, r: 8, class: "legal" }));
  }
  if (last) board.append(svg("path", { d: `M${at(last.to)}m2 18v-16h16m24 56h16v-16`, class: "corner" }));
  return board;
}

// A cell in words. `outcome` is that of the position.
function cellWords(rules, position, last, outcome, cell) {
  if (rules.isOther) return rules.cellWords(position, cell);
  const piece = position.cells[cell], words = [piece ? rules.pieces[piece - 1] : "empty"];
  if (last && last.to === cell) words.push("last move");
  if (outcome && outcome.cells.includes(cell)) words.push(outcome.reason === "five" ? "winning line" : "blocked");
  return words;
}

// The board for screen readers: a table, row by row.
function boardTable(rules, position, last, caption) {
  const outcome = rules.outcome(position), { columns, rows, stride } = shapeOf(rules, position);
  const head = (scope, name, index) => el("th", { scope }, name || String(index + 1));
  return rows.length ? el("div", { class: "hidden" }, el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, el("td"), columns.map((name, index) => head("col", name, index)))),
    el("tbody", {}, rows.map((name, row) => el("tr", {}, head("row", name, row),
      columns.map((_, column) => el("td", {}, cellWords(rules, position, last, outcome, stride * row + column).join(", ")))))))) : "";
}

export { CELL, EDGE, pieceAt, pieceIcon, shapeOf, cornerOf, drawBoard, cellWords, boardTable };
