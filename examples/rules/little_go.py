#!/usr/bin/env python3
"""Little Go, as a course plays it: Go on 5×5 points with at most 24 moves. The stones on the board count, and White,
the second player, has 2.5 points more.

A stone without a liberty that takes nothing is illegal, and so is a move that restores the position before the
opponent's move (ko). Two passes in a row end the game. A move is a point, `c3`, or `pass`.
"""

from typing import NamedTuple

from referee.rules import WIN, run

SIZE, MOST, KOMI = 5, 24, 2.5
COLUMNS, ROWS = "abcde", "54321"
POINTS = [column + row for row in ROWS for column in COLUMNS]
BESIDE = [
    [
        (row + down) * SIZE + column + right
        for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0))
        if 0 <= row + down < SIZE and 0 <= column + right < SIZE
    ]
    for row in range(SIZE)
    for column in range(SIZE)
]


class Position(NamedTuple):
    stones: str  # row by row from the top: x, o, or . for an empty point
    before: str  # the same before the last move
    count: int  # of moves, passes included
    passes: int  # in a row


def group(stones, point):
    """The points of a group, and whether it has a liberty."""
    found, todo, has_liberty = {point}, [point], False
    while todo:
        for beside in BESIDE[todo.pop()]:
            if stones[beside] == ".":
                has_liberty = True
            elif stones[beside] == stones[point] and beside not in found:
                found.add(beside)
                todo.append(beside)
    return found, has_liberty


def placed(position, point):
    """The stones after a move; None if it is illegal."""
    own = "xo"[position.count % 2]
    stones = [*position.stones]
    if stones[point] != ".":
        return None
    stones[point] = own
    for beside in BESIDE[point]:
        if stones[beside] not in (own, "."):
            taken, has_liberty = group(stones, beside)
            for at in () if has_liberty else taken:
                stones[at] = "."
    after = "".join(stones)
    return after if group(stones, point)[1] and after != position.before else None


class Game:
    name = "Little Go"

    def start(self):
        return Position("." * SIZE**2, "." * SIZE**2, 0, 0)

    def turn(self, position):
        return position.count % 2 == 0

    def moves(self, position):
        return [name for point, name in enumerate(POINTS) if placed(position, point)] + ["pass"]

    def play(self, position, move):
        stones, passes = (position.stones, position.passes + 1) if move == "pass" else (None, 0)
        after = stones or placed(position, POINTS.index(move))
        return Position(after, position.stones, position.count + 1, passes)

    def result(self, position):
        if position.count < MOST and position.passes < 2:
            return "*"
        first, second = self.score(position)
        return WIN[first > second]

    def score(self, position):
        return position.stones.count("x"), position.stones.count("o") + KOMI

    def reason(self, position):
        end = "both passed" if position.passes == 2 else f"{MOST} moves"
        return "{}: {} points to {}".format(end, *self.score(position))

    def grid(self, position):
        return COLUMNS, ROWS, position.stones

    lines = True


if __name__ == "__main__":
    run(Game())
