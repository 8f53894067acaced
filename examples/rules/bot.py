#!/usr/bin/env python3
"""A bot: wins at once if it can, else plays a random move. Put your own ideas into `choose`."""

import random

from referee import Bot
from referee.rules import WIN
from tic_tac_toe import Game


class MyBot(Bot):
    game = Game()

    def choose(self, position, seconds):
        """A legal move, within this many seconds. The methods of `self.game` are those of the rules."""
        game = self.game
        moves = game.moves(position)
        for move in moves:
            if game.result(game.play(position, move)) == WIN[game.turn(position)]:
                return move
        return random.choice(moves)


if __name__ == "__main__":
    MyBot().run()
