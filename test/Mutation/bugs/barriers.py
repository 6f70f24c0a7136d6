# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarriers: parities, expected bytes, counts. Classes 4 to 11."""

from ptx import Edit
from .registry import bug


def waits(kernel, first_parity):
    """Waits whose first parity is that: 0 for a consumer, 1 for a producer, to
    whom the slots of the first lap are free."""
    return [i for i in kernel.find("mbarrier.try_wait.parity", "mbarrier.test_wait.parity")
            if kernel.first_value(kernel.body[i].operands[2], i) == first_parity]


def works_after(kernel, i):
    """Whether the thread that waits at `i` starts or reads asynchronous work
    later on. If not, a role ends here."""
    work = ("cp.async.bulk.tensor", "tcgen05.mma", "tcgen05.cp", "tcgen05.st", "tcgen05.ld")
    seen, stack = set(), [i]
    while stack:
        for next_ in kernel.successors(stack.pop()):
            if kernel.body[next_].is_op(*work):
                return True
            if next_ not in seen:
                seen.add(next_)
                stack.append(next_)
    return False


def fills(kernel):
    """Waits for a slot that is about to be filled."""
    return [i for i in waits(kernel, 1) if works_after(kernel, i)]


def inverted(kernel, i):
    edit = Edit()
    parity = edit.register("b32")
    edit.before(i, f"xor.b32 {parity}, {kernel.body[i].operands[2]}, 1;")
    return i, "inverted", edit.with_operand(kernel, i, 2, parity)


@bug(4, "consumer waits with inverted parity")
def consumer_parity(kernel):
    return [inverted(kernel, i) for i in waits(kernel, 0) if works_after(kernel, i)]


@bug(5, "parity from a loop index")
def parity_from_index(kernel):
    """The parity alternates with each pass of the innermost loop instead of each
    lap of the ring, and starts anew when the loop does. A ring of one slot
    waited for in one loop has the right parity by that, too: no site."""
    for first in (0, 1):
        for i in waits(kernel, first):
            loops, spin = kernel.loops_around(i), kernel.spin(i)
            if not loops or spin is None or not works_after(kernel, i):
                continue
            header, members = loops[0]
            if len(loops) == 1 and kernel.is_loop_invariant(kernel.body[i].operands[1], members):
                continue
            edit = Edit()
            index, parity = edit.register("b32"), edit.register("b32")
            for entry in kernel.predecessors[header]:
                if entry in members:
                    continue
                place = edit.before if kernel.body[entry].is_op("bra") else edit.after
                place(entry, f"mov.b32 {index}, {first};")
            edit.before(i, f"and.b32 {parity}, {index}, 1;").with_operand(kernel, i, 2, parity)
            edit.after(spin, f"add.s32 {index}, {index}, 1;")
            yield i, "index of the loop", edit


@bug(6, "producer starts with parity 0 on an empty barrier")
def producer_parity(kernel):
    return [inverted(kernel, i) for i in fills(kernel)]


def expects(kernel):
    return [i for i in kernel.find("mbarrier.arrive", "mbarrier.expect_tx") if "expect_tx" in kernel.body[i].opcode]


def other_bytes(kernel, i, variant, *operation):
    edit = Edit()
    count = edit.register("b32")
    edit.before(i, f"{operation[0]} {count}, {kernel.body[i].operands[-1]}, {operation[1]};")
    return i, variant, edit.with_operand(kernel, i, len(kernel.body[i].operands) - 1, count)


@bug(7, "expect_tx too small")
def too_few_bytes(kernel):
    for i in expects(kernel):
        yield other_bytes(kernel, i, "16 less", "sub.s32", 16)
        yield other_bytes(kernel, i, "a quarter", "shr.u32", 2)


@bug(8, "expect_tx too large")
def too_many_bytes(kernel):
    for i in expects(kernel):
        yield other_bytes(kernel, i, "16 more", "add.s32", 16)
        yield other_bytes(kernel, i, "four times", "shl.b32", 2)


@bug(9, "expect_tx per CTA on a barrier that counts the pair's bytes")
def bytes_per_cta(kernel):
    if not kernel.uses_pairs():
        return
    for i in expects(kernel):
        yield other_bytes(kernel, i, "one CTA's", "shr.u32", 1)
    # Each CTA announces the bytes of its own load.
    for i in kernel.find("cp.async.bulk.tensor"):
        s = kernel.body[i]
        if s.has("cta_group::2") and expects(kernel):
            count = kernel.body[expects(kernel)[0]].operands[-1]
            size = kernel.first_value(count, expects(kernel)[0])
            edit = Edit().before(i, f"{s.guard} mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 "
                                    f"{s.operands[2]}, {(size or 65536) // 2};")
            yield i, "both CTAs", edit


@bug(10, "wrong count of arrivals")
def wrong_count(kernel):
    for i in kernel.find("mbarrier.init"):
        yield other_bytes(kernel, i, "one more", "add.s32", 1)
        if (kernel.first_value(kernel.body[i].operands[1], i) or 1) > 1:
            yield other_bytes(kernel, i, "one less", "sub.s32", 1)
    for i in kernel.find("mbarrier.arrive"):
        s = kernel.body[i]
        if "expect_tx" not in s.opcode:
            operands = list(s.operands[:2]) + ["32"]
            yield i, "32 lanes arrive", Edit().replace(i, f"{s.guard} {s.opcode} {', '.join(operands)};")


def sync_after(kernel, i):
    """The barrier of CTA or cluster that follows `i`, as a list of statements."""
    meet = kernel.next_of(i, "bar.sync", "barrier.sync", "barrier.cluster.arrive")
    if meet is None:
        return []
    if kernel.body[meet].is_op("barrier.cluster.arrive"):
        return [meet, kernel.next_of(meet, "barrier.cluster.wait")]
    return [meet]


@bug(11, "init with count 0, or used before it is published")
def bad_init(kernel):
    inits = kernel.find("mbarrier.init")
    for i in inits:
        yield i, "count 0", Edit().with_operand(kernel, i, 1, "0")
    meet = sync_after(kernel, inits[-1])
    if meet:
        yield meet[0], "not synchronised", Edit().delete(*meet)
    # Elsewhere a barrier with release and acquire publishes the init by itself.
    if meet and kernel.body[meet[0]].has("relaxed"):
        for i in kernel.find("fence.mbarrier_init"):
            yield i, "not fenced", Edit().delete(i)
