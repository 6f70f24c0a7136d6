#!/usr/bin/env python3
"""Runs kernels and damaged input through a sanitized tc-run.

    sanitized.py --build build-asan --sanitized build-asan [--jobs 2]

Kernels come from the compiler in --build, which may be sanitized, too. Damage is deterministic: pieces cut
off, lines lost, doubled or exchanged, characters and numbers changed. Whatever a
file says, tc-run ends with 0, 1 or 2 and without a sanitizer report, unless the
damage made a loop of the kernel endless.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import re
import shutil
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from tclib import problem as problems, runner  # noqa: E402

KERNELS = (
    problems.Problem(8, 16, 8, out_type="bf16", accumulate=True),
    problems.Problem(136, 264, 8, transpose_a=True, in_type="f16", out_type="f16"),
    problems.Problem(200, 136, 72, dynamic=True, transpose_b=True),
    problems.Problem(520, 264, 136, config="tile=256x128x64 cta-group=2 cluster=2x2 scheduler=clc"),
    problems.Problem(264, 200, 136, transpose_b=True, config="tile=128x64x64 roles=none epilogue=direct"),
)
MUTANTS = 150  # of each kind of file
ENDLESS_SECONDS = 20  # a run takes a tenth of a second

REPORT = re.compile(r"AddressSanitizer|runtime error:|LeakSanitizer|UndefinedBehaviorSanitizer")


def damage(text, seed):
    """A changed copy of a text file."""
    generator = random.Random(seed)
    lines = text.splitlines(keepends=True)
    kind = generator.randrange(7)
    at = generator.randrange(len(lines))
    if kind == 0:
        return text[:generator.randrange(len(text))]
    if kind == 1:
        del lines[at]
    elif kind == 2:
        lines.insert(at, lines[generator.randrange(len(lines))])
    elif kind == 3:
        other = generator.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 4:
        where = generator.randrange(len(text))
        return text[:where] + chr(generator.randrange(1, 127)) + text[where + 1:]
    else:
        # A number becomes another one.
        numbers = list(re.finditer(r"\d+", text))
        match = generator.choice(numbers)
        value = generator.choice(["0", "1", "7", "65536", "4294967295", "4294967296", "18446744073709551615",
                                  "99999999999999999999999", "-1"])
        return text[:match.start()] + value + text[match.end():]
    return "".join(lines)


def run_sanitized(command):
    """The exit status, and a message where the tool did not end as it may."""
    try:
        done, _ = runner.run(command, timeout=ENDLESS_SECONDS)
    except runner.Failure:
        return None, None
    if done.returncode in (0, 1, 2) and not REPORT.search(done.stderr):
        return done.returncode, None
    return done.returncode, runner.describe(command, done)


def run_kernel(tools, problem):
    seconds = runner.Seconds()
    try:
        build = dataclasses.replace(tools, build=tools.compiler)
        ptx = runner.compile_kernel(build, problem, seconds)
        runner.run_problem(tools, problem, ptx, seconds, schedules=("eager", "lazy", "random:1"))
    except runner.Failure as error:
        return str(error)
    return None


def run_mutant(tools, folder, ptx, seed, is_ptx):
    """PTX runs with `seed` damages, descriptions likewise."""
    stem = folder / f"{'ptx' if is_ptx else 'json'}-{seed}"
    description = ptx.with_suffix(".json")
    if is_ptx:
        stem.with_suffix(".ptx").write_text(damage(ptx.read_text(), seed))
        ptx = stem.with_suffix(".ptx")
    else:
        stem.with_suffix(".json").write_text(damage(description.read_text(), seed))
        description = stem.with_suffix(".json")
    command = [tools.path("tc-run"), ptx, "--launch", description, "--check", "--schedule=random:1", "--threads", "1"]
    return run_sanitized(command)


@dataclasses.dataclass
class SanitizedTools(runner.Tools):
    compiler: pathlib.Path = None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/tc-compile")
    parser.add_argument("--sanitized", required=True, help="build folder with the sanitized bin/tc-run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mutants", type=int, default=MUTANTS)
    arguments = parser.parse_args()
    start = time.monotonic()
    sanitized = pathlib.Path(arguments.sanitized).resolve()
    work = sanitized / "integration"
    shutil.rmtree(work, ignore_errors=True)
    (work / "damaged").mkdir(parents=True)
    tools = SanitizedTools(sanitized, work, pathlib.Path(), "", "", compiler=pathlib.Path(arguments.build).resolve())
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        kernels = [pool.submit(run_kernel, tools, problem) for problem in KERNELS]
        failures = [message for message in (future.result() for future in kernels) if message]
        statuses = []
        if not failures:
            ptx = work / "kernels" / f"{runner.kernel_name(KERNELS[0])}.ptx"
            mutants = [pool.submit(run_mutant, tools, work / "damaged", ptx, seed, is_ptx)
                       for is_ptx in (True, False) for seed in range(arguments.mutants)]
            results = [future.result() for future in mutants]
            statuses = [status for status, _ in results]
            failures += [message for _, message in results if message]
    for message in failures[:20]:
        print(f"FAILED: {message}")
    counts = ", ".join(f"{statuses.count(status)} ended with {status}" for status in (0, 1, 2))
    counts += f", {statuses.count(None)} in an endless loop"
    print(f"{len(KERNELS)} kernels; {len(statuses)} damaged files ({counts}); {len(failures)} failures; "
          f"{time.monotonic() - start:.1f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
