// Starts the real `referee serve`, and the programs that the tests need.

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const PROGRAM = resolve(ROOT, process.env.REFEREE_SERVE ?? 'target/release/referee-serve');
export const EXAMPLES = join(ROOT, 'examples');
export const BOT = join(EXAMPLES, 'bot.py');

/** How long a condition may take, in milliseconds. No test passes or fails by the time that it takes. */
export const PATIENCE = 60_000;

if (!existsSync(PROGRAM)) throw new Error(`no ${PROGRAM}: build it first, or set REFEREE_SERVE`);

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A folder that is deleted when the process ends. */
export function temporaryFolder() {
    const folder = mkdtempSync(join(tmpdir(), 'lodestone-serve-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    return folder;
}

/** An executable file with this content. */
export function program(path, content) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    chmodSync(path, 0o755);
    return path;
}

/**
 * Starts a server. `args` are words after `serve`; `folder` is its working folder, with the results in
 * `results`. The server is killed at the end of the process at the latest.
 */
export async function start({ args = [], folder = temporaryFolder() } = {}) {
    const results = join(folder, 'results');
    const child = spawn(PROGRAM, ['serve', '--results', results, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let errors = '';
    child.stderr.on('data', (data) => { errors += data; });
    const ended = new Promise((done) => child.on('exit', done)).then(() => running.delete(child));
    const address = await new Promise((done, fail) => {
        createInterface({ input: child.stdout }).once('line', done);
        ended.then(() => fail(new Error(`the server has ended: ${errors}`)));
    });
    const { origin, port, searchParams } = new URL(address);
    const headers = { Cookie: `referee-${port}=${searchParams.get('key')}`, Origin: origin, 'Content-Type': 'application/json' };

    async function ask(path, body) {
        const answer = await fetch(origin + path, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) });
        if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
        return answer.json();
    }
    return {
        address,
        base: origin,
        folder,
        results,
        get errors() { return errors; },
        get: (path) => ask(path),
        post: ask,
        /** The address of the page of a new board. */
        board: async (body) => `#/board/${(await ask('/api/boards', body)).id}`,
        kill(signal) {
            child.kill(signal);
            return ended;
        },
    };
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
export const gameLines = (path) => readFileSync(path, 'utf8').split('\n').filter((line) => line.includes('"moves"'));

/**
 * A bot that plays any legal move of Magnetic Cave, but its third move of each game only after
 * `release('more')`, and its fourth after `release('end')`. So no match with it ends before the test
 * has looked at it, however fast the machine is.
 */
export function heldBot() {
    const folder = temporaryFolder();
    const path = program(join(folder, 'held.sh'), `#!/bin/sh
while read -r line; do
    case $line in
        uci) printf 'id name held\\nuciok\\n' ;;
        isready) echo readyok ;;
        position*) position="$line " ;;
        go*)
            set -- $position
            [ $# -lt 7 ] || until [ -e '${folder}/more' ]; do sleep 0.1; done
            [ $# -lt 9 ] || until [ -e '${folder}/end' ]; do sleep 0.1; done
            for cell in a1 h1 a3 h3 a5 h5 a7 h7 a2 h2 a4 h4 a6 h6 a8 h8 b1 c1 d1 e1 f1 g1 b3 c3 d3 e3 f3 g3 \\
                b5 c5 d5 e5 f5 g5 b7 c7 d7 e7 f7 g7 b2 c2 d2 e2 f2 g2 b4 c4 d4 e4 f4 g4 b6 c6 d6 e6 f6 g6 b8 c8 d8 e8 f8 g8; do
                case $position in *" $cell "*) continue ;; esac
                echo "bestmove $cell"
                break
            done
            ;;
        quit) exit ;;
    esac
done
`);
    return { words: ['--engine', `cmd=${path}`, 'name=held'], release: (name) => writeFileSync(join(folder, name), '') };
}
