#!/usr/bin/env python3
"""The games of OpenSpiel (`pip install open-spiel`): `openspiel.py "hex(board_size=11)"`, or the option
`game`. All games of two players that move in turn, without chance and with perfect information.

A move is OpenSpiel's name without its spaces; moves of the same name get their number behind it.
"""

import sys

import pyspiel

from referee.rules import DRAW, WIN, run


class Game:
    options = {"game": str}

    def __init__(self, game="tic_tac_toe"):
        self.game = game

    @property
    def name(self):
        return f"OpenSpiel {self.game}"

    def start(self):
        try:
            game = pyspiel.load_game(self.game)
        except pyspiel.SpielError as error:
            raise ValueError(error) from error
        kind = game.get_type()
        found = (kind.dynamics.name, kind.chance_mode.name, kind.information.name, game.num_players())
        if found != ("SEQUENTIAL", "DETERMINISTIC", "PERFECT_INFORMATION", 2):
            expected = "expected a game of two players in turn, without chance and hidden information"
            raise ValueError(f"{expected}, found {self.game}")
        return game.new_initial_state()

    def turn(self, state):
        return state.current_player() != 1

    def actions(self, state):
        names = {}
        for action in state.legal_actions():
            name = "".join(state.action_to_string(action).split())
            names[f"{name}#{action}" if name in names else name] = action
        return names

    def moves(self, state):
        return list(self.actions(state))

    def play(self, state, move):
        return state.child(self.actions(state)[move])

    def result(self, state):
        first, second = state.returns()
        return "*" if not state.is_terminal() else DRAW if first == second else WIN[first > second]

    def score(self, state):
        return tuple(f"{value:g}" for value in state.returns())

    def board(self, state):
        return str(state)


if __name__ == "__main__":
    run(Game(*sys.argv[1:]))
