// The keyboard keeps its place when the element that has the focus goes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../page/lib/chromium.mjs";
import { ROOT } from "../page/lib/referee.mjs";

const SCRIPT = readFileSync(join(ROOT, "web/page/focus.js"), "utf8").replace(/^export .*$/m,
  "Object.assign(globalThis, { enable }); keepFocus();");

const CONTENT =
  `<h2 tabindex="-1" id="title">Title</h2><p><button id="one">1</button><button id="two">2</button>
  <button id="three">3</button></p><ul><li id="item"><button id="four">4</button></li></ul><p id="words">Words</p>`;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** What has the focus after a change of the page, made when an element had it. */
async function focusAfter(id, change) {
  const page = await browser.newPage();
  await page.setContent(CONTENT);
  await page.addScriptTag({ content: SCRIPT });
  await page.focus(id);
  await page.evaluate(change);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const found = await page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
  await page.close();
  return found;
}

test("the nearest element gets the focus of one that is hidden or removed", async () => {
  const cases = [
    ["#two", "two.hidden = true", "one"],
    ["#one", "one.hidden = true", "two"],
    ["#two", "one.hidden = two.hidden = true", "three"],
    ["#two", "two.parentElement.hidden = true", "title"],
    ["#four", "item.remove()", "title"],
    // What gets the focus meanwhile, keeps it.
    ["#two", "two.hidden = true; three.focus()", "three"],
    // The user has left it.
    ["#two", "two.blur(); new Promise((done) => setTimeout(done, 0)).then(() => two.hidden = true)", "BODY"],
  ];
  for (const [id, change, expected] of cases) assert.equal(await focusAfter(id, change), expected, change);
});

test("a button that does nothing now keeps the focus", async () => {
  const page = await browser.newPage();
  await page.setContent(CONTENT);
  await page.addScriptTag({ content: SCRIPT });
  await page.evaluate("two.onclick = () => words.append('!'); enable(two, false)");
  await page.focus("#two");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate("`${document.activeElement.id} ${words.textContent}`"), "two Words");
  await page.evaluate("enable(two, true)");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate("words.textContent"), "Words!");
});
