"""The product of one device: shapes to a kernel, and its call."""
from __future__ import annotations

import functools
import math
from collections import namedtuple

import jax.numpy as jnp

from .._compile import compile
from .._types import element_name
from . import _call, _options, _text

# What a product is, beside its operands. `out` is the type of the result; `f32` how f32 is multiplied. Options are a
# part of it, as partitioners ask for kernels when what the caller had set is over.
Problem = namedtuple("Problem", "out f32 transpose_a transpose_b activation has_bias accumulates options")
# Options of tc.compile whose products are those of the matrix unit's own type: one tmm.matmul.
_NATIVE = ("", "tf32")


def named(problem, operands):
    """(A, B, bias or None, D or None) of the operands that a problem has."""
    rest = iter(operands[2:])
    bias = next(rest) if problem.has_bias else None
    return operands[0], operands[1], bias, next(rest) if problem.accumulates else None


def sizes_of(problem, a, b, bias=None):
    """(batch, M, N, K) of shapes; batches as numpy.matmul has them."""
    m, k = a[-2:][::-1] if problem.transpose_a else a[-2:]
    n = b[-2] if problem.transpose_b else b[-1]
    return jnp.broadcast_shapes(a[:-2], b[:-2], bias[:-1] if bias else ()), m, n, k


def _fold(array, batch, keep):
    """Batches as one dimension, none where the array has the same elements for all of them. `keep`: dimensions after
    them."""
    own, rest = array.shape[:array.ndim - keep], array.shape[array.ndim - keep:]
    if math.prod(own) == 1:
        return array.reshape(rest)
    return jnp.broadcast_to(array, batch + rest).reshape(math.prod(batch), *rest)


@functools.lru_cache(maxsize=1024)
def _kernel(problem, a, b, d, bias, chip):
    text = dict(transpose_a=problem.transpose_a, transpose_b=problem.transpose_b, activation=problem.activation,
                accumulate=problem.accumulates)
    if problem.f32 in _NATIVE:
        module = _text.product(a, b, d, bias, tf32=problem.f32 == "tf32", **text)
    else:
        module = _text.parts_product(a, b, d, bias, **text)
    return compile(module, chip=chip, config=problem.options.config, f32=problem.f32, name="matmul")


def product(problem, *operands):
    """The product of arrays on this device, whose shapes and types fit each other."""
    a, b, bias, d = named(problem, operands)
    batch, m, n, _ = sizes_of(problem, a.shape, b.shape, None if bias is None else bias.shape)
    shape = (*batch, m, n)
    if 0 in shape:
        return _call.as_varying([*operands, jnp.zeros(shape, problem.out)])[-1]
    rows = b.ndim == 2 and not problem.transpose_a and (bias is None or bias.ndim == 1)
    if rows and a.ndim > 2:
        # All matrices have one B: one product of more rows.
        a, batch = a.reshape(math.prod(a.shape[:-1]), a.shape[-1]), ()
    a, b = _fold(a, batch, 2), _fold(b, batch, 2)
    if bias is not None:
        bias = _fold(bias, batch, 1)
    if math.prod(batch) != 1 and a.ndim == b.ndim == 2:
        a = jnp.broadcast_to(a, (math.prod(batch), *a.shape))
    inner, m, n, _ = sizes_of(problem, a.shape, b.shape)

    def kind(array):
        return array.shape, element_name(array.dtype)

    out = ((*inner, m, n), element_name(jnp.dtype(problem.out)))
    kernel = _kernel(problem, kind(a), kind(b), out, None if bias is None else kind(bias),
                     _options.chip_of(problem.options))
    operands = [one for one in (a, b, bias, None if d is None else d.reshape(out[0])) if one is not None]
    made, = _call.prepare(kernel, operands, problem.options)(*operands)
    return made.reshape(shape)
