"""A hostile submission, for a test of the sandbox: examples/bot.py with attacks.

Before each game it reads and changes another submission, uses the network, signals another process,
and looks for secrets. Standard error has the outcome of each attack. As second player it lets the
error of an attack end it. The file `targets` names a TCP port and a process.
"""
import os
import signal
import socket
import sys

with open("targets") as targets:
    port, process = map(int, targets.read().split())

ATTACKS = {
    "read": lambda: open("../alice/bot.py").read(),
    "change": lambda: open("../alice/bot.py", "a").write("#"),
    "list": lambda: os.listdir("../bob"),
    "network": lambda: socket.create_connection(("127.0.0.1", port), timeout=5),
    "signal": lambda: os.kill(process, signal.SIGTERM),
    "environment": lambda: open(f"/proc/{process}/environ").read(),
    "secret": lambda: os.environ["COURSE_SECRET"],
}


def lines(source):  # passes on the referee's lines, and attacks in between
    for line in source:
        words = line.split()
        if words[:1] == ["ucinewgame"]:
            for name, attack in ATTACKS.items():
                try:
                    attack()
                    print(f"eve: {name}: it worked", file=sys.stderr, flush=True)
                except (OSError, KeyError) as error:
                    print(f"eve: {name}: {error!r}", file=sys.stderr, flush=True)
        moves = words[words.index("moves") + 1:] if "moves" in words else []
        if words[:1] == ["position"] and len(moves) % 2 == 1:
            ATTACKS["change"]()
        yield line


sys.stdin = lines(sys.stdin)
exec(compile(open("bot.py").read(), "bot.py", "exec"))
