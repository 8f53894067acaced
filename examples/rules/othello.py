#!/usr/bin/env python3
"""Othello: place a disc so that it encloses discs of the opponent in a line, and turn these over.
A side that cannot place a disc must `pass`; the game ends when neither side can. More discs win.

Black, `x`, begins. Rows are numbered from the top.
"""

from functools import lru_cache

from referee.boards import Board, BoardGame
from referee.rules import DRAW, WIN, run

CELLS = [column + row for row in "12345678" for column in "abcdefgh"]
STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def ray(cell, down, right):
    """The cells from the next one to the edge."""
    cells = [(cell // 8 + n * down, cell % 8 + n * right) for n in range(1, 8)]
    return [row * 8 + column for row, column in cells if 0 <= row < 8 and 0 <= column < 8]


RAYS = [[line for line in (ray(cell, *step) for step in STEPS) if len(line) > 1] for cell in range(64)]


@lru_cache(100_000)
def flips(cells, turn):
    """The legal moves of a side: cell -> the discs that are turned over."""
    own, other, found = "x" if turn else "o", "o" if turn else "x", {}
    for cell in range(64):
        if cells[cell] == ".":
            for line in RAYS[cell]:
                if cells[line[0]] == other:
                    length = next((n for n, at in enumerate(line) if cells[at] != other), 0)
                    if length and cells[line[length]] == own:
                        found.setdefault(cell, []).extend(line[:length])
    return found


class Game(BoardGame):
    name, rows = "Othello", "12345678"

    def start(self):
        return Board("." * 27 + "ox" + "." * 6 + "xo" + "." * 27, True)

    def moves(self, board):
        return [CELLS[cell] for cell in flips(*board)] or ["pass"]

    def play(self, board, move):
        if move == "pass":
            return board.after({})
        cell = CELLS.index(move)
        return board.after(dict.fromkeys([cell, *flips(*board)[cell]], "x" if board.turn else "o"))

    def result(self, board):
        if flips(*board) or flips(board.cells, not board.turn):
            return "*"
        first, second = self.score(board)
        return DRAW if first == second else WIN[first > second]

    def score(self, board):
        return board.cells.count("x"), board.cells.count("o")

    def reason(self, board):
        return "neither side can move: %d discs to %d" % self.score(board)


if __name__ == "__main__":
    run(Game())
