#!/usr/bin/env python3
"""Runs examples/agents and examples/autograder as Gradescope and GitHub Classroom do.

    python3 tests/autograder/check.py REFEREE [TEST…]

REFEREE is the program of this build. `Gradescope` needs root, debootstrap and Debian's packages, and makes an empty
root; it is skipped without them.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
AGENTS, AUTOGRADER = PROJECT / "examples/agents", PROJECT / "examples/autograder"
REFEREE = "referee"
ARCHIVE = "lodestone-0.0.0-x86_64-linux"
NAMES = ["Plays by the rules (referee check)", "Against random", "Against step", "Games without a fault"]
RAISES = "class StudentAgent:\n    def get_move(self, game, time_left):\n        raise IndexError('no idea')\n"
SLOW = "import time\n\nclass StudentAgent:\n    def get_move(self, game, time_left):\n        time.sleep(99)\n"

# What https://gradescope-autograders.readthedocs.io/en/latest/specs/ allows: the fields and their types.
NUMBER = (int, float)
TOP = {"score": NUMBER, "execution_time": NUMBER, "output": str, "tests": list, "leaderboard": list}
TEST = {"score": NUMBER, "max_score": NUMBER, "name": str, "output": str}
LEADER = {"name": str, "value": (*NUMBER, str), "order": str}


def wrapper(folder, shape, agent=False):
    """The folder of a bot, as docs/your-course.md makes it, perhaps with the agent."""
    new_bot = [REFEREE, "new-bot", "python", folder, "--rules", AGENTS / "game.py"]
    subprocess.run(new_bot, check=True, stdout=subprocess.DEVNULL)
    for file in (AGENTS / "isolation.py", *(AGENTS / shape).glob("*.py" if agent else "bot.py")):
        shutil.copy(file, folder)


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
        .replace("timemargin = 200", "timemargin = 9000")
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


class Agents(Scene):
    def referee(self, *words):
        done = subprocess.run([REFEREE, *words], cwd=self.folder, stdout=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_the_rules_of_the_simulator(self):
        rules = str(AGENTS / "game.py")
        self.assertIn("is fit to be the rules", self.referee("rules", rules, "--games", "10"))
        self.assertIn("perft           9 72 ", self.referee("rules", rules, "option.size=3", "--games", "5"))

    def test_both_shapes_play_without_a_fault(self):
        for shape in ("step", "get_move"):
            wrapper(self.folder / shape, shape, agent=True)
        each = ["--each", "st=0.2", "timemargin=9000", "--games", "4", "--json"]
        output = self.referee("match", "step", "get_move", "--rules", str(AGENTS / "game.py"), *each)
        end = json.loads(output.splitlines()[-1])
        self.assertEqual(end["games"], 4)
        self.assertEqual([player["faults"] for player in end["players"]], [{}, {}])


class Classroom(Scene):
    """The step of the workflow, in an environment with nothing but what the service sets."""

    def setUp(self):
        super().setUp()
        assembled(self.folder / "course")
        (self.folder / "submission").mkdir()
        (self.folder / "temp").mkdir()

    def graded(self, agent):
        """The status, the summary in Markdown and the output of the step."""
        (self.folder / "submission/student_agent.py").write_text(agent)
        workflow = (AUTOGRADER / "classroom.yml").read_text()
        (script,) = re.findall(r"        run: \|\n((?: {10}.*\n)+)", workflow)
        files = {name: str(self.folder / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        environment = {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(self.folder / "temp"), **files}
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", textwrap.dedent(script)]
        done = subprocess.run(shell, cwd=self.folder / "course", env=environment, capture_output=True, text=True)
        text = {name: Path(path).read_text() if Path(path).exists() else "" for name, path in files.items()}
        return done, text["GITHUB_STEP_SUMMARY"], text["GITHUB_OUTPUT"]

    def test_a_good_agent(self):
        done, summary, output = self.graded((AGENTS / "get_move/student_agent.py").read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = self.of_gradescope(self.folder / "temp/results.json")["tests"]
        self.assertEqual([test["name"] for test in tests], NAMES)
        self.assertEqual([tests[0]["score"], tests[3]["score"]], [10, 10])
        self.assertIn(f"### {sum(test['score'] for test in tests):g} of 50 points\n", summary)
        self.assertIn("| Against random | ", summary)
        # The fields that the reporter of GitHub Classroom reads.
        (encoded,) = re.fullmatch(r"result=(\S+)\n", output).groups()
        result = json.loads(base64.b64decode(encoded))
        self.assertEqual((result["version"], result["max_score"]), (1, 50))
        self.assertEqual([test["score"] for test in result["tests"]], [test["score"] for test in tests])
        verdicts = {test["status"] for test in result["tests"]}
        self.assertLessEqual(verdicts, {"pass", "fail"})
        self.assertEqual(result["status"], "fail" if "fail" in verdicts else "pass")

    def test_an_agent_that_raises_an_exception(self):
        done, summary, output = self.graded(RAISES)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = self.of_gradescope(self.folder / "temp/results.json")
        self.assertEqual([test["score"] for test in results["tests"]], [0, 0, 0, 2])
        self.assertIn("IndexError: no idea", results["tests"][0]["output"])
        self.assertIn("crash: 2\ngame 1: your bot ended with exit status 1", results["tests"][3]["output"])
        self.assertIn({"name": "Faults", "value": 4, "order": "asc"}, results["leaderboard"])
        self.assertIn("IndexError: no idea", summary)

    def test_faults_that_do_not_lose(self):
        rubric = self.folder / "course/rubric.toml"
        rubric.write_text(rubric.read_text().replace("[match]", '[match]\non-fault = "random"'))
        done, summary, _ = self.graded(RAISES)
        self.assertEqual(done.returncode, 0, done.stderr)
        test = self.of_gradescope(self.folder / "temp/results.json")["tests"][3]
        self.assertEqual(test["score"], 0)
        self.assertRegex(test["output"], r"crash: \d+\ngame 1: your bot ended with exit status 1")

    def test_an_agent_that_does_not_start(self):
        done, summary, _ = self.graded("import nothing_of_this_name\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = self.of_gradescope(self.folder / "temp/results.json")["tests"]
        self.assertEqual([test["score"] for test in tests], [0, 0, 0, 0])
        self.assertIn("it does not start, so it has not played", summary)

    def test_a_fault_of_the_course_is_no_grade(self):
        good = (AGENTS / "get_move/student_agent.py").read_text()
        for file in ("staff/step/student_agent.py", "wrapper/game.py"):
            broken = self.folder / "course" / file
            broken.write_text("import nothing_of_this_name\n" + broken.read_text())
            done, summary, output = self.graded(good)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("No module named 'nothing_of_this_name'", done.stdout + done.stderr)
            self.assertFalse((self.folder / "temp/results.json").exists())
            self.assertEqual((summary, output), ("", ""))
            shutil.rmtree(self.folder / "temp/hand-in")


class Gradescope(Scene):
    """An empty root with the paths of the service. Its image is Ubuntu; this one is the Debian of this machine."""

    @classmethod
    def setUpClass(cls):
        if os.getuid() != 0 or not shutil.which("debootstrap"):
            raise unittest.SkipTest("an empty root needs root and debootstrap")
        cls.root = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        release = dict(re.findall("(\\w+)=(.*)", Path("/etc/os-release").read_text()))["VERSION_CODENAME"]
        made = subprocess.run(["debootstrap", "--variant=minbase", release, cls.root], capture_output=True, text=True)
        if made.returncode:
            raise unittest.SkipTest(f"debootstrap cannot make a root here: {made.stdout[-300:]}")
        cls.root.chmod(0o755)
        assembled(cls.root / "autograder/source")
        for name in ("results", "submission"):
            (cls.root / "autograder" / name).mkdir()
        shutil.copy(AUTOGRADER / "run_autograder", cls.root / "autograder")
        done = cls.inside("bash", "/autograder/source/setup.sh")
        if done.returncode:
            raise AssertionError(done.stderr)

    @classmethod
    def inside(cls, *command):
        """A command in the root, in an environment with nothing but the usual paths."""
        space = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={cls.root}/proc", "chroot", cls.root]
        path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        shell = ["env", "-i", path, "HOME=/root", "sh", "-c", 'cd /autograder && exec "$@"', "sh"]
        return subprocess.run([*space, *shell, *command], capture_output=True, text=True)

    def graded(self, agent):
        """The results after a hand-in."""
        for name in ("results", "submission"):
            shutil.rmtree(self.root / "autograder" / name)
            (self.root / "autograder" / name).mkdir()
        for file, text in agent.items():
            (self.root / "autograder/submission" / file).write_text(text)
        done = self.inside("/autograder/run_autograder")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.of_gradescope(self.root / "autograder/results/results.json")

    def test_a_good_agent(self):
        results = self.graded({"student_agent.py": (AGENTS / "get_move/student_agent.py").read_text()})
        self.assertEqual([test["name"] for test in results["tests"]], NAMES)
        self.assertEqual([test["score"] for test in results["tests"]][::3], [10, 10])

    def test_another_name(self):
        results = self.graded({"agent.py": RAISES})
        self.assertEqual(results["score"], 0)
        self.assertIn("There is no file student_agent.py.", results["output"])

    def test_an_agent_cannot_write_its_grade(self):
        grades = "open('/autograder/results/results.json', 'w').write('{\"score\": 50}')"
        results = self.graded({"student_agent.py": f"{grades}\n{RAISES}"})
        self.assertEqual(results["tests"][0]["score"], 0)
        self.assertIn("PermissionError", results["tests"][0]["output"])
        reads = "print(open('/autograder/source/rubric.toml').read())"
        results = self.graded({"student_agent.py": f"{reads}\n{RAISES}"})
        self.assertIn("PermissionError", results["tests"][0]["output"])

    def test_an_agent_that_sleeps(self):
        results = self.graded({"student_agent.py": SLOW})
        self.assertEqual([test["score"] for test in results["tests"]], [0, 0, 0, 2])
        self.assertIn("stall: 2\n", results["tests"][3]["output"])


if __name__ == "__main__":
    REFEREE = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
