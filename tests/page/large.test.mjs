// Sizes and times of pages with 1,000 and 20,000 games. It prints what it measures. With LARGE=1 in
// the environment, 20,000 games of Gridlock are among them, which take a minute to play.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "./lib/chromium.mjs";
import { manyGames } from "./lib/matches.mjs";
import { positions, records } from "./lib/referee.mjs";
import { boardOf, goTo, readBoard, state, until } from "./lib/viewer.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Milliseconds until the first table is visible, and until a link of the list has opened game 17. */
async function opening(file) {
  const opened = await open(browser, file);
  await opened.page.getByRole("table").first().waitFor();
  const table = performance.now() - opened.started;
  const again = performance.now();
  await goTo(opened, 17);
  await until(async () => (await state(opened))?.game === 17, "game 17");
  const game = performance.now() - again;
  return { opened, table, game };
}

for (const [variant, count, limits] of [
  ["magnetic-cave", 1000, { bytes: 1.5e6, table: 2000, game: 1000 }],
  ["gridlock", 1000, { bytes: 1.5e6, table: 2000, game: 1000 }],
  ["magnetic-cave", 20_000, { bytes: 30e6, table: 10_000, game: 3000 }],
  ["gridlock", 20_000, { bytes: 30e6, table: 10_000, game: 3000 }],
]) {
  const skip = variant === "gridlock" && count > 1000 && !process.env.LARGE && "only with LARGE=1";
  test(`${count} games of ${variant}: size and time to open`, { skip }, async (context) => {
    const made = manyGames(count, variant);
    const bytes = statSync(made.page).size;
    let best;
    for (let round = 0; round < 2; round += 1) {
      const measured = await opening(made.page);
      assert.deepEqual(measured.opened.problems, []);
      const { table, game } = measured;
      best = best ? { table: Math.min(best.table, table), game: Math.min(best.game, game) } : { table, game };
      if (round === 1) {
        // The last game of the file is there, too.
        const last = records(made.results).get(count);
        await goTo(measured.opened, count, last.moves.length);
        const [fen] = positions(variant, [last]);
        assert.equal(boardOf(await readBoard(measured.opened)), fen.split(" ")[0]);
      }
      await measured.opened.close();
    }
    context.diagnostic(
      `${(bytes / 1e6).toFixed(2)} MB of ${(statSync(made.results).size / 1e6).toFixed(2)} MB of results, `
        + `written in ${made.seconds.toFixed(2)} s; first table after ${best.table.toFixed(0)} ms, `
        + `game 17 after ${best.game.toFixed(0)} ms`,
    );
    assert.ok(bytes <= limits.bytes, `${bytes} bytes`);
    assert.ok(best.table <= limits.table, `table after ${best.table} ms`);
    assert.ok(best.game <= limits.game, `game after ${best.game} ms`);
  });
}
