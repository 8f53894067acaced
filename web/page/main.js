// The page: starts games, and does what buttons ask for.
import { GAMES } from "./games.js";
import { loadRules } from "./rules.js";
import { DEFAULT_LEVEL, HUMAN } from "./players.js";
import { LazyEngine } from "./lazy-engine.js";
import { connectEngine } from "./connect.js";
import { engineHere } from "./engine-here.js";
import { WindowGame } from "./window-game.js";
import { GameView } from "./game-view.js";
import { Setup, randomStart } from "./setup.js";
import { askAdviser, hintText, reasons } from "./advice.js";
import { gameOfLink, linkOf } from "./link.js";
import { labelOf } from "./sentences.js";
import { newGameDialog } from "./new-game.js";
import { filesDialog } from "./files.js";
import { rulesDialog } from "./rules-text.js";
import { keepFocus } from "./focus.js";
import { isUnusedLetter } from "./letters.js";
import { partsOf, setText } from "./template.js";

// The buttons of letters.
const LETTERS = { h: "hint", w: "why", a: "analyse", u: "undo", f: "flip", n: "new-game" };

const parts = partsOf(document);
const engines = [1, 2].map(() => new LazyEngine(connectEngine));
const analyst = new LazyEngine(connectEngine);
const game = new WindowGame(engines, analyst, onChange);
const view = new GameView(parts, game, LETTERS);
const { shown } = view;
const settings = {};

view.onDraw = () => {
  const call = game.asksPerson && game.humanSide ? "Your move – " : "";
  document.title = `${call}${game.rules.title} – Lodestone`;
  parts["game-part"].hidden = game.setup !== null;
  parts["setup-part"].replaceChildren(...(game.setup?.element ?? []));
};

// How often the reports of a thinking engine are drawn at most, in milliseconds. Drawing each of them
// would make its answer wait.
const REPORTING = 200;

let reportTimer = 0;

function onChange(kind) {
  if (kind === "report") {
    reportTimer ||= setTimeout(() => {
      reportTimer = 0;
      view.drawStrips();
    }, REPORTING);
    return;
  }
  if (kind === "analysis") {
    view.draw();
    return;
  }
  const total = game.moves.length;
  if (kind === "game" || kind === "undo" || (kind === "move" && shown.plies === total - 1))
    shown.plies = total;
  if (kind !== "thinking") {
    view.input.reset();
    shown.line = null;
    if (kind !== "end" && kind !== "failure" && kind !== "players") game.given = null;
  }
  if (kind === "game") game.setup = null;
  const last = game.moves[total - 1], hasMoved = last && !/resign|time/.test(game.ending?.reason);
  // A game of two engines would never let a screen reader rest.
  if (kind === "end" || (kind === "move" && !game.isWatched))
    view.say(hasMoved ? `${labelOf(game.rules, last.side)}: ${last.text}.` : "", game.status(shown));
  if (kind === "failure") view.say(game.failure);
  if (kind !== "thinking") saveAddress();
  view.update();
}

// The address always has the game, so that loading the page again continues it.
const saveAddress = () => history.replaceState(null, "", linkOf(game.saved));

// Asks the adviser about the position that is shown; `explain` makes an advice of its answer.
async function askAdvice(explain) {
  const { plies } = shown, line = game.positionLine(plies), { variant } = game;
  const isSame = () => game.variant === variant && shown.plies === plies && game.positionLine(plies) === line;
  if (game.positions[plies].ending) {
    setAdvice(explain(null));
    return;
  }
  game.isAsking = true;
  view.update();
  try {
    const answer = await askAdviser(analyst, { variant, line });
    game.isAsking = false;
    if (isSame()) setAdvice(explain(answer));
  } catch (error) {
    game.isAsking = false;
    setAdvice({ parts: [{ words: error.message }], marks: [] });
  }
  view.update();
}

function setAdvice({ parts, marks }) {
  game.given = { parts, marks, plies: shown.plies };
  shown.line = null;
  view.draw();
}

const hint = () =>
  askAdvice(({ move }) => ({ parts: [{ words: hintText(move) }],
    marks: game.lineMarks([move], shown.plies, 0).map((mark) => ({ ...mark, kind: "hint", label: "!", side: 0,
      name: "hint" })
    ) })
  );

const why = () =>
  askAdvice((answer) => {
    const parts = reasons(game, shown.plies, answer), last = parts[parts.length - 1];
    if (!last) return { parts: [{ words: "The game is over." }], marks: [] };
    return { parts, marks: game.lineMarks(last.line, last.plies, shown.plies - last.plies) };
  });

function undo() {
  const removed = game.undo();
  if (removed)
    view.say(
      removed.length ? `Taken back: ${removed.map((move) => move.text).join(" ")}` : "The game continues.",
    );
}

function swap() {
  game.setPlayers(game.playerNames.reverse());
  view.say(
    game.humanSide ? `You are now ${labelOf(game.rules, game.humanSide)}.`
      : "The players have changed sides.",
  );
}

function newGame() {
  newGameDialog({ ...settings, variant: game.variant, players: game.playerNames, clock: game.clock },
    (chosen, setup) => {
      Object.assign(settings, setup);
      game.start({ ...chosen, start: randomStart(GAMES[chosen.variant], setup) });
    }, () => view.board.focus());
}

// A new game of the same players, where games begin with a placement a new one with as many pieces and turns.
function playAgain() {
  const { variant, rules, playerNames: players, clock, positions: [first] } = game;
  const pieces = first.cells.filter((piece) => piece === "x").length;
  const start = randomStart(rules, { pieces, turns: first.fen.split(" ")[3] });
  game.start({ variant, start, players, clock });
  view.board.focus();
}

function setUp() {
  if (game.setup) return;
  game.setup = new Setup({ rules: game.rules, position: game.positions[shown.plies],
    changed: () => view.draw(), done: (fen) => {
      game.setup = null;
      if (fen) game.start({ variant: game.variant, start: fen, players: game.playerNames });
      view.update();
    } });
  if (game.isWatched) game.pause(true);
  view.update();
}

// Loads a game; returns why it cannot be loaded, if so. Without players, two people play.
function load(saved) {
  try {
    game.start({ ...saved, players: saved.players || [HUMAN, HUMAN] });
  } catch (error) {
    return error.message;
  }
  if (saved.move !== undefined) shown.go(saved.move);
  view.say(`Loaded a game with ${game.moves.length} ${game.moves.length === 1 ? "move" : "moves"}.`);
  return null;
}

function files() {
  const { saved } = game;
  const link = location.href.split("#")[0] + linkOf({ ...saved, players: null, move: shown.plies });
  filesDialog({ game: saved, link, fen: game.positions[shown.plies].fen, load });
}

function openLink() {
  try {
    const found = gameOfLink(location.hash);
    if (!found) return false;
    if (game.rules && linkOf(game.saved) === location.hash) return true;
    const why = load(found);
    if (why) throw new Error(why);
    return true;
  } catch (error) {
    view.say(`The link holds no game: ${error.message}`);
    return false;
  }
}

function toggleAnalysis() {
  game.analysis.isOn = !game.analysis.isOn;
  view.update();
}

const ACTIONS = { undo, hint, why, swap, analyse: toggleAnalysis, resign: () => game.resign(),
  pause: () => game.pause(!game.isPaused), retry: () => (game.rules ? game.retry() : begin()),
  continue: () => game.continueFrom(shown.plies), again: playAgain, "new-game": newGame, "set-up": setUp,
  files, rules: () => rulesDialog(game.rules, (name) => parts[name].textContent, LETTERS) };
for (const [id, act] of Object.entries(ACTIONS)) parts[id].addEventListener("click", act);

document.addEventListener("keydown", (event) => {
  if (!game.rules || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("dialog")
    || event.target.matches("input, select, textarea") || isUnusedLetter(event.key) || !view.keys[event.key])
    return;
  event.preventDefault();
  view.keys[event.key]();
});

keepFocus();
addEventListener("hashchange", openLink);

// Loads the rules.
async function begin() {
  setText(parts.status, "The engine is loaded …");
  parts.retry.hidden = true;
  try {
    await loadRules(engineHere);
  } catch (error) {
    setText(parts.status, error.message);
    parts.retry.hidden = false;
    return;
  }
  document.body.classList.remove("loading");
  if (openLink()) return;
  const words = parts.said.textContent;
  game.start({ variant: Object.keys(GAMES)[0], players: [HUMAN, DEFAULT_LEVEL] });
  if (words) view.say(words);
}

begin();
