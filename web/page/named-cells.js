// The cells that moves name.

// The cells that a text names from its start on, read with the names of `columns` and `rows`.
function namedCells(text, names) {
  const found = [];
  for (let at = 0; at < text.length;) {
    const begins = ([name]) => name && text.startsWith(name, at);
    const longest = names.filter(begins).sort(([one], [other]) => other.length - one.length)[0];
    const isBetween = found.length > 0 && /[-x:,.> ]/.test(text[at])
      && names.some(([name]) => name && text.startsWith(name, at + 1));
    if (longest) {
      found.push(longest[1]);
      at += longest[0].length;
    } else if (isBetween) at += 1;
    else break;
  }
  return found;
}

// For each legal move of a position its text and the cells that it names, in their order.
/** @param {Position} position @param {string[]} legal */
function movesWithCells({ columns = [], rows = [], names: format, cells: pieces }, legal) {
  const names = (format) =>
    rows.flatMap((row, down) =>
      columns.map((column,
        right) => [
        row && column ? format.replace("{column}", column).replace("{row}", row) : "",
        columns.length * down + right,
      ])
    );
  const read = (format ? [format] : ["{column}{row}", "{row}{column}"]).map((format) => {
    const all = names(format);
    return legal.map((text) => ({ text, cells: namedCells(text, all) }));
  });
  const count = (moves) => moves.reduce((sum, { cells }) => sum + cells.length, 0);
  const named = read.reduce((best, other) => count(other) > count(best) ? other : best);
  // A move may be the name of a column, as in Connect Four: each of its empty cells stands for it.
  return named.flatMap((move) => {
    const column = move.cells.length ? -1 : columns.indexOf(move.text);
    const cells = rows.map((_, down) => columns.length * down + column).filter((cell) =>
      column >= 0 && pieces[cell] === "."
    );
    return cells.length ? cells.map((cell) => ({ text: move.text, cells: [cell] })) : [move];
  });
}

export { movesWithCells };
