"""What submissions are worth: reads the rubric, gives points for facts, and writes the feedback."""

import re
import textwrap
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

ADVICE = {
    "time": "The answer came too late. Look at the clock more often, and stop the search a little earlier.",
    "cpu": "The move used too much processor time, with all threads together. Search less, or with fewer threads.",
    "stall": "No answer came, even a second later. Look for an endless loop, and for a search without a clock.",
    "illegal": "The move is not legal. Compare the board in your program with the moves of the game, one by one.",
    "garbage": "The answer is not a move. Look at what your program returns in this position.",
    "crash": "The program ended. If there is an error message, it names the file and the line.",
}
# Sentences of the referee about the protocol and the machine, as patterns, and what students read instead.
FOR_STUDENTS = {
    r"(?m)^referee: warning.*\n": "",
    r"(sent no|did not write) `(uciok|readyok)`": "was not ready to play",
    r"; it has written nothing since `go`[^;\n]*": "",
    r"; an answer is (a line such as )?`bestmove [^`]*`[^;\n]*": "",
    r"; a bot must read commands in a loop until `quit`": "; a bot has to run until the course ends it",
    r"an earlier `go`; send exactly one `bestmove` per `go`": "an earlier question",
    r": does the bot play all the moves of [^;\n]*": "",
    r"; `--sandbox-read [^;\n]*": "",
    r"(?m)^referee: `hand-in` has no executable `run`[^\n]*": "your submission has no executable `run`, which starts a bot",
}
SETTINGS = "args dir wrapper name proto st first tc depth nodes timemargin onfault starttime restart sandbox"
SETTINGS = (*SETTINGS.split(), "sandbox-read", "cpu-time", "cpu-move", "memory", "max-processes", "stderr", "option")  # of a player

# The keys of the rubric: what Python prints of their values, as a pattern and in words.
NUMBER, SHARE = r"\d+(\.\d+)?", r"(0\.\d+|0|1|1\.0)"
KEYS = {
    "match": ("{.*}", "a table [match]"),
    "fitness": ("{.*}", "a table [fitness]"),
    "faults": ("{.*}", "a table [faults]"),
    "opponent": (r"\[{.*}\]", "tables [[opponent]]"),
    "cmd": ("'.+'", 'a player, such as "random"'),
    "games": (r"[1-9]\d*[02468]|[2468]", "an even number from 2, because each opening is played with both colours"),
    "points": (NUMBER, "a number from 0"),
    "each": (NUMBER, "a number from 0"),
    "full": (r"0\.0*[1-9]\d*|1|1\.0", "a share above 0, up to 1"),
    "steps": (rf"\[(\[{SHARE}, {NUMBER}\](, )?)+\]", "shares and their points, such as [[0.5, 10]]"),
    "only": (r"\['.*'\]", 'a list of checks, such as ["startpos"]'),
}


def check_keys(table, where, needed, optional):
    """Raises ValueError for the first key that is missing or wrong. The referee checks the values of settings."""
    for key, value in table.items():
        if key in KEYS and key in needed + optional:
            pattern, expected = KEYS[key]
            if not re.fullmatch(pattern, repr(value), re.DOTALL):
                raise ValueError(f"{where}{key}: expected {expected}, found {value!r}")
        elif key not in optional:
            raise ValueError(f"{where}{key}: unknown key; expected {', '.join(needed + optional)}")
    for key in needed:
        if key not in table:
            raise ValueError(f"{where}{key} is missing: expected {KEYS[key][1]}")


def read_rubric(file):
    """The rubric. Raises ValueError for an error; the referee finds those in options and settings."""
    rubric = tomllib.loads(Path(file).read_text(encoding="utf-8-sig"))
    check_keys(rubric, "", ("match", "fitness", "opponent", "faults"), ())
    check_keys(rubric["fitness"], "[fitness] ", ("points",), ("only",))
    check_keys(rubric["faults"], "[faults] ", ("points", "each"), ())
    names = []
    for place, one in enumerate(rubric["opponent"], 1):
        where = f"[[opponent]] {place}, "
        check_keys(one, where, ("cmd", "games", "steps" if "steps" in one else "points"), ("full", *SETTINGS))
        if "/" in one["cmd"] and not Path(one["cmd"]).exists():
            raise ValueError(f"{where}cmd: there is no file or folder {one['cmd']}")
        if name_of(one) in names:
            raise ValueError(f"{where}name: there is another opponent {name_of(one)}; give this one another `name`")
        names.append(name_of(one))
    return rubric


def name_of(opponent):
    return str(opponent.get("name") or Path(opponent["cmd"]).name)


def limit_of(rubric):
    """The seconds of a move, if that is what the rubric gives all players."""
    each = rubric["match"].get("each")
    limit = each.get("st") if isinstance(each, dict) else None
    return limit if isinstance(limit, (int, float)) else None


def share(opponent, numbers):
    """The share of the points of the games."""
    return (numbers.get("wins", 0) + numbers.get("ties", 0) / 2) / opponent["games"]


def last_lines(stderr):
    """The last lines of stderr, without those that only mark a place in the line before."""
    return "".join(f"  {line}\n" for line in [line for line in stderr if line.strip(" ^~")][-7:])


def last_notes(name, transcript):
    """What a wrapper has given its agent in the last move, and the answer: lines `info string > input.txt | …`."""
    said = transcript.rpartition(f" > {name}: go ")[2]
    return "".join(f"  {note}\n" for note in re.findall(f" < {re.escape(name)}: info string ([<>] .*)", said)[-40:])


def against(opponent, numbers):
    """The test for the games against an opponent."""
    won, steps = share(opponent, numbers), opponent.get("steps")
    if steps:
        most = max(points for _, points in steps)
        score = max((points for least, points in steps if won >= least), default=0)
        need = ", ".join(f"{points:g} for at least {least:.0%}" for least, points in steps)
    else:
        most, full = opponent["points"], opponent.get("full", 1)
        score = round(most * min(1, won / full), 2)
        need = f"{most:g} for {'at least ' if full < 1 else ''}{full:.0%}, in proportion for less"
    text = numbers.get("problem")
    if not text:
        text = f"Games of your bot: {numbers['wins']} won, {numbers['ties']} drawn, {numbers['losses']} lost"
        text += f" ({numbers['lost_by_fault']} by a fault)" if numbers["lost_by_fault"] else ""
        text += f": {won:.0%} of the points of the games.\n"
    text += f"Points for this test: {need}.\n"
    return {"name": f"Against {name_of(opponent)}", "max_score": most, "score": score, "output": text}


def without_fault(rubric, matches):
    """The test for games without a fault, and the number of faults."""
    most, each, kinds = rubric["faults"]["points"], rubric["faults"]["each"], {}
    for opponent, numbers in zip(rubric["opponent"], matches):
        for kind, (more, text) in numbers.get("faults", {}).items():
            count, first = kinds.get(kind, (0, f"Against {name_of(opponent)}, {text}"))
            kinds[kind] = (count + more, first)
    total = sum(count for count, _ in kinds.values())
    parts = [f"{count} × {kind}: {ADVICE.get(kind, '')}\n{text}" for kind, (count, text) in kinds.items()]
    score = max(0, round(most - each * total, 2))
    games = sum(opponent["games"] for opponent in rubric["opponent"])
    if sum(numbers.get("lost_by_fault", 0) for numbers in matches) == games:
        score = 0
    if any("problem" in numbers for numbers in matches):
        score, parts = 0, [*parts, "Your bot has not played all its games.\n"]
    elif not total:
        parts = ["No fault.\n"]
    slowest, limit = max(numbers.get("longest_ms", 0) for numbers in matches), limit_of(rubric)
    if slowest:
        more = ", or more where no answer came" if "stall" in kinds else ""
        margin = rubric["match"]["each"].get("timemargin") if limit else None
        allowed = f"; the limit is {limit:g} s" if limit else ""
        allowed += f", and {margin} ms more are tolerated" if margin else ""
        parts.append(f"Slowest move: {slowest / 1000:.3f} s{more}{allowed}.\n")
    text = "\n".join(parts)
    text += f"Points for this test: {most:g}, minus {each:g} per fault; 0 if all games are lost by faults.\n"
    return {"name": "Games without a fault", "max_score": most, "score": score, "output": text}, total


def results_of(rubric, facts):
    """The results in the form of Gradescope."""
    points, matches = rubric["fitness"]["points"], facts["matches"]
    first = {"name": "Plays by the rules (referee check)", "max_score": points, "output": facts["report"]}
    last, faults = without_fault(rubric, matches)
    tests = [{**first, "score": points if facts["passes"] else 0}, *map(against, rubric["opponent"], matches), last]
    won = [share(opponent, numbers) * opponent["games"] for opponent, numbers in zip(rubric["opponent"], matches)]
    games = sum(opponent["games"] for opponent in rubric["opponent"])
    slowest = max(numbers.get("longest_ms", 0) for numbers in matches)
    leaderboard = [
        {"name": "Points", "value": round(sum(test["score"] for test in tests), 2)},
        {"name": "Won (%)", "value": round(100 * sum(won) / games, 1)},
        {"name": "Faults", "value": faults, "order": "asc"},
        {"name": "Slowest move (ms)", "value": round(slowest), "order": "asc"},
    ]
    return {"tests": tests, "leaderboard": leaderboard}


def feedback(name, results):
    """The text for a student."""
    tests = results["tests"]
    most = sum(test["max_score"] for test in tests)
    lines = [f"{name}: {results['leaderboard'][0]['value']:g} of {most:g} points", ""]
    lines += [f"{test['score']:>6g} of {test['max_score']:>3g}  {test['name']}" for test in tests]
    for test in tests:
        lines += ["", "", test["name"], "-" * len(test["name"])]
        for line in test["output"].splitlines():
            indent = re.match(" *", line).group()
            lines += textwrap.wrap(line, 88, subsequent_indent=indent, break_long_words=False) or [""]
    return "\n".join(lines) + "\n"


def row_of(rubric, name, results):
    """The line of grades.csv, by column."""
    # An apostrophe, so that no spreadsheet takes the name for a formula.
    row = {"Name": f"'{name}" if name[0] in "=+-@" else name}
    row.update((leader["name"], leader["value"]) for leader in results["leaderboard"])
    row.update((test["name"], test["score"]) for test in results["tests"])
    for opponent, numbers in zip(rubric["opponent"], results["extra_data"]["matches"]):
        row[f"Won against {name_of(opponent)} (%)"] = round(100 * share(opponent, numbers), 1)
    return row
