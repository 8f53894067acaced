#!/usr/bin/env python3
"""Checkers (English draughts): men move diagonally forward, kings in all directions. A piece that can capture
must, as often as it can; a man that reaches the last row becomes a king, which ends its move. A side that cannot
move loses; 40 moves in a row without a capture are a draw.

A move has all cells of the piece: `c3d4`, `c3e5g7`. A FEN has the cells (X and O are kings), the side to move and the
number of moves since the last capture.
"""

import re
from typing import NamedTuple

from referee.boards import BoardGame
from referee.rules import DRAW, WIN, run

LIMIT = 40


class Position(NamedTuple):
    cells: str  # x and o, and X and O for kings
    turn: bool
    quiet: int = 0  # moves since the last capture


def name(cell):
    return "abcdefgh"[cell % 8] + "87654321"[cell // 8]


def steps(cells, start):
    """For each direction of a piece: the next cell and the one behind it, -1 beyond the edge."""
    piece = cells[start]
    for down in [-1, 1] if piece in "XO" else [-1] if piece == "x" else [1]:
        for right in (-1, 1):
            row, column = divmod(start, 8)
            yield [
                (row + n * down) * 8 + column + n * right
                if 0 <= row + n * down < 8 and 0 <= column + n * right < 8
                else -1
                for n in (1, 2)
            ]


def moved(cells, start, end):
    """The cells after a step or a jump."""
    board = list(cells)
    piece, board[start] = board[start], "."
    if abs(start // 8 - end // 8) == 2:
        board[(start + end) // 2] = "."
    board[end] = piece.upper() if end // 8 == (0 if piece in "xX" else 7) else piece
    return "".join(board)


def jumps(cells, start):
    """The captures of a piece: the texts of all ways to their ends."""
    other = "oO" if cells[start] in "xX" else "xX"
    for near, far in steps(cells, start):
        if far >= 0 and cells[near] in other and cells[far] == ".":
            after = moved(cells, start, far)
            ways = [] if after[far] != cells[start] else [*jumps(after, far)]  # a new king stops
            yield from (name(start) + way for way in ways or [name(far)])


class Game(BoardGame):
    name, others = "Checkers", "XO"

    def start(self):
        return self.from_fen("1o1o1o1o/o1o1o1o1/1o1o1o1o/8/8/x1x1x1x1/1x1x1x1x/x1x1x1x1 x 0")

    def moves(self, position):
        cells, own = position.cells, "xX" if position.turn else "oO"
        pieces = [cell for cell, piece in enumerate(cells) if piece in own]
        captures = [way for cell in pieces for way in jumps(cells, cell)]
        return captures or [
            name(cell) + name(near)
            for cell in pieces
            for near, _ in steps(cells, cell)
            if near >= 0 and cells[near] == "."
        ]

    def play(self, position, move):
        way = ["87654321".index(row) * 8 + "abcdefgh".index(column) for column, row in re.findall("(.)(.)", move)]
        cells = position.cells
        for start, end in zip(way, way[1:]):
            cells = moved(cells, start, end)
        is_capture = abs(way[0] // 8 - way[1] // 8) == 2
        return Position(cells, not position.turn, 0 if is_capture else position.quiet + 1)

    def result(self, position):
        return WIN[not position.turn] if not self.moves(position) else DRAW if position.quiet >= LIMIT else "*"

    def reason(self, position):
        side = "x" if position.turn else "o"
        return f"{LIMIT} moves without a capture" if self.moves(position) else f"{side} cannot move"

    def fen(self, position):
        return f"{super().fen(position)} {position.quiet}"

    def from_fen(self, text):
        board, _, quiet = text.rpartition(" ")
        if not re.fullmatch("[0-9]{1,3}", quiet):
            raise ValueError("expected the number of moves since the last capture at the end")
        return Position(*super().from_fen(board), int(quiet))

    def grid(self, position):
        return self.columns, self.rows, [c.lower() + "K" if c in "XO" else c for c in position.cells]


if __name__ == "__main__":
    run(Game())
