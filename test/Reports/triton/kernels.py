# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels in the structure that public reports describe, written anew."""

import triton
import triton.language as tl


@triton.jit
def chained(a, b, c, d, out, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """out = a * b + c * d: two dots of a loop step share one accumulator."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = m[:, None] * K + start + k[None, :]
        right = (start + k[:, None]) * BN + n[None, :]
        total = tl.dot(tl.load(a + left), tl.load(b + right), total)
        total = tl.dot(tl.load(c + left), tl.load(d + right), total)
    tl.store(out + m[:, None] * BN + n[None, :], total)


@triton.jit
def recurrence(k, v, w, offsets, out, BT: tl.constexpr, D: tl.constexpr, BV: tl.constexpr):
    """A gated recurrence whose state is kept in two halves of 64 rows; the number of
    steps comes from memory, the last one may be partial."""
    column = tl.program_id(0) * BV + tl.arange(0, BV)
    t = tl.arange(0, BT)
    x = tl.arange(0, 64)
    first = tl.load(offsets)
    length = tl.load(offsets + 1) - first
    upper = tl.zeros((64, BV), tl.float32)
    lower = tl.zeros((64, BV), tl.float32)
    for step in range(tl.cdiv(length, BT)):
        place = out + (step * 128 + x)[:, None] * D + column[None, :]
        tl.store(place, upper.to(out.dtype.element_ty))
        tl.store(place + 64 * D, lower.to(out.dtype.element_ty))
        there = step * BT + t < length
        row = first + step * BT + t
        weights = w + row[:, None] * 128 + x[None, :]
        part = tl.dot(tl.load(weights, mask=there[:, None], other=0), upper.to(w.dtype.element_ty))
        part += tl.dot(tl.load(weights + 64, mask=there[:, None], other=0), lower.to(w.dtype.element_ty))
        values = tl.load(v + row[:, None] * D + column[None, :], mask=there[:, None], other=0)
        fresh = (values - part).to(k.dtype.element_ty)
        keys = k + row[None, :] * 128 + x[:, None]
        upper += tl.dot(tl.load(keys, mask=there[None, :], other=0), fresh)
        lower += tl.dot(tl.load(keys + 64, mask=there[None, :], other=0), fresh)
    place = out + (tl.cdiv(length, BT) * 128 + x)[:, None] * D + column[None, :]
    tl.store(place, upper.to(out.dtype.element_ty))
    tl.store(place + 64 * D, lower.to(out.dtype.element_ty))


@triton.jit
def half_described(x, y, out, SIZE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                   SPECIALIZE: tl.constexpr):
    """B by a descriptor, A by pointers, in an inner loop that is warp specialized."""
    described = tl.make_tensor_descriptor(y, [SIZE, SIZE], [SIZE, 1], [BK, BN])
    for m in tl.range(0, SIZE, BM):
        for n in tl.range(0, SIZE, BN):
            rows = m + tl.arange(0, BM)
            columns = n + tl.arange(0, BN)
            total = tl.zeros((BM, BN), tl.float32)
            for k in tl.range(0, SIZE, BK, warp_specialize=SPECIALIZE):
                inner = k + tl.arange(0, BK)
                left = tl.load(x + rows[:, None] * SIZE + inner[None, :])
                total = tl.dot(left, described.load([k, n]), total)
            tl.store(out + rows[:, None] * SIZE + columns[None, :], total)


@triton.jit
def eight_columns(a, b_desc, out, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STEPS: tl.constexpr):
    """Eight columns of B in a loop that is warp specialized."""
    m = tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for step in tl.range(0, STEPS, warp_specialize=True):
        left = tl.load(a + m[:, None] * (STEPS * BK) + step * BK + k[None, :])
        total = tl.dot(left, b_desc.load([step * BK, 0]), total)
    tl.store(out + m[:, None] * BN + n[None, :], total)


@triton.jit
def copy(out_desc, in_desc, N, BM: tl.constexpr, BN: tl.constexpr):
    """Tiles from one matrix to another whose rows end inside of a tile."""
    for n in range(0, tl.cdiv(N, BN)):
        out_desc.store([0, n * BN], in_desc.load([0, n * BN]))


@triton.jit
def swap_once(lock, out, BLOCK: tl.constexpr):
    """One thread's atomic, whose result every CTA of the cluster stores."""
    old = tl.atomic_cas(lock, 7, 1)
    tl.store(out + tl.arange(0, BLOCK), old)
