// The modules of the pages: what each imports is there, and none imports another one that imports it.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../page/lib/referee.mjs";

/** The folders of all modules, which import each other as if they were in one. Each page has its own `main.js`. */
const PAGES = { report: "referee/src/report/page", window: "web/page", serve: "serve/page" };

/** The script of the worker, which `web/pack.mjs` makes a module. */
const HOST = { exports: ["Host"], imports: [] };

const listed = (text, pattern) =>
  [...text.matchAll(pattern)].map(([, names, other]) => ({
    names: names.split(", ").map((name) => name.split(" as ")[0]),
    other,
  }));

/** The modules of these folders by their names: what they export and import. */
function modulesOf(folders) {
  const modules = new Map([["host.js", HOST]]);
  for (const folder of folders) {
    for (const name of readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".js"))) {
      const text = readFileSync(join(ROOT, folder, name), "utf8");
      modules.set(name, { exports: listed(text, /^export \{ (.*) \};$/gm).flatMap(({ names }) => names),
        imports: listed(text, /^import \{ (.*) \} from "\.\/(.*)";$/gm) });
    }
  }
  return modules;
}

function checkImports(modules, name, importers = []) {
  assert.ok(!importers.includes(name), `modules import each other: ${[...importers, name].join(" → ")}`);
  for (const { names, other } of modules.get(name).imports) {
    assert.ok(modules.has(other), `${name} imports ${other}`);
    for (const word of names)
      assert.ok(modules.get(other).exports.includes(word), `${other} does not export ${word} for ${name}`);
    checkImports(modules, other, [...importers, name]);
  }
}

for (const [page, own] of Object.entries(PAGES)) {
  test(`modules of the page: ${page}`, () => {
    const others = Object.values(PAGES).filter((folder) => folder !== own);
    const modules = modulesOf(["web/package", ...others, own]);
    for (const name of modules.keys()) checkImports(modules, name);
  });
}
