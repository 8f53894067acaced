#!/usr/bin/env python3
"""A GTP program for 9x9 Go that plays correctly, except that its fourth move goes wrong as its argument says.

`gtp_bot.py` alone is the correct opponent. It fills the board row by row, and passes after twenty moves.
"""

import os
import subprocess
import sys
import time

fault = sys.argv[1] if len(sys.argv) > 1 else ""
POINTS = [column + str(row) for row in range(1, 10) for column in "ABCDEFGHJ"]
taken, own = set(), 0


def reply(text=""):
    print(f"= {text}\n", flush=True)


def genmove():
    global own
    own += 1
    free = [point for point in POINTS if point not in taken]
    move = "pass" if own > 20 else free[0]
    if own == 4:
        if fault == "exits":
            sys.exit(3)
        if fault == "hangs":
            time.sleep(10000)
        if fault == "talks-and-hangs":
            while True:
                print("# thinking", flush=True)
                time.sleep(0.05)
        if fault == "floods":
            while True:
                print("# thinking " + 100 * "x", flush=True)
        if fault == "never-ends-its-line":
            while True:
                os.write(1, 4096 * b"x")
        if fault == "illegal":
            move = sorted(taken)[0]
        if fault == "child":
            subprocess.Popen(["sleep", "7777"])
    taken.add(move)
    reply(move)
    if fault == "answers-and-exits" and own == 4:
        sys.exit(0)


if fault == "starts-slowly":
    time.sleep(12)
if fault == "never-starts":
    time.sleep(10000)
for line in sys.stdin:
    words = line.split()
    if not words:
        continue
    command = words[0]
    if command == "clear_board":
        taken, own = set(), 0
        reply()
    elif command == "play":
        taken.add(words[2].upper())
        reply()
    elif command == "genmove":
        genmove()
    elif command == "protocol_version":
        reply("2")
    elif command in ("name", "version"):
        reply(fault or "correct")
    elif command == "list_commands":
        reply("protocol_version\nname\nversion\nlist_commands\nboardsize\nclear_board\nkomi\nplay\ngenmove\nquit")
    elif command in ("boardsize", "komi"):
        reply()
    elif command == "quit":
        reply()
        if fault == "refuses-to-quit":
            time.sleep(10000)
        break
    else:
        print("? unknown command\n", flush=True)
