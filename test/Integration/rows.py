#!/usr/bin/env python3
"""Draws functions on rows, with reductions along them, runs them on the emulator and compares every element.

    rows.py --build build [--count 300] [--seed 1] [--jobs 2] [--chip sm_80,sm_90a] [--races strict]
    rows.py --print SEED

A function is drawn from its number: operations of linalg on tensors of the same rows, of which some reduce along the last
dimension. Each value carries what it is in float64 and how far a right kernel may be from it: a stated number of
roundings for each operation, n of them of the sum of magnitudes for a sum. Where that says nothing (an overflow, or a
comparison of what is too near) any result is right; NaN and infinity come out where they are in float64.
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
from tclib.rowwise.draw import draw  # noqa: E402
from tclib.rowwise.numbers import PACKED, is_float  # noqa: E402

CHIPS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a"]
# What may be refused: the reasons that tc-compile gives. Of f64 kernels compute no function, nor the larger number.
REASONS = re.compile(r"calls '__nv_(fmax|fmin|fabs)' of libdevice, which is not linked")


def pack(values, element):
    if element == "bf16":
        return (np.ascontiguousarray(values, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return np.ascontiguousarray(values).astype(PACKED[element]).tobytes()


def unpack(raw, element):
    if element == "bf16":
        return (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4").astype(np.float64)
    return np.frombuffer(raw, PACKED[element]).astype(np.float64 if is_float(element) else np.int64)


# Of a type of floats its bits, and those of infinity.
INFINITY = {"f16": ("<u2", 0x7C00), "bf16": ("<u2", 0x7F80), "f32": ("<u4", 0x7F800000), "f64": ("<u8", 0x7FF << 52)}


def with_one_nan(raw, element):
    """`raw` with the same bits for each NaN."""
    if element not in INFINITY:
        return raw
    dtype, infinity = INFINITY[element]
    bits = np.frombuffer(raw, dtype).copy()
    sign = bits.dtype.type(1 << (bits.itemsize * 8 - 1))
    bits[(bits & ~sign) > infinity] = ~sign
    return bits.tobytes()


def compare(what, got, v, e):
    got = got.reshape(v.shape)
    with np.errstate(invalid="ignore"):
        right = np.isinf(e) | (got == v) | (np.abs(got - v) <= e) | np.isnan(got) & np.isnan(v)
    if not right.all():
        at = tuple(int(i) for i in np.argwhere(~right)[0])
        raise runner.Failure(f"{what}: {int((~right).sum())} of {right.size} elements are wrong, at {at} expected {v[at]!r} "
                             f"within {e[at]:.3g}, got {got[at]!r}")


def write_inputs(function, description, stem):
    """Options of tc-run that name the inputs, files beside `stem`; and the sizes that are not static."""
    options, sizes = [], {}
    for key, arg in zip(description["arguments"], function.args):
        if key not in description["buffers"]:
            continue
        path = stem.with_suffix(f".{key}.in")
        path.write_bytes(pack(function.array(arg)[0], arg.type))
        options += ["--buffer", f"{key}={path}"]
        sizes.update((name, size) for name, size in zip(description["buffers"][key]["shape"], function.shape(arg))
                     if isinstance(name, str) and name.isidentifier())
    if sizes:
        options += ["--size", ",".join(f"{key}={value}" for key, value in sizes.items())]
    return options, sizes


def run(tools, function, ptx, seed, races):
    """What the kernels computed, in the order of results."""
    description = json.loads(ptx.with_suffix(".json").read_text())
    command = [tools.path("tc-run"), ptx, "--schedule=eager,lazy,random:1", f"--races={races}", "--threads", "1",
               f"--approx=random:{seed}"]
    if description.get("rows"):
        command.append("--check")
    options, sizes = write_inputs(function, description, ptx)
    command += options
    for key in dict.fromkeys(part["buffer"] for part in description["results"]):
        command += ["--out", f"{key}={ptx.with_suffix(f'.{key}.out')}"]
    done, _ = runner.run(command)
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    return read_results(function, description, ptx, sizes)


def read_results(function, description, stem, sizes):
    """The results that tc-run left beside `stem`."""
    results = []
    for part, value in zip(description["results"], function.results, strict=True):
        raw = stem.with_suffix(f".{part['buffer']}.out").read_bytes()
        expected = {"i1": "i8"}.get(value.type, value.type)
        if description["buffers"][part["buffer"]]["dtype"] != expected:
            raise runner.Failure(f"{value.name}: expected {expected}, got {description['buffers'][part['buffer']]['dtype']}")
        results.append(modules.view(unpack(raw, value.type), part, sizes))
    return results


def evaluate(function, description):
    """Computes what `function` has to give; the names of the kernels that are launched."""
    entries = [kernel["entry"] for kernel in description["kernels"]]
    names = [entries[launch["kernel"]] for launch in description["launches"]]
    # Sums of f16 and bf16 are sums in f32 in kernels of rows alone.
    function.in_f32 = not any(is_plain(name) for name in names)
    function.evaluate_all()
    return names


def compare_all(function, got):
    for value, array in zip(function.results, got):
        compare(f"result {value.name}", array, *function.array(value))


def check(tools, function, source, chip, seed, races):
    """Compiles, runs and compares; "refused" with the reason, or "right" with the kernels' names."""
    ptx = source.with_suffix(".ptx")
    source.write_text(function.text())
    command = [tools.path("tc-compile"), source, "-o", ptx, f"--chip={chip}"]
    done, _ = runner.run(command, 300)
    if done.returncode == 1:
        line = next((line for line in done.stderr.splitlines() if "error: " in line), done.stderr[:300])
        reason = line.split("error: ", 1)[-1]
        if not REASONS.search(reason):
            raise runner.Failure(f"is refused: {line}\n    {' '.join(map(str, command))}")
        return "refused", reason
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    names = evaluate(function, json.loads(ptx.with_suffix(".json").read_text()))
    got = run(tools, function, ptx, seed, races)
    compare_all(function, got)
    # The harness's own test: one element is not what it should be.
    v, e = function.array(function.results[-1])
    if seed % 10 == 0 and v.size and np.isfinite(v).all() and np.isfinite(e).all():
        wrong = np.array(got[-1]).reshape(v.shape)
        at = np.unravel_index(seed // 10 % v.size, v.shape)
        wrong[at] = v[at] + 1 + 2 * e[at]
        try:
            compare("", wrong, v, e)
        except runner.Failure:
            return "right", names
        raise runner.Failure("the harness is wrong: accepts a result with another element")
    return "right", names


def is_plain(name):
    return not re.search(r"_rows(_\d+)?$", name)


def one(tools, seed, options):
    """What became of a function: what `check` says, or ("FAILED", why)."""
    source = tools.work / f"r{seed}.mlir"
    chip = options.chip[seed % len(options.chip)]
    try:
        outcome = check(tools, draw(seed), source, chip, seed, options.races)
    except runner.Failure as error:
        return "FAILED", (f"{error}\n    {source}\n    test/Integration/rows.py --build {options.build} --count 1 --seed {seed} "
                          f"--chip {chip} --races {options.races}")
    for path in tools.work.glob(f"r{seed}.*"):
        path.unlink()
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="where files are kept; default in the build folder")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1, help="number of the first function")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--chip", type=lambda text: text.split(","), default=CHIPS, help="in turn, by the number")
    parser.add_argument("--races", default="strict", choices=["strict", "default", "off"])
    parser.add_argument("--print", type=int, metavar="SEED", dest="shown", help="prints a function")
    options = parser.parse_args()
    if options.shown is not None:
        print(draw(options.shown).text(), end="")
        return 0
    if not options.build:
        parser.error("expected --build or --print")
    start = time.monotonic()
    work = options.work or options.build / f"integration-rows-{options.seed}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    tools = runner.find_tools(options.build, work)
    outcomes, refused, launches, single = collections.Counter(), collections.Counter(), collections.Counter(), 0
    seeds = range(options.seed, options.seed + options.count)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for seed, (kind, what) in zip(seeds, pool.map(one, [tools] * len(seeds), seeds, [options] * len(seeds))):
            outcomes[kind] += 1
            if kind == "FAILED":
                print(f"FAILED: {seed}: {what}", flush=True)
            elif kind == "refused":
                refused[re.sub(r"-?\d+", "N", what)[:150]] += 1
            else:
                launches.update("plain" if is_plain(name) else "rows" for name in what)
                single += len(what) == 1
    for text, count in refused.most_common():
        print(f"  {count:5} {text}")
    print(f"{single} became a single launch, in {time.monotonic() - start:.0f} s")
    print(f"{len(seeds)} row functions: {outcomes['right']} right, {outcomes['refused']} refused, {outcomes['FAILED']} failures, "
          f"{launches['rows']} kernels of rows, {launches['plain']} plain kernels")
    return 1 if outcomes["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
