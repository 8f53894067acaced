#!/usr/bin/env python3
"""A bot for Magnetic Cave and Gridlock: alpha-beta with iterative deepening.

Improve `evaluate` and `search`.
"""

from referee import Bot
from referee.rules import DRAW, WIN

WON = 1_000_000  # the score of a win, less a point for each move up to it
STEPS = [(0, 1), (1, 0), (1, 1), (1, -1)]  # along the rows, the columns and both diagonals
CELLS = [(row, column) for row in range(8) for column in range(8)]
LINES = [[8 * (row + i * down) + column + i * right for i in range(5)]
         for row, column in CELLS for down, right in STEPS
         if row + 4 * down < 8 and 0 <= column + 4 * right < 8]  # fmt: skip
WEIGHTS = [0, 1, 6, 30, 150, 0]  # by the number of bricks in a line


class MyBot(Bot):
    def choose(self, position, seconds):
        self.nodes, self.best = 0, {0: self.game.moves(position)[0]}
        try:
            for depth in range(1, (self.limits.depth or 64) + 1):
                score = self.search(position, depth, -WON, WON, 0)
                self.info(depth=depth, score=score, nodes=self.nodes, pv=[self.best[0]])
        except TimeoutError:
            pass
        return self.best[0]

    def evaluate(self, position):
        """The value of a position for the side to move."""
        score, cells = 0, position.cells
        if self.game.name == "Gridlock":  # empty cells beside pieces decide at the turn limit
            first, second = self.game.score(position)
            score = 10 * (first - second)
        else:
            for line in LINES:
                bricks = [cells[at] for at in line]
                x, o = bricks.count("x"), bricks.count("o")
                if x == 0 or o == 0:  # only one side can complete this line
                    score += WEIGHTS[x] - WEIGHTS[o]
        return score if position.turn else -score

    def search(self, position, depth, alpha, beta, ply):
        """The value of a position for the side to move: negamax with alpha-beta."""
        self.nodes += 1
        if self.stopped or self.nodes > (self.limits.nodes or WON):
            raise TimeoutError
        result = self.game.result(position)
        if result != "*":
            return 0 if result == DRAW else WON - ply if result == WIN[position.turn] else ply - WON
        if depth == 0:
            return self.evaluate(position)
        moves = self.game.moves(position)
        moves.sort(key=lambda move: move != self.best.get(ply))  # the last good one first
        for move in moves:
            score = -self.search(self.game.play(position, move), depth - 1, -beta, -alpha, ply + 1)
            if score > alpha:
                alpha, self.best[ply] = score, move
            if alpha >= beta:
                break
        return alpha


if __name__ == "__main__":
    MyBot().run()
