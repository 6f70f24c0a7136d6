#!/usr/bin/env python3
"""Compiles the modules of Models/, runs them on the emulator, checks the numbers.

    models.py --build build [--filter TEXT]

The modules are written as other compilers print them. The formula of each is here,
in float64; a tensor that the module rounds between two kernels is rounded here too.
"""
import argparse
import os
import pathlib
import re
import shutil
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from tclib import modules, numerics, runner  # noqa: E402
from tclib.gemm import vector_erf  # noqa: E402


def product(a, b):
    return a @ b, numerics.accumulation_bound(a, b)


def relu(x):
    return np.maximum(x, 0)


def silu(x):
    return x / (1 + np.exp(-x))


def linear_relu(x, w, bias):
    value, bound = product(x, w.T)
    return relu(value + bias), bound


def named_elementwise(x, w, bias):
    value, bound = product(x, w)
    return relu(value + bias), bound


def hlo_dense(x, w, bias):
    value, bound = product(x, w)
    return np.tanh(value + bias), bound + 2.0**-20


def chain(x, w1, w2):
    value, bound = product(x, w1)
    hidden = numerics.round_once(value, "bf16")
    near = np.abs(numerics.round_once(value + bound, "bf16") - numerics.round_once(value - bound, "bf16"))
    value, bound = product(hidden, w2)
    return value, bound + near @ np.abs(w2)


def addmm(bias, a, b):
    value, bound = product(a, b)
    return value + bias, bound


def memref_in_place(a, b, bias, d):
    value, bound = product(a, b)
    return relu(value + bias), bound


def residual_gelu(x, w, bias, residual):
    value, bound = product(x, w)
    value = value + bias
    return 0.5 * value * (1 + vector_erf(value * np.sqrt(0.5))) + residual, 1.2 * bound + 2.0**-20 * (1 + np.abs(value))


def mlp(x, w1, b1, w2, b2):
    value, bound = product(x, w1)
    hidden = numerics.round_once(relu(value + b1), "bf16")
    # Where the sum is near the middle of two bf16, the other one is right too.
    near = np.abs(numerics.round_once(relu(value + b1) + 2 * bound, "bf16") -
                  numerics.round_once(relu(value + b1) - 2 * bound, "bf16"))
    value, bound = product(hidden, w2)
    return value + b2, bound + near @ np.abs(w2)


def attention(q, k, v):
    value, bound = product(q, k.T)
    value, bound = value * 0.125, bound * 0.125
    scores = numerics.round_once(value, "bf16")
    near = np.abs(numerics.round_once(value + bound, "bf16") - numerics.round_once(value - bound, "bf16"))
    value, bound = product(scores, v)
    return value, bound + near @ np.abs(v)


def dynamic_linear(x, w, bias):
    value, bound = product(x, w.T)
    return silu(value + bias), 1.2 * bound + 2.0**-20


def gated(x, g, u):
    gate, gate_bound = product(x, g)
    up, up_bound = product(x, u)
    return silu(gate) * up, (1.2 * gate_bound + 2.0**-20) * np.abs(up) + np.abs(silu(gate)) * up_bound


# Name: formula, output type, arguments as (shape, type).
MODELS = {
    "linear_relu": (linear_relu, "bf16", [((200, 96), "bf16"), ((136, 96), "bf16"), ((136, ), "f32")]),
    "named_elementwise": (named_elementwise, "f32", [((130, 64), "f16"), ((64, 72), "f16"), ((72, ), "f32")]),
    "hlo_dense": (hlo_dense, "f32", [((144, 80), "bf16"), ((80, 136), "bf16"), ((136, ), "f32")]),
    "chain": (chain, "f32", [((136, 64), "bf16"), ((64, 72), "bf16"), ((72, 128), "bf16")]),
    "addmm": (addmm, "f32", [((72, ), "bf16"), ((136, 64), "bf16"), ((64, 72), "bf16")]),
    "memref_in_place": (memref_in_place, "f32", [((136, 96), "f16"), ((96, 72), "f16"), ((72, ), "f32"), ((136, 72), "f32")]),
    "residual_gelu": (residual_gelu, "bf16", [((136, 128), "bf16"), ((128, 200), "bf16"), ((200, ), "bf16"),
                                              ((136, 200), "bf16")]),
    "mlp": (mlp, "f32", [((200, 72), "bf16"), ((72, 136), "bf16"), ((136, ), "f32"), ((136, 64), "bf16"), ((64, ), "f32")]),
    "attention": (attention, "f32", [((136, 64), "bf16"), ((200, 64), "bf16"), ((200, 64), "bf16")]),
    "dynamic_linear": (dynamic_linear, "bf16", [((130, 72), "bf16"), ((133, 72), "bf16"), ((133, ), "bf16")]),
    "gated": (gated, "bf16", [((72, 128), "bf16"), ((128, 136), "bf16"), ((128, 136), "bf16")]),
}


# The argument that holds the result, where the function returns none.
IN_PLACE = {"memref_in_place": 3}


def check(tools, name, seconds):
    formula, out_type, specifications = MODELS[name]
    arguments = [modules.random_array(shape, element, 100 + i) for i, (shape, element) in enumerate(specifications)]
    expected, bound = formula(*(argument.values for argument in arguments))
    text = (pathlib.Path(__file__).parent / "Models" / f"{name}.mlir").read_text()
    ptx = modules.compile_module(tools, name, text, seconds)
    in_place = [IN_PLACE[name]] if name in IN_PLACE else []
    result, = modules.run_module(tools, name, ptx, arguments, seconds, in_place)
    if name == "chain":
        # Products alone are problems of the description: tc-run checks each with what the one before left.
        done, _ = runner.run([tools.path("tc-run"), ptx, "--check"])
        if done.returncode:
            raise runner.Failure(runner.describe(["tc-run", ptx, "--check"], done))
    return modules.compare(name, result, expected, bound + 2.0**-22 * np.abs(expected), out_type)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/tc-compile and bin/tc-run")
    parser.add_argument("--filter", default="", help="only models whose name matches this regular expression")
    arguments = parser.parse_args()
    start = time.monotonic()
    work = pathlib.Path(arguments.build) / "integration-models"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        tools = runner.find_tools(arguments.build, work)
    except runner.Failure as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    folder = pathlib.Path(__file__).parent / "Models"
    unknown = {path.stem for path in folder.glob("*.mlir")} ^ MODELS.keys()
    if unknown:
        print(f"error: a module without a formula or a formula without a module: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 1
    seconds = runner.Seconds()
    failures, count = 0, 0
    for name in MODELS:
        if not re.search(arguments.filter, name):
            continue
        count += 1
        try:
            print(f"  {name}: largest error / bound {check(tools, name, seconds):.3f}", flush=True)
        except runner.Failure as error:
            failures += 1
            print(f"FAILED: {error}", flush=True)
    print(f"{count} models in {seconds.runs} runs, {time.monotonic() - start:.1f} s, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
