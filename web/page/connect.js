// Starts the engine in a worker: from files beside the page, or from the page itself if it contains
// them. The engine is compiled once for all workers, and everything is loaded at the start, so the
// page needs no network afterwards.

let loaded = null;

const embedded = (id) => document.getElementById(id)?.textContent.trim();

// The bytes of the engine in the page: base64, compressed with gzip or not.
async function embeddedEngine() {
  const bytes = Uint8Array.from(atob(embedded("engine")), (sign) => sign.charCodeAt(0));
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isCompressed) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// The bytes of a file beside the page. A server may answer with a page of its own instead.
async function loadFile(name) {
  let answer;
  try {
    answer = await fetch(name);
  } catch (error) {
    throw new Error(`${error.message} (${new URL(name, location.href)})`);
  }
  if (!answer.ok) throw new Error(`${answer.url} cannot be loaded: status ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes.length === 0 || bytes[0] === "<".charCodeAt(0))
    throw new Error(
      `${answer.url} is not ${name}: found ${answer.headers.get("Content-Type") || "a file without a type"}`,
    );
  return bytes;
}

// The compiled engine, and the address of the worker's script.
async function loadEngine() {
  const [engine, script] = embedded("engine") ? [await embeddedEngine(), embedded("engine-worker")]
    : await Promise.all([loadFile("lodestone.wasm"), loadFile("engine-worker.js")]);
  const wasm = await WebAssembly.compile(engine);
  return { wasm, worker: URL.createObjectURL(new Blob([script], { type: "text/javascript" })) };
}

// Loads the engine. After a failure, the next call tries again.
async function prepareEngine() {
  loaded ??= loadEngine();
  try {
    return await loaded;
  } catch (error) {
    loaded = null;
    throw new Error(`The engine cannot be loaded: ${error.message}`);
  }
}

// A worker, and the engine for it.
async function connectEngine() {
  const { wasm, worker } = await prepareEngine();
  return { wasm, worker: new Worker(worker) };
}

export { connectEngine, prepareEngine };
