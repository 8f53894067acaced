// Games go from the page to the real `referee play` and back, from matches to the page, and from
// one page to another by a link.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../page/lib/chromium.mjs";
import { randomGames } from "../page/lib/matches.mjs";
import { REFEREE, records, referee, run, temporaryFolder } from "../page/lib/referee.mjs";
import { boardShown, click, legalMoves, moves, openGame, startOf, status, untilTurn } from "./lib/play.mjs";

const folder = temporaryFolder();

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const openFiles = ({ page }) => page.getByRole("button", { name: "Load, save, share" }).click();

/** Saves the game with the button of the page, and returns the path of the file. */
async function save(opened, name) {
  const { page } = opened;
  await openFiles(opened);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as a file" }).click(),
  ]);
  const path = join(folder, name);
  await download.saveAs(path);
  await page.getByRole("button", { name: "Close" }).click();
  return path;
}

/** Chooses a file in the dialog. */
async function choose(opened, path) {
  await openFiles(opened);
  await opened.page.locator("#file").setInputFiles(path);
}

const problem = ({ page }) => page.locator("dialog .problem");

const GAMES = { "magnetic-cave": "#magnetic-cave&moves=a6b6h1g1&players=human,groups_0.5",
  gridlock: "#gridlock&start=xo5/7/7/7/7/7/5xo_x_0_40&moves=g6f6g7g6a1b1a2b2&players=human,hard" };

for (const [variant, hash] of Object.entries(GAMES)) {
  test(`${variant}: referee play continues a game of the page, and the page one of referee play`, async () => {
    const opened = await openGame(browser, { hash });
    await untilTurn(opened);
    const path = await save(opened, `${variant}.txt`);
    const words = new Map(
      readFileSync(path, "utf8").split("\n").filter((line) => /^\w/.test(line)).map((line) =>
        line.split(/: ?(.*)/s)
      ),
    );
    assert.equal(words.get("variant"), variant);
    assert.deepEqual(words.get("moves").split(" "), await moves(opened));

    // The real program loads it, plays a move and its reply, and saves it.
    const { start } = await startOf(opened);
    const [next] = legalMoves(variant, start, await moves(opened)).legal;
    const other = join(folder, `${variant}-other.txt`);
    run(REFEREE, [], { cwd: folder, input: [`load ${path}`, next, `save ${other}`, "q", ""].join("\n") });
    const saved = readFileSync(other, "utf8");
    const played = /^moves: (.*)$/m.exec(saved)[1].split(" ");
    assert.deepEqual(played.slice(0, -1), [...(await moves(opened)), next], "the computer has answered");

    await choose(opened, other);
    await opened.page.locator("dialog").waitFor({ state: "detached" });
    assert.deepEqual(await moves(opened), played);
    assert.equal(await boardShown(opened), legalMoves(variant, start, played).fen.split(" ")[0]);
    // The players are those of the file, so the page saves the same file again.
    assert.equal(readFileSync(await save(opened, `${variant}-again.txt`), "utf8"), saved);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}

for (const variant of ["magnetic-cave", "gridlock"]) {
  test(`${variant}: result files and PGN of matches`, async () => {
    const { results } = randomGames(variant, 20);
    const games = [...records(results).values()];
    const pgn = join(folder, `${variant}.pgn`);
    referee(["report", results, "--pgn", pgn], { statuses: [0, 1] });
    const opened = await openGame(browser);
    const { page } = opened;
    for (const path of [results, pgn]) {
      await choose(opened, path);
      await page.locator("#game-of-file").selectOption({ index: 3 });
      await page.getByRole("button", { name: "Load this game" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      assert.deepEqual(await moves(opened), games[3].moves, path);
      assert.match(await status(opened),
        { "1-0": /^(Black|X) wins: /, "0-1": /^(White|O) wins: /, "1/2-1/2": /^A draw: / }[games[3].result]);
    }
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}

test("a wrong file is refused with its line, and changes nothing", async () => {
  const good = "variant: magnetic-cave\nstart: 8/8/8/8/8/8/8/8 x\nmoves: a6 b6\n";
  const opened = await openGame(browser, { hash: "#magnetic-cave&moves=h8&players=human,human" });
  for (const [content, expected] of [
    [good.replace("b6", "c6"), /move 2: c6 touches neither a wall nor a brick/],
    [good.replace("8 x", "8 o"), /FEN, character 17: with o to move/],
    [good.replace("moves", "mvoes"), /line 3: unknown key “mvoes”/],
    [`${good}first: human\nsecond: mobility\n`, /mobility does not play Magnetic Cave/],
    ['{"header":1}\n', /it holds no games/],
  ]) {
    const path = join(folder, "wrong.txt");
    writeFileSync(path, content);
    await choose(opened, path);
    await opened.page.waitForFunction(() => document.querySelector("dialog .problem").textContent);
    assert.match(await problem(opened).textContent(), expected, content);
    assert.deepEqual(await moves(opened), ["h8"]);
    await opened.page.keyboard.press("Escape");
  }
  assert.deepEqual(opened.problems, []);
  await opened.close();
});

for (const [variant, hash] of Object.entries(GAMES)) {
  test(`${variant}: a link shows the same game on another page, and a link of the list the position after that move`, async () => {
    const opened = await openGame(browser, { hash });
    await untilTurn(opened);
    await openFiles(opened);
    const link = await opened.page.getByLabel("Link to this game", { exact: true }).inputValue();
    const fen = await opened.page.getByLabel("FEN of the position shown", { exact: true }).inputValue();
    const { start } = await startOf(opened);
    assert.equal(fen, legalMoves(variant, start, await moves(opened)).fen);
    const other = await openGame(browser, { hash: new URL(link).hash });
    await untilTurn(other);
    assert.deepEqual(await moves(other), await moves(opened));
    assert.equal(await boardShown(other), await boardShown(opened));
    // Without players in the link, two people play.
    assert.match(await status(other), /^(Black|X) to move\.$/);
    const third = await other.page.locator(".moves a").nth(2).getAttribute("href");
    const last = await openGame(browser, { hash: third });
    await last.page.waitForFunction(() => document.querySelectorAll(".moves a").length === 3);
    assert.equal(await boardShown(last),
      legalMoves(variant, start, (await moves(opened)).slice(0, 3)).fen.split(" ")[0]);
    for (const one of [opened, other, last]) {
      assert.deepEqual(one.problems, []);
      await one.close();
    }
  });
}

test("a page that is loaded again continues its game", async () => {
  const opened = await openGame(browser, { hash: "#magnetic-cave&players=human,hard" });
  await click(opened, "a6");
  await untilTurn(opened);
  const played = await moves(opened);
  await opened.page.reload();
  await untilTurn(opened);
  assert.deepEqual(await moves(opened), played);
  assert.equal(await opened.page.locator("#player-2").inputValue(), "hard");
  await opened.close();
});

for (const [hash, expected] of [
  ["#chess", /“chess” is no game/],
  ["#magnetic-cave&moves=a6b", /its moves are incomplete/],
  ["#magnetic-cave&moves=d4", /move 1: d4 touches neither a wall nor a brick/],
  ["#gridlock&start=x6/7/7/7/7/7/7_x_0_40", /FEN, character/],
  ["#%", /cannot be decoded/],
  ["#magnetic-cave&players=human,<b>", /“<b>” does not play/],
]) {
  test(`the link ${hash} is explained, and a new game begins`, async () => {
    const opened = await openGame(browser, { hash });
    assert.match(await opened.page.locator("#said").textContent(), expected);
    assert.match(await status(opened), /Your move/);
    assert.deepEqual(await moves(opened), []);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}
