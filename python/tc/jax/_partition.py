"""Products and attention on a mesh: which dimensions may be cut, and what each device computes.

Where types of arrays say how they are cut (jax.make_mesh: axes are Explicit) that is a shard_map. Where a partitioner
finds it out (Auto) it asks a custom_partitioning. Both follow a Rule.
"""
from __future__ import annotations

import functools
import math

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec

from ._call import as_varying


def is_manual() -> bool:
    """Whether this is traced inside shard_map: arrays are those of one device already."""
    mesh = jax.sharding.get_abstract_mesh()
    return bool(mesh.axis_names and mesh.manual_axes)


def in_manual(function):
    """A function that is differentiated in shard_map. Gradients of what is the same on all devices are summed, by
    the transpose of `as_varying`."""
    return lambda *operands: function(*as_varying(operands))


def explicit_mesh(operands):
    """The mesh that types of arrays are cut along, or None."""
    meshes = [jax.typeof(one).sharding.mesh for one in operands]
    return next((mesh for mesh in meshes if mesh.axis_names and mesh.explicit_axes), None)


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
    """How a function of arrays is cut: names of the dimensions (factors) of each operand and of the result. `whole` are
    those that stay on one device, in the order in which they come first, `reduced` those that are summed over.
    `compound`: factor -> (name, size) of a factor that comes with it in operands whose number is in `compound_in`, and
    in the result: only the former is cut."""

    def __init__(self, operands, result, sizes, reduced=(), whole=(), compound=None, compound_in=()):
        self.operands, self.result, self.sizes = operands, result, sizes
        self.reduced, self.whole = tuple(reduced), tuple(whole)
        self.compound, self.compound_in = compound or {}, compound_in

    @property
    def text(self) -> str:

        def write(factors, is_compound):
            return " ".join(f"({one} {self.compound[one][0]})" if is_compound and one in self.compound else one
                            for one in factors)

        operands = [write(one, i in self.compound_in) for i, one in enumerate(self.operands)]
        return ", ".join(operands) + " -> " + write(self.result, True)

    def axes_of(self, mesh, operands, result):
        """factor -> axes: those of the result first, then those of operands; no axis twice, and only where all devices
        get as much."""
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

    def summed(self, chosen):
        """The axes of a mesh that results of devices are summed over."""
        return tuple(axis for factor in self.reduced for axis in chosen.get(factor, ()))

    def spec(self, factors, chosen):
        return PartitionSpec(*(_entry(chosen.get(factor, ())) for factor in factors))


def by_type(rule: Rule, on_device, mesh, operands):
    """What `partitioned` does, where the types of the operands say how they are cut along `mesh`."""
    chosen = rule.axes_of(mesh, [jax.typeof(one).sharding for one in operands], None)
    specs = tuple(rule.spec(factors, chosen) for factors in rule.operands)
    operands = [
        jax.sharding.reshard(one, NamedSharding(mesh, spec)) if jax.typeof(one).sharding.mesh.axis_names else one
        for one, spec in zip(operands, specs)
    ]
    return jax.shard_map(on_device(rule.summed(chosen)), mesh=mesh, in_specs=specs,
                         out_specs=rule.spec(rule.result, chosen), axis_names=frozenset(mesh.explicit_axes))(*operands)


def partitioned(function, rule: Rule, on_device):
    """`function` as one that a partitioner cuts by `rule`; `on_device(axes of what is summed)` gives what each device
    runs."""

    @custom_partitioning
    @functools.wraps(function)
    def whole(*operands):
        return function(*operands)

    def partition(mesh, operands, result):
        chosen = rule.axes_of(mesh, [one.sharding for one in operands], result.sharding)
        shardings = tuple(NamedSharding(mesh, rule.spec(factors, chosen)) for factors in rule.operands)
        return mesh, on_device(rule.summed(chosen)), NamedSharding(mesh, rule.spec(rule.result, chosen)), shardings

    whole.def_partition(partition, sharding_rule=rule.text, reduction_factors=rule.reduced,
                        need_replication_factors=rule.whole, **dict(rule.compound.values()))
    return whole
