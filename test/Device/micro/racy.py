# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs of a right kernel and the same one with a synchronisation left out,
spread by nanosleep. The emulator has to report the wrong ones; what a GPU made
of them is recorded."""

from .core import Kernel, Text, random_bytes
from .tma import box_bytes, coordinates, tensor_bytes, tensor_map

SLEEP = "nanosleep.u32 200000;"


def pair(build):
    """Both kernels of a pair; `build(right)` makes one of them."""
    right, racy = build(True), build(False)
    racy.racy = right.name
    return right, racy


def kernel(name, right, text, **arguments):
    return Kernel(f"racy_{name}_{'right' if right else 'wrong'}", "racy", str(text), **arguments)


def barrier(right):
    """One warp writes late, another reads: without the CTA's barrier."""
    text = Text()
    text.fill(0, 256, 64)
    text("bar.sync 0;\nshl.b32 %r1, T, 2;\nadd.u32 %r1, SM, %r1;")
    text(f"setp.ge.u32 %p1, T, 32;\n@%p1 bra READ;\n{SLEEP}\nadd.u32 %r2, T, 1000;\n"
         "st.shared.b32 [%r1], %r2;\nREAD:")
    if right:
        text("bar.sync 0;")
    text("xor.b32 %r3, T, 32;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r3, SM, %r3;\n"
         "ld.shared.b32 %r4, [%r3];")
    text.store("%r4", 0)
    return kernel("barrier", right, text, out=256, block=64, smem=256)


def cluster_barrier(right):
    """A CTA reads its neighbour's shared memory before that has written it."""
    text = Text()
    text("mov.u32 %r220, %cluster_ctarank;\nshl.b32 %r1, T, 2;\nadd.u32 %r1, SM, %r1;\n"
         "mov.u32 %r2, 7;\nst.shared.b32 [%r1], %r2;\n"
         "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    text(f"setp.ne.u32 %p1, %r220, 0;\n@%p1 bra READ;\n{SLEEP}\nadd.u32 %r2, T, 500;\n"
         "st.shared.b32 [%r1], %r2;\nREAD:")
    if right:
        text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    text("mov.u32 %r3, 0;\nmapa.shared::cluster.u32 %r4, %r1, %r3;\n"
         "ld.shared::cluster.b32 %r5, [%r4];")
    text("mul.wide.u32 %d50, %r220, 128;\nadd.u64 OUT, OUT, %d50;")
    text.store("%r5", 0)
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    return kernel("cluster_barrier", right, text, out=256, grid=2, cluster=2, smem=128)


def tensor_load(right):
    """The box is read without a wait on the barrier that its bytes complete."""
    tensor = tensor_map("in0", "f16", [64, 64], [64, 64], swizzle="128B")
    size = box_bytes(tensor)
    text = Text()
    text.fill(1024, size, 64)
    text.one_thread("mbarrier.init.shared::cta.b64 [SM], 1;\n"
                    "fence.mbarrier_init.release.cluster;")
    text("fence.proxy.async.shared::cta;\nbar.sync 0;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM], {size};\nadd.u32 %r211, SM, 1024;")
    coords_text = coordinates(text, [0, 0])
    text("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
         f"[%r211], [MAP0, {coords_text}], [SM];\n{end}:\nbar.sync 0;")
    if right:
        text.wait("SM", 0)
    text.dump(1024, size, 64)
    text.wait("SM", 0)  # in either case before the CTA ends
    return kernel("tensor_load", right, text, out=size, block=64, smem=1024 + size,
                  maps=[tensor], inputs=[random_bytes(tensor_bytes(tensor), 61)])


def bulk_store(right):
    """The source of a bulk store is overwritten before it has been read."""
    size = 32768
    text = Text()
    text.load_shared(0, size, 128)
    text("fence.proxy.async.shared::cta;\nbar.sync 0;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};\nmov.u32 %r2, {size};\n"
         "cp.async.bulk.global.shared::cta.bulk_group [OUT], [SM], %r2;\n"
         "cp.async.bulk.commit_group;")
    if right:
        text("cp.async.bulk.wait_group.read 0;")
    text(f"{end}:\nbar.sync 0;")
    text.fill(0, size, 128)
    text("cp.async.bulk.wait_group 0;")
    return kernel("bulk_store", right, text, out=size, block=128, smem=size,
                  inputs=[random_bytes(size, 62)])


def parity(right):
    """A consumer that waits for the parity of the phase before its own."""
    text = Text()
    text.fill(64, 128, 64)
    text.one_thread("mbarrier.init.shared::cta.b64 [SM], 32;")
    text("bar.sync 0;\nand.b32 %r1, T, 31;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, SM, %r2;\n"
         "setp.ge.u32 %p1, T, 32;\n@%p1 bra CONSUMER;")
    text(f"{SLEEP}\nmad.lo.u32 %r3, T, 3, 11;\nst.shared.b32 [%r2+64], %r3;\n"
         "mbarrier.arrive.shared::cta.b64 _, [SM];\nbra DONE;\nCONSUMER:")
    text.wait("SM", 0 if right else 1)
    text("xor.b32 %r4, %r1, 5;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, SM, %r4;\n"
         "ld.shared.b32 %r5, [%r4+64];\nmul.wide.u32 %d1, %r1, 4;\nadd.u64 %d1, %d1, OUT;\n"
         "st.global.b32 [%d1], %r5;\nDONE:")
    return kernel("parity", right, text, out=128, block=64, smem=192)


def registers(right):
    """The accumulator of wgmma is read before wait_group."""
    text = Text()
    text.load_shared(0, 16384, 128)
    text("fence.proxy.async.shared::cta;\nbar.sync 0;\nwgmma.fence.sync.aligned;")
    text("add.u32 %r1, SM, 0;\nshr.u32 %r1, %r1, 4;\nand.b32 %r1, %r1, 0x3FFF;\n"
         "or.b32 %r1, %r1, 0x10000;\nmov.b32 %r2, 0x40000040;\nmov.b64 %d1, {%r1, %r2};")
    names = ", ".join(f"D{i}" for i in range(4))
    text("".join(f"mov.b32 D{i}, 0;\n" for i in range(4)))
    text("wgmma.fence.sync.aligned;\nsetp.ne.u32 %p1, T, 1000;")
    text(f"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{{names}}}, %d1, %d1, %p1, 1, 1, "
         "0, 0;\nwgmma.commit_group.sync.aligned;")
    if right:
        text("wgmma.wait_group.sync.aligned 0;")
    for i in range(4):
        text.store(f"D{i}", 512 * i)
    text("wgmma.wait_group.sync.aligned 0;")
    return kernel("wgmma_registers", right, text, out=2048, block=128, smem=16384,
                  inputs=[b"\x80\x3f" * 8192], registers=".reg .b32 D<4>;")


def kernels():
    for build in (barrier, cluster_barrier, tensor_load, bulk_store, parity, registers):
        yield from pair(build)
