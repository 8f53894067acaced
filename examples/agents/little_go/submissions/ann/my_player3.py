"""Takes the move after which its groups have the most liberties, and its opponent's the fewest.

It keeps the number of its move in a file, because input.txt does not have it.
"""

import os

from course_files import SIZE, read_input, write_output

CELLS = [(row, column) for row in range(SIZE) for column in range(SIZE)]


def beside(cell):
    row, column = cell
    cells = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [(r, c) for r, c in cells if 0 <= r < SIZE and 0 <= c < SIZE]


def group(board, cell):
    """The stones of a group, and its liberties."""
    stones, liberties, todo = {cell}, set(), [cell]
    while todo:
        for near in beside(todo.pop()):
            value = board[near[0]][near[1]]
            if value == 0:
                liberties.add(near)
            elif value == board[cell[0]][cell[1]] and near not in stones:
                stones.add(near)
                todo.append(near)
    return stones, liberties


def after(board, player, cell):
    """The board after a move, None if it is suicide."""
    board = [row[:] for row in board]
    board[cell[0]][cell[1]] = player
    for near in beside(cell):
        if board[near[0]][near[1]] == 3 - player:
            stones, liberties = group(board, near)
            for row, column in () if liberties else stones:
                board[row][column] = 0
    return board if group(board, cell)[1] else None


def value(board, player):
    """Stones and liberties of the player, less those of the opponent."""
    total = 0
    for row, column in CELLS:
        if board[row][column]:
            sign = 1 if board[row][column] == player else -1
            total += sign * (10 + min(3, len(group(board, (row, column))[1])))
    return total


player, previous, board = read_input()
number = int(open("count.txt").read()) if os.path.exists("count.txt") else 0
with open("count.txt", "w") as file:
    file.write(str(number + 1))
best = None
if number == 0 and board[2][2] == 0:
    best = (2, 2)
else:
    found = []
    for cell in CELLS:
        board_after = after(board, player, cell) if board[cell[0]][cell[1]] == 0 else None
        if board_after and board_after != previous:
            found.append((value(board_after, player), cell))
    if found and max(found)[0] > value(board, player):
        best = max(found)[1]
print("move", number + 1, "is", best)
write_output(best)
