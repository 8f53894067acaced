// The engine in a worker: its protocol, with promises. This file loads nothing, so that it can also be a
// part of a classic script.

const ERROR = "info string error: ";

const NO_WORKER = "The script of the worker cannot be loaded";

class EngineError extends Error {
  name = "EngineError";
}

// What `parseInfo` reads.
const SCORES = ["cp", "win", "loss", "draw", "mate"];
const NUMBERS = ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time"];

// The fields of an `info` line that are known; `score` and each number may be missing. A score that is only
// a bound is none. Unknown words are skipped.
function parseInfo(line) {
  /** @type {{ pv: string[], score?: { kind: string, value: number }, [name: string]: any }} */
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

// The words that begin a part of an option, by its type.
const OPTION_KEYS = new Map([["button", []], ["check", ["default"]], ["spin", ["default", "min", "max"]], [
  "combo",
  ["default", "var"],
], ["string", ["default"]]]);

// The words after each of these keys, in any order. The word right after `var` is part of its value even if
// it is a key, and so is a key that has come before.
function partsOf(words, keys) {
  const parts = [];
  let last = null;
  for (const word of words) {
    const isValue = last !== null && last.key === "var" && last.words.length === 0;
    const isNew = word === "var" || parts.every(({ key }) => key !== word);
    if (!isValue && isNew && keys.includes(word)) parts.push(last = { key: word, words: [] });
    else last?.words.push(word);
  }
  return parts;
}

// A number as engines write it; NaN if it is none.
function parseNumber(text) {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

// A line `option name Hash type spin default 16 min 1 max 1024`; null if it announces no option.
function parseOption(line) {
  const [first, ...words] = line.trim().split(/\s+/).slice(1);
  const end = words.indexOf("type"), type = words[end + 1], keys = OPTION_KEYS.get(type);
  if (first !== "name" || end < 1 || !keys) return null;
  const option = { name: words.slice(0, end).join(" "), type };
  const parts = partsOf(words.slice(end + 2), keys);
  const wordsOf = (key) => parts.find((part) => part.key === key)?.words ?? [];
  const text = wordsOf("default").join(" ");
  if (type === "spin") {
    for (const key of keys) {
      const [number] = wordsOf(key);
      if (number === undefined) continue;
      option[key] = parseNumber(number);
      if (Number.isNaN(option[key])) return null;
    }
  } else if (type === "check") {
    option.default = /^true$/i.test(wordsOf("default")[0]);
  } else if (type !== "button") {
    option.default = text === "<empty>" ? "" : text;
  }
  if (type === "combo") {
    const values = parts.filter((part) => part.key === "var" && part.words.length > 0);
    option.values = values.map((part) => part.words.join(" "));
  }
  return option;
}

// The words of a line `go`, which are no moves.
const GO_WORDS = new Set(
  "searchmoves ponder infinite movetime wtime btime winc binc movestogo depth nodes mate perft".split(" "),
);

// A value as a part of one line of the protocol, so that nothing in it becomes a command of its own.
function oneLine(name, value) {
  const isPlain = ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
  if (isPlain && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return String(value);
  throw new EngineError(`${name}: expected one line, found ${JSON.stringify(value)}`);
}

// The words of a list, such as moves.
function listedWords(name, list) {
  if (!Array.isArray(list))
    throw new EngineError(`${name}: expected an array of words, found ${JSON.stringify(list)}`);
  const wrong = list.find((word) => typeof word !== "string" || !/^[^\s\p{Cc}]+$/u.test(word));
  if (wrong === undefined && !list.includes(undefined)) return list;
  throw new EngineError(`${name}: expected words without spaces, found ${JSON.stringify(wrong)}`);
}

// The words of one limit of `go`.
function limitWords([name, value]) {
  if (!GO_WORDS.has(name)) throw new EngineError(`go: there is no limit ${JSON.stringify(name)}`);
  if (value === undefined || value === false) return [];
  if (name !== "searchmoves")
    return value === true ? [name] : [name, ...listedWords(name, [oneLine(name, value)])];
  const limit = listedWords(name, value).find((word) => GO_WORDS.has(word));
  if (limit !== undefined)
    throw new EngineError(`searchmoves: expected moves, found ${JSON.stringify(limit)}`);
  return [name, ...value];
}

// A move of `bestmove`; null if there is none.
const moveOf = (word) => (word === undefined || word === "0000" || word === "(none)" ? null : word);

class Engine {
  name = "";
  options = new Map();
  #worker;
  #onLine;
  // The callers that wait for a `readyok`, in the order of their questions.
  #waiting = [];
  #search = null;
  #end = null;

  // `explain` gets what the event of a worker that never ran says, and returns a promise of a sentence.
  static async start({ worker, wasm, onLine, onLog, explain = (words) => words }) {
    const engine = new this();
    engine.#worker = worker;
    engine.#onLine = onLine;
    let isLoaded = false;
    worker.onmessage = ({ data }) => {
      isLoaded = true;
      if (typeof data === "string") engine.#receive(data);
      else if (data.log !== undefined) onLog?.(data.log);
      else if (data.failed !== undefined) engine.#finish(data.failed);
      else if (data.exited !== undefined) engine.#finish(`The engine has ended with status ${data.exited}`);
    };
    worker.onerror = async (event) => {
      const place = event.filename ? `${event.filename}, line ${event.lineno}: ` : "";
      const words = event.message && `${place}${event.message}`;
      engine.#finish((isLoaded ? words : await explain(words)) || NO_WORKER);
    };
    worker.postMessage({ wasm });
    for (const line of await engine.ask("uci")) {
      if (line.startsWith("id name ")) engine.name = line.slice("id name ".length);
      if (!line.startsWith("option ")) continue;
      const option = parseOption(line);
      if (option) engine.options.set(option.name, option);
    }
    return engine;
  }

  get hasEnded() {
    return this.#end !== null;
  }

  send(text) {
    if (this.#end) throw this.#end;
    // `ask` must not take the answers to these for its own.
    for (const _ of text.matchAll(/^\s*isready\s*$/gm)) this.#wait();
    this.#worker.postMessage(text);
  }

  // Errors have no other mark than their place: all that comes before `readyok` answers `text`.
  async ask(text) {
    this.send(oneLine("ask", text));
    this.#worker.postMessage("isready");
    return new Promise((resolve, reject) => this.#wait(resolve, reject));
  }

  async setOption(name, value) {
    const text = value === undefined ? "" : ` value ${oneLine(`option ${name}`, value) || "<empty>"}`;
    await this.ask(`setoption name ${oneLine("the name of an option", name)}${text}`);
  }

  async newGame() {
    await this.ask("ucinewgame");
  }

  /** @param {{ fen?: string, moves?: string[] }} [position] */
  async position({ fen, moves = [] } = {}) {
    const start = fen === undefined ? "startpos" : `fen ${oneLine("fen", fen)}`;
    if (/\smoves(\s|$)/.test(start)) throw new EngineError("fen: expected the moves in `moves`");
    const played = listedWords("moves", moves);
    await this.ask(["position", start, ...(played.length > 0 ? ["moves", ...played] : [])].join(" "));
  }

  /** @param {{ signal?: AbortSignal, onInfo?: (info: any) => void, [limit: string]: any }} [question] */
  async go({ signal, onInfo, ...limits } = {}) {
    if (this.#search) throw new EngineError("a search is running; it ends with stop()");
    const words = Object.entries(limits).flatMap(limitWords);
    const answered = new Promise((resolve, reject) => {
      this.#search = { onInfo, lines: [], resolve, reject };
    });
    const stop = () => this.stop();
    try {
      const started = this.ask(["go", ...words].join(" "));
      signal?.addEventListener("abort", stop);
      if (signal?.aborted) stop();
      try {
        await started;
      } catch (error) {
        // The engine skips a limit that it cannot use, and searches.
        stop();
        await answered;
        throw error;
      }
      return await answered;
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#search = null;
    }
  }

  stop() {
    if (!this.#end) this.send("stop");
  }

  quit() {
    this.#finish("The engine has quit");
  }

  #wait(resolve = (_lines) => {}, reject = (_error) => {}) {
    this.#waiting.push({ resolve, reject, lines: [], error: null });
  }

  #receive(line) {
    this.#onLine?.(line);
    const first = this.#waiting[0];
    if (line === "readyok") {
      this.#waiting.shift();
      if (first.error === null) first.resolve(first.lines);
      else first.reject(new EngineError(first.error));
    } else if (line.startsWith("bestmove ")) {
      this.#answer(line);
    } else if (line.startsWith(ERROR)) {
      if (first) first.error ??= line.slice(ERROR.length);
    } else if (line.startsWith("info ") && !line.startsWith("info string ")) {
      const info = { multipv: 1, ...parseInfo(line) };
      if (!this.#search || !info.score) return;
      this.#search.lines[info.multipv - 1] = info;
      this.#search.onInfo?.(info);
    } else {
      first?.lines.push(line);
    }
  }

  #answer(line) {
    const [, move, word, ponder] = line.trim().split(/\s+/);
    const lines = this.#search?.lines ?? [];
    this.#search?.resolve({ move: moveOf(move), ponder: word === "ponder" ? moveOf(ponder) : null,
      info: lines[0] ?? null, lines });
  }

  #finish(why) {
    if (this.#end) return;
    this.#end = new EngineError(why);
    this.#worker.terminate();
    for (const { reject } of [...this.#waiting, this.#search ?? []].flat()) reject(this.#end);
  }
}

export { ERROR, Engine, EngineError, NO_WORKER, parseInfo, parseOption };
