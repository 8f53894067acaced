// A game between two players: whose turn it is, the engines' moves, clocks, undo. It knows nothing
// of the page.
import { GAMES } from "./games.js";
import { replayMoves, startAt } from "./rules.js";
import { HUMAN, playerOf } from "./players.js";
import { labelOf, resultText } from "./sentences.js";

// How long a move of an engine stays on the board before the other engine moves, in milliseconds.
const SHOWING = 400;

class Session {
  #engines;
  #changed;
  #turn = 0;
  /** @type {ReturnType<typeof setTimeout>} */
  #flag;
  variant = "";
  startFen = "";
  /** @type {Rules} */
  rules = null;
  /** @type {Player[]} */
  players = [];
  /** @type {Position[]} */
  positions = [];
  /** @type {Move[]} */
  moves = [];
  /** @type {Clock | null} */
  clock = null;
  // The milliseconds on both clocks in each position; null without clocks.
  /** @type {(number[] | null)[]} */
  clocks = [];
  // When the turn began.
  began = 0;
  isPaused = false;
  isThinking = false;
  // What the engine that thinks has said last.
  /** @type {Info | null} */
  report = null;
  /** @type {Ending | null} */
  ending = null;
  // The sentence of an engine that has failed.
  /** @type {string | null} */
  failure = null;
  seed = 0;

  // `engines` has the engine of each seat. `changed` is called after each change with its kind:
  // "game", "move", "end", "thinking", "report" (an engine has said more), "undo", "players", "failure".
  constructor(engines, changed) {
    this.#engines = engines;
    this.#changed = changed;
  }

  // Starts a game, or continues the one that has these moves. `players` are words of `playerOf`,
  // `clock` is null or `{ base, increment }` in milliseconds. Throws an error with a sentence, and
  // then changes nothing.
  start({ variant, start = GAMES[variant].start, moves = [], players, clock = null }) {
    const rules = GAMES[variant];
    const seats = players.map((words) => playerOf(words, rules));
    const first = startAt(rules, start), replayed = replayMoves(rules, first, moves);
    this.#interrupt();
    this.variant = variant;
    this.rules = rules;
    this.startFen = first.fen;
    this.players = seats;
    this.clock = clock;
    this.positions = replayed.positions;
    this.moves = replayed.moves;
    this.isPaused = false;
    this.ending = null;
    this.failure = null;
    this.seed = Math.floor(Math.random() * 2 ** 32);
    this.clocks = [clock ? [clock.base, clock.base] : null];
    while (this.clocks.length < this.positions.length) this.clocks.push(this.clocks[0]);
    this.#engines.forEach((engine) => engine.newGame().catch(() => {}));
    this.#changed("game");
    this.#next();
  }

  get position() {
    return this.positions[this.positions.length - 1];
  }

  // The words that name the players.
  get playerNames() {
    return this.players.map((player) => player.name);
  }

  get mover() {
    return this.players[this.position.side - 1];
  }

  // The side of the only person; null if two people play, or none.
  get humanSide() {
    const people = this.players.filter((player) => player.isHuman);
    return people.length === 1 ? this.players.indexOf(people[0]) + 1 : null;
  }

  get isWatched() {
    return this.players.every((player) => !player.isHuman);
  }

  // Whether the person at the page is to move.
  get asksPerson() {
    return !this.ending && this.mover.isHuman;
  }

  // The line of the protocol for the position after this number of moves.
  positionLine(plies = this.moves.length) {
    const played = this.moves.slice(0, plies).map((move) => move.text).join(" ");
    return `position fen ${this.startFen}${played && ` moves ${played}`}`;
  }

  // The milliseconds on both clocks now; null without clocks.
  clocksNow() {
    const times = this.clocks[this.clocks.length - 1];
    if (!times) return null;
    const now = [...times];
    if (this.#runs()) now[this.position.side - 1] -= performance.now() - this.began;
    return now;
  }

  // The clocks start with the second move, so that the first player has time to look. They wait for an engine that has
  // failed.
  #runs() {
    return this.clock !== null && !this.ending && !this.isPaused && !this.failure && this.moves.length > 0;
  }

  // Ends the search and the timer of the turn.
  #interrupt() {
    this.#turn += 1;
    clearTimeout(this.#flag);
    this.#engines.forEach((engine) => engine.stop());
  }

  // The same, of a turn that goes on later: its time so far is used.
  #hold() {
    this.#interrupt();
    if (this.clock) this.clocks[this.clocks.length - 1] = this.clocksNow();
    this.began = performance.now();
  }

  // Begins a turn, or ends the game.
  #next() {
    this.failure = null;
    this.isThinking = false;
    this.began = performance.now();
    const { ending } = this.position;
    if (ending) {
      this.#end(ending.winner, "rules", ending.why);
      return;
    }
    if (this.#runs()) this.#flag = setTimeout(() => this.#loseOnTime(), Math.max(0, this.#left));
    if (!this.mover.isHuman && !this.isPaused) this.#think(++this.#turn);
  }

  // The milliseconds that are left to the side to move.
  get #left() {
    return this.clocksNow()[this.position.side - 1];
  }

  #loseOnTime() {
    const { side } = this.position;
    this.#end(3 - side, "time", `${labelOf(this.rules, side)} has no time left`);
  }

  #end(winner, reason, why) {
    this.#interrupt();
    if (this.clock) this.clocks[this.clocks.length - 1] = this.clocksNow().map((left) => Math.max(0, left));
    this.isThinking = false;
    this.ending = { winner, reason, text: `${resultText(this.rules, winner)}: ${why}.` };
    this.#changed("end");
  }

  // The limits of the search of a player.
  /** @param {Player} player */
  #limits({ milliseconds: movetime, depth }) {
    const left = this.clocksNow()?.map((time) => Math.max(1, Math.floor(time)));
    if (!left) return { movetime, depth };
    const { increment } = this.clock;
    return { wtime: left[0], btime: left[1], winc: increment, binc: increment, movetime, depth };
  }

  async #think(turn) {
    const { mover: player } = this, side = this.position.side;
    const isWanted = () => turn === this.#turn;
    this.isThinking = true;
    this.report = null;
    this.#changed("thinking");
    let answer, replayed;
    try {
      answer = await this.#engines[side - 1].search({
        options: { UCI_Variant: this.variant, Personality: player.personality, MultiPV: 1, Seed: this.seed },
        position: this.positionLine(),
        limits: this.#limits(player),
        onInfo: (info) => {
          if (!isWanted()) return;
          this.report = info;
          this.#changed("report");
        },
        isWanted,
      });
      if (!answer || !isWanted()) return;
      replayed = this.#replayed(answer.move);
    } catch (error) {
      if (!isWanted()) return;
      this.#hold();
      this.failure = error.message;
      this.isThinking = false;
      this.#changed("failure");
      return;
    }
    if (this.isWatched && !this.clock) {
      await new Promise((done) => setTimeout(done, SHOWING));
      if (!isWanted()) return;
    }
    const { info, milliseconds } = answer;
    this.#add(replayed, { milliseconds, info, player: player.personality });
  }

  // Asks the engine again after a failure.
  retry() {
    if (this.failure) this.#next();
  }

  // A move of the side to move, and the position after it. Throws an error if it cannot be played.
  #replayed(word) {
    const { positions, moves } = replayMoves(this.rules, this.position, [word]);
    return { move: moves[0], position: positions[1] };
  }

  #add({ move, position }, facts) {
    // The timer may come late, for example in a tab that is hidden.
    if (this.#runs() && this.#left <= 0) {
      this.#loseOnTime();
      return;
    }
    this.#interrupt();
    const times = this.clocks[this.clocks.length - 1];
    const left = this.clocksNow();
    if (times && this.moves.length > 0) left[this.position.side - 1] += this.clock.increment;
    this.clocks.push(left);
    this.moves.push({ ...move, ...facts });
    this.positions.push(position);
    this.isThinking = false;
    this.#changed("move");
    this.#next();
  }

  // Plays a legal move of the person whose turn it is.
  play(word) {
    if (this.asksPerson) this.#add(this.#replayed(word), { milliseconds: performance.now() - this.began });
  }

  // Keeps this number of moves and continues from there.
  #cut(plies) {
    this.#interrupt();
    const removed = this.moves.splice(plies);
    this.positions.splice(plies + 1);
    this.clocks.splice(plies + 1);
    this.ending = null;
    return removed;
  }

  // The number of moves that stay if the last move of a person is taken back; null if there is none.
  get pliesAfterUndo() {
    if (this.ending?.reason === "resign" || this.ending?.reason === "time") return this.moves.length;
    const last = this.moves.findLastIndex((move) => this.players[move.side - 1].isHuman);
    return last < 0 ? null : last;
  }

  // Takes back the last move of a person and the replies, or a resignation. Returns the moves.
  undo() {
    const plies = this.pliesAfterUndo;
    if (plies === null) return null;
    const removed = this.#cut(plies);
    this.#changed("undo");
    this.#next();
    return removed;
  }

  // Drops the moves after this number of them.
  continueFrom(plies) {
    this.#cut(plies);
    this.#changed("undo");
    this.#next();
  }

  // Changes who plays; the game continues, also a game that was held, if a person plays now.
  setPlayers(players) {
    const seats = players.map((words) => playerOf(words, this.rules));
    this.#hold();
    this.players = seats;
    this.isPaused &&= this.isWatched;
    this.#changed("players");
    if (!this.ending) this.#next();
  }

  // The person whose turn it is, or the only person, gives up.
  resign() {
    if (this.ending) return;
    const side = this.humanSide || this.position.side;
    this.#end(3 - side, "resign", `${labelOf(this.rules, side)} resigned`);
  }

  // Holds a game of two engines, or lets it go on.
  pause(isPaused) {
    this.#hold();
    this.isPaused = isPaused;
    this.isThinking = false;
    this.#changed("thinking");
    if (!isPaused && !this.ending) this.#next();
  }
}

export { Session };
