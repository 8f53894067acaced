#!/usr/bin/env python3
"""Grades hand-ins by a rubric, with games against fixed opponents.

    grade.py RUBRIC.toml FOLDER --out GRADES                 all hand-ins of a folder
    grade.py RUBRIC.toml BOT RESULTS.json [--user NAME]      one hand-in, for Gradescope and GitHub Classroom

Each folder in FOLDER is a hand-in, with an executable file `run`. GRADES gets grades.csv and a folder for each
hand-in: feedback.txt, results.json, the games, and a copy of what was graded. Run again, the command goes on, and
plays only what has changed. To grade a hand-in anew, delete its folder in GRADES.

Bots play in the sandbox of the referee. Where the kernel has none, --user runs the one bot as that user, which needs
root; otherwise nothing is graded. A hand-in with links that lead out of it, or that is too large, gets no points and
the reason.

results.json has the form of Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/. Games
against a staff bot that commits a fault are played again once. If it fails again, or the rules do, this hand-in gets
no grade, and the exit status is 1. Paths in the rubric are relative to the current folder.
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

import other_user
from hand_in import Refused, check_link, hand_ins, homes_of, is_full, is_left_out, printable, shared, take
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


class NoGrade(Exception):
    """Why a hand-in gets no grade, neither points nor zero: the fault is not its own."""


def referee(*words, statuses=(0,)):
    """The output of a command by lines, its messages and its exit status. Raises NoGrade for any other status."""
    done = subprocess.run(["referee", *words], capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode not in statuses:
        why = f"this command ended with status {done.returncode}:\n{shlex.join(['referee', *words])}"
        raise NoGrade(f"{why}\n{done.stdout[-2000:]}{done.stderr}".rstrip())
    # Not `splitlines`: texts of a bot may have other characters that end a line for Python.
    return done.stdout.rstrip("\n").split("\n"), done.stderr, done.returncode


def shown(text):
    """A text without what a terminal obeys, or GitHub's runner, for which `::error::` in a line is a command."""
    text = re.sub(r"(?m)^(\s*):(?=:)", r"\1\\x3a", printable(text, kept="\n"))
    return text.replace("##[", r"#\x23[")


def say(text):
    """Prints a message, whatever bots and names of folders have brought into it."""
    print(shown(text), file=sys.stderr, flush=True)


@functools.cache
def warn(text):
    """Prints messages of the referee if they were not printed before."""
    if text:
        say(text.rstrip("\n"))


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
    games = [event for event in map(json.loads, output) if event["event"] == "game"]
    return max(len(game["moves"]) - game["opening_plies"] for game in games)


def plain(text, bot):
    """A text for a student: without the path of the bot, and without what only the instructor understands."""
    text = printable(text.expandtabs(4), kept="\n")
    text = text.replace(f"{bot.resolve()}/", "").replace(str(bot), bot.name)
    for pattern, words in FOR_STUDENTS.items():
        text = re.sub(pattern, words, text)
    return text


def without_games(rubric, report, problem):
    """The facts about a bot that has not played."""
    return {"passes": False, "report": report, "matches": [{"problem": problem} for _ in rubric["opponent"]]}


def refused(rubric, why):
    """The facts about a hand-in whose files are not taken."""
    return without_games(
        rubric, f"Your hand-in is not graded: {why}.\n", "Your bot has not played: see the first test.\n"
    )


def facts_of(rubric, bot, player, games):
    """What the points depend on: the check of a bot with these settings, and its numbers against each opponent."""
    player = [*player, f"name={NAME}"]
    words = [*for_check(rubric, rubric["fitness"].get("only", [])), *player]
    output, errors, status = referee("check", "--json", *words, statuses=(0, 1, 3))
    checks, report = [json.loads(line) for line in output[:-1]], errors if status == 3 else ""
    for check in checks:
        result = filter(None, (check["check"], check["status"], check["problem"] or check["hint"]))
        report += ": ".join(result) + "\n" + last_lines(check["stderr"])
        report += f"  moves until then: {check['position'].split('moves ')[-1]}\n" if check["position"] else ""
    report = plain(report, bot)
    if status == 3 or any((check["check"], check["status"]) == ("handshake", "failed") for check in checks):
        return without_games(rubric, report, "Your bot does not start, so it has not played: see the first test.\n")
    matches = [play(rubric, opponent, bot, player, games) for opponent in rubric["opponent"]]
    return {"passes": status == 0, "report": report, "matches": matches}


def play(rubric, opponent, bot, player, games):
    """The bot's numbers against an opponent, with its faults by kind."""
    out = games / (re.sub(r"[^\w.-]+", "_", name_of(opponent)) + ".jsonl")
    match = {**rubric["match"], "games": opponent["games"], "out": out}
    games.mkdir(parents=True, exist_ok=True)
    players = ["--engine", *player, "--engine", *own_settings(opponent)]
    output, errors, status = referee("match", "--json", *options(match), *players, statuses=(0, 3))
    if status == 3 and NAME not in errors:
        raise NoGrade(errors)
    if status == 3:
        return {"problem": plain(errors, bot)}
    own = next(entry for entry in json.loads(output[-1])["players"] if entry["name"] == NAME)
    warn(errors)
    faults = {}
    for game in map(json.loads, out.read_bytes().splitlines()):
        for fault in game.get("faults", ()):
            name = (game["first"], game["second"])[fault["player"] - 1]
            if name == NAME:
                count, text = faults.get(fault["reason"], (0, ""))
                faults[fault["reason"]] = (count + 1, text or plain(about(rubric, name, game, fault, out), bot))
                continue
            transcript = next(out.with_suffix(".faults").glob(f"game-{game['id']:06}-*.txt"), out)
            if games.name == "again":
                raise NoGrade(f"{fault['detail']}, see {transcript}")
            warn(f"Games against {name} are played again: {fault['detail']}, see {transcript}\n")
            match["seed"] = int(match.get("seed", 1)) + 1
            return play({**rubric, "match": match}, opponent, bot, player, games / "again")
    numbers = {key: own[key] or 0 for key in ("wins", "ties", "losses", "longest_ms")}
    return {**numbers, "faults": faults, "lost_by_fault": sum(own["faults"].values())}


def about(rubric, name, game, fault, out):
    """A fault in a game: what happened, the last lines of the player's stderr, the moves until then, the board."""
    text = f"game {game['id']}, move {fault['move']}: {fault['detail']}\n"
    for transcript in out.with_suffix(".faults").glob(f"game-{game['id']:06}-*.txt"):
        stderr = transcript.read_text(encoding="utf-8").partition(f"Last lines of {name} on stderr:\n")[2]
        text += last_lines([line[2:] for line in re.match("(  .*\n)*", stderr).group().split("\n")])
    text += " ".join(["  moves until then:", *game["moves"][: fault["move"] - 1]]) + "\n"
    rules = options({"rules": rubric["match"].get("rules", False)})
    shown, _, _ = referee("show", *rules, "--ascii", "--color=never", f"--game={game['id']}", str(out))
    boards = re.split(r"^(?=Move \d+ of \d+: )", "\n".join(shown).rpartition("\n\n")[0], flags=re.MULTILINE)
    return text + textwrap.indent(boards[fault["move"] - 1].strip(), "  ") + "\n"


def write(path, text):
    """Writes a file completely or not at all."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with open(part, "xb") as file:  # never through a link, or into a file of another user
        file.write(text.encode(errors="replace"))
    part.replace(path)


def read(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def digest(path):
    """A digest of a file or folder of the course with all its files: names, contents, and which are programs."""
    if path.is_symlink():
        content = os.readlink(path)
    elif path.is_dir():
        names = sorted(name for name in os.listdir(path) if not is_left_out(name))
        content = [(name, digest(path / name)) for name in names]
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
    return repr(course) + repr([(os.path.relpath(path), digest(path)) for path in sorted(found)]), found


def announce(rubric, bots, waiting):
    """Checks the course if there is something to grade, and says how long it takes."""
    text = f"{bots} hand-in{'s' * (bots != 1)}, {waiting} to grade"
    if waiting:
        moves, games = check_course(rubric), [opponent["games"] for opponent in rubric["opponent"]]
        text += f", {sum(games)} games each of about {moves} moves"
        if limit_of(rubric):
            rounds = sum(-(-number // int(rubric["match"].get("concurrency", 1))) for number in games)
            text += f": up to about {waiting * rounds * moves * limit_of(rubric) / 60:.1f} minutes, and the checks"
    say(text)


def facts_in(home):
    """The facts of an earlier run about a hand-in."""
    try:
        return json.loads(read(home / "results.json") or "{}").get("extra_data", {})
    except ValueError:
        return {}


def grade_folder(rubric, folder, out):
    """Grades all hand-ins of a folder; those without changes come first. What one does costs the others nothing."""
    rubric["match"].setdefault("sandbox", "on")
    bots, (course, course_files) = hand_ins(folder, out), course_of(rubric)
    homes, known, linked = homes_of(bots, out), {}, {}
    for bot in bots:
        try:
            check_link(bot, bots, course_files)
            digest, files = take(bot)
        except Refused as why:
            known[bot] = {**refused(rubric, why), "refused": str(why)}
            continue
        facts, key = facts_in(homes[bot]), key_of(digest, course)
        known[bot] = facts if facts.get("key") == key else {}
        for file, paths in files.items():
            linked.setdefault(file, []).extend((bot, path) for path in paths)
    ungraded = shared(linked, course_files)
    waiting = [bot for bot in bots if bot not in ungraded and "matches" not in known[bot]]
    announce(rubric, len(bots), len(waiting))
    for name in sorted(
        {file.parent.name for file in out.glob("*/results.json")} - {home.name for home in homes.values()}
    ):
        say(f"{out / name}: no hand-in of this name is left")
    began, rows, left = time.monotonic(), [], len(waiting)
    for bot in sorted(bots, key=waiting.__contains__):
        name, home, facts = printable(bot.name), homes[bot], known[bot]
        news = f"not graded: {facts['refused']}" if "refused" in facts else "nothing new"
        try:
            if bot in ungraded:
                raise NoGrade(ungraded[bot])
            if bot in waiting:
                left -= 1
                facts = graded(rubric, bot, home, course)
                mean = (time.monotonic() - began) / (len(waiting) - left)
                news = f"{left} left" + (f", about {left * mean / 60:.1f} minutes" if left else "")
        except NoGrade as why:
            say(f"{name}: no grade, because {why}")
            continue
        results = {**results_of(rubric, facts), "extra_data": facts}
        rows.append(row_of(rubric, name, results))
        writer = csv.DictWriter(table := io.StringIO(), rows[0])
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["Name"]))
        home.mkdir(parents=True, exist_ok=True)
        write(home / "feedback.txt", feedback(name, results))
        write(home / "results.json", json.dumps(results, indent=1) + "\n")
        write(out / "grades.csv", table.getvalue())
        say(f"{name}: {rows[-1]['Points']:g} points; {news}")
    if len(rows) < len(bots):
        sys.exit(f"Hand-ins without a grade: {len(bots) - len(rows)}. The messages above say why.")


def key_of(digest, course):
    return hashlib.sha256(f"{digest} {course}".encode()).hexdigest()


def graded(rubric, bot, home, course):
    """The facts about a copy of a hand-in, in its folder. Its games are kept if they are of the same version."""
    games, copy = home / "games", home / "hand-in"
    try:
        home.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(copy, ignore_errors=True)
        key = key_of(take(bot, copy)[0], course)
        if read(games / "version") != key:
            shutil.rmtree(games, ignore_errors=True)
            games.mkdir()
            write(games / "version", key)
        return {"key": key, **facts_of(rubric, copy, [f"cmd={copy}"], games)}
    except Refused as why:  # It has changed since it was read.
        return refused(rubric, why)
    except (OSError, LookupError, ValueError) as error:
        if isinstance(error, OSError) and is_full(error):
            raise
        raise NoGrade(f"grade.py has failed: {error!r}") from None


def has_sandbox():
    """Whether bots can play in the sandbox of the referee here."""
    return referee("check", "--only=startpos", "--sandbox=on", "cmd=random", statuses=(0, 1, 2))[2] != 2


def grade_one(rubric, args):
    """Grades one hand-in: in the sandbox, or as another user, or, if the rubric says `sandbox = "off"`, as we are."""
    began, match, bot, user = time.monotonic(), rubric["match"], args.bot, args.user
    args.results.unlink(missing_ok=True)  # Nothing is left of an earlier run if this one fails.
    if not bot.is_dir():
        sys.exit(f"{bot}: expected the folder of a hand-in, with a file `run`")
    if "sandbox" not in match and user and not has_sandbox():
        match["sandbox"] = "off"
    user = user if match.setdefault("sandbox", "on") in ("off", False) else None
    if user:
        staff = [opponent["cmd"] for opponent in rubric["opponent"] if "/" in opponent["cmd"]]
        other_user.check(user, [args.rubric, *staff], args.results)
    check_course(rubric)
    scratch = Path(tempfile.mkdtemp())
    try:
        copy = scratch / "hand-in"
        take(bot, copy)
        player = [f"cmd={other_user.program(user, copy, scratch)}", *other_user.LIMITS] if user else [f"cmd={copy}"]
        facts = facts_of(rubric, copy, player, scratch / "games")
    except Refused as why:
        facts = refused(rubric, why)
    finally:
        if user:
            other_user.end_all(user)
        subprocess.run(["rm", "-rf", scratch])  # however deep the folders are that a bot has made
    results = results_of(rubric, facts)
    results["execution_time"] = round(time.monotonic() - began)
    write(args.results, json.dumps(results, indent=1) + "\n")
    print(shown(feedback(bot.name, results)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rubric", metavar="RUBRIC.toml")
    parser.add_argument("bot", metavar="FOLDER or BOT", type=Path)
    parser.add_argument("results", metavar="RESULTS.json", type=Path, nargs="?")
    parser.add_argument("--out", metavar="GRADES", type=Path)
    parser.add_argument("--user", metavar="NAME")
    args = parser.parse_args()
    if (args.results is None) == (args.out is None) or args.out and args.user:
        parser.error("expected either --out GRADES for a folder of hand-ins, or RESULTS.json for one hand-in")
    if not shutil.which("referee"):
        sys.exit("there is no program `referee` on the PATH")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        rubric = read_rubric(args.rubric)
    except (OSError, ValueError) as error:
        sys.exit(f"{args.rubric}: {error}")
    try:
        grade_folder(rubric, args.bot, args.out) if args.out else grade_one(rubric, args)
    except (OSError, NoGrade) as error:
        sys.exit(shown(f"No grade, because {error}"))
    except KeyboardInterrupt:
        print("Interrupted. The same command goes on.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
