#!/usr/bin/env python3
"""Games for the tests of the page: `games.py GAME` is a rules program, `games.py GAME SEED` a bot that
plays its moves at random. GAME is `sticks`, `hostile`, or a module of `examples/rules`."""

import importlib
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples/rules"))
from referee import Bot  # noqa: E402
from referee.rules import WIN, run  # noqa: E402


class Sticks:
    """Take one, two or three sticks. There is no board, and positions have no text."""

    name = "Sticks"

    def start(self):
        return 12, True

    def turn(self, position):
        return position[1]

    def moves(self, position):
        return [f"take-{count}" for count in (1, 2, 3) if count <= position[0]]

    def play(self, position, move):
        return position[0] - int(move[5:]), not position[1]

    def result(self, position):
        return "*" if position[0] else WIN[not position[1]]


class Hostile(Sticks):
    """The same with markup for moves, names and cells."""

    name = "<img src=x onerror=window.pwned=1>"

    def moves(self, position):
        return [f"</script><script>window.pwned={count}</script>" for count in (1, 2, 3) if count <= position[0]]

    def play(self, position, move):
        return position[0] - int(move[30]), not position[1]

    def reason(self, position):
        return "<svg onload=window.pwned=4>"

    def grid(self, position):
        return ["<i>", "\"'&"], ["</b>"], [f"x<b>{position[0]}", "</svg>"]


def game(name):
    own = {"sticks": Sticks, "hostile": Hostile}
    return own[name]() if name in own else importlib.import_module(name).Game()


if len(sys.argv) == 2:
    run(game(sys.argv[1]))
else:
    chance = random.Random(int(sys.argv[2]))

    class Player(Bot):
        game = game(sys.argv[1])

        def choose(self, position, seconds):
            return chance.choice(self.game.moves(position))

    Player().run()
