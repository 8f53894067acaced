// Starts the real `referee serve`, and the programs that the tests need.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
export const PROGRAM = resolve(ROOT, process.env.REFEREE_SERVE ?? "target/release/referee-serve");
export const EXAMPLES = join(ROOT, "examples");
export const BOT = join(EXAMPLES, "bot.py");

/** How long a condition may take, in milliseconds. No test passes or fails by the time that it takes. */
export const PATIENCE = 60_000;

if (!existsSync(PROGRAM)) throw new Error(`no ${PROGRAM}: build it first, or set REFEREE_SERVE`);

const running = new Set(), folders = [];
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

// The same when a signal ends the run.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/** A folder that is deleted when the process ends. */
export function temporaryFolder() {
  folders.push(mkdtempSync(join(tmpdir(), "lodestone-serve-")));
  return folders.at(-1);
}

/** An executable file with this content. */
export function program(path, content) {
  writeFileSync(path, content);
  chmodSync(path, 0o755);
  return path;
}

/**
 * Starts a server. `args` are words after `serve`; `folder` is its working folder, with the results in
 * `results`. The server is killed at the end of the process at the latest.
 */
export async function start({ args = [], folder = temporaryFolder() } = {}) {
  const results = join(folder, "results");
  const child = spawn(PROGRAM, ["serve", "--results", results, ...args], { cwd: folder,
    stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const ended = new Promise((done) => child.on("exit", done)).then(() => running.delete(child));
  const address = await new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once("line", done);
    ended.then(() => fail(new Error(`the server has ended: ${errors}`)));
  });
  // The first address gives the cookie, and leads to the path of all pages.
  const first = await fetch(address, { redirect: "manual" });
  const [cookie] = first.headers.get("set-cookie").split(";");
  const { origin } = new URL(address), base = origin + first.headers.get("location").replace(/\/$/, "");
  const headers = { Cookie: cookie, Origin: origin, "Content-Type": "application/json" };

  // Each request has a connection of its own: the server ends those that rest.
  async function ask(path, body) {
    const sent = request(base + path, { headers, agent: false, method: body === undefined ? "GET" : "POST" });
    sent.end(body && JSON.stringify(body));
    const [answer] = await once(sent, "response");
    const content = Buffer.concat(await answer.toArray()).toString();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${content}`);
    return JSON.parse(content);
  }
  return {
    address,
    base,
    folder,
    results,
    get: (path) => ask(path),
    post: ask,
    /** The address of the page of a new board. */
    board: async (body) => `#/board/${(await ask("/api/boards", body)).id}`,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts a server for a test, which ends it. */
export async function startFor(t, options) {
  const server = await start(options);
  t.after(() => server.kill("SIGINT"));
  return server;
}

/** Waits for a condition, and returns its value. */
export async function until(fits, message = String(fits)) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const value = await fits();
    if (value) return value;
    if (Date.now() > end) throw new Error(`in vain: ${message}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

/** The lines with games of a result file. */
export const gameLines = (path) =>
  readFileSync(path, "utf8").split("\n").filter((line) => line.includes('"moves"'));

/** A bot that answers each `go` with what these lines of a shell script print. */
export const bot = (path, lines) =>
  program(path, `#!/bin/sh
while read -r line; do
    case $line in
        uci) echo uciok ;;
        isready) echo readyok ;;
        position*) position="$line " ;;
        go*) ${lines} ;;
        quit) exit ;;
    esac
done
`);

/**
 * A bot that plays any legal move of Magnetic Cave, but its third move of each game only after
 * `release('more')`, and its fourth after `release('end')`. So no match with it ends before the test
 * has looked at it, however fast the machine is.
 */
export function heldBot() {
  const folder = temporaryFolder();
  const path = bot(join(folder, "held.sh"), `
            set -- $position
            [ $# -lt 7 ] || until [ -e '${folder}/more' ]; do sleep 0.1; done
            [ $# -lt 9 ] || until [ -e '${folder}/end' ]; do sleep 0.1; done
            for column in a h b g c f d e; do
                for row in 1 2 3 4 5 6 7 8; do
                    case $position in *" $column$row "*) continue ;; esac
                    echo "bestmove $column$row"
                    break 2
                done
            done`);
  return { words: ["--engine", `cmd=${path}`, "name=held"],
    release: (name) => writeFileSync(join(folder, name), "") };
}
