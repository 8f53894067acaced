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
        cells = list("xo" * self.pieces + "." * (49 - 2 * self.pieces))
        generator = random.Random(seed)
        while True:
            generator.shuffle(cells)
            position = Position("".join(cells), True, 0, self.turns)
            if self.steps(position, "x") and self.steps(position, "o"):
                return position

    def steps(self, position, side):
        """The moves of a side: the cell it leaves, and the cell it goes to."""
        cells = position.cells
        return [(at, to) for at in range(49) if cells[at] == side for to in NEAR[at] if cells[to] == "."]

    def moves(self, position):
        return [CELLS[at] + CELLS[to] for at, to in self.steps(position, "x" if position.turn else "o")]

    def play(self, position, move):
        cells = [*position.cells]
        start, end = CELLS.index(move[:2]), CELLS.index(move[2:])
        cells[start], cells[end] = ".", cells[start]
        return Position("".join(cells), not position.turn, position.played + 1, position.limit)

    def result(self, position):
        if not self.steps(position, "x" if position.turn else "o"):
            return WIN[not position.turn]
        first, second = self.score(position)
        return "*" if position.played < position.limit else DRAW if first == second else WIN[first > second]

    def score(self, position):
        return tuple(len({to for _, to in self.steps(position, side)}) for side in "xo")

    def reason(self, position):
        side = "x" if position.turn else "o"
        if not self.steps(position, side):
            return f"{side} has no move"
        counts = "x has %d cells to go to, o has %d" % self.score(position)
        return f"turn limit {position.limit} reached: {counts}"

    def fen(self, position):
        return f"{super().fen(position)} {position.played} {position.limit}"

    def from_fen(self, text):
        words = text.split()
        if len(words) != 4 or not all(number.isdecimal() and len(number) < 5 for number in words[2:]):
            raise ValueError("expected the board, the side to move, the turns played and the turn limit")
        played, limit = map(int, words[2:])
        position = Position(*super().from_fen(" ".join(words[:2])), played, limit)
        first, second = position.cells.count("x"), position.cells.count("o")
        if first != second or not 1 <= first <= 24:
            raise ValueError(f"expected 1 to 24 pieces of both sides, found {first} of x and {second} of o")
        if not max(1, played) <= limit <= 1000:
            raise ValueError(f"expected 1 to 1000 turns, and no more played, found {played} {limit}")
        return position


if __name__ == "__main__":
    run(Game())
