# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole matrix multiplications: a producer warp with tensor copies, a ring of
mbarriers, a warpgroup with wgmma, stmatrix, a tensor store. Here the layouts
that copies write and wgmma reads, that stmatrix writes and a store reads, have
to fit together."""

from .core import Kernel, Text
from .tma import coordinates, tensor_map
from .wgmma import descriptor, integers, moderate

N, K_TILE, STAGE = 64, 64, 8192 + 8192
FULL, EMPTY, DONE, TILES = 0, 64, 128, 1024


def tile_map(buffer, rows, depth, mn_major, box_rows):
    """One operand, `rows` x `depth`, in boxes of `box_rows` x 64."""
    dims, box = ([rows, depth], [box_rows, K_TILE]) if mn_major else \
        ([depth, rows], [K_TILE, box_rows])
    return tensor_map(buffer, "bf16", dims, box, swizzle="128B")


def operand_bytes(tensor):
    return tensor["strides"][0] * tensor["dims"][1]


def producer(text, ctas, stages, tiles, a_mn, b_mn):
    """Each CTA loads its own A and 1 / ctas of B for everybody."""
    text("setp.ne.u32 %p1, T, 128;\n@%p1 bra END;")
    for i in range(tiles):
        stage, turn = i % stages, i // stages
        text.wait(f"SM+{EMPTY + 8 * stage}", (turn & 1) ^ 1)
        text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{FULL + 8 * stage}], "
             f"{8192 + N * 128};")
        text(f"mul.lo.u32 %r230, %r220, 64;\nmul.lo.u32 %r231, %r220, {N // ctas};")
        a_coords = coordinates(text, ["%r230", i * K_TILE] if a_mn else [i * K_TILE, "%r230"])
        base = TILES + stage * STAGE
        text(f"add.u32 %r211, SM, {base};")
        text("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
             f"[%r211], [MAP0, {a_coords}], [SM+{FULL + 8 * stage}];")
        b_coords = coordinates(text, ["%r231", i * K_TILE] if b_mn else [i * K_TILE, "%r231"])
        cast, mask = (".multicast::cluster", ", %h0") if ctas > 1 else ("", "")
        text(f"mov.u16 %h0, {(1 << ctas) - 1};\nmul.lo.u32 %r212, %r231, 128;\n"
             f"add.u32 %r212, %r212, %r211;\nadd.u32 %r212, %r212, 8192;")
        text("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
             f"{cast} [%r212], [MAP1, {b_coords}], [SM+{FULL + 8 * stage}]{mask};")
    text("bra END;")


def consumer(text, ctas, stages, tiles, a_mn, b_mn):
    accumulators = ", ".join(f"D{i}" for i in range(N // 2))
    for i in range(N // 2):
        text(f"mov.b32 D{i}, 0;")
    text("and.b32 %r240, T, 31;")
    for i in range(tiles):
        stage, turn = i % stages, i // stages
        base = TILES + stage * STAGE
        text.wait(f"SM+{FULL + 8 * stage}", turn & 1)
        text("wgmma.fence.sync.aligned;")
        for step in range(K_TILE // 16):
            # Along K: 32 bytes of a swizzled row, or 16 rows.
            for register, start, mn in (("%d1", base, a_mn), ("%d2", base + 8192, b_mn)):
                descriptor(text, register, start + step * (2048 if mn else 32), 8192 if mn else 16,
                           1024, "128b")
            text(f"setp.ne.u32 %p1, {i + step}, 0;")
            text(f"wgmma.mma_async.sync.aligned.m64n{N}k16.f32.bf16.bf16 {{{accumulators}}}, "
                 f"%d1, %d2, %p1, 1, 1, {int(a_mn)}, {int(b_mn)};")
        text("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
             "setp.eq.u32 %p2, %r240, 0;")
        for rank in range(ctas):
            text(f"add.u32 %r241, SM, {EMPTY + 8 * stage};\nmov.u32 %r242, {rank};\n"
                 "mapa.shared::cluster.u32 %r241, %r241, %r242;\n"
                 "@%p2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r241];")


def epilogue(text, tile):
    """f16 through stmatrix in the layout of a 128-byte swizzle, then one store."""
    text(f"shr.u32 %r1, T, 5;\nshl.b32 %r1, %r1, 4;\nand.b32 %r2, T, 15;\n"
         f"add.u32 %r1, %r1, %r2;\nshl.b32 %r3, %r1, 7;\nadd.u32 %r3, %r3, SM;\n"
         f"add.u32 %r3, %r3, {tile};\nand.b32 %r4, %r1, 7;\nshl.b32 %r4, %r4, 4;\n"
         "shr.u32 %r5, %r240, 4;\nshl.b32 %r5, %r5, 4;")
    for block in range(N // 16):
        for i in range(4):
            at = 8 * block + 2 * i
            text(f"cvt.rn.f16x2.f32 %r{10 + i}, D{at + 1}, D{at};")
        text(f"add.u32 %r6, %r5, {32 * block};\nxor.b32 %r6, %r6, %r4;\nadd.u32 %r6, %r6, %r3;\n"
             "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r6], {%r10, %r11, %r12, %r13};")
    text("fence.proxy.async.shared::cta;\nbarrier.cta.sync 1, 128;\n"
         "setp.ne.u32 %p1, T, 0;\n@%p1 bra END;")
    text("mul.lo.u32 %r230, %r220, 64;")
    coords = coordinates(text, [0, "%r230"])
    text(f"add.u32 %r211, SM, {tile};")
    text(f"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [MAP2, {coords}], "
         "[%r211];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;")


def multiply(name, *, ctas=1, stages=3, depth=328, a_mn=False, b_mn=False, data=integers):
    """D = A * B for 64 * ctas - 8 rows and 56 columns: every edge hangs over."""
    rows, tiles = 64 * ctas - 8, -(-depth // K_TILE)
    columns = 56
    a_map = tile_map("in0", rows, depth, a_mn, 64)
    b_map = tile_map("in1", columns, depth, b_mn, N // ctas)
    d_map = tensor_map("out", "f16", [columns, rows], [N, 64], swizzle="128B")
    out_tile = TILES + stages * STAGE
    text = Text()
    text("mov.u32 %r220, %cluster_ctarank;")
    text.one_thread("\n".join(
        [f"mbarrier.init.shared::cta.b64 [SM+{FULL + 8 * i}], 1;" for i in range(stages)] +
        [f"mbarrier.init.shared::cta.b64 [SM+{EMPTY + 8 * i}], {4 * ctas};"
         for i in range(stages)] + ["fence.mbarrier_init.release.cluster;"]))
    text("fence.proxy.async.shared::cta;\n"
         "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    text("setp.lt.u32 %p1, T, 128;\n@%p1 bra CONSUMER;")
    producer(text, ctas, stages, tiles, a_mn, b_mn)
    text("CONSUMER:")
    consumer(text, ctas, stages, tiles, a_mn, b_mn)
    epilogue(text, out_tile)
    # No CTA may leave while the other still arrives on its barriers.
    text("END:\nbarrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    return Kernel(name, "pipeline", str(text), out=d_map["strides"][0] * rows, block=160,
                  grid=ctas, cluster=ctas, smem=out_tile + 8192, maps=[a_map, b_map, d_map],
                  inputs=[data("bf16", 900, operand_bytes(a_map) // 2),
                          data("bf16", 901, operand_bytes(b_map) // 2)],
                  registers=f".reg .f32 D<{N // 2}>;")


def kernels():
    for a_mn in (False, True):
        for b_mn in (False, True):
            tag = ("mn" if a_mn else "k") + "_" + ("mn" if b_mn else "k")
            yield multiply(f"pipeline_{tag}", a_mn=a_mn, b_mn=b_mn)
    yield multiply("pipeline_stages_2", stages=2, depth=520)
    yield multiply("pipeline_round", stages=4, depth=968, data=moderate)
    yield multiply("pipeline_multicast", ctas=2)
    yield multiply("pipeline_multicast_round", ctas=2, stages=2, depth=648, data=moderate)
