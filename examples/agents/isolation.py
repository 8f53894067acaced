"""The simulator of a course: Isolation with the moves of a knight.

Each player places a piece on a free cell, then moves it like a knight, over other cells if need be. A cell where
a piece is or has been is blocked. A player without a move loses.
"""

import copy


class Board:
    """A position. Cells are (row, column); players are 0 and 1."""

    def __init__(self, size=7):
        self.size = size
        self.active = 0
        self.places = (None, None)
        self.blocked = frozenset()

    def get_legal_moves(self, player=None):
        place = self.places[self.active if player is None else player]
        return [
            (row, column)
            for row in range(self.size)
            for column in range(self.size)
            if (row, column) not in self.blocked
            and (place is None or {abs(row - place[0]), abs(column - place[1])} == {1, 2})
        ]

    def forecast_move(self, move):
        """The position after a move; this one stays as it is."""
        after = copy.copy(self)
        after.places = (move, self.places[1]) if self.active == 0 else (self.places[0], move)
        after.blocked = self.blocked | {move}
        after.active = 1 - self.active
        return after
