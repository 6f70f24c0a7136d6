# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiled tensor copies: loads, multicast, stores and reductions in 1 to 5
dimensions with every swizzle, element type, fill and element stride."""

import math

from .core import Kernel, Text, halves, mix, pack, random_bytes, random_words

BITS = {"u8": 8, "u16": 16, "u32": 32, "i32": 32, "u64": 64, "i64": 64,
        "f16": 16, "bf16": 16, "f32": 32, "f32_ftz": 32, "tf32": 32,
        "tf32_ftz": 32, "f64": 64}
BARRIER = 0  # the mbarrier comes first, boxes from BOX on
BOX = 1024


def tensor_map(buffer, dtype, dims, box, *, swizzle="none", element_strides=None,
               oob_fill="zero", pad=0, im2col=None):
    """Dense strides, rounded up to 16 bytes, plus `pad` bytes a row."""
    size = BITS[dtype] // 8
    strides, step = [], size
    for i, dim in enumerate(dims[:-1]):
        step = (step * dim + 15) // 16 * 16 + (pad if i == 0 else 0)
        strides.append(step)
    result = {"buffer": buffer, "offset": 0, "dtype": dtype, "dims": dims,
              "strides": strides, "swizzle": swizzle, "interleave": "none",
              "element_strides": element_strides or [1] * len(dims),
              "oob_fill": oob_fill}
    if im2col:
        result["im2col"] = im2col
    else:
        result["box"] = box
    return result


def tensor_bytes(tensor):
    last = tensor["dims"][-1]
    row = tensor["strides"][-1] if tensor["strides"] else BITS[tensor["dtype"]] // 8
    return (last * row + 31) // 32 * 32


def box_bytes(tensor):
    """What one copy moves: every element_stride-th element of the box. The
    first dimension has no element stride."""
    count = 1
    for i, (box, step) in enumerate(zip(tensor["box"], tensor["element_strides"])):
        count *= math.ceil(box / (step if i else 1))
    return count * BITS[tensor["dtype"]] // 8


def coordinates(text, values):
    names = []
    for i, value in enumerate(values):
        text(f"mov.s32 %r{200 + i}, {value};")
        names.append(f"%r{200 + i}")
    return "{" + ", ".join(names) + "}"


def inside(dims, coords):
    """Coordinates for stores and reductions, which may not be negative: with
    those the GPU stops with an illegal instruction. Ends still hang over."""
    return [coord if coord >= 0 else -coord if i == 0 else dims[i] - 1
            for i, coord in enumerate(coords)]


def load_kernel(name, tensor, coords, *, size=None, data=None, base=0, mode="tile",
                offsets=None, family="tma_load", window=None):
    """One box to shared memory; the window around it is dumped, so that bytes
    before and after the box count. The last word tells whether the
    barrier completed with the expected number of bytes."""
    size = box_bytes(tensor) if size is None else size
    window = window or (base + size + 127) // 128 * 128 + 128
    rank, text = len(tensor["dims"]), Text()
    text.fill(BOX, window, 64)
    text.one_thread(f"""
        mbarrier.init.shared::cta.b64 [SM+{BARRIER}], 1;
        fence.mbarrier_init.release.cluster;""")
    text("fence.proxy.async.shared::cta;\nbar.sync 0;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    text(f"mov.u32 %r210, {size};")
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{BARRIER}], %r210;")
    text(f"add.u32 %r211, SM, {BOX + base};")
    coords_text = coordinates(text, coords)
    im2col = ""
    if offsets is not None:
        for i, offset in enumerate(offsets):
            text(f"mov.u16 %h{i}, {offset};")
        im2col = ", {" + ", ".join(f"%h{i}" for i in range(len(offsets))) + "}"
    text(f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.{mode}"
         f".mbarrier::complete_tx::bytes [%r211], [MAP0, {coords_text}], "
         f"[SM+{BARRIER}]{im2col};")
    text(f"{end}:")
    text.wait(f"SM+{BARRIER}", 0)
    text.dump(BOX, window, 64)
    text("setp.ne.u32 %p59, T, 0;\n@%p59 bra DONE;")
    text(f"st.global.b32 [OUT+{window}], %r249;\nDONE:")
    data = random_bytes(tensor_bytes(tensor), mix(len(name)) & 0xFFFF) if data is None else data
    return Kernel(name, family, str(text), out=window + 4, inputs=[data],
                  maps=[tensor], block=64, smem=BOX + window)


# Per rank: dims, box and coordinates for an element of 2 bytes, rows of 64
# elements or fewer; every box hangs over an edge of the tensor. The first
# coordinate is a multiple of 16 bytes: with any other one the GPU stops with an
# illegal instruction.
SHAPES = {1: ([200], [64], [160]),
          2: ([72, 20], [64, 8], [-8, 15]),
          3: ([72, 9, 6], [64, 4, 3], [24, -2, 4]),
          4: ([72, 5, 4, 5], [64, 3, 2, 2], [-16, 3, -1, 4]),
          5: ([72, 4, 3, 4, 3], [64, 2, 2, 3, 2], [24, 3, 2, -1, -1])}
NARROW = (("32B", 8), ("64B", 8), ("64B", 24), ("128B", 8), ("128B", 24), ("128B", 40),
          ("128B", 56))
INNER = {"none": 64, "32B": 16, "64B": 32, "128B": 64}


def shaped(rank, swizzle, dtype="f16"):
    """The rank's shape with the inner box as wide as the swizzle allows."""
    dims, box, coords = SHAPES[rank]
    scale = 16 / BITS[dtype]
    box = [max(1, int(INNER[swizzle] * scale))] + box[1:]
    dims = [int(dims[0] * scale)] + dims[1:]
    return dims, box, [int(coords[0] * scale)] + coords[1:]


def load_kernels():
    dtypes = ["f16", "u8", "f32", "bf16", "u32"]
    for rank in SHAPES:
        for swizzle in INNER:
            dtype = dtypes[rank - 1] if swizzle != "64B" else "u16"
            dims, box, coords = shaped(rank, swizzle, dtype)
            yield load_kernel(f"tma_load_{rank}d_{swizzle.lower()}",
                              tensor_map("in0", dtype, dims, box, swizzle=swizzle),
                              coords)
    # A box narrower than the swizzle span, boxes of many lines.
    for swizzle, inner in NARROW:
        yield load_kernel(f"tma_load_narrow_{swizzle.lower()}_{inner}",
                          tensor_map("in0", "f16", [64, 40], [inner, 24], swizzle=swizzle),
                          [8, 5], window=24 * 2 * INNER[swizzle])
    # Destinations inside of a swizzle pattern: the XOR takes absolute address bits.
    for swizzle in ("32B", "64B", "128B"):
        for base in (128, 256, 384, 896):
            dims, box, coords = shaped(2, swizzle)
            yield load_kernel(f"tma_load_base_{swizzle.lower()}_{base}",
                              tensor_map("in0", "f16", dims, box, swizzle=swizzle),
                              [8, 3], base=base)
    for dtype in BITS:
        inner = 512 // BITS[dtype]
        tensor = tensor_map("in0", dtype, [inner + 16, 8], [inner, 6])
        yield load_kernel(f"tma_load_type_{dtype}", tensor, [128 // BITS[dtype], 4])
    for dtype in ("f16", "bf16", "f32", "f32_ftz", "tf32", "tf32_ftz", "f64"):
        inner = 512 // BITS[dtype]
        tensor = tensor_map("in0", dtype, [inner + 16, 8], [inner, 6], oob_fill="nan",
                            swizzle="64B")
        yield load_kernel(f"tma_load_nan_{dtype}", tensor,
                          [-128 // BITS[dtype], 5])
    for rank, swizzle, dtype in ((1, "none", "f16"), (2, "128B", "f32"), (3, "64B", "bf16"),
                                 (4, "32B", "f16"), (5, "128B", "bf16")):
        dims, box, coords = shaped(rank, swizzle, dtype)
        tensor = tensor_map("in0", dtype, dims, box, swizzle=swizzle, oob_fill="nan")
        yield load_kernel(f"tma_load_nan_{rank}d", tensor, coords)
    for rank, steps in ((1, [3]), (2, [1, 2]), (2, [2, 1]), (2, [1, 3]), (3, [1, 2, 1]),
                        (3, [1, 1, 2]), (3, [4, 3, 2]), (4, [1, 2, 2, 1]),
                        (4, [1, 1, 3, 2]), (5, [1, 2, 1, 2, 2]), (5, [1, 8, 1, 1, 1])):
        dims = [72, 20, 7, 6, 5][:rank]
        box = [64, 12, 4, 4, 3][:rank]
        if rank > 3:
            dims, box = [40, 9, 7, 6, 5][:rank], [32, 8, 4, 4, 3][:rank]
        if rank == 3:
            box = [32, 7, 4]
        tensor = tensor_map("in0", "f16", dims, box, element_strides=steps,
                            swizzle="64B" if rank > 1 and box[0] == 32 else "none")
        name = "x".join(str(step) for step in steps)
        yield load_kernel(f"tma_load_step_{rank}d_{name}", tensor,
                          [8, -3, 2, -1, 1][:rank])
    # Far outside, exactly inside, one element.
    for name, coords in (("far", [100000, -100000]), ("inside", [8, 4]),
                         ("corner", [64, 19]), ("before", [-56, -7]),
                         ("extreme", [-2147483648, 2147483647])):
        tensor = tensor_map("in0", "f16", [72, 20], [64, 8], pad=32)
        yield load_kernel(f"tma_load_at_{name}", tensor, coords)
    tensor = tensor_map("in0", "bf16", [40, 10, 5], [24, 5, 3], swizzle="128B")
    yield load_kernel("tma_load_narrow_3d", tensor, [24, 7, 3], base=256,
                      window=256 + 15 * 128 + 128)
    tensor = tensor_map("in0", "u8", [256, 4], [16, 1])
    yield load_kernel("tma_load_smallest", tensor, [48, 2])
    tensor = tensor_map("in0", "f32", [300], [256])
    yield load_kernel("tma_load_256_elements", tensor, [48])
    tensor = tensor_map("in0", "f16", [64, 300], [8, 256], swizzle="32B")
    yield load_kernel("tma_load_256_rows", tensor, [8, 20], window=256 * 32)


def repeated_kernels():
    """Strides of 0: every index of the dimension names the same elements."""
    for name, dims, strides, box, coords, swizzle in (
            ("rows", [72, 20], [0], [64, 8], [24, 15], "128B"),
            ("rows_plain", [72, 20], [0], [64, 8], [0, 15], "none"),
            ("matrices", [64, 16, 4], [144, 0], [64, 8, 1], [0, 3, 2], "128B"),
            ("middle", [64, 4, 16], [0, 144], [64, 1, 8], [0, 2, 3], "128B"),
            ("all", [64, 4, 16], [0, 0], [64, 2, 8], [0, 1, 12], "128B")):
        tensor = tensor_map("in0", "bf16", dims, box, swizzle=swizzle)
        tensor["strides"] = strides
        yield load_kernel(f"tma_load_repeated_{name}", tensor, coords, data=random_bytes(4096, 55))


def special_words(dtype):
    """Subnormals, ties of the 10 bits that tf32 keeps, infinities, NaN."""
    if BITS[dtype] == 16:
        words = [0x0001, 0x8001, 0x03FF, 0x83FF, 0x7C00, 0xFC00, 0x7C01, 0xFE00, 0x7F80, 0xFF80,
                 0x7F81, 0x7FFF, 0x007F, 0x0080, 0x8000, 0x0000]
        return [words[i % 16] for i in range(256)]
    words = []
    for exponent in (0, 1, 2, 100, 127, 200, 253, 254, 255):
        for fraction in (0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF, 0x2000, 0x2FFF, 0x3000, 0x3001,
                         0x7FE000, 0x7FEFFF, 0x7FF000, 0x7FFFFF):
            for sign in (0, 1):
                words.append(sign << 31 | exponent << 23 | fraction)
    return words + [0] * (256 - len(words))


def special_kernels():
    """Values that a conversion on the way would change."""
    for dtype in ("f32", "f32_ftz", "tf32", "tf32_ftz", "f16", "bf16"):
        bits = BITS[dtype]
        data = pack(special_words(dtype), bits)
        tensor = tensor_map("in0", dtype, [32, 8], [32, 8])
        yield load_kernel(f"tma_load_special_{dtype}", tensor, [0, 0], data=data)
        tensor = tensor_map("out", dtype, [32, 8], [32, 8])
        yield store_kernel(f"tma_store_special_{dtype}", tensor, [0, 0], data=data)


def refused_kernels():
    """Coordinates that a GPU answers with an illegal instruction."""
    for dtype, first in (("f16", -6), ("f16", 4), ("u8", 8), ("f32", 2), ("f64", 1), ("f32", -1),
                         ("u16", 1)):
        inner = 512 // BITS[dtype]
        tensor = tensor_map("in0", dtype, [inner + 16, 8], [inner, 6])
        kernel = load_kernel(f"tma_refused_load_{dtype}_{first}".replace("-", "m"), tensor,
                             [first, 1], family="tma_refused")
        kernel.stops = True
        yield kernel
    for rank, swizzle, coords in ((1, "none", [-4]), (2, "128B", [4, 0]), (3, "32B", [4, 0, 1])):
        dims, box, _ = shaped(rank, swizzle)
        kernel = load_kernel(f"tma_refused_load_{rank}d",
                             tensor_map("in0", "f16", dims, box, swizzle=swizzle), coords,
                             family="tma_refused")
        kernel.stops = True
        yield kernel
    dims, box, _ = shaped(3, "64B")
    kernel = store_kernel("tma_refused_store_third",
                          tensor_map("out", "f16", dims, box, swizzle="64B"), [0, 1, -1],
                          family="tma_refused")
    kernel.stops = True
    yield kernel
    for name, coords, reduce in (("first", [-8, 1], None), ("second", [8, -1], None),
                                 ("unaligned", [4, 1], None), ("reduce", [8, -1], "add"),
                                 ("reduce_unaligned", [4, 1], "add")):
        tensor = tensor_map("out", "f16", [72, 20], [64, 8])
        kernel = store_kernel(f"tma_refused_store_{name}", tensor, coords, reduce=reduce,
                              family="tma_refused")
        kernel.stops = True
        yield kernel


def multicast_kernel(name, ctas, mask_of, swizzle, rank=2):
    """Each CTA whose mask is not 0 sends its own box to the CTAs of the mask."""
    dims, box, coords = shaped(rank, swizzle)
    tensor = tensor_map("in0", "f16", dims, box, swizzle=swizzle)
    size = box_bytes(tensor)
    senders = [i for i in range(ctas) if mask_of(i)]
    window = (size * ctas + 127) // 128 * 128
    slot = (size + 1023) // 1024 * 1024
    window = slot * ctas
    text = Text()
    text.fill(BOX, window, 64)
    text("mov.u32 %r220, %cluster_ctarank;")
    text.one_thread(f"""
        mbarrier.init.shared::cta.b64 [SM+{BARRIER}], 1;
        fence.mbarrier_init.release.cluster;""")
    text("fence.proxy.async.shared::cta;")
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    end = text.label()
    text(f"setp.ne.u32 %p59, T, 0;\n@%p59 bra {end};")
    # Bytes that arrive here: one box for each mask that names this CTA.
    text("mov.u32 %r221, 0;")
    for rank_to in range(ctas):
        got = sum(size for sender in senders if mask_of(sender) >> rank_to & 1)
        text(f"setp.eq.u32 %p1, %r220, {rank_to};\n@%p1 mov.u32 %r221, {got};")
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{BARRIER}], %r221;")
    for sender in senders:
        skip = text.label()
        text(f"setp.ne.u32 %p1, %r220, {sender};\n@%p1 bra {skip};")
        text(f"mov.u16 %h0, {mask_of(sender)};")
        text(f"add.u32 %r211, SM, {BOX + sender * slot};")
        shifted = [coords[0] + 8 * sender] + coords[1:]
        coords_text = coordinates(text, shifted)
        text(f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile"
             f".mbarrier::complete_tx::bytes.multicast::cluster [%r211], "
             f"[MAP0, {coords_text}], [SM+{BARRIER}], %h0;")
        text(f"{skip}:")
    text(f"{end}:")
    text.wait(f"SM+{BARRIER}", 0)
    text(f"mul.wide.u32 %d50, %r220, {window + 16};\nadd.u64 OUT, OUT, %d50;")
    text.dump(BOX, window, 64)
    text("setp.ne.u32 %p59, T, 0;\n@%p59 bra DONE;")
    text(f"st.global.b32 [OUT+{window}], %r249;\nDONE:")
    text("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;")
    return Kernel(name, "tma_multicast", str(text), out=(window + 16) * ctas,
                  inputs=[random_bytes(tensor_bytes(tensor), 77)], maps=[tensor],
                  block=64, grid=ctas, cluster=ctas, smem=BOX + window)


def multicast_kernels():
    for ctas in (2, 4):
        everyone = (1 << ctas) - 1
        for swizzle in ("none", "128B"):
            name = f"tma_multicast_{ctas}_{swizzle.lower()}"
            yield multicast_kernel(name + "_all", ctas, lambda i: everyone, swizzle)
            yield multicast_kernel(name + "_first", ctas,
                                   lambda i: everyone if i == 0 else 0, swizzle)
            yield multicast_kernel(name + "_next", ctas,
                                   lambda i: 1 << (i + 1) % ctas, swizzle)
    yield multicast_kernel("tma_multicast_4_pairs", 4, lambda i: 3 << (i & 2), "64B", 3)
    yield multicast_kernel("tma_multicast_8_odd", 8, lambda i: 0xAA if i in (0, 3) else 0,
                           "32B")


def store_kernel(name, tensor, coords, *, base=0, reduce=None, data=None, before=None,
                 mode="tile", size=None, family="tma_store", window=None):
    size = box_bytes(tensor) if size is None else size
    window = window or (base + size + 127) // 128 * 128
    rank, text = len(tensor["dims"]), Text()
    text.load_shared(BOX, window, 64)
    text("fence.proxy.async.shared::cta;\nbar.sync 0;")
    text("setp.ne.u32 %p59, T, 0;\n@%p59 bra DONE;")
    text(f"add.u32 %r211, SM, {BOX + base};")
    coords_text = coordinates(text, coords)
    opcode = (f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{reduce}" if reduce
              else f"cp.async.bulk.tensor.{rank}d.global.shared::cta")
    text(f"{opcode}.{mode}.bulk_group [MAP0, {coords_text}], [%r211];")
    text("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:")
    data = random_bytes(window, mix(len(name) + 7) & 0xFFFF) if data is None else data
    return Kernel(name, family, str(text), out=tensor_bytes(tensor), out_init=before,
                  inputs=[data], maps=[tensor], block=64, smem=BOX + window)


def store_kernels():
    dtypes = ["u8", "f16", "bf16", "f32", "u64"]
    for rank in SHAPES:
        for swizzle in INNER:
            dtype = dtypes[rank - 1] if swizzle != "32B" else "u16"
            dims, box, coords = shaped(rank, swizzle, dtype)
            yield store_kernel(f"tma_store_{rank}d_{swizzle.lower()}",
                               tensor_map("out", dtype, dims, box, swizzle=swizzle),
                               inside(dims, coords))
    for swizzle in ("32B", "128B"):
        dims, box, _ = shaped(2, swizzle)
        yield store_kernel(f"tma_store_base_{swizzle.lower()}",
                           tensor_map("out", "f16", dims, box, swizzle=swizzle), [8, 3],
                           base=384)
    for steps in ([1, 2], [1, 3], [2, 2]):
        tensor = tensor_map("out", "f16", [72, 20], [32, 12], element_strides=steps,
                            swizzle="64B")
        yield store_kernel(f"tma_store_step_{steps[0]}x{steps[1]}", tensor, [48, 13])
    for dtype in ("f32_ftz", "tf32", "tf32_ftz", "f64", "i32", "i64"):
        inner = 512 // BITS[dtype]
        tensor = tensor_map("out", dtype, [inner + 16, 8], [inner, 6])
        yield store_kernel(f"tma_store_type_{dtype}", tensor, [128 // BITS[dtype], 4])
    for rank, steps in ((3, [1, 2, 3]), (4, [1, 2, 1, 2]), (5, [1, 1, 3, 1, 2])):
        dims, box, _ = shaped(rank, "64B")
        tensor = tensor_map("out", "f16", dims, box, element_strides=steps, swizzle="64B")
        yield store_kernel(f"tma_store_step_{'x'.join(map(str, steps))}", tensor,
                           inside(dims, SHAPES[rank][2]))
    for swizzle, inner in NARROW:
        tensor = tensor_map("out", "f16", [64, 40], [inner, 24], swizzle=swizzle)
        yield store_kernel(f"tma_store_narrow_{swizzle.lower()}_{inner}", tensor, [8, 5],
                           window=24 * 2 * INNER[swizzle])


REDUCTIONS = [("u32", op) for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor")]
REDUCTIONS += [("i32", op) for op in ("add", "min", "max", "and", "or", "xor")]
REDUCTIONS += [("u64", op) for op in ("add", "min", "max", "and", "or", "xor")]
REDUCTIONS += [("i64", op) for op in ("min", "max")]
REDUCTIONS += [(t, op) for t in ("f16", "bf16") for op in ("add", "min", "max")]
REDUCTIONS += [("f32", "add")]


def finite(dtype, count, seed):
    if dtype in ("f16", "bf16"):
        words = halves(count, seed, dtype == "bf16")
        top = 0x7C00 if dtype == "f16" else 0x7F80
        # No infinities and NaNs: their payload is not specified.
        return pack([w & ~0x0400 if dtype == "f16" and w & top == top else
                     w & ~0x0080 if w & top == top else w for w in words], 16)
    if dtype == "f32":
        # Every fourth word is subnormal: additions in global memory flush it.
        return pack([w & ~0x00800000 if w & 0x7F800000 == 0x7F800000 else
                     w & 0x807FFFFF if w % 4 == 3 else w
                     for w in random_words(count, seed)], 32)
    return random_bytes(count * BITS[dtype] // 8, seed)


def reduce_kernels():
    for i, (dtype, op) in enumerate(REDUCTIONS):
        swizzle = list(INNER)[i % 4]
        dims, box, coords = shaped(2 + i % 2, swizzle, dtype)
        tensor = tensor_map("out", dtype, dims, box, swizzle=swizzle)
        size = BITS[dtype] // 8
        data = finite(dtype, (box_bytes(tensor) + 127) // 128 * 128 // size, 300 + i)
        yield store_kernel(f"tma_reduce_{op}_{dtype}", tensor, inside(dims, coords), reduce=op,
                           data=data, before=finite(dtype, tensor_bytes(tensor) // size, 400 + i),
                           family="tma_reduce")
    tensor = tensor_map("out", "u32", [40, 12], [12, 9], swizzle="128B")
    yield store_kernel("tma_reduce_narrow", tensor, [8, 5], reduce="add",
                       before=finite("u32", tensor_bytes(tensor) // 4, 450), window=9 * 128,
                       family="tma_reduce")


def kernels():
    yield from load_kernels()
    yield from repeated_kernels()
    yield from multicast_kernels()
    yield from store_kernels()
    yield from reduce_kernels()
    yield from special_kernels()
    yield from refused_kernels()
