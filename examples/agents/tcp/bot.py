#!/usr/bin/env python3
"""Plays with the agent of a student that is a client: it connects to a port and talks in lines."""

from game import Game, cell_of, move_of

from referee import Client


class AgentBot(Client):
    game = Game()
    languages = {
        "agent.py": "python3 agent.py -p {port}",
        "agent.c": ["gcc -O2 -o agent agent.c", "./agent -p {port}"],
    }

    def started(self):
        self.send("start " + "xo"[not self.side])

    def tell(self, board, move):
        player = "xo"[not self.game.turn(board)]
        self.send("move {} {} {}".format(player, *cell_of(move, board.size)))

    def ask(self, board, seconds):
        self.send(f"turn {seconds:.3f}")
        row, column = map(int, self.receive().split())
        return move_of((row, column), board.size)

    def game_over(self, board, result):
        self.send("end " + result)


if __name__ == "__main__":
    AgentBot().run()
