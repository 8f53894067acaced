// A tournament from the form to its result file.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { REFUSED, button, command, go, matchForm, visit, words } from "./lib/pages.mjs";
import { BOT, PROGRAM, gameLines, heldBot, program, startFor, temporaryFolder, until } from "./lib/server.mjs";

const ALL = ["program:bot", "builtin:groups", "builtin:random", "program:held"];

/** The moves after which the running games stand. */
const places = (page) =>
  page.locator(".live-boards h3").evaluateAll((all) =>
    all.map((one) => Number(/move (\d+)/.exec(one.textContent)?.[1] ?? 0))
  );
const standings = (page) =>
  page.locator(".standings tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((one) => one.textContent))
  );

test("a tournament is started by clicks, watched, paused, resumed and finished", async (t) => {
  const held = heldBot();
  const server = await startFor(t, { args: [BOT, ...held.words] });
  const { page, end } = await visit(server, "#/match");
  // All games with the bot that waits run at the same time, and one other game.
  await matchForm(page, ALL, { "Games at a time": "7", "File of the results": "cup",
    "More options": "--seed 7" });
  await words(page, ".panel [role=status]", /^4 players chosen, 12 games, about 18.3 h/);
  await page.selectOption("#format", "gauntlet");
  await words(page, ".panel [role=status]", "4 players chosen, 6 games");
  await page.selectOption("#format", "round-robin");
  await button(page, "Start").click();
  await page.waitForURL("**/#/match/cup.jsonl");
  assert.match(await command(page), /^referee match .*name=held .*--concurrency=7 .*--seed 7 .*cup\.jsonl$/);

  // Six games wait after two moves of that bot; the other six are over.
  await words(page, ".progress-words", /^Running: 6 of 12 games/);
  // It begins three of them.
  const stand = async (first, second) =>
    until(async () =>
      (await places(page)).sort().join() === [first, first, first, second, second, second].join()
    );
  await stand(4, 5);
  await until(async () =>
    (await standings(page)).reduce((sum, [, , , games]) => sum + Number(games), 0) === 12
  );
  assert.equal(await page.locator(".live-boards .board").count(), 6);
  const bricks = () => page.locator(".live-boards .board .brick").count();
  const before = await bricks();
  held.release("more");
  await stand(6, 7);
  assert.equal(await bricks(), before + 12, "each board shows two more bricks");

  // The view for a projector shows the same.
  await page.getByRole("link", { name: "For a projector" }).click();
  await page.waitForURL("**/#/projector/cup.jsonl");
  await page.locator("#views").waitFor({ state: "hidden" });
  await stand(6, 7);
  assert.equal((await standings(page)).length, 4);
  await page.getByRole("link", { name: "Leave this view" }).click();

  await button(page, "Pause").click();
  await words(page, ".progress-words", /^Paused: 6 of 12 games\.$/);
  await page.getByText("No game is running.").waitFor();
  const saved = gameLines(join(server.results, "cup.jsonl"));
  assert.equal(saved.length, 6);
  assert.equal(await page.locator("#name").innerText(), "Match cup");
  for (const result of await page.locator("#last td:nth-child(4)").allInnerTexts())
    assert.match(result, /^(1–0|0–1|½–½)$/);
  assert.equal(await page.locator("#warnings").filter({ hasText: "interrupted" }).count(), 0);
  held.release("end");
  await button(page, "Resume").click();
  await words(page, ".progress-words", /^Finished: 12 of 12 games\.$/);
  const rows = await standings(page);
  assert.deepEqual(rows.map(([, , , games]) => games), ["6", "6", "6", "6"]);
  assert.equal(rows.reduce((sum, [, , points]) => sum + Number(points), 0), 12);
  for (const name of ["Pause", "Resume", "Stop"])
    assert.equal(await button(page, name).isVisible(), false, name);
  const games = gameLines(join(server.results, "cup.jsonl"));
  assert.deepEqual(games.slice(0, 6), saved);
  assert.equal(games.length, 12);
  const report = spawnSync(PROGRAM, ["report", join(server.results, "cup.jsonl")], { encoding: "utf8" });
  assert.equal(report.status, 0, report.stderr);
  for (const name of ["bot", "groups", "random", "held"])
    assert.match(report.stdout, new RegExp(`\\b${name}\\b`));
  await end(REFUSED);
});

test("players keep the order in which they were chosen, and a free name is offered", async (t) => {
  const server = await startFor(t, { args: [BOT] });
  const { page, end } = await visit(server, "#/match");
  await matchForm(page, ["builtin:random", "program:bot", "builtin:groups"], { "Seconds per move": "0.1" });
  await page.selectOption("#format", "gauntlet");
  await button(page, "Start").click();
  assert.match(await command(page), /name=random .*name=bot .*name=groups .*--format=gauntlet/);
  await words(page, ".progress-words", /^Finished: 4 of 4 games\.$/);
  await go(page, "#/match");
  await until(async () => (await page.inputValue("#match-name")) === "games-2");
  await button(page, "Remove: games.jsonl").click();
  await page.getByText("There are none yet.").waitFor();
  await end(REFUSED);
});

test("programs that speak another protocol play a match", async (t) => {
  const folder = temporaryFolder(), path = program(join(folder, "columns"), `#!/bin/sh
while read -r cmd rest; do
    case $cmd in
        list_commands) printf '= genmove\\nplay\\n\\n' ;;
        clear_board) n=8; printf '= \\n\\n' ;;
        genmove) printf '= A%s\\n\\n' $n; n=$((n-1)) ;;
        quit) exit ;;
        *) printf '= \\n\\n' ;;
    esac
done
`);
  const server = await startFor(t, { args: [path, BOT.replace(/^/, "--engine=cmd="), "proto=uci"] });
  const { page, end } = await visit(server, "#/match");
  await matchForm(page, ["program:columns", "program:bot", "level:easy"], {
    "Random moves at the start": "0",
  });
  await page.getByLabel("Protocol of the programs").selectOption("gtp");
  await button(page, "Start").click();
  assert.match(await command(page), /cmd=\S*columns name=columns --engine .*--each st=600 proto=gtp/);
  await words(page, ".progress-words", /^Finished: 6 of 6 games\.$/);
  const [first] = readFileSync(join(server.results, "games.jsonl"), "utf8").split("\n");
  assert.deepEqual(JSON.parse(first).engines.map(({ proto }) => proto), ["gtp", undefined, undefined]);
  await end(REFUSED);
});

test("the form says what is wrong with more options", async (t) => {
  const server = await startFor(t, { args: [BOT] });
  const { page, end } = await visit(server, "#/match");
  await matchForm(page, ["program:bot", "builtin:random"], { "Seconds per move": "0.1",
    "More options": "--log x" });
  await button(page, "Start").click();
  await words(page, ".panel [role=alert]", /^--log cannot be set here: .*\.$/);
  assert.equal(new URL(page.url()).hash, "#/match");
  assert.deepEqual((await server.get("/api/matches")).matches, []);
  // The rest of the form is still there, and a match starts without the option.
  await page.getByLabel("More options").fill("");
  await button(page, "Start").click();
  await words(page, ".progress-words", /^Finished: 2 of 2 games\.$/);
  await go(page, "#/match");
  await words(page, "tbody tr", /games\.jsonl.*finished.*2 of 2/);
  await end(REFUSED);
});

test("a match is stopped for good", async (t) => {
  const held = heldBot();
  const server = await startFor(t, { args: held.words });
  const { page, end } = await visit(server, "#/match");
  await matchForm(page, ["builtin:random", "program:held"]);
  await button(page, "Start").click();
  await page.locator(".live-boards article").first().waitFor();
  await button(page, "Stop").click();
  await words(page, ".progress-words", /^Stopped: 0 of 2 games\.$/);
  assert.equal(await button(page, "Resume").isVisible(), false);
  await end(REFUSED);
});

/** Whether an element is in the window as a whole. */
const isInSight = (locator) =>
  locator.evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

test("the form fits the window with 2,000 submissions, finds some of them, and says why others cannot play", async (t) => {
  const folder = temporaryFolder();
  for (let number = 1; number <= 2000; number += 1) {
    const own = join(folder, `student-${String(number).padStart(4, "0")}`);
    mkdirSync(own);
    program(join(own, "run"), "#!/bin/sh\n");
  }
  chmodSync(join(folder, "student-0007/run"), 0o644);
  const server = await startFor(t, { args: ["--engines", folder] });
  for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
    const { page, end } = await visit(server, "#/match", { size });
    const checks = page.locator(".check:visible");
    await page.locator("#count").filter({ hasText: "0 players chosen" }).waitFor();
    assert.equal(await page.locator(".check").count(), 1999 + 11);
    for (const place of [button(page, "Start"), page.locator("#find"), page.locator("#match-name")])
      assert.ok(await isInSight(place), `${await place.innerText()} in ${JSON.stringify(size)}`);
    await page.fill("#find", "0-0042");
    await page.fill("#find", "Student-004");
    assert.equal(await checks.count(), 10);
    await page.getByLabel("All: Submissions").click();
    await words(page, "#count", "10 players chosen");
    await page.fill("#find", "0042");
    await page.getByLabel("None: Submissions").click();
    await words(page, "#count", "9 players chosen");
    await page.fill("#find", "0007");
    await page.getByText("student-0007").waitFor();
    assert.match(await page.locator("details p").first().innerText(), /student-0007 .*run.*executable/);
    await page.fill("#find", "");
    assert.ok(await page.locator("details p").first().isHidden(), "folded");
    // A wrong field that is folded is shown.
    await page.getByText("More settings").click();
    await page.fill("#concurrency", "");
    await page.getByText("More settings").click();
    await button(page, "Start").click();
    await page.locator("#concurrency").waitFor();
    await end();
  }
});

test("the form names the players that keep their own settings", async (t) => {
  const server = await startFor(t, {
    args: ["--engine", `cmd=${BOT}`, "name=ann", "st=1", "--engine", `cmd=${BOT}`, "name=ben", "proto=uci"],
  });
  const { page, end } = await visit(server, "#/match");
  await matchForm(page, ["level:easy", "program:ann", "program:ben"]);
  const seconds = page.locator("#match-seconds-help"), proto = page.locator("#proto-help");
  assert.equal(await seconds.innerText(), "Not for easy, ann, with a time of their own.");
  await page.fill("#match-seconds", "");
  assert.equal(await seconds.innerText(), "Empty: as each player is set.");
  await page.selectOption("#proto", "ugi");
  assert.match(await proto.innerText(), /protocol\. Not for easy, ben\.$/);
  await page.selectOption("#format", "swiss");
  await page.getByLabel("More options").fill("--format gauntlet");
  await button(page, "Start").click();
  await words(page, ".panel [role=alert]", /^The format is chosen twice: for --format, choose/);
  await end(REFUSED);
});

test("a field finds a player in the standings of a running match", async (t) => {
  const held = heldBot();
  const server = await startFor(t, { args: held.words });
  const players = ["program:held", ...Array(21).fill("builtin:random")];
  await server.post("/api/matches", { kind: "match", name: "crowd", players, format: "gauntlet", games: 1,
    seconds: 600, concurrency: 1, openings: null, words: "" });
  const { page, end } = await visit(server, "#/match/crowd.jsonl");
  await words(page, ".standings tbody", "random-21");
  await page.getByLabel("Find a player").fill("random-3");
  await words(page, "#found", "1 found");
  assert.deepEqual(await page.locator("tr.found th").allInnerTexts(), ["random-3"]);
  await page.getByLabel("Find a player").fill("random-2");
  await words(page, "#found", "1 found");
  held.release("more");
  held.release("end");
  await words(page, ".progress-words", /: [1-9]/);
  assert.deepEqual(await page.locator("tr.found th").allInnerTexts(), ["random-2"]);
  await page.getByLabel("Find a player").fill("random-1x");
  await words(page, "#found", "0 found");
  await end();
});
