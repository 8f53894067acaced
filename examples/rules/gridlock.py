#!/usr/bin/env python3
"""Gridlock: move a piece to an empty neighbouring cell. A side that cannot move loses; at the turn
limit the side with more empty cells next to its pieces wins. See protocol.md.
"""

import random
from typing import NamedTuple

from boards import BoardGame
from rules import DRAW, WIN, run

CELLS = [row + column for row in "abcdefg" for column in "1234567"]
NEAR = [[to for to in (cell - 7, cell - 1, cell + 1, cell + 7)
         if 0 <= to < 49 and (to % 7 == cell % 7 or to // 7 == cell // 7)] for cell in range(49)]  # fmt: skip


class Position(NamedTuple):
    cells: str
    turn: bool
    played: int
    limit: int


class Game(BoardGame):
    name, columns, rows = "Gridlock", "1234567", "abcdefg"
    pieces, turns = 5, 40  # of random starts
    options = {"pieces": range(1, 25), "turns": range(1, 1001)}

    def start(self):
        return self.from_fen("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40")

    def setup(self, seed):
        cells = [*"x" * self.pieces, *"o" * self.pieces]
        cells += "." * (49 - len(cells))
        generator = random.Random(seed)
        while True:
            generator.shuffle(cells)
            position = Position("".join(cells), True, 0, self.turns)
            if self.room(position, "x") and self.room(position, "o"):
                return position

    def room(self, position, side):
        """The moves of a side, as pairs of cells."""
        cells = position.cells
        return [
            (cell, to) for cell in range(49) if cells[cell] == side for to in NEAR[cell] if cells[to] == "."
        ]

    def moves(self, position):
        return [CELLS[cell] + CELLS[to] for cell, to in self.room(position, "x" if position.turn else "o")]

    def play(self, position, move):
        cells = [*position.cells]
        start, end = CELLS.index(move[:2]), CELLS.index(move[2:])
        cells[start], cells[end] = ".", cells[start]
        return Position("".join(cells), not position.turn, position.played + 1, position.limit)

    def result(self, position):
        if not self.room(position, "x" if position.turn else "o"):
            return WIN[not position.turn]
        first, second = self.score(position)
        return "*" if position.played < position.limit else DRAW if first == second else WIN[first > second]

    def score(self, position):
        return tuple(len({to for _, to in self.room(position, side)}) for side in "xo")

    def reason(self, position):
        side = "x" if position.turn else "o"
        if not self.room(position, side):
            return f"{side} has no move"
        counts = "x has %d cells to go to, o has %d" % self.score(position)
        return f"turn limit {position.limit} reached: {counts}"

    def fen(self, position):
        return f"{super().fen(position)} {position.played} {position.limit}"

    def from_fen(self, text):
        words = text.split()
        if len(words) != 4 or not all(number.isdecimal() and len(number) < 5 for number in words[2:]):
            raise ValueError("expected the board, the side to move, the turns played and the turn limit")
        board, played, limit = super().from_fen(" ".join(words[:2])), int(words[2]), int(words[3])
        first, second = board.cells.count("x"), board.cells.count("o")
        if first != second or not 1 <= first <= 24:
            raise ValueError(
                f"both sides have the same number of pieces, 1 to 24; here x has {first} and o has {second}"
            )
        if not 1 <= limit <= 1000 or played > limit:
            raise ValueError(
                f"expected a turn limit from 1 to 1000 and not more turns played, found {played} {limit}"
            )
        return Position(*board, played, limit)


if __name__ == "__main__":
    run(Game())
