"""What quantising epilogues compute, in numpy: conversions that saturate, scale factors of blocks, amax.

A second implementation beside the compiler's and the emulator's, from the formulas of `tmm.matmul` alone.
Every step is exact in float64 or rounded to f32 where the formula says so.
"""
import pathlib
import sys

import numpy as np

from . import mma

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

from tc._formats import pack_bytes as interleave, unpack_bytes  # noqa: E402

LARGEST = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0, "f4E2M1FN": 6.0}
LARGEST_EXPONENT = {"f8E4M3FN": 8, "f8E5M2": 15, "f4E2M1FN": 2}
NAN = {"f8E4M3FN": 0x7F, "f8E5M2": 0x7F, "f4E2M1FN": 0x07}  # e2m1 has none: the largest number


def encode(values, kind):
    """Codes of the numbers next to `values`, ties to even, saturating."""
    form = mma.FORMATS[kind]
    values = np.asarray(values, np.float64)
    magnitude = np.minimum(np.abs(np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf)), LARGEST[kind])
    _, exponent = np.frexp(magnitude)
    # Subnormal numbers have the distance of the smallest normal ones.
    exponent = np.maximum(np.where(magnitude == 0, -99, exponent - 1), 1 - form.bias)
    steps = np.rint(np.ldexp(magnitude, form.fraction - exponent)).astype(np.int64)
    # A carry into the next exponent is one in the code, too.
    codes = ((exponent + form.bias - 1) << form.fraction) + steps
    codes = np.minimum(codes, encode_largest(kind))
    codes |= np.signbit(values).astype(np.int64) << (form.fraction + form.exponent)
    return np.where(np.isnan(values), NAN[kind], codes).astype(np.uint8)


def encode_largest(kind):
    form = mma.FORMATS[kind]
    significand, exponent = np.frexp(LARGEST[kind])
    fraction = int(significand * 2 * (1 << form.fraction)) - (1 << form.fraction)
    return (int(exponent) - 1 + form.bias << form.fraction) + fraction


def decode(codes, kind):
    """Their values in float64."""
    significand, exponent, _ = mma.split(codes, kind)
    values = np.ldexp(np.abs(significand).astype(np.float64), exponent)
    sign, _, _ = mma.fields(codes, kind)
    values = np.where(sign, -values, values)
    return np.where(mma.is_nan(codes, kind), np.nan, values)


def factors(largest, kind, scale):
    """The codes of the factors of blocks with these largest absolute values, and their values."""
    if scale == "f8E8M0FNU":
        finite = np.where(np.isfinite(largest) & (largest > 0), largest, 1.0)
        exponent = np.frexp(finite)[1] - 1 - LARGEST_EXPONENT[kind]
        exponent = np.where(largest > 0, np.maximum(exponent, -127), -127)
        codes = np.where(np.isfinite(largest), exponent + 127, 255).astype(np.uint8)
        return codes, np.where(codes == 255, np.nan, np.ldexp(1.0, codes.astype(np.int64) - 127))
    with np.errstate(over="ignore", invalid="ignore"):
        codes = encode(largest.astype(np.float32) * np.float32(1 / 6), scale)
    return codes, decode(codes, scale)


def quantize(values, kind, scale):
    """Rows of f32 as codes of elements and of factors, (M x N) and (M x N / V)."""
    block = 32 if scale == "f8E8M0FNU" else 16
    blocks = values.reshape(values.shape[0], -1, block)
    magnitudes = np.abs(blocks)
    largest = np.where(np.isnan(blocks).any(axis=2), np.nan, magnitudes.max(axis=2))
    codes, scales = factors(largest, kind, scale)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reciprocal = np.where(scales == 0, np.float32(0), np.float32(1) / scales.astype(np.float32)).astype(np.float32)
        scaled = blocks.astype(np.float32) * reciprocal[:, :, None]
    return encode(scaled, kind).reshape(values.shape), codes


def deinterleave(blocks, rows, columns):
    """The factors of `rows` and `columns`, without what fills up the blocks."""
    return unpack_bytes(blocks.reshape(-(-rows // 128), -(-columns // 4), 32, 4, 4), rows, columns)


def unpack(raw, kind, shape):
    """Codes of elements from memory."""
    raw = np.frombuffer(raw, np.uint8)
    if mma.FORMATS[kind].bits == 4:
        raw = np.stack([raw & 15, raw >> 4], axis=-1)
    return raw.reshape(shape)
