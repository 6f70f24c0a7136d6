# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs for sm_90a that a GPU and the emulator have to agree on."""

from . import clusters, memory, scalar, tensor
from .draw import Draw
from .program import Program

# What a program is mostly made of; every one mixes all of it.
FLAVOURS = ((6, 2, 1, 1), (2, 5, 2, 1), (2, 1, 6, 1), (2, 1, 2, 5), (3, 3, 3, 2))


def random_program(seed):
    """The program of a seed, as a micro-kernel; `kernel.pieces` names what each
    word of its trace follows."""
    draw = Draw(seed)
    flavour = draw.choice(FLAVOURS)
    ctas = draw.choice((1, 1, 2, 2, 4) if flavour[3] < 5 else (2, 2, 4))
    threads = draw.choice((32, 64, 128, 128)) if flavour[2] < 6 else 128
    program = Program(seed, threads, ctas, f"random_{seed}")
    program.begin()
    table = [(weight * part, piece)
             for part, family in zip(flavour, (scalar, memory, tensor, clusters))
             for weight, piece in family.PIECES]
    for _ in range(draw.between(3, 8)):
        program.piece(draw.weighted(table))
        if draw.chance(30):
            scalar.refresh(program)
    program.sync()
    return program.kernel()
