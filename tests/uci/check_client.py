"""Checks examples/lodestone_client.py with the engine, with the example bot, and with
programs that misbehave.

    python3 check_client.py PATH_OF_LODESTONE PATH_OF_BOT
"""

import doctest
import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from lodestone_client import (
    Answer,
    Engine,
    EngineEnded,
    EngineError,
    EngineRefused,
    EngineTimeout,
    Info,
    Option,
    Score,
    parse_info,
    parse_option,
)

LODESTONE = BOT = ""
WON = "a8 h8 a7 h7 a6 h6 a5 h5".split()
#: What an engine may write between its answers.
JUNK = """
option
option name
option name A type
option name B type spin default \u00b2 min --5 max 1_0
option name C type spin default 1 min 1 max nan
option name D type spin max 99999999999999999999999
info depth \u00b2 nodes --5 time 1e3 score cp - multipv
info score
info multipv 0 score cp 4 nodes """.encode() + b"9" * 5000 + b"""
info depth 1 score mate \xff\xfe pv \xc3 \x00
id name
bestmovement \x80
info string \xe2\x82
\r\r
"""
GREETING = "input(); print('uciok', flush=True); input(); print('readyok', flush=True)"


def python(code, **settings):
    """An engine that runs this code."""
    return Engine([sys.executable, "-c", code], **settings)


def is_running(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


class WithLodestone(unittest.TestCase):
    def setUp(self):
        self.engine = Engine(LODESTONE, timeout=60)
        self.addCleanup(self.engine.close)

    def test_reads_the_greeting(self):
        self.assertRegex(self.engine.name, "^Lodestone ")
        self.assertEqual(self.engine.author, "the Lodestone developers")
        self.assertEqual(self.engine.options["Hash"], Option("Hash", "spin", "16", 1, 1048576))
        variant = self.engine.options["UCI_Variant"]
        self.assertEqual((variant.type, variant.choices), ("combo", ("magnetic-cave", "gridlock")))
        self.assertEqual(self.engine.options["Move Overhead"].max, 5000)
        self.assertEqual(self.engine.options["Clear Hash"].type, "button")

    def test_plays_a_winning_move(self):
        answer = self.engine.play(WON, seconds=1)
        self.assertEqual((answer.move, answer.info.score), ("a4", Score("win", 1)))
        self.assertTrue(answer.info.score.is_proven)
        self.assertEqual(answer.info.pv, ["a4"])
        self.assertEqual(self.engine.play([*WON, "a4"], seconds=1), Answer(None, None, Info()))
        self.assertEqual(self.engine.play(fen="x6o/x6o/x6o/x6o/8/8/8/8 x", depth=4).move, "a4")

    def test_keeps_limits(self):
        began = time.monotonic()
        answer = self.engine.play(seconds=0.2)
        self.assertTrue(0.1 < time.monotonic() - began < 30)
        self.assertGreater(answer.info.nodes, 100)
        self.assertEqual(self.engine.play(depth=3).info.depth, 3)
        self.assertLessEqual(self.engine.play(nodes=500).info.nodes, 500)
        self.assertTrue(self.engine.play(clocks=(1, 1), increments=(0.01, 0.01)).move)
        self.assertEqual(self.engine.play(depth=3, search_moves=["h3"]).move, "h3")
        with self.assertRaisesRegex(ValueError, "needs a limit"):
            self.engine.play()
        with self.assertRaisesRegex(ValueError, "needs a limit"):
            self.engine.play(search_moves=["a8"])

    def test_analyses_lines(self):
        lines = self.engine.analyse(["a8"], depth=6, lines=3)
        self.assertEqual([line.multipv for line in lines], [1, 2, 3])
        scores = [line.score.value for line in lines]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(len({line.pv[0] for line in lines}), 3)
        self.assertTrue(all(line.depth == 6 for line in lines))
        [line] = self.engine.analyse(["a8"], seconds=0.05)
        self.assertEqual(line.multipv, None)

    def test_a_refusal_leaves_the_engine_usable(self):
        with self.assertRaisesRegex(EngineRefused, "^option Hash: expected a whole number from 1 to 1048576"):
            self.engine.set_option("Hash", 0)
        with self.assertRaisesRegex(EngineRefused, "^there is no option 'Skill'; there are UCI_Variant, "):
            self.engine.set_option("Skill", 1)
        with self.assertRaisesRegex(EngineRefused, "^move 2: b6 touches neither a wall nor a brick"):
            self.engine.play(["a8", "b6"], seconds=1)
        with self.assertRaisesRegex(EngineRefused, "^FEN, character"):
            self.engine.analyse(fen="8/8 x", seconds=1, lines=2)
        self.engine.set_option("Clear Hash")
        self.engine.set_option("Ponder", True)
        self.engine.set_option("Mate Scores", True)
        self.assertEqual(self.engine.play(WON, depth=3).info.score, Score("mate", 1))

    def test_plays_both_games_against_the_bot(self):
        for variant in ("magnetic-cave", "gridlock"):
            with Engine([sys.executable, BOT], variant=variant, timeout=60) as bot:
                self.engine.set_option("UCI_Variant", variant)
                self.engine.new_game()
                moves = []
                while True:
                    player = [self.engine, bot][len(moves) % 2]
                    move = player.play(moves, seconds=0.02).move
                    if move is None:
                        break
                    moves.append(move)
                # The engine would refuse an illegal move of the bot.
                self.assertEqual(self.engine.play(moves, seconds=0.02).move, None)
                self.assertGreater(len(moves), 8)

    def test_closing_ends_the_process(self):
        with Engine(LODESTONE) as engine:
            process = engine._process
        self.assertEqual(process.returncode, 0)
        engine.close()
        with self.assertRaisesRegex(EngineEnded, "exit status 0"):
            engine.play(depth=1)


class WithTheManual(unittest.TestCase):
    def test_its_session_is_real(self):
        manual = Path(__file__).parents[2] / "docs" / "engine.md"
        folder = str(Path(LODESTONE).resolve().parent)
        os.environ["PATH"] = os.pathsep.join([folder, os.environ["PATH"]])
        flags = doctest.ELLIPSIS
        result = doctest.testfile(str(manual), module_relative=False, encoding="utf-8", optionflags=flags)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 8)


def written(option):
    """An option as the engine's grammar prints it."""
    if option is None:
        return "unreadable"
    parts = ["name", option.name, "type", option.type]
    if option.type == "spin":
        for name, value in (("default", option.default), ("min", option.min), ("max", option.max)):
            parts += [name, str(value)] if value not in ("", None) else []
    elif option.type != "button":
        parts += ["default", option.default]
    for choice in option.choices:
        parts += ["var", choice]
    return " ".join(parts).rstrip()


class WithOthers(unittest.TestCase):
    def test_reads_option_lines_as_the_engine_does(self):
        table = Path(__file__).with_name("option_lines.txt").read_text(encoding="utf-8")
        for case in table.splitlines():
            if not case.startswith("#"):
                line, expected = case.split(" => ")
                self.assertEqual(written(parse_option(line.split()[1:])), expected, line)

    def test_names_an_unreadable_option(self):
        engine = python(f"print('option name Skill type slider'); {GREETING}")
        self.addCleanup(engine.close)
        with self.assertRaisesRegex(EngineRefused, "no option 'Skill'.*; unreadable is 'option name Skill type slider'"):
            engine.set_option("Skill", 3)

    def test_junk_raises_nothing(self):
        engine = python(f"""
import sys
answers = {{"uci": b"uciok", "isready": b"readyok", "go": b"bestmove"}}
for line in sys.stdin:
    if line.split()[0] in answers:
        sys.stdout.buffer.write({JUNK!r} + answers[line.split()[0]] + b"\\n")
        sys.stdout.buffer.flush()
""")
        with engine:
            self.assertEqual(list(engine.options), ["D"])
            engine.set_option("D", 3)
            engine.new_game()
            self.assertIsNone(engine.play(["a8"], depth=1).move)
            self.assertEqual(len(engine.analyse(depth=1)), 1)

    def test_the_end_of_a_program_is_an_engine_error(self):
        methods = (
            lambda engine: engine.set_option("Hash", 1),
            lambda engine: engine.new_game(),
            lambda engine: engine.play(depth=1),
            lambda engine: engine.analyse(depth=1),
        )
        ends = ("sys.exit()", "os.close(1); sys.stdin.read()", "os.close(0); os.kill(os.getpid(), 9)")
        for end in ends:
            for method in methods:
                greeting = f"print('option name Hash type spin'); {GREETING}"
                engine = python(f"import os, sys; {greeting}; input(); {end}")
                with self.subTest(end=end), engine, self.assertRaises(EngineEnded):
                    method(engine)

    def test_names_a_program_that_cannot_start(self):
        with self.assertRaisesRegex(EngineEnded, "^cannot start ./no-such-program: "):
            Engine("./no-such-program")

    def test_names_the_exit_status(self):
        with self.assertRaisesRegex(EngineEnded, "has ended with exit status 3$"):
            python("import sys; sys.exit(3)")
        engine = python(f"{GREETING}; input(); input(); print('readyok', flush=True); import sys; sys.exit(4)")
        with self.assertRaisesRegex(EngineEnded, "has ended with exit status 4$"):
            engine.play(seconds=1)
        with self.assertRaises(EngineEnded):
            engine.play(seconds=1)
        engine.close()

    def test_kills_a_program_that_does_not_answer(self):
        with self.assertRaisesRegex(EngineTimeout, "did not write `uciok` in time"):
            python("import time; time.sleep(100)", timeout=0.2)
        with self.assertRaisesRegex(EngineTimeout, "did not write `uciok` in time"):
            python("while True: print('info depth 1')", timeout=0.2)
        engine = python(f"{GREETING}; input(); input(); print('readyok', flush=True)\nwhile True: input()", timeout=1)
        process = engine._process
        self.assertTrue(is_running(process.pid))
        with self.assertRaisesRegex(EngineTimeout, "did not write `bestmove` in time"):
            engine.play(seconds=0.05)
        self.assertIsNotNone(process.returncode)
        with self.assertRaises(EngineError):
            engine.play(seconds=0.05)
        engine.close()

    def test_kills_a_program_that_does_not_quit(self):
        engine = python(f"{GREETING}; import time\ntry: input(); time.sleep(100)\nexcept EOFError: time.sleep(100)")
        engine.close()
        self.assertIsNotNone(engine._process.returncode)

    def test_skips_unknown_words(self):
        info = parse_info("depth x score wdl 1 2 3 tbhits 4 nodes 17 score mate -2 pv a8 depth".split())
        self.assertEqual(info, Info(score=Score("mate", -2), nodes=17, pv=["a8", "depth"]))
        self.assertEqual(str(info.score), "mate -2")

    def test_a_bound_does_not_replace_an_exact_score(self):
        for score in ("cp -900 upperbound", "upperbound cp -900"):
            info = parse_info(f"depth 6 score {score} pv a8".split())
            self.assertEqual(info, Info(score=Score("cp", -900), is_bound=True, depth=6, pv=["a8"]))
            lines = f"info depth 5 score cp 30 pv a8\\ninfo depth 6 score {score} pv h8\\nbestmove a8"
            code = (
                f"import sys; {GREETING}\nfor line in sys.stdin:\n"
                " if 'isready' in line: print('readyok', flush=True)\n"
                f" if 'go' in line: print('{lines}', flush=True)"
            )
            with python(code) as engine:
                info = engine.play(depth=6).info
            self.assertEqual((info.score, info.depth, info.pv), (Score("cp", 30), 5, ["a8"]))


if __name__ == "__main__":
    LODESTONE, BOT = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
