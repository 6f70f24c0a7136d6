# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of a tensor that do not end at a multiple of 16 bytes: what loads fill
and what stores and reductions write beyond the last element."""

from .tma import (BITS, REDUCTIONS, box_bytes, finite, load_kernel, store_kernel, tensor_bytes,
                  tensor_map)
from .tma_im2col import load as im2col_load, store_map

# Elements beyond the last whole 16 bytes, by the size of an element.
EXTRA = {1: (1, 6, 15), 2: (1, 4, 7), 4: (1, 2, 3), 8: (1,)}
FLOATS = ("f16", "bf16", "f32", "f32_ftz", "tf32", "tf32_ftz", "f64")


def shape(dtype, extra):
    """Three whole units of 16 bytes and `extra` elements, boxes of four units
    that start at the second one."""
    unit = 128 // BITS[dtype]
    return [3 * unit + extra, 6], [4 * unit, 5], [unit, 2]


def kernels():
    for dtype in BITS:
        for extra in EXTRA[BITS[dtype] // 8]:
            dims, box, coords = shape(dtype, extra)
            name = f"{dtype}_{extra}"
            tensor = tensor_map("in0", dtype, dims, box, swizzle="64B", pad=32)
            yield load_kernel(f"row_end_load_{name}", tensor, coords, family="row_ends")
            if dtype in FLOATS:
                tensor = tensor_map("in0", dtype, dims, box, oob_fill="nan", pad=32)
                yield load_kernel(f"row_end_load_nan_{name}", tensor, coords, family="row_ends")
            tensor = tensor_map("out", dtype, dims, box, swizzle="64B", pad=32)
            yield store_kernel(f"row_end_store_{name}", tensor, coords, family="row_ends")
            # One dimension: the row is the tensor.
            tensor = tensor_map("out", dtype, dims[:1], box[:1])
            yield store_kernel(f"row_end_store_1d_{name}", tensor, coords[:1], family="row_ends")
            # A box that starts in the 16 bytes that the row ends in.
            unit = 128 // BITS[dtype]
            tensor = tensor_map("out", dtype, dims, [unit, 5], pad=32)
            yield store_kernel(f"row_end_store_last_{name}", tensor, [3 * unit, 1],
                               family="row_ends")
            # A box that starts beyond them.
            tensor = tensor_map("out", dtype, dims, [unit, 5], pad=32)
            yield store_kernel(f"row_end_store_beyond_{name}", tensor, [4 * unit, 1],
                               family="row_ends")
    for i, (dtype, op) in enumerate(REDUCTIONS):
        size = BITS[dtype] // 8
        extra = EXTRA[size][i % len(EXTRA[size])]
        dims, box, coords = shape(dtype, extra)
        tensor = tensor_map("out", dtype, dims, box, swizzle="none", pad=48)
        data = finite(dtype, (box_bytes(tensor) + 127) // 128 * 128 // size, 700 + i)
        before = finite(dtype, tensor_bytes(tensor) // size, 800 + i)
        yield store_kernel(f"row_end_{op}_{dtype}", tensor, coords, reduce=op, data=data,
                           before=before, family="row_ends")
    # Element strides along the rows leave the first dimension alone.
    dims, box, coords = shape("f16", 3)
    tensor = tensor_map("out", "f16", dims, box, element_strides=[1, 2], swizzle="64B", pad=16)
    yield store_kernel("row_end_store_step", tensor, coords, family="row_ends")
    for swizzle in ("32B", "128B"):
        tensor = tensor_map("out", "f32", [26, 6], [8 if swizzle == "32B" else 32, 5],
                            swizzle=swizzle, pad=32)
        yield store_kernel(f"row_end_store_{swizzle.lower()}", tensor,
                           [20 if swizzle == "32B" else 0, 1], family="row_ends")
    kernel = im2col_load("row_end_im2col_load", [45, 7, 6, 3], [16, -1, 2, 0], [2, 1], [-1, -1],
                         [-1, -1], 21, swizzle="64B")
    kernel.family = "row_ends"
    yield kernel
    for channels in (29, 35):
        tensor = store_map("f16", [channels, 5, 4, 3], "64B", 32)
        yield store_kernel(f"row_end_im2col_store_{channels}", tensor, [8, 1, 1, 0],
                           mode="im2col_no_offs", size=32 * 12 * 2, family="row_ends")
