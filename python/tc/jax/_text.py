"""The modules that tc.jax compiles: one product, one attention."""
from __future__ import annotations

import functools

from .. import _functions
from .._builder import _memref as _memref_of
from .._trace import Value, _constant
from .._types import ELEMENTS

ACTIVATIONS = {
    "relu": _functions.relu, "gelu": _functions.gelu, "gelu_tanh": functools.partial(_functions.gelu, approximate="tanh"),
    "silu": _functions.silu, "tanh": _functions.tanh
}


def _tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + ELEMENTS[element] + ">"


def _memref(shape, element):
    return _memref_of(shape, ELEMENTS[element])


def _body(activation, bias, sums, d):
    """The lines that make an element of D of a sum, and the value that they make."""
    trace = []
    value = Value(trace, sums)
    if bias:
        other = Value(trace, "%x")
        value = value + (other if bias == "f32" else other._emit(Value, f"arith.extf %x : {bias} to f32"))
    if activation:
        value = ACTIVATIONS[activation](value)
    if d != "f32":
        value = value._emit(Value, f"arith.truncf {value._name} : f32 to {d}")
    return trace, value._name


def product(a, b, d, bias, *, transpose_a, transpose_b, activation, accumulate, tf32):
    """One tmm.matmul. `a`, `b`, `d` and `bias` (or None) are (shape, element); batches are those of numpy.matmul."""
    operands = [("A", a), ("B", b)] + ([("bias", bias)] if bias else []) + [("D", d)]
    head = ", ".join(f"%{name}: {_memref(*kind)} loc(\"{name}\")" for name, kind in operands)
    flags = "".join(f" {word}" for word, on in (("accumulate", accumulate), ("transpose_a", transpose_a),
                                               ("transpose_b", transpose_b), ("allow_tf32", tf32)) if on)
    region = ""
    if bias or activation:
        trace, value = _body(activation, bias and bias[1], "%acc", d[1])
        extra = f", %x = %bias along n : {_memref(*bias)}" if bias else ""
        lines = "".join(f"      {line}\n" for line in trace)
        region = f" epilogue(%acc{extra}) {{\n{lines}      tmm.yield {value} : {d[1]}\n    }}"
    return (f"func.func @matmul({head}) {{\n"
            f"    tmm.matmul{flags} ins(%A, %B : {_memref(*a)}, {_memref(*b)}) outs(%D : {_memref(*d)}){region}\n"
            "    return\n}\n")


def _maps(rank, a, b, d, transpose_a, transpose_b):
    """Indexing maps of a product with the dimensions batch, m, n, k: ranks of `a` and `b` are those of `d`, or 2."""
    names = [f"d{i}" for i in range(rank + 1)]
    m, n, k = names[-3:]

    def one(shape, last):
        batch = [name if size > 1 else "0" for name, size in zip(names[rank - len(shape):], shape[:-2])]
        return f"affine_map<({', '.join(names)}) -> ({', '.join([*batch, *last])})>"

    return [one(a[0], (k, m) if transpose_a else (m, k)), one(b[0], (n, k) if transpose_b else (k, n)), one(d[0], (m, n))]


def parts_product(a, b, d, bias, *, transpose_a, transpose_b, activation, accumulate):
    """The same of f32 in linalg, which is multiplied as `f32=` of tc.compile says."""
    rank = len(d[0])
    maps = _maps(rank, a, b, d, transpose_a, transpose_b)
    kinds = ['"parallel"'] * rank
    shaped = _memref if accumulate else _tensor
    sums, names = shaped(d[0], "f32"), [("A", a), ("B", b)] + ([("bias", bias)] if bias else [])
    head = ", ".join(f"%{name}: {shaped(*kind)} loc(\"{name}\")" for name, kind in names)
    generic = (f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(kinds)}, \"reduction\"]}} "
               f"ins(%A, %B : {shaped(*a)}, {shaped(*b)}) outs(%{'D' if accumulate else 'first'} : {sums}) {{\n"
               "    ^bb0(%p: f32, %q: f32, %s: f32):\n      %r = arith.mulf %p, %q : f32\n"
               "      %t = arith.addf %s, %r : f32\n      linalg.yield %t : f32\n    }")
    if accumulate:
        return f"func.func @matmul({head}, %D: {sums} loc(\"D\")) {{\n    {generic}\n    return\n}}\n"
    text = (f"func.func @matmul({head}) -> {_tensor(*d)} {{\n    %zero = arith.constant 0.0 : f32\n"
            f"    %none = tensor.empty() : {sums}\n    %first = linalg.fill ins(%zero : f32) outs(%none : {sums}) -> {sums}\n"
            f"    %sums = {generic} -> {sums}\n")
    if not bias and not activation and d[1] == "f32":
        return text + f"    return %sums : {sums}\n}}\n"
    dims = [f"d{i}" for i in range(rank)]
    whole = f"affine_map<({', '.join(dims)}) -> ({', '.join(dims)})>"
    places = [name if size > 1 else "0" for name, size in zip(dims[rank - len(bias[0]) - 1:], bias[0][:-1])] if bias else []
    row = f"affine_map<({', '.join(dims)}) -> ({', '.join([*places, dims[-1]])})>"
    trace, value = _body(activation, bias and bias[1], "%s", d[1])
    lines = "".join(f"      {line}\n" for line in trace)
    inputs = f"%sums, %bias : {sums}, {_tensor(*bias)}" if bias else f"%sums : {sums}"
    head = f"%s: f32, %x: {bias[1]}" if bias else "%s: f32"
    return (f"{text}    %empty = tensor.empty() : {_tensor(*d)}\n"
            f"    %d = linalg.generic {{indexing_maps = [{', '.join([whole] + [row] * bool(bias) + [whole])}], "
            f"iterator_types = [{', '.join(kinds)}]}} ins({inputs}) outs(%empty : {_tensor(*d)}) {{\n"
            f"    ^bb0({head}, %o: {d[1]}):\n{lines}      linalg.yield {value} : {d[1]}\n    }} -> {_tensor(*d)}\n"
            f"    return %d : {_tensor(*d)}\n}}\n")


def attention(q, k, v, o, *, scale, diagonal, window, bias=None):
    """One tmm.attention of (shape, element)."""
    operands = [("q", q), ("k", k), ("v", v), *([("bias", bias)] if bias else []), ("o", o)]
    head = ", ".join(f"%{name}: {_memref(*kind)} loc(\"{name}\")" for name, kind in operands)
    words = f"scale({_constant(scale)})"
    if diagonal is not None:
        words += f" diagonal({diagonal})"
    if window is not None:
        words += f" window({window})"
    if bias:
        words += f" bias(%bias : {_memref(*bias)})"
    return (
        f"func.func @attention({head}) {{\n"
        f"    tmm.attention %q, %k, %v {words} outs(%o : {_memref(*o)}) : {', '.join(_memref(*one) for one in (q, k, v))}\n"
        "    return\n}\n")
