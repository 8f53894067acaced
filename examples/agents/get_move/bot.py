"""Plays with the agent of a student: a class with the method `get_move(game, time_left)`."""

import time

from game import Game, move_of
from student_agent import StudentAgent

from referee import Bot


class AgentBot(Bot):
    game = Game()
    agent = StudentAgent()

    def new_game(self):
        self.agent = StudentAgent()

    def choose(self, position, seconds):
        """The only place that knows how the course calls its agents, and what they answer."""
        end = time.monotonic() + seconds
        cell = self.agent.get_move(position, lambda: 1000 * (end - time.monotonic()))
        return move_of(cell, position.size)


if __name__ == "__main__":
    AgentBot().run()
