#!/usr/bin/env python3
"""Plays with the agent of a student that is a server: the course calls its functions by XML-RPC."""

from game import Game, move_of

from referee import Server


class AgentBot(Server):
    game = Game()
    command = "python3 {agent}/my_player.py --port {port}"

    def started(self):
        self.call("initialize", int(self.side))

    def ask(self, board, seconds):
        step, time_left = len(self.game_moves) + 1, self.clock.left if self.clock else seconds
        return move_of(self.call("play", board.get_legal_moves(), step, time_left), board.size)


if __name__ == "__main__":
    AgentBot().run()
