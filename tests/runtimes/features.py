"""What a bot in Python may use in a sandbox."""

import asyncio
import mmap
import multiprocessing
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

folder = os.environ["TMPDIR"]
path = os.path.join(folder, "games.db")


def write(number):
    database = sqlite3.connect(path, timeout=60)
    for _ in range(5):
        database.execute("insert into games values (?)", (number,))
        database.commit()


async def talk():
    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    assert (await process.communicate(b"text"))[0] == b"text"
    one, other = socket.socketpair()
    _, writer = await asyncio.open_connection(sock=one)
    writer.writelines([b"te", b"xt"])
    await writer.drain()
    assert other.recv(4) == b"text"


with ThreadPoolExecutor(20) as pool:
    assert sum(pool.map(lambda number: number, range(100))) == 4950
asyncio.run(talk())
for mode in ["delete", "truncate", "persist", "memory"]:
    database = sqlite3.connect(path)
    database.execute(f"pragma journal_mode = {mode}")
    database.execute("create table if not exists games (number)")
    database.commit()
    database.close()
# Several processes write to one database.
writers = [multiprocessing.get_context("fork").Process(target=write, args=(number,)) for number in range(3)]
for writer in writers:
    writer.start()
for writer in writers:
    writer.join()
assert sqlite3.connect(path).execute("select count(*) from games").fetchone() == (15,)
with tempfile.TemporaryFile() as file:
    file.write(bytes(4096))
    file.flush()
    os.fsync(file.fileno())
    with mmap.mmap(file.fileno(), 0) as memory:
        memory[0] = 1
shutil.copyfile(__file__, os.path.join(folder, "copy"))
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
os.killpg(os.getpgid(child.pid), signal.SIGTERM)
assert child.wait() == -signal.SIGTERM
os.sched_setaffinity(0, os.sched_getaffinity(0))
