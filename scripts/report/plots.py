#!/usr/bin/env python3
"""Draw the plots of docs/report/assignment.md.

    python3 scripts/report/plots.py [GAMES] [--data DIR]

reads the JSON files in DIR (default docs/report), which `referee report --json` wrote,
and writes the SVG files beside them. With GAMES, the folder of the result files, it first
counts in the records of the tournament how early lodestone proved each result, and writes
solved.json. Needs nothing but Python, and writes the same bytes from the same data.
"""

import argparse
import json
from collections import Counter
from html import escape
from math import sqrt
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "docs/report"
BLUE, GREY, ORANGE, INK, GRID = "#0072b2", "#b8bec6", "#d55e00", "#22272e", "#e3e6ea"
OUTCOMES = {"win": BLUE, "draw": GREY, "loss": ORANGE}
REDUCED = {  # in the order of the plot
    "magnetic-cave": {
        "rows": "contents of rows",
        "lines": "lines of one to three",
        "waiting": "waiting cells",
        "zugzwang": "zugzwang",
        "threats": "waiting cells and zugzwang",
        "tempo": "side to move, empty cells",
        "hidden": "hidden layer",
        "counted": "counted value",
        "network": "whole network",
        "nothing": "whole evaluation",
        "used": "(weights in use)",
    },
    "gridlock": {
        "room": "room",
        "spare": "spare moves",
        "private": "private room",
        "nothing": "whole evaluation",
    },
}
TITLES = {"magnetic-cave": "Magnetic Cave", "gridlock": "Gridlock"}


class Drawing:
    """An SVG picture; `x` maps values to pixels."""

    def __init__(self, width, height, left, right, low, high):
        self.size, self.left, self.right = (width, height), left, width - right
        self.low, self.high = low, high
        self.parts = []

    def x(self, value):
        value = min(max(value, self.low), self.high)
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)

    def line(self, x1, y1, x2, y2, colour=INK, width=1.5):
        points = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self.parts.append(f'<line {points} stroke="{colour}" stroke-width="{width}"/>')

    def text(self, x, y, text, anchor="start", weight="normal"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'
        )

    def rect(self, x, y, width, height, colour):
        size = f'width="{width:.1f}" height="{height:.1f}"'
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}"/>')

    def dot(self, x, y, colour=INK):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')

    def interval(self, low, high, y, colour=INK):
        """A horizontal error bar; its caps are missing where it leaves the plot."""
        self.line(self.x(low), y, self.x(high), y, colour)
        for end in (low, high):
            if self.low <= end <= self.high:
                self.line(self.x(end), y - 4, self.x(end), y + 4, colour)

    def axis(self, ticks, top, bottom, label):
        for tick in ticks:
            self.line(self.x(tick), top, self.x(tick), bottom, GRID, 1)
            self.text(self.x(tick), bottom + 16, f"{tick:g}", "middle")
        self.text((self.left + self.right) / 2, bottom + 36, label, "middle")

    def save(self, name):
        width, height = self.size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="sans-serif" font-size="13" fill="{INK}">'
        )
        body = [head, f'<rect width="{width}" height="{height}" fill="#ffffff"/>', *self.parts, "</svg>", ""]
        (DATA / name).write_text("\n".join(body))


def read(name):
    return json.loads((DATA / f"{name}.json").read_text())


def number(value):
    return float(value) if value is not None else None


def meetings_of(player, report):
    """Each opponent of a player, with the meeting as the player sees it."""
    found = {}
    for meeting in report["meetings"]:
        if player not in meeting["players"]:
            continue
        swapped = meeting["players"][1] == player
        wins, losses = meeting["wins"], meeting["losses"]
        low, value, high = (number(meeting["elo"][end]) for end in ("low", "value", "high"))
        pairs = meeting["pentanomial"]
        if swapped:
            wins, losses, pairs = losses, wins, pairs[::-1]
            low, value, high = (None if end is None else -end for end in (high, value, low))
        opponent = meeting["players"][0 if swapped else 1]
        found[opponent] = {
            "counts": {"win": wins, "draw": meeting["ties"], "loss": losses},
            "elo": (low, value, high),
            "pairs": pairs,
        }
    return found


def draw_worth():
    """What each part of the evaluation is worth in Elo."""
    groups = [(variant, meetings_of("full", read(f"ablation-{variant}"))) for variant in REDUCED]
    rows = sum(len(REDUCED[variant]) + 1 for variant, _ in groups)
    drawing = Drawing(760, 40 + 26 * rows + 60, 220, 50, -60, 620)
    bottom = 30 + 26 * rows
    drawing.axis(range(0, 601, 100), 20, bottom, "Elo lost without it, with 95 % intervals")
    drawing.line(drawing.x(0), 20, drawing.x(0), bottom)
    y = 36
    for variant, found in groups:
        drawing.text(12, y + 4, TITLES[variant], weight="bold")
        for name, label in REDUCED[variant].items():
            y += 26
            low, value, high = found[name]["elo"]
            drawing.text(drawing.left - 12, y + 4, label, "end")
            if low is not None and high is not None:  # too few games give no interval
                drawing.interval(low, high, y, BLUE)
            if value <= drawing.high:
                drawing.dot(drawing.x(value), y, BLUE)
            else:
                drawing.text(drawing.right + 4, y + 4, "more")
        y += 26
    drawing.save("worth.svg")


def points(meeting):
    """The points in percent, and half of the 95 % interval, from the pairs of games."""
    pairs = meeting["pairs"]
    count = sum(pairs)
    mean = sum(place * pair for place, pair in enumerate(pairs)) / 4 / count
    spread = sum((place / 4 - mean) ** 2 * pair for place, pair in enumerate(pairs)) / count
    return 100 * mean, 100 * 1.96 * sqrt(spread / count)


def draw_opponents():
    """Won, drawn and lost against each opponent, and the points."""
    groups = [(variant, meetings_of("lodestone", read(f"tournament-{variant}"))) for variant in TITLES]
    rows = sum(len(found) + 1 for _, found in groups)
    bottom = 54 + 32 * rows
    drawing = Drawing(760, bottom + 50, 130, 100, 0, 100)
    x = drawing.left
    for outcome, label in (("win", "won"), ("draw", "drawn"), ("loss", "lost")):
        drawing.rect(x, 12, 12, 12, OUTCOMES[outcome])
        drawing.text(x + 18, 23, label)
        x += 80
    drawing.dot(x + 6, 18)
    drawing.text(x + 18, 23, "points, with 95 % interval")
    drawing.axis(range(0, 101, 20), 40, bottom, "percent of the games")
    y = 54
    for variant, found in groups:
        drawing.text(12, y + 5, TITLES[variant], weight="bold")
        for opponent, meeting in sorted(found.items(), key=lambda pair: points(pair[1])):
            y += 32
            total, start = sum(meeting["counts"].values()), 0
            for outcome, count in meeting["counts"].items():
                end = start + 100 * count / total
                drawing.rect(drawing.x(start), y - 10, drawing.x(end) - drawing.x(start), 20, OUTCOMES[outcome])
                start = end
            mean, half = points(meeting)
            if half:
                drawing.interval(mean - half, mean + half, y)
            drawing.dot(drawing.x(mean), y)
            drawing.text(drawing.left - 12, y + 4, opponent, "end")
            drawing.text(drawing.right + 10, y + 4, f"{mean:.1f} ± {half:.1f}" if half else f"{mean:.1f}")
        y += 32
    drawing.save("opponents.svg")


def first_proof(record):
    """What lodestone proved first in a game, and with how many empty cells."""
    for index, score in enumerate(record["score"]):
        ply = record["opening_plies"] + index
        mover = record["second" if ply % 2 else "first"]
        kind = (score or "cp").split()[0]
        if mover == "lodestone" and kind in OUTCOMES:
            return kind, 64 - ply
    return None


def count_proofs(folder):
    """Writes solved.json: by opponent and result, how many games were proven when."""
    counts = {}
    for line in (folder / "tournament-magnetic-cave.jsonl").read_text().splitlines():
        record = json.loads(line)
        if "lodestone" not in (record.get("first"), record.get("second")):
            continue
        opponent = record["second" if record["first"] == "lodestone" else "first"]
        kind, empty = first_proof(record) or ("none", 0)
        counts.setdefault(opponent, {}).setdefault(kind, Counter())[empty] += 1
    ordered = {
        opponent: {kind: {str(empty): counter[empty] for empty in sorted(counter)} for kind, counter in sorted(kinds.items())}
        for opponent, kinds in sorted(counts.items())
    }
    (DATA / "solved.json").write_text(json.dumps(ordered, indent=1) + "\n")


def draw_solved():
    """With how many empty cells the first result was proven, against the best three."""
    counts = read("solved")
    opponents = ["plain", "groups", "squares"]
    width, top, height = 760, 40, 120
    bottom = top + (height + 30) * len(opponents) - 30
    drawing = Drawing(width, bottom + 50, 80, 20, 20, 52)
    x = drawing.left
    for outcome, label in (("win", "a win"), ("draw", "a draw"), ("loss", "a loss")):
        drawing.rect(x, 12, 12, 12, OUTCOMES[outcome])
        drawing.text(x + 18, 23, label)
        x += 90
    most = max(
        sum(kinds.get(kind, {}).get(str(empty), 0) for kind in OUTCOMES)
        for opponent in opponents
        for kinds in [counts[opponent]]
        for empty in range(65)
    )
    drawing.axis(range(20, 53, 4), top, bottom, "empty cells when lodestone first announced a proven result")
    bar = drawing.x(21) - drawing.x(20)
    for place, opponent in enumerate(opponents):
        floor = top + place * (height + 30) + height
        drawing.line(drawing.left, floor, drawing.right, floor)
        drawing.text(12, floor - height / 2, opponent, weight="bold")
        drawing.text(drawing.left - 6, floor - height + 10, str(most), "end")
        drawing.text(drawing.left - 6, floor, "0", "end")
        for empty in range(20, 53):
            y = floor
            for kind, colour in OUTCOMES.items():
                tall = counts[opponent].get(kind, {}).get(str(empty), 0) / most * height
                if tall:
                    y -= tall
                    drawing.rect(drawing.x(empty) - bar * 0.42, y, bar * 0.84, tall, colour)
    drawing.save("solved.svg")


def main():
    global DATA
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="?", type=Path, metavar="GAMES", help="folder of the result files")
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR", help="folder of the JSON files and plots")
    arguments = parser.parse_args()
    DATA = arguments.data
    if arguments.games:
        count_proofs(arguments.games)
    draw_worth()
    draw_opponents()
    draw_solved()


if __name__ == "__main__":
    main()
