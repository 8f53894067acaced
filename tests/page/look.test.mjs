// Each view, wide and narrow, light and dark: without violations of axe-core, without sideways
// scrolling, and in print. With PICTURES=FOLDER in the environment it writes screenshots there.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { NARROW, WIDE, axe, launch, open } from "./lib/chromium.mjs";
import { cave, gridlock, hostile, kinds, other } from "./lib/matches.mjs";
import { ROOT } from "./lib/referee.mjs";
import { screenshot, scrollThrough, setHash, settled } from "./lib/viewer.mjs";

const PICTURES = process.env.PICTURES && resolve(ROOT, process.env.PICTURES);
if (PICTURES) mkdirSync(PICTURES, { recursive: true });

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function picture(page, name) {
  if (PICTURES) await screenshot(page, join(PICTURES, `${name}.png`));
}

async function go(opened, hash) {
  await setHash(opened, hash);
  await scrollThrough(opened);
}

const PAGES = [
  ["cave", cave, { overview: "#", games: "#games", player: "#player-1", pairing: "#pairing-1-2",
    game: "#game-5", middle: "#game-5-move-12" }],
  ["gridlock", gridlock, { overview: "#", game: "#game-2", middle: "#game-2-move-9" }],
  ["breakthrough", () => other("breakthrough"), { overview: "#", game: "#game-1-move-9" }],
  ["kalah", () => other("kalah"), { game: "#game-1-move-9" }],
  ["nim", () => other("nim"), { game: "#game-1-move-2" }],
  ["sticks", () => other("sticks"), { game: "#game-1-move-2" }],
  // A long page, which takes long to check. Its colours are those of the others.
  ["kinds", kinds, { overview: "#", swiss: "#match-2-games" }, ["light"]],
  ["hostile", hostile, { overview: "#", player: "#player-1", game: "#game-1" }],
];

for (const [name, make, views, schemes = ["light", "dark"]] of PAGES) {
  for (const [width, size] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    test(`${name}, ${width}: every view is accessible, light and dark, and fits`, async () => {
      const opened = await open(browser, make().page, { size });
      const { page } = opened;
      const found = [];
      for (const [view, hash] of Object.entries(views)) {
        await go(opened, hash);
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          const violations = await axe(opened);
          found.push(...violations.map((text) => `${view}, ${colorScheme}: ${text}`));
          await picture(page, `${name}-${view}-${width}-${colorScheme}`);
        }
        const { scroll, inner } = await page.evaluate(() => ({ scroll: document.scrollingElement.scrollWidth,
          inner: innerWidth })
        );
        if (scroll > inner) found.push(`${view}: ${scroll} px wide in ${inner} px`);
      }
      assert.deepEqual(found, []);
      assert.deepEqual(opened.problems, []);
      await opened.close();
    });
  }
}

test("print is dark on white, without controls, whatever the colour scheme", async () => {
  for (const scheme of ["light", "dark"]) {
    const opened = await open(browser, cave().page, { scheme });
    const { page } = opened;
    for (const [view, hash] of Object.entries({ overview: "#", game: "#game-5-move-12" })) {
      await go(opened, hash);
      await page.emulateMedia({ media: "print", colorScheme: scheme });
      const { background, text, buttons } = await page.evaluate(() => ({
        background: getComputedStyle(document.body).backgroundColor,
        text: getComputedStyle(document.body).color,
        buttons: [...document.querySelectorAll("button, input")].filter((it) => it.checkVisibility()).length,
      }));
      const brightness = (color) => {
        const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number);
        return alpha === 0 ? 255 : (red + green + blue) / 3;
      };
      assert.ok(brightness(background) > 250, `${view}: background ${background}`);
      assert.ok(brightness(text) < 60, `${view}: text ${text}`);
      assert.equal(buttons, 0, `${view}: controls in print`);
      const pdf = await page.pdf({ format: "A4", printBackground: false });
      const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
      assert.ok(pages >= 1 && pages <= 12, `${view}: ${pages} pages`);
      await picture(page, `print-${view}-${scheme}`);
      await page.emulateMedia({ media: "screen" });
    }
    assert.deepEqual(opened.problems, []);
    await opened.close();
  }
});

test("the focus is visible on everything that the tab key reaches, and leaves the page", async () => {
  const opened = await open(browser, cave().page, { hash: "#game-5-move-12" });
  const { page } = opened;
  await settled(opened);
  const seen = [];
  for (let step = 0; step < 300; step += 1) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const style = getComputedStyle(element);
      const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
      const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40);
      return { element: `${element.localName} ${name}`, ring: ring || style.boxShadow !== "none" };
    });
    if (!focus) break;
    seen.push(focus);
  }
  assert.ok(seen.length > 5 && seen.length < 300, `${seen.length} stops`);
  assert.deepEqual(seen.filter(({ ring }) => !ring), []);
  await opened.close();
});

test("without a script the tables are there", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: WIDE });
  const page = await context.newPage();
  await page.goto(`file://${cave().page}`);
  assert.ok(await page.getByRole("table", { name: /standings/i }).isVisible());
  assert.ok(await page.getByRole("table", { name: /crosstable/i }).isVisible());
  await picture(page, "without-script");
  await context.close();
});
