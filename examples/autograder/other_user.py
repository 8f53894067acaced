"""Runs a bot as another user, who can neither read the course nor write results: for kernels without a sandbox."""

import os
import pwd
import shlex
import shutil
import subprocess
import sys

from hand_in import Refused

# As in the sandbox: megabytes of memory and processes; bytes of a file; processes of all bots together.
LIMITS = ("memory=2048", "max-processes=64")
LIMITED = ["prlimit", "--core=0", f"--fsize={64 << 20}", "--nproc=256", "--"]
# Where all users can leave files.
SHARED = ("/tmp", "/var/tmp", "/dev/shm")
WITHOUT_NETWORK = ["unshare", "--net", "--ipc", "--"]


def words_as(user, home="/nonexistent"):
    """The words before a command that run it as a user: for good, and without our variables."""
    entry = pwd.getpwnam(user)
    change = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups", "--no-new-privs", "--"]
    path = os.environ.get("PATH", os.defpath)
    return [*change, "env", "-i", f"PATH={path}", "LANG=C.UTF-8", f"HOME={home}", f"TMPDIR={home}"]


def run_as(user, *command, **how):
    """Runs a command as the user, in a session without a terminal: a process of the user could type into ours."""
    how = {"stdin": subprocess.DEVNULL, "start_new_session": True, **how}
    return subprocess.run([*words_as(user), *command], **how)


def reached(user, test, paths):
    """The first path that the user can read (`-r`) or write (`-w`), or "". Ends this program if trying fails."""
    script = f'echo tried; for path; do [ {test} "$path" ] && echo "$path"; done; true'
    done = run_as(user, "sh", "-c", script, "sh", *paths, capture_output=True, encoding="utf-8")
    tried, found, *_ = [*done.stdout.split("\n"), ""]
    if done.returncode or tried != "tried":
        sys.exit(f"--user {user}: no grade, because a program cannot be started as this user: {done.stderr.strip()}")
    return found


def check(user, secrets, results):
    """Ends this program if a bot cannot be started as this user, or the user can reach what is ours."""
    try:
        is_ordinary = os.getuid() == 0 and pwd.getpwnam(user).pw_uid != 0
    except KeyError:
        sys.exit(f"--user {user}: there is no such user; `useradd {user}` makes one")
    if not is_ordinary:
        sys.exit(f"--user {user}: no grade, because this system has no sandbox, and only root starts bots as others")
    folders = [results.resolve().parent, os.getcwd(), os.path.dirname(os.path.abspath(__file__))]
    for test, paths, what in (("-r", map(os.path.abspath, secrets), "read"), ("-w", folders, "write in")):
        if found := reached(user, test, paths):
            sys.exit(f"--user {user}: no grade, because this user can {what} {found}; `chmod o=` its folder first")


def program(user, bot, scratch, wrapper=None):
    """The folder of a program that starts the bot as this user. `scratch` is a folder of ours, for this and the bot."""
    home, start = scratch / "home", scratch / "start"
    home.mkdir()
    start.mkdir()
    os.chown(home, pwd.getpwnam(user).pw_uid, -1)
    scratch.chmod(0o711)
    # Some containers forbid this.
    can_isolate = subprocess.run([*WITHOUT_NETWORK, "true"], stderr=subprocess.DEVNULL).returncode == 0
    start_as = [*(WITHOUT_NETWORK if can_isolate else ()), *LIMITED, *words_as(user, home)]
    own = ["./run"]
    if wrapper:  # a copy, because this user cannot read the course
        shutil.copytree(wrapper, scratch / "wrapper")
        own = [scratch / "wrapper/run", bot]
        if os.access(prepare := scratch / "wrapper/prepare", os.X_OK):
            (prepared := home / "prepared").mkdir()
            os.chown(prepared, pwd.getpwnam(user).pw_uid, -1)
            how = {"cwd": prepared, "stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "start_new_session": True}
            done = subprocess.run([*start_as, prepare, bot], stdout=subprocess.PIPE, errors="replace", **how)
            if done.returncode:
                raise Refused(f"it cannot be prepared (exit status {done.returncode}):\n{done.stdout[-2000:]}")
            own.append(prepared)
    command = shlex.join(map(str, [*start_as, *own]))
    (start / "run").write_text(f"#!/bin/sh\ncd {shlex.quote(str(bot))} && exec {command}\n")
    (start / "run").chmod(0o755)
    if run_as(user, "sh", "-c", 'cd "$0" && ls > /dev/null', bot).returncode:
        sys.exit(f"--user {user}: no grade, because this user cannot read {bot}; `umask 022` first")
    return start


def end_all(user, scratch):
    """Kills all processes of the user in one call, which none of them can outrun. Then deletes what it has left.

    Otherwise, the next bot of this user could find it there. `scratch` was made before the bot was started.
    """
    run_as(user, "sh", "-c", "kill -KILL -1", stderr=subprocess.DEVNULL)
    own = ["find", *SHARED, "-xdev", "-user", user, "-newercm", scratch / "start"]
    for action in (["-type", "d", "-exec", "chmod", "u+rwx", "{}", ";"], ["-delete"]):
        run_as(user, *own, *action, stderr=subprocess.DEVNULL, cwd="/")
