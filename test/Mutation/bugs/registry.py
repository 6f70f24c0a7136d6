# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of bugs. Each is a function from a kernel to its mutants, one or
more per site."""

import dataclasses

from ptx import Edit


@dataclasses.dataclass(frozen=True)
class BugClass:
    number: int
    title: str
    find: object  # Kernel -> iterable of (site, variant, Edit)


CLASSES = {}


def bug(number, title):
    def register(function):
        CLASSES[number] = BugClass(number, title, function)
        return function
    return register


def drop(site):
    return site, "drop", Edit().delete(site)
