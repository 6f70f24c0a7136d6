# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor Memory: fences, waits, which columns. Classes 17 to 21."""

from ptx import Edit, with_offset
from .registry import bug, drop

ASYNCHRONOUS = ("tcgen05.mma", "tcgen05.cp", "tcgen05.ld", "tcgen05.st")


def in_use(kernel, i):
    """Whether Tensor Memory has been worked on before `i`: by the text, as other
    warps' work counts."""
    return kernel.previous_of(i, *ASYNCHRONOUS) is not None


@bug(17, "no fence::after_thread_sync before ld or mma")
def no_fence_after(kernel):
    for i in kernel.find("tcgen05.fence::after_thread_sync"):
        use = kernel.next_of(i, *ASYNCHRONOUS, "tcgen05.dealloc", "tcgen05.alloc", "bar.sync",
                             "barrier.cluster.arrive")
        if in_use(kernel, i) and use is not None and kernel.body[use].is_op(*ASYNCHRONOUS):
            yield drop(i)


@bug(18, "no wait::ld before the columns are handed back")
def no_wait_for_loads(kernel):
    return [drop(i) for i in kernel.find("tcgen05.wait::ld")]


@bug(19, "no wait::st before the columns are read")
def no_wait_for_stores(kernel):
    return [drop(i) for i in kernel.find("tcgen05.wait::st")]


@bug(20, "no fence::before_thread_sync on the way to another thread's mma")
def no_fence_before(kernel):
    for i in kernel.find("tcgen05.fence::before_thread_sync"):
        hand_over = kernel.next_of(i, "mbarrier.arrive", "bar.sync", "barrier.cluster.arrive", "tcgen05.dealloc")
        if hand_over is not None and kernel.body[hand_over].is_op("mbarrier.arrive"):
            yield drop(i)


@bug(21, "the wrong columns of Tensor Memory")
def wrong_columns(kernel):
    for i in kernel.find("tcgen05.ld"):
        yield i, "32 columns on", Edit().with_operand(kernel, i, 1, with_offset(kernel.body[i].operands[1], 32))
    for i in kernel.find("tcgen05.mma"):
        yield i, "aliased", Edit().with_operand(kernel, i, 0, with_offset(kernel.body[i].operands[0], 16))
