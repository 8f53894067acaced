#!/usr/bin/env python3
"""What a proof costs in Magnetic Cave, by the number of empty cells.

    python3 scripts/report/proof_cost.py LODESTONE [--games N] [--play-nodes N] [--nodes N] [--data DIR]

proves the positions in DIR/proof-cost.txt (default docs/report) that are not measured, those with
few empty cells first, by `lodestone-solver solve`, the program beside LODESTONE, with a table of 256 MB,
empty for each position. Interrupt it at any time, and repeat the command to continue. --games N first
adds the positions with 16, 18, ... 40 empty cells of N games of the engine against itself, after four to
eight random plies, with --play-nodes (default 100000) a move.

A line of the file has the number of the game, the empty cells, the result, the nodes and the FEN. The
result is `first` or `second` for the player that wins, `draw`, `open` if --nodes did not prove it, or `?`
before it is measured.

Without LODESTONE the script only reads this file. It writes DIR/proof-cost.svg, and prints the
table and the extrapolation of docs/notes/small-boards.md. Needs nothing but Python.
"""

import argparse
import random
import subprocess
import sys
from math import log10, sqrt
from pathlib import Path
from statistics import median

import plots

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
from lodestone import Engine, Limit  # noqa: E402

SIZES = range(16, 41, 2)
COLUMNS = "abcdefgh"
#: Results for the first player: the name in the table, and the colour in the plot.
RESULTS = {"draw": ("draw", plots.GREY), "first": ("first player wins", plots.BLUE), "second": ("second player wins", plots.ORANGE)}
#: The sizes of the lines. Wins come from two kinds of games up to 32 empty cells, and from one kind above.
FIT_SIZES = {"draw": range(28, 41), "first": range(24, 33), "second": range(24, 33)}
#: A line needs at least this number of positions.
FIT_LEAST = 20
#: Nodes a second of processor time, with 34 empty cells on a busy machine.
SPEED = 0.47e6
YEAR = 365.25 * 86_400


def legal_moves(board):
    """The playable cells of a board, which maps (column, rank) to x or o."""
    cells = [(column, rank) for rank in range(1, 9) for column in range(8)]
    beside = lambda column, rank: column in (0, 7) or (column - 1, rank) in board or (column + 1, rank) in board
    return [f"{COLUMNS[column]}{rank}" for column, rank in cells if (column, rank) not in board and beside(column, rank)]


def fen(board, side):
    """The FEN of a board."""
    rows = []
    for rank in range(8, 0, -1):
        row = "".join(board.get((column, rank), " ") for column in range(8))
        for count in range(8, 0, -1):
            row = row.replace(" " * count, str(count))
        rows.append(row)
    return f"{'/'.join(rows)} {side}"


def positions(engine, game, nodes):
    """The positions of one game with `nodes` nodes a move, by the number of empty cells."""
    generator = random.Random(game)
    opening = generator.randint(4, 8)
    board, moves, found = {}, [], {}
    engine.new_game()
    while len(moves) <= 64 - SIZES[0]:
        side = "xo"[len(moves) % 2]
        if 64 - len(moves) in SIZES:
            found[64 - len(moves)] = fen(board, side)
        if len(moves) < opening:
            move = generator.choice(legal_moves(board))
        else:
            move = engine.play(moves, Limit(nodes=nodes)).move
        if move is None:
            # The last position of the list is finished.
            found.pop(64 - len(moves), None)
            break
        board[COLUMNS.index(move[0]), int(move[1])] = side
        moves.append(move)
    return found


def add_games(program, path, count, nodes):
    """Adds the positions of games that the file does not have."""
    lines = read(path)
    first = 1 + max((int(line[0]) for line in lines), default=-1)
    for game in range(first, first + count):
        with Engine(program) as engine:
            engine.configure({"Contempt": 0})
            found = positions(engine, game, nodes)
        lines += [[str(game), str(empty), "?", "0", *position.split()] for empty, position in found.items()]
        write(path, lines)


def measure(program, path, limit):
    """Proves all positions of the file that are not measured."""
    lines = read(path)
    for line in sorted(lines, key=lambda line: int(line[1])):
        if line[2] == "?":
            size = ["--width", "8", "--height", "8", "--connect", "5", "--hash", "256"]
            search = [Path(program).with_name("lodestone-solver"), "solve", *size, "--fen", " ".join(line[4:]), "--nodes", str(limit)]
            output = subprocess.run(search, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
            fields = dict(row.split(": ", 1) for row in output.splitlines())
            players = ["first", "second"] if line[5] == "x" else ["second", "first"]
            results = {"win": players[0], "loss": players[1], "draw": "draw", "unknown": "open"}
            line[2], line[3] = results[fields["value"]], fields["nodes"]
            write(path, lines)


def read(path):
    """The words of each line of the file."""
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def write(path, lines):
    """Replaces the file."""
    part = path.with_suffix(".part")
    part.write_text("".join(f"{' '.join(line)}\n" for line in lines))
    part.replace(path)


def fit(points):
    """The straight line through (empty cells, log10 of the nodes): its value at the mean, the mean,
    its slope, and the standard errors of value and slope."""
    count = len(points)
    middle = sum(x for x, _ in points) / count
    spread = sum((x - middle) ** 2 for x, _ in points)
    height = sum(y for _, y in points) / count
    slope = sum((x - middle) * y for x, y in points) / spread
    rest = sum((y - height - slope * (x - middle)) ** 2 for x, y in points) / (count - 2)
    return height, middle, slope, sqrt(rest / count), sqrt(rest / spread)


def estimate(line, empty):
    """The line at a number of empty cells, and the 95 % interval of the line."""
    height, middle, slope, height_error, slope_error = line
    value = height + slope * (empty - middle)
    error = 1.96 * sqrt(height_error**2 + (slope_error * (empty - middle)) ** 2)
    return value, value - error, value + error


def text_of(nodes):
    """A number of nodes, in groups of three digits."""
    return f"{nodes:,.0f}".replace(",", " ")


def print_table(measured):
    """Medians of the nodes; positions in parentheses."""
    print("| empty cells | " + " | ".join(name for name, _ in RESULTS.values()) + " | not proven |")
    print("|---" * (len(RESULTS) + 2) + "|")
    for size in sorted({empty for empty, _, _ in measured}):
        cells = []
        for kind in RESULTS:
            nodes = [n for empty, result, n in measured if (empty, result) == (size, kind)]
            cells.append(f"{text_of(median(nodes))} ({len(nodes)})" if nodes else "")
        missing = sum(empty == size and result == "open" for empty, result, _ in measured)
        print(f"| {size} | {' | '.join(cells)} | {missing} |")


def print_fits(lines):
    """What the lines say about 64 empty cells."""
    print("| result | positions | factor for two cells | nodes at 64 cells, 95 % of the line | core-years |")
    print("|---" * 5 + "|")
    for kind, count, line in lines:
        name = RESULTS[kind][0]
        value, low, high = estimate(line, 64)
        years = [10**nodes / SPEED / YEAR for nodes in (low, value, high)]
        factor = 10 ** (2 * line[2])
        print(
            f"| {name} | {count} | {factor:.2f} | 10^{value:.1f} (10^{low:.1f} to 10^{high:.1f}) "
            f"| {years[1]:.0e} ({years[0]:.0e} to {years[2]:.0e}) |"
        )


def draw(measured, lines):
    """The nodes of each proof on a logarithmic scale, and the lines up to 64 empty cells."""
    top, bottom, high = 40, 420, 16
    drawing = plots.Drawing(760, bottom + 50, 60, 20, 14, 64)
    y = lambda exponent: bottom - exponent / high * (bottom - top)
    drawing.axis(range(16, 65, 4), top, bottom, "empty cells")
    for exponent in range(0, high + 1, 2):
        drawing.line(drawing.left, y(exponent), drawing.right, y(exponent), plots.GRID, 1)
        drawing.text(drawing.left - 6, y(exponent) + 4, f"1e{exponent}", "end")
    drawing.text(12, 24, "nodes", weight="bold")
    x = drawing.left + 60
    offsets = dict(zip(RESULTS, (-0.35, 0, 0.35)))
    for kind, (name, colour) in RESULTS.items():
        drawing.rect(x, 12, 12, 12, colour)
        drawing.text(x + 18, 23, name)
        x += 150
        for empty, result, nodes in measured:
            if result == kind:
                drawing.rect(drawing.x(empty + offsets[kind]) - 1.5, y(log10(nodes)) - 1.5, 3, 3, colour)
    for kind, _, line in lines:
        ends = [(drawing.x(empty), y(min(high, estimate(line, empty)[0]))) for empty in (FIT_SIZES[kind][0], 64)]
        drawing.line(*ends[0], *ends[1], RESULTS[kind][1], 1.5)
    drawing.save("proof-cost.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", metavar="LODESTONE", help="the engine, for new measurements")
    parser.add_argument("--games", type=int, default=0, metavar="N", help="games to add")
    parser.add_argument("--play-nodes", type=int, default=100_000, metavar="N", help="nodes a move of these games")
    parser.add_argument("--nodes", type=int, default=100_000_000, metavar="N", help="node limit of a proof")
    parser.add_argument("--data", type=Path, default=plots.DATA, metavar="DIR", help="folder of the file and the plot")
    arguments = parser.parse_args()
    path = arguments.data / "proof-cost.txt"
    if arguments.program:
        add_games(arguments.program, path, arguments.games, arguments.play_nodes)
        measure(arguments.program, path, arguments.nodes)
    plots.DATA = arguments.data
    measured = [(int(line[1]), line[2], int(line[3])) for line in read(path) if line[2] != "?"]
    lines = []
    for kind in RESULTS:
        points = [(empty, log10(nodes)) for empty, result, nodes in measured if result == kind and empty in FIT_SIZES[kind]]
        if len(points) >= FIT_LEAST:
            lines.append((kind, len(points), fit(points)))
    print_table(measured)
    print()
    print_fits(lines)
    draw(measured, lines)


if __name__ == "__main__":
    main()
