#!/usr/bin/env python3
"""Role assignments that a user wrote, on the emulator.

    roles.py --build build [--jobs 2] [--seeds 3]

The tile programs of Roles/ have a load role for each operand and two epilogue roles
that take turns, turns in every role, or two consumers with wgmma in ping-pong. Each is compiled from its IR alone and runs at sizes with tails in M,
N and K and with 0, 1 or several tiles for a CTA, so that an instance has no turn,
one, or an odd number, under every schedule and some seeds with the strict race policy.
tc-run compares with float64.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

SCHEDULES = "eager,lazy,reverse,starvation,skew,late-reads"
FOLDER = pathlib.Path(__file__).resolve().parent / "Roles"
# M, N, K: every CTA has 3 or 4 tiles; 1 tile; K-blocks more than slots; no term at all.
SIZES = ((648, 200, 136), (72, 24, 200), (392, 136, 712), (264, 328, 0))
PAIR_SIZES = ((1100, 520, 136), (200, 72, 40), (520, 264, 584), (776, 136, 0))
ROLE = re.compile(r'tmm\.role "\w+" warps\((\d+)\)(?: turns\((\d+)\))?')


class Failure(Exception):
    pass


def execute(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def compile_program(build, source, folder):
    """The PTX of a program, which has the threads of all instances."""
    ptx = folder / f"{source.stem}.ptx"
    execute([build / "bin/tc-compile", source, "-o", ptx])
    description = json.loads(ptx.with_suffix(".json").read_text())
    threads = 32 * sum(int(warps) * int(turns or 1) for warps, turns in ROLE.findall(source.read_text()))
    for kernel in description["kernels"]:
        if kernel["block"] != [threads, 1, 1]:
            raise Failure(f"{source.name}: expected blocks of {threads} threads, got {kernel['block']}")
    return ptx


def run(build, ptx, size, seeds):
    """Runs one size; returns what went wrong, or nothing."""
    check = [build / "bin/tc-run", ptx, "--check", "--races=strict", "--threads=1",
             "--size", ",".join(f"{name}={extent}" for name, extent in zip("MNK", size))]
    try:
        output = execute(check + [f"--schedule={SCHEDULES}", f"--seeds={seeds}"])
        if "clusterlaunchcontrol" in ptx.read_text():
            execute(check + [f"--schedule={SCHEDULES}", "--assume=+co-resident-grid"])
    except Failure as failure:
        return str(failure)
    return None if "check " in output else f"{ptx}: nothing checked\n{output}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3, help="random schedules for each size")
    options = parser.parse_args()
    folder = options.build / "integration-roles"
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted(FOLDER.glob("*.mlir"))
    failures, runs = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for source in sources:
            try:
                ptx = compile_program(options.build, source, folder)
            except Failure as failure:
                failures.append(str(failure))
                continue
            sizes = SIZES if "cluster" not in source.read_text() else PAIR_SIZES
            runs += [pool.submit(run, options.build, ptx, size, options.seeds) for size in sizes]
        failures += [error for error in (future.result() for future in runs) if error]
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(sources)} role assignments at {len(runs)} sizes under {6 + options.seeds} schedules, "
          f"{len(failures)} failures")
    return 1 if failures or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
