#!/usr/bin/env python3
"""What a cluster gains: usage of a corpus by one process, by two that share nothing (`--slice`, `merge`), and by
`--engine ray` on two nodes of one core each, in turn; and what a slice costs besides its counting.

    tests/bench/bench_ray.py CORPUS/shards --store catalogues.db --copies 40 --rounds 3

The corpus is taken over again under other names (links), so that a run takes long enough. Prints medians, and the
gains of each round. Needs Ray in the Python that runs it.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ray.cluster_utils import Cluster

ROOT = Path(__file__).resolve().parents[2]
SEAMARK = ROOT / "build" / "release" / "bin" / "seamark"
ENVIRONMENT = {**os.environ, "SEAMARK_PYTHON": sys.executable}


def start(*words, cwd):
    command = [str(SEAMARK), "usage", "--quiet", "--top", "0", "--threads", "1", *map(str, words)]
    return subprocess.Popen(command, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.DEVNULL)


def finish(process):
    if process.wait() not in (0, 3):
        raise SystemExit(f"{process.args}: {process.returncode}")


def timed(what):
    began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    what()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return time.perf_counter() - began, cpu


def measure(shards, work, catalogues, engine):
    """Wall and CPU seconds (of what this process started) of the three ways."""

    def store(file):
        if catalogues:
            shutil.copy(catalogues, work / file)
        return file

    def bare():
        label = ["--label", "corpus"]
        parts = [
            start(*shards, *label, "--slice", f"{i}/2", "--store", store(f"{i}.db"), cwd=work)
            for i in (1, 2)
        ]
        for part in parts:
            finish(part)
        merge = [SEAMARK, "merge", "--quiet", "--store", "two.db", "1.db", "2.db"]
        subprocess.run(merge, cwd=work, check=True)

    return (
        timed(lambda: finish(start(*shards, "--store", store("one.db"), cwd=work))),
        timed(bare),
        timed(lambda: finish(start(*shards, *engine, "--store", store("ray.db"), cwd=work))),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shards", type=Path)
    parser.add_argument("--store", type=Path, help="with catalogues; default: none")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    rounds = []
    with tempfile.TemporaryDirectory(dir=options.shards.parent) as name:
        folder = Path(name)
        for copy in range(options.copies):
            for shard in sorted(options.shards.iterdir()):
                os.link(shard, folder / f"{copy:03d}-{shard.name}")
        shards = sorted(folder.iterdir())
        engine = ["--engine", "ray", "--address", cluster.address]
        for number in range(options.rounds):
            work = folder / f"round-{number}"
            work.mkdir()
            one, two, ray = measure(shards, work, options.store, engine)
            rounds.append((one, two, ray))
            print(
                f"one {one[0]:.1f} s, two {two[0]:.1f} s (gain {one[0] / two[0]:.2f}), "
                f"ray {ray[0]:.1f} s (gain {one[0] / ray[0]:.2f}, {two[0] / ray[0]:.2f} of bare); "
                f"driver {ray[1]:.1f} s CPU",
                flush=True,
            )
    share = statistics.median(two[0] / ray[0] for _, two, ray in rounds)
    driver = statistics.median(ray[1] for _, _, ray in rounds)
    print(f"{len(shards)} shards; gain of two nodes {share:.2f} of two bare processes' (median)")
    print(f"driver: {driver:.2f} s CPU a run (median)")
    cluster.shutdown()


if __name__ == "__main__":
    main()
