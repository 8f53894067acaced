"""The rules of the two games that `lodestone` plays, as classes for bots and rules programs.

>>> from referee.games import MagneticCave
>>> game = MagneticCave()
>>> position = game.play(game.start(), "a6")
>>> print(game.fen(position), len(game.moves(position)))
8/8/x7/8/8/8/8/8 o 16
"""

from __future__ import annotations

import random
import re
from typing import Any, NamedTuple

from .boards import Board, BoardGame
from .rules import DRAW, WIN

__all__ = ["VARIANTS", "Gridlock", "GridlockPosition", "MagneticCave"]

CAVE = [column + row for row in "87654321" for column in "abcdefgh"]
# Five or more equal bricks in a line of the text of the board, where each row ends with `/`
LINES = [(step, re.compile(rf"(?=(([xo])(?:.{{{step - 1}}}\2){{4,}}))")) for step in (1, 9, 10, 8)]
NUMBERS = {5: "five", 6: "six", 7: "seven", 8: "eight"}


class MagneticCave(BoardGame):
    """Magnetic Cave: put a brick on an empty cell in column a or h, or beside a brick in the same row.
    Five or more in a row, column or diagonal win. A full board is a draw."""

    name = "Magnetic Cave"

    def start(self) -> Board:
        return Board("." * 64, True)

    def moves(self, board: Board) -> list[str]:
        rows = self.text(board)
        walled = "/" + rows  # walled[at] is to the left of rows[at]
        free = [
            at for at, cell in enumerate(rows) if cell == "." and (walled[at] != "." or rows[at + 1] != ".")
        ]
        return [CAVE[at - at // 9] for at in free]

    def play(self, board: Board, move: str) -> Board:
        return board.after({CAVE.index(move): "x" if board.turn else "o"})

    def result(self, board: Board) -> str:
        rows = self.text(board)
        if any(line.search(rows) for _, line in LINES):
            return WIN[not board.turn]
        return "*" if "." in board.cells else DRAW

    def reason(self, board: Board) -> str:
        lines = [(len(found[1]) // step + (step > 1), step, found) for step, line in LINES
                 for found in line.finditer(self.text(board))]  # fmt: skip
        if not lines:
            return "the board is full and neither side has five in line"
        length, step, found = max(lines, key=lambda line: line[0])  # the first of the longest
        first, last = (CAVE[at - at // 9] for at in (found.start(), found.start() + step * (length - 1)))
        return f"{found[2]} has {NUMBERS[length]} in line, {first} to {last}"

    def text(self, board: Board) -> str:
        return "".join(board.cells[row : row + 8] + "/" for row in range(0, 64, 8))

    def from_fen(self, text: str) -> Board:
        board: Board = super().from_fen(text)
        first, second, side = board.cells.count("x"), board.cells.count("o"), "x" if board.turn else "o"
        if first != second + (not board.turn):
            more = "" if board.turn else " and one more"
            raise ValueError(
                f"with {side} to move, x has as many bricks as o{more}; here x has {first} and o has {second}"
            )
        if any(found[2] == side for _, line in LINES for found in line.finditer(self.text(board))):
            raise ValueError(f"{side} has five in line, so {side} cannot be to move")
        return board


GRID = [row + column for row in "abcdefg" for column in "1234567"]
NEAR = [[to for to in (cell - 7, cell - 1, cell + 1, cell + 7)
         if 0 <= to < 49 and (to % 7 == cell % 7 or to // 7 == cell // 7)] for cell in range(49)]  # fmt: skip


class GridlockPosition(NamedTuple):
    cells: str
    turn: bool
    played: int
    limit: int


class Gridlock(BoardGame):
    """Gridlock: move a piece to an empty neighbouring cell. A side that cannot move loses; at the turn
    limit the side with more empty cells next to its pieces wins."""

    name, columns, rows = "Gridlock", "1234567", "abcdefg"
    pieces, turns = 5, 40  # of random starts
    options = {"pieces": range(1, 25), "turns": range(1, 1001)}

    def start(self) -> GridlockPosition:
        return self.from_fen("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40")

    def setup(self, seed: int) -> GridlockPosition:
        cells = list("xo" * self.pieces + "." * (49 - 2 * self.pieces))
        generator = random.Random(seed)
        while True:
            generator.shuffle(cells)
            position = GridlockPosition("".join(cells), True, 0, self.turns)
            if self.steps(position, "x") and self.steps(position, "o"):
                return position

    def steps(self, position: GridlockPosition, side: str) -> list[tuple[int, int]]:
        """The moves of a side: the cell it leaves, and the cell it goes to."""
        cells = position.cells
        return [(at, to) for at in range(49) if cells[at] == side for to in NEAR[at] if cells[to] == "."]

    def moves(self, position: GridlockPosition) -> list[str]:
        return [GRID[at] + GRID[to] for at, to in self.steps(position, "x" if position.turn else "o")]

    def play(self, position: GridlockPosition, move: str) -> GridlockPosition:
        cells = [*position.cells]
        start, end = GRID.index(move[:2]), GRID.index(move[2:])
        cells[start], cells[end] = ".", cells[start]
        return GridlockPosition("".join(cells), not position.turn, position.played + 1, position.limit)

    def result(self, position: GridlockPosition) -> str:
        if not self.steps(position, "x" if position.turn else "o"):
            return WIN[not position.turn]
        first, second = self.score(position)
        return "*" if position.played < position.limit else DRAW if first == second else WIN[first > second]

    def score(self, position: GridlockPosition) -> tuple[int, int]:
        first, second = (len({to for _, to in self.steps(position, side)}) for side in "xo")
        return first, second

    def reason(self, position: GridlockPosition) -> str:
        side = "x" if position.turn else "o"
        if not self.steps(position, side):
            return f"{side} has no move"
        counts = "x has %d cells to go to, o has %d" % self.score(position)
        return f"turn limit {position.limit} reached: {counts}"

    def fen(self, position: GridlockPosition) -> str:
        return f"{super().fen(position)} {position.played} {position.limit}"

    def from_fen(self, text: str) -> GridlockPosition:
        words = text.split()
        if len(words) != 4 or not all(number.isdecimal() and len(number) < 5 for number in words[2:]):
            raise ValueError("expected the board, the side to move, the turns played and the turn limit")
        played, limit = map(int, words[2:])
        board = super().from_fen(" ".join(words[:2]))
        position = GridlockPosition(board.cells, board.turn, played, limit)
        first, second = position.cells.count("x"), position.cells.count("o")
        if first != second or not 1 <= first <= 24:
            raise ValueError(f"expected 1 to 24 pieces of both sides, found {first} of x and {second} of o")
        if not max(1, played) <= limit <= 1000:
            raise ValueError(f"expected 1 to 1000 turns, and no more played, found {played} {limit}")
        return position


#: The games by the values of the option `UCI_Variant`.
VARIANTS: dict[str, type[Any]] = {"magnetic-cave": MagneticCave, "gridlock": Gridlock}
