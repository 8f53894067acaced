// The engine in a worker of this package. `index.d.ts` describes what is exported.
import { Engine as EngineOfWorker, EngineError, NO_WORKER } from "./engine.js";

// How long the question may take why a worker cannot be loaded, in milliseconds.
const ASKING_TIME = 3000;

// Where the script of the worker is without a bundler.
const SCRIPT = import.meta.url.replace(/[^/]*$/, "engine-worker.js");

function startWorker() {
  try {
    // Bundlers know this form.
    return new Worker(new URL("./engine-worker.js", import.meta.url));
  } catch (error) {
    throw new EngineError(`${NO_WORKER}: ${SCRIPT}: ${error.message}`);
  }
}

// Why the script of the worker cannot be loaded. An event says little or nothing: `words`. So this looks
// what is there.
async function whyNoWorker(words) {
  const look = async () => {
    const answer = await fetch(SCRIPT), kind = answer.headers.get("Content-Type") ?? "";
    if (!answer.ok) return `status ${answer.status}`;
    if (!/(java|ecma)script/i.test(kind)) return `found ${kind || "a file without a type"}`;
    return words
      || "the browser does not allow it; its console says why, such as a policy without worker-src";
  };
  const late = new Promise((resolve) => setTimeout(resolve, ASKING_TIME, "no answer"));
  const why = await Promise.race([look().catch((error) => error.message), late]);
  return `${NO_WORKER}: ${SCRIPT}: ${why}; expected engine-worker.js of this package there`;
}

class Engine extends EngineOfWorker {
  static async start({ worker, wasm = new URL("./lodestone.wasm", import.meta.url).href, ...options } = {}) {
    const own = worker ? {} : { worker: startWorker(), explain: whyNoWorker };
    return super.start({ worker, wasm, ...options, ...own });
  }
}

export { Engine, EngineError };
