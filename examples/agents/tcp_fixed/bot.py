#!/usr/bin/env python3
"""Plays with the agent of a student that is a client of a fixed port: White connects to 5800, Black to 5801.

A message is JSON behind four bytes with its length. The client sends its name, then sees each state once.
"""

import json

from game import Game, move_of

from referee import Client


class AgentBot(Client):
    game = Game()
    languages = {"agent.py": "python3 agent.py {side}", "Agent.java": ["javac Agent.java", "java Agent {side}"]}
    ports, frame, sides = (5800, 5801), "length4", ("white", "black")

    def started(self):
        self.receive()

    def state(self, board):
        cells, size = self.game.grid(board)[2], board.size
        rows = ["".join(cells[start : start + size]) for start in range(0, len(cells), size)]
        return json.dumps({"board": rows, "turn": self.sides[not self.game.turn(board)]})

    def ask(self, board, seconds):
        return move_of(json.loads(self.receive())["cell"], board.size)


if __name__ == "__main__":
    AgentBot().run()
