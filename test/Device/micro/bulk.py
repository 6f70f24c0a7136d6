# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bulk copies and reductions without a tensor map, and their groups."""

from .core import Kernel, Text, pack, random_bytes
from .tma import finite

BARRIER, BOX = 0, 128


def setup(text):
    text.one_thread(f"""
        mbarrier.init.shared::cta.b64 [SM+{BARRIER}], 1;
        fence.mbarrier_init.release.cluster;""")
    text("fence.proxy.async.shared::cta;")


def load_kernel(name, pieces, window):
    """pieces: (offset in shared memory, offset in global memory, bytes)."""
    text = Text()
    text.fill(BOX, window, 64)
    setup(text)
    text("bar.sync 0;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    total = sum(size for _, _, size in pieces)
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{BARRIER}], {total};")
    for to, source, size in pieces:
        text(f"add.u64 %d1, IN0, {source};\nadd.u32 %r1, SM, {BOX + to};\nmov.u32 %r2, {size};")
        text("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
             f"[%r1], [%d1], %r2, [SM+{BARRIER}];")
    text(f"{end}:")
    text.wait(f"SM+{BARRIER}", 0)
    text.dump(BOX, window, 64)
    text("setp.ne.u32 %p59, T, 0;\n@%p59 bra DONE;")
    text(f"st.global.b32 [OUT+{window}], %r249;\nDONE:")
    return Kernel(name, "bulk", str(text), out=window + 4, block=64, smem=BOX + window,
                  inputs=[random_bytes(8192, 500 + len(pieces))])


def store_kernel(name, pieces, window, groups=None):
    """Shared to global memory; `groups`: how many copies each group takes."""
    groups = groups or [len(pieces)]
    text = Text()
    text.load_shared(BOX, window, 64)
    text("fence.proxy.async.shared::cta;\nbar.sync 0;")
    text("setp.ne.u32 %p59, T, 0;\n@%p59 bra DONE;")
    todo = list(pieces)
    for i, count in enumerate(groups):
        for _ in range(count):
            source, to, size = todo.pop(0)
            text(f"add.u64 %d1, OUT, {to};\nadd.u32 %r1, SM, {BOX + source};\n"
                 f"mov.u32 %r2, {size};")
            text("cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], %r2;")
        text("cp.async.bulk.commit_group;")
        if i == 1:
            # The sources of the first group are free now: overwrite one of them.
            first = pieces[0]
            text("cp.async.bulk.wait_group.read 1;")
            text(f"mov.b32 %r3, 0x5A5A5A5A;\nst.shared.b32 [SM+{BOX + first[0]}], %r3;")
    text("cp.async.bulk.wait_group 0;\nDONE:")
    return Kernel(name, "bulk", str(text), out=window, block=64, smem=BOX + window,
                  inputs=[random_bytes(window, 600 + len(pieces))])


def reduce_kernel(dtype, op, seed, noftz=False):
    """out = out op shared, over 512 bytes."""
    size = {"s32": "i32", "s64": "i64", "b32": "u32", "b64": "u64"}.get(dtype, dtype)
    width = {"i32": 4, "u32": 4, "i64": 8, "u64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
    window = 512
    text = Text()
    text.load_shared(BOX, window, 64)
    text("fence.proxy.async.shared::cta;\nbar.sync 0;")
    text("setp.ne.u32 %p59, T, 0;\n@%p59 bra DONE;")
    text(f"add.u32 %r1, SM, {BOX};\nadd.u64 %d1, OUT, 64;\nmov.u32 %r2, {window};")
    text(f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}"
         f"{'.noftz' if noftz else ''}.{dtype} [%d1], [%r1], %r2;")
    text("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:")
    count = window // width[size]
    if size == "f64":
        data = pack([0x3FF0000000000000 | i * 0x123456789ABC for i in range(count)], 64)
        before = pack([0xBFE0000000000000 | i * 0x0FEDCBA98765 for i in range(count + 16)], 64)
    else:
        data = finite(size, count, seed)
        before = finite(size, (window + 128) // width[size], seed + 50)
    return Kernel(f"bulk_reduce_{op}_{dtype}", "bulk_reduce", str(text), out=window + 128,
                  out_init=before[:window + 128], block=64, smem=BOX + window, inputs=[data])


def cluster_reduce_kernel(op, dtype):
    """Every CTA reduces into the shared memory of its right neighbour."""
    size, text = 256, Text()
    text("mov.u32 %r220, %cluster_ctarank;")
    text(f"mul.wide.u32 %d50, %r220, {size};\nadd.u64 IN0, IN0, %d50;\nadd.u64 OUT, OUT, %d50;")
    text.load_shared(BOX, size, 64)
    text.load_shared(BOX + size, size, 64, "IN1")
    setup(text)
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{BARRIER}], {size};")
    text("add.u32 %r221, %r220, 1;\nand.b32 %r221, %r221, 1;")
    text(f"add.u32 %r1, SM, {BOX};\nadd.u32 %r2, SM, {BOX + size};")
    text("mapa.shared::cluster.u32 %r3, %r1, %r221;\nmapa.shared::cluster.u32 %r4, SM, %r221;")
    text(f"mov.u32 %r5, {size};")
    text("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes."
         f"{op}.{dtype} [%r3], [%r2], %r5, [%r4];")
    text(f"{end}:")
    text.wait(f"SM+{BARRIER}", 0)
    text.dump(BOX, size, 64)
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    return Kernel(f"bulk_reduce_cluster_{op}_{dtype}", "bulk_reduce", str(text), out=2 * size,
                  block=64, grid=2, cluster=2, smem=BOX + 2 * size,
                  inputs=[random_bytes(2 * size, 71), random_bytes(size, 72)])


def copy_cluster_kernel(name, ctas, step, size):
    """shared::cta to shared::cluster: to the CTA `step` further on."""
    text = Text()
    text("mov.u32 %r220, %cluster_ctarank;")
    text(f"mul.wide.u32 %d50, %r220, {size};\nadd.u64 IN0, IN0, %d50;\n"
         f"add.u64 OUT, OUT, %d50;")
    text.fill(BOX, size, 64)
    text.load_shared(BOX + size, size, 64)
    setup(text)
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{BARRIER}], {size};")
    text(f"add.u32 %r221, %r220, {step};\nrem.u32 %r221, %r221, {ctas};")
    text(f"add.u32 %r1, SM, {BOX};\nadd.u32 %r2, SM, {BOX + size};")
    text("mapa.shared::cluster.u32 %r3, %r1, %r221;\nmapa.shared::cluster.u32 %r4, SM, %r221;")
    text(f"mov.u32 %r5, {size};")
    text("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
         "[%r3], [%r2], %r5, [%r4];")
    text(f"{end}:")
    text.wait(f"SM+{BARRIER}", 0)
    text.dump(BOX, size, 64)
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    return Kernel(name, "bulk", str(text), out=ctas * size, block=64, grid=ctas, cluster=ctas,
                  smem=BOX + 2 * size, inputs=[random_bytes(ctas * size, 81)])


def multicast_kernel(name, ctas, mask):
    """One CTA reads global memory once, all CTAs of the mask get the bytes."""
    size, text = 1024, Text()
    text("mov.u32 %r220, %cluster_ctarank;")
    text.fill(BOX, size, 64)
    setup(text)
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    text(f"shr.u32 %r1, {mask}, %r220;\nand.b32 %r1, %r1, 1;\nmul.lo.u32 %r1, %r1, {size};")
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{BARRIER}], %r1;")
    text(f"setp.ne.u32 %p59, %r220, 0;\n@%p59 bra {end};")
    text(f"add.u32 %r1, SM, {BOX};\nmov.u32 %r2, {size};\nmov.u16 %h0, {mask};")
    text("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
         f".multicast::cluster [%r1], [IN0], %r2, [SM+{BARRIER}], %h0;")
    text(f"{end}:")
    text.wait(f"SM+{BARRIER}", 0)
    text(f"mul.wide.u32 %d50, %r220, {size};\nadd.u64 OUT, OUT, %d50;")
    text.dump(BOX, size, 64)
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    return Kernel(name, "bulk", str(text), out=ctas * size, block=64, grid=ctas, cluster=ctas,
                  smem=BOX + size, inputs=[random_bytes(size, 91)])


def cp_async_kernel(size, ignore):
    """cp.async of `size` bytes, of which the last ones may be filled with 0."""
    text = Text()
    text.fill(BOX, 64 * 16, 64)
    text("bar.sync 0;")
    text("shl.b32 %r1, T, 4;\ncvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %d1, IN0;\n"
         f"add.u32 %r1, %r1, SM;\nadd.u32 %r1, %r1, {BOX};")
    count = ""
    if ignore:
        text(f"rem.u32 %r2, T, {size + 1};")
        count = ", %r2"
    cache = "cg" if size == 16 else "ca"
    text(f"cp.async.{cache}.shared.global [%r1], [%d1], {size}{count};")
    text("cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;")
    text.dump(BOX, 64 * 16, 64)
    return Kernel(f"cp_async_{size}{'_zfill' if ignore else ''}", "cp_async", str(text),
                  out=64 * 16, block=64, smem=BOX + 64 * 16, inputs=[random_bytes(1024, 95)])


def cp_async_mbarrier_kernel(noinc):
    text = Text()
    text.one_thread(f"mbarrier.init.shared::cta.b64 [SM+{BARRIER}], {64 if noinc else 64};")
    text("bar.sync 0;")
    text("shl.b32 %r1, T, 4;\ncvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %d1, IN0;\n"
         f"add.u32 %r1, %r1, SM;\nadd.u32 %r1, %r1, {BOX};")
    text("cp.async.cg.shared.global [%r1], [%d1], 16;")
    text(f"cp.async.mbarrier.arrive{'.noinc' if noinc else ''}.shared::cta.b64 [SM+{BARRIER}];")
    if not noinc:
        text(f"mbarrier.arrive.shared::cta.b64 _, [SM+{BARRIER}];")
    text.wait(f"SM+{BARRIER}", 0)
    text.dump(BOX, 64 * 16, 64)
    return Kernel(f"cp_async_mbarrier{'_noinc' if noinc else ''}", "cp_async", str(text),
                  out=64 * 16, block=64, smem=BOX + 64 * 16, inputs=[random_bytes(1024, 96)])


def kernels():
    yield load_kernel("bulk_load_16", [(16, 32, 16)], 128)
    yield load_kernel("bulk_load_4096", [(0, 1024, 4096)], 4096)
    yield load_kernel("bulk_load_pieces",
                      [(i * 112, 16 * ((i * 7) % 64), 16 * (i % 6 + 1)) for i in range(16)], 2048)
    yield store_kernel("bulk_store_16", [(48, 80, 16)], 256)
    yield store_kernel("bulk_store_pieces",
                       [(i * 128, 16 + 128 * (15 - i), 16 * (i % 6 + 1)) for i in range(16)],
                       2304)
    yield store_kernel("bulk_store_groups", [(i * 64, 64 * (7 - i), 64) for i in range(8)], 512,
                       groups=[2, 3, 3])
    yield store_kernel("bulk_store_empty_group", [(0, 64, 64), (64, 0, 64)], 256,
                       groups=[1, 0, 1])
    for op, dtype in (("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "s32"),
                      ("max", "u32"), ("min", "u64"), ("max", "s64"), ("inc", "u32"),
                      ("dec", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"),
                      ("and", "b64"), ("or", "b64"), ("xor", "b64"), ("min", "f16"),
                      ("max", "f16"), ("min", "bf16"), ("max", "bf16"), ("add", "f32"),
                      ("add", "f64")):
        yield reduce_kernel(dtype, op, 700)
    for dtype in ("f16", "bf16"):
        yield reduce_kernel(dtype, "add", 720, noftz=True)
    for op, dtype in (("add", "u32"), ("min", "s32"), ("max", "u32"), ("and", "b32"),
                      ("inc", "u32"), ("add", "u64")):
        yield cluster_reduce_kernel(op, dtype)
    yield copy_cluster_kernel("bulk_cluster_2", 2, 1, 512)
    yield copy_cluster_kernel("bulk_cluster_4", 4, 3, 1024)
    yield copy_cluster_kernel("bulk_cluster_self", 2, 0, 256)
    yield multicast_kernel("bulk_multicast_2", 2, 3)
    yield multicast_kernel("bulk_multicast_4", 4, 0b1101)
    for size in (4, 8, 16):
        yield cp_async_kernel(size, False)
        yield cp_async_kernel(size, True)
    yield cp_async_mbarrier_kernel(False)
    yield cp_async_mbarrier_kernel(True)
