"""A client of a fixed port, which its side decides: `agent.py white`. It looks at each state, and answers its own."""

import json
import socket
import sys

KNIGHT = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]

side = sys.argv[1]
server = socket.create_connection(("localhost", {"white": 5800, "black": 5801}[side]))


def send(message):
    data = json.dumps(message).encode()
    server.sendall(len(data).to_bytes(4, "big") + data)


def receive():
    """The next message, None at the end."""
    with server.makefile("rb", buffering=0) as stream:
        data = b""
        size = 4
        while len(data) < size:
            more = stream.read(size - len(data))
            if not more:
                return None
            data += more
            if size == 4 and len(data) == 4:
                size += int.from_bytes(data, "big")
        return json.loads(data[4:])


def choose(rows):
    """The free cell from which the most free cells can be reached."""
    cells = {(row, column): cell for row, line in enumerate(rows) for column, cell in enumerate(line)}
    own = next((at for at, cell in cells.items() if cell == ("x" if side == "white" else "o")), None)

    def reached(place):
        near = [(place[0] + down, place[1] + right) for down, right in KNIGHT]
        return [at for at in near if cells.get(at) == "."]

    targets = reached(own) if own else [at for at, cell in cells.items() if cell == "."]
    return max(targets, key=lambda at: len(reached(at)))


send("eva")
count = 0
while state := receive():
    count += 1
    if state["turn"] == side:
        send({"cell": choose(state["board"])})
print("saw", count, "states")
