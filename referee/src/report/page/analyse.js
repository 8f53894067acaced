// Analysis of the position that is shown, by the engine in the page.
import { Analysis } from "./analysis.js";
import { LazyEngine } from "./lazy-engine.js";
import { connectEngine } from "./connect.js";

const analyst = new LazyEngine(connectEngine);

// The view of a game gets one more tool. It follows the slider, which every step moves.
const plainGameView = gameView;
gameView = (game, start) => {
  const view = plainGameView(game, start), { moves, positions } = replay(game);
  const { variant, game: { isOther, pieces } } = game.match;
  if (isOther) return view;
  const find = (selector) => view.element.querySelector(selector);
  const place = el("div", { role: "status", "aria-label": "Analysis" });
  const button = el("button", { type: "button", onclick: () => toggle(!analysis.isOn) }, "Analyse");
  const analysis = new Analysis(analyst, draw, 1);
  function draw() {
    const plies = Number(find("#slider").value), isOver = plies === moves.length && game.isOver;
    const line = `position ${positionText(game, moves, plies)}`;
    analysis.follow(isOver ? null : { variant, line });
    const [best] = analysis.lines;
    const words = analysis.failure ? [analysis.failure]
      : isOver ? ["Engine: the game is over here"]
      : best
      ? [
        `Engine, depth ${best.depth}: score ${scoreText(best.score)} for ${
          pieces[positions[plies].side - 1]
        }`,
        `Line: ${best.pv.join(" ")}`,
      ] : ["Engine: thinking"];
    place.replaceChildren(...(analysis.isOn ? words : []).map((one) => el("p", {}, one)));
  }
  function toggle(isOn) {
    analysis.isOn = isOn;
    button.setAttribute("aria-pressed", String(isOn));
    draw();
  }
  find(".buttons").prepend(button);
  find(".buttons").after(place);
  toggle(false);
  new MutationObserver(draw).observe(find(".board-place"), { childList: true });
  const stop = () => {
    toggle(false);
    view.stop();
  };
  return { ...view, stop };
};
