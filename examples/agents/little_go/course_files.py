"""What the course gives to its students: reads input.txt, and writes output.txt."""

SIZE = 5


def read_input(path="input.txt"):
    """The player, 1 or 2, the board after its last move, and the board now: rows of 0, 1 and 2."""
    with open(path) as file:
        player, *rows = file.read().split()
    boards = [[int(digit) for digit in row] for row in rows]
    return int(player), boards[:SIZE], boards[SIZE : 2 * SIZE]


def write_output(move, path="output.txt"):
    """A move, (row, column), or None for a pass."""
    with open(path, "w") as file:
        file.write("PASS" if move is None else f"{move[0]},{move[1]}")
