// The result files of the folder.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { REFUSED, button, cell, moves, visit, words } from "./lib/pages.mjs";
import { PROGRAM, gameLines, start, temporaryFolder, until } from "./lib/server.mjs";

let server, games;
before(async () => {
  const folder = temporaryFolder(), file = join(folder, "results/cup.jsonl");
  const match = ["match", "random", "groups", "--games", "2", "--each", "st=600", "--quiet", "--out", file];
  mkdirSync(join(folder, "results"));
  assert.equal(spawnSync(PROGRAM, match).status, 0);
  games = gameLines(file).map((line) => JSON.parse(line));
  server = await start({ folder });
});
after(() => server?.kill("SIGINT"));

test("the page of a result file steps through a game, which goes on on a board", async () => {
  const { page, end } = await visit(server, "#/results");
  await words(page, "tbody tr", /^cup\.jsonl.*2.*2.*kB/);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download cup.jsonl" }).click(),
  ]);
  assert.equal(readFileSync(await download.path(), "utf8"),
    readFileSync(join(server.results, "cup.jsonl"), "utf8"));
  await page.getByRole("link", { name: "cup.jsonl", exact: true }).click();
  await page.waitForURL("**/results/cup.jsonl");
  const [game] = games;
  await page.evaluate((id) => {
    location.hash = `#game-${id}-move-3`;
  }, game.id);
  const current = () => page.locator('.moves [aria-current="step"]');
  await current().filter({ hasText: new RegExp(`^3\\. *${game.moves[2]}`) }).waitFor();
  await page.keyboard.press("ArrowRight");
  await current().filter({ hasText: game.moves[3] }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await button(page, "Open on a board").click();
  await page.waitForURL(`**/#/open/cup.jsonl/${game.id}/3`);
  await words(page, ".panel .note", /^Game \d+ of cup\.jsonl continues after move 3\./);
  await page.selectOption("#seat-2", "human");
  await button(page, "Continue the game").click();
  await until(async () => (await moves(page)).join() === game.moves.slice(0, 3).join());
  for (const [at, move] of game.moves.slice(0, 3).entries())
    assert.match(await cell(page, move).getAttribute("aria-label"), at % 2 ? /white/ : /black/);
  // And back.
  await page.goBack();
  await page.goBack();
  await page.getByRole("link", { name: "← All results" }).click();
  await words(page, "tbody tr", /cup\.jsonl/);
  await end();
});

test("a file is analysed by clicks: a new file with all games", async () => {
  const { page, end } = await visit(server, "#/results");
  await button(page, "Analyse cup.jsonl").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Analysis by").selectOption("builtin:plain");
  await dialog.getByLabel("Seconds per position").fill("0.001");
  await dialog.getByLabel("Number of the game").fill("77");
  await button(dialog, "Start").click();
  await page.waitForURL("**/#/match/cup-analysis.jsonl");
  await words(page, ".progress-words", /^Failed:/);
  await page.goBack();
  await button(page, "Analyse cup.jsonl").click();
  await dialog.getByLabel("Analysis by").selectOption("builtin:plain");
  await dialog.getByLabel("Seconds per position").fill("0.001");
  await dialog.getByLabel("File of the analysis").fill("cup-all");
  await button(dialog, "Start").click();
  await page.waitForURL("**/#/match/cup-all.jsonl");
  const name = page.url().split("/").at(-1);
  await words(page, ".progress-words", /^Finished: 2 of 2 games\.$/);
  const analysed = gameLines(join(server.results, name)).map((line) => JSON.parse(line));
  assert.deepEqual(analysed.map((game) => game.moves), games.map((game) => game.moves));
  for (const { moves: all, analysis } of analysed)
    assert.deepEqual([analysis.engine.name, analysis.best.length], ["plain", all.length]);
  // It ends with its table.
  const rows = await page.locator("#analysis tr").evaluateAll((all) =>
    all.map(({ cells }) => [...cells].map((one) => one.textContent))
  );
  assert.deepEqual(rows.map(([, count]) => count), ["2", "2"]);
  assert.ok(rows.every(([, , known]) => Number(known) > 0), `${rows}`);
  await page.getByRole("link", { name: "Results" }).last().click();
  await page.waitForURL(`**/results/${name}`);
  await end(REFUSED);
});

test("the newest file is first; the list is sorted by numbers as numbers, and searched", async () => {
  const folder = temporaryFolder(), results = join(folder, "results"),
    [header, ...lines] = readFileSync(join(server.results, "cup.jsonl"), "utf8").split("\n");
  mkdirSync(results);
  // The name, the number of games, and the age.
  for (const [name, count, age] of [["week-10", 2, 2], ["week-9", 1, 3], ["week-2", 0, 1]]) {
    const path = join(results, `${name}.jsonl`), time = Date.now() / 1000 - 1000 * age;
    writeFileSync(path, [header, ...lines.slice(0, count), ""].join("\n"));
    utimesSync(path, time, time);
  }
  const own = await start({ folder }), { page, end } = await visit(own, "#/results");
  const order = (expected) =>
    until(
      async () =>
        (await page.locator("tbody tr").evaluateAll((rows) =>
          rows.map((row) => row.innerText.match(/week-(\d+)/)[1])
        )).join() === expected,
      expected,
    );
  await order("2,10,9");
  assert.equal(await page.getByRole("columnheader", { name: "Changed" }).getAttribute("aria-sort"),
    "descending");
  await button(page, "File").click();
  await order("2,9,10");
  await button(page, "File").click();
  await order("10,9,2");
  await button(page, "Games").click();
  await order("10,9,2");
  await button(page, "Games").click();
  await order("2,9,10");
  const aligned = (selector) =>
    page.locator(selector).first().evaluate((one) => getComputedStyle(one).textAlign);
  assert.deepEqual([await aligned("th:nth-child(2)"), await aligned("td:nth-child(2)")], ["right", "right"]);
  await page.getByLabel("Find a file").fill("9");
  await order("9");
  await end();
  await own.kill("SIGINT");
});
