"""The rules of both games: positions of the table `tests/lines/rules.txt`."""

import unittest
from pathlib import Path

from referee.games import VARIANTS

TABLE = Path(__file__).resolve().parents[2] / "tests/lines/rules.txt"


class Games(unittest.TestCase):
    def test_positions_of_the_table(self):
        for line in TABLE.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                continue
            name, fen, moves, after, result, end = line.split(" | ")
            game = VARIANTS[name]()
            position = game.from_fen(fen)
            for move in moves.split():
                position = game.play(position, move)
            found = game.result(position)
            why = " ".join(sorted(game.moves(position))) if found == "*" else game.reason(position)
            self.assertEqual((game.fen(position), found, why), (after, result, end), line)


if __name__ == "__main__":
    unittest.main()
