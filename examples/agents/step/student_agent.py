"""An agent as a student hands it in: a class with the method `step(board, player, opponent)`.

`board` has a number for each cell: 0 is free, 1 and 2 are the pieces, 3 is blocked. The answer is (row, column).
"""

KNIGHT = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


class StudentAgent:
    """Moves where it has the most moves afterwards."""

    def step(self, board, player, opponent):
        size = range(len(board))
        cells = [(row, column) for row in size for column in size]
        place = next((cell for cell in cells if board[cell[0]][cell[1]] == player), None)
        return max(
            (cell for cell in (self.around(board, place) if place else cells) if board[cell[0]][cell[1]] == 0),
            key=lambda cell: len(self.around(board, cell)),
        )

    def around(self, board, cell):
        """The free cells that a knight reaches."""
        size, (row, column) = len(board), cell
        targets = [(row + down, column + right) for down, right in KNIGHT]
        return [(r, c) for r, c in targets if 0 <= r < size and 0 <= c < size and board[r][c] == 0]
