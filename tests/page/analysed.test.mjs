// The page shows what `referee analyze` found.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, launch, open } from "./lib/chromium.mjs";
import { analysed } from "./lib/matches.mjs";
import { records, referee } from "./lib/referee.mjs";
import { facts, goTo, state } from "./lib/viewer.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** A score of a result file as the page shows it. */
function scoreText(score) {
  const [kind, value] = score.split(" ");
  if (kind === "cp") return `${value < 0 ? "−" : "+"}${(Math.abs(value) / 100).toFixed(2)}`;
  return kind === "draw" ? "proven draw" : `${kind} in ${value}`;
}

test("each move has its best move and the scores before and after it, as in the file", async () => {
  const made = analysed();
  const game = [...records(made.results).values()].find(({ analysis, moves }) =>
    analysis && moves.length > 20
  );
  const { best, before: scores } = game.analysis;
  const opened = await open(browser, made.page);
  let others = 0;
  for (let number = game.opening_plies + 1; number <= game.moves.length; number += 1) {
    await goTo(opened, game.id, number);
    const at = number - game.opening_plies - 1;
    const said = /^Analysis: (.*)$/m.exec(await facts(opened))?.[1];
    assert.ok(said, `move ${number} has an analysis`);
    assert.ok(said.includes(scoreText(scores[at])), `move ${number}: ${said}, not ${scores[at]}`);
    if (best[at] === game.moves[number - 1]) assert.match(said, /the best move/);
    else assert.ok(said.includes(`best was ${best[at]}`) && ++others, `move ${number}: ${said}`);
  }
  assert.ok(others > 3);
  assert.deepEqual(opened.problems, []);
  await opened.close();
});

test("the standings count the mistakes and blunders of each player, as the terminal does", async () => {
  const made = analysed(), opened = await open(browser, made.page);
  const columns = await opened.page.locator(".standings").evaluate(({ rows: [head, ...rows] }) => {
    const at = (name) => [...head.cells].findIndex(({ textContent }) => textContent === name);
    return rows.map(({ cells }) =>
      ["Player", "Mistakes", "Blunders"].map((name) => cells[at(name)].textContent)
    );
  });
  const { stdout } = referee(["report", made.results]);
  for (const words of columns) {
    const line = stdout.split("\n").findLast((one) => new RegExp(`^\\d+ ${words[0]} `).test(one));
    assert.deepEqual(line.trim().split(/\s+/).slice(6, 8), words.slice(1), line);
  }
  await opened.close();
});

test("Shift and the right arrow key go from mistake to mistake, and each says what it lost", async () => {
  const made = analysed();
  const opened = await open(browser, made.page);
  let marks = [];
  for (const { id } of records(made.results).values()) {
    await goTo(opened, id);
    marks = await opened.page.locator(".moves li").filter({ hasText: "?" }).allInnerTexts();
    if (marks.length > 2) break;
  }
  assert.ok(marks.length > 2, `${marks}`);
  for (const mark of marks) {
    await opened.page.keyboard.press("Shift+ArrowRight");
    assert.equal((await state(opened)).ply, Number(mark.trim().match(/^\d+/)[0]));
    assert.match(await facts(opened), mark.includes("??") ? /Blunder: .* became / : /Mistake: .* became /);
  }
  // The graph has the same signs.
  const signs = await opened.page.locator(".curve text.mark").allTextContents();
  assert.deepEqual(signs, marks.map((mark) => /\?+$/.exec(mark.trim())[0]));
  assert.match(await opened.page.locator("figure").filter({ has: opened.page.locator(".curve") }).innerText(),
    /analysis by lodestone/);
  assert.deepEqual(await axe(opened), []);
  assert.deepEqual(opened.problems, []);
  await opened.close();
});
