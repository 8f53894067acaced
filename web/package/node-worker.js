// Runs `engine-worker.js` in a thread of Node as a browser runs it in a Web Worker, with the same
// messages.
import { readFile } from "node:fs/promises";
import { runInThisContext } from "node:vm";
import { parentPort } from "node:worker_threads";

const { fetch } = globalThis;
Object.assign(globalThis, {
  self: globalThis,
  // Tells the script that it is in a worker.
  WorkerGlobalScope: Object,
  onmessage: null,
  postMessage: (message) => parentPort.postMessage(message),
  // The `fetch` of Node reads no files.
  fetch: async (url) => (url.startsWith("file:") ? new Response(await readFile(new URL(url))) : fetch(url)),
});
// Not an import, which would make the script a module, because the package has modules.
const script = new URL("./engine-worker.js", import.meta.url);
runInThisContext(await readFile(script, "utf8"), { filename: script.href });
parentPort.on("message", (data) => globalThis.onmessage({ data }));
