// Games by a rules program: their boards, texts or moves only.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { accessibilityTree, launch, nodes, open } from "./lib/chromium.mjs";
import { other } from "./lib/matches.mjs";
import { answers, records } from "./lib/referee.mjs";
import { copied, facts, setHash, settled } from "./lib/viewer.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Opens a page at the start of game 1, and closes it without problems. */
async function view(file, look) {
  const opened = await open(browser, file, { hash: "#game-1-move-0" });
  try {
    await look(opened, opened.page);
    assert.deepEqual(opened.problems, []);
  } finally {
    await opened.close();
  }
}

const words = (node) => node.name || node.children.map(words).join("");

/** The board as a screen reader has it: names of columns and rows, and the words of all cells. */
async function readGrid(opened) {
  const [table] = nodes(await accessibilityTree(opened), "table", /^Board after/);
  assert.ok(table, "the accessibility tree has no board");
  return { columns: nodes(table, "columnheader").map(words), rows: nodes(table, "rowheader").map(words),
    cells: nodes(table, "cell").filter((cell) => cell.name !== "" || cell.children.length).map(words) };
}

/** An answer to `query grid`, as a screen reader should have it. */
function expected([answer], [before]) {
  const [, columns, rows, cells] = /^columns (.*) rows (.*) cells (.*)$/.exec(answer);
  const old = before.split(" cells ")[1].split(" ");
  const names = { x: "Player 1", o: "Player 2", ".": "empty" };
  return { columns: columns.split(" "), rows: rows.split(" "),
    cells: cells.split(" ").map((cell, index) =>
      (names[cell] ?? cell) + (cell === old[index] ? "" : ", last move")
    ) };
}

for (const name of ["breakthrough", "kalah"]) {
  test(`the right arrow key shows each position of a game of ${name}, as its rules program does`, async () => {
    const made = other(name);
    const game = records(made.results).get(1);
    const grids = answers(name, "grid", game.moves);
    await view(made.page, async (opened, page) => {
      for (const [plies, grid] of grids.entries()) {
        const right = expected(grid, grids[Math.max(0, plies - 1)]);
        assert.deepEqual(await readGrid(opened), right, `after ${plies} moves`);
        const changed = right.cells.filter((cell) => cell.endsWith("last move")).length;
        assert.equal(await page.locator("svg.board .cell.last").count(), changed);
        const pieces = right.cells.filter((cell) => /Player/.test(cell)).length;
        assert.equal(await page.locator("svg.board .piece").count(), pieces);
        if (plies) {
          // The players of Kalah do not move in turn.
          const side = game.turns ? game.turns[plies - 1] : `${2 - (plies % 2)}`;
          const mover = side === "1" ? game.first : game.second;
          const line = `Move ${plies} of ${game.moves.length}: ${mover} plays ${game.moves[plies - 1]}`;
          assert.ok((await facts(opened)).replace(/ +/g, " ").startsWith(line), await facts(opened));
          // The sign of its side is that of the board.
          const sign = page.locator("#facts .sign");
          assert.equal(await sign.getAttribute("aria-label"), `Player ${side}`);
          assert.equal(await sign.locator(`.side-${side}`).count(), 1);
        }
        await page.keyboard.press("ArrowRight");
      }
      if (game.points) assert.ok((await facts(opened)).includes(`Points: ${game.points}`));
    });
  });
}

test("some players of a game of Kalah do not move in turn", () => {
  assert.match(records(other("kalah").results).get(1).turns, /11|22/);
});

test("a board without cells is shown as its text", async () => {
  const made = other("nim");
  const { moves } = records(made.results).get(1);
  const boards = answers("nim", "board", moves);
  await view(made.page, async (opened, page) => {
    for (const board of boards) {
      assert.equal(await page.locator(".board-place pre").textContent(), board.join("\n"));
      await page.keyboard.press("ArrowRight");
    }
    assert.equal(await page.locator("svg.board").count(), 0);
  });
});

for (const [what, file, results] of [[
  "without a board",
  () => other("sticks").page,
  () => other("sticks").results,
], [
  "of a report without the rules",
  () => other("breakthrough").bare,
  () => other("breakthrough").results,
]]) {
  test(`a game ${what} has its moves`, async () => {
    const { moves } = records(results()).get(1);
    await view(file(), async (opened, page) => {
      assert.equal(await page.locator(".board-place > *").count(), 0);
      await page.keyboard.press("End");
      assert.ok((await facts(opened)).includes(`plays ${moves.at(-1)}`));
      assert.equal(await copied(opened, "Copy moves"), moves.join(" "));
      assert.equal(await page.locator(".moves a").count(), moves.length);
      assert.equal(await page.getByRole("button", { name: "Play on from here" }).count(), 0);
    });
  });
}

test("the page that a match writes has the boards of all games", async () => {
  const made = other("kalah");
  await view(made.written, async (opened, page) => {
    const data = await page.locator("#data").textContent();
    const { matches: [{ games }] } = JSON.parse(inflateSync(Buffer.from(data, "base64")));
    assert.equal(games.length, 2);
    for (const { played } of games) assert.ok(played.every((one) => typeof one === "string"));
    await readGrid(opened);
  });
});

test("moves, names and cells of a rules program are never markup", async () => {
  const made = other("hostile");
  for (const file of [made.page, made.bare, made.written]) {
    await view(file, async (opened, page) => {
      const { moves } = records(made.results).get(1);
      for (const hash of ["#", "#games", "#player-1", "#game-1", `#game-1-move-${moves.length}`]) {
        await setHash(opened, hash);
        await settled(opened);
        const found = await page.evaluate(
          () => [
            window.pwned,
            document.querySelectorAll("img, i, b, [onload], [onerror]").length,
            document.scripts.length,
          ]
        );
        assert.deepEqual(found, [undefined, 0, 2], hash);
      }
      assert.ok((await facts(opened)).includes(`plays ${moves.at(-1)}`));
      if (file === made.bare) return;
      const grid = await readGrid(opened);
      assert.deepEqual(grid.columns, ["<i>", "\"'&"]);
      assert.deepEqual(grid.rows, ["</b>"]);
      assert.deepEqual(grid.cells, ["Player 1, <b>0, last move", "</svg>"]);
    });
  }
});
