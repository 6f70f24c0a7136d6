#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds bugs into right kernels, runs them on the emulator and counts what is
noticed.

Every class of bugs goes to every matching place of every kernel. A mutant is
reported if the emulator stops with a report under one of the schedules, or if
other bits come out. What survives is a gap in the emulator, unless
equivalents.py says which sentence of the PTX ISA makes the mutant right.
Besides, kernels changed in harmless ways have to stay silent (controls.py).
With --certify the verdict for all schedules judges in place of schedules; one
that is incomplete is no pass. Right kernels of which it is are left out."""

import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import bugs
import controls
import equivalents
import kernels
from ptx import Kernel

SCHEDULES = ("eager", "lazy", "reverse", "random:1", "random:2", "skew:1", "late-reads", "starvation")
SITES = 5  # of each class, at least
# The assumptions by default that change the run; docs/Emulator.md.
CHOICES = ("first-lane-elect", "alloc-from-column-0", "commits-in-order")
CHANNELS = ("race", "deadlock", "protocol", "memory", "undefined", "value", "hang", "incomplete")
CERTIFY = "certify"  # in place of a schedule


@dataclasses.dataclass(frozen=True)
class Mutant:
    number: int  # of the class
    case: kernels.Case
    site: int  # statement
    line: int  # in the PTX of the right kernel
    variant: str
    text: str

    def describe(self):
        return f"class {self.number}, {self.case.name} line {self.line}, {self.variant}"


def mutants_of(case, numbers):
    kernel = Kernel(case.ptx.read_text())
    for bug in bugs.ALL:
        if bug.number in numbers:
            for site, variant, edit in bug.find(kernel):
                yield Mutant(bug.number, case, site, kernel.body[site].line, variant, edit.apply(kernel))


def sample(mutants):
    """One of each class and variant, from all kernels; always the same."""
    kinds = collections.defaultdict(list)
    for mutant in mutants:
        kinds[mutant.number, mutant.variant].append(mutant)
    return [found[7 * n % len(found)] for n, found in enumerate(kinds.values())]


def run_once(tools, case, ptx, schedule, races, timeout, assume=""):
    """The channel that noticed something and its message, or None and the
    assumptions that held back a report, with their places."""
    with tempfile.TemporaryDirectory(dir=tools.work) as folder:
        path, out = pathlib.Path(folder) / "mutant.ptx", pathlib.Path(folder) / "out.bin"
        path.write_text(ptx)
        try:
            mode = "--certify" if schedule == CERTIFY else f"--schedule={schedule}"
            done = subprocess.run([tools.tc_run, path, f"--launch={case.launch}", mode, f"--races={races}",
                                   *([f"--assume={assume}"] if assume else []), "--threads=1",
                                   f"--out={case.out}={out}"],
                                  capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return "hang", f"under {schedule}: no end within {timeout} s"
        if done.returncode == 0:
            same = out.read_bytes() == case.expected
            if not same:
                return "value", f"under {schedule}: other bits"
            return None, re.findall(r"^  assumed ([\w-]+: \d+ place)", done.stdout, re.MULTILINE)
        if done.returncode == 3:
            reasons = done.stdout.partition("\nverdict: ")[2].splitlines()[1:]
            return "incomplete", reasons[0].strip() if reasons else ""
        message = next((line for line in done.stderr.splitlines() if line.startswith("tc-run: ")), done.stderr.strip())
        kind = re.match(r"tc-run: ([\w ]+?) under", message)
        known = {"race": "race", "deadlock": "deadlock", "undefined value": "undefined", "memory error": "memory",
                 "synchronisation error": "protocol", "trap": "protocol", "assertion": "protocol",
                 "resource limit": "protocol",
                 "instruction limit": "hang"}
        if "stray write" in message or "results differ" in message:
            return "value", message
        if not kind or kind.group(1) not in known:
            raise kernels.Failure(f"{case.name} under {schedule}: exit status {done.returncode}: {message}")
        return known[kind.group(1)], message


def judge(tools, mutant, options):
    """Channel and message; None and the assumptions that forgive the mutant, if
    any: those that held back a report where the right kernel needs none, or
    without which a schedule shows something."""
    forgiven = set()
    for schedule in options.schedules.split(","):
        channel, message = run_once(tools, mutant.case, mutant.text, schedule, options.races, options.timeout)
        if channel:
            return mutant, channel, message
        _, usual = usual_uses(tools, mutant.case, schedule, options.races, options.timeout)
        forgiven |= {use.split(":")[0] for use in message if use not in usual}
    if options.races == "strict" or forgiven:
        return mutant, None, forgiven
    for name in CHOICES:
        for schedule in options.schedules.split(","):
            channel, _ = run_once(tools, mutant.case, mutant.text, schedule, options.races, options.timeout, "-" + name)
            if channel:
                return mutant, None, {name}
    return mutant, None, set()


@functools.lru_cache(maxsize=None)
def usual_uses(tools, case, schedule, races, timeout):
    return run_once(tools, case, case.ptx.read_text(), schedule, races, timeout)


def print_table(results, wanted):
    """True if every bar is met. `wanted` sites per class; a sample has to be
    reported as a whole."""
    rows, sites, survivors = collections.defaultdict(collections.Counter), collections.defaultdict(set), []
    assumed = collections.Counter()
    for mutant, channel, forgiven in results:
        excused = not channel and (equivalents.row(mutant) or forgiven)
        kind = "equivalent" if excused and not forgiven else "forgiven" if excused else "survived"
        rows[mutant.number][channel or kind] += 1
        if not channel and forgiven:
            assumed["+".join(sorted(forgiven))] += 1
        sites[mutant.number].add((mutant.case.name, mutant.site))
        if not channel and not excused:
            survivors.append(mutant)
    print(f"{'class':>5} {'sites':>5} {'mutants':>7}" + "".join(f" {c:>9}" for c in CHANNELS) +
          f" {'equivalent':>10} {'forgiven':>8} {'survived':>8} {'reported':>8}")
    good = True
    for bug in bugs.ALL:
        share = print_row(bug.number, len(sites[bug.number]), rows[bug.number], bug.title)
        good &= share >= 99 and len(sites[bug.number]) >= wanted
    total = sum(rows.values(), collections.Counter())
    count = sum(total.values())
    share = print_row("all", sum(map(len, sites.values())), total, "")
    for names, number in sorted(assumed.items()):
        print(f"forgiven by {names}: {number}")
    for mutant in survivors:
        print("survived:", mutant.describe())
    if wanted == 1:
        return good and not survivors
    return good and share >= 99 and count >= 500 and total["equivalent"] <= 0.05 * count


def print_row(name, sites, row, title):
    """The percentage reported."""
    count = sum(row.values())
    rest = count - row["equivalent"] - row["forgiven"]
    share = 100 * (rest - row["survived"]) / rest if rest else 100
    print(f"{name:>5} {sites:>5} {count:>7}" + "".join(f" {row[c] or '':>9}" for c in CHANNELS) +
          f" {row['equivalent'] or '':>10} {row['forgiven'] or '':>8} {row['survived'] or '':>8} {share:>7.1f}%  {title}")
    return share


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=pathlib.Path(__file__).resolve().parents[2] / "build", type=pathlib.Path)
    parser.add_argument("--tc-run", help="default: the one of the build")
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "nvcc")
    parser.add_argument("--kernels", default="", help="names, separated by commas; default all")
    parser.add_argument("--classes", default="", help="numbers, separated by commas; default all")
    parser.add_argument("--schedules", default=",".join(SCHEDULES))
    parser.add_argument("--certify", action="store_const", const=CERTIFY, dest="schedules")
    parser.add_argument("--races", default="strict")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run")
    parser.add_argument("--fast", action="store_true", help="one mutant of each class and variant, of fewer kernels")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the kernels and what survived")
    parser.add_argument("--verbose", action="store_true", help="print every mutant with what noticed it")
    return parser.parse_args()


def run_all(options, work):
    start = time.monotonic()
    binaries = options.build / "bin"
    tools = kernels.Tools(options.tc_run or str(binaries / "tc-run"), str(binaries / "tc-compile"), options.nvcc, work)
    names = options.kernels.split(",") if options.kernels else kernels.FAST if options.fast else kernels.NAMES
    numbers = {int(n) for n in options.classes.split(",")} if options.classes else {bug.number for bug in bugs.ALL}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        cases = list(pool.map(lambda name: kernels.make_case(tools, name), names))
        quiet = lambda case: silent(tools, case, case.ptx.read_text(), options)
        verdicts = list(zip(cases, pool.map(quiet, cases)))
        cases = [case for case, (channel, _) in verdicts if channel != "incomplete"]
        for case, (channel, message) in verdicts:
            if channel == "incomplete":
                print(f"left out: {case.name}: {message}")
            elif channel:
                raise kernels.Failure(f"the right kernel {case.name} is not silent: {message}")
        print(f"{len(cases)} kernels right and silent after {time.monotonic() - start:.1f} s", flush=True)
        good = check_controls(tools, cases, options, pool)
        mutants = [mutant for case in cases for mutant in mutants_of(case, numbers)]
        if options.fast:
            mutants = sample(mutants)
        results = []
        for result in pool.map(lambda mutant: judge(tools, mutant, options), mutants):
            results.append(result)
            mutant, channel, message = result
            if options.verbose:
                print(f"{mutant.describe()}: {channel or 'SURVIVED'}: {message}", flush=True)
            if options.keep and not channel:
                name = f"survived-{mutant.number}-{mutant.case.name}-{mutant.line}-{mutant.variant}.ptx"
                (work / re.sub(r"[^\w.-]", "_", name)).write_text(mutant.text)
        good &= print_table(results, 1 if options.fast else SITES)
        print(f"{len(results)} mutants after {time.monotonic() - start:.1f} s")
    return good


def check_controls(tools, cases, options, pool):
    """Whether what is harmless stays silent; without the kernels that it takes,
    nothing is checked."""
    by_name = {case.name: case for case in cases}
    if not set(kernels.CUDA) <= set(by_name):
        return True
    found, good = controls.make(tools, by_name), True
    quiet = lambda control: silent(tools, control.case, control.text, options)
    for control, (channel, message) in zip(found, pool.map(quiet, found)):
        if channel:
            print(f"control not silent: {control.name}, {control.case.name}: {channel}: {message}")
            good = False
    print(f"{len(found)} benign controls {'silent and right' if good else 'checked'}", flush=True)
    return good


def silent(tools, case, text, options):
    """A channel of None if the kernel is right and silent under all schedules."""
    for schedule in options.schedules.split(","):
        channel, message = run_once(tools, case, text, schedule, options.races, options.timeout)
        if channel:
            return channel, message
    return None, ""


def main():
    options = parse_options()
    try:
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            return 0 if run_all(options, options.keep.resolve()) else 1
        with tempfile.TemporaryDirectory() as work:
            return 0 if run_all(options, pathlib.Path(work)) else 1
    except kernels.Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
