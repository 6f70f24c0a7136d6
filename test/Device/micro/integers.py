# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer arithmetic and bit operations."""

from .core import mix, random_words
from .elementwise import elementwise

COUNT = 4096
SPECIAL = [0, 1, 2, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFF, 0x8000]


def words(seed, bits=32):
    result = []
    for i, word in enumerate(random_words(COUNT, seed, bits)):
        if i % 3 == 0:
            word = SPECIAL[word % len(SPECIAL)] if bits == 32 else \
                (SPECIAL[word % len(SPECIAL)] << (mix(word) % 33)) & ((1 << bits) - 1)
        elif i % 3 == 1:
            word >>= mix(word) % bits
        result.append(word & ((1 << bits) - 1))
    return result


def positions(seed):
    """Shift counts, bit positions and lengths: mostly in range."""
    return [w & (0x3F if i % 4 else 0xFFFFFFFF) for i, w in enumerate(random_words(COUNT, seed))]


def bytes_(seed):
    return [position & 0xFF for position in positions(seed)]


def op(opcode, bits=32, arity=2, second=None, out=None, seed=40):
    inputs = [(bits, words(seed + i, bits)) for i in range(arity)]
    for i, words_ in (second or {}).items():
        inputs[i] = words_
    args = ", ".join(f"A{i}" for i in range(arity))
    return elementwise("int_" + opcode.replace(".", "_"), "integer", f"{opcode} D0, {args};",
                       inputs, [out or bits])


def nonzero(seed, bits):
    return bits, [w or 7 for w in words(seed, bits)]


def kernels():
    for kind, bits in (("u32", 32), ("s32", 32), ("u64", 64), ("s64", 64), ("u16", 16),
                       ("s16", 16)):
        yield op(f"mul.lo.{kind}", bits)
        yield op(f"mul.hi.{kind}", bits)
        yield op(f"mad.lo.{kind}", bits, 3)
        yield op(f"div.{kind}", bits, second={1: nonzero(60, bits)})
        yield op(f"rem.{kind}", bits, second={1: nonzero(61, bits)})
        yield op(f"min.{kind}", bits)
        yield op(f"max.{kind}", bits)
        yield op(f"shr.{kind}", bits, second={1: (32, positions(62))})
    yield op("mul.wide.s32", 32, out=64)
    yield op("mad.wide.u32", 32, 3, second={2: (64, words(63, 64))}, out=64)
    yield op("mad.hi.s32", 32, 3)
    yield op("mul24.lo.s32")
    yield op("mul24.hi.u32")
    yield op("mul24.hi.s32")
    for form in ("lo.u32", "lo.s32", "hi.u32", "hi.s32", "hi.sat.s32"):
        yield op(f"mad24.{form}", 32, 3)
    yield op("add.sat.s32")
    yield op("sub.sat.s32")
    yield op("sad.s32", 32, 3)
    yield op("sad.u32", 32, 3)
    yield op("abs.s32", 32, 1)
    yield op("neg.s64", 64, 1)
    yield op("shl.b32", 32, second={1: (32, positions(64))})
    yield op("shl.b64", 64, second={1: (32, positions(65))})
    for mode in ("l.wrap", "l.clamp", "r.wrap", "r.clamp"):
        yield op(f"shf.{mode}.b32", 32, 3, second={2: (32, positions(66))})
    # Positions and lengths are restricted to 0..255.
    for kind, bits in (("u32", 32), ("s32", 32), ("u64", 64), ("s64", 64)):
        yield op(f"bfe.{kind}", bits, 3,
                 second={1: (32, bytes_(67)), 2: (32, bytes_(68))})
    for bits in (32, 64):
        yield op(f"bfi.b{bits}", bits, 4,
                 second={2: (32, bytes_(69)), 3: (32, bytes_(70))})
        yield op(f"popc.b{bits}", bits, 1, out=32)
        yield op(f"clz.b{bits}", bits, 1, out=32)
        yield op(f"brev.b{bits}", bits, 1)
        for kind in (f"u{bits}", f"s{bits}"):
            yield op(f"bfind.{kind}", bits, 1, out=32)
        yield op(f"bfind.shiftamt.u{bits}", bits, 1, out=32)
    yield op("fns.b32", 32, 3, second={1: (32, [p & 31 for p in positions(71)]),
                                       2: (32, [(p % 9 - 4) & 0xFFFFFFFF for p in positions(72)])})
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield op(f"prmt.b32{mode}", 32, 3)
    for mode in ("wrap", "clamp"):
        yield op(f"bmsk.{mode}.b32", 32, second={0: (32, positions(73)), 1: (32, positions(74))})
        for kind in ("u32", "s32"):
            yield op(f"szext.{mode}.{kind}", 32, second={1: (32, positions(75))})
    for kinds in ("u32.u32", "s32.s32", "u32.s32", "s32.u32"):
        yield op(f"dp4a.{kinds}", 32, 3)
        yield op(f"dp2a.lo.{kinds}", 32, 3)
        yield op(f"dp2a.hi.{kinds}", 32, 3)
    # Every truth table, two words each.
    code = "\n".join(f"lop3.b32 %r1, A0, A1, A2, {table};\nxor.b32 D0, D0, %r1;\n"
                     "shf.l.wrap.b32 D0, D0, D0, 5;" for table in range(256))
    yield elementwise("int_lop3_all", "integer", "mov.b32 D0, 0;\n" + code,
                      [(32, random_words(512, 76 + i)) for i in range(3)], [32])
    for table in (0x96, 0xE8, 0xCA, 0x01):
        yield elementwise(f"int_lop3_{table:02x}", "integer",
                          f"lop3.b32 D0, A0, A1, A2, {table:#x};",
                          [(32, random_words(256, 79 + i)) for i in range(3)], [32])
    for name in ("and", "or", "xor"):
        yield op(f"{name}.b32")
    yield op("not.b64", 64, 1)
    yield op("cnot.b32", 32, 1)
    yield elementwise("int_carry_chain", "integer", """
        add.cc.u32 D0, A0, A1;
        addc.cc.u32 D1, A1, A2;
        addc.u32 D2, A2, A0;
        mad.lo.cc.u32 %r1, A0, A1, A2;
        madc.hi.u32 %r2, A0, A1, A2;
        xor.b32 D2, D2, %r2;
        xor.b32 D1, D1, %r1;
        sub.cc.u32 %r3, A0, A1;
        subc.u32 %r4, A1, A2;
        xor.b32 D0, D0, %r4;""", [(32, words(90 + i)) for i in range(3)], [32, 32, 32])
    # A product of 128 bits, the upper half by two ways.
    yield elementwise("int_carry_mad_64", "integer", """
        mad.lo.cc.u64 D0, A0, A1, A2;
        madc.hi.cc.u64 D1, A0, A1, A2;
        addc.u64 D2, A2, A0;
        mad.hi.cc.s64 %d1, A0, A1, A2;
        madc.lo.s64 %d2, A1, A2, A0;
        xor.b64 D2, D2, %d1;
        xor.b64 D1, D1, %d2;""", [(64, words(97 + i, 64)) for i in range(3)], [64, 64, 64])
    for kind in ("u32", "s32"):
        yield elementwise(f"int_carry_mad_{kind}", "integer", f"""
            mad.hi.cc.{kind} D0, A0, A1, A2;
            madc.lo.cc.{kind} D1, A0, A1, A2;
            madc.hi.cc.{kind} D2, A2, A1, A0;
            addc.u32 D3, A2, A0;""", [(32, words(87 + i)) for i in range(3)], [32] * 4)
    for compare in ("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"):
        kind = "u32" if compare in ("lo", "ls", "hi", "hs") else "s32"
        code = f"setp.{compare}.{kind} %p1, A0, A1;\nselp.b32 D0, 1, 0, %p1;"
        yield elementwise(f"int_setp_{compare}", "integer", code,
                          [(32, words(93)), (32, words(94))], [32])
    code = """
        setp.lt.and.s32 %p1|%p2, A0, A1, %p3;
        selp.b32 D0, 1, 0, %p1;
        @%p2 or.b32 D0, D0, 2;"""
    yield elementwise("int_setp_combined", "integer", "setp.gt.u32 %p3, A0, 1000;" + code,
                      [(32, words(95)), (32, words(96))], [32])
