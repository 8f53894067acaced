"""Boards of both games with the interface that the engine module of python-chess uses.

python-chess asks a board for its variant, start, moves and side to move, and asks it to
parse moves. A board for another game needs no more than this.
"""

from __future__ import annotations

import copy

import chess

STEPS = [(0, 1), (1, 0), (0, -1), (-1, 0)]
LINES = [(0, 1), (1, 0), (1, 1), (1, -1)]


NO_MOVE = "0000"


class Move(str):
    """A move in the engine's notation."""

    def uci(self) -> str:
        return str(self)


class Board:
    """A position; `cells[row][column]` is x, o or a dot, the top row first."""

    uci_variant = ""
    start_fen = ""
    chess960 = False

    def __init__(self, fen: str | None = None) -> None:
        self.first_fen = fen or self.start_fen
        rows, side, *turns = self.first_fen.split()
        self.cells = [
            list("".join("." * int(sign) if sign.isdigit() else sign for sign in row)) for row in rows.split("/")
        ]
        self.turn = chess.WHITE if side == "x" else chess.BLACK
        self.turns = [int(number) for number in turns]
        self.move_stack: list[Move] = []
        self.before: list[tuple[list[list[str]], bool, list[int]]] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and (self.cells, self.turn) == (other.cells, other.turn)

    def copy(self, *, stack: bool = True) -> Board:
        board = copy.deepcopy(self)
        if not stack:
            board.move_stack, board.before = [], []
        return board

    def root(self) -> Board:
        return type(self)(self.first_fen)

    def fen(self, *, shredder: bool = False, en_passant: str = "legal") -> str:
        rows = ["".join(row) for row in self.cells]
        for count in range(len(rows), 0, -1):
            rows = [row.replace("." * count, str(count)) for row in rows]
        side = "x" if self.turn == chess.WHITE else "o"
        return " ".join(["/".join(rows), side, *map(str, self.turns)])

    def parse_uci(self, text: str) -> Move:
        # A board of python-chess accepts this "null move" as well.
        if text != NO_MOVE and text not in self.moves():
            raise ValueError(f"illegal move {text} in {self.fen()}")
        return Move(text)

    def push_uci(self, text: str) -> Move:
        move = self.parse_uci(text)
        self.push(move)
        return move

    def push(self, move: Move) -> None:
        """Plays a move without asking whether it is legal, as python-chess does."""
        self.before.append((copy.deepcopy(self.cells), self.turn, list(self.turns)))
        self.move_stack.append(move)
        if move != NO_MOVE:
            self.place(move)
        self.turn = not self.turn

    def pop(self) -> Move:
        self.cells, self.turn, self.turns = self.before.pop()
        return self.move_stack.pop()

    def side(self) -> str:
        return "x" if self.turn == chess.WHITE else "o"

    def at(self, row: int, column: int) -> str:
        """The content of a cell; empty text outside the board."""
        size = len(self.cells)
        return self.cells[row][column] if 0 <= row < size and 0 <= column < size else ""

    def empty(self) -> list[tuple[int, int]]:
        size = range(len(self.cells))
        return [(row, column) for row in size for column in size if self.at(row, column) == "."]

    def place(self, move: Move) -> None:
        raise NotImplementedError

    def moves(self) -> list[str]:
        raise NotImplementedError


class MagneticCave(Board):
    uci_variant = "magnetic-cave"
    start_fen = "8/8/8/8/8/8/8/8 x"

    def has_five(self) -> bool:
        return any(
            all(self.at(row + i * down, column + i * right) == side for i in range(5))
            for side in "xo"
            for row in range(8)
            for column in range(8)
            for down, right in LINES
        )

    def moves(self) -> list[str]:
        held = [
            (row, column)
            for row, column in self.empty()
            if self.at(row, column - 1) != "." or self.at(row, column + 1) != "."
        ]
        return [] if self.has_five() else ["abcdefgh"[column] + str(8 - row) for row, column in held]

    def place(self, move: Move) -> None:
        self.cells[8 - int(move[1])]["abcdefgh".index(move[0])] = self.side()


class Gridlock(Board):
    uci_variant = "gridlock"
    start_fen = "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40"

    @staticmethod
    def cell(text: str) -> tuple[int, int]:
        return "abcdefg".index(text[0]), int(text[1]) - 1

    @staticmethod
    def name(row: int, column: int) -> str:
        return "abcdefg"[row] + str(column + 1)

    def moves(self) -> list[str]:
        if self.turns[0] >= self.turns[1]:
            return []
        return [
            self.name(row + down, column + right) + self.name(row, column)
            for row, column in self.empty()
            for down, right in STEPS
            if self.at(row + down, column + right) == self.side()
        ]

    def place(self, move: Move) -> None:
        (row, column), (to_row, to_column) = self.cell(move[:2]), self.cell(move[2:])
        self.cells[row][column] = "."
        self.cells[to_row][to_column] = self.side()
        self.turns[0] += 1
