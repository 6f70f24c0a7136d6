# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All classes of bugs, in the order of their numbers."""

from . import allocation, barriers, operands, pipelines, proxies, stores, tensor
from .registry import CLASSES

ALL = [CLASSES[number] for number in sorted(CLASSES)]
