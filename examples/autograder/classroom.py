#!/usr/bin/env python3
"""Shows RESULTS.json of grade.py in GitHub: `classroom.py RESULTS.json`.

Appends Markdown to $GITHUB_STEP_SUMMARY, and to $GITHUB_OUTPUT a line `result=…` for the reporter of GitHub
Classroom, https://github.com/classroom-resources/autograding-grading-reporter.
"""

import base64
import json
import os
import re
import sys

LONGEST = 20_000  # characters of a text in the summary, which may have 1 MiB


def fenced(text):
    """A block of text in Markdown, whatever the text has."""
    text = text[:LONGEST].replace("\r", "\n")
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


def word(text):
    """A text in a line of Markdown or HTML, without a meaning for either."""
    return "".join(sign if sign.isalnum() or sign in " ()%.,-" else f"&#{ord(sign)};" for sign in text)


def markdown(tests):
    total, most = sum(test["score"] for test in tests), sum(test["max_score"] for test in tests)
    lines = [f"### {total:g} of {most:g} points\n", "| | points | of |", "|---|---:|---:|"]
    lines += [f"| {word(test['name'])} | {test['score']:g} | {test['max_score']:g} |" for test in tests]
    for test in tests:
        lines.append(f"\n<details><summary>{word(test['name'])}</summary>\n\n{fenced(test['output'])}\n</details>")
    return "\n".join(lines) + "\n"


def reported(tests):
    """What a runner of GitHub Classroom reports, in base64."""
    verdicts = [("pass" if test["score"] == test["max_score"] else "fail", test) for test in tests]
    result = {
        "version": 1,
        "status": "pass" if all(verdict == "pass" for verdict, _ in verdicts) else "fail",
        "max_score": sum(test["max_score"] for test in tests),
        "tests": [
            {"name": test["name"], "status": verdict, "score": test["score"], "message": "", "test_code": ""}
            | {"filename": "", "line_no": 0, "duration": 0}
            for verdict, test in verdicts
        ],
    }
    return base64.b64encode(json.dumps(result).encode()).decode()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    for variable, text in (("GITHUB_STEP_SUMMARY", markdown(tests)), ("GITHUB_OUTPUT", f"result={reported(tests)}\n")):
        with open(os.environ[variable], "a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
