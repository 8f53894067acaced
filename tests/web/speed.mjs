// Measures the engine in Chromium: its speed as a part of that of one native thread, and the
// delays of its answers.
//
//     node tests/web/speed.mjs [LODESTONE [ROUNDS]]
//
// Needs web/dist/lodestone.wasm (`bash web/build.sh`) and the packages of tests/page. LODESTONE
// is the native engine, target/release/lodestone if it is left out.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { launch } from "../page/lib/chromium.mjs";

const ROOT = new URL("../../", import.meta.url);
const native = process.argv[2] ?? new URL("target/release/lodestone", ROOT).pathname;
const rounds = Number(process.argv[3] ?? 3);

/** Least speed in Chromium, as a part of the native speed. */
const LEAST_RATIO = 0.4;

/** Long enough that the browser has optimised the module for most of the search. */
const NODES = { "magnetic-cave": 3_000_000, gridlock: 3_000_000 };

const FILES = { "/": ["text/html", "<!doctype html><title>engine</title>"],
  "/engine-worker.js": ["text/javascript", readFileSync(new URL("web/engine-worker.js", ROOT))],
  "/lodestone.wasm": ["application/wasm", readFileSync(new URL("web/dist/lodestone.wasm", ROOT))] };

/** The nodes a second in the last `info` line. */
function speed(lines) {
  const info = lines.filter((line) => line.includes(" nps ")).at(-1);
  return Number(/ nps (\d+)/.exec(info)[1]);
}

const input = (variant) =>
  `setoption name UCI_Variant value ${variant}\nucinewgame\nposition startpos\ngo nodes ${
    NODES[variant]
  } movetime 600000\n`;

const server = createServer((request, response) => {
  const [type, content] = FILES[request.url] ?? ["text/plain", ""];
  response.writeHead(content === "" ? 404 : 200, { "Content-Type": type }).end(content);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const browser = await launch();
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.evaluate(async () => {
  window.lines = [];
  window.worker = new Worker("engine-worker.js");
  // Sends lines; the answer is everything up to a line that begins with `end`.
  window.ask = (text, end) =>
    new Promise((done, fail) => {
      const lines = [];
      const begin = performance.now();
      window.worker.onmessage = ({ data }) => {
        if (data.failed) fail(new Error(data.failed));
        if (typeof data !== "string") return;
        lines.push(data);
        if (data.startsWith(end)) done({ lines, ms: performance.now() - begin });
      };
      window.worker.postMessage(text);
    });
  window.worker.postMessage({ wasm: "lodestone.wasm" });
  await window.ask("isready", "readyok");
});
const ask = (text, end = "bestmove") => page.evaluate(([text, end]) => window.ask(text, end), [text, end]);

let failed = false;
for (const variant of Object.keys(NODES)) {
  const [inBrowser, nativeSpeed] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const run = spawnSync(native, { input: input(variant), encoding: "utf8" });
    nativeSpeed.push(speed(run.stdout.split("\n")));
    inBrowser.push(speed((await ask(input(variant))).lines));
  }
  const [best, bestNative] = [inBrowser, nativeSpeed].map((speeds) => Math.max(...speeds));
  const ratio = best / bestNative;
  console.log(
    `${variant}: ${best} nodes/s in Chromium, ${bestNative} natively: ${
      (100 * ratio).toFixed(0)
    } % (best of ${rounds})`,
  );
  failed ||= ratio < LEAST_RATIO;
}
const delays = [];
for (let round = 0; round < 20; round++) delays.push((await ask("go movetime 100")).ms - 100);
console.log(`go movetime 100: answered at most ${Math.max(...delays).toFixed(1)} ms after its time`);
const stops = [];
for (let round = 0; round < 20; round++) {
  await page.evaluate(() => {
    window.worker.onmessage = null;
    window.worker.postMessage("go infinite");
    return new Promise((done) => setTimeout(done, 200 + 7 * Math.random()));
  });
  stops.push((await ask("stop")).ms);
}
stops.sort((one, other) => one - other);
console.log(
  `stop: answered after ${stops[10].toFixed(1)} ms (median), at most ${stops.at(-1).toFixed(1)} ms`,
);
await browser.close();
server.close();
if (failed) {
  console.error(`The engine in Chromium is slower than ${100 * LEAST_RATIO} % of a native thread.`);
  process.exit(1);
}
