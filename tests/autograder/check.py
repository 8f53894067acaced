#!/usr/bin/env python3
"""Runs examples/agents and examples/autograder as Gradescope and GitHub Classroom do.

    python3 tests/autograder/check.py REFEREE [TEST…]

REFEREE is the program of this build. The tests of archives are in inbox.py, those of hostile submissions in hostile.py. `Gradescope`
needs root, debootstrap and Debian's packages, and makes an empty root; it is skipped without them.
"""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from inbox import Collect
from hostile import HostileAgents, HostileFolder, HostileNames
from scene import (
    AGENTS,
    AUTOGRADER,
    EXITS,
    ILLEGAL,
    NAMES,
    PROJECT,
    QUICK,
    RAISES,
    REFEREE,
    SLOW,
    Scene,
    Workflow,
    assembled,
    without_sandbox,
    wrapper,
)


class Agents(Scene):
    def referee(self, *words):
        done = subprocess.run([REFEREE, *words], cwd=self.folder, stdout=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_the_rules_of_the_simulator(self):
        rules = str(AGENTS / "game.py")
        self.assertIn("passes the checks of a rules program", self.referee("rules", rules, "--games", "10"))
        self.assertIn("perft           9 72 ", self.referee("rules", rules, "option.size=3", "--games", "5"))

    def test_both_shapes_play_without_a_fault(self):
        for shape in ("step", "get_move"):
            wrapper(self.folder / shape, shape, agent=True)
        each = ["--each", "st=0.2", "timemargin=9000", "--games", "4", "--json"]
        output = self.referee("match", "step", "get_move", "--rules", str(AGENTS / "game.py"), *each)
        end = json.loads(output.splitlines()[-1])
        self.assertEqual(end["games"], 4)
        self.assertEqual([player["faults"] for player in end["players"]], [{}, {}])

    def test_agents_as_they_are(self):
        """Each example by its wrapper: two checks, and a match in the sandbox at the level that it needs."""
        rules, own = PROJECT / "examples/rules", AGENTS / "game.py"
        for shape, game, level in (
            ("little_go", rules / "little_go.py", "on"),
            ("tcp", own, "strict"),
            ("tcp_fixed", own, "strict"),
            ("xmlrpc", own, "strict"),
            ("codingame", rules / "tic_tac_toe.py", "on"),
            ("botzone", rules / "othello.py", "on"),
            ("anytime", own, "on"),
        ):
            with self.subTest(shape):
                wrapper(self.folder / shape, shape, agent=shape == "little_go", rules=game)
                folder = AGENTS / shape / "submissions"
                how = ["--wrapper", shape, "--rules", str(game), f"--sandbox={level}"]
                each = ["--each", "st=0.2", "timemargin=9000", "starttime=60"]
                self.referee("check", *how, *each, "--only", "startpos", "--only", "whole-game", str(folder))
                players = ["--engines", str(folder)] + ["random"] * (len([*folder.iterdir()]) == 1)
                output = self.referee("match", *players, *how, *each, "--games", "2", "--openings", "none", "--json")
                players = json.loads(output.splitlines()[-1])["players"]
                self.assertEqual([player["faults"] for player in players], [{}] * len(players), output)
                self.assertEqual(sum(player["points"] for player in players), len(players) * (len(players) - 1), output)


class Classroom(Workflow):
    def test_a_good_agent(self):
        done, summary, output = self.graded((AGENTS / "get_move/student_agent.py").read_text())
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = self.of_classroom(output)["tests"]
        self.assertEqual([test["name"] for test in tests], NAMES)
        self.assertEqual([tests[0]["score"], tests[3]["score"]], [10, 10])
        self.assertIn(f"### {sum(test['score'] for test in tests):g} of 50 points\n", summary)
        self.assertIn("| Against random | ", summary)

    def test_an_agent_that_raises_an_exception(self):
        done, summary, output = self.graded(RAISES)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([test["score"] for test in self.of_classroom(output)["tests"]], [0, 0, 0, 0])
        self.assertRegex(summary, r"4 × crash: (.*\n)+?Against random, game 1, move 3: your bot ended with exit status 1")
        self.assertIn('  File "student_agent.py", line 3, in get_move\n', summary)
        self.assertIn("IndexError: no idea", summary)

    def test_faults_that_do_not_lose(self):
        rubric = self.folder / "course/rubric.toml"
        rubric.write_text(rubric.read_text().replace("[match]", '[match]\non-fault = "random"'))
        done, summary, output = self.graded(RAISES)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.of_classroom(output)["tests"][3]["score"], 0)
        self.assertRegex(summary, r"\d+ × crash: (.*\n)+?Against random, game 1, move 3: your bot ended")

    def test_an_agent_that_does_not_start(self):
        done, summary, output = self.graded("import nothing_of_this_name\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = self.of_classroom(output)["tests"]
        self.assertEqual([test["score"] for test in tests], [0, 0, 0, 0])
        self.assertIn("Your bot does not start, so it has not played", summary)

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


def running_in(folder):
    """The numbers of the processes whose working folder is in this one."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            place = Path(os.readlink(f"/proc/{number}/cwd"))
        except OSError:
            continue
        found += [int(number)] if place.is_relative_to(folder) else []
    return found


class Folder(Scene):
    """`referee grade RUBRIC FOLDER --out GRADES`."""

    def setUp(self):
        super().setUp()
        self.course, self.grades = self.folder / "course", self.folder / "course/grades"
        assembled(self.course)
        self.edit("timemargin = 9000", "timemargin = 3000")
        self.edit(r"\[match\]", '[match]\nsandbox = "off"')
        self.edit(r"only = .*", 'only = ["startpos"]')
        self.edit(r"points = 15 .*\nfull = 0.9", "points = 15\nfull = 0.5")

    def edit(self, old, new):
        rubric = self.course / "rubric.toml"
        rubric.write_text(re.sub(old, new, rubric.read_text(), count=1))

    def hand_in(self, name, agent):
        bot = self.folder / "hand-in" / name
        if not bot.exists():
            shutil.copytree(self.course / "wrapper", bot)
        (bot / "student_agent.py").write_text(agent)

    def start(self, words=()):
        words = [REFEREE, "grade", "rubric.toml", "../hand-in", "--out", "grades", *words]
        environment = {**os.environ, "PATH": f"{Path(REFEREE).parent}:{os.environ['PATH']}"}
        return subprocess.Popen(
            words, cwd=self.course, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def graded(self, *names, words=()):
        """Grades, and says what is in grades.csv. These hand-ins are played, the others are not."""
        before = self.games()
        run = self.start(words)
        messages = run.communicate()[1]
        self.assertEqual(run.returncode, 0, messages)
        played = {file for file, state in self.games().items() if before.get(file) != state}
        self.assertEqual({file.parts[0] for file in played}, {*names})
        self.assertEqual(list(self.grades.rglob(".*.part")), [])
        with open(self.grades / "grades.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            results = self.of_gradescope(self.grades / row["Name"] / "results.json")
            self.assertEqual(float(row["Points"]), sum(test["score"] for test in results["tests"]))
        return {row["Name"]: row for row in rows}, messages

    def games(self):
        files = {file.relative_to(self.grades): file.stat() for file in self.grades.glob("*/games/*.jsonl")}
        return {file: (state.st_ino, state.st_mtime_ns) for file, state in files.items()}

    def interrupted(self, games, number):
        """Begins to grade, sends a signal after the first game in this file, and waits for the end of all programs."""
        run = self.start()
        while not games.exists() or '"moves"' not in games.read_text():
            self.assertIsNone(run.poll(), "it ended before the interruption")
            time.sleep(0.05)
        os.killpg(run.pid, number)
        messages = run.communicate()[1]
        self.assertEqual(running_in(self.folder), [])
        return run.returncode, messages

    def test_a_signal_ends_all(self):
        self.hand_in("ann", QUICK)
        self.edit("games = 2", "games = 20000")
        for number in (signal.SIGTERM,):
            games = self.grades / "ann/games/random.jsonl"
            status, _ = self.interrupted(games, number)
            self.assertEqual(status, 128 + number)
            self.assertLess(len(games.read_text().splitlines()), 20000)
            shutil.rmtree(self.grades)

    def test_a_week(self):
        for name, agent in {"ann": QUICK, "bob": RAISES, "cat": "import nothing\n", "dan": SLOW}.items():
            self.hand_in(name, agent)
        # Interrupted in the last hand-in, after its first game.
        games = self.grades / "dan/games/random.jsonl"
        status, messages = self.interrupted(games, signal.SIGINT)
        self.assertEqual(status, 130, messages)
        self.assertIn("4 submissions, 4 to grade, 4 games each, of about", messages)
        self.assertIn("cat: 0 points; 1 left", messages)
        self.assertNotIn("dan", (self.grades / "grades.csv").read_text())
        saved = games.read_text().splitlines()[:2]

        rows, messages = self.graded("dan")
        self.assertEqual(games.read_text().splitlines()[:2], saved)
        self.assertIn("4 submissions, 1 to grade", messages)
        points = {name: (row[NAMES[0]], row[NAMES[3]], row["Faults"]) for name, row in rows.items()}
        self.assertEqual(points["ann"], ("10", "10", "0"))
        self.assertEqual((points["bob"], points["dan"]), (("0", "0", "4"), ("0", "0", "4")))
        self.assertEqual(points["cat"], ("0", "0", ""))
        texts = {name: (self.grades / name / "feedback.txt").read_text() for name in rows}
        self.assertIn("startpos: passed", texts["ann"])
        traceback = ' +File "student_agent.py", line 3, in get_move\n      raise IndexError.*\n  IndexError: no idea\n'
        self.assertRegex(texts["bob"], f"startpos: failed: your bot ended with exit status 1\n(.*\n)+{traceback}")
        board = "    a b c d e f g\n"
        self.assertRegex(texts["bob"], f"4 × crash: The program ended\\.(.*\n)+{traceback}(.*\n)+{board}")
        self.assertRegex(texts["cat"], "^cat: 0 of 50 points(.*\n)+Your bot does not start")
        slowest = "Slowest move: 0.200 s, or more where no answer came; the limit is 0.2 s, and 3000 ms\nmore.\n"
        self.assertRegex(texts["dan"], f"4 × stall: No answer came(.*\n)+{re.escape(slowest)}")
        for name, text in texts.items():
            self.assertNotRegex(text, "uciok|bestmove|`go|`position|\\^", name)
        self.assertNotIn(str(self.folder), texts["bob"])

        _, messages = self.graded()
        self.assertIn("4 submissions, 0 to grade\n", messages)
        shutil.rmtree(self.folder / "hand-in/dan")
        self.edit("each = 2", "each = 1")  # other points for the same games
        self.hand_in("eve", ILLEGAL)
        self.hand_in("fay", EXITS)
        rows, messages = self.graded("eve", "fay")
        fay = (self.grades / "fay/feedback.txt").read_text()
        self.assertRegex(fay, r"startpos: failed: your bot ended with exit status 0")
        self.assertNotRegex(fay, "bestmove|`go|`quit")
        eve = (self.grades / "eve/feedback.txt").read_text()
        self.assertRegex(eve, r"startpos: failed: .*\n(.*\n)*?  position: \S")
        self.assertRegex(eve, r"4 × illegal(.*\n)+ +Move 2 of 2: .*\n")
        self.assertIn("grades/dan: there is no submission with this name any more\n", messages)
        self.assertNotIn("dan", rows)
        self.assertTrue((self.grades / "dan/feedback.txt").exists())

        self.hand_in("bob", QUICK)
        rows, _ = self.graded("bob")
        self.assertEqual(rows["bob"]["Faults"], "0")
        self.edit("random:2", "random:4")
        shutil.rmtree(self.folder / "hand-in/eve")
        shutil.rmtree(self.folder / "hand-in/fay")
        self.graded("ann", "bob")

        # A fault of the course changes no grade.
        (self.course / "staff/step/student_agent.py").write_text("import nothing\n")
        before = {file: file.read_bytes() for file in self.grades.rglob("*") if file.is_file()}
        run = self.start()
        self.assertIn("No module named 'nothing'", run.communicate()[1])
        self.assertEqual(run.returncode, 1)
        self.assertEqual({file: file.read_bytes() for file in self.grades.rglob("*") if file.is_file()}, before)

    def test_a_wrapper_is_no_part_of_a_hand_in(self):
        wrapper = self.course / "wrapper"
        run = (wrapper / "run").read_text()
        (wrapper / "run").write_text(run.replace("exec python3", 'PYTHONPATH="$1" exec python3'))
        self.edit(r"\[match\]", '[match]\nwrapper = "wrapper"')
        for name, agent in {"ann": QUICK, "bob": RAISES}.items():
            (self.folder / "hand-in" / name).mkdir(parents=True)
            (self.folder / "hand-in" / name / "student_agent.py").write_text(agent)
        # Of no use to its author: the wrapper starts all hand-ins.
        (self.folder / "hand-in/bob/run").write_text("#!/bin/sh\nexec referee builtin mcts\n")
        (self.folder / "hand-in/bob/run").chmod(0o755)
        rows, _ = self.graded("ann", "bob")
        self.assertEqual({name: row["Faults"] for name, row in rows.items()}, {"ann": "0", "bob": "4"})
        (wrapper / "bot.py").write_text((wrapper / "bot.py").read_text() + "# mended\n")
        self.assertEqual(self.graded(words=["--accept"])[0], rows)
        (self.folder / "hand-in/ann/student_agent.py").write_text(QUICK + "# again\n")
        self.graded("ann", words=["--accept"])
        self.graded("bob")

    def test_a_fault_of_a_staff_bot_gives_and_costs_nothing(self):
        """The bot fails in its second move until the file `mended` is there. The first file is for one failure."""
        staff = self.course / "staff/step/student_agent.py"
        agent = staff.read_text().replace("class StudentAgent", "class Agent")
        fails = f"""
import pathlib
class StudentAgent(Agent):
    moves = 0
    def step(self, *args):
        self.moves += 1
        mark = pathlib.Path({str(self.folder)!r}, "mark")
        if self.moves == 2 and mark.exists():
            mark.read_text() or mark.unlink()
            raise RuntimeError("ill")
        return super().step(*args)
"""
        staff.write_text(agent + fails)
        self.hand_in("ann", QUICK)
        (self.folder / "mark").write_text("always")
        run = self.start()
        transcript = r"grades/ann/games/again-2/step\.faults/game-0{5}\d-step-crash\.txt"
        message = f"ann: no grade, because step ended .*`RuntimeError: ill`, see {transcript}\n"
        self.assertRegex(run.communicate()[1], message)
        self.assertEqual(run.returncode, 1)
        self.assertFalse((self.grades / "grades.csv").exists())
        shutil.rmtree(self.grades / "ann")
        (self.folder / "mark").write_text("")
        rows, messages = self.graded("ann")
        self.assertRegex(messages, r"games against step are replayed: .*, see grades/ann/games/step\.faults/")
        again = (self.grades / "ann/games/again/step.jsonl").read_text().splitlines()
        self.assertEqual(len(again), 3)
        seeds = [json.loads(file.read_text().splitlines()[0])["seed"] for file in self.grades.rglob("step.jsonl")]
        self.assertEqual(seeds, [1, 1])
        self.assertEqual(self.grades.stat().st_mode & 0o077, 0)
        self.assertEqual(rows["ann"]["Faults"], "0")

    def test_an_error_in_the_rubric_is_one_sentence(self):
        self.hand_in("ann", QUICK)
        whole = (self.course / "rubric.toml").read_text()
        for old, new, sentence in (
            ("points = 15", "points = -1", "`points`: expected a number from 0"),
            ("full = 0.5", "full = 50", "`full`: expected a share above 0, up to 1"),
            ("games = 2", "games = '2'", "`games`: expected an even number from 2"),
            ("games = 2", "games = 3", "`games`: expected an even number from 2"),
            ("full = 0.5", "ful = 0.5", "unknown key `ful`; did you mean `full`?"),
            ("staff/step", "staff/setp", "`cmd`: there is no file or folder staff/setp"),
            ("steps = .*", "steps = [5]", "`steps`: expected shares and their points"),
            ("each = 2", "echa = 2", "unknown key `echa`; the keys are points, each"),
            (r"\[fitness\]", "[fit]", "unknown key `fit`"),
            ("points = 10", "", "the key `points` of fitness is missing: a number from 0"),
            ("startpos", "statpos", "`only`: unknown check `statpos`; did you mean `startpos`?"),
            ("sandbox = ", "games = 3\nsandbox = ", "`games` does not apply to a rubric: grading sets it"),
            ("sandbox = ", "pgm = 3\nsandbox = ", "unknown key `pgm`; did you mean `pgn`?"),
            ("st = 0.2", "ts = 0.2", "unknown setting `ts`; did you mean `st`?"),
        ):
            self.edit(old, new)
            run = self.start()
            self.assertRegex(run.communicate()[1], f"^referee: rubric.toml(, line \\d+)?: {re.escape(sentence)}")
            self.assertEqual(run.returncode, 2)
            (self.course / "rubric.toml").write_text(whole)


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
    def inside(cls, *command, **how):
        """A command in the root, in an environment with nothing but the usual paths."""
        space = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={cls.root}/proc", "chroot", cls.root]
        path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        shell = ["env", "-i", path, "HOME=/root", "sh", "-c", 'cd /autograder && exec "$@"', "sh"]
        return subprocess.run([*space, *shell, *command], capture_output=True, text=True, **how)

    def graded(self, agent, **how):
        """The results after a hand-in of files with these texts, or of links to these paths."""
        for name in ("results", "submission"):
            shutil.rmtree(self.root / "autograder" / name)
            (self.root / "autograder" / name).mkdir()
        for file, text in agent.items():
            path = self.root / "autograder/submission" / file
            path.symlink_to(text) if isinstance(text, Path) else path.write_text(text)
        done = self.inside("/autograder/run_autograder", **how)
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
        reads = "print(open('/autograder/source/rubric.toml').read())"
        for how in ({}, {"preexec_fn": without_sandbox}):
            for attempt in (grades, reads):
                results = self.graded({"student_agent.py": f"{attempt}\n{RAISES}"}, **how)
                self.assertEqual([test["score"] for test in results["tests"]], [0, 0, 0, 0])
                self.assertIn("PermissionError", results["tests"][0]["output"])

    def test_an_agent_plays_as_another_user(self):
        agent = (AGENTS / "get_move/student_agent.py").read_text()
        results = self.graded({"student_agent.py": agent}, preexec_fn=without_sandbox)
        self.assertEqual([test["score"] for test in results["tests"]][::3], [10, 10])
        name = "import os\nraise SystemExit(f'user {os.getuid()} {sorted(os.environ)}')\n"
        results = self.graded({"student_agent.py": name}, preexec_fn=without_sandbox)
        self.assertRegex(
            results["tests"][0]["output"], r"user 1000 \['HOME', 'LANG', 'OLDPWD', 'PATH', 'PWD', 'TMPDIR'\]"
        )

    def test_a_link_is_no_hand_in(self):
        for target in ("/autograder/source/staff/step/student_agent.py", "../source/rubric.toml"):
            results = self.graded({"student_agent.py": Path(target)})
            self.assertEqual([test["score"] for test in results["tests"]], [0, 0, 0, 0])
            self.assertIn("`student_agent.py` is a link to", results["tests"][0]["output"])

    def test_an_agent_that_sleeps(self):
        results = self.graded({"student_agent.py": SLOW})
        self.assertEqual([test["score"] for test in results["tests"]], [0, 0, 0, 0])
        self.assertIn("4 × stall: ", results["tests"][3]["output"])


if __name__ == "__main__":
    unittest.main()
