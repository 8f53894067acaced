"""Hand-ins as students leave them: copies with nothing of other people's in them, and names that are safe to show."""

import errno
import hashlib
import os
import re
import stat
import sys
from pathlib import Path

# As in `referee ladder`: bytes, files and folders, and folders in each other.
MOST_BYTES, MOST_FILES, DEEPEST = 1 << 30, 50_000, 100
LEFT_OUT = ("__pycache__", ".git", "__macosx", ".ds_store", "thumbs.db", "desktop.ini")
# Links may lead here: to files that all users share, and to a Python, Node or Java, as in a virtual environment.
SYSTEM = re.compile(r"/(usr|bin|sbin|lib\w*|nix/store|gnu/store)/")
RUNTIME = re.compile(r"(python|pypy|node|java)[\d.]*")


def is_left_out(name):
    """Whether a file or folder is one of those that tools and desktops leave, as in `referee ladder`."""
    return name.startswith("._") or name.lower() in LEFT_OUT


class Refused(Exception):
    """What is wrong with the files of a hand-in, as a sentence for its author."""


def printable(text, kept=""):
    """A text with escapes instead of characters that a terminal obeys or that are not seen; `kept` stay."""
    signs = (sign if sign.isprintable() or sign in kept else sign.encode("unicode_escape").decode() for sign in text)
    return "".join(signs)


def is_full(error):
    """Whether an error is that of a full disk, which is no fault of a hand-in."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def take(folder, to=None):
    """Copies the files of a hand-in to a new folder, if one is given.

    Returns a digest of all names and contents, and the files that have more names (hard links): their paths by device,
    number on it, and the number of names. Pipes, sockets and devices are left out. No link is followed, also if it
    takes the place of a file or folder in this moment: each is opened in the folder before it, by its name.

    Raises Refused, or OSError if the disk is full.
    """
    taken = Taken(os.path.realpath(folder))
    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Refused(f"the folder cannot be read: {error.strerror}") from None
    if to:
        os.mkdir(to)
    content = taken.folder(root, "", to, 1)
    return hashlib.sha256(repr(content).encode()).hexdigest(), taken.linked


class Taken:
    """What of a hand-in was read so far."""

    def __init__(self, root):
        self.root, self.bytes, self.files, self.linked = root, 0, 0, {}

    def folder(self, fd, path, to, depth):
        """What is in an open folder, by names. Closes it."""
        try:
            names = sorted(os.listdir(fd))
            return [
                (os.fsencode(name), self.entry(fd, name, f"{path}{name}", to and f"{to}/{name}", depth))
                for name in names
                if not is_left_out(name)
            ]
        finally:
            os.close(fd)

    def entry(self, parent, name, path, to, depth):
        self.files += 1
        if self.files > MOST_FILES:
            raise Refused(f"it has more than {MOST_FILES} files")
        try:
            mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                return self.link(os.readlink(name, dir_fd=parent), path, to)
            if stat.S_ISDIR(mode):
                if depth == DEEPEST:
                    raise Refused(f"it has more than {DEEPEST} folders in each other")
                fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
                if to:
                    os.mkdir(to)
                return self.folder(fd, f"{path}/", to, depth + 1)
            if stat.S_ISREG(mode):
                return self.file(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent), path, to)
        except OSError as error:
            if is_full(error):
                raise
            raise Refused(f"`{printable(path)}` cannot be read: {error.strerror}") from None
        return None

    def file(self, fd, path, to):
        """The digest of an open file, and whether it is a program. No other permission is copied, such as setuid."""
        with open(fd, "rb") as source:
            state, digest = os.fstat(fd), hashlib.sha256()
            is_program = bool(state.st_mode & 0o111)
            self.bytes += state.st_size
            if not stat.S_ISREG(state.st_mode):
                raise Refused(f"`{printable(path)}` has changed while it was copied")
            if self.bytes > MOST_BYTES:
                raise Refused(f"it has more than {MOST_BYTES >> 30} GB, with `{printable(path)}`")
            if state.st_nlink > 1:
                self.linked.setdefault((state.st_dev, state.st_ino, state.st_nlink), []).append(path)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with open(os.open(to, flags, 0o777 if is_program else 0o666) if to else os.devnull, "wb") as copy:
                left = state.st_size
                while left and (part := source.read(min(left, 1 << 20))):
                    left -= len(part)
                    digest.update(part)
                    copy.write(part)
        return is_program, digest.hexdigest()

    def link(self, target, path, to):
        if self.leads_out(target, path):
            raise Refused(
                f"`{printable(path)}` is a link to `{printable(target)}`, outside of the hand-in: use the file itself"
            )
        if to:
            os.symlink(target, to)
        return os.fsencode(target)

    def leads_out(self, target, path):
        """Whether a link leads to what may be another person's file, here or in a copy of the hand-in."""
        inside, real = f"{self.root}/", os.path.realpath(f"{self.root}/{path}")
        if not os.path.isabs(target):
            # Where it leads by its words: `../ann/bot.py` is ann's in a copy, whoever's it is here.
            words = os.path.normpath(f"{os.path.dirname(path)}/{target}".lstrip("/"))
            if words.split("/")[0] == "..":
                return True
            if f"{real}/".startswith(inside):
                return False
        near = os.path.dirname(self.root), os.getcwd()
        is_near = any(real.startswith(f"{place}/") for place in near)
        is_runtime = RUNTIME.fullmatch(os.path.basename(real)) and not os.path.isdir(real)
        return not SYSTEM.match(f"{real}/") and (is_near or not is_runtime)


def hand_ins(folder, out):
    """The hand-ins in a folder: folders, and links that may lead to folders. GRADES is none."""
    entries = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".") and not is_left_out(path.name)]
    bots = [path for path in entries if os.path.isdir(path) or path.is_symlink() and not os.path.isfile(path)]
    bots = [bot for bot in bots if bot.is_symlink() or not out.resolve().is_relative_to(bot.resolve())]
    if not bots or (folder / "run").exists():
        sys.exit(f"{folder}: expected a folder of hand-ins, each a folder with a file `run`")
    return bots


def check_link(bot, bots, course):
    """Raises Refused if a hand-in is itself a link, to another one or to files of the course."""
    if not bot.is_symlink():
        return
    ours = {bot.parent.resolve(), *course}
    reals = {one: Path(os.path.realpath(one)) for one in bots}
    around = [one for one, real in reals.items() if any(place == real or real in place.parents for place in ours)]
    others = {real for one, real in reals.items() if one != bot and one not in around} | course
    if bot in around or any(place == reals[bot] or place in reals[bot].parents for place in others):
        raise Refused(
            f"it is a link to `{reals[bot]}`, where files of others are; copy the hand-in to a folder of its own"
        )


def shared(linked, course):
    """The hand-ins that have a file with others, or with the course (hard links), each with a sentence about it."""
    if not linked:
        return {}
    files = [
        file for place in course for file in (place, *place.rglob("*")) if file.is_file() and not file.is_symlink()
    ]
    ours, found = {(file.stat().st_dev, file.stat().st_ino): file for file in files}, {}
    for (device, number, names), places in linked.items():
        others = [ours[device, number]] if (device, number) in ours else []
        # Packages that an instructor has installed have more names: in a store of the installer.
        if others or len({bot for bot, _ in places}) > 1 and len(places) == names:
            for bot, path in places:
                file, *_ = others or [one / there for one, there in places if one != bot]
                found[bot] = (
                    f"its file `{path}` is also {file} (a hard link); unpack both again, in folders of their own"
                )
    return found


def homes_of(bots, out):
    """The folders of hand-ins in GRADES: their names, or similar ones where these cannot be folders there."""
    homes, taken = {}, {"grades.csv", ".grades.csv.part"}
    for bot in bots:
        name = bot.name
        if name != printable(name) or len(os.fsencode(name)) > 200 or name.casefold() in taken:
            number = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
            name = f"{re.sub('[^A-Za-z0-9._-]', '_', name)[:100]}-{number}"
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        homes[bot] = out / name
    return homes
