// The page without a network: from a server that is gone after the page was loaded, and from a file.
// And the page from any static server, in a folder of it.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../page/lib/chromium.mjs";
import { temporaryFolder } from "../page/lib/referee.mjs";
import { DIST, ENDINGS, boardShown, click, legalMoves, moves, openGame, serve, startOf, status, untilTurn } from "./lib/play.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Plays the first legal move, and waits for the reply. Returns whether the game goes on. */
async function playOne(opened) {
  const { variant, start } = await startOf(opened);
  const played = await moves(opened);
  const [move] = legalMoves(variant, start, played).legal;
  for (const cell of move.match(/../g)) await click(opened, cell);
  await opened.page.waitForFunction((count) => document.querySelectorAll(".moves a").length > count,
    played.length);
  const goesOn = await untilTurn(opened);
  const native = legalMoves(variant, start, await moves(opened));
  assert.equal(await boardShown(opened), native.fen.split(" ")[0]);
  if (!goesOn) assert.match(await status(opened), ENDINGS[native.result]);
  return goesOn;
}

/** Plays to the end, then a new game, then asks for an analysis and watches two engines. */
async function useEverything(opened) {
  const { page } = opened;
  while (await playOne(opened));
  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await moves(opened), []);
  await playOne(opened);
  // Analysis and each player have a worker of their own.
  await page.keyboard.press("a");
  await page.locator(".best-lines li").nth(2).waitFor();
  await page.keyboard.press("a");
  const played = (await moves(opened)).length;
  await page.locator("#player-1").selectOption("easy");
  await page.locator("#player-2").selectOption("easy");
  await page.waitForFunction((count) => document.querySelectorAll(".moves a").length >= count, played + 2);
  assert.equal(page.workers().length, 3);
}

const GAMES = { "magnetic-cave": "#magnetic-cave&moves=a6b6h1g1&players=human,easy",
  gridlock: "#gridlock&start=4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4_x_0_6&players=human,easy" };

for (const [variant, hash] of Object.entries(GAMES)) {
  test(`offline: ${variant} goes on after the server has stopped`, async () => {
    const server = await serve("/games/lodestone/");
    const opened = await openGame(browser, { address: `${server.address}lodestone.html`, hash });
    await opened.page.waitForLoadState("networkidle");
    await server.close();
    await opened.context.setOffline(true);
    const requests = [];
    opened.page.on("request", (request) => requests.push(request.url()));
    await useEverything(opened);
    assert.deepEqual(requests.filter((url) => !url.startsWith("blob:")), []);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });

  test(`offline: ${variant} from a file`, async () => {
    const opened = await openGame(browser, { hash });
    await opened.context.setOffline(true);
    await opened.page.reload();
    await untilTurn(opened);
    await useEverything(opened);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test("served: in a folder of a server", { skip: hasPython ? false : "python3 is not installed" },
  async () => {
    const root = temporaryFolder();
    cpSync(DIST, join(root, "games/lodestone"), { recursive: true });
    const server = spawn("python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "-d", root, "0"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const port = await new Promise((done, fail) => {
        server.on("exit", (status) => fail(new Error(`the server has ended: ${status}`)));
        let said = "";
        server.stdout.on("data", (bytes) => {
          said += bytes;
          const found = / port (\d+) /.exec(said);
          if (found) done(found[1]);
        });
      });
      const address = `http://127.0.0.1:${port}/games/lodestone/lodestone.html`;
      for (const hash of Object.values(GAMES)) {
        const opened = await openGame(browser, { address, hash });
        await useEverything(opened);
        // The link of a move opens the page of this server.
        const link = await opened.page.locator(".moves a").first().evaluate((item) => item.href);
        assert.ok(link.startsWith(`${address}#`), link);
        assert.deepEqual(opened.problems, []);
        await opened.close();
      }
    } finally {
      server.kill();
    }
  });
