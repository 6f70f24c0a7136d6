"""tc.jax.matmul: checks, gradients, batches and partitioning around one product."""
from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap

from .._errors import InputError
from . import _options, _partition
from ._products import Problem, named, product, sizes_of

_FLOATS = ("float32", "float16", "bfloat16")
_NARROW = ("float8_e4m3fn", "float8_e5m2")


@jax.custom_jvp
def _gelu(x):
    """jax.nn.gelu, whose derivative JAX 0.12 refuses in shard_map, as that of erf."""
    return jax.nn.gelu(x, approximate=False)


_gelu.defjvps(lambda dx, _, x: dx * ((1 + lax.erf(x * 0.5**0.5)) / 2 + x * jnp.exp(-x * x / 2) / (2 * math.pi)**0.5))
_ACTIVATIONS = {
    "relu": jax.nn.relu, "gelu": _gelu,
    "gelu_tanh": functools.partial(jax.nn.gelu, approximate=True), "silu": jax.nn.silu, "tanh": jnp.tanh
}
# JAX's names of precisions, in lower case -> f32= of tc.compile.
_PRECISIONS = {
    **dict.fromkeys(("default", "fastest", "tensorfloat32", "tf32_tf32_f32"), "tf32"),
    **dict.fromkeys(("high", "bfloat16_3x", "bf16_bf16_f32_x3"), "bf16x3"),
    **dict.fromkeys(("highest", "float32", "bf16_bf16_f32_x9"), "bf16x9"),
    "tf32_tf32_f32_x3": "tf32x3", "f32_f32_f32": "fma",
}


def _finish(problem, sums, bias, d):
    """What follows the sums, by XLA."""
    value = sums if bias is None else sums + bias.astype(jnp.float32)[..., None, :]
    if problem.activation:
        value = _ACTIVATIONS[problem.activation](value)
    return (value if d is None else value + d.astype(jnp.float32)).astype(problem.out)


# Partitioning.


@functools.lru_cache(maxsize=256)
def _rule(problem, shapes):
    a, b, bias, d = named(problem, shapes)
    batch, m, n, k = sizes_of(problem, a, b, bias)
    names = [f"b{i}" for i in range(len(batch))]
    sizes = {**dict(zip(names, batch)), "m": m, "n": n, "k": k}

    def factors(shape, last):
        own = shape[:len(shape) - len(last)]
        every = list(zip(names, batch))[len(batch) - len(own):]
        single = [
            f"s{len(sizes) + i}" if size != whole else name for i, (size, (name, whole)) in enumerate(zip(own, every))
        ]
        sizes.update({name: 1 for name in single if name not in sizes})
        return [*single, *last]

    operands = [factors(a, "km" if problem.transpose_a else "mk"), factors(b, "nk" if problem.transpose_b else "kn")]
    if problem.has_bias:
        operands.append(factors(bias, "n"))
    if problem.accumulates:
        operands.append(factors(d, "mn"))
    return _partition.Rule(operands, [*names, "m", "n"], sizes, reduced="k")


def _on_device(problem, multiply, summed):
    """What a device computes: `multiply` of a problem is a function of operands."""
    if not summed:
        return multiply(problem)
    plain = problem._replace(out="float32", activation=None, has_bias=False, accumulates=False)

    def run(*operands):
        # Each device has a part of K: what follows the sums follows their sum.
        _, _, bias, d = named(problem, operands)
        return _finish(problem, lax.psum(multiply(plain)(*operands[:2]), summed), bias, d)

    return run


@functools.lru_cache(maxsize=256)
def _on_mesh(problem, shapes):

    def multiply(problem):
        return functools.partial(product, problem)

    return _partition.partitioned(multiply(problem), _rule(problem, shapes),
                                  functools.partial(_on_device, problem, multiply))


def _anywhere(problem, *operands):
    if _partition.is_manual():
        return product(problem, *operands)
    return _on_mesh(problem, tuple(one.shape for one in operands))(*operands)


# Batches.


@functools.lru_cache(maxsize=256)
def _batched(problem):
    run = custom_vmap(functools.partial(_anywhere, problem))

    @run.def_vmap
    def rule(size, is_batched, *operands):
        if problem.accumulates and not any(is_batched[:2]):
            # Batches are those of A and B.
            operands = jnp.broadcast_to(operands[0], (size, *operands[0].shape)), *operands[1:]
            is_batched = True, *is_batched[1:]
        own = [2, 2] + [1] * problem.has_bias + [2] * problem.accumulates
        most = max(one.ndim - batched - rank for one, batched, rank in zip(operands, is_batched, own))

        def place(one, batched, rank, is_d):
            if not batched:
                return jnp.broadcast_to(one, (size, *one.shape)) if is_d else one
            missing = most - (one.ndim - 1 - rank)
            return one.reshape(size, *[1] * missing, *one.shape[1:])

        last = len(operands) - 1
        placed = [place(one, batched, rank, problem.accumulates and i == last)
                  for i, (one, batched, rank) in enumerate(zip(operands, is_batched, own))]
        return run(*placed), True

    return run


# Gradients.


def _sum_to(value, shape):
    """The sum over dimensions that were broadcast."""
    extra = value.ndim - len(shape)
    dims = [*range(extra), *(i + extra for i, size in enumerate(shape) if size == 1 and value.shape[i + extra] != 1)]
    return value.sum(dims).reshape(shape) if dims else value


def _gradient_of(problem, shape, dtype, first, second, **transposed):
    """The product of two arrays as a gradient: `shape` without what was broadcast, rounded to `dtype` once."""
    kind = jnp.result_type(jnp.bfloat16 if dtype.name in _NARROW else dtype)
    batch = jnp.broadcast_shapes(first.shape[:-2], second.shape[:-2])
    is_whole = len(batch) == len(shape) - 2 and batch == tuple(shape[:-2])
    wanted = problem._replace(out=kind.name if is_whole else "float32", activation=None, has_bias=False,
                              accumulates=False, **transposed)
    return _sum_to(_product(wanted)(first.astype(kind), second.astype(kind)), shape).astype(dtype)


def _gradients(problem, a, b, dz):
    ta, tb = problem.transpose_a, problem.transpose_b
    gradient = functools.partial(_gradient_of, problem)
    if ta:
        da = gradient(a.shape, a.dtype, b, dz, transpose_a=tb, transpose_b=True)
    else:
        da = gradient(a.shape, a.dtype, dz, b, transpose_a=False, transpose_b=not tb)
    if b.ndim == 2 and not ta:
        # All matrices have one B: its gradient is one product with a longer K.
        a, dz = (one.reshape(math.prod(one.shape[:-1]), one.shape[-1]) for one in (a, dz))
    if tb:
        return da, gradient(b.shape, b.dtype, dz, a, transpose_a=True, transpose_b=ta)
    return da, gradient(b.shape, b.dtype, a, dz, transpose_a=not ta, transpose_b=False)


@functools.lru_cache(maxsize=256)
def _product(problem):
    """The product as a function that can be differentiated, batched and partitioned."""

    @jax.custom_vjp
    def run(*operands):
        return _batched(problem)(*operands)

    def forward(*operands):
        a, b, bias, d = named(problem, operands)
        # What gets a gradient without being read is kept as an array without elements: its shape and its type.
        kinds = tuple(None if one is None else jnp.zeros((*one.shape, 0), one.dtype) for one in (bias, d))
        if problem.activation in (None, "relu"):
            result = _product(problem)(*operands)
            return result, (a, b, result if problem.activation else None, kinds)
        # The gradient needs what the activation is taken of.
        sums = _product(problem._replace(out="float32", activation=None))(*operands)
        return _finish(problem._replace(has_bias=False), sums, None, None), (a, b, sums, kinds)

    def backward(saved, g):
        a, b, value, (bias, d) = saved
        dz = g.astype(jnp.float32)
        if problem.activation == "relu":
            dz = jnp.where(value > 0, dz, 0)
        elif problem.activation:
            dz, = jax.vjp(_ACTIVATIONS[problem.activation], value)[1](dz)
        gradients = _gradients(problem, a, b, dz)
        if bias is not None:
            gradients += (_sum_to(dz.sum(-2), bias.shape[:-1]).astype(bias.dtype), )
        return gradients if d is None else (*gradients, g.astype(d.dtype))

    run.defvjp(forward, backward)
    return run


@functools.lru_cache(maxsize=256)
def _jitted(problem):
    return jax.jit(_product(problem))


def _run(problem, operands):

    def multiply(problem):
        return _partition.in_manual(_jitted(problem))

    if _partition.is_manual():
        return multiply(problem)(*operands)
    if mesh := _partition.explicit_mesh(operands):
        rule = _rule(problem, tuple(one.shape for one in operands))
        return _partition.by_type(rule, functools.partial(_on_device, problem, multiply), mesh, operands)
    return _jitted(problem)(*operands)


# What is asked for.


def _precision(given) -> str:
    """f32= of tc.compile for JAX's `precision`: None is jax_default_matmul_precision."""
    if given is None:
        given = jax.config.jax_default_matmul_precision or "default"
    name = getattr(given, "name", given)
    if not isinstance(name, str) or name.lower() not in _PRECISIONS:
        raise InputError(f"precision: expected one of {', '.join(_PRECISIONS)}, or a jax.lax.Precision, got {given!r}")
    return _PRECISIONS[name.lower()]


def _operand(value, name, rank, kinds):
    array = _options.as_array(name, value)
    if array.dtype.name not in kinds:
        raise InputError(f"{name}: expected {', '.join(kinds[:-1])} or {kinds[-1]}, got {array.dtype.name}")
    if array.ndim < rank:
        raise InputError(f"{name}: expected {rank} or more dimensions, got {array.ndim}")
    return array


def _result_type(a, b, given, accumulate):
    narrow = a.dtype.name in _NARROW
    if b.dtype != a.dtype and not (narrow and b.dtype.name in _NARROW):
        raise InputError(
            f"b: expected {'an fp8 type' if narrow else a.dtype.name}, as a is of {a.dtype.name}, got {b.dtype.name}")
    default = accumulate.dtype if accumulate is not None else jnp.float32 if narrow else a.dtype
    try:
        wanted = jnp.dtype(default if given is None else given).name
    except TypeError:
        wanted = repr(given)
    if wanted not in _FLOATS:
        raise InputError(f"preferred_element_type: expected {', '.join(_FLOATS[:-1])} or {_FLOATS[-1]}, got {wanted}")
    return wanted


def _check_shapes(problem, a, b, bias, accumulate):
    k, of_b = a.shape[-2 if problem.transpose_a else -1], b.shape[-1 if problem.transpose_b else -2]
    if k != of_b:
        raise InputError(f"b: expected K = {k}, as a has shape {a.shape}, got K = {of_b} of shape {b.shape}")
    try:
        batch, m, n, _ = sizes_of(problem, a.shape, b.shape)
    except ValueError:
        raise InputError(f"b: expected batches that fit a's {a.shape[:-2]}, got {b.shape[:-2]}") from None
    if bias is not None and bias.shape != (n, ):
        raise InputError(f"bias: expected shape {(n, )}, got {bias.shape}")
    if accumulate is not None and accumulate.shape != (*batch, m, n):
        raise InputError(f"accumulate: expected shape {(*batch, m, n)}, got {accumulate.shape}")
    if accumulate is not None and accumulate.dtype.name != problem.out:
        raise InputError(f"accumulate: expected {problem.out}, got {accumulate.dtype.name}")


def matmul(a, b, *, bias=None, epilogue: str | None = None, accumulate=None, transpose_a: bool = False,
           transpose_b: bool = False, precision=None, preferred_element_type=None):
    """epilogue(a @ b + bias) by one kernel of tc, inside jit, grad, vmap and on a mesh.

    `a` is [..., M, K] ([..., K, M] with `transpose_a`), `b` [..., K, N] ([..., N, K] with `transpose_b`); batches are
    those of numpy.matmul. Both are of float32, float16 or bfloat16, the same, or of float8_e4m3fn and float8_e5m2, in
    any mix. Sums are of f32 and are rounded once, to `preferred_element_type`: float32, float16 or bfloat16, by default
    the type of `a`, and float32 of fp8. `bias` is a vector of N, `epilogue` relu, gelu (with erf), gelu_tanh, silu or
    tanh, in f32.

    `accumulate` is an array that the product is added to, without bias and epilogue. Its buffer becomes that of the
    result where XLA may give it away, as under `jax.jit(..., donate_argnums=...)`.

    float32 is multiplied as `precision` says, by default jax_default_matmul_precision: "default" as tf32, "high" as
    bf16x3, "highest" as bf16x9, and the names of jax.lax.DotAlgorithmPreset TF32_TF32_F32_X3 (tf32x3) and F32_F32_F32
    (fma).

    Gradients are products by tc, too, with elementwise parts by XLA. Where an epilogue other than relu is
    differentiated, the kernel stores the f32 that it is taken of, and XLA applies it. Gradients of fp8 are products of
    bfloat16, rounded to fp8. Only reverse mode is there (no jvp). On a mesh the rows of A, the columns of B and batches
    may be cut without communication; of a K that is cut each device sums a part, then psum adds them in f32 and XLA
    applies bias and epilogue.
    """
    a, b = _operand(a, "a", 2, _FLOATS + _NARROW), _operand(b, "b", 2, _FLOATS + _NARROW)
    bias = None if bias is None else _operand(bias, "bias", 1, _FLOATS)
    accumulate = None if accumulate is None else _operand(accumulate, "accumulate", 2, _FLOATS)
    if epilogue is not None and not (isinstance(epilogue, str) and epilogue in _ACTIVATIONS):
        raise InputError(f"epilogue: expected one of {', '.join(_ACTIVATIONS)}, got {epilogue!r}")
    if accumulate is not None and (bias is not None or epilogue):
        raise InputError("accumulate: expected neither bias nor epilogue beside it")
    out = _result_type(a, b, preferred_element_type, accumulate)
    problem = Problem(out,
                      _precision(precision) if a.dtype == jnp.float32 else "", bool(transpose_a), bool(transpose_b),
                      epilogue, bias is not None, accumulate is not None, _options.current())
    _check_shapes(problem, a, b, bias, accumulate)
    return _run(problem, [one for one in (a, b, bias, accumulate) if one is not None])
