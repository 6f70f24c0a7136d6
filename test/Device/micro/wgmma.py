# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wgmma over shared memory: which byte of A and B is which element.

Shared memory holds random small integers, so every sum is exact and any
mistake in an address shows in some element of D."""

import functools

from .core import Kernel, Text, mix, pack, random_words

# Descriptor codes of the swizzle and bytes of one swizzled row.
SWIZZLES = {"none": (0, 16), "32b": (3, 32), "64b": (2, 64), "128b": (1, 128)}
BITS = {"bf16": 16, "f16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8}
SIZE = 65536


def encode_small(dtype, value):
    """The integer -4..4 as an element."""
    sign, size = (1, -value) if value < 0 else (0, value)
    exponent = size.bit_length() - 1
    fraction = size - (1 << exponent) if size else 0

    def assemble(bias, mantissa):
        if not size:
            return 0
        return ((exponent + bias) << mantissa) | (fraction << mantissa >> exponent)

    if dtype in ("s8", "u8"):
        return value & 0xFF if dtype == "s8" else size
    bias, mantissa, width = {"bf16": (127, 7, 16), "f16": (15, 10, 16), "tf32": (127, 23, 32),
                             "e4m3": (7, 3, 8), "e5m2": (15, 2, 8)}[dtype]
    return (sign << (width - 1)) | assemble(bias, mantissa)


def integers(dtype, seed, count):
    table = [encode_small(dtype, i - 4) for i in range(9)]
    return pack([table[word % 9] for word in random_words(count, seed)], BITS[dtype])


@functools.cache
def moderate(dtype, seed, count):
    """Values of either sign around 1, all bits of the fraction used."""
    words = []
    for word in random_words(count, seed, 64):
        sign, low, exponent = word & 1, word >> 1, (word >> 40) % 6 - 3
        if dtype == "bf16":
            words.append(sign << 15 | (127 + exponent) << 7 | (low & 0x7F))
        elif dtype == "f16":
            words.append(sign << 15 | (15 + exponent) << 10 | (low & 0x3FF))
        elif dtype == "tf32":
            words.append(sign << 31 | (127 + exponent) << 23 | (low & 0x7FFFFF))
        elif dtype == "e4m3":
            words.append(sign << 7 | (7 + exponent) << 3 | (low & 7))
        else:
            words.append(sign << 7 | (15 + exponent) << 2 | (low & 3))
    return pack(words, BITS[dtype])


# Per type: bits of the fraction, bits of the exponent, and whether its largest
# field encodes infinities and NaNs (as in IEEE 754).
FIELDS = {"bf16": (7, 8, True), "f16": (10, 5, True), "tf32": (23, 8, True),
          "e4m3": (3, 4, False), "e5m2": (2, 5, True)}


@functools.cache
def wide(dtype, seed, count):
    """Any finite values, subnormals included: exponents far apart."""
    fraction, exponent, ieee = FIELDS[dtype]
    top = ((1 << exponent) - 1) << fraction
    words = []
    for word in random_words(count, seed, BITS[dtype]):
        special = word & top == top if ieee else word & 0x7F == 0x7F
        words.append(word ^ 1 << fraction if special else word)
    return pack(words, BITS[dtype])


@functools.cache
def special(dtype, seed, count):
    """Moderate values, one in 200 an infinity, a NaN, a zero or a subnormal."""
    fraction, exponent, ieee = FIELDS[dtype]
    size = BITS[dtype] // 8
    data = bytearray(moderate(dtype, seed, count))
    top = ((1 << exponent) - 1) << fraction
    values = [0, 1, top, top | 1, (1 << fraction) - 1] if ieee else [0, 1, 0x7F, 0x7F, 7]
    for i, word in enumerate(random_words(count, seed + 1, 64)):
        if word % 200 == 0:
            value = values[(word >> 20) % 5] | (word >> 40 & 1) << (BITS[dtype] - 1)
            data[i * size:(i + 1) * size] = value.to_bytes(size, "little")
    return bytes(data)


def descriptor(text, register, start, lbo, sbo, swizzle):
    """Matrix descriptor of shared memory at SM + start (PTX ISA, "Matrix
    Descriptor Format" of wgmma)."""
    high = (sbo >> 4) | SWIZZLES[swizzle][0] << 30
    text(f"add.u32 %r200, SM, {start};\nshr.u32 %r200, %r200, 4;\n"
         f"and.b32 %r200, %r200, 0x3FFF;\nor.b32 %r200, %r200, {(lbo >> 4) << 16:#x};\n"
         f"mov.b32 %r201, {high:#x};\nmov.b64 {register}, {{%r200, %r201}};")


def strides(swizzle, mn_major, extent, bits):
    """LBO and SBO of a tile of `extent` rows (columns) that is packed with
    gaps, so that neither stride follows from the other."""
    row = SWIZZLES[swizzle][1]
    if swizzle == "none":
        return (1024 + 128, 128) if not mn_major else (128, 1024 + 128)
    if mn_major:
        blocks = max(1, extent * bits // 8 // row)
        sbo = row * 8
        return 2 * row * 8 * 2, sbo if blocks else sbo
    return 16, row * 8 * 2


def product(name, dtype, accumulator, n, a_swizzle, b_swizzle, *, a_major="k", b_major="k",
            a_registers=False, scale_a=1, scale_b=1, steps=1, a_start=0, b_start=32768,
            a_strides=None, b_strides=None, data=None, accumulate=False, b_type=None,
            sparse=False, satfinite=False):
    """D = A * B (+ D) of one warpgroup; D goes out in register order."""
    b_type = b_type or dtype
    k = 256 // BITS[dtype]
    registers = n // 2 if accumulator in ("f32", "s32") else n // 4
    text = Text()
    text.load_shared(0, SIZE, 128)
    text("fence.proxy.async.shared::cta;\nbar.sync 0;")
    d = [f"D{i}" for i in range(registers)]
    for i, register in enumerate(d):
        if accumulate:
            value = "T" if accumulator == "s32" else f"%r{202}"
            if accumulator != "s32":
                text(f"add.u32 %r203, T, {i};\ncvt.rn.f32.u32 %r202, %r203;")
                if accumulator == "f16":
                    text("cvt.rn.f16x2.f32 %r202, %r202, %r202;")
            text(f"mov.b32 {register}, {value};")
        else:
            text(f"mov.b32 {register}, 0;")
    text("wgmma.fence.sync.aligned;")
    a_lbo, a_sbo = a_strides or strides(a_swizzle, a_major == "mn", 64, BITS[dtype])
    b_lbo, b_sbo = b_strides or strides(b_swizzle, b_major == "mn", n, BITS[b_type])
    if a_registers:
        text("shl.b32 %r204, T, 4;\nadd.u32 %r204, SM, %r204;\n"
             "ld.shared.v4.b32 {%r205, %r206, %r207, %r208}, [%r204];\n"
             "wgmma.fence.sync.aligned;")
    else:
        descriptor(text, "%d1", a_start, a_lbo, a_sbo, a_swizzle)
    descriptor(text, "%d2", b_start, b_lbo, b_sbo, b_swizzle)
    text(f"mov.u32 %r209, {1 if accumulate else 0};\nsetp.ne.u32 %p1, %r209, 0;")
    for step in range(steps):
        a = "{%r205, %r206, %r207, %r208}" if a_registers else "%d1"
        flags = ""
        if accumulator != "s32":
            flags = f", {scale_a}, {scale_b}"
            if BITS[dtype] == 16:
                flags += "" if a_registers else f", {int(a_major == 'mn')}"
                flags += f", {int(b_major == 'mn')}"
        suffix = ".satfinite" if satfinite else ""
        text(f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{accumulator}.{dtype}.{b_type}{suffix} "
             f"{{{', '.join(d)}}}, {a}, %d2, %p1{flags};")
        if step + 1 < steps:
            # Within a swizzled row 32 bytes are one step along K.
            text("add.u64 %d1, %d1, 2;\nadd.u64 %d2, %d2, 2;\nsetp.eq.u32 %p1, %r209, %r209;")
    text("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;")
    text(f"mul.wide.u32 %d3, T, {4 * registers};\nadd.u64 %d3, %d3, OUT;")
    for i, register in enumerate(d):
        text(f"st.global.b32 [%d3+{4 * i}], {register};")
    data = integers(dtype, mix(len(name)) & 0xFFFF, SIZE * 8 // BITS[dtype]) if data is None else data
    return Kernel(name, "wgmma", str(text), out=128 * 4 * registers, block=128, smem=SIZE,
                  inputs=[data], registers=f".reg .b32 D<{registers}>;")


def kernels():
    for swizzle in SWIZZLES:
        for a_major in ("k", "mn"):
            for b_major in ("k", "mn"):
                yield product(f"wgmma_bf16_{swizzle}_{a_major}_{b_major}", "bf16", "f32", 64,
                              swizzle, swizzle, a_major=a_major, b_major=b_major)
        yield product(f"wgmma_f16_{swizzle}_n8", "f16", "f32", 8, swizzle, swizzle,
                      b_major="k")
        yield product(f"wgmma_f16_f16_{swizzle}", "f16", "f16", 32, swizzle, swizzle)
    # A and B with different swizzles; N that is no power of two; the largest N.
    yield product("wgmma_mixed_none_128b", "bf16", "f32", 24, "none", "128b")
    yield product("wgmma_mixed_64b_32b", "f16", "f32", 40, "64b", "32b", a_major="mn")
    yield product("wgmma_mixed_128b_none_mn", "bf16", "f32", 48, "128b", "none", b_major="mn")
    yield product("wgmma_n256", "bf16", "f32", 256, "128b", "128b", b_strides=(16, 1024))
    yield product("wgmma_n256_mn", "bf16", "f32", 256, "128b", "128b", b_major="mn",
                  b_strides=(4096, 1024))
    # K steps inside of a swizzled row move the start address only.
    for swizzle, steps in (("64b", 2), ("128b", 4)):
        yield product(f"wgmma_steps_{swizzle}", "bf16", "f32", 16, swizzle, swizzle, steps=steps)
    # Strides that are not those of a dense tile.
    yield product("wgmma_strides_k", "f16", "f32", 32, "128b", "64b", a_strides=(16, 3072),
                  b_strides=(16, 1536))
    yield product("wgmma_strides_mn", "f16", "f32", 64, "32b", "64b", a_major="mn", b_major="mn",
                  a_strides=(1280, 512), b_strides=(1536, 3072))
    yield product("wgmma_strides_none", "f16", "f32", 64, "none", "none", a_strides=(4112, 384),
                  b_strides=(272, 2064), b_major="mn")
    # Starts inside of a swizzle pattern.
    yield product("wgmma_start_128", "bf16", "f32", 16, "128b", "128b", a_start=128,
                  b_start=32768 + 512)
    yield product("wgmma_start_16", "bf16", "f32", 16, "none", "none", a_start=48,
                  b_start=32768 + 208)
    # A from registers, signs, an accumulator that is there already.
    yield product("wgmma_a_registers", "bf16", "f32", 32, "128b", "128b", a_registers=True)
    yield product("wgmma_a_registers_f16_mn", "f16", "f16", 64, "64b", "64b", a_registers=True,
                  b_major="mn")
    yield product("wgmma_negate", "f16", "f32", 16, "128b", "128b", scale_a=-1)
    yield product("wgmma_negate_both", "f16", "f32", 16, "128b", "128b", scale_a=-1, scale_b=-1)
    yield product("wgmma_accumulate", "bf16", "f32", 32, "128b", "128b", accumulate=True)
    yield product("wgmma_accumulate_f16", "f16", "f16", 32, "128b", "128b", accumulate=True)
    # The other types are K-major only.
    for dtype in ("tf32", "e4m3", "e5m2"):
        for swizzle in SWIZZLES:
            yield product(f"wgmma_{dtype}_{swizzle}", dtype, "f32", 24, swizzle, swizzle)
    yield product("wgmma_e4m3_e5m2", "e4m3", "f32", 16, "128b", "128b", b_type="e5m2")
    yield product("wgmma_e5m2_f16", "e5m2", "f16", 16, "64b", "128b")
    for dtype in ("s8", "u8"):
        yield product(f"wgmma_{dtype}", dtype, "s32", 32, "128b", "64b")
    yield product("wgmma_s8_u8", "s8", "s32", 16, "32b", "none", b_type="u8")
    yield product("wgmma_s8_accumulate", "s8", "s32", 16, "128b", "128b", accumulate=True)
    # Rounding: the sums are not exact.
    for dtype, accumulator in (("bf16", "f32"), ("f16", "f32"), ("f16", "f16"), ("tf32", "f32"),
                               ("e4m3", "f32"), ("e5m2", "f32"), ("e4m3", "f16")):
        for accumulate in (False, True):
            tag = "_acc" if accumulate else ""
            yield product(f"wgmma_round_{dtype}_{accumulator}{tag}", dtype, accumulator, 64,
                          "128b", "128b", accumulate=accumulate, b_strides=(16, 1024),
                          data=moderate(dtype, 4000 + len(dtype), SIZE * 8 // BITS[dtype]))
    for name, values in (("wide", wide), ("special", special)):
        for dtype, accumulator in (("bf16", "f32"), ("f16", "f32"), ("f16", "f16"),
                                   ("tf32", "f32"), ("e4m3", "f32"), ("e5m2", "f32"),
                                   ("e5m2", "f16")):
            yield product(f"wgmma_{name}_{dtype}_{accumulator}", dtype, accumulator, 64, "128b",
                          "128b", accumulate=True, b_strides=(16, 1024),
                          data=values(dtype, 4100 + len(dtype), SIZE * 8 // BITS[dtype]))
