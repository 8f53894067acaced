// A match in progress: its boards, its standings, its latest games.
import { el } from "./elements.js";
import { drawBoard, boardTable, pieceIcon } from "./board.js";
import { parseScore, scoreText } from "./scores.js";
import { replayGame } from "./steps.js";
import { clockText } from "./sentences.js";
import { Live, request, sentence, single } from "./api.js";
import { KeyedList, problemLine, setText, table } from "./fields.js";

const FAULTS = ["time", "stall", "illegal", "garbage", "crash", "forfeit"];

// How often a screen reader hears of the progress at most, and how often clocks are drawn, in
// milliseconds.
const TELLING = 5000, CLOCK_DRAWING = 250;

function timeLeft(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 90) return `, about ${Math.max(1, Math.round(seconds))} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `, about ${minutes} min left` : `, about ${(minutes / 60).toFixed(1)} h left`;
}

// A running game: its board, and a line for each player.
function liveBoard(rules) {
  return ({ id }) => {
    const title = el("h3", {}, `Game ${id}`), place = el("div", { class: "board-place" });
    const seats = [0, 1].map((seat) => ({ name: el("strong"), turn: el("span", { class: "hidden" }),
      facts: el("span", { class: "numbers" }), clock: el("span", { class: "clock" }),
      icon: pieceIcon(rules, seat + 1) })
    );
    const line = (seat) => {
      seat.line = el("p", { class: "seat" }, seat.icon, seat.name, seat.turn, seat.facts, seat.clock);
      return seat.line;
    };
    const element = el("article", {}, title, line(seats[1]), place, line(seats[0]));
    let game, replayed = null, arrived = 0, key = "";
    const showClocks = () =>
      seats.forEach(({ clock }, seat) => {
        const left = game.clocks?.[seat] ?? null, isRunning = Number(game.turns.at(-1)) === seat + 1;
        clock.hidden = left === null;
        if (left !== null) setText(clock, clockText(isRunning ? left - (performance.now() - arrived) : left));
      });
    const show = (newer) => {
      game = newer;
      arrived = performance.now();
      const total = game.moves.length, side = Number(game.turns[total] || 1 + (total % 2));
      setText(title, `Game ${id}${total ? `, move ${total}: ${game.moves[total - 1]}` : ""}`);
      seats.forEach(({ name, turn, facts, line: place }, seat) => {
        const last = [...game.turns.slice(0, total)].findLastIndex((mover, at) =>
          Number(mover) === seat + 1 && at >= game.opening
        );
        const score = parseScore(game.scores?.[last]), ms = game.ms?.[last];
        setText(name, game.players[seat]);
        setText(turn, side === seat + 1 ? " to move" : "");
        place.classList.toggle("moves-next", side === seat + 1);
        setText(facts,
          [score && scoreText(score), typeof ms === "number" && `${(ms / 1000).toFixed(2)} s`].filter(Boolean)
            .join(" · "));
      });
      showClocks();
      if (key === `${total} ${game.moves[total - 1]}`) return;
      key = `${total} ${game.moves[total - 1]}`;
      replayed = replayGame(game, replayed);
      const position = replayed.positions[total];
      place.replaceChildren(drawBoard(rules, position), boardTable(rules, position, `Board of game ${id}`));
    };
    return { element, show, showClocks };
  };
}

class MatchPage {
  #state = null;
  #told = -Infinity;
  #teller = 0;

  constructor({ rules }, name, isProjected) {
    const path = encodeURIComponent(name);
    Object.assign(this, { name, path, title: name });
    this.progress = el("progress", { "aria-label": "Finished games" });
    this.words = el("p", { class: "progress-words", "aria-hidden": "true" });
    this.told = el("p", { class: "hidden", role: "status" });
    this.why = el("p", { class: "note", hidden: true });
    this.warnings = new KeyedList(el("ul", { class: "warnings" }),
      (words) => ({ element: el("li", {}, words), show() {} }));
    this.problem = problemLine();
    this.buttons = { pause: "Pause", resume: "Resume", stop: "Stop" };
    for (const [act, label] of Object.entries(this.buttons))
      this.buttons[act] = el("button", { type: "button", hidden: true,
        onclick: single(() => this.#post(act)) }, label);
    this.buttons.stop.title = "Ends it for good";
    this.boards = new KeyedList(el("div", { class: "live-boards" }), liveBoard(rules));
    this.idle = el("p");
    this.standings = new KeyedList(el("tbody"), () => {
      const place = el("td"), player = el("th", { scope: "row" }),
        cells = Array.from({ length: 6 }, () => el("td"));
      return { element: el("tr", {}, place, player, cells),
        show: ({ place: number, name: who, points, played, won, drawn, lost, faults }) => {
          setText(place, String(number));
          setText(player, who);
          [points, played, won, drawn, lost, faults].forEach((value, at) =>
            setText(cells[at], String(value))
          );
          cells[5].classList.toggle("fault", faults > 0);
        } };
    });
    this.last = new KeyedList(el("tbody"),
      ({ id, first, second, result, reason, detail }) => ({
        element: el("tr", {}, el("td", {}, el("a", { href: `results/${path}#game-${id}` }, String(id))),
          el("td", {}, first), el("td", {}, second), el("td", {}, result),
          el("td", { class: FAULTS.includes(reason) && "fault", title: detail }, reason)),
        show() {},
      }));
    const standings = table("Standings", ["#", "Player", "Points", "Games", "Won", "Drawn", "Lost", "Faults"],
      this.standings.element);
    standings.firstChild.classList.add("standings");
    this.command = el("code");
    this.projector = el("a", { class: "button", href: `#/projector/${path}` }, "For a projector");
    const progress = [this.progress, this.words, this.told, this.why];
    const part = (title, ...content) => el("section", {}, el("h3", {}, title), content);
    const heading = el("h2", { tabindex: -1 }, name);
    this.parts = el("div", { class: "match-parts" },
      !isProjected
        && [
          part("Standings", standings),
          part("Running games", this.idle, this.boards.element),
          part("Latest games",
            table("Latest games", ["Game", "First player", "Second player", "Result", "Reason"],
              this.last.element)),
        ]);
    this.element = isProjected
      ? [
        heading,
        el("div", { class: "live-columns" },
          el("div", {}, el("p", { class: "match-name" }, name), progress, standings,
            el("p", { class: "leave" }, el("a", { href: `#/match/${path}` }, "Leave this view"))),
          el("section", { "aria-label": "Running games" }, this.idle, this.boards.element)),
      ]
      : [
        heading,
        ...progress,
        el("div", { class: "buttons", role: "group", "aria-label": "Match" }, Object.values(this.buttons),
          el("a", { class: "button", href: `results/${path}` }, "Results"), this.projector),
        this.problem,
        this.parts,
        el("details", {}, el("summary", {}, "Command"), el("p", { class: "command" }, this.command)),
        this.warnings.element,
      ];
    this.live = new Live(`live/match/${path}`, (message) => this.#receive(message), "api/matches",
      ({ matches }) => matches.some((one) => one.name === name));
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
    this.problem.replaceChildren();
    try {
      await request(`api/matches/${this.path}`, { do: act });
    } catch (error) {
      this.problem.replaceChildren(sentence(error.message));
    }
  }

  #receive(message) {
    if (message.kind === "closed") {
      this.live.close();
      setText(this.words, `There is no match ${this.name}.`);
      this.words.removeAttribute("aria-hidden");
      return;
    }
    this.#state = message;
    const { state, why, played, games, secondsLeft, standings, last, running, warnings, command } = message;
    this.progress.hidden = !games;
    this.progress.max = games || 1;
    this.progress.value = played;
    setText(this.words,
      sentence(
        `${state}: ${played}${games ? ` of ${games}` : ""} games${
          state === "running" ? timeLeft(secondsLeft) : ""
        }`,
      ));
    this.#tell();
    // An analysis plays no games.
    this.parts.hidden = this.projector.hidden = message.job === "analysis";
    this.why.hidden = !why;
    setText(this.why, why || "");
    const has = { pause: state === "running", stop: state === "running" || state === "paused",
      resume: ["paused", "failed"].includes(state) };
    const focused = Object.values(this.buttons).find((button) => button === document.activeElement);
    for (const [act, button] of Object.entries(this.buttons)) button.hidden = !has[act];
    // The focus stays at the buttons.
    if (focused?.hidden) Object.values(this.buttons).find((button) => !button.hidden)?.focus();
    this.standings.show(standings.map((one, at) => ({ ...one, place: at + 1 })), (one) => one.name);
    this.boards.show(running, (game) => game.id);
    this.boards.element.className = `live-boards rows-${running.length < 3 ? 1 : running.length < 7 ? 2 : 3}`;
    setText(this.idle, running.length ? "" : "No game is running.");
    this.last.show([...last].reverse(), (game) => game.id);
    this.warnings.show(warnings, (words) => words);
    setText(this.command, command || "");
  }

  // Lets a screen reader say the progress, but not each game of a fast match.
  #tell() {
    clearTimeout(this.#teller);
    const wait = this.#told + TELLING - performance.now();
    const tell = () => {
      if (this.told.textContent === this.words.textContent) return;
      this.#told = performance.now();
      this.told.textContent = this.words.textContent;
    };
    if (wait <= 0) tell();
    else this.#teller = setTimeout(tell, wait);
  }
}

const matchPage = (context, name, isProjected) => new MatchPage(context, name, isProjected);

export { matchPage };
