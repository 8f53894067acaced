"""Result files: records, boards, tables and ratings."""

import importlib.util
import json
import tempfile
import unittest
from pathlib import Path

from lodestone import results
from lodestone.engine import Score

COURSE = Path(__file__).resolve().parents[2] / "examples/course/games.jsonl"


class Files(unittest.TestCase):
    def written(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, "games.jsonl")
        path.write_text(text, encoding="utf-8")
        return path

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

    def test_boards_end_with_the_winning_line(self):
        for game in results.read(COURSE):
            boards = list(game.boards())
            self.assertEqual(len(boards), len(game.moves) + 1)
            self.assertEqual(boards[-1].count("x") + boards[-1].count("o"), len(game.moves))

    def test_a_game_in_two_files_counts_once(self):
        self.assertEqual(len(results.read(COURSE, COURSE)), 40)

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
        del record["second"]
        with self.assertRaisesRegex(ValueError, "line 1: the field 'second' is missing"):
            results.read(self.written(json.dumps(record)))

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
        self.assertEqual(table.shape, (40, 12))
        self.assertEqual(table.reason.value_counts()["time"], 16)
        moves = games.to_pandas("moves")
        self.assertEqual(len(moves), sum(len(game.ms) for game in games))
        self.assertEqual(list(moves.iloc[0])[:4], [1, 3, "ada", games[0].moves[2]])
        with self.assertRaisesRegex(ValueError, "unknown rows 'wins'; expected games or moves"):
            games.to_pandas("wins")


if __name__ == "__main__":
    unittest.main()
