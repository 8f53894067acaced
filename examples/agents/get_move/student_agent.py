"""An agent as a student hands it in: a class with the method `get_move(game, time_left)`.

`game` is a `Board` of isolation.py, `time_left()` are milliseconds, and the answer is (row, column).
"""


class TimeIsUp(Exception):
    """Ends a search."""


class StudentAgent:
    """Alpha-beta, deeper and deeper while there is time."""

    def get_move(self, game, time_left):
        self.time_left = time_left
        best = game.get_legal_moves()[0]
        try:
            for depth in range(1, game.size * game.size):
                best = self.search(game, depth, -1000, 1000)[1]
        except TimeIsUp:
            pass
        return best

    def search(self, game, depth, alpha, beta):
        """The value for the player to move, and the best move."""
        if self.time_left() < 10:
            raise TimeIsUp
        moves = game.get_legal_moves()
        if not moves:
            return -100, None
        if depth == 0:
            return len(moves) - len(game.get_legal_moves(1 - game.active)), None
        best = moves[0]
        for move in moves:
            value = -self.search(game.forecast_move(move), depth - 1, -beta, -alpha)[0]
            if value > alpha:
                alpha, best = value, move
                if alpha >= beta:
                    break
        return alpha, best
