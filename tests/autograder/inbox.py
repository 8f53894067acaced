"""Archives and folders as students send them, and as nobody should."""

import io
import os
import subprocess
import tarfile
import zipfile

from scene import REFEREE, Scene

ESCAPE = "\x1b"


class Collect(Scene):
    """`referee collect INBOX FOLDER`."""

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
        command = [REFEREE, "collect", "inbox", "hand-in", *words]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertNotIn("panicked", done.stderr)
        (self.out / ".referee-collect.lock").unlink(missing_ok=True)
        files = {str(path.relative_to(self.out)): path for path in self.out.rglob("*") if path.is_file()}
        return done.returncode, done.stdout, {name: path.read_text(errors="replace") for name, path in files.items()}

    def test_folders_and_archives_with_a_wrapper(self):
        self.tar(
            "bob.tar.gz",
            ("bob-main/student_agent.py", b"# bob"),
            ("bob-main/run", b"own"),
            ("bob-main/x", b"", ("type", tarfile.SYMTYPE), ("linkname", "student_agent.py")),
        )
        self.zip("cat.zip", ("student_agent.py", "# cat", 0o644), ("tool", "x", 0o755), ("__MACOSX/._tool", "", 0o644))
        status, messages, files = self.collected("--wrapper", "wrapper")
        self.assertEqual((status, messages.splitlines()[-1]), (0, "3 submissions collected (3 new), 0 not"))
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
        self.assertIn("1 submission collected (1 new), 11 not", messages)
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
            "text.zip": "damaged or incomplete",
            "notes.txt": "neither a folder nor an archive",
            "deep.zip": "more than 100 folders in each other",
        }.items():
            self.assertRegex(messages, f"(?m)  not collected: inbox/{name}: .*{why}")

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
            self.assertRegex(messages, f"(?m)  not collected: {both}: they differ, and each would be the submission `")
        self.assertIn("2 submissions collected (2 new), 2 not\n", messages)

    def test_names(self):
        for name in ("new\nline.zip", f"{ESCAPE}[2J.zip", ".zip", "..zip", "...zip", "run.zip", "adapt.toml.tar"):
            self.zip(name, ("student_agent.py", "# x", 0o644))
        (self.inbox / "run").mkdir()
        (self.inbox / "eve").symlink_to("ann")
        status, messages, files = self.collected()
        self.assertRegex(messages, "(?m)  not collected: inbox/run, inbox/run.zip: a submission cannot be called `run`;")
        self.assertTrue(messages.replace("\n", "").isprintable(), repr(messages))
        self.assertEqual(sorted(os.listdir(self.out)), [f"{ESCAPE}[2J", "ann", "new\nline"])
        self.assertEqual(files["ann/student_agent.py"], "# ann")
