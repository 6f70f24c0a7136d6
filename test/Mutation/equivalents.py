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
]


def row(mutant):
    return next((e for e in ALL if (e.number, e.variant) == (mutant.number, mutant.variant) and e.holds(mutant)), None)
