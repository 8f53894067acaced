// No answer of the engine is later than its time plus 50 ms.
//
// The time is measured in the page, from the message with `go` to that with `bestmove`. A busy
// machine delays every worker. So a second worker, which does nothing but count until its time is
// over, is measured in turn with the engine, twice as often. Three times what it is late at worst is
// added to the bound: on an idle machine less than 10 ms, on a machine with many other programs more.
// If the counting worker is more than 15 ms late, the machine says nothing about single answers, and
// the bound holds for the one in the middle. The first search of a page also compiles the engine.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from '../page/lib/chromium.mjs';
import { legalMoves, moves, openGame, startOf } from './lib/play.mjs';

const ALLOWED = 50;
const BUSY = 3;
const TOO_BUSY = 15;

/** Searches of each of these times, in milliseconds. */
const TIMES = [20, 50, 100, 250];
const SEARCHES = 8;

let browser;
before(async () => {
    browser = await launch();
});
after(() => browser.close());

/** Records when `go` is sent to a worker and when `bestmove` arrives. */
function recordAnswers() {
    window.answers = [];
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...rest) {
        const go = /^go .*movetime ([\d.]+)/m.exec(message);
        if (go) {
            const begin = performance.now();
            const hear = ({ data }) => {
                if (!String(data).startsWith('bestmove')) return;
                this.removeEventListener('message', hear);
                window.answers.push({ limit: Number(go[1]), late: performance.now() - begin - Number(go[1]) });
            };
            this.addEventListener('message', hear);
        }
        return postMessage.call(this, message, ...rest);
    };
}

/** How late a worker is that counts for this time, in milliseconds. */
const baseline = (page, limit) =>
    page.evaluate((time) => {
        const source = 'onmessage = ({ data }) => { const end = performance.now() + data; while (performance.now() < end); postMessage(0); }';
        window.counter ??= new Worker(URL.createObjectURL(new Blob([source])));
        return new Promise((done) => {
            const begin = performance.now();
            window.counter.onmessage = () => done(performance.now() - begin - time);
            window.counter.postMessage(time);
        });
    }, limit);

for (const variant of ['magnetic-cave', 'gridlock']) {
    test(`the engine answers in time in ${variant}`, async () => {
        const late = [];
        const other = [];
        for (const limit of TIMES) {
            const hash = `#${variant}&players=human,lodestone_${limit / 1000}`;
            const opened = await openGame(browser, { hash, script: recordAnswers });
            const { page } = opened;
            await baseline(page, 1);
            for (let search = 0; search < SEARCHES; search += 1) {
                const { start } = await startOf(opened);
                const played = await moves(opened);
                const { legal, result } = legalMoves(variant, start, played);
                if (result !== 'none') break;
                for (const cell of legal[search % legal.length].match(/../g)) await page.locator(`[role=gridcell][aria-label^="${cell},"]`).click();
                await page.waitForFunction((count) => document.querySelectorAll('.moves a').length >= count || /won!|tie!/.test(document.querySelector('#status').textContent), played.length + 2);
                other.push(await baseline(page, limit), await baseline(page, limit));
            }
            const answers = await page.evaluate(() => window.answers);
            assert.ok(answers.length >= 3 && answers.every((one) => one.limit === limit), JSON.stringify(answers));
            late.push(...answers.slice(1).map((one) => one.late));
            await opened.close();
        }
        const [worst, busy] = [Math.max(...late), Math.max(0, ...other)];
        const middle = [...late].sort((a, b) => a - b)[late.length >> 1];
        console.log(`${variant}: ${late.length} answers, late by ${middle.toFixed(1)} ms in the middle and ${worst.toFixed(1)} ms at worst; a counting worker by ${busy.toFixed(1)} ms at worst`);
        assert.ok((busy > TOO_BUSY ? middle : worst) <= ALLOWED + BUSY * busy, `${worst.toFixed(1)} ms late; a counting worker is ${busy.toFixed(1)} ms late`);
    });
}
