#!/usr/bin/env python3
"""Grades hand-ins by a rubric, with games against fixed opponents.

    grade.py RUBRIC.toml FOLDER --out GRADES     all hand-ins of a folder
    grade.py RUBRIC.toml BOT RESULTS.json        one hand-in, for Gradescope and GitHub Classroom

Each folder in FOLDER is a hand-in, with an executable file `run`. GRADES gets grades.csv and a folder for each
hand-in: feedback.txt, results.json, the games, and a copy of what was graded. Run again, the command goes on, and
plays only what has changed. To grade a hand-in anew, delete its folder in GRADES.

results.json has the form of Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/. If the
rules or a staff bot fail, no grade is written, and the exit status is 1. Paths in the rubric are relative to the
current folder.
"""

import argparse
import csv
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from points import KEYS, feedback, limit_of, name_of, read_rubric, results_of, row_of

NAME = "your bot"
FOR_CHECK = ("rules", "variant", "sandbox", "sandbox-read", "proto", "each")
STDERR_LINES = 7  # of a crash
SAID = set()


def settings(table, prefix=""):
    """The words of a table of settings: `st=2`, `option.size=7`."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from settings(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            yield f"{prefix}{key}={shlex.join(map(str, value))}"
        else:
            yield f"{prefix}{key}={str(value).lower() if isinstance(value, bool) else value}"


def options(table):
    """The words of a table of options: `--openings=random:2`. A list repeats its option."""
    for key, values in table.items():
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, dict):
                yield f"--{key}"
                yield from settings(value)
            elif value is True:
                yield f"--{key}"
            elif value is not False:
                yield f"--{key}={value}"


def own_settings(opponent):
    """The settings of an opponent, without what the rubric says of it."""
    return settings({key: value for key, value in opponent.items() if key == "cmd" or key not in KEYS})


def for_check(rubric):
    """The options of the match that `referee check` has, too. Its time is one for each move."""
    keys = FOR_CHECK if limit_of(rubric) else FOR_CHECK[:-1]
    return options({key: value for key, value in rubric["match"].items() if key in keys})


def referee(*words, statuses=(0,)):
    """The output of a command, its messages and its exit status. Any other status ends this program."""
    try:
        done = subprocess.run(["referee", *words], capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        sys.exit("there is no program `referee` on the PATH")
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode not in statuses:
        command = shlex.join(["referee", *words])
        why = f"No grade, because this command ended with status {done.returncode}:"
        sys.exit(f"{done.stdout[-2000:]}{done.stderr}{why}\n{command}")
    return done.stdout, done.stderr, done.returncode


def warn(text):
    """Prints the lines of a text that were not printed before."""
    for line in text.splitlines():
        if line not in SAID:
            SAID.add(line)
            print(line, file=sys.stderr)


def check_course(rubric):
    """The moves of a game of random players. Ends this program if the rules, an option or a staff bot is wrong."""
    players = ["--engine", "cmd=random", "name=a", "--engine", "cmd=random", "name=b"]
    output, warnings, _ = referee("match", "--json", *options({**rubric["match"], "games": 2}), *players)
    warn(warnings)
    for opponent in rubric["opponent"]:
        referee("check", *for_check(rubric), "--only", "startpos", *own_settings(opponent))
    games = [event for event in map(json.loads, output.splitlines()) if event["event"] == "game"]
    return max(len(game["moves"]) - game["opening_plies"] for game in games)


def plain(text, bot):
    """A text for a student: without the path of the bot, and without warnings about this machine."""
    lines = [line for line in text.splitlines(True) if not line.startswith("referee: warning")]
    return "".join(lines).replace(f"{bot.resolve()}/", "").replace(str(bot), bot.name)


def facts_of(rubric, bot, games):
    """What the points depend on: the check of a bot, and its numbers against each opponent."""
    only = [word for name in rubric["fitness"].get("only", ()) for word in ("--only", name)]
    words = [*for_check(rubric), *only, f"cmd={bot}", f"name={NAME}"]
    report, errors, status = referee("check", *words, statuses=(0, 1, 3))
    facts = {"passes": status == 0, "report": plain(report or errors, bot)}
    if status == 0 and "  FAIL" not in report:
        facts["report"] = f"Passed: {', '.join(re.findall('^  ok +([^ ]+)', report, re.MULTILINE))}.\n"
    if status == 3 or "FAIL  handshake" in report:
        problem = {"problem": "Your bot does not start, so it has not played: see the first test.\n"}
        return {**facts, "matches": [problem for _ in rubric["opponent"]]}
    return {**facts, "matches": [play(rubric, opponent, bot, games) for opponent in rubric["opponent"]]}


def play(rubric, opponent, bot, games):
    """The bot's numbers against an opponent, with its faults by kind."""
    out = games / (re.sub(r"[^\w.-]+", "_", name_of(opponent)) + ".jsonl")
    match = {**rubric["match"], "games": opponent["games"], "out": out}
    players = ["--engine", f"cmd={bot}", f"name={NAME}", "--engine", *own_settings(opponent)]
    output, errors, status = referee("match", "--json", *options(match), *players, statuses=(0, 3))
    if status == 3 and NAME not in errors:
        sys.exit(errors)
    if status == 3:
        return {"problem": plain(errors, bot)}
    players = {player["name"]: player for player in json.loads(output.splitlines()[-1])["players"]}
    own = players.pop(NAME)
    warn(errors)
    for name, staff in players.items():
        if staff["faults"]:
            lost = ", ".join(f"{count} {kind}" for kind, count in staff["faults"].items())
            warn(f"warning: {name} lost games against {bot.resolve()} by its own faults: {lost}")
    faults = {}
    for game in map(json.loads, out.read_text(encoding="utf-8").splitlines()):
        for fault in game.get("faults", ()):
            if (game["first"], game["second"])[fault["player"] - 1] == NAME:
                count, text = faults.get(fault["reason"], (0, ""))
                text = text or plain(sentence(game, fault, out.with_suffix(".faults")), bot)
                faults[fault["reason"]] = (count + 1, text)
    numbers = {key: own[key] or 0 for key in ("wins", "ties", "losses", "longest_ms")}
    return {**numbers, "faults": faults, "lost_by_fault": sum(own["faults"].values())}


def sentence(game, fault, transcripts):
    """What happened, the position, and the last lines of the bot's stderr if the game has a transcript."""
    start = game["start"] if game["start"] == "startpos" else f"fen {game['start']}"
    text = f"game {game['id']}, move {fault['move']}: {fault['detail']}\n"
    text += " ".join(["  position", start, "moves", *game["moves"][: fault["move"] - 1]]) + "\n"
    for transcript in transcripts.glob(f"game-{game['id']:06}-*.txt"):
        stderr = transcript.read_text(encoding="utf-8").partition(f"Last lines of {NAME} on stderr:\n")[2]
        lines = [line for line in re.match("(  .*\n)*", stderr).group().splitlines() if line.strip(" ^~")]
        text += "".join(f"  {line}\n" for line in lines[-STDERR_LINES:])
    return text


def write(path, text):
    """Writes a file completely or not at all."""
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(text.encode(errors="replace"))
    part.replace(path)


def read(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def left_out(folder, names):
    """The names that do not belong to a hand-in: caches, and pipes and devices."""
    kept = {path.name for path in Path(folder).iterdir() if path.is_symlink() or path.is_file() or path.is_dir()}
    return [*{*names} - kept, "__pycache__", ".git"]


def digest(path):
    """A digest of a file, or of a folder with all its files: names, contents, and which are programs."""
    if path.is_symlink():
        content = os.readlink(path)
    elif path.is_dir():
        names = sorted(os.listdir(path))
        content = [(name, digest(path / name)) for name in names if name not in left_out(path, names)]
    else:
        content = (os.access(path, os.X_OK), hashlib.sha256(path.read_bytes()).hexdigest())
    return hashlib.sha256(repr(content).encode()).hexdigest()


def words_of(value):
    """The texts in a table of the rubric, and their words."""
    if isinstance(value, str):
        yield from {value, *value.split()}
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from words_of(part)


def course_of(rubric):
    """All that the games depend on but the hand-in: the rubric without its points, and the files that it names."""
    opponents = [dict(one, points=0, full=0, steps=0) for one in rubric["opponent"]]
    course = [rubric["match"], rubric["fitness"].get("only"), opponents]
    here, found = Path.cwd(), set()
    for word in set(words_of(course)):
        path = Path(word).resolve()
        # A program may read what is beside it.
        if path.is_file() and (path.name == "run" or here in path.parent.parents):
            path = path.parent
        if path.is_file() and path.suffix:
            found.update(path.parent.glob(f"*{path.suffix}"))
        elif path.exists() and path not in (here, *here.parents):
            found.add(path)
    return repr(course) + repr([(os.path.relpath(path), digest(path)) for path in sorted(found)])


def announce(rubric, bots, waiting):
    """Checks the course if there is something to grade, and says how long it takes."""
    text = f"{bots} hand-in{'s' * (bots != 1)}, {waiting} to grade"
    if waiting:
        moves, games = check_course(rubric), sum(opponent["games"] for opponent in rubric["opponent"])
        text += f", {games} games each of about {moves} moves"
        if limit_of(rubric):
            seconds = waiting * games * moves * limit_of(rubric) / int(rubric["match"].get("concurrency", 1))
            text += f": at most {seconds / 60:.1f} minutes, and the checks"
    print(text, file=sys.stderr, flush=True)


def grade_folder(rubric, folder, out):
    """Grades all hand-ins of a folder; those without changes come first."""
    rubric["match"].setdefault("sandbox", "on")
    bots = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")]
    bots = [path for path in bots if not out.resolve().is_relative_to(path.resolve())]
    if not bots or (folder / "run").exists():
        sys.exit(f"{folder}: expected a folder of hand-ins, each a folder with a file `run`")
    known, course = {}, course_of(rubric)
    for bot in bots:
        key = hashlib.sha256(f"{digest(bot.resolve())} {course}".encode()).hexdigest()
        results = read(out / bot.name / "results.json")
        facts = json.loads(results or "{}").get("extra_data", {})
        known[bot] = facts if facts.get("key") == key else {"key": key}
    waiting = [bot for bot in bots if "matches" not in known[bot]]
    announce(rubric, len(bots), len(waiting))
    began, rows, left = time.monotonic(), [], len(waiting)
    for bot in sorted(bots, key=waiting.__contains__):
        home, facts, news = out / bot.name, known[bot], "nothing new"
        if bot in waiting:
            facts.update(facts_of(rubric, *prepared(bot, home, facts["key"])))
            left -= 1
            mean = (time.monotonic() - began) / (len(waiting) - left)
            news = f"{left} left" + (f", about {left * mean / 60:.1f} minutes" if left else "")
        results = {**results_of(rubric, facts), "extra_data": facts}
        rows.append(row_of(rubric, bot.name, results))
        table = io.StringIO()
        writer = csv.DictWriter(table, rows[0])
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["Name"]))
        write(home / "feedback.txt", feedback(bot.name, results))
        write(home / "results.json", json.dumps(results, indent=1) + "\n")
        write(out / "grades.csv", table.getvalue())
        print(f"{bot.name}: {rows[-1]['Points']:g} points; {news}", file=sys.stderr, flush=True)


def prepared(bot, home, key):
    """A copy of the bot, and the folder for its games, without those of another version."""
    games, copy = home / "games", home / "hand-in"
    if read(games / "version") != key:
        shutil.rmtree(games, ignore_errors=True)
        games.mkdir(parents=True)
        write(games / "version", key)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(bot, copy, symlinks=True, ignore=left_out)
    return copy, games


def grade_one(rubric, bot, file):
    began = time.monotonic()
    check_course(rubric)
    with tempfile.TemporaryDirectory() as games:
        results = results_of(rubric, facts_of(rubric, bot, Path(games)))
    results["execution_time"] = round(time.monotonic() - began)
    write(file, json.dumps(results, indent=1) + "\n")
    print(feedback(bot.name, results))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rubric", metavar="RUBRIC.toml")
    parser.add_argument("bot", metavar="FOLDER or BOT", type=Path)
    parser.add_argument("results", metavar="RESULTS.json", type=Path, nargs="?")
    parser.add_argument("--out", metavar="GRADES", type=Path)
    args = parser.parse_args()
    if (args.results is None) == (args.out is None):
        parser.error("expected either --out GRADES for a folder of hand-ins, or RESULTS.json for one hand-in")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        rubric = read_rubric(args.rubric)
    except (OSError, ValueError) as error:
        sys.exit(f"{args.rubric}: {error}")
    try:
        grade_folder(rubric, args.bot, args.out) if args.out else grade_one(rubric, args.bot, args.results)
    except OSError as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        print("Interrupted. The same command goes on.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
