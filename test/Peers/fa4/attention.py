# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of FlashAttention 4's forward kernel, as its host code makes them."""

import json
import math
import subprocess
import sys

import numpy

# Batch, rows of Q, of K and V, heads.
PROBLEMS = {False: [(1, 256, 256, 2), (1, 200, 333, 2), (2, 512, 128, 1), (1, 300, 640, 1)],
            True: [(1, 256, 256, 2), (1, 200, 333, 2), (2, 512, 512, 1), (1, 300, 300, 1)]}
HEAD = 128
SMS = 148


def rounded(values):
    """The bits of bf16."""
    bits = values.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)


def widened(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)


def struct(size, *fields):
    return {"struct": {"size": size, "fields": [{"at": at, kind: value} for at, kind, value in fields]}}


def divisor(value):
    """What the kernel divides by without a division, and the value."""
    length = (value - 1).bit_length()
    factor = ((1 << 32) * ((1 << length) - value)) // value + 1
    return [struct(12, (0, "u32", value), (4, "u32", factor & 0xffffffff), (8, "u8", min(length, 1)),
                   (9, "u8", max(length - 1, 0))), {"u32": value}]


def launch(folder, causal, batch, rows, keys, heads):
    """Writes the launch file and the operands; returns the exact result."""
    folder.mkdir(parents=True, exist_ok=True)
    random = numpy.random.default_rng(1)
    values = {}
    for name, length in (("q", rows), ("k", keys), ("v", keys)):
        bits = rounded(random.standard_normal((batch, length, heads, HEAD)))
        bits.tofile(folder / f"{name}.bin")
        values[name] = widened(bits).astype(float).transpose(0, 2, 1, 3)

    def shape(*sizes):
        return struct(16, *((4 * i, "i32", size) for i, size in enumerate(sizes)))

    def tensor_map(name, length):
        return {"tensor_map": {"buffer": name, "dtype": "bf16", "dims": [HEAD, length, heads, batch],
                               "strides": [heads * HEAD * 2, HEAD * 2, length * heads * HEAD * 2],
                               "box": [64, 128, 1, 1], "element_strides": [1] * 4, "swizzle": "128B",
                               "interleave": "none", "oob_fill": "zero", "l2_promotion": "128B"}}

    scale = numpy.float32(1 / math.sqrt(HEAD)) * numpy.float32(math.log2(math.e))
    params = [shape(rows, HEAD, heads, batch), shape(keys, HEAD, heads, batch), shape(HEAD, keys, heads, batch),
              shape(rows, HEAD, heads, batch), tensor_map("q", rows), tensor_map("k", keys), tensor_map("v", keys),
              tensor_map("o", rows), {"f32": float(scale)}, {"bytes": "00" * 32}, {"bytes": "00" * 32}]
    blocks = -(-rows // 256)
    total = blocks * heads * batch
    if causal:
        # Heads whose K and V are in L2 together.
        swizzle = 1 << max(50 * 1024 * 1024 // (keys * HEAD * 4), 1).bit_length() - 1
        quotient, rest = divmod(heads * batch, swizzle)
        params += [{"i32": value} for value in (total, 1, blocks, heads, batch, swizzle)]
        for value in (heads, swizzle, swizzle * blocks, max(rest, 1)):
            params += divisor(value)
        params += [{"i32": quotient}, *divisor(1), {"i32": 1}]
    else:
        params += [*divisor(blocks), *divisor(heads), {"i32": total}, {"i32": 1}]

    def buffer(length, role, **more):
        return {"dtype": "bf16", "shape": [batch, length, heads, HEAD], "role": role, **more}

    (folder / "launch.json").write_text(json.dumps({
        "grid": [total if causal else min(SMS, total), 1, 1], "block": [512, 1, 1], "dynamic_smem": 232448,
        "buffers": {"q": buffer(rows, "in", file="q.bin"), "k": buffer(keys, "in", file="k.bin"),
                    "v": buffer(keys, "in", file="v.bin"), "o": buffer(rows, "out", out="o.bin")},
        "params": params}))
    scores = values["q"] @ values["k"].transpose(0, 1, 3, 2) / math.sqrt(HEAD)
    if causal:
        # The last row of Q is at the last of K.
        allowed = numpy.arange(keys)[None, :] <= numpy.arange(rows)[:, None] + keys - rows
        scores = numpy.where(allowed, scores, -numpy.inf)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    return ((weights @ values["v"]) / weights.sum(-1, keepdims=True)).transpose(0, 2, 1, 3)


def kernel(folder, python, emulate, causal):
    """The PTX; compiled where it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.ptx")):
        print("compiling FlashAttention 4", file=sys.stderr, flush=True)
        subprocess.run([emulate, "--quiet", python, "-W", "ignore", __file__.replace("attention.py", "compile.py"), folder,
                        str(int(causal))], check=True, capture_output=True)
    return next(folder.glob("*.ptx"))


def run(folder, python, build, causal, schedules, races):
    """Number of runs, and what went wrong."""
    ptx = kernel(folder / f"ptx{int(causal)}", python, build / "bin/tc-emulate", causal)
    wrong, runs = [], 0
    for problem in PROBLEMS[causal]:
        name = "x".join(map(str, problem)) + ("_causal" if causal else "")
        exact = launch(folder / name, causal, *problem)
        (folder / name / "o.bin").unlink(missing_ok=True)
        done = subprocess.run([build / "bin/tc-run", ptx, f"--launch={folder / name}/launch.json", f"--schedule={schedules}",
                               f"--races={races}"], capture_output=True, text=True, cwd=folder / name)
        runs += len(schedules.split(","))
        if done.returncode or not (folder / name / "o.bin").exists():
            wrong.append(f"{name}: {(done.stderr.splitlines() or ['no result'])[0]}")
            continue
        result = widened(numpy.fromfile(folder / name / "o.bin", numpy.uint16)).astype(float).reshape(exact.shape)
        # P is rounded to bf16 as well as the result: twice the error of rounding that alone.
        error, rounding = (numpy.sqrt(((value - exact) ** 2).mean()) for value in (result, widened(rounded(exact))))
        if not error < 2 * rounding:
            wrong.append(f"{name}: error {error:.3g}, that of rounding is {rounding:.3g}")
    return runs, wrong
