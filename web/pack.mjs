// Packs the page into one file, web/dist/lodestone.html: its modules as one script, its style, and the engine, which
// `web/build.sh` has built.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const WEB = dirname(fileURLToPath(import.meta.url));
const PAGE = join(WEB, "page");
const PACKAGE = join(WEB, "package");
const DIST = join(WEB, "dist");

/** The folder of the modules and the style that this page shares with the page of a report. */
const SHARED = join(WEB, "../referee/src/report/page");

const pathOf = (name) =>
  [PAGE, SHARED, PACKAGE].map((folder) => join(folder, name)).find((path) => existsSync(path));
const worker = readFileSync(join(WEB, "engine-worker.js"), "utf8");
/** The host of the engine is a classic script, because a page from `file:` starts it from a Blob. */
const read = (name) =>
  name === "host.js" ? `${worker}export { Host };\n` : readFileSync(pathOf(name), "utf8");

const IMPORT = /^import \{ (.*) \} from "\.\/(.*)\.js";$/gm, EXPORT = /^export \{ (.*) \};$/gm;

/** The modules that a module needs, each once and before those that import it, then itself. */
function modules(name, found = [], importers = []) {
  if (importers.includes(name))
    throw new Error(`modules import each other: ${[...importers, name].join(" → ")}`);
  if (found.includes(name)) return found;
  for (const [, , other] of read(name).matchAll(IMPORT)) modules(`${other}.js`, found, [...importers, name]);
  found.push(name);
  return found;
}

/** The constant of a module. Names of the modules themselves have no `$`. */
const constant = (name) => `$${name.replaceAll("-", "_").replace(/\.js$/, "")}`;

/**
 * A module as a constant: what a function returns that has the module's names in its scope, as in a report's page. An
 * import and an export have a line each, as `scripts/format.mjs` writes them.
 */
function scoped(name) {
  const dense = (names) => `{${names.replaceAll(" ", "")}}`;
  const code = read(name).replace(IMPORT, (_, names, other) => `const${dense(names)}=${constant(other)};`)
    .replace(EXPORT, (_, names) => `return${dense(names)};`);
  const lines = code.split("\n").map((line) => line.trimStart()).filter((line) =>
    line && !/^\/[/*]/.test(line)
  );
  return `const ${constant(name)} = (() => {\n${lines.join("\n")}\n})();\n`;
}

const digest = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;

const frame = readFileSync(join(PAGE, "index.html"), "utf8");
const style = read("board.css") + read("style.css");
const engine = readFileSync(join(DIST, "lodestone.wasm"));
const packed = gzipSync(engine, { level: 9 });
const script = `"use strict";\n${modules("main.js").map(scoped).join("")}`;
for (const [name, text] of [["the script", script], ["engine-worker.js", worker]]) {
  if (/<\/script|<!--/i.test(text)) throw new Error(`${name} contains what ends a script in HTML`);
}
const data = (id, content) => `<script type="text/plain" id="${id}">${content}</script>`;
const words = {
  policy: `default-src 'none'; script-src ${digest(script)} 'wasm-unsafe-eval'; style-src ${digest(style)}; `
    + "worker-src blob:; base-uri 'none'; form-action 'none'",
  style: `<style>${style}</style>`,
  script: [
    data("engine-worker", worker),
    data("engine", packed.toString("base64")),
    `<script>${script}</script>`,
  ].join("\n"),
};
const page = frame.replace(/\{\{(\w+)\}\}/g, (_, word) => words[word]);
writeFileSync(join(DIST, "lodestone.html"), page);

const kilobytes = (content) => `${(Buffer.byteLength(content) / 1000).toFixed(0)} kB`;
console.log(
  `script ${kilobytes(script)}, engine ${kilobytes(engine)}, ${kilobytes(packed)} compressed, `
    + `lodestone.html ${kilobytes(page)}`,
);
