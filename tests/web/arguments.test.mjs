// The package for npm: what a wrong argument does. The engine is the native one, behind a worker's messages.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { Engine } from "../../web/package/engine.js";
import { LODESTONE } from "../page/lib/referee.mjs";

const sent = [];
let engine, native;
before(async () => {
  native = spawn(LODESTONE, { stdio: ["pipe", "pipe", "inherit"] });
  const worker = { postMessage(data) {
    if (typeof data !== "string") return;
    sent.push(...data.split("\n"));
    native.stdin.write(`${data}\n`);
  }, terminate: () => native.kill() };
  createInterface({ input: native.stdout }).on("line", (line) => worker.onmessage({ data: line }));
  engine = await Engine.start({ worker });
});
after(() => engine.quit());

const FEN = "8/8/8/8/8/8/8/8 x";

test("a wrong argument is named, and nothing is sent", async () => {
  for (const [call, message] of [
    [
      () => engine.position({ moves: ["a8\nquit"] }),
      'moves: expected words without spaces, found "a8\\nquit"',
    ],
    [() => engine.position({ moves: ["a8 h8"] }), 'moves: expected words without spaces, found "a8 h8"'],
    [() => engine.position({ moves: [""] }), 'moves: expected words without spaces, found ""'],
    [() => engine.position({ moves: [null] }), "moves: expected words without spaces, found null"],
    [() => engine.position({ moves: [undefined] }), "moves: expected words without spaces, found undefined"],
    [() => engine.position({ moves: "a8 h8" }), 'moves: expected an array of words, found "a8 h8"'],
    [() => engine.position({ fen: `${FEN}\nquit` }), `fen: expected one line, found "${FEN}\\nquit"`],
    [() =>
      engine.position({ fen: `${FEN}\r` }), `fen: expected one line, found "${FEN}\\r"`],
    [() => engine.position({ fen: `${FEN}\u2028quit` }), `fen: expected one line, found "${FEN}\u2028quit"`],
    [() =>
      engine.position({ fen: null }), "fen: expected one line, found null"],
    [() => engine.position({ fen: `${FEN} moves a8` }), "fen: expected the moves in `moves`"],
    [() =>
      engine.setOption("Hash", "2\nquit"), 'option Hash: expected one line, found "2\\nquit"'],
    [() => engine.setOption("Hash", null), "option Hash: expected one line, found null"],
    [() =>
      engine.setOption("Hash", NaN), "option Hash: expected one line, found null"],
    [() => engine.setOption("Hash", { value: 2 }), 'option Hash: expected one line, found {"value":2}'],
    [
      () => engine.setOption("Hash value 2\nquit"),
      'the name of an option: expected one line, found "Hash value 2\\nquit"',
    ],
    [
      () => engine.go({ depth: 1, searchmoves: ["a8\nquit"] }),
      'searchmoves: expected words without spaces, found "a8\\nquit"',
    ],
    [
      () => engine.go({ depth: 1, searchmoves: ["infinite"] }),
      'searchmoves: expected moves, found "infinite"',
    ],
    [() => engine.go({ depth: "1\nquit" }), 'depth: expected one line, found "1\\nquit"'],
    [() => engine.go({ depth: "1 infinite" }), 'depth: expected words without spaces, found "1 infinite"'],
    [() => engine.go({ depth: null }), "depth: expected one line, found null"],
    [() => engine.go({ "depth 1\nquit": true }), 'go: there is no limit "depth 1\\nquit"'],
    [() => engine.ask("query moves\nquit"), 'ask: expected one line, found "query moves\\nquit"'],
  ]) {
    const before = sent.length;
    await assert.rejects(call, { name: "EngineError", message });
    assert.deepEqual(sent.slice(before), []);
  }
  // None of these left anything behind.
  await engine.position({ fen: FEN, moves: ["a8"] });
  assert.deepEqual(await engine.ask("query fen"), ["response x7/8/8/8/8/8/8/8 o"]);
  const { move } = await engine.go({ depth: 1, searchmoves: ["h1"], infinite: false, nodes: undefined });
  assert.equal(move, "h1");
});

test("an empty value is the one that the protocol has for it", async () => {
  await engine.setOption("BookFile", "");
  assert.equal(sent.at(-2), "setoption name BookFile value <empty>");
});
