"""A program that a bot or a game has started: its processes, its output, and how it ended."""

from __future__ import annotations

import json
import os
import queue
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

#: How many lines of standard error are kept for the last words.
MAX_ERROR_LINES = 20
#: And how much of one, in characters.
MAX_ERROR_LINE = 1000
#: The longest frame that is read, in bytes.
MAX_FRAME = 1 << 24
#: How many chunks of output are read before they are wanted.
MAX_CHUNKS = 64
#: How often it is seen whether a program whose output stays open has ended, in seconds.
TICK = 0.25
#: How long the output of a program that has ended may take to be read: what it has started may hold it open.
GRACE = 1.0
#: Lines that name an error, such as `IndexError: …`, `Exception in thread …`, `a.c:1:5: error: …`.
ERROR_LINE = re.compile(r"\S*(error|exception)\b|.*\b(error:|panicked at )", re.IGNORECASE)


class ChildError(Exception):
    """A program has ended, or did not do what was expected; the text says so in one line."""

    __module__ = "referee.bridge"  # where it is public


def words_of(command: str | Sequence[str], **fields: object) -> list[str]:
    """The words of a command, with `{name}` replaced by the value of this field.

    >>> words_of("{agent}/run -p {port}", agent="/my bots/ann", port=5800)
    ['/my bots/ann/run', '-p', '5800']
    """
    words = shlex.split(command) if isinstance(command, str) else [*command]
    for name, value in fields.items():
        words = [word.replace("{" + name + "}", str(value)) for word in words]
    return words


def environment() -> dict[str, str]:
    """That of a child: `python3` is the Python of this process, and its output is not lost when it is killed."""
    path = [os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)]
    return {**os.environ, "PATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}


class Child:
    """A running program with a process group of its own.

    What it writes to standard error, and to standard output unless that `is_read`, goes to standard error at
    once, so that it is known when the program is killed.
    """

    def __init__(
        self, command: Sequence[str], folder: str | Path, *, is_read: bool = True, text: str | None = None
    ) -> None:
        #: The command as in a shell, for messages.
        self.name = shlex.join(command)
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment(),
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                bufsize=0,
                start_new_session=os.name == "posix",
            )
        except (OSError, ValueError) as error:
            raise ChildError(f"cannot start {self.name}: {error}") from error
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.input = self.process.stdin
        self.output = Channel(self.process.stdout.read)
        self._errors: deque[str] = deque(maxlen=MAX_ERROR_LINES)
        readers = [(self.process.stderr.read, self._keep), (self.process.stdout.read, self.output.put)]
        if not is_read:
            readers[1] = self.process.stdout.read, self._keep
        self._readers = [start_thread(copy, read, to) for read, to in readers]
        if text is not None:
            start_thread(self._give, text)

    def _give(self, text: str) -> None:
        try:
            with self.input:
                write_all(self.input.write, text.encode())
        except OSError:
            pass  # it does not read its input

    def _keep(self, data: bytes) -> None:
        if data:
            sys.stderr.flush()
            write_all(lambda rest: os.write(2, rest), data)
            lines = data.decode(errors="replace").split("\n")
            if self._errors and lines:
                lines[0] = self._errors.pop() + lines[0]
            self._errors.extend(line[-MAX_ERROR_LINE:] for line in lines)

    def write(self, data: bytes) -> None:
        """Writes to standard input. Raises ChildError if nobody reads it."""
        try:
            write_all(self.input.write, data)
        except (OSError, ValueError):
            raise self.error("has closed its input") from None

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def error(self, otherwise: str) -> ChildError:
        """How the program has ended, or what it has done otherwise, with what it said last."""
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return ChildError(f"{self.name} {otherwise}")
        return ChildError(f"{self.name} {self.end_words()}")

    def end_words(self, without: str = "") -> str:
        """How the ended program has ended, perhaps `without` something, and the line that names its error."""
        for reader in self._readers:
            reader.join(GRACE)
        status = self.process.returncode
        text = f"ended with exit status {status}"
        if status < 0:
            text = f"was ended by {signal.Signals(-status).name}"
        lines = [line.strip() for line in self._errors if line.strip()]
        named = [line for line in lines if ERROR_LINE.match(line)] or (lines if status else [])
        return text + (f" without {without}" if without else "") + (f": {named[-1][:200]}" if named else "")

    def end(self, grace: float) -> None:
        """Closes its input, waits for its end for this time in seconds, and kills what is left."""
        try:
            self.input.close()
        except OSError:
            pass
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            pass
        self.kill()

    def kill(self) -> None:
        """Kills the program and all of its process group."""
        kill_group(self.process.pid)
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(TICK)
        if not any(reader.is_alive() for reader in self._readers):  # else what has left the group still writes
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream:
                    stream.close()


class Channel:
    """What a program writes to a pipe or a connection, as frames."""

    def __init__(self, read: Callable[[int], Any], write: Callable[[bytes], Any] | None = None) -> None:
        self.read, self._write = read, write
        self._chunks: queue.Queue[bytes] = queue.Queue(MAX_CHUNKS)
        self._data, self._at = b"", 0  # what has been read, and how much of it was in frames
        self._is_closed = False
        self._left: int | None = None  # chunks that had arrived when it was to stop

    @classmethod
    def of(cls, connection: socket.socket) -> Channel:
        """A connection, which is read from now on."""
        channel = cls(connection.recv, connection.sendall)
        start_thread(copy, connection.recv, channel.put)
        return channel

    def put(self, chunk: bytes) -> None:
        self._chunks.put(chunk)

    def write(self, data: bytes) -> None:
        assert self._write
        self._write(data)

    def frame(
        self,
        frame: str,
        child: Child,
        stop: Callable[[], bool] | None = None,
        unfinished: Callable[[bytes], None] | None = None,
    ) -> bytes | None:
        """The next frame as in `Bridge.frame`; None if the output ends, or after `stop`. One that pauses before its end
        is shown to `unfinished`.
        """
        seen = b""
        while True:
            found, self._at = cut(frame, self._data, self._at)
            if found is not None or self._is_closed:
                return found
            if stop and self._left is None and stop():
                self._left = self._chunks.qsize()
            if self._left == 0:
                return None
            if self._left:
                self._left -= 1
            has_ended = child.has_ended()
            try:
                chunk = self._chunks.get(timeout=GRACE if has_ended else TICK / 20 if stop else TICK)
            except queue.Empty:
                if has_ended:
                    return None
                rest = self._data[self._at :]
                if unfinished and rest != seen and rest.strip():
                    unfinished(rest)
                    seen = rest
            else:
                self._is_closed = not chunk
                if self._is_closed and frame == "lines" and self._at < len(self._data):
                    chunk = b"\n"  # the last line, without its end
                self._data, self._at = self._data[self._at :] + chunk, 0

    def rest(self, child: Child) -> bytes:
        """All that the program has written, or writes until its end."""
        while not self._is_closed:
            has_ended = child.has_ended()
            try:
                chunk = self._chunks.get(timeout=GRACE if has_ended else TICK)
            except queue.Empty:
                if has_ended:
                    break
            else:
                self._is_closed = not chunk
                self._data += chunk
                if len(self._data) > MAX_FRAME:
                    raise ChildError(f"{child.name} has written more than {MAX_FRAME} bytes")
        return self._data


def cut(frame: str, data: bytes, start: int = 0) -> tuple[bytes | None, int]:
    """The frame that begins there, None if it is incomplete, and where the next one begins.

    >>> cut("lines", b"a8\\r\\nh8"), cut("length4", b"\\0\\0\\0\\2a8\\0")
    ((b'a8', 4), (b'a8', 6))
    >>> cut("json", b'{"move": "a8"}\\n{'), cut("chunk", b"a8")
    ((b'{"move": "a8"}', 14), (b'a8', 2))
    """
    found, end, size = None, start, len(data) - start
    if frame == "lines":
        newline = data.find(b"\n", start)
        if newline >= 0:
            found, end, size = data[start:newline].rstrip(b"\r"), newline + 1, newline - start
    elif frame == "length4":
        body = start + 4
        size = int.from_bytes(data[start:body], "big") if len(data) >= body else 0
        if body + size <= len(data):
            found, end = data[body : body + size], body + size
    elif frame == "json":
        text = data[start:].decode(errors="surrogateescape")  # also the beginning of a letter
        try:
            stop = json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip()))[1]
            end += len(text[:stop].encode(errors="surrogateescape"))
            found, size = data[start:end].strip(), end - start
        except ValueError:
            pass
    elif frame == "chunk":
        found, end = data[start:] or None, len(data)
    else:
        raise ChildError(f"frame: expected lines, length4, json or chunk, found {frame!r}")
    if size > MAX_FRAME:
        head = data[start : start + 8]
        raise ChildError(f"a frame of {size} bytes begins with {head!r}: expected at most {MAX_FRAME} ({frame})")
    return found, end


def framed(frame: str, text: str) -> bytes:
    """A text as a frame."""
    data = text.encode()
    return data + b"\n" if frame == "lines" else len(data).to_bytes(4, "big") * (frame == "length4") + data


def copy(read: Callable[[int], Any], to: Callable[[bytes], None]) -> None:
    """Passes on what can be read, and an empty chunk at the end."""
    try:
        while chunk := read(1 << 16):
            to(chunk)
    except (OSError, ValueError):
        pass
    to(b"")


def kill_group(process: int) -> None:
    """Kills the process group of a program, if there is one."""
    if os.name == "posix":
        try:
            os.killpg(process, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # all have ended, or it has none


def write_all(write: Callable[[bytes], int | None], data: bytes) -> None:
    while data:
        data = data[write(data) or 0 :]


def start_thread(function: Callable[..., None], *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def wait(until: Callable[[], bool], stop: Callable[[], bool], pause: float = 0.005) -> bool:
    """Waits until one of both is true; whether it is the first."""
    while not until():
        if stop():
            return False
        time.sleep(pause)
    return True
