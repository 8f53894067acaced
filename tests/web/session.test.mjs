// A game of the page without a page: clocks, pauses, changes of players, failures. The rules are those of the engine,
// the players are stubs, and the time is set by hand.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { register } from "node:module";
import { mock, test } from "node:test";
import { LODESTONE } from "../page/lib/referee.mjs";

register("./lib/modules.mjs", import.meta.url);
const { Session } = await import("../../web/page/session.js");
const { loadRules } = await import("../../web/page/rules.js");

/** An engine of the rules, whose answers come before `run` returns. It is told its game with each question. */
await loadRules(async (onLine, args = []) => {
  const answers = (input) =>
    spawnSync(LODESTONE, args, { input, encoding: "utf8" }).stdout.split("\n").filter(Boolean).forEach(
      onLine,
    );
  if (args.length) answers("");
  let options = "", lines = "";
  return { send(text) {
    lines = text;
    options = lines.match(/^setoption .*\n/)?.[0] ?? options;
  }, run: () => answers(`${lines.startsWith("setoption") ? "" : options}${lines}\n`) };
});

/** A player that moves when it is told to. */
class Stub {
  searches = [];

  newGame = () => Promise.resolve();

  stop() {}

  search(question) {
    return new Promise((resolve, reject) =>
      this.searches.push({ ...question, resolve, reject, answer: (move) =>
        resolve({ move, milliseconds: 0 }) })
    );
  }

  get last() {
    return this.searches.at(-1);
  }
}

const BASE = 60_000;

/** A game with these players, whose clock can be moved. */
function game(context, players, clock = { base: BASE, increment: 0 }) {
  mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const read = mock.method(performance, "now", () => now);
  context.after(() => {
    mock.timers.reset();
    read.mock.restore();
  });
  const engines = [new Stub(), new Stub()], kinds = [];
  const session = new Session(engines, (kind) => kinds.push(kind));
  session.start({ variant: "magnetic-cave", players, clock });
  return {
    session,
    engines,
    kinds,
    /** Time passes; without `timers` as in a tab whose timers come late. */
    pass(milliseconds, { timers = true } = {}) {
      now += milliseconds;
      if (timers) mock.timers.tick(milliseconds);
    },
  };
}

/** Lets promises go on. */
const settled = () => new Promise((done) => setImmediate(done));

const HUMANS = ["human", "human"], PROGRAMS = ["medium", "medium"];

test("the clocks run from the second move on, and give the increment", (context) => {
  const { session, pass } = game(context, HUMANS, { base: BASE, increment: 2000 });
  pass(5000);
  session.play("a1");
  assert.deepEqual(session.clocksNow(), [BASE, BASE]);
  pass(3000);
  assert.deepEqual(session.clocksNow(), [BASE, BASE - 3000]);
  session.play("h1");
  assert.deepEqual(session.clocksNow(), [BASE, BASE - 1000]);
});

test("a move that is taken back gives the clocks from before it", (context) => {
  const { session, pass } = game(context, HUMANS, { base: BASE, increment: 2000 });
  for (const [move, time] of [["a1", 0], ["h1", 3000], ["a2", 4000], ["h2", 5000]]) {
    pass(time);
    session.play(move);
  }
  assert.deepEqual(session.clocksNow(), [BASE - 2000, BASE - 4000]);
  session.undo();
  assert.deepEqual(session.clocksNow(), [BASE - 2000, BASE - 1000]);
  session.continueFrom(1);
  assert.deepEqual(session.clocksNow(), [BASE, BASE]);
});

test("a player without time loses, also if the timer comes late", (context) => {
  for (const timers of [true, false]) {
    const { session, pass } = game(context, HUMANS);
    session.play("a1");
    pass(BASE + 1, { timers });
    if (!timers) session.play("h1");
    assert.equal(session.moves.length, 1);
    assert.deepEqual([session.ending.reason, session.ending.winner], ["time", 1]);
    assert.deepEqual(session.clocksNow(), [BASE, 0]);
    mock.timers.reset();
  }
});

test("swapping sides and pausing give no time back", (context) => {
  const { session, pass } = game(context, ["human", "medium"]);
  session.play("a1");
  pass(4000);
  session.setPlayers(["medium", "human"]);
  assert.deepEqual(session.clocksNow(), [BASE, BASE - 4000]);
  pass(1000);
  session.setPlayers(PROGRAMS);
  session.pause(true);
  pass(9000);
  assert.deepEqual(session.clocksNow(), [BASE, BASE - 5000]);
  session.pause(false);
  pass(1000);
  assert.deepEqual(session.clocksNow(), [BASE, BASE - 6000]);
});

test("a person who takes a seat in a game that was held ends the pause", async (context) => {
  const { session, engines } = game(context, PROGRAMS, null);
  session.pause(true);
  session.setPlayers(["human", "medium"]);
  assert.equal(session.isPaused, false);
  session.play("a1");
  engines[1].last.answer("h1");
  await settled();
  assert.deepEqual(session.moves.map((move) => move.text), ["a1", "h1"]);
});

test("a failure stops the clock, and asking again gives no time back", async (context) => {
  for (const fail of [(search) => search.reject(new Error("Oops")), (search) => search.answer("e5")]) {
    const { session, engines, pass } = game(context, ["human", "medium"]);
    session.play("a1");
    pass(4000);
    fail(engines[1].last);
    await settled();
    assert.ok(session.failure);
    pass(2 * BASE);
    assert.deepEqual([session.ending, session.clocksNow()], [null, [BASE, BASE - 4000]]);
    session.retry();
    pass(1000);
    assert.deepEqual([session.failure, session.clocksNow()], [null, [BASE, BASE - 5000]]);
    mock.timers.reset();
  }
});

test("an answer to an earlier question is no move", async (context) => {
  const { session, engines } = game(context, ["human", "medium"], null);
  session.play("a1");
  const { last } = engines[1];
  session.undo();
  last.answer("h1");
  await settled();
  assert.deepEqual([session.moves, session.asksPerson], [[], true]);
});

test("what cannot be played changes nothing", (context) => {
  const { session, kinds } = game(context, HUMANS);
  const before = kinds.length;
  assert.throws(() => session.play("e5"), /e5/);
  assert.throws(() => session.setPlayers(["human", "nobody"]), /nobody/);
  assert.deepEqual([session.moves, session.playerNames, kinds.length], [[], HUMANS, before]);
});
