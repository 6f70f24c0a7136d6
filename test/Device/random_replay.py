#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays random programs on the emulator and compares with the GPU.

usage: random_replay.py --tc-run BIN [--count N] [--first SEED] [--schedule LIST]

Every program has to give the recorded hash, or a row of random_programs/
differences.txt says why it does not. With --write FILE the emulator's hashes are
written instead; with --raw FILE (of random_record.py) differences are named by
the piece of the program after which they show. Exit status 1 on any difference
without a row, on rows that nothing needs, and on failed runs."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import pickle
import sys
import tempfile
import time
import zlib

import micro
import random_programs
from micro import runner

HERE = pathlib.Path(__file__).resolve().parent


def read_rows():
    """Seed: why its result is not the device's."""
    rows = {}
    for line in (HERE / "random_programs" / "differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            seed, why = line.split(" ", 1)
            rows[int(seed)] = why
    return rows


def first_piece(kernel, got, expected):
    """The piece after which the first trace word differs, and where."""
    size = kernel.trace_bytes
    for number, name in enumerate(kernel.pieces):
        part = slice(number * size, (number + 1) * size)
        if got[part] != expected[part]:
            threads = [i // 4 for i in range(0, size, 4)
                       if got[part][i:i + 4] != expected[part][i:i + 4]]
            return f"piece {number} ({name}), {len(threads)} threads, first {threads[0]}"
    places = [i for i, (a, b) in enumerate(zip(got, expected)) if a != b]
    return f"output at {places[0]} ({len(places)} bytes)"


def run_seed(arguments, seed, folder, table):
    kernel = random_programs.random_program(seed)
    for name, data in kernel.files().items():
        (folder / name).write_bytes(data)
    options = [f"--schedule={arguments.schedule}", "--threads=1", f"--approx={table}",
               f"--races={arguments.races}"]
    outcome = runner.run_one(str(pathlib.Path(arguments.tc_run).resolve()), kernel, folder,
                             options, 120, "result")
    for name in kernel.files():
        (folder / name).unlink(missing_ok=True)
    return kernel, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tc-run", required=True)
    parser.add_argument("--results", type=pathlib.Path,
                        default=HERE / "data" / "random_sm_90a.json")
    parser.add_argument("--approx", default="", help="instead of the recorded table")
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--schedule", default="eager,random:1")
    parser.add_argument("--races", default="default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--raw", type=pathlib.Path)
    arguments = parser.parse_args()
    raw = pickle.loads(zlib.decompress(arguments.raw.read_bytes())) if arguments.raw else {}
    recorded = {} if arguments.write else json.loads(arguments.results.read_text())["results"]
    rows = read_rows()
    start, passed, differ, failures, written = time.time(), 0, 0, [], {}
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        folder = pathlib.Path(name)
        table = folder / "approx.txt"
        results = runner.read_results(HERE / "data" / "sm_90a.json")["results"]
        table.write_text(micro.approx.table(
            {name: runner.decode(entry) for name, entry in results.items()
             if name.startswith("approx_") and "data" in entry}))
        table = arguments.approx or table
        seeds = range(arguments.first, arguments.first + arguments.count)
        for seed, (kernel, outcome) in zip(
                seeds, pool.map(lambda s: run_seed(arguments, s, folder, table), seeds)):
            if outcome.output is None:
                failures.append(f"{kernel.name}: {outcome.message}")
                continue
            line = f"{kernel.fingerprint()[:8]} {runner.digest(outcome.output)[:16]}"
            written[str(seed)] = line
            if arguments.write:
                continue
            expected = recorded.get(str(seed), "no recorded result")
            if expected.split(" ")[0] != line.split(" ")[0]:
                failures.append(f"{kernel.name}: stale: {expected}; scripts/device --random records")
            elif expected == line:
                passed += 1
                if seed in rows:
                    failures.append(f"{kernel.name}: differences.txt has a row, but nothing differs")
            else:
                differ += 1
                where = ": " + first_piece(kernel, outcome.output, raw[seed]) if seed in raw else ""
                if seed not in rows:
                    failures.append(f"{kernel.name}: differs from the device{where}")
    if arguments.write:
        arguments.write.write_text(json.dumps(written))
    for line in failures:
        print(line[:2000], file=sys.stderr)
    print(f"{arguments.count} random programs under {arguments.schedule}: {passed} as the device, "
          f"{differ} that differ, {len(failures)} failures, {time.time() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
