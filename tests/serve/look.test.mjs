// Each view, wide and narrow, light and dark: without violations of axe-core and without sideways
// scrolling. With PICTURES=FOLDER in the environment it writes screenshots there.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { NARROW, WIDE, axe } from "../page/lib/chromium.mjs";
import { leastContrast } from "../page/lib/contrast.mjs";
import { LOST, REFUSED, button, cell, go, visit, words } from "./lib/pages.mjs";
import { BOT, EXAMPLES, ROOT, bot, heldBot, start, temporaryFolder, until } from "./lib/server.mjs";

const PICTURES = process.env.PICTURES && resolve(ROOT, process.env.PICTURES);
if (PICTURES) mkdirSync(PICTURES, { recursive: true });

const held = heldBot(), servers = [];
let cave;

/** A server with a board of two people after these moves. */
async function withBoard(args, players, moves) {
  const server = await start({ args });
  servers.push(server);
  const board = await server.board({ players, seconds: 1 });
  for (const [plies, move] of moves.entries())
    await server.post(board.replace("#/board", "/api/boards"), { do: "move", move, plies });
  return { server, board };
}

before(async () => {
  const wrong = bot(join(temporaryFolder(), "wrong.sh"), "echo bestmove wrong");
  cave = await withBoard([BOT, wrong, ...held.words], ["human", "human"], ["a1", "h1", "b1", "h2", "c1"]);
  const { server } = cave;
  cave.fault = await server.board({ players: ["human", "program:wrong"], seconds: 10,
    clock: { base: 3_600_000, increment: 0 } });
  await server.post(cave.fault.replace("#/board", "/api/boards"), { do: "move", move: "a1", plies: 0 });
  const match = (name, players, more) =>
    server.post("/api/matches", { kind: "match", name, players, format: "round-robin", games: 2, seconds: 600,
      concurrency: 8, openings: null, words: "", ...more });
  await match("old", ["builtin:random", "program:bot", "program:wrong"], {});
  await match("cup", ["builtin:random", "program:bot", "builtin:groups", "program:held"], {});
  const of = async (name) =>
    (await server.get("/api/matches")).matches.find((one) => one.name === `${name}.jsonl`);
  await until(async () => (await of("old")).state === "finished" && (await of("cup")).played === 6);
});
after(async () => {
  await Promise.all(servers.map((server) => server.kill("SIGINT")));
});

const WIDTHS = { wide: { size: WIDE }, narrow: { size: NARROW, touch: true } };

/** Checks the view that is shown, in the colour schemes that matter at this width. */
async function check(opened, width, name, found) {
  const { page } = opened;
  for (const colorScheme of width === "wide" ? ["light", "dark"] : ["light"]) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await axe(opened)).map((text) => `${name}, ${colorScheme}: ${text}`));
    if (PICTURES)
      await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: "light" });
  const [scroll, inner] = await page.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]);
  if (scroll > inner) found.push(`${name}: ${scroll} px wide in ${inner} px`);
  if (width === "narrow" && inner !== NARROW.width) found.push(`${name}: zoomed out to ${inner} px`);
}

for (const [width, options] of Object.entries(WIDTHS)) {
  test(`${width}: every view is accessible and fits`, async () => {
    const opened = await visit(cave.server, "#/", options);
    const { page, end } = opened, found = [];
    const look = (name) => check(opened, width, name, found);

    await page.locator(".cards li").nth(1).waitFor();
    await page.getByText("Load a game").click();
    await look("play");
    await go(page, cave.board);
    await words(page, ".moves", "c1");
    await page.selectOption("#adviser", "builtin:groups");
    await button(page, "Hint").click();
    await words(page, "#advice", /^Hint of groups/);
    await look("board");
    await page.selectOption("#adviser", "program:bot");
    await button(page, "Analysis").click();
    await words(page, ".facts-of-analysis", "reports no score");
    await button(page, "Previous move").click();
    await words(page, "#status", /^After move 4/);
    await look("analysis");
    await button(page, "Last position").click();
    await button(page, "Analysis").click();
    await button(page, "Load").click();
    await look("dialog");
    await button(page.getByRole("dialog"), "Close").click();
    await go(page, cave.fault);
    await words(page, "#status", /^Black wins: wrong/);
    await page.getByText("What the program wrote").click();
    await look("fault");
    await go(page, "#/board/99");
    await words(page, "main", "This board is closed.");
    await look("closed");

    await go(page, "#/match");
    await words(page, "tbody", /cup\.jsonl/);
    await page.getByLabel("All: Programs").click();
    await page.getByText("More settings").click();
    await page.getByLabel("More options").fill("--log x");
    await button(page, "Start").click();
    await words(page, ".panel [role=alert]", /^--log cannot be set here/);
    await look("match-form");
    for (const name of ["match/cup", "projector/cup", "match/old"]) {
      await go(page, `#/${name}.jsonl`);
      await words(page, ".standings tbody", /bot/);
      await look(name.replace("/", "-"));
    }
    await go(page, "#/results");
    await words(page, "tbody", /cup\.jsonl/);
    await look("results");
    await button(page, "Analyse old.jsonl").click();
    await page.getByRole("dialog").waitFor();
    await look("analyse");
    await button(page.getByRole("dialog"), "Cancel").click();
    await page.getByRole("link", { name: "old.jsonl", exact: true }).click();
    await page.locator('nav a[href="../#/results"]').waitFor();
    await look("report");
    await page.evaluate(() => {
      location.hash = "#game-1-move-1";
    });
    await button(page, "Open on a board").click();
    await words(page, ".panel .note", "Game 1 of old.jsonl continues after move 1.");
    await look("open");
    assert.deepEqual(found, []);
    await end(LOST, REFUSED);
  });

  test(`${width}: boards of other games are accessible and fit`, async () => {
    const found = [];
    for (const [name, args, moves] of [["gridlock", ["--variant", "gridlock"], []], ["breakthrough", [
      "--rules",
      join(EXAMPLES, "rules/breakthrough.py"),
    ], ["a2a3", "h7h6"]], ["nim", ["--rules", join(EXAMPLES, "rules/nim.py")], ["4-2"]]]) {
      const { server, board } = await withBoard(args, ["human", "human"], moves);
      const opened = await visit(server, board, options), { page } = opened;
      await words(page, "#status", /to move\.$/i);
      if (name === "breakthrough") {
        await cell(page, "b2").click();
        await words(page, "#said", /^Chosen: b2\. It can go to/);
      }
      await check(opened, width, name, found);
      await opened.end();
    }
    assert.deepEqual(found, []);
  });
}

test("the board leaves the words beside it uncovered at 200 %, with the bar of the analysis", async () => {
  const { page, end } = await visit(cave.server, cave.board, { size: { width: 640, height: 400 } });
  await words(page, ".moves", "c1");
  await page.selectOption("#adviser", "builtin:groups");
  await button(page, "Analysis").click();
  await page.locator(".bar").waitFor();
  const sides = await page.evaluate(() =>
    ["svg.board", ".text-side"].map((one) => document.querySelector(one).getBoundingClientRect())
  );
  assert.ok(sides[0].right <= sides[1].left, JSON.stringify(sides));
  assert.ok(sides[0].bottom <= 400, JSON.stringify(sides));
  await end(LOST, REFUSED);
});

test("the moves that a board offers, and its hint, stand out from their cells", async () => {
  for (const scheme of ["light", "dark"]) {
    const { page, context, end } = await visit(cave.server, cave.board, { scheme });
    await words(page, ".moves", "c1");
    const marks = page.locator("svg.board .legal");
    await marks.first().waitFor();
    const measured = (shape) => leastContrast(context.browser(), page, `svg.board ${shape}`);
    assert.ok((await measured(".legal")) >= 3, `${scheme}: ${await measured(".legal")}`);
    await page.selectOption("#adviser", "builtin:groups");
    await button(page, "Hint").click();
    await page.locator("svg.board .hint").first().waitFor();
    assert.ok((await measured(".hint")) >= 3, `${scheme}: ${await measured(".hint")}`);
    await end(LOST, REFUSED);
  }
});
