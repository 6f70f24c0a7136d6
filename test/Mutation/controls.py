# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Harmless changes: what only looks like a bug has to stay silent and right."""

import dataclasses

import kernels
from ptx import Edit, Kernel


@dataclasses.dataclass(frozen=True)
class Control:
    name: str
    case: kernels.Case
    text: str


def fences_only(kernel, case):
    assert not kernel.find("fence.proxy.async"), f"{case.name}: expected a ring without proxy fences"
    return Edit()


def late_wait(kernel, _):
    """The values of tcgen05.ld are used, and wait::ld comes after."""
    edit = Edit()
    for i in kernel.find("tcgen05.wait::ld"):
        last = [j for j in kernel.find("st.global") if j > i][-1]
        # After the branches over the stores, where all lanes meet again.
        meet = next(j for j in range(last, len(kernel.body)) if kernel.body[j].is_op("bar.sync"))
        window = edit.register("pred")
        thread = edit.register("b32")
        edit.delete(i)
        edit.before(meet, f"mov.u32 {thread}, %tid.x;", f"setp.lt.u32 {window}, {thread}, 128;",
                    f"@{window} bra NO_LOADS;", "bar.warp.sync 0xffffffff;", "tcgen05.wait::ld.sync.aligned;",
                    "NO_LOADS:")
    return edit


def extra_fences(kernel, _):
    edit = Edit()
    for i in kernel.find("mbarrier.try_wait", "tcgen05.commit", "mbarrier.arrive", "cp.async.bulk.tensor"):
        edit.before(i, "fence.acq_rel.gpu;", "fence.proxy.async;", "tcgen05.fence::before_thread_sync;",
                    "tcgen05.fence::after_thread_sync;")
    return edit


def extra_commit(kernel, _):
    """On a barrier that no other thread uses; its thread waits for it."""
    edit = Edit()
    edit.registers.append(".shared .align 8 .b8 private_barrier[8];")
    address, done = edit.register("b32"), edit.register("pred")
    edit.before(kernel.find("mbarrier.init")[0], f"mov.u32 {address}, private_barrier;",
                f"mbarrier.init.shared::cta.b64 [{address}], 1;")
    commit = kernel.find("tcgen05.commit")[-1]
    return edit.after(commit, f"mov.u32 {address}, private_barrier;",
                      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                      f"[{address}];", "PRIVATE:",
                      f"mbarrier.try_wait.parity.shared::cta.b64 {done}, [{address}], 0;", f"@!{done} bra PRIVATE;")


def relaxed_arrive(kernel, _):
    """What is handed over is in Tensor Memory: the tcgen05 fences are enough."""
    edit = Edit()
    for i in kernel.find("mbarrier.arrive"):
        if kernel.body[i].has("release", "shared::cluster"):
            edit.with_opcode(kernel, i, kernel.body[i].opcode.replace("release", "relaxed"))
    assert edit.replaced
    return edit


def no_init_fence(kernel, _):
    """Within a CTA the barrier that follows publishes the init."""
    return Edit().delete(*kernel.find("fence.mbarrier_init"))


def polls(kernel, _):
    """test_wait may say no any number of times; the suspended try_wait too."""
    edit = Edit()
    for i in kernel.find("mbarrier.try_wait"):
        edit.with_opcode(kernel, i, kernel.body[i].opcode.replace("try_wait", "test_wait"))
    return edit


def other_lane(kernel, _):
    """elect.sync may take any lane: here the 22nd."""
    edit = Edit()
    for i in kernel.find("elect.sync"):
        lane = edit.register("b32")
        edit.replace(i, f"bar.warp.sync {kernel.body[i].operands[1]};", f"mov.u32 {lane}, %laneid;",
                     f"setp.eq.u32 {kernel.body[i].operands[0].split('|')[1]}, {lane}, 22;")
    return edit


CHANGES = [
    ("registers used before wait::ld, nothing overwritten", "ring", late_wait),
    ("more fences than needed", "pair", extra_fences),
    ("more fences than needed, operands through registers", "convert", extra_fences),
    ("a commit on a private barrier", "ring", extra_commit),
    ("relaxed arrivals with tcgen05 fences", "pair", relaxed_arrive),
    ("ring from TMA to MMA without proxy fences", "ring", fences_only),
    ("no fence after mbarrier.init within a CTA", "ring", no_init_fence),
    ("waits that fail for no reason", "pair", polls),
    ("another elected lane", "pair", other_lane),
    ("another elected lane, scales", "scaled", other_lane),
]


def changed(cases):
    """The controls that are changes of right kernels."""
    for name, kernel, change in CHANGES:
        case = cases[kernel]
        parsed = Kernel(case.ptx.read_text())
        yield Control(name, case, change(parsed, case).apply(parsed))


def make(tools, cases):
    """All controls; `cases` by name."""
    found = list(changed(cases))
    for name, case in (
            ("deeper prefetch", kernels.cuda_case(tools, "ring", "ring-5", ["SLOTS=5"], slots=5)),
            ("fewer K-tiles than stages", kernels.cuda_case(tools, "ring", "ring-short", blocks=2)),
            ("a persistent CTA without a tile", kernels.cuda_case(tools, "pair", "pair-idle", ctas=24))):
        found.append(Control(name, case, case.ptx.read_text()))
    return found
