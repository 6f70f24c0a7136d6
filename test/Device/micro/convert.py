# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cvt: exhaustive over sources of 16 bits and less, sampled above."""

import functools

from .core import floats32, mix, random_words
from .elementwise import elementwise
from .floats import doubles

ALL16 = list(range(1 << 16))


@functools.cache
def upper_halves(seed):
    """Every upper half of a float32, with lower halves that include ties."""
    low = [0, 0x8000, 0x7FFF, 0x8001, 0x4000, 0x1000, 0xF000, 0x0001]
    words = []
    for i in ALL16:
        r = mix(seed + i)
        words.append(i << 16 | (low[r % 8] if r & 64 else (r >> 16) & 0xFFFF))
    return words


def simple(name, opcode, source, target, words):
    """D0 = cvt A0 with registers of those widths."""
    return elementwise(name, "convert", f"{opcode} D0, A0;", [(source, words)], [target])


def fp8():
    pairs = [2 * i | (2 * i + 1) << 16 for i in range(1 << 15)]
    for kind in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            tag = kind + relu.replace(".", "_")
            yield elementwise(f"cvt_{tag}_f16x2", "convert",
                              f"cvt.rn.satfinite{relu}.{kind}.f16x2 D0, A0;",
                              [(32, pairs)], [16])
            yield elementwise(f"cvt_{tag}_f32", "convert",
                              f"cvt.rn.satfinite{relu}.{kind}.f32 D0, A0, A1;",
                              [(32, upper_halves(1)), (32, upper_halves(2)[::-1])], [16])
            yield elementwise(f"cvt_f16x2_{tag}", "convert",
                              f"cvt.rn{relu}.f16x2.{kind} D0, A0;", [(16, ALL16)], [32])


def from_float():
    for target in ("f16", "bf16"):
        for mode in ("rn", "rz"):
            for relu in ("", ".relu"):
                yield simple(f"cvt_{mode}{relu.replace('.', '_')}_{target}_f32",
                             f"cvt.{mode}{relu}.{target}.f32", 32, 16, upper_halves(3))
                yield elementwise(f"cvt_{mode}{relu.replace('.', '_')}_{target}x2_f32",
                                  "convert", f"cvt.{mode}{relu}.{target}x2.f32 D0, A0, A1;",
                                  [(32, upper_halves(4)), (32, floats32(1 << 16, 5))], [32])
    yield simple("cvt_rn_ftz_f16_f32", "cvt.rn.ftz.f16.f32", 32, 16, upper_halves(6))
    yield simple("cvt_rm_f16_f32", "cvt.rm.f16.f32", 32, 16, upper_halves(6))
    yield simple("cvt_rp_f16_f32", "cvt.rp.f16.f32", 32, 16, upper_halves(6))
    yield simple("cvt_rn_sat_f16_f32", "cvt.rn.sat.f16.f32", 32, 16, upper_halves(7))
    yield simple("cvt_rna_tf32_f32", "cvt.rna.tf32.f32", 32, 32, upper_halves(8))
    yield simple("cvt_rn_tf32_f32", "cvt.rn.tf32.f32", 32, 32, upper_halves(8))
    yield simple("cvt_rz_relu_tf32_f32", "cvt.rz.relu.tf32.f32", 32, 32, upper_halves(8))
    for mode in ("rni", "rzi", "rmi", "rpi"):
        yield simple(f"cvt_{mode}_f32_f32", f"cvt.{mode}.f32.f32", 32, 32, upper_halves(9))
        for target in ("s32", "u32"):
            yield simple(f"cvt_{mode}_{target}_f32", f"cvt.{mode}.{target}.f32", 32, 32,
                         floats32(1 << 14, 10))
    yield simple("cvt_rzi_ftz_s32_f32", "cvt.rzi.ftz.s32.f32", 32, 32, floats32(1 << 14, 11))
    for target, bits in (("s8", 32), ("u8", 32), ("s16", 16), ("u16", 16), ("s64", 64),
                         ("u64", 64)):
        yield simple(f"cvt_rni_{target}_f32", f"cvt.rni.{target}.f32", 32, bits,
                     floats32(1 << 13, 12))
    yield simple("cvt_f64_f32", "cvt.f64.f32", 32, 64, floats32(1 << 13, 13))
    for mode in ("rn", "rz", "rm", "rp"):
        yield simple(f"cvt_{mode}_f32_f64", f"cvt.{mode}.f32.f64", 64, 32, doubles(1 << 13, 14))
    # No NaNs: the ISA asks for a NaN, an H200 turns the smallest ones into numbers.
    yield simple("cvt_rna_satfinite_tf32_f32", "cvt.rna.satfinite.tf32.f32", 32, 32,
                 [w & 0xFF800000 if w & 0x7F800000 == 0x7F800000 else w for w in upper_halves(8)])
    for target in ("f16", "bf16"):
        yield simple(f"cvt_rn_satfinite_{target}_f32", f"cvt.rn.satfinite.{target}.f32", 32, 16,
                     upper_halves(3))


def from_half():
    yield simple("cvt_f32_f16", "cvt.f32.f16", 16, 32, ALL16)
    yield simple("cvt_f32_bf16", "cvt.f32.bf16", 16, 32, ALL16)
    for mode in ("rni", "rzi", "rmi", "rpi"):
        yield simple(f"cvt_{mode}_s32_f16", f"cvt.{mode}.s32.f16", 16, 32, ALL16)
        yield simple(f"cvt_{mode}_f16_f16", f"cvt.{mode}.f16.f16", 16, 16, ALL16)
    yield simple("cvt_rzi_u16_f16", "cvt.rzi.u16.f16", 16, 16, ALL16)
    yield simple("cvt_rni_s16_bf16", "cvt.rni.s16.bf16", 16, 16, ALL16)
    yield simple("cvt_rn_bf16_f16", "cvt.rn.bf16.f16", 16, 16, ALL16)
    yield simple("cvt_rn_f16_bf16", "cvt.rn.f16.bf16", 16, 16, ALL16)


def from_integers():
    words = random_words(1 << 13, 16) + [0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF]
    for source in ("s32", "u32"):
        for mode in ("rn", "rz", "rm", "rp"):
            yield simple(f"cvt_{mode}_f32_{source}", f"cvt.{mode}.f32.{source}", 32, 32, words)
        yield simple(f"cvt_rn_f16_{source}", f"cvt.rn.f16.{source}", 32, 16,
                     [w >> (i % 32) for i, w in enumerate(words)])
        yield simple(f"cvt_rn_bf16_{source}", f"cvt.rn.bf16.{source}", 32, 16, words)
    for source in ("s16", "u16"):
        yield simple(f"cvt_rn_f16_{source}", f"cvt.rn.f16.{source}", 16, 16, ALL16)
        yield simple(f"cvt_sat_u8_{source}", f"cvt.sat.u8.{source}", 16, 16, ALL16)
        yield simple(f"cvt_sat_s8_{source}", f"cvt.sat.s8.{source}", 16, 16, ALL16)
    for pair in ("s8.s32", "u8.s32", "s16.s32", "u16.s32", "s32.u32", "u32.s32"):
        name = pair.replace(".", "_")
        bits = 16 if "16" in pair else 32
        yield simple(f"cvt_sat_{name}", f"cvt.sat.{pair}", 32, bits,
                     [w >> (i % 32) for i, w in enumerate(words)] + words)
    yield simple("cvt_rn_f32_s64", "cvt.rn.f32.s64", 64, 32, random_words(4096, 17, 64))
    yield simple("cvt_rn_f64_u64", "cvt.rn.f64.u64", 64, 64, random_words(4096, 18, 64))
    small = [w >> (i % 32) | (0 if i % 3 else 0x80000000) for i, w in enumerate(words)]
    for pack in ("sat.u8.s32.b32", "sat.s8.s32.b32", "sat.u4.s32.b32", "sat.s4.s32.b32",
                 "sat.u2.s32.b32", "sat.s2.s32.b32"):
        yield elementwise(f"cvt_pack_{pack.replace('.', '_')}", "convert",
                          f"cvt.pack.{pack} D0, A0, A1, A2;",
                          [(32, small), (32, small[::-1]), (32, words)], [32])
    for kind in ("s16", "u16"):
        yield elementwise(f"cvt_pack_sat_{kind}_s32", "convert",
                          f"cvt.pack.sat.{kind}.s32 D0, A0, A1;",
                          [(32, small), (32, small[::-1])], [32])


def kernels():
    yield from fp8()
    yield from from_float()
    yield from from_half()
    yield from from_integers()
