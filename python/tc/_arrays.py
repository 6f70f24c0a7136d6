"""Element types of kernel descriptions as numpy arrays, and back to bytes.

Types that numpy lacks are those of ml_dtypes where it is installed, else unsigned integers with the bits. Elements
of 4 and 6 bits are packed in memory, the first one in the lowest bits, and one byte each in an array.
"""
from __future__ import annotations

import importlib
import sys

from ._errors import InputError

# Name in descriptions -> (bits, numpy name, ml_dtypes name).
TYPES = {
    "f64": (64, "float64", None), "f32": (32, "float32", None), "tf32": (32, "float32", None),
    "f16": (16, "float16", None), "bf16": (16, None, "bfloat16"), "e5m2": (8, None, "float8_e5m2"),
    "e4m3": (8, None, "float8_e4m3fn"), "e3m2": (6, None, "float6_e3m2fn"), "e2m3": (6, None, "float6_e2m3fn"),
    "e2m1": (4, None, "float4_e2m1fn"), "ue8m0": (8, None, "float8_e8m0fnu"), "ue4m3": (8, None, "float8_e4m3fn"),
    "i8": (8, "int8", None), "u8": (8, "uint8", None), "i16": (16, "int16", None), "u16": (16, "uint16", None),
    "i32": (32, "int32", None), "u32": (32, "uint32", None), "i64": (64, "int64", None), "u64": (64, "uint64", None),
}


def _bits_type(np, bits: int):
    return np.dtype({4: "u1", 6: "u1", 8: "u1", 16: "<u2", 32: "<u4", 64: "<u8"}[bits])


def dtype_of(name: str):
    """The numpy type of elements called `name` in descriptions."""
    import numpy as np
    bits, own, other = TYPES[name]
    if own:
        return np.dtype(own)
    try:
        return np.dtype(getattr(importlib.import_module("ml_dtypes"), other))
    except (ImportError, AttributeError):  # old versions lack the narrow types
        return _bits_type(np, bits)


def torch_type(torch, element: str):
    """The type of torch for elements called `element` in descriptions: bytes where it has none."""
    _, own, other = TYPES[element]
    return getattr(torch, {"e2m1": "float4_e2m1fn_x2"}.get(element) or own or other, torch.uint8)


def pack(np, codes, bits: int):
    """Bytes with `bits` bits of each element."""
    planes = np.unpackbits(codes.reshape(-1, 1), axis=1, bitorder="little")[:, :bits]
    return np.packbits(planes.reshape(-1), bitorder="little")


def unpack(np, data, bits: int, count: int):
    planes = np.unpackbits(data, bitorder="little")[:count * bits].reshape(-1, bits)
    return np.packbits(planes, axis=1, bitorder="little").reshape(-1)


def _storage(shape, strides) -> int:
    """Elements from the first to the last one."""
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))


def to_bytes(array, name: str, element: str, shape, strides) -> bytes:
    """The memory of a buffer that holds `array`."""
    import numpy as np
    bits = TYPES[element][0]
    given = array
    try:
        array = np.asarray(given)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected an array, got {type(given).__name__}: {error}") from None
    wanted = dtype_of(element)
    if array.ndim == 0 and array.dtype.kind in "OSU":
        # What numpy found no array in.
        raise InputError(f"{name}: expected an array of {wanted} ({element}), got {type(given).__name__}")
    if tuple(array.shape) != tuple(shape):
        raise InputError(f"{name}: expected shape {tuple(shape)}, got {tuple(array.shape)}")
    if array.dtype != wanted:
        raise InputError(f"{name}: expected {wanted} ({element}), got {array.dtype}")
    codes = np.ascontiguousarray(array).view(_bits_type(np, bits)) if array.ndim else array.reshape(1).view(
        _bits_type(np, bits))
    flat = np.zeros(_storage(shape, strides), codes.dtype)
    if flat.size:
        places = np.lib.stride_tricks.as_strided(flat, shape, [stride * flat.itemsize for stride in strides])
        places[...] = codes.reshape(shape)
    return (pack(np, flat, bits) if bits < 8 else flat).tobytes()


def is_numpy(array) -> bool:
    """Whether `array` is one of numpy, which is not loaded for that."""
    kind = getattr(sys.modules.get("numpy"), "ndarray", None)
    return kind is not None and isinstance(array, kind)


def check_target(array, name: str, is_tensor: bool):
    """Raises where an array of numpy or a tensor of torch cannot be written into."""
    if not is_tensor and not array.flags.writeable:
        raise InputError(f"{name}: expected an array that can be written, got one that is read-only")
    strides, reach = (array.stride(), 1) if is_tensor else (array.strides, array.itemsize)
    steps = () if 0 in array.shape else sorted((abs(step), size) for size, step in zip(array.shape, strides) if size > 1)
    overlaps = False
    for step, size in steps:  # from the innermost dimension on, each beyond the elements of those before
        overlaps |= step < reach
        reach += step * (size - 1)
    if overlaps:
        raise InputError(f"{name}: expected elements with memory of their own, as they are written, got strides {tuple(strides)}")


def fits(part, shape, strides) -> bool:
    """Whether a part (offset, shape, strides) is inside of a buffer."""
    offset, part_shape, part_strides = part
    return (len(part_shape) == len(part_strides) and min(offset, *part_shape, *part_strides, 0) == 0
            and offset + _storage(part_shape, part_strides) <= _storage(shape, strides))


def from_bytes(data: bytes, element: str, shape, strides, part=None):
    """The array that a buffer holds, or a part of it (offset, shape, strides): a copy."""
    import numpy as np
    bits = TYPES[element][0]
    count = _storage(shape, strides)
    codes = unpack(np, np.frombuffer(data, np.uint8), bits, count) if bits < 8 else np.frombuffer(
        data, _bits_type(np, bits), count)
    if part:
        offset, shape, strides = part
        codes = codes[offset:]
    places = np.lib.stride_tricks.as_strided(codes, shape, [stride * codes.itemsize for stride in strides])
    return np.array(places, order="C").view(dtype_of(element)).reshape(shape)
