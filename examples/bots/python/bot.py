"""A bot for Magnetic Cave and Gridlock: alpha-beta search with iterative deepening.
Put your own ideas into `evaluate` and `search`. The rest is rules and protocol."""

import copy
import sys
import threading
import time

STARTS = {"magnetic-cave": "8/8/8/8/8/8/8/8 x", "gridlock": "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40"}
OPTION = "option name UCI_Variant type combo default magnetic-cave var " + " var ".join(STARTS)
WEIGHTS = (0, 1, 6, 30, 150, 0)  # the value of a line of five by its number of bricks
WIN = 1_000_000
FOREVER = 1e9  # in milliseconds


def shift(cell, letters, digits):  # the cell some steps away, perhaps off the board
    return chr(ord(cell[0]) + letters) + chr(ord(cell[1]) + digits)


CELLS = [letter + digit for digit in "87654321" for letter in "abcdefgh"]
NEXT = {c: [shift(c, *step) for step in ((1, 0), (-1, 0), (0, 1), (0, -1))] for c in CELLS}
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
LINES = [[shift(c, i * a, i * b) for i in range(5)] for c in CELLS for a, b in STEPS]
LINES = [line for line in LINES if line[4] in CELLS]
THROUGH = {cell: [line for line in LINES if cell in line] for cell in CELLS}


class Position:
    def __init__(self, fen):
        rows, self.side, *turns = fen.split()
        self.cave = not turns  # only a FEN of Gridlock has turns played and a turn limit
        names = CELLS if self.cave else [a + b for a in "abcdefg" for b in "1234567"]
        cells = "".join("." * int(c) if c.isdigit() else c for c in rows if c != "/")
        if len(cells) != len(names):
            raise ValueError(f"a FEN of {len(cells)} cells; the board has {len(names)}")
        self.board = dict(zip(names, cells))  # x, o or . for each cell
        self.turns_left = int(turns[1]) - int(turns[0]) if turns else cells.count(".")
        self.won = any(self.five(cell) for cell in names)

    def five(self, cell):  # whether the brick on this cell is in a line of five
        bricks = [{self.board[c] for c in line} for line in THROUGH[cell] if self.cave]
        return {"x"} in bricks or {"o"} in bricks

    def moves(self):
        at = self.board.get  # None off the board
        free = [c for c in self.board if at(c) == "." and not self.won]
        if self.cave:  # a brick sticks to a brick or a wall: anything but an empty cell
            return [c for c in free if at(NEXT[c][0]) != "." or at(NEXT[c][1]) != "."]
        return [n + c for c in free for n in NEXT[c] if at(n) == self.side]

    def after(self, move):
        """The position after a move."""
        child, start, end = copy.copy(self), move[:2], move[-2:]
        child.board = self.board | {start: "."} | {end: self.side}  # a brick has start == end
        child.side = "o" if self.side == "x" else "x"
        child.turns_left -= 1
        child.won = child.five(end)
        return child

    def evaluate(self):
        """The value of the position for the side to move."""
        at, score = self.board.get, 0
        for line in LINES if self.cave else []:
            bricks = [at(cell) for cell in line]
            x, o = bricks.count("x"), bricks.count("o")
            if x == 0 or o == 0:  # only one side can complete this line
                score += WEIGHTS[x] - WEIGHTS[o]
        for cell in self.board if not self.cave else []:
            if at(cell) == ".":  # empty cells beside pieces decide at the turn limit
                beside = [at(c) for c in NEXT[cell]]
                score += 10 * (("x" in beside) - ("o" in beside))
        return score if self.side == "x" else -score


class Search(threading.Thread):
    """Searches in its own thread, so that the bot can read `stop` meanwhile."""

    def __init__(self, position, words):
        super().__init__()
        limits = dict(zip(words, words[1:]))
        own_clock = "wtime" if position.side == "x" else "btime"
        share = int(limits.get(own_clock, FOREVER)) / 20
        budget = max(0, int(limits.get("movetime", share)))
        budget -= min(budget / 2, 100)  # a busy machine answers late
        self.deadline = time.monotonic() + budget / 1000
        self.max_depth = min(int(limits.get("depth", 64)), position.turns_left)
        self.nodes, self.max_nodes = 0, int(limits.get("nodes", FOREVER))
        self.infinite = words in ([], ["infinite"])
        self.position, self.best, self.stop = position, {}, threading.Event()
        self.start()

    def run(self):
        moves = self.position.moves() if self.position.turns_left else []
        try:
            for depth in range(1, self.max_depth + 1 if moves else 0):
                score = self.search(self.position, depth, -WIN, WIN, 0)
                print(f"info depth {depth} score cp {score} nodes {self.nodes}", flush=True)
        except TimeoutError:
            pass
        if self.infinite:
            self.stop.wait()
        print("bestmove", self.best.get(0, (moves or ["0000"])[0]), flush=True)

    def search(self, position, depth, alpha, beta, ply):
        """The value of the position for the side to move: negamax with alpha-beta."""
        self.nodes += 1
        late = time.monotonic() > self.deadline or self.nodes > self.max_nodes
        if late or self.stop.is_set():
            raise TimeoutError
        moves = position.moves()
        if not moves:
            return ply - WIN if position.won or not position.cave else 0
        if depth == 0 or position.turns_left == 0:
            return position.evaluate() * (1 if position.turns_left else 1000)
        moves.sort(key=lambda move: move != self.best.get(ply))  # the last good one first
        for move in moves:
            score = -self.search(position.after(move), depth - 1, -beta, -alpha, ply + 1)
            if score > alpha:
                alpha, self.best[ply] = score, move
            if alpha >= beta:
                break
        return alpha


start, search = STARTS["magnetic-cave"], None
position = Position(start)
for line in sys.stdin:
    words = line.split()
    if words == ["uci"]:
        print(f"id name python\nid author you\n{OPTION}\nuciok", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:-1] == ["setoption", "name", "UCI_Variant", "value"]:
        position = Position(start := STARTS.get(words[-1], start))
    elif words[:1] == ["position"]:
        setup, _, played = line.partition("moves")
        try:
            position = Position(setup.partition("fen")[2] or start)
            for move in played.lower().split():
                position = position.after(move)
        except (KeyError, ValueError) as error:
            print(f"info string error: {error}", flush=True)
    elif words[:1] == ["go"]:
        search = Search(position, words[1:])
    elif words == ["stop"] and search:
        search.stop.set()
    elif words == ["quit"]:
        break
if search:
    search.stop.set()
