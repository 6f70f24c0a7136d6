#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks rules of the PTX ISA in kernels, one place at a time (operators.py), and
runs each broken kernel on the emulator.

A mutant is caught by a report, a deadlock or a wrong result under eager, lazy or
random:1 with the default assumptions; what survives runs under every schedule,
then strictly. One whose run takes more for granted than the kernel's own, or that is
reported strictly, is forgiven by an assumption. Survivors need a line in
survivors.tsv that says why it is harmless; lines that no mutant needs any more are
named."""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import subjects
from operators import OPERATORS, code

HERE = pathlib.Path(__file__).resolve().parent
FIRST, MORE = "eager,lazy,random:1", "reverse,starvation:0,skew:0,skew:1,late-reads:1,random:2,random:3"

Mutant = collections.namedtuple("Mutant", "kernel operator index ordinal line text")


def mutants_of(kernel, cap):
    """At most `cap` mutants of each operator, spread over the places where it applies."""
    lines = kernel.ptx.split("\n")
    begin, end = kernel.range
    cap = min(cap, kernel.cap)
    for name, operator in OPERATORS.items():
        places = []
        for index in range(begin, end):
            edit = operator.change(lines, index) if code(lines[index]) else None
            # What no schedule reaches cannot be told from what is right.
            if edit is not None and index + 1 not in kernel.missed:
                places.append((index, edit))
        step = max(1, len(places) / cap)
        chosen = sorted({int(n * step) for n in range(min(cap, len(places)))})
        for ordinal in chosen:
            index, edit = places[ordinal]
            edits = edit if isinstance(edit, dict) else {index: edit}
            text = "\n".join("\n".join(edits[at]) if at in edits else line
                             for at, line in enumerate(lines) if edits.get(at) != [])
            yield Mutant(kernel.name, name, index, ordinal, lines[index].strip(), text)


def first_line(text):
    found = re.search(r"^tc-run: (?!note)(.*)$", text, re.M)
    line = found.group(1) if found else text.strip().split("\n")[-1]
    return re.sub(r"\S*\.ptx:(\d+): ", r"line \1: ", line)[:300]


def assumed(text):
    """What the run took for granted: assumption to number of places."""
    return {name: int(places) for name, places in re.findall(r"^\s*assumed ([\w-]+): (\d+) place", text, re.M)}


def run(kernel, path, schedules, races, options, uses=None):
    """'' if the run is clean, 'invalid: ...' if the text is refused, else what is wrong.
    `uses` takes the assumptions that held back a report."""
    command = kernel.command(options.tc_run, path, schedules) + [f"--races={races}", "--max-instructions=5000000"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return "runs without end"
    if uses is not None:
        uses.update(assumed(result.stdout + result.stderr))
    if result.returncode == 2:
        return "invalid: " + first_line(result.stdout + result.stderr)
    if result.returncode:
        return first_line(result.stdout + result.stderr) or f"exit status {result.returncode}"
    return kernel.wrong(path)


def missed_lines(kernel, path, options):
    """PTX lines that no schedule reaches."""
    file = path.with_suffix(".coverage.json")
    subprocess.run(kernel.command(options.tc_run, path, f"{FIRST},{MORE}") + [f"--coverage={file}", "--races=off"],
                   capture_output=True, timeout=options.timeout, check=True)
    return {line for row in json.loads(file.read_text())["opcodes"] for line in row["missed"]}


def judge(kernel, mutant, folder, options):
    """(verdict, what was said): caught, assumed (an assumption forgives it), invalid or survived."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        path = kernel.prepare(pathlib.Path(own), mutant.text)
        uses = {}
        for schedules in (FIRST, MORE):
            said = run(kernel, path, schedules, "default", options, uses if schedules == FIRST else None)
            if said.startswith("invalid"):
                return "invalid", said
            if said:
                return "caught", said
        more = sorted(name for name, places in uses.items() if places > kernel.uses.get(name, 0))
        if more:
            return "assumed", ", ".join(more)
        # A kernel that breaks the text unmutated tells nothing under strict.
        for schedules in () if kernel.breaks_text else (FIRST, MORE):
            if said := run(kernel, path, schedules, "strict", options):
                return "assumed", said
    return "survived", ""


def read_reasons():
    reasons = []
    for line in (HERE / "survivors.tsv").read_text().split("\n"):
        if line and not line.startswith("#"):
            kernel, operator, pattern, reason = line.split("\t")
            reasons.append((kernel, operator, re.compile(pattern), reason))
    return reasons


def reason_for(mutant, reasons):
    for at, (kernel, operator, pattern, reason) in enumerate(reasons):
        if re.fullmatch(kernel, mutant.kernel) and re.fullmatch(operator, mutant.operator) and \
                pattern.search(mutant.line):
            return at, reason
    return None, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder with bin/tc-run and bin/tc-compile")
    parser.add_argument("--work", type=pathlib.Path, help="folder for packages from PyPI and compiled kernels")
    parser.add_argument("--fast", action="store_true", help="a fixed sample, of the kernels that need neither nvcc nor the compiler")
    parser.add_argument("--cap", type=int, default=6, help="mutants of an operator per kernel")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--log", type=pathlib.Path, help="all mutants with their verdicts")
    parser.add_argument("names", nargs="*", help="kernels; default: all")
    options = parser.parse_args()
    options.tc_run = options.build / "bin" / "tc-run"
    with tempfile.TemporaryDirectory() as work:
        return campaign(options, pathlib.Path(work))


def campaign(options, work):
    reasons, used = read_reasons(), set()
    chosen = subjects.load(options, work)
    for kernel in chosen:
        path, kernel.uses = kernel.prepare(work / kernel.name, kernel.ptx), {}
        said = run(kernel, path, FIRST, "default", options, kernel.uses) or run(kernel, path, MORE, "default", options)
        if said:
            sys.exit(f"{kernel.name}: expected the kernel itself to be clean, got {said}")
        kernel.missed = missed_lines(kernel, path, options)
        kernel.breaks_text = bool(run(kernel, path, f"{FIRST},{MORE}", "strict", options))
    mutants = [mutant for kernel in chosen for mutant in mutants_of(kernel, options.cap)]
    if options.fast:
        mutants = random.Random(1).sample(mutants, min(len(mutants), 60))
    by_name = {kernel.name: kernel for kernel in chosen}
    counts = {kernel.name: collections.Counter() for kernel in chosen}
    unexplained = []
    log = open(options.log, "w") if options.log else None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verdicts = pool.map(lambda mutant: judge(by_name[mutant.kernel], mutant, work, options), mutants)
        for mutant, (verdict, said) in zip(mutants, verdicts):
            at, reason = reason_for(mutant, reasons) if verdict == "survived" else (None, "")
            if at is not None:
                used.add(at)
            elif verdict == "survived":
                unexplained.append((mutant, verdict, said))
            counts[mutant.kernel][verdict] += 1
            if log:
                log.write("\t".join([mutant.kernel, mutant.operator, str(mutant.index + 1), verdict, mutant.line[:160],
                                     reason or said]) + "\n")
                log.flush()
    for mutant, verdict, said in unexplained:
        print(f"{mutant.kernel}:{mutant.index + 1}: {mutant.operator}: {verdict}: {mutant.line[:110]} {said[:120]}")
    print("| kernel | mutants | caught | forgiven by an assumption | survived, harmless |\n|---|---|---|---|---|")
    total = collections.Counter()
    for name, count in counts.items():
        total += count
        print(f"| {name} | {sum(count.values()) - count['invalid']} | {count['caught']} | {count['assumed']} | "
              f"{count['survived']} |")
    valid = sum(total.values()) - total["invalid"]
    print(f"{len(OPERATORS)} operators, {len(chosen)} kernels, {valid} mutants ({total['invalid']} more are not PTX "
          f"that a kernel may be): {total['caught']} caught, {total['assumed']} forgiven by an assumption, "
          f"{total['survived']} survived, {len(unexplained)} without a reason")
    stale = [reasons[at] for at in range(len(reasons)) if at not in used] if not options.fast and not options.names else []
    for kernel, operator, pattern, _ in stale:
        print(f"survivors.tsv: nothing needs {kernel} {operator} {pattern.pattern}")
    return bool(unexplained)


if __name__ == "__main__":
    sys.exit(main())
