"""Elementwise operations of ATen as lines of an epilogue, which computes in f32 (as Inductor does) and knows f32 and
i1."""
from __future__ import annotations

import math

import torch

from .._trace import _constant

aten, prims = torch.ops.aten, torch.ops.prims
_SQRT2, _SQRT_2_PI = 0.7071067811865476, 0.7978845608028654


class Refused(Exception):
    """What an epilogue cannot compute, with the reason."""


class Lines:
    """The lines of an epilogue. Values are their names; those that are true or false are known by it."""

    def __init__(self):
        self.lines, self.bools = [], set()

    def make(self, text: str, is_bool: bool = False) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        if is_bool:
            self.bools.add(name)
        return name

    def number(self, value) -> str:
        """A value, or a constant."""
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            return self.make(f"arith.constant {str(value).lower()}", True)
        if not isinstance(value, (int, float)):
            raise Refused(f"a scalar that only the run knows ({type(value).__name__})")
        return self.make(f"arith.constant {_constant(value)} : f32")

    def number_f32(self, value) -> str:
        value = self.number(value)
        if value not in self.bools:
            return value
        one, zero = self.number(1.0), self.number(0.0)
        return self.make(f"arith.select {value}, {one}, {zero} : f32")

    def binary(self, op: str, a, b) -> str:
        return self.make(f"{op} {self.number_f32(a)}, {self.number_f32(b)} : f32")

    def unary(self, op: str, a) -> str:
        return self.make(f"{op} {self.number_f32(a)} : f32")

    def compare(self, predicate: str, a, b) -> str:
        return self.make(f"arith.cmpf {predicate}, {self.number_f32(a)}, {self.number_f32(b)} : f32", True)

    def select(self, condition, a, b) -> str:
        if condition not in self.bools:
            raise Refused("a condition that is no comparison")
        return self.make(f"arith.select {condition}, {self.number_f32(a)}, {self.number_f32(b)} : f32")

    # What several operations share.

    def add(self, a, b, alpha=1) -> str:
        return self.binary("arith.addf", a, b if alpha == 1 else self.mul(b, alpha))

    def mul(self, a, b) -> str:
        return self.binary("arith.mulf", a, b)

    def sigmoid(self, x) -> str:
        return self.binary("arith.divf", 1.0, self.add(1.0, self.unary("math.exp", self.unary("arith.negf", x))))

    def gelu(self, x, approximate="none") -> str:
        if approximate == "tanh":
            cubed = self.mul(self.mul(x, x), x)
            inner = self.unary("math.tanh", self.mul(_SQRT_2_PI, self.add(x, self.mul(0.044715, cubed))))
        else:
            inner = self.unary("math.erf", self.mul(x, _SQRT2))
        return self.mul(self.mul(0.5, x), self.add(1.0, inner))

    def power(self, x, exponent) -> str:
        if not isinstance(exponent, (int, float)):
            raise Refused("a power that is no constant")
        if exponent in (1, 2, 3, 4):
            result = x
            for _ in range(int(exponent) - 1):
                result = self.mul(result, x)
            return result
        if exponent in (0.5, -0.5):
            return self.unary("math.sqrt" if exponent > 0 else "math.rsqrt", x)
        if exponent == -1:
            return self.binary("arith.divf", 1.0, x)
        raise Refused(f"a power of {exponent}, expected 0.5, -0.5, -1 or 1 to 4")

    def clamp(self, x, low=None, high=None) -> str:
        if low is not None:
            x = self.binary("arith.maximumf", x, low)
        return x if high is None else self.binary("arith.minimumf", x, high)


def _binary(op):
    return lambda lines, a, b: lines.binary(op, a, b)


def _unary(op):
    return lambda lines, a: lines.unary(op, a)


def _compare(predicate):
    return lambda lines, a, b: lines.compare(predicate, a, b)


def _subtract(lines, a, b, alpha=1):
    return lines.binary("arith.subf", a, b if alpha == 1 else lines.mul(b, alpha))


def _divide(lines, a, b, rounding_mode=None):
    if rounding_mode is not None:
        raise Refused(f"a division with rounding_mode={rounding_mode}")
    return lines.binary("arith.divf", a, b)


def _leaky(lines, x, slope=0.01):
    return lines.select(lines.compare("ogt", x, 0.0), x, lines.mul(x, slope))


def _hardtanh(lines, x, low=-1.0, high=1.0):
    return lines.clamp(x, low, high)


def _softplus(lines, x, beta=1.0, threshold=20.0):
    scaled = lines.mul(x, beta)
    soft = lines.binary("arith.divf", lines.unary("math.log", lines.add(1.0, lines.unary("math.exp", scaled))), beta)
    return lines.select(lines.compare("ogt", scaled, threshold), x, soft)


def _logic(op):

    def make(lines, a, b):
        if a not in lines.bools or b not in lines.bools:
            raise Refused("a logical operation on numbers")
        return lines.make(f"{op} {a}, {b} : i1", True)

    return make


def _invert(lines, a):
    return _logic("arith.xori")(lines, a, lines.number(True))


# Operation -> (the lines, values and constants in the order of its arguments).
TABLE = {
    aten.add: Lines.add,
    aten.sub: _subtract,
    aten.mul: Lines.mul,
    aten.div: _divide,
    aten.rsub: lambda lines, a, b, alpha=1: _subtract(lines, b, a, alpha),
    aten.neg: _unary("arith.negf"),
    aten.abs: _unary("math.absf"),
    aten.exp: _unary("math.exp"),
    aten.exp2: _unary("math.exp2"),
    aten.log: _unary("math.log"),
    aten.log2: _unary("math.log2"),
    aten.sqrt: _unary("math.sqrt"),
    aten.rsqrt: _unary("math.rsqrt"),
    aten.tanh: _unary("math.tanh"),
    aten.erf: _unary("math.erf"),
    aten.floor: _unary("math.floor"),
    aten.ceil: _unary("math.ceil"),
    aten.trunc: _unary("math.trunc"),
    aten.reciprocal: lambda lines, x: lines.binary("arith.divf", 1.0, x),
    aten.relu: lambda lines, x: lines.clamp(x, 0.0),
    aten.sigmoid: Lines.sigmoid,
    aten.gelu: Lines.gelu,
    aten.silu: lambda lines, x: lines.mul(x, lines.sigmoid(x)),
    aten.pow: Lines.power,
    aten.clamp: Lines.clamp,
    aten.clamp_min: Lines.clamp,
    aten.clamp_max: lambda lines, x, high: lines.clamp(x, None, high),
    aten.maximum: _binary("arith.maximumf"),
    aten.minimum: _binary("arith.minimumf"),
    aten.hardtanh: _hardtanh,
    aten.leaky_relu: _leaky,
    aten.softplus: _softplus,
    aten.gt: _compare("ogt"),
    aten.ge: _compare("oge"),
    aten.lt: _compare("olt"),
    aten.le: _compare("ole"),
    aten.eq: _compare("oeq"),
    aten.ne: _compare("une"),
    aten.where: Lines.select,
    aten.logical_and: _logic("arith.andi"),
    aten.bitwise_and: _logic("arith.andi"),
    aten.logical_or: _logic("arith.ori"),
    aten.bitwise_or: _logic("arith.ori"),
    aten.logical_not: _invert,
    aten.bitwise_not: _invert,
}
CONVERSIONS = (prims.convert_element_type.default, aten._to_copy.default)
FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def lines_of(node, values, lines: Lines) -> str:
    """Adds what `node` computes; `values` has the names of its inputs. Raises Refused."""
    packet = getattr(node.target, "overloadpacket", None)
    dtype = node.meta["val"].dtype
    if node.target in CONVERSIONS:
        kept = {"dtype"} if packet is aten._to_copy else set()
        if dtype not in FLOATS or set(node.kwargs) - kept:
            raise Refused(f"a conversion to {str(dtype).rpartition('.')[2]}")
        return lines.number_f32(values[node.args[0]])
    if packet not in TABLE:
        raise Refused(f"{node.target}, which epilogues lack")
    if dtype not in (*FLOATS, torch.bool):
        raise Refused(f"{node.target} of {str(dtype).rpartition('.')[2]}")

    def value(argument):
        if isinstance(argument, torch.fx.Node):
            return values[argument]
        if isinstance(argument, float) and not math.isfinite(argument) or isinstance(
                argument, (bool, int, float, str)) or argument is None:
            return argument
        raise Refused(f"an argument of type {type(argument).__name__}")

    arguments = [value(one) for one in node.args]
    named = {key: value(one) for key, one in node.kwargs.items()}
    try:
        result = TABLE[packet](lines, *arguments, **named)
    except TypeError:
        raise Refused(f"{node.target} with the arguments {', '.join(node.kwargs)}") from None
    if dtype == torch.bool and result not in lines.bools:
        raise Refused(f"{node.target} of bool")  # whose sum is not that of 0 and 1
    return result
