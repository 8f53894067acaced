// A client of the engine in a worker: the protocol, with promises. One question at a time is with
// the engine; others wait.

// How much longer than its time a search may take before the engine counts as stopped, in
// milliseconds. A busy machine may hold it up.
const PATIENCE = 10_000;

// What `parseInfo` reads, as in `web/package/index.js`.
const SCORES = ["cp", "win", "loss", "draw", "mate"];
const NUMBERS = ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time"];

// The fields of an `info` line that are known; `score` and each number may be missing. A score that is only a bound is
// none. Unknown words are skipped.
function parseInfo(line) {
  const info = { pv: [] }, words = line.trim().split(/\s+/);
  for (let at = 1; at < words.length && words[at] !== "string"; at += 1) {
    const [word, kind, value] = words.slice(at, at + 3);
    if (word === "pv") {
      info.pv = words.slice(at + 1);
      break;
    } else if (word === "lowerbound" || word === "upperbound") {
      delete info.score;
    } else if (word === "score" && SCORES.includes(kind) && /^[+-]?\d+$/.test(value)) {
      info.score = { kind, value: Number(value) };
      at += 2;
    } else if (NUMBERS.includes(word) && /^\+?\d+$/.test(kind)) {
      info[word] = Number(kind);
      at += 1;
    }
  }
  return info;
}

class Engine {
  #connect;
  #worker = null;
  #waiting = Promise.resolve();
  #onLine = null;
  #onFailure = null;
  #options = new Map();
  #isSearching = false;
  #count = 0;

  // `connect` returns a promise of a worker that has been given the engine.
  constructor(connect) {
    this.#connect = connect;
  }

  // Runs `task` when the questions before it are answered.
  #queue(task) {
    const result = this.#waiting.then(task);
    this.#waiting = result.catch(() => {});
    return result;
  }

  async #start() {
    if (this.#worker) return;
    this.#options.clear();
    const worker = await this.#connect();
    this.#worker = worker;
    worker.onmessage = ({ data }) => {
      if (typeof data === "string") this.#onLine?.(data);
      else if (data.failed !== undefined || data.exited !== undefined) this.#fail(data.failed || "it has ended");
    };
    worker.onerror = (event) => this.#fail(event.message || "its worker cannot be started");
  }

  #fail(why) {
    this.close();
    this.#onFailure?.(new Error(`The engine has failed: ${why}`));
  }

  // Sends lines and waits until `isLast` accepts a line of the answer. `milliseconds` without an
  // answer end the worker.
  #ask(lines, isLast, milliseconds = PATIENCE) {
    return new Promise((resolve, reject) => {
      let timer = 0;
      const done = () => {
        clearTimeout(timer);
        this.#onLine = this.#onFailure = null;
      };
      this.#onLine = (line) => {
        if (!isLast(line)) return;
        done();
        resolve(line);
      };
      this.#onFailure = (error) => {
        done();
        reject(error);
      };
      if (Number.isFinite(milliseconds)) timer = setTimeout(() => this.#fail(`no answer within ${milliseconds / 1000} seconds`), milliseconds);
      this.#worker.postMessage(lines.join("\n"));
    });
  }

  // The lines that set options to these values, if they have others.
  #setting(options) {
    const changed = Object.entries(options).filter(([name, value]) => this.#options.get(name) !== String(value));
    changed.forEach(([name, value]) => this.#options.set(name, String(value)));
    return changed.map(([name, value]) => `setoption name ${name} value ${value}`);
  }

  // Clears the memory of the last game.
  newGame() {
    return this.#queue(async () => {
      if (this.#worker) await this.#ask(["ucinewgame", "isready"], (line) => line === "readyok");
    });
  }

  // Searches a position. `limits` are the words after `go`, `milliseconds` the time after which an
  // answer is due. `onInfo` gets each `info` line. The answer has the move, the last line of each
  // rank, and the milliseconds from the question to the answer, as this page measures them. If
  // `isWanted` is false when the turn comes, the answer is null.
  search({ options, position, limits, milliseconds = Infinity, onInfo, isWanted = () => true }) {
    return this.#queue(async () => {
      if (!isWanted()) return null;
      await this.#start();
      await this.#ask([...this.#setting(options), position, "isready"], (line) => line === "readyok");
      if (!isWanted()) return null;
      const lines = [];
      const begin = performance.now();
      this.#isSearching = true;
      try {
        const answer = await this.#ask([`go ${limits}`], (line) => {
          const info = line.startsWith("info ") ? parseInfo(line) : null;
          if (info?.score) {
            lines[(info.multipv || 1) - 1] = info;
            onInfo?.(info, lines);
          }
          return line.startsWith("bestmove ");
        }, milliseconds + PATIENCE);
        this.#count += 1;
        return { move: answer.split(" ")[1], lines, milliseconds: performance.now() - begin };
      } finally {
        this.#isSearching = false;
      }
    });
  }

  // Ends a search; it answers at once.
  stop() {
    if (this.#isSearching) this.#worker?.postMessage("stop");
  }

  // Why the engine refuses a position, as a sentence; null if it accepts it.
  refusal(options, position) {
    return this.#queue(async () => {
      await this.#start();
      let error = null;
      await this.#ask([...this.#setting(options), position, "isready"], (line) => {
        if (line.startsWith("info string error: ")) error = line.slice("info string error: ".length);
        return line === "readyok";
      });
      return error;
    });
  }

  // The lines that answer a command, up to the line that `isLast` accepts.
  lines(command, isLast) {
    return this.#queue(async () => {
      await this.#start();
      const answer = [];
      await this.#ask([command], (line) => answer.push(line) && isLast(line));
      return answer;
    });
  }

  // The number of searches so far.
  get count() {
    return this.#count;
  }

  // Ends the worker. The next question starts another one.
  close() {
    this.#worker?.terminate();
    this.#worker = null;
  }
}

export { Engine, parseInfo };
