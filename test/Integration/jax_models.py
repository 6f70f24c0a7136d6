#!/usr/bin/env python3
"""Functions of JAX through iree-compile and scripts/import-iree, beside JAX on the CPU.

    jax_models.py --build build --iree-compile PATH [--filter TEXT]

Run by a Python that has jax: scripts/test-jax makes one. Each function of jax_functions.py is printed by JAX, lowered by
iree-compile --compile-to=input, turned into upstream's dialects, compiled by tc-compile for sm_100a and run on the
emulator under two schedules with the strict race checker. It is right where no element is further from what
jax.jit computes on the CPU than R u y: with u half an ulp of 1 in the narrowest float type of the function, R its
roundings and y the largest element. Both round, not at the same places: kernels keep sums and what is fused in f32.
Integers are the same.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import numpy as np  # noqa: E402

import jax_functions  # noqa: E402
from tclib import modules  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNIT = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float32": 2.0**-18}  # of f32: sums in another order
DTYPES = {"bfloat16": "bf16", "float16": "f16", "float32": "f32", "int8": "i8", "int32": "i32"}


class Failed(Exception):
    pass


def step(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or [done.stdout[-1000:] + done.stderr[-1000:]]
        raise Failed(f"{pathlib.Path(str(command[0])).name}: {errors[0][:600]}")


def argument(generator, shape, dtype):
    name = np.dtype(dtype).name
    if name.startswith("int"):
        return np.asarray(generator.integers(-8, 9, shape) if name == "int8" else generator.integers(0, 60, shape), dtype)
    return np.asarray(generator.uniform(-1, 1, shape).astype(np.float32), dtype)


def narrowest(text):
    """Of the types in what JAX printed."""
    return next((unit for name, unit in (("bf16", UNIT["bfloat16"]), ("f16", UNIT["float16"])) if re.search(rf"\b\w*x?{name}>", text)),
                UNIT["float32"])


def check(options, work, name, function, arguments, roundings, flags):
    shapes = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in arguments]
    printed = work / f"{name}.stablehlo.mlir"
    text = jax.jit(function, keep_unused=True).lower(*shapes).as_text()
    printed.write_text(text)
    lowered, imported, ptx = (work / f"{name}.{suffix}" for suffix in ("iree.mlir", "mlir", "ptx"))
    step([options.iree_compile, "--compile-to=input", "--iree-input-type=stablehlo", printed, "-o", lowered])
    step([sys.executable, ROOT / "scripts" / "import-iree", lowered, "-o", imported])
    step([options.build / "bin" / "tc-compile", imported, "-o", ptx, *flags])
    description = json.loads(ptx.with_suffix(".json").read_text())
    generator = np.random.default_rng(len(name))
    values = [argument(generator, *one) for one in arguments]
    command = [options.build / "bin" / "tc-run", ptx, "--schedule=eager,random:1", "--races=strict", "--threads", "1",
               "--approx=random:1"]
    for key, value in zip(description["arguments"], values):
        path = work / f"{name}.{key}.in"
        path.write_bytes(value.tobytes())
        command += ["--buffer", f"{key}={path}"]
    for key in {part["buffer"] for part in description["results"]}:
        command += ["--out", f"{key}={work / f'{name}.{key}.out'}"]
    step(command)
    expected = jax.tree.leaves(jax.jit(function)(*values))
    if len(expected) != len(description["results"]):
        raise Failed(f"expected {len(expected)} results, got {description['results']}")
    worst = 0.0
    for right, part in zip(expected, description["results"]):
        right = np.asarray(right)
        if description["buffers"][part["buffer"]]["dtype"] != DTYPES[right.dtype.name]:
            raise Failed(f"expected {right.dtype.name}, got {description['buffers'][part['buffer']]['dtype']}")
        got = np.frombuffer((work / f"{name}.{part['buffer']}.out").read_bytes(), right.dtype)
        got = modules.view(got, part, {}).reshape(right.shape).astype(np.float64)
        right = right.astype(np.float64)
        unit = 0.0 if expected[0].dtype.name.startswith("int") else narrowest(text)
        bound = roundings * unit * np.abs(right).max(initial=0.0)
        error = np.abs(got - right)
        if not (error <= bound).all():
            at = tuple(int(i) for i in np.unravel_index(np.argmax(np.where(np.isfinite(error), error, np.inf)), error.shape))
            raise Failed(f"at {at} JAX has {right[at]}, we {got[at]}, bound {bound:.3g}")
        worst = max(worst, float(error.max(initial=0.0)) / bound if bound else 0.0)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--iree-compile", required=True)
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    work = options.build / "integration-jax"
    work.mkdir(parents=True, exist_ok=True)
    start, failures, count = time.monotonic(), 0, 0
    for name, function, arguments, roundings, flags in jax_functions.FUNCTIONS:
        if not re.search(options.filter, name):
            continue
        count += 1
        try:
            print(f"  {name}: largest error / bound {check(options, work, name, function, arguments, roundings, flags):.3f}", flush=True)
        except Failed as error:
            failures += 1
            print(f"FAILED: {name}: {error}", flush=True)
    print(f"{count} functions of JAX {jax.__version__}, {time.monotonic() - start:.0f} s, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
