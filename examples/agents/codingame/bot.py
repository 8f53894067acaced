#!/usr/bin/env python3
"""Plays with a program of CodinGame, which runs for a whole game: in each turn, it reads the opponent's last move
(`-1 -1` if there is none), the number of legal moves and these moves, and prints one, all as `ROW COLUMN`.
"""

from game import Game

from referee import Bridge


def cell(move):
    return f"{'321'.index(move[1])} {'abc'.index(move[0])}"


class CodinGame(Bridge):
    game = Game()
    languages = {"answer.py": "python3 answer.py", "answer.cpp": ["g++ -O2 -o answer answer.cpp", "./answer"]}

    def begin(self, position):
        self.last = "-1 -1"

    def tell(self, position, move):
        self.last = cell(move)

    def ask(self, position, seconds):
        moves = {cell(move): move for move in self.game.moves(position)}
        self.send("\n".join([self.last, str(len(moves)), *moves]))
        answer = self.receive()
        return moves.get(answer.strip(), answer)


if __name__ == "__main__":
    CodinGame().run()
