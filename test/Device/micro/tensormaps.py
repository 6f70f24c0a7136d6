# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tensormap.replace: a kernel changes a tensor map and loads through it."""

from .core import Kernel, Text, random_bytes
from .tma import BARRIER, BOX, coordinates, tensor_map

MAP = 512


def edit(name, replacements, coords, size, *, rank=2, tensor=None, space="shared::cta"):
    """`replacements`: (field, ordinal or None, bits, value); a value "IN0+n" is
    an address. The map goes through shared memory into global memory, its bytes
    there are erased in the end, for they are opaque."""
    window = (size + 127) // 128 * 128 + 128
    text = Text()
    text.fill(BOX, window, 32)
    text("shl.b32 %r1, T, 2;\nadd.u32 %r2, SM, %r1;\ncvt.u64.u32 %d1, %r1;\n"
         f"add.u64 %d2, MAP0, %d1;\nld.b32 %r3, [%d2];\nst.shared.b32 [%r2+{MAP}], %r3;")
    text.one_thread(f"""
        mbarrier.init.shared::cta.b64 [SM+{BARRIER}], 1;
        fence.mbarrier_init.release.cluster;""")
    text("fence.proxy.async.shared::cta;\nbar.sync 0;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    for field, ordinal, bits, value in replacements:
        operand = value
        if bits == 64:
            text(f"add.u64 %d3, IN0, {value[4:]};" if isinstance(value, str)
                 else f"mov.b64 %d3, {value};")
            operand = "%d3"
        elif field in ("box_dim", "global_dim", "element_stride", "rank"):
            text(f"mov.b32 %r4, {value};")
            operand = "%r4"
        index = "" if ordinal is None else f"{ordinal}, "
        text(f"tensormap.replace.tile.{field}.shared::cta.b1024.b{bits} [SM+{MAP}], "
             f"{index}{operand};")
    text(f"{end}:\nbar.sync 0;")
    text(f"add.u64 %d4, OUT, {window};\nadd.u32 %r5, SM, {MAP};")
    text("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
         "[%d4], [%r5], 128;")
    text("fence.proxy.tensormap::generic.acquire.gpu [%d4], 128;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{BARRIER}], {size};")
    text(f"add.u32 %r211, SM, {BOX};")
    coords_text = coordinates(text, coords)
    text(f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
         f"[%r211], [%d4, {coords_text}], [SM+{BARRIER}];")
    text(f"{end}:")
    text.wait(f"SM+{BARRIER}", 0)
    text.dump(BOX, window, 32)
    text("bar.sync 0;\nmov.b32 %r3, 0;")
    text(f"add.u64 %d5, %d4, %d1;\nst.global.b32 [%d5], %r3;")
    text("setp.ne.u32 %p59, T, 0;\n@%p59 bra DONE;")
    text(f"st.global.b32 [OUT+{window + 128}], %r249;\nDONE:")
    tensor = tensor or tensor_map("in0", "f16", [72, 20], [64, 8])
    return Kernel(f"tensormap_{name}", "tensormap", str(text), out=window + 132,
                  inputs=[random_bytes(8192, 55)], maps=[tensor], smem=BOX + window)


def kernels():
    yield edit("copy", [], [8, 15], 1024)
    yield edit("address", [("global_address", None, 64, "IN0+256")], [8, 15], 1024)
    yield edit("dim", [("global_dim", 0, 32, 40), ("global_dim", 1, 32, 17)], [8, 15], 1024)
    yield edit("stride", [("global_stride", 0, 64, 160)], [8, 15], 1024)
    yield edit("box", [("box_dim", 0, 32, 32), ("box_dim", 1, 32, 5)], [8, 15], 320)
    yield edit("element_stride", [("element_stride", 1, 32, 2)], [8, 10], 512)
    yield edit("type", [("elemtype", None, 32, 7), ("global_dim", 0, 32, 36),
                        ("box_dim", 0, 32, 32)], [4, 15], 1024)
    yield edit("swizzle", [("swizzle_mode", None, 32, 3)], [8, 15], 1024)
    yield edit("swizzle_64", [("swizzle_mode", None, 32, 2), ("box_dim", 0, 32, 32)], [8, 15],
               512)
    yield edit("fill", [("fill_mode", None, 32, 1)], [-8, 15], 1024)
    yield edit("rank", [("rank", None, 32, 1)], [8, 15], 1024,
               tensor=tensor_map("in0", "f16", [72, 20, 2], [64, 8, 1]))
    yield edit("all", [("global_address", None, 64, "IN0+512"), ("global_dim", 0, 32, 48),
                       ("global_dim", 1, 32, 9), ("global_stride", 0, 64, 96),
                       ("box_dim", 0, 32, 16), ("box_dim", 1, 32, 6),
                       ("swizzle_mode", None, 32, 1), ("fill_mode", None, 32, 1)], [40, 6], 192)
