"""Reads games with python-chess and compares them with the result files.

usage: check.py GAMES.pgn RESULTS.jsonl...
"""

import json
import re
import sys

import chess.pgn

pgn, *files = sys.argv[1:]
records = {}
for file in files:
    for line in open(file, encoding="utf-8"):
        record = json.loads(line)
        if "moves" in record:
            records.setdefault(record["id"], record)
expected = [record for _, record in sorted(records.items())]


def all_of(read):
    with open(pgn, encoding="utf-8") as games:
        return list(iter(lambda: read(games), None))


def unescaped(value):
    return re.sub(r"\\(.)", r"\1", value)  # python-chess leaves tags as they are


headers = all_of(chess.pgn.read_headers)
assert len(headers) == len(expected) > 0, (len(headers), len(expected))
for tags, record in zip(headers, expected):
    read = [unescaped(tags[name]) for name in ("White", "Black", "Result", "Start")]
    assert read == [record[field] for field in ("first", "second", "result", "start")], read
    assert tags["PlyCount"] == str(len(record["moves"]))

games = all_of(chess.pgn.read_game)
assert len(games) == len(expected)
for game, record in zip(games, expected):
    assert not game.errors, game.errors
    comment = re.sub(r'pv="[^"]*"', "", game.comment)  # facts of `--record`
    moves = re.findall(r"(?<!\S)(?:[a-h][1-8]){1,2}(?!\S)", comment)
    assert moves == record["moves"], game.comment

names = sorted({unescaped(tags["White"]) for tags in headers})
print(f"{len(games)} games of {', '.join(names)}: all as in the result files")
