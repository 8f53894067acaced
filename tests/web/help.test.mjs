// What helps a player: hint, why, undo, analysis, levels, setting up a position, clocks. The page
// says the same as the real `referee play`.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../page/lib/chromium.mjs";
import { LODESTONE, REFEREE, run, temporaryFolder } from "../page/lib/referee.mjs";
import { boardShown, cells, click, legalCells, moves, openGame, status, untilTurn } from "./lib/play.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const button = ({ page }, name) => page.getByRole("button", { name, exact: true });

/** The position in which a4 wins at once. */
const WIN = "a8 h8 a7 h7 a6 h6 a5 h5";
const hashOf = (played, players = "human,human") =>
  `#magnetic-cave&moves=${played.replaceAll(" ", "")}&players=${players}`;

/** What `referee play` answers to a command in the game with these moves. */
function refereeSays(played, command) {
  const path = join(temporaryFolder(), "game.txt");
  writeFileSync(path,
    `variant: magnetic-cave\nfirst: human\nsecond: human\nstart: 8/8/8/8/8/8/8/8 x\nmoves: ${played}\n`);
  const { stdout } = run(REFEREE, [], { input: `load ${path}\n${command}\nq\n` });
  return stdout.toLowerCase();
}

test("hint and why say what `referee play` says", async () => {
  const opened = await openGame(browser, { hash: hashOf(WIN) });
  const { page } = opened;
  const says = refereeSays(WIN, "why").replace(/\s+/g, " ").replaceAll("player 1 (■)", "black");
  await button(opened, "Hint").click();
  await page.locator("#advice p").first().filter({ hasText: "Hint: a4, says lodestone" }).waitFor();
  assert.ok((await cells(opened)).get("a4").includes("hint"));
  assert.ok(refereeSays(WIN, "hint").includes("hint: a4, says lodestone"));
  await button(opened, "Why").click();
  await page.locator("#advice .line").waitFor();
  const words = await page.locator("#advice p").allInnerTexts();
  assert.equal(words[0], "lodestone, asked now, expects: Black wins with the next move. That is proven.");
  for (const line of words)
    assert.ok(says.includes(line.toLowerCase().replace(/\s+/g, " ").trim()), `${line}\n${says}`);
  assert.ok((await cells(opened)).get("a4").includes("move 1 of the line"));
  await opened.close();
});

test("a line can be followed on the board, and Escape leads back", async () => {
  const opened = await openGame(browser, { hash: hashOf("a6 b6 c6 h1", "human,hard") });
  const { page } = opened;
  const before = await boardShown(opened);
  await button(opened, "Why").click();
  const line = page.locator("#advice .line").last().getByRole("button");
  await line.first().waitFor();
  const words = await line.allInnerTexts();
  await line.nth(1).click();
  assert.match(await status(opened), /^Line, move 2 of /);
  const shown = await cells(opened);
  assert.ok(shown.get(words[1]).includes("last move") && shown.get(words[0])[0] === "black");
  await page.keyboard.press("Escape");
  assert.equal(await boardShown(opened), before);
  await opened.close();
});

/** Games that are over. */
const OVER = { "magnetic-cave": `&moves=${WIN.replaceAll(" ", "")}a4`,
  gridlock: "&start=x1o4/7/7/7/7/6x/2o4_x_39_40&moves=f7e7" };

for (const [variant, game] of Object.entries(OVER)) {
  test(`play again begins another game of ${variant} with the same players`, async () => {
    const opened = await openGame(browser, { hash: `#${variant}${game}&players=human,easy` });
    await opened.page.locator("#status").filter({ hasText: /wins: |A draw: / }).waitFor();
    await button(opened, "Play again").click();
    assert.deepEqual(await moves(opened), []);
    assert.match(await status(opened), /Your move/);
    assert.equal(await opened.page.locator("#player-2").inputValue(), "easy");
    assert.ok(await button(opened, "Play again").isHidden());
    if (variant === "gridlock") {
      assert.match(await opened.page.locator("#space").innerText(), /^Turn 0 of 40\./);
      assert.equal((await boardShown(opened)).match(/x/g).length, 2);
    }
    await opened.close();
  });
}

test("why explains the move of the computer, too", async () => {
  const opened = await openGame(browser, { hash: hashOf("", "human,hard") });
  await click(opened, "a6");
  await untilTurn(opened);
  const [, reply] = await moves(opened);
  await button(opened, "Why").click();
  await opened.page.locator("#advice .line").nth(1).waitFor();
  assert.match(await opened.page.locator("#advice").innerText(),
    new RegExp(`lodestone, which played ${reply}, expects: .* for (Black|White)\\.`));
  await opened.close();
});

test("undo takes back the last move of the person and the reply", async () => {
  const opened = await openGame(browser, { hash: hashOf("", "human,hard") });
  await click(opened, "a6");
  await untilTurn(opened);
  await click(opened, "h6");
  await untilTurn(opened);
  const played = await moves(opened);
  assert.equal(played.length, 4);
  await button(opened, "Undo").click();
  assert.deepEqual(await moves(opened), played.slice(0, 2));
  await button(opened, "Undo").click();
  assert.deepEqual(await moves(opened), []);
  assert.ok(await button(opened, "Undo").isDisabled());
  await opened.close();
});

test("the analysis shows the three best moves as the engine finds them", async () => {
  const opened = await openGame(browser, { hash: hashOf(WIN) });
  const { page } = opened;
  await page.keyboard.press("a");
  await page.waitForFunction(() => document.querySelectorAll(".best-lines li").length === 3);
  assert.match(await page.locator(".best-lines li").first().innerText(), /^\+#1\s+a4$/);
  assert.match(await page.locator(".bar").getAttribute("aria-label"), /^Evaluation: \+#1; 100 of 100/);
  const marked = [...(await cells(opened))].filter(([, words]) =>
    words.some((word) => /^best move/.test(word))
  );
  assert.equal(marked.length, 3);
  // It follows the position that is shown.
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => !/a4$/.test(document.querySelector(".best-lines li")?.innerText ?? "a4"));
  assert.match(await page.locator(".bar").getAttribute("aria-label"), /^Evaluation: /);
  await opened.close();
});

test("levels and players are those of `referee` and of the engine", async () => {
  const menu = run(REFEREE, [], { input: "\n\n\nq\n" }).stdout;
  const levels = [...menu.matchAll(/^ {2}\d {2}(beginner|easy|medium|hard|expert|master) +(.*)$/gm)].map((
    [, name, about],
  ) => `${name}: ${about}`);
  assert.equal(levels.length, 6, menu);
  const { stdout } = run(LODESTONE, [], { input: "uci\nquit\n" });
  const personalities = /^option name Personality .*$/m.exec(stdout)[0].match(/var (\S+)/g).map((word) =>
    word.slice(4)
  );
  const offered = new Set();
  for (const variant of ["magnetic-cave", "gridlock"]) {
    const opened = await openGame(browser, { hash: `#${variant}&players=human,human` });
    await button(opened, "New game").click();
    const group = (label) =>
      opened.page.locator(`#seat-1 optgroup[label="Computer, by ${label}"] option`).allTextContents();
    assert.deepEqual(await group("level"), levels);
    for (const name of (await group("player")).map((words) => words.split(":")[0])) {
      offered.add(name);
      const answer =
        run(LODESTONE, [], {
          input:
            `setoption name UCI_Variant value ${variant}\nsetoption name Personality value ${name}\nquit\n`,
        }).stdout;
      assert.equal(answer, "", `${name} plays ${variant}`);
    }
    await opened.close();
  }
  assert.deepEqual([...offered].sort(), personalities.sort());
});

for (const player of [
  "beginner",
  "easy",
  "medium",
  "groups_0.05",
  "squares_0.05",
  "plain_0.05",
  "random_0.05",
  "lodestone_0.05",
]) {
  test(`${player} plays`, async () => {
    const opened = await openGame(browser, { hash: hashOf("a6", `human,${player}`) });
    await untilTurn(opened);
    assert.equal((await moves(opened)).length, 2);
    await opened.close();
  });
}

test("the engine plays against itself, and can be paused", async () => {
  const opened = await openGame(browser, {
    hash: "#gridlock&start=xo5/7/7/7/7/7/5xo_x_0_12&players=lodestone_0.02,mobility_0.02",
  });
  const { page } = opened;
  await page.waitForFunction(() => document.querySelectorAll(".moves a").length >= 2);
  await button(opened, "Pause").click();
  const played = await moves(opened);
  await page.waitForTimeout(1200);
  assert.deepEqual(await moves(opened), played);
  await button(opened, "Resume").click();
  await page.waitForFunction(() => /wins: |A draw: /.test(document.querySelector("#status").textContent));
  assert.ok((await moves(opened)).length <= 12);
  await opened.close();
});

test("a position is set up by clicks and by a FEN, and a wrong one is explained", async () => {
  const opened = await openGame(browser, { hash: hashOf("", "human,human") });
  const { page } = opened;
  const fen = page.locator("#setup-fen");
  await button(opened, "Set up").click();
  await click(opened, "d4");
  assert.equal(await fen.inputValue(), "8/8/8/8/3x4/8/8/8 x");
  await button(opened, "Play from here").click();
  const alert = page.getByRole("alert");
  await alert.filter({ hasText: "x has 1 and o has 0" }).waitFor();
  await page.getByRole("radio", { name: "White" }).check();
  await click(opened, "e4");
  assert.equal(await fen.inputValue(), "8/8/8/8/3xo3/8/8/8 x");
  await button(opened, "Play from here").click();
  await page.locator("#setup-fen").waitFor({ state: "detached" });
  assert.equal(await boardShown(opened), "8/8/8/8/3xo3/8/8/8");
  assert.equal((await legalCells(opened)).length, 18);

  await button(opened, "Set up").click();
  await fen.fill("x7/8/8/8/8/8/8/8 y");
  await fen.blur();
  await alert.filter({ hasText: "the side to move is" }).waitFor();
  await fen.fill("xxxx3o/ooo5/8/8/8/8/8/8 x");
  await fen.press("Enter");
  await page.waitForFunction(() =>
    /a8, black/.test(document.querySelector("[role=gridcell]").getAttribute("aria-label"))
  );
  await button(opened, "Play from here").click();
  await page.locator("#setup-fen").waitFor({ state: "detached" });
  await click(opened, "e8");
  assert.match(await status(opened), /^Black wins: Black has five in line, a8 to e8\.$/);
  const isMarked = ([, words]) => words.includes("winning line");
  assert.deepEqual([...(await cells(opened))].filter(isMarked).map(([name]) => name), [
    "a8",
    "b8",
    "c8",
    "d8",
    "e8",
  ]);
  assert.deepEqual(opened.problems, []);
  await opened.close();
});

test("Gridlock begins with the pieces and turns of the dialog", async () => {
  const opened = await openGame(browser);
  const { page } = opened;
  await button(opened, "New game").click();
  await page.getByLabel("Gridlock").check();
  await page.getByLabel("Pieces of each side").fill("7");
  await page.getByLabel("Turn limit").fill("24");
  await page.getByRole("combobox", { name: /^O/ }).last().selectOption("human");
  await button(opened, "Start").click();
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.match(await page.locator("#space").innerText(), /^Turn 0 of 24\. Space: X \d+, O \d+\.$/);
  const board = await boardShown(opened);
  assert.deepEqual([board.match(/x/g).length, board.match(/o/g).length], [7, 7]);
  await opened.close();
});

test("a player whose clock is empty loses", async () => {
  const opened = await openGame(browser, { hash: hashOf("", "human,human") });
  const { page } = opened;
  await page.clock.install({ time: 0 });
  await button(opened, "New game").click();
  await page.getByLabel("Clock").selectOption("1 0");
  await button(opened, "Start").click();
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.clock.pauseAt(60_000);
  await click(opened, "a6");
  // The clocks are drawn by a timer that is older than the stopped time, up to 0.1 s later.
  const shows = async (...times) => {
    const clocks = page.locator(".clock");
    await Promise.all(times.map((time, at) => clocks.nth(at).filter({ hasText: time }).waitFor()));
  };
  await shows("1:00", "1:00");
  await page.clock.runFor(30_000);
  await shows("0:30", "1:00");
  await click(opened, "h6");
  await page.clock.runFor(61_000);
  await page.locator("#status").filter({ hasText: "has no time left" }).waitFor();
  assert.match(await status(opened), /^White wins: Black has no time left\.$/);
  await opened.close();
});
