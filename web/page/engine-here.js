// Starts the engine in the thread of the page.
import { Host } from "./host.js";
import { prepareEngine } from "./connect.js";

// An engine with these arguments. `onLine` gets its lines before `run` of the engine returns.
async function engineHere(args, onLine) {
  const { wasm } = await prepareEngine();
  const host = new Host({ args, onLine, onLog: console.error,
    onEnd: (reason) => {
      if (reason !== 0) throw new Error(`The engine has ended: ${reason.message ?? reason}`);
    } });
  await host.start(wasm);
  return host;
}

export { engineHere };
