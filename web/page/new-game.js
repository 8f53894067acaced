// The dialog that starts a game.
import { RULES } from "./rules.js";
import { DEFAULT_LEVEL, playerOf } from "./players.js";
import { START, randomStart } from "./session.js";
import { labelOf } from "./sentences.js";
import { playerChoice } from "./player-choice.js";
import { clockChoice } from "./clocks.js";
import { openDialog } from "./dialog.js";
import { el } from "./elements.js";

// Whether a player of the last game plays this game, too.
function canPlay(words, variant) {
  try {
    return Boolean(playerOf(words, variant));
  } catch {
    return false;
  }
}

const number = (id, label, value, min, max) =>
  el("p", {}, el("label", { for: id }, label),
    el("input", { type: "number", id, value, min, max, required: true }));

// `settings` are those of the last game; `start` gets those of the new one, `done` is
// called when the dialog has closed after that.
function newGameDialog(settings, start, done) {
  let { variant } = settings, choices = [];
  const words = [...settings.players];
  const seats = el("div");
  const setup = el("div", {}, number("pieces", "Pieces of each side", settings.pieces, 1, 24),
    number("turns", "Turn limit", settings.turns, 1, 1000));
  const clock = clockChoice("clock", settings.clock?.base);
  const game = el("fieldset", {}, el("legend", {}, "Game"),
    Object.entries(RULES).map(([name, { title }]) =>
      el("label", { class: "radio" },
        el("input", { type: "radio", name: "variant", value: name, checked: name === variant,
          onchange: () => {
            choices.forEach(({ read }, seat) => {
              words[seat] = read();
            });
            variant = name;
            draw();
          } }), ` ${title}`)
    ));
  function draw() {
    const rules = RULES[variant];
    choices = [0, 1].map((seat) => {
      const label = `${labelOf(rules, seat + 1)}${seat ? "" : ", moves first"}`;
      const isKnown = canPlay(words[seat], variant);
      return { label,
        ...playerChoice({ id: `seat-${seat + 1}`, label, variant,
          value: isKnown ? words[seat] : DEFAULT_LEVEL }) };
    });
    seats.replaceChildren(
      ...choices.map(({ label, element }, seat) =>
        el("p", {}, el("label", { for: `seat-${seat + 1}` }, label), element)
      ),
    );
    setup.hidden = !rules.slides;
  }
  draw();
  openDialog("New game", [
    game,
    seats,
    setup,
    el("p", {}, el("label", { for: "clock" }, "Clock"), clock.element),
  ], "Start", () => {
    const value = (id) => Number(setup.querySelector(`#${id}`).value);
    const chosen = { variant, players: choices.map(({ read }) => read()), pieces: value("pieces"),
      turns: value("turns"), clock: clock.read() };
    start({ ...chosen,
      start: RULES[variant].slides ? randomStart(chosen.pieces, chosen.turns) : START[variant] });
  }, done);
}

export { newGameDialog };
