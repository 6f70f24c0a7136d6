# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions among the threads of a warp, and named barriers."""

from .core import Kernel, Text, pack, random_words


def warp(name, code, inputs, outs=1, block=64, family="warp"):
    """`code` maps A0, A1, ... (one word per thread) to D0, D1, ..."""
    text = Text()
    for i in range(len(inputs)):
        text(f"mul.wide.u32 %d1, T, 4;\nadd.u64 %d1, %d1, IN{i};\nld.global.b32 A{i}, [%d1];")
    text(code)
    for i in range(outs):
        text.store(f"D{i}", 4 * block * i)
    registers = " ".join([f".reg .b32 A{i};" for i in range(len(inputs))] +
                         [f".reg .b32 D{i};" for i in range(outs)])
    return Kernel(name, family, str(text), out=4 * block * outs, block=block,
                  inputs=[pack(words, 32) for words in inputs], registers=registers)


def shuffles():
    values, sources = random_words(64, 1), random_words(64, 2)
    for mode in ("up", "down", "bfly", "idx"):
        for clamp in (0x1F, 0x0, 0x181F, 0x1C03, 0x1007):
            code = f"""
                and.b32 %r1, A1, 31;
                shfl.sync.{mode}.b32 D0|%p1, A0, %r1, {clamp:#x}, 0xffffffff;
                selp.b32 D1, 1, 0, %p1;"""
            yield warp(f"shfl_{mode}_{clamp:x}", code, [values, sources], 2)
    code = """
        setp.lt.u32 %p2, T, 64;
        and.b32 %r2, T, 31;
        mov.b32 D0, 77;
        setp.ge.u32 %p3, %r2, 8;
        @%p3 shfl.sync.down.b32 D0, A0, 3, 0x1f, 0xffffff00;"""
    yield warp("shfl_partial", code, [values])


def votes():
    values = random_words(64, 3)
    code = """
        and.b32 %r1, A0, 3;
        setp.eq.u32 %p1, %r1, 0;
        vote.sync.ballot.b32 D0, %p1, 0xffffffff;
        vote.sync.any.pred %p2, %p1, 0xffffffff;
        vote.sync.all.pred %p3, %p1, 0xffffffff;
        vote.sync.uni.pred %p4, %p1, 0xffffffff;
        vote.sync.ballot.b32 D2, !%p1, 0xffffffff;
        selp.b32 D1, 1, 0, %p2;
        @%p3 or.b32 D1, D1, 2;
        @%p4 or.b32 D1, D1, 4;"""
    yield warp("vote", code, [values], 3)
    code = """
        setp.lt.u32 %p1, T, 1000;
        vote.sync.all.pred %p3, %p1, 0xffffffff;
        vote.sync.uni.pred %p4, !%p1, 0xffffffff;
        selp.b32 D0, 1, 0, %p3;
        @%p4 or.b32 D0, D0, 2;"""
    yield warp("vote_uniform", code, [values])
    code = """
        and.b32 %r1, A0, 7;
        match.any.sync.b32 D0, %r1, 0xffffffff;
        match.all.sync.b32 D1|%p1, %r1, 0xffffffff;
        selp.b32 D2, 1, 0, %p1;
        match.all.sync.b32 D3|%p1, 5, 0xffffffff;
        mov.b64 %d2, {%r1, %r1};
        match.any.sync.b64 %r5, %d2, 0xffffffff;
        xor.b32 D3, D3, %r5;"""
    yield warp("match", code, [values], 4)
    # Which lane is elected is not specified: that it is one, and that all know it.
    code = """
        activemask.b32 D0;
        elect.sync %r1|%p1, 0xffffffff;
        vote.sync.ballot.b32 %r3, %p1, 0xffffffff;
        popc.b32 D1, %r3;
        shl.b32 %r4, 1, %r1;
        xor.b32 D2, %r3, %r4;
        mov.u32 D3, %lanemask_lt;
        mov.u32 %r2, %lanemask_ge;
        xor.b32 D3, D3, %r2;"""
    yield warp("elect", code, [values], 4)


def reductions():
    values = random_words(64, 4)
    for name in ("add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32",
                 "or.b32", "xor.b32"):
        code = f"redux.sync.{name} D0, A0, 0xffffffff;"
        yield warp("redux_" + name.replace(".", "_"), code, [values])
    code = """
        and.b32 %r2, T, 1;
        setp.eq.u32 %p1, %r2, 0;
        mov.b32 D0, 5;
        @%p1 redux.sync.add.u32 D0, A0, 0x55555555;
        @!%p1 redux.sync.max.u32 D0, A0, 0xaaaaaaaa;"""
    yield warp("redux_halves", code, [values])


def named_barriers():
    values = random_words(128, 5)
    for op, kind in (("popc", "u32"), ("and", "pred"), ("or", "pred")):
        for threads in (64, 128):
            result = "D0" if op == "popc" else "%p2"
            after = "" if op == "popc" else "\nselp.b32 D0, 1, 0, %p2;"
            code = f"""
                and.b32 %r1, A0, 15;
                setp.ne.u32 %p1, %r1, 0;
                setp.ge.u32 %p3, T, {threads};
                mov.b32 D0, 99;
                @%p3 bra SKIP;
                barrier.cta.red.{op}.aligned.{kind} {result}, 3, {threads}, %p1;{after}
                SKIP:"""
            yield warp(f"barrier_red_{op}_{threads}", code, [values], block=128,
                       family="barrier")
    # A producer warp that arrives, consumer warps that wait, barriers 1 to 4.
    text = Text()
    text("shr.u32 %r1, T, 5;\nand.b32 %r2, T, 31;\nshl.b32 %r3, %r2, 2;\nadd.u32 %r3, SM, %r3;")
    text("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra CONSUMER;")
    for i in range(6):
        slot = i % 2
        if i >= 2:
            text(f"barrier.cta.sync {3 + slot}, 128;")
        text(f"mad.lo.u32 %r4, %r2, 31, {i * 777};\nst.shared.b32 [%r3+{128 * slot}], %r4;")
        text(f"barrier.cta.arrive {1 + slot}, 128;")
    text("bra DONE;\nCONSUMER:")
    for i in range(6):
        slot = i % 2
        text(f"barrier.cta.sync {1 + slot}, 128;")
        text(f"xor.b32 %r5, T, 21;\nand.b32 %r5, %r5, 31;\nshl.b32 %r5, %r5, 2;\n"
             f"add.u32 %r5, SM, %r5;\nld.shared.b32 %r6, [%r5+{128 * slot}];")
        text.store("%r6", 512 * i)
        if i < 4:
            text(f"barrier.cta.arrive {3 + slot}, 128;")
    text("DONE:")
    yield Kernel("barrier_producer", "barrier", str(text), out=512 * 6, block=128, smem=512)
    # Two groups of two warps, each with its own barrier.
    text = Text()
    text("shr.u32 %r1, T, 6;\nadd.u32 %r2, %r1, 5;\nshl.b32 %r3, T, 2;\nadd.u32 %r3, SM, %r3;\n"
         "xor.b32 %r4, T, 45;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, SM, %r4;\nmov.u32 %r5, T;")
    for i in range(4):
        text("st.shared.b32 [%r3], %r5;\nbarrier.cta.sync %r2, 64;\nld.shared.b32 %r6, [%r4];\n"
             "mad.lo.u32 %r5, %r6, 5, T;\nbarrier.cta.sync %r2, 64;")
        text.store("%r5", 512 * i)
    yield Kernel("barrier_groups", "barrier", str(text), out=2048, block=128, smem=512)
    text = Text()
    text("shl.b32 %r3, T, 2;\nadd.u32 %r3, SM, %r3;\nxor.b32 %r4, T, 7;\nshl.b32 %r4, %r4, 2;\n"
         "add.u32 %r4, SM, %r4;\nmad.lo.u32 %r5, T, 3, 1;\nst.shared.b32 [%r3], %r5;\n"
         "bar.warp.sync 0xffffffff;\nld.shared.b32 %r6, [%r4];")
    text.store("%r6", 0)
    yield Kernel("barrier_warp", "barrier", str(text), out=512, block=128, smem=512)
    text = Text()
    text("shl.b32 %r3, T, 2;\nadd.u32 %r3, SM, %r3;\nst.shared.b32 [%r3], T;\nbar.sync 0;\n"
         "mov.u32 %r7, 255;\nsub.u32 %r4, %r7, T;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, SM, %r4;\n"
         "ld.shared.b32 %r6, [%r4];\nbar.sync 15;\nst.shared.b32 [%r3], %r6;\n"
         "barrier.cta.sync 0;\nld.shared.b32 %r8, [%r4];\nshl.b32 %r8, %r8, 16;\n"
         "or.b32 %r6, %r6, %r8;")
    text.store("%r6", 0)
    yield Kernel("barrier_all", "barrier", str(text), out=1024, block=256, smem=1024)


def kernels():
    yield from shuffles()
    yield from votes()
    yield from reductions()
    yield from named_barriers()
