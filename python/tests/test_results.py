"""Result files: records, boards, tables and ratings."""

import importlib.util
import json
import os
import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from referee import results
from referee.__main__ import find_program
from referee.engine import Score

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / "examples/course/games.jsonl"
#: Files with games, with which other languages are tested, too.
TABLE = ROOT / "tests/lines/games.txt"


class Files(unittest.TestCase):
    def written(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, "games.jsonl")
        path.write_text(text, encoding="utf-8")
        return path

    def test_reads_the_files_of_the_table(self):
        for line in TABLE.read_text(encoding="utf-8").splitlines()[3:]:
            case = json.loads(line)
            if not case["file"].strip().startswith("{") or "unknown" in case.get("error", ""):
                continue  # saved games, PGN, and games of a rules program
            path = self.written(case["file"])
            try:
                found = [(game.variant, game.start, " ".join(game.moves).lower()) for game in results.read(path)]
            except ValueError as error:
                self.assertIn(f", {case['error']}", str(error))
            else:
                self.assertEqual(found, [(case["variant"], case["start"], case["moves"])], line)

    def test_games_are_objects(self):
        games = results.read(COURSE)
        self.assertEqual((len(games), games.players), (40, ["ada", "fay", "ben", "emil", "dina"]))
        game = games[0]
        self.assertEqual((game.winner, game.loser, game.points("fay")), ("ada", "fay", 0.0))
        self.assertEqual(len(game.ms), len(game.moves) - game.opening_plies)
        self.assertEqual(game.movers[:3], ["ada", "fay", "ada"])
        self.assertIn("schedule", games.headers[0])
        self.assertEqual({reason for reason in (game.reason for game in games.of("emil"))}, {"time"})
        self.assertEqual(len(games.of("ada", "fay")), 4)
        self.assertEqual(len(games[:3]), 3)
        self.assertEqual(repr(games.of("ada", "ben")), "<4 games of ada, ben>")

    def test_a_match_goes_on_after_accepted_changes_of_programs(self):
        old = {"name": "nim", "cmd": ["cmd=./nim.py"], "sha256": {"nim.py": "00"}}
        first = {"engines": [], "schedule": {}, "rules": old, "wrappers": {"lib": "1"}}
        second = {**first, "rules": {**old, "sha256": {"nim.py": "ff"}}, "wrappers": {"lib": "2"}}
        self.assertFalse(results.is_same(first, second))
        second["accepted"] = [{"after": 4, "rules": old, "wrappers": {"lib": "1"}}]
        self.assertTrue(results.is_same(first, second))

    def test_limits_of_all_programs_are_those_of_each(self):
        def header(limits, **of_all):
            players = [{"name": "a", "cmd": "./a", **limits}, {"name": "b", "cmd": "human"}]
            return {"schedule": {}, "engines": players, **of_all}

        old = header({}, memory=512, max_processes=8)
        self.assertTrue(results.is_same(old, header({"memory": 512, "max_processes": 8})))
        self.assertFalse(results.is_same(old, header({"memory": 512})))
        self.assertEqual(old["memory"], 512)

    def test_boards_end_with_the_winning_line(self):
        for game in results.read(COURSE):
            boards = list(game.boards())
            self.assertEqual(len(boards), len(game.moves) + 1)
            self.assertEqual(boards[-1].count("x") + boards[-1].count("o"), len(game.moves))

    def test_games_and_players_are_those_of_the_report(self):
        lines = COURSE.read_text(encoding="utf-8").splitlines(keepends=True)
        header, games = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]

        def file(header, games):
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            path = Path(folder.name, "games.jsonl")
            path.write_text("".join(json.dumps(line) + "\n" for line in [header, *games]), encoding="utf-8")
            return path

        analysis = {"engine": {"name": "plain", "cmd": "plain"}}
        for field in ("best", "before", "after", "depth", "pv"):
            analysis[field] = [None] * len(games[2]["ms"])
        schedule = header["schedule"]
        other = {**header, "seed": 99}
        table = [
            [COURSE, COURSE],
            [file(header, games[:7])],  # it is still running
            [file(header, games[1:2])],  # most players have no games
            [COURSE, file(header, [{**games[2], "analysis": analysis}])],  # of `referee analyze --out`
            [file({**header, "schedule": {**schedule, "games": 1}}, games[:5]), COURSE],  # it has grown
            [file({**header, "schedule": {**schedule, "shard": f"{k}/2"}}, games[k::2]) for k in (0, 1)],
            [file({**header, "event": "a", "unfit": [{"name": "ben", "why": ""}]}, games[:1]), COURSE],
            [COURSE, file(other, games)],  # two matches with the same numbers
            [file(header, [*games[:4], other, *games[:4]])],
        ]
        for paths in table:
            with self.subTest(paths=paths):
                read = results.read(*paths)
                command = [find_program("referee"), "report", "--json", *paths]
                done = subprocess.run(command, capture_output=True, text=True)
                reports = [json.loads(line) for line in done.stdout.splitlines()]
                counts = Counter(game.match for game in read)
                self.assertEqual(
                    [counts[number + 1] for number in range(len(reports))], [one["games"] for one in reports]
                )
                self.assertEqual(
                    {*read.players}, {player["name"] for one in reports for player in one["players"]}
                )
                self.assertEqual(len({(game.match, game.id) for game in read}), len(read))
                if len(reports) > 1:
                    with self.assertRaisesRegex(
                        ValueError, "expected the files of one match, found 2 matches: "
                    ):
                        results.ratings(*paths)
                    continue
                for rating in results.ratings(*paths):
                    won = [game for game in read if rating.name in (game.first, game.second)]
                    self.assertEqual(
                        (rating.games, rating.points),
                        (len(won), sum(game.points(rating.name) for game in won)),
                    )
                    self.assertTrue(rating.elo is None or isinstance(rating.elo, float))
        analysed = [game for game in results.read(*table[3]) if "analysis" in game.data]
        self.assertEqual([game.id for game in analysed], [games[2]["id"]])
        self.assertEqual(
            len(results.read(file(header, [*games[:9], {"sprt": {"pairs": 2}}]))),
            sum(game["pair"] <= 2 for game in games[:9]),
        )

    def test_a_name_that_no_player_has_is_an_error(self):
        games = results.read(COURSE)
        self.assertEqual(len(games.of("ada").of("ben").of("dina")), 0)
        with self.assertRaisesRegex(
            ValueError, "there is no player 'adda'; there are ada, ben, chen, dina, emil, fay"
        ):
            games.of("adda")

    def test_a_torn_line_is_skipped_and_a_wrong_one_named(self):
        lines = COURSE.read_text(encoding="utf-8").splitlines(keepends=True)
        self.assertEqual(len(results.read(self.written("".join(lines[:3]) + lines[3][:50]))), 2)
        self.assertEqual(len(results.read(self.written("\ufeff" + lines[0] + "\n" + lines[1]))), 1)
        path = self.written(lines[0])
        path.write_bytes((lines[0] + '{"id": "ü').encode()[:-1])
        self.assertEqual(len(results.read(path)), 0)
        path = self.written(lines[0] + lines[1][:50] + "\n" + lines[2])
        with self.assertRaisesRegex(ValueError, r"games\.jsonl, line 2: "):
            results.read(path)
        with self.assertRaisesRegex(ValueError, r"line 1: expected an object, found \[\]"):
            results.read(self.written("[]\n"))
        record = json.loads(lines[1])
        with self.assertRaisesRegex(ValueError, "line 1: result: expected 1-0, 0-1, 1/2-1/2, found '\\*'"):
            results.read(self.written(json.dumps({**record, "result": "*"})))
        [game] = results.read(self.written(json.dumps({**record, "variant": "nim"})))
        with self.assertRaisesRegex(ValueError, "the rules of nim are needed"):
            list(game.boards())
        with self.assertRaisesRegex(ValueError, "'zoe' does not play in this game"):
            game.points("zoe")
        [game] = results.read(self.written(json.dumps({**record, "variant": "nim", "start": "startpos"})))

        class Start:
            def start(self):
                return 0

            def from_fen(self, text):
                raise ValueError(text)

            def play(self, position, move):
                return position + 1

            def board(self, position):
                return str(position)

        self.assertEqual(list(game.boards(Start()))[:2], ["0", "1"])
        del record["second"]
        with self.assertRaisesRegex(ValueError, "line 1: the field 'second' is missing"):
            results.read(self.written(json.dumps(record)))

    def test_files_of_strangers(self):
        header, first, *_ = COURSE.read_text(encoding="utf-8").splitlines()
        record = json.loads(first)
        old, evil = record["first"], "\x1b]0;owned\x07\u202e"
        text = f"{header}\n{first}\n".replace(json.dumps(old), json.dumps(evil))
        games = results.read(self.written(text))
        self.assertEqual(games[0].first, evil)
        for shown in (repr(games), repr(games[0]), str(games[0])):
            self.assertTrue(shown.isprintable(), shown)
        for wrong in ('{"a":' * 100_000, first[:-1] + ',"result":"0-1"}', "x" * 200):
            with self.assertRaisesRegex(ValueError, "line 2: "):
                results.read(self.written(f"{header}\n{wrong}\n"))
        if hasattr(os, "mkfifo"):
            pipe = self.written("").with_name("pipe.jsonl")
            os.mkfifo(pipe)
            for path in (pipe, "/dev/zero"):
                with self.assertRaisesRegex(ValueError, "not a file"):
                    results.read(path)

    def test_scores_and_turns_of_other_games(self):
        record = json.loads(COURSE.read_text(encoding="utf-8").splitlines()[1])
        record.update(moves=["a", "b", "c"], turns="112", opening_plies=1, ms=[1, 2.5], score=[None, "win 3"])
        [game] = results.read(self.written(json.dumps(record)))
        self.assertEqual(game.movers, ["ada", "ada", "fay"])
        self.assertEqual(game.scores, [None, Score("win", 3)])
        del record["turns"]
        record["start"] = "8/8 o"
        [game] = results.read(self.written(json.dumps(record)))
        self.assertEqual(game.movers, ["fay", "ada", "fay"])

    def test_ratings_are_those_of_the_report(self):
        table = results.ratings(COURSE)
        self.assertEqual([rating.rank for rating in table], [1, 2, 3, 4, 5])
        self.assertTrue(table[0].low < table[0].elo < table[0].high)
        self.assertEqual((table[-1].name, table[-1].points, table[-1].games), ("emil", 0.0, 16))
        with self.assertRaisesRegex(ValueError, "no-such-file.jsonl"):
            results.ratings("no-such-file.jsonl")

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_tables_of_pandas(self):
        games = results.read(COURSE)
        table = games.to_pandas()
        self.assertEqual(table.shape, (40, 13))
        self.assertEqual(table.reason.value_counts()["time"], 16)
        moves = games.to_pandas("moves")
        self.assertEqual(len(moves), sum(len(game.ms) for game in games))
        self.assertEqual(list(moves.iloc[0])[:5], [1, 1, 3, "ada", games[0].moves[2]])
        with self.assertRaisesRegex(ValueError, "unknown rows 'wins'; expected games or moves"):
            games.to_pandas("wins")


if __name__ == "__main__":
    unittest.main()
