// A match in progress: its boards, its standings, its latest games.
import { coded, el, findRows } from "./elements.js";
import { drawBoard, boardTable, pieceIcon } from "./board.js";
import { outcomeOf, parseScore } from "./scores.js";
import { replayGame } from "./steps.js";
import { clockText, labelOf, scoreFor } from "./sentences.js";
import { Live, request, sentence, single } from "./api.js";
import { KeyedList, durationText, secondsText, tableRow } from "./fields.js";
import { setText, template } from "./template.js";

// The most players that need no field to find one of them.
const IN_SIGHT = 20;

// How often a screen reader hears of the progress at most, and how often clocks are drawn, in
// milliseconds.
const TELLING = 5000, CLOCK_DRAWING = 250;

const timeLeft = (seconds) => (seconds ?? null) === null ? "" : `, about ${durationText(seconds)} left`;

// What a job is called before its name.
const JOBS = { match: "Match", ladder: "Ladder", analysis: "Analysis" };

// A running game: its board, and a line for each player.
function liveBoard(rules) {
  return ({ id }) => {
    const title = el("h3", {}, `Game ${id}`), place = el("div", { class: "board-place" });
    const seats = [0, 1].map((seat) => {
      const parts = { name: el("strong"), turn: el("span", { class: "hidden" }),
        facts: el("span", { class: "numbers" }), clock: el("span", { class: "clock" }) };
      return { ...parts, line: el("p", { class: "seat" }, pieceIcon(rules, seat + 1), Object.values(parts)) };
    });
    const element = el("article", {}, title, seats[1].line, place, seats[0].line);
    /** @type {GameState} */
    let game;
    let replayed = null, arrived = 0, drawn = "";
    const showClocks = () =>
      seats.forEach(({ clock }, seat) => {
        const left = game.clocks?.[seat] ?? null, isRunning = Number(game.turns.at(-1)) === seat + 1;
        clock.hidden = left === null;
        if (left !== null) setText(clock, clockText(isRunning ? left - (performance.now() - arrived) : left));
      });
    /** @param {GameState} newer */
    const show = (newer) => {
      game = newer;
      arrived = performance.now();
      const total = game.moves.length, side = Number(game.turns[total] || 1 + (total % 2));
      const words = `Game ${id}${total ? `, move ${total}: ${game.moves[total - 1]}` : ""}`;
      setText(title, words);
      seats.forEach(({ name, turn, facts, line }, seat) => {
        const last = [...game.turns.slice(0, total)].findLastIndex((mover, at) =>
          Number(mover) === seat + 1 && at >= game.opening
        );
        const score = parseScore(game.scores?.[last]), ms = game.ms?.[last];
        setText(name, game.players[seat]);
        setText(turn, side === seat + 1 ? " to move" : "");
        line.classList.toggle("moves-next", side === seat + 1);
        setText(facts, [score && scoreFor(score, seat + 1), secondsText(ms)].filter(Boolean).join(" · "));
      });
      showClocks();
      if (drawn === words) return;
      drawn = words;
      replayed = replayGame(game, replayed);
      const position = replayed.positions[total];
      place.replaceChildren(drawBoard(rules, position), boardTable(rules, position, `Board of game ${id}`));
    };
    return { element, show, showClocks };
  };
}

class MatchPage {
  /** @type {MatchState | null} */
  #state = null;
  #told = -Infinity;
  #teller = 0;

  /** @param {{ rules: Rules }} context @param {string} name */
  constructor({ rules }, name) {
    const path = encodeURIComponent(name), { element, parts } = template("match-page");
    this.name = this.title = name.replace(/\.jsonl$/, "");
    this.path = path;
    this.element = element;
    this.parts = parts;
    setText(parts.name, this.name);
    for (const side of [1, 2]) setText(parts[`side-${side}`], labelOf(rules, side));
    parts.results.href = `results/${path}`;
    parts.projector.href = `#/projector/${path}`;
    parts.leave.href = `#/match/${path}`;
    for (const button of [parts.pause, parts.resume, parts.stop])
      button.addEventListener("click", single(() => this.#post(button.id)));
    this.boards = new KeyedList(parts.boards, liveBoard(rules));
    this.standings = new KeyedList(parts.standings, ({ name: who }) => {
      const { element: row, cells, show } = tableRow(who, 6), place = el("td");
      row.prepend(place);
      return { element: row, show: ({ place: shown, points, played, won, drawn, lost, faults }) => {
        setText(place, shown);
        show([points, played, won, drawn, lost, faults]);
        cells[5].classList.toggle("fault", faults > 0);
      } };
    });
    this.mark = findRows(parts.find, parts.found, parts.standings);
    /** @param {MatchGame} game */
    const row = ({ id, first, second, result, reason, isFault, detail }) => {
      const link = el("a", { href: `results/${path}#game-${id}` }, String(id));
      const words = [link, first, second, outcomeOf(result)].map((one) => el("td", {}, one));
      return { element: el("tr", {}, words, el("td", { class: isFault && "fault", title: detail }, reason)) };
    };
    this.last = new KeyedList(parts.last, row);
    this.analysis = new KeyedList(parts.analysis, ({ name: who }) => {
      const { element: row, show } = tableRow(who, 5);
      return { element: row,
        show: ({ games, moves, best_moves: best, mistakes, blunders }) =>
          show([games, moves, moves ? `${Math.round(100 * best / moves)} %` : "–", mistakes, blunders]) };
    });
    this.warnings = new KeyedList(parts.warnings, (words) => ({ element: el("li", {}, coded(words)) }));
    this.live = new Live(`live/match/${path}`, (message) => this.#receive(message));
    this.timer = setInterval(() => {
      if (this.#state?.state === "running") this.boards.each((board) => board.showClocks());
    }, CLOCK_DRAWING);
  }

  close() {
    this.live.close();
    clearInterval(this.timer);
    clearTimeout(this.#teller);
  }

  async #post(act) {
    const tell = (why) => setText(this.parts.problem, why);
    tell("");
    await request(`api/matches/${this.path}`, { do: act }).catch(({ message }) => tell(sentence(message)));
  }

  #receive(message) {
    const { parts } = this;
    if (message.kind === "closed") {
      this.live.close();
      setText(parts.words, `There is no match ${this.name}.`);
      parts.words.removeAttribute("aria-hidden");
      return;
    }
    this.#state = message;
    const { state, why, played, games, secondsLeft, standings, last, running, warnings, command } = message;
    setText(parts.name, `${JOBS[message.job]} ${this.name}`);
    parts.progress.hidden = !games;
    parts.progress.max = games || 1;
    parts.progress.value = played;
    const number = games ? `${played} of ${games}` : played;
    const left = state === "running" ? timeLeft(secondsLeft) : "";
    setText(parts.words,
      state === "running" && !games && !played ? "Running: the programs are starting."
        : sentence(`${state}: ${number} games${left}`));
    this.#tell();
    // An analysis plays no games.
    parts.games.hidden = parts.projector.hidden = message.job === "analysis";
    parts.why.hidden = !why;
    parts.why.replaceChildren(...[coded(why || "")].flat());
    parts.pause.hidden = state !== "running";
    parts.stop.hidden = !["running", "paused"].includes(state);
    parts.resume.hidden = !["paused", "failed"].includes(state);
    this.standings.show(standings, (one) => one.name);
    parts.search.hidden = standings.length <= IN_SIGHT;
    this.mark();
    parts.analysed.hidden = !message.analysis.length;
    this.analysis.show(message.analysis, (one) => one.name);
    this.boards.show(running, (game) => game.id);
    parts.boards.className = `live-boards rows-${running.length < 3 ? 1 : running.length < 7 ? 2 : 3}`;
    parts.idle.hidden = running.length > 0;
    setText(parts.idle, state === "running" ? "The next game is starting." : "No game is running.");
    parts.running.hidden = ["finished", "stopped"].includes(state);
    this.last.show([...last].reverse(), (game) => game.id);
    this.warnings.show(warnings, (words) => words);
    setText(parts.command, command || "");
  }

  // Lets a screen reader say the progress, but not each game of a fast match.
  #tell() {
    clearTimeout(this.#teller);
    const wait = this.#told + TELLING - performance.now();
    const tell = () => {
      const { told, words } = this.parts;
      if (told.textContent === words.textContent) return;
      this.#told = performance.now();
      told.textContent = words.textContent;
    };
    if (wait <= 0) tell();
    else this.#teller = setTimeout(tell, wait);
  }
}

const matchPage = (context, name) => new MatchPage(context, name);

export { matchPage };
