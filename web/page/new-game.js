// The dialog that starts a game.
import { GAMES } from "./games.js";
import { DEFAULT_LEVEL, playerOf } from "./players.js";
import { labelOf, signed } from "./sentences.js";
import { playerChoice } from "./player-choice.js";
import { clockChoice } from "./clocks.js";
import { openDialog } from "./dialog.js";
import { el } from "./elements.js";
import { template } from "./template.js";

// A player of the last game, or one that plays this game, too.
function playerFor(words, rules) {
  try {
    playerOf(words, rules);
    return words;
  } catch {
    return DEFAULT_LEVEL;
  }
}

// `settings` are those of the last game; `start` gets those of the new one, and those of its setup, `done` is
// called when the dialog has closed after that.
function newGameDialog(settings, start, done) {
  const { element, parts } = template("new-game-form"), { pieces, turns, clock } = parts;
  const readClock = clockChoice(clock, settings.clock?.base);
  let { variant, players } = settings, choices = [];
  parts.games.append(...Object.entries(GAMES).map(([name, { title }]) => {
    const choose = () => {
      players = choices.map(({ read }) => read());
      variant = name;
      draw();
    };
    return el("label", { class: "radio" },
      el("input", { type: "radio", name: "variant", value: name, checked: name === variant,
        onchange: choose }), ` ${title}`);
  }));
  function draw() {
    const rules = GAMES[variant];
    choices = [1, 2].map((side) => {
      parts[`label-${side}`].replaceChildren(...signed(rules, side), side === 1 ? ", moves first" : "");
      return playerChoice({ id: `seat-${side}`, label: labelOf(rules, side), rules,
        value: playerFor(players[side - 1], rules) });
    });
    choices.forEach((choice, seat) => parts[`choice-${seat + 1}`].replaceChildren(choice.element));
    parts.setup.disabled = parts.setup.hidden = !rules.hasSetup;
    for (const field of [pieces, turns]) {
      const [usual, most] = rules.setup?.[field.id] ?? [];
      field.value = settings[field.id] ?? usual;
      field.max = most;
    }
  }
  draw();
  openDialog("New game", element, "Start", () => {
    const setup = GAMES[variant].hasSetup ? { pieces: Number(pieces.value), turns: Number(turns.value) } : {};
    start({ variant, players: choices.map(({ read }) => read()), clock: readClock() }, setup);
  }, done);
}

export { newGameDialog };
