// Packs the page into one file: its modules as one script, its style, and the engine.

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

/** The modules that a module needs, each once and before those that import it, then itself. */
function modules(name, found = []) {
  const imports = [...read(name).matchAll(/^import .* from "\.\/(.*)";$/gm)].map(([, other]) => other);
  for (const other of imports) modules(other, found);
  if (!found.includes(name)) found.push(name);
  return found;
}

/** The names that a module declares at its top level. */
const declared = (name) =>
  [...read(name).matchAll(/^(?:async )?(?:function|class|const|let) (?:(\w+)|\{([^}]*)\})/gm)].flatMap((
    [, one, many],
  ) => one ? [one] : many.split(",").map((word) => word.trim()));

/** All modules as one script, whose names must differ. Lines with `import` and `export` are left out. */
function joined(names) {
  const owners = new Map();
  for (const name of names) {
    for (const word of declared(name)) {
      if (owners.has(word)) throw new Error(`${name} and ${owners.get(word)} both declare ${word}`);
      owners.set(word, name);
    }
  }
  const lines = names.flatMap((name) => read(name).split("\n"));
  const code = lines.filter((line) =>
    !/^(import|export) /.test(line) && !/^\s*(\/\/.*)?$/.test(line) && line !== '"use strict";'
  );
  return `"use strict";\n${code.join("\n")}\n`;
}

const digest = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;

const frame = readFileSync(join(PAGE, "index.html"), "utf8");
const style = read("board.css") + read("style.css");
const engine = readFileSync(join(DIST, "lodestone.wasm"));
const packed = gzipSync(engine, { level: 9 });
const script = joined(modules("main.js"));
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
