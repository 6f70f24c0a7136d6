# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The right kernels that bugs are seeded into: our own in CUDA C++, compiled by
nvcc, and what tc-compile makes of matrix multiplications.

Each comes as a Case: PTX, a launch file and the bytes that have to come out."""

import dataclasses
import json
import pathlib
import subprocess
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Integration"))
from tclib import mlir_text, problem as problems  # noqa: E402


class Failure(Exception):
    """Something that has to work does not; the text says what."""


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    ptx: pathlib.Path
    launch: pathlib.Path
    out: str  # name of the buffer that holds the result
    expected: bytes


@dataclasses.dataclass(frozen=True)
class Tools:
    tc_run: str
    tc_compile: str
    nvcc: str
    work: pathlib.Path


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


#===-- CUDA kernels ------------------------------------------------------===#


def bf16(values):
    """Bits of numbers that bf16 holds exactly."""
    return (values.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def e4m3(values):
    """Bits of small integers."""
    magnitude = numpy.abs(values).astype(numpy.int64)
    codes = {0: 0, 1: 7 << 3, 2: 8 << 3, 3: 8 << 3 | 4}
    bits = numpy.vectorize(codes.get)(magnitude)
    return (bits | (values < 0) << 7).astype(numpy.uint8)


def integers(seed, rows, columns, limit=3):
    return numpy.random.default_rng(seed).integers(-limit, limit + 1, (rows, columns))


def tensor_map(buffer, dtype, rows, columns, size, box, swizzle="128B"):
    return {"tensor_map": {"buffer": buffer, "dtype": dtype, "dims": [columns, rows], "strides": [columns * size],
                           "box": box, "element_strides": [1, 1], "swizzle": swizzle}}


def raw(array, role="in"):
    return {"dtype": "u8", "shape": [array.nbytes], "role": role, "data": array}


def result(rows, columns, role="out"):
    return {"dtype": "f32", "shape": [rows, columns], "role": role}


def bf16_problem(m, n, k):
    a, b = integers(1, m, k), integers(2, n, k)
    return (a @ b.T).astype(numpy.float32), {"A": raw(bf16(a)), "B": raw(bf16(b)), "D": result(m, n)}


def ring(blocks=7, slots=3):
    m, n = 200, 68
    expected, buffers = bf16_problem(m, n, blocks * 64)
    params = [tensor_map("A", "bf16", m, blocks * 64, 2, [64, 128]),
              tensor_map("B", "bf16", n, blocks * 64, 2, [64, 64]), {"pointer": "D"},
              {"i32": m}, {"i32": n}, {"i32": blocks}]
    return {"grid": [2, 2, 1], "dynamic_smem": slots * 24576 + 1024, "buffers": buffers,
            "params": params}, expected


def pair(ctas=4):
    m, n, blocks = 512, 640, 4
    expected, buffers = bf16_problem(m, n, blocks * 64)
    params = [tensor_map("A", "bf16", m, blocks * 64, 2, [64, 128]),
              tensor_map("B", "bf16", n, blocks * 64, 2, [64, 64]),
              tensor_map("D", "f32", m, n, 4, [32, 128], "none"),
              {"i32": n // 128}, {"i32": m // 256 * (n // 128)}, {"i32": blocks}]
    return {"grid": [ctas, 1, 1], "cluster": [2, 1, 1], "dynamic_smem": 3 * 24576 + 32768 + 1024, "buffers": buffers,
            "params": params}, expected


def store():
    m, n, blocks = 256, 128, 7  # in each half of K
    expected, buffers = bf16_problem(m, n, 2 * blocks * 64)
    buffers["W"] = result(m, n, "temporary")
    buffers["flags"] = {"dtype": "u32", "shape": [4], "init": "zeros", "role": "temporary"}
    params = [tensor_map("A", "bf16", m, 2 * blocks * 64, 2, [64, 128]),
              tensor_map("B", "bf16", n, 2 * blocks * 64, 2, [64, 32]),
              tensor_map("W", "f32", m, n, 4, [16, 128], "none"), {"pointer": "W"}, {"pointer": "flags"},
              {"pointer": "D"}, {"i32": n}, {"i32": blocks}]
    return {"grid": [2, 2, 2], "cluster": [2, 1, 1], "dynamic_smem": 3 * 24576 + 16384 + 1024, "buffers": buffers,
            "params": params}, expected


def scaled():
    m, n, blocks = 256, 256, 5
    k = blocks * 128
    a, b = integers(3, m, k), integers(4, n, k)
    buffers = {"A": raw(e4m3(a)), "B": raw(e4m3(b)), "D": result(m, n)}
    for name, seed, rows in (("SFA", 5, m), ("SFB", 6, n)):
        exponents = integers(seed, rows, k // 32, 1)
        # Blocks of 128 rows x 4: row r, scale j at byte r % 32 * 16 + r // 32 * 4 + j.
        tiles = (exponents + 127).astype(numpy.uint8).reshape(rows // 128, 4, 32, blocks, 4)
        buffers[name] = raw(numpy.ascontiguousarray(tiles.transpose(0, 3, 2, 1, 4)))
        factor = numpy.repeat(2.0 ** exponents, 32, axis=1)
        if name == "SFA":
            a = a * factor
        else:
            b = b * factor
    params = [tensor_map("A", "u8", m, k, 1, [128, 128]), tensor_map("B", "u8", n, k, 1, [128, 64]),
              {"pointer": "SFA"}, {"pointer": "SFB"}, {"pointer": "D"}, {"i32": n}, {"i32": blocks}]
    return {"grid": [2, 2, 1], "cluster": [2, 1, 1], "dynamic_smem": 2 * 24576 + 2048 + 1024, "buffers": buffers,
            "params": params}, (a @ b.T).astype(numpy.float32)


def convert():
    m, n, k = 128, 128, 448
    a, b = integers(7, m, k, 9).astype(numpy.int8), integers(8, n, k, 9).astype(numpy.int8)
    buffers = {"A": raw(a), "B": raw(b), "D": result(m, n)}
    params = [{"pointer": "A"}, {"pointer": "B"}, {"pointer": "D"}, {"i32": n}, {"i32": k}]
    expected = (a.astype(numpy.int64) @ b.T.astype(numpy.int64)).astype(numpy.float32)
    return {"grid": [2, 1, 1], "dynamic_smem": 3 * 8192 + 1024, "buffers": buffers, "params": params}, expected


CUDA = {"ring": ring, "pair": pair, "store": store, "scaled": scaled, "convert": convert}


def cuda_case(tools, source, name="", defines=(), **sizes):
    name = name or source
    ptx = tools.work / f"{name}.ptx"
    run([tools.nvcc, "-ptx", "-arch=sm_100a", "-O3", "-std=c++17", *(f"-D{d}" for d in defines),
         HERE / "kernels" / f"{source}.cu", "-o", ptx])
    launch, expected = CUDA[source](**sizes)
    launch["block"] = [256, 1, 1]
    for buffer, fields in launch["buffers"].items():
        data = fields.pop("data", None)
        if data is not None:
            path = tools.work / f"{name}.{buffer}.bin"
            path.write_bytes(data.tobytes())
            fields["file"] = path.name
    path = tools.work / f"{name}.json"
    path.write_text(json.dumps(launch, indent=1))
    return Case(name, ptx, path, "D", expected.tobytes())


#===-- compiled kernels --------------------------------------------------===#


def problem(**fields):
    fields = {"m": 200, "n": 136, "k": 328, "in_type": "bf16", "out_type": "f32", **fields}
    return problems.Problem(**fields)


# 2 * stages + 1 blocks along K where the block is 64; tails in all dimensions.
COMPILED = {
    "tc-specialized": problem(transpose_b=True, config="tile=128x64x64 stages=3 sms=2"),
    "tc-one-accumulator": problem(transpose_a=True, accumulate=True,
                               config="tile=128x128x64 stages=2 accumulator-stages=1 sms=1"),
    "tc-unspecialized": problem(in_type="f16", out_type="f16", config="tile=128x64x64 stages=3 roles=none sms=2"),
    "tc-pair": problem(m=520, n=264, transpose_b=True, config="tile=256x128x64 cta-group=2 stages=3 sms=4"),
    "tc-pair-unspecialized": problem(m=520, n=136, k=296, transpose_a=True, out_type="bf16",
                                  config="tile=256x128x64 cta-group=2 stages=2 roles=none sms=2"),
    "tc-swizzle-32B": problem(transpose_b=True, k=88, config="tile=128x64x16 stages=2 swizzle=32B sms=2"),
}


def compiled_case(tools, name):
    what = COMPILED[name]
    stem = tools.work / name
    source = stem.with_suffix(".mlir")
    source.write_text(mlir_text.function(what))
    ptx = stem.with_suffix(".ptx")
    run([tools.tc_compile, source, "-o", ptx, f"--config={what.config}"])
    # Right by float64; bugs have to give other bits than this.
    out = stem.with_suffix(".out")
    run([tools.tc_run, ptx, "--check", f"--out=D={out}"])
    return Case(name, ptx, stem.with_suffix(".json"), "D", out.read_bytes())


def make_case(tools, name):
    if name in COMPILED:
        return compiled_case(tools, name)
    source, _, slots = name.partition("-")
    return cuda_case(tools, source, name, [f"SLOTS={slots}"] if slots else [])


# "convert-2": the same with two slots.
NAMES = [*CUDA, "convert-2", *COMPILED]
FAST = [*CUDA, "tc-unspecialized", "tc-pair"]
