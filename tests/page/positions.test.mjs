// The last positions of the page against the referee's records and the engine.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { launch, open } from "./lib/chromium.mjs";
import { randomGames } from "./lib/matches.mjs";
import { positions, records } from "./lib/referee.mjs";
import { boardOf, facts, goTo, readBoard } from "./lib/viewer.mjs";

register("../web/lib/modules.mjs", import.meta.url);
const { readMatches, replay } = await import("../../referee/src/report/page/data.js");
const { cellText, cellWords } = await import("../../referee/src/report/page/board.js");

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const cellAt = (column, rank) => String.fromCharCode(97 + column) + String.fromCharCode(49 + rank);

/** The cells of all lines of five or more; the columns and ranks of a board are counted from 0. */
function fives(board) {
  const found = new Set();
  for (const [right, up] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
    for (let column = 0; column < 8; column += 1) {
      for (let rank = 0; rank < 8; rank += 1) {
        const line = Array.from({ length: 5 }, (_, step) => cellAt(column + step * right, rank + step * up));
        const pieces = new Set(line.map((cell) => board.get(cell)?.piece));
        if (pieces.size === 1 && ["x", "o"].includes([...pieces][0])) line.forEach((cell) => found.add(cell));
      }
    }
  }
  return [...found].sort();
}

/** The games of a page, as its script reads them. */
function gamesOf(made) {
  const [, data] = /id="data">([^<]*)</.exec(readFileSync(made.page, "utf8"));
  return readMatches(JSON.parse(inflateSync(Buffer.from(data, "base64"))).matches)[0].byId;
}

/** The last board of a game, as `readBoard` finds it on the page. */
function lastBoard(game) {
  const position = replay(game).positions.at(-1), { columns, rows, cells } = position;
  return new Map(
    cells.map((cell,
      at) => [cellText(position, at), { piece: cell === "." ? "" : cell,
      text: cellWords(game.match.game, position, at).join(", "), row: rows[Math.floor(at / columns.length)] }]
    ),
  );
}

/** Checks the last board of a game, and what is said of its end. */
function check(game, fen, board, said) {
  const name = `game ${game.id}`, [cells, side] = fen.split(" ");
  assert.equal(boardOf(board), cells, name);
  const result = { "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½" }[game.result];
  assert.ok(said.includes(`${result}, ${game.reason}`), name);
  const winning = [...board].filter(([, cell]) => /winning/i.test(cell.text)).map(([cell]) => cell);
  assert.deepEqual(winning.sort(), game.variant === "magnetic-cave" ? fives(board) : [], name);
  const blocked = [...board].filter(([, cell]) => /blocked/.test(cell.text)).map(([cell]) => cell);
  const pieces = [...board].filter(([, cell]) => cell.piece === side).map(([cell]) => cell);
  assert.deepEqual(blocked, game.reason === "blocked" ? pieces : [], name);
  // "x has five in line, h5 to d1"
  for (const [, from, to] of game.detail.matchAll(/, ([a-h][1-8]) to ([a-h][1-8])$/g)) {
    assert.ok(winning.includes(from) && winning.includes(to), `${name}: ${game.detail}`);
  }
}

/** Compares all games as the script of the page reads them, and the first ones as the page shows them. */
async function compare(made, shown = 3) {
  const games = [...records(made.results).values()], read = gamesOf(made);
  const fens = positions(games[0].variant, games);
  const reasons = new Map();
  for (const [number, game] of games.entries()) {
    const { outcome, reason } = read.get(game.id);
    check(game, fens[number], lastBoard(read.get(game.id)), `${outcome}, ${reason}`);
    reasons.set(game.reason, (reasons.get(game.reason) ?? 0) + 1);
  }
  const opened = await open(browser, made.page);
  for (const [number, game] of games.slice(0, shown).entries()) {
    await goTo(opened, game.id, game.moves.length);
    check(game, fens[number], await readBoard(opened), await facts(opened));
  }
  assert.deepEqual(opened.problems, []);
  await opened.close();
  return reasons;
}

test("200 random games of Magnetic Cave end as the referee says", async () => {
  const reasons = await compare(randomGames("magnetic-cave", 200));
  assert.ok(reasons.get("five") > 100, `${[...reasons]}`);
});

for (const [pieces, turns] of [[1, 30], [8, 60], [20, 200], [24, 40]]) {
  test(`50 random games of Gridlock with ${pieces} pieces a side end as the referee says`, async () => {
    await compare(randomGames("gridlock", 50, ["--pieces", `${pieces}`, "--turns", `${turns}`]));
  });
}
