// A report with the engine in it: `report --html FILE --embed-engine web/dist/lodestone.wasm`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, launch, open } from "../page/lib/chromium.mjs";
import { randomGames } from "../page/lib/matches.mjs";
import { LODESTONE, page, records, referee, run, temporaryFolder } from "../page/lib/referee.mjs";
import { DIST } from "./lib/play.mjs";

const folder = temporaryFolder();
const ENGINE = join(DIST, "lodestone.wasm");

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** What the native engine proves of a position; null if it proves nothing. */
function proven(variant, start, moves) {
  const { stdout } = run(LODESTONE, [], {
    input: `setoption name UCI_Variant value ${variant}\nposition fen ${start} moves ${
      moves.join(" ")
    }\ngo depth 4 movetime 5000\n`,
  });
  return /score (win|loss) (\d+) .*pv (.*)\nbestmove/.exec(stdout);
}

for (const variant of ["magnetic-cave", "gridlock"]) {
  test(`${variant}: any position of any game is analysed on the spot`, async () => {
    const { results } = randomGames(variant, 20);
    const file = page(join(folder, `${variant}.html`), [results], ["--embed-engine", ENGINE]);
    const game = [...records(results).values()].find(({ start, moves, reason }) =>
      reason !== "full" && proven(variant, start, moves.slice(0, -1))
    );
    assert.ok(game, "a game that ends with a proven move");
    const plies = game.moves.length - 1;
    const opened = await open(browser, file, { hash: `#game-${game.id}-move-${plies}`, allows: (url) =>
      url.startsWith("blob:") });
    const analysis = opened.page.getByRole("status", { name: "Analysis" });
    await opened.page.getByRole("button", { name: "Analyse", exact: true }).click();
    const [, kind, value] = proven(variant, game.start, game.moves.slice(0, plies));
    await analysis.filter({ hasText: new RegExp(`score ${kind} in ${value} pl`) }).waitFor({
      timeout: 60_000,
    });
    assert.match(await analysis.innerText(), /Line: [a-h1-8]/);
    // It follows the steps.
    await opened.page.keyboard.press("End");
    await analysis.filter({ hasText: "the game is over here" }).waitFor({ timeout: 60_000 });
    await opened.page.keyboard.press("Home");
    await analysis.filter({ hasText: /depth \d+: score .*\d/ }).waitFor({ timeout: 60_000 });
    assert.deepEqual(await axe(opened), []);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}

test("only a page with the engine allows it in its policy", () => {
  const { results } = randomGames("magnetic-cave", 20);
  const policy = (words) =>
    /Content-Security-Policy" content="([^"]*)"/.exec(
      readFileSync(page(join(folder, "policy.html"), [results], words), "utf8"),
    )[1];
  const [without, embedded] = [policy([]), policy(["--embed-engine", ENGINE])];
  assert.doesNotMatch(without, /wasm|worker|blob/);
  const plain = embedded.replace(" 'wasm-unsafe-eval'", "").replace(" worker-src blob:;", "");
  assert.equal(plain.replace(/script-src '[^']*'/, ""), without.replace(/script-src '[^']*'/, ""));
});

test("a file that is no engine is refused before anything is written", () => {
  const { results } = randomGames("magnetic-cave", 20);
  const wrong = join(folder, "wrong.wasm");
  writeFileSync(wrong, "text");
  const { stderr } = referee(["report", results, "--html", join(folder, "no.html"), "--embed-engine", wrong],
    { statuses: [2] });
  assert.match(stderr, /wrong\.wasm` is not a WebAssembly module/);
});
