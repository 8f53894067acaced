// The protocol of a bot for any game. Put the rules of your game and your ideas into `choose`.
const { createInterface } = require("readline");

// Returns a move within this time. The game began at `start`: "startpos", or the text of a position.
// `moves` are all moves since then.
function choose(start, moves, milliseconds) {
  return "0000"; // not a move: the bot loses its games
}

let [start, moves] = ["startpos", []];
createInterface({ input: process.stdin }).on("line", (line) => {
  const [command, ...words] = line.trim().split(/\s+/);
  if (command === "uci") console.log("id name JavaScript bot\nid author you\nuciok");
  if (command === "isready") console.log("readyok");
  if (command === "position") {
    // position startpos moves …, or position fen TEXT moves …
    const [setup, played = ""] = words.join(" ").split(" moves ");
    start = setup.replace(/^fen /, "");
    moves = played.split(" ").filter(Boolean);
  }
  if (command === "go") {
    // go movetime N, or go wtime N btime N …
    const limit = (name) => (words.includes(name) ? Number(words[words.indexOf(name) + 1]) : undefined);
    const clock = Math.min(limit("wtime") ?? 30000, limit("btime") ?? 30000);
    console.log("bestmove " + choose(start, moves, limit("movetime") ?? clock / 30));
  }
  if (command === "quit") process.exit();
});
