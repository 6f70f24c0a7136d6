#!/usr/bin/env python3
"""Compiles products of f32 with each way to multiply them, runs them on the emulator, checks the numbers.

    f32_products.py --build build [--filter TEXT]

Expected values are products of the raw arguments in float64. How far a result may be off: what the parts leave of each
product (docs/LowPrecision.md), and what sums of the matrix unit lose on the products of parts, which are made here by
numpy. Each way but the last is also shown to be needed: the one that is less exact is beyond its bound.
"""
import os
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from tclib import cases, modules, numerics, runner  # noqa: E402

# Of |a| |b|: what is left of both elements, and the product of two low parts that is left out.
LEFT = {"tf32x3": 3 * 2.0**-22, "bf16x3": 3 * 2.0**-16, "bf16x9": 0.0}
TERMS = {"tf32x3": [(1, 0), (0, 1), (0, 0)], "bf16x3": [(1, 0), (0, 1), (0, 0)],
         "bf16x9": [(i, j) for total in (4, 3, 2, 1, 0) for i in range(2, -1, -1) for j in range(3) if i + j == total]}
LESS = {"tf32x3": "tf32", "bf16x9": "bf16x3", "bf16x3": "tf32"}


def parts(values, kind):
    result = []
    for _ in range(3):
        if kind == "tf32x3":
            bits = values.astype(np.float32).view(np.uint32).astype(np.uint64) + 0x1000 & 0xffffe000
            high = bits.astype(np.uint32).view(np.float32).astype(np.float64)
        else:
            high = numerics.round_once(values, "bf16")
        result.append(high)
        values = values - high
    return result


def sums_bound(a, b, kind):
    left, right = parts(a, kind), parts(b, kind)
    long_a = np.concatenate([left[i] for i, _ in TERMS[kind]], 1)
    long_b = np.concatenate([right[j] for _, j in TERMS[kind]], 0)
    return numerics.accumulation_bound(long_a, long_b)


def tensors(m, n, k, transposed=False, narrow=False):
    b, map_b = (f"{n}x{k}", "(n, k)") if transposed else (f"{k}x{n}", "(k, n)")
    element = "bf16" if narrow else "f32"
    widen, factor = ("%w = arith.extf %y : bf16 to f32", "%w") if narrow else ("", "%y")
    return f"""func.func @f(%a: tensor<{m}x{k}xf32>, %b: tensor<{b}x{element}>) -> tensor<{m}x{n}xf32> {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{m}x{n}xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %d = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> {map_b}>,
                                         affine_map<(m, n, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction"]}}
    ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{b}x{element}>) outs(%f : tensor<{m}x{n}xf32>) {{
    ^bb0(%x: f32, %y: {element}, %o: f32):
      {widen}
      %0 = arith.mulf %x, {factor} : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
  }} -> tensor<{m}x{n}xf32>
  return %d : tensor<{m}x{n}xf32>
}}
"""


def memrefs(m, n, k):
    return f"""func.func @f(%a: memref<{m}x{k}xf32>, %b: memref<{k}x{n}xf32>, %d: memref<{m}x{n}xf32>) {{
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%d : memref<{m}x{n}xf32>)
  linalg.matmul ins(%a, %b : memref<{m}x{k}xf32>, memref<{k}x{n}xf32>) outs(%d : memref<{m}x{n}xf32>)
  return
}}
"""


SHAPES = {"one": (128, 128, 64), "tails": (72, 88, 40), "deep": (64, 72, 520)}


def compute(tools, name, text, kind, arguments, seconds, chip):
    """D, the argument that the function writes where there are three."""
    source = tools.work / f"{name}.mlir"
    source.write_text(text)
    ptx = source.with_suffix(".ptx")
    command = [tools.path("tc-compile"), source, "-o", ptx, f"--f32={kind}", f"--chip={chip}"]
    done, taken = runner.run(command)
    seconds.compiling += taken
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    return modules.run_module(tools, name, ptx, arguments, seconds, [2] if len(arguments) == 3 else [])[0]


def check(tools, kind, shape, form, chip, seconds):
    m, n, k = SHAPES[shape]
    narrow, transposed = form == "narrow", form == "transposed"
    a = modules.random_array((m, k), "f32", 1)
    b = modules.random_array((n, k) if transposed else (k, n), "bf16" if narrow else "f32", 2)
    text = memrefs(m, n, k) if form == "memref" else tensors(m, n, k, transposed, narrow)
    right = b.values.T if transposed else b.values
    exact = a.values @ right
    bound = sums_bound(a.values, right, kind) + LEFT[kind] * (np.abs(a.values) @ np.abs(right))
    name = f"{kind}_{shape}_{form}_{chip}"
    arguments = [a, b, modules.Array(np.ones((m, n)), "f32")] if form == "memref" else [a, b]
    got = compute(tools, name, text, kind, arguments, seconds, chip)
    ratio = modules.compare(name, got, exact, bound, "f32")
    if shape == "one" and form == "tensor" and chip == "sm_100a":
        less = compute(tools, f"{name}_less", text, LESS[kind], arguments, seconds, chip).reshape(exact.shape)
        if (np.abs(less - exact) <= bound).all():
            raise runner.Failure(f"{name}: {LESS[kind]} is within the bound of {kind}, too: the bound says nothing")
    return ratio


CASES = [(kind, shape, form, chip) for kind in TERMS for shape in SHAPES
         for form in ("tensor", "memref", "transposed", "narrow") for chip in ("sm_100a", "sm_90a")
         if (shape == "tails" or form == "tensor") and (chip == "sm_100a" or kind != "tf32x3")]

if __name__ == "__main__":
    sys.exit(cases.main(__doc__, "f32-products", [
        (" ".join(case), lambda tools, seconds, case=case: check(tools, *case, seconds)) for case in CASES
    ]))
