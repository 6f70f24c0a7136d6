# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants that are right, each with the sentence of the PTX ISA that says so.

A row names the class, the variant and the kernels; mutate.py counts a mutant as
equivalent only if it has a row and nothing reported it."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Equivalent:
    number: int
    variant: str
    holds: object  # Mutant -> bool: which of them
    why: str
    sentence: str


def waits_for_other_clusters(mutant):
    return "ld.acquire.gpu" in mutant.text


ALL = [
    Equivalent(
        23, "drop", lambda mutant: not waits_for_other_clusters(mutant),
        "No CTA waits for one of another cluster, so that each comes to its dealloc and its end, and whoever could not "
        "allocate meanwhile goes on. Only where a CTA waits for another one (store) a kept permit can be a deadlock.",
        "PTX ISA 9.0, tcgen05.alloc, 9.7.16.7.1: the instruction blocks if the columns are not available, and unblocks "
        "as soon as they become available."),
    Equivalent(
        30, ".read", lambda mutant: mutant.case.name.startswith("tc-"),
        "Nobody in the grid reads D; what the CTA's end needs is that the sources have been read.",
        "PTX ISA 9.0, cp.async.bulk.wait_group, 9.7.9.25: with .read the wait lasts until the operations of the groups "
        "have read their sources."),
    Equivalent(
        22, "no barrier", lambda mutant: mutant.case.name in ("tc-specialized", "tc-unspecialized", "tc-swizzle-32B"),
        "The warp that frees takes part in the named barrier of the store ring, in front of which every warp has waited "
        "for its loads.",
        "PTX ISA 9.0, bar.sync, 9.7.13.1: accesses requested by the participating threads before the barrier are "
        "performed relative to all of them."),
]


def row(mutant):
    return next((e for e in ALL if (e.number, e.variant) == (mutant.number, mutant.variant) and e.holds(mutant)), None)
