#!/usr/bin/env python3
"""Role assignments that a user wrote, on the emulator.

    roles.py --build build [--jobs 2] [--seeds 3]

The tile programs of Roles/ have a load role for each operand and two epilogue roles
that take turns, turns in every role, or two consumers with wgmma in ping-pong. Each is compiled from its IR alone and runs at sizes with tails in M,
N and K and with 0, 1 or several tiles for a CTA, so that an instance has no turn,
one, or an odd number, under every schedule and some seeds with the strict race policy.
tc-run compares with float64.
"""
import concurrent.futures
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from tclib import strict  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "Roles"
# M, N, K: every CTA has 3 or 4 tiles; 1 tile; K-blocks more than slots; no term at all.
SIZES = ((648, 200, 136), (72, 24, 200), (392, 136, 712), (264, 328, 0))
PAIR_SIZES = ((1100, 520, 136), (200, 72, 40), (520, 264, 584), (776, 136, 0))
ROLE = re.compile(r'tmm\.role "\w+" warps\((\d+)\)(?: turns\((\d+)\))?')


def compile_program(build, source, folder):
    """The PTX of a program, which has the threads of all instances."""
    ptx = folder / f"{source.stem}.ptx"
    strict.step([build / "bin/tc-compile", source, "-o", ptx])
    description = json.loads(ptx.with_suffix(".json").read_text())
    threads = 32 * sum(int(warps) * int(turns or 1) for warps, turns in ROLE.findall(source.read_text()))
    for kernel in description["kernels"]:
        if kernel["block"] != [threads, 1, 1]:
            raise strict.Failure(f"{source.name}: expected blocks of {threads} threads, got {kernel['block']}")
    return ptx


def run(build, ptx, size, seeds):
    """Runs one size; returns what went wrong, or nothing."""
    options = ["--check", "--size", ",".join(f"{name}={extent}" for name, extent in zip("MNK", size))]
    try:
        output = strict.emulate(ptx, build, f"--seeds={seeds}", *options)
        if "clusterlaunchcontrol" in ptx.read_text():
            strict.emulate(ptx, build, "--assume=+co-resident-grid", *options)
    except strict.Failure as failure:
        return str(failure)
    return None if "check " in output else f"{ptx}: nothing checked\n{output}"


def main():
    options = strict.parse(__doc__, seeds=3)
    folder = options.build / "integration-roles"
    folder.mkdir(parents=True, exist_ok=True)
    sources = strict.select(options, sorted(FOLDER.glob("*.mlir")), lambda source: source.stem)
    failures, runs = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for source in sources:
            try:
                ptx = compile_program(options.build, source, folder)
            except strict.Failure as failure:
                failures.append(str(failure))
                continue
            sizes = SIZES if "cluster" not in source.read_text() else PAIR_SIZES
            runs += [pool.submit(run, options.build, ptx, size, options.seeds) for size in sizes]
        failures += [error for error in (future.result() for future in runs) if error]
    for failure in failures:
        print(f"FAILED: {failure}")
    print(f"{len(sources)} role assignments at {len(runs)} sizes under "
          f"{len(strict.SCHEDULES) + options.seeds} schedules, {len(failures)} failures")
    return 1 if failures or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
