// The file as a whole: valid HTML, a strict policy, a small script.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { HtmlValidate } from "html-validate";
import { parse } from "parse5";
import { launch, open } from "./lib/chromium.mjs";
import { cave, forged, gridlock, hostile, kinds } from "./lib/matches.mjs";
import { setHash, settled } from "./lib/viewer.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const validator = new HtmlValidate({ extends: ["html-validate:standard"] });

/** What does not conform to the HTML standard. */
function errors(html) {
  const found = validator.validateStringSync(html).results.flatMap(({ messages }) => messages);
  return found.slice(0, 10).map(({ ruleId, message, line, column }) =>
    `${line}:${column} ${ruleId}: ${message}`
  );
}

/** The elements of a parsed document that `fits` accepts. */
function elements(node, fits) {
  const below = (node.childNodes ?? []).flatMap((child) => elements(child, fits));
  return fits(node) ? [node, ...below] : below;
}

for (const [name, make] of Object.entries({ cave, gridlock, kinds, hostile, forged })) {
  test(`${name}: the page is valid HTML`, () => {
    const html = readFileSync(make().page, "utf8");
    assert.match(html, /^<!doctype html>/i);
    assert.deepEqual(errors(html), []);
    assert.match(html, /<html lang="en">/);
  });
}

test("the policy allows one style and one script by their hashes, and nothing else", () => {
  const document = parse(readFileSync(cave().page, "utf8"));
  const attribute = (node, name) => node.attrs?.find((one) => one.name === name)?.value;
  const [policy] = elements(document, (node) => attribute(node, "http-equiv") === "Content-Security-Policy");
  const rules = new Map(
    attribute(policy, "content").split(";").map((rule) => rule.trim().split(/ (.*)/s).slice(0, 2)),
  );
  assert.equal(rules.get("default-src"), "'none'");
  assert.equal(rules.get("base-uri"), "'none'");
  assert.equal(rules.get("form-action"), "'none'");
  for (const kind of ["script-src", "style-src"])
    assert.match(rules.get(kind), /^'sha256-[\w+/]+={0,2}'$/, kind);
  for (const [kind, sources] of rules) {
    if (!["script-src", "style-src"].includes(kind)) assert.equal(sources, "'none'", kind);
  }
});

test("the script has at most 40 kB", () => {
  const document = parse(readFileSync(cave().page, "utf8"));
  const scripts = elements(document, (node) => node.nodeName === "script" && !node.attrs.length);
  const bytes = scripts.reduce((sum, node) => sum + Buffer.byteLength(node.childNodes[0].value), 0);
  assert.ok(bytes > 1000 && bytes <= 40_000, `${bytes} bytes`);
});

for (const [name, make] of Object.entries({ cave, gridlock })) {
  test(`${name}: what the script makes is valid HTML, with unique ids and one h1`, async () => {
    const opened = await open(browser, make().page);
    for (const hash of ["#", "#games", "#player-1", "#pairing-1-2", "#game-5-move-8"]) {
      await setHash(opened, hash);
      await settled(opened);
      const html = await opened.page.content();
      assert.deepEqual(errors(html), [], hash);
      const document = parse(html);
      const ids = elements(document, (node) => node.attrs?.some((one) => one.name === "id"));
      const names = ids.map((node) => node.attrs.find((one) => one.name === "id").value);
      assert.equal(new Set(names).size, names.length, `${hash}: ${names}`);
      assert.equal(elements(document, (node) => node.nodeName === "h1").length, 1, hash);
      // A parser moves what may not stand where it is, such as a block in a paragraph.
      const isKept = await opened.page.evaluate(() =>
        new DOMParser().parseFromString(document.documentElement.outerHTML, "text/html").body.innerHTML
          === document.body.innerHTML
      );
      assert.ok(isKept, `${hash}: a parser moves elements`);
    }
    await opened.close();
  });
}
