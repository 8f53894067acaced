// An engine of a page whose worker does not answer.

import assert from "node:assert/strict";
import { register } from "node:module";
import { mock, test } from "node:test";

register("./lib/modules.mjs", import.meta.url);
const { LazyEngine } = await import("../../web/page/lazy-engine.js");

/** A worker that answers what a function says; `told` is what it was sent. */
class Worker {
  told = [];
  isEnded = false;

  constructor(answersOf) {
    this.answersOf = answersOf;
  }

  postMessage(text) {
    this.told.push(text);
    for (const data of this.answersOf(text) ?? []) queueMicrotask(() => this.onmessage({ data }));
  }

  terminate() {
    this.isEnded = true;
  }
}

const QUESTION = { options: { Hash: 1 }, position: "position startpos", limits: { movetime: 100 } };

const answers = (text) => text === "isready" ? ["readyok"] : /^go/.test(text) ? ["bestmove a1"] : [];
const mute = () => [];
const muteAtGo = (text) => text === "isready" ? ["readyok"] : [];

for (const [when, first] of [["at its start", mute], ["while it searches", muteAtGo]]) {
  test(`a worker that does not answer ${when} is ended, and the next question starts another one`, async (context) => {
    mock.timers.enable({ apis: ["setTimeout"] });
    context.after(() => mock.timers.reset());
    const workers = [first, answers].map((answersOf) => new Worker(answersOf));
    let started = 0;
    const engine = new LazyEngine(async () => ({ worker: workers[started++] }));
    const failed = assert.rejects(engine.search(QUESTION),
      /^Error: The engine has failed: no answer within 10(\.1)? seconds$/);
    const next = engine.search(QUESTION);
    for (let at = 0; at < 50; at += 1) await null;
    assert.equal(workers[0].isEnded, false);
    mock.timers.tick(10_100);
    mock.timers.tick(1000);
    await failed;
    assert.equal(workers[0].isEnded, true);
    assert.equal((await next).move, "a1");
    assert.ok(workers[1].told.includes("setoption name Hash value 1"));
  });
}
