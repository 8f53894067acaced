// Games on boards: with the mouse, with the keyboard, by several rules, and with programs that fail.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { listen } from "../page/lib/live-regions.mjs";
import { button, cell, clickCells, go, moves, playToEnd, startBoard, traces, NO_TRACES, visit, words } from "./lib/pages.mjs";
import { BOT, EXAMPLES, bot, program, start, temporaryFolder, until } from "./lib/server.mjs";

let server;
before(async () => {
  server = await start({ args: [BOT] });
});
after(() => server?.kill("SIGINT"));

/** A page of a server of its own. */
async function visitOwn(t, args, hash) {
  const own = await start({ args });
  t.after(() => own.kill("SIGINT"));
  return { ...(await visit(own, hash)), server: own };
}

test("a game against a Python bot is played by clicks to its end, and played again", async () => {
  const { page, state, end } = await visit(server);
  await startBoard(page, "human", "program:bot", { seconds: "60" });
  const click = (move) => cell(page, move).click();
  await playToEnd({ page, state }, (legal) => legal.toSorted()[0], click);
  assert.match(await page.locator("#status").textContent(), /wins: |^A draw: /);
  assert.equal((await moves(page)).length, state().game.moves.length);
  assert.equal(await page.locator('[role=gridcell][aria-label*="legal"]').count(), 0);
  // A click on a finished game says so.
  await page.locator("[role=gridcell]").first().click();
  await words(page, "#said", "The game is over.");
  await button(page, "Play again").click();
  await until(async () => (await moves(page)).length === 0);
  await words(page, "#status", "Your move (Black).");
  await click("h8");
  await until(async () => (await moves(page)).length === 2);
  await end();
});

test("undo takes back a move and the reply, a hint and an analysis come from any player, and a person resigns", async () => {
  const { page, end } = await visit(server);
  await startBoard(page, "human", "program:bot", { seconds: "60" });
  await cell(page, "a1").click();
  await until(async () => (await moves(page)).length === 2);
  await button(page, "Undo").click();
  await until(async () => (await moves(page)).length === 0);
  await cell(page, "a2").click();
  await until(async () => (await moves(page)).length === 2);
  assert.equal((await moves(page))[0], "a2");

  await page.selectOption("#adviser", "program:bot");
  await button(page, "Hint").click();
  const [, move] = (await words(page, "#advice", /^Hint of bot/)).match(/^Hint of bot: ([a-h][1-8])\.$/);
  assert.match(await cell(page, move).getAttribute("aria-label"), /hint/);

  await page.selectOption("#adviser", "builtin:lodestone");
  await button(page, "Analysis").click();
  await words(page, ".facts-of-analysis", /Depth \d+/);
  assert.match(await page.locator(".bar").getAttribute("aria-label"), /^Evaluation: .* of 100 points/);
  await page.locator(".best-lines button").first().click();
  await words(page, "#status", /Line, move 1 of/);
  await button(page, "Back to the game").click();
  // A step back takes the analysis along.
  await button(page, "Previous move").click();
  await words(page, "#status", /After move 1 of 2\. Your move/);
  await words(page, ".facts-of-analysis", /Depth \d+/);
  await page.selectOption("#adviser", "program:bot");
  await words(page, ".facts-of-analysis", "The player reports no score.");
  await button(page, "Analysis").click();
  await page.locator(".facts-of-analysis").waitFor({ state: "hidden" });

  await button(page, "Continue from here").click();
  await until(async () => (await moves(page)).length === 2);
  await button(page, "Resign").click();
  await words(page, "#status", /bot \(White\) wins/);
  await button(page, "Undo").click();
  await words(page, "#status", "Your move (Black).");
  await end();
});

test("a game is saved as a file and loaded on another board", async () => {
  const { page, end } = await visit(server);
  await startBoard(page, "human", "human");
  for (const [at, name] of ["a1", "h1", "b1"].entries()) {
    await cell(page, name).click();
    await until(async () => (await moves(page)).length === at + 1);
  }
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Save" }).click(),
  ]);
  const file = join(temporaryFolder(), download.suggestedFilename());
  await download.saveAs(file);
  assert.match(readFileSync(file, "utf8"), /magnetic-cave[^]*b1/);
  const old = page.url();
  await go(page, "#/");
  await page.selectOption("#seat-2", "human");
  await page.getByText("Load a game").click();
  await page.setInputFiles("#file", file);
  await until(async () => (await moves(page)).join() === "a1,h1,b1");
  assert.notEqual(page.url(), old);
  // The same from the page of a board.
  await button(page, "Load").click();
  const before = page.url();
  await page.setInputFiles("dialog #file", file);
  await page.waitForURL((url) => String(url) !== before);
  await until(async () => (await moves(page)).join() === "a1,h1,b1");
  await until(async () => (await page.locator("dialog").count()) === 0);
  await end();
});

test("the keyboard alone starts a game and plays it", async () => {
  const { page, end } = await visit(server);
  const { keyboard } = page;
  const focused = (pattern) =>
    page.evaluate(
      (source) =>
        new RegExp(source).test(
          `${document.activeElement.id} ${document.activeElement.textContent} ${document.activeElement.ariaLabel}`,
        ),
      pattern.source,
    );
  const tabTo = async (pattern) => {
    for (let press = 0; !(await focused(pattern)); press++) {
      assert.ok(press < 60, `Tab does not reach ${pattern}`);
      await keyboard.press("Tab");
    }
  };
  await page.locator("#seat-2").waitFor();
  await tabTo(/^seat-2 /);
  await keyboard.type("bot");
  await tabTo(/^start Start /);
  await keyboard.press("Enter");
  await page.locator('[role=gridcell][aria-label*="legal"]').first().waitFor();
  await tabTo(/ a1, empty, legal$/);
  for (const key of ["ArrowUp", "ArrowUp", "Enter"]) await keyboard.press(key);
  await until(async () => (await moves(page)).length === 2);
  assert.equal((await moves(page))[0], "a3");
  // The focus is still on the cell: arrows move on the board, not through the game.
  for (const key of ["ArrowDown", "ArrowRight", "ArrowLeft"]) await keyboard.press(key);
  assert.ok(await focused(/ a2,/));
  await page.locator("h2").first().focus();
  await keyboard.press("ArrowLeft");
  await words(page, "#status", /^After move 1 of 2/);
  await keyboard.press("End");
  await words(page, "#status", /^Your move/);
  await keyboard.press("u");
  await until(async () => (await moves(page)).length === 0);
  await keyboard.press("b");
  assert.ok(await focused(/ a2,/));
  await end();
});

test("two people play with a clock: it runs for the side to move, and a flag falls", async () => {
  const { page, end } = await visit(server);
  await startBoard(page, "human", "human", { clock: "1 0" });
  const clocks = () => page.locator(".strip .clock").allTextContents();
  await until(async () => (await clocks()).join() === "1:00,1:00");
  await cell(page, "a1").click();
  // The second player's strip is above the board.
  await until(async () => (await clocks())[0] !== "1:00");
  assert.equal((await clocks())[1], "1:00");
  await go(page, await server.board({ players: ["human", "human"], clock: { base: 1000, increment: 0 } }));
  await words(page, "#status", "Black to move.");
  await cell(page, "a1").click();
  await words(page, "#status", /^Black wins: White has no time left\.$/);
  assert.equal((await clocks())[0], "0:00.0");
  await end();
});

test("Gridlock: a click chooses a piece, and another its target", async (t) => {
  const { page, state, end } = await visitOwn(t, ["--variant", "gridlock"]);
  await page.fill("#pieces", "2");
  await page.fill("#turns", "6");
  await startBoard(page, "human", "level:beginner");
  await playToEnd({ page, state }, (legal) => legal[0], async (move) => {
    const [from, to] = [move.slice(0, 2), move.slice(2)];
    await cell(page, from).click();
    await until(async () => / chosen/.test(await cell(page, from).getAttribute("aria-label")));
    assert.match(await cell(page, to).getAttribute("aria-label"), /legal/);
    await cell(page, to).click();
  });
  assert.equal((await moves(page)).length, state().game.moves.length);
  assert.match(await page.locator("#space").textContent(), /^Turn \d+ of 6\./);
  await end();
});

test("a game by a rules program is played by clicks on the cells that its moves name", async (t) => {
  const { page, state, end } = await visitOwn(t, ["--rules", join(EXAMPLES, "rules/breakthrough.py")]);
  await startBoard(page, "human", "level:beginner");
  const farthest = (legal) => legal.toSorted((one, other) => Number(other.at(-1)) - Number(one.at(-1)))[0];
  await playToEnd({ page, state }, farthest, (move) => clickCells(page, move));
  assert.match(await page.locator("#status").textContent(), /reached the last row|captured all/);
  await end();
});

test("a click on an empty cell plays a move that is the name of its column", async (t) => {
  const { page, end } = await visitOwn(t, ["--rules", join(EXAMPLES, "rules/connect_four.py")]);
  await startBoard(page, "human", "human");
  await cell(page, "d4").click();
  await until(async () => (await moves(page)).join() === "d");
  await cell(page, "d1").click();
  await words(page, "#said", "No move begins with d1");
  // The answer is also where one looks, at the cell.
  const [near, clicked] = await Promise.all(
    [page.locator(".answer"), cell(page, "d1")].map((one) => one.boundingBox()),
  );
  assert.ok(
    Math.min(Math.abs(near.y - clicked.y - clicked.height), Math.abs(clicked.y - near.y - near.height)) < 8,
  );
  await cell(page, "d2").click();
  await until(async () => (await moves(page)).join() === "d,d");
  await end();
});

// Tic-tac-toe of a course that writes ROW,COLUMN, from 1 at the top left.
const COURSE = `#!/usr/bin/env python3
import sys
sys.path.insert(0, ${JSON.stringify(join(EXAMPLES, "rules"))})
import tic_tac_toe
from referee.rules import run

class Course(tic_tac_toe.Game):
    columns, rows, cell_names = "123", "123", "{row},{column}"

    def moves(self, position):
        return [f"{cell // 3 + 1},{cell % 3 + 1}" for cell in range(9) if position[0][cell] == "."]

    def play(self, position, move):
        return super().play(position, "abc"[int(move[2]) - 1] + "321"[int(move[0]) - 1])

    def grid(self, position):
        return self.columns, self.rows, position[0]

run(Course())
`;

test("clicks play moves in the notation of a course, which the grid gives", async (t) => {
  const { page, end } = await visitOwn(t, ["--rules", program(join(temporaryFolder(), "course.py"), COURSE)]);
  await startBoard(page, "human", "human");
  await cell(page, "1,3").click();
  await until(async () => (await moves(page)).join() === "1,3");
  await cell(page, "3,1").click();
  await until(async () => (await moves(page)).join() === "1,3,3,1");
  assert.match(await cell(page, "3,1").getAttribute("aria-label"), /last move/);
  if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
  await end();
});

test("walls between cells are put up by clicks on their places", async (t) => {
  const { page, end } = await visitOwn(t, ["--rules", join(EXAMPLES, "rules/quoridor.py")]);
  await startBoard(page, "human", "human");
  await cell(page, "e2").click();
  await until(async () => (await moves(page)).join() === "e2");
  assert.match(await cell(page, "e8_").getAttribute("aria-label"), /no wall/);
  await cell(page, "e8_").click();
  await until(async () => (await moves(page)).join() === "e2,e8_");
  await cell(page, "b|5").click();
  await until(async () => (await moves(page)).join() === "e2,e8_,b|5");
  assert.match(await cell(page, "b|6").getAttribute("aria-label"), /, wall, last move/);
  assert.equal(await page.locator(".board .wall").count(), 6);
  if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
  await cell(page, "b|5").click();
  await words(page, "#said", "No move begins with b|5");
  await end();
});

test("a rules program whose moves name no cells has a button for each move", async (t) => {
  const { page, state, end } = await visitOwn(t, ["--rules", join(EXAMPLES, "rules/nim.py")]);
  await startBoard(page, "human", "level:beginner");
  await playToEnd({ page, state }, (legal) => legal[0],
    (move) =>
      page.getByRole("group", { name: "Moves", exact: true }).getByRole("button", { name: move, exact: true })
        .click());
  assert.match(await page.locator("#status").textContent(), /took the last stick/);
  await end();
});

test("a bot that fails loses, and its messages are shown as text", async (t) => {
  const markup = '<img src=x onerror="window.pwned=1">';
  const wrong = bot(join(temporaryFolder(), "wrong.sh"), `echo '${markup}' >&2; echo 'bestmove ${markup}'`);
  const { page, end } = await visitOwn(t, [wrong]);
  await startBoard(page, "human", "program:wrong");
  await cell(page, "a1").click();
  await words(page, "#status", /^Black wins: wrong \(White\)/);
  await page.getByText("What the program wrote").click();
  const transcript = await words(page, "details pre", "bestmove");
  assert.ok(transcript.includes(`< bestmove ${markup}`) && transcript.includes("> go "), transcript);
  assert.deepEqual(await traces(page), NO_TRACES);
  // Another program goes on.
  await page.selectOption("#player-2", "builtin:random");
  await button(page, "Ask again").click();
  await until(async () => (await moves(page)).length === 2);
  await end();
});

test("each side has one word and one sign, and what happens is said once", async () => {
  const { page, end } = await visit(server,
    await server.board({ players: ["human", "program:bot"], seconds: 60 }));
  const heard = async (pattern) => (await said()).filter((words) => pattern.test(words));
  await words(page, "#status", "Your move (Black).");
  const said = await listen(page);
  await cell(page, "a1").click();
  await until(async () => (await moves(page)).length === 2);
  const [, reply] = await moves(page);
  await until(async () => (await heard(/Your move/)).length > 0);
  assert.deepEqual(await heard(/^Black: a1\. bot \(White\) thinks …$/), [(await said())[0]]);
  assert.deepEqual(await heard(new RegExp(`${reply}|Your move`)), [`White: ${reply}. Your move (Black).`]);
  await button(page, "Previous move").click();
  await until(async () => (await heard(/Move 1 of 2/)).length > 0);
  assert.deepEqual(await heard(/move 1/i), ["Move 1 of 2: a1"]);
  await button(page, "Last position").click();
  await button(page, "Resign").click();
  await words(page, "#status", "bot (White) wins: Black resigned.");
  await until(async () => (await heard(/resigned/)).length > 0);
  assert.deepEqual(await heard(/resigned/), ["bot (White) wins: Black resigned."]);

  await page.emulateMedia({ colorScheme: "dark" });
  for (const side of [1, 2]) {
    const colours = await page.locator(`.side-${side} .brick`).evaluateAll((all) =>
      all.map((one) => `${getComputedStyle(one).fill} ${getComputedStyle(one).stroke}`)
    );
    assert.equal(colours.length, 2, "a brick on the board, and the sign");
    assert.equal(new Set(colours).size, 1, "both look alike in the dark");
  }
  for (const hash of [null, "#/"]) {
    if (hash) await go(page, hash);
    assert.doesNotMatch(await page.locator("body").innerText(),
      /Player [12]|[■□]|\b[xo] |person \(|black|white/);
    assert.match(await page.locator("body").innerText(), /Black[^]*White|White[^]*Black/);
  }
  await end();
});

test("a board fits a small window with its buttons, at the margins of the header", async () => {
  const { page, end } = await visit(server, await server.board({ players: ["human", "human"] }), {
    size: { width: 1280, height: 800 },
  });
  for (let number = 0; number < 24; number += 1) {
    await page.locator('[role=gridcell][aria-label*="legal"]').last().click();
    await until(async () => (await moves(page)).length === number + 1);
  }
  await page.selectOption("#adviser", "builtin:plain");
  await button(page, "Analysis").click();
  await words(page, ".facts-of-analysis", /Depth/);
  await button(page, "Hint").click();
  await words(page, "#advice", /^Hint of plain/);
  const outside = await page.locator("main :is(button, select, a.button, .strip)").evaluateAll((all) =>
    all.filter((one) => one.offsetParent).filter((one) => one.getBoundingClientRect().bottom > innerHeight)
      .map((one) => one.textContent)
  );
  assert.deepEqual(outside, []);
  const left = (selector) =>
    page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().left);
  assert.equal(await left("#title"), await left(".strip"));
  // The Tab key stops once in the list of moves.
  assert.equal(await page.locator('.moves a[tabindex="0"]').count(), 1);
  await end();
});

test("the rules are one click away, and letters can be turned off", async (t) => {
  const { page, end } = await visit(server, await server.board({ players: ["human", "human"] }));
  await cell(page, "a1").click();
  await until(async () => (await moves(page)).length === 1);
  await button(page, "Rules").click();
  const dialog = page.getByRole("dialog");
  assert.match(await dialog.innerText(), /first Black, then White[^]*Five or more bricks/);
  assert.ok(await dialog.locator("h2").evaluate((one) => one === document.activeElement),
    "it begins at its title");
  await dialog.getByLabel("Letters are keys").uncheck();
  await button(dialog, "Close").click();
  await page.locator("#names").focus();
  await page.keyboard.press("u");
  await page.keyboard.press("ArrowLeft");
  await words(page, "#status", /^After move 0 of 1/);
  await button(page, "Rules").click();
  await dialog.getByLabel("Letters are keys").check();
  await button(dialog, "Close").click();
  await page.locator("#names").focus();
  await page.keyboard.press("u");
  await until(async () => (await moves(page)).length === 0);
  await end();

  const other = await visitOwn(t, ["--rules", join(EXAMPLES, "rules/nim.py")]);
  await button(other.page, "Rules").click();
  await words(other.page, "dialog li", /^The rules are those of the program .*nim\.py, Nim/);
  await other.end();
});
