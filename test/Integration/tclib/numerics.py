"""Number formats, exact results and error bounds.

Everything is float64: products of 16-bit values are exact in it, and a sum of a
few thousand of them is off by less than 1e-12 of the sum of magnitudes, which
the bounds include. Roundings to f32, bf16 and f16 are done here, from the exact
value and once.
"""
import numpy as np

from .drawn import numbers

# Fraction bits, smallest normal exponent, largest finite value, bytes.
FORMATS = {
    "f32": (23, -126, float(np.finfo(np.float32).max), 4),
    "bf16": (7, -126, float.fromhex("0x1.fep127"), 2),
    "f16": (10, -14, 65504.0, 2),
}

# The f16 kind of tcgen05.mma: 16 products per step, aligned to the largest term
# with 25 fraction bits and truncated, the sum truncated to f32.
MMA_GROUP = 16
MMA_FRACTION = 25


def element_bytes(name):
    return FORMATS[name][3]


def decode(raw, name):
    """Raw little-endian bytes as a flat float64 array."""
    if name not in FORMATS:
        return numbers.decode(raw, name)
    if name == "f32":
        return np.frombuffer(raw, "<f4").astype(np.float64)
    if name == "f16":
        return np.frombuffer(raw, "<f2").astype(np.float64)
    bits = np.frombuffer(raw, "<u2").astype(np.uint32) << 16
    return bits.view(np.float32).astype(np.float64)


def ulp(value, name):
    """The distance of representable numbers around |value|."""
    if name in numbers.INTEGERS:
        return np.zeros_like(value)
    fraction, lowest, _, _ = FORMATS[name]
    _, exponent = np.frexp(np.abs(value))
    return np.ldexp(1.0, np.maximum(exponent - 1, lowest) - fraction)


def round_once(value, name):
    """Nearest even; what is beyond the largest finite value's half is infinite."""
    value = np.asarray(value, np.float64)
    if name not in FORMATS:
        return np.rint(value) if name in numbers.INTEGERS else numbers.rounded(value, name)
    step = ulp(value, name)
    rounded = np.rint(value / step) * step
    return np.where(np.abs(rounded) > FORMATS[name][2], np.copysign(np.inf, value), rounded)


def encode(value, name):
    """Values that are exact in the format, as raw little-endian bytes."""
    value = np.asarray(value, np.float64)
    if name not in FORMATS:
        return numbers.encode(value, name)
    if name == "f16":
        return value.astype("<f2").tobytes()
    single = value.astype("<f4")
    if name == "f32":
        return single.tobytes()
    return (single.view("<u4") >> 16).astype("<u2").tobytes()


def exact_product(a, b):
    return a @ b if a.shape[1] else np.zeros((a.shape[0], b.shape[1]))


def accumulation_bound(a, b):
    """How far the sum that the matrix unit leaves in f32 may be from a @ b.

    Per step j of 16 products: 17 terms truncated at the largest one, M_j, to 25
    fraction bits, and the sum S_j truncated to f32.
    """
    rows, depth = a.shape
    columns = b.shape[1]
    bound = np.zeros((rows, columns))
    total = np.zeros((rows, columns))
    # Magnitudes in f32 are enough, a little above the exact ones.
    above = np.float32(1 + 2.0**-20)
    abs_a = np.abs(a).astype(np.float32) * above
    abs_b = np.abs(b).astype(np.float32) * above
    largest = np.empty((rows, columns), np.float32)
    product = np.empty_like(largest)
    for start in range(0, depth, MMA_GROUP):
        stop = min(start + MMA_GROUP, depth)
        largest[:] = np.abs(total) + bound
        largest *= above
        for k in range(start, stop):
            np.multiply(abs_a[:, k, None], abs_b[None, k, :], out=product)
            np.maximum(largest, product, out=largest)
        total += a[:, start:stop] @ b[start:stop]
        bound += (MMA_GROUP + 1) * 2.0**-MMA_FRACTION * largest
        bound += 2.0**-23 * (np.abs(total) + bound)
    return bound + 1e-12 * (np.abs(a) @ np.abs(b))


def result_bound(exact, bound, out, addends):
    """The bound after an epilogue of `addends` additions in f32 and one rounding."""
    for _ in range(addends):
        bound = bound + 2.0**-24 * (np.abs(exact) + bound) + 2.0**-150
    if out != "f32":
        bound = bound + ulp(np.abs(exact) + bound, out) / 2
    return bound


class Comparison:
    """How many elements are wrong, and the first of them."""

    def __init__(self, got, expected, bound, is_wrong):
        self.wrong = int(np.count_nonzero(is_wrong))
        self.elements = int(is_wrong.size)
        self.ratio = 0.0
        self.first = ""
        if self.elements and bound is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                ratios = np.abs(got - expected) / bound
            ratios = ratios[np.isfinite(ratios)]
            self.ratio = float(ratios.max()) if ratios.size else 0.0
        if self.wrong:
            row, column = (int(i) for i in np.argwhere(is_wrong)[0])
            allowed = 0.0 if bound is None else float(bound[row, column])
            self.first = (f"element ({row}, {column}) is {got[row, column]!r}, expected "
                          f"{expected[row, column]!r} within {allowed:.3g}")

    @property
    def ok(self):
        return self.wrong == 0

    def __str__(self):
        return f"{self.wrong} of {self.elements} elements are wrong; {self.first}"


def compare_within(got, exact, bound, out):
    """Infinite is right where the rounded reference may be infinite."""
    with np.errstate(invalid="ignore"):
        is_right = np.abs(got - exact) <= bound
    largest = FORMATS[out][2]
    may_overflow = np.abs(exact) + bound >= largest + ulp(np.float64(largest), out) / 2
    is_right |= may_overflow & np.isinf(got) & (np.sign(got) == np.sign(exact))
    return Comparison(got, exact, bound, ~is_right)


def compare_exactly(got, expected):
    # Not by bits: a zero has two of them.
    return Comparison(got, expected, None, ~(got == expected))
