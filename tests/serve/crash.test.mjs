// The server is killed. A new one with the same folder goes on.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch } from '../page/lib/chromium.mjs';
import { button, cell, matchForm, moves, startBoard, visit, words } from './lib/pages.mjs';
import { BOT, gameLines, heldBot, start, temporaryFolder, until } from './lib/server.mjs';

let browser;
before(async () => {
    browser = await launch();
});
after(() => browser?.close());

/** Problems other than failed connections. */
const others = (problems) => problems.filter((problem) => !/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|WebSocket/.test(problem));

test('a board is there after a crash of the server, with its moves, and the game goes on', async (t) => {
    const folder = temporaryFolder();
    const old = await start({ args: [BOT], folder });
    t.after(() => old.kill('SIGKILL'));
    const lost = await visit(browser, old);
    await startBoard(lost.page, 'human', 'program:bot', { seconds: '0.1' });
    for (const [at, name] of ['a1', 'h8'].entries()) {
        // The bot may have taken the cell.
        await (await cell(lost.page, name).getAttribute('aria-label')).includes('legal') ? await cell(lost.page, name).click() : await lost.page.locator('[aria-label*="legal"]').first().click();
        await until(async () => (await moves(lost.page)).length === 2 * (at + 1));
    }
    const played = await moves(lost.page);
    await old.kill('SIGKILL');
    await words(lost.page, '#connection', /The server does not answer.*Trying again\./);
    assert.deepEqual(await moves(lost.page), played, 'the page still shows the game');

    const server = await start({ args: [BOT], folder });
    t.after(() => server.kill('SIGINT'));
    const { page, problems, close } = await visit(browser, server);
    await words(page, '.cards li', /4 moves/);
    await page.locator('.cards a').click();
    await until(async () => (await moves(page)).length === 4);
    assert.deepEqual(await moves(page), played);
    await page.locator('[role=gridcell][aria-label*="legal"]').first().click();
    await until(async () => (await moves(page)).length === 6);
    assert.deepEqual((await moves(page)).slice(0, 4), played);
    assert.deepEqual([others(lost.problems), problems], [[], []]);
    await lost.close();
    await close();
});

test('a match is paused after a crash of the server; it is resumed and loses no finished game', async (t) => {
    const folder = temporaryFolder(), held = heldBot(), args = [BOT, ...held.words];
    const old = await start({ args, folder });
    t.after(() => old.kill('SIGKILL'));
    const lost = await visit(browser, old, '#/match');
    await matchForm(lost.page, ['program:bot', 'builtin:random', 'program:held'], { 'Games at a time': '5', 'Games of each pairing': '4' });
    await button(lost.page, 'Start').click();
    // The games with the bot that waits take their places one after the other; those of the others end first or not.
    await until(async () => (await lost.page.locator('.live-boards h3').filter({ hasText: /move [45]:/ }).count()) === 5);
    const file = join(old.results, 'games.jsonl');
    const before = gameLines(file);
    await old.kill('SIGKILL');
    await words(lost.page, '#connection', /The server does not answer.*Trying again\./);

    const server = await start({ args, folder });
    t.after(() => server.kill('SIGINT'));
    const { page, problems, close } = await visit(browser, server, '#/match');
    await words(page, 'tbody tr', /games\.jsonl.*paused/);
    held.release('more');
    held.release('end');
    // The old process may still be ending; then the match fails, says so, and can be resumed again.
    await until(async () => {
        const resume = page.getByRole('button', { name: 'Resume: games.jsonl' });
        if (await resume.isVisible()) await resume.click();
        return /finished/.test(await page.locator('tbody tr').textContent());
    });
    const games = gameLines(file);
    assert.equal(games.length, 12);
    assert.deepEqual(games.slice(0, before.length), before);
    await page.getByRole('link', { name: 'games.jsonl' }).click();
    await words(page, '.progress-words', /^Finished: 12 of 12 games\.$/);
    assert.deepEqual([others(lost.problems), problems], [[], []]);
    await lost.close();
    await close();
});
