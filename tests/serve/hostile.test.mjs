// Names, messages, files and rules of others stay text on every page.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { LOST, NO_TRACES, REFUSED, button, cell, command, go, matchForm, moves, startBoard, traces, visit, words } from "./lib/pages.mjs";
import { BOT, PROGRAM, ROOT, program, startFor, temporaryFolder, until } from "./lib/server.mjs";

const HELPERS = join(ROOT, "tests/page/lib");
const IMAGE = '<img src=x onerror="window.pwned=1">', ALERT = "<img src=x onerror=alert(1)>",
  BOLD = "</select><b class=pwned>", SCRIPT = "</script><script>window.pwned=2</script>";

test("markup of bots, folders and files stays text on every page", async (t) => {
  const folder = temporaryFolder(), results = join(folder, "results");
  mkdirSync(results);
  mkdirSync(join(folder, "bots", ALERT), { recursive: true });
  program(join(folder, "bots", ALERT, "run"), `#!/bin/sh\nexec ${BOT}\n`);
  const hostile = ["--engine", "cmd=node", `args="${join(HELPERS, "hostile-bot.mjs")}" 3`, `name=${IMAGE}`];
  const others = [BOLD, SCRIPT].flatMap((name) => ["--engine", "cmd=random", `name=${name}`]);
  const match = spawnSync(PROGRAM, [
    "match",
    ...hostile,
    ...others,
    "--games",
    "2",
    "--each",
    "st=60",
    "--quiet",
    "--out",
    join(results, "old.jsonl"),
  ], { encoding: "utf8" });
  assert.equal(match.status, 0, match.stderr);
  const file = `${IMAGE.replaceAll('"', "")}.jsonl`;
  copyFileSync(join(results, "old.jsonl"), join(results, file));
  const server = await startFor(t, { args: ["--engines", join(folder, "bots"), ...hostile, ...others],
    folder });
  const opened = await visit(server);
  const { page, end } = opened;
  const clean = async (view, ...texts) => {
    for (const text of texts)
      assert.ok((await page.locator("main").textContent()).includes(text), `${view}: ${text} is shown`);
    assert.deepEqual(await traces(page), NO_TRACES, view);
  };

  await clean("form", IMAGE, ALERT, BOLD, SCRIPT);
  await startBoard(page, "human", `program:${IMAGE}`, { seconds: "60" });
  await page.selectOption("#adviser", `program:${IMAGE}`);
  await button(page, "Hint").click();
  await words(page, "#advice", `Hint of ${IMAGE}: a1, score`);
  await button(page, "Analysis").click();
  await words(page, ".facts-of-analysis", /Depth 1/);
  // The bot plays three legal moves, and then answers with markup.
  for (const [count, name] of ["h8", "h7", "h6"].entries()) {
    await cell(page, name).click();
    await until(async () => (await moves(page)).length === 2 * count + 2);
    await clean("board", IMAGE);
  }
  await cell(page, "h5").click();
  await words(page, "#status", `Black wins: ${IMAGE} (White)`);
  await page.getByText("What the program wrote").click();
  await words(page, "details pre", SCRIPT);
  await clean("fault", IMAGE, SCRIPT);
  await go(page, "#/");
  await words(page, ".cards li", IMAGE);
  await clean("open boards", ALERT);

  await go(page, "#/match");
  await matchForm(page, [IMAGE, ALERT, BOLD, SCRIPT].map((name) => `program:${name}`), {
    "Seconds per move": "60",
    "File of the results": "new",
    "Games of each pairing": "1",
  });
  await clean("match form", ALERT);
  await button(page, "Start").click();
  await words(page, ".progress-words", /^Finished: 6 of 6 games\.$/);
  assert.ok((await command(page)).includes(IMAGE));
  await clean("match", IMAGE, ALERT, BOLD, SCRIPT);
  await go(page, "#/projector/new.jsonl");
  await words(page, ".standings", SCRIPT);
  await clean("projector", IMAGE, ALERT, BOLD);
  for (const hash of [
    `#/match/${encodeURIComponent(IMAGE)}`,
    `#/board/${encodeURIComponent(IMAGE)}`,
    `#/open/${encodeURIComponent(IMAGE)}/1/1`,
  ]) {
    await go(page, hash);
    await words(page, "main", hash.startsWith("#/board") ? "This board is closed." : IMAGE);
    await clean(hash);
  }
  await go(page, "#/results");
  await words(page, "tbody", file);
  await clean("results", file);
  for (const name of [file, "new.jsonl"]) {
    await page.goto(`${server.base}/results/${encodeURIComponent(name)}`);
    for (const hash of ["#games", "#player-1", "#game-1", "#game-2-move-3", "#"]) {
      await page.evaluate((to) =>
        new Promise((done) => {
          addEventListener("hashchange", () => requestAnimationFrame(() => requestAnimationFrame(done)), {
            once: true,
          });
          location.hash = to;
        }), hash);
      await clean(`${name}${hash}`);
    }
    assert.match(await page.textContent("body"), /<b class=pwned>/);
  }
  await end(LOST, REFUSED);
});

test("markup of a rules program stays text on every page", async (t) => {
  const rules = program(join(temporaryFolder(), "rules.sh"),
    `#!/bin/sh\nexec '${HELPERS}/games.py' hostile\n`);
  const server = await startFor(t, { args: ["--rules", rules] });
  const { page, state, end } = await visit(server);
  await words(page, "h1", "onerror=window.pwned=1");
  await startBoard(page, "human", "level:beginner");
  await until(state);
  for (let count = 0; !state().over && count < 12; count = state().game.moves.length) {
    const least = state().game.moves.length + 1;
    await page.getByRole("group", { name: "Moves", exact: true }).getByRole("button").first().click();
    await until(() => state().over || (state().game.moves.length > least && state().side === 1));
    assert.deepEqual(await traces(page), NO_TRACES);
  }
  await words(page, "#status", "<svg onload=window.pwned=4>");
  await words(page, ".moves", "window.pwned=");
  await go(page, "#/match");
  await matchForm(page, ["builtin:random"], { "Seconds per move": "1" });
  assert.deepEqual(await traces(page), NO_TRACES);
  await end(REFUSED);
});
