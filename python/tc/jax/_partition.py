"""Products and attention on a mesh: which dimensions a partitioner may cut, and what each device computes."""
from __future__ import annotations

import functools
import math

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec


def is_manual() -> bool:
    """Whether this is traced inside shard_map: arrays are those of one device already."""
    mesh = jax.sharding.get_abstract_mesh()
    return bool(mesh.axis_names and mesh.manual_axes)


def _axes(entry) -> tuple:
    """The axes of a mesh that a dimension is cut along."""
    return () if entry is None else entry if isinstance(entry, tuple) else (entry, )


def _read(sharding, factors):
    """factor -> axes of a sharding."""
    spec = tuple(sharding.spec) if isinstance(sharding, NamedSharding) else ()
    return {factor: _axes(entry) for factor, entry in zip(factors, spec)}


def _entry(axes):
    return None if not axes else axes[0] if len(axes) == 1 else tuple(axes)


class Rule:
    """How a function of arrays is cut: names of the dimensions (factors) of each operand and of the result. `whole` are those
    that stay on one device, in the order in which they come first, `reduced` those that are summed over. `compound`: factor -> (name, size) of a factor that comes
    with it in operands whose number is in `compound_in`, and in the result: only the former is cut."""

    def __init__(self, operands, result, sizes, reduced=(), whole=(), compound=None, compound_in=()):
        self.operands, self.result, self.sizes = operands, result, sizes
        self.reduced, self.whole = tuple(reduced), tuple(whole)
        self.compound, self.compound_in = compound or {}, compound_in

    @property
    def text(self) -> str:

        def write(factors, is_compound):
            return " ".join(f"({one} {self.compound[one][0]})" if is_compound and one in self.compound else one for one in factors)

        operands = [write(one, i in self.compound_in) for i, one in enumerate(self.operands)]
        return ", ".join(operands) + " -> " + write(self.result, True)

    def axes_of(self, mesh, operands, result):
        """factor -> axes: those of the result first, then those that operands agree on; no axis twice, and only where all
        devices get as much."""
        wanted = _read(result, self.result)
        for factors, sharding in zip(self.operands, operands):
            for factor, axes in _read(sharding, factors).items():
                if not wanted.get(factor):
                    wanted[factor] = axes
        chosen, used = {}, set()
        for factor in [*self.result, *self.reduced]:
            axes = wanted.get(factor, ())
            pieces = math.prod(mesh.shape[axis] for axis in axes)
            if factor not in self.whole and not used & set(axes) and self.sizes[factor] % pieces == 0:
                chosen[factor] = axes
                used |= set(axes)
        return chosen

    def spec(self, factors, chosen):
        return PartitionSpec(*(_entry(chosen.get(factor, ())) for factor in factors))


def partitioned(function, rule: Rule, on_device):
    """`function` as one that a partitioner cuts by `rule`; `on_device(axes of what is summed)` gives what each device runs."""

    @custom_partitioning
    @functools.wraps(function)
    def whole(*operands):
        return function(*operands)

    def partition(mesh, operands, result):
        chosen = rule.axes_of(mesh, [one.sharding for one in operands], result.sharding)
        summed = tuple(axis for factor in rule.reduced for axis in chosen.get(factor, ()))
        shardings = tuple(NamedSharding(mesh, rule.spec(factors, chosen)) for factors in rule.operands)
        return mesh, on_device(summed), NamedSharding(mesh, rule.spec(rule.result, chosen)), shardings

    whole.def_partition(partition, sharding_rule=rule.text, reduction_factors=rule.reduced, need_replication_factors=rule.whole,
                        **dict(rule.compound.values()))
    return whole
