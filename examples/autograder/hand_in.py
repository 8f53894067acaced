"""Submissions as students leave them: copies without other people's files, and names that are safe to show."""

import errno
import hashlib
import os
import re
import shlex
import stat
import sys
from pathlib import Path

# As in `referee ladder`: bytes, files and folders, and folders in each other.
MOST_BYTES, MOST_FILES, DEEPEST = 1 << 30, 50_000, 100
LEFT_OUT = ("__pycache__", ".git", "__macosx", ".ds_store", "thumbs.db", "desktop.ini")
# Links may lead here: to files that all users share, and to a Python, Node or Java, as in a virtual environment.
SYSTEM = re.compile(r"/(usr|bin|sbin|lib\w*|nix/store|gnu/store)/")
RUNTIME = re.compile(r"(python|pypy|node|java)[\d.]*")
# Where installers of Python and Node put packages, perhaps without copies of their own.
PACKAGES = {"site-packages", "node_modules"}


def is_left_out(name):
    """Whether a file or folder is one of those that tools and desktops leave, as in `referee ladder`."""
    return name.startswith("._") or name.lower() in LEFT_OUT


class Refused(Exception):
    """What is wrong with the files of a submission, as a sentence for its author."""


def printable(text, kept=""):
    """A text with escapes instead of characters that a terminal obeys or that are not seen; `kept` stay."""
    signs = (sign if sign.isprintable() or sign in kept else sign.encode("unicode_escape").decode() for sign in text)
    return "".join(signs)


def is_full(error):
    """Whether an error is that of a full disk, which is no fault of a submission."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def take(folder, to=None):
    """Copies the files of a submission to a new folder, if one is given.

    Returns a hash of all names and contents, and the files that have more names (hard links): their paths by device,
    number on it, and the number of names. Pipes, sockets and devices are left out. No link is followed, also if it
    takes the place of a file or folder in this moment: each is opened in the folder before it, by its name. The copy
    is read once more, because only there no link can be changed while others are looked at.

    Raises Refused, also if there is nothing in it, or OSError if the disk is full.
    """
    taken = Taken(os.path.realpath(folder))
    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise Refused(f"the folder cannot be read: {error.strerror}") from None
    if to:
        os.mkdir(to)
    content = taken.folder(root, "", to, 1)
    if not content:
        raise Refused("it is empty")
    digest = take(to)[0] if to else hashlib.sha256(repr(content).encode()).hexdigest()
    return digest, taken.linked


class Taken:
    """What of a submission was read so far."""

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
        """The hash of an open file, and whether it is a program. No other permission is copied, such as setuid."""
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
                f"`{printable(path)}` is a link to `{printable(target)}`, outside of the submission: "
                "use the file itself"
            )
        if to:
            os.symlink(target, to)
        return os.fsencode(target)

    def leads_out(self, target, path):
        """Whether a link leads to what may be another person's file, here or in a copy of the submission."""
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
    """The submissions in a folder: folders, and links that may lead to folders. GRADES is none."""
    entries = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".") and not is_left_out(path.name)]
    bots = [path for path in entries if os.path.isdir(path) or path.is_symlink() and not os.path.isfile(path)]
    bots = [bot for bot in bots if bot.is_symlink() or not out.resolve().is_relative_to(bot.resolve())]
    # A submission may be called `run`, too.
    if not bots or (folder / "run").is_file() and not (folder / "run").is_symlink():
        sys.exit(f"{folder}: expected a folder of submissions, each a folder with a file `run`")
    return bots


def check_link(sent):
    """Raises Refused if a submission is itself a link: its target may be of others, and may change at any time."""
    if sent.is_symlink():
        target, place = shlex.quote(str(sent.parent / os.readlink(sent))), shlex.quote(str(sent))
        raise Refused(
            "it is a link, which could lead to other people's files; copy the files: "
            f"`rm {place} && cp -rP {target} {place}`"
        )


def owner_of(path):
    """The number of the user; none if there is no such file any more."""
    try:
        return os.lstat(path).st_uid
    except OSError:
        return None


def shared(linked, course):
    """The submissions that have a file with others, or with the course (hard links), each with a sentence about it."""
    if not linked:
        return {}
    files = [
        file for place in course for file in (place, *place.rglob("*")) if file.is_file() and not file.is_symlink()
    ]
    ours, found = {(file.stat().st_dev, file.stat().st_ino): file for file in files}, {}
    for (device, number, names), places in linked.items():
        others, bots = [ours[device, number]] if (device, number) in ours else [], {bot for bot, _ in places}
        # Packages have more names: in a store of their installer.
        is_package = len(places) < names and all(PACKAGES & {*path.split("/")} for _, path in places)
        if others or len(bots) > 1 and not is_package:
            # Whoever owns a file has not linked it. If this tells nothing, all are in doubt.
            owners = {bot for bot, path in places if owner_of(bot) == owner_of(bot / path)}
            clear = owners if owners != bots and not others else ()
            for bot, path in places:
                if bot in clear:
                    continue
                file, *_ = others or [one / there for one, there in places if one != bot]
                found[bot] = (
                    f"its file `{path}` is also {file} (a hard link); unpack both again, each into its own folder"
                )
    return found


def homes_of(bots, out):
    """The folders of submissions in GRADES: their names, or similar ones where these cannot be folders there.

    Who has one keeps it, also if somebody submits under a name that differs only in letter case.
    """
    homes, taken = {}, {"grades.csv", ".grades.csv.part"}
    present = os.listdir(out) if out.exists() else ()
    for bot in sorted(bots, key=lambda bot: bot.name not in present):
        name = bot.name
        if name != printable(name) or len(os.fsencode(name)) > 200 or name.casefold() in taken:
            number = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
            name = f"{re.sub('[^A-Za-z0-9._-]', '_', name)[:100]}-{number}"
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        homes[bot] = out / name
    return homes
