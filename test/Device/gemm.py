# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's own kernels for sm_90a: their inputs, and what a device wrote.

The kernels are those of test/Integration/wgmma.py. Which bits a kernel writes
follows from its inputs and from the order of K, so what was recorded holds for every
compiler that keeps that order."""

import hashlib
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Integration"))

import wgmma  # noqa: E402
from tclib import numerics, strict  # noqa: E402

DATA = HERE / "data" / "gemm_sm_90a.json"


def make_inputs(case):
    """Raw bytes of A and B: multiples of 2^-14 from -2 to 2, rounded, drawn from
    a hash that every version of every library computes alike. D starts as ones in
    every bit: NaN."""
    raw = {}
    for operand in "AB":
        shape = case.stored_shape(operand)
        count = int(np.prod(shape))
        stream = hashlib.shake_256(f"{case.name} {operand}".encode()).digest(2 * count)
        values = np.frombuffer(stream, np.uint16).astype(np.float64) / 2**14 - 2
        raw[operand] = numerics.encode(numerics.round_once(values.reshape(shape), case.in_type), case.in_type)
    raw["D"] = b"\xff" * (int(np.prod(case.stored_shape("D"))) * numerics.element_bytes(case.out_type))
    return raw


def digest(*parts):
    state = hashlib.sha256()
    for part in parts:
        state.update(part)
    return state.hexdigest()[:32]


def command(tc_run, ptx, folder, *options):
    """tc-run on inputs in `folder`; D goes to out.bin there."""
    files = [part for name in "ABD" for part in ("--buffer", f"{name}={folder}/{name}.bin")]
    return [str(part) for part in (tc_run, ptx, *files, "--out", f"D={folder}/out.bin", *options)]
