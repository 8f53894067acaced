// Makes docs/serve.png: a tournament in progress. `node tests/serve/pictures.mjs FILE.png`.

import { launch, open } from "../page/lib/chromium.mjs";
import { EXAMPLES, start, until } from "./lib/server.mjs";

const [file] = process.argv.slice(2);
if (!file) {
  console.error("usage: node pictures.mjs FILE.png");
  process.exit(2);
}
// The games of the engine last long enough to be seen. The margin is for a busy machine.
const staff = ["--engine", "cmd=lodestone", "name=staff", "timemargin=1000"];
const server = await start({ args: ["--engines", `${EXAMPLES}/course/submissions`, ...staff] });
const { players } = await server.get("/api/site");
const chosen = players.filter(({ kind }) => kind !== "level" && kind !== "builtin").map(({ id }) => id);
const form = { kind: "match", name: "course", players: chosen, format: "round-robin", games: 2, seconds: 0.3,
  concurrency: 2, openings: 2, words: "" };
await server.post("/api/matches", form);
const browser = await launch();
const { page } = await open(browser, server.address, { size: { width: 1280, height: 760 },
  allows: () => true });
await page.goto(`${server.base}/#/match/course.jsonl`);
const match = async () => (await server.get("/api/matches")).matches[0];
await until(async () => (await match()).played >= 9, "nine games");
await until(async () => {
  const moves = (await page.locator(".live-boards").innerText()).match(/(?<=, move )\d+/g) ?? [];
  return moves.length === 2 && moves.every((move) => move >= 8);
}, "two boards with a few moves");
await page.screenshot({ path: file });
await browser.close();
await server.kill("SIGINT");
process.exit(0);
