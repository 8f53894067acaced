#!/usr/bin/env python3
"""A complete bot for both games. It plays a random legal move, but wins at once in
Magnetic Cave if it can. Copy it, and put your own ideas where it handles `go`."""
import random
import sys

START = {"magnetic-cave": "8/8/8/8/8/8/8/8 x", "gridlock": "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40"}
REPLIES = {"isready": "readyok", "uci": "id name bot\nid author you\noption name UCI_Variant type combo "
                                        "default magnetic-cave var magnetic-cave var gridlock\nuciok"}
LINES = [(1, 0), (0, 1), (1, 1), (1, -1)]  # steps along the letters, the digits and both diagonals

def shift(cell, letters, digits):  # a cell some steps away, perhaps outside the board
    return chr(ord(cell[0]) + letters) + str(int(cell[1]) + digits)

class Position:
    def __init__(self, fen):
        board, self.side, *turns = fen.split()
        self.cave = not turns  # only a FEN of Gridlock has turns played and a turn limit
        self.turns_left = 64 if self.cave else int(turns[1]) - int(turns[0])
        names = ([letter + digit for digit in "87654321" for letter in "abcdefgh"] if self.cave else
                 [letter + digit for letter in "abcdefg" for digit in "1234567"])
        signs = ("." * int(sign) if sign.isdigit() else sign for sign in board.replace("/", ""))
        self.cells = dict(zip(names, "".join(signs)))  # the content of each cell: x, o, or . if empty

    def five(self, side, extra=None):  # does this side have five in a line, or would it with a brick on `extra`?
        lines = ([shift(cell, a * i, b * i) for i in range(5)] for cell in self.cells for a, b in LINES)
        return self.cave and any(all(c == extra or self.cells.get(c) == side for c in line) for line in lines)

    def moves(self):
        at = self.cells.get  # None outside the board
        over = self.turns_left == 0 or self.five("x") or self.five("o")
        free = [cell for cell in self.cells if at(cell) == "." and not over]
        if self.cave:  # a brick sticks to a brick or a wall: anything but an empty cell
            return [cell for cell in free if at(shift(cell, -1, 0)) != "." or at(shift(cell, 1, 0)) != "."]
        steps = [(shift(cell, *step), cell) for cell in free for step in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        return [start + end for start, end in steps if at(start) == self.side]

    def play(self, move):
        self.cells[move[:2]] = "."  # the cell that a piece leaves; the cell of a new brick is empty anyway
        self.cells[move[-2:]] = self.side
        self.side, self.turns_left = "o" if self.side == "x" else "x", self.turns_left - 1

position = Position(start := START["magnetic-cave"])
for line in sys.stdin:
    command, *words = line.split() or [""]
    if command in REPLIES:
        print(REPLIES[command], flush=True)
    elif command == "setoption" and "UCI_Variant" in words:
        position = Position(start := START[words[-1]])
    elif command == "position":
        setup, _, played = line.partition("moves")
        position = Position(setup.partition("fen")[2] or start)
        for move in played.lower().split():
            position.play(move)
    elif command == "go":
        moves = position.moves()  # position.side is to move; position.cells holds the board
        wins = [move for move in moves if position.five(position.side, move)]
        print("bestmove", random.choice(wins or moves or ["0000"]), flush=True)
    elif command == "quit":
        break
