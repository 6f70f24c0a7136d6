#!/usr/bin/env python3
"""Compiles random functions, runs them on the emulator and compares every element with numbers of its own.

    random_modules.py --build build [--count 300] [--seed 1] [--jobs 2] [--limit 96] [--chips sm_100a,sm_90a]
    random_modules.py --print SEED [--limit 96]

A module is drawn from its number (tclib/drawn): products of every form and type, views, epilogues, aliasing, what is
between products. What it computes is derived from the raw arguments in float64 or exactly, with a bound for each
operation. On memrefs all bytes of all arguments are compared, so those that nothing may write, too. A refusal has to
name the operation, its place and the reason; anything else than that and the right numbers is a failure.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from tclib import modules, runner  # noqa: E402
from tclib.drawn import configs, draw, numbers  # noqa: E402
from tclib.refusals import INTERNAL, REFUSAL  # noqa: E402


class Refused(Exception):
    """What a run refused, and why."""


def sentence_of(text):
    """Without numbers, of which there are as many as modules."""
    return re.sub(r"-?\d+", "N", text)[:150]


def find_sizes(description, program):
    sizes = {}
    for name, (value, _) in zip(description["arguments"], program.arguments):
        for extent, size in zip(description["buffers"][name]["shape"], value.shape):
            if isinstance(extent, str) and re.fullmatch(r"\w+", extent):
                sizes[extent] = size
    return sizes


def compare(what, got, number, element):
    """One value against what it is expected to be."""
    got = got.reshape(number.v.shape)
    limit = number.e
    if element == "f32":
        limit = np.where(limit > 0, limit + 2.0**-24 * np.abs(number.v), 0)
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(got - number.v) <= limit)
        # What is rounded past the largest number is infinite.
        overflows = np.abs(number.v) + limit >= numbers.overflow(element)
        wrong &= ~(overflows & np.isinf(got) & (np.sign(got) == np.sign(number.v)))
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise runner.Failure(f"{what}: {int(wrong.sum())} of {wrong.size} elements are wrong, at {at} expected "
                             f"{number.v[at]!r} within {limit[at]:.3g}, got {got[at]!r}")


def run(tools, program, ptx, seed):
    """What the kernels computed, beside what is expected: (name, got, number, element type) of each result."""
    description = json.loads(ptx.with_suffix(".json").read_text())
    names = description["arguments"]
    if len(names) != len(program.arguments):
        raise runner.Failure(f"expected {len(program.arguments)} arguments, got {names}")
    sizes = find_sizes(description, program)
    command = [tools.path("tc-run"), ptx, f"--schedule=eager,random:{seed % 1000 + 1}", "--races=strict", "--threads", "1",
               f"--approx=random:{seed}"]
    if sizes:
        command += ["--size", ",".join(f"{key}={value}" for key, value in sizes.items())]
    for key, (value, raw) in zip(names, program.arguments):
        path = ptx.with_suffix(f".{key}.in")
        # The description's buffer starts at the first element.
        path.write_bytes(numbers.encode(raw[value.offset:] if program.memrefs else raw, value.element))
        command += ["--buffer", f"{key}={path}"]
    outputs = dict.fromkeys([*(names if program.memrefs else []), *(r["buffer"] for r in description.get("results", []))])
    for key in outputs:
        command += ["--out", f"{key}={ptx.with_suffix(f'.{key}.out')}"]
    done, _ = runner.run(command)
    # Sizes that are known in the run alone are refused there, by the check that the description has.
    if done.returncode == 2 and program.symbols and re.search(r"constraints\[\d+\]: \S.{30,}", done.stderr):
        raise Refused(re.sub(r".*constraints\[\d+\]: ", "", done.stderr.strip()))
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))

    def read(key, element):
        dtype = numbers.DTYPES.get(element, element)
        if description["buffers"][key]["dtype"] != dtype:
            raise runner.Failure(f"{key}: expected {dtype}, got {description['buffers'][key]['dtype']}")
        return numbers.decode(ptx.with_suffix(f".{key}.out").read_bytes(), element)

    if program.memrefs:
        return [(f"{key} ({value.name})", read(key, value.element),
                 numbers.Number(value.buffer.v[value.offset:], value.buffer.e[value.offset:]), value.element)
                for key, (value, _) in zip(names, program.arguments)]
    if len(description.get("results", [])) != len(program.results):
        raise runner.Failure(f"expected {len(program.results)} results, got {description.get('results')}")
    return [(f"result {value.name} in {part['buffer']}",
             modules.view(read(part["buffer"], value.element), part, sizes), value.number, value.element)
            for part, value in zip(description["results"], program.results)]


def compare_all(results, seed):
    for result in results:
        compare(*result)
    if seed % 10:
        return
    # The harness's own test: one element of the last result is not what it should be.
    what, got, number, element = results[-1]
    wrong = np.array(got, np.float64).reshape(-1)
    if not wrong.size:
        return
    at = seed // 10 % wrong.size
    wrong[at] += 1 + 4 * np.broadcast_to(number.e, number.v.shape).reshape(-1)[at]
    try:
        compare(what, wrong, number, element)
    except runner.Failure:
        return
    raise runner.Failure("the harness is wrong: accepts a result with another element")


def refusal(text):
    """The first error as a sentence, numbers and names out of it; or raises where it says too little."""
    if not REFUSAL.search(text):
        raise runner.Failure(f"a refusal without operation, place or reason:\n{text[:1500]}")
    line = next(line for line in text.splitlines() if ": error: " in line)
    sentence = line.split(": error: ", 1)[1]
    if INTERNAL.search(sentence):
        raise runner.Failure(f"a refusal that names what the user did not write:\n{text[:1500]}")
    return sentence_of(sentence)


def has_product(ptx):
    """Whether a product is left, for which a configuration is checked: not where its result turned out to be dead."""
    return bool(json.loads(ptx.with_suffix(".json").read_text())["problems"])


def one(tools, seed, options):
    """What became of a module: ("right" or "refused", the sentence), or ("FAILED", why)."""
    name = f"m{seed}"
    source = tools.work / f"{name}.mlir"
    try:
        chip = options.chips[seed % len(options.chips)]
        program = draw.draw(seed, options.limit, chip=chip)
        text = program.text()
        source.write_text(text)
        ptx = source.with_suffix(".ptx")
        config, legal = configs.choose(np.random.default_rng([seed, 77]), chip)
        command = [tools.path("tc-compile"), source, "-o", ptx, f"--chip={chip}", *program.options]
        if options.sms and "sms=" not in config:
            config += f" sms={options.sms}"
        if config:
            command.append(f"--config={config.strip()}")
        done, _ = runner.run(command, 120)
        if done.returncode == 1:
            outcome = "refused", refusal(done.stderr)
        elif done.returncode:
            raise runner.Failure(runner.describe(command, done))
        elif not legal and has_product(ptx):
            raise runner.Failure(f"compiled with --config={config}, which is not legal")
        else:
            compare_all(run(tools, program, ptx, seed), seed)
            outcome = "right", ""
    except Refused as refused:
        outcome = "refused", sentence_of(str(refused))
    except runner.Failure as error:
        return "FAILED", f"{' '.join(map(str, command[1:]))}\n{error}"
    for path in tools.work.glob(f"{name}.*"):
        path.unlink()
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1, help="number of the first module")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=96, help="the largest extent")
    parser.add_argument("--chips", type=lambda text: text.split(","), default=["sm_100a", "sm_100a", "sm_90a"])
    parser.add_argument("--sms", type=int, help="multiprocessors, for chips of which no number is known")
    parser.add_argument("--most-refused", type=float, default=1.0, help="fails where a larger part is refused")
    parser.add_argument("--print", type=int, metavar="SEED", dest="shown", help="prints a module")
    options = parser.parse_args()
    if options.shown is not None:
        print(draw.draw(options.shown, options.limit, chip=options.chips[options.shown % len(options.chips)]).text(), end="")
        return 0
    if not options.build:
        parser.error("expected --build or --print")
    start = time.monotonic()
    work = options.build / f"integration-random-{options.seed}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    tools = runner.find_tools(options.build, work)
    outcomes, refused = collections.Counter(), collections.Counter()
    seeds = range(options.seed, options.seed + options.count)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for seed, (kind, text) in zip(seeds, pool.map(one, [tools] * len(seeds), seeds, [options] * len(seeds), chunksize=4)):
            outcomes[kind] += 1
            if kind == "FAILED":
                print(f"FAILED: {seed}: {text}", flush=True)
            elif kind == "refused":
                refused[text] += 1
    print(f"{len(seeds)} random modules in {time.monotonic() - start:.0f} s: {outcomes['right']} right, {outcomes['refused']} "
          f"refused, {outcomes['FAILED']} failures")
    for text, count in refused.most_common():
        print(f"  {count:5} {text}")
    if outcomes["refused"] > options.most_refused * len(seeds):
        print(f"error: more than {options.most_refused:.0%} are refused")
        return 1
    return 1 if outcomes["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
