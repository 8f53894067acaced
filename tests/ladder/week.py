#!/usr/bin/env python3
"""A week of a course: a ladder of submissions that change every day, with real processes.

    tests/ladder/week.py REFEREE [--seconds S] [--students N] [--folder DIR]

Seven nights of S seconds (default: 60) rate N submissions (default: 40), which are the bots of the
course in `examples` with a share of random moves, and broken ones. Ten of them change every day. In two
nights the referee is killed and started again, in one the disk is full. Then a round robin of the last
versions shows their true order. Prints a table; ends with an error if a game is lost.
"""
import argparse
import csv
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
SUBMISSIONS = PROJECT / "examples/course/submissions"
KINDS = ["ada", "ben", "fay"]
# Each is a line in front of the loop of a bot, or a change of its text.
BROKEN = {
    "exits": ("for line in sys.stdin:", "import os\nif random.random() < 0.3:\n    sys.exit(3)\nfor line in sys.stdin:"),
    "illegal": ('print(f"bestmove {COLUMNS[x]}{y + 1}"', 'print("bestmove z9"'),
    "silent": ('elif words[:1] == ["go"]:', 'elif words[:1] == ["go"]:\n        import time; time.sleep(60)'),
    "mute": ('elif words[:1] == ["isready"]:', 'elif words[:1] == ["never"]:'),
    "syntax": ("def choose(", "def choose("),
    "no program": None,
    "chatty": ('elif words[:1] == ["go"]:', 'elif words[:1] == ["go"]:\n        print("x" * 100000, file=sys.stderr)'),
}


def write(folder, kind, noise, fault):
    """A submission: a bot that plays a random legal move with the probability `noise`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = (SUBMISSIONS / kind / "run").read_text()
    text = text.replace("import sys", "import random\nimport sys", 1)
    text = text.replace(
        "x, y = choose(board, len(board) % 2)",
        f"x, y = (random.choice(legal(board)) if random.random() < {noise:.2f} else choose(board, len(board) % 2))",
    )
    if fault in BROKEN and BROKEN[fault]:
        old, new = BROKEN[fault]
        assert old in text, (fault, kind)
        text = text.replace(old, new if fault != "syntax" else "def choose((", 1)
    run = folder / "run"
    run.write_text(text)
    run.chmod(0o644 if fault == "no program" else 0o755)


def correlation(order, points):
    """Kendall's rank correlation of an order, the best first, with the points of the players."""
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1:] if points[a] != points[b]]
    return sum(1 if points[a] > points[b] else -1 for a, b in pairs) / max(1, len(pairs))


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("referee", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--students", type=int, default=40)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("week"))
    parser.add_argument("--pairs", type=int, default=4, help="pairs of games of the round robin")
    args = parser.parse_args()
    args.referee = args.referee.resolve()
    shutil.rmtree(args.folder, ignore_errors=True)
    args.folder.mkdir(parents=True)
    root, draw = args.folder.resolve(), random.Random(1)
    hand_in = root / "hand-in"
    students = {}
    for number in range(args.students):
        fault = list(BROKEN)[number % len(BROKEN)] if number % 4 == 3 else None
        students[f"student{number:02}"] = [KINDS[number % 3], draw.uniform(0, 0.8), fault]
    for name, bot in students.items():
        write(hand_in / name, *bot)
    command = [args.referee, "ladder", "hand-in", "squares", "--out", "ladder.jsonl", "--csv", "grades.csv",
               "--feedback", "feedback", "--html", "ladder.html", "--each", "st=0.2", "starttime=5", "-j", "2", "--quiet"]

    def night(seconds, prefix=(), **options):
        line = [*prefix, *map(str, command), "--hours", f"{max(seconds, 1) / 3600:.6f}"]
        return subprocess.Popen(line, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    print("| night | changed | players | unfit | versions | games | faults | what happened |")
    print("|---|---|---|---|---|---|---|---|")
    played = 0
    for number in range(1, 8):
        changed = draw.sample(sorted(students), min(10, len(students) // 2)) if number > 1 else sorted(students)
        for name in changed if number > 1 else []:
            bot = students[name]
            # Most improve; some are mended, and one in ten breaks.
            bot[1] = min(0.9, max(0.0, bot[1] + draw.uniform(-0.3, 0.1)))
            bot[2] = draw.choice(list(BROKEN)) if draw.random() < 0.1 else None
            write(hand_in / name, *bot)
        event, begin = "", time.monotonic()
        if number in (2, 5):
            run = night(3600)
            time.sleep(args.seconds / 3)
            run.send_signal(signal.SIGKILL)
            run.communicate()
            event = "killed and started again"
        if number == 3:
            # A second one at the same time changes nothing.
            size = (root / "ladder.jsonl").stat().st_size
            run = night(3600)
            while (root / "ladder.jsonl").stat().st_size == size:
                time.sleep(0.1)
            second = subprocess.run([*map(str, command)], cwd=root, capture_output=True, text=True)
            assert second.returncode == 2 and "another referee" in second.stderr, second
            run.terminate()
            run.communicate()
            assert run.returncode == 143, run.returncode
            event = "a second run is refused"
        if number == 4:
            # A write beyond the limit fails as on a full disk.
            blocks = (root / "ladder.jsonl").stat().st_size // 1024 + 40
            run = night(3600, ["bash", "-c", f"trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"", "-"])
            _, err = run.communicate()
            assert run.returncode == 4, (run.returncode, err)
            event = "disk full, started again"
        run = night(args.seconds - (time.monotonic() - begin))
        _, err = run.communicate()
        assert run.returncode == 0, (run.returncode, err)
        found = lines(root / "ladder.jsonl")
        games = [one for one in found if "moves" in one]
        header = [one for one in found if "header" in one][-1]
        assert len({game["id"] for game in games}) == len(games), "a game is there twice"
        assert len(games) > played, "nothing was played"
        rows = list(csv.DictReader((root / "grades.csv").open(newline="")))
        fit = [row for row in rows if row["rank"]]
        texts = {path.stem for path in (root / "feedback").iterdir()}
        assert texts == set(students), "a text for each submission"
        faults = sum("faults" in game or game["reason"] == "forfeit" for game in games[played:])
        print(f"| {number} | {len(changed)} | {len(fit)} | {len(rows) - len(fit)} | {len(header['engines'])} "
              f"| {len(games) - played} | {faults} | {event} |", flush=True)
        played = len(games)
    order = [row["name"] for row in rows if row["rank"]]
    again = subprocess.run([args.referee, "report", "ladder.jsonl"], cwd=root, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    # The last versions, all against all.
    robin = [args.referee, "match", "--engines", "hand-in", "--skip-broken", "squares", "--games", 2 * args.pairs,
             "--openings", "random:4", "--each", "st=0.2", "--sandbox", "-j", "2", "--quiet", "--forfeit-after", "2",
             "--out", "robin.jsonl", "--seed", "2"]
    done = subprocess.run([*map(str, robin)], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    points = dict.fromkeys(order, 0.0)
    games = [one for one in lines(root / "robin.jsonl") if "moves" in one]
    for game in games:
        first = {"1-0": 1, "0-1": 0}.get(game["result"], 0.5)
        for name, won in ((game["first"], first), (game["second"], 1 - first)):
            points[name] = points.get(name, 0) + won
    last = [row for row in rows if row["rank"]]
    print(f"\nRank correlation with a round robin of {len(games)} games: {correlation(order, points):.3f}. "
          f"Games of the last versions: {min(int(row['games']) for row in last)} to "
          f"{max(int(row['games']) for row in last)}.")
    best = sorted(order, key=lambda name: -points[name])
    print(f"First ten of the ladder that are among the first ten of the round robin: "
          f"{len(set(order[:10]) & set(best[:10]))}")


if __name__ == "__main__":
    sys.exit(main())
