// Analysis of the position that is shown, by the engine in the page.
import { el } from "./elements.js";
import { scoreText } from "./scores.js";
import { Analysis } from "./analysis.js";
import { LazyEngine } from "./lazy-engine.js";
import { connectEngine } from "./connect.js";
import { onGame, positionText } from "./viewer.js";

const analyst = new LazyEngine(connectEngine);

// The view of a game gets one more tool.
onGame((view) => {
  const { game, moves, positions, element, tools } = view;
  const { variant, game: { isOther, pieces } } = game.match;
  if (isOther) return;
  const place = el("div", { role: "status", "aria-label": "Analysis" });
  const button = el("button", { type: "button", onclick: () => toggle(!analysis.isOn) }, "Analyse");
  const analysis = new Analysis(analyst, draw, 1);
  const isOver = () => view.plies === moves.length && game.isOver;
  function draw() {
    const [best] = analysis.lines;
    const words = analysis.failure ? [analysis.failure]
      : isOver() ? ["Engine: the game is over here"]
      : best
      ? [
        `Engine, depth ${best.depth}: score ${scoreText(best.score)} for ${
          pieces[positions[view.plies].side - 1]
        }`,
        `Line: ${best.pv.join(" ")}`,
      ] : ["Engine: thinking"];
    place.replaceChildren(...(analysis.isOn ? words : []).map((one) => el("p", {}, one)));
  }
  // Analyses the position that is shown now.
  function follow() {
    const line = positionText(game, moves, view.plies);
    analysis.follow(isOver() ? null : { variant, line });
    draw();
  }
  function toggle(isOn) {
    analysis.isOn = isOn;
    button.setAttribute("aria-pressed", String(isOn));
    follow();
  }
  tools.prepend(button);
  tools.after(place);
  toggle(false);
  element.addEventListener("step", follow);
  element.addEventListener("stop", () => toggle(false));
});
