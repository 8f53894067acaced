"""Magnetic Cave, a course project with numbers only. The screen is cleared and coloured, a
key confirms each move of the computer, and a wrong answer is asked for again.
"""
import random
import sys

CLEAR = "\033[2J\033[H"
COLOURS = {"X": "\033[31mX\033[0m", "O": "\033[34mO\033[0m", ".": "."}


class Cave:
    def __init__(self):
        self.cells = {(r, c): "." for r in range(1, 9) for c in range(1, 9)}

    def draw(self):
        sys.stdout.write(CLEAR)
        for r in range(8, 0, -1):
            print(r, " ".join(COLOURS[self.cells[r, c]] for c in range(1, 9)))
        print("  1 2 3 4 5 6 7 8")

    def moves(self):
        free = [cell for cell, sign in self.cells.items() if sign == "."]
        return [
            (r, c)
            for r, c in free
            if c in (1, 8) or self.cells[r, c - 1] != "." or self.cells[r, c + 1] != "."
        ]

    def line(self, r, c, sign):
        for dr, dc in (0, 1), (1, 0), (1, 1), (1, -1):
            run = best = 0
            for k in range(-4, 5):
                here = (r + k * dr, c + k * dc)
                run = run + 1 if here == (r, c) or self.cells.get(here) == sign else 0
                best = max(best, run)
            if best >= 5:
                return True
        return False


def main():
    cave = Cave()
    print("Name?")
    name = sys.stdin.readline().strip()
    print("Hello " + name + "! Type 1 if the computer begins, else 0")
    computer_first = sys.stdin.readline().strip() == "1"
    for turn in range(64):
        cave.draw()
        sign = "XO"[turn % 2]
        moves = cave.moves()
        if (turn % 2 == 0) == computer_first:
            good = [m for m in moves if cave.line(*m, sign)] or [m for m in moves if cave.line(*m, "OX"[turn % 2])]
            move = random.choice(good or moves)
            print("I think...")
            print("My move is [%d,%d]. Press Enter." % (move[1], move[0]))
            sys.stdin.readline()
        else:
            move = None
            while move not in moves:
                print("column,row:")
                try:
                    column, row = sys.stdin.readline().split(",")
                    move = (int(row), int(column))
                except ValueError:
                    move = None
                if move not in moves:
                    print("wrong")
        cave.cells[move] = sign
        if cave.line(*move, sign):
            cave.draw()
            print("GAME OVER", sign)
            return


main()
