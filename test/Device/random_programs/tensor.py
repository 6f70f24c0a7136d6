# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor copies and tensor cores: TMA, mma.sync, wgmma."""

import micro.tma as tma
from micro import wgmma as wg

from .memory import finite_bytes, finite_state
from .program import DATA_BYTES, WORK

SPANS = {"none": 1024, "32B": 32, "64B": 64, "128B": 128}


def random_map(program, buffer, dtype, most):
    """A tensor map and coordinates of a box of at most `most` bytes that may
    hang over the ends of a tensor of at most DATA_BYTES."""
    draw = program.draw
    size = tma.BITS[dtype] // 8
    while True:
        rank = draw.weighted([(1, 1), (4, 2), (3, 3), (1, 4), (1, 5)])
        swizzle = draw.choice(list(SPANS))
        inner = 16 * draw.between(1, min(SPANS[swizzle], 256) // 16)
        if inner // size > 256:
            continue
        box = [inner // size] + [draw.between(1, (16, 8, 4, 3)[rank - 2]) for _ in range(rank - 1)]
        dims = [draw.between(1, 3 * box[0])] + [draw.between(1, 2 * extent + 3)
                                                for extent in box[1:]]
        steps = [1] * rank
        if draw.chance(20) and rank > 1:
            steps[draw.between(1, rank - 1)] = draw.between(2, 3)
        fill = "nan" if dtype in ("f16", "bf16", "f32", "tf32", "f64") and draw.chance(30) else \
            "zero"
        tensor = tma.tensor_map(buffer, dtype, dims, box, swizzle=swizzle, element_strides=steps,
                                oob_fill=fill if buffer != "out" else "zero",
                                pad=16 * draw.below(3))
        if rank > 1:
            tensor["strides"] = [stride if i == 0 else max(stride, tensor["strides"][0])
                                 for i, stride in enumerate(tensor["strides"])]
        pitch = max(inner, SPANS[swizzle] if swizzle != "none" else 0)
        span = pitch * (tma.box_bytes(tensor) // inner)
        if span <= most and tma.tensor_bytes(tensor) + 64 <= DATA_BYTES // 2:
            break
    low = 0 if buffer == "out" else -1
    coords = [16 // size * draw.between(low * 2, dims[0] * size // 16 + 1)]
    coords += [draw.between(low * 2, dims[i]) for i in range(1, rank)]
    return tensor, coords, span


def use_map(program, tensor):
    program.maps.append(tensor)
    return f"MAP{len(program.maps) - 1}"


def copy_coordinates(program, coords):
    for i, value in enumerate(coords):
        program.text(f"mov.s32 %r{200 + i}, {value};")
    return "{" + ", ".join(f"%r{200 + i}" for i in range(len(coords))) + "}"


def load(program):
    """A box to shared memory, of every CTA or sent to several."""
    draw, text = program.draw, program.text
    dtype = draw.choice(list(tma.BITS))
    tensor, coords, span = random_map(program, "in2", dtype, 8192)
    tensor["offset"] = 16 * draw.below(DATA_BYTES // 64)
    name, barrier, size = use_map(program, tensor), program.barrier(), tma.box_bytes(tensor)
    multicast = program.ctas > 1 and draw.chance(50)
    program.sync()
    text.fill(WORK, span, program.threads)
    text.one_thread(f"mbarrier.init.shared::cta.b64 [SM+{barrier}], 1;\n"
                    "fence.mbarrier_init.release.cluster;")
    program.sync_proxies()
    end, skip = program.label(), program.label()
    mask = draw.between(1, (1 << program.ctas) - 1) if multicast else 0
    text(f"setp.ne.u32 %p15, T, 0;\n@%p15 bra {end};\nmov.u32 %r111, {size};")
    if multicast:
        text(f"mov.u32 %r112, %cluster_ctarank;\nmov.u32 %r113, {mask};\n"
             "shr.u32 %r113, %r113, %r112;\nand.b32 %r113, %r113, 1;\n"
             "mul.lo.u32 %r111, %r111, %r113;")
    text(f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{barrier}], %r111;\n"
         f"add.u32 %r114, SM, {WORK};")
    coordinates = copy_coordinates(program, coords)
    opcode = (f"cp.async.bulk.tensor.{len(coords)}d.shared::cluster.global.tile"
              ".mbarrier::complete_tx::bytes")
    if multicast:
        text(f"setp.ne.u32 %p15, %r112, {draw.below(program.ctas)};\n@%p15 bra {skip};\n"
             f"mov.u16 %h20, {mask};\n{opcode}.multicast::cluster [%r114], "
             f"[{name}, {coordinates}], [SM+{barrier}], %h20;\n{skip}:")
    else:
        text(f"{opcode} [%r114], [{name}, {coordinates}], [SM+{barrier}];")
    text(f"{end}:")
    text.wait(f"SM+{barrier}", 0)
    program.absorb_shared(WORK, span)


def store(program):
    """State to the output, plainly or by a reduction, over the ends of rows."""
    draw, text = program.draw, program.text
    dtype, operation = draw.choice(tma.REDUCTIONS) if draw.chance(50) else \
        (draw.choice(list(tma.BITS)), None)
    tensor, coords, span = random_map(program, "out", dtype, 16 * program.threads)
    tensor["offset"] = program.area(finite_bytes(dtype, tma.tensor_bytes(tensor) + 64,
                                                 draw.below(1 << 30)))
    name = use_map(program, tensor)
    program.sync()
    vector = finite_state(program, dtype if operation else "u32")
    text(f"shl.b32 %r111, T, 4;\nadd.u32 %r111, %r111, SM;\n"
         f"st.shared.v4.b32 [%r111+{WORK}], {vector};")
    program.sync_proxies()
    end = program.label()
    text(f"setp.ne.u32 %p15, %r221, 0;\n@%p15 bra {end};\nadd.u32 %r114, SM, {WORK};")
    coordinates = copy_coordinates(program, coords)
    opcode = (f"cp.reduce.async.bulk.tensor.{len(coords)}d.global.shared::cta.{operation}"
              if operation else f"cp.async.bulk.tensor.{len(coords)}d.global.shared::cta")
    text(f"{opcode}.tile.bulk_group [{name}, {coordinates}], [%r114];\n"
         f"cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n{end}:")


MMA = [("f16", "f16", "f32", 16), ("f16", "f16", "f32", 8), ("f16", "f16", "f16", 16),
       ("f16", "f16", "f16", 8), ("bf16", "bf16", "f32", 16), ("bf16", "bf16", "f32", 8),
       ("tf32", "tf32", "f32", 8), ("tf32", "tf32", "f32", 4), ("e4m3", "e5m2", "f32", 32),
       ("e5m2", "e5m2", "f32", 32), ("s8", "s8", "s32", 32), ("u8", "s8", "s32", 16),
       ("s8", "u8", "s32", 8)]


def mma_sync(program):
    draw, text = program.draw, program.text
    a_type, b_type, accumulator, k = draw.choice(MMA)
    m = 16
    if k == 8 and accumulator == "s32":
        m, k = 8, 16
    bits = wg.BITS[a_type]
    counts = (m * k * bits // 1024, 8 * k * bits // 1024,
              m // 4 if accumulator != "f16" else m // 8)
    operands = []
    for count in counts:
        operands.append("{" + ", ".join(f"%r{draw.below(16)}" for _ in range(count)) + "}")
    results = [f"%r{120 + i}" for i in range(counts[2])]
    saturate = ".satfinite" if accumulator == "s32" and draw.chance(30) else ""
    text(f"mma.sync.aligned.m{m}n8k{k}.row.col{saturate}.{accumulator}.{a_type}.{b_type}."
         f"{accumulator} {{{', '.join(results)}}}, {', '.join(operands)};")
    for register in results:
        program.absorb(register)


def wgmma(program):
    """A product of one warpgroup out of shared memory, filled with data."""
    draw, text = program.draw, program.text
    if program.threads != 128:
        return mma_sync(program)
    program.smem = max(program.smem, WORK + 65536)
    dtype, b_type, accumulator = draw.choice(
        (("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("f16", "f16", "f16"),
         ("tf32", "tf32", "f32"), ("e4m3", "e5m2", "f32"), ("e5m2", "e4m3", "f16"),
         ("s8", "u8", "s32"), ("u8", "u8", "s32")))
    bits = wg.BITS[dtype]
    n = draw.choice((8, 16, 24, 32, 48, 64))
    k = 256 // bits
    majors = [draw.choice(("k", "mn")) if bits == 16 else "k" for _ in range(2)]
    swizzles = [draw.choice(list(wg.SWIZZLES)) for _ in range(2)]
    registers = [f"D{len(program.pieces)}_{i}"
                 for i in range(n // 2 if accumulator != "f16" else n // 4)]
    program.registers.append(f".reg .b32 {', '.join(registers)};")
    program.sync()
    offset = 16 * draw.below(64)
    text(f"mov.u32 %r111, {offset};\nadd.u32 %r112, SM, {WORK};")
    text.load_shared(WORK, 65536 - 2048, 128, "IN2", offset)
    text.fill(WORK + 65536 - 2048, 2048, 128, 0)
    for register in registers:
        value = f"%r{draw.below(16)}" if draw.chance(70) else "0"
        text(f"mov.b32 {register}, {value};")
    program.sync_proxies()
    starts = (WORK, WORK + 32768)
    for i, (register, extent) in enumerate((("%d37", 64), ("%d38", n))):
        lbo, sbo = wg.strides(swizzles[i], majors[i] == "mn", extent, bits)
        wg.descriptor(text, register, starts[i], lbo, sbo, swizzles[i])
    text(f"mov.u32 %r113, {draw.below(2)};\nsetp.ne.u32 %p15, %r113, 0;\n"
         "wgmma.fence.sync.aligned;")
    flags = ""
    if accumulator != "s32":
        flags = f", {draw.choice((1, -1))}, {draw.choice((1, -1))}"
        if bits == 16:
            flags += f", {int(majors[0] == 'mn')}, {int(majors[1] == 'mn')}"
    suffix = ".satfinite" if accumulator == "s32" and draw.chance(30) else ""
    text(f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{accumulator}.{dtype}.{b_type}{suffix} "
         f"{{{', '.join(registers)}}}, %d37, %d38, %p15{flags};\n"
         "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;")
    for register in registers:
        program.absorb(register)


PIECES = [(5, load), (4, store), (4, mma_sync), (3, wgmma)]
