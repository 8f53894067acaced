#!/usr/bin/env python3
"""Magnetic Cave: the rules are those of the module `referee.games`."""

from referee.games import MagneticCave as Game
from referee.rules import run

if __name__ == "__main__":
    run(Game())
