// Marks over the board: the best moves, a hint, the moves of a line. A mark has a `move`, a `kind`
// (the class of its drawing), a `label`, and a `side` for a brick that a line would place.
import { CELL, pieceAt, placesOf } from "./board.js";
import { svg, text } from "./elements.js";

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

function drawMarks(drawing, { rules, position, marks, chosen, isTurned }) {
  const { corner } = placesOf(position, isTurned);
  const middle = (cell) => corner(cell).map((place) => place + CELL / 2);
  if (chosen !== null) {
    const [x, y] = corner(chosen);
    drawing.append(
      svg("rect", { x: x + 2, y: y + 2, width: CELL - 4, height: CELL - 4, rx: 6, class: "chosen" }),
    );
  }
  // The first mark is the best one, and stands above the others.
  for (const { move, kind, label: words, side } of [...marks].reverse()) {
    const [x, y] = corner(move.to);
    if (move.from !== move.to) {
      const [from, to] = [middle(move.from), middle(move.to)];
      drawing.append(arrow(from, to, kind),
        ...label([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], words, kind));
    } else {
      if (side) drawing.append(svg("g", { class: "ghost" }, pieceAt(rules, side, x, y)));
      else drawing.append(
          svg("rect", { x: x + 5, y: y + 5, width: CELL - 10, height: CELL - 10, rx: 6,
            class: `target ${kind}` }),
        );
      drawing.append(...label(middle(move.to), words, kind));
    }
  }
}

export { drawMarks };
