#!/usr/bin/env python3
"""Nim: take any number of sticks from one heap. The side that takes the last stick wins; with the
option `misere` it loses.

A move is the number of the heap, from 1, and the number of sticks: `4-7`. A FEN has the sticks of all
heaps, then the side to move, x or o: `1 3 5 7 x`.
"""

from referee.rules import WIN, run


class Game:
    name = "Nim"
    heaps = "1 3 5 7"
    misere = False
    options = {"heaps": str, "misere": bool}

    def start(self):
        return self.from_fen(self.heaps + " x")

    def turn(self, position):
        return position[1]

    def moves(self, position):
        return [
            f"{heap}-{count}" for heap, sticks in enumerate(position[0], 1) for count in range(1, sticks + 1)
        ]

    def play(self, position, move):
        heap, count = map(int, move.split("-"))
        heaps = list(position[0])
        heaps[heap - 1] -= count
        return tuple(heaps), not position[1]

    def result(self, position):
        return "*" if any(position[0]) else WIN[position[1] == self.misere]

    def reason(self, position):
        return f"{'o' if position[1] else 'x'} took the last stick"

    def fen(self, position):
        return " ".join(map(str, position[0])) + (" x" if position[1] else " o")

    def from_fen(self, text):
        *heaps, side = text.split() or [""]
        if not heaps or side not in "xo" or not all(n.isdecimal() and len(n) < 4 for n in heaps):
            raise ValueError("expected the sticks of each heap, 0 to 999, and the side to move, x or o")
        return tuple(map(int, heaps)), side == "x"

    def board(self, position):
        return "\n".join(f"{heap}: {'|' * sticks}" for heap, sticks in enumerate(position[0], 1))


if __name__ == "__main__":
    run(Game())
