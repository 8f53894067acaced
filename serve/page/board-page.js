// A board: the game on it, its players, hints and analysis.
import { el } from "./elements.js";
import { placesOf } from "./board.js";
import { parseScore, scoreText } from "./scores.js";
import { positionsAfter, replayGame, stepsOf } from "./steps.js";
import { BoardView } from "./board-view.js";
import { Evaluation } from "./evaluation.js";
import { MoveList } from "./move-list.js";
import { Strip } from "./strips.js";
import { openDialog } from "./dialog.js";
import { fileField } from "./file-field.js";
import { gamesOf } from "./game-file.js";
import { lineButtons } from "./lines.js";
import { changed, Live, openBoard, request, sentence, single } from "./api.js";
import { playerSelect, setText } from "./fields.js";
import { playerText } from "./sentences.js";
import { movesWithCells } from "./named-cells.js";
import { MoveInput } from "./move-input.js";

const WINNERS = { "1-0": 1, "0-1": 2, "1/2-1/2": 0 };

// How often clocks are drawn, in milliseconds.
const CLOCK_DRAWING = 100;

// The parts of a message that tell the clocks.
const CLOCK_NEWS = ["game", "added", "running"];

class BoardPage {
  #view = { shown: 0, isTurned: false, preview: null, asked: null, adviser: null, analysed: null };
  #state = null;
  #replayed = null;
  #buttons = {};

  constructor({ site, rules }, id) {
    Object.assign(this, { site, rules, id, title: "Board" });
    this.#view.adviser = site.defaults.adviser;
    this.board = new BoardView((cell) => this.#click(cell));
    this.evaluation = new Evaluation(
      rules.isOther ? null : (_, count) => this.#preview(this.#state.analysis, count),
    );
    this.moveList = new MoveList((plies) => this.#go(plies), () => `#/board/${id}`);
    this.input = new MoveInput((move) => this.#play(move), (words) => this.#say(words), () => this.#draw());
    this.strips = [0, 1].map(() =>
      new Strip((side, label, { player }) =>
        playerSelect(site.players, { id: `player-${side}`, label: `${label} is played by`,
          chosen: player.name, hasPerson: true, isShort: true, changed: () => this.#changePlayer() })
      )
    );
    this.steps = stepsOf((plies) => this.#go(plies), (by) => this.#step(by));
    Object.assign(this.#buttons, this.steps.buttons);
    this.#build();
    const actions = { ...this.steps.keys, PageUp: () => this.#step(-1), PageDown: () => this.#step(1),
      Escape: () => this.#leave(), b: () => this.board.focus() };
    const press = (name) => () => this.#buttons[name].disabled || this.#buttons[name].click();
    this.keys = { ...actions, h: press("hint"), a: press("analyse"), u: press("undo"), f: press("flip") };
    this.live = new Live(`live/board/${id}`, (message) => this.#receive(message), "api/boards",
      ({ boards }) => boards.some((one) => String(one.id) === id));
    this.timer = setInterval(() => this.#drawClocks(), CLOCK_DRAWING);
  }

  close() {
    this.live.close();
    clearInterval(this.timer);
  }

  #button(name, label, act, extra) {
    this.#buttons[name] = el("button", { type: "button", onclick: act, ...extra }, label);
    return this.#buttons[name];
  }

  // A button that asks the server.
  #asking(name, label, act, extra) {
    return this.#button(name, label, single(act, name === "undo"), extra);
  }

  #build() {
    const group = (label, ...buttons) =>
      el("div", { class: "buttons", role: "group", "aria-label": label }, buttons);
    const main = { class: "main-button" };
    this.heading = el("h2", { tabindex: -1 }, "Board");
    this.status = el("p", { id: "status", role: "status" }, "Connecting …");
    this.said = el("p", { id: "said", role: "status" });
    this.space = el("p", { id: "space" });
    this.advice = el("div", { id: "advice", role: "status", "aria-label": "Hint" });
    this.transcript = el("pre", { tabindex: 0 });
    this.fault = el("details", { hidden: true }, el("summary", {}, "What the program wrote"),
      this.transcript);
    const adviser = playerSelect(this.site.players, { id: "adviser", chosen: this.#view.adviser,
      isShort: true, changed: (chosen) => this.#changeAdviser(chosen) });
    this.boardSide = el("section", { class: "board-side", "aria-label": "Board and players" },
      this.strips[0].element, el("div", { id: "board" }, this.evaluation.bar, this.board.element),
      this.strips[1].element, this.said);
    this.controls = el("div", {}, this.space, this.input.element,
      group("What now", this.#button("leave", "Back to the game", () => this.#leave(), main),
        this.#asking("continue", "Continue from here",
          () => this.#post({ do: "continue", plies: this.#view.shown }), main),
        this.#asking("retry", "Ask again", () => this.#post({ do: "retry" }), main),
        this.#asking("again", "Play again", () => this.#post({ do: "again" }), main),
        this.#asking("pause", "Pause", () => this.#post({ do: "pause", on: !this.#state.isPaused }))),
      this.fault,
      group("Moves and advice",
        this.#asking("undo", "Undo", () => this.#post({ do: "undo" }), { title: "u" }),
        this.#asking("hint", "Hint", () => this.#hint(), { title: "h" }),
        this.#asking("analyse", "Analysis", () => this.#analyse(!this.#state.analysis), { title: "a",
          "aria-pressed": "false" }), el("label", { for: "adviser" }, "by"), adviser), this.advice,
      this.evaluation.panel, this.moveList.element,
      el("div", { class: "buttons steps", role: "group", "aria-label": "Steps" },
        Object.values(this.steps.buttons)), group("More", this.#button("flip", "Flip the board", () => {
          this.#view.isTurned = !this.#view.isTurned;
          this.#draw();
        }, { title: "f" }),
        this.#asking("swap", "Swap sides",
          () => this.#post({ do: "players", players: this.#state.seats.map((seat) => seat.id).reverse() })),
        this.#asking("resign", "Resign", () => this.#post({ do: "resign" })),
        el("a", { class: "button", href: `api/boards/${this.id}/file`, download: "" }, "Save"),
        this.#button("load", "Load", () => this.#load()),
        this.#asking("close", "Close the board", () => this.#post({ do: "close" }))),
      el("p", { class: "help" }, "Keys: ← → Home End steps, b board, h hint, a analysis, u undo, f flip."));
    this.element = el("div", { class: "game" }, this.boardSide,
      el("section", { class: "text-side", "aria-label": "The game" }, this.heading, this.status,
        this.controls));
    this.boardSide.hidden = this.controls.hidden = true;
  }

  #say(words) {
    // The same words twice are a change, too.
    this.said.textContent = this.said.textContent === words ? `${words}\u00a0` : words;
  }

  // Asks the server to do something; says why if it cannot.
  async #post(body) {
    try {
      return await request(`api/boards/${this.id}`, body);
    } catch (error) {
      this.input.reset();
      this.#view.asked = null;
      this.#say(sentence(error.message));
      this.#draw();
      return null;
    }
  }

  #receive(message) {
    if (message.kind === "closed") {
      this.live.close();
      this.element.replaceChildren(
        el("section", {}, this.heading,
          el("p", {}, "This board is closed. ", el("a", { href: "#/" }, "Play on another board"), ".")),
      );
      this.heading.focus();
      return;
    }
    const old = this.#replayed, before = this.#state, view = this.#view;
    const state = message.kind === "change" ? changed(before, message) : message;
    try {
      this.#replayed = replayGame(state.game, old);
    } catch (error) {
      this.#say(sentence(error.message));
      return;
    }
    // The clocks are those of this moment.
    if (CLOCK_NEWS.some((name) => name in message)) this.arrived = performance.now();
    this.#state = state;
    this.boardSide.hidden = this.controls.hidden = false;
    const total = this.#total, oldTotal = old ? old.moves.length : -1, last = this.#replayed.moves[total - 1];
    const isOther = !old || state.game.start !== before.game.start
      || last?.text !== old.moves[total - 1]?.text || total !== oldTotal;
    if (isOther) view.preview = null;
    if (view.shown >= oldTotal || view.shown > total || state.game.start !== before?.game.start)
      view.shown = total;
    if (view.asked !== null && (isOther || JSON.stringify(state.hint) !== JSON.stringify(before?.hint)))
      view.asked = null;
    if (old && total < oldTotal) this.#say("Taken back.");
    if (old && total > oldTotal && state.seats.some((seat) => seat.isHuman))
      this.#say(`${playerText(last.side)}: ${last.text}`);
    this.#follow();
    this.#draw();
  }

  get #total() {
    return this.#replayed.moves.length;
  }

  get #isAtEnd() {
    return this.#view.shown === this.#total;
  }

  // The analysis follows the position that is shown here.
  #follow() {
    const { shown, analysed } = this.#view;
    if (this.#state.analysis && analysed !== null && analysed !== shown) this.#analyse(true);
    else this.#view.analysed = shown;
  }

  #analyse(isOn) {
    this.#view.analysed = this.#view.shown;
    return this.#post({ do: "analyse", player: isOn ? this.#view.adviser : null, plies: this.#view.shown });
  }

  #changeAdviser(chosen) {
    this.#view.adviser = chosen;
    if (this.#state.analysis) this.#analyse(true);
  }

  // The other choice counts as it is shown: the server may not know it yet.
  #changePlayer() {
    this.#post({ do: "players",
      players: [1, 2].map((side) => document.getElementById(`player-${side}`).value) });
  }

  #hint() {
    this.#view.asked = this.#view.shown;
    this.#draw();
    return this.#post({ do: "hint", player: this.#view.adviser });
  }

  #play(move) {
    return this.#post({ do: "move", move, plies: this.#total });
  }

  #load() {
    const say = (why) => dialog.say(why);
    const open = single(async ({ saved, game }) => {
      try {
        const id = await openBoard({ players: this.#state.seats.map((seat) => seat.id), clock: null,
          seconds: null, saved, game });
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

  #go(plies) {
    const view = this.#view;
    view.shown = Math.min(Math.max(plies, 0), this.#total);
    view.preview = null;
    this.input.reset();
    const last = this.#replayed.moves[view.shown - 1];
    this.#say(last ? `Move ${view.shown} of ${this.#total}: ${last.text}` : "Start of the game");
    this.#follow();
    this.#draw();
  }

  // Shows the position after the first `count` moves of the line of an advice.
  #preview({ pv: line, boards, plies }, count) {
    if (count > boards.grids.length) return;
    const position = this.#replayed.positions[plies];
    this.#view.preview = { line: line.slice(0, boards.grids.length), count,
      positions: positionsAfter(position, boards) };
    this.#sayPreview();
  }

  #sayPreview() {
    const { line, count } = this.#view.preview;
    this.#say(`Line, move ${count}: ${line[count - 1]}`);
    this.#draw();
  }

  #step(by) {
    const { preview, shown } = this.#view;
    if (!preview) this.#go(shown + by);
    else if (preview.count + by >= 1 && preview.count + by <= preview.line.length) {
      preview.count += by;
      this.#sayPreview();
    }
  }

  #leave() {
    const hadPreview = this.#view.preview !== null;
    this.#view.preview = null;
    if (this.input.reset() || hadPreview) this.#draw();
  }

  get #asksPerson() {
    const { over, side, seats } = this.#state;
    return !over && seats[side - 1].isHuman;
  }

  #click(cell) {
    if (this.#view.preview) this.#leave();
    if (!this.#isAtEnd)
      this.#say("This is an earlier position: “Continue from here” drops the moves after it.");
    else if (!this.#asksPerson) this.#say(this.#state.over ? "The game is over." : "A program is to move.");
    else this.input.click(cell);
  }

  // A move as the board marks it, or null.
  #marked(position, words, mark) {
    const [{ cells }] = movesWithCells(position, [words]);
    return cells.length ? [{ ...mark, move: { from: cells[0], to: cells.at(-1) } }] : [];
  }

  #marks(position, hint, analysis) {
    if (this.#view.preview) return [];
    if (hint?.move)
      return this.#marked(position, hint.move, { kind: "hint", label: "!", side: 0, name: "hint" });
    return analysis?.pv?.length
      ? this.#marked(position, analysis.pv[0], { kind: "best-1", label: "1", name: "best move" }) : [];
  }

  #draw() {
    if (!this.#state) return;
    const { rules } = this, { preview, shown, isTurned } = this.#view, state = this.#state;
    const own = this.#replayed.positions[shown], position = preview ? preview.positions[preview.count] : own;
    const analysis = state.analysis?.plies === shown ? state.analysis : null;
    const hint = state.hint?.plies === shown ? state.hint : null;
    this.input.show(rules, own, this.#isAtEnd && !preview && this.#asksPerson ? state.legal : []);
    this.board.show({ rules, position, legal: this.input.targets.map((to) => ({ to })),
      chosen: this.input.chosen, isTurned, marks: this.#marks(own, hint, analysis) });
    const { width, height } = placesOf(position);
    this.board.element.style.setProperty("--ratio", position.cells ? width / height : 1);
    this.#drawAnalysis(analysis, own);
    this.#drawTexts(position);
    this.#drawStrips();
    this.moveList.show({ variant: rules.name, start: state.game.start, moves: this.#replayed.moves,
      shown: preview ? -1 : shown });
    this.#drawAdvice(hint);
    this.#drawButtons();
  }

  #drawAnalysis(analysis, position) {
    const { rules } = this, { over } = this.#state;
    const outcome = this.#isAtEnd && over && { winner: WINNERS[over.result] };
    const score = parseScore(analysis?.score);
    const lines = score ? [{ ...analysis, score }] : [];
    const failure = analysis?.failure
      || (this.#state.analysis && !analysis && !outcome ? "The analysis shows another position."
        : analysis?.isOver && !score ? "The player reports no score." : null);
    this.evaluation.show({
      analysis: { isOn: this.#state.analysis !== null, lines, failure, isReady: analysis?.isOver },
      rules,
      side: position.side,
      ending: outcome || null,
      isTurned: this.#view.isTurned,
    });
  }

  #drawTexts(position) {
    const { rules } = this, { preview, shown } = this.#view, state = this.#state,
      people = state.seats.filter((seat) => seat.isHuman);
    const names = state.seats.map((seat) => seat.name).join(" against ");
    const place = preview ? `Line, move ${preview.count} of ${preview.line.length}. `
      : this.#isAtEnd ? "" : `After move ${shown} of ${this.#total}. `;
    this.title = `${people.length === 1 && this.#asksPerson ? "Your move – " : ""}${names}`;
    document.title = `${this.title} – referee`;
    setText(this.heading, names);
    // A game of two programs would never let a screen reader rest.
    this.status.setAttribute("aria-live", people.length || state.over ? "polite" : "off");
    setText(this.status, place + state.status);
    setText(this.space, this.#isAtEnd && !preview ? state.game.note : "");
    this.fault.hidden = !state.fault;
    setText(this.transcript, state.fault || "");
  }

  #note(side) {
    const { game, thinking } = this.#state, { shown } = this.#view;
    const score = parseScore(thinking?.score);
    if (thinking && this.#state.side === side)
      return [thinking.depth && `depth ${thinking.depth}`, score && scoreText(score)].filter(Boolean).join(
        ", ",
      ) || "thinking …";
    const last = this.#replayed.moves.slice(0, shown).findLastIndex((move) => move.side === side);
    const ms = game.ms[last], own = parseScore(game.scores[last]);
    return [typeof ms === "number" && `${(ms / 1000).toFixed(2)} s`, own && scoreText(own)].filter(Boolean)
      .join(", ");
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
    return (at === 0) === this.#view.isTurned ? 1 : 2;
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
    const { asked } = this.#view,
      nameOf = (id) => this.site.players.find((player) => player.id === id)?.name || id;
    const isThinking = asked !== null || (hint && !hint.move && !hint.failure);
    const key = JSON.stringify([isThinking, !isThinking && hint]);
    if (key === this.shownAdvice) return;
    this.shownAdvice = key;
    const score = parseScore(hint?.score);
    const parts = isThinking ? [el("p", {}, `${nameOf(hint?.player || this.#view.adviser)} thinks …`)]
      : hint?.failure ? [el("p", {}, sentence(hint.failure))]
      : hint
      ? [
        el("p", {},
          `Hint of ${nameOf(hint.player)}: ${hint.move}${score ? `, score ${scoreText(score)}` : ""}.`),
        hint.pv?.length > 1
        && el("p", { class: "line-of-hint" }, "Line: ",
          lineButtons(hint.pv, hint.boards.grids.length > 0 && ((count) => this.#preview(hint, count)))),
      ] : [];
    this.advice.replaceChildren(...parts.filter(Boolean));
  }

  #drawButtons() {
    const { preview, shown, asked } = this.#view,
      { seats, over, fault, isPaused, canUndo, analysis } = this.#state;
    const set = (name, isPossible) => {
      this.#buttons[name].disabled = !isPossible;
    };
    const show = (name, isShown) => {
      this.#buttons[name].hidden = !isShown;
    };
    const isWatched = seats.every((seat) => !seat.isHuman);
    for (const name of ["step-start", "step-back"]) set(name, shown > 0 || preview);
    for (const name of ["step-forward", "step-end"]) set(name, shown < this.#total || preview);
    set("undo", canUndo);
    set("hint", !over && this.#isAtEnd && !preview && asked === null);
    set("resign", !over && !isWatched);
    this.#buttons.analyse.setAttribute("aria-pressed", String(analysis !== null));
    show("pause", isWatched && !over && !fault);
    setText(this.#buttons.pause, isPaused ? "Go on" : "Pause");
    show("again", over && this.#isAtEnd);
    show("retry", fault);
    show("continue", !this.#isAtEnd && !preview);
    show("leave", preview);
  }
}

const boardPage = (context, id) => new BoardPage(context, id);

export { boardPage };
