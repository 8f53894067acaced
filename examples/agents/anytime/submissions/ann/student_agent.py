"""An agent as a student hands it in: `get_action(state)` searches deeper and deeper and never looks at a clock. What
it has put into `queue` last is its answer when its time is over.

`state` is a `Board` of isolation.py. `context` is what the agent wants to remember until its next move.
"""

from itertools import count


class StudentAgent:
    def __init__(self, context=None):
        self.context = context or {"depth": 0}

    def get_action(self, state):
        self.queue.put(state.get_legal_moves()[0])
        for depth in count(1):
            best = self.search(state, depth, -1000, 1000)[1]
            self.context = {"depth": depth}
            self.queue.put(best)

    def search(self, state, depth, alpha, beta):
        """The value for the player to move, and the best move."""
        moves = state.get_legal_moves()
        if not moves:
            return -100, None
        if depth == 0:
            return len(moves) - len(state.get_legal_moves(1 - state.active)), None
        best = moves[0]
        for move in moves:
            value = -self.search(state.forecast_move(move), depth - 1, -beta, -alpha)[0]
            if value > alpha:
                alpha, best = value, move
                if alpha >= beta:
                    break
        return alpha, best
