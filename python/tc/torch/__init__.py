"""tc for torch: a backend of torch.compile, and operations.

    import torch, tc.torch

    fast = torch.compile(model, backend="tc")          # products and attention by tc, the rest by Inductor
    print(tc.torch.report())                            # what it took, and why not more
    d = tc.torch.matmul(a, b, bias, epilogue="gelu")     # with gradients, in graphs, in torch.export
    o = tc.torch.attention(q, k, v, causal=True)

Tensors on a GPU are computed there. Tensors of the CPU are computed by the emulator, as a GPU would, with a race
checker: see `options`.
"""
from __future__ import annotations

import torch as _torch

from .._errors import InputError
from . import _convolution, _grouped, _norms, _ops, _scaled
from ._plans import options


def _check_tensors(**tensors):
    for name, tensor in tensors.items():
        if not isinstance(tensor, _torch.Tensor):
            raise InputError(f"{name}: expected a tensor, got {type(tensor).__name__}")
        if tensor.device.type not in ("cuda", "cpu"):
            raise InputError(f"{name}: expected a tensor on a GPU of NVIDIA or on the CPU, got one on {tensor.device}")


_is_compiling, _grad_enabled = _torch.compiler.is_compiling, _torch.is_grad_enabled
_autocast = _torch._C._is_any_autocast_enabled
_dispatch_modes, _function_modes = _torch._C._len_torch_dispatch_stack, _torch._C._len_torch_function_stack


def _goes_directly(a, b, bias) -> bool:
    """Whether nothing but the kernel itself is asked for: no gradients, graphs, modes, autocast or transforms, for
    which the dispatcher is there. It costs as much as the launch."""
    plain = _torch.Tensor
    if type(a) is not plain or type(b) is not plain or bias is not None and type(bias) is not plain:
        return False
    if _grad_enabled() and (a.requires_grad or b.requires_grad or bias is not None and bias.requires_grad):
        return False
    return not (_dispatch_modes() or _function_modes() or _autocast() or _ops.is_transformed())


def matmul(a, b, bias=None, *, epilogue: str = "none", dtype=None, out=None):
    """epilogue(a b + bias): (batch x) M x K by (batch x) K x N, of f16, bf16, fp8, or f32 that may be rounded to tf32.

    `bias` has N elements; `epilogue` is "none", "relu", "gelu", "gelu_tanh", "silu", "sigmoid" or "tanh", computed in
    f32 on the sum; `dtype` is that of the result (default: a's), `out` a tensor to write. Any strides, though operands
    without a contiguous dimension are copied. Has gradients, but with `out`. Raises InputError, a ValueError, that
    names the argument."""
    if out is not None:
        _check_tensors(a=a, b=b, out=out, **({} if bias is None else {"bias": bias}))
        if dtype not in (None, out.dtype):
            raise InputError(f"out: expected {dtype}, got {out.dtype}")
        _torch.ops.tc.matmul_out(a, b, bias, epilogue, out)
        return out
    if not _is_compiling():
        if _goes_directly(a, b, bias):
            return _ops.matmul(a, b, bias, epilogue, dtype)
        _check_tensors(a=a, b=b, **({} if bias is None else {"bias": bias}))
        if _ops.is_transformed():
            return _ops.MatmulFunction.apply(a, b, bias, epilogue, dtype)
    return _torch.ops.tc.matmul(a, b, bias, epilogue, dtype)


def scaled_matmul(a, b, scale_a, scale_b, bias=None, *, dtype=_torch.bfloat16):
    """a b with scale factors, plus `bias`: M x K by K x N of fp8, or of fp4 (two elements in a byte). Factors are as
    torch._scaled_mm has them:

    float32, one for all or for each row of a (column of b)          any chip with fp8
    float32, M x ceil(K / 128) and ceil(K / 128) x (ceil(N / 128) or N)
    float8_e8m0fnu (MX) or float8_e4m3fn (NVFP4), in blocks          Blackwell; `tc.pack_scales` makes them

    Operands whose K is not contiguous are copied. No gradients. Raises InputError that names the argument."""
    _check_tensors(a=a, b=b, scale_a=scale_a, scale_b=scale_b, **({} if bias is None else {"bias": bias}))
    return _scaled.scaled_matmul(a, b, scale_a, scale_b, bias, dtype) if not _is_compiling() else (
        _torch.ops.tc.scaled_matmul(a, b, scale_a, scale_b, bias, dtype))


def grouped_matmul(a, b, offs, bias=None, *, dtype=None):
    """Rows of a, each times the matrix of its group in b, plus its row of `bias`: M x K by groups x K x N of f16 or bf16, as
    torch._grouped_mm. The rows of group g end at offs[g] (int32, on the device, which alone reads it) and begin where those of
    the group before end; rows of the result that are in no group hold anything. `bias` is groups x N, `dtype` that of the
    result (default: a's). An a whose columns are not next to each other is copied. No gradients. Raises InputError that names
    the argument."""
    _check_tensors(a=a, b=b, offs=offs, **({} if bias is None else {"bias": bias}))
    return _grouped.grouped_matmul(a, b, offs, bias, dtype) if not _is_compiling() else (
        _torch.ops.tc.grouped_matmul(a, b, offs, bias, dtype))


def conv2d(x, weight, bias=None, *, stride=1, padding=0, dilation=1, epilogue: str = "none"):
    """epilogue(convolution of x with weight + bias): images x channels x rows x columns by filters x channels x rows x
    columns, of f16 or bf16; the result and what is computed are in torch.channels_last, to which other tensors are
    copied. Epilogues are those of `matmul`. Has gradients, by torch's own kernels. Raises InputError that names the
    argument."""
    _check_tensors(x=x, weight=weight, **({} if bias is None else {"bias": bias}))

    def pair(value):
        return [value, value] if isinstance(value, int) else list(value)

    return _torch.ops.tc.conv2d(x, weight, bias, pair(stride), pair(padding), pair(dilation), epilogue)


def attention(q, k, v, *, causal: bool = False, scale: float | None = None, bias=None):
    """softmax(scale q k^T + bias) v: batch x heads x rows x columns of f16 or bf16; heads of k and v divide those of q.
    `scale` is 1 / sqrt(columns) by default; with `causal` row i sees the keys up to i. `bias`, of f32, f16 or bf16,
    broadcasts to batch x heads x rows x keys; a key with -inf is not seen, a row that sees none is 0. Has gradients
    without a bias: by two kernels of tc, where columns of q and v together are at most 384, else by torch's own."""
    _check_tensors(q=q, k=k, v=v, **({} if bias is None else {"bias": bias}))
    if not _is_compiling() and _ops.is_transformed():
        return _ops.AttentionFunction.apply(q, k, v, causal, scale, "", None, bias)[0]
    return _torch.ops.tc.attention(q, k, v, causal, scale, "", None, bias)[0]


def rms_norm(x, weight=None, *, eps: float = 1e-6, residual=None):
    """x / sqrt(mean(x^2) + eps) * weight along the last dimension, of f32, f16 or bf16; computed in f32. With `residual`,
    of x + residual, which is the second result. One kernel, for any number of rows. Has gradients, by torch's own
    kernels. Raises InputError that names the argument."""
    _check_tensors(x=x,
                   **({} if weight is None else {
                       "weight": weight
                   }),
                   **({} if residual is None else {
                       "residual": residual
                   }))
    if residual is not None:
        return _torch.ops.tc.add_rms_norm(x, residual, weight, eps)
    return _torch.ops.tc.rms_norm(x, weight, eps)


def layer_norm(x, weight=None, bias=None, *, eps: float = 1e-5):
    """(x - mean(x)) / sqrt(variance(x) + eps) * weight + bias along the last dimension; otherwise as `rms_norm`."""
    _check_tensors(x=x, **({} if weight is None else {"weight": weight}), **({} if bias is None else {"bias": bias}))
    return _torch.ops.tc.layer_norm(x, weight, bias, eps)


def softmax(x):
    """softmax along the last dimension; otherwise as `rms_norm`."""
    _check_tensors(x=x)
    return _torch.ops.tc.softmax(x)


def backend(module, inputs, **options):
    """The backend "tc" of torch.compile, see _backend.py."""
    from ._backend import backend as function
    return function(module, inputs, **options)


def report(reset: bool = False) -> str:
    """What the backend took of the graphs that were compiled so far, and why not more."""
    from ._backend import report as function
    return function(reset)


def _register():
    from torch._dynamo import list_backends, register_backend
    if "tc" not in list_backends(exclude_tags=()):
        register_backend(backend, name="tc")


_register()

__all__ = [
    "attention", "backend", "conv2d", "grouped_matmul", "layer_norm", "matmul", "options", "report", "rms_norm",
    "scaled_matmul", "softmax"
]
