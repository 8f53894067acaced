#!/usr/bin/env python3
"""Gridlock: the rules are those of the module `lodestone.games`."""

from lodestone.games import Gridlock as Game
from lodestone.rules import run

if __name__ == "__main__":
    run(Game())
