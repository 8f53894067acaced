#!/usr/bin/env python3
"""A bot: wins at once if it can, else plays a random move. Put your own ideas into `choose`."""

import random

from rules import WIN, bot
from tic_tac_toe import Game


def choose(game, position, seconds):
    """A legal move, within this many seconds. The methods of `game` are those of the rules."""
    moves = game.moves(position)
    for move in moves:
        if game.result(game.play(position, move)) == WIN[game.turn(position)]:
            return move
    return random.choice(moves)


bot(Game(), choose)
