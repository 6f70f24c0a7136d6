#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what compile.py wrote on the emulator and compares with numpy.

The inputs are small integers (times powers of two where scales are), so that
every sum is exact and the results have to agree bit for bit."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

M, N, K = 256, 256, 512

# Skipped by all threads. No choice of a schedule and no rule may depend on it.
NEVER_RUN = """
	.reg .pred %never;
	.reg .b32 %neverword;
	mov.u32 %neverword, %tid.x;
	setp.lt.u32 %never, %neverword, 9999;
	@%never bra $NEVER_RUN;
	tcgen05.fence::before_thread_sync;
	tcgen05.fence::after_thread_sync;
	fence.proxy.async;
	ld.acquire.gpu.global.u32 %neverword, [0];
	trap;
$NEVER_RUN:
"""


def half_bits(values, mantissa, exponent_bits):
    """Bits of a small format for exactly representable values."""
    bits = numpy.zeros(values.shape, numpy.uint32)
    bias = (1 << (exponent_bits - 1)) - 1
    nonzero = values != 0
    fraction, exponent = numpy.frexp(numpy.abs(values[nonzero]))
    stored = ((exponent - 1 + bias).astype(numpy.int64) << mantissa) + \
        ((fraction * 2 - 1) * (1 << mantissa)).astype(numpy.int64)
    bits[nonzero] = (stored | ((values[nonzero] < 0).astype(numpy.int64)
                               << (mantissa + exponent_bits))).astype(numpy.uint32)
    return bits


def encode(dtype, values):
    if dtype in ("bf16", "fp16"):
        return half_bits(values, *((7, 8) if dtype == "bf16" else (10, 5))).astype(numpy.uint16)
    if dtype == "fp8e4nv":
        return half_bits(values, 3, 4).astype(numpy.uint8)
    if dtype == "e2m1":
        codes = {0: 0, .5: 1, 1: 2, 1.5: 3, 2: 4, 3: 5, 4: 6, 6: 7}
        nibbles = numpy.vectorize(lambda v: codes[abs(v)] | (8 if v < 0 else 0))(values)
        return (nibbles[:, 0::2] | nibbles[:, 1::2] << 4).astype(numpy.uint8)
    return values.astype(numpy.float32)


def to_bf16(values):
    bits = values.astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tc-run", required=True)
    parser.add_argument("--schedules", default="eager,lazy,random:1")
    parser.add_argument("--races", default="default")
    parser.add_argument("--assume", default="", help="passed on to tc-run")
    parser.add_argument("--never-run", action="store_true",
                        help="prepend instructions that never run; no verdict may change")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or sorted(path.stem for path in options.folder.glob("*.ptx"))
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for name in names:
            failed += not run(options.folder, pathlib.Path(work), options, name)
    print(f"{len(names) - failed} of {len(names)} right under {options.schedules}")
    return bool(failed)


def run(folder, work, options, name):
    meta = json.loads((folder / f"{name}.meta.json").read_text())
    random = numpy.random.default_rng(7)
    kind = name.split("_")[0]
    dtype = {"f16": "fp16", "bf16": "bf16", "e4m3": "fp8e4nv", "tf32": "fp32", "mxf8": "fp8e4nv",
             "mxf4": "e2m1", "nvf4": "e2m1"}[name.split("_")[1]]
    a = random.integers(-2, 3, (M, K)).astype(numpy.float64)
    b = random.integers(-2, 3, (N, K)).astype(numpy.float64)
    arrays = {"a": encode(dtype, a), "b": encode(dtype, b)}
    out = numpy.uint16 if kind == "persistent" else numpy.float32
    grid = [2, 1, 1] if kind == "persistent" else [M // 128, N // 128, 1]
    sizes = [{"i32": M}, {"i32": N}, {"i32": K}]
    params = []
    if kind == "persistent":
        for buffer, rows, columns, info in zip("abc", (M, N, M), (K, K, N), meta["tensordesc_meta"]):
            size = info["elem_size"]
            element = {0: "u8", 6: "f16", 10: "bf16"}[info["elem_type"]]
            params.append({"tensor_map": {
                "buffer": buffer, "dtype": element, "dims": [columns, rows], "strides": [columns * size],
                "box": info["block_size"][::-1], "element_strides": [1, 1],
                "swizzle": ["none", "32B", "64B", "128B"][info["swizzle"]]}})
            params += [{"i32": rows}, {"i32": columns}, {"i64": columns}, {"i64": 1}]
    else:
        params = [{"pointer": "a"}, {"pointer": "b"}]
    scale_a, scale_b = 1, 1
    if kind == "scaled":
        block = 16 if "nv" in name else 32
        for side, rows in (("a", M), ("b", N)):
            exponents = random.integers(-1, 2, (rows, K // block))
            codes = (exponents + 127 if block == 32 else (exponents + 7) << 3).astype(numpy.uint8)
            arrays[side + "_scale"] = codes
            params.append({"pointer": side + "_scale"})
            factor = numpy.repeat(2.0 ** exponents, block, axis=1)
            scale_a, scale_b = (factor, scale_b) if side == "a" else (scale_a, factor)
    if kind != "persistent":
        params.append({"pointer": "c"})
    params += sizes + [{"i64": 0}, {"i64": 0}]
    buffers = {"c": {"dtype": "u8", "shape": [M * N * out().itemsize], "role": "out"}}
    for key, data in arrays.items():
        path = work / f"{name}.{key}.bin"
        path.write_bytes(data.tobytes())
        buffers[key] = {"dtype": "u8", "shape": [data.nbytes], "role": "in", "file": path.name}
    launch = {"entry": meta["name"], "grid": grid, "block": [32 * meta["num_warps"], 1, 1],
              "dynamic_smem": meta["shared"], "buffers": buffers, "params": params}
    (work / f"{name}.json").write_text(json.dumps(launch, indent=1))
    ptx = folder / f"{name}.ptx"
    if options.never_run:
        text = ptx.read_text()
        body = text.index("{", text.index(".entry")) + 1
        ptx = work / f"{name}.ptx"
        ptx.write_text(text[:body] + NEVER_RUN + text[body:])
    good = True
    expected = (a * scale_a) @ (b * scale_b).T
    for schedule in options.schedules.split(","):
        result = subprocess.run([options.tc_run, ptx, *([f"--assume={options.assume}"] if options.assume else []),
                                 f"--launch={work / name}.json", f"--schedule={schedule}",
                                 f"--races={options.races}", f"--out=c={work / name}.out.bin"],
                                capture_output=True, text=True)
        if result.returncode:
            print(f"{name}: {schedule}: {(result.stdout + result.stderr)[-900:]}")
            return False
        got = numpy.fromfile(f"{work / name}.out.bin", out).reshape(M, N)
        if kind != "persistent":
            wrong = int((got != expected.astype(numpy.float32)).sum())
        elif dtype == "bf16":
            wrong = int((got != to_bf16(expected)).sum())
        else:
            wrong = int((got.view(numpy.float16) != expected.astype(numpy.float16)).sum())
        if wrong:
            print(f"{name}: {schedule}: {wrong} of {M * N} elements differ")
            good = False
    return good


if __name__ == "__main__":
    sys.exit(main())
