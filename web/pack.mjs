// Packs the page: copies its modules for a static server, and joins them to one file.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const WEB = dirname(fileURLToPath(import.meta.url));
const PAGE = join(WEB, "page");
const PACKAGE = join(WEB, "package");
const DIST = join(WEB, "dist");
const APP = join(DIST, "app");

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

/** A policy that allows these sources, and nothing else. */
const policy = (sources) =>
  Object.entries({ "default-src": "'none'", ...sources, "base-uri": "'none'", "form-action": "'none'" }).map((
    [kind, source],
  ) => `${kind} ${source}`).join("; ");

const frame = readFileSync(join(PAGE, "index.html"), "utf8");
const fill = (words) => frame.replace(/\{\{(\w+)\}\}/g, (_, word) => words[word]);

const names = modules("main.js");
const style = read("board.css") + read("style.css");
const engine = readFileSync(join(DIST, "lodestone.wasm"));
const packed = gzipSync(engine, { level: 9 });

rmSync(APP, { recursive: true, force: true });
mkdirSync(APP, { recursive: true });
for (const name of names) writeFileSync(join(APP, name), read(name));
writeFileSync(join(DIST, "style.css"), style);
copyFileSync(join(WEB, "engine-worker.js"), join(DIST, "engine-worker.js"));
writeFileSync(join(DIST, "index.html"),
  fill({
    policy: policy({ "script-src": "'self' 'wasm-unsafe-eval'", "style-src": "'self'",
      "connect-src": "'self'", "worker-src": "blob:", "img-src": "data:" }),
    style: '<link rel="stylesheet" href="style.css">\n<link rel="icon" href="data:,">',
    script: '<script type="module" src="app/main.js"></script>',
  }));

const script = joined(names);
for (const [name, text] of [["the script", script], ["engine-worker.js", worker]]) {
  if (/<\/script|<!--/i.test(text)) throw new Error(`${name} contains what ends a script in HTML`);
}
const data = (id, content) => `<script type="text/plain" id="${id}">${content}</script>`;
const single = fill({
  policy: policy({ "script-src": `${digest(script)} 'wasm-unsafe-eval'`, "style-src": digest(style),
    "worker-src": "blob:" }),
  style: `<style>${style}</style>`,
  script: [
    data("engine-worker", worker),
    data("engine", packed.toString("base64")),
    `<script>${script}</script>`,
  ].join("\n"),
});
writeFileSync(join(DIST, "lodestone.html"), single);

const kilobytes = (content) => `${(Buffer.byteLength(content) / 1000).toFixed(0)} kB`;
console.log(
  `script ${kilobytes(script)}, engine ${kilobytes(engine)}, ${kilobytes(packed)} compressed, `
    + `lodestone.html ${kilobytes(single)}`,
);
