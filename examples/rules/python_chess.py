#!/usr/bin/env python3
"""Chess by python-chess (`pip install chess`), and Chess960 with the option `UCI_Chess960`. The third
repetition and 50 moves without a capture or a pawn move end the game as draws, without a claim.
"""

import re

import chess

from referee.rules import DRAW, run


def end(board):
    """The result, and the reason in words."""
    outcome = board.outcome()
    if outcome:
        return outcome.result(), outcome.termination.name.lower().replace("_", " ")
    if board.is_repetition(3):
        return DRAW, "threefold repetition"
    return (DRAW, "fifty moves") if board.is_fifty_moves() else ("*", None)


def without_operations(epd):
    """The FEN of a line of EPD. Of its operations, only the counters matter; some programs write these as in a FEN."""
    words = epd.split()
    counters = words[4:6]
    if not all(word.isdigit() for word in counters):
        found = dict(re.findall(r"\b(hmvc|fmvn) (\d+)", re.sub('"[^"]*"', "", epd)))
        counters = [found.get("hmvc", "0"), found.get("fmvn", "1")]
    return " ".join(words[:4] + counters)


class Game:
    UCI_Chess960 = False
    options = {"UCI_Chess960": bool}

    @property
    def name(self):
        return "Chess960" if self.UCI_Chess960 else "chess"

    def start(self):
        return self.from_fen(chess.STARTING_FEN)

    @property
    def setup(self):
        if not self.UCI_Chess960:
            raise AttributeError("all games of chess have the same start")
        return lambda seed: chess.Board.from_chess960_pos(seed % 960)

    def turn(self, board):
        return board.turn

    def moves(self, board):
        return map(board.uci, board.legal_moves)

    def notation(self, board, move):
        return board.san(board.parse_uci(move))

    def parse(self, board, text):
        return board.uci(board.parse_san(text))

    def play(self, board, move):
        board = board.copy()
        board.push_uci(move)
        return board

    def result(self, board):
        return end(board)[0]

    def reason(self, board):
        return end(board)[1]

    def fen(self, board):
        return board.fen()

    def from_fen(self, text):
        board = chess.Board(chess960=self.UCI_Chess960)
        board.set_fen(without_operations(text) if ";" in text else text)
        if not board.is_valid():
            raise ValueError(f"not a legal position of chess: {board.status().name}")
        return board

    def grid(self, board):
        cells = [cell if cell == "." else "ox"[cell.isupper()] + cell for cell in str(board).split()]
        return "abcdefgh", "87654321", cells


if __name__ == "__main__":
    run(Game())
