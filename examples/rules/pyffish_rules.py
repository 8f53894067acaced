#!/usr/bin/env python3
"""Chess, or another variant of Fairy-Stockfish (`pip install pyffish`): `pyffish_rules.py breakthrough`,
or the option `UCI_Variant`, and Chess960 with the option `UCI_Chess960`. Repetition, 50 moves and
insufficient material end the game as draws.
"""

import re
import sys
from functools import lru_cache

import pyffish

from referee.rules import DRAW, WIN, run


@lru_cache(10_000)
def ask(function, variant, fen, moves, is_960):
    return getattr(pyffish, function)(variant, fen, list(moves), is_960)


def end(*position):
    """The result for the side to move (positive for a win) and the reason; None before the end."""
    for name, rule in (("rules of the variant", "immediate"), ("repetition or move limit", "optional")):
        over, value = ask(f"is_{rule}_game_end", *position)
        if over:
            return value, name
    if not ask("legal_moves", *position):
        check = ask("gives_check", *position)
        return ask("game_result", *position), "checkmate" if check else "no legal move"
    return (0, "insufficient material") if all(ask("has_insufficient_material", *position)) else None


class Game:
    UCI_Chess960 = False
    options = {"UCI_Variant": pyffish.variants(), "UCI_Chess960": bool}

    def __init__(self, variant="chess"):
        self.UCI_Variant = variant

    @property
    def name(self):
        return "Chess960" if self.UCI_Chess960 and self.UCI_Variant == "chess" else self.UCI_Variant

    def start(self):
        return self.UCI_Variant, pyffish.start_fen(self.UCI_Variant), (), self.UCI_Chess960

    def turn(self, position):
        return (position[1].split()[1] == "w") == (len(position[2]) % 2 == 0)

    def moves(self, position):
        return ask("legal_moves", *position)

    def play(self, position, move):
        variant, fen, moves, is_960 = position
        return variant, fen, (*moves, move), is_960

    def notation(self, position, move):
        return pyffish.get_san(self.UCI_Variant, self.fen(position), move, self.UCI_Chess960)

    def result(self, position):
        value = (end(*position) or (None,))[0]
        return "*" if value is None else WIN[self.turn(position) == (value > 0)] if value else DRAW

    def reason(self, position):
        return end(*position)[1]

    def fen(self, position):
        return ask("get_fen", *position)

    def from_fen(self, text):
        if pyffish.validate_fen(text, self.UCI_Variant, self.UCI_Chess960) != pyffish.FEN_OK:
            raise ValueError(f"expected a FEN of {self.UCI_Variant}, such as {self.fen(self.start())}")
        return self.UCI_Variant, text, (), self.UCI_Chess960

    def grid(self, position):
        board = re.split(r"[\[ ]", self.fen(position))[0]  # without the pieces in hand
        rows = re.sub("[0-9]+", lambda run: "." * int(run[0]), board).split("/")
        rows = [re.findall(r"\+?[A-Za-z]|[.*]", row) for row in rows]
        cells = [cell if cell in ".*" else "ox"[cell.isupper()] + cell for row in rows for cell in row]
        return "abcdefghijklmnop"[: len(rows[0])], [str(row) for row in range(len(rows), 0, -1)], cells


if __name__ == "__main__":
    run(Game(*sys.argv[1:]))
