#!/usr/bin/env python3
"""Runs one match runner with one broken bot, for the table of docs/comparison.md (Linux).

run.py SECONDS COMMAND… prints a line of JSON: how the command ended, how long it took, the peak memory of
its first process in MB, which processes were left, and the end of its output. After SECONDS, it is killed.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def processes():
    """The children of each process."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
                with open(f"/proc/{name}/cmdline") as file:
                    words = file.read().replace("\0", " ").strip()
            except OSError:
                continue
            if words:  # not a zombie
                children.setdefault(parent, []).append((int(name), words))
    return children


def below(process):
    children = processes()
    found, waiting = [], [process]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.append(child)
            waiting.append(child[0])
    return found


limit, command = float(sys.argv[1]), sys.argv[2:]
output = tempfile.TemporaryFile()
start = time.monotonic()
runner = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
peak, ended = 0.0, ""
while True:
    try:
        with open(f"/proc/{runner.pid}/status") as file:
            for line in file:
                if line.startswith("VmHWM"):
                    peak = max(peak, int(line.split()[1]) / 1024)
    except OSError:
        pass
    if runner.poll() is not None:
        ended = f"status {runner.returncode}"
        break
    if time.monotonic() - start > limit:
        ended = "still waiting"
        break
    if peak > 2000:
        ended = "more than 2 GB"
        break
    time.sleep(0.05)
seconds = time.monotonic() - start
time.sleep(0.5)
left = [words for process, words in below(os.getpid()) if process != runner.pid]
for process, _ in below(os.getpid()):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass
size = output.seek(0, os.SEEK_END)
output.seek(max(0, size - 3000))
tail = output.read().decode(errors="replace").splitlines()[-25:]
report = {"ended": ended, "seconds": round(seconds, 1), "peak_mb": round(peak, 1)}
print(json.dumps({**report, "left": left, "output": tail}), flush=True)
