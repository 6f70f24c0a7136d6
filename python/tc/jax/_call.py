"""A kernel as a call of XLA: the FFI target tc_call, and the table of kernels that it finds."""
from __future__ import annotations

import hashlib
import json
import weakref

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

from .. import _arrays
from .._description import has_contents, is_cubin
from .._errors import InputError
from .._kernel import Kernel, _single
from . import _options
from ._extension import _jax

TARGET = "tc_call"
# Kernel -> its entries. They are of this process: a kernel may be pickled.
_PREPARED: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
jax.ffi.register_ffi_target(TARGET, _jax.host_handler(), platform="cpu")
jax.ffi.register_ffi_target(TARGET, _jax.cuda_handler(), platform="CUDA")


def as_varying(arrays):
    """In shard_map: all arrays are taken to differ between the devices where one does."""
    own = [jax.typeof(one).manual_axis_type.varying for one in arrays]
    every = frozenset().union(*own)
    return [
        lax.pcast(one, tuple(sorted(every - axes)), to="varying") if every - axes else one
        for one, axes in zip(arrays, own)
    ]


def _dense(shape):
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    return tuple(strides)


def _is_dense(shape, strides) -> bool:
    # The stride of a dimension of one element is never used.
    return 0 in shape or all(size == 1 or got == want for size, got, want in zip(shape, strides, _dense(shape)))


class Prepared:
    """A kernel for arrays of these shapes and types, in the table: `operands` and `results` as XLA gives them."""

    def __init__(self, kernel, avals, options, numbers):
        bound, sizes, scalars = kernel._bind(avals, dict(numbers))
        order = [name for name in kernel.arguments if name in bound]
        # A cubin has no place on the emulator.
        device = "cuda" if is_cubin(kernel.code) else "emulator"
        plain = ("off", "", 0, 0)
        layouts = kernel._layouts(kernel._session(device, {}, sizes, scalars, *plain))
        returned = kernel._returned(device, sizes, scalars, plain, layouts)
        buffers = kernel._described["buffers"]
        for name, aval in zip(order, avals):
            self._check(name, aval, layouts[name])
        self.parts = [self._part(layouts[name], part) for name, part in returned]
        # What a function returns of an argument that no kernel writes is the operand.
        kept = {name for name in order if layouts[name][2] == "in"}
        written = list(dict.fromkeys(name for name, _ in returned if name not in kept))
        if first := [name for name in written if name not in order and has_contents(buffers[name])]:
            raise InputError(f"expected an array for {first[0]}, which has first contents")
        self.places = [(0, order.index(name)) if name in kept else (1, written.index(name)) for name, _ in returned]
        flat = {name for (name, _), part in zip(returned, self.parts) if part and name not in kept}
        operands = [self._spec(name, layouts[name]) for name in order]
        results = [self._spec(name, layouts[name], name in flat) for name in written]
        workspaces = [self._spec(name, layout) for name, layout in layouts.items()
                      if layout[2] == "temporary" and name not in written and not has_contents(buffers[name])]
        self.results = [jax.ShapeDtypeStruct(spec[3], _arrays.dtype_of(spec[2])) for spec in results]
        self.aliases = {order.index(name): place for place, name in enumerate(written) if name in order}
        if flat & set(order):
            raise InputError(
                f"results: expected all of {min(flat & set(order))}, which is an argument, got a part of it")
        self._add(kernel, sizes, scalars, (operands, results, workspaces), options)

    @staticmethod
    def _spec(name, layout, is_flat=False):
        index, element, _, shape, strides = layout
        bits, count = _arrays.TYPES[element][0], _arrays._storage(shape, strides)
        return name, index, element, (count, ) if is_flat else shape, -(-count * bits // 8)

    @staticmethod
    def _check(name, aval, layout):
        _, element, _, shape, strides = layout
        if _arrays.TYPES[element][0] < 8:
            raise InputError(f"{name}: expected elements of 8 bits or more, got {element}")
        wanted = _arrays.dtype_of(element)
        if tuple(aval.shape) != tuple(shape):
            raise InputError(f"{name}: expected shape {tuple(shape)}, got {tuple(aval.shape)}")
        if aval.dtype != wanted:
            raise InputError(f"{name}: expected {wanted} ({element}), got {aval.dtype}")
        if not _is_dense(shape, strides):
            raise InputError(f"{name}: expected a kernel that reads dense arrays, got strides {strides}")

    @staticmethod
    def _part(layout, part):
        """The part of a result that a caller gets, None: all of it. Buffers that are not dense are a part of their
        memory."""
        _, element, _, shape, strides = layout
        if _arrays.TYPES[element][0] < 8:
            raise InputError(f"results: expected elements of 8 bits or more, got {element}")
        offset, wanted, steps = part or (0, shape, strides)
        is_whole = offset == 0 and tuple(wanted) == tuple(shape)
        is_all = is_whole and _is_dense(wanted, steps) and _is_dense(shape, strides)
        return None if is_all else (offset, tuple(wanted), tuple(steps))

    def _add(self, kernel, sizes, scalars, specs, options):
        description = kernel._described
        # The table has descriptions of one function.
        text = kernel._json({key: value for key, value in description.items() if key != "function"})
        operands, results, workspaces = specs
        fields = {
            "name": kernel.name, "description": text, "description_name": kernel._description_name, "sizes": sizes,
            "scalars": scalars, "operands": operands, "results": results, "workspaces": workspaces,
            "schedules": list(options.schedules), "races": options.races, "threads": options.threads,
            "max_instructions": options.max_instructions, "check": options.check
        }
        self.key = hashlib.sha256(kernel.code + json.dumps(fields, sort_keys=True).encode()).hexdigest()
        _jax.add(self.key, kernel.code, fields)

    def __call__(self, *arrays):
        arrays = as_varying(arrays)
        call = jax.ffi.ffi_call(TARGET, self._results_of(arrays), input_output_aliases=self.aliases,
                                vmap_method="sequential")
        sources = arrays, call(*arrays, kernel=self.key)
        return tuple(sources[which][place] if part is None else _view(sources[which][place].reshape(-1), *part)
                     for (which, place), part in zip(self.places, self.parts))


    def _results_of(self, arrays):
        """The results, which differ between the devices of shard_map as the operands do."""
        kind = jax.typeof(arrays[0]) if arrays else None
        if kind is None or not kind.manual_axis_type.varying:
            return self.results
        where = {
            "manual_axis_type": kind.manual_axis_type, "sharding": NamedSharding(kind.sharding.mesh, PartitionSpec())
        }
        return [jax.ShapeDtypeStruct(one.shape, one.dtype, **where) for one in self.results]


def _view(flat, offset, shape, strides):
    """The elements of a part of a buffer's memory."""
    order = sorted(range(len(shape)), key=lambda d: -strides[d])
    inner = tuple(shape[d] for d in order)
    if _is_dense(inner, [strides[d] for d in order]):
        count = int(np.prod(inner, dtype=np.int64))
        back = [order.index(d) for d in range(len(shape))]
        return jnp.transpose(flat[offset:offset + count].reshape(inner), back)
    places = offset
    for d, (size, step) in enumerate(zip(shape, strides)):
        places = places + (np.arange(size) * step).reshape([-1 if i == d else 1 for i in range(len(shape))])
    return flat[np.broadcast_to(places, shape)]


def prepare(kernel: Kernel, avals, options, numbers=()) -> Prepared:
    """The entry of a kernel for arrays like `avals`; `numbers` are sizes and scalars, by name."""
    key = (options, tuple(numbers), *((tuple(aval.shape), str(aval.dtype)) for aval in avals))
    plans = _PREPARED.setdefault(kernel, {})
    if key not in plans:
        plans[key] = Prepared(kernel, avals, options, numbers)
    return plans[key]


def call(kernel: Kernel, *arrays, **named):
    """Any kernel of `tc.compile`, `tc.matmul` or `tc.load` on JAX arrays, also inside jit.

    Arguments and results are those of `Kernel.emulate`; sizes and scalars are numbers, each with an entry of its own.
    An argument that is read and written (`accumulate`) is an operand, and the result takes over its buffer where XLA
    may give it away. Neither differentiated nor partitioned; vmap calls it for each element.
    """
    if not isinstance(kernel, Kernel):
        raise InputError(f"kernel: expected a tc.Kernel, got {type(kernel).__name__}")
    arrays, named = kernel._scalars_by_position(arrays, named)
    bound, sizes, scalars = kernel._bind(arrays, dict(named))
    arrays = [_options.as_array(name, bound[name]) for name in kernel.arguments if name in bound]
    numbers = sorted((name, value) for name, value in {**sizes, **scalars}.items() if name in named)
    return _single(prepare(kernel, arrays, _options.current(), numbers)(*arrays))
