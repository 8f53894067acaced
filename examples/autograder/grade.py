#!/usr/bin/env python3
"""Grades one bot by a rubric: `grade.py RUBRIC.toml BOT RESULTS.json`.

BOT is a player of `referee match`, such as the folder of a submission. RESULTS.json has the form of Gradescope:
https://gradescope-autograders.readthedocs.io/en/latest/specs/. If anything but the bot fails, no file is written,
and the exit status is 1. Paths in the rubric are relative to the current folder.
"""

import json
import shlex
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

NAME = "your bot"
SEATS = ("first", "second")
FOR_CHECK = ("rules", "variant", "sandbox", "sandbox-read", "proto", "each")


def settings(table, prefix=""):
    """The words of a table of settings: `st=2`, `option.size=7`."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from settings(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            yield f"{prefix}{key}={shlex.join(value)}"
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


def referee(*words, statuses=(0,), errors=None):
    """The output of a command, and its exit status. Any other status ends this program.

    Errors that are piped go to the log; a bot that does not start (status 3) has them in its output, too.
    """
    print("$", shlex.join(["referee", *words]), flush=True)
    done = subprocess.run(["referee", *words], stdout=subprocess.PIPE, stderr=errors, encoding="utf-8")
    print(done.stderr or "", end="", file=sys.stderr)
    if done.returncode not in statuses:
        sys.exit(f"the command ended with status {done.returncode}\n{done.stdout[-2000:]}")
    why = done.stderr if done.returncode == 3 else ""
    return done.stdout + (why or ""), done.returncode


def check_course(rubric, chosen):
    """Ends this program if the rules or a staff bot fail: that is no fault of the hand-in."""
    rules = chosen.get("rules")
    if rules:
        referee("rules", *(settings(rules) if isinstance(rules, dict) else [rules]), "--games", "1")
    for opponent in rubric["opponent"]:
        referee("check", *options(chosen), "--only", "startpos", *settings(own_settings(opponent)))


def check(rubric, bot):
    """The test for the fitness, and whether the bot starts at all."""
    chosen = {key: value for key, value in rubric["match"].items() if key in FOR_CHECK}
    if "st" not in chosen.get("each", {}):  # a check is at a time for each move
        chosen.pop("each", None)
    check_course(rubric, chosen)
    only = [word for name in rubric["fitness"].get("only", ()) for word in ("--only", name)]
    words = ["check", *options(chosen), *only, f"cmd={bot}", f"name={NAME}"]
    text, status = referee(*words, statuses=(0, 1, 3), errors=subprocess.PIPE)
    points = rubric["fitness"]["points"]
    test = {"name": "Plays by the rules (referee check)", "max_score": points, "output": text}
    return {**test, "score": points if status == 0 else 0}, status != 3 and "FAIL  handshake" not in text


def own_settings(opponent):
    """The settings of an opponent without what the rubric says of it."""
    return {key: value for key, value in opponent.items() if key not in ("games", "points", "full", "steps")}


def play(rubric, opponent, bot):
    """The player's numbers against an opponent, and the games, as in the output of `referee match --json`."""
    match = {**rubric["match"], "games": opponent["games"]}
    players = ["--engine", f"cmd={bot}", f"name={NAME}", "--engine", *settings(own_settings(opponent))]
    text, _ = referee("match", "--json", *options(match), *players)
    events = [json.loads(line) for line in text.splitlines()]
    numbers = next(player for player in events[-1]["players"] if player["name"] == NAME)
    return numbers, [event for event in events if event["event"] == "game"]


def against(opponent, numbers):
    """The test for the games against an opponent."""
    name = opponent.get("name") or Path(opponent["cmd"]).name
    games, steps = opponent["games"], opponent.get("steps")
    share = (numbers["wins"] + numbers["ties"] / 2) / games
    if steps:
        most = max(points for _, points in steps)
        score = max((points for least, points in steps if share >= least), default=0)
        need = ", ".join(f"{points} points for {least:.0%}" for least, points in steps)
    else:
        most, full = opponent["points"], opponent.get("full", 1)
        score = round(most * min(1, share / full), 2)
        need = f"{most} points for {full:.0%}, and in proportion for less"
    text = f"won {numbers['wins']}, drew {numbers['ties']}, lost {numbers['losses']} of {games} games: {share:.0%}\n"
    return {"name": f"Against {name}", "max_score": most, "score": score, "output": f"{text}{need}\n"}


def faults_of(numbers):
    """The number of faults of each kind, with those in whose place a random move was played."""
    return Counter(numbers["faults"]) + Counter(numbers.get("replaced", {}))


def fault_report(faults, games):
    """A line for each kind of fault, then the first sentences about the bot of some games."""
    lines = [f"{kind}: {count}\n" for kind, count in faults.items()]
    for game in games:
        own = [fault["detail"] for fault in game.get("faults", ()) if game[SEATS[fault["player"] - 1]] == NAME]
        if game["reason"] in faults and NAME in game["detail"]:
            own.append(game["detail"])
        lines += [f"game {game['id']}: {sentence}\n" for sentence in own[:1]]
    return "".join(lines[: len(faults) + 3])


def grade(rubric, bot):
    """The results in the form of Gradescope."""
    began = time.monotonic()
    fitness, starts = check(rubric, bot)
    tests, won, played, faults, slowest, reports = [fitness], 0, 0, Counter(), 0, []
    for opponent in rubric["opponent"]:
        numbers, games = {"wins": 0, "ties": 0, "losses": 0, "faults": {}}, []
        if starts:
            numbers, games = play(rubric, opponent, bot)
        tests.append(against(opponent, numbers))
        won, played = won + numbers["wins"] + numbers["ties"] / 2, played + opponent["games"]
        found = faults_of(numbers)
        faults += found
        slowest = max(slowest, numbers.get("longest_ms") or 0)
        if found:
            reports.append(f"{tests[-1]['name']}\n{fault_report(found, games)}")
    most, each = rubric["faults"]["points"], rubric["faults"]["each"]
    score = max(0, most - each * sum(faults.values())) if starts else 0
    text = "".join(reports) or ("none\n" if starts else "it does not start, so it has not played\n")
    tests.append({"name": "Games without a fault", "max_score": most, "score": score, "output": text})
    leaderboard = [
        {"name": "Points", "value": round(sum(test["score"] for test in tests), 2)},
        {"name": "Won (%)", "value": round(100 * won / played, 1)},
        {"name": "Faults", "value": sum(faults.values()), "order": "asc"},
        {"name": "Slowest move (ms)", "value": round(slowest), "order": "asc"},
    ]
    return {"execution_time": round(time.monotonic() - began), "tests": tests, "leaderboard": leaderboard}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    rubric = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    results = grade(rubric, sys.argv[2])
    Path(sys.argv[3]).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for test in results["tests"]:
        print(f"{test['score']:6} of {test['max_score']}  {test['name']}")


if __name__ == "__main__":
    main()
