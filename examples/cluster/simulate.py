#!/usr/bin/env python3
"""Simulates a match on many machines whose nodes fail: makespan, games lost, work lost.

Each node plays one shard after another, game by game. Failures of a node come at random
(exponential times). The scheduler starts the shard of a failed node again after a delay, on a
node that is free. What a shard still has depends on its storage: on a shared file system
(`shared`), all finished games; on the disk of the node (`local`), nothing; `batch=N` copies the
file to shared storage after every N games.

    simulate.py                      the tables of docs/notes/cluster.md
    simulate.py --check              compares simple cases with closed forms
    simulate.py --nodes 100 --games 10000 --seconds 30 --rate 0.01 --storage shared
"""

import argparse
import heapq
import math
import random


def simulate(nodes, shards, games, seconds, spread, rate, delay, start, storage, seed):
    """One match. Times are in seconds; `rate` is failures an hour and node; `spread` is the
    standard deviation of the time of a game. Returns makespan, failures, and the seconds of
    work that were lost or spent again."""
    chance = random.Random(seed)
    failure = rate / 3600
    # The parameters of a log-normal distribution with this mean and deviation.
    sigma = math.sqrt(math.log(1 + (spread / seconds) ** 2))
    mu = math.log(seconds) - sigma**2 / 2
    left = [games // shards + (shard < games % shards) for shard in range(shards)]
    ready = list(range(shards))  # In the order of submission.
    ready.reverse()
    free = [0.0] * nodes  # When each free node can begin a shard.
    waiting = []  # (time, shard) of shards whose nodes failed.
    failures, lost, makespan = 0, 0.0, 0.0
    while ready or waiting:
        now = heapq.heappop(free)
        if ready and not (waiting and waiting[0][0] <= now):
            shard = ready.pop()
        elif waiting:
            again, shard = heapq.heappop(waiting)
            now = max(now, again)
        life = chance.expovariate(failure) if failure else math.inf
        # The games of this shard on this node, until they end or the node fails.
        time, done, saved, saved_at = start, 0, 0, start
        while done < left[shard] and time <= life:
            time += seconds if not spread else chance.lognormvariate(mu, sigma)
            if time <= life:
                done += 1
                if storage == "shared" or (storage.startswith("batch=") and done % int(storage[6:]) == 0):
                    saved, saved_at = done, time
        if time <= life:
            lost += start
            makespan = max(makespan, now + time)
            heapq.heappush(free, now + time)
            continue
        failures += 1
        left[shard] -= saved
        lost += life - (saved_at - start if saved else 0)
        # The failed node comes back when the scheduler may start the shard again.
        heapq.heappush(waiting, (now + life + delay, shard))
        heapq.heappush(free, now + life + delay)
    return makespan, failures, lost


def mean(runs, **match):
    """The means over some seeds."""
    results = [simulate(seed=seed, **match) for seed in range(runs)]
    return [sum(column) / runs for column in zip(*results)]


def check():
    """Compares the simulation with closed forms."""
    base = dict(nodes=1, shards=1, games=100, seconds=10, spread=0, rate=0, delay=60, start=0, storage="shared")
    # Without failures: equal shards end together.
    assert simulate(**{**base, "nodes": 4, "shards": 4}, seed=1) == (250, 0, 0)
    assert simulate(**{**base, "nodes": 4, "shards": 5, "start": 2}, seed=1)[0] == 2 * (200 + 2)
    # One node, failures at the rate r, work w that starts again from nothing, and a delay d:
    # the mean time is (1/r + d)(e^(rw) - 1). The longest piece that is repeated is the whole
    # shard on a local disk, or one game on a shared one.
    for storage, pieces, work, rate in [("local", 1, 1000, 3.6), ("shared", 100, 10, 36)]:
        expected = pieces * (3600 / rate + 60) * (math.exp(rate / 3600 * work) - 1)
        found, failures, lost = mean(4000, **{**base, "storage": storage, "rate": rate})
        assert abs(found / expected - 1) < 0.03, (storage, found, expected)
        # All time is work, work that was lost, or delay.
        assert abs(found - (1000 + lost + 60 * failures)) < 1e-6 * found
    # Log-normal games have their mean.
    found, _, _ = mean(200, **{**base, "spread": 5})
    assert abs(found / 1000 - 1) < 0.02, found
    print("the simulation agrees with the closed forms")


def tables():
    """The tables of the manual: a million games on a thousand nodes, a minute a game."""
    base = dict(nodes=1000, games=1_000_000, seconds=60, spread=20, delay=120, start=2)
    ideal = base["games"] * base["seconds"] / base["nodes"] / 3600
    print(f"without failures and idle nodes: {ideal:.2f} h\n")
    print("| failures a node and hour | storage | shards | hours | failures | node-hours lost | of all work |")
    print("|---|---|---|---|---|---|---|")
    for rate in (0, 0.001, 0.01, 0.1):
        for storage, shards in [
            ("shared", 1000),
            ("shared", 4000),
            ("batch=100", 4000),
            ("local", 1000),
            ("local", 4000),
            ("local", 20000),
        ]:
            time, failures, lost = simulate(**base, shards=shards, rate=rate, storage=storage, seed=1)
            work = base["games"] * base["seconds"] / 3600
            row = [rate, storage, shards, f"{time / 3600:.2f}", failures]
            row += [f"{lost / 3600:.1f}", f"{100 * lost / 3600 / work:.2f} %"]
            print("|", " | ".join(str(cell) for cell in row), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare simple cases with closed forms")
    parser.add_argument("--nodes", type=int, help="nodes; without it, the tables of the manual")
    parser.add_argument("--shards", type=int, help="shards (default: as many as nodes)")
    parser.add_argument("--games", type=int, default=10000, help="games of the match (%(default)s)")
    parser.add_argument("--seconds", type=float, default=60, help="mean time of a game (%(default)s)")
    parser.add_argument("--spread", type=float, default=20, help="its standard deviation, seconds (%(default)s)")
    parser.add_argument("--rate", type=float, default=0.01, help="failures an hour and node (%(default)s)")
    parser.add_argument("--delay", type=float, default=120, help="seconds until a shard runs again (%(default)s)")
    parser.add_argument("--start", type=float, default=2, help="seconds to start a shard (%(default)s)")
    parser.add_argument("--storage", default="shared", help="shared, local or batch=N (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the failures (%(default)s)")
    match = vars(parser.parse_args())
    if match.pop("check"):
        check()
    elif match["nodes"] is None:
        tables()
    else:
        match["shards"] = match["shards"] or match["nodes"]
        makespan, failures, lost = simulate(**match)
        print(f"{makespan / 3600:.3f} h, {failures} failures, {lost / 3600:.2f} node-hours lost")


if __name__ == "__main__":
    main()
