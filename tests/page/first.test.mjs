// What is seen first: who won, on a phone and on a small laptop; and what happens when the games cannot be read.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./lib/chromium.mjs";
import { leastContrast } from "./lib/contrast.mjs";
import { cave, course, crowd, faulty, pair } from "./lib/matches.mjs";
import { records, temporaryFolder } from "./lib/referee.mjs";
import { state, tabTo, until } from "./lib/viewer.mjs";

const PHONE = { width: 390, height: 844 };
const LAPTOP = { width: 1280, height: 800 };

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function view(file, hash, look, options = {}) {
  const opened = await open(browser, file, { hash, ...options });
  try {
    await look(opened.page, opened);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
  }
}

/** The elements outside the first screen, by their texts. */
const outside = (elements) =>
  elements.evaluateAll((all) =>
    all.filter((one) => {
      const { left, top, right, bottom } = one.getBoundingClientRect();
      return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
    }).map((one) => one.textContent || one.outerHTML.slice(0, 80))
  );

/** Whether a table has a sideways scroll bar. */
const isCut = (table) => table.evaluate(({ parentElement: box }) => box.scrollWidth > box.clientWidth);

test("a phone shows who won, and the table with the faults, without scrolling", async () => {
  await view(faulty().page, "", async (page) => {
    assert.equal(await page.locator("h1").innerText(), "Round robin of 3, Magnetic Cave");
    assert.match(await page.locator("h2").first().innerText(),
      /^the-bot-of-the-second-team won with .* of 80 points$/);
    const table = page.locator(".standings");
    const seen = page.locator(".standings :is(th, td):visible");
    assert.deepEqual(await outside(seen), []);
    assert.equal(await isCut(table), false);
    assert.ok((await seen.allInnerTexts()).includes("80 garbage"), await seen.allInnerTexts());
  }, { size: PHONE });
});

test("heads stand over their numbers, and no column is empty", async () => {
  for (const make of [cave, faulty]) {
    await view(make().page, "", async (page) => {
      const columns = await page.locator(".standings").evaluate(({ rows: [head, ...rows] }) =>
        [...head.cells].map(({ textContent }, at) => ({ name: textContent,
          sides: [head, ...rows].map(({ cells }) => getComputedStyle(cells[at]).textAlign),
          words: rows.map(({ cells }) => cells[at].textContent) })
        )
      );
      for (const { name, sides, words } of columns) {
        assert.equal(new Set(sides).size, 1, `${name}: ${sides}`);
        assert.ok(words.some((word) => word !== "–"), name);
      }
      assert.equal(columns.some(({ name }) => name === "Faults"), make === faulty);
    });
  }
});

test("a phone shows the reason of each game without a sideways scroll bar", async () => {
  await view(faulty().page, "#games", async (page) => {
    assert.equal(await isCut(page.locator("table.list")), false);
    assert.ok(await page.getByRole("columnheader", { name: "Reason" }).isVisible());
  }, { size: PHONE });
});

test("the board fits a small laptop with its players and buttons", async () => {
  for (const scheme of ["light", "dark"]) {
    await view(cave().page, "#game-5-move-6", async (page) => {
      const all = page.locator("svg.board, .seat, .controls button, #slider, .buttons button");
      assert.ok((await all.count()) > 9);
      assert.deepEqual(await outside(all), []);
    }, { size: LAPTOP, scheme });
  }
});

test("the board fits with its players and buttons at 200 %", async () => {
  await view(cave().page, "#game-5-move-6", async (page) => {
    const all = page.locator("svg.board, .seat, .controls button");
    assert.ok((await all.count()) > 6);
    assert.deepEqual(await outside(all), []);
    const isWide = ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth;
    assert.equal(await page.locator(".controls").evaluate(isWide), false);
  }, { size: { width: 640, height: 400 } });
});

test("stones, marks and the winning line stand out from their cells", async () => {
  const made = cave();
  const { id, moves } = [...records(made.results).values()].find(({ reason }) => reason === "five");
  for (const scheme of ["light", "dark"]) {
    await view(made.page, `#game-${id}-move-${moves.length}`, async (page) => {
      for (const shape of ["g.side-1", "g.side-2", ".corner", ".shown"]) {
        const found = await leastContrast(browser, page, `svg.board ${shape}`);
        assert.ok(found >= 3 && found < 22, `${shape}, ${scheme}: ${found}`);
      }
    }, { size: LAPTOP, scheme });
  }
});

test("a side has the sign of the board, beside its player and in sentences", async () => {
  const made = cave();
  const { id, moves, first, second, result } = [...records(made.results).values()].find(({ reason }) =>
    reason === "five"
  );
  await view(made.page, `#game-${id}-move-${moves.length}`, async (page) => {
    const winner = result === "1-0" ? "black" : "white", name = result === "1-0" ? first : second;
    const sentences = page.locator(".viewer-head .end, #facts p:last-child");
    for (const words of await sentences.allInnerTexts())
      assert.match(words, new RegExp(`^${name} wins:\\s+has five in line, `));
    const labels = await sentences.locator(".sign").evaluateAll((all) => all.map((one) => one.ariaLabel));
    assert.deepEqual(labels, [winner, winner]);
    // Both are drawn alike.
    const drawn = (kind) =>
      page.locator(kind).first().evaluate((piece) =>
        [...piece.querySelectorAll("*")].map((one) => [one.localName, getComputedStyle(one).fill])
      );
    for (const side of [1, 2])
      assert.deepEqual(await drawn(`.sign .side-${side}`), await drawn(`svg.board .side-${side}`));
  }, { scheme: "dark" });
});

test("a game without a move in its address opens at its end, a lost one with its transcript beside the board", async () => {
  const made = faulty();
  const { id, moves } = [...records(made.results).values()].find(({ reason }) => reason === "garbage");
  await view(made.page, `#game-${id}`, async (page, opened) => {
    assert.equal((await state(opened)).ply, moves.length);
    assert.match(await page.locator("#facts").innerText(), / wins: .*garbage\)$/s);
    const shown = await page.locator(".text-side .transcript pre").innerText();
    assert.match(shown, /bestmove/);
    assert.equal(await page.locator(".viewer-head code").count() > 0, true);
  });
});

test("the list of a player tells its results, and only its own faults in red", async () => {
  const made = faulty(), games = [...records(made.results).values()];
  for (const [number, name] of [[1, "a bot that writes no move"], [3, "carol"]]) {
    await view(made.page, `#player-${number}`, async (page) => {
      const words = await page.locator("#view .result").allInnerTexts();
      const own = games.filter(({ first, second }) => [first, second].includes(name));
      const expected = own.map(({ first, result }) =>
        result === "1/2-1/2" ? "drawn" : (result === "1-0") === (first === name) ? "won" : "lost"
      );
      assert.deepEqual(words, expected);
      const faults = own.filter(({ first, reason, result }) =>
        reason === "garbage" && (result === "0-1") === (first === name)
      );
      assert.equal(await page.locator("#view .list .fault").count(), faults.length);
      assert.equal(
        await page.locator("#view .list").last().evaluate((table) =>
          table.parentElement.scrollHeight - table.parentElement.clientHeight
        ),
        0,
      );
    });
  }
});

test("no player of many is lost: a field marks its row and brings it into sight", async () => {
  await view(crowd().page, "", async (page) => {
    await page.getByRole("searchbox", { name: "Find a player" }).fill("Student 2");
    assert.deepEqual(await page.locator(".found th").allInnerTexts(), ["student 2"]);
    await page.getByRole("searchbox").fill("student 2x");
    assert.equal(await page.locator(".found").count(), 0);
  });
});

test("a phone shows whole names, and tables whose last columns are not cut", async () => {
  for (const make of [crowd, pair, course]) {
    await view(make().page, "", async (page) => {
      for (const table of await page.locator(":is(.standings, .openings):visible").all())
        assert.equal(await isCut(table), false, await table.innerText());
      const cut = await page.locator(".standings tbody a").evaluateAll((all) =>
        all.filter((one) =>
          one.scrollWidth > one.clientWidth || one.parentElement.scrollWidth > one.parentElement.clientWidth
        ).map((one) => one.textContent)
      );
      assert.deepEqual(cut, []);
    }, { size: PHONE });
  }
});

test("the page says how sure it is that the first is stronger, and why a player is not among them", async () => {
  await view(course().page, "", async (page) => {
    assert.match(await page.locator("h2 + p").first().innerText(),
      / ada is stronger than fay with a probability of \d+ %\.$/);
  });
  await view(course().page, "#player-3", async (page) => {
    const why = page.locator("#view dd").first();
    assert.match(await why.innerText(), /^chen cannot be started: .* removes them\.$/);
    assert.deepEqual(await why.locator("code").last().innerText(),
      "sed -i 's/\\r$//' examples/course/submissions/chen/run");
  });
});

test("the words at the side of the chart of a pairing are apart", async () => {
  await view(pair().page, "#pairing-1-2", async (page) => {
    const boxes = await page.locator("#view .chart text").evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]).sort(([one],
        [other]) => one - other
      )
    );
    assert.ok(boxes.length >= 3);
    for (const [at, [top]] of boxes.slice(1).entries()) assert.ok(top >= boxes[at][1] - 4, `${boxes}`);
  });
});

test("no letter is a key", async () => {
  await view(cave().page, "#game-5-move-6", async (page, opened) => {
    for (const letter of "abcdefghijklmnopqrstuvwxyz") await page.keyboard.press(letter);
    assert.equal((await state(opened)).ply, 6);
  });
});

test("the tab key reaches every game of a long list", async () => {
  await view(faulty().page, "#games", async (page) => {
    for (const game of [1, 16, 17, 45, 90, 120])
      await tabTo(page, `(element) => element.getAttribute("href") === "#game-${game}"`);
    await page.keyboard.press("Shift+Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "119");
  });
});

test("a screen reader is left alone while the game plays", async () => {
  await view(cave().page, "#game-2-move-0", async (page, opened) => {
    const live = () => page.locator("#facts").getAttribute("aria-live");
    assert.equal(await live(), "polite");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await until(async () => (await state(opened)).ply >= 1, "a move was played");
    assert.equal(await live(), "off");
    await page.getByRole("button", { name: "Pause" }).click();
    assert.equal(await live(), "polite");
  });
});

test("a page whose games cannot be read says so, and keeps its tables", async () => {
  const html = readFileSync(cave().page, "utf8");
  const damaged = join(temporaryFolder(), "damaged.html");
  writeFileSync(damaged, html.replace(/(id="data">[^<]{400})[^<]{40}/, "$1"));
  const old = () => delete window.DecompressionStream;
  for (const [file, script] of [[damaged], [cave().page, old]]) {
    await view(file, "#game-5", async (page) => {
      assert.match(await page.getByRole("alert").innerText(), /^The games cannot be shown, because /);
      assert.ok(await page.getByRole("table", { name: /standings/i }).isVisible());
    }, { script });
  }
});
