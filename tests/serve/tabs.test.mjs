// Several tabs and several boards of one server.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { REFUSED, button, cell, go, matchForm, moves, startBoard, visit, words } from "./lib/pages.mjs";
import { BOT, PATIENCE, heldBot, start, until } from "./lib/server.mjs";

const held = heldBot();
let server;
before(async () => {
  server = await start({ args: [BOT, ...held.words] });
});
after(() => server?.kill("SIGINT"));

/** Another tab of the same browser. */
async function tab({ page, context, problems }) {
  const other = await context.newPage();
  assert.match(problems.pop(), /^window:/);
  other.setDefaultTimeout(PATIENCE);
  other.on("pageerror", (error) => problems.push(`exception: ${error.stack}`));
  await other.goto(page.url());
  return other;
}

test("two tabs on one board stay in step", async () => {
  const opened = await visit(server);
  const { page, end } = opened;
  await startBoard(page, "human", "human");
  const other = await tab(opened);
  const both = (list) =>
    until(async () => [await moves(page), await moves(other)].every((one) => one.join() === list), list);
  await cell(page, "a1").click();
  await both("a1");
  await cell(other, "b1").click();
  await both("a1,b1");
  await button(page, "Undo").click();
  await both("a1");
  await page.selectOption("#player-2", "program:bot");
  await until(async () => (await moves(other)).length === 2);
  assert.equal(await other.locator("#player-2").inputValue(), "program:bot");
  // Each tab looks at its own position.
  await button(other, "First position").click();
  await words(other, "#status", /^After move 0 of 2/);
  await words(page, "#status", /^Your move/);
  await button(page, "Resign").click();
  await words(other, "#status", /bot \(White\) wins/);
  await button(page, "Close the board").click();
  await words(page, "main", /This board is closed\./);
  await words(other, "main", /This board is closed\./);
  await end();
});

test("a tab that is closed stops nothing, and shows the state again", async () => {
  const opened = await visit(server, "#/match");
  const { page, end } = opened;
  await matchForm(page, ["program:bot", "program:held"], { "Games at a time": "2",
    "File of the results": "closed" });
  await button(page, "Start").click();
  await words(page, ".live-boards h3", /move [45]:/);
  const address = page.url();
  const watched = await server.board({ players: ["builtin:random", "builtin:random"],
    clock: { base: 600_000, increment: 0 }, seconds: 60 });
  const other = await tab(opened);
  await go(other, watched);
  await other.locator(".moves li").first().waitFor();
  await other.close();
  await page.close();
  held.release("more");
  held.release("end");
  await until(async () =>
    (await server.get("/api/matches")).matches.find((one) => one.name === "closed.jsonl").state === "finished"
  );
  await until(async () =>
    (await server.get("/api/boards")).boards.find((one) => watched.endsWith(`/${one.id}`)).isOver
  );
  const again = await visit(server, new URL(address).hash);
  await words(again.page, ".progress-words", /^Finished: 2 of 2 games\.$/);
  await go(again.page, watched);
  await button(again.page, "Play again").waitFor();
  await again.end();
  await end(REFUSED);
});

test("two boards are played in turn, and the list shows and closes both", async () => {
  const { page, end } = await visit(server);
  const boards = [];
  for (const players of [["human", "human"], ["human", "program:bot"]])
    boards.push(await server.board({ players, seconds: 60 }));
  for (const counts of [[1, 2], [2, 4], [3, 6]]) {
    for (const [at, board] of boards.entries()) {
      await go(page, board);
      await page.locator('[role=gridcell][aria-label*="legal"]').first().click();
      await until(async () => (await moves(page)).length === counts[at]);
    }
  }
  await go(page, "#/");
  const card = (text) => page.locator(".cards li").filter({ hasText: text });
  const ofPeople = card("Person against Person3 moves. White to move.");
  await ofPeople.waitFor();
  const withBot = card("Person against bot6 moves. Your move (Black).");
  await withBot.waitFor();
  await withBot.getByRole("button").click();
  await card("against bot").waitFor({ state: "detached" });
  await ofPeople.getByRole("link").click();
  await until(async () => (await moves(page)).length === 3);
  assert.equal(new URL(page.url()).hash, boards[0]);
  await end();
});
