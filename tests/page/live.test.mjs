// The page of a match in progress (`referee match --html`): it follows the match from a file.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { axe, launch, open } from './lib/chromium.mjs';
import { REFEREE, records, temporaryFolder } from './lib/referee.mjs';

/** Longer than the page waits for a reader, and for the next page. */
const PATIENCE = 60_000;

let browser;
before(async () => {
    browser = await launch();
});
after(() => browser.close());

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a match of two games at a time, and waits for its page. */
async function begin(base, games, seconds, words = []) {
    const file = `${base}.html`;
    const results = `${base}.jsonl`;
    const child = spawn(
        REFEREE,
        [
            ...['match', '--engine', 'cmd=lodestone', 'name=alice', '--engine', 'cmd=plain', 'name=bob'],
            ...['--games', `${games}`, '--openings', 'random:4', '--concurrency', '2', '--quiet'],
            ...['--each', `st=${seconds}`, 'timemargin=10000', '--out', results, '--html', file, ...words],
        ],
        { stdio: 'ignore' },
    );
    const ended = new Promise((resolve) => child.on('exit', (status) => resolve(status)));
    const until = Date.now() + PATIENCE;
    while (!existsSync(file)) {
        assert.ok(Date.now() < until, 'no page');
        await sleep(50);
    }
    return { file, results, ended, stop: () => child.kill('SIGINT') };
}

const boards = (page) => page.locator('.live-boards article');

/** Asks the page, again where it loads itself meanwhile. */
async function asked(page, question, argument) {
    for (;;) {
        try {
            return await page.evaluate(question, argument);
        } catch (error) {
            if (!/context|navigat/i.test(error.message)) throw error;
        }
    }
}

const data = (page) => asked(page, () => JSON.parse(document.getElementById('data').textContent));

test('the open page follows a match to its end', async () => {
    const match = await begin(join(temporaryFolder(), 'follows'), 4, 0.15);
    const opened = await open(browser, match.file, { hash: '#live' });
    try {
        const { page, problems } = opened;
        // Both running games, with more moves each time.
        await boards(page).nth(1).waitFor({ timeout: PATIENCE });
        const length = async () => (await data(page)).matches[0].running?.[0]?.[10].length ?? 0;
        const before = await length();
        await page.waitForFunction(
            (before) => (JSON.parse(document.getElementById('data').textContent).matches[0].running?.[0]?.[10].length ?? 0) !== before,
            before,
            { timeout: PATIENCE },
        );
        // The page waits for a reader who turns the wheel.
        await page.mouse.wheel(0, 1);
        assert.deepEqual(await axe(opened), []);
        assert.equal(await page.locator('.standings tbody tr').count() > 0, true);
        assert.equal(await match.ended, 0);
        // It shows the end by itself, and then stays.
        await page.getByText('The match is over.').waitFor({ timeout: PATIENCE });
        assert.equal((await data(page)).matches[0].games.length, 4);
        assert.equal(new URL(page.url()).hash, '#live');
        await page.evaluate(() => { window.mark = true; });
        await sleep(4000);
        assert.equal(await page.evaluate(() => window.mark), true, 'the page of a finished match does not load itself');
        assert.deepEqual(problems, []);
    } finally {
        await opened.close();
        match.stop();
        await match.ended;
    }
});

test('a reader who steps through a game stays there, and a running game is followed', async () => {
    const match = await begin(join(temporaryFolder(), 'stays'), 40, 0.15);
    const opened = await open(browser, match.file, { hash: '#games' });
    try {
        const { page, problems } = opened;
        await page.waitForFunction(() => JSON.parse(document.getElementById('data').textContent).matches[0].games.length > 0, null, { timeout: PATIENCE });
        const [id] = records(match.results).keys();
        await asked(page, (id) => { location.hash = `#game-${id}-move-3`; }, id);
        await page.locator('.moves [aria-current="step"]').waitFor();
        await asked(page, () => { window.mark = true; });
        const marked = () => page.evaluate(() => window.mark === true);
        for (let press = 0; press < 12; press++) {
            await page.keyboard.press(press % 2 ? 'ArrowLeft' : 'ArrowRight');
            await sleep(500);
            assert.equal(await marked(), true, 'the page loaded itself while its reader was stepping');
        }
        // It goes on when the reader rests, at the same move.
        await page.waitForFunction(() => window.mark !== true, null, { timeout: PATIENCE });
        assert.equal(new URL(page.url()).hash, `#game-${id}-move-3`);
        assert.match(await page.locator('.moves [aria-current="step"]').textContent(), /^3\./);
        // A running game is shown after its last move, whatever that is.
        const running = (await data(page)).matches[0].running[0];
        await asked(page, (id) => { location.hash = `#game-${id}`; }, running[0]);
        const last = () => page.locator('.moves li').last().locator('a');
        await last().waitFor();
        const moves = await page.locator('.moves li').count();
        assert.equal(await last().getAttribute('aria-current'), 'step');
        await page.waitForFunction((moves) => document.querySelectorAll('.moves li').length > moves, moves, { timeout: PATIENCE });
        assert.equal(await last().getAttribute('aria-current'), 'step');
        assert.deepEqual(problems, []);
    } finally {
        await opened.close();
        match.stop();
        assert.equal(await match.ended, 130);
    }
});
