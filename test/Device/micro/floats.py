# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating-point arithmetic whose result the ISA defines to the last bit."""

from .core import floats32, halves, random_words
from .elementwise import elementwise

COUNT = 4096


def doubles(count, seed, nan=True):
    """float64 words: upper halves of floats32(), every eighth a special value."""
    specials = [0, 1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0xFFF4000000000001,
                0x7FF0000020000001, 1, 0x800FFFFFFFFFFFFF, 1 << 52, 0x7FEFFFFFFFFFFFFF,
                0x3FF << 52]
    words = [high << 32 | low for high, low in
             zip(floats32(count, seed), random_words(count, seed + 1))]
    for i in range(0, count, 8):
        words[i] = specials[words[i] % len(specials)]
    if not nan:
        top = 0x7FF << 52
        words = [word & (1 << 63 | top) if word & top == top else word for word in words]
    return words


def sources(kind, arity, seed):
    if kind in ("f32",):
        return [(32, floats32(COUNT, seed + i)) for i in range(arity)]
    if kind == "f64":
        # Which of two NaNs comes out is not specified: only one operand has any.
        return [(64, doubles(COUNT, seed + 10 * i, nan=i == 0)) for i in range(arity)]
    if kind in ("f16", "bf16"):
        return [(16, halves(COUNT, seed + i, kind == "bf16")) for i in range(arity)]
    words = []
    for i in range(arity):
        low = halves(COUNT, seed + 2 * i, kind == "bf16x2")
        high = halves(COUNT, seed + 2 * i + 1, kind == "bf16x2")
        words.append((32, [l | h << 16 for l, h in zip(low, high)]))
    return words


def op(opcode, kind, arity, seed=100):
    inputs = sources(kind, arity, seed)
    args = ", ".join(f"A{i}" for i in range(arity))
    return elementwise("float_" + opcode.replace(".", "_"), "float", f"{opcode} D0, {args};",
                       inputs, [inputs[0][0]])


def kernels():
    for mode in ("rn", "rz", "rm", "rp"):
        for name, arity in (("add", 2), ("mul", 2), ("fma", 3)):
            yield op(f"{name}.{mode}.f32", "f32", arity)
        yield op(f"div.{mode}.f32", "f32", 2)
        yield op(f"sqrt.{mode}.f32", "f32", 1)
        yield op(f"rcp.{mode}.f32", "f32", 1)
    for opcode, arity in (("add.rn.ftz.f32", 2), ("mul.rn.ftz.f32", 2), ("fma.rn.ftz.f32", 3),
                          ("add.rn.sat.f32", 2), ("fma.rn.ftz.sat.f32", 3), ("sub.rn.f32", 2),
                          ("min.f32", 2), ("max.f32", 2), ("min.NaN.f32", 2),
                          ("max.ftz.NaN.xorsign.abs.f32", 2), ("min.xorsign.abs.f32", 2),
                          ("abs.f32", 1), ("neg.f32", 1), ("abs.ftz.f32", 1),
                          ("copysign.f32", 2), ("div.rn.ftz.f32", 2)):
        yield op(opcode, "f32", arity)
    for opcode, arity in (("add.rn.f64", 2), ("mul.rn.f64", 2), ("fma.rn.f64", 3),
                          ("div.rn.f64", 2), ("sqrt.rn.f64", 1), ("min.f64", 2)):
        yield op(opcode, "f64", arity)
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        for opcode, arity in (("add.rn", 2), ("mul.rn", 2), ("sub.rn", 2), ("fma.rn", 3),
                              ("fma.rn.relu", 3), ("min", 2), ("max", 2), ("max.NaN", 2),
                              ("min.xorsign.abs", 2), ("abs", 1), ("neg", 1)):
            yield op(f"{opcode}.{kind}", kind, arity)
    for opcode, arity in (("add.rn.ftz.f16", 2), ("add.rn.sat.f16", 2), ("fma.rn.ftz.sat.f16", 3),
                          ("max.ftz.f16", 2)):
        yield op(opcode, "f16", arity)
    for compare in ("eq", "ne", "lt", "ge", "equ", "neu", "ltu", "geu", "num", "nan"):
        code = f"setp.{compare}.f32 %p1, A0, A1;\nselp.b32 D0, 1, 0, %p1;"
        yield elementwise(f"float_setp_{compare}_f32", "float", code, sources("f32", 2, 300),
                          [32])
    for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        code = f"testp.{what}.f32 %p1, A0;\nselp.b32 D0, 1, 0, %p1;"
        yield elementwise(f"float_testp_{what}", "float", code, sources("f32", 1, 310), [32])
    for kind in ("f16x2", "bf16x2"):
        code = \
            f"setp.gtu.{kind} %p1|%p2, A0, A1;\nselp.b32 D0, 1, 0, %p1;\n@%p2 or.b32 D0, D0, 2;"
        yield elementwise(f"float_setp_gtu_{kind}", "float", code, sources(kind, 2, 320), [32])
    code = "slct.b32.f32 D0, A0, A1, A2;"
    yield elementwise("float_slct", "float", code, sources("f32", 3, 330), [32])
