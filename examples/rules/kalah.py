#!/usr/bin/env python3
"""Kalah: a move sows the seeds of a pit, one each, into the next pits and the own store. After a last
seed in the store the same side moves again. A last seed in an empty own pit captures the seeds of the
opposite pit, if any. When the pits of a side are empty, each side counts its pits and its store.

A move is a pit: a1 to f1 are the first player's, from left to right, and a2 to f2 are above them. A FEN
has the seeds in the order of sowing (a1 to f1, a store, f2 to a2, a store) and the side to move, x or o.
"""

from referee.rules import DRAW, WIN, run

PITS = ["a1", "b1", "c1", "d1", "e1", "f1", "", "f2", "e2", "d2", "c2", "b2", "a2", ""]


class Game:
    name, seeds = "Kalah", 4
    options = {"seeds": range(1, 13)}

    def start(self):
        return ([self.seeds] * 6 + [0]) * 2, True  # the seeds in the order of sowing, and the side to move

    def turn(self, position):
        return position[1]

    def moves(self, position):
        seeds, turn = position
        return [PITS[pit] for pit in (range(6) if turn else range(12, 6, -1)) if seeds[pit]]

    def play(self, position, move):
        seeds, turn = position[0][:], position[1]
        pit = PITS.index(move)
        own, other = (6, 13) if turn else (13, 6)
        hand, seeds[pit] = seeds[pit], 0
        while hand:
            pit = (pit + 1) % 14
            if pit != other:
                seeds[pit] += 1
                hand -= 1
        if own - 6 <= pit < own and seeds[pit] == 1 and seeds[12 - pit]:
            seeds[own] += 1 + seeds[12 - pit]
            seeds[pit] = seeds[12 - pit] = 0
        return seeds, turn if pit == own else not turn

    def is_over(self, seeds):
        return not any(seeds[:6]) or not any(seeds[7:13])

    def score(self, position):
        seeds = position[0]
        return (sum(seeds[:7]), sum(seeds[7:])) if self.is_over(seeds) else (seeds[6], seeds[13])

    def result(self, position):
        first, second = self.score(position)
        return "*" if not self.is_over(position[0]) else DRAW if first == second else WIN[first > second]

    def reason(self, position):
        return "a side has no seeds: %d to %d" % self.score(position)

    def fen(self, position):
        return " ".join(map(str, position[0])) + (" x" if position[1] else " o")

    def from_fen(self, text):
        *seeds, side = text.split() or [""]
        if len(seeds) != 14 or side not in "xo" or not all(n.isdecimal() and len(n) < 4 for n in seeds):
            raise ValueError("expected 14 numbers of seeds below 1000, and the side to move, x or o")
        return list(map(int, seeds)), side == "x"

    def grid(self, position):
        seeds = list(map(str, position[0]))
        return ["o", *"abcdef", "x"], "21", [*seeds[13:6:-1], ".", ".", *seeds[:7]]


if __name__ == "__main__":
    run(Game())
