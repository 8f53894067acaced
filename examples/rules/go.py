#!/usr/bin/env python3
"""Go on 9×9 crossings, or `size`: area scoring (stones and enclosed crossings), no suicide, simple ko. Two
passes end the game; all stones count as alive, so engines must capture dead ones (`gnugo --chinese-rules
--capture-all-dead`). The third time that a position occurs, the game is a draw.

A move is a crossing or `pass`: columns are letters from `a`, with `i`, rows are numbered from the bottom. A FEN
has the cells, the side to move, the number of passes, and the crossing that ko forbids, or `-`.
"""

from functools import lru_cache
from typing import NamedTuple

from referee.boards import BoardGame
from referee.rules import DRAW, WIN, run


class Position(NamedTuple):
    cells: str
    turn: bool
    passes: int = 0
    ko: int = -1  # the crossing where the side to move may not capture back
    past: tuple = ()  # the positions since the last pass


@lru_cache(None)
def around(size):
    """The neighbours of each crossing."""
    def neighbours(cell):
        fits = cell % size > 0, cell % size < size - 1, cell >= size, cell < size * (size - 1)
        return [cell + step for step, is_there in zip((-1, 1, -size, size), fits) if is_there]

    return [neighbours(cell) for cell in range(size * size)]


def area(cells, start, near):
    """The crossings that are connected with this one and equal, and what is around them."""
    found, edge, todo = {start}, set(), [start]
    while todo:
        for cell in near[todo.pop()]:
            if cells[cell] != cells[start]:
                edge.add(cells[cell])
            elif cell not in found:
                found.add(cell)
                todo.append(cell)
    return found, edge


class Game(BoardGame):
    name, lines, size, komi = "Go", True, 9, "7.5"
    options = {"size": range(2, 20), "komi": str}

    @property
    def columns(self):
        return "abcdefghijklmnopqrs"[: self.size]

    @property
    def rows(self):
        return [str(row) for row in range(self.size, 0, -1)]

    def start(self):
        return Position("." * self.size**2, True)

    def placed(self, position, cell):
        """The cells after a stone, and the captured ones; None for a move that is not legal."""
        if position.cells[cell] != "." or cell == position.ko:
            return None
        near, own = around(self.size), "x" if position.turn else "o"
        cells, captured = position.cells[:cell] + own + position.cells[cell + 1 :], set()
        for other in near[cell]:
            if cells[other] not in (".", own) and other not in captured:
                group, edge = area(cells, other, near)
                captured |= group if "." not in edge else set()
        if captured:
            return "".join("." if at in captured else sign for at, sign in enumerate(cells)), captured
        return (cells, captured) if "." in area(cells, cell, near)[1] else None

    def cell(self, move):
        """The index of a crossing. Raises ValueError for another word."""
        return self.rows.index(move[1:]) * self.size + self.columns.index(move[:1] or "?")

    def moves(self, position):
        names = [column + row for row in self.rows for column in self.columns]
        return [name for cell, name in enumerate(names) if self.placed(position, cell)] + ["pass"]

    def play(self, position, move):
        if move == "pass":
            return Position(position.cells, not position.turn, position.passes + 1)
        cell = self.cell(move)
        cells, captured = self.placed(position, cell)
        alone = len(captured) == 1 and len(area(cells, cell, around(self.size))[0]) == 1
        near = [cells[other] for other in around(self.size)[cell]]
        ko = min(captured) if alone and near.count(".") == 1 else -1
        return Position(cells, not position.turn, 0, ko, (*position.past, position[:2]))

    def score(self, position):
        points, near = {"x": 0, "o": 0}, around(self.size)
        seen = set()
        for cell, sign in enumerate(position.cells):
            if cell not in seen:
                group, edge = area(position.cells, cell, near)
                seen |= group
                owners = {sign} if sign != "." else edge
                if len(owners) == 1:
                    points[owners.pop()] += len(group)
        return points["x"], points["o"] + float(self.komi)

    def result(self, position):
        if position.past.count(position[:2]) == 2:
            return DRAW
        first, second = self.score(position) if position.passes > 1 else (0, 0)
        return "*" if position.passes < 2 else DRAW if first == second else WIN[first > second]

    def reason(self, position):
        return "%g points to %g" % self.score(position) if position.passes > 1 else "third repetition"

    def fen(self, position):
        names = [column + row for row in self.rows for column in self.columns]
        ko = names[position.ko] if position.ko >= 0 else "-"
        return f"{super().fen(position)} {position.passes} {ko}"

    def from_fen(self, text):
        board, passes, ko = text.rsplit(" ", 2)
        if passes not in ("0", "1", "2"):
            raise ValueError("expected the number of passes, 0 to 2, and the crossing that ko forbids, or -")
        return Position(*super().from_fen(board), int(passes), -1 if ko == "-" else self.cell(ko))


if __name__ == "__main__":
    run(Game())
