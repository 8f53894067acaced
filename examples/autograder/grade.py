#!/usr/bin/env python3
"""Grades hand-ins by a rubric, with games against fixed opponents.

    grade.py RUBRIC.toml FOLDER --out GRADES     all hand-ins of a folder
    grade.py RUBRIC.toml BOT RESULTS.json        one hand-in, for Gradescope and GitHub Classroom

Each folder in FOLDER is a hand-in, with an executable file `run`. GRADES gets grades.csv and a folder for each
hand-in: feedback.txt, results.json, the games, and a copy of what was graded. Run again, the command goes on, and
plays only what has changed. To grade a hand-in anew, delete its folder in GRADES.

results.json has the form of Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/. Games
against a staff bot that commits a fault are played again once. If it fails again, or the rules do, no grade is
written, and the exit status is 1. Paths in the rubric are relative to the current folder.
"""

import argparse
import csv
import functools
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
import textwrap
import time
from pathlib import Path

from points import FOR_STUDENTS, KEYS, feedback, last_lines, limit_of, name_of, read_rubric, results_of, row_of

NAME = "your bot"
FOR_CHECK = ("each", "rules", "variant", "sandbox-read", "proto", "sandbox")  # the last one ends the settings


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
                yield from (f"--{key}", *settings(value))
            elif value is not False:
                yield f"--{key}" if value is True else f"--{key}={value}"


def own_settings(opponent):
    """The settings of an opponent, without what the rubric says of it."""
    return settings({key: value for key, value in opponent.items() if key == "cmd" or key not in KEYS})


def for_check(rubric, only):
    """The options of the match that `referee check` has, too. Its time is one for each move."""
    keys, table = FOR_CHECK if limit_of(rubric) else FOR_CHECK[1:], {"sandbox": "off", **rubric["match"]}
    return options({"only": only} | {key: table[key] for key in keys if key in table})


def referee(*words, statuses=(0,)):
    """The output of a command, its messages and its exit status. Any other status ends this program."""
    done = subprocess.run(["referee", *words], capture_output=True, encoding="utf-8")
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode not in statuses:
        why = f"No grade, because this command ended with status {done.returncode}:"
        sys.exit(f"{done.stdout[-2000:]}{done.stderr}{why}\n{shlex.join(['referee', *words])}")
    return done.stdout, done.stderr, done.returncode


@functools.cache
def warn(text):
    """Prints a text if it was not printed before."""
    print(text, end="", file=sys.stderr)


def check_course(rubric):
    """The moves of a game of random players. Ends this program if the rules, an option or a staff bot is wrong."""
    players = ["--engine", "cmd=random", "name=a", "--engine", "cmd=random", "name=b"]
    output, warnings, _ = referee("match", "--json", *options({**rubric["match"], "games": 2}), *players)
    warn(warnings)
    if only := rubric["fitness"].get("only"):
        _, errors, status = referee("check", *for_check(rubric, only), "cmd=random", statuses=(0, 1, 2))
        if status == 2:
            sys.exit(errors.replace("referee: --only", "[fitness] only"))
    for opponent in rubric["opponent"]:
        referee("check", *for_check(rubric, ["startpos"]), *own_settings(opponent))
    games = [event for event in map(json.loads, output.splitlines()) if event["event"] == "game"]
    return max(len(game["moves"]) - game["opening_plies"] for game in games)


def plain(text, bot):
    """A text for a student: without the path of the bot, and without what only the instructor understands."""
    text = text.replace(f"{bot.resolve()}/", "").replace(str(bot), bot.name)
    for pattern, words in FOR_STUDENTS.items():
        text = re.sub(pattern, words, text)
    return text


def facts_of(rubric, bot, games):
    """What the points depend on: the check of a bot, and its numbers against each opponent."""
    words = [*for_check(rubric, rubric["fitness"].get("only", [])), f"cmd={bot}", f"name={NAME}"]
    output, errors, status = referee("check", "--json", *words, statuses=(0, 1, 3))
    checks, report = [json.loads(line) for line in output.splitlines()[:-1]], errors if status == 3 else ""
    for check in checks:
        result = filter(None, (check["check"], check["status"], check["problem"] or check["hint"]))
        report += ": ".join(result) + "\n" + last_lines(check["stderr"])
        report += f"  moves until then: {check['position'].split('moves ')[-1]}\n" if check["position"] else ""
    facts = {"passes": status == 0, "report": plain(report, bot)}
    if status == 3 or "handshake: failed" in report:
        problem = {"problem": "Your bot does not start, so it has not played: see the first test.\n"}
        return {**facts, "matches": [problem for _ in rubric["opponent"]]}
    return {**facts, "matches": [play(rubric, opponent, bot, games) for opponent in rubric["opponent"]]}


def play(rubric, opponent, bot, games):
    """The bot's numbers against an opponent, with its faults by kind."""
    out = games / (re.sub(r"[^\w.-]+", "_", name_of(opponent)) + ".jsonl")
    match = {**rubric["match"], "games": opponent["games"], "out": out}
    games.mkdir(parents=True, exist_ok=True)
    players = ["--engine", f"cmd={bot}", f"name={NAME}", "--engine", *own_settings(opponent)]
    output, errors, status = referee("match", "--json", *options(match), *players, statuses=(0, 3))
    if status == 3 and NAME not in errors:
        sys.exit(errors)
    if status == 3:
        return {"problem": plain(errors, bot)}
    own = next(player for player in json.loads(output.splitlines()[-1])["players"] if player["name"] == NAME)
    warn(errors)
    faults = {}
    for game in map(json.loads, out.read_text(encoding="utf-8").splitlines()):
        for fault in game.get("faults", ()):
            name = (game["first"], game["second"])[fault["player"] - 1]
            if name == NAME:
                count, text = faults.get(fault["reason"], (0, ""))
                faults[fault["reason"]] = (count + 1, text or plain(about(rubric, name, game, fault, out), bot))
                continue
            transcript = next(out.with_suffix(".faults").glob(f"game-{game['id']:06}-*.txt"), out)
            if games.name == "again":
                raise ChildProcessError(f"{fault['detail']}, see {transcript}")
            warn(f"Games against {name} are played again: {fault['detail']}, see {transcript}\n")
            match["seed"] = int(match.get("seed", 1)) + 1
            return play({**rubric, "match": match}, opponent, bot, games / "again")
    numbers = {key: own[key] or 0 for key in ("wins", "ties", "losses", "longest_ms")}
    return {**numbers, "faults": faults, "lost_by_fault": sum(own["faults"].values())}


def about(rubric, name, game, fault, out):
    """A fault in a game: what happened, the last lines of the player's stderr, the moves until then, the board."""
    text = f"game {game['id']}, move {fault['move']}: {fault['detail']}\n"
    for transcript in out.with_suffix(".faults").glob(f"game-{game['id']:06}-*.txt"):
        stderr = transcript.read_text(encoding="utf-8").partition(f"Last lines of {name} on stderr:\n")[2]
        text += last_lines([line[2:] for line in re.match("(  .*\n)*", stderr).group().splitlines()])
    text += " ".join(["  moves until then:", *game["moves"][: fault["move"] - 1]]) + "\n"
    rules = options({"rules": rubric["match"].get("rules", False)})
    shown, _, _ = referee("show", *rules, "--ascii", "--color=never", f"--game={game['id']}", str(out))
    boards = re.split(r"^(?=Move \d+ of \d+: )", shown.rpartition("\n\n")[0], flags=re.MULTILINE)
    return text + textwrap.indent(boards[fault["move"] - 1].strip(), "  ") + "\n"


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
    course, here, found = [rubric["match"], rubric["fitness"].get("only"), opponents], Path.cwd(), set()
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
        moves, games = check_course(rubric), [opponent["games"] for opponent in rubric["opponent"]]
        text += f", {sum(games)} games each of about {moves} moves"
        if limit_of(rubric):
            rounds = sum(-(-number // int(rubric["match"].get("concurrency", 1))) for number in games)
            text += f": up to about {waiting * rounds * moves * limit_of(rubric) / 60:.1f} minutes, and the checks"
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
    for name in sorted({file.parent.name for file in out.glob("*/results.json")} - {bot.name for bot in bots}):
        print(f"{out / name}: no hand-in of this name is left", file=sys.stderr)
    began, rows, left = time.monotonic(), [], len(waiting)
    for bot in sorted(bots, key=waiting.__contains__):
        home, facts, news = out / bot.name, known[bot], "nothing new"
        if bot in waiting:
            left -= 1
            try:
                facts.update(facts_of(rubric, *prepared(bot, home, facts["key"])))
            except ChildProcessError as error:
                print(f"{bot.name}: no grade, because {error}", file=sys.stderr, flush=True)
                continue
            mean = (time.monotonic() - began) / (len(waiting) - left)
            news = f"{left} left" + (f", about {left * mean / 60:.1f} minutes" if left else "")
        results = {**results_of(rubric, facts), "extra_data": facts}
        rows.append(row_of(rubric, bot.name, results))
        writer = csv.DictWriter(table := io.StringIO(), rows[0])
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["Name"]))
        write(home / "feedback.txt", feedback(bot.name, results))
        write(home / "results.json", json.dumps(results, indent=1) + "\n")
        write(out / "grades.csv", table.getvalue())
        print(f"{bot.name}: {rows[-1]['Points']:g} points; {news}", file=sys.stderr, flush=True)
    if len(rows) < len(bots):
        sys.exit(f"Hand-ins without a grade: {len(bots) - len(rows)}. Mend the staff bot, or delete their folders in {out}.")


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
    games = Path(tempfile.mkdtemp())
    results = results_of(rubric, facts_of(rubric, bot, games))
    shutil.rmtree(games)
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
    if not shutil.which("referee"):
        sys.exit("there is no program `referee` on the PATH")
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
