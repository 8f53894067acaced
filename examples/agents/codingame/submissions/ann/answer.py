"""Takes the centre, else the last legal move."""

import sys

while True:
    row, column = map(int, input().split())
    print("the opponent played", row, column, file=sys.stderr)
    moves = [input() for _ in range(int(input()))]
    print("1 1" if "1 1" in moves else moves[-1])
