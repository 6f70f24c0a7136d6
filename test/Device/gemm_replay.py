#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels for sm_90a and compares the emulator's results with an H200's.

usage: gemm_replay.py --build BUILD [--only TEXT] [--schedule LIST] [--least N]

Every result has to be that of the GPU, bit for bit, under every schedule. Exit
status 1 if one differs, has no recorded result or was recorded for other inputs, or
if fewer kernels than --least passed."""

import argparse
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

import gemm
from micro import runner


def check(case, entry, build, folder, schedule):
    """What is wrong with the case, or nothing."""
    if entry is None:
        return "no recorded result"
    inputs = gemm.make_inputs(case)
    if gemm.digest(inputs["A"], inputs["B"]) != entry["inputs"]:
        return "recorded for other inputs"
    place = folder / case.name
    place.mkdir()
    try:
        ptx = gemm.wgmma.compile_case(case, build, place)
    except gemm.strict.Failure as error:
        return str(error)
    for name, data in inputs.items():
        (place / f"{name}.bin").write_bytes(data)
    done = subprocess.run(gemm.command(build / "bin/tc-run", ptx, place, f"--schedule={schedule}", "--races=strict",
                                       "--threads=1"), capture_output=True, text=True)
    if done.returncode:
        return f"exit status {done.returncode}: {(done.stdout + done.stderr)[-2000:]}"
    if gemm.digest((place / "out.bin").read_bytes()) != entry["sha256"]:
        return "differs from the device"
    shutil.rmtree(place)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, help="where kernels and inputs go; kept where one fails")
    parser.add_argument("--only", default="", help="kernels whose name holds this text")
    parser.add_argument("--schedule", default="eager,lazy,random:1")
    parser.add_argument("--results", type=pathlib.Path, default=gemm.DATA)
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    results = runner.read_results(arguments.results)
    cases = [case for case in gemm.wgmma.make_points() if arguments.only in case.name]
    folder = arguments.folder or arguments.build / "device-gemm"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    passed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        outcomes = pool.map(lambda case: check(case, results["results"].get(case.name), arguments.build, folder,
                                               arguments.schedule), cases)
        for case, error in zip(cases, outcomes):
            passed += not error
            if error:
                print(f"{case.name}: {error}", flush=True)
    print(f"{passed} of {len(cases)} kernels write what the {results.get('gpu')} wrote, "
          f"under {arguments.schedule}")
    if passed < arguments.least:
        print(f"expected at least {arguments.least} kernels that pass, got {passed}", file=sys.stderr)
        return 1
    return 0 if passed == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
