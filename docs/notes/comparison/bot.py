#!/usr/bin/env python3
"""A chess bot that plays correctly, except that its fourth move goes wrong as its argument says.

Needs python-chess. `bot.py` alone is the correct opponent.
"""

import os
import subprocess
import sys
import time

import chess

fault = sys.argv[1] if len(sys.argv) > 1 else ""


def say(line):
    print(line, flush=True)


def answer(board, moves_made):
    legal = sorted(move.uci() for move in board.legal_moves)
    move = legal[len(legal) // 2]
    if moves_made < 3 or not fault:
        say(f"bestmove {move}")
        return
    if fault == "exits":
        sys.exit(3)
    if fault == "answers-and-exits":
        say(f"bestmove {move}")
        sys.exit(0)
    if fault == "hangs":
        time.sleep(10000)
    if fault == "talks-and-hangs":
        while True:
            say("info depth 1 score cp 1 nodes 1")
            time.sleep(0.05)
    if fault == "floods":
        while True:
            say("info depth 1 score cp 1 nodes 1 " + 100 * "x")
    if fault == "never-ends-its-line":
        while True:
            os.write(1, 4096 * b"x")
    if fault == "illegal":
        say("bestmove a1a8")
    elif fault == "child":
        subprocess.Popen(["sleep", "7777"])
        say(f"bestmove {move}")
    else:
        say(f"bestmove {move}")


if fault == "starts-slowly":
    time.sleep(12)
if fault == "never-starts":
    time.sleep(10000)
board, moves_made = chess.Board(), 0
for line in sys.stdin:
    words = line.split()
    if not words:
        continue
    if words[0] == "uci":
        say(f"id name {fault or 'correct'}\nid author x\noption name UCI_Variant type combo default chess var chess\nuciok")
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "ucinewgame":
        moves_made = 0
    elif words[0] == "position":
        moves = words[words.index("moves") + 1 :] if "moves" in words else []
        board = chess.Board() if words[1] == "startpos" else chess.Board(" ".join(words[2:8]))
        for move in moves:
            board.push_uci(move)
        moves_made = len(moves) // 2
    elif words[0] == "go":
        answer(board, moves_made)
    elif words[0] == "quit":
        if fault == "refuses-to-quit":
            continue
        break
if fault == "refuses-to-quit":
    time.sleep(10000)
