"""Engines: with `lodestone`, with the example bot, and with programs that misbehave."""

import asyncio
import gc
import os
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

from lodestone.aio import AsyncEngine
from lodestone.engine import (
    Engine,
    EngineError,
    EngineTerminatedError,
    EngineTimeoutError,
    Info,
    Limit,
    Option,
    PlayResult,
    Score,
    parse_info,
    parse_option,
)

ROOT = Path(__file__).resolve().parents[2]
BOT = ROOT / "examples/bot.py"
WON = "a8 h8 a7 h7 a6 h6 a5 h5".split()
#: What an engine may write between its answers.
JUNK = (
    """
option
option name
option name A type
option name B type spin default \u00b2 min --5 max 1_0
option name C type spin default 1 min 1 max nan
option name D type spin max 99999999999999999999999
info depth \u00b2 nodes --5 time 1e3 score cp - multipv
info score
info multipv 0 score cp 4 nodes """.encode()
    + b"9" * 5000
    + b"""
info depth 1 score mate \xff\xfe pv \xc3 \x00
id name
bestmovement \x80
info string \xe2\x82
\r\r
"""
)
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


def is_alive(process_id):
    """Whether a process runs; one that only waits for its parent does not."""
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class WithLodestone(unittest.TestCase):
    def setUp(self):
        self.engine = Engine("lodestone", timeout=60)
        self.addCleanup(self.engine.close)

    def test_reads_the_greeting(self):
        self.assertRegex(self.engine.id["name"], "^Lodestone ")
        self.assertEqual(self.engine.id["author"], "the Lodestone developers")
        self.assertEqual(self.engine.options["Hash"], Option("Hash", "spin", 16, 1, 1048576))
        variant = self.engine.options["UCI_Variant"]
        self.assertEqual((variant.type, variant.var), ("combo", ("magnetic-cave", "gridlock")))
        self.assertEqual(self.engine.options["Move Overhead"].max, 5000)
        self.assertEqual(self.engine.options["Clear Hash"].type, "button")

    def test_plays_a_winning_move(self):
        answer = self.engine.play(WON, Limit(time=1))
        self.assertEqual((answer.move, answer.info.score), ("a4", Score("win", 1)))
        self.assertTrue(answer.info.score.is_proven)
        self.assertEqual(answer.info.pv, ["a4"])
        self.assertEqual(self.engine.play([*WON, "a4"], Limit(time=1)), PlayResult(None, None, Info()))
        self.assertEqual(self.engine.play([], Limit(depth=4), fen="x6o/x6o/x6o/x6o/8/8/8/8 x").move, "a4")

    def test_keeps_limits(self):
        began = time.monotonic()
        answer = self.engine.play([], Limit(time=0.2))
        self.assertTrue(0.1 < time.monotonic() - began < 30)
        self.assertGreater(answer.info.nodes, 100)
        self.assertEqual(self.engine.play([], Limit(depth=3)).info.depth, 3)
        self.assertLessEqual(self.engine.play([], Limit(nodes=500)).info.nodes, 500)
        self.assertTrue(
            self.engine.play([], Limit(white_clock=1, black_clock=1, white_inc=0.01, black_inc=0.01)).move
        )
        self.assertEqual(self.engine.play([], Limit(depth=3), root_moves=["h3"]).move, "h3")
        self.assertTrue(self.engine.play([], Limit(white_clock=9, black_clock=9, remaining_moves=30)).move)
        with self.assertRaisesRegex(ValueError, "the limit is empty"):
            self.engine.play([], Limit())

    def test_analyses_lines(self):
        lines = self.engine.analyse(["a8"], Limit(depth=6), multipv=3)
        self.assertEqual([line.multipv for line in lines], [1, 2, 3])
        scores = [line.score.value for line in lines]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(len({line.pv[0] for line in lines}), 3)
        self.assertTrue(all(line.depth == 6 for line in lines))
        self.assertEqual(self.engine.analyse(["a8"], Limit(time=0.05)).multipv, None)

    def test_a_refusal_leaves_the_engine_usable(self):
        with self.assertRaisesRegex(EngineError, "^option Hash: expected a whole number from 1 to 1048576"):
            self.engine.configure({"Hash": 0})
        with self.assertRaisesRegex(EngineError, "^there is no option 'Skill'; there are UCI_Variant, "):
            self.engine.configure({"Skill": 1})
        with self.assertRaisesRegex(EngineError, "^move 2: b6 touches neither a wall nor a brick"):
            self.engine.play(["a8", "b6"], Limit(time=1))
        with self.assertRaisesRegex(EngineError, "^FEN, character"):
            self.engine.analyse([], Limit(time=1), fen="8/8 x", multipv=2)
        self.engine.configure({"Clear Hash": None, "Ponder": True, "Mate Scores": True})
        self.assertEqual(self.engine.play(WON, Limit(depth=3)).info.score, Score("mate", 1))

    def test_plays_both_games_against_the_bot(self):
        for variant in ("magnetic-cave", "gridlock"):
            with Engine([sys.executable, str(BOT)], variant=variant, timeout=60) as bot:
                self.engine.configure({"UCI_Variant": variant})
                self.engine.new_game()
                moves = []
                while True:
                    player = [self.engine, bot][len(moves) % 2]
                    move = player.play(moves, Limit(time=0.02)).move
                    if move is None:
                        break
                    moves.append(move)
                # The engine would refuse an illegal move of the bot.
                self.assertEqual(self.engine.play(moves, Limit(time=0.02)).move, None)
                self.assertGreater(len(moves), 8)

    def test_closing_ends_the_process(self):
        with Engine("lodestone") as engine:
            process = engine._process
        self.assertEqual(process.returncode, 0)
        engine.close()
        with self.assertRaisesRegex(EngineTerminatedError, "exit status 0"):
            engine.play([], Limit(depth=1))


def written(option):
    """An option as the engine's grammar prints it."""
    if option is None:
        return "unreadable"
    parts = ["name", option.name, "type", option.type]
    if option.type == "check":
        parts += ["default", str(option.default).lower()]
    elif option.type == "spin":
        for name, value in (("default", option.default), ("min", option.min), ("max", option.max)):
            parts += [name, str(value)] if value not in ("", None) else []
    elif option.type != "button":
        parts += ["default", option.default]
    for choice in option.var:
        parts += ["var", choice]
    return " ".join(parts).rstrip()


class WithOthers(unittest.TestCase):
    def test_reads_option_lines_as_the_engine_does(self):
        table = (ROOT / "tests/uci/option_lines.txt").read_text(encoding="utf-8")
        for case in table.splitlines():
            if not case.startswith("#"):
                line, expected = case.split(" => ")
                self.assertEqual(written(parse_option(line.split()[1:])), expected, line)

    def test_names_an_unreadable_option(self):
        engine = python(f"print('option name Skill type slider'); {GREETING}")
        self.addCleanup(engine.close)
        with self.assertRaisesRegex(
            EngineError, "no option 'Skill'.*; unreadable is 'option name Skill type slider'"
        ):
            engine.configure({"Skill": 3})

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
            engine.configure({"D": 3})
            engine.new_game()
            self.assertIsNone(engine.play(["a8"], Limit(depth=1)).move)
            self.assertEqual(engine.analyse([], Limit(depth=1)).pv[-1:], ["\x00"])

    def test_the_end_of_a_program_is_an_engine_error(self):
        methods = (
            lambda engine: engine.configure({"Hash": 1}),
            lambda engine: engine.new_game(),
            lambda engine: engine.play([], Limit(depth=1)),
            lambda engine: engine.analyse([], Limit(depth=1)),
        )
        ends = ("sys.exit()", "os.close(1); sys.stdin.read()", "os.close(0); os.kill(os.getpid(), 9)")
        for end in ends:
            for method in methods:
                greeting = f"print('option name Hash type spin'); {GREETING}"
                engine = python(f"import os, sys; {greeting}; input(); {end}")
                with self.subTest(end=end), engine, self.assertRaises(EngineTerminatedError):
                    method(engine)

    def test_names_a_program_that_cannot_start(self):
        with self.assertRaisesRegex(EngineTerminatedError, "^cannot start ./no-such-program: "):
            Engine("./no-such-program")

    def test_names_the_exit_status(self):
        with self.assertRaisesRegex(EngineTerminatedError, "has ended with exit status 3$"):
            python("import sys; sys.exit(3)")
        engine = python(
            f"{GREETING}; input(); input(); print('readyok', flush=True); import sys; sys.exit(4)"
        )
        with self.assertRaisesRegex(EngineTerminatedError, "has ended with exit status 4$"):
            engine.play([], Limit(time=1))
        with self.assertRaises(EngineTerminatedError):
            engine.play([], Limit(time=1))
        engine.close()

    def test_kills_a_program_that_does_not_answer(self):
        with self.assertRaisesRegex(EngineTimeoutError, "did not write `uciok` in time"):
            python("import time; time.sleep(100)", timeout=0.2)
        with self.assertRaisesRegex(EngineTimeoutError, "did not write `uciok` in time"):
            python("while True: print('info depth 1')", timeout=0.2)
        engine = python(
            f"{GREETING}; input(); input(); print('readyok', flush=True)\nwhile True: input()", timeout=1
        )
        process = engine._process
        self.assertTrue(is_running(process.pid))
        with self.assertRaisesRegex(EngineTimeoutError, "did not write `bestmove` in time"):
            engine.play([], Limit(time=0.05))
        self.assertIsNotNone(process.returncode)
        with self.assertRaises(EngineError):
            engine.play([], Limit(time=0.05))
        engine.close()

    def test_kills_a_program_that_does_not_quit(self):
        engine = python(
            f"{GREETING}; import time\ntry: input(); time.sleep(100)\nexcept EOFError: time.sleep(100)"
        )
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
                info = engine.play([], Limit(depth=6)).info
            self.assertEqual((info.score, info.depth, info.pv), (Score("cp", 30), 5, ["a8"]))


class Searching(unittest.TestCase):
    """Searches that are watched, stopped and cancelled."""

    def test_an_analysis_ends_when_it_is_stopped(self):
        with Engine("lodestone", timeout=60) as engine:
            with engine.analysis(["a8"], multipv=2) as analysis:
                for info in analysis:
                    if info.multipv == 2 and info.depth == 4:
                        break
            self.assertEqual([info.multipv for info in analysis.multipv], [1, 2])
            self.assertEqual(analysis.wait().move, analysis.info.pv[0])
            self.assertEqual(list(analysis), [])
            analysis.stop()
            self.assertEqual(engine.play(WON, Limit(time=1)).move, "a4")

    def test_each_call_ends_a_search_that_is_running(self):
        with Engine("lodestone", timeout=60) as engine:
            calls = (
                engine.ping,
                engine.new_game,
                lambda: engine.query("gameover"),
                lambda: engine.configure({"hash": 2}),
                lambda: self.assertEqual(engine.play(WON, Limit(time=1)).move, "a4"),
                lambda: self.assertEqual(engine.analysis(WON, Limit(depth=1)).wait().move, "a4"),
            )
            for call in calls:
                analysis = engine.analysis(["a8"])
                for info in analysis:
                    if info.depth >= 2:
                        break  # as after an exception, or the keys Ctrl and C
                call()
                self.assertEqual(list(analysis), [])
                self.assertGreaterEqual(analysis.wait().info.depth, 2)

    def test_an_interrupted_call_leaves_the_engine_usable(self):
        with Engine("lodestone", timeout=60) as engine:
            read = engine._read
            engine._read = mock.Mock(side_effect=KeyboardInterrupt)
            for call in (engine.ping, lambda: engine.configure({"Hash": 0}), engine.new_game):
                with self.assertRaises(KeyboardInterrupt):
                    call()
            engine._read = read
            # The answers to these calls are not taken for the answer to the next.
            with self.assertRaisesRegex(EngineError, "Hash: expected"):
                engine.ping()
            self.assertEqual(engine.query("gameover", WON), "false")
            self.assertTrue(engine._lines.empty())

    def test_threads_wait_for_each_other(self):
        with Engine("lodestone", timeout=60) as engine, ThreadPoolExecutor(4) as pool:
            results = pool.map(lambda _: engine.play(WON, Limit(depth=4)).move, range(40))
            self.assertEqual(set(results), {"a4"})

    def test_number_of_lines_is_that_of_the_call(self):
        with Engine("lodestone", timeout=60) as engine:
            limit = Limit(depth=2)
            engine.configure({"MultiPV": 3})
            self.assertEqual(len(engine.analyse([], limit, multipv=1)), 1)
            analysis = engine.analysis([], limit)
            analysis.wait()
            self.assertEqual(len(analysis.multipv), 3)
            for _ in range(2):
                with self.assertRaisesRegex(EngineError, "MultiPV: expected"):
                    engine.analyse([], limit, multipv=99999)
            with self.assertRaisesRegex(ValueError, "multipv: expected 1 or more, found 0"):
                engine.analyse([], limit, multipv=0)
            self.assertEqual(len(engine.analyse(["a8"], limit, multipv=5)), 5)

    def test_errors_during_a_search_are_raised_at_its_end(self):
        with Engine("lodestone", timeout=60) as engine:
            with self.assertRaisesRegex(EngineError, "e4 touches neither a wall nor a brick"):
                engine.play([], Limit(depth=1), root_moves=["e4"])
            self.assertEqual(engine.play(WON, Limit(time=1)).move, "a4")

    def test_wrong_arguments_are_named(self):
        with Engine("lodestone", timeout=60) as engine:
            table = [
                (
                    TypeError,
                    r"expected a Limit, such as Limit\(time=0.1\), found 0.1",
                    lambda: engine.play([], 0.1),
                ),
                (
                    TypeError,
                    "expected a list of texts.* found 'a8 h8'",
                    lambda: engine.play("a8 h8", Limit(depth=1)),
                ),
                (TypeError, "expected a list of texts", lambda: engine.play([1, 2], Limit(depth=1))),
                (ValueError, "without line ends", lambda: engine.play(["a8\nquit"], Limit(depth=1))),
                (ValueError, "without line ends", lambda: engine.play([], Limit(depth=1), fen="x\nquit")),
                (ValueError, "without line ends", lambda: engine.configure({"Hash": "1\nquit"})),
            ]
            for kind, text, call in table:
                self.assertRaisesRegex(kind, text, call)
            engine.ping()
        with self.assertRaisesRegex(ValueError, "the command is empty"):
            Engine([])
        with self.assertRaisesRegex(EngineTerminatedError, "cannot start no-such-program"):
            Engine(Path("no-such-program"))

    @unittest.skipUnless(sys.platform == "linux", "reads /proc")
    def test_no_process_outlives_the_engine(self):
        code = f"import subprocess, time; child = subprocess.Popen(['sleep', '1000']); print('id name', child.pid); {GREETING}"
        for end in (Engine.quit, lambda engine: None):
            engine = python(f"{code}; time.sleep(1000)")
            processes = [engine._process.pid, int(engine.id["name"])]
            end(engine)
            del engine
            gc.collect()
            for process in processes:
                deadline = time.monotonic() + 60
                while is_alive(process):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)

    def test_kills_a_program_that_does_not_stop(self):
        engine = python(
            f"{GREETING}; input(); input(); print('readyok', flush=True)\nwhile True: input()", timeout=1
        )
        analysis = engine.analysis([])
        analysis.stop()
        with self.assertRaisesRegex(EngineTimeoutError, "did not write `bestmove` in time"):
            analysis.wait()
        engine.close()

    def test_speaks_ugi(self):
        with Engine("lodestone", protocol="ugi", variant="gridlock", timeout=60) as engine:
            self.assertEqual(engine.query("gameover"), "false")
            self.assertEqual(engine.query("result", fen="xo5/7/7/7/7/7/5xo x 40 40"), "draw")
            with self.assertRaisesRegex(EngineError, "^move 1: "):
                engine.query("gameover", ["a8"])
            limit = Limit(white_clock=1, black_clock=1, white_inc=0.1, black_inc=0.1)
            self.assertIsNone(engine.play([], limit).ponder)
        with Engine([sys.executable, str(ROOT / "examples/rules/nim.py")], protocol="ugi") as rules:
            self.assertEqual(rules.query("moves", ["4-7", "3-5", "2-3"]), "1-1")
            self.assertEqual(rules.query("board").count("\n"), 3)
            with self.assertRaisesRegex(EngineError, "does not know `query wind`"):
                rules.query("wind")

    def test_a_cancelled_search_leaves_the_engine_usable(self):
        async def main():
            async with await AsyncEngine.start("lodestone", timeout=60) as engine:
                task = asyncio.create_task(engine.play([], Limit(time=3600)))
                await asyncio.sleep(0.2)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                moves = await asyncio.wait_for(engine.play(WON, Limit(time=1)), 60)
                self.assertEqual(moves.move, "a4")
                with self.assertRaisesRegex(EngineError, "^move 1: b6 touches neither"):
                    await engine.analyse(["b6"], Limit(depth=1))
            with self.assertRaisesRegex(EngineError, "^cannot start ./no-such-program: "):
                await AsyncEngine.start("./no-such-program")

        asyncio.run(main())

    def test_a_cancelled_call_leaves_the_others_alone(self):
        async def main():
            async with await AsyncEngine.start("lodestone", timeout=60) as engine:
                first = asyncio.create_task(engine.play([], Limit(depth=24)))  # a second or more
                await asyncio.sleep(0.1)
                second = asyncio.create_task(engine.play(["a8"], Limit(time=3600)))
                await asyncio.sleep(0.1)
                second.cancel()
                self.assertEqual((await first).info.depth, 24)
                # The next call ends a search whose handle is lost, however early it was cancelled.
                for delay in (0, 0.001, 0.002, 0.005, 0.01, 0.05):
                    task = asyncio.create_task(engine.analysis([]))
                    await asyncio.sleep(delay)
                    task.cancel()
                    await asyncio.wait([task])
                    self.assertEqual((await engine.play(WON, Limit(time=1))).move, "a4")
                analysis = await engine.analysis([])
                with self.assertRaises(asyncio.TimeoutError):
                    async with analysis:
                        await asyncio.wait_for(analysis.wait(), 0.2)
            with self.assertRaisesRegex(EngineTerminatedError, "the engine has quit"):
                await engine.play(WON, Limit(time=1))

        asyncio.run(main())

    def test_engines_search_at_the_same_time(self):
        async def main():
            engines = await asyncio.gather(*(AsyncEngine.start("lodestone", timeout=60) for _ in range(3)))
            results = await asyncio.gather(*(engine.play(WON, Limit(time=0.5)) for engine in engines))
            self.assertEqual([result.move for result in results], ["a4"] * 3)
            await asyncio.gather(*(engine.quit() for engine in engines))

        asyncio.run(main())


if __name__ == "__main__":
    unittest.main()
