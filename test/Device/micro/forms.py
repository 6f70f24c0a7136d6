# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every arithmetic opcode of data/arithmetic_forms.txt on the same operands:
special values of every format, then any bits."""

import pathlib
import struct

from .core import Kernel, floats32, mix

HERE = pathlib.Path(__file__).resolve().parent
COUNT = 256  # operands per form
PER_KERNEL = 48

SPECIAL16 = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00,
             0xFC00, 0x7C01, 0x7E00, 0xFE03, 0x7FFF, 0xFFFF, 0x3C00, 0xBC00, 0x7F80, 0xFF80,
             0x7F81, 0xFFC0, 0x7F7F, 0xFF7F, 0x3F80, 0xBF80, 0x0080, 0x007F, 0x5BFF, 0x0002,
             0x0020, 0x00FF, 0x4248, 0xC100, 0x3800, 0xB800, 0x3E00, 0x4100]
SPECIAL32 = [0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000,
             0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0x7FC00000, 0xFFC12345,
             0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3FC00000,
             0x40490FDB, 0x7F812345, 0x00000002, 0x0000001F, 0x00000020, 0x000000FF, 0x0000FFFF,
             0x4B000001, 0x4F000000, 0x4EFFFFFF, 0xCF000000, 0x5F800000, 0x33800000, 0x38800000,
             0x387FC000, 0x477FF000, 0x42FE0000, 0xC2FC0000, 0x40200000, 0x3F808000, 0x3F818000]
SPECIAL64 = [0, 1 << 63, 1, 0x8000000000000001, 0x000FFFFFFFFFFFFF, 0x0010000000000000,
             0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000,
             0x7FF0000000000001, 0x7FF8000000000000, 0xFFF4000020000001, 0x7FFFFFFFFFFFFFFF,
             0xFFFFFFFFFFFFFFFF, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FE0000000000000,
             0x3FF8000000000000, 0xC004000000000000, 0x41E0000000000000, 0x41DFFFFFFFC00000,
             0xC1E0000000000000, 0x43E0000000000000, 0x43F0000000000000, 0x47EFFFFFF0000000,
             0x36A0000000000000, 0x3690000000000001, 0x00000000FFFFFFFF, 0x0000000100000000,
             0x001FFFFFFFFFFFFF, 0x0020000000000001, 0x40EFFC0000000000, 0x3F0FFFFFFFFFFFFF]


def words(bits, place):
    """Operand array number `place` of registers of that width."""
    special = {16: SPECIAL16, 32: SPECIAL32, 64: SPECIAL64}[bits]
    step = (1, 7, 11, 13)[place]
    moderate = floats32(COUNT, 900 + place)
    result = []
    for i in range(COUNT):
        word = mix(bits * 0x10001 + place * 0x1001 + i)
        if i < 144:
            word = special[(i * step + i // len(special) * (5 + place)) % len(special)]
        elif i < 200:  # moderate floats; small integers
            word = {16: moderate[i] >> 16, 32: moderate[i],
                    64: (moderate[i] >> 3 | 0x38 << 56 & word) << 29 & (1 << 64) - 1}[bits]
        elif i < 212:
            word &= 0xFF
        result.append(word & (1 << bits) - 1)
    return result


def without_nan(values):
    top = 0x7FF << 52
    return [v & (1 << 63 | top) if v & top == top else v for v in values]


def operand_bytes():
    """Arrays of four operands each: h, r, d, e."""
    data = b""
    for bits, code in ((16, "H"), (32, "I"), (64, "Q")):
        for place in range(4):
            data += struct.pack(f"<{COUNT}{code}", *words(bits, place))
    for place in range(4):
        data += struct.pack(f"<{COUNT}Q", *without_nan(words(64, place)))
    return data


# Class: register, bytes, where its arrays start.
CLASSES = {"h": ("%h", 2, 0), "r": ("%r", 4, 8 * COUNT), "d": ("%d", 8, 24 * COUNT),
           "e": ("%d", 8, 56 * COUNT)}


def read_forms():
    forms = {}
    for line in (HERE.parent / "data" / "arithmetic_forms.txt").read_text().splitlines():
        if not line.startswith("#"):
            group, opcode, result, sources = line.split("|")
            forms.setdefault(group, []).append((opcode, result, sources))
    return forms


def body_of(forms):
    """Registers: operands 0 to 3 of each class at 0, results at 20; e at 10."""
    lines = ["mov.u32 %r40, %ctaid.x;", "mov.u32 %r41, %ntid.x;",
             "mad.lo.u32 %r42, %r40, %r41, T;",
             f"mul.wide.u32 %d60, %r42, 8;\nadd.u64 %d61, OUT, %d60;"]
    for kind, (register, size, start) in CLASSES.items():
        lines.append(f"mul.wide.u32 %d60, %r42, {size};\nadd.u64 %d62, IN0, %d60;")
        for place in range(4):
            index = place + (10 if kind == "e" else 0)
            lines.append(f"ld.global.b{8 * size} {register}{index}, "
                         f"[%d62+{start + place * size * COUNT}];")
    lines.append("and.b32 %r43, %r2, 1;\nsetp.ne.u32 %p2, %r43, 0;")
    results = {"h": "cvt.u64.u16 %d63, %h20;", "r": "cvt.u64.u32 %d63, %r20;",
               "d": "mov.b64 %d63, %d20;", "p": "selp.u64 %d63, 1, 0, %p20;",
               "pp": "selp.u64 %d63, 1, 0, %p20;\n@%p21 or.b64 %d63, %d63, 2;"}
    for i, (opcode, result, sources) in enumerate(forms):
        names = {"h": "%h", "r": "%r", "d": "%d", "e": "%d1", "p": "%p"}
        target = {"h": "%h20", "r": "%r20", "d": "%d20", "p": "%p20", "pp": "%p20|%p21"}[result]
        args = ", ".join(f"{names[c]}{place}" for place, c in enumerate(sources))
        lines += [f"{opcode} {target}, {args};", results[result],
                  f"st.global.b64 [%d61+{8 * COUNT * i}], %d63;"]
    return "\n".join(lines)


def kernels():
    data = operand_bytes()
    for group, forms in read_forms().items():
        for number in range(0, len(forms), PER_KERNEL):
            chosen = forms[number:number + PER_KERNEL]
            kernel = Kernel(f"forms_{group}_{number // PER_KERNEL}", "forms", body_of(chosen),
                            out=8 * COUNT * len(chosen), inputs=[data], block=128,
                            grid=COUNT // 128)
            kernel.parts = [(opcode, 8 * COUNT * i, 8 * COUNT)
                            for i, (opcode, _, _) in enumerate(chosen)]
            yield kernel
