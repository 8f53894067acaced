"""The process of an engine: two threads write to it and read from it, and the callers wait.

A caller holds no lock while it waits, so that other threads can end what it waits for.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sysconfig
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: The longest line of an engine, in characters. The rest of a longer one is skipped.
MAX_LINE = 1 << 20
#: Ends the engine, whose number is the first line, when its input ends without a second line.
WATCH = "read -r engine && { read -r line || kill -9 -$engine || kill -9 $engine; }"


class EngineError(Exception):
    """Anything that goes wrong with an engine; for a refusal, the text is the engine's own."""

    __module__ = "lodestone.engine"  # where it is public


class EngineTimeoutError(EngineError):
    """The engine did not answer in time, and was killed."""

    __module__ = "lodestone.engine"  # where it is public


class EngineTerminatedError(EngineError):
    """The engine's process could not be started, or it has ended."""

    __module__ = "lodestone.engine"  # where it is public


class Question:
    """Something that the engine answers with lines, the last of which begins with the word `wanted`."""

    def __init__(self, wanted: str, seconds: float | None) -> None:
        self.wanted = wanted
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.is_stopped = self.is_over = False
        self.error: EngineError | None = None
        self.lines: list[str] = []

    def receive(self, line: str) -> None:
        """Takes a line. The connection's lock is held."""
        if line.split()[:1] == [self.wanted]:
            self.is_over = True
        elif line.startswith(("id ", "option ", "response ", "info string error: ")):
            self.lines.append(line)


class Connection:
    """A running engine, and the questions that it has not answered. No thread refers to an `Engine`."""

    def __init__(self, command: list[str], **popen: Any) -> None:
        self.name, self.owner = command[0], os.getpid()
        popen.setdefault("start_new_session", os.name == "posix")
        self.watch = watch() if os.name == "posix" else None
        try:
            self.process = subprocess.Popen(
                [find_program(command[0]), *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                **popen,
            )
        except (OSError, ValueError) as error:
            self._dismiss_watch()
            hint = ""
            if len(command) == 1 and " " in command[0]:
                hint = f"; a program with arguments is a list: {command[0].split()}"
            raise EngineTerminatedError(f"cannot start {command[0]}: {error}{hint}") from error
        self._tell_watch(f"{self.process.pid}\n")
        #: Guards all that follows, and tells that it has changed.
        self.changed = threading.Condition()
        #: In the order in which they will be answered.
        self.questions: deque[Question] = deque()
        #: The search that runs. No question is asked until it is over.
        self.search: Question | None = None
        #: How the engine has ended.
        self.end = ""
        self.is_closed = False
        self._is_killed = False
        self._kill_lock = threading.RLock()
        self._texts: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._write, daemon=True).start()

    def check_owner(self) -> None:
        """Raises EngineError in a process that has this object from its parent, whose locks may be held."""
        if os.getpid() != self.owner:
            raise EngineError(
                f"this engine belongs to process {self.owner}; start another one in this process"
            )

    def send(self, line: str) -> None:
        self._texts.put(line + "\n")

    def ask(self, line: str, question: Question) -> list[str]:
        """Sends a line, and waits for the end of the answer. Returns its lines.

        Raises an error that says why there is none.
        """
        self.check_owner()
        with self.changed:
            self.send(line)  # first: after an interruption here, a second answer is skipped
            self.questions.append(question)
        self.wait(question)
        if question.error:
            raise question.error
        return question.lines

    def begin(self, line: str, search: Question) -> None:
        """Sends a line that begins a search."""
        with self.changed:
            self.search = search
            self.send(line)

    def stop(self, search: Question, seconds: float) -> None:
        """Asks the engine to end a search within this time. Does nothing in another process."""
        if os.getpid() != self.owner:
            return
        with self.changed:
            if not search.is_over and not search.is_stopped:
                search.is_stopped = True
                search.deadline = time.monotonic() + seconds
                self.send("stop")
                self.changed.notify_all()

    def wait(self, question: Question, is_ready: Callable[[], bool] = lambda: False) -> None:
        """Returns when the question is over, or when `is_ready`."""
        self.check_owner()
        with self.changed:
            while not (is_ready() or self.is_over(question)):
                left = 1.0  # so that systems whose waits cannot be interrupted notice Ctrl and C
                if question.deadline is not None:
                    left = min(left, max(0.0, question.deadline - time.monotonic()))
                self.changed.wait(left)

    def is_over(self, question: Question) -> bool:
        """Whether a question is answered or will not be, which its error says. Does not wait."""
        self.check_owner()
        with self.changed:
            if question.is_over:
                return True
            is_late = question.deadline is not None and question.deadline <= time.monotonic()
            if self.end:
                question.error = EngineTerminatedError(self.end)
            elif is_late:
                question.error = EngineTimeoutError(f"{self.name} did not write `{question.wanted}` in time")
                self.kill()
            question.is_over = bool(self.end) or is_late
            return question.is_over

    def quit(self) -> None:
        """Asks the engine to quit, and kills it if it does not. Does nothing in another process."""
        if os.getpid() != self.owner:
            return
        self.is_closed = True
        if search := self.search:
            self.stop(search, 1.0)
        self.send("quit")
        self._texts.put(None)
        self._reader.join(1.0)
        self.kill()
        self._reader.join(1.0)

    def kill(self) -> None:
        """Ends the engine and the processes of its session, once. Does nothing in another process."""
        if os.getpid() != self.owner:
            return
        with self._kill_lock:
            if self._is_killed:
                return
            self._is_killed = True
            self._texts.put(None)
            if os.name == "posix":
                try:
                    os.killpg(self.process.pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass  # all have ended, or it has no session of its own
            self.process.kill()
            self.process.wait()
            self._tell_watch("\n")
            self._dismiss_watch()

    def _tell_watch(self, text: str) -> None:
        try:
            if self.watch and self.watch.stdin:
                self.watch.stdin.write(text.encode())
                self.watch.stdin.flush()
        except OSError:
            pass  # it was killed

    def _dismiss_watch(self) -> None:
        if self.watch:
            assert self.watch.stdin
            self.watch.stdin.close()
            self.watch.wait()

    # The threads

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as output:
            is_rest = False
            try:
                while data := output.readline(MAX_LINE):
                    if not is_rest:
                        self._receive(data.strip())
                    is_rest = not data.endswith("\n")
            except (OSError, ValueError):
                pass
        try:
            status = self.process.wait(1.0)
            end = "has ended with " + (f"signal {-status}" if status < 0 else f"exit status {status}")
            self.kill()  # what it has left behind
        except subprocess.TimeoutExpired:
            end = "has closed its output"
        self._finish(end)

    def _receive(self, line: str) -> None:
        with self.changed:
            question = self.questions[0] if self.questions else self.search
            if question:
                question.receive(line)
                if question.is_over and self.questions:
                    self.questions.popleft()
                elif question.is_over:
                    self.search = None
                self.changed.notify_all()

    def _write(self) -> None:
        assert self.process.stdin
        try:
            with self.process.stdin as stdin:
                for text in iter(self._texts.get, None):
                    stdin.write(text)
                    stdin.flush()
        except (OSError, ValueError):
            self._reader.join(1.0)  # it knows how the engine has ended
            self._finish("has closed its input")

    def _finish(self, end: str) -> None:
        with self.changed:
            self.end = self.end or f"{self.name} {end}"
            self.changed.notify_all()


def watch() -> subprocess.Popen[bytes]:
    """A process that ends the engine if this program ends without a word. Signals to this program miss it."""
    return subprocess.Popen(
        ["sh", "-c", WATCH],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def find_program(name: str) -> str:
    """The path of `lodestone` or `referee` in the environment of this Python; any other name as it is."""
    if name not in ("lodestone", "referee"):
        return name
    beside = Path(__file__).absolute().parents[1]  # pip install --target
    places = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    places += [str(beside / "bin"), str(beside / "Scripts"), os.environ.get("PATH", os.defpath)]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        raise FileNotFoundError(f"there is no program {name} in {', '.join(places[:3])}, nor in PATH")
    return found
