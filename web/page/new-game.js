// The dialog that starts a game.
import { GAMES } from "./games.js";
import { DEFAULT_LEVEL, playerOf } from "./players.js";
import { labelOf } from "./sentences.js";
import { playerChoice } from "./player-choice.js";
import { clockChoice } from "./clocks.js";
import { openDialog } from "./dialog.js";
import { el } from "./elements.js";

// Whether a player of the last game plays this game, too.
function canPlay(words, rules) {
  try {
    return Boolean(playerOf(words, rules));
  } catch {
    return false;
  }
}

const SETUP_LABELS = { pieces: "Pieces of each side", turns: "Turn limit" };

const number = (id, label, value, min, max) =>
  el("p", {}, el("label", { for: id }, label),
    el("input", { type: "number", id, value, min, max, required: true }));

// `settings` are those of the last game; `start` gets those of the new one, and those of its setup, `done` is
// called when the dialog has closed after that.
function newGameDialog(settings, start, done) {
  let { variant } = settings, choices = [];
  const words = [...settings.players];
  const seats = el("div");
  const setup = el("div");
  const clock = el("select", { id: "clock" }), readClock = clockChoice(clock, settings.clock?.base);
  const game = el("fieldset", {}, el("legend", {}, "Game"),
    Object.entries(GAMES).map(([name, { title }]) =>
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
    const rules = GAMES[variant];
    choices = [0, 1].map((seat) => {
      const label = `${labelOf(rules, seat + 1)}${seat ? "" : ", moves first"}`;
      const isKnown = canPlay(words[seat], rules);
      return { label,
        ...playerChoice({ id: `seat-${seat + 1}`, label, rules,
          value: isKnown ? words[seat] : DEFAULT_LEVEL }) };
    });
    seats.replaceChildren(
      ...choices.map(({ label, element }, seat) =>
        el("p", {}, el("label", { for: `seat-${seat + 1}` }, label), element)
      ),
    );
    setup.replaceChildren(
      ...Object.entries(rules.setup ?? {}).map(([key, [usual, most]]) =>
        number(key, SETUP_LABELS[key], settings[key] ?? usual, 1, most)
      ),
    );
  }
  draw();
  openDialog("New game", [game, seats, setup, el("p", {}, el("label", { for: "clock" }, "Clock"), clock)],
    "Start", () => {
    const numbers = [...setup.querySelectorAll("input")].map(({ id, value }) => [id, Number(value)]);
    start({ variant, players: choices.map(({ read }) => read()), clock: readClock() },
      Object.fromEntries(numbers));
  }, done);
}

export { newGameDialog };
