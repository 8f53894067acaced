// For Node: the engine in a thread, so that a search does not hold up the event loop.
import { Worker } from "node:worker_threads";
import { EngineError, Engine as WebEngine } from "./index.js";

// A thread with the events of a Web Worker.
function startThread() {
  const thread = new Worker(new URL("./node-worker.js", import.meta.url));
  thread.on("message", (data) => thread.onmessage({ data }));
  thread.on("error", (error) => thread.onerror(error));
  return thread;
}

class Engine extends WebEngine {
  static start({ worker = startThread(), ...options } = {}) {
    return super.start({ worker, ...options });
  }
}

export { Engine, EngineError };
