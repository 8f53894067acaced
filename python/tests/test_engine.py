"""Engines: with `lodestone`, with the example bot, and with programs that misbehave."""

import asyncio
import errno
import gc
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from fractions import Fraction
from pathlib import Path
from unittest import mock

import referee._process as process_module
import referee.engine as engine_module
from referee.engine import (
    WORDS,
    Engine,
    EngineError,
    EngineTerminatedError,
    EngineTimeoutError,
    Info,
    Limit,
    Option,
    PlayResult,
    Score,
    check_limit,
    go_words,
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
#: A program that answers each `go` with these lines, and then waits for `stop`, if they have no `bestmove`.
ANSWERS = """
import sys
lines = %r
for line in sys.stdin:
    word = line.split()[0]
    answer = {"uci": "uciok\\n", "isready": "readyok\\n", "go": lines, "stop": "bestmove a8\\n"}.get(word, "")
    print(answer, end="", flush=True)
"""
ORDER = ("depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "time")
GREETING = "input(); print('uciok', flush=True); input(); print('readyok', flush=True)"


def python(code, timeout=60, start=60, **settings):
    """An engine that runs this code. `timeout` holds after its start, which takes long on a busy machine."""
    engine = Engine([sys.executable, "-c", code], timeout=start, **settings)
    engine.timeout = timeout
    return engine


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


class Scores(unittest.TestCase):
    def test_the_quickest_win_is_the_greatest(self):
        texts = "mate 1|win 2|mate 2|win 7|cp 900|cp 1|cp -1|cp -900|loss 8|mate -1|loss 1|loss 0"
        scores = [Score.parse(text) for text in texts.split("|")]
        self.assertEqual(sorted(reversed(scores), reverse=True), scores)
        for greater, less in zip(scores, scores[1:]):
            self.assertTrue(greater > less and greater >= less and less < greater and not less >= greater)
        self.assertTrue(Score("draw", 0) <= Score("cp", 0) <= Score("draw", 0))
        with self.assertRaises(TypeError):
            Score("cp", 1) < 1


class WithLodestone(unittest.TestCase):
    def setUp(self):
        self.engine = Engine("lodestone", timeout=60)
        self.addCleanup(self.engine.close)

    def test_reads_the_greeting(self):
        self.assertRegex(self.engine.id["name"], "^Lodestone ")
        self.assertEqual(self.engine.id["author"], "the Lodestone developers")
        self.assertEqual(self.engine.options["Hash"], Option("Hash", "spin", 16, 1, 1048576))
        variant = self.engine.options["UCI_Variant"]
        self.assertEqual((variant.type, variant.var[:2]), ("combo", ("magnetic-cave", "gridlock")))
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
        self.assertFalse(answer.stopped)

    def test_analyses_lines(self):
        lines = self.engine.analyse(["a8"], Limit(depth=6), multipv=3)
        self.assertEqual([line.multipv for line in lines], [1, 2, 3])
        scores = [line.score.value for line in lines]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(len({line.pv[0] for line in lines}), 3)
        self.assertTrue(all(line.depth == 6 for line in lines))
        self.assertEqual(self.engine.analyse(["a8"], Limit(time=0.05)).multipv, None)
        chosen = self.engine.analyse([], Limit(depth=3), root_moves=["h3"])
        self.assertEqual(chosen.pv[0], "h3")
        self.assertLess(chosen.time, 30)  # seconds

    def test_logs_the_lines_of_both_sides(self):
        with self.assertLogs("referee", "DEBUG") as log:
            self.engine.play([], Limit(depth=1))
        lines = [record.getMessage() for record in log.records]
        self.assertIn("lodestone: << go depth 1", lines)
        self.assertTrue(any(line.startswith("lodestone: >> bestmove ") for line in lines), lines)

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
    """An option or a report as the engine's grammar prints it: a mate in plies, and no score that is a bound."""
    if option is None:
        return "unreadable"
    if isinstance(option, Info):
        words = ["info"]
        for name, value in vars(option).items():
            if name == "score" and value and option.is_bound:
                value = None
            elif name == "score" and value and value.kind == "mate":
                mate = value.value
                value = Score("win", 2 * mate - 1) if mate > 0 else Score("loss", -2 * mate)
            elif name == "time" and value is not None:
                value = round(value * 1000)
            if name not in ("pv", "is_bound") and value is not None:
                words.append(f"{name} {value}")
        words.sort(key=lambda word: ["info", *ORDER].index(word.split()[0]))
        return " ".join([*words, *(["pv"] if option.pv else []), *option.pv])
    parts = ["option name", option.name, "type", option.type]
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
    def test_reads_lines_as_the_engine_does(self):
        for name, read in (("option", parse_option), ("info", parse_info)):
            table = (ROOT / f"tests/lines/{name}.txt").read_text(encoding="utf-8")
            for case in table.splitlines():
                if not case.startswith("#"):
                    line, expected = case.split(" => ")
                    self.assertEqual(written(read(line.split()[1:])), expected, line)

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
            self.assertEqual(str(engine.analyse([], Limit(depth=1)).score), "cp 4")

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
            python("import time; time.sleep(100)", start=0.2)
        with self.assertRaisesRegex(EngineTimeoutError, "did not write `uciok` in time"):
            python("while True: print('info depth 1')", start=0.2)
        engine = python(
            f"{GREETING}; input(); input(); print('readyok', flush=True)\nwhile True: input()", timeout=2
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
            self.assertEqual([list(analysis)[-1].multipv, list(analysis)], [2, []])
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
                self.assertTrue(analysis.done)
                reports = [info for info in [info, *analysis] if not info.is_bound]
                self.assertIs(reports[-1], analysis.wait().info)

    def test_an_interrupted_call_leaves_the_engine_usable(self):
        with Engine("lodestone", timeout=60) as engine:
            connection = engine._connection
            with mock.patch.object(connection, "wait", side_effect=KeyboardInterrupt):
                for call in (
                    engine.ping,
                    lambda: engine.configure({"Hash": 1}),
                    lambda: engine.query("moves", ["b6"]),
                ):
                    with self.assertRaises(KeyboardInterrupt):
                        call()
            # The answers to these calls are not taken for the answer to the next.
            engine.ping()
            self.assertEqual(engine.query("gameover", WON), "false")
            self.assertFalse(connection.questions)
            with (
                mock.patch.object(engine, "_order"),
                mock.patch.object(connection, "wait", side_effect=KeyboardInterrupt),
            ):
                with self.assertRaises(KeyboardInterrupt):
                    engine.play([], Limit(depth=99))
            self.assertTrue(connection.search is None or connection.search.is_stopped)
            self.assertEqual(engine.play(WON, Limit(depth=1)).move, "a4")

    def test_threads_end_the_searches_of_others(self):
        with Engine("lodestone", timeout=60) as engine, ThreadPoolExecutor(4) as pool:
            results = [*pool.map(lambda _: engine.play(WON, Limit(depth=4)), range(40))]
            self.assertEqual({result.move for result in results if not result.stopped}, {"a4"})
            calls = (
                lambda: engine.play(WON, Limit(depth=1)),
                engine.ping,
                engine.new_game,
                lambda: engine.configure({"hash": 2}),
                lambda: engine.query("gameover"),
            )
            waiters = (
                lambda analysis: list(analysis),
                lambda analysis: analysis.wait(),
                lambda _: engine.play([], Limit(time=3600)),
                lambda _: self.assertRaisesRegex(
                    EngineError,
                    "another call has ended the search",
                    lambda: engine.analyse([], Limit(time=3600), multipv=2),
                ),
            )
            for call in calls:
                for wait in waiters:
                    waiting = pool.submit(wait, engine.analysis([]))
                    while not (engine._connection.search and engine._connection.search.infos):
                        time.sleep(0.01)
                    call()
                    result = waiting.result(60)
                    if isinstance(result, PlayResult):
                        self.assertTrue(result.stopped)
            waiting = pool.submit(engine.play, [], Limit(time=3600))
            while not engine._connection.search:
                time.sleep(0.01)
            engine.quit()
            self.assertTrue(waiting.result(60).stopped)

    def test_a_search_can_be_looked_at(self):
        with Engine("lodestone", timeout=60) as engine:
            analysis = engine.analysis(["a8"], multipv=2)
            self.assertFalse(analysis.done)
            while not (analysis.info.depth or 0) >= 4 or len(analysis.multipv) < 2:
                time.sleep(0.01)
            analysis.stop()
            while not analysis.done:
                time.sleep(0.01)
            self.assertIn(analysis.wait().move, analysis.info.pv)
            self.assertEqual(next(analysis).depth, 1)  # none is lost
        # A look also notices an engine that hangs.
        engine = python(
            f"{GREETING}; input(); input(); print('readyok', flush=True); input(); input()", timeout=2
        )
        analysis = engine.analysis([], Limit(time=0.1))
        while not analysis.done:
            time.sleep(0.01)
        for look in (analysis.wait, lambda: next(analysis)):
            with self.assertRaisesRegex(EngineTimeoutError, "did not write `bestmove` in time"):
                look()
        self.assertIsNotNone(engine._process.returncode)

    def test_ends_of_blocks(self):
        with self.assertRaises(KeyError), python(ANSWERS % "") as engine, engine.analysis([]):
            engine._process.kill()
            raise KeyError  # more important than the end of the engine
        with python(ANSWERS % "") as engine, self.assertRaisesRegex(EngineTerminatedError, "signal 9"):
            with engine.analysis([]):
                engine._process.kill()
        with Engine("lodestone") as engine, engine.analysis([]):
            engine.quit()  # on purpose

    def test_an_engine_that_does_not_read_is_killed(self):
        engine = python(f"{GREETING}; import time; time.sleep(1000)", timeout=1)
        with self.assertRaisesRegex(EngineTimeoutError, "did not write `readyok` in time"):
            engine.play(["a8"] * 100_000, Limit(depth=1))

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
            with self.assertRaisesRegex(ValueError, "multipv: expected a whole number, at least 1, found 0"):
                engine.analyse([], limit, multipv=0)
            self.assertEqual(len(engine.analyse(["a8"], limit, multipv=5)), 5)

    def test_errors_during_a_search_are_raised_at_its_end(self):
        with Engine("lodestone", timeout=60) as engine:
            with self.assertRaisesRegex(EngineError, "e4 touches neither a wall nor a brick"):
                engine.play([], Limit(depth=1), root_moves=["e4"])
            self.assertEqual(engine.play(WON, Limit(time=1)).move, "a4")

    def test_wrong_arguments_are_named(self):
        with Engine("lodestone", timeout=60) as engine:
            limit = Limit(depth=1)
            table = [
                (
                    TypeError,
                    r"expected a Limit, such as Limit\(time=0.1\), found 0.1",
                    lambda: engine.play([], 0.1),
                ),
                (TypeError, "expected a Limit", lambda: engine.analysis([], 0.1)),
                (
                    TypeError,
                    "moves: expected a list of texts.* found 'a8 h8'",
                    lambda: engine.play("a8 h8", limit),
                ),
                (TypeError, "moves: expected a list of texts", lambda: engine.play([1, 2], limit)),
                (TypeError, "moves: expected a list of texts", lambda: engine.play({"a8", "h8"}, limit)),
                (TypeError, "moves: expected a list of texts", lambda: engine.query("moves", None)),
                (ValueError, "moves: expected single words", lambda: engine.play(["a8\nquit"], limit)),
                (ValueError, "moves: expected single words", lambda: engine.play(["a8 h8"], limit)),
                (ValueError, "moves: expected single words", lambda: engine.play([""], limit)),
                (TypeError, "root_moves: expected a list", lambda: engine.play([], limit, root_moves="a8")),
                (ValueError, "fen: .* without newlines", lambda: engine.play([], limit, fen="x\nquit")),
                (ValueError, "fen: .* in `moves`", lambda: engine.play([], limit, fen="8/8 x moves a8")),
                (TypeError, "fen: expected a string", lambda: engine.play([], limit, fen=8)),
                (
                    TypeError,
                    "multipv: expected a whole number",
                    lambda: engine.analyse([], limit, multipv=2.5),
                ),
                (
                    TypeError,
                    "multipv: expected a whole number",
                    lambda: engine.analyse([], limit, multipv=True),
                ),
                (ValueError, "query: expected a string", lambda: engine.query("")),
            ]
            for kind, text, call in table:
                self.assertRaisesRegex(kind, text, call)
            engine.ping()
        with self.assertRaisesRegex(ValueError, "the command is empty"):
            Engine([])
        with self.assertRaisesRegex(EngineTerminatedError, "cannot start no-such-program"):
            Engine(Path("no-such-program"))
        with self.assertRaisesRegex(
            EngineTerminatedError, r"a program with arguments is a list: \['no', 'such'\]"
        ):
            Engine("no such")
        for command in (None, 5, b"lodestone", ["lodestone", 5]):
            with self.assertRaisesRegex(TypeError, "^command: expected a program"):
                Engine(command)
        for timeout in (-1, math.nan, 10**400, math.inf, "10"):
            with self.assertRaisesRegex((TypeError, ValueError), "^timeout: expected"):
                Engine("lodestone", timeout=timeout)

    def test_a_limit_ends_a_search(self):
        for limit, text in (
            (Limit(), "the limit is empty"),
            (Limit(white_inc=1), "white_inc: needs a clock, white_clock"),
            (Limit(white_clock=1, black_inc=1), "black_inc: needs a clock, black_clock"),
            (Limit(remaining_moves=5), "remaining_moves: needs clocks"),
            (Limit(depth=0), "depth: expected a whole number from 1 to 2147483647, found 0"),
            (Limit(depth=10**12), "depth: expected"),
            (Limit(depth=10**5000), "depth: expected .* found a int"),
            (Limit(time=10**400), "time: expected seconds"),
            (Limit(depth=2.5), "depth: expected"),
            (Limit(depth=True), "depth: expected"),
            (Limit(nodes=0), "nodes: expected a whole number, at least 1, found 0"),
            (Limit(nodes=1e6), "nodes: expected"),
            (Limit(time=-1), "time: expected seconds from 0 to 2147483, found -1"),
            (Limit(time=math.nan), "time: expected seconds"),
            (Limit(time=math.inf), "time: expected seconds"),
            (Limit(time="1"), "time: expected a number of seconds, found '1'"),
            (Limit(white_clock=-0.1, black_clock=1), "white_clock: expected"),
            (Limit(white_clock=1, black_clock=1, remaining_moves=0), "remaining_moves: expected"),
        ):
            with self.assertRaisesRegex((TypeError, ValueError), f"^{text}"):
                check_limit(limit)
        for limit, go in (
            (Limit(time=0), "movetime 1"),
            (Limit(white_clock=0, black_clock=1.5, white_inc=0.25), "wtime 0 btime 1500 winc 250"),
            (
                Limit(time=Fraction(1, 3), depth=2, nodes=10**15),
                "movetime 333 depth 2 nodes 1000000000000000",
            ),
        ):
            self.assertEqual(" ".join(go_words(limit, WORDS["uci"][3])), go)
        clocks = Limit(white_clock=60, black_clock=50, white_inc=2, black_inc=1, remaining_moves=40)
        for protocol, go in (
            ("uci", "wtime 60000 btime 50000 winc 2000 binc 1000 movestogo 40"),
            ("ugi", "p1time 60000 p2time 50000 p1inc 2000 p2inc 1000 movestogo 40"),
        ):
            self.assertEqual(" ".join(go_words(clocks, WORDS[protocol][3])), go)

    def test_an_iterator_is_read_once(self):
        with python(ANSWERS % "bestmove a8\n") as engine:
            sent = mock.Mock(wraps=engine._connection._texts)
            with mock.patch.object(engine._connection, "_texts", sent):
                engine.play(map(str.lower, ["A8", "H8"]), Limit(depth=1), root_moves=reversed(["a8", "h1"]))
                engine.play([], Limit(depth=1), fen="startpos")
        self.assertEqual(
            [call.args[0][0] for call in sent.put.call_args_list],
            [
                "position startpos moves a8 h8\nisready",
                "go depth 1 searchmoves h1 a8",
                "position startpos\nisready",
                "go depth 1",
            ],
        )

    def test_texts_of_an_enumeration_are_its_values(self):
        class Word(str, Enum):
            MOVE = "a8"
            STYLE = "solid"
            FEN = "8/8 x"

        code = (ANSWERS % "bestmove a8\n").replace(
            '"uciok\\n"', repr("option name Style type combo var calm var solid\nuciok\n")
        )
        with python(code) as engine, mock.patch.object(engine, "_order", return_value=["8"]) as order:
            engine.configure({"style": Word.STYLE})
            engine.query(Word.MOVE, [Word.MOVE], fen=Word.FEN)
            lines = [call.args[0] for call in order.call_args_list]
        self.assertEqual(
            lines, ["setoption name Style value solid", "position fen 8/8 x moves a8", "query a8"]
        )

    def test_a_program_that_stands_still_blames_no_engine(self):
        with Engine("lodestone") as engine:
            engine.timeout = 2
            analysis = engine.analysis(WON, Limit(time=0.1))
            end = time.monotonic() + 3
            while time.monotonic() < end:
                sum(range(10**7))  # nothing else runs for a while
            self.assertEqual(analysis.wait().move, "a4")

    def test_the_end_of_an_engine_counts_whatever_its_children_do(self):
        code = f"{GREETING}; import os, subprocess; input(); input(); print('readyok', flush=True); input(); subprocess.Popen(['sleep', '1000']); os._exit(3)"
        with python(code) as engine:
            with self.assertRaisesRegex(EngineTerminatedError, "exit status 3"):
                engine.play([], Limit(depth=1))

    def test_answers_to_queries_may_be_empty_but_not_endless(self):
        for answer, expected in (
            ("response", ""),
            ("response a  b", "a  b"),
            ("response a\nresponse\nresponse b", "a\n\nb"),
        ):
            with python((ANSWERS % "").replace('"stop":', f'"query": {answer!r} + "\\n", "stop":')) as engine:
                self.assertEqual(engine.query("board"), expected)
        with Engine("lodestone", protocol="ugi", timeout=60) as engine:
            self.assertEqual(engine.query("moves", [*WON, "a4"]), "")
        long = "'response ' + 'a8 ' * (1 << 19) + chr(10)"
        with python((ANSWERS % "").replace('"stop":', f'"query": {long}, "stop":')) as engine:
            with self.assertRaisesRegex(EngineError, "wrote a line of more than 1048576 characters"):
                engine.query("moves")
            engine.ping()

    def test_a_byte_order_mark_is_skipped(self):
        with python(
            (ANSWERS % "bestmove a8\n").replace("import sys", "import sys; print(end='\\ufeff')")
        ) as engine:
            self.assertEqual(engine.play([], Limit(depth=1)).move, "a8")

    def test_the_number_of_lines_is_known_after_an_interruption(self):
        code = (ANSWERS % "bestmove a8\n").replace(
            '"uciok\\n"', repr("option name MultiPV type spin default 3 min 1 max 9\nuciok\n")
        )
        with python(code) as engine, mock.patch.object(engine, "_order") as order:
            engine.analysis([], multipv=1)
            order.side_effect = KeyboardInterrupt
            with self.assertRaises(KeyboardInterrupt):
                engine.analysis([], multipv=3)
            order.side_effect = None
            engine.analysis([], multipv=1)
            lines = [call.args[0] for call in order.call_args_list if "MultiPV" in call.args[0]]
        self.assertEqual([line[-1] for line in lines], ["1", "3", "1"])

    def test_an_engine_that_ignores_stop_is_named(self):
        with python((ANSWERS % "").replace('"stop":', '"halt":'), timeout=2) as engine:
            engine.analysis([])
            with self.assertRaisesRegex(EngineTimeoutError, "did not write `bestmove` in time"):
                engine.ping()

    def test_an_interruption_before_go_is_no_search(self):
        with python(ANSWERS % "bestmove a8\n") as engine:
            search = engine_module.Search(None, [])
            engine._connection.search = search  # as before an exception
            self.assertEqual(engine.play([], Limit(depth=1)).move, "a8")

    @unittest.skipUnless(sys.platform == "linux", "reads /proc")
    def test_a_start_that_fails_leaves_nothing(self):
        children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        for settings in (
            {"debug": True},
            {"stdin": 1},
            {"env": {"A": 1}},
            {"cwd": 5},
            {"cwd": "no-such-folder"},
        ):
            with self.assertRaises((TypeError, EngineTerminatedError)):
                Engine("lodestone", **settings)
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        self.assertEqual(children.read_text() if children.exists() else "", "")

    def test_an_engine_starts_where_no_program_is_in_path(self):
        script = "from referee import Engine\nEngine({command!r}).quit()\nprint('started')\n"
        script = script.format(command=[sys.executable, "-c", GREETING])
        environment = {"PATH": "/nowhere", "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("started\n", ""))

    @unittest.skipUnless(os.name == "posix", "needs a shell")
    def test_an_engine_that_cannot_be_watched_is_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            note = Path(folder, "note")
            code = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(1000)"

            def watch(process):
                while not (note.exists() and note.read_text()):  # the engine runs
                    time.sleep(0.01)
                raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

            with mock.patch.object(process_module, "watch", watch):
                with self.assertRaisesRegex(EngineTerminatedError, "^cannot watch .*: .*Resource temporarily"):
                    python(code)
            self.assertFalse(is_running(int(note.read_text())))

    def test_an_interrupted_start_leaves_nothing(self):
        script = """
import os, signal, sys, threading, time
from referee import Engine
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` ignores it
def interrupted(delay):
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        Engine([sys.executable, "-c", "import time; time.sleep(1000)"])
    except KeyboardInterrupt:
        pass
for number in range(12):
    interrupted(number / 1000)
time.sleep(0.5)
print(os.popen(f"ps -o pid= --ppid {os.getpid()} | wc -l").read().strip(), threading.active_count())
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.stdout, "1 1\n", done.stderr)  # `ps` itself

    def test_an_answer_is_a_move_or_none(self):
        for answer, expected in (
            ("a8 ponder h8", ("a8", "h8")),
            ("a8 ponder (none)", ("a8", None)),
            ("a8 ponder 0000", ("a8", None)),
            ("a8 ponder", ("a8", None)),
            ("(NONE)", (None, None)),
            ("resign", (None, None)),
            ("", (None, None)),
        ):
            with python(ANSWERS % f"bestmove {answer}\n") as engine:
                result = engine.play([], Limit(depth=1))
                self.assertEqual((result.move, result.ponder), expected, answer)
                self.assertEqual(result.resigned, answer == "resign", answer)
        with python(ANSWERS % "bestmove a8\n") as engine:
            self.assertEqual(engine.play([], Limit(depth=1), root_moves=["A8"]).move, "a8")
            with self.assertRaisesRegex(
                EngineError, "root_moves: the engine chose a8, which is another move"
            ):
                engine.play([], Limit(depth=1), root_moves=["h8"])

    def test_options_have_any_letter_case_and_announced_values(self):
        announced = [
            "multipv type spin default 1 min 1 max 5",
            "Rate type spin default 0.5 min 0 max 9",
            "Low type spin min 1",
            "Style type combo default calm var calm var Wild Card",
            "Fast type check default false",
            "Note type string",
            "Clear type button",
        ]
        greeting = "".join(f"option name {line}\n" for line in announced)
        code = (ANSWERS % "info multipv 2 score cp 1\ninfo multipv 1 score cp 2\nbestmove a8\n").replace(
            '"uciok\\n"', repr(f"{greeting}uciok\n")
        )
        with python(code) as engine:
            self.assertEqual(len(engine.analyse([], Limit(depth=1), multipv=2)), 2)
            self.assertEqual(engine.options["MULTIPV"].name, "multipv")
            self.assertNotIn("Hash", engine.options)
            with mock.patch.object(engine, "_order") as order:
                for name, value, sent in (
                    ("MultiPV", 3, "multipv value 3"),
                    ("multipv", "3", "multipv value 3"),
                    ("multipv", 3.0, "multipv value 3"),
                    ("rate", 0.25, "Rate value 0.25"),
                    ("low", 10**20, f"Low value {10**20}"),
                    ("style", "wild card", "Style value Wild Card"),
                    ("FAST", True, "Fast value true"),
                    ("fast", "False", "Fast value false"),
                    ("note", Path("a/b"), f"Note value {Path('a/b')}"),
                    ("note", 7, "Note value 7"),
                    ("note", "", "Note value <empty>"),
                    ("clear", None, "Clear"),
                ):
                    engine.configure({name: value})
                    order.assert_called_with(f"setoption name {sent}")
                order.reset_mock()
                for name, value, expected in (
                    ("MultiPV", 6, "option multipv: expected a whole number from 1 to 5, found 6"),
                    ("MultiPV", "many", "expected a whole number"),
                    ("MultiPV", None, "expected a whole number"),
                    ("MultiPV", True, "expected a whole number"),
                    ("MultiPV", 1.5, "expected a whole number"),
                    ("Rate", 9.5, "expected a number from 0 to 9, found 9.5"),
                    ("Rate", math.nan, "expected a number"),
                    ("Low", 0, "expected a whole number from 1, found 0"),
                    ("Style", "mad", "expected one of calm, Wild Card, found 'mad'"),
                    ("Style", None, "expected one of calm"),
                    ("Fast", "yes", "expected one of true, false, found 'yes'"),
                    ("Fast", 1, "expected one of true, false"),
                    ("Note", "a\nquit", "expected any text in one line"),
                    ("Note", None, "expected any text"),
                    ("Clear", 1, "expected None, as for any button"),
                ):
                    with self.assertRaisesRegex(EngineError, expected, msg=f"{name}={value}"):
                        engine.configure({"Low": 1, name: value})  # nothing is sent
                order.assert_not_called()

    @unittest.skipUnless(hasattr(os, "fork"), "forks")
    def test_the_engine_of_a_parent_is_left_alone(self):
        script = """
import gc, os, sys, time
from referee import Engine, EngineError, Limit
engine = Engine("lodestone", timeout=60)
analysis = engine.analysis(["a8"])
for end in range(4):
    child = os.fork()
    if child == 0:
        try:
            engine.ping()
        except EngineError as error:
            print(str(error).replace(str(os.getppid()), "PARENT"), flush=True)
        if end == 0:
            with engine, analysis: pass
        elif end == 1:
            engine = analysis = None
            gc.collect()
        elif end == 2:
            os._exit(0)
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
assert not analysis.done
print(engine.play("a8 h8 a7 h7 a6 h6 a5 h5".split(), Limit(depth=1)).move)
engine.quit()
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
        refusal = "this engine belongs to process PARENT; start another one in this process\n"
        self.assertEqual((done.stdout, done.returncode), (refusal * 4 + "a4\n", 0), done.stderr)

    @unittest.skipUnless(sys.platform == "linux", "reads /proc")
    def test_the_engine_ends_with_the_program(self):
        code = f"import os, subprocess, time; child = subprocess.Popen(['sleep', '1000']); print('id name', os.getpid(), child.pid); {GREETING}; time.sleep(1000)"
        for end, first in (*((end, 0) for end in ("15", "9", "1", "2", "0")), ("9", 1)):  # 1: without a shell
            # In a thread that ends, because some systems tie a process to the thread that started it.
            script = f"""
import os, sys, threading, time
from referee import Engine, _process
_process.WATCHERS = _process.WATCHERS[{first}:]
engines = []
thread = threading.Thread(target=lambda: engines.append(Engine([sys.executable, "-c", {code!r}])))
thread.start(); thread.join(); time.sleep(0.1)
print(engines[0].id["name"], engines[0]._process.poll(), flush=True)
if {end}: os.kill(os.getpid(), {end})
"""
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
            engine, child, status = done.stdout.split()
            self.assertEqual(status, "None")
            for process in (engine, child):
                deadline = time.monotonic() + 60
                while is_alive(process):
                    self.assertLess(time.monotonic(), deadline, f"signal {end}")
                    time.sleep(0.01)

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
            f"{GREETING}; input(); input(); print('readyok', flush=True)\nwhile True: input()", timeout=2
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

    def test_threads_serve_asyncio(self):
        async def main():
            with Engine("lodestone", timeout=60) as engine, Engine("lodestone", timeout=60) as other:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(asyncio.to_thread(engine.play, [], Limit(time=3600)), 0.2)
                # The next call ends the search that nobody waits for.
                calls = (asyncio.to_thread(one.play, WON, Limit(time=1)) for one in (engine, other))
                self.assertEqual([result.move for result in await asyncio.gather(*calls)], ["a4", "a4"])

        asyncio.run(main())

    def test_finds_its_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "python/referee", Path(folder, "referee"))
            script = "import referee.results; referee.results.ratings('x.jsonl')"
            environment = {"PYTHONPATH": folder, "PATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
            command = [sys.executable, "-c", script]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertIn("FileNotFoundError: there is no program referee in ", done.stderr)
            Path(folder, "bin").mkdir()
            program = Path(folder, "bin/referee")
            program.write_text("#!/bin/sh\necho here >&2\n", encoding="utf-8")
            program.chmod(0o755)
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertIn("ValueError: here", done.stderr)

    def test_the_module_is_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "python/referee", Path(folder, "referee"))
            environment = {"PYTHONPATH": folder, "PATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
            command = [sys.executable, "-m", "referee", "match", "a b"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertRegex(done.stderr, "^there is no program referee in .*; `pip install` of the wheel installs it\n$")
            self.assertEqual(done.returncode, 127)
            Path(folder, "bin").mkdir()  # as pip install --target has it
            program = Path(folder, "bin/referee")
            program.write_text('#!/bin/sh\nread line; echo "$#" "$@" "$line"; exit 5\n', encoding="utf-8")
            program.chmod(0o755)
            done = subprocess.run(command, input="from stdin\n", env=environment, capture_output=True, text=True)
            self.assertEqual((done.stdout, done.returncode), ("2 match a b from stdin\n", 5))


if __name__ == "__main__":
    unittest.main()
