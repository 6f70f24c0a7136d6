#!/usr/bin/env python3
"""Compiles matmuls with epilogues, runs them on the emulator, checks the numbers.

    epilogue.py --build build [--filter TEXT]

Each case is a linalg module written here and its own float64 formula. The module
must become one kernel: what stays outside fails the compilation.
"""
import argparse
import dataclasses
import math
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

IDENTITY = "affine_map<(i, j) -> (i, j)>"
MAPS = {"full": IDENTITY, "row": "affine_map<(i, j) -> (j)>", "column": "affine_map<(i, j) -> (i)>"}


def vector_erf(x):
    return np.vectorize(math.erf)(x) if x.size else x


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


BODIES = {
    "relu": ("%z = arith.constant 0.0 : f32\n%r = arith.maximumf %x, %z : f32", lambda x: np.maximum(x, 0)),
    "relu_select": ("%z = arith.constant 0.0 : f32\n%c = arith.cmpf ugt, %x, %z : f32\n"
                    "%r = arith.select %c, %x, %z : f32", lambda x: np.maximum(x, 0)),
    "sigmoid": ("%o1 = arith.constant 1.0 : f32\n%n = arith.negf %x : f32\n%e = math.exp %n : f32\n"
                "%s = arith.addf %e, %o1 : f32\n%r = arith.divf %o1, %s : f32", lambda x: 1 / (1 + np.exp(-x))),
    "silu": ("%o1 = arith.constant 1.0 : f32\n%n = arith.negf %x : f32\n%e = math.exp %n : f32\n"
             "%s = arith.addf %e, %o1 : f32\n%r = arith.divf %x, %s : f32", lambda x: x / (1 + np.exp(-x))),
    "gelu_tanh": ("%h = arith.constant 0.5 : f32\n%o1 = arith.constant 1.0 : f32\n%a = arith.constant 0.7978845608 : f32\n"
                  "%b = arith.constant 0.044715 : f32\n%x2 = arith.mulf %x, %x : f32\n%x3 = arith.mulf %x2, %x : f32\n"
                  "%t = arith.mulf %x3, %b : f32\n%u = arith.addf %x, %t : f32\n%v = arith.mulf %u, %a : f32\n"
                  "%w = math.tanh %v : f32\n%y = arith.addf %w, %o1 : f32\n%q = arith.mulf %x, %h : f32\n"
                  "%r = arith.mulf %q, %y : f32", gelu_tanh),
    "gelu_erf": ("%h = arith.constant 0.5 : f32\n%o1 = arith.constant 1.0 : f32\n%a = arith.constant 0.7071067811865476 : f32\n"
                 "%v = arith.mulf %x, %a : f32\n%w = math.erf %v : f32\n%y = arith.addf %w, %o1 : f32\n"
                 "%q = arith.mulf %x, %h : f32\n%r = arith.mulf %q, %y : f32",
                 lambda x: 0.5 * x * (1 + vector_erf(x * np.sqrt(0.5)))),
    "clamp": ("%lo = arith.constant -1.5 : f32\n%hi = arith.constant 2.0 : f32\n%l = arith.maximumf %x, %lo : f32\n"
              "%r = arith.minimumf %l, %hi : f32", lambda x: np.clip(x, -1.5, 2)),
    "log": ("%o1 = arith.constant 1.0 : f32\n%a = math.absf %x : f32\n%s = arith.addf %a, %o1 : f32\n%r = math.log %s : f32",
            lambda x: np.log(1 + np.abs(x))),
    "sqrt": ("%a = math.absf %x : f32\n%r = math.sqrt %a : f32", lambda x: np.sqrt(np.abs(x))),
    "rsqrt": ("%o1 = arith.constant 1.0 : f32\n%x2 = arith.mulf %x, %x : f32\n%s = arith.addf %x2, %o1 : f32\n"
              "%r = math.rsqrt %s : f32", lambda x: 1 / np.sqrt(1 + x * x)),
}
# The tanh of a bf16 output is off by 2^-11, times the slope of what uses it.
APPROXIMATE_TANH = 2.0**-9
# How much a function here magnifies an error of its argument.
SLOPE = 1.2


@dataclasses.dataclass(frozen=True)
class Case:
    shape: tuple
    steps: tuple  # names in BODIES, or ("add"|"mul", "full"|"row"|"column", type) or ("scale", number)
    in_type: str = "bf16"
    out_type: str = "f32"
    dynamic: bool = False
    bias_first: bool = False  # the row vector is broadcast into the initial value

    @property
    def name(self):
        steps = "-".join(step if isinstance(step, str) else "_".join(map(str, step)) for step in self.steps)
        return re.sub(r"[^\w-]", "_", f"{'x'.join(map(str, self.shape))}-{steps}-{self.in_type}-{self.out_type}"
                      f"{'-dynamic' if self.dynamic else ''}{'-init' if self.bias_first else ''}")


CASES = [
    Case((200, 136, 72), (("add", "row", "f32"), "relu"), out_type="bf16"),
    Case((200, 136, 72), (("add", "column", "f32"), "gelu_tanh")),
    Case((200, 136, 72), (("add", "row", "bf16"), "gelu_tanh"), out_type="bf16"),
    Case((128, 128, 128), (("scale", 0.5), ("add", "full", "f32"))),
    Case((200, 136, 72), ("gelu_erf", ), "f16", "f16"),
    Case((200, 136, 72), ("gelu_erf", ), "bf16", "f32"),
    Case((200, 136, 72), (("add", "row", "f16"), "silu"), "f16", "bf16"),
    Case((200, 136, 72), (("add", "full", "bf16"), "clamp"), out_type="bf16"),
    Case((136, 200, 136), (("mul", "column", "f32"), ("mul", "row", "f32"), ("add", "full", "f16")), "f16", "f16"),
    Case((200, 136, 72), ("sigmoid", ("mul", "full", "bf16"))),
    Case((130, 72, 200), ("log", )),
    Case((130, 72, 200), ("sqrt", )),
    Case((130, 72, 200), ("rsqrt", )),
    Case((130, 72, 200), ("relu_select", ("scale", -3.0), ("add", "row", "f32"), ("add", "column", "bf16")), out_type="bf16"),
    Case((200, 133, 72), (("add", "row", "f32"), "relu", ("add", "full", "bf16")), out_type="bf16", dynamic=True),
    Case((1, 8, 8), (("add", "row", "f32"), ("add", "column", "f32")), dynamic=True),
    Case((72, 200, 0), (("add", "row", "f32"), "relu"), dynamic=True),
    Case((200, 136, 72), (("add", "row", "f32"), "relu"), bias_first=True),
    Case((300, 520, 136), (("add", "row", "f32"), "silu", ("add", "full", "f32")), out_type="bf16"),
]


def generic(inputs, types, out_type, shape_text, body, init):
    """A linalg.generic; `inputs` are (value, tensor type, map, element type)."""
    maps = ", ".join([item[2] for item in inputs] + [IDENTITY])
    values = ", ".join(item[0] for item in inputs)
    tensors = ", ".join(item[1] for item in inputs)
    arguments = ", ".join(f"%in{i}: {item[3]}" for i, item in enumerate(inputs))
    return (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\"]}}\n"
            f"  ins({values} : {tensors}) outs({init} : tensor<{shape_text}x{out_type}>) {{\n"
            f"^bb0({arguments}, %o: {out_type}):\n{body}\n}} -> tensor<{shape_text}x{out_type}>\n")


def module_text(case):
    """B is stored N x K, so that N may be anything."""
    m, n, k = ("?", "?", "?") if case.dynamic else case.shape
    extents = {"full": f"{m}x{n}", "row": f"{n}", "column": f"{m}"}
    arguments = [f"%A: tensor<{m}x{k}x{case.in_type}>", f"%B: tensor<{n}x{k}x{case.in_type}>"]
    for i, step in enumerate(case.steps):
        if not isinstance(step, str) and step[0] != "scale":
            arguments.append(f"%v{i}: tensor<{extents[step[1]]}x{step[2]}>")
    full = extents["full"]
    dims = "%M, %N" if case.dynamic else ""
    text = [f"func.func @f({', '.join(arguments)}) -> tensor<{full}x{case.out_type}> {{",
            "%zero = arith.constant 0.0 : f32"]
    if case.dynamic:
        text += ["%i0 = arith.constant 0 : index", f"%M = tensor.dim %A, %i0 : tensor<?x?x{case.in_type}>",
                 f"%N = tensor.dim %B, %i0 : tensor<?x?x{case.in_type}>"]
    text.append(f"%E = tensor.empty({dims}) : tensor<{full}xf32>")
    steps = list(enumerate(case.steps))
    if case.bias_first:
        (i, step), *steps = steps
        text.append(f"%f = linalg.broadcast ins(%v{i} : tensor<{extents['row']}x{step[2]}>) outs(%E : tensor<{full}xf32>) "
                    "dimensions = [0]")
    else:
        text.append(f"%f = linalg.fill ins(%zero : f32) outs(%E : tensor<{full}xf32>) -> tensor<{full}xf32>")
    text.append("%p = linalg.matmul indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (j, l)>, "
                f"affine_map<(i, j, l) -> (i, j)>] ins(%A, %B : tensor<{m}x{k}x{case.in_type}>, "
                f"tensor<{n}x{k}x{case.in_type}>) outs(%f : tensor<{full}xf32>) -> tensor<{full}xf32>")
    last = "%p"
    for i, step in steps:
        inputs = [(last, f"tensor<{full}xf32>", IDENTITY, "f32")]
        if isinstance(step, str):
            body = re.sub(r"%x\b", "%in0", BODIES[step][0]) + "\nlinalg.yield %r : f32"
        elif step[0] == "scale":
            body = f"%s = arith.constant {float(step[1])} : f32\n%r = arith.mulf %in0, %s : f32\nlinalg.yield %r : f32"
        else:
            inputs.append((f"%v{i}", f"tensor<{extents[step[1]]}x{step[2]}>", MAPS[step[1]], step[2]))
            other, body = "%in1", ""
            if step[2] != "f32":
                other, body = "%w", f"%w = arith.extf %in1 : {step[2]} to f32\n"
            body += f"%r = arith.{step[0]}f %in0, {other} : f32\nlinalg.yield %r : f32"
        text.append(f"%s{i} = " + generic(inputs, None, "f32", full, body, "%E"))
        last = f"%s{i}"
    if case.out_type != "f32":
        body = f"%r = arith.truncf %in0 : f32 to {case.out_type}\nlinalg.yield %r : {case.out_type}"
        text.append(f"%F = tensor.empty({dims}) : tensor<{full}x{case.out_type}>")
        text.append("%last = " + generic([(last, f"tensor<{full}xf32>", IDENTITY, "f32")], None, case.out_type, full, body,
                                         "%F"))
        last = "%last"
    text.append(f"return {last} : tensor<{full}x{case.out_type}>\n}}\n")
    return "\n".join(text)


def check(tools, case, seconds):
    """The largest error over its bound."""
    m, n, k = case.shape
    shapes = {"full": (m, n), "row": (n, ), "column": (m, )}
    a = modules.random_array((m, k), case.in_type, 1)
    b = modules.random_array((n, k), case.in_type, 2)
    arguments = [a, b]
    value = a.values @ b.values.T
    bound = numerics.accumulation_bound(a.values, b.values.T)
    for i, step in enumerate(case.steps):
        if isinstance(step, str):
            value = BODIES[step][1](value)
            bound = SLOPE * bound + 2.0**-19 * (1 + np.abs(value))
            if "tanh" in step and case.out_type == "bf16":
                bound = bound + APPROXIMATE_TANH * (np.abs(value) + 1e-3)
            continue
        if step[0] == "scale":
            value, bound = value * step[1], bound * abs(step[1])
        else:
            extra = modules.random_array(shapes[step[1]], step[2], 10 + i, 2.0)
            arguments.append(extra)
            other = extra.values[:, None] if step[1] == "column" else extra.values
            value, bound = (value + other, bound) if step[0] == "add" else (value * other, bound * np.abs(other))
        bound = bound + 2.0**-23 * np.abs(value)
    ptx = modules.compile_module(tools, case.name, module_text(case), seconds)
    result, = modules.run_module(tools, case.name, ptx, arguments, seconds)
    return modules.compare(case.name, result, value, bound, case.out_type)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/tc-compile and bin/tc-run")
    parser.add_argument("--filter", default="", help="only cases whose name matches this regular expression")
    arguments = parser.parse_args()
    start = time.monotonic()
    work = pathlib.Path(arguments.build) / "integration-epilogue"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        tools = runner.find_tools(arguments.build, work)
    except runner.Failure as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    seconds = runner.Seconds()
    failures, count = 0, 0
    for case in CASES:
        if not re.search(arguments.filter, case.name):
            continue
        count += 1
        try:
            print(f"  {case.name}: largest error / bound {check(tools, case, seconds):.3f}", flush=True)
        except runner.Failure as error:
            failures += 1
            print(f"FAILED: {error}", flush=True)
    print(f"{count} epilogues in {seconds.runs} runs, {time.monotonic() - start:.1f} s, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
