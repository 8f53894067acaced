#!/usr/bin/env python3
"""Ultimate Tic-tac-toe: nine boards of Tic-tac-toe. A move sends the opponent to the board that lies where
its cell lies in its own board; if that is decided or full, to any other one. Three boards in a line win; if
all are decided or full, the game is a draw.

A move is a cell of the 9×9 grid, `a1` to `i9`. A FEN has the cells row by row, the side to move, and the
board to play in, 0 to 8 from the top left, or `-` for any.
"""

from typing import NamedTuple

from referee.boards import Board, BoardGame
from referee.rules import DRAW, WIN, run

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
# The cells of each board, and for each cell of the grid the place that it has in its board
BOARDS = [[27 * (b // 3) + 3 * (b % 3) + 9 * (n // 3) + n % 3 for n in range(9)] for b in range(9)]
PLACES = {cell: board.index(cell) for board in BOARDS for cell in board}


class Position(NamedTuple):
    cells: str
    turn: bool
    board: int  # where the next move goes; -1 for any board


def winner(cells):
    """The owner of three equal cells in a line; `=` for a full board, `.` for another one."""
    for one, two, three in LINES:
        if cells[one] in "xo" and cells[one] == cells[two] == cells[three]:
            return cells[one]
    return "." if "." in cells else "="


def owners(position):
    return [winner([position.cells[cell] for cell in board]) for board in BOARDS]


class Game(BoardGame):
    name, columns, rows = "Ultimate Tic-tac-toe", "abcdefghi", "987654321"

    def start(self):
        return Position("." * 81, True, -1)

    def moves(self, position):
        boards = [n for n, owner in enumerate(owners(position)) if owner == "." and position.board in (-1, n)]
        free = [cell for n in boards for cell in BOARDS[n] if position.cells[cell] == "."]
        return ["abcdefghi"[cell % 9] + "987654321"[cell // 9] for cell in free]

    def play(self, position, move):
        cell = "987654321".index(move[1]) * 9 + "abcdefghi".index(move[0])
        cells, turn = Board(*position[:2]).after({cell: "x" if position.turn else "o"})
        after = Position(cells, turn, PLACES[cell])
        return after if owners(after)[after.board] == "." else after._replace(board=-1)

    def result(self, position):
        won = winner(owners(position))
        return WIN[won == "x"] if won in "xo" else DRAW if won == "=" else "*"

    def reason(self, position):
        won = winner(owners(position))
        return f"{won} has three boards in line" if won in "xo" else "no board is left"

    def fen(self, position):
        return f"{super().fen(position)} {'-' if position.board < 0 else position.board}"

    def from_fen(self, text):
        rest, _, board = text.rpartition(" ")
        position = Position(*super().from_fen(rest), int(board) if board in (*"012345678",) else -1)
        if board != "-" and (position.board < 0 or owners(position)[position.board] != "."):
            raise ValueError("expected the board to play in at the end: one that is not decided, 0 to 8, or -")
        return position


if __name__ == "__main__":
    run(Game())
