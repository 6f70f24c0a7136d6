# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Descriptors, scales and the accumulate predicate of tcgen05.mma and cp. Classes
28 and 29."""

from ptx import Edit, with_offset
from .registry import bug


def changed(kernel, i, position, variant, line, type_):
    """The operand goes through `line` first."""
    edit = Edit()
    new = edit.register(type_)
    edit.before(i, line.format(new=new, old=kernel.body[i].operands[position]))
    return i, variant, edit.with_operand(kernel, i, position, new)


MATRIX = {
    "stride offset": "xor.b64 {new}, {old}, %d;" % (0x20 << 32),
    "swizzle": "xor.b64 {new}, {old}, %d;" % -(2 << 61),
    "base offset": "xor.b64 {new}, {old}, %d;" % (1 << 49),
    "constant bit": "xor.b64 {new}, {old}, %d;" % (1 << 46),
    "K advance": "add.s64 {new}, {old}, 2;",
}
INSTRUCTION = {
    "N": "sub.s32 {new}, {old}, %d;" % (1 << 17),
    "A type": "xor.b32 {new}, {old}, %d;" % (1 << 7),
    "A transposed": "xor.b32 {new}, {old}, %d;" % (1 << 15),
    "B transposed": "xor.b32 {new}, {old}, %d;" % (1 << 16),
}


LEADING = "xor.b64 {new}, {old}, %d;" % (0x80 << 16)


def instruction_of(kernel, i):
    """The instruction descriptor, or that of M = 128 and K-major operands."""
    return kernel.first_value(kernel.body[i].operands[3], i) or 8 << 24


def half_m(kernel, i):
    """M of 64 for 128, of 128 for 256: bits 24 to 28 hold M / 16."""
    m = instruction_of(kernel, i) >> 24 & 31
    return "xor.b32 {new}, {old}, %d;" % ((m ^ m // 2) << 24)


def has_leading_offset(kernel, i, matrix):
    """Whether the leading dimension offset counts: for an operand of 16-bit
    elements along M or N (bits 15, 16) with more than one row of 128 bytes."""
    s, bits = kernel.body[i], instruction_of(kernel, i)
    extent = (bits >> 24 & 31) * 16 if matrix == "A" else (bits >> 17 & 63) * 8
    return s.has("kind::f16") and bits >> (15 if matrix == "A" else 16) & 1 and \
        extent // (2 if s.has("cta_group::2") else 1) > 64


@bug(28, "wrong descriptor")
def wrong_descriptor(kernel):
    for i in kernel.find("tcgen05.mma"):
        s = kernel.body[i]
        for position, matrix in ((1, "A"), (2, "B")):
            if not s.operands[position].startswith("["):
                leading = {"leading offset": LEADING} if has_leading_offset(kernel, i, matrix) else {}
                for variant, line in {**MATRIX, **leading}.items():
                    yield changed(kernel, i, position, f"{matrix}: {variant}", line, "b64")
        for variant, line in {**INSTRUCTION, "M": half_m(kernel, i)}.items():
            yield changed(kernel, i, 3, variant, line, "b32")
    for i in kernel.find("tcgen05.cp"):
        for variant in ("stride offset", "constant bit", "K advance", "swizzle"):
            yield changed(kernel, i, 1, f"cp: {variant}", MATRIX[variant], "b64")


@bug(29, "wrong scales, or the first mma accumulates")
def wrong_scales(kernel):
    for i in kernel.find("tcgen05.mma"):
        s = kernel.body[i]
        accumulate = 6 if s.has("block_scale") else 4
        if not kernel.first_value(s.operands[accumulate], i):
            yield i, "accumulates on garbage", Edit().with_operand(kernel, i, accumulate, "1")
        else:
            yield i, "forgets the sum", Edit().with_operand(kernel, i, accumulate, "0")
        if s.has("block_scale"):
            for position, matrix in ((4, "A"), (5, "B")):
                yield i, f"scales of {matrix}: column", Edit().with_operand(
                    kernel, i, position, with_offset(s.operands[position], 1))
            yield changed(kernel, i, 3, "id of B's scales", "xor.b32 {new}, {old}, %d;" % (1 << 4), "b32")
            yield changed(kernel, i, 3, "id of A's scales", "xor.b32 {new}, {old}, %d;" % (1 << 29), "b32")
            yield changed(kernel, i, 3, "type of the scales", "xor.b32 {new}, {old}, %d;" % (1 << 23), "b32")
    for i in kernel.find("tcgen05.cp"):
        s = kernel.body[i]
        yield i, "copied to the next columns", Edit().with_operand(kernel, i, 0, with_offset(s.operands[0], 4))
