// The page: draws the game, and does what keys and buttons ask for.
import { GAMES } from "./games.js";
import { loadRules, replayMoves } from "./rules.js";
import { el } from "./elements.js";
import { DEFAULT_LEVEL, HUMAN } from "./players.js";
import { LazyEngine } from "./lazy-engine.js";
import { connectEngine } from "./connect.js";
import { engineHere } from "./engine-here.js";
import { Session } from "./session.js";
import { Analysis, BEST_MOVES } from "./analysis.js";
import { BoardView } from "./board-view.js";
import { Evaluation } from "./evaluation.js";
import { MoveList } from "./move-list.js";
import { Strip } from "./strips.js";
import { playerChoice } from "./player-choice.js";
import { Setup, randomStart } from "./setup.js";
import { MoveInput } from "./move-input.js";
import { Shown } from "./shown.js";
import { askAdviser, hintText, reasons } from "./advice.js";
import { gameOfLink, linkOf } from "./link.js";
import { labelOf } from "./sentences.js";
import { lineButtons } from "./lines.js";
import { newGameDialog } from "./new-game.js";
import { filesDialog } from "./files.js";
import { rulesDialog } from "./rules-text.js";
import { isUnusedLetter } from "./letters.js";

const byId = (id) => document.getElementById(id);

// The numbers of moves of a line that are drawn on the board: arrows hide more than bricks.
const DRAWN_MOVES = { bricks: 8, arrows: 4 };

const engines = [1, 2].map(() => new LazyEngine(connectEngine));
const analyst = new LazyEngine(connectEngine);
const session = new Session(engines, onChange);
const analysis = new Analysis(analyst, () => draw());
const settings = {};

// What is on the board besides the game: an advice, a position that is set up.
const view = { isTurned: false, advice: null, setup: null, isAsking: false };
const shown = new Shown(() => session.moves, say, () => {
  input.reset();
  update();
});
const input = new MoveInput(play, say, () => draw());

const board = new BoardView(clickCell);
const evaluation = new Evaluation((line, count) => follow(line, count, shown.plies));
const moveList = new MoveList((plies) => shown.go(plies), linkOf);
const strips = [0, 1].map(() =>
  new Strip((side, label, { rules, player }) =>
    playerChoice({ id: `player-${side}`, label: `${label} is played by`, rules, value: player.name,
      isShort: true, changed: (words) => changePlayer(side, words) }).element
  )
);
byId("board").append(evaluation.bar, board.element);
byId("strip-above").append(strips[0].element);
byId("strip-below").append(strips[1].element);
byId("analysis").append(evaluation.panel);
byId("move-list").append(moveList.element);

let announced = false;

// Says something to screen readers, and shows it under the board; `more` is said alone, because it is shown elsewhere.
function say(words, more = "") {
  announced = !announced;
  // The same words twice are a change, too.
  byId("said").replaceChildren(words,
    el("span", { class: "hidden" }, ` ${more}${announced ? "" : "\u00a0"}`));
}

// How often the reports of a thinking engine are drawn at most, in milliseconds. Drawing each of them
// would make its answer wait.
const REPORTING = 200;

let reportTimer = 0;

function onChange(kind) {
  if (kind === "report") {
    reportTimer ||= setTimeout(() => {
      reportTimer = 0;
      drawStrips();
    }, REPORTING);
    return;
  }
  const total = session.moves.length;
  if (kind === "game" || kind === "undo" || (kind === "move" && shown.plies === total - 1))
    shown.plies = total;
  if (kind !== "thinking") {
    input.reset();
    shown.line = null;
    if (kind !== "end" && kind !== "failure" && kind !== "players") view.advice = null;
  }
  if (kind === "game") view.setup = null;
  const last = session.moves[total - 1], hasMoved = last && !/resign|time/.test(session.ending?.reason);
  // A game of two engines would never let a screen reader rest.
  if (kind === "end" || (kind === "move" && !session.isWatched))
    say(hasMoved ? `${labelOf(session.rules, last.side)}: ${last.text}.` : "", statusText());
  if (kind === "failure") say(session.failure);
  if (kind !== "thinking") saveAddress();
  update();
}

// The address always has the game, so that loading the page again continues it.
const saveAddress = () => history.replaceState(null, "", linkOf(currentGame()));

const currentGame = () => ({ variant: session.variant, start: session.startFen,
  moves: session.moves.map((move) => move.text), players: session.playerNames });

// The moves that can be played now on the board.
const playable = () =>
  !view.setup && shown.isAtEnd && session.asksPerson ? session.position.moves.map(({ text }) => text) : [];

function lineMarks(line, plies, skip) {
  const { rules } = session;
  try {
    const { moves } = replayMoves(rules, session.positions[plies],
      line.slice(0, rules.slides ? DRAWN_MOVES.arrows : DRAWN_MOVES.bricks));
    return moves.map((move, at) => ({ move, kind: `line-${move.side}`, label: String(at + 1), side: move.side,
      name: `move ${at + 1} of the line` })
    ).slice(skip);
  } catch {
    return [];
  }
}

function currentMarks() {
  const { advice } = view;
  if (view.setup || shown.line) return [];
  if (advice && advice.plies === shown.plies) return advice.marks;
  if (!analysis.isOn) return [];
  const legal = session.positions[shown.plies].moves;
  const best = analysis.lines.slice(0, BEST_MOVES).map((line, at) => ({
    move: legal.find((move) => move.text === line?.pv[0]),
    kind: `best-${at + 1}`,
    label: String(at + 1),
    name: `best move ${at + 1}`,
  }));
  return best.filter(({ move }) => move);
}

// The analysis waits while another engine thinks.
const isResting = () => session.isThinking || view.isAsking;

// Decides what is analysed, and draws.
function update() {
  const isOver = session.positions[shown.plies].ending !== null;
  analysis.follow(
    isOver || isResting() || view.setup ? null
      : { variant: session.variant, line: session.positionLine(shown.plies) },
  );
  draw();
}

function drawEvaluation() {
  const position = session.positions[shown.plies];
  const ending = position.ending || (shown.isAtEnd && session.ending);
  evaluation.show({ analysis, rules: session.rules, side: position.side, ending: ending || null,
    isTurned: view.isTurned, isResting: isResting() });
}

function statusText() {
  const { place } = shown, { ending, rules, position } = session;
  if (view.setup) return "Click on the board to put pieces on it.";
  if (shown.line) return place;
  if (ending) return place + ending.text;
  if (session.failure) return place + session.failure;
  if (session.isPaused) return `${place}Paused.`;
  const label = labelOf(rules, position.side), { mover } = session;
  if (!mover.isHuman) return `${place}${mover.name} (${label}) thinks …`;
  return place + (session.humanSide ? `Your move (${label}).` : `${label} to move.`);
}

function stripNote(side) {
  const last = session.moves.slice(0, shown.plies).findLast((move) => move.side === side);
  if (session.isThinking && session.position.side === side) {
    const { report } = session;
    return report ? `depth ${report.depth}` : "";
  }
  return last && last.player ? `${(last.milliseconds / 1000).toFixed(2)} s` : "";
}

function drawAdvice() {
  const { advice } = view;
  const parts = advice && advice.plies === shown.plies ? advice.parts : [];
  byId("advice").replaceChildren(
    ...(view.isAsking ? [el("p", {}, "lodestone thinks …")] : parts.map(({ words, line, plies }) =>
      el("div", {}, el("p", {}, words),
        line && el("p", { class: "line" }, "Line: ", lineButtons(line, (count) =>
          follow(line, count, plies))))
    )),
  );
}

function draw() {
  if (!session.rules) return;
  const { rules } = session, position = view.setup?.position ?? shown.positionOf(session.positions);
  input.show(rules, position, playable());
  drawEvaluation();
  board.show({ rules, position, legal: input.targets.map((to) => ({ to })), chosen: input.chosen,
    isTurned: view.isTurned, marks: currentMarks() });
  byId("status").textContent = statusText();
  byId("space").textContent = position.note ?? "";
  const call = session.asksPerson && session.humanSide ? "Your move – " : "";
  document.title = `${call}${session.rules.title} – Lodestone`;
  drawStrips();
  moveList.show({ variant: session.variant, start: session.startFen, moves: session.moves,
    shown: shown.line ? -1 : shown.plies });
  byId("game-part").hidden = view.setup !== null;
  byId("setup-part").replaceChildren(...(view.setup?.element ?? []));
  drawButtons();
  if (byId("advice").dataset.key !== adviceKey()) {
    byId("advice").dataset.key = adviceKey();
    drawAdvice();
  }
}

function drawStrips() {
  const clocks = session.clocksNow(), { rules, variant, players, ending, position } = session;
  strips.forEach((strip, at) => {
    const side = (at === 0) === view.isTurned ? 1 : 2;
    strip.show({ rules, variant, side, player: players[side - 1], isToMove: !ending && position.side === side,
      time: clocks && clocks[side - 1], note: stripNote(side) });
  });
}

const adviceKey = () => [view.isAsking, shown.plies, view.advice?.number].join();

function drawButtons() {
  const set = (id, isPossible) => {
    byId(id).disabled = !isPossible;
  };
  const isOver = session.positions[shown.plies].ending !== null;
  shown.drawButtons();
  set("undo", session.pliesAfterUndo !== null);
  set("hint", !isOver && !view.isAsking && !session.isThinking);
  set("why",
    !view.isAsking && !session.isThinking && (!isOver || Boolean(session.moves[shown.plies - 1]?.info)));
  set("resign", !session.ending && !session.isWatched);
  byId("analyse").setAttribute("aria-pressed", String(analysis.isOn));
  byId("pause").hidden = !session.isWatched || session.ending !== null;
  byId("pause").textContent = session.isPaused ? "Go on" : "Pause";
  byId("again").hidden = !session.ending || !shown.isAtEnd;
  byId("retry").hidden = !session.failure;
  byId("continue").hidden = !shown.isEarlier;
  byId("leave").hidden = !shown.line;
}

// Shows the position after the first `count` moves of a line that begins after `plies` moves of the game.
function follow(words, count, plies) {
  let replayed;
  try {
    replayed = replayMoves(session.rules, session.positions[plies], words);
  } catch {
    // An engine may report a line with a move that cannot be played.
    return;
  }
  shown.follow({ words, ...replayed }, count);
}

function leave() {
  if (input.reset()) draw();
  shown.leave();
}

function play(move) {
  try {
    session.play(move);
  } catch (error) {
    say(error.message.replace(/^move 1: /, ""));
  }
}

function clickCell(cell) {
  if (view.setup) {
    view.setup.click(cell);
    return;
  }
  shown.leave();
  if (!shown.isAtEnd) say("This is an earlier position: “Continue from here” drops the moves after it");
  else if (!session.asksPerson) say(session.ending ? "The game is over" : "The computer is to move");
  else input.click(cell);
}

function changePlayer(side, words) {
  const players = session.playerNames;
  players[side - 1] = words;
  session.setPlayers(players);
}

// Asks the adviser about the position that is shown; `explain` makes an advice of its answer.
async function askAdvice(explain) {
  const { plies } = shown, line = session.positionLine(plies), { variant } = session;
  const isSame = () =>
    session.variant === variant && shown.plies === plies && session.positionLine(plies) === line;
  if (session.positions[plies].ending) {
    setAdvice(explain(null));
    return;
  }
  view.isAsking = true;
  update();
  try {
    const answer = await askAdviser(analyst, { variant, line });
    view.isAsking = false;
    if (isSame()) setAdvice(explain(answer));
  } catch (error) {
    view.isAsking = false;
    setAdvice({ parts: [{ words: error.message }], marks: [] });
  }
  update();
}

let advices = 0;

function setAdvice({ parts, marks }) {
  view.advice = { parts, marks, plies: shown.plies, number: ++advices };
  shown.line = null;
  draw();
}

const hint = () =>
  askAdvice(({ move }) => ({ parts: [{ words: hintText(move) }],
    marks: lineMarks([move], shown.plies, 0).map((mark) => ({ ...mark, kind: "hint", label: "!", side: 0,
      name: "hint" })
    ) })
  );

const why = () =>
  askAdvice((answer) => {
    const parts = reasons(session, shown.plies, answer), last = parts[parts.length - 1];
    if (!last) return { parts: [{ words: "The game is over." }], marks: [] };
    return { parts, marks: lineMarks(last.line, last.plies, shown.plies - last.plies) };
  });

function undo() {
  const removed = session.undo();
  if (removed)
    say(removed.length ? `Taken back: ${removed.map((move) => move.text).join(" ")}` : "The game continues.");
}

function swap() {
  session.setPlayers(session.playerNames.reverse());
  say(
    session.humanSide ? `You are now ${labelOf(session.rules, session.humanSide)}.`
      : "The players have changed sides.",
  );
}

function newGame() {
  newGameDialog({ ...settings, variant: session.variant, players: session.playerNames, clock: session.clock },
    (chosen, setup) => {
      Object.assign(settings, setup);
      session.start({ ...chosen, start: randomStart(GAMES[chosen.variant], setup) });
    }, () => board.focus());
}

// A new game of the same players, where games begin with a placement a new one with as many pieces and turns.
function playAgain() {
  const { variant, rules, playerNames: players, clock, positions: [first] } = session;
  const pieces = first.cells.filter((piece) => piece === "x").length;
  const start = randomStart(rules, { pieces, turns: first.fen.split(" ")[3] });
  session.start({ variant, start, players, clock });
  board.focus();
}

function setUp() {
  if (view.setup) return;
  view.setup = new Setup({ rules: session.rules, position: session.positions[shown.plies],
    changed: () => draw(), done: (fen) => {
      view.setup = null;
      if (fen) session.start({ variant: session.variant, start: fen, players: session.playerNames });
      update();
    } });
  if (session.isWatched) session.pause(true);
  update();
}

// Loads a game; returns why it cannot be loaded, if so. Without players, two people play.
function load(game) {
  try {
    session.start({ ...game, players: game.players || [HUMAN, HUMAN] });
  } catch (error) {
    return error.message;
  }
  if (game.move !== undefined) shown.go(game.move);
  say(`Loaded a game with ${session.moves.length} ${session.moves.length === 1 ? "move" : "moves"}.`);
  return null;
}

function files() {
  const game = currentGame();
  const link = location.href.split("#")[0] + linkOf({ ...game, players: null, move: shown.plies });
  filesDialog({ game, link, fen: session.positions[shown.plies].fen, load });
}

function openLink() {
  try {
    const game = gameOfLink(location.hash);
    if (!game) return false;
    if (session.rules && linkOf(currentGame()) === location.hash) return true;
    const why = load(game);
    if (why) throw new Error(why);
    return true;
  } catch (error) {
    say(`The link holds no game: ${error.message}`);
    return false;
  }
}

function toggleAnalysis() {
  analysis.isOn = !analysis.isOn;
  update();
}

const flip = () => {
  view.isTurned = !view.isTurned;
  draw();
};

byId("steps").append(...shown.buttons);

// The buttons of letters.
const HOTKEYS = { h: "hint", w: "why", a: "analyse", u: "undo", f: "flip", n: "new-game" };

const ACTIONS = { undo, hint, why, swap, flip, analyse: toggleAnalysis, resign: () => session.resign(),
  pause: () => session.pause(!session.isPaused), retry: () => (session.rules ? session.retry() : begin()),
  continue: () => session.continueFrom(shown.plies), again: playAgain, leave, "new-game": newGame,
  "set-up": setUp, files,
  rules: () => rulesDialog(session.rules, (name) => byId(name).textContent, HOTKEYS) };
for (const [id, act] of Object.entries(ACTIONS)) byId(id).addEventListener("click", act);

const KEY_ACTIONS = { ...shown.keys, Escape: leave, b: () => board.focus() };

document.addEventListener("keydown", (event) => {
  if (!session.rules || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("dialog")
    || event.target.matches("input, select, textarea") || isUnusedLetter(event.key)) return;
  if (KEY_ACTIONS[event.key]) KEY_ACTIONS[event.key]();
  else if (HOTKEYS[event.key] && !byId(HOTKEYS[event.key]).disabled) ACTIONS[HOTKEYS[event.key]]();
  else return;
  event.preventDefault();
});

setInterval(() => {
  const clocks = session.rules && session.clock && !session.ending ? session.clocksNow() : null;
  if (clocks) strips.forEach((strip, at) => strip.showTime(clocks[(at === 0) === view.isTurned ? 0 : 1]));
}, 100);

addEventListener("hashchange", openLink);

// Loads the rules.
async function begin() {
  byId("status").textContent = "The engine is loaded …";
  byId("retry").hidden = true;
  try {
    await loadRules(engineHere);
  } catch (error) {
    byId("status").textContent = error.message;
    byId("retry").hidden = false;
    return;
  }
  document.body.classList.remove("loading");
  if (openLink()) return;
  const words = byId("said").textContent;
  session.start({ variant: Object.keys(GAMES)[0], players: [HUMAN, DEFAULT_LEVEL] });
  if (words) say(words);
}

begin();
