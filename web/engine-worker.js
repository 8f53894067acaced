// Hosts the engine: a Web Worker that loads `lodestone.wasm` and exchanges protocol lines
// with the page. Also runs in the thread of the page, which asks it about rules, and in Node, for
// `run.mjs` and the tests.
//
// A single classic script without imports, so that a page from `file:` can start it from a
// Blob. `web/package/README.md` describes the messages.
"use strict";

// Numbers of WASI preview 1.
const ERRNO = { SUCCESS: 0, AGAIN: 6, BADF: 8, INVAL: 28, NOSYS: 52 };
const FILETYPE_CHARACTER_DEVICE = 2;
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const NANOSECONDS = 1e6;

// What the step function of the engine returns.
const STEP = { WAITING: 0, SEARCHING: 1, ENDED: 2 };

// The first bytes of a WebAssembly module.
const MAGIC = [0x00, 0x61, 0x73, 0x6d];

// The first bytes of a file for people: as text, or in hexadecimal.
function beginning(bytes) {
  const first = bytes.subarray(0, 15), text = new TextDecoder().decode(first);
  if (/^[\x20-\x7e\r\n\t]+$/.test(text)) return JSON.stringify(text.trim());
  return first.length > 0
    ? Array.from(first.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(" ") : "nothing";
}

class Exit extends Error {
  constructor(status) {
    super(`exit with status ${status}`);
    this.status = status;
  }
}

// Collects the bytes of an output and passes them on as lines.
class LineWriter {
  constructor(sink) {
    this.sink = sink;
    this.decoder = new TextDecoder();
    this.rest = "";
  }

  write(bytes) {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split("\n");
    this.rest = lines.pop();
    lines.forEach((line) => this.sink(line));
  }
}

// A function that calls `task` once the tasks that wait already have run: so messages arrive
// between two slices of a search. A timer would wait for up to 4 ms.
function afterOtherTasks(task) {
  if (typeof setImmediate === "function") return () => setImmediate(task);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = task;
  return () => port2.postMessage(null);
}

// The engine: one WebAssembly instance. `onLine` gets each line of its output, `onLog` each
// line of its standard error, `onEnd` its exit status or the error that ended it. With other
// `args` than for a session, it only prints what the program prints.
class Host {
  constructor({ args = ["--embedded"], onLine, onLog, onEnd }) {
    this.args = args;
    this.onEnd = onEnd;
    this.input = [];
    this.inputEnded = false;
    this.hasEnded = false;
    this.isSearching = false;
    this.step = null;
    this.stdout = new LineWriter((line) => {
      if (this.step === null && line.startsWith("info string step ")) {
        this.stepIndex = Number(line.slice("info string step ".length));
      } else {
        onLine(line);
      }
    });
    this.stderr = new LineWriter(onLog);
    this.isScheduled = false;
    this.runSoon = afterOtherTasks(() => {
      this.isScheduled = false;
      this.run();
    });
  }

  // Instantiates the module and creates the session.
  async start(source) {
    const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
    const functions = this.functions();
    // Functions for files, which do not exist here.
    for (const { name } of WebAssembly.Module.imports(module)) functions[name] ??= () => ERRNO.NOSYS;
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: functions });
    this.memory = instance.exports.memory;
    try {
      instance.exports._start();
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      this.end(error.status);
      return;
    }
    if (this.stepIndex === undefined) {
      this.end(0);
      return;
    }
    this.step = instance.exports.__indirect_function_table.get(this.stepIndex);
    this.schedule();
  }

  // Takes protocol lines.
  send(text) {
    this.sendBytes(new TextEncoder().encode(text.endsWith("\n") ? text : `${text}\n`));
  }

  // Takes any part of the input.
  sendBytes(bytes) {
    this.input.push(bytes);
    this.schedule();
  }

  // Ends the input.
  close() {
    this.inputEnded = true;
    this.schedule();
  }

  schedule() {
    if (!this.isScheduled && !this.hasEnded && this.step !== null) {
      this.isScheduled = true;
      this.runSoon();
    }
  }

  run() {
    if (this.hasEnded) return;
    let status;
    try {
      status = this.step();
    } catch (error) {
      this.end(error instanceof Exit ? error.status : error);
      return;
    }
    if (status === STEP.SEARCHING) this.schedule();
    else if (status !== STEP.WAITING) this.end(status === STEP.ENDED ? 0 : 1);
  }

  end(reason) {
    this.hasEnded = true;
    this.onEnd(reason);
  }

  // The part of WASI preview 1 that the engine uses.
  functions() {
    const view = () => new DataView(this.memory.buffer);
    const bytes = (pointer, length) => new Uint8Array(this.memory.buffer, pointer, length);
    const now = (clock) => BigInt(Math.round((clock === 0 ? Date.now() : performance.now()) * NANOSECONDS));
    const buffers = (pointer, count) => {
      const memory = view();
      return Array.from({ length: count },
        (_, index) =>
          bytes(memory.getUint32(pointer + 8 * index, true),
            memory.getUint32(pointer + 8 * index + 4, true)));
    };
    const argumentsList = ["lodestone", ...this.args].map((text) => new TextEncoder().encode(`${text}\0`));
    return {
      args_sizes_get: (count, size) => {
        view().setUint32(count, argumentsList.length, true);
        view().setUint32(size, argumentsList.reduce((sum, text) => sum + text.length, 0), true);
        return ERRNO.SUCCESS;
      },
      args_get: (pointers, buffer) => {
        argumentsList.forEach((text, index) => {
          view().setUint32(pointers + 4 * index, buffer, true);
          bytes(buffer, text.length).set(text);
          buffer += text.length;
        });
        return ERRNO.SUCCESS;
      },
      environ_sizes_get: (count, size) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return ERRNO.SUCCESS;
      },
      environ_get: () => ERRNO.SUCCESS,
      clock_time_get: (clock, _precision, result) => {
        view().setBigUint64(result, now(clock), true);
        return ERRNO.SUCCESS;
      },
      random_get: (pointer, length) => {
        crypto.getRandomValues(bytes(pointer, length));
        return ERRNO.SUCCESS;
      },
      fd_fdstat_get: (descriptor, result) => {
        if (descriptor > STDERR) return ERRNO.BADF;
        bytes(result, 24).fill(0);
        view().setUint8(result, FILETYPE_CHARACTER_DEVICE);
        return ERRNO.SUCCESS;
      },
      fd_read: (descriptor, pointer, count, result) => {
        if (descriptor !== STDIN) return ERRNO.BADF;
        if (this.input.length === 0 && !this.inputEnded) return ERRNO.AGAIN;
        let read = 0;
        for (const buffer of buffers(pointer, count)) {
          let filled = 0;
          while (filled < buffer.length && this.input.length > 0) {
            const part = this.input[0].subarray(0, buffer.length - filled);
            buffer.set(part, filled);
            filled += part.length;
            if (part.length === this.input[0].length) this.input.shift();
            else this.input[0] = this.input[0].subarray(part.length);
          }
          read += filled;
        }
        view().setUint32(result, read, true);
        return ERRNO.SUCCESS;
      },
      fd_write: (descriptor, pointer, count, result) => {
        const output = { [STDOUT]: this.stdout, [STDERR]: this.stderr }[descriptor];
        if (output === undefined) return ERRNO.BADF;
        let written = 0;
        for (const buffer of buffers(pointer, count)) {
          output.write(buffer);
          written += buffer.length;
        }
        view().setUint32(result, written, true);
        return ERRNO.SUCCESS;
      },
      // There are no folders.
      fd_prestat_get: () => ERRNO.BADF,
      proc_exit: (status) => {
        throw new Exit(status);
      },
    };
  }
}

// In a Web Worker: messages from the page start the engine and bring lines.
if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) {
  const failed = (error) => postMessage({ failed: `The engine stopped: ${error.message ?? error}` });
  const engine = new Host({ onLine: (line) => postMessage(line), onLog: (log) => postMessage({ log }),
    onEnd: (reason) => (typeof reason === "number" ? postMessage({ exited: reason }) : failed(reason)) });
  // What is at an address, compiled. An error names the address, and what is there instead of the module.
  const compile = async (address) => {
    const wrong = (what) =>
      new Error(
        `${address}: ${what}; expected lodestone.wasm of this package there, or its whole address in \`wasm\``,
      );
    let response, bytes;
    try {
      response = await fetch(address);
      bytes = new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      throw wrong([error.message, error.cause?.code].filter(Boolean).join(": "));
    }
    if (!response.ok) throw wrong(`status ${response.status}`);
    if (!MAGIC.every((byte, at) => bytes[at] === byte))
      throw wrong(
        `found ${response.headers.get("Content-Type") ?? "a file"} that begins with ${beginning(bytes)}`,
      );
    return WebAssembly.compile(bytes).catch((error) => {
      throw new Error(`${address}: ${error.message}`);
    });
  };
  const load = async (source) => {
    await engine.start(typeof source === "string" ? await compile(source) : source);
    if (!engine.hasEnded) postMessage({ ready: true });
  };
  onmessage = ({ data }) => {
    if (typeof data === "string") engine.send(data);
    else if (data.end) engine.close();
    else load(data.wasm).catch(failed);
  };
} else if (typeof module !== "undefined") {
  module.exports = { Host };
}
