"""What games on a rectangular board share: positions, their FEN, and the board as a grid.

>>> class Game(BoardGame):
...     columns, rows = "abc", "321"
>>> board = Game().from_fen("3/1x1/3 o")
>>> Game().fen(board.after({0: "o"}))
'o2/1x1/3 x'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["Board", "BoardGame"]


class Board(NamedTuple):
    """A position of a `BoardGame`."""

    cells: str  # row by row from the top: x and o are pieces of the first and second player, . is empty
    turn: bool  # whether the first player is to move

    def after(self, changes: dict[int, str], turn: bool | None = None) -> Board:
        """This position with other cells, and with the other side to move unless `turn` is given."""
        cells = list(self.cells)
        for index, cell in changes.items():
            cells[index] = cell
        return self._replace(cells="".join(cells), turn=not self.turn if turn is None else turn)


class BoardGame:
    """A game whose positions are `Board`s, or values with the same first attributes."""

    columns: Sequence[str] = "abcdefgh"
    rows: Sequence[str] = "87654321"
    symbols = "xo"  # the pieces of the first and second player in a FEN
    sides = "xo"  # the side to move in a FEN
    others = ""  # further signs of cells, which a FEN has as they are

    def turn(self, board: Any, /) -> bool:
        return bool(board.turn)

    def fen(self, board: Any, /) -> str:
        cells, width = board.cells.translate(str.maketrans("xo", self.symbols)), len(self.columns)
        rows = "/".join(cells[start : start + width] for start in range(0, len(cells), width))
        return re.sub(r"\.+", lambda run: str(len(run[0])), rows) + " " + self.sides[not board.turn]

    def from_fen(self, text: str) -> Any:
        words, width, cells = text.split(), len(self.columns), ""
        if len(words) != 2 or words[1] not in self.sides:
            raise ValueError(f"expected a board and the side to move, {self.sides[0]} or {self.sides[1]}")
        rows = words[0].split("/")
        if len(rows) != len(self.rows):
            raise ValueError(f"expected {len(self.rows)} rows separated by /, found {len(rows)}")
        for label, row in zip(self.rows, rows):
            row = re.sub("[1-9][0-9]?", lambda run: " " * int(run[0]), row)
            wrong = re.search(f"[^ {self.symbols}{self.others}]", row)
            if wrong:
                known = ", ".join(self.symbols + self.others)
                raise ValueError(f"row {label}: expected {known} or a number, found {wrong[0]}")
            if len(row) != width:
                raise ValueError(f"row {label}: expected {width} cells, found {len(row)}")
            cells += row
        return Board(cells.translate(str.maketrans(self.symbols + " ", "xo.")), words[1] == self.sides[0])

    def grid(self, board: Any, /) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
        return self.columns, self.rows, board.cells
