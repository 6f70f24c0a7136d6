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
def _kernel(problem, q, k, v, bias, o, chip):
    text = _text.attention(q, k, v, o, scale=problem.scale, diagonal=0 if problem.causal else None,
                           window=problem.window, bias=bias)
    kernel = compile(text, chip=chip, config=problem.options.config, name="attention")
    # The description knows of no attention, and has every buffer as one that is read and written.
    for name, buffer in kernel.description["buffers"].items():
        buffer["role"] = {"o": "out", "q": "in", "k": "in", "v": "in", "bias": "in"}.get(name, buffer["role"])
    return kernel


def _fold(array, batch):
    """Batches before the heads as one dimension, of size 1 where they all have the same elements."""
    own, rest = array.shape[:-3], array.shape[-3:]
    if math.prod(own) == 1:
        return array.reshape(1, *rest)
    return jnp.broadcast_to(array, (*batch, *rest)).reshape(math.prod(batch), *rest)


def _on_device(problem, q, k, v, *bias):
    """Attention of arrays on this device, whose shapes and types fit each other."""
    shape = (*q.shape[:-1], v.shape[-1])
    if q.ndim > 3:
        q, k, v, *bias = (_fold(one, shape[:-3]) for one in (q, k, v, *bias))
        q = jnp.broadcast_to(q, (max(one.shape[0] for one in (q, k, *bias)), *q.shape[1:]))
    operands = q, k, v, *bias
    kinds = [(one.shape, element_name(one.dtype)) for one in operands]
    out = ((*q.shape[:-1], v.shape[-1]), kinds[0][1])
    kernel = _kernel(problem, *kinds[:3], kinds[3] if bias else None, out, _options.chip_of(problem.options))
    made, = _call.prepare(kernel, operands, problem.options)(*operands)
    return made.reshape(shape)


def _softmax(scores):
    """0 for rows that see no key."""
    sees = (scores > -jnp.inf).any(axis=-1, keepdims=True)
    return jnp.where(sees, jax.nn.softmax(jnp.where(sees, scores, 0), axis=-1), 0)


def _reference(problem, q, k, v, *bias):
    """The same by XLA in f32: what is differentiated."""
    if q.ndim > 2:
        group = q.shape[-3] // k.shape[-3]
        k, v = (jnp.repeat(one, group, axis=-3) for one in (k, v))
    q, k, v = (one.astype(jnp.float32) for one in (q, k, v))
    scores = problem.scale * jnp.matmul(q, jnp.swapaxes(k, -1, -2), precision="highest")
    for added in bias:
        scores += added.astype(jnp.float32)
    if problem.causal:
        row, key = jnp.arange(scores.shape[-2])[:, None], jnp.arange(scores.shape[-1])
        seen = key <= row
        if problem.window is not None:
            seen &= key > row - problem.window
        scores = jnp.where(seen, scores, -jnp.inf)
    return jnp.matmul(_softmax(scores) if bias else jax.nn.softmax(scores, axis=-1), v, precision="highest")


@functools.lru_cache(maxsize=256)
def _rule(problem, q, k, v, *bias):
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
    operands = [[*batch, *heads, "m", "e"], [*shared, *heads, "n", "e"], [*shared, *heads, "n", "f"]]
    compound_in = [0]
    for own in bias:
        # Dimensions of size 1 are the same for all.
        names = [f"t{i}" if size == 1 else name for i, (size, name) in enumerate(zip(own, [*batch, *heads, "m", "n"]))]
        operands.append(names)
        compound_in += [3] * ("h" in names)
    sizes.update({name: 1 for names in operands[1:] for name in names if name not in sizes})
    return _partition.Rule(operands, [*batch, *heads, "m", "f"], sizes, whole=("m", ) * problem.causal + ("e", "n", "f"),
                           compound=compound, compound_in=tuple(compound_in))


@functools.lru_cache(maxsize=256)
def _on_mesh(problem, *shapes):
    run = functools.partial(_on_device, problem)
    return _partition.partitioned(run, _rule(problem, *shapes), lambda summed: run)


def _anywhere(problem, *operands):
    if _partition.is_manual():
        return _on_device(problem, *operands)
    return _on_mesh(problem, *(one.shape for one in operands))(*operands)


@functools.lru_cache(maxsize=256)
def _batched(problem):
    run = custom_vmap(functools.partial(_anywhere, problem))

    @run.def_vmap
    def rule(size, is_batched, q, k, v, *bias):
        if not is_batched[0]:
            q = jnp.broadcast_to(q, (size, *q.shape))
        bias = [one if batched else one[None] for one, batched in zip(bias, is_batched[3:])]
        if not is_batched[1] and not is_batched[2]:
            return run(q, k[None], v[None], *bias), True
        k, v = (one if batched else jnp.broadcast_to(one, (size, *one.shape))
                for one, batched in zip((k, v), is_batched[1:]))
        return run(q, k, v, *bias), True

    return run


@functools.lru_cache(maxsize=256)
def _attention(problem):

    @jax.custom_vjp
    def run(*operands):
        return _batched(problem)(*operands)

    def backward(saved, g):
        return jax.vjp(lambda *operands: _reference(problem, *operands), *saved)[1](g.astype(jnp.float32))

    run.defvjp(lambda *operands: (_attention(problem)(*operands), operands), backward)
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


def _bias_of(bias, sizes):
    """With as many dimensions as `sizes`, of 1 where all have the same, and all keys."""
    bias = _options.as_array("bias", bias)
    if bias.dtype.name not in (*_TYPES, "float32"):
        raise InputError(f"bias: expected float32, float16 or bfloat16, got {bias.dtype.name}")
    if bias.ndim > len(sizes) or any(size not in (1, whole) for size, whole in zip(bias.shape[::-1], sizes[::-1])):
        raise InputError(f"bias: expected a shape that broadcasts to {sizes}, got {bias.shape}")
    shape = (1, ) * (len(sizes) - bias.ndim) + bias.shape
    return jnp.broadcast_to(bias.reshape(shape), (*shape[:-1], sizes[-1]))


def attention(q, k, v, *, causal: bool = False, scale: float | None = None, window: int | None = None, bias=None):
    """softmax(scale * q @ k^T + bias) @ v by one kernel of tc, inside jit, grad, vmap and on a mesh.

    `q` is [..., heads, M, E], `k` [..., heads of K, N, E], `v` [..., heads of K, N, F], of float16 or bfloat16; without
    heads [M, E] and so on. Heads of K divide those of Q: neighbouring heads of Q share one. `scale` is 1 / sqrt(E) by
    default. With `causal` row i sees the keys j <= i, of them with `window` the last `window`. `bias`, of float32,
    float16 or bfloat16, broadcasts to [..., heads, M, N]; a key with -inf is not seen, and a row that sees none is 0.
    The result is of the type of `q`.

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
    biases = [] if bias is None else [_bias_of(bias, (*q.shape[:-1], k.shape[-2]))]
    return _run(Problem(scale, bool(causal), window, _options.current()), [q, k, v, *biases])
