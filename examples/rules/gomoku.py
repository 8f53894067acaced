#!/usr/bin/env python3
"""Gomoku (freestyle) on 15×15 crossings, or `size`: five or more in a line win.

A move is a crossing: columns are `a` to `o`, with `i`, rows are numbered from the bottom.
"""

import re

from referee.boards import Board, BoardGame
from referee.rules import DRAW, WIN, run


class Game(BoardGame):
    name, lines = "Gomoku", True
    size = 15
    options = {"size": range(5, 27)}

    @property
    def columns(self):
        return "abcdefghijklmnopqrstuvwxyz"[: self.size]

    @property
    def rows(self):
        return [str(row) for row in range(self.size, 0, -1)]

    def start(self):
        return Board("." * self.size**2, True)

    def moves(self, board):
        names = (column + row for row in self.rows for column in self.columns)
        return [name for name, cell in zip(names, board.cells) if cell == "."]

    def play(self, board, move):
        cell = (self.size - int(move[1:])) * self.size + self.columns.index(move[0])
        return board.after({cell: "x" if board.turn else "o"})

    def winner(self, board):
        size = self.size
        text = "/".join(board.cells[row : row + size] for row in range(0, size * size, size))
        # Five equal stones, 1, `size`, `size` + 1 or `size` + 2 characters apart; `/` separates the rows
        lines = "|".join(rf"(?:.{{{size + gap}}}\1){{4}}" for gap in (-1, 0, 1))
        return re.search(rf"([xo])(?=\1{{4}}|{lines})", text)

    def result(self, board):
        five = self.winner(board)
        return WIN[five[1] == "x"] if five else "*" if "." in board.cells else DRAW

    def reason(self, board):
        five = self.winner(board)
        return f"{five[1]} has five in line" if five else "the board is full"


if __name__ == "__main__":
    run(Game())
