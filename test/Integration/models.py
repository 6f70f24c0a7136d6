#!/usr/bin/env python3
"""Compiles the modules of Models/, runs them on the emulator, checks the numbers.

    models.py --build build [--filter TEXT]

The modules are written as other compilers print them. The formula of each is here,
in float64; a tensor that the module rounds between two kernels is rounded here too.
"""
import os
import pathlib
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from tclib import cases, modules, numerics, runner  # noqa: E402
from tclib.gemm import vector_erf  # noqa: E402


def product(a, b):
    """Of matrices, or of batches of them with the same leading shape; and the bound of each sum."""
    value = a @ b
    a = np.broadcast_to(a, value.shape[:-2] + a.shape[-2:]).reshape((-1, ) + a.shape[-2:])
    b = np.broadcast_to(b, value.shape[:-2] + b.shape[-2:]).reshape((-1, ) + b.shape[-2:])
    bounds = [numerics.accumulation_bound(*pair) for pair in zip(a, b)]
    return value, np.stack(bounds).reshape(value.shape)


def rounded(value, bound, element):
    """A tensor that the module rounds, and how far another rounding of the same sum may be off."""
    near = np.abs(numerics.round_once(value + 2 * bound, element) - numerics.round_once(value - 2 * bound, element))
    return numerics.round_once(value, element), near


def relu(x):
    return np.maximum(x, 0)


def silu(x):
    return x / (1 + np.exp(-x))


def linear_relu(x, w, bias):
    value, bound = product(x, w.T)
    return relu(value + bias), bound


def named_elementwise(x, w, bias):
    value, bound = product(x, w)
    return relu(value + bias), bound


def hlo_dense(x, w, bias):
    value, bound = product(x, w)
    return np.tanh(value + bias), bound + 2.0**-20


def chain(x, w1, w2):
    value, bound = product(x, w1)
    hidden = numerics.round_once(value, "bf16")
    near = np.abs(numerics.round_once(value + bound, "bf16") - numerics.round_once(value - bound, "bf16"))
    value, bound = product(hidden, w2)
    return value, bound + near @ np.abs(w2)


def addmm(bias, a, b):
    value, bound = product(a, b)
    return value + bias, bound


def memref_in_place(a, b, bias, d):
    value, bound = product(a, b)
    return relu(value + bias), bound


def residual_gelu(x, w, bias, residual):
    value, bound = product(x, w)
    value = value + bias
    return 0.5 * value * (1 + vector_erf(value * np.sqrt(0.5))) + residual, 1.2 * bound + 2.0**-20 * (1 + np.abs(value))


def mlp(x, w1, b1, w2, b2):
    value, bound = product(x, w1)
    hidden = numerics.round_once(relu(value + b1), "bf16")
    # Where the sum is near the middle of two bf16, the other one is right too.
    near = np.abs(numerics.round_once(relu(value + b1) + 2 * bound, "bf16") -
                  numerics.round_once(relu(value + b1) - 2 * bound, "bf16"))
    value, bound = product(hidden, w2)
    return value + b2, bound + near @ np.abs(w2)


def attention(q, k, v):
    value, bound = product(q, k.T)
    value, bound = value * 0.125, bound * 0.125
    scores = numerics.round_once(value, "bf16")
    near = np.abs(numerics.round_once(value + bound, "bf16") - numerics.round_once(value - bound, "bf16"))
    value, bound = product(scores, v)
    return value, bound + near @ np.abs(v)


def attention_head(q, k, v):
    value, bound = product(q, k.T)
    value, bound = value * 0.125, bound * 0.125 + 2.0**-20
    exponential = np.exp(value - value.max(axis=1, keepdims=True))
    weights = exponential / exponential.sum(axis=1, keepdims=True)
    # The kernel rounds them before it divides by their sum.
    near = weights * (2 * bound + 2.0**-16 + 2.0**-8)
    value, bound = product(weights, v)
    return value, bound + near @ np.abs(v)


def dynamic_linear(x, w, bias):
    value, bound = product(x, w.T)
    return silu(value + bias), 1.2 * bound + 2.0**-20


def gated(x, g, u):
    gate, gate_bound = product(x, g)
    up, up_bound = product(x, u)
    return silu(gate) * up, (1.2 * gate_bound + 2.0**-20) * np.abs(up) + np.abs(silu(gate)) * up_bound


def batch_mlp(x, w1, b1, w2, b2):
    value, bound = product(x, w1.T)
    hidden, near = rounded(relu(value + b1), bound, "bf16")
    value, bound = product(hidden, w2.T)
    return value + b2, bound + near @ np.abs(w2.T)


def attention_scores(q, k, mask):
    value, bound = product(q, np.swapaxes(k, -1, -2))
    return 0.125 * value + mask, 0.125 * bound + 2.0**-23 * np.abs(value)


def attention_values(p, v):
    return product(p, v[:, :, None])


def tosa_matmul(x, w, bias):
    value, bound = product(x, w)
    return np.clip(value + bias, 0, 6), bound


def tokens_collapsed(x, w, bias):
    value, bound = product(x, w.T)
    return value + bias, bound


def batch_memref(a, b, residual, d):
    value, bound = product(a, b)
    return value + residual, bound


def conv_1x1(image, kernel, bias):
    value, bound = product(image.reshape(-1, image.shape[-1]), kernel[0, 0])
    return np.clip(value + bias, 0, 6).reshape(image.shape[:-1] + kernel.shape[-1:]), bound.reshape(
        image.shape[:-1] + kernel.shape[-1:])


def alpha_beta(a, b, c):
    value, bound = product(a, b)
    return 0.75 * value - 1.5 * c, 0.75 * bound + 2.0**-22 * (np.abs(value) + np.abs(c))


def deep_mlp(x, w1, w2, w3, w4, bias):
    hidden, near = x, np.zeros_like(x)
    for w in (w1, w2, w3):
        value, bound = product(hidden, w)
        hidden, near = rounded(relu(value), bound + near @ np.abs(w), "bf16")
    value, bound = product(hidden, w4)
    return value + bias, bound + near @ np.abs(w4)


def weight_gradient(x, dy, dw):
    value, bound = product(x.T, dy)
    return value + dw, bound


# Name: formula, output type, arguments as (shape, type).
MODELS = {
    "linear_relu": (linear_relu, "bf16", [((200, 96), "bf16"), ((136, 96), "bf16"), ((136, ), "f32")]),
    "named_elementwise": (named_elementwise, "f32", [((130, 64), "f16"), ((64, 72), "f16"), ((72, ), "f32")]),
    "hlo_dense": (hlo_dense, "f32", [((144, 80), "bf16"), ((80, 136), "bf16"), ((136, ), "f32")]),
    "chain": (chain, "f32", [((136, 64), "bf16"), ((64, 72), "bf16"), ((72, 128), "bf16")]),
    "addmm": (addmm, "f32", [((72, ), "bf16"), ((136, 64), "bf16"), ((64, 72), "bf16")]),
    "memref_in_place": (memref_in_place, "f32", [((136, 96), "f16"), ((96, 72), "f16"), ((72, ), "f32"), ((136, 72), "f32")]),
    "residual_gelu": (residual_gelu, "bf16", [((136, 128), "bf16"), ((128, 200), "bf16"), ((200, ), "bf16"),
                                              ((136, 200), "bf16")]),
    "mlp": (mlp, "f32", [((200, 72), "bf16"), ((72, 136), "bf16"), ((136, ), "f32"), ((136, 64), "bf16"), ((64, ), "f32")]),
    "attention": (attention, "f32", [((136, 64), "bf16"), ((200, 64), "bf16"), ((200, 64), "bf16")]),
    "attention_head": (attention_head, "f32", [((136, 64), "bf16"), ((200, 64), "bf16"), ((200, 64), "bf16")]),
    "dynamic_linear": (dynamic_linear, "bf16", [((130, 72), "bf16"), ((133, 72), "bf16"), ((133, ), "bf16")]),
    "gated": (gated, "bf16", [((72, 128), "bf16"), ((128, 136), "bf16"), ((128, 136), "bf16")]),
    "batch_mlp": (batch_mlp, "f32", [((3, 136, 64), "bf16"), ((200, 64), "bf16"), ((200, ), "f32"), ((72, 200), "bf16"),
                                     ((72, ), "f32")]),
    "attention_scores": (attention_scores, "f32", [((2, 3, 136, 64), "bf16"), ((2, 3, 200, 64), "bf16"),
                                                   ((2, 1, 136, 200), "f32")]),
    "attention_values": (attention_values, "bf16", [((2, 2, 3, 136, 200), "bf16"), ((2, 2, 200, 64), "bf16")]),
    "tosa_matmul": (tosa_matmul, "f32", [((136, 80), "f16"), ((80, 72), "f16"), ((72, ), "f32")]),
    "tokens_collapsed": (tokens_collapsed, "bf16", [((3, 136, 64), "bf16"), ((72, 64), "bf16"), ((72, ), "bf16")]),
    "batch_memref": (batch_memref, "f32", [((3, 136, 64), "bf16"), ((3, 64, 72), "bf16"), ((3, 136, 72), "bf16"),
                                           ((3, 136, 72), "f32")]),
    "hlo_dot_general": (product, "f16", [((4, 72, 96), "f16"), ((4, 96, 136), "f16")]),
    "conv_1x1": (conv_1x1, "bf16", [((2, 7, 10, 64), "bf16"), ((1, 1, 64, 136), "bf16"), ((136, ), "f32")]),
    "alpha_beta": (alpha_beta, "f32", [((136, 64), "bf16"), ((64, 72), "bf16"), ((136, 72), "f32")]),
    "deep_mlp": (deep_mlp, "f32", [((72, 64), "bf16"), ((64, 136), "bf16"), ((136, 200), "bf16"), ((200, 136), "bf16"),
                                   ((136, 8), "bf16"), ((8, ), "f32")]),
    "weight_gradient": (weight_gradient, "f32", [((200, 136), "bf16"), ((200, 72), "bf16"), ((136, 72), "f32")]),
}


# The argument that holds the result, where the function returns none.
IN_PLACE = {"memref_in_place": 3, "batch_memref": 3, "weight_gradient": 2}
# Float arguments of the functions.
SCALARS = {"alpha_beta": {"arg0": 0.75, "arg3": -1.5}}
# Products of a module, where they are not one: each is launched once.
KERNELS = {"attention_head": 0, "chain": 2, "mlp": 2, "attention": 2, "gated": 2, "batch_mlp": 2, "deep_mlp": 4}
# Kernels of what is no product, where there are any.
PLAIN = {"attention_head": 1}


def check(tools, name, seconds):
    formula, out_type, specifications = MODELS[name]
    arguments = [modules.random_array(shape, element, 100 + i) for i, (shape, element) in enumerate(specifications)]
    expected, bound = formula(*(argument.values for argument in arguments))
    text = (pathlib.Path(__file__).parent / "Models" / f"{name}.mlir").read_text()
    ptx = modules.compile_module(tools, name, text, seconds)
    in_place = [IN_PLACE[name]] if name in IN_PLACE else []
    scalars = SCALARS.get(name, {})
    result, = modules.run_module(tools, name, ptx, arguments, seconds, in_place, scalars=scalars)
    # What the description says of each launch has to be what it computes, from what those before it left.
    kernels = KERNELS.get(name, 1)
    entries = ptx.read_text().count(".entry")
    if entries != kernels + PLAIN.get(name, 0):
        raise runner.Failure(f"{name}: expected {kernels} products and {PLAIN.get(name, 0)} others, got {entries} kernels")
    if kernels:
        done, command = modules.check_module(tools, ptx, arguments, scalars)
        if done.returncode or done.stdout.count("check ") != kernels:
            raise runner.Failure(f"{name}: expected {kernels} products, each checked, got " + runner.describe(command, done))
    return modules.compare(name, result, expected, bound + 2.0**-22 * np.abs(expected), out_type)


def main():
    folder = pathlib.Path(__file__).parent / "Models"
    unknown = {path.stem for path in folder.glob("*.mlir")} ^ MODELS.keys()
    if unknown:
        print(f"error: a module without a formula or a formula without a module: {', '.join(sorted(unknown))}",
              file=sys.stderr)
        return 1
    return cases.main(__doc__, "models", [
        (name, lambda tools, seconds, name=name: check(tools, name, seconds)) for name in MODELS
    ])


if __name__ == "__main__":
    sys.exit(main())
