"""Tensors of torch on the CPU: as numpy arrays of the types of descriptions, and back.

torch has types that numpy lacks, so that elements go over as integers with their bits. Elements of less than a byte are
given as on a GPU, as bytes: `_device`.
"""
from __future__ import annotations

import sys

from . import _arrays, _device
from ._errors import InputError


def is_tensor(value) -> bool:
    """Whether `value` is a tensor of torch, which is not loaded for that."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return kind is not None and isinstance(value, kind)


def shape_of(tensor, buffer) -> tuple:
    """The shape of the buffer that a tensor holds, as a description has it."""
    shape = () if tensor.is_nested else tuple(tensor.shape)
    known = [int(stride == 1) for stride in buffer.get("strides", ())]
    return _device.shape_of(buffer.get("dtype"), shape, known if any(known) and len(known) == len(shape) else (1, ) * len(shape))


def refuse_gradient(tensor, name: str):
    """Raises for a tensor whose gradient would be lost without a word: the kernel has none. Under torch.no_grad() nobody
    asks for it, as with torch's own functions that write into `out=`."""
    if tensor.requires_grad and sys.modules["torch"].is_grad_enabled():
        raise InputError(f"{name}: expected a tensor without a gradient, as the kernel has no backward pass, got one that "
                         "requires grad; pass its .detach(), or call under torch.no_grad()")


def bits(tensor):
    """The tensor as integers of torch, in the same memory."""
    torch = sys.modules["torch"]
    return tensor.detach().view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()])


def to_numpy(tensor, name: str, element: str, strides):
    """The elements of a tensor, one each, in numpy's type for them. `strides` are those of the buffer, whose shape is
    compared later."""
    torch = sys.modules["torch"]
    if tensor.device.type != "cpu":
        raise InputError(f"{name}: expected a tensor on the CPU, got one on {tensor.device}; .cpu() copies it")
    if tensor.is_nested or tensor.layout != torch.strided:
        kind = "a nested one" if tensor.is_nested else f"one with the layout {tensor.layout}; .to_dense() makes one"
        raise InputError(f"{name}: expected a dense tensor, got {kind}")
    refuse_gradient(tensor, name)
    if str(tensor.dtype).removeprefix("torch.") not in _device.names_of(element):
        raise InputError(f"{name}: expected {_arrays.torch_type(torch, element)} ({element}), got {tensor.dtype}")
    try:
        codes = bits(tensor.resolve_neg()).numpy()
    except (RuntimeError, TypeError) as error:  # of a transformation or a mode, which has no memory
        raise InputError(f"{name}: expected a tensor with its elements in memory, got {type(tensor).__name__}: {error}") from None
    if _arrays.TYPES[element][0] < 8 and strides:
        codes = _unpack(codes, name, element, _device.inner(strides))
    return codes.view(_arrays.dtype_of(element))


def _unpack(codes, name, element, inner):
    """A byte for each element of bytes that several share."""
    import numpy as np
    bits = _arrays.TYPES[element][0]
    if codes.ndim <= inner:
        raise InputError(f"{name}: expected bytes with elements of {bits} bits in {inner + 1} dimensions, got {codes.ndim}")
    rows = np.ascontiguousarray(np.moveaxis(codes, inner, -1))
    length = rows.shape[-1] * 8 // bits
    count = rows.size * 8 // bits
    if rows.shape[-1] * 8 % bits:
        raise InputError(f"{name}: expected rows of whole elements of {bits} bits, got {rows.shape[-1]} bytes")
    unpacked = _arrays.unpack(np, rows.reshape(-1), bits, count)
    return np.moveaxis(unpacked.reshape(*rows.shape[:-1], length), -1, inner)


def from_numpy(array, name: str, element: str, strides):
    """A tensor for what a buffer holds, or a part of it, whose strides are `strides`."""
    import numpy as np
    torch = sys.modules["torch"]
    size = _arrays.TYPES[element][0]
    if size < 8 and strides:
        inner = _device.inner(strides)
        rows = np.moveaxis(array.view(np.uint8), inner, -1)
        if rows.shape[-1] * size % 8:
            raise InputError(f"{name}: expected rows of whole bytes, got {rows.shape[-1]} elements of {size} bits; arrays of "
                             "numpy have a byte for each")
        packed = _arrays.pack(np, np.ascontiguousarray(rows), size)
        packed = packed.reshape(*rows.shape[:-1], rows.shape[-1] * size // 8)
        array = np.ascontiguousarray(np.moveaxis(packed, -1, inner))
    return of_bits(array, _arrays.torch_type(torch, element))


def of_bits(array, kind):
    """A tensor of type `kind` in the memory of an array with as many bits for each element."""
    import numpy as np
    codes = array.view({1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64}[array.itemsize])
    return sys.modules["torch"].from_numpy(codes).view(kind)


def write(tensor, value):
    """Writes `value`, a tensor of the same type, into `tensor`."""
    bits(tensor).copy_(bits(value))
