# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""im2col tensor copies: the pixels that a convolution filter touches."""

from .tma import finite, load_kernel, store_kernel, tensor_bytes, tensor_map

INNER = {"none": 64, "32B": 16, "64B": 32, "128B": 64}


def load(name, dims, coords, offsets, lower, upper, pixels, *, swizzle="none", channels=None,
         steps=None, dtype="f16", oob_fill="zero"):
    channels = INNER[swizzle] if channels is None else channels
    tensor = tensor_map("in0", dtype, dims, None, swizzle=swizzle, element_strides=steps,
                        oob_fill=oob_fill,
                        im2col={"lower": lower, "upper": upper, "channels": channels,
                                "pixels": pixels})
    size = channels * pixels * (4 if "f32" in dtype else 2)
    span = max(size // pixels, 2 * INNER[swizzle] if swizzle != "none" else 0)
    return load_kernel(name, tensor, coords, size=size, mode="im2col", offsets=offsets,
                       family="tma_im2col", window=(span * pixels + 255) // 128 * 128)


def store_map(dtype, dims, swizzle, channels):
    zeros = [0] * (len(dims) - 2)
    return tensor_map("out", dtype, dims, None, swizzle=swizzle,
                      im2col={"lower": zeros, "upper": zeros, "channels": channels, "pixels": 12})


def kernels():
    # Dimensions run from the channels: C W N, C W H N, C W H D N.
    for swizzle in INNER:
        low = swizzle.lower()
        yield load(f"tma_im2col_3d_{low}", [72, 9, 4], [0, -1, 1], [1], [-1], [-1], 14,
                   swizzle=swizzle)
        yield load(f"tma_im2col_4d_{low}", [72, 7, 6, 3], [16, -1, -1, 0], [2, 1], [-1, -1],
                   [-1, -1], 30, swizzle=swizzle)
        yield load(f"tma_im2col_5d_{low}", [64, 5, 4, 3, 2], [0, -1, 0, 1, 0], [1, 0, 1],
                   [-1, -1, -1], [0, -1, -1], 24, swizzle=swizzle)
    yield load("tma_im2col_4d_past_the_end", [64, 5, 4, 2], [0, 2, 3, 1], [0, 0], [0, 0],
               [0, 0], 20)
    yield load("tma_im2col_4d_start_inside", [64, 7, 6, 3], [8, 3, 2, 1], [0, 2], [-1, -1],
               [-1, -1], 17)
    yield load("tma_im2col_4d_nan", [40, 7, 6, 3], [0, -2, -2, 0], [0, 0], [-2, -2], [0, 0],
               20, oob_fill="nan", channels=64)
    yield load("tma_im2col_4d_positive_corner", [64, 8, 8, 2], [0, 1, 1, 0], [0, 0], [1, 1],
               [-2, -3], 22, swizzle="128B")
    for steps in ([1, 2, 2, 1], [1, 2, 1, 1], [1, 1, 3, 1]):
        name = "x".join(str(step) for step in steps)
        yield load(f"tma_im2col_4d_step_{name}", [64, 9, 8, 3], [0, -1, -1, 0], [1, 1],
                   [-1, -1], [-1, -1], 25, steps=steps, swizzle="128B")
    yield load("tma_im2col_3d_step_2", [64, 11, 3], [0, -1, 0], [0], [-1], [-1], 12,
               steps=[1, 2, 1])
    yield load("tma_im2col_5d_step", [64, 5, 5, 4, 2], [0, -1, -1, -1, 0], [1, 1, 1],
               [-1, -1, -1], [-1, -1, -1], 20, steps=[1, 2, 2, 2, 1])
    yield load("tma_im2col_4d_f32", [40, 7, 6, 3], [4, -1, 2, 1], [1, 2], [-1, -1], [-1, -1],
               18, dtype="f32", channels=32, swizzle="128B")
    for swizzle in ("32B", "64B", "128B"):
        yield load(f"tma_im2col_4d_narrow_{swizzle.lower()}", [24, 7, 6, 3], [8, -1, 2, 1],
                   [1, 2], [-1, -1], [-1, -1], 19, channels=8, swizzle=swizzle)
    for dtype, name in (("f32", "nan_f32"), ("tf32", "tf32")):
        yield load(f"tma_im2col_3d_{name}", [40, 9, 3], [16, -1, 1], [2], [-1], [-1], 15,
                   dtype=dtype, channels=32, oob_fill="nan")
    yield load("tma_im2col_4d_large_offsets", [64, 6, 6, 2], [0, -1, -1, 0], [7, 3],
               [-1, -1], [-1, -1], 16)
    for rank, dims, coords in ((3, [64, 9, 3], [0, 2, 1]), (4, [64, 5, 4, 3], [0, 1, 1, 0]),
                               (5, [64, 3, 4, 3, 2], [0, 1, 0, 1, 0])):
        for swizzle in INNER:
            tensor = store_map("f16", dims, swizzle, INNER[swizzle])
            yield store_kernel(f"tma_im2col_store_{rank}d_{swizzle.lower()}", tensor, coords,
                               mode="im2col_no_offs", size=INNER[swizzle] * 12 * 2,
                               family="tma_im2col")
    for dtype, reduce in (("f16", "max"), ("u32", "add")):
        channels = 64 if dtype == "f16" else 32
        tensor = store_map(dtype, [channels, 5, 4, 3], "128B", channels)
        size = 4 if dtype == "u32" else 2
        yield store_kernel(f"tma_im2col_reduce_{reduce}_{dtype}", tensor, [0, 1, 1, 0],
                           mode="im2col_no_offs", size=channels * 12 * size, reduce=reduce,
                           data=finite(dtype, channels * 12, 470),
                           before=finite(dtype, tensor_bytes(tensor) // size, 471),
                           family="tma_im2col")
    # Refused, as in tiles: a first coordinate inside of 16 bytes, and negative ones of stores.
    kernel = load("tma_refused_im2col_load", [72, 7, 6, 3], [4, -1, -1, 0], [2, 1], [-1, -1],
                  [-1, -1], 30)
    kernel.stops, kernel.family = True, "tma_refused"
    yield kernel
    kernel = store_kernel("tma_refused_im2col_store", store_map("f16", [64, 5, 4, 3], "none", 64),
                          [0, -1, 0, 0], mode="im2col_no_offs", size=64 * 12 * 2,
                          family="tma_refused")
    kernel.stops = True
    yield kernel
