"""A server of two functions: `initialize(player)`, and `play(cells, step, time_left)`, which returns one of the cells."""

import argparse
from xmlrpc.server import SimpleXMLRPCServer


class MyPlayer:
    def initialize(self, player):
        print("player", player)
        return True

    def play(self, cells, step, time_left):
        """The cell that is nearest to the centre."""
        print("step", step, "with", time_left, "s left")
        return min(cells, key=lambda cell: abs(cell[0] - 3) + abs(cell[1] - 3))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8000)
    server = SimpleXMLRPCServer(("localhost", parser.parse_args().port), logRequests=False)
    server.register_instance(MyPlayer())
    server.serve_forever()
