"""What an epilogue computes: values that write down their operations."""
from __future__ import annotations

import numbers
import re
import struct
from typing import Any, Union

from ._errors import InputError

_EXPONENTS = 2**24  # of powers that are products: above, f32 holds no odd one


def _constant(number) -> str:
    """A number as MLIR writes an f32."""
    try:
        value = float(number)
        bits, = struct.unpack("<I", struct.pack("<f", value))
    except OverflowError:
        raise InputError("epilogue: expected numbers that f32 can hold, got one that is larger") from None
    # MLIR takes no exponent without a point.
    return repr(value) if re.fullmatch(r"-?\d+\.\d+(e[+-]?\d+)?", repr(value)) else f"0x{bits:08X}"


def as_number(value):
    """A number of Python for one of Python or numpy, or for an array or tensor without dimensions; else None."""
    if not isinstance(value, _Traced) and getattr(value, "shape", None) == () and callable(getattr(value, "item", None)):
        value = value.item()
    return value if isinstance(value, numbers.Real) else None


def no_number(value) -> TypeError:
    """What is said of a value that as_number makes none of."""
    shape = getattr(value, "shape", None)
    return TypeError(f"expected a value of the epilogue or a number, got {type(value).__name__}" +
                     (f" of shape {tuple(shape)}; arrays are parameters of the epilogue" if shape else ""))


class _Traced:
    """A value or a condition of an epilogue while it is traced."""

    def __init__(self, trace: list[str], name: str):
        self._trace, self._name = trace, name

    def _emit(self, kind: type, text: str):
        name = f"%v{len(self._trace)}"
        self._trace.append(f"{name} = {text}")
        return kind(self._trace, name)

    def _of_this_trace(self, other):
        if other._trace is not self._trace:
            raise TypeError("expected values of one epilogue, got one of another")
        return other

    def _other(self, other: Any) -> "Value":
        if isinstance(other, Value):
            return self._of_this_trace(other)
        number = as_number(other)
        if number is None:
            raise no_number(other)
        return self._emit(Value, f"arith.constant {_constant(number)} : f32")

    def __bool__(self):
        raise TypeError("an epilogue cannot branch on a value: use tc.where, tc.maximum and tc.minimum")

    def __float__(self):
        raise TypeError("a value of an epilogue is no number yet: use functions of tc, numpy or torch, not those of math")

    __int__ = __float__

    def __getattr__(self, name):
        raise AttributeError("epilogue: expected operators and functions of tc, numpy or torch, got the attribute "
                             f"'{name}' of a value")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        from . import _functions
        if method != "__call__":
            raise TypeError(f"epilogue: expected {ufunc.__name__} of elements, got {ufunc.__name__}.{method}")
        return _functions.call("numpy", ufunc.__name__, inputs, options)

    def __array_function__(self, function, types, arguments, options):
        from . import _functions
        return _functions.call("numpy", function.__name__, arguments, options)

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        from . import _functions
        return _functions.call("torch", function.__name__, arguments, options or {})


class Condition(_Traced):
    """What a comparison of an epilogue gives: for `tc.where`, and for & | ^ ~."""

    def _binary(self, op: str, other):
        if isinstance(other, bool):
            other = self._emit(Condition, f"arith.constant {str(other).lower()}")
        if not isinstance(other, Condition):
            return NotImplemented
        return self._emit(Condition, f"arith.{op} {self._name}, {self._of_this_trace(other)._name} : i1")

    def __and__(self, other): return self._binary("andi", other)
    def __or__(self, other): return self._binary("ori", other)
    def __xor__(self, other): return self._binary("xori", other)
    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    def __invert__(self): return self._binary("xori", True)


Number = Union[int, float]


class Value(_Traced):
    """An f32 of an epilogue: + - * / **, comparisons, abs, and functions of tc, numpy and torch."""

    __hash__ = None  # type: ignore[assignment]  # as == gives a condition

    def _binary(self, op: str, other, swapped: bool = False) -> "Value":
        other = self._other(other)
        first, second = (other, self) if swapped else (self, other)
        return self._emit(Value, f"arith.{op} {first._name}, {second._name} : f32")

    def _unary(self, op: str) -> "Value":
        return self._emit(Value, f"{op} {self._name} : f32")

    def _compare(self, predicate: str, other) -> Condition:
        return self._emit(Condition, f"arith.cmpf {predicate}, {self._name}, {self._other(other)._name} : f32")

    def __add__(self, other: Number | "Value") -> "Value": return self._binary("addf", other)
    def __radd__(self, other: Number) -> "Value": return self._binary("addf", other, True)
    def __sub__(self, other: Number | "Value") -> "Value": return self._binary("subf", other)
    def __rsub__(self, other: Number) -> "Value": return self._binary("subf", other, True)
    def __mul__(self, other: Number | "Value") -> "Value": return self._binary("mulf", other)
    def __rmul__(self, other: Number) -> "Value": return self._binary("mulf", other, True)
    def __truediv__(self, other: Number | "Value") -> "Value": return self._binary("divf", other)
    def __rtruediv__(self, other: Number) -> "Value": return self._binary("divf", other, True)
    def __neg__(self) -> "Value": return self._unary("arith.negf")
    def __pos__(self) -> "Value": return self
    def __abs__(self) -> "Value": return self._unary("math.absf")
    def __floor__(self) -> "Value": return self._unary("math.floor")
    def __ceil__(self) -> "Value": return self._unary("math.ceil")
    def __trunc__(self) -> "Value": return self._unary("math.trunc")
    def __lt__(self, other: Number | "Value") -> Condition: return self._compare("olt", other)
    def __le__(self, other: Number | "Value") -> Condition: return self._compare("ole", other)
    def __gt__(self, other: Number | "Value") -> Condition: return self._compare("ogt", other)
    def __ge__(self, other: Number | "Value") -> Condition: return self._compare("oge", other)
    def __eq__(self, other: Any) -> Condition: return self._compare("oeq", other)  # type: ignore[override]
    def __ne__(self, other: Any) -> Condition: return self._compare("une", other)  # type: ignore[override]

    # torch.nn.functional.tanh and sigmoid call these.
    def tanh(self) -> "Value": return self._unary("math.tanh")
    def sigmoid(self) -> "Value": return 1.0 / (1.0 + (-self)._unary("math.exp"))

    def __round__(self, digits=None) -> "Value":
        if digits:
            raise TypeError(f"round: expected no digits, got {digits!r}")
        return self._unary("math.roundeven")

    def __pow__(self, exponent: Number | "Value") -> "Value":
        """Products for an integer, square roots for a half of one, else exp2(exponent * log2(x)): NaN for x < 0."""
        number, base = as_number(exponent), self
        if number is not None and not abs(number) < float("inf"):
            raise TypeError(f"expected a power that is a value or a finite number, got {number!r}")
        if number is not None and abs(number) > _EXPONENTS:
            base = abs(self)  # as it is even
        if number is not None and abs(2 * number) <= 2 * _EXPONENTS and 2 * number == int(2 * number):
            power = self._integer_power(int(abs(number)))
            if number != int(number):
                root = self._unary("math.sqrt")
                power = root if int(abs(number)) == 0 else power * root
            return power if number >= 0 else 1.0 / power
        return (self._other(exponent) * base._unary("math.log2"))._unary("math.exp2")

    def __rpow__(self, base: Number) -> "Value":
        number = as_number(base)
        if number is None or not 0 < number < float("inf"):
            raise TypeError(f"expected a power of a value or of a positive number, got one of {base!r}")
        import math
        return (self * math.log2(number))._unary("math.exp2")

    def _integer_power(self, exponent: int) -> "Value":
        if exponent == 0:
            return self._other(1.0)
        half = self._integer_power(exponent // 2) if exponent > 1 else None
        if half is None:
            return self
        return half * half * self if exponent % 2 else half * half
