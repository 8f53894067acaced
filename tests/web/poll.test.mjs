// A page of `referee serve` that reads a list again and again, without the page.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

const connection = { textContent: "" }, document = new EventTarget();
Object.assign(globalThis, {
  document: Object.assign(document, { hidden: false, getElementById: () => connection }),
});
const { poll, request } = await import("../../serve/page/api.js");

/** Questions of the page, each with a function that answers it. */
const asked = [];
globalThis.fetch = () =>
  new Promise((answer) => asked.push((number) => answer({ ok: true, json: async () => number })));

const soon = () => new Promise((done) => setImmediate(done));

test("answers are shown in order, and a page that comes into sight reads at once", async (context) => {
  mock.timers.enable({ apis: ["setInterval"] });
  context.after(() => mock.timers.reset());
  const shown = [], reading = poll("api/boards", 3000, (answer) => shown.push(answer));
  mock.timers.tick(3000);
  reading.read();
  assert.equal(asked.length, 1, "one question at a time");
  asked[0](1);
  await soon();
  assert.equal(asked.length, 2, "the next one was wanted");
  asked[1](2);
  await soon();
  assert.deepEqual(shown, [1, 2]);

  document.hidden = true;
  mock.timers.tick(6000);
  assert.equal(asked.length, 2);
  document.hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.equal(asked.length, 3);
  reading.end();
  asked[2](3);
  await soon();
  mock.timers.tick(3000);
  assert.deepEqual([shown, asked.length], [[1, 2], 3]);
});

test("an answer that is no JSON is an error", async () => {
  globalThis.fetch = async () => new Response("<html>");
  await assert.rejects(request("api/boards"), /^Error: the server's answer cannot be read; try again$/);
  globalThis.fetch = async () => new Response("", { status: 502 });
  await assert.rejects(request("api/boards"), /^Error: the server answers with status 502$/);
});
