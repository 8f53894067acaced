// Analysis of the position that is shown, by the engine in the page.
import { LazyEngine } from "./lazy-engine.js";
import { connectEngine } from "./connect.js";

// The longest analysis of one position, and how often it is drawn at most, in milliseconds.
const ANALYSIS_TIME = 60000, ANALYSIS_DRAWING = 150;

const analyst = new LazyEngine(connectEngine);

// The view of a game gets one more tool. It follows the slider, which every step moves.
const plainGameView = gameView;
gameView = (game, start) => {
  const view = plainGameView(game, start), { moves, positions } = replay(game),
    { isOther, pieces } = game.match.game;
  if (isOther) return view;
  const place = el("div", { role: "status", "aria-label": "Analysis" }),
    find = (selector) => view.element.querySelector(selector);
  const button = el("button", { type: "button", "aria-pressed": "false", onclick: () => toggle(!isOn) },
    "Analyse");
  let isOn = false, plies, turn = 0, timer = 0, best = null;
  function draw() {
    timer = 0;
    const side = pieces[positions[plies].side - 1];
    const words = best
      ? [
        `Engine, depth ${best.depth}: score ${scoreText(best.score)} for ${side}`,
        `Line: ${best.pv.join(" ")}`,
      ] : ["Engine: thinking"];
    place.replaceChildren(...(isOn ? words : []).map((one) => el("p", {}, one)));
  }
  async function analyse() {
    const own = ++turn, isWanted = () => own === turn;
    analyst.stop();
    best = null;
    if (!isOn || (plies === moves.length && game.isOver)) {
      place.replaceChildren(isOn ? el("p", {}, "Engine: the game is over here") : "");
      return;
    }
    draw();
    try {
      await analyst.search({ options: { UCI_Variant: game.match.variant },
        position: `position ${positionText(game, moves, plies)}`, limits: { movetime: ANALYSIS_TIME },
        isWanted, onInfo: (info) => {
          if (!isWanted()) return;
          best = info;
          timer = timer || setTimeout(draw, ANALYSIS_DRAWING);
        } });
    } catch (error) {
      if (isWanted()) place.replaceChildren(el("p", {}, error.message));
    }
  }
  function toggle(turnsOn) {
    isOn = turnsOn;
    button.setAttribute("aria-pressed", String(isOn));
    analyse();
  }
  new MutationObserver(() => {
    if (plies === Number(find("#slider").value)) return;
    plies = Number(find("#slider").value);
    analyse();
  }).observe(find(".board-place"), { childList: true });
  plies = Number(find("#slider").value);
  find(".buttons").prepend(button);
  find(".buttons").after(place);
  const stop = () => {
    toggle(false);
    view.stop();
  };
  return { ...view, stop };
};
