// Starts the engine in a worker. The page contains both, so it needs no network.

let loaded = null;

const embedded = (id) => document.getElementById(id).textContent.trim();

// The engine, compiled once for all workers, and the address of the worker's script. In the page, the engine is base64,
// compressed with gzip or not.
async function loadEngine() {
  const bytes = Uint8Array.from(atob(embedded("engine")), (sign) => sign.charCodeAt(0));
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b, { body } = new Response(bytes);
  const engine = new Response(isCompressed ? body.pipeThrough(new DecompressionStream("gzip")) : body);
  const script = new Blob([embedded("engine-worker")], { type: "text/javascript" });
  return { wasm: await WebAssembly.compile(await engine.arrayBuffer()), worker: URL.createObjectURL(script) };
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
