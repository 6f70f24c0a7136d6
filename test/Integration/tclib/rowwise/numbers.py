"""What operations on rows compute, in float64, and how far a right kernel may be from it."""
import numpy as np

from ..drawn import numbers as formats

# Of a type: what an operation with it as a result may lose, relative and absolute (two roundings, so that it may be
# computed in f32 first), and its largest value.
LOSS = {"f64": (2.0**-51, 2.0**-1020, 1e300), "f32": (2.0**-23, 2.0**-126, formats.FLOATS["f32"][2]),
        "f16": (2.0**-11 + 2.0**-22, 2.0**-25 + 2.0**-126, 65504.0),
        "bf16": (2.0**-8 + 2.0**-22, 2.0**-126, formats.FLOATS["bf16"][2])}
BITS = {"i1": 1, "i8": 8, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "index": 64}
INF = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}
PACKED = {"i1": "u1", "i8": "i1", "i32": "<i4", "i64": "<i8", "f16": "<f2", "f32": "<f4", "f64": "<f8"}


def is_float(element):
    return element in LOSS


class Number:
    """Values `v` and how far right ones may be from them, `e`: infinite where nothing is known. Of an i1 e is 1 where it
    may be the other one. Arrays have a dimension for each of the rows and the columns, of size 1 where all are the same."""

    def __init__(self, v, e=0.0):
        self.v = np.asarray(v)
        self.e = np.broadcast_to(np.asarray(e, np.float64), self.v.shape)


def is_exact(v, element):
    if element == "f64":
        return (np.rint(v) == v) & (np.abs(v) < 2.0**50)
    return formats.rounded(v, element) == v


def finish(v, e, element, *operands, lost=False, loses=True):
    """The result of an operation on `operands`, rounded to `element`."""
    for operand in operands:
        lost = lost | ~(operand.e < np.inf)
    relative, absolute, largest = LOSS[element]
    if loses:
        e = np.where((e == 0) & is_exact(v, element), 0, e + relative * (np.abs(v) + e) + absolute)
    lost = lost | (np.isfinite(v) & ~(np.abs(v) + e <= largest))
    return Number(v, np.where(lost, np.inf, np.where(np.isfinite(v), e, 0)))


def wrap(v, element):
    if element == "i1":
        return v & 1
    return v.astype({"i8": np.int8, "i32": np.int32}.get(element, np.int64)).astype(np.int64)


def add(x, y, element):
    return finish(x.v + y.v, x.e + y.e, element, x, y)


def subtract(x, y, element):
    return finish(x.v - y.v, x.e + y.e, element, x, y)


def multiply(x, y, element):
    vague = np.isinf(x.v) & (np.abs(y.v) <= y.e) & (y.e > 0) | np.isinf(y.v) & (np.abs(x.v) <= x.e) & (x.e > 0)
    return finish(x.v * y.v, np.abs(x.v) * y.e + np.abs(y.v) * x.e + x.e * y.e, element, x, y, lost=vague)


def divide(x, y, element):
    """2 ulp (tc-expand-math)."""
    least = np.abs(y.v) - y.e
    v = x.v / y.v
    e = (x.e + np.abs(v) * y.e) / least + np.abs(v) * (2.0**-21 if element != "f64" else 2.0**-50)
    return finish(v, e, element, x, y, lost=~((least > 0) | np.isnan(y.v)))


def function(exact, loss):
    """A function that is monotone near each value, off by `loss` of the magnitudes of argument and value."""

    def apply(x, element):
        v = exact(x.v)
        e = np.maximum(np.abs(exact(x.v + x.e) - v), np.abs(exact(x.v - x.e) - v))
        return finish(v, e + loss(np.abs(x.v) + x.e, np.abs(v) + e), element, x,
                      lost=~(np.isfinite(e) | ~np.isfinite(v)))

    return apply


def choose(pick):
    """The larger or smaller one; with fmax and fmin a number where one is NaN."""
    skips = pick in (np.fmax, np.fmin)

    def apply(x, y, element):
        e = np.maximum(x.e, y.e)
        if skips:
            e = np.where(np.isnan(x.v), np.maximum(y.e, ~(x.e < np.inf)), np.where(np.isnan(y.v), x.e, e))
        v = pick(x.v, y.v)
        return finish(v, e, element, x, y, loses=False)

    return apply


def compare_floats(predicate):
    test = {"gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal, "eq": np.equal,
            "ne": np.not_equal}[predicate[1:]]

    def apply(x, y, _):
        v = test(x.v, y.v)
        unordered = np.isnan(x.v) | np.isnan(y.v)
        v = np.where(unordered, predicate[0] == "u", v)
        near = (np.abs(x.v - y.v) <= x.e + y.e) & (x.e + y.e > 0)
        return Number(v.astype(np.int64), near | ~(x.e + y.e < np.inf))

    return apply


def select(c, x, y, element):
    v, e = np.where(c.v != 0, x.v, y.v), np.where(c.v != 0, x.e, y.e)
    if not is_float(element):
        return Number(v, e)
    other = np.where((x.v == y.v) | np.isnan(x.v) & np.isnan(y.v), 0, np.abs(x.v - y.v)) + x.e + y.e
    e = np.where(c.e > 0, other, e)
    return Number(v, np.where(np.isnan(e), np.inf, e))


def integers(compute):
    return lambda x, y, element: Number(wrap(compute(x.v, y.v), element))


def exponential(x):
    return np.exp(np.minimum(x, 700))


INT_COMPARE = {"slt": np.less, "sle": np.less_equal, "sgt": np.greater, "eq": np.equal, "ne": np.not_equal}
FUNCTIONS = {
    "arith.addf": add, "arith.subf": subtract, "arith.mulf": multiply, "arith.divf": divide,
    "arith.maximumf": choose(np.maximum), "arith.minimumf": choose(np.minimum),
    "arith.maxnumf": choose(np.fmax), "arith.minnumf": choose(np.fmin),
    "arith.negf": lambda x, t: Number(-x.v, x.e), "math.absf": lambda x, t: Number(np.abs(x.v), x.e),
    # What tc-expand-math states.
    "math.exp": function(exponential, lambda x, v: v * (2.0**-22 + 2.0**-23 * np.where(np.isfinite(x), x, 0))),
    "math.sqrt": function(lambda x: np.sqrt(np.maximum(x, 0)), lambda x, v: v * 2.0**-23),
    "math.rsqrt": function(lambda x: 1 / np.sqrt(np.maximum(x, 0)), lambda x, v: v * 2.0**-22),
    "math.tanh": function(np.tanh, lambda x, v: 2.0**-21),
    "arith.extf": lambda x, t: x, "arith.truncf": lambda x, t: finish(x.v, x.e, t, x),
    "arith.sitofp": lambda x, t: finish(x.v.astype(np.float64), 0.0, t), "arith.fptosi": lambda x, t: Number(
        wrap(np.trunc(x.v).astype(np.int64), t)),
    "arith.extsi": lambda x, t: x, "arith.extui": lambda x, t: x, "arith.trunci": lambda x, t: Number(wrap(x.v, t)),
    "arith.index_cast": lambda x, t: x,
    "arith.addi": integers(np.add), "arith.subi": integers(np.subtract), "arith.muli": integers(np.multiply),
    "arith.andi": integers(np.bitwise_and), "arith.ori": integers(np.bitwise_or), "arith.xori": integers(np.bitwise_xor),
    "arith.maxsi": integers(np.maximum), "arith.minsi": integers(np.minimum), "arith.select": select,
}
for name_ in ("ogt", "oge", "olt", "ole", "oeq", "ugt", "une"):
    FUNCTIONS["arith.cmpf " + name_ + ","] = compare_floats(name_)
for name_, test_ in INT_COMPARE.items():
    FUNCTIONS["arith.cmpi " + name_ + ","] = lambda x, y, _, test=test_: Number(test(x.v, y.v).astype(np.int64))
NAMED = {"arith.addf": "add", "arith.subf": "sub", "arith.mulf": "mul", "math.exp": "exp", "math.sqrt": "sqrt"}
# Kinds: what combines, and what changes nothing.
NEUTRAL = {"arith.addf": 0.0, "arith.mulf": 1.0, "arith.maximumf": -np.inf, "arith.maxnumf": -np.inf,
           "arith.minimumf": np.inf, "arith.minnumf": np.inf, "arith.addi": 0, "arith.andi": -1,
           "arith.ori": 0, "arith.xori": 0}


def reduce_row(kind, x, columns, element, in_f32):
    """Along the last dimension; tmm.rows computes it in f32 where `element` is shorter."""
    wide = "f32" if in_f32 and element != "f64" else element
    shape = (*x.v.shape[:-1], columns)
    v, e = np.broadcast_to(x.v, shape), np.broadcast_to(x.e, shape)
    if not is_float(element):
        compute = {"arith.addi": np.add, "arith.maxsi": np.maximum, "arith.andi": np.bitwise_and,
                   "arith.ori": np.bitwise_or, "arith.xori": np.bitwise_xor, "arith.minsi": np.minimum}[kind]
        start = {"arith.maxsi": -2**(BITS[element] - 1), "arith.minsi": 2**(BITS[element] - 1) - 1}.get(kind)
        start = NEUTRAL[kind] if start is None else start
        return Number(wrap(compute.reduce(v, axis=-1, keepdims=True, initial=start), element))
    lost = (~(e < np.inf)).any(-1, keepdims=True)
    if kind == "arith.addf":
        total = v.sum(-1, keepdims=True)
        size = np.where(np.isfinite(v), np.abs(v) + e, 0).sum(-1, keepdims=True)
        whole = ((e == 0) & (np.rint(v) == v)).all(-1, keepdims=True) & (size < 1 / LOSS[wide][0])
        lost = lost | (size > LOSS[wide][2])
        e = np.where(whole, 0, e.sum(-1, keepdims=True) + columns * LOSS[wide][0] * size)
        return finish(total, e, element, lost=lost)
    if kind == "arith.mulf":
        size = np.abs(v) + e
        vague = np.isinf(v).any(-1, keepdims=True) & ((np.abs(v) <= e) & (e > 0)).any(-1, keepdims=True)
        total = v.prod(-1, keepdims=True)
        e = size.prod(-1, keepdims=True) * (1 + LOSS[wide][0])**columns - np.abs(total) + columns * LOSS[wide][1]
        most = np.maximum(np.where(np.isfinite(v), size, 1), 1).prod(-1, keepdims=True)
        return finish(total, np.maximum(e, 0), element, lost=lost | vague | (most > LOSS[wide][2]))
    pick = {"arith.maximumf": np.maximum, "arith.maxnumf": np.fmax, "arith.minimumf": np.minimum,
            "arith.minnumf": np.fmin}[kind]
    skips = kind in ("arith.maxnumf", "arith.minnumf")
    e = np.where(np.isfinite(v), e, 0).max(-1, keepdims=True, initial=0)
    total = pick.reduce(v, axis=-1, keepdims=True, initial=np.nan if skips else NEUTRAL[kind])
    return finish(total, e, element, lost=lost, loses=False)


def literal(value, element):
    if is_float(element) and np.isinf(value):
        return INF[element] if value < 0 else INF[element].replace("0xF", "0x7", 1)
    if element == "i1":
        return "true" if value else "false"
    return f"{float(value):.6e}" if is_float(element) else str(int(value))
