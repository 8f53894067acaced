// The package for npm, from its archive: in Node, on a page, in a module worker of a page, and in the
// eyes of TypeScript.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { launch, open } from "../page/lib/chromium.mjs";
import { ROOT, run, temporaryFolder } from "../page/lib/referee.mjs";
import { DIST, legalMoves, serve } from "./lib/play.mjs";

const VERSION = /^version = "(.*)"$/m.exec(readFileSync(join(ROOT, "Cargo.toml"), "utf8"))[1];

/** What the files of a server allow themselves. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";

const folder = temporaryFolder();
const installed = join(folder, "node_modules/lodestone-engine");

let browser;
let server;
before(async () => {
  run("bash", [join(ROOT, "web/npm.sh")]);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  run("npm", [
    "install",
    "--offline",
    "--no-audit",
    "--silent",
    join(DIST, `lodestone-engine-${VERSION}.tgz`),
  ], { cwd: folder });
  copyFileSync(fileURLToPath(new URL("lib/tour.mjs", import.meta.url)), join(folder, "tour.js"));
  server = await serve("/", { root: folder, headers: { "Content-Security-Policy": POLICY } });
  browser = await launch();
});
after(async () => {
  await browser.close();
  await server.close();
});

function check(found) {
  assert.equal(found.name, `Lodestone ${VERSION}`);
  const option = (name) => found.options.find((one) => one.name === name);
  assert.deepEqual(option("Hash"), { name: "Hash", type: "spin", default: 16, min: 1, max: 1024 });
  assert.deepEqual(option("Mate Scores"), { name: "Mate Scores", type: "check", default: false });
  assert.deepEqual(option("UCI_Variant"), { name: "UCI_Variant", type: "combo", default: "magnetic-cave",
    values: ["magnetic-cave", "gridlock"] });
  assert.deepEqual(option("BookFile"), { name: "BookFile", type: "string", default: "" });
  assert.deepEqual(option("Clear Hash"), { name: "Clear Hash", type: "button" });

  for (const { variant, moves, result } of found.games) {
    const start =
      { gridlock: "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40", "magnetic-cave": "8/8/8/8/8/8/8/8 x" }[variant];
    const native = legalMoves(variant, start, moves);
    assert.ok(moves.length > 8, variant);
    assert.notEqual(native.result, "none");
    assert.equal(result, `response ${native.result}`);
  }

  assert.deepEqual(found.errors, { move: "EngineError: move 2: b6 touches neither a wall nor a brick",
    refused:
      "EngineError: no move, because the last `position` was refused: move 2: b6 touches neither a wall nor a brick",
    fen: "EngineError: FEN, character 3: the side to move is missing",
    option: "EngineError: option Hash: expected a whole number from 1 to 1024, found `0`",
    command: found.errors.command,
    limit: "EngineError: unusable in `go`, skipped: `depth 0`; expected a number of plies, at least 1" });
  assert.match(found.errors.command, /^EngineError: column 1: expected a command \(uci, .*found `hello`/);
  assert.equal(found.fen, "response 8/8/8/8/8/8/8/xx5o o");
  assert.equal(found.asked, "response false");

  assert.equal(found.best.lines.length, 3);
  assert.deepEqual(found.best.info, found.best.lines[0]);
  assert.deepEqual(found.best.lines.map(({ multipv }) => multipv), [1, 2, 3]);
  assert.deepEqual(found.best.lines.at(-1), found.progress.at(-1));
  assert.equal(found.best.info.pv[0], found.best.move);
  assert.equal(found.best.info.pv[1], found.best.ponder);
  for (const info of found.progress) {
    assert.ok(["cp", "win", "loss", "draw"].includes(info.score.kind) && Number.isInteger(info.score.value),
      JSON.stringify(info));
    for (const field of ["depth", "nodes", "nps", "time"])
      assert.ok(Number.isInteger(info[field]), `${field}: ${JSON.stringify(info)}`);
    assert.match(info.pv.join(" "), /^([a-h][1-8] ?)+$/);
  }

  assert.equal(found.second, "EngineError: a search is running; it ends with stop()");
  assert.deepEqual(found.searchedAlready, ["response none"]);
  for (const { move } of [found.stopped, found.stoppedBefore, found.watched])
    assert.match(move, /^[a-h][1-8]$/);
  assert.ok(found.stopped.info.depth > 3);
  assert.deepEqual(found.afterQuit, Array(2).fill("EngineError: The engine has quit"));
  assert.match(found.missing,
    /^EngineError: The engine stopped: .*(nothing\.wasm: status 404|ENOENT.*nothing\.wasm)/);
  assert.equal(found.ended, "EngineError: The engine has ended with status 0");
  assert.ok(found.lines > 100);
}

test("the files of the package", () => {
  const { stdout } = run("npm", ["pack", "--dry-run", "--json", installed]);
  const [{ name, version, files, unpackedSize }] = JSON.parse(stdout);
  assert.deepEqual([name, version], ["lodestone-engine", VERSION]);
  const expected =
    "LICENSE-APACHE LICENSE-MIT README.md engine-worker.js engine.js index.d.ts index.js lodestone.wasm node-worker.js node.js package.json protocol.md";
  assert.deepEqual(files.map(({ path }) => path).sort(), expected.split(" ").sort());
  assert.ok(unpackedSize < 1_300_000, `${unpackedSize} bytes`);
});

test("in Node, which goes on during a search, and ends after the last engine has quit", () => {
  const script = `import { Engine } from "lodestone-engine";
        import { tour } from "./tour.js";
        let busy;
        const watch = async (search) => {
            const before = performance.eventLoopUtilization();
            const answer = await search();
            busy = performance.eventLoopUtilization(before).utilization;
            return answer;
        };
        console.log(JSON.stringify({ ...(await tour(Engine, { watch })), busy }));`;
  writeFileSync(join(folder, "tour-of-node.js"), script);
  const found = JSON.parse(run("node", ["tour-of-node.js"], { cwd: folder }).stdout);
  check(found);
  console.log(
    `in Node: started after ${found.started.toFixed(0)} ms; the main thread was busy for ${
      (100 * found.busy).toFixed(0)
    } % of a search`,
  );
  // Nearly 1 if the engine ran in this thread.
  assert.ok(found.busy < 0.8, `${found.busy}`);
});

for (const document of ["web/package/README.md"]) {
  test(`the program of ${document}`, () => {
    const [, program] = /^```js\n(import \{ Engine \}.*?)^```$/ms.exec(
      readFileSync(join(ROOT, document), "utf8"),
    );
    writeFileSync(join(folder, "program.js"), program);
    assert.match(run("node", ["program.js"], { cwd: folder }).stdout,
      /^([a-h][1-8])+ .*kind: '\w+', value: -?\d+ } \[/);
  });
}

const TOUR = `const { Engine } = await import("/node_modules/lodestone-engine/index.js");
    return (await import("/tour.js")).tour(Engine);`;
const answerOf = (body) => `await (async () => { ${body} })().catch((error) => ({ failed: error.stack }))`;

/** Runs the body of a function on an empty page. */
async function onPage(body) {
  writeFileSync(join(folder, "page.js"), `window.found = ${answerOf(body)};`);
  writeFileSync(join(folder, "index.html"),
    '<!doctype html><title>engine</title><link rel="icon" href="data:,"><script type="module" src="page.js"></script>');
  const opened = await open(browser, server.address, { allows: (url) => url.startsWith(server.address) });
  await opened.page.waitForFunction(() => window.found, null, { timeout: 60_000 });
  const found = await opened.page.evaluate(() => window.found);
  const workers = opened.page.workers().length;
  // Files are missing on purpose.
  const problems = opened.problems.filter((problem) => !/status of 404/.test(problem));
  await opened.close();
  assert.deepEqual([found.failed, problems], [undefined, []]);
  return { ...found, workers };
}

test("on a page without a bundler, under a strict policy", async () => {
  const found = await onPage(TOUR);
  check(found);
  assert.equal(found.workers, 0, "engines that have quit leave no worker");
  console.log(`on a page: started after ${found.started.toFixed(0)} ms`);
});

test("in a module worker of a page", async () => {
  writeFileSync(join(folder, "worker.js"), `postMessage(${answerOf(TOUR)});`);
  check(await onPage(`return new Promise((done) => {
        new Worker("worker.js", { type: "module" }).onmessage = ({ data }) => done(data);
    });`));
});

test("a page can start the worker itself, and a worker that cannot be loaded is an error", async () => {
  const found = await onPage(`const at = "/node_modules/lodestone-engine/";
        const { Engine } = await import(at + "index.js");
        const wasm = await (await fetch(at + "lodestone.wasm")).arrayBuffer();
        const engine = await Engine.start({ worker: new Worker(at + "engine-worker.js"), wasm });
        const { move } = await engine.go({ depth: 1 });
        engine.quit();
        const sentence = await Engine.start({ worker: new Worker("nothing.js") }).catch((error) => error.message);
        return { move, sentence };`);
  assert.match(found.move, /^[a-h][1-8]$/);
  assert.equal(found.sentence, "The script of the worker cannot be loaded");
});

test("the raw worker has the same messages in Node", () => {
  writeFileSync(join(folder, "raw.js"), `import { Worker } from "node:worker_threads";
        const worker = new Worker(new URL(import.meta.resolve("lodestone-engine/worker")));
        worker.on("message", (message) => console.log(JSON.stringify(message)));
        worker.on("message", ({ exited }) => exited === undefined || worker.terminate());
        worker.postMessage({ wasm: import.meta.resolve("lodestone-engine/lodestone.wasm") });
        worker.postMessage("go depth 1");
        worker.postMessage({ end: true });`);
  const messages = run("node", ["raw.js"], { cwd: folder }).stdout.trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.ok(messages.some((message) => /^bestmove [a-h]/.test(message)));
  assert.deepEqual([messages[0], messages.at(-1)], [{ ready: true }, { exited: 0 }]);
});

test("the types, in the strictest form of TypeScript", () => {
  const program = `import { Engine, EngineError, type Info, type Option } from "lodestone-engine";
        const infos: Info[] = [];
        const engine: Engine = await Engine.start({ onLine: (line) => line.trim() });
        await engine.setOption("Hash", 32);
        await engine.position({ moves: ["a8"] });
        const { move, ponder, info } = await engine.go({ wtime: 1000, btime: 1000, signal: AbortSignal.timeout(9), onInfo: (one) => infos.push(one) });
        const played: string | null = move ?? ponder;
        const score: number | undefined = info?.score.value;
        const most = (option: Option): number => (option.type === "spin" ? option.max : 0);
        if (new Error() instanceof EngineError) engine.quit();
        // @ts-expect-error
        engine.go({ seconds: 1 });
        // @ts-expect-error
        new Engine();
        export { most, played, score };`;
  writeFileSync(join(folder, "program.ts"), program);
  const tsc = createRequire(import.meta.url).resolve("../page/node_modules/typescript/bin/tsc");
  const compile = (...words) => {
    const { status, stdout } = spawnSync("node", [
      tsc,
      "--strict",
      "--exactOptionalPropertyTypes",
      "--noEmit",
      "--target",
      "es2022",
      ...words,
    ], { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0, stdout);
  };
  compile("--module", "nodenext", "program.ts");
  compile("--module", "esnext", "--moduleResolution", "bundler", "program.ts");
  // Without the types of a browser or of Node.
  compile("--lib", "es2022", join(installed, "index.d.ts"));
});

/** What a server of a page with one document answers to every address that it does not know. */
const START_PAGE = "<!doctype html><title>start</title>";

test("errors name the address of what cannot be loaded, and what is there instead", async () => {
  const at = join(folder, "broken");
  mkdirSync(join(at, "assets"), { recursive: true });
  for (const name of ["index.js", "engine.js", "engine-worker.js", "lodestone.wasm"])
    copyFileSync(join(installed, name), join(at, "assets", name));
  writeFileSync(join(at, "page.html"), START_PAGE);
  writeFileSync(join(at, "packed.wasm"), gzipSync(readFileSync(join(installed, "lodestone.wasm"))));
  writeFileSync(join(at, "cut.wasm"), readFileSync(join(installed, "lodestone.wasm")).subarray(0, 1000));
  const sentences = (name) =>
    `(await import("/broken/assets/index.js")).Engine.start({ wasm: new URL("/broken/${name}", location.href).href }).then(() => "no error", ({ name, message }) => name + ": " + message)`;
  const found = await onPage(
    `return { html: await ${sentences("page.html")}, packed: await ${sentences("packed.wasm")}, cut: await ${
      sentences("cut.wasm")
    } };`,
  );
  const expected = "; expected lodestone.wasm of this package there, or its whole address in `wasm`";
  const wasm = (name, words) =>
    `EngineError: The engine stopped: ${server.address}broken/${name}: ${words}${expected}`;
  assert.equal(found.html, wasm("page.html", 'found text/html that begins with "<!doctype html>"'));
  assert.equal(found.packed, wasm("packed.wasm", "found application/wasm that begins with 1f 8b 08 00"));
  assert.match(found.cut, /^EngineError: The engine stopped: http:.*cut\.wasm: .*WebAssembly/);

  // The script of the worker: missing, and the start page in its place.
  const worker = (why) =>
    `EngineError: The script of the worker cannot be loaded: ${server.address}broken/assets/engine-worker.js: ${why}; expected engine-worker.js of this package there`;
  rmSync(join(at, "assets/engine-worker.js"));
  assert.equal((await onPage(`return { sentence: await ${sentences("assets/lodestone.wasm")} };`)).sentence,
    worker("status 404"));
  const { address, close } = await serve("/", { root: folder, fallback: START_PAGE });
  const opened = await open(browser, address, { allows: (url) => url.startsWith(address) });
  const sentence = await opened.page.evaluate(`(async () => ${sentences("assets/lodestone.wasm")})()`);
  assert.equal(sentence, worker("found text/html").replace(server.address, address));
  await opened.close();
  await close();

  // It is there, and the policy of the page forbids it.
  copyFileSync(join(installed, "engine-worker.js"), join(at, "assets/engine-worker.js"));
  const strict = await serve("/", { root: folder,
    headers: { "Content-Security-Policy": POLICY.replace("worker-src 'self'", "worker-src 'none'") } });
  const page = await open(browser, strict.address, { allows: (url) => url.startsWith(strict.address) });
  const refused = await page.page.evaluate(`(async () => ${sentences("assets/lodestone.wasm")})()`);
  assert.match(refused,
    /^EngineError: The script of the worker cannot be loaded: http:.*broken\/assets\/engine-worker\.js: .*(policy|Policy)/);
  await page.close();
  await strict.close();
});

test("errors in Node name the file that is missing or wrong", () => {
  writeFileSync(join(folder, "wrong.wasm"), START_PAGE);
  writeFileSync(join(folder, "errors.js"), `import { Engine } from "lodestone-engine";
        for (const wasm of [new URL("nothing.wasm", import.meta.url).href, new URL("wrong.wasm", import.meta.url).href, "lodestone.wasm", "http://127.0.0.1:1/a.wasm"]) {
            await Engine.start({ wasm }).catch(({ name, message }) => console.log(name + ": " + message));
        }`);
  const [missing, wrong, relative, refused] = run("node", ["errors.js"], { cwd: folder }).stdout.trim().split(
    "\n",
  );
  assert.match(missing, /^EngineError: .*file:.*nothing\.wasm: ENOENT: .*expected lodestone\.wasm/);
  assert.match(wrong,
    /file:.*wrong\.wasm: found a file that begins with "<!doctype html>"; expected lodestone\.wasm/);
  assert.match(relative,
    /: lodestone\.wasm: .*expected lodestone\.wasm of this package there, or its whole address/);
  assert.match(refused, /http:\/\/127\.0\.0\.1:1\/a\.wasm: fetch failed.*; expected/);
});
