"""What the tests of the autograder share: the folders of a course, agents, and a service without a sandbox."""

import base64
import ctypes
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
AGENTS, AUTOGRADER = PROJECT / "examples/agents", PROJECT / "examples/autograder"
# The first argument of the tests.
REFEREE = str(Path(sys.argv.pop(1)).resolve())
ARCHIVE = "lodestone-0.0.0-x86_64-linux"
NAMES = ["Plays by the rules (referee check)", "Against random", "Against step", "Games without a fault"]
RAISES = "class StudentAgent:\n    def get_move(self, game, time_left):\n        raise IndexError('no idea')\n"
QUICK = "class StudentAgent:\n    def get_move(self, game, time_left):\n        return game.get_legal_moves()[0]\n"
ILLEGAL = "class StudentAgent:\n    def get_move(self, game, time_left):\n        return 0, 0\n"
EXITS = "import os\n\nclass StudentAgent:\n    def get_move(self, game, time_left):\n        os._exit(0)\n"
SLOW = "import time\n\nclass StudentAgent:\n    def get_move(self, game, time_left):\n        time.sleep(99)\n"

# What https://gradescope-autograders.readthedocs.io/en/latest/specs/ allows: the fields and their types.
NUMBER = (int, float)
TOP = {"score": NUMBER, "execution_time": NUMBER, "output": str, "extra_data": dict, "tests": list, "leaderboard": list}
TEST = {"score": NUMBER, "max_score": NUMBER, "status": str, "name": str, "output": str}
LEADER = {"name": str, "value": (*NUMBER, str), "order": str}


def wrapper(folder, shape, agent=False, rules=AGENTS / "game.py"):
    """The folder of a bot, as docs/your-course.md makes it, perhaps with the agent."""
    new_bot = [REFEREE, "new-bot", "python", folder, "--rules", rules]
    subprocess.run(new_bot, check=True, stdout=subprocess.DEVNULL)
    for file in (AGENTS / "isolation.py", *(AGENTS / shape).glob("*.py" if agent else "bot.py")):
        shutil.copy(file, folder)
    if (AGENTS / shape / "prepare").exists():
        shutil.copy(AGENTS / shape / "prepare", folder)


def assembled(folder):
    """The files of an autograder, as docs/your-course.md makes them; shorter, and with time for a busy machine."""
    shutil.copytree(AUTOGRADER, folder)
    (folder / "staff").mkdir()
    wrapper(folder / "wrapper", "get_move")
    wrapper(folder / "staff/step", "step", agent=True)
    text = (folder / "rubric.toml").read_text()
    text = (
        text.replace("games = 10", "games = 2")
        .replace("st = 0.5", "st = 0.2")
        .replace("timemargin = 200", "timemargin = 9000\nstarttime = 60")
    )
    (folder / "rubric.toml").write_text(text)
    packed = folder / ARCHIVE
    packed.mkdir()
    shutil.copy(REFEREE, packed / "referee")
    subprocess.run(["tar", "-czf", f"{ARCHIVE}.tar.gz", ARCHIVE], cwd=folder, check=True)
    shutil.rmtree(packed)


class Scene(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def of_form(self, table, fields):
        for key, value in table.items():
            self.assertIsInstance(value, fields[key], key)

    def of_gradescope(self, file):
        """The results, after a look at their form."""
        results = json.loads(file.read_text())
        self.of_form(results, TOP)
        for test in results.get("tests", []):
            self.of_form(test, TEST)
            self.assertTrue(0 <= test["score"] <= test["max_score"], test)
        for leader in results.get("leaderboard", []):
            self.of_form(leader, LEADER)
            self.assertIn(leader.get("order", "desc"), ("asc", "desc"))
        return results


CLASSROOM = {"version": int, "status": str, "max_score": NUMBER, "tests": list}
CLASSROOM_TEST = {"name": str, "status": str, "score": NUMBER, "message": str, "test_code": str}
CLASSROOM_TEST |= {"filename": str, "line_no": int, "duration": NUMBER}


class Workflow(Scene):
    """The step of classroom.yml, in an environment with nothing but what the service sets."""

    def setUp(self):
        super().setUp()
        assembled(self.folder / "course")
        for name in ("submission", "temp", "home"):
            (self.folder / name).mkdir()

    def of_classroom(self, output):
        """What the reporter of GitHub Classroom reads, after a look at its form."""
        (encoded,) = re.fullmatch(r"result=(\S+)\n", output).groups()
        result = json.loads(base64.b64decode(encoded))
        self.assertEqual(set(result), set(CLASSROOM))
        self.of_form(result, CLASSROOM)
        for test in result["tests"]:
            self.assertEqual(set(test), set(CLASSROOM_TEST))
            self.of_form(test, CLASSROOM_TEST)
        verdicts = {test["status"] for test in result["tests"]}
        self.assertLessEqual(verdicts, {"pass", "fail"})
        self.assertEqual((result["version"], result["status"]), (1, "fail" if "fail" in verdicts else "pass"))
        return result

    def graded(self, agent, **how):
        """The step with what it printed, its summary in Markdown, and its output."""
        (self.folder / "submission/student_agent.py").write_text(agent)
        return self.step(**how)

    def step(self, environment=(), **how):
        workflow = (AUTOGRADER / "classroom.yml").read_text()
        (script,) = re.findall(r"        run: \|\n((?: {10}.*\n)+)", workflow)
        files = {name: str(self.folder / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        environment = {
            "PATH": os.environ["PATH"],
            "RUNNER_TEMP": str(self.folder / "temp"),
            **files,
            **dict(environment),
        }
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", textwrap.dedent(script)]
        done = subprocess.run(shell, cwd=self.folder / "course", env=environment, capture_output=True, text=True, **how)
        text = {name: Path(path).read_text() if Path(path).exists() else "" for name, path in files.items()}
        return done, text["GITHUB_STEP_SUMMARY"], text["GITHUB_OUTPUT"]


def without_sandbox():
    """For `preexec_fn`: as on a kernel without Landlock, whose system calls are refused."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.getuid() != 0:
        libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    load, jump, answer, refuse, allow = 0x20, 0x35, 0x06, 0x00050000 | 38, 0x7FFF0000  # ENOSYS
    program = [(load, 0, 0, 0), (jump, 0, 2, 444), (jump, 1, 0, 447), (answer, 0, 0, refuse), (answer, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    words = ctypes.create_string_buffer(struct.pack("HP", len(program), ctypes.addressof(code)))
    if libc.prctl(22, 2, words, 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        raise OSError(ctypes.get_errno(), "a filter of system calls")
