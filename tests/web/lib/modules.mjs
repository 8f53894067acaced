// Finds the modules of the page, which are in several folders, as web/pack.mjs does: this file is a hook of Node for
// `register`.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { ROOT } from "../../page/lib/referee.mjs";

const FOLDERS = ["web/page", "referee/src/report/page", "web/package"];

export function resolve(specifier, context, next) {
  const name = specifier.startsWith("./") && context.parentURL?.includes("/page/") ? specifier.slice(2)
    : null;
  const path = name && FOLDERS.map((folder) => `${ROOT}/${folder}/${name}`).find((path) => existsSync(path));
  return path ? { url: pathToFileURL(path).href, format: "module", shortCircuit: true }
    : next(specifier, context);
}
