"""Products of narrow types with scale factors: `torch.ops.tc.scaled_matmul`, with the layouts of torch._scaled_mm."""
from __future__ import annotations

import torch

from .._errors import InputError
from . import _plans, _text
from ._ops import define, operand, product

_FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)
# Two elements of 4 bits in a byte.
_FP4 = tuple(getattr(torch, name) for name in ("float4_e2m1fn_x2", ) if hasattr(torch, name))
_E8M0 = getattr(torch, "float8_e8m0fnu", None)


def _is_fp4(tensor) -> bool:
    return tensor.dtype in _FP4 or tensor.dtype == torch.uint8


def _bytes(tensor):
    """Without a type that few operations of torch know."""
    return tensor.view(torch.uint8) if tensor.dtype in (*_FP4, _E8M0) else tensor


def _kind_of(a, b, scale_a, scale_b, m, n, k) -> str:
    """How the factors lie: "rows" (of one row, or one for all), "blocks" (f32, for 128 of K), "mx" or "nv"."""
    if scale_a.dtype != scale_b.dtype:
        raise InputError(f"scale_b: expected {scale_a.dtype}, as scale_a has, got {scale_b.dtype}")
    if scale_a.dtype == torch.float32:
        if _is_fp4(a):
            raise InputError(
                "scale_a: expected factors of float8_e8m0fnu or float8_e4m3fn for elements of 4 bits, got float32")
        # Up to K = 128 a block is a row, and both are the same product.
        if scale_a.numel() in (1, m) and scale_b.numel() in (1, n):
            return "rows"
        blocks = -(-k // 128)
        if list(scale_a.shape) == [m, blocks] and list(scale_b.shape) in ([blocks, -(-n // 128)], [blocks, n]):
            return "blocks"
        raise InputError(f"scale_a, scale_b: expected 1 or {m} and 1 or {n} factors, or {m} x {blocks} and {blocks} x "
                         f"{-(-n // 128)} or {n}, got {tuple(scale_a.shape)} and {tuple(scale_b.shape)}")
    if scale_a.dtype == _E8M0:
        kind, block = "mx", 32
    elif scale_a.dtype == torch.float8_e4m3fn and _is_fp4(a):
        kind, block = "nv", 16
    else:
        raise InputError("scale_a: expected factors of float32, float8_e8m0fnu or, for elements of 4 bits, "
                         f"float8_e4m3fn, got {scale_a.dtype}")
    for name, scale, rows in (("scale_a", scale_a, m), ("scale_b", scale_b, n)):
        wanted = -(-rows // 128) * -(-k // (4 * block)) * 512
        if scale.numel() != wanted or not scale.is_contiguous():
            raise InputError(
                f"{name}: expected {wanted} factors in blocks of 128 rows and 4 columns (tc.pack_scales), got "
                f"{scale.numel()} with strides {scale.stride()}")
    return kind


def _check(a, b, scale_a, scale_b):
    """M, N and K."""
    if a.dim() != 2 or b.dim() != 2:
        raise InputError(f"a, b: expected two matrices, got {a.dim()} and {b.dim()} dimensions")
    if not (a.dtype in _FP8 and b.dtype in _FP8 or _is_fp4(a) and _is_fp4(b)):
        raise InputError(
            f"a, b: expected float8_e4m3fn or float8_e5m2, or both float4_e2m1fn_x2, got {a.dtype} and {b.dtype}")
    if a.shape[1] != b.shape[0]:
        raise InputError(f"b: expected {a.shape[1]} rows, as many as a has columns, got {b.shape[0]}")
    for name, tensor in (("b", b), ("scale_a", scale_a), ("scale_b", scale_b)):
        if tensor.device != a.device:
            raise InputError(f"{name}: expected a tensor on {a.device}, as a is, got one on {tensor.device}")
    return a.shape[0], b.shape[1], a.shape[1] * (2 if _is_fp4(a) else 1)


def _by_rows(a, b, scale_a, scale_b, bias, dtype):
    """Factors are a part of the epilogue."""
    m, n = a.shape[0], b.shape[1]
    extras = [scale_a.reshape(-1).expand(m).contiguous(), scale_b.reshape(-1).expand(n).contiguous()]
    body = "%v0 = arith.mulf %x0, %x1 : f32; %v1 = arith.mulf %acc, %v0 : f32; "
    if bias is None:
        return product(a, b, extras, "mn", body + "yield %v1", dtype, "")
    return product(a, b, [*extras, bias], "mnn", body + "%v2 = arith.addf %v1, %x2 : f32; yield %v2", dtype, "")


def _packed_layout(name, tensor, order):
    """The layout of a matrix, by elements where two share a byte."""
    layout = _text.layout_of(name, tensor.view(torch.int8) if _is_fp4(tensor) else tensor, order, ())
    if not _is_fp4(tensor):
        return layout
    return _text.Layout("e2m1", [layout.shape[0], 2 * layout.shape[1]], [2 * layout.strides[0], 1])


def _by_blocks(a, b, scale_a, scale_b, bias, dtype, kind, sizes):
    """Factors go into the product."""
    m, n, k = sizes
    a, b = operand(_bytes(a), -1), operand(_bytes(b), -2)
    if kind == "blocks":
        columns = 128 if scale_b.shape[1] == -(-n // 128) else 1
        scale_b = scale_b.t() if columns == 128 or scale_b.stride(1) == 1 else scale_b.contiguous().t()
        orders = [[0, 1], [0, 1]]
        layouts = [
            _text.layout_of(name, scale, [0, 1], ()) for name, scale in (("scale_a", scale_a), ("scale_b", scale_b))
        ]
        flag = "" if columns == 128 else " scale_columns = 1"
    else:
        block, element = (32, "ue8m0") if kind == "mx" else (16, "ue4m3")
        scale_a, scale_b = (_bytes(scale).view(-1, -(-k // (4 * block)), 32, 4, 4) for scale in (scale_a, scale_b))
        orders = [list(range(5))] * 2
        layouts = [_text.Layout(element, list(scale.shape), list(scale.stride())) for scale in (scale_a, scale_b)]
        flag = " scale_block = 32" if kind == "mx" and _is_fp4(a) else ""
    extras, along, body = [], "", ""
    if bias is not None:
        extras, along, body = [_plans.aligned(bias.contiguous())], "n", "%v0 = arith.addf %acc, %x0 : f32; yield %v0"
    d = torch.empty(m, n, dtype=dtype, device=a.device)
    text = _text.product_text(_packed_layout("a", a, [0, 1]), _packed_layout("b", b, [1, 0]), (False, True),
                              [_text.layout_of("bias", one, [0], ()) for one in extras], along, body,
                              _text.layout_of("dtype", d, [0, 1], ()), (*layouts, flag))
    views = [(a, [0, 1]), (b, [1, 0]), (scale_a, orders[0]), (scale_b, orders[1]), *[(one, [0]) for one in extras],
             (d, [0, 1])]
    if d.is_cuda:
        _plans.launch(text, views)
    else:
        _plans.emulate(text, views, 1)
    return d


def scaled_matmul(a, b, scale_a, scale_b, bias=None, dtype=None):
    dtype = dtype or torch.bfloat16
    m, n, k = sizes = _check(a, b, scale_a, scale_b)
    kind = _kind_of(a, b, scale_a, scale_b, m, n, k)
    if bias is not None and list(bias.shape) != [n]:
        raise InputError(f"bias: expected a vector of {n} elements, got {tuple(bias.shape)}")
    if not m or not n:
        return torch.empty(m, n, dtype=dtype, device=a.device)
    if kind == "rows":
        return _by_rows(a, b, scale_a, scale_b, bias, dtype)
    return _by_blocks(a, b, scale_a, scale_b, bias, dtype, kind, sizes)


def _fake(a, b, scale_a, scale_b, bias=None, dtype=None):
    return a.new_empty([a.shape[0], b.shape[1]], dtype=dtype or torch.bfloat16)


define(
    "scaled_matmul(Tensor a, Tensor b, Tensor scale_a, Tensor scale_b, Tensor? bias=None, ScalarType? dtype=None) "
    "-> Tensor",
    scaled_matmul, _fake)
