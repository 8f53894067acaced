// A game on a page: its board, players, moves, advice and buttons. What the game is, its source says: the session of
// the page of the engine, or a board of the server.
import { el } from "./elements.js";
import { placesOf } from "./board.js";
import { BoardView } from "./board-view.js";
import { enable } from "./focus.js";
import { Evaluation } from "./evaluation.js";
import { lineButtons } from "./lines.js";
import { MoveInput } from "./move-input.js";
import { MoveList } from "./move-list.js";
import { Shown } from "./shown.js";
import { Strip } from "./strips.js";
import { setText } from "./template.js";

// How often clocks are drawn, in milliseconds.
const CLOCK_DRAWING = 100;

class GameView {
  #parts;
  /** @type {GameSource} */
  #source;
  #hasSaid = false;
  #isTurned = false;
  #advice = "";
  #timer;

  // What a page draws besides.
  onDraw = () => {};

  // `parts` are elements by their ids. `letters` has the buttons of letters.
  /** @param {Record<string, any>} parts @param {GameSource} source @param {Record<string, string>} letters */
  constructor(parts, source, letters) {
    const say = (words) => this.say(words);
    this.#parts = parts;
    this.#source = source;
    this.shown = new Shown(() => source.moves, say, () => {
      this.input.reset();
      this.update();
    });
    this.input = new MoveInput((move) => this.#play(move), say, () => this.draw(),
      (words) => this.refuse(words));
    this.board = new BoardView((cell) => this.#click(cell));
    this.evaluation = new Evaluation(source.hasPreviews ? (line, count) => this.#preview(line, count) : null);
    this.moveList = new MoveList((plies) => this.shown.go(plies), (game) => source.linkOf(game));
    this.strips = [0, 1].map(() => new Strip((side, label, state) => source.choice(side, label, state)));
    parts.board.append(this.evaluation.bar, this.board.element);
    parts.above.append(this.strips[0].element);
    parts.below.append(this.strips[1].element);
    parts.analysis.append(this.evaluation.panel, this.moveList.element);
    parts.steps.append(...this.shown.buttons);
    parts.leave.addEventListener("click", () => this.leave());
    parts.flip.addEventListener("click", () => {
      this.#isTurned = !this.#isTurned;
      this.draw();
    });
    const press = ([key, name]) => [key, () => parts[name].click()];
    this.keys = { ...this.shown.keys, Escape: () => this.leave(), b: () => this.board.focus(),
      ...Object.fromEntries(Object.entries(letters).map(press)) };
    this.#timer = setInterval(() => {
      if (source.hasRunningClock)
        this.strips.forEach((strip, at) => strip.showTime(source.timeOf(this.#sideOf(at))));
    }, CLOCK_DRAWING);
  }

  close() {
    clearInterval(this.#timer);
  }

  // Says something to screen readers, and shows it under the board; `more` is said alone, because it is shown
  // elsewhere.
  say(words, more = "") {
    // The same words twice are a change, too.
    this.#hasSaid = !this.#hasSaid;
    this.#parts.said.replaceChildren(words,
      el("span", { class: "hidden" }, ` ${more}${this.#hasSaid ? "" : "\u00a0"}`));
  }

  // Says why a click does nothing, also at the cell.
  refuse(words) {
    this.say(words);
    this.board.answer(words);
  }

  leave() {
    if (this.input.reset()) this.draw();
    this.shown.leave();
  }

  // The source may refuse a move.
  #play(move) {
    try {
      this.#source.play(move);
    } catch (error) {
      this.refuse(error.why ?? error.message);
    }
  }

  #click(cell) {
    const source = this.#source;
    if (source.takesCell(cell)) return;
    this.shown.leave();
    if (!this.shown.isAtEnd)
      this.refuse("This is an earlier position: “Continue from here” drops the moves after it.");
    else if (!source.asksPerson) this.refuse(source.isOver ? "The game is over." : source.waiting);
    else this.input.click(cell);
  }

  // Shows the position after the first `count` moves of a line.
  #preview(line, count) {
    const followed = this.#source.followed(line, this.shown);
    if (followed && count <= followed.words.length) this.shown.follow(followed, count);
  }

  // What is shown or what the game is has changed: the analysis follows it.
  update() {
    if (!this.#source.positions?.length) return;
    this.#source.follow(this.shown);
    this.draw();
  }

  draw() {
    const { shown, input } = this, source = this.#source, { rules, positions } = source;
    if (!positions?.length) return;
    const own = positions[shown.plies], position = source.placed ?? shown.positionOf(positions);
    input.show(rules, own, shown.isAtEnd && source.asksPerson && !source.placed ? source.legal : []);
    this.board.show({ rules, position, legal: input.targets.map((to) => ({ to })), chosen: input.chosen,
      isTurned: this.#isTurned, marks: shown.line || source.placed ? [] : source.marks(shown) });
    const { width, height } = placesOf(position);
    this.board.element.style.setProperty("--ratio", position.cells ? width / height : 1);
    this.evaluation.show({ rules, side: own.side, isTurned: this.#isTurned, ...source.evaluation(shown) });
    setText(this.#parts.status, source.status(shown));
    setText(this.#parts.space, source.note(shown));
    this.drawStrips();
    this.moveList.show({ variant: rules.name, start: source.startFen, moves: source.moves,
      shown: shown.line ? -1 : shown.plies });
    this.#drawAdvice();
    this.#drawButtons();
    this.onDraw();
  }

  // The side of a strip: the first one stands above the board.
  #sideOf(at) {
    return (at === 0) === this.#isTurned ? 1 : 2;
  }

  drawStrips() {
    const source = this.#source, { rules } = source;
    this.strips.forEach((strip, at) => {
      const side = this.#sideOf(at);
      strip.show({ rules, variant: rules.name, side, player: source.players[side - 1],
        isToMove: !source.isOver && source.side === side, time: source.timeOf(side),
        note: source.noteOf(side, this.shown) });
    });
  }

  #drawAdvice() {
    const advice = this.#source.advice(this.shown), key = JSON.stringify(advice);
    if (key === this.#advice) return;
    this.#advice = key;
    const draw = ({ words, line }) =>
      el("div", {}, el("p", {}, words),
        line && el("p", { class: "line" }, "Line: ", lineButtons(line.pv, line.isKnown && ((count) =>
          this.#preview(line, count)))));
    this.#parts.advice.replaceChildren(...advice.map(draw));
  }

  #drawButtons() {
    const parts = this.#parts, source = this.#source, { shown } = this;
    shown.drawButtons();
    for (const [name, isPossible] of Object.entries(source.possible(shown)))
      enable(parts[name], isPossible);
    parts.analyse.setAttribute("aria-pressed", String(source.isAnalysed));
    parts.pause.hidden = !source.canPause;
    setText(parts.pause, source.isPaused ? "Resume" : "Pause");
    parts.again.hidden = !source.isOver || !shown.isAtEnd;
    parts.retry.hidden = !source.hasFailed;
    parts.continue.hidden = !shown.isEarlier;
    parts.leave.hidden = !shown.line;
  }
}

export { GameView };
