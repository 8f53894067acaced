// The games of the server as boards show them: positions, moves, scores.
import { RULES, fenOf, moveText, parseFen } from "./rules.js";
import { OTHER_GAME, gridPlaces } from "./grid.js";
import { replayMoves } from "./session.js";

// The rules of a game that the server describes. Those of a rules program only draw its boards.
function rulesOf({ name, title, isOther, pieces, signs }) {
  if (!isOther) return { ...RULES[name], name };
  const percent = (part, all) => `${(100 * part) / all}%`;
  return {
    ...OTHER_GAME, name, title, pieces, signs,
    cellText(cell, { columns, rows }) {
      const [column, row] = [columns[cell % columns.length] || "", rows[Math.floor(cell / columns.length)] || ""];
      return isRowFirst(columns, rows) ? row + column : column + row;
    },
    insetOf(position) {
      if (!position.cells) return "";
      const { left, top, width, height } = gridPlaces(position);
      return `${percent(top, height)} ${percent(left, width)}`;
    },
    // The width of the drawing by its height.
    ratioOf(position) {
      const { width, height } = position.cells ? gridPlaces(position) : { width: 1, height: 1 };
      return width / height;
    },
  };
}

// The letter of a cell comes first.
const isRowFirst = ([column = ""], [row = ""]) => /^\d/.test(column) && !/^\d/.test(row);

// A position of a game by a rules program. `before` is the one before it.
function gridPosition(grid, side, before) {
  if (!grid?.cells) return { side, text: grid?.text };
  const isAlike = before?.cells?.length === grid.cells.length;
  return { ...grid, side, changed: new Set(grid.cells.flatMap((cell, at) => (isAlike && before.cells[at] !== cell ? [at] : []))) };
}

// The positions and moves of a game. `old` is what was returned for an earlier state of it.
function replayGame(rules, game, old) {
  const isSame = old && old.id === game.id && old.start === game.start;
  const sideOf = (plies) => Number(game.turns[plies] || 1 + (plies % 2));
  let kept = 0;
  while (isSame && kept < old.moves.length && old.moves[kept].text === game.moves[kept]) kept += 1;
  const first = () => (rules.isOther ? gridPosition(game.boards?.[0], sideOf(0)) : parseFen(rules, game.start));
  const positions = isSame ? old.positions.slice(0, kept + 1) : [first()];
  const moves = isSame ? old.moves.slice(0, kept) : [];
  const rest = game.moves.slice(kept);
  if (rules.isOther) {
    rest.forEach((text, at) => {
      moves.push({ text, side: sideOf(kept + at) });
      positions.push(gridPosition(game.boards?.[kept + at + 1], sideOf(kept + at + 1), positions[kept + at]));
    });
  } else if (rest.length) {
    const replayed = replayMoves(rules, fenOf(rules, positions[kept]), rest);
    moves.push(...replayed.moves);
    positions.push(...replayed.positions.slice(1));
  }
  return { id: game.id, start: game.start, positions, moves };
}

// The cells that a text names from its start on, read with the names of `columns` and `rows`.
function namedCells(text, names) {
  const found = [];
  for (let at = 0; at < text.length;) {
    const begins = ([name]) => name && text.startsWith(name, at);
    const longest = names.filter(begins).sort(([one], [other]) => other.length - one.length)[0];
    const isBetween = found.length > 0 && /[-x:,.> ]/.test(text[at]) && names.some(([name]) => name && text.startsWith(name, at + 1));
    if (longest) {
      found.push(longest[1]);
      at += longest[0].length;
    } else if (isBetween) at += 1;
    else break;
  }
  return found;
}

// For each legal move of a position its text and the cells that it names, in their order.
function movesWithCells(rules, position, legal) {
  if (!rules.isOther) {
    const known = new Map(rules.legal(position).map((move) => [moveText(rules, move), rules.slides ? [move.from, move.to] : [move.to]]));
    return legal.map((text) => ({ text, cells: known.get(text) || [] }));
  }
  const { columns = [], rows = [] } = position;
  const names = (rowFirst) => rows.flatMap((row, down) => columns.map((column, right) => [row && column ? (rowFirst ? row + column : column + row) : "", columns.length * down + right]));
  const read = [false, true].map((rowFirst) => {
    const all = names(rowFirst);
    return legal.map((text) => ({ text, cells: namedCells(text, all) }));
  });
  const count = (moves) => moves.reduce((sum, { cells }) => sum + cells.length, 0);
  const named = count(read[1]) > count(read[0]) ? read[1] : read[0];
  // A move may be the name of a column, as in Connect Four: each of its empty cells stands for it.
  return named.flatMap((move) => {
    const column = move.cells.length ? -1 : columns.indexOf(move.text);
    const cells = rows.map((_, down) => columns.length * down + column).filter((cell) => column >= 0 && position.cells[cell] === ".");
    return cells.length ? cells.map((cell) => ({ text: move.text, cells: [cell] })) : [move];
  });
}

// A score such as `cp 12`, `win 3` or `draw`; null for none.
function parseScore(words) {
  const [kind, value] = (words || "").split(" ");
  return kind ? { kind, value: Number(value || 0) } : null;
}

export { rulesOf, replayGame, movesWithCells, parseScore };
