// A board: the game on it, its players, hints and analysis.
import { el } from "./elements.js";
import { placesOf } from "./board.js";
import { parseScore, scoreText } from "./scores.js";
import { positionOf, replayGame } from "./steps.js";
import { BoardView } from "./board-view.js";
import { Evaluation } from "./evaluation.js";
import { MoveList } from "./move-list.js";
import { Shown } from "./shown.js";
import { Strip } from "./strips.js";
import { openDialog } from "./dialog.js";
import { fileField } from "./file-field.js";
import { gamesOf } from "./game-file.js";
import { lineButtons } from "./lines.js";
import { changed, Live, openBoard, request, sentence, single } from "./api.js";
import { fillPlayers, secondsText, setText } from "./fields.js";
import { labelOf } from "./sentences.js";
import { template } from "./template.js";
import { movesWithCells } from "./named-cells.js";
import { MoveInput } from "./move-input.js";

const WINNERS = { "1-0": 1, "0-1": 2, "1/2-1/2": 0 };

// How often clocks are drawn, in milliseconds.
const CLOCK_DRAWING = 100;

// The buttons that may be clicked twice in a row.
const REPEATABLE = ["undo", "flip"];

// The buttons of letters.
const KEYS = { h: "hint", a: "analyse", u: "undo", f: "flip" };

class BoardPage {
  #isTurned = false;
  // The numbers of moves before the positions of which a hint or an analysis was asked.
  #asked = null;
  #analysed = null;
  #state = null;
  #replayed = { positions: [], moves: [] };

  constructor({ site, rules }, id) {
    const { element, parts } = template("board-page"), say = (words) => this.#say(words);
    Object.assign(this, { site, rules, id, element, parts, title: "Board" });
    this.shown = new Shown(() => this.#replayed.moves, say, () => this.#changeShown());
    this.board = new BoardView((cell) => this.#click(cell));
    this.evaluation = new Evaluation(
      rules.isOther ? null : (_, count) => this.#follow(this.#state.analysis, count),
    );
    this.moveList = new MoveList((plies) => this.shown.go(plies), () => `#/board/${id}`);
    this.input = new MoveInput(single((move) => this.#play(move)), say, () => this.#draw());
    this.strips = [0, 1].map(() => new Strip((side, label, { player }) => this.#choice(side, label, player)));
    fillPlayers(parts.adviser, site.players, { chosen: site.defaults.adviser, isShort: true });
    parts.adviser.addEventListener("change", () => this.#state.analysis && this.#analyse(true));
    parts.board.append(this.evaluation.bar, this.board.element);
    parts.above.append(this.strips[0].element);
    parts.below.append(this.strips[1].element);
    parts.input.append(this.input.element);
    parts.analysis.append(this.evaluation.panel, this.moveList.element);
    parts.steps.append(...this.shown.buttons);
    parts.save.href = `api/boards/${id}/file`;
    for (const [name, act] of Object.entries(this.#actions()))
      parts[name].addEventListener("click", single(act, REPEATABLE.includes(name)));
    const press = ([key, name]) => [key, () => parts[name].click()];
    this.keys = { ...this.shown.keys, Escape: () => this.#leave(), b: () => this.board.focus(),
      ...Object.fromEntries(Object.entries(KEYS).map(press)) };
    this.live = new Live(`live/board/${encodeURIComponent(id)}`, (message) => this.#receive(message));
    this.timer = setInterval(() => this.#drawClocks(), CLOCK_DRAWING);
  }

  close() {
    this.live.close();
    clearInterval(this.timer);
  }

  // What the buttons do.
  #actions() {
    const order = (name) => () => this.#post({ do: name });
    return { leave: () => this.#leave(),
      continue: () => this.#post({ do: "continue", plies: this.shown.plies }), retry: order("retry"),
      again: order("again"), pause: () => this.#post({ do: "pause", on: !this.#state.isPaused }),
      undo: order("undo"), hint: () => this.#hint(), analyse: () => this.#analyse(!this.#state.analysis),
      flip: () => {
        this.#isTurned = !this.#isTurned;
        this.#draw();
      }, swap: () => this.#post({ do: "players", players: this.#ids.reverse() }), resign: order("resign"),
      load: () => this.#load(), close: order("close") };
  }

  // The choice of who plays a side.
  #choice(side, label, { name }) {
    // The other choice counts as it is shown: the server may not know it yet.
    const change = () =>
      this.#post({ do: "players", players: [1, 2].map((one) =>
        document.getElementById(`player-${one}`).value
      ) });
    const select = el("select", { id: `player-${side}`, "aria-label": `${label} is played by`,
      onchange: change });
    return fillPlayers(select, this.site.players, { chosen: name, hasPerson: true, isShort: true });
  }

  // Says something to screen readers, and shows it under the board; `more` is said alone, because it is shown elsewhere.
  #say(words, more = "") {
    // The same words twice are a change, too.
    this.announced = !this.announced;
    this.parts.said.replaceChildren(words,
      el("span", { class: "hidden" }, ` ${more}${this.announced ? "" : "\u00a0"}`));
  }

  // Asks the server to do something; says why if it cannot.
  async #post(body) {
    try {
      return await request(`api/boards/${this.id}`, body);
    } catch (error) {
      this.input.reset();
      this.#asked = null;
      this.#say(sentence(error.message));
      this.#draw();
      return null;
    }
  }

  #receive(message) {
    const { parts, shown } = this;
    if (message.kind === "closed") {
      this.live.close();
      parts.playing.hidden = parts.controls.hidden = true;
      parts.elsewhere.hidden = false;
      setText(parts.status, "This board is closed.");
      parts.names.focus();
      return;
    }
    const old = this.#state && this.#replayed, before = this.#state;
    const state = message.kind === "change" ? changed(before, message) : message;
    try {
      this.#replayed = replayGame(state.game, old);
    } catch (error) {
      this.#say(sentence(error.message));
      return;
    }
    // The clocks are those of this moment.
    if ("game" in message || "added" in message) this.arrived = performance.now();
    this.#state = state;
    parts.playing.hidden = parts.controls.hidden = false;
    const total = this.#total, oldTotal = old ? old.moves.length : -1, last = this.#replayed.moves[total - 1];
    const isOther = !old || state.game.start !== before.game.start
      || last?.text !== old.moves[total - 1]?.text || total !== oldTotal;
    if (isOther) shown.line = null;
    if (shown.plies >= oldTotal || shown.plies > total || state.game.start !== before?.game.start)
      shown.plies = total;
    if (isOther || JSON.stringify(state.hint) !== JSON.stringify(before?.hint)) this.#asked = null;
    // A game of two programs would never let a screen reader rest.
    if ((total !== oldTotal || state.status !== before.status)
      && (state.over || state.seats.some((seat) => seat.isHuman)))
      this.#say(
        !old || total === oldTotal ? ""
          : total < oldTotal ? "Taken back." : `${labelOf(this.rules, last.side)}: ${last.text}.`,
        state.status,
      );
    this.#followShown();
    this.#draw();
  }

  get #total() {
    return this.#replayed.moves.length;
  }

  // The ids of the players.
  get #ids() {
    return this.#state.seats.map((seat) => seat.id);
  }

  #changeShown() {
    this.input.reset();
    this.#followShown();
    this.#draw();
  }

  // The analysis follows the position that is shown here.
  #followShown() {
    if (this.#state.analysis && this.#analysed !== null && this.#analysed !== this.shown.plies)
      this.#analyse(true);
    else this.#analysed = this.shown.plies;
  }

  #analyse(isOn) {
    this.#analysed = this.shown.plies;
    return this.#post({ do: "analyse", player: isOn ? this.parts.adviser.value : null,
      plies: this.#analysed });
  }

  #hint() {
    this.#asked = this.shown.plies;
    this.#draw();
    return this.#post({ do: "hint", player: this.parts.adviser.value });
  }

  async #play(move) {
    await this.#post({ do: "move", move, plies: this.#total });
  }

  #load() {
    const say = (why) => dialog.say(why);
    const open = single(async ({ saved, game }) => {
      try {
        const id = await openBoard({ players: this.#ids, saved, game });
        dialog.close();
        location.hash = `#/board/${id}`;
        return true;
      } catch (error) {
        say(sentence(error.message));
        return false;
      }
    });
    const dialog = openDialog("Load a game", [
      el("p", {}, "It opens on another board, with the players of this one."),
      fileField(open, say, gamesOf),
    ]);
  }

  // Shows the position after the first `count` moves of the line of an advice.
  #follow({ pv, boards, plies }, count) {
    const words = pv.slice(0, boards.grids.length);
    if (count > words.length) return;
    const positions = [this.#replayed.positions[plies]];
    boards.grids.forEach((board, at) =>
      positions.push(positionOf(board, Number(boards.turns[at]), positions[at]))
    );
    this.shown.follow({ words, positions }, count);
  }

  #leave() {
    if (this.input.reset()) this.#draw();
    this.shown.leave();
  }

  get #asksPerson() {
    const { over, side, seats } = this.#state;
    return !over && seats[side - 1].isHuman;
  }

  #click(cell) {
    this.shown.leave();
    if (!this.shown.isAtEnd)
      this.#say("This is an earlier position: “Continue from here” drops the moves after it.");
    else if (!this.#asksPerson) this.#say(this.#state.over ? "The game is over." : "A program is to move.");
    else this.input.click(cell);
  }

  // The marks of a hint, or of the analysis.
  #marks(position, hint, analysis) {
    if (this.shown.line) return [];
    const [text, mark] = hint?.move ? [hint.move, { kind: "hint", label: "!", name: "hint" }]
      : [analysis?.pv[0], { kind: "best-1", label: "1", name: "best move" }];
    const [{ cells }] = text ? movesWithCells(position, [text]) : [{ cells: [] }];
    return cells.length ? [{ ...mark, side: 0, move: { from: cells[0], to: cells.at(-1) } }] : [];
  }

  #draw() {
    if (!this.#state) return;
    const { rules, shown, input } = this, { plies } = shown, { positions, moves } = this.#replayed;
    const state = this.#state, own = positions[plies], position = shown.positionOf(positions);
    const of = (advice) => (advice?.plies === plies ? advice : null);
    const hint = of(state.hint), analysis = of(state.analysis);
    input.show(rules, own, shown.isAtEnd && this.#asksPerson ? state.legal : []);
    this.board.show({ rules, position, legal: input.targets.map((to) => ({ to })), chosen: input.chosen,
      isTurned: this.#isTurned, marks: this.#marks(own, hint, analysis) });
    const { width, height } = placesOf(position);
    this.board.element.style.setProperty("--ratio", position.cells ? width / height : 1);
    this.#drawAnalysis(analysis, own);
    this.#drawTexts();
    this.#drawStrips();
    this.moveList.show({ variant: rules.name, start: state.game.start, moves,
      shown: shown.line ? -1 : plies });
    this.#drawAdvice(hint);
    this.#drawButtons();
  }

  #drawAnalysis(analysis, { side }) {
    const { over, analysis: any } = this.#state;
    const ending = this.shown.isAtEnd && over ? { winner: WINNERS[over.result] } : null;
    const score = parseScore(analysis?.score);
    const failure = analysis?.failure
      || (any && !analysis && !ending ? "The analysis shows another position."
        : analysis?.isOver && !score ? "The player reports no score." : null);
    this.evaluation.show({
      analysis: { isOn: any !== null, lines: score ? [{ ...analysis, score }] : [], failure,
        isReady: analysis?.isOver },
      rules: this.rules,
      side,
      ending,
      isTurned: this.#isTurned,
    });
  }

  #drawTexts() {
    const { parts, shown } = this, { seats, over, status, game, fault } = this.#state,
      people = seats.filter((seat) => seat.isHuman);
    const names = seats.map(({ name }, at) => `${name} (${labelOf(this.rules, at + 1)})`).join(" against ");
    this.title = `${people.length === 1 && this.#asksPerson ? "Your move – " : ""}${names}`;
    document.title = `${this.title} – referee`;
    setText(parts.names, names);
    setText(parts.status, shown.place + status);
    setText(parts.space, shown.isAtEnd ? game.note : "");
    parts.fault.hidden = !fault;
    setText(parts.transcript, fault || "");
  }

  #note(side) {
    const { game, thinking, side: mover } = this.#state, isThinking = thinking && mover === side;
    const last = this.#replayed.moves.slice(0, this.shown.plies).findLastIndex((move) => move.side === side);
    const score = parseScore(isThinking ? thinking.score : game.scores[last]);
    const first = isThinking ? thinking.depth && `depth ${thinking.depth}` : secondsText(game.ms[last]);
    return [first, score && scoreText(score)].filter(Boolean).join(", ") || (isThinking ? "thinking …" : "");
  }

  #drawStrips() {
    const { rules } = this, { seats, over, side: mover } = this.#state;
    this.strips.forEach((strip, at) => {
      const side = this.#sideOf(at);
      strip.show({ rules, variant: rules.name, side, player: { name: seats[side - 1].id },
        isToMove: !over && mover === side, time: this.#timeOf(side), note: this.#note(side) });
    });
  }

  // The side of a strip: the first one stands above the board.
  #sideOf(at) {
    return (at === 0) === this.#isTurned ? 1 : 2;
  }

  #timeOf(side) {
    const { game, running } = this.#state, left = game.clocks?.[side - 1] ?? null;
    return left === null || running !== side ? left : left - (performance.now() - this.arrived);
  }

  #drawClocks() {
    if (this.#state?.running)
      this.strips.forEach((strip, at) => strip.showTime(this.#timeOf(this.#sideOf(at))));
  }

  #drawAdvice(hint) {
    const isThinking = this.#asked !== null || (hint && !hint.move && !hint.failure);
    const key = JSON.stringify([isThinking, !isThinking && hint]);
    if (key === this.shownAdvice) return;
    this.shownAdvice = key;
    const id = hint?.player || this.parts.adviser.value, score = parseScore(hint?.score);
    const name = this.site.players.find((player) => player.id === id)?.name || id;
    const words = isThinking ? `${name} thinks …`
      : hint?.failure ? sentence(hint.failure)
      : hint ? `Hint of ${name}: ${hint.move}${score ? `, score ${scoreText(score)}` : ""}.` : null;
    const show = hint?.boards.grids.length > 0 && ((count) => this.#follow(hint, count));
    const hasLine = !isThinking && hint?.move && hint.pv.length > 1;
    this.parts.advice.replaceChildren(
      ...[
        words && el("p", {}, words),
        hasLine && el("p", { class: "line-of-hint" }, "Line: ", lineButtons(hint.pv, show)),
      ].filter(Boolean),
    );
  }

  #drawButtons() {
    const { parts, shown } = this, { seats, over, fault, isPaused, canUndo, analysis } = this.#state;
    const isWatched = seats.every((seat) => !seat.isHuman);
    shown.drawButtons();
    parts.undo.disabled = !canUndo;
    parts.hint.disabled = over || !shown.isAtEnd || this.#asked !== null;
    parts.resign.disabled = over || isWatched;
    parts.analyse.setAttribute("aria-pressed", String(analysis !== null));
    parts.pause.hidden = (!isWatched && !isPaused) || over || fault;
    setText(parts.pause, isPaused ? "Go on" : "Pause");
    parts.again.hidden = !over || !shown.isAtEnd;
    parts.retry.hidden = !fault;
    parts.continue.hidden = !shown.isEarlier;
    parts.leave.hidden = !shown.line;
  }
}

const boardPage = (context, id) => new BoardPage(context, id);

export { KEYS, boardPage };
