// The samples of messages in `tests/lines/messages`, which tests in Rust write, as the scripts read them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../page/lib/referee.mjs";

register("./lib/modules.mjs", import.meta.url);
const { changed } = await import("../../serve/page/api.js");
const { readMatches, replay } = await import("../../referee/src/report/page/data.js");
const { replayGame } = await import("../../referee/src/report/page/steps.js");

const sample = (name) => JSON.parse(readFileSync(join(ROOT, "tests/lines/messages", `${name}.json`), "utf8"));

test("a change is added to the state of a board", () => {
  const board = sample("board"), state = changed(board, sample("change"));
  assert.deepEqual(state.game.moves, ["a1", "h1"]);
  assert.equal(state.game.grids.length, state.game.turns.length);
  assert.equal(state.game.ms.length, state.game.scores.length);
  assert.equal(state.game.start, board.game.start);
  assert.equal(state.side, 1);
});

test("the boards of a game and of a running game of a match are replayed", () => {
  for (const game of [sample("board").game, sample("match").running[0]]) {
    const { positions, moves } = replayGame(game);
    assert.deepEqual(moves, [{ text: "a1", side: 1 }]);
    assert.deepEqual(positions.map(({ cells, side }) => [cells.join(""), side]), [["..", 1], ["x.", 2]]);
    assert.deepEqual(positions[1].highlights, game.highlights);
  }
});

test("the games of a report have their facts", () => {
  const [match] = readMatches(sample("report").matches), game = match.byId.get(1);
  const { moves, positions, clocks } = replay(game);
  assert.equal(moves.length, 9);
  assert.equal(positions.at(-1).cells.filter((cell) => cell === "x").length, 5);
  assert.deepEqual([game.winner, game.outcome, game.isFault, game.isOver], [1, "1–0", true, true]);
  assert.equal(clocks[0], 60_000);
  assert.deepEqual(moves[1].mark, { kind: "blunder", judge: "analysis" });
  assert.equal(moves[2].fault, "why");
  const { time, score, facts, lines, before, after, best } = moves[2];
  assert.deepEqual({ time, score, facts, lines, before, after, best }, { time: 2,
    score: { kind: "cp", value: 300 }, facts: ["depth 7", "1234 nodes"], lines: ["Line: h1 a2"],
    before: { kind: "cp", value: 12 }, after: { kind: "cp", value: -300 }, best: "a2 b1" });
  assert.deepEqual([moves[0].facts, moves[0].lines], [[], []]);
  assert.match(match.byId.get(2).error, /^move 10/);
  assert.equal(match.meetingsOf[0].get(1), match.meetings[0]);
});
