// What a program does with the package, in Node and in a browser. The tests judge the answers.

/** Plays a game with itself to the end. */
async function playOut(engine, variant) {
  await engine.setOption("UCI_Variant", variant);
  await engine.newGame();
  const moves = [];
  for (;;) {
    await engine.position({ moves });
    const { move } = await engine.go({ nodes: 500 });
    if (move === null) break;
    moves.push(move);
  }
  const [result] = await engine.ask("query result");
  return { variant, moves, result };
}

/** The error of a promise that must be rejected. */
const refusal = (promise) => promise.then(() => "no error", ({ name, message }) => `${name}: ${message}`);

/** Uses the whole package. `watch` runs a search of half a second. */
export async function tour(Engine, { watch = (search) => search() } = {}) {
  const lines = [];
  const began = performance.now();
  const engine = await Engine.start({ onLine: (line) => lines.push(line) });
  const started = performance.now() - began;
  const { name, options } = engine;

  const games = [await playOut(engine, "gridlock"), await playOut(engine, "magnetic-cave")];

  const errors = { move: await refusal(engine.position({ moves: ["a8", "b6"] })),
    refused: await refusal(engine.go({ depth: 1 })), fen: await refusal(engine.position({ fen: "x7" })),
    option: await refusal(engine.setOption("Hash", 0)), command: await refusal(engine.ask("hello")) };
  await engine.position({ fen: "8/8/8/8/8/8/8/x6o x", moves: ["b1"] });
  errors.limit = await refusal(engine.go({ depth: 0, infinite: true }));
  const [fen] = await engine.ask("query fen");

  // These are not answers to `ask`.
  engine.send("isready\nquery gameover");
  const [asked] = await engine.ask("query p1turn");

  await engine.setOption("MultiPV", 3);
  const progress = [];
  const best = await engine.go({ depth: 6, searchmoves: ["a8", "h8", "c1"],
    onInfo: (info) => progress.push(info) });
  await engine.setOption("MultiPV", 1);

  await engine.position();
  const stop = new AbortController();
  const endless = engine.go({ infinite: true, signal: stop.signal,
    onInfo: ({ depth }) => depth > 3 && stop.abort() });
  const second = await refusal(engine.go({ depth: 1 }));
  const searchedAlready = await engine.ask("query result");
  const stopped = await endless;
  const stoppedBefore = await engine.go({ infinite: true, signal: AbortSignal.abort() });
  const watched = await watch(() => engine.go({ movetime: 500 }));

  const unfinished = refusal(engine.go({ infinite: true }));
  await engine.ask("query result");
  engine.quit();
  const afterQuit = [await unfinished, await refusal(engine.ask("uci"))];

  const missing = await refusal(Engine.start({ wasm: new URL("nothing.wasm", import.meta.url).href }));
  const other = await Engine.start();
  other.send("quit");
  const ended = await refusal(other.ask("uci"));
  return { name, options: [...options.values()], started, games, errors, fen, asked, best, progress, second,
    searchedAlready, stopped, stoppedBefore, watched, afterQuit, missing, ended, lines: lines.length };
}
