"""Modules from shapes and types: tc.matmul."""
from __future__ import annotations

import numbers
import operator
import re
import struct
from collections import namedtuple

from ._compile import Compiled, compile
from ._errors import InputError

# Name -> MLIR type.
ELEMENTS = {
    "f32": "f32", "f16": "f16", "bf16": "bf16", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e3m2": "f6E3M2FN",
    "e2m3": "f6E2M3FN", "e2m1": "f4E2M1FN", "i8": "i8", "u8": "ui8", "i32": "i32",
}
# Block-scaled formats: name -> (elements, factors, elements of K that share a factor).
SCALED = {
    "mxfp8": ("e4m3", "f8E8M0FNU", 32), "mxfp8_e4m3": ("e4m3", "f8E8M0FNU", 32), "mxfp8_e5m2": ("e5m2", "f8E8M0FNU", 32),
    "mxfp4": ("e2m1", "f8E8M0FNU", 32), "nvfp4": ("e2m1", "f8E4M3FN", 16),
}
# Names of operands and sizes of every kernel description.
_TAKEN = ("A", "B", "C", "D", "SFA", "SFB", "SFD", "M", "N", "K", "acc", "inf", "nan")
_QUANTISED = ("e4m3", "e5m2")


class Operand(namedtuple("Operand", "along element")):
    """What an epilogue reads beside the accumulator: `tc.vector`, `tc.matrix`, `tc.scalar`."""

    __slots__ = ()


def vector(along: str = "n", element: str = "f32") -> Operand:
    """A vector of M (`along="m"`) or N elements."""
    if along not in ("m", "n"):
        raise ValueError(f"along: expected m or n, got '{along}'")
    return Operand(along, _float(element))


def matrix(element: str = "f32") -> Operand:
    """An M x N matrix."""
    return Operand("matrix", _float(element))


def scalar() -> Operand:
    """An f32."""
    return Operand("scalar", "f32")


def _float(element: str) -> str:
    if element not in ("f32", "f16", "bf16"):
        raise ValueError(f"expected f32, f16 or bf16, got '{element}'")
    return element


def _constant(number) -> str:
    """A number as MLIR writes an f32."""
    try:
        value = float(number)
        bits, = struct.unpack("<I", struct.pack("<f", value))
    except OverflowError:
        raise InputError("epilogue: expected numbers that f32 can hold, got one that is larger") from None
    # MLIR takes no exponent without a point.
    return repr(value) if re.fullmatch(r"-?\d+\.\d+(e[+-]?\d+)?", repr(value)) else f"0x{bits:08X}"


class Value:
    """An f32 of an epilogue while it is traced."""

    __array_ufunc__ = None  # numpy's scalars leave their operators to this class

    def __init__(self, trace: list[str], name: str):
        self.trace, self.name = trace, name

    def _make(self, text: str) -> "Value":
        name = f"%v{len(self.trace)}"
        self.trace.append(f"{name} = {text}")
        return Value(self.trace, name)

    def _other(self, other) -> "Value":
        if isinstance(other, Value):
            if other.trace is not self.trace:
                raise TypeError("expected values of one epilogue, got one of another")
            return other
        if not isinstance(other, numbers.Real):
            raise TypeError(f"expected a value of the epilogue or a number, got {type(other).__name__}")
        return self._make(f"arith.constant {_constant(other)} : f32")

    def _binary(self, op: str, other, swapped: bool = False) -> "Value":
        other = self._other(other)
        first, second = (other, self) if swapped else (self, other)
        return self._make(f"arith.{op} {first.name}, {second.name} : f32")

    def _unary(self, op: str) -> "Value":
        return self._make(f"{op} {self.name} : f32")

    def __add__(self, other): return self._binary("addf", other)
    def __radd__(self, other): return self._binary("addf", other, True)
    def __sub__(self, other): return self._binary("subf", other)
    def __rsub__(self, other): return self._binary("subf", other, True)
    def __mul__(self, other): return self._binary("mulf", other)
    def __rmul__(self, other): return self._binary("mulf", other, True)
    def __truediv__(self, other): return self._binary("divf", other)
    def __rtruediv__(self, other): return self._binary("divf", other, True)
    def __neg__(self): return self._unary("arith.negf")

    def __bool__(self):
        raise TypeError("an epilogue cannot branch on a value: use tc.maximum and tc.minimum")


def _value(function: str, x) -> Value:
    if not isinstance(x, Value):
        raise InputError(f"{function}: expected a value of the epilogue, got {type(x).__name__}")
    return x


def maximum(x, y) -> Value:
    return x._binary("maximumf", y) if isinstance(x, Value) else _value("maximum", y)._binary("maximumf", x, True)


def minimum(x, y) -> Value:
    return x._binary("minimumf", y) if isinstance(x, Value) else _value("minimum", y)._binary("minimumf", x, True)


def relu(x: Value) -> Value:
    return maximum(_value("relu", x), 0.0)


def abs_(x: Value) -> Value:
    return _value("abs_", x)._unary("math.absf")


def exp(x: Value) -> Value:
    return _value("exp", x)._unary("math.exp")


def tanh(x: Value) -> Value:
    return _value("tanh", x)._unary("math.tanh")


def sigmoid(x: Value) -> Value:
    return 1.0 / (1.0 + exp(-_value("sigmoid", x)))


def silu(x: Value) -> Value:
    return x / (1.0 + exp(-_value("silu", x)))


def gelu(x: Value) -> Value:
    """x / 2 * (1 + erf(x / sqrt 2))."""
    return 0.5 * _value("gelu", x) * (1.0 + (x * 0.7071067811865476)._unary("math.erf"))


def _element(name: str, what: str) -> str:
    if name not in ELEMENTS:
        raise ValueError(f"{what}: expected one of {', '.join(ELEMENTS)}, got '{name}'")
    return ELEMENTS[name]


def _operand_type(name: str, what: str):
    """(MLIR type, its scale factors or None, elements that share one)."""
    if name in SCALED:
        element, factor, block = SCALED[name]
        return ELEMENTS[element], factor, block
    if name not in ELEMENTS or name == "i32":
        known = [one for one in ELEMENTS if one != "i32"] + list(SCALED)
        raise ValueError(f"{what}: expected one of {', '.join(known)}, got '{name}'")
    return ELEMENTS[name], None, 0


def _memref(shape, element: str) -> str:
    return "memref<" + "".join(f"{'?' if size is None else size}x" for size in shape) + element + ">"


def _size(value, what: str):
    if value is None:
        return None
    try:
        size = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        size = -1
    if size < 0:
        raise ValueError(f"{what}: expected a size or None (known at run time), got {value!r}")
    return size


def _scale_shape(rows, k, block: int):
    return (None if rows is None else -(-rows // 128), None if k is None else -(-k // (4 * block)), 32, 4, 4)


def _epilogue(function, operands, d_element, shape, sum_kind):
    """(arguments of the function, text of the region)."""
    import inspect
    if not callable(function):
        raise TypeError(f"epilogue: expected a function, got {type(function).__name__}")
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or any(one.kind not in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters):
        raise TypeError("epilogue: expected a function of the sum and of operands by name, each a plain parameter")
    names = [one.name for one in parameters[1:]]
    if not all(isinstance(one, Operand) for one in operands.values()):
        raise TypeError("operands: expected tc.vector(), tc.matrix() or tc.scalar() for each name")
    if unknown := [name for name in operands if name not in names]:
        raise ValueError(f"operands: '{unknown[0]}' is no parameter of the epilogue, expected one of: {', '.join(names)}")
    if taken := [name for name in names if name in _TAKEN or re.match(r"(arg|temp|const)\d", name) or not name.isascii()]:
        raise ValueError(f"epilogue: expected another name for the parameter '{taken[0]}', which the kernel description has")
    trace: list[str] = []
    arguments, heads, values = [], [], []
    for name in names:
        along, element = operands.get(name, vector())
        extents = {"m": shape[:1], "n": shape[1:], "matrix": shape, "scalar": ()}[along]
        kind = element if along == "scalar" else _memref(extents, element)
        where = f" along {along}" if along in "mn" else ""
        arguments.append((name, kind))
        heads.append(f"%x_{name} = %{name}{where} : {kind}")
        value = Value(trace, f"%x_{name}")
        values.append(value if element == "f32" else value._make(f"arith.extf %x_{name} : {element} to f32"))
    accumulator = Value(trace, "%acc")
    head = "%acc"
    if sum_kind == "i32":
        head = "%acc : i32"
        accumulator = accumulator._make("arith.sitofp %acc : i32 to f32")
    result = function(accumulator, *values)
    if not isinstance(result, Value) or result.trace is not trace:
        raise TypeError(f"epilogue: expected a value of the epilogue, got {type(result).__name__}")
    kind = "f32"
    if d_element not in ("f32", *_QUANTISED):
        kind = ELEMENTS[d_element]
        result = result._make(f"arith.truncf {result.name} : f32 to {kind}")
    body = "".join(f"      {line}\n" for line in trace)
    text = f" epilogue({', '.join([head] + heads)}) {{\n{body}      tmm.yield {result.name} : {kind}\n    }}"
    return arguments, text


def matmul_text(m, n, k, a, b, d, transpose_a, transpose_b, accumulate, epilogue, operands) -> str:
    """The module that `tc.matmul` compiles."""
    m, n, k = _size(m, "m"), _size(n, "n"), _size(k, "k")
    (a_type, a_factor, a_block), (b_type, b_factor, b_block) = _operand_type(a, "a"), _operand_type(b, "b")
    if (a_factor is None) != (b_factor is None):
        raise ValueError(f"expected scale factors of both operands or of none, got a='{a}', b='{b}'")
    d_type = _element(d, "d")
    narrow = any(kind in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN") for kind in (a_type, b_type))
    if transpose_b is None:
        transpose_b = narrow or b_factor is not None
    ab = [("A", _memref((k, m) if transpose_a else (m, k), a_type)), ("B", _memref((n, k) if transpose_b else (k, n), b_type))]
    factors = []
    if a_factor:
        factors = [("SFA", _memref(_scale_shape(m, k, a_block), a_factor)),
                   ("SFB", _memref(_scale_shape(n, k, b_block), b_factor))]
    sum_kind = "i32" if a in ("i8", "u8") else "f32"
    if epilogue and d == "i32":
        raise InputError("d: expected f32, f16, bf16, e4m3 or e5m2 with an epilogue, which computes in f32, got 'i32'")
    if not isinstance(operands, dict):
        raise TypeError(f"operands: expected a dict, got {type(operands).__name__}")
    if operands and not epilogue:
        raise ValueError(f"operands: '{next(iter(operands))}' is no parameter of the epilogue, which is not given")
    extra, region = _epilogue(epilogue, operands, d, (m, n), sum_kind) if epilogue else ([], "")
    out = ("D", _memref((m, n), d_type))
    flags = "".join(f" {word}" for word, on in (("accumulate", accumulate), ("transpose_a", transpose_a),
                                               ("transpose_b", transpose_b), ("allow_tf32", a == "f32")) if on)

    def group(word, values):
        return f" {word}({', '.join('%' + name for name, _ in values)} : {', '.join(kind for _, kind in values)})"

    # The location of an argument is its name in the kernel description.
    head = ", ".join(f"%{name}: {kind} loc(\"{name}\")" if (name, kind) in extra else f"%{name}: {kind}"
                     for name, kind in ab + factors + extra + [out])
    scales = group("scales", factors) if factors else ""
    return (f"func.func @matmul({head}) {{\n"
            f"    tmm.matmul{flags}{group('ins', ab)}{scales}{group('outs', [out])}{region}\n"
            "    return\n}\n")


def matmul(m, n, k, *, a: str = "bf16", b: str | None = None, d: str | None = None, transpose_a: bool = False,
           transpose_b: bool | None = None, accumulate: bool = False, epilogue=None, operands: dict | None = None,
           chip: str = "", config: str | dict = "") -> Compiled:
    """D[m, n] = sum over k of A[m, k] * B[k, n], compiled.

    `m`, `n`, `k` are sizes; None: known at run time. `a` and `b` (default: as `a`) are element types (f32, multiplied
    as tf32; f16, bf16, e4m3, e5m2, e3m2, e2m3, e2m1, i8, u8) or block-scaled formats (mxfp8, mxfp8_e5m2, mxfp4, nvfp4,
    of both or of none), `d` f32 (default), f16, bf16, e4m3, e5m2, or i32 (default of integers). A is M x K, K x M with
    `transpose_a`; B is K x N, N x K with `transpose_b` (default of formats narrower than 8 bits or block-scaled).
    `accumulate` adds the old D.

    `epilogue` is traced once: its first parameter is the sum (as f32, that of integers too), the others are vectors
    along N of f32 unless `operands` says otherwise, by name: `operands={"residual": tc.matrix("bf16"), "alpha":
    tc.scalar()}`. It may use + - * /, numbers and tc's functions. The arguments of the kernel are A, B, their
    scale factors, those operands, D.
    """
    b = b or a
    if d is None:
        d = "i32" if a in ("i8", "u8") and not epilogue else "f32"
    text = matmul_text(m, n, k, a, b, d, transpose_a, transpose_b, accumulate, epilogue,
                       {} if operands is None else operands)
    return compile(text, chip=chip, config=config, name="matmul")
