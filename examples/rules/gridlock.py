#!/usr/bin/env python3
"""Gridlock: the rules are those of the module `referee.games`."""

from referee.games import Gridlock as Game
from referee.rules import run

if __name__ == "__main__":
    run(Game())
