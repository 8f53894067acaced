// Views and games by click, key and link; deep links when the page is opened and later.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open } from "./lib/chromium.mjs";
import { cave, kinds } from "./lib/matches.mjs";
import { records } from "./lib/referee.mjs";
import { heading, state, tabTo, until } from "./lib/viewer.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function view(made, hash, look, options = {}) {
  const opened = await open(browser, made.page, { hash, ...options });
  try {
    await look(opened, opened.page);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
  }
}

const shows = (opened, game, ply) =>
  until(async () => {
    const now = await state(opened);
    return now && now.game === game && now.ply === ply;
  }, `game ${game}, move ${ply}`);

test("a click leads from the overview to a player, a pairing and a game", async () => {
  await view(cave(), "", async (opened, page) => {
    await page.getByRole("link", { name: "alice" }).first().click();
    await until(async () => /alice/.test(await heading(opened)), "the view of alice");
    const game = page.locator('#view a[href^="#game-"]').first();
    const number = Number((await game.getAttribute("href")).match(/\d+/)[0]);
    await game.click();
    await until(async () => (await state(opened))?.game === number, `game ${number}`);
    await page.goBack();
    await until(async () => /alice/.test(await heading(opened)), "the view of alice again");
    await page.goBack();
    await page.locator('a[href="#pairing-1-2"]').first().click();
    await until(async () => /alice.*bob/s.test(await heading(opened)), "the pairing");
  });
});

test("a game is chosen with the keyboard alone", async () => {
  await view(cave(), "", async (opened, page) => {
    await tabTo(page,
      (element) => element.getAttribute("href")?.endsWith("games") && element.closest("main") !== null);
    await page.keyboard.press("Enter");
    await until(async () => (await page.locator('#view a[href^="#game-"]').count()) > 0, "the list of games");
    await tabTo(page, (element) => element.getAttribute("href") === "#game-2");
    await page.keyboard.press("Enter");
    await until(async () => (await state(opened))?.game === 2, "game 2");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await shows(opened, 2, 2);
  });
});

test("a deep link opens its move, when the page loads and when the address changes", async () => {
  const { moves } = records(cave().results).get(7);
  await view(cave(), "#game-7-move-6", async (opened, page) => {
    await shows(opened, 7, 6);
    await page.evaluate(() => {
      location.hash = "#game-3-move-5";
    });
    await shows(opened, 3, 5);
    // A move beyond the end is the last one.
    await page.evaluate(() => {
      location.hash = "#game-7-move-9999";
    });
    await shows(opened, 7, moves.length);
  });
});

test("a link has priority over the address of a step just before", async () => {
  await view(cave(), "#game-7-move-2", async (opened, page) => {
    await shows(opened, 7, 2);
    for (let round = 0; round < 5; round += 1) {
      await page.keyboard.press("ArrowRight");
      // The page changes its address some milliseconds after a step. It is busy then, and the
      // link is followed first.
      await page.evaluate(() => {
        setTimeout(() => {
          const end = performance.now() + 250;
          while (performance.now() < end);
        });
      });
      await page.evaluate((game) => {
        location.hash = `#game-${game}-move-5`;
      }, 3 + round);
      await shows(opened, 3 + round, 5);
    }
  });
});

test("deep links reach the games of each match of a page", async () => {
  await view(kinds(), "#match-2-game-1-move-5", async (opened, page) => {
    await shows(opened, 1, 5);
    await page.keyboard.press("ArrowRight");
    const address = "#match-2-game-1-move-6";
    await until(async () => (await page.evaluate(() => location.hash)) === address, address);
    assert.match(await heading(opened), /plain|random|squares|groups|lodestone/);
  });
});

for (const hash of [
  "#game-0",
  "#game-99999",
  "#game-",
  "#game-3-move-x",
  "#player-99",
  "#pairing-1-99",
  "#match-77-games",
  "#__proto__",
  "#%",
  "#game-1e1",
  '#"><img>',
]) {
  test(`the address ${hash} leaves a page that works`, async () => {
    await view(cave(), hash, async (opened, page) => {
      assert.ok((await heading(opened)).length > 0);
      assert.ok(await page.locator("h1").first().isVisible());
      await page.evaluate(() => {
        location.hash = "#game-3-move-5";
      });
      await shows(opened, 3, 5);
    });
  });
}
