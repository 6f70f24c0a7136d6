"""Modules from shapes and types: tc.matmul."""
from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Union

from ._compile import Compiled, compile
from ._errors import InputError
from ._trace import Value
from ._types import ELEMENTS, SCALED, FloatType, OperandType, ResultType, element_name

# Names of operands and sizes of every kernel description.
_TAKEN = ("A", "B", "C", "D", "SFA", "SFB", "SFD", "metadata", "M", "N", "K", "acc", "inf", "nan")
# Keywords of the calls that take operands by name.
_KEYWORDS = ("self", "schedule", "check", "races", "assume", "threads", "max_instructions", "progress", "stream")
_QUANTISED = ("e4m3", "e5m2")
_MOST_BATCHES = 3


class Operand(NamedTuple):
    """What an epilogue reads beside the accumulator: `tc.vector`, `tc.matrix`, `tc.scalar`."""

    along: str
    element: str
    batch: bool = False


def vector(along: Literal["m", "n"] = "n", element: FloatType = "f32", *, batch: bool = False) -> Operand:
    """A vector of M (`along="m"`) or N elements, with `batch` one for each matrix of the batch."""
    if along not in ("m", "n"):
        raise ValueError(f"along: expected m or n, got '{along}'")
    return Operand(along, _float(element), batch)


def matrix(element: FloatType = "f32", *, batch: bool = True) -> Operand:
    """An M x N matrix, with `batch` one for each matrix of the batch."""
    return Operand("matrix", _float(element), batch)


def scalar() -> Operand:
    """An f32 that each call of the kernel gives."""
    return Operand("scalar", "f32", False)


def _float(element) -> str:
    name = element_name(element)
    if name not in ("f32", "f16", "bf16"):
        raise ValueError(f"element: expected f32, f16 or bf16, got {element!r}")
    return name


def _element(value, what: str) -> str:
    name = element_name(value)
    if name not in ELEMENTS:
        raise ValueError(f"{what}: expected one of {', '.join(ELEMENTS)}, got {value!r}")
    return name


def _operand_type(value, what: str):
    """(name, MLIR type, its scale factors or None, elements that share one)."""
    name = element_name(value)
    if name in SCALED:
        element, factor, block = SCALED[name]
        return name, ELEMENTS[element], factor, block
    if name is None or name == "i32":
        known = [one for one in ELEMENTS if one != "i32"] + list(SCALED)
        raise ValueError(f"{what}: expected one of {', '.join(known)}, got {value!r}")
    return name, ELEMENTS[name], None, 0


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


def _batch(value, what: str) -> tuple:
    """Sizes of the batch dimensions."""
    sizes = tuple(_size(one, what) for one in (value if isinstance(value, (tuple, list)) else (value, )))
    if len(sizes) > _MOST_BATCHES:
        raise ValueError(f"{what}: expected at most {_MOST_BATCHES} dimensions, got {len(sizes)}")
    return sizes


def _scale_shape(rows, k, block: int):
    return (None if rows is None else -(-rows // 128), None if k is None else -(-k // (4 * block)), 32, 4, 4)


def _signature(function):
    import inspect
    try:  # a module of torch calls its forward
        return list(inspect.signature(getattr(function, "forward", function)).parameters.values())
    except ValueError:  # torch.relu
        return [inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)]


def _parameters(function, operands):
    """(name, Operand) for each parameter that is an operand. The others have defaults, which the function takes."""
    import inspect
    if not callable(function):
        raise TypeError(f"epilogue: expected a function, got {type(function).__name__}")
    parameters = _signature(function)
    plain = bool(parameters) and parameters[0].kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not plain or any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
        raise TypeError("epilogue: expected a function of the sum and of operands by name, each a plain parameter")
    if not isinstance(operands, Mapping):
        raise TypeError(f"operands: expected a dict, got {type(operands).__name__}")
    if not all(isinstance(one, Operand) for one in operands.values()):
        raise TypeError("operands: expected tc.vector(), tc.matrix() or tc.scalar() for each name")
    names = [one.name for one in parameters[1:]]
    if unknown := [name for name in operands if name not in names]:
        raise ValueError(f"operands: '{unknown[0]}' is no parameter of the epilogue, expected " +
                         (f"one of: {', '.join(names)}" if names else "none, as it has the sum alone"))
    found = []
    for one in parameters[1:]:
        name, default = one.name, one.default
        if default is one.empty or isinstance(default, Operand):
            found.append((name, operands.get(name, vector() if default is one.empty else default)))
        elif name in operands:
            raise ValueError(f"operands: expected '{name}' there or a default of the parameter, which makes it a constant, got both")
    if taken := [name for name, _ in found if name in _TAKEN or re.match(r"(arg|temp|const)\d", name) or not name.isascii()]:
        raise ValueError(f"epilogue: expected another name for the parameter '{taken[0]}', which the kernel description has")
    if taken := [name for name, _ in found if name in _KEYWORDS]:
        raise ValueError(f"epilogue: expected another name for the parameter '{taken[0]}', which calls of kernels have")
    return found


def _operand(name) -> str:
    """An operand of the epilogue: with a dot it is no name that the trace has."""
    return f"%p.{name}"


def _epilogue(function, operands, d_element, batch, shape, sum_kind):
    """(arguments of the function, text of the region)."""
    trace: list[str] = []
    arguments, heads, values = [], [], {}
    for name, (along, element, batched) in _parameters(function, operands):
        extents = {"m": shape[:1], "n": shape[1:], "matrix": shape, "scalar": ()}[along]
        kind = element if along == "scalar" else _memref((batch if batched else ()) + extents, element)
        where = f" along {along}" if along in "mn" else ""
        arguments.append((name, kind))
        heads.append(f"%x_{name} = {_operand(name)}{where} : {kind}")
        value = Value(trace, f"%x_{name}")
        values[name] = value if element == "f32" else value._emit(Value, f"arith.extf %x_{name} : {element} to f32")
    accumulator = Value(trace, "%acc")
    head = "%acc"
    if sum_kind == "i32":
        head = "%acc : i32"
        accumulator = accumulator._emit(Value, "arith.sitofp %acc : i32 to f32")
    result = _call(function, accumulator, values)
    if not isinstance(result, Value) or result._trace is not trace:
        raise TypeError(f"epilogue: expected a value of the epilogue, got {type(result).__name__}")
    kind = "f32"
    if d_element not in ("f32", *_QUANTISED):
        kind = ELEMENTS[d_element]
        result = result._emit(Value, f"arith.truncf {result._name} : f32 to {kind}")
    body = "".join(f"      {line}\n" for line in trace)
    text = f" epilogue({', '.join([head] + heads)}) {{\n{body}      tmm.yield {result._name} : {kind}\n    }}"
    return arguments, text


def _call(function, accumulator, values):
    """The function with its operands by name, or by position where it has no names for them."""
    first, *others = _signature(function)
    unnamed = [values.pop(one.name, one.default) for one in others if one.kind == one.POSITIONAL_ONLY]
    return function(accumulator, *unnamed, **values)


def _halves(k, a_type: str):
    """(elements of K that a sparse A keeps, blocks of its metadata)."""
    if k is None:
        return None, None
    return k // 2, -(-k // (64 if a_type == "f32" else 128))


def _operands(shapes, a, b, transpose_a, transpose_b, sparse):
    """A and B, their factors, metadata, each with its type; `shapes`: (batch of A, of B, m, n, k)."""
    batch_a, batch_b, m, n, k = shapes
    (_, a_type, a_factor, a_block), (_, b_type, b_factor, b_block) = a, b
    kept, blocks = _halves(k, a_type) if sparse else (k, None)
    ab = [("A", _memref(batch_a + ((kept, m) if transpose_a else (m, kept)), a_type)),
          ("B", _memref(batch_b + ((n, k) if transpose_b else (k, n)), b_type))]
    metadata = [("metadata", _memref(batch_a + (None if m is None else -(-m // 128), blocks, 128, 4), "i32"))] if sparse else []
    if not a_factor:
        return ab, [], metadata
    return ab, [("SFA", _memref(batch_a + _scale_shape(m, k, a_block), a_factor)),
                ("SFB", _memref(batch_b + _scale_shape(n, k, b_block), b_factor))], metadata


def matmul_text(m, n, k, a, b, d, transpose_a, transpose_b, accumulate, epilogue, operands, batch=(), batch_a=None,
                batch_b=None, sparse=False, rows="") -> str:
    """The module that `tc.matmul` compiles; with `rows`, "ends" or "counts", that of `tc.grouped_matmul`."""
    m, n, k = _size(m, "m"), _size(n, "n"), _size(k, "k")
    batch = _batch(batch, "batch")
    batch_a = batch if batch_a is None else _batch(batch_a, "batch_a")
    batch_b = batch if batch_b is None else _batch(batch_b, "batch_b")
    a, b, d = _operand_type(a, "a"), _operand_type(b, "b"), _element(d, "d")
    if (a[2] is None) != (b[2] is None):
        raise ValueError(f"expected scale factors of both operands or of none, got a='{a[0]}', b='{b[0]}'")
    narrow = any(kind in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN") for kind in (a[1], b[1]))
    if transpose_b is None:
        transpose_b = narrow or b[2] is not None
    ab, factors, metadata = _operands((batch_a, batch_b, m, n, k), a, b, transpose_a, transpose_b, sparse)
    if epilogue and d == "i32":
        raise InputError("d: expected f32, f16, bf16, e4m3 or e5m2 with an epilogue, which computes in f32, got 'i32'")
    if not isinstance(operands, Mapping):
        raise TypeError(f"operands: expected a dict, got {type(operands).__name__}")
    if operands and not epilogue:
        raise ValueError(f"operands: '{next(iter(operands))}' is no parameter of the epilogue, which is not given")
    sum_kind = "i32" if a[0] in ("i8", "u8") else "f32"
    extra, region = _epilogue(epilogue, operands, d, batch, (m, n), sum_kind) if epilogue else ([], "")
    out = ("D", _memref((m, n) if rows == "ends" else (*batch, m, n), ELEMENTS[d]))
    told = [(rows, _memref(batch, "i32"))] if rows else []
    flags = "".join(f" {word}" for word, on in (("accumulate", accumulate), ("transpose_a", transpose_a),
                                               ("transpose_b", transpose_b), ("allow_tf32", a[0] == "f32")) if on)

    def group(word, values):
        return f" {word}({', '.join('%' + name for name, _ in values)} : {', '.join(kind for _, kind in values)})"

    # The location of an argument is its name in the kernel description.
    head = ", ".join([f"%{name}: {kind}" for name, kind in ab + factors] +
                     [f"%{name}: {kind} loc(\"{name}\")" for name, kind in metadata + told] +
                     [f"{_operand(name)}: {kind} loc(\"{name}\")" for name, kind in extra] + [f"%{out[0]}: {out[1]}"])
    beside = "".join(group(word, values) for word, values in (("scales", factors), ("metadata", metadata), (rows, told)) if values)
    return (f"func.func @matmul({head}) {{\n"
            f"    tmm.matmul{flags}{group('ins', ab)}{beside}{group('outs', [out])}{region}\n"
            "    return\n}\n")


Size = Union[int, None]
Sizes = Union[Size, Sequence[Size]]


def matmul(m: Size, n: Size, k: Size, *, a: OperandType = "bf16", b: OperandType | None = None, d: ResultType | None = None,
           batch: Sizes = (), batch_a: Sizes | None = None, batch_b: Sizes | None = None, transpose_a: bool = False,
           transpose_b: bool | None = None, sparse: bool = False, accumulate: bool = False, epilogue: Callable[..., Any] | None = None,
           operands: Mapping[str, Operand] | None = None, chip: str = "", config: str | Mapping[str, object] = "") -> Compiled:
    """D[m, n] = sum over k of A[m, k] * B[k, n], compiled.

    `m`, `n`, `k` are sizes; None: known at run time. `a` and `b` (default: as `a`) are element types (f32, multiplied
    as tf32; f16, bf16, e4m3, e5m2, e3m2, e2m3, e2m1, i8, u8) or block-scaled formats (mxfp8, mxfp8_e5m2, mxfp4, nvfp4,
    of both or of none), `d` f32 (default), f16, bf16, e4m3, e5m2, or i32 (default of integers); dtypes of numpy, ml_dtypes
    and torch and their names ("bfloat16", "fp8") do as well. A is M x K, K x M with `transpose_a`; B is K x N, N x K with
    `transpose_b` (default of formats narrower than 8 bits or block-scaled). With `sparse` A has half of its elements, and
    `tc.pack_sparse` makes it and the argument `metadata`. `accumulate` adds the old D.

    `batch`: sizes (or one) of up to three dimensions before those of A, B and D, None: known at run time. `batch_a` and
    `batch_b` are those of A and B where they differ: as in numpy.matmul a size that is 1 or missing is repeated, so that
    `batch=8, batch_b=()` multiplies 8 matrices by one.

    `epilogue` is traced once: its first parameter is the sum (as f32, that of integers too), the others are vectors
    along N of f32 unless `operands` or their defaults say otherwise, by name: `operands={"residual": tc.matrix("bf16"),
    "alpha": tc.scalar()}`, or `lambda acc, alpha=tc.scalar(): ...`. Another default (`alpha=2.0`) is a constant. It may
    use + - * / **, comparisons, abs, numbers, tc's functions and those of numpy and torch of the same names (tc.where,
    np.exp, torch.relu). The arguments of the kernel are A, B, their scale factors, metadata, those
    operands, D.
    """
    b = a if b is None else b
    if d is None:
        d = "i32" if element_name(a) in ("i8", "u8") and not epilogue else "f32"
    text = matmul_text(m, n, k, a, b, d, transpose_a, transpose_b, accumulate, epilogue,
                       {} if operands is None else operands, batch, batch_a, batch_b, sparse)
    return compile(text, chip=chip, config=config, name="matmul")


def grouped_matmul(m: Size, n: Size, k: Size, groups: Size, *, layout: Literal["ends", "counts"] = "ends", a: OperandType = "bf16",
                   b: OperandType | None = None, d: ResultType | None = None, transpose_b: bool | None = None,
                   epilogue: Callable[..., Any] | None = None, operands: Mapping[str, Operand] | None = None, chip: str = "",
                   config: str | Mapping[str, object] = "") -> Compiled:
    """A product of each group with a B of its own, where only the device knows which rows the groups have, compiled.

    With the layout `ends` A is M x K and D is M x N, the rows of all groups one below the other, and `ends` (int32, one for each
    group) says where each ends: offs of torch._grouped_mm. With `counts` each group has room for M rows, A is groups x M x K and
    D is groups x M x N, and `counts` says how many of them there are. B is groups x K x N, groups x N x K with `transpose_b`.
    Rows of D that are in no group are not written, whatever the numbers are.

    Types, sizes and the epilogue are those of `tc.matmul`; operands with `batch=True` have one vector for each group. The
    arguments of the kernel are A, B, scale factors (of `counts` alone), `ends` or `counts`, operands, D.
    """
    if layout not in ("ends", "counts"):
        raise ValueError(f"layout: expected ends or counts, got {layout!r}")
    for name, _ in _parameters(epilogue, {} if operands is None else operands) if epilogue else ():
        if name in (layout, "groups"):
            raise ValueError(f"epilogue: expected another name for the parameter '{name}', which the kernel description has")
    text = matmul_text(m, n, k, a, a if b is None else b, "f32" if d is None else d, False, transpose_b, False, epilogue,
                       {} if operands is None else operands, (_size(groups, "groups"),), () if layout == "ends" else None, None,
                       rows=layout)
    return compile(text, chip=chip, config=config, name="grouped_matmul")
