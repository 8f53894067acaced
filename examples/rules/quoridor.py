#!/usr/bin/env python3
"""Quoridor: step to the opposite side, or place a wall two cells long. A wall must leave both players a
path. Its name is the lower or left one of its two edges: `e|3` stands right of e3 and e4, `e3_` above e3 and f3.
"""

from typing import NamedTuple

from referee.rules import WIN, run

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))  # up, right, down, left


class Board(NamedTuple):
    """A position. A cell is a column and a row from the bottom left; so is a wall, by its first cell."""

    pawns: tuple  # of the first and second player
    left: tuple  # the walls that they have left
    upright: frozenset  # walls right of a cell and of the one above it
    level: frozenset  # walls above a cell and the one right of it
    turn: bool  # whether the first player is to move


class Game:
    name = "Quoridor"
    size, walls = 9, 10
    options = {"size": range(3, 20), "walls": range(0, 100)}

    @property
    def columns(self):
        return "abcdefghijklmnopqrs"[: self.size]

    def start(self):
        middle = self.size // 2
        return Board(((middle, 0), (middle, self.size - 1)), (self.walls, self.walls), frozenset(), frozenset(), True)

    def turn(self, board):
        return board.turn

    def open(self, board, cell, step):
        """Whether there is a cell in this direction, and no wall before it."""
        (x, y), (right, up) = cell, step
        if not (0 <= x + right < self.size and 0 <= y + up < self.size):
            return False
        x, y = min(x, x + right), min(y, y + up)
        if right:
            return (x, y) not in board.upright and (x, y - 1) not in board.upright
        return (x, y) not in board.level and (x - 1, y) not in board.level

    def steps(self, board):
        """The cells that the pawn of the side to move reaches: it jumps over the other one, or aside of it."""
        own, other = board.pawns if board.turn else board.pawns[::-1]
        for step in STEPS:
            if not self.open(board, own, step):
                continue
            to = (own[0] + step[0], own[1] + step[1])
            if to != other:
                yield to
            elif self.open(board, to, step):
                yield (to[0] + step[0], to[1] + step[1])
            else:
                aside = [one for one in STEPS if one[0] * step[0] + one[1] * step[1] == 0]
                yield from ((to[0] + one[0], to[1] + one[1]) for one in aside if self.open(board, to, one))

    def path(self, board, first):
        """The cells of a shortest path of a player to its goal; empty if there is none."""
        cell, goal = board.pawns[not first], self.size - 1 if first else 0
        before, reached = {cell: None}, [cell]
        for cell in reached:  # grows in the loop
            if cell[1] == goal:
                cells = [cell]
                while before[cells[-1]] is not None:
                    cells.append(before[cells[-1]])
                return cells
            for step in STEPS:
                to = (cell[0] + step[0], cell[1] + step[1])
                if to not in before and self.open(board, cell, step):
                    before[to] = cell
                    reached.append(to)
        return []

    def put(self, board, wall, upright):
        left = (board.left[0] - board.turn, board.left[1] - (not board.turn))
        kind = "upright" if upright else "level"
        walls = {kind: getattr(board, kind) | {wall}}
        return board._replace(left=left, turn=not board.turn, **walls)

    def fits(self, board, wall, upright):
        """Whether a wall crosses no other one and lies on none."""
        (x, y), same = wall, board.upright if upright else board.level
        beside = {(x, y - 1), (x, y + 1)} if upright else {(x - 1, y), (x + 1, y)}
        is_inside = 0 <= x < self.size - 1 and 0 <= y < self.size - 1
        return is_inside and wall not in board.upright | board.level and not beside & same

    def moves(self, board):
        moves = [self.cell(*to) for to in self.steps(board)]
        if not board.left[not board.turn]:
            return moves or ["pass"]
        paths = [(set(self.path(board, first)), first) for first in (True, False)]
        for wall in [(x, y) for x in range(self.size - 1) for y in range(self.size - 1)]:
            near = {(wall[0] + right, wall[1] + up) for right in (0, 1) for up in (0, 1)}
            for upright in (True, False):
                if self.fits(board, wall, upright):
                    after = self.put(board, wall, upright)
                    # Only a wall on the shortest path can close it.
                    if all(len(near & path) < 2 or self.path(after, first) for path, first in paths):
                        moves.append(self.wall(wall, upright))
        return moves or ["pass"]

    def cell(self, x, y):
        return f"{self.columns[x]}{y + 1}"

    def wall(self, wall, upright):
        return f"{self.columns[wall[0]]}|{wall[1] + 1}" if upright else f"{self.cell(*wall)}_"

    def read(self, text):
        """The column and row of a cell or wall, and whether it is an upright wall, a level one or none."""
        kind = True if text[1:2] == "|" else False if text.endswith("_") else None
        row = text[1:].strip("|_")
        return (self.columns.find(text[:1]), int(row) - 1 if row.isdigit() else -1), kind

    def play(self, board, move):
        if move == "pass":
            return board._replace(turn=not board.turn)
        cell, upright = self.read(move)
        if upright is not None:
            return self.put(board, cell, upright)
        pawns = (cell, board.pawns[1]) if board.turn else (board.pawns[0], cell)
        return board._replace(pawns=pawns, turn=not board.turn)

    def result(self, board):
        (_, first), (_, second) = board.pawns
        return WIN[True] if first == self.size - 1 else WIN[False] if second == 0 else "*"

    def reason(self, board):
        return "a pawn has reached the opposite side"

    def grid(self, board):
        """Between the cells are narrow columns and rows, in which the walls stand."""
        columns = [name for x in self.columns for name in (x, x + "|")][:-1]
        rows = [name for y in range(self.size, 0, -1) for name in (f"{y}", f"{y - 1}_")][:-1]
        cells = {(2 * x, 2 * y): sign for (x, y), sign in zip(board.pawns, "xo")}
        for walls, (right, up) in ((board.upright, (0, 1)), (board.level, (1, 0))):
            for x, y in walls:
                middle = (2 * x + 1, 2 * y + 1)
                cells.update({(middle[0] + by * right, middle[1] + by * up): "wall" for by in (-1, 0, 1)})
        side = 2 * self.size - 1
        return columns, rows, [cells.get((x, y), ".") for y in reversed(range(side)) for x in range(side)]

    def fen(self, board):
        cells = [self.cell(*pawn) for pawn in board.pawns]
        walls = [self.wall(wall, True) for wall in sorted(board.upright)]
        walls += [self.wall(wall, False) for wall in sorted(board.level)]
        return " ".join([*cells, *map(str, board.left), ",".join(walls) or "-", "xo"[not board.turn]])

    def from_fen(self, text):
        words = text.split()
        if len(words) != 6 or words[5] not in ("x", "o"):
            raise ValueError("expected two cells, two numbers of walls, walls or -, and x or o")
        board = self.start()
        places = [cell for cell, kind in map(self.read, words[:2]) if kind is None]
        cells = [cell for cell in places if 0 <= min(cell) <= max(cell) < self.size]
        if len(set(cells)) != 2:
            raise ValueError(f"expected two cells, found {words[0]} {words[1]}")
        if not (words[2].isdigit() and words[3].isdigit()):
            raise ValueError(f"expected two numbers of walls, found {words[2]} {words[3]}")
        for wall in [] if words[4] == "-" else words[4].split(","):
            place, upright = self.read(wall)
            if upright is None or not self.fits(board, place, upright):
                raise ValueError(f"the wall {wall} cannot stand there")
            board = self.put(board, place, upright)
        board = board._replace(pawns=tuple(cells), left=(int(words[2]), int(words[3])), turn=words[5] == "x")
        if not all(self.path(board, first) for first in (True, False)):
            raise ValueError("the walls leave a player no path")
        return board


if __name__ == "__main__":
    run(Game())
