#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the micro-kernels on the GPU and records what they wrote.

usage: record.py --tc-run BIN [--only TEXT] [--out FILE] [--raw FILE]

Each kernel runs several times; results that are not the same every time are
not recorded but named. Of a racy kernel it is recorded how often its result was
not that of the right kernel. --raw keeps all bytes in one compressed file, for
debugging."""

import argparse
import pathlib
import pickle
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

import micro
from micro import runner

HERE = pathlib.Path(__file__).resolve().parent


def describe_gpu():
    if not shutil.which("nvidia-smi"):
        return {"gpu": "unknown"}
    query = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,compute_cap",
                            "--format=csv,noheader", "--id=0"],
                           capture_output=True, text=True, check=False)
    name, driver, capability = (query.stdout.strip().split(", ") + ["", "", ""])[:3]
    return {"gpu": name or "unknown", "driver": driver, "compute_capability": capability,
            "host": platform.machine()}


def write(arguments, kernels, outcomes, kept):
    """Writes what is known so far; returns the entries. `outcomes`: those of
    every pass, by name."""
    entries = {}
    for kernel in kernels:
        if kernel.name not in outcomes:
            entries[kernel.name] = kept[kernel.name]
            continue
        outcome, *others = outcomes[kernel.name]
        if kernel.racy:
            right = entries[kernel.racy].get("sha256")
            wrong = [o.output is None or runner.digest(o.output) != right
                     for o in (outcome, *others)]
            entries[kernel.name] = {"kernel": kernel.fingerprint(), "runs": len(wrong),
                                    "wrong": sum(wrong)}
            continue
        if any(other.output != outcome.output for other in others):
            outcome = runner.Outcome(kernel.name, None, "differs from run to run")
        entries[kernel.name] = runner.encode(kernel, outcome)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    runner.write_results(arguments.out, describe_gpu(), entries)
    if arguments.raw:
        raw = {name: runs[0].output for name, runs in outcomes.items()}
        arguments.raw.write_bytes(zlib.compress(pickle.dumps(raw)))
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tc-run", required=True, help="the tool to run the kernels with")
    parser.add_argument("--only", default="", help="kernels whose name holds this text")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "data" / "sm_90a.json")
    parser.add_argument("--raw", type=pathlib.Path, help="write all results here")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each kernel")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--timeout", type=float, default=40, help="seconds per kernel")
    parser.add_argument("--merge", action="store_true",
                        help="keep recorded results of unchanged kernels")
    arguments = parser.parse_args()
    kernels = [kernel for kernel in micro.all_kernels() if arguments.only in kernel.name]
    kept = {}
    if arguments.merge and arguments.out.exists():
        kept = runner.read_results(arguments.out)["results"]
        stops = {kernel.name for kernel in kernels if kernel.stops}
        kept = {name: entry for name, entry in kept.items()
                if "failed" not in entry or name in stops}
    todo = [kernel for kernel in kernels
            if kept.get(kernel.name, {}).get("kernel") != kernel.fingerprint()]
    start, outcomes = time.time(), {}
    for turn in range(arguments.repeat):
        with tempfile.TemporaryDirectory() as folder:
            for outcome in runner.run_all(arguments.tc_run, todo, folder, ["--device=cuda"],
                                          jobs=arguments.jobs, timeout=arguments.timeout):
                outcomes.setdefault(outcome.name, []).append(outcome)
        entries = write(arguments, kernels, outcomes, kept)
        print(f"pass {turn + 1}: {len(todo)} kernels after {time.time() - start:.0f} s",
              flush=True)
    failed = 0
    for kernel in kernels:
        why = entries[kernel.name].get("failed")
        if kernel.racy:
            entry = entries[kernel.name]
            print(f"{kernel.name}: {entry['wrong']} of {entry['runs']} runs wrong")
        elif kernel.stops and not why:
            print(f"{kernel.name}: expected a run that stops, got a result")
        elif why and not kernel.stops:
            failed += 1
            print(f"{kernel.name}: {why}")
    print(f"{len(entries)} micro-kernels, {len(todo)} run now, {failed} without a result, "
          f"{time.time() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
