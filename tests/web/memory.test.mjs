// Twenty games in a row in one page, without growth of memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch } from '../page/lib/chromium.mjs';
import { openGame } from './lib/play.mjs';

const GAMES = 20;

/** Plays a whole game inside the page: a person who takes the first legal cells, against `easy`. */
async function playGame({ page }, number) {
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    return page.evaluate(async (seed) => {
        const wait = () => new Promise((done) => setTimeout(done, 0));
        let played = 0;
        for (;;) {
            const words = document.querySelector('#status').textContent;
            if (/won!|tie!/.test(words)) return document.querySelectorAll('.moves a').length;
            if (/Your move/.test(words)) {
                const legal = [...document.querySelectorAll('[role=gridcell]')].filter((one) => /, legal/.test(one.getAttribute('aria-label')));
                legal[(seed + played * 7) % legal.length].click();
                played += 1;
            }
            await wait();
        }
    }, number);
}

test('20 games in a row need no more memory than the first ones', async () => {
    const browser = await launch();
    const opened = await openGame(browser, { hash: '#magnetic-cave&players=human,easy' });
    const { page, devtools } = opened;
    await devtools.send('HeapProfiler.enable');
    await devtools.send('Performance.enable');
    const measure = async () => {
        await devtools.send('HeapProfiler.collectGarbage');
        const { metrics } = await devtools.send('Performance.getMetrics');
        const value = (name) => metrics.find((one) => one.name === name).value;
        const { usedSize, backingStorageSize = 0 } = await devtools.send('Runtime.getHeapUsage');
        return { heap: usedSize + backingStorageSize, nodes: value('Nodes'), listeners: value('JSEventListeners'), workers: page.workers().length };
    };
    const sizes = [];
    const lengths = [];
    for (let game = 1; game <= GAMES; game += 1) {
        lengths.push(await playGame(opened, game));
        sizes.push(await measure());
    }
    const [first, last] = [sizes[4], sizes[GAMES - 1]];
    console.log(`after 5 games ${(first.heap / 1e6).toFixed(2)} MB and ${first.nodes} nodes, after ${GAMES} games ${(last.heap / 1e6).toFixed(2)} MB and ${last.nodes} nodes`);
    assert.ok(Math.min(...lengths) >= 9, `${lengths}`);
    assert.ok(last.heap <= first.heap + 1e6, `the heap has grown from ${first.heap} to ${last.heap} bytes`);
    assert.ok(last.nodes <= first.nodes + 400, `${first.nodes} nodes became ${last.nodes}`);
    assert.ok(last.listeners <= first.listeners + 100, `${first.listeners} listeners became ${last.listeners}`);
    assert.equal(last.workers, 1, 'one worker for one computer player');
    assert.deepEqual(opened.problems, []);
    await browser.close();
});
