// Whole games of both variants against the engine in the page: by clicks, by keyboard alone, on a
// narrow screen by touch. The native engine says which moves are legal and who has won.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { NARROW, launch } from "../page/lib/chromium.mjs";
import { listen } from "../page/lib/live-regions.mjs";
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

test("each side has one word and one sign, and what happens is said once", async () => {
  const opened = await openGame(browser, { hash: "#magnetic-cave&players=human,easy", scheme: "dark" }),
    { page } = opened;
  await untilTurn(opened);
  const said = await listen(page),
    heard = async (pattern) => (await said()).filter((words) => pattern.test(words));
  await click(opened, "a6");
  await page.waitForFunction(() => window.heard.some((words) => /Your move/.test(words)));
  const [, reply] = await moves(opened);
  assert.deepEqual(await said(), ["Black: a6. easy (White) thinks …", `White: ${reply}. Your move (Black).`]);
  await page.getByRole("button", { name: "Resign" }).click();
  assert.deepEqual(await heard(/resigned/), ["White wins: Black resigned."]);
  for (const side of [1, 2]) {
    const colours = await page.locator(`.side-${side} .brick`).evaluateAll((all) =>
      all.map((one) => `${getComputedStyle(one).fill} ${getComputedStyle(one).stroke}`)
    );
    assert.equal(colours.length, 2, "a brick on the board, and the sign");
    assert.equal(new Set(colours).size, 1, "both look alike in the dark");
  }
  for (const name of [null, "New game", "Rules", "Set up"]) {
    if (name) await page.getByRole("button", { name, exact: true }).click();
    assert.doesNotMatch(await page.locator("body").innerText(), /Player [12]|[■□]|\b[xo] |black|white/);
    await page.keyboard.press("Escape");
  }
  assert.deepEqual(opened.problems, []);
  await opened.close();
});

test("the page fits a small window with its buttons, at the margins of the header", async () => {
  const played = "a6b6c6h1g1a5a4a7b7h5d6b5c5a8h2h3g2f1c7d7h8g8h7g7";
  const opened = await openGame(browser, { hash: `#magnetic-cave&moves=${played}&players=human,human`,
    size: { width: 1280, height: 800 } });
  const { page } = opened;
  for (const name of ["Why", "Analysis"]) await page.getByRole("button", { name }).click();
  await page.waitForFunction(() => document.querySelectorAll(".best-lines li").length === 3);
  await page.locator("#advice .line").waitFor();
  const outside = await page.locator("main :is(button, select, .strip)").evaluateAll((all) =>
    all.filter((one) => one.offsetParent && one.getBoundingClientRect().bottom > innerHeight).map((one) =>
      one.textContent
    )
  );
  assert.deepEqual(outside, []);
  const left = (selector) =>
    page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().left);
  assert.equal(await left("h1"), await left(".strip"));
  await page.getByRole("button", { name: "Rules" }).click();
  assert.ok(await page.locator("dialog h2").evaluate((one) => one === document.activeElement),
    "the rules come first");
  await opened.close();
});
