# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared memory of a cluster: mapa, remote loads, stores, atomics, arrivals."""

from .core import Kernel, Text, random_bytes

SYNC = "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;"


def kernel(name, ctas, body, *, out_per_cta, block=32, smem=1024, inputs=(), registers=""):
    """`body` runs in every CTA; %r220 is its rank, OUT its part of the output."""
    text = Text()
    text("mov.u32 %r220, %cluster_ctarank;")
    text(f"mul.wide.u32 %d50, %r220, {out_per_cta};\nadd.u64 OUT, OUT, %d50;")
    body(text)
    return Kernel(name, "cluster", str(text), out=out_per_cta * ctas, block=block, grid=ctas,
                  cluster=ctas, smem=smem, inputs=inputs, registers=registers)


def prepare(text, rank="%r220"):
    """Word T of shared memory = 1000 * rank + T, then everybody's is there."""
    text(f"mad.lo.u32 %r1, {rank}, 1000, T;\nshl.b32 %r2, T, 2;\nadd.u32 %r2, SM, %r2;")
    text("st.shared.b32 [%r2], %r1;")
    text(SYNC)


def remote_load(ctas, step):
    def body(text):
        prepare(text)
        text(f"add.u32 %r3, %r220, {step};\nrem.u32 %r3, %r3, {ctas};")
        text("mapa.shared::cluster.u32 %r4, %r2, %r3;\nld.shared::cluster.b32 %r5, [%r4];")
        text.store("%r5", 0)
        text("mapa.shared::cluster.u32 %r4, SM, %r3;\n"
             "ld.shared::cluster.v4.b32 {%r5, %r6, %r7, %r8}, [%r4+32];")
        for i in range(4):
            text.store(f"%r{5 + i}", 128 * (i + 1))
        text(SYNC)
    return kernel(f"cluster_load_{ctas}_{step}", ctas, body, out_per_cta=640)


def remote_store(ctas, step):
    def body(text):
        prepare(text)
        text(f"add.u32 %r3, %r220, {step};\nrem.u32 %r3, %r3, {ctas};")
        text("mapa.shared::cluster.u32 %r4, %r2, %r3;\nmad.lo.u32 %r5, %r220, 77, T;")
        text("st.shared::cluster.b32 [%r4+128], %r5;")
        text(SYNC)
        text("ld.shared.b32 %r6, [%r2+128];")
        text.store("%r6", 0)
    return kernel(f"cluster_store_{ctas}_{step}", ctas, body, out_per_cta=128)


def generic_addresses():
    """mapa on generic addresses, getctarank of both kinds."""
    def body(text):
        prepare(text)
        text("cvt.u64.u32 %d1, %r2;\ncvta.shared.u64 %d1, %d1;\nxor.b32 %r3, %r220, 1;")
        text("mapa.u64 %d2, %d1, %r3;\nld.b32 %r5, [%d2];")
        text.store("%r5", 0)
        text("getctarank.u64 %r6, %d2;")
        text.store("%r6", 128)
        text("getctarank.u64 %r6, %d1;")
        text.store("%r6", 256)
        text("mapa.shared::cluster.u32 %r7, %r2, %r3;\ngetctarank.shared::cluster.u32 %r6, %r7;")
        text.store("%r6", 384)
        text("isspacep.shared::cluster %p1, %d2;\nisspacep.shared::cta %p2, %d2;\n"
             "isspacep.shared::cta %p3, %d1;\nselp.u32 %r8, 1, 0, %p1;\n"
             "selp.u32 %r9, 2, 0, %p2;\nselp.u32 %r10, 4, 0, %p3;\n"
             "or.b32 %r8, %r8, %r9;\nor.b32 %r8, %r8, %r10;")
        text.store("%r8", 512)
        text(SYNC)
    return kernel("cluster_generic", 2, body, out_per_cta=640)


def remote_atomic(op, dtype, ctas):
    """Every thread of every CTA updates words of CTA 0; the order is free, the
    result is not."""
    def body(text):
        prepare(text, "0")
        text("mov.u32 %r3, 0;\nmapa.shared::cluster.u32 %r4, SM, %r3;")
        text("and.b32 %r5, T, 7;\nshl.b32 %r5, %r5, 2;\nadd.u32 %r4, %r4, %r5;")
        text("mad.lo.u32 %r6, %r220, 37, T;\nmad.lo.u32 %r6, %r6, 2654435761, 12345;")
        text(f"atom.relaxed.cluster.shared::cluster.{op}.{dtype} %r7, [%r4], %r6;")
        text(SYNC)
        text("ld.shared.b32 %r8, [%r2];")
        text.store("%r8", 0)
    return kernel(f"cluster_atom_{op}_{dtype}", ctas, body, out_per_cta=128)


def remote_exchange():
    """One thread per word: the old values are defined, too."""
    def body(text):
        prepare(text)
        text("xor.b32 %r3, %r220, 1;\nmapa.shared::cluster.u32 %r4, %r2, %r3;")
        text("mov.u32 %r5, 4242;\natom.shared::cluster.exch.b32 %r6, [%r4], %r5;")
        text.store("%r6", 0)
        text("mad.lo.u32 %r7, %r3, 1000, 3;\nadd.u32 %r8, T, 9;\n"
             "atom.shared::cluster.cas.b32 %r6, [%r4], 4242, %r8;")
        text.store("%r6", 128)
        text("atom.shared::cluster.cas.b32 %r6, [%r4], %r7, 5;")
        text.store("%r6", 256)
        text("red.shared::cluster.add.u32 [%r4], 100;")
        text(SYNC)
        text("ld.shared.b32 %r6, [%r2];")
        text.store("%r6", 384)
    return kernel("cluster_exchange", 2, body, out_per_cta=512)


def remote_arrive(ctas, threads):
    """All threads of all CTAs arrive on CTA 0's barrier, with bytes expected
    from afar; everybody then reads what the others stored before."""
    def body(text):
        text.one_thread(f"mbarrier.init.shared::cta.b64 [SM], {ctas * threads};\n"
                        "fence.mbarrier_init.release.cluster;")
        text(SYNC)
        text("mov.u32 %r3, 0;\nmapa.shared::cluster.u32 %r4, SM, %r3;")
        text(f"mad.lo.u32 %r5, %r220, {threads}, T;\nshl.b32 %r6, %r5, 2;\n"
             "add.u32 %r6, %r4, %r6;\nmad.lo.u32 %r7, %r5, 3, 11;")
        text("st.shared::cluster.b32 [%r6+64], %r7;")
        text("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];")
        text("setp.ne.u32 %p2, %r220, 0;\n@%p2 bra PASSED;")
        loop = text.label()
        text(f"{loop}:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [SM], 0;\n"
             f"@!%p1 bra {loop};")
        for i in range(ctas):
            text(f"shl.b32 %r8, T, 2;\nadd.u32 %r8, SM, %r8;\n"
                 f"ld.shared.b32 %r9, [%r8+{64 + 4 * threads * i}];")
            text.store("%r9", 4 * threads * i)
        text("PASSED:")
        text(SYNC)
    return kernel(f"cluster_arrive_{ctas}_{threads}", ctas, body, block=threads,
                  out_per_cta=4 * threads * ctas, smem=64 + 4 * threads * ctas)


def remote_expect(ctas):
    """expect_tx, complete_tx and arrive.expect_tx on a remote barrier."""
    def body(text):
        text.one_thread(f"mbarrier.init.shared::cta.b64 [SM], 2;\n"
                        "fence.mbarrier_init.release.cluster;")
        text(SYNC)
        text(f"add.u32 %r3, %r220, 1;\nrem.u32 %r3, %r3, {ctas};")
        text("mapa.shared::cluster.u32 %r4, SM, %r3;")
        text.one_thread("""
            mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r4], 40;
            mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];
            mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r4], 24;""")
        text(SYNC)
        text("mbarrier.test_wait.parity.shared::cta.b64 %p1, [SM], 0;\nselp.u32 %r5, 1, 0, %p1;")
        text.store("%r5", 0)
        text(SYNC)
        text.one_thread(
            "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r4], 64;")
        text(SYNC)
        text("mbarrier.test_wait.parity.shared::cta.b64 %p1, [SM], 0;\nselp.u32 %r5, 1, 0, %p1;")
        text.store("%r5", 128)
        text(SYNC)
    return kernel(f"cluster_expect_{ctas}", ctas, body, out_per_cta=256)


def store_async(width, vector=1):
    """st.async: a store that completes bytes of a remote barrier."""
    size = width // 8 * vector
    def body(text):
        text(f"shl.b32 %r2, T, 5;\nadd.u32 %r2, SM, %r2;")
        text.one_thread(f"mbarrier.init.shared::cta.b64 [SM], 1;\n"
                        "fence.mbarrier_init.release.cluster;\n"
                        f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM], {32 * size};")
        text(SYNC)
        text("xor.b32 %r3, %r220, 1;\nmapa.shared::cluster.u32 %r4, %r2, %r3;\n"
             "mapa.shared::cluster.u32 %r5, SM, %r3;\nmad.lo.u32 %r6, %r220, 555, T;")
        if width == 32:
            values = [f"%r{10 + i}" for i in range(vector)]
            for i, value in enumerate(values):
                text(f"mad.lo.u32 {value}, %r6, {i + 3}, {i};")
        else:
            values = [f"%d{10 + i}" for i in range(vector)]
            for i, value in enumerate(values):
                text(f"mul.wide.u32 {value}, %r6, {0x1234567 * (i + 1)};")
        list_ = values[0] if vector == 1 else "{" + ", ".join(values) + "}"
        vec = "" if vector == 1 else f".v{vector}"
        text("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
             f"{vec}.b{width} [%r4+64], {list_}, [%r5];")
        text.wait("SM", 0)
        for i in range(size // 4):
            text(f"ld.shared.b32 %r20, [%r2+{64 + 4 * i}];")
            text.store("%r20", 128 * i)
        text(SYNC)
    return kernel(f"cluster_st_async_{width}_{vector}", 2, body, out_per_cta=32 * size,
                  smem=2048)


def reduce_async(op, dtype):
    size = 8 if dtype == "u64" else 4
    def body(text):
        text("shl.b32 %r2, T, 3;\nadd.u32 %r2, SM, %r2;")
        text("mad.lo.u32 %r6, %r220, 999, T;\nmov.b64 %d1, {%r6, T};\nst.shared.b64 [%r2+64], %d1;")
        text.one_thread(f"mbarrier.init.shared::cta.b64 [SM], 1;\n"
                        "fence.mbarrier_init.release.cluster;\n"
                        f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM], {32 * size};")
        text(SYNC)
        text("xor.b32 %r3, %r220, 1;\nmapa.shared::cluster.u32 %r4, %r2, %r3;\n"
             "mapa.shared::cluster.u32 %r5, SM, %r3;\nmad.lo.u32 %r6, T, 2654435761, 77;\n"
             "mov.b64 %d2, {%r6, T};")
        value = "%d2" if size == 8 else "%r6"
        text("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
             f"{op}.{dtype} [%r4+64], {value}, [%r5];")
        text.wait("SM", 0)
        text("ld.shared.b64 %d3, [%r2+64];")
        text.store("%d3", 0, 64)
        text(SYNC)
    return kernel(f"cluster_red_async_{op}_{dtype}", 2, body, out_per_cta=256, smem=2048)


def special_registers(ctas):
    names = ["cluster_ctarank", "cluster_nctarank", "cluster_ctaid.x", "cluster_ctaid.y",
             "cluster_nctaid.x", "cluster_nctaid.z", "clusterid.x", "clusterid.y",
             "nclusterid.x", "nclusterid.y", "ctaid.x", "nctaid.x", "ntid.x", "laneid"]
    text = Text()
    text("mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %d50, %r1, 2048;\nadd.u64 OUT, OUT, %d50;")
    for i, name in enumerate(names):
        text(f"mov.u32 %r2, %{name};")
        text.store("%r2", 128 * i)
    text("mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r2, 1, 0, %p1;")
    text.store("%r2", 128 * len(names))
    return Kernel(f"cluster_registers_{ctas}", "cluster", str(text), out=2048 * 2 * ctas,
                  block=32, grid=2 * ctas, cluster=ctas)


def barrier_phases():
    """Values handed round the cluster, one barrier phase a step."""
    def body(text):
        text.one_thread("st.shared.b32 [SM], %r220;")
        for i in range(6):
            text("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;")
            text("add.u32 %r3, %r220, 1;\nand.b32 %r3, %r3, 3;\n"
                 "mapa.shared::cluster.u32 %r4, SM, %r3;\nld.shared::cluster.b32 %r5, [%r4];")
            text.store("%r5", 128 * i)
            text("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;")
            text("mad.lo.u32 %r5, %r5, 3, %r220;")
            text.one_thread("st.shared.b32 [SM], %r5;")
        text("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;")
    return kernel("cluster_barrier_phases", 4, body, out_per_cta=768)


def kernels():
    for ctas, step in ((2, 1), (4, 1), (4, 3), (8, 5)):
        yield remote_load(ctas, step)
    for ctas, step in ((2, 1), (4, 2)):
        yield remote_store(ctas, step)
    yield generic_addresses()
    for op, dtype in (("add", "u32"), ("min", "s32"), ("max", "u32"), ("or", "b32"),
                      ("xor", "b32")):
        yield remote_atomic(op, dtype, 4)
    yield remote_exchange()
    yield remote_arrive(2, 32)
    yield remote_arrive(4, 64)
    yield remote_expect(2)
    yield remote_expect(3)
    for width, vector in ((32, 1), (32, 2), (32, 4), (64, 1), (64, 2)):
        yield store_async(width, vector)
    for op, dtype in (("add", "u32"), ("min", "s32"), ("max", "u32"), ("inc", "u32"),
                      ("dec", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"),
                      ("add", "u64")):
        yield reduce_async(op, dtype)
    for ctas in (1, 2, 4):
        yield special_registers(ctas)
    yield barrier_phases()
