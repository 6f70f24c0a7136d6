# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants that are right, each with the sentence of the PTX ISA that says so.

A row names the class, the variant and a rule about the site, which is asked of
the right kernel's text; mutate.py counts a mutant as equivalent only if the
rule holds there and nothing reported it."""

import dataclasses
import functools
import pathlib
import re

from ptx import Kernel, register_of


@dataclasses.dataclass(frozen=True)
class Equivalent:
    number: int
    variant: str
    holds: object  # Kernel, site -> bool
    why: str
    sentence: str


@functools.lru_cache(maxsize=None)
def kernel_of(path):
    return Kernel(pathlib.Path(path).read_text())


def no_wait_for_clusters(kernel, site):
    """No load polls global memory."""
    return not kernel.find("ld.acquire", "ld.relaxed", "ld.volatile", "atom")


def nothing_is_read_afterwards(kernel, site):
    """No instruction that can follow reads global memory or tells other threads of the grid to."""
    seen, work = set(), [site]
    while work:
        for i in kernel.successors(work.pop()):
            if i not in seen:
                seen.add(i)
                work.append(i)
    reads = lambda s: s.is_op("ld.global", "ld.acquire", "ld.relaxed", "ld.volatile", "atom", "red", "cp.async.ca",
                              "cp.async.cg", "st.release", "mbarrier.arrive") or \
        (s.is_op("cp.async.bulk") and "mbarrier" in s.opcode)
    return not any(reads(kernel.body[i]) for i in seen)


def stores_what_is_never_read(kernel, site):
    """No instruction of the kernel reads global memory but through tensor maps that no store goes through."""
    if kernel.find("atom", "red", "cp.async.ca", "cp.async.cg") or \
            any(not re.search(r"\.(shared|param|local|const)\b", kernel.body[i].opcode) for i in kernel.find("ld")):
        return False
    source = lambda operand: kernel.first_symbol(register_of(operand))
    loads, stores = set(), set()
    for i in kernel.find("cp.async.bulk"):
        s = kernel.body[i]
        if s.is_op("cp.async.bulk.commit_group", "cp.async.bulk.wait_group"):
            continue
        if not s.is_op("cp.async.bulk.tensor"):
            return False
        stored = s.has("bulk_group")
        (stores if stored else loads).add(source(s.operands[0 if stored else 1]))
    return bool(stores) and None not in loads | stores and not loads & stores


def never_read(kernel, site):
    return nothing_is_read_afterwards(kernel, site) or stores_what_is_never_read(kernel, site)


def meets_again_before_use(kernel, site):
    """Another barrier of all threads follows the one that is gone, before any thread uses an mbarrier but the one
    that initialises them: the others skip its part."""
    threads = re.search(r"\.reqntid\s+(\d+)", kernel.head)
    skip = kernel.previous_of(kernel.find("mbarrier.init")[0], "bra")
    skips = skip is not None and kernel.body[skip].guard
    seen, work, met = set(), [site], False
    while work:
        at = work.pop()
        others = bool(skips) and kernel.body[at].is_op("bra") and kernel.body[at].guard == skips
        for i in [kernel.target(at)] if others else kernel.successors(at):
            s = kernel.body[i]
            if s.is_op("bar.sync", "barrier.sync") and not s.guard and \
                    (len(s.operands) == 1 or (threads and s.operands[1] == threads.group(1))):
                met = True
                continue
            if s.is_op("mbarrier", "tcgen05.commit", "cp.async.bulk.tensor", "cp.async.mbarrier"):
                return False
            if i not in seen:
                seen.add(i)
                work.append(i)
    return met


def meets_after_the_loads(kernel, site):
    """Between the last wait::ld and the barrier that is gone there is another one."""
    barriers = ("bar.sync", "barrier.sync", "barrier.cta.sync")
    meet = kernel.previous_of(site, *barriers, "barrier.cluster.wait")
    before = kernel.previous_of(meet, *barriers)
    loads = [i for i in kernel.find("tcgen05.wait::ld") if i < site]
    return before is not None and bool(loads) and max(loads) < before


def meets_after_the_arrivals(kernel, site):
    """In the loop that waits, all threads of the CTA meet after the arrivals that the wait is for."""
    wanted = register_of(kernel.body[site].operands[1])
    address = lambda i: next((o for o in kernel.body[i].operands if o.startswith("[")), "")
    arrivals = [i for i in kernel.find("mbarrier.arrive", "tcgen05.commit") if register_of(address(i)) == wanted]
    threads = re.search(r"\.reqntid\s+(\d+)", kernel.head)
    for _, members in reversed(kernel.loops):
        if not arrivals or not {site, *arrivals} <= members:
            continue
        return all(kernel.body[i].is_op("mbarrier.arrive") for i in arrivals) and any(
            i in members and i > max(arrivals) and not kernel.body[i].guard and
            (len(kernel.body[i].operands) == 1 or (threads and kernel.body[i].operands[1] == threads.group(1)))
            for i in kernel.find("bar.sync", "barrier.sync"))
    return False


ALL = [
    Equivalent(
        12, "drop", meets_after_the_arrivals,
        "All threads of the CTA, the one that waits among them, meet between the arrivals and the next round (at the "
        "store ring's barrier), so that it knows of all of them and of what is before them.",
        "PTX ISA 9.0, bar.sync, 9.7.13.1: accesses requested by the participating threads before the barrier are "
        "performed relative to all of them."),
    Equivalent(
        23, "drop", no_wait_for_clusters,
        "No CTA waits for one of another cluster, so that each comes to its dealloc and its end, and whoever could not "
        "allocate meanwhile goes on. Only where a CTA waits for another one a kept permit can be a deadlock.",
        "PTX ISA 9.0, tcgen05.alloc, 9.7.16.7.1: the instruction blocks if the columns are not available, and unblocks "
        "as soon as they become available."),
    Equivalent(
        11, "not synchronised", meets_again_before_use,
        "All threads of the CTA meet once more before any of them uses an mbarrier.",
        "PTX ISA 9.0, bar.sync, 9.7.13.1: accesses requested by the participating threads before the barrier are "
        "performed relative to all of them."),
    Equivalent(
        30, ".read", never_read,
        "Nothing that follows the wait reads global memory or makes others read it, or no thread reads what is stored, as "
        "the loads go through other tensor maps; what the CTA's end needs is that the sources have been read.",
        "PTX ISA 9.0, cp.async.bulk.wait_group, 9.7.9.25: with .read the wait lasts until the operations of the groups "
        "have read their sources."),
    Equivalent(
        22, "no barrier", meets_after_the_loads,
        "The warp that frees takes part in an earlier barrier (of the store ring), before which every warp has waited "
        "for its loads.",
        "PTX ISA 9.0, bar.sync, 9.7.13.1: accesses requested by the participating threads before the barrier are "
        "performed relative to all of them."),
]


def row(mutant):
    kernel = kernel_of(str(mutant.case.ptx))
    return next((e for e in ALL if (e.number, e.variant) == (mutant.number, mutant.variant) and
                 e.holds(kernel, mutant.site)), None)
