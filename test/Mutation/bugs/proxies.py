# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fences between the generic and the async proxy: classes 1 to 3."""

from ptx import Edit
from .registry import bug, drop


def _guarded(kernel, i):
    """Whether a bulk store is the next asynchronous work after the fence at `i`."""
    following = kernel.next_of(i, "cp.async.bulk", "cp.reduce.async.bulk", "tcgen05.mma", "tcgen05.cp", "mbarrier.arrive")
    return following is not None and kernel.body[following].is_op("cp.async.bulk", "cp.reduce.async.bulk")


@bug(1, "no fence.proxy.async before a TMA store")
def before_store(kernel):
    return [drop(i) for i in kernel.find("fence.proxy.async") if _guarded(kernel, i)]


@bug(2, "no fence.proxy.async before tcgen05.mma or cp")
def before_mma(kernel):
    return [drop(i) for i in kernel.find("fence.proxy.async") if not _guarded(kernel, i)]


@bug(3, "fence.proxy.async of another space or in another lane")
def wrong_fence(kernel):
    for i in kernel.find("fence.proxy.async"):
        yield i, "global", Edit().with_opcode(kernel, i, "fence.proxy.async.global")
        edit = Edit()
        lane, last = edit.register("b32"), edit.register("pred")
        edit.before(i, f"mov.u32 {lane}, %laneid;", f"setp.eq.u32 {last}, {lane}, 31;")
        yield i, "lane 31", edit.replace(i, f"@{last} {kernel.body[i].opcode};")
