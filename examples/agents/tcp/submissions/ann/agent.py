"""A client: `turn SECONDS` wants a move, and `start x`, `move o ROW COLUMN` and `end 1-0` are news."""

import argparse
import socket

SIZE = 7
KNIGHT = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
CELLS = [(row, column) for row in range(SIZE) for column in range(SIZE)]

arguments = argparse.ArgumentParser()
arguments.add_argument("-p", type=int, required=True)
server = socket.create_connection((socket.gethostname(), arguments.parse_args().p))
blocked, own = set(), None


def free(cell):
    """The free cells that a piece in this cell reaches."""
    cells = [(cell[0] + down, cell[1] + right) for down, right in KNIGHT]
    return [near for near in cells if near in CELLS and near not in blocked]


with server, server.makefile("rw") as lines:
    for line in lines:
        word, *rest = line.split()
        if word == "start":
            side = rest[0]
        elif word == "move":  # of the opponent, or its own in an opening
            cell = tuple(map(int, rest[1:]))
            blocked.add(cell)
            own = cell if rest[0] == side else own
        elif word == "turn":
            targets = free(own) if own else [cell for cell in CELLS if cell not in blocked]
            own = max(targets, key=lambda cell: len(free(cell)))
            blocked.add(own)
            print(*own, file=lines, flush=True)
        else:
            print("heard", line.strip())
