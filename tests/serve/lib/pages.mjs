// What the tests do on the pages of `referee serve`.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { launch, open } from "../../page/lib/chromium.mjs";
import { PATIENCE, until } from "./server.mjs";
import { changed } from "../../../serve/page/api.js";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/**
 * Messages of the console: the server refuses a request, such as the command of a form that is not
 * filled yet; the connection is lost.
 */
export const REFUSED = /status of 4\d\d/, LOST = /net::ERR_|WebSocket/;

/**
 * Opens the address of a server, and then one of its pages. `state()` is the newest state of a
 * board. `end(...allowed)` closes the page, which may have had no other problems.
 */
export async function visit(server, hash = "#/", options = {}) {
  const own = /^\/($|app\/|api\/|results\/)/;
  const allows = (url) =>
    ["data:,", server.address].includes(url)
    || (url.startsWith(server.base) && own.test(url.slice(server.base.length)));
  const opened = await open(browser, server.address, { allows, ...options });
  const { page, context, problems, close } = opened;
  context.setDefaultTimeout(PATIENCE);
  let newest = null;
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const message = JSON.parse(payload);
      if (message.kind === "board") newest = message;
      if (message.kind === "change") newest = changed(newest, message);
    }));
  await go(page, hash);
  const end = async (...allowed) => {
    assert.deepEqual(problems.filter((problem) => !allowed.some((one) => one.test(problem))), []);
    await close();
  };
  return { ...opened, end, state: () => newest };
}

/** Opens another page of the server, and waits until it is there. */
export async function go(page, hash) {
  const isSame = await page.evaluate((hash) => {
    if (location.hash === hash) return true;
    document.querySelector("main h2")?.setAttribute("data-old", "");
    location.hash = hash;
    return false;
  }, hash);
  await page.locator(isSame ? "main h2" : "main h2:not([data-old])").first().waitFor();
}

export const button = (page, name) => page.getByRole("button", { name, exact: true });

/** A cell of the board. Its label begins with its name. */
export const cell = (page, name) =>
  page.locator(`[role=gridcell][aria-label="${name}"], [role=gridcell][aria-label^="${name},"]`);

/** The moves of the list beside a board. */
export const moves = (page) =>
  page.locator(".moves li a").evaluateAll((all) => all.map((one) => one.dataset.move));

/** Waits until a text fits. */
export async function words(page, selector, pattern) {
  const place = page.locator(selector);
  await place.filter({ hasText: pattern }).first().waitFor();
  return (await place.first().textContent()).trim();
}

/** Starts a game with the form for new boards. */
export async function startBoard(page, first, second, { seconds = "3", clock = "" } = {}) {
  await page.selectOption("#seat-1", first);
  await page.selectOption("#seat-2", second);
  await page.selectOption("#clock", clock);
  await page.fill("#seconds", seconds);
  await button(page, "Start").click();
  await page.locator(".game .strip").first().waitFor();
}

/** Plays until the game is over. `choose` gets the legal moves, and `play` plays one of them. */
export async function playToEnd({ page, state }, choose, play) {
  const isAsked = () => state()?.over || (state()?.legal.length && state().seats[state().side - 1].isHuman);
  for (let last = -1;;) {
    await until(() => isAsked() && state().game.moves.length > last);
    if (state().over) break;
    last = state().game.moves.length;
    await play(choose(state().legal));
    await until(() => state().game.moves.length > last || state().over);
  }
  await button(page, "Play again").waitFor();
}

/** Chooses the cells that a move such as `a2a3` names. */
export async function clickCells(page, move) {
  for (const name of move.match(/[a-z]\d/g)) await cell(page, name).click();
}

/** The command of the match that is shown. */
export async function command(page) {
  await page.locator("summary").filter({ hasText: "Command" }).click();
  return words(page, ".command code", /^referee /);
}

/** Fills the form for matches. */
export async function matchForm(page, players, fields = {}) {
  await page.getByText("More settings").click();
  for (const id of players) await page.check(`input[type=checkbox][value=${JSON.stringify(id)}]`);
  const all = { "Games of each pairing": "2", "Seconds per move": "600", ...fields };
  for (const [label, value] of Object.entries(all))
    await page.locator(".field").getByLabel(label).fill(value);
}

/** What markup of others would leave behind in a page. */
export const traces = (page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll("*")];
    return { pwned: window.pwned,
      handlers: all.flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith("on"))),
      foreign: document.querySelectorAll("img, iframe, object, embed, base, .pwned").length
        + [...document.scripts].filter(({ text }) => text.startsWith("window.pwned")).length,
      links: [...document.querySelectorAll("a[href]")].map((link) => new URL(link.href)).filter((url) =>
        url.origin !== location.origin
      ).map(String) };
  });
export const NO_TRACES = { pwned: undefined, handlers: [], foreign: 0, links: [] };
