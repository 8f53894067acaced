#!/usr/bin/env python3
"""The rules of a course's game, by the simulator of the course: a position is a `Board` of isolation.py.

A move is a cell: `a1` is at the bottom left.
"""

from isolation import Board

from referee.rules import WIN, run

COLUMNS = "abcdefghi"


def cell_of(move, size):
    """The cell of the simulator for a move of the referee."""
    return size - int(move[1:]), COLUMNS.index(move[0])


def move_of(cell, size):
    """The move of the referee for a cell of the simulator."""
    try:
        row, column = cell
        return f"{COLUMNS[column]}{size - row}"
    except (TypeError, ValueError, IndexError):
        raise ValueError(f"expected (row, column), found {cell!r}") from None


class Game:
    name = "Isolation"
    size = 7
    options = {"size": range(3, 10)}

    def start(self):
        return Board(self.size)

    def turn(self, board):
        return board.active == 0

    def moves(self, board):
        return [move_of(cell, board.size) for cell in board.get_legal_moves()]

    def play(self, board, move):
        return board.forecast_move(cell_of(move, board.size))

    def result(self, board):
        return "*" if board.get_legal_moves() else WIN[board.active == 1]

    def reason(self, board):
        return f"{'xo'[board.active]} cannot move"

    def grid(self, board):
        """The names of columns and rows, and a letter for each cell: x, o, # for a blocked cell, or `.`."""
        size = range(board.size)
        letters = {cell: "#" for cell in board.blocked} | dict(zip(board.places, "xo"))
        cells = [letters.get((row, column), ".") for row in size for column in size]
        return COLUMNS[: board.size], [str(board.size - row) for row in size], cells


if __name__ == "__main__":
    run(Game())
