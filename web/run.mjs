// Runs `lodestone.wasm` in Node as a browser runs it: protocol on standard input and output.
//
//     printf 'go movetime 100\n' | node web/run.mjs [FILE]
//
// FILE is `web/dist/lodestone.wasm` if it is left out.
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";

const { Host } = createRequire(import.meta.url)("./engine-worker.js");
const file = process.argv[2] ?? new URL("dist/lodestone.wasm", import.meta.url);
const write = (descriptor) => (line) => writeSync(descriptor, `${line}\n`);

const engine = new Host({ onLine: write(1), onLog: write(2), onEnd: (reason) => {
  if (typeof reason !== "number") console.error(reason);
  process.exit(typeof reason === "number" ? reason : 1);
} });
process.stdin.on("data", (bytes) => engine.sendBytes(bytes));
process.stdin.on("end", () => engine.close());
await engine.start(readFileSync(file));
