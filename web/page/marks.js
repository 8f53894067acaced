// Marks over the board: the best moves, a hint, the moves of a line. A mark has a `move`, a `kind`
// (the class of its drawing), a `label`, and a `side` for a brick that a line would place.
import { pieceAt, placesOf } from "./board.js";
import { svg, text } from "./elements.js";

/** @param {number[]} middle @param {string} words @param {string} kind */
function label([x, y], words, kind) {
  return [
    svg("circle", { cx: x, cy: y, r: 12, class: `badge ${kind}` }),
    text(x, y + 5, words, "middle", { class: "badge-text" }),
  ];
}

function arrow(from, to, kind) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const [right, down] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const place = ([along, aside]) =>
    [from[0] + right * along - down * aside, from[1] + down * along + right * aside].map((x) => x.toFixed(1));
  const end = length + 6, head = end - 18;
  const corners = [[8, 4], [head, 4], [head, 12], [end, 0], [head, -12], [head, -4], [8, -4]];
  return svg("polygon", { class: `arrow ${kind}`, points: corners.map(place).join(" ") });
}

/** @param {Element} drawing @param {MarkedBoard} board */
function drawMarks(drawing, { rules, position, marks, chosen, isTurned }) {
  const { corner, area } = placesOf(position, isTurned);
  const middle = (cell) => corner(cell).map((place, at) => place + area(cell)[at] / 2);
  const frame = (cell, inset, kind) => {
    const [[x, y], [width, height]] = [corner(cell), area(cell)];
    return svg("rect", { x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset,
      rx: 6, class: kind });
  };
  if (chosen !== null) drawing.append(frame(chosen, 2, "chosen"));
  // The first mark is the best one, and stands above the others.
  for (const { move, kind, label: words, side } of [...marks].reverse()) {
    const [x, y] = corner(move.to);
    if (move.from !== move.to) {
      const [from, to] = [middle(move.from), middle(move.to)];
      drawing.append(arrow(from, to, kind),
        ...label([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], words, kind));
    } else {
      if (side) drawing.append(svg("g", { class: "ghost" }, pieceAt(rules, side, x, y)));
      else drawing.append(frame(move.to, 5, `target ${kind}`));
      drawing.append(...label(middle(move.to), words, kind));
    }
  }
}

export { drawMarks };
