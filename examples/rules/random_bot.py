#!/usr/bin/env python3
"""Plays random moves in any of these games: `random_bot.py othello`."""

import importlib
import random
import sys

from rules import bot

if len(sys.argv) < 2:
    sys.exit(__doc__)


def choose(game, position, seconds):
    return random.choice(game.moves(position))


bot(importlib.import_module(sys.argv[1]).Game(*sys.argv[2:]), choose)
