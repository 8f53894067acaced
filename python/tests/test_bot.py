"""Bots: the protocol, the limits of a search, and what happens during one."""

import functools
import math
import os
import queue
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path

import referee
from referee._errors import explained
from referee.bot import AnyGame, Bot, Limits, checked
from referee.engine import Engine, EngineTerminatedError, Limit, Score

MODULE = str(Path(referee.__file__).resolve().parents[1])
RANDOM = "return self.game.moves(position)[0]"
#: A search that ends only when it must.
ENDLESS = "while not self.stopped: pass\nreturn self.game.moves(position)[-1]"


class WithABot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def command(self, choose, attributes=""):
        """The command of a bot with this body of `choose`, and these attributes."""
        body = textwrap.indent(choose, " " * 8)
        source = f"class MyBot(Bot):\n    {attributes}\n    def choose(self, position, seconds):\n{body}\n"
        Path(self.folder, "mybot.py").write_text(f"import os, sys, time\nfrom referee import *\n{source}")
        return [sys.executable, "-m", "referee.bot", "mybot.py:MyBot"]

    def engine(self, choose, attributes="", **settings):
        settings.setdefault("timeout", 60)
        engine = Engine(self.command(choose, attributes), **self.place(), **settings)
        self.addCleanup(engine.close)
        return engine

    def raw(self, choose):
        """The process of a bot, and the queue of the lines that it writes."""
        pipe = subprocess.PIPE
        bot = subprocess.Popen(
            self.command(choose), stdin=pipe, stdout=pipe, text=True, bufsize=1, **self.place()
        )
        lines = queue.SimpleQueue()
        reader = threading.Thread(target=lambda: [lines.put(line) for line in bot.stdout], daemon=True)
        reader.start()
        for end in (bot.stdout.close, reader.join, bot.stdin.close, bot.wait, bot.kill):
            self.addCleanup(end)
        return bot.stdin, lines

    def place(self):
        environment = {**os.environ, "PYTHONPATH": MODULE, "PYTHONDONTWRITEBYTECODE": "1"}
        return {"cwd": self.folder, "env": environment}

    def dialogue(self, lines, choose, attributes=""):
        """What the bot writes for these lines and the end of the input, and its standard error."""
        done = subprocess.run(
            self.command(choose, attributes),
            input=lines.encode(),
            capture_output=True,
            timeout=60,
            **self.place(),
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode().splitlines(), done.stderr.decode()

    def crash(self, choose, attributes=""):
        """The standard error of a bot that ends with an exception in its first move."""
        command = self.command(choose, attributes)
        done = subprocess.run(command, capture_output=True, input=b"go movetime 10\n", timeout=60, **self.place())
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()

    def test_plays_both_games(self):
        engine = self.engine(RANDOM)
        self.assertEqual(engine.id, {"name": "MyBot", "author": "unknown"})
        self.assertEqual(engine.options["UCI_Variant"].var, ("magnetic-cave", "gridlock"))
        self.assertEqual(engine.play([], Limit(time=1)).move, "a8")
        engine.configure({"UCI_Variant": "gridlock"})
        self.assertEqual(engine.play([], Limit(time=1)).move, "b2a2")
        self.assertIsNone(engine.play([], Limit(time=1), fen="xo5/7/7/7/7/7/5xo x 40 40").move)

    def test_what_was_asked_before_a_search_is_answered_before_it(self):
        stdin, lines = self.raw(ENDLESS)
        # All at once: the bot reads `go` before it has answered.
        stdin.write("isready\nposition startpos\ngo infinite\n")
        stdin.flush()
        self.assertEqual(lines.get(timeout=60), "readyok\n")
        stdin.write("stop\n")
        stdin.flush()
        self.assertTrue(lines.get(timeout=60).startswith("bestmove "))

    def test_options_are_attributes(self):
        attributes = "depth, style, book, fast = 3, 'old', '', False\n"
        attributes += (
            "    options = {'depth': range(1, 9), 'style': ['old', 'new'], 'book': str, 'fast': bool}"
        )
        choose = "print(self.depth, self.style, self.book, self.fast)\nreturn 'a8'"
        engine = self.engine(choose, attributes, stderr=subprocess.PIPE)
        self.assertEqual((engine.options["depth"].min, engine.options["depth"].max), (1, 8))
        engine.configure({"depth": 8, "style": "new", "book": "a b", "fast": True})
        lines, _ = self.dialogue(
            "setoption name depth value 9\nsetoption name Style value newer\n", choose, attributes
        )
        self.assertEqual(
            lines,
            [
                "info string error: option depth: expected 1 to 8, found `9`",
                "info string error: option style: expected old, new, found `newer`",
            ],
        )
        engine.play([], Limit(time=1))
        engine.quit()
        self.assertEqual(engine._process.stderr.read(), "8 new a b True\n")
        engine._process.stderr.close()

    def test_an_option_keeps_the_position_and_may_have_a_space(self):
        attributes = "Skill_Level, MultiPV, tag = 7, 1, 'x'\n"
        attributes += "    options = {'Skill Level': range(0, 2**40), 'MultiPV': range(1, 5), 'tag': str}"
        engine = self.engine(
            "print(self.Skill_Level, self.tag)\n" + RANDOM, attributes, stderr=subprocess.PIPE
        )
        engine.configure({"skill level": 2**40 - 1, "tag": ""})
        self.assertEqual(engine.analyse(["a8", "h8"], Limit(time=1), multipv=3), [])
        self.assertEqual(engine.play(["a8", "h8"], Limit(time=1)).move, "b8")
        engine.quit()
        self.assertEqual(engine._process.stderr.read(), f"{2**40 - 1} \n" * 2)
        engine._process.stderr.close()

    def test_wrong_options_are_found_at_the_start(self):
        for options, error in (
            ("{'depth': 3}", "option depth: expected bool, str, a range or a list of values, found 3"),
            ("{'depth': range(0)}", "option depth: expected bool, str, a range"),
            (
                "{'Skill Level': bool}",
                "option Skill Level: expected an attribute Skill_Level with its default",
            ),
            ("{'n': range(4, 9)}; n = 3", "option n: expected 4 to 8, found 3 in the attribute n"),
            ("{'n': range(1, 9)}; n = 3.0", "option n: expected 1 to 8, found 3.0 in the attribute n"),
            ("{'n': range(0, 9)}; n = True", "option n: expected 0 to 8, found True in the attribute n"),
            ("{'n': range(9, 0, -2)}; n = 2", "option n: expected 9, 7, 5, 3, 1, found 2 in the attribute n"),
            ("{'style': ['old', 'new']}; style = 'odd'", "option style: expected old, new, found 'odd'"),
            ("{'style': ['old\\nquit']}; style = ''", "option style: expected values in one line, found 'old\\nquit'"),
            ("{'fast': bool}; fast = None", "option fast: expected False, True, found None in the attribute fast"),
            ("{'book': str}; book = 'a\\nquit'", "option book: expected a string in one line, found 'a\\nquit'"),
            ("{'a\\nquit': bool}", "options: expected names in words, found 'a\\nquit'"),
            ("{'': bool}", "options: expected names in words, found ''"),
            ("['depth']", "options: expected a dict, such as {'depth': range(1, 9)}, found ['depth']"),
        ):
            with self.subTest(options):
                self.assertIn(f"TypeError: {error}", self.crash(RANDOM, f"options = {options}"))

    def test_options_with_steps(self):
        attributes = "n, m = 7, 4; options = {'n': range(9, 0, -2), 'm': range(0, 10, 2)}"
        lines, _ = self.dialogue("uci\nsetoption name m value 3\n", RANDOM, attributes)
        self.assertIn("option name n type spin default 7 min 1 max 9", lines)
        self.assertIn("option name m type spin default 4 min 0 max 8", lines)
        self.assertEqual(lines[-1], "info string error: option m: expected 0, 2, 4, 6, 8, found `3`")

    def test_names_are_single_lines(self):
        for attribute in ("name", "author"):
            command = self.command(RANDOM, f"{attribute} = 'A\\nquit'")
            done = subprocess.run(command, capture_output=True, input=b"uci\n", timeout=60, **self.place())
            self.assertIn(f"ValueError: {attribute}: expected a string without newlines", done.stderr.decode())
            self.assertEqual(done.stdout, b"")

    def test_answers_during_a_search(self):
        bot, lines = self.raw(ENDLESS)
        for go, move in (("go infinite", "h1"), ("position startpos moves a8\ngo movetime 3600000", "h1")):
            bot.write(f"{go}\nisready\n")
            self.assertEqual(lines.get(timeout=60), "readyok\n")
            bot.write("stop\n")
            self.assertEqual(lines.get(timeout=60), f"bestmove {move}\n")

    def test_keeps_the_answer_of_an_endless_search(self):
        bot, lines = self.raw(RANDOM)
        for command, end in (("infinite", "stop"), ("ponder movetime 10", "ponderhit"), ("ponder", "stop")):
            bot.write(f"position startpos moves a8\ngo {command}\nisready\n")
            self.assertEqual(lines.get(timeout=60), "readyok\n")
            time.sleep(0.1)
            self.assertTrue(lines.empty())
            bot.write(f"{end}\n{end}\n")
            self.assertEqual(lines.get(timeout=60), "bestmove b8\n")

    def test_the_time_of_a_ponder_search_begins_with_the_hit(self):
        bot, lines = self.raw(ENDLESS)
        bot.write("position startpos\ngo ponder movetime 300\n")
        time.sleep(0.5)
        self.assertTrue(lines.empty())
        hit = time.monotonic()
        bot.write("ponderhit\n")
        self.assertEqual(lines.get(timeout=60), "bestmove h1\n")
        self.assertGreater(time.monotonic() - hit, 0.2)

    def test_a_bot_knows_its_side_in_a_new_game(self):
        attributes = "def new_game(self): print('new', self.side)\n"
        choose = "print('choose', self.side)\n" + RANDOM
        lines = "position startpos\ngo movetime 10\n"
        for side in ("p2", "p1", "none"):
            lines += f"setoption name UCI_Side value {side}\nucinewgame\n"
        written, errors = self.dialogue(lines + "position startpos moves a8\ngo movetime 10\n", choose, attributes)
        self.assertEqual(errors.split("\n")[:-1], ["choose True", "new False", "new True", "new None", "choose False"])
        self.assertEqual(written, ["bestmove a8", "bestmove b8"])

    def test_a_bot_learns_how_a_game_ends(self):
        attributes = "def game_over(self, position, result): print(result, position.cells[:2], self.game_moves)\n"
        lines = "uci\nposition startpos moves a8 b8\nsetoption name UCI_Result value p2win\n"
        lines += "setoption name UCI_Result value none\nposition startpos moves z9\n"
        lines += "setoption name UCI_Result value draw\nsetoption name UCI_Side value p3\n"
        written, errors = self.dialogue(lines, RANDOM, attributes)
        self.assertEqual(errors, "0-1 xo ['a8', 'b8']\n")
        self.assertIn("option name UCI_Side type combo default none var none var p1 var p2", written)
        self.assertIn("option name UCI_Result type string default <empty>", written)
        self.assertEqual(
            [line for line in written if line.startswith("info string error: option")],
            [
                "info string error: option UCI_Result: expected p1win, p2win or draw, found `none`",
                "info string error: option UCI_Side: expected none, p1, p2, found `p3`",
            ],
        )

    def test_a_bot_that_does_not_ask_learns_no_result(self):
        written, _ = self.dialogue("uci\nsetoption name UCI_Result value draw\n", RANDOM)
        self.assertFalse([line for line in written if line.startswith("option name UCI_Result")])
        self.assertIn("there is no option `UCI_Result`", written[-1])

    def test_reads_ahead(self):
        lines = (
            "position startpos\ngo infinite\nstop\nposition startpos moves a8\ngo movetime 1\nbark\nquit\n"
        )
        lines, errors = self.dialogue(lines, RANDOM)
        unknown = "info string error: expected uci, ugi, isready, setoption, position, go, stop, query or quit, found `bark`"
        self.assertEqual(lines, ["bestmove a8", "bestmove b8", unknown])
        self.assertEqual(errors, "")

    def test_go_that_cannot_be_read_is_no_search(self):
        bot, lines = self.raw(RANDOM)
        bot.write("go searchmoves " + "a" * (1 << 20) + "\n")
        self.assertRegex(lines.get(timeout=60), "^info string error: a line has more than 1048576 bytes")
        bot.write("position startpos moves zz\nisready\n")  # answered after the line before it
        self.assertRegex(lines.get(timeout=60), "^info string error: move 1")
        self.assertEqual(lines.get(timeout=60), "readyok\n")

    def test_end_of_input_ends_an_endless_search_only(self):
        self.assertEqual(self.dialogue("go movetime 300", ENDLESS)[0], ["bestmove h1"])
        self.assertEqual(self.dialogue("go infinite", ENDLESS)[0], ["bestmove h1"])
        for go in ("go infinite", "go movetime 100", "go depth 3"):
            self.assertEqual(self.dialogue(go, "while True: pass")[0], [])

    def test_quit_ends_a_search(self):
        self.assertEqual(self.dialogue("go movetime 3600000\nquit\n", ENDLESS)[0], ["bestmove h1"])
        self.assertEqual(self.dialogue("go movetime 3600000\nquit\n", "while True: pass")[0], [])

    def test_reports(self):
        choose = "self.info(depth=2, score=-7, pv=['a8', 'h8'])\nself.info(score='win 3')\nreturn 'a8', 'h8'"
        engine = self.engine(choose)
        result = engine.play([], Limit(time=1))
        self.assertEqual((result.move, result.ponder, result.info.score), ("a8", "h8", Score("win", 3)))
        [first, second] = engine.analysis([], Limit(time=1))
        self.assertEqual((first.depth, str(first.score), first.pv), (2, "cp -7", ["a8", "h8"]))
        lines, _ = self.dialogue(
            "go movetime 10\n", "self.info(score=-11.6, nodes=1e6, pv=iter('ab'))\n" + RANDOM
        )
        self.assertEqual(lines[0], "info nodes 1000000 score cp -12 pv a b")
        self.assertIsNone(self.engine(choose, protocol="ugi").play([], Limit(time=1)).ponder)

    def test_a_bot_resigns(self):
        self.assertEqual(self.dialogue("go movetime 10\n", "return 'resign'")[0], ["bestmove resign"])
        result = self.engine("return 'resign', None").play([], Limit(time=1))
        self.assertEqual((result.move, result.resigned), (None, True))

    def test_faults_are_explained(self):
        lines, _ = self.dialogue("go movetime 10\n", "return 'a9'")
        error = "the bot chose `a9`, which is not a legal move; expected a8, h8, a7, h7, a6, h6, a5, h5 or 8 more"
        self.assertEqual(lines, ["info string error: " + error, "bestmove a9"])
        lines, _ = self.dialogue("position startpos moves zz\ngo movetime 10\nquit\n", RANDOM)
        self.assertEqual(lines[-1], "bestmove 0000")
        self.assertRegex(lines[0], "^info string error: move 1: `zz` is not a legal move; expected a8, ")
        for choose, error in (
            ("return 1 / 0", "ZeroDivisionError"),
            ("pass", "choose() returned None; expected a move, or a move and the expected reply"),
            ("return 'a8 h8'", "choose() returned 'a8 h8'; expected"),
            ("return 'a8', 'h8', 'a7'", "choose() returned ('a8', 'h8', 'a7'); expected"),
            ("return 'a8', 5", "choose() returned ('a8', 5); expected"),
            ("return 'a8\\n'", "choose() returned 'a8\\n'; expected"),
            ("return 'a8', '\\nquit'", "choose() returned ('a8', '\\nquit'); expected"),
            ("return 'a\\x008'", "choose() returned 'a\\x008'; expected"),
        ):
            engine = self.engine(choose, stderr=subprocess.PIPE)
            with self.assertRaisesRegex(EngineTerminatedError, "exit status 1"):
                engine.play([], Limit(time=1))
            self.assertIn(error, engine._process.stderr.read())
            engine._process.stderr.close()
        with self.assertRaisesRegex(referee.EngineError, "^the bot chose `A8`, which is not a legal move"):
            self.engine("return 'A8'").play([], Limit(time=1))

    def test_an_exit_is_reported_with_its_place(self):
        for choose in ("exit()", "sys.exit()", "raise SystemExit"):
            lines, errors = self.dialogue("go movetime 10\n", choose)
            place = "mybot.py, line 6 calls exit(), which ends the program"
            self.assertEqual((lines, errors), (["info string error: " + place], ""))

    def agent(self, returned, choose, **files):
        """The last line on standard error of a bot that asks an agent with this answer, and what it writes."""
        files = {
            "agent.py": f"\nclass Agent:\n    def move(self, moves):\n        return {returned}\n",
            "course.py": "from referee.games import MagneticCave\nclass Game(MagneticCave): pass\n"
            "def move_of(cell):\n    row, column = cell\n    return 'ab'[column] + str(row)\n",
            **files,
        }
        for name, text in files.items():
            Path(self.folder, name).write_text(text)
        imports = "import copy\nfrom agent import Agent\nfrom course import Game, move_of\nagent = Agent()"
        command = self.command(choose, "game = Game()")
        source = Path(self.folder, "mybot.py")
        source.write_text(source.read_text().replace("\nclass", f"\n{imports}\nclass"))
        done = subprocess.run(command, capture_output=True, input=b"go movetime 10\n", timeout=60, **self.place())
        self.said = done.stderr.decode().splitlines()
        return self.said[-1:], done.stdout.decode().splitlines()

    def test_what_an_agent_returned_is_said_with_its_place(self):
        convert, place = "return move_of(agent.move([]))", "choose() of mybot.py calls move() of agent.py, line 3"
        for returned in ("None", "'a44'", "(1, 2, 3)", "7"):
            (line,), _ = self.agent(returned, convert)
            self.assertRegex(line, r"^AnswerError: (Type|Value)Error: .+, in move_of\(cell=")
            self.assertTrue(line.endswith(f"in move_of(cell={returned}) of course.py, line 4; {place}"), line)
        (line,), _ = self.agent("None", "return agent.move([])")
        expected = "TypeError: choose() returned None; expected a move, or a move and the expected reply; "
        self.assertEqual(line, expected + place)
        _, lines = self.agent("(9, 1)", convert)
        self.assertTrue(lines[0].startswith("info string error: the bot chose `b9`, which is not a legal move; expected a8, "))
        self.assertTrue(lines[0].endswith("; " + place), lines)
        for odd in (print, functools.partial(print), functools.lru_cache(lambda bot, position, seconds: None)):
            bot = type("Odd", (Bot,), {"choose": odd})()
            with self.assertRaisesRegex(TypeError, r"^choose\(\) returned None; expected a move"):
                checked(None, bot)
            self.assertIsNone(explained(bot, ValueError("none")))
        # Its own errors have their place.
        (line,), _ = self.agent("[][1]", convert)
        self.assertEqual(line, "IndexError: list index out of range")

    def test_a_file_that_hides_a_module_is_named(self):
        for name in ("queue", "copy"):
            file = Path(self.folder, name + ".py")
            (line,), _ = self.agent("None", "copy.copy(agent)\nreturn 'a8'", **{file.name: "class PriorityQueue: pass\n"})
            expected = f"ImportError: {file.resolve()} has the name of Python's own module `{name}`, so only one of the two"
            self.assertTrue(line.startswith(expected), line)
            self.assertRegex(self.said[-2], rf"^AttributeError: module '{name}' has no attribute")
            file.unlink()

    def test_the_cause_of_a_package_that_cannot_be_loaded(self):
        Path(self.folder, "threading.py").write_text("# notes on threads\n")
        code = "import sys; sys.modules.pop('threading', None); from referee import Bot"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, **self.place())
        self.assertIn("ImportError: Bot of 'referee' cannot be loaded: module 'threading' has no attribute", done.stderr)
        self.assertIn("threading.py has the name of Python's own module `threading`", done.stderr)

    def test_a_bot_with_its_own_rules(self):
        choose = "print(self.game_start, *self.game_moves, self.limits.root_moves, position)\nreturn 'any'"
        lines, errors = self.dialogue(
            "position fen x y moves 1 2\ngo movetime 10 searchmoves 3\n", choose, "game = AnyGame()"
        )
        self.assertEqual((lines, errors), (["bestmove any"], "x y 1 2 ['3'] ('x y', ('1', '2'))\n"))

    def test_only_the_module_writes_to_standard_output(self):
        texts = ("print('a')", "os.write(1, b'b')", "os.system('echo c')", "sys.__stdout__.write('d\\n')")
        child = "import subprocess\nsubprocess.run([sys.executable, '-c', 'print(5)'])"
        lines, errors = self.dialogue("go movetime 10", "\n".join([*texts, child, RANDOM]))
        self.assertEqual(lines, ["bestmove a8"])
        for text in "abcd5":
            self.assertIn(text, errors)

    def test_only_the_module_reads_standard_input(self):
        reads = ("input()", "sys.stdin.readline()", "sys.stdin.read()", "sys.stdin.buffer.read(1)", "next(sys.stdin)")
        source = "".join(f"try: {read}\nexcept EOFError: print('no input')\n" for read in reads)
        source += "print(os.read(0, 99), sys.__stdin__.read(), open(0, closefd=False).read())\n"
        child = "import subprocess\nsubprocess.run([sys.executable, '-c', 'print([*open(0)])'], stdin={})\n"
        source += child.format("None") + child.format("sys.stdin") + "os.system('cat')\n"
        lines = "position startpos\ngo movetime 1\nposition startpos moves a8\ngo movetime 1\n"
        lines, errors = self.dialogue(lines, source + RANDOM)
        self.assertEqual(lines, ["bestmove a8", "bestmove b8"])
        self.assertEqual(sorted(errors.splitlines()), sorted(2 * ["no input"] * 5 + 2 * ["b''  "] + 4 * ["[]"]))

    def test_reading_standard_input_is_an_exception(self):
        errors = self.crash("input('debug? ')\n" + RANDOM)
        self.assertRegex(errors, r'mybot.py", line 6, in choose\n    input')
        self.assertIn("EOFError: mybot.py, line 6 reads standard input, whose lines are those of the protocol", errors)

    def test_exceptions_of_choose_end_the_bot_with_a_traceback(self):
        child = "import subprocess; child = subprocess.Popen('true', stdin=subprocess.PIPE); child.wait()\n"
        for choose, error in (
            (child + "child.stdin.write(b'go'); child.stdin.flush()", "BrokenPipeError"),
            ("b'\\xe9'.decode()", "UnicodeDecodeError"),
            ("import _thread; _thread.interrupt_main(); time.sleep(5)", "KeyboardInterrupt"),
        ):
            with self.subTest(error):
                self.assertRegex(self.crash(choose), rf'(?s)mybot.py", line \d+, in choose.*\n{error}')

    def test_a_closed_protocol_is_no_error(self):
        place = {**self.place(), "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        for choose in (RANDOM, "self.info(depth=1)\n" + RANDOM):
            with subprocess.Popen(self.command(choose), **place) as bot:
                bot.stdout.close()
                bot.stdin.write(b"go movetime 10\ngo movetime 10\n")
                bot.stdin.close()
                self.assertEqual((bot.stderr.read(), bot.wait(60)), (b"", 0))

    @unittest.skipUnless(os.name == "posix", "needs a shell")
    def test_a_closed_standard_error_lets_no_print_into_the_protocol(self):
        command = shlex.join(self.command("print('a'); os.write(1, b'b'); os.system('echo c')\n" + RANDOM))
        lines = "uci\ngo movetime 10\n"
        done = subprocess.run(
            ["sh", "-c", command + " 2>&-"], input=lines, capture_output=True, text=True, timeout=60, **self.place()
        )
        self.assertEqual(done.stdout.splitlines()[-2:], ["uciok", "bestmove a8"])

    def test_usage(self):
        for module in ("bot", "rules"):
            for arguments in ([], ["mybot"]):
                command = [sys.executable, "-m", f"referee.{module}", *arguments]
                done = subprocess.run(command, capture_output=True, text=True, **self.place())
                self.assertRegex(done.stderr, f"^usage: python3 -m referee.{module} FILE:CLASS")
            command = [sys.executable, "-m", f"referee.{module}", "nope.py:X"]
            done = subprocess.run(command, capture_output=True, text=True, **self.place())
            self.assertEqual((done.returncode, done.stderr), (1, "nope.py: there is no such file\n"))
        self.command(RANDOM)
        command = [sys.executable, "-m", "referee.bot", "mybot:YourBot"]
        done = subprocess.run(command, capture_output=True, text=True, **self.place())
        self.assertEqual(done.stderr, "mybot.py has no class YourBot\n")


class OtherPackages(unittest.TestCase):
    """The copy of the module in the folder of a bot, where a course has a package `referee`, too."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def copied(self, name):
        shutil.copytree(Path(MODULE, "referee"), Path(self.folder, name))
        source = f"from {name} import Bot\nfrom {name}.games import Gridlock\nfrom {name}.rules import run\n"
        Path(self.folder, "game.py").write_text(source + "if __name__ == '__main__': run(Gridlock())\n")
        source += "class MyBot(Bot):\n    game = Gridlock()\n    def choose(self, position, seconds): return 'c4b4'\n"
        Path(self.folder, "mybot.py").write_text(source + "if __name__ == '__main__': MyBot().run()\n")
        return {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"}

    def test_the_copy_works_under_another_name(self):
        environment = self.copied("refereebot")
        course = Path(self.folder, "referee")
        course.mkdir()
        Path(course, "__init__.py").write_text("raise SystemExit('the other package')\n")
        for command, line, answer in (
            (["mybot.py"], "go movetime 10\n", "bestmove c4b4\n"),
            (["-m", "refereebot.bot", "mybot.py:MyBot"], "go movetime 10\n", "bestmove c4b4\n"),
            (["game.py"], "query p1turn\n", "response true\n"),
            (["-m", "refereebot.rules", "game.py:Gridlock"], "query p1turn\n", "response true\n"),
        ):
            done = subprocess.run(
                [sys.executable, *command],
                input=line,
                capture_output=True,
                text=True,
                timeout=60,
                cwd=self.folder,
                env=environment,
            )
            self.assertEqual((done.stdout, done.stderr), (answer, ""))

    def test_two_packages_in_one_folder_are_both_named(self):
        environment = self.copied("referee")
        init, rules = Path(self.folder, "referee", "__init__.py"), Path(self.folder, "referee", "rules.py")
        init.write_text("from .run import play\n")
        Path(self.folder, "referee", "run.py").write_text("def play(): pass\n")
        for first in ("referee.rules", "referee.bot", "referee.engine", "referee.results"):
            done = subprocess.run(
                [sys.executable, "-c", f"import {first}"],
                capture_output=True,
                text=True,
                cwd=self.folder,
                env=environment,
            )
            error = done.stderr.splitlines()[-1]
            self.assertRegex(error, "^ImportError: there are two packages 'referee': ")
            self.assertIn(f"{os.path.realpath(init)} is of another one than {os.path.realpath(rules)}", error)


class Searches(unittest.TestCase):
    def test_time_for_a_move(self):
        table = [
            ("movetime 1000", True, 0.95),
            ("movetime 40", True, 0.02),
            ("wtime 30000 btime 60000", True, 0.95),
            ("wtime 30000 btime 60000 movestogo 10", True, 2.95),
            ("p1time 30000 p2time 60000 p2inc 500", False, 2.45),
            ("wtime 600 winc 5000 btime 1", True, 0.25),
            ("wtime -20 btime 1", True, 0),
            ("", True, 0.95),
            ("depth 3 movetime soon", True, 0.95),
        ]
        for words, turn, expected in table:
            limits = Limits(words.split())
            limits._begin(turn)
            self.assertAlmostEqual(limits.seconds, expected, msg=words)

    def test_the_clocks_of_the_game(self):
        for words, turn, clock in [
            ("wtime 60000 btime 30000", True, (60, 30, 0, 0, None)),
            ("wtime 60000 btime 30000 winc 500 movestogo 9", False, (30, 60, 0, 0.5, 9)),
            ("p1time 60000 p2time 30000 p2inc 1000", False, (30, 60, 1, 0, None)),
            ("wtime 60000", True, (60, None, 0, 0, None)),
            ("wtime 60000", False, None),
            ("movetime 1000", True, None),
            ("", True, None),
        ]:
            bot = Bot()
            bot.limits = Limits(words.split())
            bot.limits._begin(turn)
            self.assertEqual(bot.clock, clock, words)

    def test_only_a_limit_of_time_is_a_deadline(self):
        for words, is_timed in (("movetime 0", True), ("depth 3", False), ("infinite", False), ("", False)):
            limits = Limits(words.split())
            limits._begin(True)
            time.sleep(0.01)
            self.assertEqual(limits.stopped, is_timed, words)

    def test_a_bot_is_an_ordinary_object(self):
        class First(Bot):
            def choose(self, position, seconds):
                return self.game.moves(position)[0]

        bot = First()
        self.assertEqual(bot.choose(bot.game.start(), 1), "a8")
        self.assertFalse(bot.stopped)

        class Patient(Bot):
            def choose(self, position, seconds):
                while not self.stopped:
                    pass
                return self.game.moves(position)[0]

        self.assertEqual(Patient().best_move(bot.game.start(), 0.05), "a8")
        with self.assertRaisesRegex(NotImplementedError, "Bot needs a method choose"):
            Bot().choose(None, 1)
        for error, text, facts in (
            (
                ValueError,
                "score: expected a number or a text such as 'cp 12' or 'win 3', found nan",
                {"score": math.nan},
            ),
            (ValueError, "score: expected .*, found 'good'", {"score": "good"}),
            (ValueError, "score: expected .*, found True", {"score": True}),
            (ValueError, "score: expected .*, found 'win -3'", {"score": "win -3"}),
            (TypeError, r"info\(\) has no argument deepth; expected score, pv, depth", {"deepth": 3}),
            (TypeError, "depth: expected a whole number, at least 0, found '3'", {"depth": "3"}),
            (ValueError, "nodes: expected a whole number, at least 0, found -1", {"nodes": -1}),
            (TypeError, "pv: expected a list of texts, .*, found 'a8 h8'", {"pv": "a8 h8"}),
            (ValueError, "pv: expected single words, .*, found 'a8 h8'", {"pv": ["a8 h8"]}),
        ):
            with self.assertRaisesRegex(error, f"^{text}"):
                bot.info(**facts)
        for wrong in (math.nan, -1, "soon"):
            with self.assertRaisesRegex((TypeError, ValueError), "^seconds: expected"):
                bot.best_move(bot.game.start(), wrong)
        self.assertEqual(AnyGame().start(), ("startpos", ()))


if __name__ == "__main__":
    unittest.main()
