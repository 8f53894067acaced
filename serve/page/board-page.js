// A board: the game on it as the server sends it, for a `GameView`, and what its buttons ask for.
import { el } from "./elements.js";
import { RESULTS, parseScore } from "./scores.js";
import { positionOf, replayGame } from "./steps.js";
import { GameView } from "./game-view.js";
import { openDialog } from "./dialog.js";
import { fileField } from "./file-field.js";
import { gamesOf } from "./game-file.js";
import { changed, Live, openBoard, request, sentence, single } from "./api.js";
import { fillPlayers, secondsText } from "./fields.js";
import { labelOf, scoreFor } from "./sentences.js";
import { setText, template } from "./template.js";
import { movesWithCells } from "./named-cells.js";

// The buttons of letters.
const KEYS = { h: "hint", a: "analyse", u: "undo", f: "flip" };

class BoardPage {
  title = "Board";
  waiting = "A program is to move.";
  // The numbers of moves before the positions of which a hint or an analysis was asked.
  #asked = null;
  #analysed = null;
  /** @type {BoardState | null} */
  #state = null;
  /** @type {Replayed} */
  #replayed = { positions: [], moves: [] };
  // When the clocks of the state were right.
  #arrived = 0;

  /** @param {{ site: Site, rules: Rules }} context @param {string} id */
  constructor({ site, rules }, id) {
    const { element, parts } = template("board-page");
    this.site = site;
    this.rules = rules;
    this.id = id;
    this.element = element;
    this.parts = parts;
    this.play = single((move) => this.#post({ do: "move", move, plies: this.moves.length }));
    fillPlayers(parts.adviser, site.players, { chosen: site.defaults.adviser, isShort: true });
    parts.adviser.addEventListener("change", () => this.isAnalysed && this.#analyse(true));
    parts.save.href = `api/boards/${id}/file`;
    for (const [name, act] of Object.entries(this.#actions()))
      parts[name].addEventListener("click", single(act, name === "undo"));
    this.view = new GameView(parts, this, KEYS);
    this.view.onDraw = () => this.#drawRest();
    parts.input.append(this.view.input.element);
    this.keys = this.view.keys;
    this.live = new Live(`live/board/${encodeURIComponent(id)}`, (message) => this.#receive(message));
  }

  close() {
    this.live.close();
    this.view.close();
  }

  // What the buttons do.
  #actions() {
    const order = (name) => () => this.#post({ do: name });
    return { continue: () => this.#post({ do: "continue", plies: this.view.shown.plies }),
      retry: order("retry"), again: order("again"),
      pause: () => this.#post({ do: "pause", on: !this.isPaused }), undo: order("undo"),
      hint: () => this.#hint(), analyse: () => this.#analyse(!this.isAnalysed),
      swap: () => this.#post({ do: "players", players: this.#ids.reverse() }), resign: order("resign"),
      load: () => this.#load(), close: order("close") };
  }

  // Asks the server to do something; says why if it cannot.
  async #post(body) {
    try {
      await request(`api/boards/${this.id}`, body);
    } catch (error) {
      this.view.input.reset();
      this.#asked = null;
      this.view.draw();
      this.view.refuse(sentence(error.message));
    }
  }

  #receive(message) {
    const { parts, view: { shown } } = this, old = this.#state && this.#replayed, before = this.#state;
    if (message.kind === "closed") {
      this.live.close();
      parts.playing.hidden = parts.controls.hidden = true;
      parts.elsewhere.hidden = false;
      setText(parts.status, "This board is closed.");
      parts.names.focus();
      return;
    }
    const state = message.kind === "change" ? changed(before, message) : message;
    try {
      this.#replayed = replayGame(state.game, old);
    } catch (error) {
      this.view.say(sentence(error.message));
      return;
    }
    // The clocks are those of this moment.
    if ("game" in message || "added" in message) this.#arrived = performance.now();
    this.#state = state;
    parts.playing.hidden = parts.controls.hidden = false;
    const total = this.moves.length, oldTotal = old ? old.moves.length : -1, last = this.moves[total - 1];
    const isOtherStart = state.game.start !== before?.game.start;
    const isOther = isOtherStart || last?.text !== old.moves[total - 1]?.text || total !== oldTotal;
    if (isOther) shown.line = null;
    if (shown.plies >= oldTotal || shown.plies > total || isOtherStart) shown.plies = total;
    if (isOther || JSON.stringify(state.hint) !== JSON.stringify(before?.hint)) this.#asked = null;
    // A game of two programs would never let a screen reader rest.
    if ((total !== oldTotal || state.status !== before.status) && (this.isOver || !this.#isWatched))
      this.view.say(
        !old || total === oldTotal ? ""
          : total < oldTotal ? "Taken back." : `${labelOf(this.rules, last.side)}: ${last.text}.`,
        state.status,
      );
    this.view.update();
  }

  // What the view shows.

  get moves() {
    return this.#replayed.moves;
  }

  get positions() {
    return this.#replayed.positions;
  }

  get startFen() {
    return this.#state.game.start;
  }

  // The ids of the players.
  get #ids() {
    return this.#state.seats.map((seat) => seat.id);
  }

  get players() {
    return this.#ids.map((name) => ({ name }));
  }

  get side() {
    return this.#state.side;
  }

  get legal() {
    return this.#state.legal;
  }

  get isOver() {
    return this.#state.over !== null;
  }

  get isPaused() {
    return this.#state.isPaused;
  }

  get isAnalysed() {
    return this.#state.analysis !== null;
  }

  get hasFailed() {
    return this.#state.fault !== null;
  }

  get hasPreviews() {
    return !this.rules.isOther;
  }

  get hasRunningClock() {
    return Boolean(this.#state?.running);
  }

  get #isWatched() {
    return this.#state.seats.every((seat) => !seat.isHuman);
  }

  get asksPerson() {
    return !this.isOver && this.#state.seats[this.side - 1].isHuman;
  }

  get canPause() {
    return (this.#isWatched || this.isPaused) && !this.isOver && !this.hasFailed;
  }

  linkOf() {
    return `#/board/${this.id}`;
  }

  // No position is set up here.
  takesCell() {
    return false;
  }

  // The choice of who plays a side.
  choice(side, label, { player: { name } }) {
    // The other choice counts as it is shown: the server may not know it yet.
    const onchange = () =>
      this.#post({ do: "players", players: [1, 2].map((one) =>
        document.getElementById(`player-${one}`).value
      ) });
    const select = el("select", { id: `player-${side}`, "aria-label": `${label} is played by`, onchange });
    return fillPlayers(select, this.site.players, { chosen: name, hasPerson: true, isShort: true });
  }

  // The analysis follows the position that is shown here.
  follow({ plies }) {
    if (this.isAnalysed && this.#analysed !== null && this.#analysed !== plies) this.#analyse(true);
    else this.#analysed = plies;
  }

  // The moves of the line of an advice and its positions, as far as the server has them.
  followed({ pv, boards, plies }) {
    const positions = [this.positions[plies]];
    boards.grids.forEach((board, at) =>
      positions.push(positionOf(board, Number(boards.turns[at]), positions[at]))
    );
    return { words: pv.slice(0, boards.grids.length), positions };
  }

  // The hint or the analysis of the position that is shown.
  /** @param {"hint" | "analysis"} name @param {ShownPlace} shown @returns {Advice | null} */
  #adviceOn(name, { plies }) {
    const advice = this.#state[name];
    return advice?.plies === plies && (name === "analysis" || !this.isOver) ? advice : null;
  }

  marks(shown) {
    const hint = this.#adviceOn("hint", shown);
    const [text, mark] = hint?.move ? [hint.move, { kind: "hint", label: "!", name: "hint" }]
      : [this.#adviceOn("analysis", shown)?.pv[0], { kind: "best-1", label: "1", name: "best move" }];
    const [{ cells }] = text ? movesWithCells(this.positions[shown.plies], [text]) : [{ cells: [] }];
    return cells.length ? [{ ...mark, side: 0, move: { from: cells[0], to: cells.at(-1) } }] : [];
  }

  evaluation(shown) {
    const analysis = this.#adviceOn("analysis", shown), score = parseScore(analysis?.score);
    const ending = shown.isAtEnd && this.isOver ? { winner: RESULTS.indexOf(this.#state.over.result) } : null;
    const failure = analysis?.failure
      || (this.isAnalysed && !analysis && !ending ? "The analysis shows another position."
        : analysis?.isOver && !score ? "The player reports no score." : null);
    return {
      analysis: { isOn: this.isAnalysed, lines: score ? [{ ...analysis, score }] : [], failure,
        isReady: analysis?.isOver },
      ending,
    };
  }

  status({ place }) {
    return place + this.#state.status;
  }

  note({ isAtEnd }) {
    return isAtEnd ? this.#state.game.note : "";
  }

  noteOf(side, { plies }) {
    const { game, thinking } = this.#state, isThinking = thinking && this.side === side;
    const last = this.moves.slice(0, plies).findLastIndex((move) => move.side === side);
    const score = parseScore(isThinking ? thinking.score : game.scores[last]);
    const first = isThinking ? thinking.depth && `depth ${thinking.depth}` : secondsText(game.ms[last]);
    return [first, score && scoreFor(score, side)].filter(Boolean).join(", ")
      || (isThinking ? "thinking …" : "");
  }

  timeOf(side) {
    const { game, running } = this.#state, left = game.clocks?.[side - 1] ?? null;
    return left === null || running !== side ? left : left - (performance.now() - this.#arrived);
  }

  advice(shown) {
    const hint = this.#adviceOn("hint", shown), id = hint?.player || this.parts.adviser.value;
    const name = this.site.players.find((player) => player.id === id)?.name || id;
    if (this.#asked !== null || (hint && !hint.move && !hint.failure)) return [{ words: `${name} thinks …` }];
    if (!hint) return [];
    if (hint.failure) return [{ words: sentence(hint.failure) }];
    const score = parseScore(hint.score);
    const sign = score?.kind === "cp" && ` (+ is good for ${labelOf(this.rules, 1)})`;
    const words = score ? `, score ${scoreFor(score, this.positions[hint.plies].side)}${sign || ""}` : "";
    return [{ words: `Hint of ${name}: ${hint.move}${words}.`,
      line: hint.pv.length > 1
        && { pv: hint.pv, boards: hint.boards, plies: hint.plies, isKnown: hint.boards.grids.length > 0 } }];
  }

  possible({ isAtEnd }) {
    return { undo: this.#state.canUndo, hint: !this.isOver && isAtEnd && this.#asked === null,
      resign: !this.isOver && !this.#isWatched };
  }

  #drawRest() {
    const { parts } = this, { seats, fault } = this.#state;
    const names = seats.map(({ name }, at) => `${name} (${labelOf(this.rules, at + 1)})`).join(" against ");
    const isAsked = this.asksPerson && seats.some((seat) => !seat.isHuman);
    this.title = `${isAsked ? "Your move – " : ""}${names}`;
    document.title = `${this.title} – referee`;
    setText(parts.names, names);
    parts.fault.hidden = !fault;
    setText(parts.transcript, fault || "");
  }

  #analyse(isOn) {
    this.#analysed = this.view.shown.plies;
    return this.#post({ do: "analyse", player: isOn ? this.parts.adviser.value : null,
      plies: this.#analysed });
  }

  #hint() {
    this.#asked = this.view.shown.plies;
    this.view.draw();
    return this.#post({ do: "hint", player: this.parts.adviser.value });
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
}

const boardPage = (context, id) => new BoardPage(context, id);

export { KEYS, boardPage };
