"""tc.jax.attention: softmax between two products, one kernel."""
from __future__ import annotations

import functools
import math
import numbers
import operator
from collections import namedtuple

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

from .._compile import compile
from .._errors import InputError
from .._types import element_name
from . import _call, _options, _partition, _text

_TYPES = ("float16", "bfloat16")
_LEAST, _MOST = (float(one) for one in (jnp.finfo(jnp.float32).smallest_subnormal, jnp.finfo(jnp.float32).max))
Problem = namedtuple("Problem", "scale causal window options")


@functools.lru_cache(maxsize=1024)
def _kernel(problem, q, k, v, o, chip):
    text = _text.attention(q, k, v, o, scale=problem.scale, diagonal=0 if problem.causal else None,
                           window=problem.window)
    kernel = compile(text, chip=chip, config=problem.options.config, name="attention")
    # The description knows of no attention, and has every buffer as one that is read and written.
    for name, buffer in kernel.description["buffers"].items():
        buffer["role"] = {"o": "out", "q": "in", "k": "in", "v": "in"}.get(name, buffer["role"])
    return kernel


def _fold(array, batch):
    """Batches before the heads as one dimension, of size 1 where they all have the same elements."""
    own, rest = array.shape[:-3], array.shape[-3:]
    if math.prod(own) == 1:
        return array.reshape(1, *rest)
    return jnp.broadcast_to(array, (*batch, *rest)).reshape(math.prod(batch), *rest)


def _on_device(problem, q, k, v):
    """Attention of arrays on this device, whose shapes and types fit each other."""
    shape = (*q.shape[:-1], v.shape[-1])
    if q.ndim > 3:
        q, k, v = (_fold(one, shape[:-3]) for one in (q, k, v))
        q = jnp.broadcast_to(q, (max(q.shape[0], k.shape[0]), *q.shape[1:]))
    kinds = [(one.shape, element_name(one.dtype)) for one in (q, k, v)]
    out = ((*q.shape[:-1], v.shape[-1]), kinds[0][1])
    kernel = _kernel(problem, *kinds, out, _options.chip_of(problem.options))
    made, = _call.prepare(kernel, (q, k, v), problem.options)(q, k, v)
    return made.reshape(shape)


def _reference(problem, q, k, v):
    """The same by XLA in f32: what is differentiated."""
    if q.ndim > 2:
        group = q.shape[-3] // k.shape[-3]
        k, v = (jnp.repeat(one, group, axis=-3) for one in (k, v))
    q, k, v = (one.astype(jnp.float32) for one in (q, k, v))
    scores = problem.scale * jnp.matmul(q, jnp.swapaxes(k, -1, -2), precision="highest")
    if problem.causal:
        row, key = jnp.arange(scores.shape[-2])[:, None], jnp.arange(scores.shape[-1])
        seen = key <= row
        if problem.window is not None:
            seen &= key > row - problem.window
        scores = jnp.where(seen, scores, -jnp.inf)
    return jnp.matmul(jax.nn.softmax(scores, axis=-1), v, precision="highest")


@functools.lru_cache(maxsize=256)
def _rule(problem, q, k, v):
    batch = [f"b{i}" for i in range(len(q) - 3)]
    sizes = {**dict(zip(batch, q)), "m": q[-2], "n": k[-2], "e": q[-1], "f": v[-1]}
    compound = {}
    heads = ["h"] * (len(q) > 2)
    if heads:
        sizes["h"] = k[-3]
        if q[-3] != k[-3]:
            # Neighbouring heads of Q share one of K: cut between such groups.
            compound["h"] = ("g", q[-3] // k[-3])
    shared = [f"s{i}" if size == 1 else name for i, (size, name) in enumerate(zip(k, batch))]
    sizes.update({name: 1 for name in shared if name not in sizes})
    return _partition.Rule([[*batch, *heads, "m", "e"], [*shared, *heads, "n", "e"], [*shared, *heads, "n", "f"]],
                           [*batch, *heads, "m", "f"], sizes, whole=("m", ) * problem.causal + ("e", "n", "f"),
                           compound=compound, compound_in=(0, ))


@functools.lru_cache(maxsize=256)
def _on_mesh(problem, *shapes):
    run = functools.partial(_on_device, problem)
    return _partition.partitioned(run, _rule(problem, *shapes), lambda summed: run)


def _anywhere(problem, q, k, v):
    if _partition.is_manual():
        return _on_device(problem, q, k, v)
    return _on_mesh(problem, q.shape, k.shape, v.shape)(q, k, v)


@functools.lru_cache(maxsize=256)
def _batched(problem):
    run = custom_vmap(functools.partial(_anywhere, problem))

    @run.def_vmap
    def rule(size, is_batched, q, k, v):
        if not is_batched[0]:
            q = jnp.broadcast_to(q, (size, *q.shape))
        if not is_batched[1] and not is_batched[2]:
            return run(q, k[None], v[None]), True
        k, v = (one if batched else jnp.broadcast_to(one, (size, *one.shape))
                for one, batched in zip((k, v), is_batched[1:]))
        return run(q, k, v), True

    return run


@functools.lru_cache(maxsize=256)
def _attention(problem):

    @jax.custom_vjp
    def run(q, k, v):
        return _batched(problem)(q, k, v)

    def backward(saved, g):
        return jax.vjp(lambda *operands: _reference(problem, *operands), *saved)[1](g.astype(jnp.float32))

    run.defvjp(lambda q, k, v: (_attention(problem)(q, k, v), (q, k, v)), backward)
    return run


@functools.lru_cache(maxsize=256)
def _jitted(problem):
    return jax.jit(_attention(problem))


def _run(problem, operands):
    run = _partition.in_manual(_jitted(problem))
    if _partition.is_manual():
        return run(*operands)
    if mesh := _partition.explicit_mesh(operands):
        return _partition.by_type(_rule(problem, *(one.shape for one in operands)), lambda summed: run, mesh, operands)
    return _jitted(problem)(*operands)


def _check(name, array, rank):
    if array.dtype.name not in _TYPES:
        raise InputError(f"{name}: expected float16 or bfloat16, got {array.dtype.name}")
    if array.ndim < 2 or rank and array.ndim != rank:
        raise InputError(f"{name}: expected {rank or '2 or more'} dimensions, got {array.ndim}")
    if array.shape[-1] % 8 or not 0 < array.shape[-1] <= 256:
        raise InputError(f"{name}: expected rows of a multiple of 8 elements, at most 256, got {array.shape[-1]}")


def _scale_of(scale, length) -> float:
    if scale is None:
        return 1 / math.sqrt(length)
    if isinstance(scale, bool) or not isinstance(scale, numbers.Real) or not _LEAST <= scale <= _MOST:
        raise InputError(f"scale: expected a number above 0 that float32 holds, got {scale!r}")
    return float(scale)


def _window_of(window, causal):
    if window is None:
        return None
    if not causal:
        raise InputError("window: expected causal=True beside it")
    try:
        count = 0 if isinstance(window, bool) else operator.index(window)
    except TypeError:
        count = 0
    if not 1 <= count < 2**31:
        raise InputError(f"window: expected an integer from 1 to {2**31 - 1}, got {window!r}")
    return count


def attention(q, k, v, *, causal: bool = False, scale: float | None = None, window: int | None = None):
    """softmax(scale * q @ k^T) @ v by one kernel of tc, inside jit, grad, vmap and on a mesh.

    `q` is [..., heads, M, E], `k` [..., heads of K, N, E], `v` [..., heads of K, N, F], of float16 or bfloat16; without
    heads [M, E] and so on. Heads of K divide those of Q: neighbouring heads of Q share one. `scale` is 1 / sqrt(E) by
    default. With `causal` row i sees the keys j <= i, of them with `window` the last `window`. The result is of the
    type of `q`.

    The gradient recomputes the scores and differentiates softmax and both products by XLA in f32: there is no kernel
    for it. On a mesh batches and heads, and rows of `q` without `causal`, may be cut without communication.
    Chips: sm_90a, sm_100a, sm_103a.
    """
    q, k, v = (_options.as_array(name, one) for name, one in (("q", q), ("k", k), ("v", v)))
    _check("q", q, 0)
    for name, array in (("k", k), ("v", v)):
        _check(name, array, q.ndim)
        if array.dtype != q.dtype:
            raise InputError(f"{name}: expected {q.dtype.name}, as q is of it, got {array.dtype.name}")
    if k.shape[-1] != q.shape[-1]:
        raise InputError(f"k: expected rows of {q.shape[-1]} elements, as q has, got {k.shape[-1]}")
    if k.shape[:-3] != q.shape[:-3]:
        raise InputError(f"k: expected batches {q.shape[:-3]}, as q has, got {k.shape[:-3]}")
    if q.ndim > 2 and (not k.shape[-3] or q.shape[-3] % k.shape[-3]):
        raise InputError(f"k: expected heads that divide the {q.shape[-3]} of q, got {k.shape[-3]}")
    if v.shape[:-1] != k.shape[:-1]:
        raise InputError(f"v: expected shape {k.shape[:-1]} before its columns, as k has, got {v.shape[:-1]}")
    scale, window = _scale_of(scale, q.shape[-1]), _window_of(window, causal)
    return _run(Problem(scale, bool(causal), window, _options.current()), [q, k, v])
