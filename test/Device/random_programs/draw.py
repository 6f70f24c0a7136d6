# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random choices that are the same with every version of Python."""

from micro.core import mix


class Draw:
    def __init__(self, seed):
        self.seed, self.count = mix(seed * 0x10001 + 77), 0

    def word(self):
        self.count += 1
        return mix(self.seed + self.count)

    def below(self, limit):
        return self.word() % limit

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def choice(self, items):
        return items[self.below(len(items))]

    def chance(self, percent):
        return self.below(100) < percent

    def weighted(self, table):
        """table: (weight, item) rows."""
        place = self.below(sum(weight for weight, _ in table))
        for weight, item in table:
            if place < weight:
                return item
            place -= weight
        raise AssertionError
