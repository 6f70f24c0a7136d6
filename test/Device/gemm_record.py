#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the compiler's kernels for sm_90a on a GPU and records what they wrote.

usage: gemm_record.py --prepare FOLDER --build BUILD     compiles them, writes inputs
       gemm_record.py --run FOLDER --tc-run BIN          where the GPU is
       gemm_record.py --collect FOLDER                   writes data/gemm_sm_90a.json

The three steps may be on different machines: the folder travels. Each kernel runs
several times; one whose results differ from run to run is an error."""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys
import time

REPEAT = 3


def prepare(folder, build):
    import gemm
    for case in gemm.wgmma.make_points():
        place = folder / case.name
        place.mkdir(parents=True, exist_ok=True)
        ptx = gemm.wgmma.compile_case(case, build, place)
        ptx.rename(place / "kernel.ptx")
        ptx.with_suffix(".json").rename(place / "kernel.json")
        for name, data in gemm.make_inputs(case).items():
            (place / f"{name}.bin").write_bytes(data)
    print(f"{len(list(folder.iterdir()))} kernels in {folder}")


def run_one(place, tc_run):
    results = []
    for _ in range(REPEAT):
        out = place / "out.bin"
        out.unlink(missing_ok=True)
        files = [part for name in "ABD" for part in ("--buffer", f"{name}={place}/{name}.bin")]
        try:
            done = subprocess.run([tc_run, f"{place}/kernel.ptx", *files, "--out", f"D={out}", "--device=cuda"],
                                  capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return "no end after 60 s"
        if done.returncode or not out.exists():
            return f"exit status {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}"
        results.append(out.read_bytes())
    return "" if all(result == results[0] for result in results) else "differs from run to run"


def run(folder, tc_run):
    import record
    places = sorted(place for place in folder.iterdir() if place.is_dir())
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        errors = list(pool.map(lambda place: run_one(place, tc_run), places))
    failed = {place.name: error for place, error in zip(places, errors) if error}
    for name, error in failed.items():
        print(f"FAILED: {name}: {error}")
    facts = record.describe_gpu() | {"date": time.strftime("%Y-%m-%d"), "runs": REPEAT}
    (folder / "device.json").write_text(json.dumps(facts))
    print(f"{len(places)} kernels, {len(failed)} failures, {time.time() - start:.0f} s")
    return 1 if failed else 0


def collect(folder):
    import gemm
    from micro import runner
    facts = json.loads((folder / "device.json").read_text())
    entries = {}
    for case in gemm.wgmma.make_points():
        place = folder / case.name
        inputs = gemm.make_inputs(case)
        entries[case.name] = {"inputs": gemm.digest(inputs["A"], inputs["B"]),
                              "kernel": gemm.digest((place / "kernel.ptx").read_bytes()),
                              "sha256": gemm.digest((place / "out.bin").read_bytes())}
    runner.write_results(gemm.DATA, facts, entries)
    print(f"{len(entries)} results in {gemm.DATA}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prepare", type=pathlib.Path)
    parser.add_argument("--run", type=pathlib.Path)
    parser.add_argument("--collect", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--tc-run", default="tc-run")
    arguments = parser.parse_args()
    if arguments.prepare:
        shutil.rmtree(arguments.prepare, ignore_errors=True)
        prepare(arguments.prepare, arguments.build)
    if arguments.run:
        return run(arguments.run, arguments.tc_run)
    if arguments.collect:
        collect(arguments.collect)
    return 0


if __name__ == "__main__":
    sys.exit(main())
