"""The float kinds of tcgen05.mma in integers.

One instruction adds the products of a group of elements of K to the sum: each product
is exact, is aligned to the largest exponent among them and the sum with 25 fraction
bits, truncated toward zero and added exactly; the new sum is truncated to f32. Elements
of 4 bits with scale factors are added exactly in groups of 16, and the four groups of an
instruction, times their factors, are aligned by the exponents of the factors with 35
fraction bits. A sum in f16 is rounded to nearest even. A second implementation beside
the emulator's, which shares nothing with it.
"""
import dataclasses

import numpy as np

FRACTION = 25
HALF_FLOOR = -21  # no smaller exponent aligns the terms of a sum in f16
ROWS = 16  # that are computed at a time


@dataclasses.dataclass(frozen=True)
class Format:
    """Elements as codes: the fraction and exponent, and the bits that are not read."""
    fraction: int
    exponent: int
    bias: int
    code: type  # numpy's, as wide as an element
    unread: int = 0
    group: int = 32  # products of one instruction
    has_infinity: bool = True
    has_nan: bool = True
    bits: int = 8  # of an element in memory


FORMATS = {"f8E4M3FN": Format(3, 4, 7, np.uint8, has_infinity=False), "f8E5M2": Format(2, 5, 15, np.uint8),
           "f4E2M1FN": Format(1, 2, 1, np.uint8, has_infinity=False, has_nan=False, bits=4),
           "f6E2M3FN": Format(3, 2, 1, np.uint8, has_infinity=False, has_nan=False, bits=6),
           "f6E3M2FN": Format(2, 3, 3, np.uint8, has_infinity=False, has_nan=False, bits=6),
           "f16": Format(10, 5, 15, np.uint16, group=16, bits=16),
           "bf16": Format(7, 8, 127, np.uint16, group=16, bits=16),
           "f32": Format(10, 8, 127, np.uint32, unread=13, group=8, bits=32)}


def fields(codes, kind):
    """Sign, exponent and fraction."""
    form = FORMATS[kind]
    codes = codes.astype(np.int64) >> form.unread
    bits = form.fraction + form.exponent
    return codes >> bits & 1, codes >> form.fraction & (1 << form.exponent) - 1, codes & (1 << form.fraction) - 1


def split(codes, kind):
    """Sign * significand, its exponent, and the fraction bits."""
    form = FORMATS[kind]
    sign, field, low = fields(codes, kind)
    significand = np.where(field > 0, low + (1 << form.fraction), low)
    # Subnormal numbers keep the smallest exponent.
    exponent = np.maximum(field, 1) - form.bias - form.fraction
    return np.where(sign, -significand, significand), exponent, form.fraction


def is_nan(codes, kind):
    form = FORMATS[kind]
    if not form.has_nan:
        return np.zeros(codes.shape, bool)
    _, field, low = fields(codes, kind)
    last = field == (1 << form.exponent) - 1
    return last & (low != 0 if form.has_infinity else low == (1 << form.fraction) - 1)


def is_infinite(codes, kind):
    form = FORMATS[kind]
    _, field, low = fields(codes, kind)
    return (field == (1 << form.exponent) - 1) & (low == 0) & form.has_infinity


def random_codes(generator, shape, kind):
    """Finite elements: of any exponent, those of f32 of exponents near 0."""
    form = FORMATS[kind]
    if kind == "f32":
        return generator.standard_normal(shape).astype(np.float32).view(np.uint32)
    if kind == "bf16":
        return (generator.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if kind == "f16":
        return generator.standard_normal(shape).astype(np.float16).view(np.uint16)
    codes = generator.integers(0, 1 << form.bits, shape).astype(np.uint8)
    bad = is_nan(codes, kind) | is_infinite(codes, kind)
    return np.where(bad, codes ^ (1 << form.fraction), codes).astype(np.uint8)


def shift_right(values, distance):
    """Toward zero; negative distances shift left."""
    distance = np.broadcast_to(distance, values.shape)
    magnitude = np.abs(values)
    right = magnitude >> np.clip(distance, 0, 62)
    left = magnitude << np.clip(-distance, 0, 62)
    return np.sign(values) * np.where(distance >= 0, right, left)


def truncate(values, exponent):
    """The f32 next to values * 2^exponent toward zero, as f64."""
    _, bits = np.frexp(np.abs(values).astype(np.float64))
    # Of sums below 2^53 this is exact: the bits of the leading one.
    drop = np.maximum(bits - 24, -149 - exponent)
    drop = np.maximum(drop, 0)
    return np.ldexp((shift_right(shift_right(values, drop), -drop)).astype(np.float64), exponent)


def step(total, a, b, exponents=None, half=False):
    """One instruction: `total` (f32 values, or f16 with `half`) plus the products of a group.

    `a` and `b` are what split() gives of rows of A and of columns of B; `exponents`, if
    given, is added to those of all products of an element of D.
    """
    if exponents is None:
        exponents = np.zeros(total.shape, np.int64)
    result = np.empty_like(total)
    for row in range(0, total.shape[0], ROWS):
        rows = slice(row, row + ROWS)
        result[rows] = step_rows(total[rows], (a[0][rows], a[1][rows], a[2]), b, exponents[rows], half)
    return result


def step_rows(total, a, b, exponents, half):
    terms = a[0][:, None, :] * b[0][None, :, :]
    # The value is terms * 2^low; the alignment sees each factor with its leading place.
    low = a[1][:, None, :] + b[1][None, :, :] + exponents[:, :, None]
    high = low + a[2] + b[2]
    _, e = np.frexp(total)
    fraction, least = (10, -14) if half else (23, -126)
    total_high = np.maximum(e.astype(np.int64) - 1, least)
    total_sig = np.round(np.ldexp(total, fraction - total_high)).astype(np.int64)
    nothing = -(1 << 40)
    largest = np.where(terms != 0, high, nothing).max(axis=2, initial=nothing)
    largest = np.maximum(largest, np.where(total_sig != 0, total_high, nothing))
    largest = np.where(largest == nothing, 0, largest)
    if half:
        largest = np.maximum(largest, HALF_FLOOR)
    unit = largest - FRACTION
    exact = shift_right(terms, unit[:, :, None] - low).sum(axis=2)
    exact = exact + shift_right(total_sig, unit - (total_high - fraction))
    if half:
        return np.ldexp(exact.astype(np.float64), unit).astype(np.float16).astype(np.float64)
    return truncate(exact, unit)


def pack(codes, kind):
    """Elements as they lie in memory: those of fewer than 8 bits follow each other, the first in the lowest bits."""
    bits = FORMATS[kind].bits
    if bits >= 8:
        return codes
    every = (codes[..., None] >> np.arange(bits, dtype=np.uint8) & 1).astype(np.uint8)
    return np.packbits(every.reshape(-1), bitorder="little")


GROUP, GROUP_FRACTION = 16, 35


def split_scale(codes, kind):
    """Significand, its exponent and the fraction bits of scale factors; the sign is not read."""
    if kind == "f8E8M0FNU":
        return np.ones(codes.shape, np.int64), codes.astype(np.int64) - 127, 0
    significand, exponent, fraction = split(codes & 0x7F, kind)
    return significand, exponent + fraction, fraction


def is_nan_scale(codes, kind):
    return codes == 255 if kind == "f8E8M0FNU" else is_nan(codes & 0x7F, kind)


def grouped_step(total, a, b, factors_a, factors_b, kind):
    """One instruction of f4E2M1FN: codes of rows of A and of columns of B, and a factor for each group of both."""
    # Twice the values are integers.
    halves = [significand << exponent + 1 for significand, exponent, _ in (split(a, "f4E2M1FN"), split(b, "f4E2M1FN"))]
    sums = [None] * (a.shape[1] // GROUP)
    for group in range(len(sums)):
        columns = slice(group * GROUP, (group + 1) * GROUP)
        sums[group] = halves[0][:, columns] @ halves[1][:, columns].T
    sig_a, exp_a, fraction = split_scale(factors_a, kind)
    sig_b, exp_b, _ = split_scale(factors_b, kind)
    # Sums count quarters.
    low = -2 - 2 * fraction
    terms = np.stack([sums[g] * sig_a[:, g, None] * sig_b[None, :, g] for g in range(len(sums))], axis=2)
    high = exp_a[:, None, :] + exp_b[None, :, :]
    _, e = np.frexp(total)
    total_high = np.maximum(e.astype(np.int64) - 1, -126)
    total_sig = np.round(np.ldexp(total, 23 - total_high)).astype(np.int64)
    nothing = -(1 << 40)
    largest = np.where(terms != 0, high, nothing).max(axis=2)
    largest = np.maximum(largest, np.where(total_sig != 0, total_high, nothing))
    largest = np.where(largest == nothing, 0, largest)
    unit = largest - GROUP_FRACTION
    exact = shift_right(terms, unit[:, :, None] - (high + low)).sum(axis=2)
    exact = exact + shift_right(total_sig, unit - (total_high - 23))
    return truncate(exact, unit)


def product(a, b, kind_a, kind_b, half=False):
    """A (M x K) times B (N x K), both codes, in ascending K: f64 with the values of f32, or of f16 with `half`."""
    group = FORMATS[kind_a].group
    total = np.zeros((a.shape[0], b.shape[0]))
    # What NaN and infinities make of an element, whatever the numbers are.
    special = np.zeros_like(total)
    with np.errstate(invalid="ignore", over="ignore"):
        for start in range(0, a.shape[1], group):
            part_a, part_b = a[:, start:start + group], b[:, start:start + group]
            total = step(total, split(part_a, kind_a), split(part_b, kind_b), half=half)
            special = special + classes(part_a, kind_a) @ classes(part_b, kind_b).T
    return np.where(np.isfinite(special), total, special)


def classes(codes, kind):
    """0, 1 or -1 by sign, infinity or NaN: their sums of products tell the class of a sum."""
    sign, _, _ = fields(codes, kind)
    significand, _, _ = split(codes, kind)
    value = np.where(significand == 0, 0.0, np.where(sign == 1, -1.0, 1.0))
    value = np.where(is_infinite(codes, kind), np.where(sign == 1, -np.inf, np.inf), value)
    return np.where(is_nan(codes, kind), np.nan, value)
