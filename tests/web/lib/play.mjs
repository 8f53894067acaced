// Plays on the page in a real Chromium, as a person does.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createReadStream, existsSync, statSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { open } from "../../page/lib/chromium.mjs";
import { LODESTONE, ROOT, run } from "../../page/lib/referee.mjs";

export const DIST = join(ROOT, "web/dist");

/** The page as one file. */
export const SINGLE = join(DIST, "lodestone.html");
if (!existsSync(SINGLE)) throw new Error("no page: run `bash web/build.sh` first");

/** How long to wait for a move of an engine or a drawing, in milliseconds; machines may be busy. */
const PATIENCE = 60_000;

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css",
  ".wasm": "application/wasm" };

/**
 * Serves the files of the page, or of `root`, in a folder of a server; `address` is that of the page. Where there is no
 * file, the answer is `fallback`.
 */
export async function serve(folder = "/", { root = DIST, headers = {}, fallback = null } = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const place = normalize(join(root, path.slice(folder.length)));
    const file = path.endsWith("/") ? join(place, "index.html") : place;
    if (!path.startsWith(folder) || !file.startsWith(root) || !existsSync(file) || !statSync(file).isFile()) {
      if (fallback) response.writeHead(200, { ...headers, "Content-Type": "text/html" }).end(fallback);
      else response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { ...headers,
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${server.address().port}${folder}`;
  const close = () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    return closed;
  };
  return { address, close };
}

/** Opens the page and waits for a part; `address` is that of a server, or the file is opened. */
export async function openGame(browser,
  { address = process.env.PAGE ?? SINGLE, part = "[role=gridcell]", ...options } = {})
{
  const isServed = address !== SINGLE;
  const allows = (url) => url.startsWith("blob:") || (isServed && url.startsWith(address));
  const opened = await open(browser, address, { allows, ...options });
  opened.context.setDefaultTimeout(PATIENCE);
  await opened.page.locator(part).first().waitFor();
  return opened;
}

/** The status line. */
export const status = ({ page }) => page.locator("#status").innerText();

/** The moves of the list. */
export const moves = ({ page }) =>
  page.locator(".moves a").evaluateAll((items) => items.map((item) => item.dataset.move));

/** The cells of the board by their names, such as `a6`, with the words of their labels. */
export async function cells({ page }) {
  const labels = await page.locator("[role=gridcell]").evaluateAll((all) =>
    all.map((one) => one.getAttribute("aria-label"))
  );
  return new Map(labels.map((label) => [label.split(", ")[0], label.split(", ").slice(1)]));
}

/** The cells that are marked as legal. */
export const legalCells = async (opened) =>
  [...(await cells(opened))].filter(([, words]) => words.includes("legal")).map(([name]) => name);

/** The first field of the FEN of the board that is shown. */
export async function boardShown(opened) {
  const rows = new Map();
  const signs = { black: "x", white: "o", X: "x", O: "o", empty: "." };
  for (const [name, [piece]] of await cells(opened)) {
    const row = /^[a-h]\d$/.test(name) && (await isCave(opened)) ? name[1] : name[0];
    rows.set(row, (rows.get(row) ?? "") + signs[piece]);
  }
  return [...rows.values()].map((row) => row.replace(/\.+/g, (empty) => empty.length)).join("/");
}

const isCave = async ({ page }) => (await page.locator('[data-game="magnetic-cave"]').count()) > 0;

/** Waits until it is the person's turn, or the game is over. Returns whether it goes on. */
export async function untilTurn({ page }) {
  await page.waitForFunction(
    () => /Your move|to move|wins: |A draw: |failed/.test(document.querySelector("#status").textContent),
    null,
    { timeout: PATIENCE },
  );
  const words = await page.locator("#status").innerText();
  assert.doesNotMatch(words, /failed/);
  return /Your move|to move/.test(words);
}

/** Clicks a cell with the pointer, or taps it. */
export async function click({ page }, name, { touch = false } = {}) {
  const cell = page.locator(`[role=gridcell][aria-label^="${name},"]`);
  await (touch ? cell.tap() : cell.click());
}

/** The legal moves of a position, from the native engine. */
export function legalMoves(variant, start, played) {
  const line = `position fen ${start}${played.length ? ` moves ${played.join(" ")}` : ""}`;
  const { stdout } = run(LODESTONE, [], {
    input: `setoption name UCI_Variant value ${variant}\n${line}\ngo perft 1\nquery result\nd\nquit\n`,
  });
  return { legal: [...stdout.matchAll(/^([a-h1-8]+): 1$/gm)].map(([, move]) => move),
    result: /^response (.*)$/m.exec(stdout)[1], fen: /^Fen: (.*)$/m.exec(stdout)[1] };
}

/** The line of the result that the page shows for an answer of `query result`. */
export const ENDINGS = { p1win: /^(Black|X) wins: /, p2win: /^(White|O) wins: /, draw: /^A draw: / };

/** The facts of the games. */
export const GAMES = JSON.parse(run(LODESTONE, ["games"]).stdout);

/** The start of the game in the address. */
export async function startOf({ page }) {
  const hash = decodeURIComponent(await page.evaluate(() => location.hash));
  const variant = /^#([a-z-]+)/.exec(hash)[1];
  const start = /&start=([^&]*)/.exec(hash)?.[1].replaceAll("_", " ");
  return { variant, start: start ?? GAMES.find(({ name }) => name === variant).start };
}

/** A repeatable choice: xorshift32 (Marsaglia, "Xorshift RNGs", 2003). */
export function chooser(seed) {
  let state = seed;
  return (list) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return list[(state >>> 0) % list.length];
  };
}

/** The path of the cursor keys from the cell that has the focus to another one. */
export async function walk({ page }, name) {
  const place = (cell) =>
    page.evaluate((label) => {
      const all = [...document.querySelectorAll("[role=gridcell]")];
      const at = all.findIndex((
        one,
      ) => (label ? one.getAttribute("aria-label").startsWith(`${label},`) : one === document.activeElement));
      const size = Math.sqrt(all.length);
      return at < 0 ? null : [Math.floor(at / size), at % size];
    }, cell);
  const [from, to] = [await place(null), await place(name)];
  assert.ok(from, "the board has the focus");
  const press = async (key, count) => {
    for (let step = 0; step < count; step += 1) await page.keyboard.press(key);
  };
  await press(to[0] > from[0] ? "ArrowDown" : "ArrowUp", Math.abs(to[0] - from[0]));
  await press(to[1] > from[1] ? "ArrowRight" : "ArrowLeft", Math.abs(to[1] - from[1]));
}
