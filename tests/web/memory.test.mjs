// Twenty games in a row in one page, of both variants in turn, without growth of memory: that of the
// page, and that of the engine in its worker.

import assert from "node:assert/strict";
import { test } from "node:test";
import { launch } from "../page/lib/chromium.mjs";
import { openGame } from "./lib/play.mjs";

const GAMES = 20;

/** The worker's script remembers the memory of its engine. */
function keepMemory() {
  const prelude = `const { instantiate } = WebAssembly;
        WebAssembly.instantiate = async (...words) => {
            const instance = await instantiate(...words);
            self.memoryOfEngine = instance.exports.memory;
            return instance;
        };`;
  window.Blob = class extends Blob {
    constructor(parts, options) {
      super(options?.type === "text/javascript" ? [prelude, ...parts] : parts, options);
    }
  };
}

/** Plays a whole game inside the page: a person who takes the first legal cells, against `easy`. */
async function playGame({ page }, number) {
  await page.keyboard.press("n");
  await page.getByRole("radio", { name: number % 2 ? "Magnetic Cave" : "Gridlock" }).check();
  if (number % 2 === 0) await page.getByLabel("Turn limit").fill("20");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  return page.evaluate(async (seed) => {
    const wait = () => new Promise((done) => setTimeout(done, 0));
    let played = 0;
    for (;;) {
      const words = document.querySelector("#status").textContent;
      if (/wins: |A draw: /.test(words)) return document.querySelectorAll(".moves a").length;
      if (/Your move/.test(words)) {
        const cells = (pattern) =>
          [...document.querySelectorAll("[role=gridcell]")].filter((one) =>
            pattern.test(one.getAttribute("aria-label"))
          );
        let legal = cells(/, legal/);
        // In Gridlock a piece is chosen first.
        for (const piece of legal.length ? [] : cells(/, X/)) {
          piece.click();
          legal = cells(/, legal/);
          if (legal.length) break;
        }
        legal[(seed + played * 7) % legal.length].click();
        played += 1;
      }
      await wait();
    }
  }, number);
}

test("20 games in a row need no more memory than the first ones", async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const opened = await openGame(browser, { hash: "#magnetic-cave&players=human,easy", script: keepMemory });
  const { page, devtools } = opened;
  await devtools.send("HeapProfiler.enable");
  await devtools.send("Performance.enable");
  const measure = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    const { metrics } = await devtools.send("Performance.getMetrics");
    const value = (name) => metrics.find((one) => one.name === name).value;
    const { usedSize, backingStorageSize = 0 } = await devtools.send("Runtime.getHeapUsage");
    const engine = await page.workers()[0].evaluate(() => self.memoryOfEngine.buffer.byteLength);
    return { engine, heap: usedSize + backingStorageSize, nodes: value("Nodes"),
      listeners: value("JSEventListeners"), workers: page.workers().length };
  };
  const sizes = [];
  const lengths = [];
  for (let game = 1; game <= GAMES; game += 1) {
    lengths.push(await playGame(opened, game));
    sizes.push(await measure());
  }
  const [first, last] = [sizes[4], sizes[GAMES - 1]];
  console.log(
    `after 5 games ${(first.heap / 1e6).toFixed(2)} MB and ${first.nodes} nodes, after ${GAMES} games ${
      (last.heap / 1e6).toFixed(2)
    } MB and ${last.nodes} nodes; the engine ${(first.engine / 1e6).toFixed(2)} and ${
      (last.engine / 1e6).toFixed(2)
    } MB`,
  );
  assert.ok(Math.min(...lengths) >= 9, `${lengths}`);
  assert.ok(last.heap <= first.heap + 1e6, `the heap has grown from ${first.heap} to ${last.heap} bytes`);
  assert.ok(last.engine <= first.engine + 1e6,
    `the memory of the engine has grown from ${first.engine} to ${last.engine} bytes`);
  assert.ok(last.nodes <= first.nodes + 400, `${first.nodes} nodes became ${last.nodes}`);
  assert.ok(last.listeners <= first.listeners + 100, `${first.listeners} listeners became ${last.listeners}`);
  assert.equal(last.workers, 1, "one worker for one computer player");
  assert.deepEqual(opened.problems, []);
});
