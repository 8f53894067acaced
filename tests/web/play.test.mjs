// Whole games of both variants against the engine in the page: by clicks, by keyboard alone, on a
// narrow screen by touch. The native engine says which moves are legal and who has won.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { NARROW, launch } from "../page/lib/chromium.mjs";
import { ENDINGS, boardShown, cells, chooser, click, legalCells, legalMoves, moves, openGame, startOf, status, untilTurn, walk } from "./lib/play.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Pieces of a random placement, few turns: a short game. */
const GRIDLOCK = "#gridlock&start=4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4_x_0_16&players=human,hard";
const CAVE = "#magnetic-cave&players=human,hard";

/** Plays moves of `choose` with `enter` until the game is over, and compares each position. */
async function playOut(opened, choose, enter) {
  const { variant, start } = await startOf(opened);
  for (;;) {
    const goesOn = await untilTurn(opened);
    const played = await moves(opened);
    const native = legalMoves(variant, start, played);
    assert.equal(await boardShown(opened), native.fen.split(" ")[0], `after ${played.join(" ")}`);
    if (!goesOn) {
      assert.match(await status(opened), ENDINGS[native.result]);
      return played;
    }
    assert.equal(native.result, "none", played.join(" "));
    if (variant === "magnetic-cave")
      assert.deepEqual((await legalCells(opened)).sort(), [...native.legal].sort());
    await enter(choose(native.legal));
    await opened.page.waitForFunction((count) => document.querySelectorAll(".moves a").length > count,
      played.length);
  }
}

const parts = (move) => move.match(/../g);

const byClicks = (opened, options) => async (move) => {
  for (const cell of parts(move)) await click(opened, cell, options);
};

const byKeys = (opened) => async (move) => {
  for (const cell of parts(move)) {
    await walk(opened, cell);
    await opened.page.keyboard.press("Enter");
  }
};

for (const [name, hash] of Object.entries({ "Magnetic Cave": CAVE, Gridlock: GRIDLOCK })) {
  test(`a whole game of ${name} by clicks`, async () => {
    const opened = await openGame(browser, { hash });
    const played = await playOut(opened, chooser(7), byClicks(opened));
    assert.ok(played.length >= 9, played.join(" "));
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });

  test(`a whole game of ${name} by touch, 360 px wide`, async () => {
    const opened = await openGame(browser, { hash, size: NARROW, touch: true });
    const { page } = opened;
    const played = await playOut(opened, chooser(11), byClicks(opened, { touch: true }));
    assert.ok(played.length >= 9, played.join(" "));
    const { scroll, inner } = await page.evaluate(() => ({ scroll: document.scrollingElement.scrollWidth,
      inner: innerWidth })
    );
    assert.ok(scroll <= inner, `${scroll} px wide in ${inner} px`);
    // A finger needs 36 px.
    const { width } = await page.locator("[role=gridcell]").first().boundingBox();
    assert.ok(width >= 36, `a cell is ${width} px wide`);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}

for (const variant of ["magnetic-cave", "gridlock"]) {
  test(`a whole game of ${variant} by keyboard alone, from the dialog to the end`, async () => {
    const opened = await openGame(browser);
    const { page } = opened;
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("n");
    const focused = () =>
      page.evaluate(() =>
        document.activeElement.id || document.activeElement.value || document.activeElement.textContent
      );
    const tabTo = async (name) => {
      for (let step = 0; step < 30 && (await focused()) !== name; step += 1) await press("Tab");
      assert.equal(await focused(), name);
    };
    await tabTo("magnetic-cave");
    if (variant === "gridlock") {
      await press("ArrowDown");
      await tabTo("turns");
      await page.keyboard.type("12");
    }
    await tabTo("Start");
    await press("Enter");
    await page.locator("dialog").waitFor({ state: "detached" });
    assert.equal((await startOf(opened)).variant, variant);
    const played = await playOut(opened, chooser(5), byKeys(opened));
    assert.ok(played.length >= 9, played.join(" "));
    // What a screen reader hears of the last move.
    const said = await page.locator("#said").textContent();
    assert.match(said, /^(Black|White|X|O): \S+\. +(\w+ wins|A draw): /);
    await press("u");
    assert.ok((await moves(opened)).length < played.length);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}

test("a move of the computer is announced, and an illegal one is explained", async () => {
  const opened = await openGame(browser, { hash: CAVE });
  const { page } = opened;
  const said = page.locator("#said");
  await click(opened, "b6");
  assert.match(await said.textContent(), /b6 touches neither a wall nor a brick/);
  await click(opened, "a6");
  await untilTurn(opened);
  const [, reply] = await moves(opened);
  assert.match(await said.textContent(), new RegExp(`^White: ${reply}\\. +Your move \\(Black\\)\\.`));
  assert.ok((await cells(opened)).get(reply).includes("last move"));
  await click(opened, reply);
  assert.match(await said.textContent(), new RegExp(`${reply} holds a brick already`));
  await opened.close();
});
