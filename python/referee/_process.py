"""The process of an engine: two threads write to it and read from it, and the callers wait.

A caller holds no lock while it waits, so that other threads can end what it waits for.
"""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from .__main__ import find_program
from ._child import kill_group
from .rules import ERROR

#: Receives what engines write after `info string`, and at the level DEBUG all lines: `<<` to an engine, `>>` from it.
logger = logging.getLogger("referee")
#: The longest line of an engine that is read, in characters.
MAX_LINE = 1 << 20
#: How long an answer that is late, or the output of a process that has ended, may take to be read, in seconds:
#: this program may have stood still, or be busy.
GRACE = 0.25
#: How many lines are kept that the engine writes before the first question.
MAX_EARLY = 1000
#: Commands that end the process group, or the process, whose number follows when their input ends without a
#: line: one for a shell, which starts in a millisecond, and one for a system without a shell.
WATCHERS = (
    ["/bin/sh", "-c", "read -r line || kill -9 -$1 || kill -9 $1", "sh"],
    [
        sys.executable,
        "-ISc",
        "import os, sys\nif not sys.stdin.buffer.readline():\n"
        "    try: os.killpg(int(sys.argv[1]), 9)\n    except OSError: os.kill(int(sys.argv[1]), 9)",
    ],
)
#: The processes that do so. A forked process must not hold their input open.
WATCHES: weakref.WeakSet[subprocess.Popen[bytes]] = weakref.WeakSet()


class EngineError(Exception):
    """Anything that goes wrong with an engine; for a refusal, the text is the engine's own."""

    __module__ = "referee.engine"  # where it is public


class EngineTimeoutError(EngineError):
    """The engine did not answer in time, and was killed."""

    __module__ = "referee.engine"  # where it is public


class EngineTerminatedError(EngineError):
    """The engine's process could not be started, or it has ended."""

    __module__ = "referee.engine"  # where it is public


class Question:
    """Something that the engine answers with lines, the last of which begins with the word `wanted`."""

    def __init__(self, wanted: str, seconds: float | None, is_search: bool = False) -> None:
        self.wanted, self.is_search = wanted, is_search
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.is_late = self.is_sent = self.is_stopped = self.is_over = False
        self.error: EngineError | None = None
        self.lines: list[str] = []

    def receive(self, line: str) -> None:
        """Takes a line. The connection's lock is held."""
        words = line.split()
        if words[:1] == [self.wanted]:
            self.is_over = True
        elif words[:1] in (["id"], ["option"], ["response"]) or line.startswith(ERROR):
            self.lines.append(line)


class Connection:
    """A running engine, and the questions that it has not answered. No thread refers to an `Engine`."""

    def __init__(self, command: list[str], popen: Mapping[str, Any]) -> None:
        self.name, self.owner = command[0], os.getpid()
        #: Guards all that follows.
        self.lock = threading.RLock()
        #: In the order in which they will be answered.
        self.questions: deque[Question] = deque()
        #: The search that runs. No question is asked until it is over.
        self.search: Question | None = None
        #: How the engine has ended, and when that was first seen.
        self.end, self._ended_at = "", 0.0
        self.is_closed = self._is_killed = False
        #: Lines from before the first question; None afterwards.
        self._early: list[str | None] | None = []
        self._waiters: set[queue.SimpleQueue[None]] = set()
        self._texts: queue.SimpleQueue[tuple[str, Question | None] | None] = queue.SimpleQueue()
        try:
            self.process = subprocess.Popen(
                [find_program(command[0]), *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                **{"start_new_session": os.name == "posix", **popen},
            )
        except (OSError, ValueError) as error:
            hint = ""
            if len(command) == 1 and " " in command[0]:
                hint = f"; a program with arguments is a list: {command[0].split()}"
            raise EngineTerminatedError(f"cannot start {command[0]}: {error}{hint}") from error
        self.watch: subprocess.Popen[bytes] | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        try:
            if os.name == "posix":
                self.watch = watch(self.process.pid)
            self._reader.start()
            threading.Thread(target=self._write, daemon=True).start()
        except BaseException as error:
            self.kill()
            if isinstance(error, (OSError, RuntimeError)):  # such as the limit of processes or threads
                raise EngineTerminatedError(f"cannot watch {command[0]}: {error}") from error
            raise

    @classmethod
    def start(cls, command: list[str], popen: Mapping[str, Any]) -> Connection:
        """Starts an engine in another thread, which the keys Ctrl and C do not interrupt half-way."""
        started: list[Connection | BaseException] = []
        is_done = threading.Event()

        def start() -> None:
            try:
                started.append(cls(command, popen))
            except BaseException as error:
                started.append(error)
            is_done.set()

        try:
            threading.Thread(target=start).start()
            is_done.wait()
        except BaseException:
            is_done.wait(GRACE * 20)
            if started and isinstance(started[0], Connection):
                started[0].kill()
            raise
        if isinstance(started[0], BaseException):
            raise started[0]
        return started[0]

    def check_owner(self) -> None:
        """Raises EngineError in a process that has this object from its parent, whose locks may be held."""
        if os.getpid() != self.owner:
            raise EngineError(
                f"this engine belongs to process {self.owner}; start another one in this process"
            )

    def ask(self, line: str, question: Question) -> list[str]:
        """Sends a line, and waits for the end of the answer. Returns its lines.

        Raises an error that says why there is none.
        """
        self.check_owner()
        self._texts.put((line, question))
        self.wait(question)
        if question.error:
            raise question.error
        return question.lines

    def begin(self, line: str, search: Question) -> None:
        """Sends a line that begins a search."""
        self.check_owner()
        self.search = search
        self._texts.put((line, search))

    def stop(self, search: Question, seconds: float) -> None:
        """Asks the engine to end a search within this time. Does nothing in another process."""
        if os.getpid() != self.owner:
            return
        with self.lock:
            if not search.is_over and not search.is_stopped:
                self._texts.put(("stop", search))
                search.deadline = time.monotonic() + seconds
                search.is_stopped = True
                self._notify()

    def wait(self, question: Question, is_ready: Callable[[], bool] = lambda: False) -> None:
        """Returns when the question is over, or when `is_ready`."""
        self.check_owner()
        waiter: queue.SimpleQueue[None] = queue.SimpleQueue()
        try:
            with self.lock:
                self._waiters.add(waiter)
            while not (is_ready() or self.is_over(question)):
                # Some systems cannot interrupt a longer wait by Ctrl and C.
                left = GRACE if self._ended_at else 1.0
                if question.deadline is not None:
                    left = min(left, max(0.0, question.deadline - time.monotonic()))
                try:
                    waiter.get(timeout=left)
                except queue.Empty:
                    pass
        finally:
            self._waiters.discard(waiter)

    def is_over(self, question: Question) -> bool:
        """Whether a question is answered or will not be, which its error says. Does not wait."""
        self.check_owner()
        with self.lock:
            if question.is_over:
                return True
            now = time.monotonic()
            if not self.end and self.process.poll() is not None:
                self._ended_at = self._ended_at or now
                if now >= self._ended_at + GRACE:  # a process that it has started holds its output open
                    self._finish(self._status())
            is_late = question.deadline is not None and question.deadline <= now
            if self.end:
                question.error = EngineTerminatedError(self.end)
            elif is_late and not question.is_late:
                question.is_late, question.deadline = True, now + GRACE
                return False
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
        self._texts.put(("quit", None))
        self._texts.put(None)
        self._reader.join(1.0)
        self.kill()
        self._reader.join(1.0)

    def kill(self) -> None:
        """Ends the engine and the processes of its session, once. Does nothing in another process."""
        if os.getpid() != self.owner:
            return
        with self.lock:
            if self._is_killed:
                return
            self._is_killed = True
            self._texts.put(None)
            kill_group(self.process.pid)
            self.process.kill()
            self.process.wait()
            if self.watch:
                self.watch.communicate(b"\n")

    # The threads

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as output:
            is_rest = False
            try:
                while data := output.readline(MAX_LINE):
                    is_whole = data.endswith("\n") or len(data) < MAX_LINE
                    if not is_rest:
                        line = data.lstrip("\ufeff \t").rstrip() if is_whole else None
                        logger.debug("%s: >> %s", self.name, "(a line that is too long)" if line is None else line)
                        self._receive(line)
                    is_rest = not is_whole
            except (OSError, ValueError):
                pass
        try:
            self.process.wait(1.0)
            end = self._status()
        except subprocess.TimeoutExpired:
            end = "has closed its output"
        self._finish(end)

    def _status(self) -> str:
        """How the process has ended."""
        status = self.process.wait()
        return "has ended with " + (f"signal {-status}" if status < 0 else f"exit status {status}")

    def _receive(self, line: str | None) -> None:
        """Takes a line; None is one that is too long."""
        with self.lock:
            question = self.questions[0] if self.questions else self.search
            if self._early is not None and len(self._early) < MAX_EARLY:
                self._early.append(line)
            elif question and line is None:
                question.error = EngineError(f"{self.name} wrote a line of more than {MAX_LINE} characters")
            elif question and line is not None:
                question.receive(line)
                if question.is_over and self.questions:
                    self.questions.popleft()
                elif question.is_over:
                    self.search = None
                self._notify()

    def _write(self) -> None:
        assert self.process.stdin
        try:
            with self.process.stdin as stdin:
                for text, question in iter(self._texts.get, None):
                    if question and not self._note(question, text == "stop"):
                        continue
                    logger.debug("%s: << %s", self.name, text)
                    stdin.write(text + "\n")
                    stdin.flush()
        except (OSError, ValueError):
            self._reader.join(1.0)  # it knows how the engine has ended
            self._finish("has closed its input")

    def _note(self, question: Question, is_stop: bool) -> bool:
        """Notes that a question is sent, in the order of the lines. Returns whether to send the line."""
        with self.lock:
            if is_stop and not question.is_sent:  # an exception came before `go`
                question.is_over, self.search = True, None
                question.error = EngineError("the search has not begun")
                self._notify()
                return False
            if not question.is_search:
                self.questions.append(question)
            question.is_sent = True
            early, self._early = self._early or [], None
            for line in early:
                self._receive(line)
            return True

    def _finish(self, end: str) -> None:
        with self.lock:
            self.end = self.end or f"{self.name} {end}"
            self.kill()  # also what it has left behind
            self._notify()

    def _notify(self) -> None:
        for waiter in [*self._waiters]:
            waiter.put(None)


def watch(process: int) -> subprocess.Popen[bytes]:
    """A process that ends the engine if this program ends without a word. Signals to this program miss it."""
    for watcher in WATCHERS:
        try:
            started = subprocess.Popen(
                [*watcher, str(process)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            missing = error
        else:
            WATCHES.add(started)
            return started
    raise missing


def forget_watches() -> None:
    """Closes the inputs that a forked process has from its parent."""
    for started in [*WATCHES]:
        if started.stdin:
            started.stdin.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_watches)
