# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ldmatrix, stmatrix and movmatrix."""

from .core import Kernel, Text, random_bytes

SIZE = 4096


def rows(text, pattern):
    """%r1: where this lane's row of 16 bytes starts."""
    text({"dense": "shl.b32 %r1, T, 4;",
          "wide": "mul.lo.u32 %r1, T, 80;",
          "mixed": "mad.lo.u32 %r1, T, 13, 5;\nand.b32 %r1, %r1, 31;\nmul.lo.u32 %r1, %r1, 112;"}
         [pattern])
    text("add.u32 %r1, SM, %r1;")


def load(count, trans, pattern):
    text = Text()
    text.load_shared(0, SIZE, 32)
    text("bar.sync 0;")
    rows(text, pattern)
    registers = [f"%r{10 + i}" for i in range(count)]
    text(f"ldmatrix.sync.aligned.m8n8.x{count}{'.trans' if trans else ''}.shared.b16 "
         f"{{{', '.join(registers)}}}, [%r1];")
    for i, register in enumerate(registers):
        text.store(register, 128 * i)
    return Kernel(f"ldmatrix_x{count}{'_trans' if trans else ''}_{pattern}", "matrix", str(text),
                  out=128 * count, smem=SIZE, inputs=[random_bytes(SIZE, 21)])


def store(count, trans, pattern):
    text = Text()
    text.fill(0, SIZE, 32)
    text("bar.sync 0;")
    rows(text, pattern)
    registers = [f"%r{10 + i}" for i in range(count)]
    for i, register in enumerate(registers):
        text(f"mad.lo.u32 {register}, T, {0x10003 + 2 * i}, {0x40008000 + i * 0x1000};")
    text(f"stmatrix.sync.aligned.m8n8.x{count}{'.trans' if trans else ''}.shared.b16 [%r1], "
         f"{{{', '.join(registers)}}};")
    text("bar.sync 0;")
    text.dump(0, SIZE, 32)
    return Kernel(f"stmatrix_x{count}{'_trans' if trans else ''}_{pattern}", "matrix", str(text),
                  out=SIZE, smem=SIZE)


def move():
    text = Text()
    text("mad.lo.u32 %r1, T, 0x20003, 0x10000;")
    text("movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;")
    text.store("%r2", 0)
    return Kernel("movmatrix", "matrix", str(text), out=128)


def kernels():
    for count in (1, 2, 4):
        for trans in (False, True):
            yield load(count, trans, "dense")
            yield load(count, trans, "mixed")
            yield store(count, trans, "dense")
            yield store(count, trans, "mixed")
    yield load(4, False, "wide")
    yield store(4, True, "wide")
    yield move()
