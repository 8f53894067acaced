// Screenshots of a page: `node pictures.mjs FILE.html FOLDER [NAME=HASH…]`, such as
// `game=#game-17-move-23`. Each view is taken wide, narrow and dark.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { NARROW, WIDE, launch, open } from "./lib/chromium.mjs";
import { screenshot, scrollThrough, setHash } from "./lib/viewer.mjs";

const [file, folder, ...views] = process.argv.slice(2);
if (!file || !folder) {
  console.error("usage: node pictures.mjs FILE.html FOLDER [NAME=HASH…]");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });

const KINDS = { wide: { size: WIDE }, narrow: { size: NARROW }, dark: { size: WIDE, scheme: "dark" } };
const browser = await launch();
for (const view of views.length ? views : ["overview=#", "games=#games"]) {
  const [, name, hash] = /^([^=]*)=(.*)$/s.exec(view);
  for (const [kind, options] of Object.entries(KINDS)) {
    const opened = await open(browser, resolve(file), options);
    await setHash(opened, hash);
    await scrollThrough(opened);
    const path = join(folder, `${name}-${kind}.png`);
    await screenshot(opened.page, path);
    console.log(path);
    await opened.close();
  }
}
await browser.close();
