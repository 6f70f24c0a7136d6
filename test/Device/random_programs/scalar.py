# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces that stay in registers: arithmetic, branches, loops, warp functions."""

import re

import micro.approx
from micro.forms import read_forms
from micro.runner import read_differences

from .program import APPROX_PLACES


# What ptxas 13.0 does with PTX that the ISA gives another meaning, and how
# programs keep clear of it:
# * add, sub and mul without a rounding mode may be fused (ISA, "add": "may be
#   optimized aggressively"): not used.
# * the guard of testp, and of set with a result of 16 bits, is lost: not guarded.
# * chains of cvt, min(x, x) and the like become one conversion or move, which
#   keeps NaN and may round once less: operands pass through an opaque zero.
UNGUARDED = re.compile(r"testp|set\.\w+(\.\w+)*\.(b?f16|u16)\.\w+$")
KNOWN = read_differences()


def composable(opcode):
    return opcode not in KNOWN and \
        not re.match(r"(add|sub|mul)(\.ftz|\.sat)*\.(b?f16|f32|f64)", opcode)


FORMS = {group: [form for form in forms if composable(form[0])]
         for group, forms in read_forms().items()}
GROUPS = sorted(FORMS)
APPROXIMATE = sorted(micro.approx.OPCODES)


def launder(program, kind, place):
    """A copy of a register of the state that ptxas knows nothing of: %r222 is
    zero."""
    draw, text = program.draw, program.text
    if kind == "r":
        text(f"add.u32 %r{140 + place}, %r{draw.below(16)}, %r222;")
        return f"%r{140 + place}"
    if kind == "h":
        text(f"cvt.u32.u16 %r144, %h{draw.below(8)};\nadd.u32 %r144, %r144, %r222;\n"
             f"cvt.u16.u32 %h{30 + place}, %r144;")
        return f"%h{30 + place}"
    text(f"mov.b64 {{%r145, %r146}}, %d{draw.below(8)};\nadd.u32 %r145, %r145, %r222;\n"
         f"add.u32 %r146, %r146, %r222;\nmov.b64 %d{20 + place}, {{%r145, %r146}};")
    return f"%d{20 + place}"


def arithmetic(program):
    """One instruction of data/arithmetic_forms.txt on the state."""
    draw, text = program.draw, program.text
    opcode, result, sources = draw.choice(FORMS[draw.choice(GROUPS)])
    floating = opcode.endswith(".f64")  # its operands, or its result
    args = []
    for place, kind in enumerate(sources):
        if kind == "p":
            args.append(f"%p{draw.below(4)}")
            continue
        register = launder(program, kind, place)
        if kind == "e" or (kind == "d" and floating):
            # Which NaN an instruction of f64 returns is not specified.
            text(f"testp.notanumber.f64 %p12, {register};\n"
                 f"@%p12 mov.b64 {register}, 0x4004000000000000;")
        args.append(register)
    target = {"r": f"%r{draw.below(16)}", "d": f"%d{draw.below(8)}", "h": f"%h{draw.below(8)}",
              "p": f"%p{draw.below(4)}", "pp": "%p0|%p2"}[result]
    guard = ""
    if draw.chance(12) and not UNGUARDED.match(opcode):
        guard = f"@{'!' if draw.chance(50) else ''}%p{draw.below(4)} "
    text(f"{guard}{opcode} {target}, {', '.join(args)};")
    if result == "d" and ".f64" in opcode:
        text(f"testp.notanumber.f64 %p12, {target};\n"
             f"@%p12 mov.b64 {target}, 0x7FF8000000000000;")


def approximate(program):
    """An approximate function of an operand whose result was recorded."""
    draw, text = program.draw, program.text
    opcode = draw.choice(APPROXIMATE)
    bits, arity, _ = micro.approx.OPCODES[opcode]
    size = bits // 8
    text(f"rem.u32 %r110, %r{draw.below(16)}, {micro.approx.COUNT};\n"
         f"mul.wide.u32 %d30, %r110, {arity * size};\nadd.u64 %d30, %d30, IN1;")
    names = {16: "%h", 32: "%r", 64: "%d"}[bits]
    base = {16: 20, 32: 112, 64: 31}[bits]
    for i in range(arity):
        text(f"ld.global.b{bits} {names}{base + i}, [%d30+{APPROX_PLACES[opcode] + i * size}];")
    args = ", ".join(f"{names}{base + i}" for i in range(arity))
    text(f"{opcode} {names}{draw.below(16 if bits == 32 else 8)}, {args};")


def refresh(program):
    """Keeps the state from ending in zeros, infinities and NaN."""
    draw, text = program.draw, program.text
    for _ in range(3):
        i, j = draw.below(16), draw.below(8)
        text(f"mad.lo.u32 %r{i}, %r{i}, 0x2C1B3C6D, %r{draw.below(16)};\n"
             f"cvt.u64.u32 %d33, %r{i};\nmad.lo.u64 %d{j}, %d{j}, 0x5851F42D4C957F2D, %d33;\n"
             f"cvt.u16.u32 %h{j}, %r{i};")


def block(program, count):
    for _ in range(count):
        program.draw.weighted([(16, arithmetic), (2, approximate), (1, refresh)])(program)


def straight_line(program):
    block(program, program.draw.between(6, 24))


def branches(program):
    """Threads of a warp part and meet again."""
    draw, text = program.draw, program.text
    other, end = program.label(), program.label()
    text(f"@%p{draw.below(4)} bra {other};")
    block(program, draw.between(2, 7))
    if draw.chance(40):
        inner = program.label()
        text(f"and.b32 %r105, %r{draw.below(16)}, 3;\nsetp.eq.u32 %p11, %r105, {draw.below(4)};\n"
             f"@%p11 bra {inner};")
        block(program, draw.between(1, 4))
        text(f"{inner}:")
    text(f"bra {end};\n{other}:")
    block(program, draw.between(2, 7))
    text(f"{end}:\nbar.warp.sync -1;")


def loop(program):
    """Rounds that differ from thread to thread."""
    draw, text = program.draw, program.text
    start, end = program.label(), program.label()
    text(f"and.b32 %r106, %r{draw.below(16)}, 7;\n{start}:\nsetp.eq.u32 %p13, %r106, 0;\n"
         f"@%p13 bra {end};")
    block(program, draw.between(2, 6))
    text(f"sub.u32 %r106, %r106, 1;\nbra {start};\n{end}:\nbar.warp.sync -1;")


def switch(program):
    """brx.idx over a list of targets."""
    draw, text = program.draw, program.text
    end = program.label()
    targets = [program.label() for _ in range(4)]
    text(f"and.b32 %r107, %r{draw.below(16)}, 3;\nTS{end}: .branchtargets {', '.join(targets)};\n"
         f"brx.idx %r107, TS{end};")
    for target in targets:
        text(f"{target}:")
        block(program, draw.between(1, 3))
        text(f"bra {end};")
    text(f"{end}:\nbar.warp.sync -1;")


def warp_functions(program):
    draw, text = program.draw, program.text
    for _ in range(draw.between(2, 6)):
        a, to = draw.below(16), draw.below(16)
        kind = draw.below(6)
        if kind == 0:
            mode = draw.choice(("up", "down", "bfly", "idx"))
            clamp = 0 if mode == "up" else 31
            width = draw.choice((0, 16, 24))  # segments of 32, 16, 8 lanes
            lane = draw.choice((str(draw.below(32)), f"%r{draw.below(16)}"))
            text(f"and.b32 %r108, {lane}, 31;\n" if lane[0] == "%" else f"mov.u32 %r108, {lane};")
            text(f"shfl.sync.{mode}.b32 %r{to}|%p{draw.below(4)}, %r{a}, %r108, "
                 f"{clamp | width << 8}, -1;")
        elif kind == 1:
            text(f"vote.sync.ballot.b32 %r{to}, {'!' if draw.chance(50) else ''}%p{draw.below(4)}, "
                 "-1;")
        elif kind == 2:
            text(f"vote.sync.{draw.choice(('all', 'any', 'uni'))}.pred %p{draw.below(4)}, "
                 f"%p{draw.below(4)}, -1;")
        elif kind == 3:
            operation = draw.choice(("add.u32", "min.s32", "max.u32", "and.b32", "or.b32",
                                     "xor.b32", "add.s32", "min.u32", "max.s32"))
            text(f"redux.sync.{operation} %r{to}, %r{a}, -1;")
        elif kind == 4:
            text(f"and.b32 %r108, %r{a}, {draw.choice((1, 3, 7))};")
            if draw.chance(50):
                text(f"match.any.sync.b32 %r{to}, %r108, -1;")
            else:
                text(f"match.all.sync.b32 %r{to}|%p{draw.below(4)}, %r108, -1;")
        else:
            text(f"movmatrix.sync.aligned.m8n8.trans.b16 %r{to}, %r{a};")


PIECES = [(6, straight_line), (4, branches), (3, loop), (1, switch), (3, warp_functions)]
