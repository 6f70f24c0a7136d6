"""Products of groups of rows, each with a matrix of its own: `torch.ops.tc.grouped_matmul`, as torch._grouped_mm."""
from __future__ import annotations

import torch

from .._errors import InputError
from . import _plans, _text
from ._ops import MOST_ROWS, define, operand

_TYPES = (torch.bfloat16, torch.float16)
_SEEN: dict = {}


def _check(a, b, offs, bias):
    """Rows, N and groups."""
    if a.dim() != 2 or b.dim() != 3:
        raise InputError(f"a, b: expected a matrix and a batch of matrices, got {a.dim()} and {b.dim()} dimensions")
    if a.dtype not in _TYPES or b.dtype != a.dtype:
        raise InputError(f"a, b: expected both bfloat16 or both float16, got {a.dtype} and {b.dtype}")
    if a.shape[1] != b.shape[1]:
        raise InputError(f"b: expected {a.shape[1]} rows of each matrix, as many as a has columns, got {b.shape[1]}")
    groups, _, n = b.shape
    if offs.dtype != torch.int32 or list(offs.shape) != [groups]:
        raise InputError(f"offs: expected {groups} elements of int32, one for each matrix of b, got {tuple(offs.shape)} of "
                         f"{offs.dtype}")
    if bias is not None and list(bias.shape) != [groups, n]:
        raise InputError(f"bias: expected shape {(groups, n)}, got {tuple(bias.shape)}")
    for name, tensor in (("b", b), ("offs", offs), ("bias", bias)):
        if tensor is not None and tensor.device != a.device:
            raise InputError(f"{name}: expected a tensor on {a.device}, as a is, got one on {tensor.device}")
    return a.shape[0], n, groups


def _is_open(a, b) -> bool:
    """Whether a kernel for any number of rows is compiled: where such a product came with many."""
    seen = _SEEN.setdefault((a.shape[1], b.shape, a.dtype), set())
    if len(seen) < MOST_ROWS:
        seen.add(a.shape[0])
    return a.shape[0] not in seen


def grouped_matmul(a, b, offs, bias=None, dtype=None):
    dtype = dtype or a.dtype
    rows, n, _ = _check(a, b, offs, bias)
    d = torch.empty(rows, n, dtype=dtype, device=a.device)
    if not d.numel():
        return d
    # Copies begin at multiples of 16 bytes, groups at any row: those of A are next to each other.
    a, b, offs = _plans.aligned(a.contiguous()), operand(b, -2), _plans.aligned(offs.contiguous())
    dynamic = {0} if _is_open(a, b) else set()
    swapped = _text.strides_of(b)[-1] != 1
    order = [0, 2, 1] if swapped else [0, 1, 2]
    extras = [] if bias is None else [_plans.aligned(bias.contiguous())]
    text = _text.product_text(_text.layout_of("a", a, [0, 1], dynamic), _text.layout_of("b", b, order, ()), (False, swapped),
                              [_text.layout_of("bias", one, [0, 1], ()) for one in extras], "n" * len(extras),
                              "%v0 = arith.addf %acc, %x0 : f32; yield %v0" if extras else "",
                              _text.layout_of("dtype", d, [0, 1], dynamic), ends=_text.layout_of("offs", offs, [0], ()))
    views = [(a, [0, 1]), (b, order), (offs, [0]), *[(one, [0, 1]) for one in extras], (d, [0, 1])]
    if d.is_cuda:
        _plans.launch(text, views)
    else:
        _plans.emulate(text, views, 1)
    return d


def _fake(a, b, offs, bias=None, dtype=None):
    return a.new_empty([a.shape[0], b.shape[2]], dtype=dtype or a.dtype)


define("grouped_matmul(Tensor a, Tensor b, Tensor offs, Tensor? bias=None, ScalarType? dtype=None) -> Tensor", grouped_matmul,
       _fake)
