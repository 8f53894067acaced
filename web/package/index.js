// The engine in a worker: its protocol, with promises. `index.d.ts` describes what is exported.

const ERROR = "info string error: ";

export class EngineError extends Error {
    name = "EngineError";
}

// A line `info depth 8 … score cp 12 … pv a8 h8`.
function parseInfo(line) {
    const [fields, moves] = line.split(" pv ");
    const info = { multipv: 1, pv: moves?.split(" ") ?? [] };
    const words = fields.split(" ").slice(1);
    while (words.length > 0) {
        const name = words.shift();
        info[name] = name === "score" ? { kind: words.shift(), value: Number(words.shift()) } : Number(words.shift());
    }
    return info;
}

// A line `option name Hash type spin default 16 min 1 max 1024`.
function parseOption(line) {
    const [, name, type, rest] = /^option name (.*?) type (\w+)(.*)$/.exec(line);
    const option = { name, type };
    if (type === "combo") option.values = [];
    for (const [, key, text] of rest.matchAll(/ (default|min|max|var) (.*?)(?= (?:default|min|max|var) |$)/g)) {
        if (key === "var") option.values.push(text);
        else if (type === "spin") option[key] = Number(text);
        else if (type === "check") option[key] = text === "true";
        else option[key] = text === "<empty>" ? "" : text;
    }
    return option;
}

export class Engine {
    name = "";
    options = new Map();
    #worker;
    #onLine;
    // The callers that wait for a `readyok`, in the order of their questions.
    #waiting = [];
    #search = null;
    #end = null;

    static async start({
        onLine,
        onLog,
        worker = new Worker(new URL("./engine-worker.js", import.meta.url)),
        wasm = new URL("./lodestone.wasm", import.meta.url).href,
    } = {}) {
        const engine = new this();
        engine.#worker = worker;
        engine.#onLine = onLine;
        worker.onmessage = ({ data }) => {
            if (typeof data === "string") engine.#receive(data);
            else if (data.log !== undefined) onLog?.(data.log);
            else if (data.failed !== undefined) engine.#finish(data.failed);
            else if (data.exited !== undefined) engine.#finish(`The engine has ended with status ${data.exited}`);
        };
        // The event of a script that cannot be loaded has no message.
        worker.onerror = (event) => engine.#finish(event.message || "The script of the worker cannot be loaded");
        worker.postMessage({ wasm });
        for (const line of await engine.ask("uci")) {
            if (line.startsWith("id name ")) engine.name = line.slice("id name ".length);
            if (!line.startsWith("option ")) continue;
            const option = parseOption(line);
            engine.options.set(option.name, option);
        }
        return engine;
    }

    send(text) {
        if (this.#end) throw this.#end;
        // `ask` must not take the answers to these for its own.
        for (const _ of text.matchAll(/^\s*isready\s*$/gm)) this.#wait();
        this.#worker.postMessage(text);
    }

    // Errors have no other mark than their place: all that comes before `readyok` answers `text`.
    async ask(text) {
        this.send(text);
        this.#worker.postMessage("isready");
        return new Promise((resolve, reject) => this.#wait(resolve, reject));
    }

    async setOption(name, value) {
        await this.ask(`setoption name ${name}${value === undefined ? "" : ` value ${value}`}`);
    }

    async newGame() {
        await this.ask("ucinewgame");
    }

    async position({ fen, moves = [] } = {}) {
        const start = fen === undefined ? "startpos" : `fen ${fen}`;
        await this.ask(["position", start, ...(moves.length > 0 ? ["moves", ...moves] : [])].join(" "));
    }

    async go({ signal, onInfo, ...limits } = {}) {
        if (this.#search) throw new EngineError("a search is running; it ends with stop()");
        const words = Object.entries(limits)
            .filter(([, value]) => value !== undefined && value !== false)
            .flatMap(([name, value]) => (value === true ? name : [name, value].flat()));
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

    #wait(resolve = () => {}, reject = () => {}) {
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
            const info = parseInfo(line);
            if (this.#search) this.#search.lines[info.multipv - 1] = info;
            this.#search?.onInfo?.(info);
        } else {
            first?.lines.push(line);
        }
    }

    #answer(line) {
        const [, move, , ponder = null] = line.split(" ");
        const lines = this.#search?.lines ?? [];
        this.#search?.resolve({ move: move === "0000" ? null : move, ponder, info: lines[0] ?? null, lines });
    }

    #finish(why) {
        if (this.#end) return;
        this.#end = new EngineError(why);
        this.#worker.terminate();
        for (const { reject } of [...this.#waiting, this.#search ?? []].flat()) reject(this.#end);
    }
}
