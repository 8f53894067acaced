// An engine that starts when it is needed. One question at a time is with it; others wait.
import { Engine, EngineError } from "./engine.js";

// How much longer than its time an answer may take before the engine counts as stopped, in milliseconds. A
// busy machine may hold it up.
const PATIENCE = 10_000;

// How long an answer may take that came while the machine slept, in milliseconds.
const GRACE = 1000;

class LazyEngine {
  #connect;
  #worker = null;
  #engine = null;
  #waiting = Promise.resolve();
  #options = new Map();

  // `connect` returns a promise of a worker and of what `Engine.start` gives it.
  constructor(connect) {
    this.#connect = connect;
  }

  get #isRunning() {
    return this.#engine !== null && !this.#engine.hasEnded;
  }

  // Runs `task` when the questions before it are answered.
  #queue(task) {
    const result = this.#waiting.then(task).catch((error) => {
      throw error instanceof EngineError && !this.#isRunning
        ? new Error(`The engine has failed: ${error.message}`) : error;
    });
    this.#waiting = result.catch(() => {});
    return result;
  }

  // Ends the worker if the answer takes longer than `milliseconds` and some patience.
  async #inTime(answer, milliseconds = 0) {
    let timer;
    const late = new Promise((_, reject) => {
      const end = () => {
        this.#worker.terminate();
        this.#engine?.quit();
        reject(new EngineError(`no answer within ${(milliseconds + PATIENCE) / 1000} seconds`));
      };
      timer = setTimeout(() => {
        timer = setTimeout(end, GRACE);
      }, milliseconds + PATIENCE);
    });
    return Promise.race([late, answer]).finally(() => clearTimeout(timer));
  }

  // Sets options to these values, if they have others, and a position. Starts the engine if none runs.
  async #prepare(options, position) {
    if (!this.#isRunning) {
      this.#options.clear();
      this.#engine = null;
      const connection = await this.#connect();
      this.#worker = connection.worker;
      this.#engine = await this.#inTime(Engine.start(connection));
    }
    const changed = Object.entries(options).filter(([name, value]) => this.#options.get(name) !== value);
    changed.forEach(([name, value]) => this.#options.set(name, value));
    for (const [name, value] of changed) await this.#inTime(this.#engine.setOption(name, value));
    await this.#inTime(this.#engine.ask(position));
  }

  // Clears the memory of the last game.
  newGame() {
    return this.#queue(async () => this.#isRunning && this.#inTime(this.#engine.newGame()));
  }

  // Searches a position; `limits` and `onInfo` are those of `Engine.go`. The answer also has the
  // milliseconds from the question to the answer, as this page measures them. If `isWanted` is false when
  // the turn comes, it is null.
  search({ options, position, limits, onInfo, isWanted = () => true }) {
    return this.#queue(async () => {
      if (!isWanted()) return null;
      await this.#prepare(options, position);
      if (!isWanted()) return null;
      const begin = performance.now();
      const answer = await this.#inTime(this.#engine.go({ ...limits, onInfo }), limits.movetime);
      return { ...answer, milliseconds: performance.now() - begin };
    });
  }

  // Ends a search; it answers at once.
  stop() {
    this.#engine?.stop();
  }
}

export { LazyEngine };
