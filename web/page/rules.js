// The rules of both games. A cell is 8 * row + column, counted from the top left. In a
// position, `cells` has 0 for an empty cell, 1 for the first player and 2 for the second.
// Plain functions without a page.

const ROW = 8;

const RULES = { "magnetic-cave": {
  name: "magnetic-cave",
  title: "Magnetic Cave",
  stride: ROW,
  size: 8,
  columns: "abcdefgh",
  rows: "87654321",
  signs: ["■", "□"],
  pieces: ["black", "white"],
  slides: false,
  // A cell is written column first here, row first in Gridlock.
  cellText: (cell) => "abcdefgh"[cell % ROW] + (8 - (cell >> 3)),
  legal(position) {
    const { cells } = position;
    const holds = (cell) => cells[cell] !== 0;
    return caveOutcome(position) ? [] : cells.flatMap((piece, cell) => {
      const column = cell % ROW;
      const supported = column === 0 || column === 7 || holds(cell - 1) || holds(cell + 1);
      return piece === 0 && supported ? [{ from: cell, to: cell }] : [];
    });
  },
  outcome: caveOutcome,
},
  gridlock: { name: "gridlock", title: "Gridlock", stride: ROW, size: 7, columns: "1234567", rows: "abcdefg",
    signs: ["X", "O"], pieces: ["X", "O"], slides: true,
    cellText: (cell) => "abcdefg"[cell >> 3] + ((cell % ROW) + 1), legal(position) {
    if (gridOutcome(position)) return [];
    return position.cells.flatMap((piece, from) =>
      piece === position.side ? neighbours(from).filter((to) =>
        position.cells[to] === 0
      ).map((to) => ({ from, to })) : []
    );
  }, outcome: gridOutcome } };

// The cells beside a cell of Gridlock.
function neighbours(cell) {
  const row = cell >> 3, column = cell % ROW;
  return [[row - 1, column], [row + 1, column], [row, column - 1], [row, column + 1]].filter(([r, c]) =>
    r >= 0 && r < 7 && c >= 0 && c < 7
  ).map(([r, c]) => ROW * r + c);
}

// The distinct empty cells beside the pieces of a side of Gridlock.
function room({ cells }, side) {
  return cells.flatMap((piece, cell) =>
    piece === 0 && gridHas(cell) && neighbours(cell).some((next) => cells[next] === side) ? [cell] : []
  );
}

const gridHas = (cell) => cell >> 3 < 7 && cell % ROW < 7;

// The end of a game by the rules, or null: the winner (0 for a draw), the reason, and the
// cells that show it.
function caveOutcome({ cells }) {
  const line = fives(cells);
  if (line.length) return { winner: cells[line[0]], reason: "five", cells: line };
  return cells.includes(0) ? null : { winner: 0, reason: "full", cells: [] };
}

// The cells of all lines of five or more.
function fives(cells) {
  const found = new Set();
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    for (let row = 0; row < 8; row++) {
      for (let column = 0; column < 8; column++) {
        const line = [];
        for (let r = row, c = column; r < 8 && c >= 0 && c < 8; r += down, c += right) {
          if (cells[ROW * r + c] === 0 || cells[ROW * r + c] !== cells[ROW * row + column]) break;
          line.push(ROW * r + c);
        }
        if (line.length >= 5) line.forEach((cell) => found.add(cell));
      }
    }
  }
  return [...found];
}

function gridOutcome(position) {
  const { cells, side, played, limit } = position;
  if (!room(position, side).length) {
    const blocked = cells.flatMap((piece, cell) => (piece === side ? [cell] : []));
    return { winner: 3 - side, reason: "blocked", cells: blocked };
  }
  if (played < limit) return null;
  const [first, second] = [room(position, 1).length, room(position, 2).length];
  return { winner: first > second ? 1 : first < second ? 2 : 0, reason: "mobility", cells: [] };
}

function parseFen(rules, fen) {
  const [board, side, played, limit] = fen.split(" ");
  const cells = new Array(64).fill(0);
  board.split("/").forEach((text, row) => {
    let column = 0;
    for (const sign of text) {
      if (sign === "x" || sign === "o") cells[ROW * row + column++] = sign === "x" ? 1 : 2;
      else column += Number(sign);
    }
  });
  return { cells, side: side === "o" ? 2 : 1, played: Number(played || 0), limit: Number(limit || 0) };
}

function fenOf(rules, position) {
  const rows = [];
  for (let row = 0; row < rules.size; row++) {
    const signs = position.cells.slice(ROW * row, ROW * row + rules.size).map((piece) => ".xo"[piece]).join(
      "",
    );
    rows.push(signs.replace(/\.+/g, (empty) => empty.length));
  }
  const turns = rules.slides ? ` ${position.played} ${position.limit}` : "";
  return `${rows.join("/")} ${".xo"[position.side]}${turns}`;
}

function play(rules, position, { from, to }) {
  const cells = position.cells.slice();
  cells[from] = 0;
  cells[to] = position.side;
  return { ...position, cells, changed: [...new Set([from, to])], side: 3 - position.side,
    played: position.played + (rules.slides ? 1 : 0) };
}

function moveText(rules, { from, to }) {
  return rules.slides ? rules.cellText(from) + rules.cellText(to) : rules.cellText(to);
}

export { ROW, RULES, room, neighbours, parseFen, fenOf, play, moveText };
