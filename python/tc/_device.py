"""Arrays that are on a GPU already, of any framework: nothing is copied.

An array is read by the fastest way that it has: torch's own attributes, `__cuda_array_interface__` (cupy, numba) or
DLPack (jax, and whatever else). Types are compared by their names; elements of less than a byte are given as bytes,
the first one in the lowest bits, so that the contiguous dimension is shorter.
"""
from __future__ import annotations

import sys

from ._arrays import TYPES, torch_type
from ._errors import InputError

# DLPack's device types whose memory a kernel can read: CUDA, pinned host, managed.
_ON_DEVICE = {2, 3, 13}
_DLPACK_CODES = {0: "i", 1: "u", 2: "f", 4: "bf"}
# What a description calls a type -> names of the same type elsewhere; ml_dtypes' and torch's are alike.
_NAMES = {"tf32": {"float32", "f32"}, "bf16": {"bfloat16", "bf16"}, "e5m2": {"float8_e5m2"}, "e4m3": {"float8_e4m3fn"},
          "ue8m0": {"float8_e8m0fnu"}, "ue4m3": {"float8_e4m3fn"}, "e2m1": {"float4_e2m1fn_x2"}}


def is_jax(array) -> bool:
    """Whether `array` is one of JAX, which is not loaded for that."""
    kind = getattr(sys.modules.get("jax"), "Array", None)
    return kind is not None and isinstance(array, kind)


def is_on_device(array) -> bool:
    """Whether a kernel can be launched on the memory of `array`, or JAX will choose it."""
    if is_jax(array) and isinstance(array, sys.modules["jax"].core.Tracer):
        return True
    on_cuda = getattr(array, "is_cuda", None)
    if on_cuda is not None:
        return bool(on_cuda)
    if hasattr(array, "__cuda_array_interface__"):
        return True
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) == 2


def names_of(element: str) -> set[str]:
    bits, own, _ = TYPES[element]
    names = set(_NAMES.get(element, set()))
    if own:
        names |= {own, {"f": "f", "i": "i", "u": "u"}[own[0]] + str(bits)}
    if bits <= 8 and own is None:
        names |= {"uint8", "u8"}
    return names


def describe(array, stream: int):
    """(address, shape, strides in elements, name of the type, number of the GPU)."""
    if hasattr(array, "data_ptr"):  # torch
        return (array.data_ptr(), tuple(array.shape), tuple(array.stride()), str(array.dtype).rpartition(".")[2],
                array.device.index or 0)
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        shape, kind = tuple(interface["shape"]), interface["typestr"]
        size = int(kind[2:])
        strides = interface.get("strides")
        strides = tuple(step // size for step in strides) if strides else _dense(shape)
        return interface["data"][0], shape, strides, f"{kind[1]}{8 * size}", 0
    from . import _runtime
    # The producer makes `stream` wait for what it still computes; 1 is the legacy default stream.
    address, shape, strides, code, bits, device, number = _runtime.read_dlpack(array.__dlpack__(stream=stream or 1))
    if device not in _ON_DEVICE:
        raise InputError(f"expected an array on a GPU, got one on DLPack device {device}")
    return address, shape, strides, f"{_DLPACK_CODES.get(code, '?')}{bits}", number


def _dense(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def inner(strides) -> int:
    """The dimension along which elements of less than a byte share bytes: the last one of the smallest stride."""
    return min(reversed(range(len(strides))), key=lambda dim: strides[dim] or float("inf"))


def storage_of(element: str, shape, strides):
    """Shape and strides of the array that holds a buffer: elements of less than a byte share bytes."""
    bits = TYPES[element][0]
    if bits >= 8 or not shape:
        return tuple(shape), tuple(strides)
    along = inner(strides)
    if shape[along] * bits % 8 or strides[along] != 1:
        raise InputError(f"expected rows of whole bytes, got {shape[along]} elements of {bits} bits")
    return (tuple(size * bits // 8 if d == along else size for d, size in enumerate(shape)),
            tuple(step if d == along else step * bits // 8 for d, step in enumerate(strides)))


def shape_of(element: str, shape, strides):
    """The shape of the buffer that an array of such a shape holds: the inverse of storage_of."""
    bits = TYPES.get(element, (8, ))[0]
    if bits >= 8 or not shape:
        return shape
    along = inner(strides)
    return tuple(size * 8 // bits if d == along else size for d, size in enumerate(shape))


def check(name: str, described, element: str, shape, strides):
    """Refuses what the kernel would read wrongly."""
    _, got_shape, got_strides, kind, number = described
    shape, strides = storage_of(element, shape, strides)
    if got_shape != shape:
        raise InputError(f"{name}: expected shape {shape}, got {got_shape}")
    # The stride of a dimension of one element is never used.
    if any(size > 1 and got != want for size, got, want in zip(shape, got_strides, strides)):
        raise InputError(f"{name}: expected strides {strides} (in elements), got {got_strides}")
    if kind not in names_of(element):
        raise InputError(f"{name}: expected {element}, got {kind}")
    if number:
        raise InputError(f"{name}: expected an array on the first GPU, got one on GPU {number}")


def current_stream(array) -> int:
    """The stream that the framework of `array` works on: torch's and cupy's current one, else the default one."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        return raw(array.device.index or 0) if raw else torch.cuda.current_stream(array.device).cuda_stream
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        return cupy.cuda.get_current_stream().ptr
    return 0


def allocator_of(array):
    """How the framework of `array` makes an array for a buffer, or None where it cannot: (element, shape, strides)."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        def allocate(element, shape, strides):
            shape, strides = storage_of(element, shape, strides)
            return torch.empty_strided(shape, strides, dtype=torch_type(torch, element), device=array.device)
        return allocate
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        def allocate(element, shape, strides):
            shape, strides = storage_of(element, shape, strides)
            if strides != _dense(shape) or not TYPES[element][1]:
                raise InputError(f"expected an array for the result, as cupy makes none of {element} with strides {strides}")
            return cupy.empty(shape, TYPES[element][1])
        return allocate
    return None


class Plan:
    """A session for one shape class, and where its arguments go."""

    def __init__(self, session, order, outputs, layouts, allocate):
        self.session, self.outputs, self.allocate = session, outputs, allocate
        self.count = len(layouts)
        self.places = [layouts[name][0] for name in order]  # of the arrays that callers give
        self.results = [(name, *layouts[name]) for name in dict(outputs) if name not in order]
        self.order = order

    def launch(self, arrays, addresses, stream):
        """The written arrays, in order."""
        slots = [0] * self.count  # of this call alone: threads may call at the same time
        for place, address in zip(self.places, addresses):
            slots[place] = address
        made = {}
        for name, place, element, _, shape, strides in self.results:
            made[name] = array = self.allocate(element, shape, strides)
            slots[place] = describe(array, stream)[0]
        self.session.launch(slots, stream)
        results = []
        for name, part in self.outputs:
            array = made[name] if name in made else arrays[self.order.index(name)]
            if part:
                offset, shape, strides = part
                array = array.as_strided(shape, strides, array.storage_offset() + offset)
            results.append(array)
        return results
