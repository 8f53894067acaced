// A bot that plays legal moves of Magnetic Cave at the walls, writes markup wherever a bot can
// write, and then answers with markup: `hostile-bot.mjs MOVES`, the number of its legal moves.

import { createInterface } from "node:readline";

const MARKUP = [
  '<img src=x onerror="window.pwned=1">',
  "</script><script>window.pwned=2</script>",
  "\"'><svg onload=window.pwned=3>",
  "<!--<script>",
  "\u202eexe.\u2066gnp",
  "javascript:window.pwned=4",
];

let left = Number(process.argv[2] ?? 5);
let played = new Set();

for await (const line of createInterface({ input: process.stdin })) {
  const words = line.trim().split(/\s+/);
  if (words[0] === "uci") {
    console.log(`id name ${MARKUP.join(" ")}\nid author ${MARKUP.join(" ")}\nuciok`);
  } else if (words[0] === "isready") {
    console.log("readyok");
  } else if (words[0] === "position") {
    played = new Set(words.slice(words.indexOf("moves") + 1));
  } else if (words[0] === "go") {
    for (const text of MARKUP) console.error(text);
    console.log(`info string ${MARKUP.join(" ")}`);
    const cells = ["a", "h"].flatMap((column) => [1, 2, 3, 4, 5, 6, 7, 8].map((rank) => column + rank));
    const move = cells.find((cell) => !played.has(cell));
    console.log(`info depth 1 score cp 7 pv ${move}\nbestmove ${left-- > 0 ? move : MARKUP[1]}`);
  } else if (words[0] === "quit") {
    process.exit(0);
  }
}
