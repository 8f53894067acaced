// A bot for Magnetic Cave and Gridlock: alpha-beta search with iterative deepening.
// Put your own ideas into `evaluate` and `search`. The rest is rules and protocol.
const { createInterface } = require("node:readline");
const { writeSync } = require("node:fs");
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");

const OPTION = "option name UCI_Variant type combo default magnetic-cave var magnetic-cave var gridlock";
const CAVE = "8/8/8/8/8/8/8/8 x";
const GRIDLOCK = "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40";
const [EMPTY, X, O, WALL] = [0, 1, 8, 64];
const LINES = [1, 10, 9, 11]; // steps to the right, down, and on both diagonals
const WIN = 1_000_000;
const WEIGHTS = [0, 1, 6, 30, 150, WIN]; // of a line of five, by its bricks

class Position {
  constructor(fen) {
    const [rows, side, played, limit] = fen.trim().split(/\s+/);
    this.board = new Uint8Array(140).fill(WALL); // cell = 11 + 10 * row + column
    let cell = 11;
    for (const c of rows) {
      if (c === "/") cell += 11 - (cell % 10);
      else if (c === "x" || c === "o") this.board[cell++] = c === "x" ? X : O;
      else for (let i = 0; i < Number(c); i++) this.board[cell++] = EMPTY;
    }
    this.side = side === "x" ? X : O;
    this.cave = limit === undefined; // only a FEN of Gridlock has turns and a turn limit
    this.turnsLeft = this.cave ? 64 : limit - played;
  }

  // The position after a move: 100 * from + to. For a new brick, both are its cell.
  after(move) {
    const next = Object.assign(Object.create(Position.prototype), this);
    next.board = this.board.slice();
    next.board[Math.floor(move / 100)] = EMPTY;
    next.board[move % 100] = this.side;
    next.side = X + O - this.side;
    next.turnsLeft -= 1;
    return next;
  }

  name(move) {
    const [row, column] = [Math.floor((move % 100) / 10) - 1, (move % 10) - 1];
    if (this.cave) return "abcdefgh"[column] + (8 - row);
    return (move < 100 ? "" : this.name(Math.floor(move / 100))) + "abcdefg"[row] + (column + 1);
  }

  moves() {
    const moves = [];
    for (let c = 11; c < 89; c++) {
      if (this.board[c] !== EMPTY) continue;
      if (this.cave && this.board[c - 1] + this.board[c + 1] !== EMPTY) moves.push(101 * c);
      for (const step of this.cave ? [] : [1, -1, 10, -10])
        if (this.board[c + step] === this.side) moves.push(100 * (c + step) + c);
    }
    return moves;
  }

  // The value for the side to move.
  evaluate() {
    const b = this.board;
    let score = 0;
    for (let c = 11; c < 89; c++) {
      for (const step of this.cave ? LINES : []) {
        const sum = b[c] + b[c + step] + b[c + 2 * step] + b[c + 3 * step] + b[c + 4 * step];
        if (sum <= 5 * X) score += WEIGHTS[sum]; // only x can complete this line
        if (sum <= 5 * O && sum % O === 0) score -= WEIGHTS[sum / O];
      }
      const beside = b[c - 1] | b[c + 1] | b[c - 10] | b[c + 10];
      // Empty cells beside pieces count at the turn limit.
      if (!this.cave && b[c] === EMPTY) score += (beside & X) / X - (beside & O) / O;
    }
    return this.side === X ? score : -score;
  }
}

const stop = isMainThread ? new Int32Array(new SharedArrayBuffer(4)) : workerData;
let best, deadline, maxNodes, nodes;

const isOver = () => Atomics.load(stop, 0) === 1 || nodes > maxNodes || performance.now() > deadline;

// The value of a position for the side to move: negamax with alpha-beta.
function search(position, depth, alpha, beta, ply) {
  const value = position.evaluate();
  if (Math.abs(value) > WIN / 2) return ply - WIN; // the last brick completed a line
  const moves = position.moves();
  if (moves.length === 0) return position.cave ? 0 : ply - WIN;
  if (position.turnsLeft === 0) return 1000 * value;
  moves.sort((a, b) => (b === best[ply]) - (a === best[ply])); // a good move first
  best[ply] = moves[0];
  nodes++;
  if (depth === 0 || isOver()) return value;
  for (const move of moves) {
    const score = -search(position.after(move), depth - 1, -beta, -alpha, ply + 1);
    if (isOver()) break;
    if (score > alpha) best[ply] = move;
    alpha = Math.max(alpha, score);
    if (alpha >= beta) break;
  }
  return alpha;
}

function go(root, words) {
  const limits = new Map(words.map((word, i) => [word, Number(words[i + 1])]));
  const limit = (name, otherwise) => limits.get(name) ?? otherwise;
  const clock = limit(root.side === X ? "wtime" : "btime", 1e9);
  const budget = Math.max(0, limit("movetime", clock / 20));
  deadline = performance.now() + budget - Math.min(budget / 2, 100); // a busy machine answers late
  [best, nodes, maxNodes] = [[], 0, limit("nodes", Infinity)];
  for (let depth = 1; depth <= Math.min(root.turnsLeft, limit("depth", 64)); depth++) {
    const score = search(root, depth, -WIN, WIN, 0);
    if (isOver() || Math.abs(score) > WIN / 2 || !best[0]) break;
    send(`info depth ${depth} score cp ${score} nodes ${nodes}`);
  }
  if (words.length === 1 || words[1] === "infinite") Atomics.wait(stop, 0, 0);
  send("bestmove " + (best[0] ? root.name(best[0]) : "0000"));
}

const send = (line) => writeSync(1, line + "\n");

if (isMainThread) {
  // The worker does all the rest. While it searches, this thread can read `stop`.
  const worker = new Worker(__filename, { workerData: stop });
  worker.on("exit", () => process.exit());
  const read = (line) => {
    if (line === "isready") send("readyok");
    if (line.startsWith("go")) Atomics.store(stop, 0, 0);
    if (line === "stop" || line === "quit") Atomics.store(stop, 0, 1);
    Atomics.notify(stop, 0);
    worker.postMessage(line);
  };
  const input = createInterface({ input: process.stdin });
  input.on("line", (line) => read(line.trim())).on("close", () => read("quit"));
} else {
  let [start, root] = [CAVE, new Position(CAVE)];
  parentPort.on("message", (line) => {
    const [, setup = "", played = ""] = line.split(/^position\s+\w+|moves/);
    const words = line.split(/\s+/);
    if (line === "uci") send(`id name JavaScript bot\nid author you\n${OPTION}\nuciok`);
    if (line.endsWith("value gridlock")) start = GRIDLOCK;
    if (line.endsWith("value magnetic-cave")) start = CAVE;
    if (words[0] === "position") root = new Position(setup.trim() || start);
    for (const name of played.split(/\s+/))
      for (const move of root.moves()) if (root.name(move) === name) root = root.after(move);
    if (words[0] === "go") go(root, words);
    if (words[0] === "quit") process.exit();
  });
}
