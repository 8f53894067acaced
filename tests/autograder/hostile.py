"""Hostile agents, of students who want more points than they are worth, and hand-ins that stop a careless grader."""

import csv
import fcntl
import functools
import hashlib
import os
import re
import shutil
import socket
import subprocess
import sys
import termios
import unittest
from pathlib import Path

from scene import AUTOGRADER, QUICK, RAISES, REFEREE, Scene, Workflow, assembled, without_sandbox

# Tries each of these where PLACES has what a service has, and fails with the names of those that worked.
TRIES = '''
import ctypes, glob, os, pathlib, signal, socket, subprocess, sys, time
PLACES = {places!r}
COURSE, RESULTS, HOME, WORKSPACE = (pathlib.Path(PLACES[name]) for name in ("course", "results", "home", "workspace"))

def ancestors():
    """Who has started this process, as far as it can be seen."""
    number, found = os.getpid(), [os.getppid(), *PLACES["graders"]]
    try:
        while number > 1:
            number = int(open(f"/proc/{{number}}/stat").read().rpartition(") ")[2].split()[1])
            found.append(number)
    except OSError:
        pass
    return [number for number in found if number > 1]

OTHERS = ancestors()

def append(path):
    with open(path, "a") as file:
        file.write("# hostile\\n")

def make(path):
    os.makedirs(path.parent, exist_ok=True)
    append(path)

def of_others(path, mode):
    """Whether a file of another process can be opened."""
    for number in OTHERS:
        try:
            with open(path % number, mode) as file:
                file.read(1)
            return number
        except OSError:
            pass
    raise OSError

def any_of(call, things):
    for thing in things:
        try:
            return call(thing) or True
        except OSError:
            pass
    raise OSError

def to_memory(number):
    with open(f"/proc/{{number}}/mem", "r+b", buffering=0):
        pass

def traced(number):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0x4206, number, 0, 0):  # PTRACE_SEIZE, which stops nothing
        raise OSError
    libc.ptrace(17, number, 0, 0)

def secret_of_others(number):
    if PLACES["secret"].encode() not in pathlib.Path(f"/proc/{{number}}/environ").read_bytes():
        raise OSError

def seed_of(file):
    """Fails if no command line has the seed, and no file in one."""
    for word in pathlib.Path(file).read_bytes().decode(errors="replace").split("\\0"):
        if PLACES["seed"] in word or word.startswith("--config=") and open(word[9:]):
            return True
    raise OSError

TRIES = {{
    "reads the rubric": lambda: open(COURSE / "rubric.toml"),
    "reads a staff bot": lambda: open(COURSE / "staff/step/student_agent.py"),
    "lists the course": lambda: os.listdir(COURSE),
    "changes the grader": lambda: any_of(append, COURSE.glob("*.py")) if COURSE.exists() else 1 / 0,
    "changes classroom.py": lambda: append(COURSE / "classroom.py"),
    "changes the rules": lambda: append(COURSE / "wrapper/game.py"),
    "changes a staff bot": lambda: append(COURSE / "staff/step/student_agent.py"),
    "leaves bytecode": lambda: make(COURSE / "__pycache__/points.cpython-311.pyc"),
    "leaves a hook": lambda: make(COURSE / ".git/hooks/post-checkout"),
    "writes results": lambda: append(RESULTS),
    "writes beside results": lambda: append(RESULTS.parent / ".results.json.part"),
    "links in place of results": lambda: os.symlink("/dev/null", RESULTS.parent / ".results.json.part"),
    "writes to files of the service": lambda: any_of(append, PLACES["files"]),
    "replaces programs": lambda: append(pathlib.Path(PLACES["bin"], "python3")),
    "replaces the referee": lambda: append(pathlib.Path(PLACES["bin"], "referee")),
    "leaves sitecustomize.py": lambda: make(HOME / ".local/lib/python3.11/site-packages/sitecustomize.py"),
    "leaves .profile": lambda: append(HOME / ".profile"),
    "changes its own folder": lambda: append("student_agent.py"),
    "leaves bytecode in its own folder": lambda: os.makedirs("__pycache__/x"),
    "finds a secret in its environment": lambda: 1 / (PLACES["secret"] in str(os.environ)),
    "finds the service in its environment": lambda: 1 / ("GITHUB" in str(os.environ)),
    "finds a secret of others": lambda: any_of(secret_of_others, OTHERS),
    "reads memory of others": lambda: any_of(to_memory, OTHERS),
    "traces others": lambda: any_of(traced, OTHERS),
    "opens files of others": lambda: of_others("/proc/%d/fd/1", "rb"),
    "signals others": lambda: any_of(lambda number: os.kill(number, 0), OTHERS),
    "signals the group of its parent": lambda: os.killpg(os.getpgid(os.getppid()), 0),
    "becomes root": lambda: os.setuid(0) if os.getuid() else 1 / 0,
    "uses sudo": lambda: subprocess.run(["sudo", "-n", "true"], check=True, stderr=subprocess.DEVNULL),
    "uses the network": lambda: socket.create_connection(("127.0.0.1", PLACES["port"]), 1),
    "reads the games": lambda: any_of(open, glob.glob(os.path.join(os.path.dirname(os.getcwd()), "games/*"))
        or [os.path.join(os.path.dirname(os.getcwd()), "games/random.jsonl")]),
    "reads the seed": lambda: any_of(seed_of, glob.glob("/proc/[0-9]*/cmdline")),
    "opens the terminal of the grader": lambda: open("/dev/tty"),
    "makes a device": lambda: os.mknod(os.path.join(os.environ["TMPDIR"], "disk"), 0o60600, os.makedev(8, 0)),
    "makes files in the workspace": lambda: append(WORKSPACE / "made"),
}}

got = []
for name, attempt in TRIES.items():
    try:
        attempt()
        got.append(name)
    except Exception:
        pass

class StudentAgent:
    def get_move(self, game, time_left):
        raise RuntimeError(f"TRIED {{len(TRIES)}}, GOT {{got}}.")
'''
# Leaves processes that write results whenever they can, one of them always under another number, and plays on.
STAYS = """
import os, sys
for later in {later!r}:
    if os.fork() == 0:
        os.setsid()
        os.fork()
        os.execv(sys.executable, [sys.executable, "-c", later, {mark!r}])
"""
WRITES = """
import os, time
def write():
    for path in {paths!r}:
        try:
            open(path, "w").write('{{"tests": [{{"name": "x", "score": 50, "max_score": 50, "output": ""}}]}}')
        except OSError:
            pass
while True:
    write()
"""
COMMANDS = [
    '::notice title=Autograding report::{"totalPoints":50,"maxPoints":50}',
    "::add-mask::a",
    "::set-output name=result::eyJ9",
    "::stop-commands::all",
    "::error file=a::b",
    "::group::c",
    "##[error]d",
    "##[add-mask]e",
    "    ::warning::f",
    "\t\u2003::debug::g",
    "h ##[set-env name=PATH]i",
    "::set-env name=PATH::/x",
    "::save-state name=a::b",
]


def executed(log):
    """The commands that a runner of GitHub finds in a log, as its ActionCommand.cs reads lines."""
    found, token = [], None
    for line in log.splitlines():
        new = re.match(r"::([\w-]+)(?: [^:]*)?::(.*)", line.lstrip())
        old = re.search(r"##\[([\w-]+)[^\]]*\](.*)", line)
        for name, data in (match.groups() for match in (new, old) if match):
            if token is None and name == "stop-commands":
                token = data
            elif token is None:
                found.append(name)
            elif name == token:
                token = None
            break
    return found


def state(*folders):
    """All files with their contents and permissions."""
    files = [path for folder in folders for path in Path(folder).rglob("*")]
    content = lambda path: path.readlink() if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
    return {path: (path.lstat().st_mode, path.is_dir() and not path.is_symlink() or content(path)) for path in files}


def with_terminal(side, preexec_fn=lambda: None):
    """For `preexec_fn`: as started from a terminal."""
    os.setsid()
    fcntl.ioctl(side, termios.TIOCSCTTY, 0)
    preexec_fn()


def running(mark):
    """The numbers of the processes with this word in their command lines."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        found += [int(number)] if mark.encode() in words else []
    return found


class HostileAgents(Workflow):
    """In GitHub Classroom, in the sandbox and, as on an older kernel, as another user."""

    SEED = "987654321"

    def setUp(self):
        super().setUp()
        rubric = self.folder / "course/rubric.toml"
        text = re.sub(r"only = .*", 'only = ["startpos"]', rubric.read_text())
        text = text.replace("[match]", f"[match]\nseed = {self.SEED}")
        rubric.write_text(re.sub(r"(?s)\[\[opponent\]\]\ncmd = \"staff.*?\n\n", "", text))
        # As on a runner, where all users can enter these folders.
        for folder in (self.folder, self.folder / "temp", self.folder / "home"):
            folder.chmod(0o755)
        self.files = [
            self.folder / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH")
        ]
        for file in self.files:
            file.touch()
        self.secret = f"secret-{self.folder.name}"
        names = {file.name: str(file) for file in self.files}
        self.environment = {
            "GITHUB_TOKEN": self.secret,
            "ACTIONS_RUNTIME_TOKEN": self.secret,
            **names,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.environment |= {"HOME": str(self.folder / "home"), "GITHUB_WORKSPACE": str(self.folder)}

    def confinements(self):
        """What an agent can be confined by here, with the arguments of a process."""
        yield "sandbox", {}
        if os.getuid() == 0:
            yield "other user", {"preexec_fn": without_sandbox}

    def step(self, **how):
        for name in ("hand-in", "bin", "results.json"):
            path = self.folder / "temp" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for file in self.files:
            file.write_text("")
        done, summary, output = super().step(environment=self.environment, **how)
        self.assertNotIn('Traceback (most recent call last):\n  File "/', done.stderr)
        return done, summary, output

    def places(self):
        return {
            "course": str(self.folder / "course"),
            "results": str(self.folder / "temp/results.json"),
            "home": str(self.folder / "home"),
            "workspace": str(self.folder),
            "files": [str(file) for file in self.files],
            "bin": str(self.folder / "temp/bin"),
            "secret": self.secret,
            "seed": self.SEED,
            "graders": [os.getpid()],
        }

    def test_nothing_of_the_grader_is_in_reach(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        terminal, side = os.openpty()
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.close, side)
        for name, how in self.confinements():
            with self.subTest(name):
                how = {"preexec_fn": functools.partial(with_terminal, side, **how)}
                before = state(self.folder / "course", self.folder / "home")
                done, summary, _ = self.graded(
                    TRIES.format(places=self.places() | {"port": listener.getsockname()[1]}), **how
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("GOT [].", summary)
                self.assertEqual(state(self.folder / "course", self.folder / "home"), before)
                self.assertEqual([file.read_text() for file in self.files[2:]], ["", ""])

    def test_no_process_outlives_the_games(self):
        for name, how in self.confinements():
            with self.subTest(name):
                mark = f"stays-{name}-{self.folder.name}"
                paths = [str(path) for path in (self.folder / "temp/results.json", *self.files)]
                writes = WRITES.format(paths=paths)
                later = [
                    f"{writes}    time.sleep(0.01)\n",
                    f"{writes}    os.fork() and os._exit(0)\n    time.sleep(0.001)\n",
                ]
                stays = STAYS.format(later=later, mark=mark)
                done, summary, output = self.graded(stays + QUICK, **how)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(running(mark), [])
                self.assertEqual(len(self.of_classroom(output)["tests"]), 3)
                self.assertRegex(summary, r"^### [\d.]+ of 35 points\n")
                self.assertEqual(output.count("\n"), 1)
                self.assertEqual([file.read_text() for file in self.files[2:]], ["", ""])

    @unittest.skipUnless(os.getuid() == 0, "an older kernel is made by root")
    def test_a_bot_leaves_nothing_for_the_next_one(self):
        """Files of the same user in places of all, of which some were there before."""
        places = [Path(place, f"left-{self.folder.name}") for place in ("/tmp", "/var/tmp", "/dev/shm", "/run/lock")]
        before = Path("/tmp", f"before-{self.folder.name}")
        before.touch()
        shutil.chown(before, "nobody")
        leaves = f"""
import os
for place in {[*map(str, places)]!r}:
    os.makedirs(place + "/below", exist_ok=True)
    open(place + "/below/message", "w").write("the staff bot plays g1")
    os.utime(place + "/below/message", (0, 0))
    os.chmod(place, 0)
"""
        for path in (*places, before):
            self.addCleanup(subprocess.run, ["rm", "-rf", path])
        done, _, _ = self.graded(leaves + QUICK, preexec_fn=without_sandbox)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path for path in places if path.exists()], [])
        self.assertTrue(before.exists())

    def test_a_wrapper_prepares_a_hand_in(self):
        """As the user of the bot, which then reads what was prepared."""
        wrapper = self.folder / "course/wrapper"
        run = (wrapper / "run").read_text()
        (wrapper / "run").write_text(run.replace("exec python3", 'PYTHONPATH="$2" exec python3'))
        prepare = 'grep ODD "$1/student_agent.py" && exit 3\nid -un > who\ncp "$1/student_agent.py" .\n'
        (wrapper / "prepare").write_text(f"#!/bin/sh\n{prepare}")
        (wrapper / "prepare").chmod(0o755)
        rubric = self.folder / "course/rubric.toml"
        rubric.write_text(rubric.read_text().replace("[match]", '[match]\nwrapper = "wrapper"'))
        names = "import os\nraise SystemExit('by ' + open(os.path.dirname(__file__) + '/who').read())\n"
        for name, how in self.confinements():
            with self.subTest(name):
                for agent, score, output in (
                    (QUICK, 10, "^"),
                    (names, 0, "by nobody" if name == "other user" else r"by \w+"),
                    ("ODD\n", 0, r"cannot be prepared(.|\n)*exit status 3(.|\n)*\bODD"),
                ):
                    done, summary, results = self.graded(agent, **how)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.of_classroom(results)["tests"][0]["score"], score, summary)
                    self.assertRegex(summary, output)

    def test_what_bots_print_is_no_command(self):
        for name, how in self.confinements():
            for commands in (COMMANDS[:6], COMMANDS[6:]):
                with self.subTest(name, first=commands[0]):
                    message = "\n".join(["", *commands])
                    done, summary, output = self.graded(RAISES.replace("'no idea'", repr(message)), **how)
                    self.assertIn(commands[0].strip(":# ")[:5], summary)  # after escapes of the referee
                    first, _, rest = done.stdout.partition("\n")
                    self.assertRegex(first, "^::stop-commands::[0-9a-f]{32}$")
                    self.assertNotIn("notice", rest)
                    self.assertEqual(executed(f"{done.stderr}\n{rest}"), [])  # not even without the first line
                    self.assertRegex(output, r"\Aresult=[A-Za-z0-9+/=]+\n\Z")
        self.assertEqual(len(executed("\n".join(line for line in COMMANDS if "stop" not in line))), len(COMMANDS) - 1)

    def test_a_link_is_no_hand_in(self):
        agent = self.folder / "submission/student_agent.py"
        for name, how in self.confinements():
            for target in ("../course/staff/step/student_agent.py", str(self.folder / "course/rubric.toml")):
                with self.subTest(name, target=target):
                    agent.symlink_to(target)
                    done, summary, _ = self.step(**how)
                    agent.unlink()
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("### 0 of 35 points\n", summary)
                    self.assertIn("`student_agent.py`: this is a link to", summary)
        os.mkfifo(agent)
        done, summary, _ = self.step()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("### 0 of 35 points\n", summary)

    def test_no_file_is_no_points(self):
        done, summary, _ = self.step()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("### 0 of 35 points\n", summary)

    def test_limits_of_processes_and_files(self):
        forks = "import os, time\nfor _ in range(9):\n    os.fork()\ntime.sleep(99)\n"
        fills = """
import os, tempfile
try:
    with tempfile.TemporaryFile() as file:
        for _ in range(99):
            file.write(bytes(1 << 20))
    raise RuntimeError("WRITTEN")
except OSError:
    raise RuntimeError("REFUSED")
"""
        for name, how in self.confinements():
            for agent, message in ((forks, "processes"), (fills, "REFUSED|scratch folder")):
                with self.subTest(name, message=message):
                    done, summary, _ = self.graded(agent + QUICK, **how)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("### 0 of 35 points\n", summary)
                    self.assertRegex(summary, message)

    @unittest.skipUnless(os.getuid() == 0, "an older kernel is made by root")
    def test_without_a_sandbox_and_another_user_there_is_no_grade(self):
        (self.folder / "submission/student_agent.py").write_text(QUICK)
        subprocess.run(["chown", "-R", "65534", self.folder], check=True)
        done, summary, output = self.step(preexec_fn=without_sandbox, user=65534, group=65534, extra_groups=[])
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual((summary, output, os.listdir(self.folder / "temp")), ("", "", ["hand-in", "bin"]), done.stderr)

    @unittest.skipUnless(os.getuid() == 0, "an older kernel is made by root")
    def test_an_unsafe_user_is_refused(self):
        course, results = self.folder / "course", self.folder / "temp/results.json"
        (self.folder / "submission/student_agent.py").write_text(QUICK)
        self.step()
        for change, words, message in (
            (lambda: None, [], "the sandbox needs Landlock"),
            (lambda: None, ["--user", "root"], "only root starts bots as others"),
            (lambda: None, ["--user", "no-such-user"], "there is no such user"),
            (lambda: os.umask(0o077), ["--user", "nobody"], "this user cannot read .*; `umask 022` first"),
            (lambda: course.chmod(0o755), ["--user", "nobody"], "this user can read .*rubric.toml"),
            (
                lambda: (course.chmod(0o750), results.parent.chmod(0o777)),
                ["--user", "nobody"],
                "this user can write in .*temp",
            ),
            (
                lambda: (
                    course.chmod(0o753),
                    results.parent.chmod(0o750),
                    (course / "rubric.toml").chmod(0o640),
                    (course / "staff").chmod(0o750),
                ),
                ["--user", "nobody"],
                "this user can write in .*course",
            ),
        ):
            change()
            results.write_text("of an earlier run")
            command = [REFEREE, "grade", "rubric.toml", "../temp/hand-in", "--results", results, *words]
            environment = {"PATH": f"{self.folder}/temp/bin:{os.environ['PATH']}"}
            how = {
                "cwd": course,
                "env": environment,
                "preexec_fn": without_sandbox,
                "capture_output": True,
                "text": True,
            }
            done = subprocess.run(command, **how)
            os.umask(0o022)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, message)
            self.assertFalse(results.exists())


class HostileFolder(Scene):
    """Hand-ins of a folder, in the sandbox: others and the grades are out of reach, and go on."""

    def setUp(self):
        super().setUp()
        self.course, self.bots = self.folder / "course", self.folder / "hand-in"
        assembled(self.course)
        rubric = self.course / "rubric.toml"
        text = re.sub(r"only = .*", 'only = ["startpos"]', rubric.read_text())
        rubric.write_text(re.sub(r"(?s)\[\[opponent\]\]\ncmd = \"staff.*?\n\n", "", text))

    def hand_in(self, name, agent):
        shutil.copytree(self.course / "wrapper", self.bots / name)
        (self.bots / name / "student_agent.py").write_text(agent)
        return self.bots / name

    def graded(self, status=0):
        words = [REFEREE, "grade", "rubric.toml", "../hand-in", "--out", "grades"]
        environment = {**os.environ, "PATH": f"{Path(REFEREE).parent}:{os.environ['PATH']}"}
        done = subprocess.run(words, cwd=self.course, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertNotIn("panicked", done.stderr)
        with open(self.course / "grades/grades.csv", newline="", encoding="utf-8") as file:
            return {row["Name"]: row for row in csv.DictReader(file)}, done.stderr

    def feedback(self, name):
        return (self.course / "grades" / name / "feedback.txt").read_text()

    def test_others_and_grades_are_out_of_reach(self):
        ann = self.hand_in("ann", QUICK)
        places = {
            "course": str(self.course),
            "results": str(self.course / "grades/ann/results.json"),
            "home": str(self.folder),
            "workspace": str(self.bots),
            "files": [str(self.course / "grades/grades.csv"), str(ann / "run"), str(ann / "student_agent.py")],
            "bin": str(self.folder),
            "secret": "no-secret",
            "seed": "no-seed",
            "port": 1,
            "graders": [os.getpid()],
        }
        self.hand_in("eve", TRIES.format(places=places))
        for name, run in {
            "fay": 'cd "$(dirname "$0")/../../ann/hand-in" && exec ./run',
            "gil": f"cd {ann} && exec ./run",
            "hal": f"exec python3 {ann}/bot.py",
        }.items():
            (self.hand_in(name, RAISES) / "run").write_text(f"#!/bin/sh\n{run}\n")
        rows, _ = self.graded()
        self.assertEqual(rows["ann"]["Games without a fault"], "10")
        self.assertIn("GOT [].", self.feedback("eve"))
        self.assertEqual({float(rows[name]["Points"]) for name in ("eve", "fay", "gil", "hal")}, {0})

    def test_what_one_does_costs_the_others_nothing(self):
        self.hand_in("ann", QUICK)
        writes = "\\u2028A\\u0085B\\x1cC\\x1b]52;c;YQ==\\x07\\u202e"
        (self.hand_in("eve", "") / "run").write_text(
            "#!/bin/sh\nexec python3 -c '\nimport sys\nfor line in sys.stdin:\n"
            '    print("uciok" if line[0] == "u" else "readyok" if line[0] == "i" else '
            f'"info string {writes}\\nbestmove {writes}", flush=True)\n\'\n'
        )
        self.hand_in("fay", "raise RuntimeError('handshake: failed')\n")
        self.hand_in("gil", QUICK.replace("[0]", "[-1]"))
        for link in ("student_agent.py", "bot.py"):
            bot = self.hand_in(f"link-{link[:3]}", "")
            (bot / link).unlink()
            (bot / link).symlink_to(f"../ann/{link}")
        (self.bots / "twin").symlink_to("ann")
        (self.bots / "staff").symlink_to("../course/staff/step")
        hard = self.hand_in("hard", "")
        (hard / "student_agent.py").unlink()
        os.link(self.course / "staff/step/student_agent.py", hard / "student_agent.py")
        # The rules end when gil's favourite move begins a game.
        game = self.course / "wrapper/game.py"
        game.write_text(
            game.read_text().replace(
                "def play(self, board, move):",
                "def play(self, board, move):\n"
                "        if move == 'g1' and len(board.get_legal_moves()) == 49: raise SystemExit\n       ",
            )
        )
        rubric = self.course / "rubric.toml"
        text = rubric.read_text().replace('openings = "random:2"', 'openings = "none"')
        rubric.write_text(text + '\n[[opponent]]\ncmd = "staff/step"\ngames = 2\npoints = 1\n')
        rows, messages = self.graded(1)
        self.assertEqual(set(rows), {"ann", "eve", "fay", "link-stu", "link-bot"}, messages)
        self.assertEqual(rows["ann"]["Games without a fault"], "10")
        for name in ("twin", "staff"):
            self.assertRegex(messages, rf"(?m)^{name}: no grade, because it is a link, .*; copy the files: `rm ")
            self.assertFalse((self.course / "grades" / name).exists())
        for name in ("link-stu", "link-bot"):
            self.assertEqual(float(rows[name]["Points"]), 0)
            self.assertRegex(self.feedback(name), r"Your submission is not graded: .* this is a link to")
        self.assertRegex(messages, r"(?m)^gil: no grade, because ")
        self.assertRegex(
            messages, r"(?m)^hard: no grade, because `.*student_agent.py` and `.*staff/step/student_agent.py` are one file"
        )
        self.assertIn("Submissions without a grade: 4.", messages)
        for text in (messages, self.feedback("eve")):
            self.assertTrue(text.replace("\n", "").isprintable(), repr(text))


class HostileNames(Scene):
    """Names of hand-ins, and files in them. The bots are built-in players, without a sandbox."""

    RUBRIC = """
fitness = { points = 1, only = ["startpos"] }
faults = { points = 1, each = 1 }
opponent = [{ cmd = "random", games = 2, points = 1 }]

[match]
sandbox = "off"
openings = "random:2"
max-plies = 6
each = { st = 0.05, timemargin = 9000, starttime = 60 }
"""

    def hand_in(self, name):
        bot = Path(os.fsdecode(os.fsencode(self.folder / "hand-in") + b"/" + os.fsencode(name)))
        bot.mkdir(parents=True)
        (bot / "run").write_text(f"#!/bin/sh\nexec '{REFEREE}' builtin random\n")
        (bot / "run").chmod(0o755)
        return bot

    def graded(self):
        (self.folder / "rubric.toml").write_text(self.RUBRIC)
        words = [REFEREE, "grade", "rubric.toml", "hand-in", "--out", "grades"]
        environment = {**os.environ, "PATH": f"{Path(REFEREE).parent}:{os.environ['PATH']}"}
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True)
        messages = done.stderr.decode()
        self.assertEqual(done.returncode, 0, messages)
        self.assertTrue(messages.replace("\n", "").isprintable(), repr(messages))
        with open(self.folder / "grades/grades.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return {row["Name"]: row for row in rows}, messages

    def test_names(self):
        names = ["ann", "Ann", "grades.csv", ".grades.csv.part", "=1+1", "new\nline", "\x1b[2J", "\u202etxt", "n" * 255]
        names += [
            "'; rm -rf x",
            "two words",
            "-rf",
            "a\\b",
            "$(id)",
            b"\xff\xfe",
            "ü",
            "::add-mask::x",
            "##[add-mask]x",
            "bin",
        ]
        for name in names:
            self.hand_in(name)
        (self.folder / "hand-in/empty").mkdir()
        (self.folder / "hand-in/notes.txt").touch()
        rows, messages = self.graded()
        self.assertEqual(len(rows), len(names))  # not the hidden one, but the empty one
        for name, row in rows.items():
            self.assertTrue(name.isprintable())
            self.assertEqual(row["Games without a fault"], "0" if name == "empty" else "1", (name, messages))
        self.assertIn("'=1+1", rows)
        self.assertIn("it is empty", (self.folder / "grades/empty/feedback.txt").read_text().replace("\n", " "))
        again, messages = self.graded()
        self.assertEqual(again, rows)
        self.assertIn(f"{len(names)} submissions, 0 to grade", messages)
        self.assertEqual(executed(messages), [])

    def test_a_bot_that_is_right_and_slow(self):
        """It takes more than the three seconds of a match without limits, but has a clock."""
        bot = self.hand_in("ann")
        (bot / "run").write_text(
            "#!/bin/bash\nwhile read -r line; do\n    case $line in go*) [ \"$slept\" ] || sleep 4; slept=1 ;; esac\n"
            f"    echo \"$line\"\ndone | '{REFEREE}' builtin random\n"
        )
        for limits in ("tc = 300", "tc = 300, depth = 2", "st = 60, nodes = 9"):
            with self.subTest(limits):
                self.RUBRIC = HostileNames.RUBRIC.replace("st = 0.05", limits)
                rows, messages = self.graded()
                self.assertEqual(rows["ann"]["Plays by the rules (referee check)"], "1", messages)
                self.assertEqual(rows["ann"]["Games without a fault"], "1", messages)

    def test_files(self):
        deep, many, sparse, pipes, secret = (
            self.hand_in(name) for name in ("deep", "many", "sparse", "pipes", "secret")
        )
        self.hand_in("ann")
        below = os.open(deep, os.O_RDONLY)
        for _ in range(700):
            os.mkdir("d", dir_fd=below)
            below, above = os.open("d", os.O_RDONLY, dir_fd=below), below
            os.close(above)
        os.close(below)
        self.addCleanup(subprocess.run, ["rm", "-rf", deep])
        for number in range(100):
            (many / str(number)).mkdir()
            for other in range(501):
                (many / str(number) / str(other)).touch()
        with open(sparse / "x", "wb") as file:
            file.truncate(2 << 40)
        os.mkfifo(pipes / "pipe")
        (secret / "key").symlink_to(self.folder / "rubric.toml")
        rows, _ = self.graded()
        self.assertEqual({name for name, row in rows.items() if row["Games without a fault"] == "1"}, {"ann", "pipes"})
        for name, why in {
            "deep": "`your submission`: more than 100 folders in each other",
            "many": "the submission has more than 50000 files",
            "sparse": "`x`: the submission is larger than 1 GB",
            "secret": "`key`: this is a link to",
        }.items():
            feedback = (self.folder / "grades" / name / "feedback.txt").read_text().replace("\n", " ")
            self.assertRegex(feedback, f"Your submission is not graded: (`[0-9/]*`: )?{re.escape(why)}")
