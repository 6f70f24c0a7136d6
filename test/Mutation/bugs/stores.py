# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The way out: bulk stores, coordinates, edges. Class 30."""

import re

from ptx import Edit
from .registry import bug, drop


def moved(kernel, i, distance):
    """The copy at `i` with its second coordinate further on."""
    s, edit = kernel.body[i], Edit()
    position = next(p for p, operand in enumerate(s.operands) if "{" in operand)
    map_, coordinates = re.fullmatch(r"\[(.*?),\s*\{(.*)\}\]", s.operands[position]).groups()
    coordinates = [c.strip() for c in coordinates.split(",")]
    new = edit.register("b32")
    edit.before(i, f"add.s32 {new}, {coordinates[1]}, {distance};")
    coordinates[1] = new
    return edit.with_operand(kernel, i, position, f"[{map_}, {{{', '.join(coordinates)}}}]")


@bug(30, "stores: wait_group, coordinates, edges")
def stores(kernel):
    for i in kernel.find("cp.async.bulk.wait_group"):
        s = kernel.body[i]
        yield drop(i)
        if not s.has("read"):
            yield i, ".read", Edit().with_opcode(kernel, i, s.opcode + ".read")
    for i in kernel.find("cp.async.bulk.tensor"):
        yield i, "coordinate", moved(kernel, i, 64)
    for i in kernel.find("st.global"):
        s = kernel.body[i]
        if s.guard:
            yield i, "no edge", Edit().replace(i, f"{s.opcode} {', '.join(s.operands)};")
            continue
        guard = i - 1
        if kernel.body[guard].is_op("bra") and kernel.body[guard].guard and (kernel.target(guard) or 0) > i:
            yield guard, "no edge", Edit().delete(guard)
