#!/usr/bin/env python3
"""Makes a folder of submissions from what students have sent.

    collect.py INBOX FOLDER [--wrapper WRAPPER]

Each folder and each archive (.zip, .tar, .tar.gz, .tar.bz2, .tar.xz, .tgz) in INBOX becomes a folder in FOLDER with a
copy of its files, and of those of WRAPPER, which replace files of the same name. One folder alone in an archive is
the submission. A folder in FOLDER from an earlier run is replaced. If two have the same name, such as ann.zip and
ann.tar.gz, neither is taken, unless their files are the same.

Nothing is written outside of FOLDER, whatever an archive says, and nothing comes from elsewhere: links that lead out
are refused. What is refused is named with the reason, the others are collected, and the exit status is 1.
"""

import argparse
import bz2
import contextlib
import gzip
import itertools
import lzma
import os
import resource
import shutil
import stat
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from hand_in import DEEPEST, MOST_BYTES, MOST_FILES, Refused, check_link, is_full, is_left_out, printable, take

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
COMPRESSED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
# A folder with such an entry is taken for one submission.
OF_HAND_INS = ("run", "adapt.toml")


class Counted:
    """What is in a compressed file, up to a limit: also what is only skipped must be decompressed."""

    def __init__(self, path):
        with open(path, "rb") as file:
            start = file.read(6)
        self.file = next((way for sign, way in COMPRESSED.items() if start.startswith(sign)), open)(path, "rb")
        # As much as is unpacked, with its headers.
        self.left = MOST_BYTES + MOST_FILES * 4096

    def read(self, size):
        data = self.file.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise Refused(f"it has more than {MOST_BYTES >> 30} GB")
        return data

    def close(self):
        self.file.close()


def entries_of(archive):
    """The entries of an archive: name, kind, whether it is a program, where it leads, and how to open it."""
    if archive.name.lower().endswith(".zip"):
        with zipfile.ZipFile(archive) as file:
            for entry in file.infolist():
                mode = entry.external_attr >> 16
                if stat.S_ISLNK(mode):
                    yield entry.filename, "link", False, os.fsdecode(file.open(entry).read(4096)), None
                else:
                    kind = "folder" if entry.is_dir() else "file"
                    yield entry.filename, kind, bool(mode & 0o111), "", lambda entry=entry: file.open(entry)
    else:
        with contextlib.closing(Counted(archive)) as counted, tarfile.open(fileobj=counted, mode="r|") as file:
            for entry in file:
                kinds = {tarfile.DIRTYPE: "folder", tarfile.SYMTYPE: "link", tarfile.LNKTYPE: "hard link"}
                kind = "file" if entry.isfile() else kinds.get(entry.type, "device")
                read = lambda entry=entry: file.extractfile(entry)
                yield entry.name, kind, bool(entry.mode & 0o111), entry.linkname, read


def parts_of(name):
    """The parts of a path in an archive. Raises Refused if it leads out."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise Refused(f"the archive has the path `{printable(name)}`, which leads out of it")
    if len(path.parts) > DEEPEST:
        raise Refused(f"it has more than {DEEPEST} folders in each other")
    return path.parts


def unpack(archive, to):
    """Unpacks an archive to an empty folder. Links are made last, so that nothing is written through one."""
    count, left, hard, links = 0, MOST_BYTES, [], []
    for name, kind, is_program, target, read in entries_of(archive):
        parts, count = parts_of(name), count + 1
        if count > MOST_FILES:
            raise Refused(f"it has more than {MOST_FILES} files")
        if not parts or any(map(is_left_out, parts)) or kind == "device":
            continue
        path = to.joinpath(*parts)
        (path if kind == "folder" else path.parent).mkdir(parents=True, exist_ok=True)
        if kind == "file":
            left = write(path, read(), is_program, left)
        elif kind == "hard link":
            hard.append((path, to.joinpath(*parts_of(target))))
        elif kind == "link":
            links.append((path, target))
    for path, same in hard:
        if not same.is_file():
            raise Refused(f"`{printable(path.name)}` is a hard link to a file that is not in the archive")
        left = write(path, open(same, "rb"), os.access(same, os.X_OK), left)
    # The deepest first: then no link is in the path of the next one.
    for path, target in sorted(links, key=lambda link: -len(link[0].parts)):
        os.symlink(target, path)


def write(path, source, is_program, left):
    """Writes a file, and returns how many bytes may still be written."""
    path.unlink(missing_ok=True)  # The last of two files of one name counts.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with source, open(os.open(path, flags, 0o777 if is_program else 0o666), "wb") as file:
        while part := source.read(1 << 20):
            left -= len(part)
            if left < 0:
                raise Refused(f"it has more than {MOST_BYTES >> 30} GB")
            file.write(part)
    return left


def collected(sent, scratch, wrapper):
    """The folder of a submission, made in an empty folder."""
    place = scratch / "files"
    if sent.is_dir():
        take(sent, place)
    else:
        place.mkdir()
        unpack(sent, place)
        only, *others = [*place.iterdir(), None]
        place = only if only and others == [None] and only.is_dir() and not only.is_symlink() else place
        take(place)
    for path in wrapper.iterdir() if wrapper else ():
        own = place / path.name
        shutil.rmtree(own) if own.is_dir() and not own.is_symlink() else own.unlink(missing_ok=True)
        (shutil.copytree if path.is_dir() else shutil.copy)(path, own)
    return place


def ending_of(sent):
    """The ending of an archive. A folder has none."""
    endings = (end for end in ENDINGS if sent.name.lower().endswith(end) and not sent.is_dir())
    return max(endings, key=len, default="")


def name_of(sent):
    return sent.name[: len(sent.name) - len(ending_of(sent))]


def only_one(name, all_sent, scratch, wrapper):
    """The folder of the submission that was sent under this name, made in an empty folder."""
    if not name.strip(".") or name.casefold() in OF_HAND_INS:
        raise Refused(f"a submission cannot be called `{name}`; give it another name")
    places = []
    for number, sent in enumerate(all_sent):
        check_link(sent)
        if not sent.is_dir() and not ending_of(sent):
            raise Refused(f"it is neither a folder nor an archive ({', '.join(ENDINGS)})")
        (scratch / str(number)).mkdir()
        places.append(collected(sent, scratch / str(number), wrapper))
    # Nobody knows whose the name is.
    if len({take(place)[0] for place in places}) > 1:
        raise Refused(f"they differ, and each would be the submission `{name}`; rename or delete the wrong ones")
    return places[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inbox", metavar="INBOX", type=Path)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    parser.add_argument("--wrapper", metavar="WRAPPER", type=Path)
    args = parser.parse_args()
    if sys.platform == "linux":  # A header may ask for all memory.
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    bad, done = 0, 0
    args.folder.mkdir(exist_ok=True)
    all_sent = [path for path in sorted(args.inbox.iterdir()) if not path.name.startswith(".")]
    for name, group in itertools.groupby(sorted(all_sent, key=name_of), name_of):
        sent = list(group)
        with tempfile.TemporaryDirectory(dir=args.folder, prefix=".") as scratch:
            try:
                place = only_one(name, sent, Path(scratch), args.wrapper)
                if (args.folder / name).exists():
                    shutil.rmtree(args.folder / name)
                place.rename(args.folder / name)
                done += 1
            except Exception as error:  # A broken archive raises almost anything.
                if isinstance(error, OSError) and is_full(error):
                    sys.exit(f"{args.folder}: {error}")
                paths, why = ", ".join(map(str, sent)), str(error) or type(error).__name__
                print(printable(f"{paths}: not collected: {why}"), file=sys.stderr)
                bad += 1
    print(f"{done} submission{'s' * (done != 1)} collected, {bad} not", file=sys.stderr)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
