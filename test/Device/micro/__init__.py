# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Micro-kernels for sm_90a that a GPU and the emulator have to agree on."""

from . import (approx, atomics, bulk, cluster, convert, floats, forms, integers, matrices, mbarriers,
               mma_sync, pipeline, racy, row_ends, tensormaps, tma, tma_im2col, warps, wgmma)

FAMILIES = (tma, tma_im2col, tensormaps, bulk, mbarriers, cluster, wgmma, pipeline, mma_sync,
            matrices, convert, floats, integers, warps, atomics, racy, forms, approx, row_ends)


def all_kernels():
    """Every micro-kernel, in a fixed order; names are unique."""
    kernels = [kernel for family in FAMILIES for kernel in family.kernels()]
    names = [kernel.name for kernel in kernels]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"names used twice: {sorted(twice)}")
    return kernels
