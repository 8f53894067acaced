// Formats the scripts in JavaScript. With `--check` it only names those that it would change, and ends with
// status 1.
//
//     node scripts/format.mjs [--check] [FILE…]
//
// Without files these are all of the repository. Needs the packages of tests/page:
// `npm ci --prefix tests/page`.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const ROOT = new URL("..", import.meta.url);
const load = createRequire(new URL("tests/page/package.json", ROOT));

// Long calls and objects continue on the next line, instead of one line for each part. What joins
// the modules of a page reads their imports and exports by lines, which therefore have a line each.
const STYLE = { preferHanging: true, "arguments.preferHanging": "always",
  "arrayExpression.preferHanging": "never", "parameters.preferHanging": "always", preferSingleLine: true,
  "arrowFunction.useParentheses": "force", "conditionalExpression.linePerExpression": false,
  "exportDeclaration.forceSingleLine": true, "exportDeclaration.sortNamedExports": "maintain",
  "importDeclaration.forceSingleLine": true, "importDeclaration.sortNamedImports": "maintain",
  "module.sortImportDeclarations": "maintain", quoteStyle: "preferDouble", singleBodyPosition: "maintain",
  useBraces: "maintain" };

const plugin = readFileSync(load("@dprint/typescript").getPath());
const formatter = load("@dprint/formatter").createFromBuffer(plugin);
formatter.setConfig({ lineWidth: 110, indentWidth: 2 }, STYLE);

// A second round may change what the first one has made.
function formatted(filePath, fileText, rounds = 9) {
  const text = formatter.formatText({ filePath, fileText });
  return text === fileText || rounds === 0 ? text : formatted(filePath, text, rounds - 1);
}

const isCheck = process.argv.includes("--check");
const given = process.argv.slice(2).filter((word) => word !== "--check");
const list = () => execFileSync("git", ["ls-files", "*.js", "*.mjs"], { cwd: ROOT, encoding: "utf8" }).trim();
const all = () => list().split("\n").map((name) => fileURLToPath(new URL(name, ROOT)));
for (const path of given.length > 0 ? given : all()) {
  const text = readFileSync(path, "utf8"), after = formatted(path, text);
  if (after === text) continue;
  console.log(isCheck ? `${path} is not formatted; node scripts/format.mjs does it` : path);
  if (isCheck) process.exitCode = 1;
  else writeFileSync(path, after);
}
