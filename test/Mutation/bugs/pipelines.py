# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rings between engines: who frees a slot, when, and for whom. Classes 12 to 16,
27."""

from ptx import Edit, register_of, with_offset
from .barriers import fills
from .registry import bug, drop


def without_wait(kernel, i):
    """An edit in which the wait succeeds without looking."""
    return Edit().replace(i, f"setp.eq.u32 {kernel.body[i].operands[0]}, 0, 0;")


@bug(12, "no wait for the slot to be empty")
def no_empty_wait(kernel):
    return [(i, "drop", without_wait(kernel, i)) for i in fills(kernel)]


def mask_of(kernel, i):
    """CTAs that the commit at `i` arrives at."""
    s = kernel.body[i]
    return (kernel.first_value(s.operands[1], i) or 3) if s.has("multicast::cluster") else 0


@bug(13, "plain arrive instead of tcgen05.commit")
def plain_arrive(kernel):
    for i in kernel.find("tcgen05.commit"):
        s, edit, lines = kernel.body[i], Edit(), []
        mask = mask_of(kernel, i)
        if not mask:
            lines.append(f"{s.guard} mbarrier.arrive.shared::cta.b64 _, {s.operands[0]};")
        wide = register_of(s.operands[0]).startswith("%rd")
        address = edit.register("b64" if wide else "b32")
        for rank in range(16):
            if mask >> rank & 1:
                base, _, offset = s.operands[0].strip("[]").partition("+")
                lines += [f"add.{'s64' if wide else 's32'} {address}, {base}, {offset or 0};",
                          f"mapa.shared::cluster.{'u64' if wide else 'u32'} {address}, {address}, {rank};",
                          f"{s.guard} mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{address}];"]
        yield i, "arrive", edit.replace(i, *lines)


@bug(14, "commit before the last mma of the stage")
def early_commit(kernel):
    for i in kernel.find("tcgen05.commit"):
        mma = kernel.previous_of(i, "tcgen05.mma")
        between = kernel.body[mma + 1:i] if mma is not None else []
        if mma is None or any(s.kind == "label" or s.is_op("bra", "tcgen05.commit") for s in between):
            continue
        s = kernel.body[i]
        yield i, "earlier", Edit().before(mma, s.text + ";").delete(i)


@bug(15, "commit on another barrier, or none")
def wrong_commit(kernel):
    for i in kernel.find("tcgen05.commit"):
        yield drop(i)
        yield i, "next barrier", Edit().with_operand(kernel, i, 0, with_offset(kernel.body[i].operands[0], 8))


@bug(16, "mask of the wrong CTAs")
def wrong_mask(kernel):
    for i in kernel.find("tcgen05.commit", "cp.async.bulk.tensor"):
        s = kernel.body[i]
        if not s.has("multicast::cluster"):
            continue
        position = next(p for p, operand in enumerate(s.operands) if p and "[" not in operand)
        for variant, lines in (
                ("own CTA only", ["mov.u32 {w}, %cluster_ctarank;", "shl.b32 {w}, 1, {w};", "cvt.u16.u32 {m}, {w};"]),
                ("the other CTA only", ["mov.u32 {w}, %cluster_ctarank;", "shl.b32 {w}, 1, {w};",
                                        "cvt.u16.u32 {m}, {w};", "xor.b16 {m}, {m}, {old};"]),
                ("a CTA too many", ["or.b16 {m}, {old}, 4;"])):
            edit = Edit()
            names = {"w": edit.register("b32"), "m": edit.register("b16"), "old": s.operands[position]}
            edit.before(i, *(line.format(**names) for line in lines))
            yield i, variant, edit.with_operand(kernel, i, position, names["m"])


@bug(27, "arrival at another CTA with .cta scope, or the peer's arrival not waited for")
def wrong_scope(kernel):
    for i in kernel.find("mbarrier.arrive"):
        s = kernel.body[i]
        if s.has("shared::cluster") and s.has("cluster"):
            yield i, ".cta", Edit().with_opcode(kernel, i, s.opcode.replace(".cluster.", ".cta.", 1))
    for i in kernel.find("mbarrier.try_wait"):
        if kernel.body[i].has("acquire", "cluster"):
            yield i, "not waited for", without_wait(kernel, i)
