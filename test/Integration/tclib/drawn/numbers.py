"""Exact numbers and bounds for random modules.

A number is a float64 and how far a right kernel may be from it. Where that is nothing, the kernel has to have the very
number: sums of small integers show what a bound would hide.
"""
import numpy as np

# One operation in f32, a little above half an ulp; a function of tc-expand-math for arguments of a few units.
F32 = 2.0**-23
FUNCTION = 2.0**-18
# Fraction bits, smallest normal exponent, largest value, bytes.
FLOATS = {"f32": (23, -126, float(np.finfo(np.float32).max), 4), "bf16": (7, -126, float.fromhex("0x1.fep127"), 2),
          "f16": (10, -14, 65504.0, 2), "f8E4M3FN": (3, -6, 448.0, 1), "f8E5M2": (2, -14, 57344.0, 1)}
INTEGERS = {"i8": np.int8, "i32": np.int32}
DTYPES = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}  # as the kernel description names them


def is_float(element):
    return element in FLOATS


def rounded(value, element):
    """Nearest, ties to even, as one rounding of the exact value."""
    fraction, lowest, largest, _ = FLOATS[element]
    value = np.asarray(value, np.float64)
    _, exponent = np.frexp(np.abs(value))
    step = np.ldexp(1.0, np.maximum(exponent - 1, lowest) - fraction)
    result = np.rint(value / step) * step
    return np.where(np.abs(result) > largest, np.copysign(np.inf, value), result)


def overflow(element):
    """From where on values are rounded to infinity; infinite for types without one."""
    if element not in FLOATS or element in DTYPES:
        return np.inf
    fraction, _, largest, _ = FLOATS[element]
    _, exponent = np.frexp(largest)
    return largest + float(np.ldexp(0.5, exponent - 1 - fraction))


def _codes(element):
    """The values of the 256 codes of an 8-bit float, NaN where a code is none."""
    fraction, lowest, largest, _ = FLOATS[element]
    code = np.arange(256)
    field, low = (code & 127) >> fraction, code & (1 << fraction) - 1
    value = np.ldexp(np.where(field > 0, low + (1 << fraction), low).astype(np.float64),
                     np.maximum(field, 1) - 1 + lowest - fraction)
    value = np.where(value > largest, np.nan, value)
    return np.where(code < 128, value, -value)


def encode(value, element):
    """Raw little-endian bytes of values that are exact in the type."""
    value = np.asarray(value, np.float64).reshape(-1)
    if element in INTEGERS:
        return value.astype(INTEGERS[element]).tobytes()
    if element == "f16":
        return value.astype("<f2").tobytes()
    if element in DTYPES:
        codes = _codes(element)[:128]
        found = np.searchsorted(np.nan_to_num(codes, nan=np.inf), np.abs(value))
        return (found + 128 * np.signbit(value)).astype(np.uint8).tobytes()
    single = value.astype("<f4")
    return single.tobytes() if element == "f32" else (single.view("<u4") >> 16).astype("<u2").tobytes()


def decode(raw, element):
    if element in INTEGERS:
        return np.frombuffer(raw, INTEGERS[element]).astype(np.float64)
    if element == "f16":
        return np.frombuffer(raw, "<f2").astype(np.float64)
    if element == "f32":
        return np.frombuffer(raw, "<f4").astype(np.float64)
    if element in DTYPES:
        return _codes(element)[np.frombuffer(raw, np.uint8)]
    return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64)


class Number:
    """Values `v` and how far right ones may be from them, `e`."""

    def __init__(self, v, e=0.0):
        self.v = np.asarray(v, np.float64)
        self.e = np.broadcast_to(np.asarray(e, np.float64), self.v.shape)

    def map(self, function):
        return Number(function(self.v), function(self.e))

    @property
    def largest(self):
        return float((np.abs(self.v) + self.e).max(initial=0.0))

    @property
    def vague(self):
        """The largest error beside the largest value."""
        return float(self.e.max(initial=0.0)) / max(float(np.abs(self.v).max(initial=0.0)), 1e-30)

    def result(self, element):
        """What an operation with this exact result leaves in its type."""
        if element not in FLOATS:
            return self
        single = (self.e == 0) & (rounded(self.v, "f32") == self.v)
        e = np.where(single, 0, self.e + F32 * np.abs(self.v) + 2.0**-140)
        return Number(self.v, e) if element == "f32" else Number(self.v, e).round(element)

    def round(self, element):
        """Rounded once, or not yet: between operations that are fused into one kernel a tensor may stay wider."""
        fraction, lowest, _, _ = FLOATS[element]
        _, exponent = np.frexp(np.abs(self.v) + self.e)
        half = np.ldexp(0.5, np.maximum(exponent - 1, lowest) - fraction)
        return Number(self.v, np.where((self.e == 0) & (rounded(self.v, element) == self.v), 0, self.e + half))

    def apply(self, function, loss=FUNCTION):
        """A function that is monotone near each value."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self._apply(function, loss)

    def _apply(self, function, loss):
        value = function(self.v)
        moved = [np.abs(function(self.v + sign * self.e) - value) for sign in (-1, 1)]
        return Number(value, np.maximum(*moved) + loss * (np.abs(value) + 2.0**-3))

    def _reduced(self, axes, keepdims):
        terms = max(1, int(np.prod([self.v.shape[a] for a in axes])))
        value, error = self.v.sum(axes, keepdims=keepdims), self.e.sum(axes, keepdims=keepdims)
        magnitude = np.abs(self.v).sum(axes, keepdims=keepdims)
        whole = is_whole(self) & (magnitude < 2**24)
        return Number(value, np.where(whole, 0, error + terms * F32 * (magnitude + error)))

    def sum(self, axes, keepdims=False):
        return self._reduced(axes, keepdims)

    def max(self, axes, keepdims=False):
        return Number(self.v.max(axes, keepdims=keepdims), self.e.max(axes, keepdims=keepdims))


def is_whole(number):
    return bool((number.e == 0).all() and (np.rint(number.v) == number.v).all())


def add(x, y, element):
    return Number(x.v + y.v, x.e + y.e).result(element)


def subtract(x, y, element):
    return Number(x.v - y.v, x.e + y.e).result(element)


def multiply(x, y, element):
    return Number(x.v * y.v, np.abs(x.v) * y.e + np.abs(y.v) * x.e + x.e * y.e).result(element)


def divide(x, y, element):
    least = np.abs(y.v) - y.e
    if not (least > 0).all():  # the divisor may be zero: nothing is known
        return Number(x.v, np.inf)
    value = x.v / y.v
    # The instruction is off by 2 units in the last place even where the quotient is exact.
    e = (x.e + np.abs(value) * y.e) / least + 4 * F32 * np.abs(value)
    return Number(value, e).result(element)


def maximum(x, y):
    return Number(np.maximum(x.v, y.v), np.maximum(x.e, y.e))


def minimum(x, y):
    return Number(np.minimum(x.v, y.v), np.maximum(x.e, y.e))


def select_greater(x, y, a, b):
    """a where x > y, else b; where that is not known, either."""
    open_ = np.abs(x.v - y.v) <= x.e + y.e
    open_ &= (x.e + y.e) > 0
    value = np.where(x.v > y.v, a.v, b.v)
    return Number(value, np.where(open_, np.abs(a.v - b.v) + a.e + b.e, np.where(x.v > y.v, a.e, b.e)))


def contract(form, a, b, c, element, fraction=None):
    """c + the sums of products, in f32 or i32: in steps of the matrix unit or one after the other. With `fraction` bits, the
    32 products of a step and the sum before them are truncated to so many below the largest of them, and the new sum too."""
    value = np.einsum(form, a.v, b.v, optimize=True)
    magnitude = np.einsum(form, np.abs(a.v) + a.e, np.abs(b.v) + b.e, optimize=True)
    error = np.einsum(form, a.e, np.abs(b.v), optimize=True) + np.einsum(form, np.abs(a.v) + a.e, b.e, optimize=True)
    terms = np.einsum(form, np.ones(a.v.shape), np.ones(b.v.shape), optimize=True).max(initial=0)
    value, magnitude = value + c.v, magnitude + np.abs(c.v) + c.e
    if element not in FLOATS:
        return Number(value)
    loss = (terms * F32 + 2.0**-20) * magnitude
    if fraction:
        loss += np.ceil(terms / 32 + 1) * 34 * 2.0**-fraction * magnitude
    if is_whole(a) and is_whole(b) and is_whole(c):
        loss = np.where(magnitude < 2**(fraction or 24), 0, loss)
    return Number(value, error + c.e + loss)
