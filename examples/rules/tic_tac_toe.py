#!/usr/bin/env python3
"""Tic-tac-toe: place a mark on an empty cell. Three in a row, column or diagonal win.

A move is a cell: `a1` is at the bottom left. A FEN has the cells from the top left, then the side to move,
x or o: `x...o.... x`.
"""

from referee.rules import DRAW, WIN, run

CELLS = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Game:
    name = "Tic-tac-toe"

    def start(self):
        return "." * 9, True  # the cells, and whether the first player is to move

    def turn(self, position):
        return position[1]

    def moves(self, position):
        return [name for name, cell in zip(CELLS, position[0]) if cell == "."]

    def play(self, position, move):
        (cells, turn), cell = position, CELLS.index(move)
        return cells[:cell] + ("x" if turn else "o") + cells[cell + 1 :], not turn

    def winner(self, position):
        lines = ["".join(position[0][cell] for cell in line) for line in LINES]
        return "x" if "xxx" in lines else "o" if "ooo" in lines else None

    def result(self, position):
        winner = self.winner(position)
        return WIN[winner == "x"] if winner else "*" if "." in position[0] else DRAW

    def reason(self, position):
        winner = self.winner(position)
        return f"{winner} has three in line" if winner else "the board is full"

    def fen(self, position):
        return position[0] + (" x" if position[1] else " o")

    def from_fen(self, text):
        cells, _, side = text.partition(" ")
        if len(cells) != 9 or not set(cells) <= set("xo.") or side not in ("x", "o"):
            raise ValueError("expected nine cells, each x, o or `.`, and the side to move, x or o")
        return cells, side == "x"

    def grid(self, position):
        return "abc", "321", position[0]


if __name__ == "__main__":
    run(Game())
