# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics: each word once (old and new values), and many threads on one word
where the result does not depend on the order."""

from .core import Kernel, Text, floats32, halves, pack, random_words

WIDTH = {"u32": 32, "s32": 32, "b32": 32, "u64": 64, "s64": 64, "b64": 64, "f32": 32, "f64": 64,
         "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32, "b16": 16}


def values(kind, count, seed):
    if kind == "f32":
        # Every fifth word is subnormal: additions in global memory flush it.
        return [w & 0x807FFFFF if i % 5 == 2 else w
                for i, w in enumerate(floats32(count, seed))]
    if kind == "f64":
        return [0x3FF0000000000000 ^ (w & 0x800FFFFFFFFFFFFF)
                for w in random_words(count, seed, 64)]
    if kind in ("f16", "bf16"):
        return halves(count, seed, kind == "bf16")
    if kind in ("f16x2", "bf16x2"):
        low, high = halves(count, seed, kind == "bf16x2"), halves(count, seed + 1, kind == "bf16x2")
        return [l | h << 16 for l, h in zip(low, high)]
    return random_words(count, seed, WIDTH[kind])


def one_each(space, op, kind, noftz=False):
    """Thread T works on word T: the old value and the new one go out."""
    bits, threads = WIDTH[kind], 128
    size = bits // 8
    text = Text()
    register = {16: "%h1", 32: "%r1", 64: "%d1"}[bits]
    old = register.replace("1", "2")
    third = register.replace("1", "3")
    extra = ""
    text(f"mul.wide.u32 %d20, T, {size};\nadd.u64 %d21, %d20, IN0;\n"
         f"ld.global.b{bits} {register}, [%d21];\nadd.u64 %d21, %d20, IN1;\n"
         f"ld.global.b{bits} {third}, [%d21];\ncvt.u32.u64 %r20, %d20;")
    if op == "cas":
        # Every second comparison succeeds.
        text(f"mul.wide.u32 %d22, T, {size};\nadd.u64 %d22, %d22, OUT;\n"
             f"ld.global.b{bits} {register.replace('1', '4')}, [%d22];\n"
             "and.b32 %r21, T, 1;\nsetp.eq.u32 %p1, %r21, 0;\n"
             f"@%p1 mov.b{bits} {register}, {register.replace('1', '4')};")
        extra = f", {third}"
    ftz = ".noftz" if noftz else ""
    if space == "global":
        text(f"add.u64 %d21, %d20, OUT;\n"
             f"atom.global.{op}{ftz}.{kind} {old}, [%d21], {register}{extra};")
    else:
        text(f"add.u64 %d21, %d20, OUT;\nld.global.b{bits} {third.replace('3', '5')}, [%d21];\n"
             f"add.u32 %r22, SM, %r20;\nst.shared.b{bits} [%r22], {third.replace('3', '5')};\n"
             f"atom.shared.{op}{ftz}.{kind} {old}, [%r22], {register}{extra};\n"
             f"ld.shared.b{bits} {third.replace('3', '5')}, [%r22];\n"
             f"st.global.b{bits} [%d21], {third.replace('3', '5')};")
    text.store(old, threads * size, bits)
    data = pack(values(kind, threads, 7), bits)
    return Kernel(f"atom_{space}_{op}_{kind}", "atomic", str(text), out=2 * threads * size,
                  out_init=data + b"\xff" * len(data), block=threads, smem=1024,
                  inputs=[pack(values(kind, threads, 8), bits), pack(values(kind, threads, 9), bits)])


def many(op, kind, space):
    """256 threads of 4 CTAs on 16 words, red where the old value is unused."""
    text = Text()
    text("mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 256, T;\nmul.lo.u32 %r3, %r2, 2654435761;\n"
         "and.b32 %r4, T, 15;\nmul.wide.u32 %d1, %r4, 4;\nadd.u64 %d1, %d1, OUT;")
    if space == "global":
        text(f"red.relaxed.gpu.global.{op}.{kind} [%d1], %r3;")
    else:
        text("shl.b32 %r5, %r4, 2;\nadd.u32 %r5, SM, %r5;\nld.global.b32 %r6, [%d1];\n"
             "setp.ge.u32 %p1, T, 16;\n@!%p1 st.shared.b32 [%r5], %r6;\nbar.sync 0;\n"
             f"red.relaxed.cta.shared.{op}.{kind} [%r5], %r3;\nbar.sync 0;\n"
             "ld.shared.b32 %r6, [%r5];\n@!%p1 st.global.b32 [%d1+64], %r6;")
    return Kernel(f"red_{space}_{op}_{kind}", "atomic", str(text), out=128,
                  out_init=pack(random_words(32, 12), 32), block=256,
                  grid=4 if space == "global" else 1, smem=1024)


def vectors(kind, count):
    """Vector atomics on global memory (floating point only)."""
    bits, threads = WIDTH[kind], 32
    size = bits // 8 * count
    text = Text()
    names = [({16: "%h", 32: "%r"}[bits]) + str(10 + i) for i in range(count)]
    olds = [({16: "%h", 32: "%r"}[bits]) + str(30 + i) for i in range(count)]
    text(f"mul.wide.u32 %d1, T, {size};\nadd.u64 %d2, %d1, IN0;\nadd.u64 %d3, %d1, OUT;")
    for i, name in enumerate(names):
        text(f"ld.global.b{bits} {name}, [%d2+{i * bits // 8}];")
    noftz = "" if kind == "f32" else ".noftz"
    text(f"atom.global.add{noftz}.v{count}.{kind} {{{', '.join(olds)}}}, [%d3], "
         f"{{{', '.join(names)}}};")
    for i, name in enumerate(olds):
        text.store(name, threads * size + i * bits // 8, bits, stride=size)
    data = pack(values(kind, threads * count, 17), bits)
    return Kernel(f"atom_vector_{kind}_{count}", "atomic", str(text), out=2 * len(data),
                  out_init=data + b"\xff" * len(data), block=threads,
                  inputs=[pack(values(kind, threads * count, 18), bits)])


def wide(op):
    """128 bits at once."""
    text = Text()
    text("mul.wide.u32 %d1, T, 16;\nadd.u64 %d2, %d1, IN0;\nadd.u64 %d3, %d1, OUT;\n"
         "ld.global.v2.b64 {%d10, %d11}, [%d2];\nld.global.v2.b64 {%d12, %d13}, [%d3];\n"
         "and.b32 %r1, T, 1;\ncvt.u64.u32 %d14, %r1;\nadd.u64 %d12, %d12, %d14;\n"
         "mov.b128 Q0, {%d10, %d11};\nmov.b128 Q1, {%d12, %d13};")
    text("atom.global.exch.b128 Q2, [%d3], Q0;" if op == "exch" else
         "atom.global.cas.b128 Q2, [%d3], Q1, Q0;")
    text("mov.b128 {%d15, %d16}, Q2;")
    text("add.u64 %d3, %d3, 512;\nst.global.v2.b64 [%d3], {%d15, %d16};")
    data = pack(random_words(64, 19, 64), 64)
    return Kernel(f"atom_{op}_b128", "atomic", str(text), out=1024,
                  out_init=data + b"\xff" * 512, inputs=[pack(random_words(64, 20, 64), 64)],
                  registers=".reg .b128 Q<3>;")


def kernels():
    integers = [("add", "u32"), ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"),
                ("inc", "u32"), ("dec", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"),
                ("exch", "b32"), ("cas", "b32")]
    longs = [("add", "u64"), ("min", "s64"), ("max", "u64"), ("and", "b64"), ("or", "b64"),
             ("xor", "b64"), ("exch", "b64"), ("cas", "b64")]
    for space in ("global", "shared"):
        for op, kind in integers + longs + [("add", "f32"), ("add", "f64"), ("cas", "b16")]:
            yield one_each(space, op, kind)
        for kind in ("f16", "bf16", "f16x2", "bf16x2"):
            yield one_each(space, "add", kind, noftz=True)
        for op, kind in (("add", "u32"), ("min", "u32"), ("max", "s32"), ("xor", "b32"),
                         ("and", "b32"), ("or", "b32")):
            yield many(op, kind, space)
    for kind, count in (("f32", 2), ("f32", 4), ("f16", 2), ("f16", 4), ("f16", 8),
                        ("bf16", 8), ("f16x2", 4), ("bf16x2", 2)):
        yield vectors(kind, count)
    yield wide("exch")
    yield wide("cas")
