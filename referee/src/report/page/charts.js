// Charts.
import { el, svg, text } from "./elements.js";
import { minus } from "./scores.js";

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

const WIDTH = 640;
const chart = (height, label, ...children) =>
  svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label, class: "chart" },
    ...children);

const line = (x1, y1, x2, y2, kind) => svg("line", { x1, y1, x2, y2, class: kind });

// The Elo difference of a pairing over its games: points [games, Elo], band [games, low, high].
function eloChart(label, points, band) {
  const values = [...points.map((point) => point[1]), ...band.flatMap((point) => point.slice(1))];
  const high = Math.max(20, ...values), low = Math.min(0, ...values), [last, elo] = points.at(-1);
  const [, ...ends] = band.at(-1) || [];
  const x = (games) => 52 + games / last * 570, y = (value) => 10 + (high - value) / (high - low) * 180;
  // Those whose words are not upon that of 0.
  const levels = [0, high, low].filter((value, at) => !at || Math.abs(y(value) - y(0)) > 14);
  const path = (all) =>
    "M" + all.map(([games, value]) => `${x(games).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
  return chart(230,
    `${label}: ${elo} after ${last} games${ends.length ? `, 95 % interval ${ends.join(" to ")}` : ""}`,
    levels.map((
      value,
    ) => [
      line(52, y(value), 622, y(value), value ? "grid" : "axis"),
      text(46, y(value) + 4, minus(Math.round(value)), "end"),
    ]),
    band.length > 1
      && svg("path", { class: "area",
        d: path([...band.map(([games, , high]) => [games, high]), ...[...band].reverse()]) + "Z" }),
    svg("path", { class: "line", d: path(points) }), text(622, 210, `${last} games`, "end"));
}

const figure = (caption, ...content) => el("figure", {}, el("figcaption", {}, caption), ...content);

// A bar of wins, draws and losses, with their numbers.
function resultBar(counts) {
  const unit = 200 / (counts[0] + counts[1] + counts[2] || 1);
  let at = 0;
  return svg("svg", { viewBox: "0 0 200 14", class: "result-bar", role: "img",
    "aria-label": `${counts[0]} won, ${counts[1]} drawn, ${counts[2]} lost` }, counts.map((count, index) => {
      const x = at, width = count * unit;
      at += width;
      return [
        svg("rect", { x, width, height: 14, class: ["won", "drawn", "lost"][index] }),
        width > 22 && text(x + width / 2, 11, count, "middle"),
      ];
    }));
}

export { clamp, WIDTH, chart, line, eloChart, figure, resultBar };
