#!/usr/bin/env python3
"""Breakthrough: move a piece one cell straight or diagonally forward, and capture diagonally. The
first to reach the last row, or to capture all pieces of the opponent, wins.

A FEN has the letters of chess, as in Fairy-Stockfish: `8/8/8/8/8/8/P7/7p w`.
"""

from referee.boards import Board, BoardGame
from referee.rules import WIN, run

CELLS = [column + row for row in "87654321" for column in "abcdefgh"]


def steps(cell, ahead):
    """What a piece can do: the target cell, the move, and whether it goes straight ahead."""
    targets = [to for to in (ahead - 1, ahead, ahead + 1) if 0 <= to < 64 and to // 8 == ahead // 8]
    return [(to, CELLS[cell] + CELLS[to], to == ahead) for to in targets]


STEPS = {
    True: [steps(cell, cell - 8) for cell in range(64)],
    False: [steps(cell, cell + 8) for cell in range(64)],
}


class Game(BoardGame):
    name = "Breakthrough"
    symbols, sides = "Pp", "wb"

    def start(self):
        return Board("o" * 16 + "." * 32 + "x" * 16, True)

    def moves(self, board):
        cells, own, found = board.cells, "x" if board.turn else "o", []
        for cell, steps_here in enumerate(STEPS[board.turn]):
            if cells[cell] == own:
                for to, move, straight in steps_here:
                    if cells[to] == "." or cells[to] != own and not straight:
                        found.append(move)
        return found

    def play(self, board, move):
        return board.after({CELLS.index(move[:2]): ".", CELLS.index(move[2:]): "x" if board.turn else "o"})

    def result(self, board):
        cells = board.cells
        if "x" in cells[:8] or "o" not in cells:
            return WIN[True]
        return WIN[False] if "o" in cells[56:] or "x" not in cells else "*"

    def reason(self, board):
        side = "white" if self.result(board) == WIN[True] else "black"
        captured = "x" not in board.cells or "o" not in board.cells
        return f"{side} captured all pieces" if captured else f"{side} reached the last row"

    def from_fen(self, text):
        return super().from_fen(" ".join(text.split()[:2]))  # without the counters of chess


if __name__ == "__main__":
    run(Game())
