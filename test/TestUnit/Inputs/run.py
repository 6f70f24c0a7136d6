#!/usr/bin/env python3
"""Runs a kernel of the back end of tests and compares what it stores.

    run.py BUILD KERNEL.mlir CASE WORK

Compiles the kernel through the passes of the middle, then `test-unit-lower`, then
the rest of the pipeline; runs the PTX on the emulator under all schedules and some
random ones, with the strict race policy; and compares the outputs with what CASE
computes here.
"""
import array
import json
import pathlib
import subprocess
import sys

PASSES = ("tmm-assign-roles", "tmm-materialize-pipelines", "tmm-release-early", "tmm-pipeline", "tmm-warp-specialize",
          "tmm-skew-pipelines", "canonicalize", "cse", "tmm-lower-scheduler", "tmm-await-work",
          "convert-tmm-pipelines-to-sm90", "test-unit-lower")
SCHEDULES = "eager,lazy,reverse,starvation,skew,late-reads"
# Transactions, and the elements of each in a CTA.
PARTS, SIZE = 6, 128


def in_place(x):
    """What one role adds to and another one doubles, in the same slot, each time."""
    sums, out = [0.0] * SIZE, []
    for part in range(PARTS):
        sums = [2 * (old + x[part * SIZE + i]) for i, old in enumerate(sums)]
        out += sums
    return out


def odd_parts(x):
    """The odd parts; zeros where nothing is stored."""
    return [value if i // SIZE % 2 else 0.0 for i, value in enumerate(x)]


# CASE -> how many arguments, the first ones, are inputs, and what the next ones are as functions of these.
CASES = {
    "exchange": (1, [lambda x: [value for part in range(PARTS) for value in 2 * x[part * SIZE:][:SIZE]]]),
    "in-place": (1, [in_place]),
    "shared": (2, [lambda x, z: x, lambda x, z: z]),
    "branch": (1, [odd_parts]),
}


def step(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def main():
    build, source, case, work = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
    work.mkdir(parents=True, exist_ok=True)
    inputs, outputs = CASES[case]
    step([build / "bin/tc-opt", source, *(f"-{name}" for name in PASSES), "-o", work / "k.mlir"])
    step([build / "bin/tc-compile", work / "k.mlir", "--chip=sm_90a", "-o", work / "k.ptx"])
    values = [[float((7 * i + 3 * number) % 61 - 20) for i in range(PARTS * SIZE)] for number in range(inputs)]
    options = []
    for number, buffer in enumerate(json.loads((work / "k.json").read_text())["buffers"]):
        if number < inputs:
            (work / f"{buffer}.bin").write_bytes(array.array("f", values[number]).tobytes())
            options.append(f"--buffer={buffer}={work / buffer}.bin")
        else:
            options.append(f"--init={buffer}=zeros")
    results = [work / f"arg{inputs + number}.bin" for number in range(len(outputs))]
    options += [f"--out={result.stem}={result}" for result in results]
    step([build / "bin/tc-run", work / "k.ptx", "--races=strict", f"--schedule={SCHEDULES}", "--seeds=4", *options])
    for result, expected in zip(results, outputs):
        got, expected = array.array("f", result.read_bytes()).tolist(), expected(*values)
        wrong = [i for i, (a, b) in enumerate(zip(got, expected)) if a != b]
        if len(got) != len(expected) or wrong:
            sys.exit(f"{result.name}: {len(got)} numbers, {len(expected)} expected, {len(wrong)} differ, the first at "
                     f"{wrong[:1]}")
    print(f"{case}: right in {PARTS} transactions")


main()
