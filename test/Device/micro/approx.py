# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Approximate functions. Their recorded results are the table that replays run
with (tc-run --approx=FILE): it has to be within the bounds of the ISA, and
whatever else uses one of the functions takes its results from it."""

import struct

from .core import mix
from .elementwise import elementwise
from .forms import SPECIAL16, SPECIAL32, SPECIAL64

COUNT = 96

# Opcode: bits of operands and result, operands, exponents of moderate operands.
OPCODES = {f"{name}.approx{ftz}.f32": (32, 1, span)
           for ftz in ("", ".ftz")
           for name, span in (("rcp", (1, 254)), ("sqrt", (1, 254)), ("rsqrt", (1, 254)),
                              ("sin", (110, 134)), ("cos", (110, 134)), ("lg2", (1, 254)),
                              ("ex2", (115, 133)))}
OPCODES["tanh.approx.f32"] = (32, 1, (100, 131))
OPCODES |= {f"div.{kind}{ftz}.f32": (32, 2, (60, 190))
            for kind in ("approx", "full") for ftz in ("", ".ftz")}
OPCODES |= {"tanh.approx.f16": (16, 1, (5, 18)), "ex2.approx.f16": (16, 1, (8, 19)),
            "tanh.approx.bf16": (16, 1, (110, 131)), "ex2.approx.ftz.bf16": (16, 1, (115, 133)),
            "rcp.approx.ftz.f64": (64, 1, (10, 2030)), "rsqrt.approx.ftz.f64": (64, 1, (10, 2030)),
            "rsqrt.approx.f64": (64, 1, (10, 2030))}


def operands(opcode):
    """The operands that results were recorded for, a tuple per call."""
    bits, arity, (low, high) = OPCODES[opcode]
    special = {16: SPECIAL16, 32: SPECIAL32, 64: SPECIAL64}[bits]
    fraction = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[opcode.rsplit(".", 1)[1]]
    calls = []
    for i in range(COUNT):
        call = []
        for place in range(arity):
            word = mix(len(opcode) * 0x3001 + i * 4 + place)
            if i < len(special) and (arity == 1 or i % 3 == 0):
                word = special[(i + place * (7 + i // 2)) % len(special)]
            else:  # a moderate number of either sign
                exponent = low + (word >> 20) % (high - low + 1)
                word = (word & (1 << fraction) - 1) | exponent << fraction | \
                    (word >> 63) << (bits - 1)
            call.append(word & (1 << bits) - 1)
        calls.append(tuple(call))
    return calls


def name_of(opcode):
    return "approx_" + opcode.replace(".", "_")


def kernels():
    for opcode, (bits, arity, _) in OPCODES.items():
        calls = operands(opcode)
        args = ", ".join(f"A{place}" for place in range(arity))
        yield elementwise(name_of(opcode), "approx", f"{opcode} D0, {args};",
                          [(bits, [call[place] for call in calls]) for place in range(arity)],
                          [bits], block=32, grid=3)


def table(outputs):
    """The lines of tc-run's table from the recorded bytes, by kernel."""
    lines = []
    for opcode, (bits, _, _) in OPCODES.items():
        data = outputs.get(name_of(opcode))
        if data is None:
            continue
        results = struct.unpack(f"<{COUNT}{ {16: 'H', 32: 'I', 64: 'Q'}[bits]}", data)
        known = {}
        for call, result in zip(operands(opcode), results):
            known[call] = result
        lines += [f"{opcode} {','.join(f'{word:x}' for word in call)} {result:x}"
                  for call, result in known.items()]
    return "\n".join(lines) + "\n"
