# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""D = A * B^T in bf16 by Triton, for benchmarks/device: persistent, operands and D by tensor descriptors."""
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

# Rows, columns and K of a tile, stages, warps.
LARGE = ((128, 256, 64, 3, 8), (128, 128, 64, 4, 4), (128, 128, 64, 5, 8))
FEW_ROWS = ((64, 64, 128, 4, 4), (64, 128, 128, 4, 4), (128, 64, 128, 4, 4))
BAND = 8


@triton.jit
def kernel(a, b, d, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, BAND: tl.constexpr,
           CTAS: tl.constexpr):
    rows_of_tiles = tl.cdiv(m, TILE_M)
    columns_of_tiles = tl.cdiv(n, TILE_N)
    in_band = BAND * columns_of_tiles
    for tile in tl.range(tl.program_id(0), rows_of_tiles * columns_of_tiles, CTAS, flatten=True):
        first = tile // in_band * BAND
        rows = min(rows_of_tiles - first, BAND)
        row = (first + tile % in_band % rows) * TILE_M
        column = tile % in_band // rows * TILE_N
        sums = tl.zeros((TILE_M, TILE_N), tl.float32)
        for block in range(tl.cdiv(k, TILE_K)):
            x = a.load([row, block * TILE_K])
            y = b.load([column, block * TILE_K])
            sums = tl.dot(x, y.T, sums)
        d.store([row, column], sums.to(tl.bfloat16))


def calls(a, b, d):
    """A call for each configuration; `b` is N x K."""
    (m, k), n = a.shape, b.shape[0]
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    for tile_m, tile_n, tile_k, stages, warps in LARGE if m > 128 else FEW_ROWS:
        ctas = min(multiprocessors, triton.cdiv(m, tile_m) * triton.cdiv(n, tile_n))
        arguments = (TensorDescriptor.from_tensor(a, [tile_m, tile_k]), TensorDescriptor.from_tensor(b, [tile_n, tile_k]),
                     TensorDescriptor.from_tensor(d, [tile_m, tile_n]), m, n, k)

        # The first launch compiles it: what does not fit is left out.
        try:
            kernel[(ctas,)](*arguments, tile_m, tile_n, tile_k, BAND, ctas, num_stages=stages, num_warps=warps)
        except triton.runtime.errors.OutOfResources:
            continue

        def call(arguments=arguments, ctas=ctas, tile=(tile_m, tile_n, tile_k), stages=stages, warps=warps):
            kernel[(ctas,)](*arguments, *tile, BAND, ctas, num_stages=stages, num_warps=warps)
        yield call
