// Reads the page as a person with a screen reader does: from Chromium's accessibility tree.

import assert from "node:assert/strict";
import { accessibilityTree, nodes } from "./chromium.mjs";
import { records } from "./referee.mjs";

/** Waits until a condition holds. */
export async function until(condition, what, seconds = 10) {
  const end = performance.now() + 1000 * seconds;
  while (!(await condition())) {
    if (performance.now() > end) assert.fail(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until the page has handled all events, and drawn twice. */
export async function settled({ page }) {
  await page.evaluate(() =>
    new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 0))
  );
}

/** Changes the address, and waits until the page has handled it. */
export async function setHash({ page }, hash) {
  await page.evaluate((to) =>
    new Promise((done) => {
      if (location.hash === to || `${location.hash}#` === to) done();
      addEventListener("hashchange", done, { once: true });
      location.hash = to;
    }), hash);
}

/** Scrolls through the view and back, because charts are drawn when they come into sight. */
export async function scrollThrough(opened) {
  for (let top = 0; top < 40_000; top += 600) {
    const isEnd = await opened.page.evaluate((to) => {
      scrollTo(0, to);
      return to + innerHeight >= document.scrollingElement.scrollHeight;
    }, top);
    await settled(opened);
    if (isEnd) break;
  }
  await opened.page.evaluate(() => scrollTo(0, 0));
  await settled(opened);
}

/** Writes a screenshot of the whole page, or of its beginning if it is very long. */
export async function screenshot(page, path) {
  const { width, height } = await page.evaluate(() => ({ width: innerWidth,
    height: document.scrollingElement.scrollHeight })
  );
  await page.screenshot({ path, fullPage: true,
    clip: { x: 0, y: 0, width, height: Math.min(height, 5000) } });
}

/** The heading of the view that is shown, or the title of the overview. */
export async function heading({ page }) {
  const view = page.locator("#view h2");
  if (await view.first().isVisible()) return view.first().innerText();
  return page.locator("main h2").first().innerText();
}

/** The table of the board in the accessibility tree. */
const boardTable = (tree) => nodes(tree, "table", /^Board after/)[0];

/** The number of the game that is shown, and of its moves up to the position; null without a board. */
export async function state(opened) {
  const tree = await accessibilityTree(opened);
  const table = boardTable(tree);
  if (!table) return null;
  const [, ply, total] = table.name.match(/^Board after move (\d+) of (\d+)$/).map(Number);
  const title = nodes(tree, "heading", /^Game \d+/)[0].name;
  return { game: Number(title.match(/\d+/)[0]), ply, total };
}

const text = (node) => node.name || node.children.map(text).join("");

/** The cells of the board by their names, such as `a4`: what stands there, and its words. */
export async function readBoard(opened) {
  const table = boardTable(await accessibilityTree(opened));
  assert.ok(table, "the accessibility tree has no board");
  const rows = nodes(table, "row");
  const columns = nodes(rows[0], "columnheader").map((node) => node.name);
  const cells = new Map();
  for (const row of rows.slice(1)) {
    const [name] = nodes(row, "rowheader").map((node) => node.name);
    const values = nodes(row, "cell");
    assert.equal(values.length, columns.length);
    values.forEach((node, column) => {
      // Ranks have numbers in Magnetic Cave, letters in Gridlock.
      const cell = /\d/.test(name) ? columns[column] + name : name + columns[column];
      const words = text(node);
      const piece = { black: "x", white: "o", X: "x", O: "o", empty: "" }[words.split(",")[0]];
      assert.notEqual(piece, undefined, `${cell}: ${words}`);
      cells.set(cell, { piece, text: words, row: name });
    });
  }
  return cells;
}

/** The first field of the FEN of a board. */
export function boardOf(cells) {
  const rows = new Map();
  for (const { piece, row } of cells.values()) rows.set(row, (rows.get(row) ?? "") + (piece || "."));
  return [...rows.values()].map((row) => row.replace(/\.+/g, (empty) => empty.length)).join("/");
}

/** What the live region says of the position. */
export const facts = ({ page }) => page.locator("#facts").innerText();

/** What a button of the page copies to the clipboard. The page also shows it. */
export async function copied({ page }, button) {
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.evaluate(() => navigator.clipboard.writeText("nothing yet"));
  await page.getByRole("button", { name: button }).click();
  await until(async () => (await clipboard()) !== "nothing yet", `${button} fills the clipboard`);
  const text = await clipboard();
  await until(async () => (await page.locator(".copied pre").innerText()) === text,
    `${button} shows its text`);
  return text;
}

/** Goes to a move of a game by its address; without a move, to the game. */
export async function goTo(opened, game, move) {
  await setHash(opened, move === undefined ? `#game-${game}` : `#game-${game}-move-${move}`);
  await opened.page.getByRole("heading", { name: new RegExp(`^Game ${game}:`) }).waitFor();
}

/** Presses Tab until an element is focused that fits. */
export async function tabTo(page, fits) {
  for (let step = 0; step < 300; step += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`(${fits})(document.activeElement)`)) return;
  }
  assert.fail(`the tab key never reaches ${fits}`);
}

/** The addresses of the views of a page of one match: overview, games, all players and pairings, some games. */
export function views(made) {
  const games = [...records(made.results).values()];
  const count = new Set(games.flatMap(({ first, second }) => [first, second])).size;
  const numbers = Array.from({ length: count }, (_, number) => number + 1);
  return [
    "#",
    "#games",
    ...numbers.map((player) => `#player-${player}`),
    ...numbers.flatMap((one) =>
      numbers.filter((other) => other > one).map((other) => `#pairing-${one}-${other}`)
    ),
    ...games.filter(({ id }) => id % 4 === 1).map(({ id, moves }) => `#game-${id}-move-${moves.length}`),
  ];
}
