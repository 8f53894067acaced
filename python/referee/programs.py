"""Programs that talk by files, and are started for each move or once a game.

    from referee import FileProgram
    from game import Game

    class Agent(FileProgram):
        game = Game()
        languages = {"player.py": "python3 player.py", "player.cpp": ["g++ -O2 -o exe player.cpp", "./exe"]}

        def write(self, position, folder):
            (folder / "input.txt").write_text(self.game.fen(position))

        def read(self, text):
            return text.strip()

>>> FileProgram.answer, FileProgram.keeps_files, FileProgram.missing
('output.txt', True, None)
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ._child import Child, ChildError, wait, words_of
from ._submission import Submission
from .bot import Choice
from .bridge import Bridge
from .rules import ERROR, quote

__all__ = ["FileProgram"]

#: How often it is seen whether there is an answer, in seconds.
PAUSE = 0.005
#: How many answers are kept: the last ones may be half written.
KEPT = 8
#: How long the file of an answer that cannot be read may be unfinished, in seconds.
SETTLED = 0.2
#: The longest answer that is read, in characters.
MAX_ANSWER = 1 << 16


class FileProgram(Bridge):
    """A bot that asks a program by files. Subclasses have the methods `write` and `read`, and `languages` or a
    `command`.

    The program runs in a copy of the submission, with the `helpers` beside it. The transcript of a game has all files
    that `write` has written, and the answers.
    """

    #: The file with the answer; None if that is what the program prints.
    answer: str | None = "output.txt"
    #: Whether the program is started once a game, and waits for its next input. If not, it is started for each move.
    whole_games = False
    #: Whether the program finds what it has written into its folder earlier in the game.
    keeps_files = True
    #: Whether the last answer counts when the time is over. If not, the answer is there when the program ends.
    last_counts = False
    #: The move that counts if there is no answer, or one that `read` cannot read; None if that loses.
    missing: str | None = None

    _method = "read"
    _place: Path | None = None

    def write(self, position: Any, folder: Path) -> str | None:
        """Writes the files for this position into the folder; returns the text for standard input, if there is
        one. `self.side` is the side to move.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method write(self, position, folder)")

    def read(self, text: str) -> str:
        """The move of an answer. Any exception means that it is none."""
        raise NotImplementedError(f"{type(self).__name__} needs a method read(self, text)")

    def arguments(self, position: Any) -> Sequence[object]:
        """More words for the command of a program that is started for each move."""
        return ()

    def ask(self, position: Any, seconds: float) -> Choice:
        folder = self._folder()
        before = stamps(folder)
        if self.answer:
            (folder / self.answer).unlink(missing_ok=True)
        given = self.write(position, folder)
        for name, stamp in stamps(folder).items():
            if before.get(name) != stamp:
                self.note(">", (folder / name).read_text(encoding="utf-8", errors="replace"), name)
        if given is not None:
            self.note(">", given, "standard input")
        if self.whole_games:
            child = self.child
            if given is not None:
                child.write(given.encode())
        else:
            child = self._child = self._start_program(given or "", self.arguments(position))
            self.note(">", child.name)
        try:
            texts = self._answers(child, folder, seconds)
            has_ended = child.has_ended()
        finally:
            if not self.whole_games:
                child.kill()
                self._child = None
        what = self.answer or "an answer"

        def end() -> str:
            how = child.end_words(what) if has_ended else f"wrote no {what} in {seconds:.3f} s"
            return f"{child.name} {how}"

        return self._choice(texts, end)

    def _choice(self, texts: list[str], end: Callable[[], str]) -> Choice:
        """The move of the last answer that can be read; `end` says how the program has ended without one. It waits for
        the last words of a program."""
        why = ""
        for text in reversed(texts):
            self.note("<", text, self.answer or "standard output")
            try:
                return self.read(text)
            except Exception as error:
                why = why or f"{self._what(text)}: {type(error).__name__}: {error}"
        if not texts and self.missing is None:
            raise ChildError(end())
        why = why or end()
        self._write(ERROR + "".join(letter if letter.isprintable() else " " for letter in why))
        return self.missing or texts[-1]

    def _what(self, text: str) -> str:
        return f"{self.answer or 'standard output'} is {quote(' '.join(text.split()))}"

    def _answers(self, child: Child, folder: Path, seconds: float) -> list[str]:
        """The answers, of which the last one that can be read counts."""
        deadline = time.monotonic() + seconds
        is_timed = self.last_counts and not self.limits.infinite and not self.limits.pondering

        def is_over() -> bool:
            return self.last_counts and (self.stopped or is_timed and time.monotonic() > deadline)

        if self.answer is None:
            return self._printed(child, is_over)
        file = folder / self.answer
        if not self.last_counts and not self.whole_games:
            child.process.wait()
            return [text for text in [text_of(file)] if text is not None]
        seen: list[str] = []
        changed = time.monotonic()

        def has_answer() -> bool:
            nonlocal changed
            has_ended = child.has_ended()  # what it has written before is read now
            text = text_of(file)
            if text is not None and [text] != seen[-1:]:
                seen.append(text)
                del seen[:-KEPT]
                changed = time.monotonic()
            if has_ended or self.last_counts or not seen:
                return has_ended
            return self._can_read(seen[-1]) or time.monotonic() > changed + SETTLED

        wait(has_answer, is_over, PAUSE)
        return seen if self.last_counts else seen[-1:]

    def _printed(self, child: Child, is_over: Callable[[], bool]) -> list[str]:
        if self.whole_games and not self.last_counts:
            line = child.output.frame("lines", child, unfinished=self._note_unfinished)
            return [] if line is None else [line.decode(errors="replace")]
        if not self.last_counts:
            text = child.output.rest(child)[:MAX_ANSWER].decode(errors="replace")
            return [text] if text.strip() else []
        lines: list[str] = []
        while (line := child.output.frame("lines", child, is_over)) is not None:
            lines = [*lines[1 - KEPT :], line.decode(errors="replace")]
        return lines

    def _can_read(self, text: str) -> bool:
        try:
            self.read(text)
        except Exception:
            return False
        return True

    # The program and its folder

    def _prepare(self) -> None:
        if not self._submission:
            self._submission = Submission()
            self._submission.prepare(self.languages, self.helpers)

    def _folder(self) -> Path:
        """The folder of this move."""
        if self._place is None or not self.keeps_files and not self.whole_games:
            assert self._submission
            self._place = self._submission.folder("game")
        return self._place

    def _start_child(self, **fields: object) -> Child:
        return self._start_program(None)

    def _start_program(self, text: str | None, arguments: Sequence[object] = ()) -> Child:
        """Starts the program, with this text as its whole input."""
        assert self._submission and self._place
        command = self._submission.command or self.command
        words = words_of(command, agent=self._place, side=self.sides[not self.side])
        words += map(str, arguments)
        return Child(words, self._place, is_read=self.answer is None, text=text)

    def _is_open(self) -> bool:
        return self._place is not None

    def _renews(self) -> bool:
        return True

    def _forgets_moves(self) -> bool:
        return True

    def _open(self) -> None:
        self._folder()
        self._child_side = self.side
        if self.whole_games:
            super()._open()

    def _end(self, grace: float) -> None:
        super()._end(grace)
        self._place = None


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """When the files were changed, and their sizes."""
    found = [(entry.name, entry.stat()) for entry in os.scandir(folder) if entry.is_file()]
    return {name: (stat.st_mtime_ns, stat.st_size) for name, stat in found}


def text_of(file: Path) -> str | None:
    """The text of a file, None if there is none."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read(MAX_ANSWER)
    except OSError:
        return None
