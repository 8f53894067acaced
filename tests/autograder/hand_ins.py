"""Copies of hand-ins, archives and names, and texts that bots have written: without a game."""

import bz2
import ctypes
import gzip
import io
import lzma
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile
from pathlib import Path
from unittest import mock

from scene import AUTOGRADER, PROJECT, Scene

sys.path.insert(0, str(AUTOGRADER))
sys.dont_write_bytecode = True
import classroom
import collect
import hand_in
from hand_in import Refused, printable, take

CARRIAGE, ESCAPE, BIDI, LINE = "\r", "\x1b", "\u202e", "\u2028"


class HandIns(Scene):
    """Copies of folders."""

    def setUp(self):
        super().setUp()
        self.eve, self.ann = self.folder / "in/eve", self.folder / "in/ann"
        for bot in (self.eve, self.ann):
            bot.mkdir(parents=True)
            (bot / "bot.py").write_text(f"# {bot.name}")

    def copied(self, bot=None):
        """The files of a copy, with their contents."""
        copy = self.folder / f"copy-{len(os.listdir(self.folder))}"
        take(bot or self.eve, copy)
        return {str(path.relative_to(copy)): path.read_text() for path in copy.rglob("*") if path.is_file()}

    def refused(self, part, bot=None):
        copy = Path(tempfile.mkdtemp(), "copy")
        self.addCleanup(shutil.rmtree, copy.parent)
        for to in (None, copy):
            with self.assertRaisesRegex(Refused, part):
                take(bot or self.eve, to)

    def test_links_inside_are_copied(self):
        (self.eve / "lib").mkdir()
        (self.eve / "lib/data").write_text("data")
        (self.eve / "lib64").symlink_to("lib")
        (self.eve / "lib/up").symlink_to("../bot.py")
        (self.eve / "broken").symlink_to("lib/nothing")
        (self.eve / "python3").symlink_to("/usr/bin/python3")
        (self.eve / "python").symlink_to("/opt/homebrew/bin/python3.12")
        copy = self.folder / "copy"
        take(self.eve, copy)
        self.assertEqual(os.readlink(copy / "lib64"), "lib")
        self.assertEqual((copy / "lib/up").read_text(), "# eve")

    def test_links_that_lead_out_are_refused(self):
        secret = self.folder / "secret"
        secret.write_text("key")
        (self.folder / "in/python3").write_text("another student's program")
        (self.eve / "here").symlink_to(".")
        for target in (
            "../ann/bot.py",
            str(self.ann / "bot.py"),
            "../../secret",
            str(secret),
            "../ann",
            "../nobody-yet/bot.py",
            "../eve/bot.py",  # in a copy, the folder of another one
            str(self.eve / "bot.py"),
            "here/../../ann/bot.py",
            "here/../../../../../../../../../../etc/passwd",
            "/etc/passwd",
            "/usr/../etc/passwd",
            "/proc/self/environ",
            "/",
            "..",
            "../python3",
        ):
            (self.eve / "x").symlink_to(target)
            self.refused(r"`x` is a link to `.*`, outside of the submission", self.eve)
            (self.eve / "x").unlink()
        self.assertEqual(self.copied()["bot.py"], "# eve")

    def test_a_link_that_takes_the_place_of_a_file_is_not_followed(self):
        if not hasattr(libc := ctypes.CDLL(None), "renameat2"):
            self.skipTest("this system cannot exchange two files")
        (self.eve / "lib").mkdir()
        (self.eve / "lib/bot.py").write_text("# eve")
        for name, target in (("bot.py", self.ann / "bot.py"), ("lib", self.ann)):
            (self.folder / name).symlink_to(target)
        pairs = [(os.fsencode(self.eve / name), os.fsencode(self.folder / name)) for name in ("bot.py", "lib")]
        is_over, found = threading.Event(), set()

        def exchange():
            while not is_over.is_set():
                for own, link in pairs * 2:
                    libc.renameat2(-100, own, -100, link, 2)  # AT_FDCWD, RENAME_EXCHANGE

        thread = threading.Thread(target=exchange)
        thread.start()
        for number in range(1000):
            copy = self.folder / f"copies/{number}"
            copy.parent.mkdir(exist_ok=True)
            try:
                take(self.eve, copy)
            except Refused:
                pass
            for path in (copy / "bot.py", copy / "lib/bot.py"):
                if path.is_file() and Path(os.path.realpath(path)) == path:
                    found.add(path.read_text())
        is_over.set()
        thread.join()
        self.assertEqual(found, {"# eve"})

    def test_limits(self):
        deep = os.open(self.eve, os.O_RDONLY)
        for _ in range(700):
            os.mkdir("d", dir_fd=deep)
            below = os.open("d", os.O_RDONLY, dir_fd=deep)
            os.close(deep)
            deep = below
        os.close(deep)
        self.refused("more than 100 folders in each other")
        subprocess.run(["rm", "-rf", self.eve / "d"], check=True)
        with open(self.eve / "x", "wb") as file:
            file.truncate(2 << 40)
        self.refused("more than 1 GB, with `x`")
        (self.eve / "x").unlink()
        (self.eve / "many").mkdir()
        for number in range(10):
            (self.eve / f"many/{number}").touch()
        with mock.patch.object(hand_in, "MOST_FILES", 11):
            self.refused("more than 11 files")

    def test_the_limits_are_those_of_the_ladder(self):
        sources = [(PROJECT / "referee/src/config" / name).read_text() for name in ("versions.rs", "own_files.rs")]
        for line in ("MAX_LENGTH: u64 = 1 << 30", "MAX_FILES: usize = 50_000", "MAX_DEPTH: usize = 100"):
            self.assertIn(f"const {line};", "".join(sources))
        self.assertEqual((hand_in.MOST_BYTES, hand_in.MOST_FILES, hand_in.DEEPEST), (1 << 30, 50_000, 100))

    def test_pipes_sockets_and_caches_are_left_out(self):
        os.mkfifo(self.eve / "pipe")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.eve / "socket"))
        for name in ("__pycache__", ".git", "__MACOSX"):
            (self.eve / name).mkdir()
            (self.eve / name / "x").write_text("x")
        for name in (".DS_Store", "._bot.py", "Thumbs.db", "Desktop.ini"):
            (self.eve / name).write_text("x")
        self.assertEqual(self.copied(), {"bot.py": "# eve"})

    def test_permissions_are_not_copied(self):
        program = self.eve / "run"
        program.write_text("")
        program.chmod(0o6755)
        (self.eve / "bot.py").chmod(0o622)
        take(self.eve, self.folder / "copy")
        self.assertEqual((self.folder / "copy/run").stat().st_mode & 0o7022, 0)
        self.assertTrue(os.access(self.folder / "copy/run", os.X_OK))
        self.assertEqual((self.folder / "copy/bot.py").stat().st_mode & 0o7133, 0)

    def test_an_empty_hand_in_is_refused(self):
        (self.eve / "bot.py").unlink()
        self.refused("it is empty")

    def test_what_cannot_be_read_is_the_reason(self):
        for path in (self.folder, self.eve.parent):
            path.chmod(0o755)
        for path, part in ((self.eve / "bot.py", "`bot.py` cannot be read"), (self.eve, "the folder cannot be read")):
            path.chmod(0)
            os.seteuid(65534 if os.getuid() == 0 else os.getuid())  # root reads everything
            try:
                self.refused(f"{part}: Permission denied")
            finally:
                os.seteuid(os.getuid())
                path.chmod(0o755)

    def test_every_change_is_another_hash(self):
        digests = [take(self.eve)[0]]
        for change in (
            lambda: (self.eve / "bot.py").write_text("# Eve"),
            lambda: (self.eve / "bot.py").chmod(0o755),
            lambda: (self.eve / "bot.py").rename(self.eve / "bot2.py"),
            lambda: (self.eve / "bot.py").symlink_to("bot2.py"),
            lambda: (self.eve / "empty").mkdir(),
            lambda: Path(os.fsdecode(os.fsencode(self.eve) + b"/\xff")).touch(),
        ):
            change()
            digests.append(take(self.eve)[0])
        self.assertEqual(len(set(digests)), 7)
        take(self.eve, self.folder / "copy")
        self.assertEqual(take(self.folder / "copy"), take(self.eve))

    def test_hard_links(self):
        course = self.folder / "course"
        course.mkdir()
        (course / "staff.py").write_text("the best bot")
        os.link(self.ann / "bot.py", self.eve / "mine.py")
        (self.folder / "in/gil").mkdir()
        os.link(course / "staff.py", self.folder / "in/gil/bot.py")
        # Packages of an installer, with one more name in its store.
        (self.folder / "store").write_text("package")
        for bot in (self.eve, self.ann):
            (bot / "site-packages").mkdir()
            os.link(self.folder / "store", bot / "site-packages/package")
        # One more name elsewhere does not help.
        os.link(self.ann / "bot.py", self.folder / "third")

        def refused():
            linked = {}
            for bot in (self.eve, self.ann, self.folder / "in/gil"):
                for file, paths in take(bot)[1].items():
                    linked.setdefault(file, []).extend((bot, path) for path in paths)
            return hand_in.shared(linked, {course})

        found = refused()
        self.assertEqual({bot.name for bot in found}, {"eve", "ann", "gil"})
        for bot in (self.eve, self.ann):
            self.assertNotIn("package", found[bot])
        if os.getuid() == 0:
            # It is seen whose the file is.
            for path in (self.ann, self.ann / "bot.py"):
                os.chown(path, 23456, -1)
            self.assertEqual({bot.name for bot in refused()}, {"eve", "gil"})
        self.assertIn("`mine.py` is also", found[self.eve])
        self.assertIn(str(course / "staff.py"), found[self.folder / "in/gil"])

    def test_a_hand_in_that_is_a_link(self):
        inbox = self.folder / "in"
        for name, target in {"to-ann": "ann", "to-home": "../two words", "to-root": "/", "loop": "loop"}.items():
            (inbox / name).symlink_to(target)
        bots = hand_in.hand_ins(inbox, self.folder / "out")
        self.assertEqual([bot.name for bot in bots], ["ann", "eve", "loop", "to-ann", "to-home", "to-root"])
        for bot in bots[2:]:
            with self.assertRaisesRegex(Refused, "it is a link"):
                hand_in.check_link(bot)
            self.refused("the folder cannot be read", bot)
        # The command copies a folder, but not what another link leads to.
        home, link = self.folder / "two words", inbox / "to-home"
        with self.assertRaises(Refused) as caught:
            hand_in.check_link(link)
        command = re.search("`(.*)`", str(caught.exception))[1]
        home.symlink_to("in/ann")
        subprocess.run(command, shell=True, check=True)
        self.assertTrue(link.is_symlink())
        home.unlink()
        shutil.copytree(self.ann, home)
        subprocess.run(command, shell=True, check=True)
        hand_in.check_link(link)
        self.assertEqual(self.copied(link), {"bot.py": "# ann"})

    def test_a_link_that_changes_while_others_are_looked_at(self):
        """`lib/x` leads into `lib` only while `lib/here` is a folder, but is copied with the link that was there."""
        (self.eve / "lib/ann").mkdir(parents=True)
        (self.eve / "lib/here").symlink_to("..")
        (self.eve / "lib/x").symlink_to("here/../ann")
        (self.folder / "swap/below").mkdir(parents=True)
        look, links = hand_in.Taken.leads_out, []

        def looks(taken, target, path):
            links.append(path)
            if taken.root == str(self.eve) and path == "lib/x":
                os.unlink(self.eve / "lib/here")
                os.rename(self.folder / "swap", self.eve / "lib/here")
            return look(taken, target, path)

        with mock.patch.object(hand_in.Taken, "leads_out", looks):
            with self.assertRaisesRegex(Refused, "`lib/x` is a link to `here/../ann`, outside of the submission"):
                take(self.eve, self.folder / "copy")
        self.assertEqual(links, ["lib/here", "lib/x"] * 2)

    def test_homes_in_grades(self):
        names = [
            "ann",
            "Ann",
            "grades.csv",
            "GRADES.CSV",
            "new\nline",
            "new_line",
            "a" * 255,
            f"{ESCAPE}[2J",
            "\udcff",
            "ü",
        ]
        homes = hand_in.homes_of([Path("in", name) for name in names], Path("out"))
        places = [home.name for home in homes.values()]
        self.assertEqual(len({place.casefold() for place in places}), len(names))
        self.assertEqual([places[0], places[5], places[9]], ["ann", "new_line", "ü"])
        for place in places:
            self.assertTrue(place.isprintable() and len(place) < 200, place)
        self.assertNotIn("grades.csv", [place.casefold() for place in places])
        # A name that is made for another one is free for nobody.
        stolen = hand_in.homes_of([Path("in", name) for name in (places[2], "grades.csv")], Path("out"))
        self.assertEqual(len({home.name for home in stolen.values()}), 2)
        # A folder that is there stays the same one's, also when `ANN` comes, which is sorted before `ann`.
        (self.folder / "out/ann").mkdir(parents=True)
        ann, other = Path("in/ann"), Path("in/ANN")
        for _ in range(2):
            homes = hand_in.homes_of([other, ann], self.folder / "out")
            self.assertEqual(homes[ann], self.folder / "out/ann")
            self.assertRegex(homes[other].name, "^ANN-[0-9a-f]{8}$")
            homes[other].mkdir(exist_ok=True)

    def test_a_hand_in_called_run(self):
        folder = self.folder / "in"
        (folder / "run").mkdir()
        names = ["ann", "eve", "run"]
        self.assertEqual([bot.name for bot in hand_in.hand_ins(folder, self.folder / "out")], names)
        (folder / "run").rmdir()
        (folder / "run").symlink_to("ann/bot.py")
        self.assertEqual([bot.name for bot in hand_in.hand_ins(folder, self.folder / "out")], names[:2])
        with self.assertRaisesRegex(SystemExit, "expected a folder of submissions"):
            (folder / "run").unlink()
            (folder / "run").touch()
            hand_in.hand_ins(folder, self.folder / "out")


class Collect(Scene):
    """`collect.py INBOX FOLDER`."""

    def setUp(self):
        super().setUp()
        self.inbox, self.out = self.folder / "inbox", self.folder / "hand-in"
        for name in ("ann", "wrapper"):
            (self.folder / "inbox" / name if name == "ann" else self.folder / name).mkdir(parents=True)
        (self.inbox / "ann/student_agent.py").write_text("# ann")
        (self.folder / "wrapper/run").write_text("#!/bin/sh\n")
        (self.folder / "wrapper/run").chmod(0o755)

    def tar(self, name, *entries):
        """An archive of names and contents, or of entries as they are."""
        with tarfile.open(self.inbox / name, "w:gz") as archive:
            for path, content, *more in entries:
                entry = tarfile.TarInfo(path)
                for key, value in dict(more).items():
                    setattr(entry, key, value)
                entry.size = entry.size or len(content)
                archive.addfile(entry, io.BytesIO(content) if entry.isreg() else None)

    def zip(self, name, *entries):
        with zipfile.ZipFile(self.inbox / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content, mode in entries:
                entry = zipfile.ZipInfo(path)
                entry.external_attr = mode << 16
                archive.writestr(entry, content)

    def collected(self, *words):
        """The status, what it said, and all files that are there now."""
        command = [sys.executable, "-B", AUTOGRADER / "collect.py", "inbox", "hand-in", *words]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertNotIn("Traceback", done.stderr)
        files = {str(path.relative_to(self.out)): path for path in self.out.rglob("*") if path.is_file()}
        return done.returncode, done.stderr, {name: path.read_text(errors="replace") for name, path in files.items()}

    def test_folders_and_archives_with_a_wrapper(self):
        self.tar(
            "bob.tar.gz",
            ("bob-main/student_agent.py", b"# bob"),
            ("bob-main/run", b"own"),
            ("bob-main/x", b"", ("type", tarfile.SYMTYPE), ("linkname", "student_agent.py")),
        )
        self.zip("cat.zip", ("student_agent.py", "# cat", 0o644), ("tool", "x", 0o755), ("__MACOSX/._tool", "", 0o644))
        status, messages, files = self.collected("--wrapper", "wrapper")
        self.assertEqual((status, messages), (0, "3 submissions collected, 0 not\n"))
        for name in ("ann", "bob", "cat"):
            self.assertEqual(files[f"{name}/student_agent.py"], f"# {name}")
            self.assertEqual(files[f"{name}/run"], "#!/bin/sh\n")
            self.assertTrue(os.access(self.out / name / "run", os.X_OK))
        self.assertTrue(os.access(self.out / "cat/tool", os.X_OK))
        self.assertEqual(len(files), 8)
        (self.inbox / "cat.zip").unlink()
        self.zip("cat.zip", ("student_agent.py", "# new", 0o644))
        self.assertEqual(self.collected()[2]["cat/student_agent.py"], "# new")

    def test_archives_that_lead_out(self):
        secret = self.folder / "secret"
        secret.write_text("key")
        link, hard = ("type", tarfile.SYMTYPE), ("type", tarfile.LNKTYPE)
        self.tar("dots.tar.gz", ("../ann/student_agent.py", b"# changed"))
        self.tar("root.tar.gz", (str(self.folder / "made"), b"x"))
        self.tar("link.tar.gz", ("student_agent.py", b"", link, ("linkname", "../ann/student_agent.py")))
        self.tar("through.tar.gz", ("d", b"", link, ("linkname", str(self.folder))), ("d/made", b"x"))
        self.tar(
            "twice.tar.gz", ("d", b"", link, ("linkname", str(self.folder))), ("d/made", b"", link, ("linkname", "x"))
        )
        self.tar("hard.tar.gz", ("student_agent.py", b"", hard, ("linkname", "../ann/student_agent.py")))
        self.tar("hard2.tar.gz", ("student_agent.py", b"", hard, ("linkname", str(secret))))
        self.tar(
            "device.tar.gz",
            ("zero", b"", ("type", tarfile.CHRTYPE), ("devmajor", 1), ("devminor", 5)),
            ("pipe", b"", ("type", tarfile.FIFOTYPE)),
        )
        self.zip("dots2.zip", ("../ann/student_agent.py", "# changed", 0o644))
        self.zip("link2.zip", ("student_agent.py", "../ann/student_agent.py", 0o120777))
        self.zip("through2.zip", ("d", str(self.folder), 0o120777), ("d/made", "x", 0o644))
        status, messages, files = self.collected()
        self.assertEqual((status, files), (1, {"ann/student_agent.py": "# ann"}), messages)
        self.assertEqual(messages.count("not collected"), 11, messages)
        self.assertIn("1 submission collected, 11 not", messages)
        self.assertEqual(sorted(os.listdir(self.folder)), ["hand-in", "inbox", "secret", "wrapper"])
        self.assertEqual(sorted(os.listdir(self.out)), ["ann"])

    def test_archives_that_are_broken_or_too_large(self):
        (self.inbox / "text.zip").write_text("no archive")
        (self.inbox / "words.tar.xz").write_text("no archive")
        (self.inbox / "notes.txt").write_text("")
        self.zip("whole.zip", ("a", os.urandom(9999), 0o644))
        data = (self.inbox / "whole.zip").read_bytes()
        (self.inbox / "half.zip").write_bytes(data[:5000])
        (self.inbox / "bits.zip").write_bytes(data[:5000] + bytes(20) + data[5020:])
        self.zip("deep.zip", ("d/" * 700 + "x", "", 0o644))
        self.zip("long.zip", ("n" * 300, "", 0o644))
        status, messages, files = self.collected()
        self.assertEqual((status, sorted(os.listdir(self.out))), (1, ["ann", "whole"]), messages)
        for name, why in {
            "text.zip": "not a zip file",
            "notes.txt": "neither a folder nor an archive",
            "deep.zip": "more than 100 folders in each other",
        }.items():
            self.assertRegex(messages, f"(?m)^inbox/{name}: not collected: .*{why}")

    def test_bombs(self):
        half, zeros = [(f"{number}", bytes(500), 0o644) for number in range(10)], bytes(2001)
        self.zip("files.zip", *half)
        self.zip("bomb.zip", ("zeros", zeros, 0o644))
        self.tar("bomb.tar.gz", ("zeros", zeros))
        self.tar(
            "links.tar.gz",
            ("a", bytes(500)),
            *((f"{number}", b"", ("type", tarfile.LNKTYPE), ("linkname", "a")) for number in range(4)),
        )
        for name in ("files.zip", "bomb.zip", "bomb.tar.gz", "links.tar.gz"):
            to = self.folder / f"{name}.d"
            to.mkdir()
            with mock.patch.multiple(collect, MOST_FILES=9, MOST_BYTES=2000):
                with self.assertRaisesRegex(Refused, "more than (9 files|0 GB)"):
                    collect.unpack(self.inbox / name, to)
            self.assertLessEqual(sum(path.stat().st_size for path in to.iterdir()), 4500)

    def test_what_is_skipped_counts(self):
        for name, kind in (("__MACOSX/x", tarfile.REGTYPE), ("x", b"Z"), ("x", tarfile.GNUTYPE_LONGNAME)):
            for ending, compress in {"gz": gzip, "bz2": bz2, "xz": lzma}.items():
                with self.subTest(name, kind=kind, ending=ending):
                    entry = tarfile.TarInfo(name)
                    entry.type, entry.size = kind, 1 << 30
                    with compress.open(self.inbox / f"bomb.tar.{ending}", "wb") as file:
                        file.write(entry.tobuf(tarfile.GNU_FORMAT))
                        file.write(bytes(1 << 20))
                    with mock.patch.multiple(collect, MOST_FILES=9, MOST_BYTES=2000):
                        with self.assertRaisesRegex(Refused, "more than 0 GB"):
                            collect.unpack(self.inbox / f"bomb.tar.{ending}", self.folder)

    def test_two_of_one_name(self):
        self.tar("bob.tar.gz", ("student_agent.py", b"# bob"))
        self.zip("bob.zip", ("student_agent.py", "# eve", 0o644))
        self.tar("cat.tar.gz", ("cat/student_agent.py", b"# cat", ("mode", 0o644)))
        self.zip("cat.zip", ("student_agent.py", "# cat", 0o644))
        self.zip("ann.zip", ("student_agent.py", "# eve", 0o644))
        self.zip("ann-2.zip", ("student_agent.py", "# between both in the alphabet", 0o644))
        status, messages, files = self.collected("--wrapper", "wrapper")
        self.assertEqual(status, 1)
        self.assertEqual(sorted(os.listdir(self.out)), ["ann-2", "cat"])
        for both in ("inbox/ann, inbox/ann.zip", "inbox/bob.tar.gz, inbox/bob.zip"):
            self.assertRegex(messages, f"(?m)^{both}: not collected: they differ, and each would be the submission `")
        self.assertIn("2 submissions collected, 2 not\n", messages)

    def test_names(self):
        for name in ("new\nline.zip", f"{ESCAPE}[2J.zip", ".zip", "..zip", "...zip", "run.zip", "adapt.toml.tar"):
            self.zip(name, ("student_agent.py", "# x", 0o644))
        (self.inbox / "run").mkdir()
        (self.inbox / "eve").symlink_to("ann")
        status, messages, files = self.collected()
        self.assertRegex(messages, "(?m)^inbox/run, inbox/run.zip: not collected: a submission cannot be called `run`;")
        self.assertTrue(messages.replace("\n", "").isprintable(), repr(messages))
        self.assertEqual(sorted(os.listdir(self.out)), [f"{ESCAPE}[2J", "ann", "new\nline"])
        self.assertEqual(files["ann/student_agent.py"], "# ann")


class Texts(Scene):
    """What bots have written, where people and services read it."""

    def test_printable(self):
        self.assertEqual(printable("Zoë 世界 'x' \\"), "Zoë 世界 'x' \\")
        text = f"a{ESCAPE}[2J\n{BIDI}{LINE}\x9b\0\x85\ufeff\udce9{CARRIAGE}"
        self.assertEqual(printable(text), r"a\x1b[2J\n\u202e\u2028\x9b\x00\x85\ufeff\udce9\r")
        self.assertEqual(printable(text, kept="\n")[:10], "a\\x1b[2J\n\\")

    def test_markdown(self):
        hostile = "```\n</details>\n<img src=x> @staff ![x](y)\n# 50 of 50\n````````\r```\n~~~\n| a | b |"
        tests = [{"name": "a|b\n</summary># <b>@x", "score": 0, "max_score": 5, "output": hostile}]
        text = classroom.markdown(tests)
        lines = text.split("\n")
        self.assertEqual(
            [line for line in lines if line.startswith("|")][2:3],
            ["| a&#124;b&#10;&#60;&#47;summary&#62;&#35; &#60;b&#62;&#64;x | 0 | 5 |"],
        )
        # All of the output is between two fences of nine, which it does not have itself.
        first, last = (place for place, line in enumerate(lines) if line.startswith("`" * 9))
        self.assertEqual(lines[first + 1 : last], hostile.replace("\r", "\n").split("\n"))
        self.assertEqual((lines[first], lines[last]), ("`" * 9 + "text", "`" * 9))
        self.assertEqual([line for line in lines[:first] + lines[last:] if "staff" in line or "50 of" in line], [])

    def test_a_summary_has_a_limit(self):
        for sign in ("x", "`", "\n"):
            tests = [{"name": "a", "score": 0, "max_score": 5, "output": sign * (1 << 21)}] * 10
            self.assertLess(len(classroom.markdown(tests).encode()), 1 << 20)
