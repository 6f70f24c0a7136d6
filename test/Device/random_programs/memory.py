# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pieces that move state through shared and global memory of a CTA."""

from micro.core import random_bytes

from .program import DATA_BYTES, WORK, WORK_BYTES


def exchange(program):
    """Every thread writes shared memory, every thread reads another's."""
    draw, text = program.draw, program.text
    program.sync()
    a, count = draw.below(12), draw.choice((1, 2, 4))
    values = [f"%r{a + i}" for i in range(count)]
    vector = values[0] if count == 1 else "{" + ", ".join(values) + "}"
    suffix = "" if count == 1 else f".v{count}"
    text(f"mul.lo.u32 %r111, T, {4 * count};\nadd.u32 %r111, %r111, SM;\n"
         f"st.shared{suffix}.b32 [%r111+{WORK}], {vector};")
    program.sync()
    if draw.chance(50):
        text(f"xor.b32 %r112, T, {draw.below(program.threads)};")
    else:
        text(f"add.u32 %r112, T, {draw.below(program.threads)};")
    text(f"rem.u32 %r112, %r112, {program.threads};\n"
         f"mul.lo.u32 %r112, %r112, {4 * count};\nadd.u32 %r112, %r112, SM;")
    for i, kind in enumerate(draw.choice((("b32",), ("u16",), ("s8", "b16"), ("s16", "u8")))):
        place = WORK + draw.below(4 * count // 4) * 4 + 2 * i
        if kind == "b32":
            text(f"ld.shared.b32 %r113, [%r112+{place}];")
            program.absorb("%r113")
        else:
            text(f"ld.shared.{kind} %r113, [%r112+{place}];" if kind[0] != "b" else
                 f"ld.shared.b16 %h20, [%r112+{place}];\ncvt.u32.u16 %r113, %h20;")
            program.absorb("%r113")


def global_loads(program):
    """Gathers from the data by random addresses, with every width."""
    draw, text = program.draw, program.text
    for _ in range(draw.between(1, 3)):
        kind, size, register = draw.choice((("b32", 4, "%r114"), ("u8", 1, "%r114"),
                                            ("s16", 2, "%r114"), ("b64", 8, "%d34"),
                                            ("s8", 1, "%r114"), ("u16", 2, "%r114")))
        space = draw.choice(("global", "global.nc", "global.relaxed.gpu"))
        text(f"and.b32 %r115, %r{draw.below(16)}, {DATA_BYTES - size & -size};\n"
             f"cvt.u64.u32 %d35, %r115;\nadd.u64 %d35, %d35, IN2;\n"
             f"ld.{'relaxed.gpu.global' if 'relaxed' in space else space}.{kind} {register}, "
             "[%d35];")
        program.absorb(register, 64 if kind == "b64" else 32)


def atomics(program):
    """Many threads on a few words, in ways that do not depend on the order."""
    draw, text = program.draw, program.text
    program.sync()
    text(f"setp.gt.u32 %p14, T, 15;\nshl.b32 %r116, T, 2;\nadd.u32 %r116, %r116, SM;\n"
         f"mul.lo.u32 %r117, T, 0x10204081;\n@!%p14 st.shared.b32 [%r116+{WORK}], %r117;")
    program.sync()
    operation = draw.choice(("add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32",
                             "or.b32", "xor.b32", "add.s32"))
    text(f"and.b32 %r118, %r{draw.below(16)}, 60;\nadd.u32 %r118, %r118, SM;\n"
         f"{'red' if draw.chance(60) else 'atom'}.shared.{operation} "
         f"@[%r118+{WORK}], %r{draw.below(16)};".replace(
             "@", ""))
    if " atom" in " " + text.lines[-1].splitlines()[-1]:
        line = text.lines[-1].splitlines()
        line[-1] = line[-1].replace(" [", " %r119, [", 1)
        text.lines[-1] = "\n".join(line)
    program.sync()
    program.absorb_shared(WORK, 64)


def matrices(program):
    """stmatrix or plain stores, then ldmatrix with rows in another order."""
    draw, text = program.draw, program.text
    program.sync()
    text(f"shl.b32 %r111, T, 4;\nadd.u32 %r111, %r111, SM;")
    if draw.chance(50):
        a = draw.below(12)
        text(f"st.shared.v4.b32 [%r111+{WORK}], {{%r{a}, %r{a + 1}, %r{a + 2}, %r{a + 3}}};")
    else:
        trans = draw.choice(("", ".trans"))
        text("stmatrix.sync.aligned.m8n8.x4" + trans + f".shared.b16 [%r111+{WORK}], "
             f"{{%r{draw.below(16)}, %r{draw.below(16)}, %r{draw.below(16)}, %r{draw.below(16)}}};")
    program.sync()
    count, trans = draw.choice((1, 2, 4)), draw.choice(("", ".trans"))
    text(f"add.u32 %r112, T, {draw.below(32)};\nxor.b32 %r112, %r112, {draw.below(8)};\n"
         f"rem.u32 %r112, %r112, {program.threads};\nshl.b32 %r112, %r112, 4;\n"
         "add.u32 %r112, %r112, SM;")
    results = [f"%r{120 + i}" for i in range(count)]
    text(f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{', '.join(results)}}}, "
         f"[%r112+{WORK}];")
    for register in results:
        program.absorb(register)


def cp_async(program):
    """Copies of 4, 8, 16 bytes, some with zeros at the end."""
    draw, text = program.draw, program.text
    program.sync()
    size = draw.choice((4, 8, 16))
    text(f"and.b32 %r115, %r{draw.below(16)}, {DATA_BYTES - size & -size};\n"
         f"cvt.u64.u32 %d35, %r115;\nadd.u64 %d35, %d35, IN2;\n"
         f"mul.lo.u32 %r111, T, {size};\nadd.u32 %r111, %r111, SM;")
    cache = "cg" if size == 16 and draw.chance(50) else "ca"
    zeros = ""
    if draw.chance(50):
        text(f"rem.u32 %r112, %r{draw.below(16)}, {size + 1};")
        zeros = ", %r112"
    text(f"cp.async.{cache}.shared.global [%r111+{WORK}], [%d35], {size}{zeros};")
    if draw.chance(50):
        text("cp.async.commit_group;\ncp.async.wait_group 0;")
    else:
        text("cp.async.wait_all;")
    program.sync()
    program.absorb_shared(WORK, size * program.threads)


def bulk_load(program):
    draw, text = program.draw, program.text
    barrier, pieces, at = program.barrier(), [], 0
    for _ in range(draw.between(1, 4)):
        size = 16 * draw.between(1, 48)
        pieces.append((at, 16 * draw.below(DATA_BYTES // 16 - 48), size))
        at += size + 16 * draw.below(3)
    program.sync()
    text.fill(WORK, at, program.threads)
    text.one_thread(f"mbarrier.init.shared::cta.b64 [SM+{barrier}], 1;\n"
                    "fence.mbarrier_init.release.cluster;")
    program.sync_proxies()
    end = program.label()
    text(f"setp.ne.u32 %p15, T, 0;\n@%p15 bra {end};\n"
         f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [SM+{barrier}], "
         f"{sum(size for _, _, size in pieces)};")
    for to, source, size in pieces:
        text(f"add.u64 %d36, IN2, {source};\nadd.u32 %r111, SM, {WORK + to};\n"
             f"mov.u32 %r112, {size};\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
             f"[%r111], [%d36], %r112, [SM+{barrier}];")
    text(f"{end}:")
    text.wait(f"SM+{barrier}", 0)
    program.absorb_shared(WORK, at)


REDUCTIONS = [("u32", op) for op in ("add", "min", "max", "inc", "dec")]
REDUCTIONS += [("s32", op) for op in ("add", "min", "max")]
REDUCTIONS += [("u64", op) for op in ("add", "min", "max")]
REDUCTIONS += [("b32", op) for op in ("and", "or", "xor")]
REDUCTIONS += [("b64", op) for op in ("and", "or", "xor")]
REDUCTIONS += [("f16", op) for op in ("add", "min", "max")]
REDUCTIONS += [("bf16", op) for op in ("add", "min", "max")] + [("f32", "add")]


def finite_state(program, kind):
    """Four registers of state, without infinities and NaN of that type."""
    draw, text = program.draw, program.text
    registers = [f"%r{120 + i}" for i in range(4)]
    mask = {"f16": 0xBFFFBFFF, "bf16": 0xBFFFBFFF, "f32": 0xBFFFFFFF}.get(kind, 0xFFFFFFFF)
    for register in registers:
        text(f"and.b32 {register}, %r{draw.below(16)}, {mask:#x};")
    return "{" + ", ".join(registers) + "}"


def finite_bytes(kind, size, seed):
    data = bytearray(random_bytes(size, seed))
    step = {"f16": 2, "bf16": 2, "f32": 4}.get(kind)
    for i in range(step - 1 if step else size, size, step or 1):
        data[i] &= 0xBF
    return bytes(data)


def bulk_store(program):
    """State through shared memory to the output, plainly or by a reduction."""
    draw, text = program.draw, program.text
    size = 16 * program.threads
    kind, operation = draw.choice(REDUCTIONS) if draw.chance(60) else ("u32", None)
    area = program.area(finite_bytes(kind, size, draw.below(1 << 30)))
    program.sync()
    vector = finite_state(program, kind)
    text(f"shl.b32 %r111, T, 4;\nadd.u32 %r111, %r111, SM;\n"
         f"st.shared.v4.b32 [%r111+{WORK}], {vector};")
    program.sync_proxies()
    end = program.label()
    text(f"setp.ne.u32 %p15, %r221, 0;\n@%p15 bra {end};")
    first, count = 16 * draw.below(4), 16 * draw.between(1, program.threads - 4)
    opcode = (f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{operation}"
              f"{'.noftz' if kind in ('f16', 'bf16') and operation == 'add' else ''}.{kind}"
              if operation else "cp.async.bulk.global.shared::cta.bulk_group")
    text(f"mov.u64 %d36, AREA{area};\nadd.u64 %d36, %d36, OUT;\nadd.u64 %d36, %d36, {first};\n"
         f"add.u32 %r111, SM, {WORK + first};\nmov.u32 %r112, {count};\n"
         f"{opcode} [%d36], [%r111], %r112;\n"
         f"cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n{end}:")


def ring(program):
    """One warp hands values to another over two mbarriers, round by round."""
    draw, text = program.draw, program.text
    if program.threads < 64:
        return exchange(program)
    full, empty, rounds = program.barrier(), program.barrier(), draw.between(2, 5)
    program.sync()
    text.one_thread(f"mbarrier.init.shared::cta.b64 [SM+{full}], 32;\n"
                    f"mbarrier.init.shared::cta.b64 [SM+{empty}], 32;")
    program.sync()
    consumer, end = program.label(), program.label()
    text("shr.u32 %r111, T, 5;\nand.b32 %r112, T, 31;\nshl.b32 %r113, %r112, 2;\n"
         f"add.u32 %r113, %r113, SM;\nsetp.gt.u32 %p15, %r111, 1;\n@%p15 bra {end};\n"
         f"setp.eq.u32 %p15, %r111, 1;\n@%p15 bra {consumer};")
    for i in range(rounds):
        text.wait(f"SM+{empty}", (i + 1) & 1)
        text(f"st.shared.b32 [%r113+{WORK}], %r{draw.below(16)};\n"
             f"mbarrier.arrive.release.cta.shared::cta.b64 _, [SM+{full}];")
    text(f"bra {end};\n{consumer}:")
    shift = draw.below(32)
    for i in range(rounds):
        text.wait(f"SM+{full}", i & 1)
        text(f"add.u32 %r114, %r112, {shift + i};\nand.b32 %r114, %r114, 31;\n"
             f"shl.b32 %r114, %r114, 2;\nadd.u32 %r114, %r114, SM;\n"
             f"ld.shared.b32 %r115, [%r114+{WORK}];")
        program.absorb("%r115")
        text(f"mbarrier.arrive.release.cta.shared::cta.b64 _, [SM+{empty}];")
    text(f"{end}:\nbar.warp.sync -1;")


def named_barriers(program):
    """Halves of the CTA meet at barriers of their own."""
    draw, text = program.draw, program.text
    if program.threads < 128:
        return exchange(program)
    program.sync()
    half = program.threads // 2
    text(f"setp.ge.u32 %p15, T, {half};\nselp.u32 %r111, {draw.between(2, 7)}, "
         f"{draw.between(8, 15)}, %p15;\nshl.b32 %r112, T, 2;\nadd.u32 %r112, %r112, SM;\n"
         f"st.shared.b32 [%r112+{WORK}], %r{draw.below(16)};\nbar.sync %r111, {half};\n"
         f"xor.b32 %r113, T, {draw.below(half)};\nshl.b32 %r113, %r113, 2;\n"
         f"add.u32 %r113, %r113, SM;\nld.shared.b32 %r114, [%r113+{WORK}];")
    program.absorb("%r114")
    text(f"bar.red.{draw.choice(('popc.u32 %r115', 'or.pred %p1', 'and.pred %p2'))}, 1, "
         f"%p{draw.below(4)};\nmov.u32 %r116, 0;")
    if "popc" in text.lines[-1]:
        program.absorb("%r115")


assert WORK_BYTES >= 16 * 512
PIECES = [(3, exchange), (2, global_loads), (2, atomics), (2, matrices), (2, cp_async),
          (2, bulk_load), (2, bulk_store), (3, ring), (1, named_barriers)]
