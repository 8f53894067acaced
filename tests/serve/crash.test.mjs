// The server is killed. A new one with the same folder goes on.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { LOST, REFUSED, button, matchForm, moves, startBoard, visit, words } from "./lib/pages.mjs";
import { BOT, gameLines, heldBot, startFor, temporaryFolder, until } from "./lib/server.mjs";

test("a board is there after a crash of the server, with its moves, and the game goes on", async (t) => {
  const folder = temporaryFolder();
  const old = await startFor(t, { args: [BOT], folder });
  const lost = await visit(old);
  await startBoard(lost.page, "human", "program:bot", { seconds: "60" });
  for (const count of [2, 4]) {
    await lost.page.locator('[role=gridcell][aria-label*="legal"]').first().click();
    await until(async () => (await moves(lost.page)).length === count);
  }
  const played = await moves(lost.page);
  await old.kill("SIGKILL");
  await words(lost.page, "#connection", /The server does not answer.*Trying again\./);
  assert.deepEqual(await moves(lost.page), played, "the page still shows the game");

  const server = await startFor(t, { args: [BOT, "--listen", new URL(old.address).host], folder });
  // The new server has another key, so the old page says what to do, and goes on saying it.
  for (let times = 0; times < 3; times++) {
    await words(lost.page, "#connection",
      "Open the address that `referee serve` printed; it contains a key.");
    await new Promise((done) => setTimeout(done, 400));
  }
  const { page, end } = await visit(server);
  await words(page, ".cards li", /4 moves/);
  await page.locator(".cards a").click();
  await until(async () => (await moves(page)).length === 4);
  assert.deepEqual(await moves(page), played);
  await page.locator('[role=gridcell][aria-label*="legal"]').first().click();
  await until(async () => (await moves(page)).length === 6);
  assert.deepEqual((await moves(page)).slice(0, 4), played);
  await lost.end(LOST, REFUSED);
  await end();
});

test("a match is paused after a crash of the server; it is resumed and loses no finished game", async (t) => {
  const folder = temporaryFolder(), held = heldBot(), args = [BOT, ...held.words];
  const old = await startFor(t, { args, folder });
  const lost = await visit(old, "#/match");
  // All eight games with the bot that waits run at the same time; the other four end.
  await matchForm(lost.page, ["program:bot", "builtin:random", "program:held"], { "Games at a time": "9",
    "Games of each pairing": "4" });
  await button(lost.page, "Start").click();
  await words(lost.page, ".progress-words", /^Running: 4 of 12 games/);
  await until(async () =>
    (await lost.page.locator(".live-boards h3").filter({ hasText: /move [45]:/ }).count()) === 8
  );
  const file = join(old.results, "games.jsonl"), finished = gameLines(file);
  assert.equal(finished.length, 4);
  await old.kill("SIGKILL");
  await words(lost.page, "#connection", /The server does not answer.*Trying again\./);

  const server = await startFor(t, { args, folder });
  const { page, end } = await visit(server, "#/match");
  await words(page, "tbody tr", /games\.jsonl.*paused/);
  held.release("more");
  held.release("end");
  // The old process may still be ending; then the match fails, says so, and can be resumed again.
  await until(async () => {
    const resume = page.getByRole("button", { name: "Resume: games.jsonl" });
    if (await resume.isVisible()) await resume.click({ timeout: 1000 }).catch(() => {});
    return /matchfinished12 of 12/.test(await page.locator("tbody tr").textContent());
  });
  const games = gameLines(file);
  assert.equal(games.length, 12);
  assert.deepEqual(games.slice(0, 4), finished);
  await page.getByRole("link", { name: "games.jsonl" }).click();
  await words(page, ".progress-words", /^Finished: 12 of 12 games\.$/);
  await lost.end(LOST, REFUSED);
  // A second click on "Resume" comes too late.
  await end(REFUSED);
});
