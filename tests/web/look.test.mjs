// Each state of the page, wide and narrow, light and dark: without violations of axe-core, without
// sideways scrolling. With PICTURES=FOLDER in the environment it writes screenshots there.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { NARROW, WIDE, axe, launch } from "../page/lib/chromium.mjs";
import { ROOT } from "../page/lib/referee.mjs";
import { openGame, untilTurn } from "./lib/play.mjs";

const PICTURES = process.env.PICTURES && resolve(ROOT, process.env.PICTURES);
if (PICTURES) mkdirSync(PICTURES, { recursive: true });

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const WON = "#magnetic-cave&moves=a8h8a7h7a6h6a5h5a4&players=human,human";
const MIDDLE = "#magnetic-cave&moves=a6b6c6h1g1a5a4a7b7h5&players=human,hard";
const GRIDLOCK = "#gridlock&moves=b2a2b3b2&players=human,hard";

const button = (page, name) => page.getByRole("button", { name, exact: true });

/** The states: an address, and what brings the page from there to the state. */
const STATES = { start: ["", async () => {}], won: [WON, async (page) => button(page, "Analysis").click()],
  why: [MIDDLE, async (page) => {
    await button(page, "Why").click();
    await page.locator("#advice .line").first().waitFor();
  }], analysis: [MIDDLE, async (page) => {
    await button(page, "Analysis").click();
    await page.waitForFunction(() => document.querySelectorAll(".best-lines li").length === 3);
  }], gridlock: [GRIDLOCK, async (page) => {
    await button(page, "Analysis").click();
    await page.waitForFunction(() => document.querySelectorAll(".best-lines li").length === 3);
  }], earlier: [GRIDLOCK, async (page) => page.keyboard.press("ArrowLeft")],
  setup: [MIDDLE, async (page) => button(page, "Set up").click()],
  new: [GRIDLOCK, async (page) => button(page, "New game").click()],
  files: [MIDDLE, async (page) => button(page, "Load, save, share").click()],
  rules: ["", async (page) => button(page, "Rules").click()] };

for (const [width, size] of Object.entries({ wide: WIDE, narrow: NARROW })) {
  test(`${width}: every state is accessible, light and dark, and fits`, async () => {
    const found = [];
    for (const [state, [hash, prepare]] of Object.entries(STATES)) {
      const opened = await openGame(browser, { hash, size });
      const { page } = opened;
      await untilTurn(opened);
      await prepare(page);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        const violations = await axe(opened);
        found.push(...violations.map((text) => `${state}, ${colorScheme}: ${text}`));
        if (PICTURES)
          await page.screenshot({ path: join(PICTURES, `${state}-${width}-${colorScheme}.png`),
            fullPage: true });
      }
      const { scroll, inner } = await page.evaluate(() => ({ scroll: document.scrollingElement.scrollWidth,
        inner: innerWidth })
      );
      if (scroll > inner) found.push(`${state}: ${scroll} px wide in ${inner} px`);
      found.push(...opened.problems.map((text) => `${state}: ${text}`));
      await opened.close();
    }
    assert.deepEqual(found, []);
  });
}

test("the board turns with `f`, and keys follow what is seen", async () => {
  const opened = await openGame(browser, { hash: "#magnetic-cave&players=human,human" });
  const { page } = opened;
  const labels = () =>
    page.locator("[role=gridcell]").evaluateAll((all) =>
      all.map((one) => one.getAttribute("aria-label").slice(0, 2))
    );
  await page.getByRole("grid", { name: "Board", exact: true }).waitFor();
  assert.deepEqual((await labels()).slice(0, 2), ["a8", "b8"]);
  await page.keyboard.press("f");
  assert.deepEqual((await labels()).slice(0, 2), ["h1", "g1"]);
  await page.keyboard.press("b");
  const focus = () => page.evaluate(() => document.activeElement.getAttribute("aria-label").slice(0, 2));
  const before = await focus();
  await page.keyboard.press(before[1] === "8" ? "ArrowUp" : "ArrowDown");
  const column = (cell) => cell[0];
  assert.equal(column(await focus()), column(before));
  assert.notEqual(await focus(), before);
  await opened.close();
});
