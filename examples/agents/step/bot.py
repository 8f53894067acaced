"""Plays with the agent of a student: a class with the method `step(board, player, opponent)`."""

from game import Game, move_of
from student_agent import StudentAgent

from referee import Bot

NUMBERS = {".": 0, "x": 1, "o": 2, "#": 3}


class AgentBot(Bot):
    game = Game()
    agent = StudentAgent()

    def new_game(self):
        self.agent = StudentAgent()

    def choose(self, position, seconds):
        """The only place that knows how the course calls its agents, and what they answer."""
        cells, size = [NUMBERS[letter] for letter in self.game.grid(position)[2]], position.size
        board = [cells[start : start + size] for start in range(0, len(cells), size)]
        player = 1 if self.game.turn(position) else 2
        cell = self.agent.step(board, player, 3 - player)
        return move_of(cell, size)


if __name__ == "__main__":
    AgentBot().run()
