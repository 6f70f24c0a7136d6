"""Types of elements as users name them, and as type checkers know them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, Union

if TYPE_CHECKING:
    import numpy
    import numpy.typing

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
# What numpy, ml_dtypes, torch, jax, MLIR and papers call them. None of these is a name of two types.
_NAMES = {
    "float32": "f32", "fp32": "f32", "tf32": "f32", "float16": "f16", "fp16": "f16", "half": "f16", "bfloat16": "bf16",
    "fp8": "e4m3", "float8_e4m3fn": "e4m3", "float8_e4m3": "e4m3", "fp8_e4m3": "e4m3", "float8_e5m2": "e5m2",
    "fp8_e5m2": "e5m2", "float6_e3m2fn": "e3m2", "float6_e2m3fn": "e2m3", "fp6_e3m2": "e3m2", "fp6_e2m3": "e2m3",
    "fp4": "e2m1", "float4_e2m1fn": "e2m1", "float4_e2m1fn_x2": "e2m1", "fp4_e2m1": "e2m1", "int8": "i8", "uint8": "u8",
    "int32": "i32",
}
_NAMES.update({mlir: name for name, mlir in ELEMENTS.items()})

FloatName = Literal["f32", "float32", "fp32", "tf32", "f16", "float16", "fp16", "half", "bf16", "bfloat16"]
"""Types of what an epilogue reads."""
ElementName = Literal[
    "f32", "float32", "fp32", "tf32", "f16", "float16", "fp16", "half", "bf16", "bfloat16", "e4m3", "fp8", "fp8_e4m3",
    "float8_e4m3fn", "float8_e4m3", "f8E4M3FN", "e5m2", "fp8_e5m2", "float8_e5m2", "f8E5M2", "e3m2", "fp6_e3m2",
    "float6_e3m2fn", "f6E3M2FN", "e2m3", "fp6_e2m3", "float6_e2m3fn", "f6E2M3FN", "e2m1", "fp4", "fp4_e2m1",
    "float4_e2m1fn", "float4_e2m1fn_x2", "f4E2M1FN", "i8", "int8", "u8", "uint8", "ui8"]
"""Types of A and B."""
ScaledName = Literal["mxfp8", "mxfp8_e4m3", "mxfp8_e5m2", "mxfp4", "nvfp4"]
"""Block-scaled formats of A and B."""


class DTypeObject(Protocol):
    """A dtype of numpy, ml_dtypes or torch."""

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""


DType = Union[DTypeObject, "type[numpy.generic]"]
OperandType = Union[ElementName, ScaledName, DType]
ResultType = Union[ElementName, Literal["i32", "int32"], DType]
FloatType = Union[FloatName, DType]


class TensorLike(Protocol):
    """A tensor of torch."""

    def data_ptr(self) -> int:
        """Where its elements are."""

    def element_size(self) -> int:
        """Bytes of an element."""


class DeviceArrayLike(Protocol):
    """An array on a GPU, of any framework."""

    def __dlpack__(self) -> Any:
        """What DLPack hands over."""


Tensor = TypeVar("Tensor", bound=TensorLike)
DeviceArray = TypeVar("DeviceArray", bound=DeviceArrayLike)
Races = Literal["off", "default", "strict"]


class Operation(Protocol):
    """A module or an operation of MLIR's Python bindings."""

    @property
    def operation(self) -> Any:
        """The operation that it is."""


def element_name(value: Any) -> str | None:
    """What this package calls a type: a name, or a dtype of numpy, ml_dtypes, torch or jax. None where it has no such
    type."""
    if isinstance(value, str):
        name = value
    elif isinstance(value, type) and value.__module__ == "builtins":
        return None  # float is a type of numpy, and another one of torch
    else:
        # numpy's dtypes have a name, its scalar types and jax's are called so, and torch's are printed so.
        name = getattr(value, "name", None) or getattr(value, "__name__", None) or str(value).removeprefix("torch.")
    if not isinstance(name, str):
        return None
    return name if name in ELEMENTS or name in SCALED else _NAMES.get(name)
