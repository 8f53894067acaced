// Makes docs/serve.png: a tournament in progress. `node tests/serve/pictures.mjs FILE.png`.

import { launch, open } from "../page/lib/chromium.mjs";
import { EXAMPLES, start, until } from "./lib/server.mjs";

const [file] = process.argv.slice(2);
if (!file) {
  console.error("usage: node pictures.mjs FILE.png");
  process.exit(2);
}
const server = await start({ args: ["--engines", `${EXAMPLES}/course/submissions`] });
const { players } = await server.get("/api/site");
const chosen = players.filter(({ kind }) => kind === "program").map(({ id }) => id);
const form = { kind: "match", name: "course", players: chosen, format: "round-robin", games: 2, seconds: 0.3,
  concurrency: 2, openings: 2, words: "" };
await server.post("/api/matches", form);
const browser = await launch();
const { page } = await open(browser, server.address, { size: { width: 1280, height: 760 },
  allows: () => true });
await page.goto(`${server.base}/#/match/course.jsonl`);
const match = async () => (await server.get("/api/matches")).matches[0];
await until(async () => (await match()).played >= 9, "nine games");
await until(() => page.locator(".live-boards .board").count().then((count) => count === 2), "two boards");
await page.screenshot({ path: file });
await browser.close();
await server.kill("SIGINT");
process.exit(0);
