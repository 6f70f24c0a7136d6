# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mma.sync, dense m16n8: fragments, and the rounding of the tensor core."""

from .core import Kernel, Text, mix, pack, random_bytes, random_words
from .wgmma import BITS, integers, moderate, special, wide


def product(name, dtype, accumulator, k, data, *, b_type=None, d_data=None, satfinite=False,
            version="8.6", m=16):
    """Eight products of one warp each, operands in register order."""
    b_type = b_type or dtype
    bits = BITS[dtype]
    a_count, b_count = m * k * bits // 1024, 8 * k * bits // 1024
    d_count = m // 4 if accumulator in ("f32", "s32") else m // 8
    words = a_count + b_count + d_count
    text = Text()
    text(f"mul.wide.u32 %d1, T, {4 * words};\nadd.u64 %d2, %d1, IN0;\nadd.u64 %d3, %d1, IN1;")
    registers = [f"%r{i}" for i in range(a_count + b_count)]
    for i, register in enumerate(registers):
        text(f"ld.global.b32 {register}, [%d2+{4 * i}];")
    sums = [f"%r{100 + i}" for i in range(d_count)]
    for i, register in enumerate(sums):
        text(f"ld.global.b32 {register}, [%d3+{4 * i}];")
    text(f"mma.sync.aligned.m{m}n8k{k}.row.col{'.satfinite' if satfinite else ''}.{accumulator}."
         f"{dtype}.{b_type}.{accumulator} {{{', '.join(f'%r{120 + i}' for i in range(d_count))}}}, "
         f"{{{', '.join(registers[:a_count])}}}, {{{', '.join(registers[a_count:])}}}, "
         f"{{{', '.join(sums)}}};")
    for i in range(d_count):
        text.store(f"%r{120 + i}", 4 * i, stride=4 * d_count)
    size = 256 * 4 * words
    sums_of = {"f32": "tf32", "f16": "f16"}
    if d_data is None:
        d_data = random_bytes(size, 31) if accumulator == "s32" else \
            moderate(sums_of[accumulator], 32, size * 8 // BITS[sums_of[accumulator]])
    return Kernel(name, "mma_sync", str(text), out=256 * 4 * d_count, block=256, version=version,
                  inputs=[data(dtype, mix(len(name)) & 0xFFFF, size * 8 // bits)[:size], d_data])


def kernels():
    forms = [("f16", "f32", 16), ("f16", "f32", 8), ("f16", "f16", 16), ("f16", "f16", 8),
             ("bf16", "f32", 16), ("bf16", "f32", 8), ("tf32", "f32", 8), ("tf32", "f32", 4),
             ("e4m3", "f32", 32), ("e5m2", "f32", 32)]
    for dtype, accumulator, k in forms:
        name = f"mma_sync_{dtype}_{accumulator}_k{k}"
        yield product(name, dtype, accumulator, k, integers)
        yield product(name + "_round", dtype, accumulator, k, moderate)
        yield product(name + "_wide", dtype, accumulator, k, wide)
        yield product(name + "_special", dtype, accumulator, k, special)
    for k, accumulator in ((16, "f32"), (16, "f16"), (32, "f16")):
        for dtype, b_type in (("e4m3", "e4m3"), ("e5m2", "e4m3")):
            for values in (moderate, wide, special):
                yield product(f"mma_sync_{dtype}_{b_type}_{accumulator}_k{k}_{values.__name__}",
                              dtype, accumulator, k, values, b_type=b_type, version="8.7")
    yield product("mma_sync_e4m3_e5m2", "e4m3", "f32", 32, moderate, b_type="e5m2")
    for dtype in ("s8", "u8"):
        for k in (16, 32):
            yield product(f"mma_sync_{dtype}_k{k}", dtype, "s32", k,
                          lambda dtype, seed, count: random_bytes(count, seed))
    yield product("mma_sync_s8_u8", "s8", "s32", 32,
                  lambda dtype, seed, count: random_bytes(count, seed), b_type="u8")
    yield product("mma_sync_u8_s8_sat", "u8", "s32", 32,
                  lambda dtype, seed, count: random_bytes(count, seed), b_type="s8",
                  satfinite=True)
    for dtype, b_type in (("s8", "s8"), ("u8", "s8"), ("s8", "u8"), ("u8", "u8")):
        yield product(f"mma_sync_m8_{dtype}_{b_type}", dtype, "s32", 16,
                      lambda dtype, seed, count: random_bytes(count, seed), b_type=b_type, m=8,
                      satfinite=b_type == "u8")
    # Sums that round to zero in f16, from either side, onto zeros of either sign.
    for k in (8, 16):
        yield product(f"mma_sync_f16_f16_k{k}_tiny", "f16", "f16", k, tiny,
                      d_data=pack([(0x0000, 0x8000, 0x0001, 0x8001)[w % 4]
                                   for w in random_words(8192, 77 + k)], 16))


def tiny(dtype, seed, count):
    values = (0x0000, 0x8000, 0x0400, 0x8400, 0x0200, 0x8200, 0x0801, 0x8001, 0x0003, 0x9C00)
    return pack([values[w % 10 if w % 3 else 0] for w in random_words(count, seed)], 16)
