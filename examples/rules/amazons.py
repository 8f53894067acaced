#!/usr/bin/env python3
"""Amazons on 10×10: a piece moves like a queen of chess, and then shoots an arrow like one, which blocks a
cell. A side that cannot move loses.

A move has the three cells, `d1d7g7`: from, to, arrow. A FEN has X for an arrow.
"""

import re

from referee.boards import Board, BoardGame
from referee.rules import WIN, run

CELLS = [column + row for row in ["10", *"987654321"] for column in "abcdefghij"]
INDEX = {name: cell for cell, name in enumerate(CELLS)}
STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


def ray(cell, down, right):
    """The cells from the next one to the edge."""
    cells = ((cell // 10 + n * down, cell % 10 + n * right) for n in range(1, 10))
    return [row * 10 + column for row, column in cells if 0 <= row < 10 and 0 <= column < 10]


RAYS = [[ray(cell, *step) for step in STEPS] for cell in range(100)]


def reach(cells, start, left=None):
    """The cells that a queen reaches from a cell, if the cell `left` is empty."""
    for line in RAYS[start]:
        for cell in line:
            if cells[cell] != "." and cell != left:
                break
            yield cell


class Game(BoardGame):
    name, columns, rows, others = "Amazons", "abcdefghij", ["10", *"987654321"], "X"

    def start(self):
        return self.from_fen("3o2o3/10/10/o8o/10/10/x8x/10/10/3x2x3 x")

    def pieces(self, board):
        return [cell for cell, piece in enumerate(board.cells) if piece == ("x" if board.turn else "o")]

    def moves(self, board):
        return [
            CELLS[start] + CELLS[end] + CELLS[arrow]
            for start in self.pieces(board)
            for end in reach(board.cells, start)
            for arrow in reach(board.cells, end, start)
        ]

    def play(self, board, move):
        start, end, arrow = (INDEX[name] for name in re.findall("[a-j][0-9]+", move))
        return board.after({start: ".", end: board.cells[start], arrow: "X"})

    def result(self, board):
        can_move = any(True for cell in self.pieces(board) for _ in reach(board.cells, cell))
        return "*" if can_move else WIN[not board.turn]

    def reason(self, board):
        return f"{'x' if board.turn else 'o'} cannot move"


if __name__ == "__main__":
    run(Game())
