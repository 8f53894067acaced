"""Bots that ask other programs: bridges, programs that talk by files, clients, agents whose last answer counts."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

import referee
from referee import ChildError, rules
from referee._child import cut, framed

ROOT = Path(__file__).resolve().parents[2]
MODULE = str(Path(referee.__file__).resolve().parents[1])
RULES = ROOT / "examples/rules"

#: A bridge that says all to its child.
TELLER = textwrap.dedent("""
    whole_games = True
    def started(self):
        self.send(f"started {self.side}")
        self.receive("hello")
    def begin(self, position): self.send("begin " + self.game_start)
    def tell(self, position, move): self.send("tell " + move)
    def ask(self, position, seconds):
        self.send("ask")
        return self.receive("move ")[5:]
    def game_over(self, position, result): self.send("over " + result)
""")
#: A child that writes down what it hears, and plays the moves of a list.
HEARER = """
import sys
moves = ["a8", "b8", "c8", "d8"]
with open("heard.txt", "a") as heard:
    print("new", *sys.argv[1:], file=heard, flush=True)
    for line in sys.stdin:
        print(line.strip(), file=heard, flush=True)
        if line.startswith("started"):
            print("hello")
        if line == "ask\\n":
            print("thinking")
            print("move", moves.pop(0))
    print("end", file=heard)
"""


class Talk:
    """A running bot. Each method waits for the answer, whatever it takes."""

    def __init__(self, command, folder, environment):
        pipe = subprocess.PIPE
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=self.errors, text=True, bufsize=1
        )

    def until(self, word):
        """The lines before the one that begins with this word, and that one."""
        lines = []
        for line in self.process.stdout:
            lines.append(line.rstrip("\n"))
            if line.split()[:1] == [word]:
                return lines
        raise AssertionError(f"no {word}: {lines}, {self.said()}")

    def send(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")

    def ready(self, *lines):
        self.send(*lines, "isready")
        return self.until("readyok")[:-1]

    def new_game(self, side="none"):
        return self.ready(f"setoption name UCI_Side value {side}", "ucinewgame")

    def go(self, moves="", limit="movetime 60000"):
        """The `info` lines, and the move."""
        self.send("position startpos" + (f" moves {moves}" if moves else ""), f"go {limit}")
        *lines, last = self.until("bestmove")
        return lines, last.removeprefix("bestmove ")

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def end(self):
        """The exit status and the standard error after the end of the input."""
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        status = self.process.wait()
        said = self.said()
        self.errors.close()
        return status, said


class WithAnAgent(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("wrapper", "submission", "scratch"):
            (self.folder / name).mkdir()
        self.agent = self.folder / "submission"

    def bot(self, base, body, **files):
        """A running bot of this class; `files` are those of the hand-in, with `_` for the dot in their names."""
        for name, text in files.items():
            path = self.agent / name.replace("_", ".")
            path.write_text(text)
        source = f"from referee import *\nimport json, os\nclass MyBot({base}):\n    game = AnyGame()\n"
        source += textwrap.indent(textwrap.dedent(body), "    ") + "\nMyBot().run()\n"
        (self.folder / "wrapper/bot.py").write_text(source)
        environment = {
            **os.environ,
            "PYTHONPATH": MODULE,
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(self.folder / "scratch"),
        }
        environment.pop("PYTHONUNBUFFERED", None)  # which a child must get from the bot
        command = [sys.executable, "wrapper/bot.py", str(self.agent)]
        talk = Talk(command, self.folder, environment)
        self.addCleanup(lambda: talk.process.stdin.closed or talk.end())
        self.addCleanup(talk.process.kill)
        return talk

    def heard(self):
        return (self.agent / "heard.txt").read_text().split("\n")[:-1]

    def assert_ends(self, process):
        """A process is gone, or a zombie that nobody has waited for."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                os.kill(process, 0)
                if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    return
            except (ProcessLookupError, FileNotFoundError):
                return
            time.sleep(0.01)
        self.fail(f"process {process} is alive")


class Bridges(WithAnAgent):
    COMMAND = "command = 'python3 agent.py {side}'\n"

    def test_sends_only_what_is_new(self):
        bot = self.bot("Bridge", self.COMMAND + TELLER, agent_py=HEARER)
        bot.new_game("p1")
        self.assertEqual(self.heard(), ["new p1", "started True"])
        notes, move = bot.go()
        self.assertEqual(move, "a8")
        self.assertEqual(
            notes,
            [
                "info string > begin startpos",
                "info string > ask",
                "info string < thinking",
                "info string < move a8",
            ],
        )
        bot.go("a8 h8")
        bot.ready("position startpos moves a8 h8 b8 g8", "setoption name UCI_Result value p2win")
        self.assertEqual(bot.end()[0], 0)
        told = ["begin startpos", "ask", "tell h8", "ask", "tell g8", "over 0-1", "end"]
        self.assertEqual(self.heard(), ["new p1", "started True", *told])

    def test_a_child_that_resigns_hears_of_the_end(self):
        body = self.COMMAND + TELLER + "def ask(self, position, seconds): return 'resign'\n"
        bot = self.bot("Bridge", body, agent_py=HEARER)
        bot.new_game("p1")
        self.assertEqual(bot.go()[1], "resign")
        bot.ready("setoption name UCI_Result value p2win")
        self.assertEqual(bot.end()[0], 0)
        self.assertEqual(self.heard(), ["new p1", "started True", "begin startpos", "over 0-1", "end"])

    def test_begins_again_where_the_history_differs(self):
        bot = self.bot("Bridge", self.COMMAND + TELLER, agent_py=HEARER)
        bot.new_game("p1")
        bot.go()
        bot.go("h8 a7")  # another move than its own
        bot.go("h8 a7 a8")  # the moves of the other side
        self.assertEqual(bot.end()[0], 0)
        heard = [line for line in self.heard() if line != "end"]
        first = ["new p1", "started True", "begin startpos", "ask"]
        second = ["new p1", "started True", "begin startpos", "tell h8", "tell a7", "ask"]
        third = ["new p2", "started False", "begin startpos", "tell h8", "tell a7", "tell a8", "ask"]
        self.assertEqual(heard, first + second + third)

    def test_a_new_game_without_a_side_starts_the_child_with_the_first_question(self):
        bot = self.bot("Bridge", self.COMMAND + TELLER, agent_py=HEARER)
        bot.new_game()
        self.assertFalse((self.agent / "heard.txt").exists())
        bot.go("h8")
        self.assertEqual(self.heard()[:2], ["new p2", "started False"])

    def test_a_child_may_play_all_games(self):
        body = self.COMMAND + TELLER.replace("whole_games = True", "whole_games = False")
        bot = self.bot("Bridge", body, agent_py=HEARER)
        for side, moves in (("p1", ""), ("p2", "h8"), ("p1", "")):
            bot.new_game(side)
            move = bot.go(moves)[1]
            bot.ready(f"position startpos moves {moves} {move}", "setoption name UCI_Result value draw")
        bot.end()
        self.assertEqual(len([line for line in self.heard() if line.startswith("new")]), 1)
        self.assertEqual(self.heard().count("begin startpos"), 3)

    def test_last_words_come_after_those_of_the_child(self):
        agent = "import sys\nprint('I fail', file=sys.stderr)\nprint('hello')\ninput()\ninput()\nraise IndexError('no such cell')\n"
        bot = self.bot("Bridge", self.COMMAND + TELLER, agent_py=agent)
        bot.send("position startpos", "go movetime 60000")
        status, said = bot.end()
        self.assertEqual(status, 1)
        self.assertIn("I fail\nTraceback", said)
        last = "python3 agent.py p1 ended with exit status 1: IndexError: no such cell\n"
        self.assertTrue(said.endswith(last), said)
        self.assertNotIn("bridge.py", said)

    def test_a_program_that_cannot_be_started(self):
        bot = self.bot("Bridge", "command = './missing'\n" + TELLER)
        bot.send("position startpos", "go movetime 60000")
        status, said = bot.end()
        self.assertEqual(status, 1)
        self.assertIn("cannot start ./missing: [Errno 2] No such file", said)

    @unittest.skipUnless(Path("/proc").exists(), "needs /proc")
    def test_all_that_the_child_has_started_ends_with_it(self):
        agent = """
            import subprocess, sys
            inner = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            open("pids.txt", "w").write(str(inner.pid))
            print("I was here")
            for line in sys.stdin:
                print("hello" if line.startswith("started") else "move a8", flush=True)
            import time
            time.sleep(600)
        """
        bot = self.bot("Bridge", self.COMMAND + TELLER, agent_py=textwrap.dedent(agent))
        bot.new_game("p1")
        self.assertEqual(bot.go()[1], "a8")
        inner = int((self.agent / "pids.txt").read_text())
        bot.ready("setoption name UCI_Result value draw")
        self.assert_ends(inner)
        self.assertEqual(bot.end()[0], 0)

    def test_quit_ends_a_child_that_thinks(self):
        agent = "import os, sys, time\nopen('pids.txt', 'w').write(str(os.getpid()))\nprint('hello')\ntime.sleep(600)\n"
        bot = self.bot("Bridge", self.COMMAND + TELLER, agent_py=agent)
        bot.new_game("p1")
        bot.send("position startpos", "go infinite", "quit")
        self.assertEqual(bot.end()[0], 0)
        self.assert_ends(int((self.agent / "pids.txt").read_text()))

    def test_an_answer_that_is_no_word_is_shown_as_one(self):
        agent = HEARER.replace('moves = ["a8"', 'moves = ["I pass now"')
        bot = self.bot("Bridge", self.COMMAND + TELLER, agent_py=agent)
        self.assertEqual(bot.go()[1], "I_pass_now")

    def test_a_child_that_ends_with_the_game_is_no_error(self):
        agent = "import os, sys\nopen('pids.txt', 'w').write(str(os.getpid()))\nprint('hello')\nfor line in sys.stdin:\n    if line == 'ask\\n':\n        print('move a8')\n        break\n"
        bot = self.bot("Bridge", self.COMMAND + TELLER, agent_py=agent)
        bot.new_game("p1")
        bot.go()
        self.assert_ends(int((self.agent / "pids.txt").read_text()))
        bot.ready("position startpos moves a8 h8", "setoption name UCI_Result value p1win")
        bot.new_game("p1")
        self.assertEqual(bot.go()[1], "a8")

    def test_frames(self):
        self.assertEqual(cut("length4", framed("length4", "äb") + b"x"), ("äb".encode(), 7))
        self.assertEqual([cut("length4", b"\0\0\0\2a"), cut("length4", b"\0\0")], [(None, 0)] * 2)
        self.assertEqual([cut("lines", b"a\nb\nc", at) for at in (0, 2, 4)], [(b"a", 2), (b"b", 4), (None, 4)])
        with self.assertRaisesRegex(ChildError, "a frame of 1212501068 bytes"):
            cut("length4", b"HELLO")
        text = '{"move": "ä}"}'.encode()
        for end in range(len(text)):
            self.assertEqual(cut("json", b" \n" + text[:end]), (None, 0))
        self.assertEqual(cut("json", b"x" + text + b"[1]", 1), (text, 1 + len(text)))
        self.assertEqual(cut("json", text + b"\n[1]", len(text)), (b"[1]", len(text) + 4))
        self.assertEqual([cut("chunk", b"a\nb", 1), cut("chunk", b"a", 1)], [(b"\nb", 3), (None, 1)])
        self.assertEqual([framed(frame, "ä") for frame in ("json", "chunk")], ["ä".encode()] * 2)
        with self.assertRaisesRegex(ChildError, "frame: expected lines, length4, json or chunk, found 'line'"):
            cut("line", b"a")

    WHOLE = """
        command = "python3 agent.py"
        def ask(self, position, seconds):
            self.send("your turn")
            return json.loads(self.receive())["move"]
    """
    WHOLE_AGENT = "import sys, time\nwhile sys.stdin.buffer.read1():\n    sys.stdout.write('{\"move\": \"a8\"}')\n"

    def test_messages_without_an_end(self):
        for frame in ("json", "chunk"):
            bot = self.bot("Bridge", f"frame = {frame!r}\n" + textwrap.dedent(self.WHOLE), agent_py=self.WHOLE_AGENT)
            bot.new_game("p1")
            self.assertEqual([bot.go()[1], bot.go("a8 h8")[1]], ["a8"] * 2)
            self.assertEqual(bot.end()[0], 0)

    def test_an_unfinished_message_is_shown(self):
        bot = self.bot("Bridge", self.WHOLE, agent_py=self.WHOLE_AGENT)
        bot.send("position startpos", "go movetime 60000")
        lines = [bot.process.stdout.readline().strip() for _ in range(2)]
        self.assertEqual(lines, ["info string > your turn", 'info string <... {"move": "a8"}'])
        bot.process.kill()

    def test_an_answer_that_the_wrapper_cannot_use_is_quoted(self):
        agent = HEARER.replace('moves = ["a8"', 'moves = ["7"')
        body = self.COMMAND + TELLER.replace("[5:]", '.split()[2]')
        bot = self.bot("Bridge", body, agent_py=agent)
        bot.send("position startpos", "go movetime 60000")
        status, said = bot.end()
        last = r"AnswerError: IndexError: list index out of range, in ask\(position=.*; the program has answered `move 7`"
        self.assertRegex(said.splitlines()[-1], last)

    def test_every_kind_of_agent_is_told_the_clock(self):
        agent = "import sys\nfor line in sys.stdin:\n    print(line, end='')\n"
        body = self.COMMAND + "def ask(self, position, seconds):\n    self.send(str(self.clock))\n    return self.receive()"
        notes, _ = self.bot("Bridge", body, agent_py=agent).go(limit="wtime 60000 btime 30000 winc 1000")
        clock = "Clock(left=60.0, opponent=30.0, increment=1.0, opponent_increment=0.0, moves=None)"
        self.assertEqual(notes[0], "info string > " + clock)
        body = FilePrograms.BODY + "    def arguments(self, position): return [len(position[1]), *self.clock[:2]]\n"
        notes, _ = self.bot("FileProgram", body, agent_py="open('output.txt', 'w').write('0')").go(
            "h8", "wtime 60000 btime 30000"
        )
        self.assertIn("info string > python3 agent.py 1 30.0 60.0", notes)
        body = "def search(self, position, answer): answer(f'{self.clock.left}')"
        self.assertEqual(self.bot("Anytime", body).go(limit="wtime 60000 btime 30000")[1], "60.0")


class FilePrograms(WithAnAgent):
    BODY = """
        languages = {"agent.py": "python3 agent.py", "agent.c": ["cc -o exe agent.c", "./exe"]}
        def write(self, position, folder):
            (folder / "input.txt").write_text(f"{len(position[1])}\\n{self.side}\\n")
        def read(self, text):
            return {"0": "a8", "1": "b8"}[text.strip()]
    """

    def test_a_program_for_each_move(self):
        agent = "print('hello')\nopen('output.txt', 'w').write('1')\n"
        bot = self.bot("FileProgram", self.BODY, agent_py=agent)
        bot.new_game("p1")
        notes, move = bot.go("a7")
        self.assertEqual(move, "b8")
        lines = ["> input.txt | 1", "> input.txt | False", "> python3 agent.py", "< output.txt | 1"]
        self.assertEqual(notes, [f"info string {line}" for line in lines])
        status, said = bot.end()
        self.assertEqual((status, said), (0, "hello\n"))
        self.assertEqual(os.listdir(self.folder / "scratch"), [])
        self.assertEqual(os.listdir(self.agent), ["agent.py"])

    @unittest.skipUnless(shutil.which("cc"), "needs a compiler for C")
    def test_a_program_that_is_compiled_once(self):
        agent = '#include <stdio.h>\nint main(void) { FILE *f = fopen("output.txt", "w"); fputs("1", f); fclose(f); }\n'
        bot = self.bot("FileProgram", self.BODY, agent_c=agent)
        self.assertEqual(bot.go()[1], "b8")
        (self.agent / "agent.c").write_text("no C")
        bot.new_game("p2")
        self.assertEqual(bot.go("a8")[1], "b8")

    @unittest.skipUnless(shutil.which("cc"), "needs a compiler for C")
    def test_a_wrapper_prepares_a_submission_once(self):
        agent = '#include <stdio.h>\nint main(void) { FILE *f = fopen("output.txt", "w"); fputs("1", f); fclose(f); }\n'
        self.bot("FileProgram", self.BODY, agent_c=agent).end()
        prepared = self.folder / "prepared"
        prepared.mkdir()
        command = [sys.executable, str(self.folder / "wrapper/bot.py")]
        environment = {**os.environ, "PYTHONPATH": MODULE}
        subprocess.run([*command, "--prepare", str(self.agent)], cwd=prepared, env=environment, check=True)
        self.assertEqual(sorted(os.listdir(prepared)), ["agent.c", "exe"])
        bot = Talk([*command, str(self.agent), str(prepared)], self.folder, {**environment, "PATH": "/nowhere"})
        self.addCleanup(bot.process.kill)
        self.assertEqual(bot.go()[1], "b8")
        self.assertEqual(bot.end()[0], 0)
        self.assertEqual(sorted(os.listdir(prepared)), ["agent.c", "exe"])

    @unittest.skipUnless(shutil.which("cc"), "needs a compiler for C")
    def test_a_program_that_cannot_be_compiled(self):
        bot = self.bot("FileProgram", self.BODY, agent_c="int main(void) { retrun 0; }\n")
        status, said = bot.end()
        self.assertEqual(status, 1)
        last = said.splitlines()[-1]
        self.assertRegex(last, r"^agent\.c cannot be compiled: cc -o exe agent\.c ended with exit status 1: agent\.c:1")
        self.assertGreater(len(said.splitlines()), 1)

    def test_a_submission_without_a_program(self):
        status, said = self.bot("FileProgram", self.BODY, readme_md="").end()
        self.assertEqual(status, 1)
        self.assertIn("submission has none of the files agent.py, agent.c", said)

    def test_the_first_program_of_the_table_counts(self):
        agent = "open('output.txt', 'w').write('1')\n"
        self.assertEqual(self.bot("FileProgram", self.BODY, agent_c="no C", agent_py=agent).go()[1], "b8")

    COUNTER = """
import os
count = len(open('count.txt').read()) if os.path.exists('count.txt') else 0
open('count.txt', 'a').write('x')
open('output.txt', 'w').write(str(count))
"""

    def test_keeps_what_the_agent_writes_until_the_game_ends(self):
        bot = self.bot("FileProgram", self.BODY, agent_py=self.COUNTER)
        bot.new_game("p1")
        self.assertEqual([bot.go()[1], bot.go("a8 h8")[1]], ["a8", "b8"])
        bot.new_game("p1")
        self.assertEqual(bot.go()[1], "a8")

    def test_or_not(self):
        bot = self.bot("FileProgram", "keeps_files = False\n" + textwrap.dedent(self.BODY), agent_py=self.COUNTER)
        bot.new_game("p1")
        self.assertEqual([bot.go()[1], bot.go("a8 h8")[1]], ["a8", "a8"])

    def test_keeps_the_files_if_the_referee_plays_another_move_for_the_agent(self):
        agent = self.COUNTER.replace("write(str(count))", "write(str(count * 7 % 3))")
        bot = self.bot("FileProgram", self.BODY, agent_py=agent)
        bot.new_game("p1")
        moves = [bot.go()[1], bot.go("a1 h8")[1], bot.go("a1 h8 a2 h7")[1], bot.go("a1 h8 a2 h7 a3 h6")[1]]
        self.assertEqual(moves, ["a8", "b8", "2", "a8"])  # in turn 0, 7, 14 and 21 modulo 3
        bot.go("a1 h5")  # another game
        self.assertEqual(bot.go("a1 h5 a2 h4")[1], "b8")

    def test_helpers_and_large_files(self):
        (self.folder / "wrapper/course.py").write_text("ANSWER = '1'\n")
        (self.agent / "loop").symlink_to(".")
        (self.agent / "large.bin").write_bytes(b"0" * (1 << 20) + b"!")
        agent = "import course, os\nassert os.path.getsize('loop/loop/large.bin') == 1048577\n"
        agent += "open('output.txt', 'w').write(course.ANSWER)\n"
        bot = self.bot("FileProgram", "helpers = ['course.py']\n" + textwrap.dedent(self.BODY), agent_py=agent)
        self.assertEqual(bot.go()[1], "b8")

    def test_no_answer(self):
        for agent, how in (
            ("raise ValueError('bad')\n", "1 without output.txt: ValueError: bad"),
            ("print('hello')\n", "0 without output.txt"),
        ):
            bot = self.bot("FileProgram", self.BODY, agent_py=agent)
            bot.send("position startpos", "go movetime 60000")
            status, said = bot.end()
            self.assertEqual(status, 1)
            self.assertEqual(said.splitlines()[-1], f"python3 agent.py ended with exit status {how}")

    def test_the_old_answer_is_none(self):
        agent = "import os\nif not os.path.exists('seen'):\n"
        agent += "    open('seen', 'w')\n    open('output.txt', 'w').write('0')\n"
        bot = self.bot("FileProgram", "missing = 'h1'\n" + textwrap.dedent(self.BODY), agent_py=agent)
        self.assertEqual([bot.go()[1], bot.go("a8 h8")[1]], ["a8", "h1"])

    def test_an_answer_that_cannot_be_read(self):
        agent = "open('output.txt', 'w').write('7 of 9\\n')\n"
        bot = self.bot("FileProgram", self.BODY, agent_py=agent)
        notes, move = bot.go()
        self.assertEqual(move, "7_of_9")
        self.assertIn("info string error: output.txt is `7 of 9`: KeyError: '7 of 9'", notes)
        bot = self.bot("FileProgram", "missing = 'pass'\n" + textwrap.dedent(self.BODY), agent_py=agent)
        self.assertEqual(bot.go()[1], "pass")

    def test_standard_input_and_output(self):
        body = """
            answer = None
            languages = {"agent.py": "python3 agent.py"}
            def write(self, position, folder): return "2\\n3\\n"
            def read(self, text): return json.loads(text)["move"]
        """
        agent = "print('{\"move\":')\nprint(int(input()) + int(input()), '}')\n"
        notes, move = self.bot("FileProgram", body.replace('["move"]', '["move"] * "x"'), agent_py=agent).go()
        self.assertEqual(move, "xxxxx")
        self.assertEqual(notes[:2], ["info string > standard input | 2", "info string > standard input | 3"])
        self.assertEqual(notes[3], 'info string < standard output | {"move":')

    def last_answer(self, body, write):
        """The move of an agent that has given three answers, the last of which cannot be read."""
        agent = f"import time\nfor answer in ('0', '1', 'ha'):\n    {write}\n    time.sleep(0.2)\n"
        agent += f"open({str(self.folder / 'ready')!r}, 'w')\ntime.sleep(600)\n"
        bot = self.bot("FileProgram", "last_counts = True\n" + textwrap.dedent(body), agent_py=agent)
        bot.send("position startpos", "go infinite")
        while not (self.folder / "ready").exists():
            time.sleep(0.01)
        bot.send("stop")
        move = bot.until("bestmove")[-1]
        self.assertEqual(bot.end()[0], 0)
        return move

    def test_the_last_answer_counts(self):
        self.assertEqual(self.last_answer(self.BODY, "open('output.txt', 'w').write(answer)"), "bestmove b8")

    def test_the_last_printed_answer_counts(self):
        body = "answer = None\n" + textwrap.dedent(self.BODY)
        self.assertEqual(self.last_answer(body, "print(answer, flush=True)"), "bestmove b8")

    def test_a_program_that_answers_without_end_is_stopped(self):
        for answer, write in (("'output.txt'", "open('output.txt', 'w').write('1')"), ("None", "print(1, flush=True)")):
            ready = self.folder / f"ready{len(answer)}"
            agent = f"from itertools import count\nfor number in count():\n    {write}\n"
            agent += f"    if number == 3000: open({str(ready)!r}, 'w')\n"
            body = f"last_counts, answer = True, {answer}\n" + textwrap.dedent(self.BODY)
            bot = self.bot("FileProgram", body, agent_py=agent)
            bot.send("position startpos", "go infinite")
            while not ready.exists():
                time.sleep(0.01)
            bot.send("stop")
            self.assertEqual(bot.until("bestmove")[-1], "bestmove b8")

    def test_no_answer_in_time(self):
        body = "last_counts = True\n" + textwrap.dedent(self.BODY)
        bot = self.bot("FileProgram", body, agent_py="import time\ntime.sleep(600)\n")
        bot.send("position startpos", "go movetime 100")
        status, said = bot.end()
        self.assertEqual((status, said), (1, "python3 agent.py wrote no output.txt in 0.050 s\n"))

    def test_a_program_that_waits_for_its_next_input(self):
        agent = """
import os, time
for answer in "01":
    while not os.path.exists("input.txt"):
        time.sleep(0.01)
    os.remove("input.txt")
    with open("output.txt", "w") as file:
        file.write(" ")
        file.flush()
        time.sleep(0.05)
        file.write(answer)
time.sleep(600)
"""
        body = "whole_games = True\n" + textwrap.dedent(self.BODY)
        bot = self.bot("FileProgram", body, agent_py=agent)
        bot.new_game("p1")
        self.assertEqual([bot.go()[1], bot.go("a8 h8")[1]], ["a8", "b8"])


@unittest.skipUnless(hasattr(os, "fork"), "needs fork")
class AnytimeAgents(WithAnAgent):
    def bot(self, body):
        return super().bot("Anytime", body)

    def test_the_last_answer_counts_and_the_search_is_killed(self):
        body = """
            def search(self, position, answer):
                open("pid.txt", "w").write(str(os.getpid()))
                for move in ("a1", "a2", "a3"):
                    answer(move, len(position[1]) if self.memory is None else self.memory + 10)
                open("ready", "w")
                while True:
                    pass
            def choose(self, position, seconds):
                move = super().choose(position, seconds)
                return f"{move}/{self.memory}"
        """
        bot = self.bot(body)
        self.assertEqual(self.stopped(bot, "h1"), "bestmove a3/1")
        self.assert_ends(int((self.folder / "pid.txt").read_text()))
        self.assertEqual(self.stopped(bot, "h1 a3 h2"), "bestmove a3/11")
        bot.new_game("p1")
        self.assertEqual(self.stopped(bot, "h1"), "bestmove a3/1")

    def stopped(self, bot, moves):
        """The answer of a search that is stopped when it is ready."""
        bot.send(f"position startpos moves {moves}", "go infinite")
        while not (self.folder / "ready").exists():
            time.sleep(0.01)
        (self.folder / "ready").unlink()
        bot.send("stop")
        return bot.until("bestmove")[-1]

    def test_the_time_of_a_search_ends(self):
        body = "def search(self, position, answer):\n    answer('b1')\n    while True: pass"
        self.assertEqual(self.bot(body).go("", "movetime 100")[1], "b1")

    def test_the_end_of_a_search(self):
        self.assertEqual(self.bot("def search(self, position, answer): answer('b1')").go()[1], "b1")

    def test_stop(self):
        body = "def search(self, position, answer):\n    answer('b1')\n    while True: pass"
        bot = self.bot(body)
        bot.send("position startpos", "go infinite", "stop")
        self.assertEqual(bot.until("bestmove")[-1], "bestmove b1")

    def test_a_late_first_answer_is_waited_for(self):
        body = "def search(self, position, answer):\n    import time\n    time.sleep(0.3)\n    answer('b1')"
        self.assertEqual(self.bot(body).go("", "movetime 10")[1], "b1")

    def test_a_search_without_an_answer(self):
        bot = self.bot("def search(self, position, answer): raise ValueError('no idea')")
        bot.send("position startpos", "go movetime 60000")
        status, said = bot.end()
        self.assertEqual(status, 1)
        self.assertIn("ValueError: no idea\n", said)
        self.assertEqual(said.splitlines()[-1], "the search ended with status 1 without a move")


#: A wrapper and an agent that exchange lines.
LINES = """
    command = "python3 agent.py {port} {side}"
    def started(self): self.send(f"start {self.side}")
    def tell(self, position, move): self.send("move " + move)
    def ask(self, position, seconds):
        self.send("turn")
        return self.receive()
    def game_over(self, position, result): self.send("end " + result)
"""


def lines_agent(connection, before=""):
    return f"""
import socket, sys
{before}
address = ("localhost", int(sys.argv[1]))
lines = {connection}.makefile("rw")
print("side", sys.argv[2])
moves = ["a8", "b8"]
for line in lines:
    print("heard", line.strip())
    if line == "turn\\n":
        print(moves.pop(0), file=lines, flush=True)
"""


class Clients(WithAnAgent):
    AGENT = lines_agent("socket.create_connection(address)")

    def test_a_client_of_a_free_port(self):
        bot = self.bot("Client", LINES, agent_py=self.AGENT)
        bot.new_game("p2")
        self.assertEqual(bot.go("h8")[1], "a8")
        bot.ready("position startpos moves h8 a8 h7", "setoption name UCI_Result value draw")
        status, said = bot.end()
        self.assertEqual(status, 0)
        heard = ["start False", "move h8", "turn", "move h7", "end 1/2-1/2"]
        self.assertEqual(said.splitlines(), ["side p2", *(f"heard {line}" for line in heard)])

    STATES = """
        command = "python3 agent.py {port} {side}"
        frame, sides = "length4", ("white", "black")
        def started(self): self.receive()
        def state(self, position): return " ".join([["white", "black"][len(position[1]) % 2], *position[1]])
        def ask(self, position, seconds): return self.receive()
    """
    STATE_AGENT = """
import socket, sys
server = socket.create_connection(("localhost", int(sys.argv[1])))
def send(text):
    server.sendall(len(text).to_bytes(4, "big") + text.encode())
def receive(size):
    data = b""
    while len(data) < size:
        more = server.recv(size - len(data))
        if not more:
            sys.exit()
        data += more
    return data
send("my name")
moves = ["a8", "b8", "c8"]
while True:
    state = receive(int.from_bytes(receive(4), "big")).decode()
    print(state)
    if state.split()[0] == sys.argv[2]:
        send(moves.pop(0))
"""

    def test_a_client_sees_each_state_once(self):
        bot = self.bot("Client", self.STATES, agent_py=self.STATE_AGENT)
        bot.new_game("p1")
        self.assertEqual([bot.go()[1], bot.go("a8 h8")[1]], ["a8", "b8"])
        bot.ready("position startpos moves a8 h8 b8 h7", "setoption name UCI_Result value draw")
        status, said = bot.end()
        self.assertEqual(status, 0)
        states = ["white", "black a8", "white a8 h8", "black a8 h8 b8", "white a8 h8 b8 h7"]
        self.assertEqual(said.splitlines(), states)

    def test_a_client_is_not_asked_in_an_opening(self):
        bot = self.bot("Client", self.STATES, agent_py=self.STATE_AGENT)
        bot.new_game("p1")
        self.assertEqual(bot.go("c8 h8")[1], "a8")
        self.assertEqual(bot.end()[1].splitlines(), ["black c8", "white c8 h8", "black c8 h8 a8"])

    def test_a_client_of_states_goes_on_after_a_move_that_the_referee_has_played_for_it(self):
        bot = self.bot("Client", self.STATES, agent_py=self.STATE_AGENT)
        bot.new_game("p1")
        self.assertEqual([bot.go()[1], bot.go("c8 h8")[1]], ["a8", "b8"])
        states = ["white", "black a8", "black c8", "white c8 h8", "black c8 h8 b8"]
        self.assertEqual(bot.end()[1].splitlines(), states)

    def test_a_client_that_ends_with_its_last_move(self):
        agent = self.AGENT.replace("flush=True)", "flush=True)\n        break")
        bot = self.bot("Client", LINES, agent_py=agent)
        bot.new_game("p1")
        self.assertEqual(bot.go()[1], "a8")
        bot.send("position startpos moves a8 h8", "go movetime 60000")
        status, said = bot.end()
        self.assertEqual(status, 1)
        self.assertRegex(said.splitlines()[-1], r"^python3 agent\.py \d+ p1 ended with exit status 0$")

    def test_a_client_that_does_not_connect(self):
        bot = self.bot("Client", LINES, agent_py="raise OSError('no network')\n")
        bot.send("position startpos", "go movetime 60000")
        status, said = bot.end()
        self.assertEqual(status, 1)
        last = r"ended with exit status 1 without a connection to port \d+: OSError: no network$"
        self.assertRegex(said.splitlines()[-1], last)

    def test_the_output_of_a_client_is_kept_when_it_is_killed(self):
        agent = self.AGENT + "import time\nprint('last words')\ntime.sleep(600)\n"
        bot = self.bot("Client", LINES, agent_py=agent)
        bot.new_game("p1")
        bot.go()
        bot.ready("setoption name UCI_Result value draw")
        self.assertIn("last words\n", bot.end()[1])

    def free_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            return taken.getsockname()[1]

    def test_a_fixed_port(self):
        ports = self.free_port(), self.free_port()
        body = f"ports = {ports}\n" + textwrap.dedent(LINES).replace(" {port}", f" {ports[1]}")
        bot = self.bot("Client", body, agent_py=self.AGENT)
        for _ in range(3):
            bot.new_game("p2")
            self.assertEqual(bot.go("h8")[1], "a8")
            bot.ready("setoption name UCI_Result value draw")
        self.assertEqual(bot.end()[0], 0)

    def test_a_port_that_is_used(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            bot = self.bot("Client", f"import referee.client\nreferee.client.PATIENCE = 0.2\nports = {port, port}\n" + textwrap.dedent(LINES), agent_py=self.AGENT)
            bot.send("position startpos", "go movetime 60000")
            status, said = bot.end()
        self.assertEqual(status, 1)
        message = f"cannot open port {port}: [Errno 98] Address already in use; another program uses it"
        self.assertIn(message.partition("[")[0], said)
        self.assertIn("Address already in use", said)
        self.assertIn("--sandbox=strict", said)


class Servers(WithAnAgent):
    LINES_AGENT = lines_agent("socket.create_server(address).accept()[0]", "import time; time.sleep(0.2)")
    CALLS = """
        command = "python3 agent.py {port}"
        def started(self): self.call("initialize", self.side, None)
        def ask(self, position, seconds): return self.call("play", position[1], self.clock and self.clock.left)
    """
    CALLS_AGENT = """
import sys
from xmlrpc.server import SimpleXMLRPCServer
class Player:
    def initialize(self, side, time_left):
        print("initialize", side, time_left)
        return True
    def play(self, moves, time_left):
        print("play", moves, time_left)
        return ["a8", "b8"][len(moves) // 2]
server = SimpleXMLRPCServer(("localhost", int(sys.argv[1])), allow_none=True)
server.register_instance(Player())
server.serve_forever()
"""
    POSTS = """
        command = "python3 agent.py {port}"
        def started(self): self.request("/ping")
        def ask(self, position, seconds):
            return json.loads(self.request("/move", json.dumps({"moves": position[1]})))["move"]
    """
    POSTS_AGENT = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = PROTOCOL
    def do_GET(self): self.answer("pong")
    def do_POST(self):
        moves = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["moves"]
        self.answer(json.dumps({"move": ["a8", "b8"][len(moves) // 2]}))
    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = CLOSES
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

    def test_a_server_of_lines(self):
        bot = self.bot("Server", LINES, agent_py=self.LINES_AGENT)
        for _ in range(2):
            bot.new_game("p2")
            self.assertEqual(bot.go("h8")[1], "a8")
            bot.ready("position startpos moves h8 a8 h7", "setoption name UCI_Result value draw")
        status, said = bot.end()
        heard = ["start False", "move h8", "turn", "move h7", "end 1/2-1/2"]
        self.assertEqual((status, said.splitlines()), (0, ["side p2", *(f"heard {line}" for line in heard)] * 2))

    def test_a_server_of_functions(self):
        bot = self.bot("Server", self.CALLS, agent_py=self.CALLS_AGENT)
        bot.new_game("p1")
        notes, move = bot.go(limit="wtime 60000 btime 30000")
        self.assertEqual((notes, move), (["info string > play((), 60.0)", "info string < 'a8'"], "a8"))
        self.assertEqual(bot.go("a8 h8")[1], "b8")
        bot.send("position startpos moves a8 h8 b8 g8", "go movetime 60000")
        bot.process.stdout.read()
        status, said = bot.end()
        self.assertEqual(status, 1)
        last = r"^play\(\) of python3 agent.py \d+ failed: <class 'IndexError'>:list index out of range$"
        self.assertRegex(said.splitlines()[-1], last)

    def test_a_server_of_requests(self):
        for protocol, closes in (("HTTP/1.0", True), ("HTTP/1.1", False), ("HTTP/1.1", True)):
            agent = self.POSTS_AGENT.replace("PROTOCOL", repr(protocol)).replace("CLOSES", str(closes))
            bot = self.bot("Server", self.POSTS, agent_py=agent)
            bot.new_game("p1")
            notes, move = bot.go()
            self.assertEqual(move, "a8")
            self.assertEqual(notes, ['info string > /move | {"moves": []}', 'info string < {"move": "a8"}'])
            self.assertEqual(bot.go("a8 h8")[1], "b8")
            bot.send("position startpos moves a8 h8 b8 g8", "go movetime 60000")
            bot.process.stdout.read()
            status, said = bot.end()
            self.assertEqual(status, 1, said)
            self.assertRegex(said, r"IndexError: list index out of range\n(.*\n)*python3 agent.py \d+ does not answer /move")

    def test_a_server_that_does_not_listen(self):
        for agent, how in (("raise OSError('no network')", "1"), ("", "0")):
            bot = self.bot("Server", LINES, agent_py=agent + "\n")
            bot.send("position startpos", "go movetime 60000")
            status, said = bot.end()
            self.assertEqual(status, 1)
            last = rf"ended with exit status {how} without listening on port \d+(: OSError: no network)?$"
            self.assertRegex(said.splitlines()[-1], last)

    def test_a_fixed_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            taken.listen()
            patience = "import referee.client\nreferee.client.PATIENCE = 0.2\n"
            body = f"ports = ({port}, {port})\n" + textwrap.dedent(self.CALLS).replace("{port}", str(port))
            bot = self.bot("Server", patience + body, agent_py=self.CALLS_AGENT)
            bot.send("setoption name UCI_Side value p1", "ucinewgame")
            status, said = bot.end()
            self.assertEqual(status, 1)
            self.assertIn(f"cannot open port {port}: ", said)
        bot = self.bot("Server", body, agent_py=self.CALLS_AGENT)
        for _ in range(2):
            bot.new_game("p1")
            self.assertEqual(bot.go()[1], "a8")
            bot.ready("setoption name UCI_Result value draw")
        self.assertEqual(bot.end()[0], 0)


class RulesPrograms(unittest.TestCase):
    def test_a_game_asks_a_program(self):
        game = rules.program([sys.executable, str(RULES / "hex.py")], size=3)
        self.addCleanup(game._close)
        self.assertEqual((game.name, game.options, game.size), ("Hex", {"size": range(2, 20)}, 3))
        position = game.play(game.start(), "b2")
        self.assertEqual((game.turn(position), game.result(position), len(game.moves(position))), (False, "*", 8))
        self.assertEqual(game.fen(position), "3/1x1/3 o")
        self.assertEqual(game.moves(game.from_fen("3/1x1/3 o")), game.moves(position))
        self.assertEqual(game.grid(position)[:2], (["a", "b", "c"], ["1", "2", "3"]))
        self.assertIn("x", game.board(position))
        self.assertFalse(hasattr(game, "score") or hasattr(game, "setup"))
        for move in ("a1", "b1", "c1", "b3"):
            position = game.play(position, move)
        game.size = 2
        self.assertEqual(len(game.moves(game.start())), 4)

    def test_a_grid_with_names_of_cells(self):
        program = """
            from referee.rules import run
            class Game:
                cell_names = "{row},{column}"
                def start(self): return 0
                def turn(self, n): return True
                def moves(self, n): return ["1,2"]
                def play(self, n, move): return n + 1
                def result(self, n): return "*"
                def grid(self, n): return "ab", "21", "x.o."
            run(Game())
        """
        game = rules.program([sys.executable, "-c", textwrap.dedent(program)])
        self.addCleanup(game._close)
        grid = game.grid(game.start())
        self.assertEqual([" ".join(part) for part in grid], ["a b", "2 1", "x . o ."])
        self.assertEqual((game.cell_names, game.lines), ("{row},{column}", False))

    def test_the_end_of_a_game(self):
        game = rules.program([sys.executable, str(RULES / "nim.py")], heaps="1")
        self.addCleanup(game._close)
        end = game.play(game.start(), "1-1")
        self.assertEqual((game.result(end), game.moves(end)), ("1-0", []))
        self.assertEqual(game.reason(end), "x took the last stick")
        self.assertIsNone(game.reason(game.start()))

    # The folder `chess` of the repository is no module: it has no file.
    @unittest.skipUnless(getattr(importlib.util.find_spec("chess"), "origin", None), "needs python-chess")
    def test_operations_of_epd_do_no_harm(self):
        game = rules.program([sys.executable, str(RULES / "python_chess.py")])
        self.addCleanup(game._close)
        board = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"
        for behind, counters in [
            ("0 1", "0 1"),
            ('4 49 c0 "eval; hmvc 9";', "4 49"),
            ('hmvc 3; fmvn 7; id "x";', "3 7"),
            ("bm #1;", "0 1"),
        ]:
            self.assertEqual(game.fen(game.from_fen(f"{board} {behind}")), f"{board} {counters}")
        with self.assertRaises(ValueError):
            game.from_fen(f"{board} 4 x")

    def test_what_a_program_cannot_use(self):
        game = rules.program([sys.executable, str(RULES / "nim.py")])
        self.addCleanup(game._close)
        with self.assertRaisesRegex(ChildError, "cannot use `position startpos moves 9-9`: move 1: `9-9` is not"):
            game.moves(game.play(game.start(), "9-9"))
        with self.assertRaises(ValueError):
            game.from_fen("nonsense x y")
        with self.assertRaisesRegex(ChildError, "option misere: expected"):
            rules.program([sys.executable, str(RULES / "nim.py")], misere="perhaps")
        with self.assertRaisesRegex(ChildError, "ended with exit status 3: ValueError: no rules"):
            rules.program([sys.executable, "-c", "import sys; print('ValueError: no rules', file=sys.stderr); sys.exit(3)"])

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_forked_process_asks_a_program_of_its_own(self):
        game = rules.program([sys.executable, str(RULES / "nim.py")])
        self.addCleanup(game._close)
        child = os.fork()
        if child == 0:
            game.moves(game.play(game.start(), "4-7"))
            game._close()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(game.moves(game.start())), 16)


if __name__ == "__main__":
    unittest.main()
