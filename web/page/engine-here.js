// Starts the engine in the thread of the page.
import { Host } from "./host.js";
import { prepareEngine } from "./connect.js";

// An engine with these arguments, or a session of the protocol. `onLine` gets its lines before `run` returns.
async function engineHere(onLine, args) {
  const { wasm } = await prepareEngine();
  const host = new Host({ args, onLine, onLog: console.error, onEnd: (reason) => {
    if (reason !== 0) throw new Error(`The engine has ended: ${reason.message ?? reason}`);
  } });
  await host.start(wasm);
  return host;
}

export { engineHere };
