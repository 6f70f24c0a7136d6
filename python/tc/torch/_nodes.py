"""What nodes of a graph have: values, and sizes that may be known in the run alone."""
from __future__ import annotations


def value_of(node):
    return node.meta["val"]


def is_static(value) -> bool:
    return isinstance(value, int)


def is_one(size) -> bool:
    return is_static(size) and size == 1


def product_of(sizes):
    result = 1
    for size in sizes:
        result = result * size
    return result


def is_same(a, b) -> bool:
    """Whether two sizes are equal for sure, without a guard."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true
    return statically_known_true(a == b)


def is_multiple(distance) -> bool:
    from torch.fx.experimental.symbolic_shapes import statically_known_true
    return statically_known_true(distance % 16 == 0)
