// Starts the engine in a worker: from files beside the page, or from the page itself if it contains
// them. The engine is compiled once for all workers.

let compiled = null;

const embedded = (id) => document.getElementById(id)?.textContent.trim();

// The bytes of the engine in the page: base64, compressed with gzip or not.
async function embeddedEngine() {
  const bytes = Uint8Array.from(atob(embedded("engine")), (sign) => sign.charCodeAt(0));
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isCompressed) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function loadEngine() {
  if (embedded("engine")) return WebAssembly.compile(await embeddedEngine());
  const answer = await fetch("lodestone.wasm");
  if (!answer.ok) throw new Error(`lodestone.wasm cannot be loaded: status ${answer.status}`);
  return WebAssembly.compile(await answer.arrayBuffer());
}

// The compiled engine. After a failure, the next call tries again.
async function engineModule() {
  compiled ??= loadEngine();
  try {
    return await compiled;
  } catch (error) {
    compiled = null;
    throw new Error(`The engine cannot be loaded: ${error.message}`);
  }
}

// A worker with the engine.
async function connectEngine() {
  const wasm = await engineModule();
  const source = embedded("engine-worker");
  const address = source ? URL.createObjectURL(new Blob([source], { type: "text/javascript" })) : "engine-worker.js";
  const worker = new Worker(address);
  worker.postMessage({ wasm });
  return worker;
}

export { connectEngine, engineModule };
