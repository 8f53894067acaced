// Stepping through a game: keys, buttons, slider, swipes, the curve, playing; copies.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { NARROW, accessibilityTree, launch, nodes, open } from "./lib/chromium.mjs";
import { cave, gridlock, timed } from "./lib/matches.mjs";
import { LODESTONE, REFEREE, positions, records, run, temporaryFolder } from "./lib/referee.mjs";
import { boardOf, copied, facts, readBoard, state, until } from "./lib/viewer.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Opens a game of a match in a page of its own, and closes it after `look`. */
async function view(made, hash, look, options = {}) {
  const view = await open(browser, made.page, { hash, ...options });
  try {
    await look(view, view.page);
    assert.deepEqual(view.problems, []);
  } finally {
    await view.close();
  }
}

/** The FENs of a game after 0, 1, 2, … moves. */
function course(made, id) {
  const { variant, start, moves } = records(made.results).get(id);
  const all = Array.from({ length: moves.length + 1 }, (_, ply) => ({ start, moves: moves.slice(0, ply) }));
  return positions(variant, all);
}

for (const [name, make] of [["magnetic-cave", cave], ["gridlock", gridlock]]) {
  test(`the right arrow key shows each position of a game of ${name}, as the engine sees it`, async () => {
    const made = make();
    const fens = course(made, 3);
    await view(made, "#game-3-move-0", async (opened, page) => {
      for (const [ply, fen] of fens.entries()) {
        assert.equal((await state(opened)).ply, ply);
        assert.equal(boardOf(await readBoard(opened)), fen.split(" ")[0], `after ${ply} moves`);
        await page.keyboard.press("ArrowRight");
      }
      // Nothing comes after the last move.
      assert.equal((await state(opened)).ply, fens.length - 1);
    });
  });
}

test("keys and buttons step, and the address follows", async () => {
  const made = cave();
  const moves = records(made.results).get(5).moves;
  await view(made, "#game-5-move-0", async (opened, page) => {
    const ply = async () => (await state(opened)).ply;
    for (const [key, expected] of [
      ["ArrowLeft", 0],
      ["ArrowRight", 1],
      ["ArrowRight", 2],
      ["ArrowLeft", 1],
      ["End", moves.length],
      ["ArrowLeft", moves.length - 1],
      ["Home", 0],
    ]) {
      await page.keyboard.press(key);
      assert.equal(await ply(), expected, key);
      const address = `#game-5-move-${expected}`;
      await until(async () => (await page.evaluate(() => location.hash)) === address, address);
    }
    for (const [button, expected] of [["Next move", 1], ["Last position", moves.length], [
      "Previous move",
      moves.length - 1,
    ], ["First position", 0]]) {
      await page.getByRole("button", { name: button, exact: true }).click();
      assert.equal(await ply(), expected, button);
    }
  });
});

test("space plays the game and stops it", async () => {
  await view(cave(), "#game-2-move-0", async (opened, page) => {
    const ply = async () => (await state(opened)).ply;
    await page.keyboard.press("Space");
    await until(async () => (await ply()) >= 2, "two moves were played");
    await page.keyboard.press("Space");
    const stopped = await ply();
    await page.waitForTimeout(1500);
    assert.equal(await ply(), stopped);
  });
});

test("the slider steps with keys and with the pointer, and says where it is", async () => {
  await view(cave(), "#game-4-move-0", async (opened, page) => {
    const { total } = await state(opened);
    const slider = page.getByRole("slider", { name: "Move" });
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    assert.equal((await state(opened)).ply, 1);
    await page.keyboard.press("End");
    assert.equal((await state(opened)).ply, total);
    const { x, y, width, height } = await slider.boundingBox();
    await page.mouse.move(x + width - 8, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 });
    await page.mouse.up();
    const { ply } = await state(opened);
    assert.ok(Math.abs(ply - total / 2) <= 2, `move ${ply} of ${total}`);
    assert.equal(nodes(await accessibilityTree(opened), "slider")[0].value, ply);
    assert.equal(await slider.getAttribute("aria-valuetext"), `move ${ply} of ${total}`);
  });
});

test("a swipe to the left steps forward, to the right back", async () => {
  const options = { size: NARROW, touch: true };
  await view(cave(), "#game-4-move-3", async (opened, page) => {
    const { x, y, width, height } = await page.locator("svg.board").boundingBox();
    const swipe = async (from, to) => {
      const point = (share) => [{ x: x + width * share, y: y + height / 2 }];
      const send = (type, touchPoints) =>
        opened.devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
      await send("touchStart", point(from));
      await send("touchMove", point((from + to) / 2));
      await send("touchMove", point(to));
      await send("touchEnd", []);
    };
    await swipe(0.8, 0.2);
    await until(async () => (await state(opened)).ply === 4, "move 4");
    await swipe(0.2, 0.8);
    await until(async () => (await state(opened)).ply === 3, "move 3 again");
    // A tap is no swipe.
    await swipe(0.5, 0.5);
    assert.equal((await state(opened)).ply, 3);
  }, options);
});

test("the scores of both players are drawn from the view of the first player", async () => {
  const made = cave(), games = [...records(made.results).values()];
  // A proven win of each player: the line of the first one goes up with it, and that of the second one down.
  const proven = (player) =>
    games.map((game) => {
      const seat = [game.first, game.second].indexOf(player);
      const at = game.score.findLastIndex((score, index) =>
        (game.opening_plies + index) % 2 === seat && score?.startsWith("win ")
      );
      return { id: game.id, seat, found: at >= 0 };
    }).filter(({ found }) => found);
  const wins = proven("alice");
  for (const seat of [0, 1]) {
    const one = wins.find((win) => win.seat === seat);
    assert.ok(one, "alice has proven a win on both sides");
    await view(made, `#game-${one.id}-move-0`, async (opened, page) => {
      const heights = await page.locator(".curve").evaluate((curve, seat) => {
        const grid = [...curve.querySelectorAll("line.grid, line.axis")].map((line) =>
          Number(line.getAttribute("y1"))
        );
        const ends = curve.querySelector(`path.line-${seat}`).getAttribute("d").match(/[\d.]+$/);
        return { best: Math.min(...grid), worst: Math.max(...grid), last: Number(ends[0]) };
      }, seat);
      assert.ok(Math.abs(heights.last - (seat === 0 ? heights.best : heights.worst)) < 1,
        JSON.stringify(heights));
    });
  }
});

test("each player has the clock that its own moves have left", async () => {
  const made = timed(), { moves, ms, opening_plies: opening } = records(made.results).get(1);
  await view(made, `#game-1-move-${opening}`, async (opened, page) => {
    const left = [20_000, 20_000];
    for (let ply = opening; ply < moves.length; ply += 1) {
      await page.keyboard.press("ArrowRight");
      left[ply % 2] += 5000 - ms[ply - opening];
      const shown = await page.locator(".seat").allInnerTexts();
      for (const text of shown) {
        const seat = text.includes("carol") ? 0 : 1, seconds = Number(/clock ([\d.]+) s/.exec(text)[1]);
        assert.ok(Math.abs(seconds * 1000 - left[seat]) < 20,
          `move ${ply + 1}: ${text}, expected ${left[seat]}`);
      }
    }
  });
});

test("a click on the curve of the scores goes to that move", async () => {
  await view(cave(), "#game-4-move-0", async (opened, page) => {
    const { total } = await state(opened);
    const curve = page.getByRole("img", { name: /^Scores after each move/ });
    await curve.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await curve.boundingBox();
    await page.mouse.click(x + width - 14, y + height / 3);
    const end = (await state(opened)).ply;
    assert.ok(end >= total - 1, `move ${end} of ${total}`);
    await page.mouse.click(x + width / 2, y + height / 3);
    const middle = (await state(opened)).ply;
    assert.ok(Math.abs(middle - total / 2) <= total / 8 + 1, `move ${middle} of ${total}`);
  });
});

/** The FEN after the command `position`, from the engine. */
function fenOf(position) {
  const variant = /^position fen \S+ [xo] \d+ \d+/.test(position) ? "gridlock" : "magnetic-cave";
  const { stdout } = run(LODESTONE, [], {
    input: `setoption name UCI_Variant value ${variant}\n${position}\nd\nquit\n`,
  });
  return /^Fen: (.*)$/m.exec(stdout)[1];
}

for (const [name, make] of [["magnetic-cave", cave], ["gridlock", gridlock]]) {
  test(`what is copied of a game of ${name} is right, and the command continues it`, async () => {
    const made = make();
    const fens = course(made, 3);
    const { moves } = records(made.results).get(3);
    const folder = temporaryFolder();
    for (const ply of [0, 5, 6, moves.length]) {
      await view(made, `#game-3-move-${ply}`, async (opened) => {
        assert.equal(fenOf(await copied(opened, "Copy position")), fens[ply]);
        if (ply) assert.equal(await copied(opened, "Copy moves"), moves.slice(0, ply).join(" "));
        if (ply === moves.length) return;
        const [command, program, ...typed] = (await copied(opened, "Play on from here")).split("\n");
        run("bash", ["-c", command], { cwd: folder });
        assert.equal(program, "referee");
        run(REFEREE, [], { cwd: folder, input: [...typed, "save now.txt", "q", ""].join("\n") });
        const saved = readFileSync(join(folder, "now.txt"), "utf8");
        const continued = /^moves: *(.*)$/m.exec(saved)[1].split(" ").filter(Boolean);
        // The person is the side to move, and is asked.
        assert.deepEqual(continued, moves.slice(0, ply), saved);
        run("rm", ["-f", join(folder, "now.txt")]);
      });
    }
  });
}

test("the last move, the opening and the end are named", async () => {
  const made = cave();
  const five = [...records(made.results).values()].find(({ reason }) => reason === "five");
  await view(made, `#game-${five.id}-move-2`, async (opened) => {
    assert.match(await facts(opened),
      new RegExp(`Move 2 of ${five.moves.length}: +the opening plays ${five.moves[1]} for ${five.second}`));
    const marked = [...(await readBoard(opened))].filter(([, { text }]) => /last move/.test(text));
    assert.deepEqual(marked.map(([cell]) => cell), [five.moves[1]]);
  });
  await view(made, `#game-${five.id}-move-${five.moves.length}`, async (opened) => {
    const winner = five.result === "1-0" ? five.first : five.second;
    assert.match(await facts(opened), new RegExp(`${winner} wins`));
    const marked = [...(await readBoard(opened))].filter(([, { text }]) => /winning line/.test(text));
    assert.ok(marked.length >= 5);
  });
});
