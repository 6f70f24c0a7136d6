#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes ml_dtypes.txt: what ml_dtypes makes of every code of its formats and of every bf16 and f16 input.

    record.py            writes the file (pip install ml_dtypes; not needed to run the tests)

A line is one of

    decode FORMAT VALUE...              for each code the bits of the f32, NaN as 7fc00000
    encode FORMAT SOURCE PLACE:CODE...  from that place on inputs have that code, "-" where they are not finite or not in range
    hash FORMAT SOURCE HASH             FNV-1a of the codes, 16 bits each, of inputs that are finite and in range

all numbers in hexadecimal. In range: from the smallest number of the format to the largest. An input is the code of a bf16 or
an f16, in their order. What is out of range is in docs/data/conversions.tsv.
"""
import pathlib
import sys

import numpy as np

FILE = pathlib.Path(__file__).resolve().parent / "ml_dtypes.txt"
TYPES = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e3m2": "float6_e3m2fn", "e2m3": "float6_e2m3fn",
         "e2m1": "float4_e2m1fn", "ue8m0": "float8_e8m0fnu", "bf16": "bfloat16"}
BITS = {"e3m2": 6, "e2m3": 6, "e2m1": 4, "bf16": 16, "f16": 16}  # others 8
SOURCES = ("bf16", "f16")


def types(ml_dtypes):
    return {**{name: getattr(ml_dtypes, name_there) for name, name_there in TYPES.items()}, "f16": np.float16}


def in_range(values, lowest, largest):
    return np.isfinite(values) & (values >= lowest) & (values <= largest)


def fnv(codes):
    total = 0xCBF29CE484222325
    for byte in codes.astype("<u2").tobytes():
        total = (total ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return total


def lines(ml_dtypes):
    known, every = types(ml_dtypes), np.arange(1 << 16, dtype=np.uint16)
    for name, dtype in known.items():
        width = BITS.get(name, 8)
        codes = np.arange(1 << width, dtype=np.uint16 if width == 16 else np.uint8)
        values = codes.view(dtype).astype(np.float32)
        if width < 16:
            bits = np.where(np.isnan(values), 0x7FC00000, values.view(np.uint32))
            yield f"decode {name} " + " ".join(f"{x:x}" for x in bits)
        finite = values[np.isfinite(values)].astype(np.float64)
        for source in SOURCES:
            if source == name:
                continue
            inputs = every.view(known[source])
            with np.errstate(over="ignore", invalid="ignore"):
                codes = inputs.astype(dtype).view(np.uint16 if width == 16 else np.uint8).astype(np.int64)
                codes[~in_range(inputs.astype(np.float64), finite.min(), finite.max())] = -1
            if width == 16:
                yield f"hash {name} {source} {fnv(np.maximum(codes, 0)):x}"
                continue
            starts = np.flatnonzero(np.diff(codes, prepend=-2))
            yield f"encode {name} {source} " + " ".join(
                f"{start:x}:{'-' if codes[start] < 0 else format(codes[start], 'x')}" for start in starts)


def text():
    """The file as the ml_dtypes at hand makes it."""
    import ml_dtypes
    return f"# ml_dtypes {ml_dtypes.__version__}, written by record.py\n" + "".join(line + "\n" for line in lines(ml_dtypes))


def read():
    """(decode: {format: f32 values}, encode: {(format, source): codes, -1 where unknown}, hash: {(format, source): hash})"""
    decode, encode, hashes = {}, {}, {}
    for line in FILE.read_text().splitlines()[1:]:
        what, name, *rest = line.split()
        if what == "decode":
            decode[name] = np.array([int(x, 16) for x in rest], np.uint32).view(np.float32).astype(np.float64)
        elif what == "hash":
            hashes[name, rest[0]] = int(rest[1], 16)
        else:
            codes = np.full(1 << 16, -1)
            for run in rest[1:]:
                start, code = run.split(":")
                codes[int(start, 16):] = -1 if code == "-" else int(code, 16)
            encode[name, rest[0]] = codes
    return decode, encode, hashes


def scale_places():
    """Rows of scales.txt: row, block of K, byte in memory, and the first lane, the column and the byte in Tensor Memory."""
    text = (FILE.parent / "scales.txt").read_text()
    return [tuple(map(int, line.split())) for line in text.splitlines() if not line.startswith("#")]


if __name__ == "__main__":
    sys.exit(FILE.write_text(text()) and None)
