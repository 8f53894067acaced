// The page of a match in progress (`referee match --html`): it follows the match from a file.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, launch, open } from "./lib/chromium.mjs";
import { REFEREE, ROOT, records, temporaryFolder } from "./lib/referee.mjs";

/** Longer than the page waits for a reader, and for the next page. */
const PATIENCE = 60_000;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A bot that waits for files in the folder of the test after its first games. */
const HELD = join(ROOT, "tests/page/lib/held-bot.sh");

/**
 * Starts a match of two games at a time, and waits for its page. Each bot plays `free` games without a
 * pause; later games wait after 12 half-moves until `release('more')`, and after 20 until
 * `release('end')`. So no game ends before the test has looked at it, however slow the machine is.
 */
async function begin(games, free) {
  const folder = temporaryFolder();
  const file = join(folder, "match.html");
  const results = join(folder, "match.jsonl");
  const player = (name) => ["--engine", `cmd=${HELD}`, `args=${folder} ${free}`, `name=${name}`];
  const child = spawn(REFEREE, [...[
    "match",
    ...player("alice"),
    ...player("bob"),
    "--games",
    `${games}`,
    "--concurrency",
    "2",
  ], ...["--each", "st=600", "--quiet", "--out", results, "--html", file]], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", (status) => resolve(status)));
  await until(() => existsSync(file), "no page");
  const release = (name) => writeFileSync(join(folder, name), "");
  return { file, results, ended, release, stop: () => child.kill("SIGINT") };
}

/** Waits for a condition. */
async function until(fits, message) {
  const end = Date.now() + PATIENCE;
  while (!(await fits())) {
    assert.ok(Date.now() < end, message);
    await sleep(50);
  }
}

const boards = (page) => page.locator(".live-boards article");

/** Does something with the page, again where the page loads itself meanwhile. */
async function repeated(act) {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!/context|navigat|promise was collected|axe is not defined/i.test(error.message)) throw error;
    }
  }
}

const asked = (page, question, argument) => repeated(() => page.evaluate(question, argument));

/** The data of the match, from a page that is loaded as a whole. */
async function data(page) {
  let found = null;
  await until(async () => {
    found = await asked(page,
      () =>
        document.readyState === "loading" ? null : JSON.parse(document.getElementById("data").textContent));
    return found !== null;
  }, "the page is not loaded");
  return found.matches[0];
}

/** What axe finds in a page that has not loaded itself meanwhile. */
async function violations(opened) {
  const { page } = opened;
  let found = null;
  await until(async () => {
    // The page waits 5 s for a reader who turns the wheel. On a busy machine axe may take longer.
    await page.mouse.wheel(0, 1);
    if (!(await asked(page, () => {
      window.whole = document.readyState !== "loading";
      return window.whole;
    }))) return false;
    found = await repeated(() => axe(opened));
    return asked(page, () => window.whole === true);
  }, "the page loads itself all the time");
  return found;
}

/** The number of half-moves of the running games. */
const lengths = async (page) => ((await data(page)).running ?? []).map((game) => game[10].length);

test("the open page follows a match to its end", async () => {
  const match = await begin(4, 0);
  const opened = await open(browser, match.file, { hash: "#live" });
  try {
    const { page, problems } = opened;
    // Both running games, with more moves each time.
    await boards(page).nth(1).waitFor({ timeout: PATIENCE });
    await until(async () => `${await lengths(page)}` === "12,12", "the games do not reach 12 half-moves");
    match.release("more");
    await until(async () => `${await lengths(page)}` === "20,20", "the games do not reach 20 half-moves");
    assert.deepEqual(await violations(opened), []);
    await page.locator(".live-columns .standings tbody tr").first().waitFor({ timeout: PATIENCE });
    match.release("end");
    assert.equal(await match.ended, 0);
    // It shows the end by itself, and then stays.
    await page.getByText("The match is over.").waitFor({ timeout: PATIENCE });
    assert.equal((await data(page)).games.length, 4);
    assert.equal(new URL(page.url()).hash, "#live");
    await page.evaluate(() => {
      window.mark = true;
    });
    await sleep(4000);
    assert.equal(await page.evaluate(() => window.mark), true,
      "the page of a finished match does not load itself");
    assert.deepEqual(problems, []);
  } finally {
    await opened.close();
    match.stop();
    await match.ended;
  }
});

test("a reader who steps through a game stays there, and a running game is followed", async () => {
  const match = await begin(6, 1);
  const opened = await open(browser, match.file, { hash: "#games" });
  try {
    const { page, problems } = opened;
    await until(async () => (await data(page)).games.length > 0, "no game is finished");
    const [id] = records(match.results).keys();
    await asked(page, (id) => {
      location.hash = `#game-${id}-move-3`;
    }, id);
    await page.locator('.moves [aria-current="step"]').waitFor();
    await asked(page, () => {
      window.mark = true;
    });
    const marked = () => asked(page, () => window.mark === true);
    // The page waits 5 s after a key. On a busy machine a key may come later than that.
    let last = Date.now();
    for (let press = 0, inTime = 0; inTime < 12; press++) {
      await page.keyboard.press(press % 2 ? "ArrowLeft" : "ArrowRight");
      await sleep(500);
      const stayed = await marked();
      const now = Date.now();
      if (now - last < 5000) {
        assert.equal(stayed, true, "the page loaded itself while its reader was stepping");
        inTime++;
      } else {
        await asked(page, () => {
          window.mark = true;
        });
      }
      last = now;
      assert.ok(press < 100, "no twelve keys in time");
    }
    const [, step] = new URL(page.url()).hash.split("-move-");
    // It goes on when the reader rests, at the same move.
    await page.waitForFunction(() => window.mark !== true, null, { timeout: PATIENCE });
    assert.equal(new URL(page.url()).hash, `#game-${id}-move-${step}`);
    assert.match(await page.locator('.moves [aria-current="step"]').textContent(), new RegExp(`^${step}\\.`));
    // A running game is shown after its last move, whatever that is.
    await until(async () => (await lengths(page)).includes(12), "no running game reaches 12 half-moves");
    const [running] = (await data(page)).running.find((game) => game[10].length === 12);
    await asked(page, (id) => {
      location.hash = `#game-${id}`;
    }, running);
    const current = () => page.locator(".moves li").last().locator('a[aria-current="step"]');
    await current().waitFor({ timeout: PATIENCE });
    const moves = () => page.locator(".moves li").count();
    assert.equal(await moves(), 12);
    match.release("more");
    await until(async () => (await moves()) === 20, "the page does not show more moves");
    await current().waitFor({ timeout: PATIENCE });
    assert.deepEqual(problems, []);
  } finally {
    await opened.close();
    match.stop();
    assert.equal(await match.ended, 130);
  }
});
