#!/usr/bin/env python3
"""Grades submissions by a rubric, with games against fixed opponents.

    grade.py RUBRIC.toml FOLDER --out GRADES [--accept]      all submissions of a folder
    grade.py RUBRIC.toml BOT RESULTS.json [--user NAME]      one submission, for Gradescope and GitHub Classroom

Each folder in FOLDER is a submission, with an executable file `run`, or with any files if the rubric names a `wrapper`
in [match]; a link to a folder is not a submission. GRADES gets grades.csv and a folder for each submission:
feedback.txt, results.json, the games, and a copy of what was graded. Run the command again to resume; it plays only
what has changed. With --accept, a changed wrapper changes no grade. To grade a submission again, delete its folder in
GRADES.

Bots play in the sandbox of the referee. Where the kernel has none, --user runs the one bot as that user, which needs
root; otherwise nothing is graded. Use that user for nothing else: in the end, its processes are killed, and what it
has changed in /tmp, /var/tmp and /dev/shm is deleted. A submission with links that lead out of it, or that is too
large, gets no points, and its feedback says why.

results.json has the form of Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/. Games
against a staff bot that commits a fault are replayed, at most twice. If it fails each time, or the rules do, this
submission gets no grade, and the exit status is 1. Paths in the rubric are relative to the current folder.
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
from points import FOR_STUDENTS, KEYS, feedback, last_lines, last_notes, limit_of, name_of, read_rubric, results_of, row_of

NAME = "your bot"
FOR_CHECK = ("each", "rules", "variant", "openings", "sandbox-read", "proto", "sandbox")  # the last ends the settings


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
    """The options of the match that `referee check` has, too: so it fails nobody whom the match lets play."""
    table = {"sandbox": "off", **rubric["match"]}
    return options({"only": only} | {key: table[key] for key in FOR_CHECK if key in table})


class NoGrade(Exception):
    """Why a submission gets no grade, neither points nor zero: the fault is not its own."""


class StaffFault(NoGrade):
    """A fault of an opponent. A submission can cause it, by keeping the processors busy, and must not win by it."""


def match(table, *players, **how):
    """As `referee`, for a match with these options. Its seed is in a file, because all users can read command lines."""
    table = {key: value for key, value in table.items() if key != "wrapper"}  # a setting of the submission
    seed = json.dumps(table.get("seed", 1), default=str)
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write(f"seed = {seed}\n")
        file.flush()
        words = options({"config": file.name, **table, "seed": False})
        try:
            return referee("match", "--json", *words, *players, **how)
        except NoGrade as why:
            raise NoGrade(str(why).replace(f"--config={file.name}", f"--seed={seed}")) from None


def referee(*words, statuses=(0,)):
    """The output of a command by lines, its messages and its exit status. Raises NoGrade for any other status."""
    # In a session without a terminal, because a bot could type into ours.
    how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
    with subprocess.Popen(["referee", *words], encoding="utf-8", errors="replace", **how) as process:
        try:
            output, errors = process.communicate()
        except BaseException:  # Ctrl-C and the like, which only this program receives
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
    if process.returncode == 130:
        raise KeyboardInterrupt
    if process.returncode not in statuses:
        why = f"this command ended with status {process.returncode}:\n{shlex.join(['referee', *words])}"
        raise NoGrade(f"{why}\n{output[-2000:]}{errors}".rstrip())
    # Not `splitlines`: texts of a bot may have other characters that end a line for Python.
    return output.rstrip("\n").split("\n"), errors, process.returncode


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
    output, warnings, _ = match({**rubric["match"], "games": 2}, *players)
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
    """The facts about a submission whose files are not taken."""
    return without_games(
        rubric, f"Your submission is not graded: {why}.\n", "Your bot has not played: see the first test.\n"
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
        report += f"  position: {check['position']}\n" if check["position"] else ""
    report = plain(report, bot)
    if status == 3 or any((check["check"], check["status"]) == ("handshake", "failed") for check in checks):
        return without_games(rubric, report, "Your bot does not start, so it has not played: see the first test.\n")
    matches = [play(rubric, opponent, bot, player, games) for opponent in rubric["opponent"]]
    return {"passes": status == 0, "report": report, "matches": matches}


def play(rubric, opponent, bot, player, games):
    """The bot's numbers against an opponent, with its faults by kind. A second try has the same games, and a third."""
    *tries, last = games, games / "again", games / "again-2"
    for folder in tries:
        try:
            return played(rubric, opponent, bot, player, folder)
        except StaffFault as fault:
            warn(f"Games against {name_of(opponent)} are replayed: {fault}\n")
    return played(rubric, opponent, bot, player, last)


def played(rubric, opponent, bot, player, games):
    """As `play`, of games in this folder. Raises StaffFault."""
    out = games / (re.sub(r"[^\w.-]+", "_", name_of(opponent)) + ".jsonl")
    games.mkdir(exist_ok=True)
    players = ["--engine", *player, "--engine", *own_settings(opponent)]
    table = {**rubric["match"], "games": opponent["games"], "out": out}
    output, errors, status = match(table, *players, statuses=(0, 3))
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
            raise StaffFault(f"{fault['detail']}, see {transcript}")
    numbers = {key: own[key] or 0 for key in ("wins", "ties", "losses", "longest_ms")}
    return {**numbers, "faults": faults, "lost_by_fault": sum(own["faults"].values())}


def about(rubric, name, game, fault, out):
    """A fault in a game: what happened, the last lines of the player's stderr, the moves until then, the board."""
    text = f"game {game['id']}, move {fault['move']}: {fault['detail']}\n"
    for transcript in out.with_suffix(".faults").glob(f"game-{game['id']:06}-*.txt"):
        said, _, stderr = transcript.read_text(encoding="utf-8").partition(f"Last lines of {name} on stderr:\n")
        text += last_notes(name, said)
        text += last_lines([line[2:] for line in re.match("(  .*\n)*", stderr).group().split("\n")])
    text += " ".join(["  moves until then:", *game["moves"][: fault["move"] - 1]]) + "\n"
    rules = options({"rules": rubric["match"].get("rules", False)})
    shown, _, _ = referee("show", *rules, "--ascii", "--color=never", f"--game={game['id']}", str(out))
    boards = re.split(r"^(?=Move \d+ of \d+: )", "\n".join(shown).rpartition("\n\n")[0], flags=re.MULTILINE)
    return text + textwrap.indent(boards[fault["move"] - 1].strip(), "  ") + "\n"


def write(path, text):
    """Writes a file completely or not at all; one that has this text stays as it is."""
    content = text.encode(errors="replace")
    if not path.is_symlink() and path.is_file() and path.read_bytes() == content:
        return
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with open(part, "xb") as file:  # never through a link, or into a file of another user
        file.write(content)
    part.replace(path)


def read(path):
    return path.read_text(encoding="utf-8") if path.exists() else ""


def digest(path):
    """A hash of a file or folder of the course with all its files: names, contents, and which are programs."""
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
    """All that the games depend on but the submission and the wrapper: the rubric without its points, and its files."""
    opponents = [dict(one, points=0, full=0, steps=0) for one in rubric["opponent"]]
    table = {key: value for key, value in rubric["match"].items() if key != "wrapper"}
    course, here, found = [table, rubric["fitness"].get("only"), opponents], Path.cwd(), set()
    for word in set(words_of(course)):
        path = Path(word).resolve()
        # A program may read what is beside it.
        if path.is_file() and (path.name == "run" or here in path.parent.parents):
            path = path.parent
        if path.is_file() and path.suffix:
            found.update(path.parent.glob(f"*{path.suffix}"))
        elif path.exists() and path not in (here, *here.parents):
            found.add(path)
    found.discard(Path(rubric["match"].get("wrapper", "")).resolve())
    return repr(course) + repr([(os.path.relpath(path), digest(path)) for path in sorted(found)]), found


def announce(rubric, bots, waiting):
    """Checks the course if there is something to grade, and says how long it takes."""
    text = f"{bots} submission{'s' * (bots != 1)}, {waiting} to grade"
    if waiting:
        moves, games = check_course(rubric), [opponent["games"] for opponent in rubric["opponent"]]
        text += f", {sum(games)} games each, of about {moves} moves"
        if limit_of(rubric):
            rounds = sum(-(-number // int(rubric["match"].get("concurrency", 1))) for number in games)
            text += f": up to about {waiting * rounds * moves * limit_of(rubric) / 60:.1f} minutes, and the checks"
    say(text)


def facts_in(home):
    """The facts of an earlier run about a submission."""
    try:
        return json.loads(read(home / "results.json") or "{}").get("extra_data", {})
    except ValueError:
        return {}


def wrapper_of(rubric):
    """The folder whose `run` starts the submissions, and its hash; none if they start themselves."""
    wrapper = rubric["match"].get("wrapper")
    if wrapper and not os.access(Path(wrapper) / "run", os.X_OK):
        sys.exit(f"[match] wrapper: there is no executable file {Path(wrapper) / 'run'}")
    return wrapper, wrapper and digest(Path(wrapper))


def grade_folder(rubric, folder, out, accepts):
    """Grades all submissions of a folder; those without changes come first. What one does costs the others nothing."""
    rubric["match"].setdefault("sandbox", "on")
    bots, (course, course_files), (wrapper, version) = hand_ins(folder, out), course_of(rubric), wrapper_of(rubric)
    course_files |= {Path(wrapper)} if wrapper else set()
    out.mkdir(0o700, parents=True, exist_ok=True)  # Games have the seed, and grades are nobody else's business.
    homes, known, linked, links = homes_of(bots, out), {}, {}, {}
    for bot in bots:
        try:
            check_link(bot)
        except Refused as why:
            links[bot] = why
            continue
        try:
            digest, files = take(bot)
        except Refused as why:
            known[bot] = {**refused(rubric, why), "refused": str(why)}
            continue
        facts, key = facts_in(homes[bot]), key_of(digest, course)
        is_known = facts.get("key") == key and (accepts or facts.get("wrapper") == version)
        known[bot] = facts if is_known else {}
        for file, paths in files.items():
            linked.setdefault(file, []).extend((bot, path) for path in paths)
    ungraded = links | shared(linked, course_files)
    waiting = {bot for bot in bots if bot not in ungraded and "matches" not in known[bot]}
    announce(rubric, len(bots), len(waiting))
    for name in sorted(
        {file.parent.name for file in out.glob("*/results.json")} - {home.name for home in homes.values()}
    ):
        say(f"{out / name}: there is no submission with this name any more")
    began, rows, left = time.monotonic(), [], len(waiting)

    def write_grades():
        writer = csv.DictWriter(table := io.StringIO(), rows[0])
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["Name"]))
        write(out / "grades.csv", table.getvalue())

    for bot in sorted(bots, key=waiting.__contains__):
        name, home, facts = printable(bot.name), homes[bot], known.get(bot, {})
        news = f"not graded: {facts['refused']}" if "refused" in facts else "nothing new"
        try:
            if bot in ungraded:
                raise NoGrade(ungraded[bot])
            if bot in waiting:
                left -= 1
                facts = graded(rubric, bot, home, course, (wrapper, version))
                mean = (time.monotonic() - began) / (len(waiting) - left)
                news = f"{left} left" + (f", about {left * mean / 60:.1f} minutes" if left else "")
        except NoGrade as why:
            say(f"{name}: no grade, because {why}")
            continue
        results = {**results_of(rubric, facts), "extra_data": facts}
        rows.append(row_of(rubric, name, results))
        home.mkdir(parents=True, exist_ok=True)
        write(home / "feedback.txt", feedback(name, results))
        write(home / "results.json", json.dumps(results, indent=1) + "\n")
        if bot in waiting:
            write_grades()
        say(f"{name}: {rows[-1]['Points']:g} points; {news}")
    if rows:
        write_grades()
    if len(rows) < len(bots):
        sys.exit(f"Submissions without a grade: {len(bots) - len(rows)}. See the messages above for the reasons.")


def key_of(digest, course):
    return hashlib.sha256(f"{digest} {course}".encode()).hexdigest()


def graded(rubric, bot, home, course, wrapper):
    """The facts about a copy of a submission, in its folder. Its games are kept if they are of the same version."""
    games, copy = home / "games", home / "hand-in"
    try:
        home.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(copy, ignore_errors=True)
        key = key_of(take(bot, copy)[0], course)
        folder, version = wrapper
        played = f"{key} {version}" if folder else key
        if read(games / "version") != played:
            shutil.rmtree(games, ignore_errors=True)
            games.mkdir()
            write(games / "version", played)
        return {"key": key, "wrapper": version, **facts_of(rubric, copy, player_of(copy, folder), games)}
    except Refused as why:  # It has changed since it was read.
        return refused(rubric, why)
    except (OSError, LookupError, ValueError) as error:
        if isinstance(error, OSError) and is_full(error):
            raise
        raise NoGrade(f"grade.py has failed: {error!r}") from None


def player_of(bot, wrapper):
    """The settings that start a submission."""
    return [f"cmd={bot}", *([f"wrapper={wrapper}"] if wrapper else [])]


def has_sandbox():
    """Whether bots can play in the sandbox of the referee here."""
    return referee("check", "--only=startpos", "--sandbox=on", "cmd=random", statuses=(0, 1, 2))[2] != 2


def grade_one(rubric, args):
    """Grades one submission: in the sandbox, as another user, or, if the rubric says `sandbox = "off"`, as we are."""
    began, table, bot, user = time.monotonic(), rubric["match"], args.bot, args.user
    args.results.unlink(missing_ok=True)  # Nothing is left of an earlier run if this one fails.
    if not bot.is_dir():
        sys.exit(f"{bot}: expected a submission folder")
    try:
        check_link(bot)
    except Refused as why:
        sys.exit(f"{bot}: no grade, because {why}")
    if "sandbox" not in table and user and not has_sandbox():
        table["sandbox"] = "off"
    user = user if table.setdefault("sandbox", "on") in ("off", False) else None
    if user:
        staff = [opponent["cmd"] for opponent in rubric["opponent"] if "/" in opponent["cmd"]]
        other_user.check(user, [args.rubric, *staff], args.results)
    wrapper, _ = wrapper_of(rubric)
    check_course(rubric)
    scratch = Path(tempfile.mkdtemp())
    try:
        copy, games = scratch / "hand-in", scratch / "games"
        games.mkdir(0o700)
        take(bot, copy)
        if user:
            player = [f"cmd={other_user.program(user, copy, scratch, wrapper)}", *other_user.LIMITS]
        else:
            player = player_of(copy, wrapper)
        facts = facts_of(rubric, copy, player, games)
    except Refused as why:
        facts = refused(rubric, why)
    finally:
        if user:
            other_user.end_all(user, scratch)
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
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--user", metavar="NAME")
    args = parser.parse_args()
    if (args.results is None) == (args.out is None) or args.out and args.user:
        parser.error("expected either --out GRADES for a folder of submissions, or RESULTS.json for one submission")
    if not shutil.which("referee"):
        sys.exit("there is no program `referee` on the PATH")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        rubric = read_rubric(args.rubric)
    except (OSError, ValueError) as error:
        sys.exit(f"{args.rubric}: {error}")
    try:
        grade_folder(rubric, args.bot, args.out, args.accept) if args.out else grade_one(rubric, args)
    except (OSError, NoGrade) as error:
        sys.exit(shown(f"No grade, because {error}"))
    except KeyboardInterrupt:
        print("Interrupted. Run the same command again to resume.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
