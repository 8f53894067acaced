"""Replays the game, and turns over the most discs."""

import json

STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]

game = json.loads(input())
board = {(3, 3): "o", (4, 4): "o", (4, 3): "x", (3, 4): "x"}


def turned(x, y, own):
    """The discs that a move turns over."""
    found = []
    for right, down in STEPS if (x, y) not in board else []:
        line = []
        at = x + right, y + down
        while board.get(at, own) != own:
            line.append(at)
            at = at[0] + right, at[1] + down
        found += line if board.get(at) == own else []
    return found


def play(move, own):
    discs = turned(move["x"], move["y"], own)
    if move["x"] >= 0:
        board.update(dict.fromkeys([(move["x"], move["y"]), *discs], own))


own, other = "xo" if game["requests"][0]["x"] < 0 else "ox"
for number, request in enumerate(game["requests"]):
    play(request, other)
    if number < len(game["responses"]):
        play(game["responses"][number], own)
moves = {(x, y): len(turned(x, y, own)) for x in range(8) for y in range(8) if turned(x, y, own)}
x, y = max(moves, key=moves.get) if moves else (-1, -1)
print(json.dumps({"response": {"x": x, "y": y}}))
