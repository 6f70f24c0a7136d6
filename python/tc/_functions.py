"""Functions of an epilogue, and which functions of numpy and torch stand for them."""
from __future__ import annotations

import inspect
import operator
from typing import Union

from ._errors import InputError
from ._trace import Condition, Number, Value, as_number, no_number

Argument = Union[Value, Number]


def _value(function: str, x) -> Value:
    if not isinstance(x, Value):
        raise InputError(f"{function}: expected a value of the epilogue, got {type(x).__name__}")
    return x


def _of_two(function: str, op: str, x, y) -> Value:
    return x._binary(op, y) if isinstance(x, Value) else _value(function, y)._binary(op, x, True)


def maximum(x: Argument, y: Argument) -> Value:
    """The larger one of two, at least one of them a value of the epilogue; NaN where one is."""
    return _of_two("maximum", "maximumf", x, y)


def minimum(x: Argument, y: Argument) -> Value:
    """The smaller one of two, at least one of them a value of the epilogue; NaN where one is."""
    return _of_two("minimum", "minimumf", x, y)


def where(condition: Condition, x: Argument, y: Argument) -> Value:
    """x where the condition holds, else y: `tc.where(acc > 0, acc, 0.1 * acc)`."""
    if not isinstance(condition, Condition):
        raise InputError(f"where: expected a comparison of values of the epilogue, got {type(condition).__name__}")
    x, y = condition._other(x), condition._other(y)
    return condition._emit(Value, f"arith.select {condition._name}, {x._name}, {y._name} : f32")


def clip(x: Value, low: Argument | None = None, high: Argument | None = None) -> Value:
    """At least `low` and at most `high`; None: no bound."""
    x = _value("clip", x)
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def relu(x: Value) -> Value:
    """max(x, 0)."""
    return maximum(_value("relu", x), 0.0)


def abs_(x: Value) -> Value:
    """|x|; Python's abs does the same."""
    return abs(_value("abs_", x))


def exp(x: Value) -> Value:
    """e to the power of x."""
    return _value("exp", x)._unary("math.exp")


def log(x: Value) -> Value:
    """The natural logarithm."""
    return _value("log", x)._unary("math.log")


def sqrt(x: Value) -> Value:
    """The square root; NaN below 0."""
    return _value("sqrt", x)._unary("math.sqrt")


def rsqrt(x: Value) -> Value:
    """1 / sqrt(x), as one instruction approximates it."""
    return _value("rsqrt", x)._unary("math.rsqrt")


def erf(x: Value) -> Value:
    """The error function."""
    return _value("erf", x)._unary("math.erf")


def tanh(x: Value) -> Value:
    """The hyperbolic tangent."""
    return _value("tanh", x).tanh()


def sigmoid(x: Value) -> Value:
    """1 / (1 + exp(-x))."""
    return _value("sigmoid", x).sigmoid()


def silu(x: Value) -> Value:
    """x * sigmoid(x)."""
    return x / (1.0 + exp(-_value("silu", x)))


def gelu(x: Value, approximate: str = "none") -> Value:
    """x / 2 * (1 + erf(x / sqrt 2)), or with approximate="tanh" x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))."""
    x = _value("gelu", x)
    if approximate not in ("none", "tanh"):
        raise InputError(f"approximate: expected none or tanh, got {approximate!r}")
    if approximate == "tanh":
        return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1.0 + erf(x * 0.7071067811865476))


def _scaled(function):
    return lambda x, y, *, alpha=1: function(x, y if alpha == 1 else alpha * y)


def _leaky_relu(x, negative_slope=0.01):
    return where(x > 0, x, negative_slope * x)


def _numpy_clip(x, a_min=None, a_max=None, *, min=None, max=None):
    return clip(x, a_min if min is None else min, a_max if max is None else max)


def _torch_clip(x, min=None, max=None):
    return clip(x, min, max)


def _unary(op):
    return lambda x: _value(op, x)._unary("math." + op)


def _isnan(x):
    return x != x


# Names of numpy and torch alike, then those of one.
_COMMON = {
    "multiply": operator.mul, "divide": operator.truediv, "true_divide": operator.truediv, "negative": operator.neg,
    "positive": operator.pos, "absolute": abs, "square": lambda x: x * x, "reciprocal": lambda x: 1.0 / x,
    "exp": exp, "exp2": _unary("exp2"), "log": log, "log2": _unary("log2"), "sqrt": sqrt, "tanh": tanh, "erf": erf,
    "maximum": maximum, "minimum": minimum, "fmax": lambda x, y: _of_two("fmax", "maxnumf", x, y),
    "fmin": lambda x, y: _of_two("fmin", "minnumf", x, y), "floor": _unary("floor"), "ceil": _unary("ceil"),
    "trunc": _unary("trunc"), "round": round, "where": where, "isnan": _isnan, "greater": operator.gt,
    "greater_equal": operator.ge, "less": operator.lt, "less_equal": operator.le, "not_equal": operator.ne,
    "logical_and": operator.and_, "logical_or": operator.or_, "logical_xor": operator.xor, "logical_not": operator.invert,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "float_power": operator.pow,
}
_NUMPY = {
    **_COMMON, "add": operator.add, "subtract": operator.sub, "equal": operator.eq, "power": operator.pow, "fabs": abs,
    "rint": _unary("roundeven"), "invert": operator.invert, "expit": sigmoid, "clip": _numpy_clip,
}
_TORCH = {
    **_COMMON, "add": _scaled(operator.add), "sub": _scaled(operator.sub), "subtract": _scaled(operator.sub),
    "rsub": lambda x, y: y - x, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg, "abs": abs,
    "pow": operator.pow, "rsqrt": rsqrt, "sigmoid": sigmoid, "relu": relu, "relu6": lambda x: clip(x, 0.0, 6.0), "silu": silu,
    "gelu": gelu, "leaky_relu": _leaky_relu, "clamp": _torch_clip, "clip": _torch_clip, "eq": operator.eq,
    "ne": operator.ne, "gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le,
    "bitwise_not": operator.invert,
}
_TABLES = {"numpy": _NUMPY, "torch": _TORCH}


def _plain(argument):
    """An argument of a function of numpy or torch as one of those above."""
    if argument is None or isinstance(argument, (Value, Condition, str)):
        return argument
    number = as_number(argument)
    if number is None:
        raise no_number(argument)
    return number


def call(library: str, name: str, arguments, options):
    """What a function of numpy or torch gives for values of an epilogue."""
    function = _TABLES[library].get(name.strip("_"))
    if function is None:
        raise TypeError(f"epilogue: expected a function of tc or one of {library} that epilogues compute "
                        f"({', '.join(sorted(_TABLES[library]))}), got {library}.{name}")
    options = {key: value for key, value in options.items() if key != "inplace"}
    for key in ("out", "dtype", "where", "casting"):
        if options.get(key) is not None:
            raise TypeError(f"epilogue: expected no '{key}' for {library}.{name}, as a value of the epilogue has no array")
    options = {key: _plain(value) for key, value in options.items() if key not in ("out", "dtype")}
    arguments = [_plain(one) for one in arguments]
    try:
        inspect.signature(function).bind(*arguments, **options)
    except TypeError as error:
        raise TypeError(f"epilogue: expected arguments of {library}.{name} that epilogues compute, got others: {error}") from None
    return function(*arguments, **options)
