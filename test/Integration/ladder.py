#!/usr/bin/env python3
"""Every rung of the ladder with every feature, on the emulator.

    ladder.py --build build [--jobs 2] [--least 120]          pairwise over the axes of tclib/ladder.py
    ladder.py --build build --random 2000 --seed 1            a campaign
    ladder.py --build build --filter v6-bias_relu-            points by name

Each point is compiled, assembled without spills, run under eager, lazy and three
seeds with the race checker on, compared bit by bit between the schedules and with
the float64 result; every tenth point runs under 20 seeds.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import time

# One thread per process: the processes fill the cores.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from tclib import gemm, ladder, runner, selection  # noqa: E402

SEEDS = tuple(f"random:{seed}" for seed in range(1, 21))


def run_point(tools, point, is_seeded, is_random):
    """The message of a failure or None, error over bound, and where the time went."""
    seconds = runner.Seconds()
    seconds.counts_spills = is_random
    schedules = runner.SCHEDULES[:2] + SEEDS if is_seeded else runner.SCHEDULES
    try:
        return None, gemm.check(tools, point.gemm(), seconds, schedules), seconds
    except runner.Failure as error:
        return f"{point.name}: {error}", 0.0, seconds
    except Exception as error:  # a test that breaks is a test that fails
        return f"{point.name}: {type(error).__name__}: {error}", 0.0, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/tc-compile and bin/tc-run")
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--least", type=int, default=120, help="points of the pairwise set, at least")
    parser.add_argument("--random", type=int, default=0, help="random points instead of the pairwise set")
    parser.add_argument("--seed", type=int, default=1, help="of the random points")
    parser.add_argument("--filter", default="", help="only points whose name matches this regular expression")
    parser.add_argument("--work", help="folder for kernels, default BUILD/integration-ladder")
    selection.add_option(parser)
    arguments = parser.parse_args()
    start = time.monotonic()
    work = pathlib.Path(arguments.work or pathlib.Path(arguments.build) / "integration-ladder")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        tools = runner.find_tools(arguments.build, work)
    except runner.Failure as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    points = (ladder.random_points(arguments.random, arguments.seed)
              if arguments.random else ladder.pairwise(arguments.least))
    seeded = {point for index, point in enumerate(points) if index % 10 == 0}
    points = [point for point in points if re.search(arguments.filter, point.name)]
    points = selection.select(points, lambda point: point.name, arguments.shard)
    seconds, failures, largest = runner.Seconds(), [], 0.0
    by_rung = collections.Counter(point.rung for point in points)
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        results = pool.map(run_point, [tools] * len(points), points, [point in seeded for point in points],
                           [bool(arguments.random)] * len(points))
        for message, ratio, taken in results:
            seconds.add(taken)
            largest = max(largest, ratio)
            if message:
                failures.append(message)
                print(f"FAILED: {message}", flush=True)
    print("  " + ", ".join(f"{rung} {count}" for rung, count in sorted(by_rung.items())))
    print(f"{len(points)} points ({sum(point in seeded for point in points)} with 20 seeds) in {seconds.runs} runs, "
          f"largest error / bound {largest:.3f}; {seconds.compiling:.1f} s compiling, {seconds.assembling:.1f} s "
          f"assembling, {seconds.emulating:.1f} s emulating (sums over {arguments.jobs} processes), "
          f"{time.monotonic() - start:.1f} s in all, "
          + f"{seconds.spilling} kernels that ptxas spills with any number of registers, " * bool(seconds.spilling)
          + f"{len(failures)} failures")
    if not points:
        print(f"error: nothing matches '{arguments.filter}'", file=sys.stderr)
    return 1 if failures or not points else 0


if __name__ == "__main__":
    sys.exit(main())
