"""Plays with the agent of a student whose last answer counts: it puts better and better actions into `queue`."""

import sys
from types import SimpleNamespace

from game import Game, move_of
from referee import Anytime

sys.path += sys.argv[1:]  # the submission

from student_agent import StudentAgent  # noqa: E402


class AgentBot(Anytime):
    game = Game()

    def search(self, position, answer):
        """The only place that knows how the course calls its agents, and what they answer."""
        agent = StudentAgent(self.memory)
        agent.queue = SimpleNamespace(put=lambda cell: answer(move_of(cell, position.size), agent.context))
        agent.get_action(position)


if __name__ == "__main__":
    AgentBot().run()
