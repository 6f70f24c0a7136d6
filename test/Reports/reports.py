# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public reports, what the emulator found itself in published code, and what
each run has to show; docs/Reports.md says why.

An expectation per race policy: "right" under every schedule, a part of the
report under every schedule, or "some: " and a part of what at least one shows."""

SCHEDULES = ["eager", "lazy", "starvation:0", "late-reads:1", "random:1", "random:2"]
CLEAN = {"off": "right", "default": "right", "strict": "right"}
SILENT = {"off": "right", "default": "right"}


def own(kernel, **reported):
    """A kernel of kernels/: as reported, and fixed it is clean under every policy."""
    return [{"kernel": kernel, "version": version, "expect": expect, "triton": False}
            for version, expect in (("reported", reported), ("fixed", CLEAN))]


def recorded(kernel, version, **expect):
    return {"kernel": kernel, "version": version, "expect": expect, "triton": True}


REPORTS = [
    {"id": "triton-10821", "runs": [
        recorded("chained", "3.8.0", off="some: of 16384 wrong", default="line"),
        recorded("chained", "3.9.0", **SILENT)]},
    {"id": "triton-9871", "runs": [
        recorded("recurrence", "3.6.0", default="no fence.proxy.async between the st.shared"),
        recorded("recurrence_two_warps", "3.6.0", **SILENT),
        recorded("recurrence", "3.7.1", **SILENT)]},
    {"id": "triton-8311", "runs": [
        recorded("half_described", "3.5.1", off="some: operand a, element (0, k 0)", default="line"),
        recorded("half_described_plain", "3.5.1", off="right"),
        recorded("half_described", "3.7.1", off="some: deadlock", default="some: deadlock"),
        recorded("half_described", "3.8.0", **SILENT)]},
    {"id": "triton-11730", "runs": [
        recorded("swap_once", "3.8.0", off="some: which has exited", default="exit"),
        recorded("swap_once", "3.9.0", **SILENT)]},
    {"id": "triton-11583", "runs": [
        recorded("copy_i8", "3.9.0", off="448 of 16384 wrong", default="448 of 16384 wrong"),
        recorded("copy_i16", "3.9.0", off="64 of 16384 wrong", default="64 of 16384 wrong"),
        recorded("copy_i32", "3.9.0", off="64 of 16384 wrong", default="64 of 16384 wrong"),
        recorded("copy_i8:copy_i8_whole", "3.9.0", **SILENT)]},
    {"id": "triton-8932", "runs": [
        recorded("eight_columns", "3.6.0", **SILENT), recorded("eight_columns", "3.7.1", **SILENT)]},
    {"id": "tilelang-2566", "runs": own("expect_without_arrival", off="deadlock", default="deadlock")},
    {"id": "tilelang-2644-expect", "runs": own("expect_for_the_cluster", off="deadlock", default="deadlock")},
    {"id": "tilelang-2927", "runs": own("parity_of_the_loop", off="line", default="line")},
    {"id": "cutlass-3316", "runs": own("pair_allocation", off="right", strict="that the peer CTA runs")},
    {"id": "cutlass-3435", "runs": own("pair_release", off="right", strict="tcgen05.dealloc.cta_group::2")},
    {"id": "cutlass-3643-wait", "runs": own("peer_scales", off="some: has not been waited for", default="line")},
    {"id": "cutlass-3643-scope", "runs": own("peer_scales_scope", off="right", strict="expected .cluster scope")},
    {"id": "cutlass-2760", "runs": own("dependent_launch", off="right", default="no griddepcontrol.wait")},
    {"id": "oxide-1066", "runs": own("mailbox", off="some: deadlock", default="line")},
    {"id": "cudnn-426", "runs": own("one_lane_arrives", off="right", default="nothing orders the st.shared")},
    {"id": "deepep-642", "runs": own("read_then_load_over", off="right", default="no fence.proxy.async")},
    {"id": "flashkda-24-store", "runs": own("store_without_proxy_fence", off="right", default="no fence.proxy.async")},
    {"id": "flashkda-24-init", "runs": own("init_without_fence", **CLEAN)},
    {"id": "sglang-39124", "runs": own("operand_without_proxy_fence", off="right", default="no fence.proxy.async")},
    {"id": "fb-triton-1993", "runs": own("aliased_columns", off="some: of 512 wrong", default="line")},
    {"id": "fb-triton-1024", "runs": own("cancel_for_the_cluster", off="deadlock", default="deadlock")},
    {"id": "triton-9498", "runs": own("warp_arrives", off="deadlock", default="line")},
    {"id": "cuda-samples-263", "runs":
        own("five_stages", off="some: 64 of 64 wrong", default="line") +
        own("five_stages_of_words", off="some: 64 of 64 wrong", default="line")},
]

# No report of these is known, so README counts them apart.
FOUND = [
    {"id": "cuda-samples-init", "runs":
        own("initialized_by_many", off="belongs to the mbarrier", default="belongs to the mbarrier")},
    {"id": "cutlass-example-93", "runs": own("relaxed_cluster_barrier", off="right", default="barrier.cluster.arrive.relaxed")},
    {"id": "llm.c-softmax-7", "runs": own("clamped_reads", off="right", default="nothing orders the ld.global")},
]
