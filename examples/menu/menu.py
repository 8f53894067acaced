#!/usr/bin/env python3
"""Magnetic Cave, a course project: a menu, a board, and one line a move.

Row 1 is at the top, as in the report on this program. The computer looks one move ahead.
"""
import random

SIZE = 8


def new_board():
    return [["-"] * SIZE for _ in range(SIZE)]


def show(board):
    print()
    print("\t" + "\t".join("ABCDEFGH"))
    for number, row in enumerate(board, 1):
        print(str(number) + "\t" + "\t".join(row))
    print()


def valid(board, row, col):
    if board[row][col] != "-":
        return False
    if col in (0, SIZE - 1):
        return True
    return board[row][col - 1] != "-" or board[row][col + 1] != "-"


def wins(board, row, col, sign):
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        count = 1
        for way in (1, -1):
            r, c = row + way * dr, col + way * dc
            while 0 <= r < SIZE and 0 <= c < SIZE and board[r][c] == sign:
                count += 1
                r, c = r + way * dr, c + way * dc
        if count >= 5:
            return True
    return False


def choose(board, own, other):
    moves = [(r, c) for r in range(SIZE) for c in range(SIZE) if valid(board, r, c)]
    for sign in (own, other):
        for r, c in moves:
            if wins(board, r, c, sign):
                return r, c
    return random.choice(moves)


def ask(board, player):
    while True:
        text = input("Player %d, enter your move (eg: A1): " % player).strip().upper()
        if len(text) == 2 and text[0] in "ABCDEFGH" and text[1] in "12345678":
            row, col = int(text[1]) - 1, "ABCDEFGH".index(text[0])
            if valid(board, row, col):
                return row, col
        print("Invalid move! Please try again.")


def play(computer):
    board, signs = new_board(), "XO"
    show(board)
    for turn in range(SIZE * SIZE):
        player = turn % 2
        sign = signs[player]
        if player in computer:
            row, col = choose(board, sign, signs[1 - player])
        else:
            row, col = ask(board, player + 1)
        board[row][col] = sign
        print("Player %d chose move: %s%d" % (player + 1, "ABCDEFGH"[col], row + 1))
        show(board)
        if wins(board, row, col, sign):
            print("Player %d won! Thank you for playing!" % (player + 1))
            return
    print("It's a tie! Thank you for playing!")


def main():
    print("Welcome to Magnetic Cave!")
    while True:
        print("1. Single player game")
        print("2. Multiplayer game")
        print("3. Quit")
        choice = input("Your choice: ").strip()
        if choice == "1":
            color = ""
            while color not in ("X", "O"):
                color = input("Which color do you want to be, X (moves first) or O? ").strip().upper()
            play({1} if color == "X" else {0})
        elif choice == "2":
            play(set())
        elif choice == "3":
            return
        else:
            print("Please enter 1, 2 or 3.")


main()
