#!/usr/bin/env python3
"""Hex: place a stone on an empty cell. x connects top and bottom, o connects left and right; one of them
always succeeds. A cell touches the two cells beside it, the cell above it and the one above to the right,
the cell below it and the one below to the left.
"""

from referee.boards import Board, BoardGame
from referee.rules import WIN, draw, run


class Game(BoardGame):
    name, size = "Hex", 11
    options = {"size": range(2, 20)}

    @property
    def columns(self):
        return "abcdefghijklmnopqrs"[: self.size]

    @property
    def rows(self):
        return [str(row + 1) for row in range(self.size)]

    def start(self):
        return Board("." * self.size**2, True)

    def moves(self, board):
        names = [column + row for row in self.rows for column in self.columns]
        return [name for name, cell in zip(names, board.cells) if cell == "."]

    def play(self, board, move):
        cell = (int(move[1:]) - 1) * self.size + self.columns.index(move[0])
        return board.after({cell: "x" if board.turn else "o"})

    def result(self, board):
        return WIN[not board.turn] if self.connected(board, not board.turn) else "*"

    def connected(self, board, turn):
        """Whether a side has connected its edges: follows its stones from one of them."""
        size, cells, own = self.size, board.cells, "x" if turn else "o"
        edge = range(size) if turn else range(0, size * size, size)
        reached = [cell for cell in edge if cells[cell] == own]
        seen = set(reached)
        for cell in reached:  # grows in the loop
            row, column = divmod(cell, size)
            if (row if turn else column) == size - 1:
                return True
            near = [cell - size, cell + size]
            near += [cell - 1, cell + size - 1] if column else []
            near += [cell + 1, cell - size + 1] if column < size - 1 else []
            new = [to for to in near if 0 <= to < size * size and cells[to] == own and to not in seen]
            reached += new
            seen.update(new)
        return False

    def reason(self, board):
        return "o connected left and right" if board.turn else "x connected top and bottom"

    def board(self, board):
        header, *lines, _ = draw(*self.grid(board)).split("\n")
        return "\n".join([header, *(" " * row + line for row, line in enumerate(lines))])

    def from_fen(self, text):
        board = super().from_fen(text)
        if self.connected(board, board.turn):
            raise ValueError("the side to move has connected its edges already")
        return board


if __name__ == "__main__":
    run(Game())
