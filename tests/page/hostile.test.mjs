// Names, messages and transcripts of strangers stay text.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { NARROW, WIDE, launch, open } from "./lib/chromium.mjs";
import { HOSTILE_NAMES, forged, hostile } from "./lib/matches.mjs";
import { page as makePage, records } from "./lib/referee.mjs";
import { setHash, settled, views } from "./lib/viewer.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** What markup of a stranger would leave behind. */
const traces = (page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll("*")];
    return { pwned: window.pwned, polluted: {}.pwned ?? Object.keys(Object.prototype).length,
      handlers: all.flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith("on"))),
      foreign: [...document.querySelectorAll("img, iframe, object, embed, base, link, svg [*|href]")].length,
      links: [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href")).filter((
        href,
      ) => !href.startsWith("#")), scripts: document.scripts.length };
  });

for (const [name, make] of [["hostile names", hostile], ["a forged result file", forged]]) {
  test(`${name}: no markup, no script, no request in any view`, async () => {
    const made = make();
    const opened = await open(browser, made.page);
    const scripts = (await traces(opened.page)).scripts;
    for (const hash of views(made)) {
      await setHash(opened, hash);
      await settled(opened);
      assert.deepEqual(await traces(opened.page), { pwned: undefined, polluted: 0, handlers: [], foreign: 0,
        links: [], scripts }, hash);
    }
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}

test("the page has the same elements, whatever the names are", async () => {
  const made = hostile();
  const count = async (file) => {
    const opened = await open(browser, file);
    const counts = [];
    for (const hash of ["#", "#games", "#player-2", "#pairing-1-2", "#game-1-move-3"]) {
      await setHash(opened, hash);
      await settled(opened);
      counts.push(await opened.page.evaluate(() => {
        const counts = {};
        for (const { localName } of document.querySelectorAll("body *")) {
          counts[localName] = (counts[localName] ?? 0) + 1;
        }
        return counts;
      }));
    }
    await opened.close();
    return counts;
  };
  // The same file with harmless names of the same order. Its transcripts are left out.
  let text = readFileSync(made.results, "utf8");
  HOSTILE_NAMES.forEach((name, number) => {
    const quoted = JSON.stringify(name);
    text = text.replaceAll(`:${quoted}`, `:"player ${number}"`);
  });
  const results = made.results.replace(".jsonl", "-harmless.jsonl");
  writeFileSync(results, text);
  const words = ["--no-transcripts"];
  const strange = makePage(made.page.replace(".html", "-strange.html"), [made.results], words);
  const harmless = makePage(made.page.replace(".html", "-harmless.html"), [results], words);
  assert.deepEqual(await count(strange), await count(harmless));
});

for (const [width, size] of Object.entries({ wide: WIDE, narrow: NARROW })) {
  test(`a name of 64 KB does not widen the page: ${width}`, async () => {
    const made = hostile();
    const opened = await open(browser, made.page, { size });
    const long = HOSTILE_NAMES.length;
    for (const hash of ["#", "#games", `#player-${long}`, `#pairing-1-${long}`, "#game-7"]) {
      await setHash(opened, hash);
      await settled(opened);
      const { scroll, inner, height } = await opened.page.evaluate(() => ({
        scroll: document.scrollingElement.scrollWidth,
        height: document.scrollingElement.scrollHeight,
        inner: innerWidth,
      }));
      assert.ok(scroll <= inner, `${hash}: ${scroll} of ${inner} px`);
      assert.ok(height < 20_000, `${hash}: ${height} px high`);
    }
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
}

test("what students' programs printed is left out with --no-transcripts", () => {
  const made = hostile();
  const file = makePage(made.page.replace(".html", "-silent.html"), [made.results], ["--no-transcripts"]);
  const marks = /id author|info string/;
  assert.match(readFileSync(made.page, "utf8"), marks);
  assert.doesNotMatch(readFileSync(file, "utf8"), marks);
  assert.equal(records(made.results).size, 56);
});
