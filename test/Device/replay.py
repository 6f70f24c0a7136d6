#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays the micro-kernels on the emulator and compares with the GPU.

usage: replay.py --tc-run BIN [--only TEXT] [--schedule LIST]

Every result has to be that of the GPU, bit for bit, under every schedule. No
GPU is needed: its results are in data/. Kernels with an instruction that the
emulator lacks are named and counted by themselves; they never count as passed.
A kernel that is refused by the GPU has to be refused, a racy one to be reported,
under every schedule. Exit status 1 if anything but "passed" is counted or if
fewer kernels than --least passed."""

import argparse
import collections
import os
import pathlib
import re
import sys
import tempfile
import time

import micro
from micro import runner

HERE = pathlib.Path(__file__).resolve().parent


def first_difference(got, expected):
    if len(got) != len(expected):
        return f"{len(got)} bytes, expected {len(expected)}"
    if got == expected:
        return "the recorded hash is not that of the recorded bytes"
    places = [i for i, (a, b) in enumerate(zip(got, expected)) if a != b]
    at = places[0] & ~3
    return (f"{len(places)} of {len(got)} bytes differ, first at {places[0]}: "
            f"{got[at:at + 8].hex()}, expected {expected[at:at + 8].hex()}")


def compare(kernel, outcome, entry, schedules, known):
    """The verdict on one kernel: passed, differs, failed, unsupported or stale,
    and what to say."""
    if entry is None:
        return "stale", "no recorded result; scripts/device records one"
    if entry["kernel"] != kernel.fingerprint():
        return "stale", "the kernel changed since its result was recorded"
    if kernel.racy:
        silent = [schedule for schedule in schedules
                  if f" under {schedule}: " not in outcome.message]
        if outcome.output is not None or silent:
            return "differs", f"expected a report under {', '.join(silent or schedules)}"
        return "passed", ""
    if kernel.stops:
        # An error of the program: the GPU stopped, so has the emulator to.
        if "failed" not in entry or outcome.output is not None:
            return "differs", "expected a run that ends with an error"
        stopped = outcome.message.startswith("exit status 1: tc-run: ")
        return ("passed", "") if stopped else ("failed", outcome.message)
    if "failed" in entry:
        return "no result", entry["failed"]
    if outcome.output is None:
        unsupported = re.search(r"unsupported[^:]*: (.*)", outcome.message)
        if unsupported:
            return "unsupported", unsupported.group(1)
        return "failed", outcome.message
    parts = runner.differing_parts(kernel, entry, outcome.output)
    stale = [name for name, _, _ in kernel.parts if name in known and name not in parts]
    if stale:
        return "differs", f"differences.txt has rows, but nothing differs: {', '.join(stale)}"
    if runner.digest(outcome.output) == entry["sha256"]:
        return "passed", ""
    if parts and all(name in known for name in parts):
        return "passed", ""
    if parts:
        return "differs", f"{len(parts)} of {len(kernel.parts)} parts: {', '.join(parts)}"
    recorded = runner.decode(entry)
    return "differs", ("hash of the result" if recorded is None else
                       first_difference(outcome.output, recorded))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tc-run", required=True, help="the tool to run the kernels with")
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "data" / "sm_90a.json")
    parser.add_argument("--only", default="", help="kernels whose name holds this text")
    parser.add_argument("--schedule", default="eager,lazy,random:1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--least", type=int, default=0, help="kernels that have to pass")
    parser.add_argument("--raw", type=pathlib.Path, help="write differing results here")
    arguments = parser.parse_args()
    results = runner.read_results(arguments.results)["results"]
    kernels = [kernel for kernel in micro.all_kernels() if arguments.only in kernel.name]
    counts = collections.defaultdict(collections.Counter)
    messages = collections.defaultdict(list)
    schedules = arguments.schedule.split(",")
    start, known = time.time(), runner.read_differences()
    # What approximate functions give is the device's own.
    recorded = {name: runner.decode(entry) for name, entry in results.items()
                if name.startswith("approx_") and "data" in entry}
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "approx.txt"
        table.write_text(micro.approx.table(recorded))
        outcomes = runner.run_all(arguments.tc_run, kernels, folder,
                                  [f"--schedule={arguments.schedule}", "--threads=1",
                                   f"--approx={table}"],
                                  jobs=arguments.jobs, timeout=300)
        for kernel, outcome in zip(kernels, outcomes):
            verdict, text = compare(kernel, outcome, results.get(kernel.name), schedules,
                                    known)
            counts[kernel.family][verdict] += 1
            if verdict != "passed":
                messages[verdict].append(f"{kernel.name}: {verdict}: {text}")
            if verdict == "differs" and arguments.raw and outcome.output is not None:
                arguments.raw.mkdir(parents=True, exist_ok=True)
                (arguments.raw / kernel.name).write_bytes(outcome.output)
    if not arguments.only:
        for name in results.keys() - {kernel.name for kernel in kernels}:
            counts["(no kernel)"]["stale"] += 1
            messages["stale"].append(f"{name}: stale: a result without a kernel")
    for verdict in messages:
        for line in messages[verdict]:
            print(line, file=sys.stderr)
    verdicts = ["passed", "differs", "failed", "unsupported", "no result", "stale"]
    print(f"{'family':16}" + "".join(f"{verdict:>13}" for verdict in verdicts))
    total = collections.Counter()
    for family, row in counts.items():
        total += row
        print(f"{family:16}" + "".join(f"{row[verdict]:13}" for verdict in verdicts))
    print(f"{'all':16}" + "".join(f"{total[verdict]:13}" for verdict in verdicts))
    print(f"{len(kernels)} micro-kernels under {arguments.schedule} in "
          f"{time.time() - start:.0f} s")
    if total["passed"] < arguments.least:
        print(f"expected at least {arguments.least} kernels that pass, got {total['passed']}",
              file=sys.stderr)
        return 1
    return 0 if total["passed"] == total.total() else 1


if __name__ == "__main__":
    sys.exit(main())
