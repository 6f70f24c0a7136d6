"""Chains of elementwise operations: one linalg.generic for all, one for each, named ones, arith on tensors."""
import itertools

import numpy as np

from . import numbers
from .numbers import Number
from .operands import is_dynamic, operand, output
from .program import Dim, spread

erf = np.vectorize(__import__("math").erf, otypes=[np.float64])


class Body:
    """Scalar operations on numbers over the same loops."""

    def __init__(self, p, element):
        self.p, self.element, self.lines, self.names = p, element, [], itertools.count()

    def op(self, text, number):
        name = f"%y{next(self.names)}"
        self.lines.append(f"{name} = {text} : {self.element}")
        return name, number

    def constant(self, value):
        return self.p.constant(value, self.element), Number(np.array(float(value)))


def _two(text, function):

    def apply(body, x, y):
        pair = [x, y] if body.p.chance(0.7) else [y, x]
        if text in ("arith.subf", "arith.subi"):
            pair = [x, y]
        return body.op(f"{text} {pair[0][0]}, {pair[1][0]}", function(pair[0][1], pair[1][1], body.element))

    return apply


def _relu(body, x, y):
    zero = body.constant(0)
    return body.op(f"arith.maximumf {x[0]}, {zero[0]}", numbers.maximum(x[1], zero[1]))


def _neg(body, x, y):
    return body.op(f"arith.negf {x[0]}", Number(-x[1].v, x[1].e))


def _abs(body, x, y):
    return body.op(f"math.absf {x[0]}", Number(np.abs(x[1].v), x[1].e))


def _affine(body, x, y):
    """x * c + d with small constants."""
    c, d = body.constant(body.p.pick([2, -1, 0.5] if not body.p.whole else [2, -1, -2])), body.constant(body.p.pick([1, -3, 2]))
    x = body.op(f"arith.mulf {x[0]}, {c[0]}", numbers.multiply(x[1], c[1], body.element))
    return body.op(f"arith.addf {d[0]}, {x[0]}", numbers.add(d[1], x[1], body.element))


def _clamp(body, x, y):
    low, high = body.constant(-8), body.constant(12)
    x = body.op(f"arith.maximumf {x[0]}, {low[0]}", numbers.maximum(x[1], low[1]))
    return body.op(f"arith.minimumf {x[0]}, {high[0]}", numbers.minimum(x[1], high[1]))


def _select(body, x, y):
    name = f"%y{next(body.names)}"
    body.lines.append(f"{name} = arith.cmpf ogt, {x[0]}, {y[0]} : {body.element}")
    both = np.broadcast_arrays(x[1].v, x[1].e, y[1].v, y[1].e)
    left, right = Number(*both[:2]), Number(*both[2:])
    double = body.op(f"arith.addf {x[0]}, {y[0]}", numbers.add(left, right, body.element))
    return body.op(f"arith.select {name}, {double[0]}, {y[0]}", numbers.select_greater(left, right, double[1], right))


def _function(name, function, low=-6.0, high=6.0):

    def apply(body, x, y):
        if (x[1].v - x[1].e).min(initial=low) < low or (x[1].v + x[1].e).max(initial=high) > high:
            x = _clamped(body, x, low, high)
        return body.op(f"math.{name} {x[0]}", x[1].apply(function).result(body.element))

    return apply


def _clamped(body, x, low, high):
    lowest, highest = body.constant(low), body.constant(high)
    x = body.op(f"arith.maximumf {x[0]}, {lowest[0]}", numbers.maximum(x[1], lowest[1]))
    return body.op(f"arith.minimumf {x[0]}, {highest[0]}", numbers.minimum(x[1], highest[1]))


def _divide(body, x, y):
    one = body.constant(1)
    y = _abs(body, y, None)
    y = body.op(f"arith.addf {y[0]}, {one[0]}", numbers.add(y[1], one[1], body.element))
    return body.op(f"arith.divf {x[0]}, {y[0]}", numbers.divide(x[1], y[1], body.element))


def _sigmoid(body, x, y):
    one = body.constant(1)
    x = _clamped(body, x, -6.0, 6.0)
    z = _neg(body, x, None)
    z = body.op(f"math.exp {z[0]}", z[1].apply(np.exp).result(body.element))
    z = body.op(f"arith.addf {one[0]}, {z[0]}", numbers.add(one[1], z[1], body.element))
    return body.op(f"arith.divf {one[0]}, {z[0]}", numbers.divide(one[1], z[1], body.element))


WHOLE = [_two("arith.addf", numbers.add), _two("arith.addf", numbers.add), _two("arith.subf", numbers.subtract),
         _two("arith.mulf", numbers.multiply), _two("arith.maximumf", lambda x, y, t: numbers.maximum(x, y)),
         _two("arith.minimumf", lambda x, y, t: numbers.minimum(x, y)), _relu, _neg, _abs, _affine, _clamp, _select]
SMOOTH = [_function("exp", np.exp, high=4.0), _function("tanh", np.tanh), _function("erf", erf), _divide, _sigmoid,
          _function("sqrt", np.sqrt, 0.25, 100.0), _function("rsqrt", lambda v: 1 / np.sqrt(v), 0.25, 100.0),
          _function("log", np.log, 0.5, 100.0), _function("exp2", np.exp2, high=4.0)]
INTEGER = [_two("arith.addi", numbers.add), _two("arith.subi", numbers.subtract), _two("arith.muli", numbers.multiply),
           _two("arith.maxsi", lambda x, y, t: numbers.maximum(x, y)), _two("arith.minsi", lambda x, y, t: numbers.minimum(x, y))]


def acceptable(number, element):
    largest = {"f16": 1e4, "i32": 2.0**30, "i8": 127}.get(element, 1e6)
    return np.isfinite(number.v).all() and np.isfinite(number.e).all() and number.largest < largest and number.vague < 0.05


def choices(p, element):
    if not numbers.is_float(element):
        return INTEGER
    return WHOLE if p.whole or element != "f32" else WHOLE + SMOOTH


def other(p, value, loops):
    """A second operand of a chain, over some of the loops, and these."""
    kept = "".join(x for x in loops if p.chance(0.6))
    if p.chance(0.2):
        kept = "".join(p.rng.permutation(list(kept)))
    if not kept:
        kept = loops[-1:]
    return operand(p, [value.dims[loops.index(x)] for x in kept], value.element), kept


def chain(p, value, length, into=None):
    """`length` operations in one linalg.generic on `value` and on operands that are broadcast."""
    loops = "abcdefgh"[:len(value.dims)]
    body, inputs = Body(p, value.element), [(value, loops)]
    current = ("%in0", value.number)
    known = [current]
    applied = 0
    for _ in range(4 * length):
        if applied == length:
            break
        if p.chance(0.25) and len(inputs) < 5:
            more, dims = other(p, value, loops)
            known.append((f"%in{len(inputs)}", spread(more.number, dims, loops)))
            inputs.append((more, dims))
        if len(known) > 1 and p.chance(0.6):
            y = p.pick(known[1:])
        elif p.chance(0.3):
            y = p.pick(known)
        else:
            y = body.constant(p.pick([1, 2, -1, 3]))
        mark = len(body.lines)
        found = p.pick(choices(p, value.element))(body, current, y)
        if not acceptable(found[1], value.element):
            del body.lines[mark:]
            continue
        current, applied = found, applied + 1
        known.append(current)
    element = value.element
    number = Number(np.broadcast_to(current[1].v, value.shape), np.broadcast_to(current[1].e, value.shape))
    if element == "f32" and p.chance(0.3) and number.largest < 6e4:
        element = p.pick(["bf16", "f16"])
        current = "%narrow", number
        body.lines.append(f"%narrow = arith.truncf {(body.lines and last(body)) or '%in0'} : f32 to {element}")
        number = number.round(element)
    if not body.lines:
        return value
    if into is None or into.element != element:
        into = output(p, value.dims, element)
    if not p.memrefs and value.element == element and p.chance(0.2):
        into = value  # as front ends write what is in place
    return p.generic(loops, inputs, into, loops, body.lines, current[0], number)


def last(body):
    return body.lines[-1].split(" = ")[0]


NAMED = {"add": (2, numbers.add), "sub": (2, numbers.subtract), "mul": (2, numbers.multiply),
         "max": (2, lambda x, y, t: numbers.maximum(x, y)), "min": (2, lambda x, y, t: numbers.minimum(x, y)),
         "negf": (1, lambda x, t: Number(-x.v, x.e)), "abs": (1, lambda x, t: Number(np.abs(x.v), x.e)),
         "exp": (1, lambda x, t: x.apply(np.exp).result(t)), "tanh": (1, lambda x, t: x.apply(np.tanh).result(t))}


def named(p, value):
    """A named elementwise operation of linalg, or on tensors of arith or math."""
    name = p.pick(list(NAMED))
    count, function = NAMED[name]
    if not numbers.is_float(value.element) and count == 1:
        return value
    if name in ("exp", "tanh") and (p.whole or value.element != "f32" or value.number.largest > 4):
        return value
    inputs = [value] if count == 1 else [value, value if p.chance(0.15) else operand(p, value.dims, value.element)]
    number = function(*(v.number for v in inputs), value.element)
    if not acceptable(number, value.element):
        return value
    if not p.memrefs and numbers.is_float(value.element) and p.chance(0.4):
        op = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "max": "arith.maximumf", "min": "arith.minimumf",
              "negf": "arith.negf", "abs": "math.absf", "exp": "math.exp", "tanh": "math.tanh"}[name]
        return p.define(f"{op} {', '.join(v.name for v in inputs)} : RESULT", value.dims, value.element, number)
    into = value if p.memrefs and p.chance(0.4) else output(p, value.dims, value.element)
    return p.write(f"linalg.{name} {p.operands(inputs, into)}", into, number)


def chains(p, value):
    """Up to 12 operations, in one or several linalg.generic, in place or not."""
    left = p.pick([1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12])
    while left > 0:
        length = p.pick([1, left, p.between(1, left)])
        in_place = p.memrefs and p.chance(0.4)
        value = named(p, value) if length == 1 and p.chance(0.4) else chain(p, value, length, value if in_place else None)
        left -= length
    return value


__all__ = ["chains", "is_dynamic", "Dim"]
