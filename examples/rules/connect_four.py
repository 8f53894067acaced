#!/usr/bin/env python3
"""Connect Four: drop a disc into a column. Four in a row, column or diagonal win.

A move is the column, `a` to `g`.
"""

import re

from referee.boards import Board, BoardGame
from referee.rules import DRAW, WIN, run

# Four equal discs, 1, 7, 8 or 9 characters apart in the text of the board, where `/` separates the rows
FOUR = re.compile(r"([xo])(?=\1{3}|(?:.{6}\1){3}|(?:.{7}\1){3}|(?:.{8}\1){3})")


class Game(BoardGame):
    name, columns, rows = "Connect Four", "abcdefg", "654321"

    def start(self):
        return Board("." * 42, True)

    def moves(self, board):
        return [column for column, top in zip(self.columns, board.cells) if top == "."]

    def play(self, board, move):
        column = self.columns.index(move)
        lowest = max(cell for cell in range(column, 42, 7) if board.cells[cell] == ".")
        return board.after({lowest: "x" if board.turn else "o"})

    def four(self, board):
        return FOUR.search("/".join(board.cells[row : row + 7] for row in range(0, 42, 7)))

    def result(self, board):
        four = self.four(board)
        if four:
            return WIN[four[0] == "x"]
        return "*" if "." in board.cells else DRAW

    def reason(self, board):
        four = self.four(board)
        return f"{four[0]} has four in line" if four else "the board is full"


if __name__ == "__main__":
    run(Game())
