#!/usr/bin/env python3
"""Magnetic Cave: put a brick on an empty cell in column a or h, or beside a brick in the same row.
Five or more in a row, column or diagonal win. A full board is a draw. See protocol.md.
"""

import re

from boards import Board, BoardGame
from rules import DRAW, WIN, run

CELLS = [column + row for row in "87654321" for column in "abcdefgh"]
# Five or more equal bricks in a line of the text of the board, where each row ends with `/`
LINES = [(step, re.compile(rf"(?=(([xo])(?:.{{{step - 1}}}\2){{4,}}))")) for step in (1, 9, 10, 8)]
NUMBERS = {5: "five", 6: "six", 7: "seven", 8: "eight"}


class Game(BoardGame):
    name = "Magnetic Cave"

    def start(self):
        return Board("." * 64, True)

    def moves(self, board):
        rows = self.text(board)
        walled = "/" + rows  # walled[at] is to the left of rows[at]
        free = [
            at for at, cell in enumerate(rows) if cell == "." and (walled[at] != "." or rows[at + 1] != ".")
        ]
        return [CELLS[at - at // 9] for at in free]

    def play(self, board, move):
        return board.after({CELLS.index(move): "x" if board.turn else "o"})

    def result(self, board):
        rows = self.text(board)
        if any(line.search(rows) for _, line in LINES):
            return WIN[not board.turn]
        return "*" if "." in board.cells else DRAW

    def reason(self, board):
        lines = [(len(found[1]) // step + (step > 1), step, found) for step, line in LINES
                 for found in line.finditer(self.text(board))]  # fmt: skip
        if not lines:
            return "the board is full and neither side has five in line"
        length, step, found = max(lines, key=lambda line: line[0])  # the first of the longest
        first, last = (CELLS[at - at // 9] for at in (found.start(), found.start() + step * (length - 1)))
        return f"{found[2]} has {NUMBERS[length]} in line, {first} to {last}"

    def text(self, board):
        return "".join(board.cells[row : row + 8] + "/" for row in range(0, 64, 8))

    def from_fen(self, text):
        board = super().from_fen(text)
        first, second, side = board.cells.count("x"), board.cells.count("o"), "x" if board.turn else "o"
        if first != second + (not board.turn):
            more = "" if board.turn else " and one more"
            raise ValueError(
                f"with {side} to move, x has as many bricks as o{more}; here x has {first} and o has {second}"
            )
        if any(found[2] == side for _, line in LINES for found in line.finditer(self.text(board))):
            raise ValueError(f"{side} has five in line, so {side} cannot be to move")
        return board


if __name__ == "__main__":
    run(Game())
