# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of the kernels in kernels.py, what numpy computes from them, and the
parameters of their launches. All numbers are small integers, so that every sum
is exact and a right kernel agrees bit for bit."""

import numpy

ELEMENT = {"i8": ("u8", numpy.int8), "i16": ("u16", numpy.int16), "i32": ("i32", numpy.int32)}
SWIZZLE = ["none", "32B", "64B", "128B"]


def integers(random, shape, low=-2, high=3, share=1.0, dtype=numpy.float16):
    values = random.integers(low, high, shape) * (random.random(shape) < share)
    return values.astype(dtype)


def chained(random, meta):
    m, n, k = 256, 64, 384
    a, c = integers(random, (m, k)), integers(random, (m, k))
    b, d = integers(random, (k, n)), integers(random, (k, n))
    expected = a.astype(float) @ b + c.astype(float) @ d
    return {"a": a, "b": b, "c": c, "d": d}, {"out": expected.astype(numpy.float32)}, \
        ["a", "b", "c", "d", "out", {"i32": k}], [m // 128, 1, 1]


def recurrence(random, meta):
    length, rows, d = 240, 64, 128
    k, v = (integers(random, (length, d), -1, 2, 0.05) for _ in range(2))
    w = integers(random, (length, d), -1, 2, 0.01)
    state, out = numpy.zeros((d, d)), []
    for step in range(0, length, rows):
        part = slice(step, step + rows)
        out.append(state)
        fresh = v[part].astype(float) - w[part].astype(float) @ state
        state = state + k[part].astype(float).T @ fresh
    out.append(state)
    offsets = numpy.array([0, length], numpy.int32)
    return {"k": k, "v": v, "w": w, "offsets": offsets}, \
        {"out": numpy.concatenate(out).astype(numpy.float32)}, \
        ["k", "v", "w", "offsets", "out"], [d // 32, 1, 1]


def half_described(random, meta):
    size = 256
    x, y = integers(random, (size, size)), integers(random, (size, size))
    return {"x": x, "y": y}, {"out": (x.astype(float) @ y).astype(numpy.float32)}, ["x", "y", "out"], [1, 1, 1]


def tensor_map(info, buffer, columns, rows, stride):
    size = info["elem_size"]
    return [{"tensor_map": {"buffer": buffer, "dtype": {0: "u8", 1: "u16", 2: "u32", 3: "i32", 6: "f16"}[info["elem_type"]],
                            "dims": [columns, rows], "strides": [stride * size], "box": info["block_size"][::-1],
                            "element_strides": [1, 1], "swizzle": SWIZZLE[info["swizzle"]]}},
            {"i32": rows}, {"i32": columns}, {"i64": stride}, {"i64": 1}]


def eight_columns(random, meta):
    m, n, k = 64, 8, 256
    a, b = integers(random, (m, k)), integers(random, (k, n))
    return {"a": a, "b": b}, {"out": (a.astype(float) @ b).astype(numpy.float32)}, \
        ["a", *tensor_map(meta["tensordesc_meta"][0], "b", n, k, n), "out"], [1, 1, 1]


def copy(random, meta, columns):
    """Rows of 512 elements of which `columns` belong to the tensor."""
    out_info, in_info = meta["tensordesc_meta"]
    dtype = {1: numpy.int8, 2: numpy.int16, 4: numpy.int32}[in_info["elem_size"]]
    source = random.integers(1, 100, (32, 512)).astype(dtype)
    expected = numpy.full((32, 512), 7, dtype)
    expected[:, :columns] = source[:, :columns]
    return {"in": source, "out": numpy.full((32, 512), 7, dtype)}, {"out": expected}, \
        [*tensor_map(out_info, "out", columns, 32, 512), *tensor_map(in_info, "in", columns, 32, 512),
         {"i32": columns}], [1, 1, 1]


def swap_once(random, meta):
    return {"lock": numpy.array([7], numpy.int32)}, {"out": numpy.full(512, 7, numpy.int32)}, ["lock", "out"], [4, 1, 1]


CASES = {"chained": chained, "recurrence": recurrence, "recurrence_two_warps": recurrence, "half_described": half_described,
         "half_described_plain": half_described, "eight_columns": eight_columns, "swap_once": swap_once,
         "copy_i8": lambda r, m: copy(r, m, 466), "copy_i16": lambda r, m: copy(r, m, 470),
         "copy_i32": lambda r, m: copy(r, m, 466), "copy_i8_whole": lambda r, m: copy(r, m, 464)}
