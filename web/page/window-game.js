// The game of the page of the engine: a session, and what the page adds to it: an analysis, advice, a position that is
// set up. A `GameView` shows it.
import { Analysis, BEST_MOVES } from "./analysis.js";
import { linkOf } from "./link.js";
import { playerChoice } from "./player-choice.js";
import { replayMoves } from "./rules.js";
import { labelOf } from "./sentences.js";
import { Session } from "./session.js";

// The numbers of moves of a line that are drawn on the board: arrows hide more than bricks.
const DRAWN_MOVES = { bricks: 8, arrows: 4 };

class WindowGame extends Session {
  hasPreviews = true;
  waiting = "The computer is to move.";
  linkOf = linkOf;

  // What was asked: its `parts` and `marks`, and the number of moves before the position.
  /** @type {{ parts: any[], marks: Mark[], plies: number } | null} */
  given = null;

  // Whether the adviser thinks.
  isAsking = false;

  // The form with which a position is set up.
  /** @type {import("./setup.js").Setup | null} */
  setup = null;

  // `analyst` is the engine that analyses; `changed` also gets "analysis".
  constructor(engines, analyst, changed) {
    super(engines, changed);
    this.analysis = new Analysis(analyst, () => changed("analysis"));
  }

  get isOver() {
    return this.ending !== null;
  }

  get side() {
    return this.position.side;
  }

  get legal() {
    return this.position.moves.map(({ text }) => text);
  }

  get hasFailed() {
    return this.failure !== null;
  }

  get canPause() {
    return this.isWatched && !this.isOver;
  }

  get isAnalysed() {
    return this.analysis.isOn;
  }

  // The analysis waits while another engine thinks.
  get #isResting() {
    return this.isThinking || this.isAsking;
  }

  // The position that is set up.
  get placed() {
    return this.setup?.position;
  }

  get hasRunningClock() {
    return Boolean(this.clock) && !this.isOver;
  }

  timeOf(side) {
    return this.clocksNow()?.[side - 1] ?? null;
  }

  // The words that a link or a file holds.
  get saved() {
    return { variant: this.variant, start: this.startFen, moves: this.moves.map((move) => move.text),
      players: this.playerNames };
  }

  takesCell(cell) {
    this.setup?.click(cell);
    return this.setup !== null;
  }

  choice(side, label, { rules, player }) {
    const changed = (words) => {
      const players = this.playerNames;
      players[side - 1] = words;
      this.setPlayers(players);
    };
    return playerChoice({ id: `player-${side}`, label: `${label} is played by`, rules, value: player.name,
      isShort: true, changed }).element;
  }

  // The moves of a line and its positions; nothing if an engine reports a move that cannot be played.
  followed({ pv, plies }, shown) {
    try {
      return { words: pv, ...replayMoves(this.rules, this.positions[plies ?? shown.plies], pv) };
    } catch {
      return null;
    }
  }

  follow({ plies }) {
    const isOver = this.positions[plies].ending !== null;
    this.analysis.follow(
      isOver || this.#isResting || this.setup ? null
        : { variant: this.variant, line: this.positionLine(plies) },
    );
  }

  // The marks of the moves of a line after `plies` moves, without the first ones.
  lineMarks(line, plies, skip) {
    const most = this.rules.slides ? DRAWN_MOVES.arrows : DRAWN_MOVES.bricks;
    const moves = this.followed({ pv: line.slice(0, most), plies })?.moves ?? [];
    return moves.map((move, at) => ({ move, kind: `line-${move.side}`, label: String(at + 1), side: move.side,
      name: `move ${at + 1} of the line` })
    ).slice(skip);
  }

  marks({ plies }) {
    if (this.given?.plies === plies) return this.given.marks;
    if (!this.analysis.isOn) return [];
    const legal = this.positions[plies].moves;
    const best = this.analysis.lines.slice(0, BEST_MOVES).map((line, at) => ({
      move: legal.find((move) => move.text === line?.pv[0]),
      kind: `best-${at + 1}`,
      label: String(at + 1),
      name: `best move ${at + 1}`,
    }));
    return best.filter(({ move }) => move);
  }

  evaluation({ plies, isAtEnd }) {
    const ending = this.positions[plies].ending || (isAtEnd && this.ending) || null;
    return { analysis: this.analysis, ending, isResting: this.#isResting };
  }

  status({ place, line }) {
    const { ending, rules, position, mover } = this;
    if (this.setup) return "Click on the board to put pieces on it.";
    if (line) return place;
    if (ending) return place + ending.text;
    if (this.failure) return place + this.failure;
    if (this.isPaused) return `${place}Paused.`;
    const label = labelOf(rules, position.side);
    if (!mover.isHuman) return `${place}${mover.name} (${label}) thinks …`;
    return place + (this.humanSide ? `Your move (${label}).` : `${label} to move.`);
  }

  note(shown) {
    return (this.placed ?? shown.positionOf(this.positions)).note ?? "";
  }

  noteOf(side, { plies }) {
    const last = this.moves.slice(0, plies).findLast((move) => move.side === side);
    if (this.isThinking && this.side === side) return this.report ? `depth ${this.report.depth}` : "";
    return last && last.player ? `${(last.milliseconds / 1000).toFixed(2)} s` : "";
  }

  advice({ plies }) {
    if (this.isAsking) return [{ words: "lodestone thinks …" }];
    const parts = this.given?.plies === plies ? this.given.parts : [];
    return parts.map(({ words, line, plies: before }) => ({ words,
      line: line && { pv: line, plies: before, isKnown: true } })
    );
  }

  possible({ plies }) {
    const isOver = this.positions[plies].ending !== null;
    return { undo: this.pliesAfterUndo !== null, hint: !isOver && !this.#isResting,
      why: !this.#isResting && (!isOver || Boolean(this.moves[plies - 1]?.info)),
      resign: !this.isOver && !this.isWatched };
  }
}

export { WindowGame };
