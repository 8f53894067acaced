"""The submission of a student, beside the wrapper of the course: which program it is, compiled once."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ._child import Child, ChildError, words_of

#: Larger files are linked to instead of copied, in bytes. A scratch folder has room for 64 of them.
MAX_COPY = 1 << 20
#: The beginning of a program for Linux.
ELF = b"\x7fELF"
#: Folders that no program needs.
LEFT_OUT = {".git", "__pycache__"}


def agent_folder() -> Path:
    """The folder of the submission: the argument of the bot, or the folder of the bot."""
    return Path(sys.argv[1] if len(sys.argv) > 1 else sys.path[0] or ".").absolute()


def wrapper_folder() -> Path:
    """The folder of the bot's own program."""
    return Path(sys.path[0] or ".").absolute()


def copy_folder(source: Path, target: Path) -> None:
    """Copies the files of a folder, so that the copies can be changed; large ones, and linked folders, become links.

    A sandbox refuses to change the mode of a file, so each is made with the mode of its source.
    """
    target.mkdir(exist_ok=True)
    for entry in os.scandir(source):
        if entry.is_dir(follow_symlinks=False) and entry.name not in LEFT_OUT:
            copy_folder(Path(entry.path), target / entry.name)
        elif entry.is_file() and entry.stat().st_size > MAX_COPY or entry.is_symlink() and entry.is_dir():
            (target / entry.name).symlink_to(os.path.abspath(entry.path))
        elif entry.is_file():
            copy_file(Path(entry.path), target / entry.name, entry.stat().st_mode)


def copy_file(source: Path, target: Path, mode: int) -> None:
    data = source.read_bytes()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode & 0o777 | 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)


def let_run(folder: Path) -> None:
    """Makes programs of a linker executable, which a sandbox has kept it from doing."""
    for entry in os.scandir(folder):
        if entry.is_file(follow_symlinks=False) and not os.access(entry.path, os.X_OK):
            with open(entry.path, "rb") as file:
                is_program = file.read(4) == ELF and file.seek(16) and file.read(1) in b"\x02\x03"
            if is_program:
                copy_file(Path(entry.path), folder / (entry.name + ".new"), 0o755)
                os.replace(folder / (entry.name + ".new"), entry.path)


class Submission:
    """A submission with the helpers of the course, compiled in a folder: the one that `prepare` of a wrapper has made,
    or a new one.
    """

    def __init__(self, build: Path | None = None) -> None:
        self.agent = agent_folder()
        self.scratch = Path(tempfile.mkdtemp(prefix="agent-"))
        self.is_prepared = build is None and len(sys.argv) > 2
        self.build = build or (Path(sys.argv[2]) if self.is_prepared else self.scratch / "build")
        self.file, self.command = "", ""

    def prepare(self, languages: Mapping[str, str | Sequence[str]], helpers: Sequence[str]) -> None:
        """Finds the program and compiles it. Raises ChildError, with what the compiler says before."""
        if not self.is_prepared:
            copy_folder(self.agent, self.build)
            for name in helpers:
                source = wrapper_folder() / name
                if source.is_dir():
                    copy_folder(source, self.build / name)
                else:
                    copy_file(source, self.build / name, source.stat().st_mode)
        found = [name for name in languages if (self.build / name).is_file()]
        if not languages:
            return
        if not found:
            raise ChildError(f"{self.agent} has none of the files {', '.join(languages)}")
        self.file = found[0]
        commands = languages[self.file]
        *compilers, self.command = [commands] if isinstance(commands, str) else [*commands]
        for command in [] if self.is_prepared else compilers:
            child = Child(words_of(command), self.build, is_read=False, text="")
            child.process.wait()
            if child.process.returncode != 0:
                raise ChildError(f"{self.file} cannot be compiled: {command} {child.end_words()}")
            child.kill()
        if compilers and not self.is_prepared:
            let_run(self.build)

    def folder(self, name: str) -> Path:
        """A new copy of the folder with the compiled program."""
        folder = self.scratch / name
        shutil.rmtree(folder, ignore_errors=True)
        copy_folder(self.build, folder)
        return folder

    def close(self) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)
