#!/usr/bin/env python3
"""The protocol of a bot for any game. Put the rules of your game and your ideas into `choose`."""

import sys


def choose(start, moves, milliseconds):
    """Returns a move within this time.

    The game began at `start`: "startpos", or the text of a position. `moves` are all moves since then.
    """
    return "0000"  # not a move: the bot loses its games


start, moves = "startpos", []
for line in sys.stdin:
    command, *words = line.split() or [""]
    if command == "uci":
        print("id name python\nid author you\nuciok", flush=True)
    elif command == "isready":
        print("readyok", flush=True)
    elif command == "position":  # position startpos moves …, or position fen TEXT moves …
        end = words.index("moves") if "moves" in words else len(words)
        start, moves = " ".join(words[:end]).removeprefix("fen "), words[end + 1 :]
    elif command == "go":  # go movetime N, or go wtime N btime N …
        limits = dict(zip(words[::2], words[1::2]))
        clock = min(int(limits.get("wtime", 30_000)), int(limits.get("btime", 30_000)))
        print("bestmove", choose(start, moves, int(limits.get("movetime", clock // 30))), flush=True)
    elif command == "quit":
        break
