# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor Memory is allocated and freed, by one CTA or a pair. Classes 22 to 26."""

from ptx import Edit
from .registry import bug, drop
from .barriers import waits, works_after
from .pipelines import without_wait


def sync_before(kernel, i):
    """The barrier of CTA or cluster that `i` comes after."""
    meet = kernel.previous_of(i, "bar.sync", "barrier.sync", "barrier.cluster.wait")
    if meet is None:
        return []
    if kernel.body[meet].is_op("barrier.cluster.wait"):
        return [kernel.previous_of(meet, "barrier.cluster.arrive"), meet]
    return [meet]


@bug(22, "dealloc before all loads are done")
def early_dealloc(kernel):
    for i in kernel.find("tcgen05.dealloc"):
        meet = sync_before(kernel, i)
        if not meet:
            continue
        yield i, "no barrier", Edit().delete(*meet)
        loads = kernel.find("tcgen05.wait::ld")
        yield i, "no wait::ld", Edit().delete(*loads)


@bug(23, "no relinquish_alloc_permit, or more columns than are free")
def kept_permit(kernel):
    for i in kernel.find("tcgen05.relinquish_alloc_permit"):
        yield drop(i)
    for i in kernel.find("tcgen05.alloc"):
        s = kernel.body[i]
        yield i, "twice 512", (Edit().with_operand(kernel, i, 1, "512")
                               .after(i, f"{s.guard} {s.opcode} {s.operands[0]}, 512;"))


@bug(24, "no dealloc, or a wrong number of columns")
def wrong_size(kernel):
    for i in kernel.find("tcgen05.dealloc"):
        yield drop(i)
        for variant, operation in (("half", "shr.u32 {c}, {old}, 1;"), ("twice", "shl.b32 {c}, {old}, 1;")):
            edit = Edit()
            count, old = edit.register("b32"), kernel.body[i].operands[1]
            edit.before(i, operation.format(c=count, old=old))
            yield i, variant, edit.with_operand(kernel, i, 1, count)
    for i in kernel.find("tcgen05.alloc"):
        for variant, operation in (("half", "shr.u32 {c}, {old}, 1;"), ("no power of two", "add.s32 {c}, {old}, 16;")):
            edit = Edit()
            count, old = edit.register("b32"), kernel.body[i].operands[1]
            edit.before(i, operation.format(c=count, old=old))
            yield i, "alloc " + variant, edit.with_operand(kernel, i, 1, count)


@bug(25, "address of the allocation read without a barrier")
def unsynchronised_address(kernel):
    for i in kernel.find("tcgen05.alloc"):
        word = kernel.first_symbol(kernel.body[i].operands[0])
        reads = [j for j in kernel.find("ld.shared") if kernel.first_symbol(kernel.body[j].operands[1]) == word]
        if not reads:
            continue
        read = reads[0]
        meets = [j for j in range(i, read) if kernel.body[j].is_op("bar.sync", "barrier.cluster.arrive",
                                                                   "barrier.cluster.wait")]
        yield read, "no barrier", Edit().delete(*meets)
        if meets:
            yield read, "read too early", Edit().before(meets[0], kernel.body[read].text + ";").delete(read)


@bug(26, "no cluster barrier before alloc, dealloc or exit of a pair")
def no_pair_sync(kernel):
    if not kernel.uses_pairs():
        return
    for i in kernel.find("barrier.cluster.arrive"):
        wait = kernel.next_of(i, "barrier.cluster.wait")
        next_ = kernel.next_of(i, "tcgen05.alloc", "tcgen05.dealloc", "barrier.cluster.arrive")
        if wait is not None and next_ is not None and kernel.body[next_].is_op("tcgen05.alloc", "tcgen05.dealloc"):
            yield i, "drop", Edit().delete(i, wait)
            yield i, "CTA only", Edit().delete(wait).replace(i, "bar.sync 0;")
    # Arrivals of threads are over after the cluster barrier, those of commits
    # only for whoever waits.
    for i in waits(kernel, 1):
        if not works_after(kernel, i) and not kernel.body[i].has("cluster"):
            yield i, "last commits not waited for", without_wait(kernel, i)
