# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels whose PTX for sm_100 the emulator has to run.

C = A * B^T with A of M x K and B of N x K; descriptors are made by the host."""

import triton
import triton.language as tl


@triton.jit
def persistent(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr, PROGRAMS: tl.constexpr, SPECIALIZE: tl.constexpr):
    start = tl.program_id(0)
    across = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * across
    for tile in tl.range(start, tiles, PROGRAMS, flatten=False, warp_specialize=SPECIALIZE):
        m = tile // across * BM
        n = tile % across * BN
        accumulator = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(tl.cdiv(K, BK)):
            a = a_desc.load([m, k * BK])
            b = b_desc.load([n, k * BK])
            accumulator = tl.dot(a, b.T, accumulator)
        c_desc.store([m, n], accumulator.to(c_desc.dtype))


@triton.jit
def pointers(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + n[None, :] * K + k[:, None]
    accumulator = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(tl.cdiv(K, BK)):
        accumulator = tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), accumulator)
        a_ptrs += BK
        b_ptrs += BK
    tl.store(c_ptr + m[:, None] * N + n[None, :], accumulator)


@triton.jit
def scaled(a_ptr, b_ptr, a_scale, b_scale, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, FORMAT: tl.constexpr, PER_BYTE: tl.constexpr, BLOCK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK // PER_BYTE)
    s = tl.arange(0, BK // BLOCK)
    accumulator = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(K, BK)):
        first = step * (BK // PER_BYTE)
        a = tl.load(a_ptr + m[:, None] * (K // PER_BYTE) + first + k[None, :])
        b = tl.load(b_ptr + n[None, :] * (K // PER_BYTE) + first + k[:, None])
        sa = tl.load(a_scale + m[:, None] * (K // BLOCK) + step * (BK // BLOCK) + s[None, :])
        sb = tl.load(b_scale + n[:, None] * (K // BLOCK) + step * (BK // BLOCK) + s[None, :])
        accumulator = tl.dot_scaled(a, sa, FORMAT, b, sb, FORMAT, accumulator)
    tl.store(c_ptr + m[:, None] * N + n[None, :], accumulator)
