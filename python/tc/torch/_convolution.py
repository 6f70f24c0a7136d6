"""Two-dimensional convolutions: `torch.ops.tc.conv2d`, one kernel on the tensor as it is, padding included."""
from __future__ import annotations

import torch

from .._errors import InputError
from .._types import ELEMENTS
from . import _plans, _text
from ._ops import EPILOGUES, body_of, define, library, torch_activation

_ORDER = [0, 2, 3, 1]  # of the dimensions in memory: images, rows, columns, channels


def _sizes_of(x, weight, stride, padding, dilation):
    """Images, filters, rows and columns of the result."""
    rows, columns = ((x.shape[2 + dim] + 2 * padding[dim] - dilation[dim] *
                      (weight.shape[2 + dim] - 1) - 1) // stride[dim] + 1 for dim in (0, 1))
    return [x.shape[0], weight.shape[0], rows, columns]


def _pairs(**values):
    for name, (value, least) in values.items():
        if len(value) != 2 or min(value) < least:
            raise InputError(f"{name}: expected two numbers of at least {least}, got {tuple(value)}")


def _check(x, weight, bias, stride, padding, dilation, epilogue):
    if x.dim() != 4 or weight.dim() != 4:
        raise InputError(f"x, weight: expected 4 dimensions, got {x.dim()} and {weight.dim()}")
    _pairs(stride=(stride, 1), padding=(padding, 0), dilation=(dilation, 1))
    if weight.shape[1] != x.shape[1]:
        raise InputError(
            f"weight: expected {x.shape[1]} channels, as x has (there are no groups), got {weight.shape[1]}")
    if x.dtype not in (torch.bfloat16, torch.float16) or weight.dtype != x.dtype:
        raise InputError(f"x, weight: expected bfloat16 or float16, both the same, got {x.dtype} and {weight.dtype}")
    if bias is not None and list(bias.shape) != [weight.shape[0]]:
        raise InputError(f"bias: expected a vector of {weight.shape[0]} elements, got {tuple(bias.shape)}")
    if epilogue not in EPILOGUES:
        raise InputError(f"epilogue: expected one of {', '.join(EPILOGUES)}, got '{epilogue}'")
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tensor.device != x.device:
            raise InputError(f"{name}: expected a tensor on {x.device}, as x is, got one on {tensor.device}")
    if min(_sizes_of(x, weight, stride, padding, dilation)[2:]) < 1:
        raise InputError(
            f"weight: expected a filter inside of x, got one of {tuple(weight.shape[2:])} on {tuple(x.shape[2:])}")


def _tensor(sizes, element: str) -> str:
    return f"tensor<{'x'.join(map(str, sizes))}x{element}>"


def _text_of(x, weight, bias, sizes, stride, padding, dilation, body) -> str:
    kind = ELEMENTS[_text.element_of("x", x)]
    images, channels, rows, columns = x.shape
    given, filters = _tensor((images, rows, columns, channels), kind), _tensor([weight.shape[dim] for dim in _ORDER],
                                                                               kind)
    padded = _tensor((images, rows + 2 * padding[0], columns + 2 * padding[1], channels), kind)
    sums, result = (_tensor([sizes[dim] for dim in _ORDER], one) for one in ("f32", kind))
    bias_kind = ELEMENTS[_text.element_of("bias", bias)] if bias is not None else ""
    more = f", %bias: {_tensor(bias.shape, bias_kind)}" if bias is not None else ""
    *computed, last = body.split("; ") if body else ["yield %acc"]
    lines = [
        *(["%x0 = arith.extf %x0_ : " + f"{bias_kind} to f32"] if bias is not None and bias_kind != "f32" else []),
        *computed
    ]
    read = ", %x0" + ("_" if bias_kind != "f32" else "") + f": {bias_kind}" if bias is not None else ""
    maps = ", ".join([
        "affine_map<(n, h, w, f) -> (n, h, w, f)>", *(["affine_map<(n, h, w, f) -> (f)>"] if more else []),
        "affine_map<(n, h, w, f) -> (n, h, w, f)>"
    ])
    region = "".join(f"    {line}\n" for line in lines)
    pad = (f"""  %padded = tensor.pad %x low[0, {padding[0]}, {padding[1]}, 0] high[0, {padding[0]}, {padding[1]}, 0] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : {kind}
  }} : {given} to {padded}
""" if max(padding) else "")
    operands = f"%sums, %bias : {sums}, {_tensor(bias.shape, bias_kind)}" if more else f"%sums : {sums}"
    return f"""func.func @conv2d(%x: {given}, %w: {filters}{more}) -> {result} {{
  %zero = arith.constant 0.0 : {kind}
  %none = arith.constant 0.0 : f32
{pad}  %empty = tensor.empty() : {sums}
  %first = linalg.fill ins(%none : f32) outs(%empty : {sums}) -> {sums}
  %sums = linalg.conv_2d_nhwc_fhwc
    {{dilations = dense<{list(dilation)}> : tensor<2xi64>, strides = dense<{list(stride)}> : tensor<2xi64>}}
    ins({'%padded' if pad else '%x'}, %w : {padded}, {filters}) outs(%first : {sums}) -> {sums}
  %out = tensor.empty() : {result}
  %d = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
    ins({operands}) outs(%out : {result}) {{
  ^bb0(%acc: f32{read}, %old: {kind}):
{region}    %rounded = arith.truncf {last.removeprefix('yield ')} : f32 to {kind}
    linalg.yield %rounded : {kind}
  }} -> {result}
  return %d : {result}
}}
"""


def conv2d(x, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), epilogue="none"):
    _check(x, weight, bias, stride, padding, dilation, epilogue)
    sizes = _sizes_of(x, weight, stride, padding, dilation)
    d = torch.empty(sizes, dtype=x.dtype, device=x.device, memory_format=torch.channels_last)
    if not d.numel():
        return d
    x, weight = (_plans.aligned(one.contiguous(memory_format=torch.channels_last)) for one in (x, weight))
    views = [(x, _ORDER), (weight, _ORDER)]
    if bias is not None:
        bias = _plans.aligned(bias.contiguous())
        views.append((bias, [0]))
    text = _text_of(x, weight, bias, sizes, stride, padding, dilation, body_of(epilogue, bias is not None))
    views.append((d, _ORDER))
    if d.is_cuda:
        _plans.launch(text, views)
    else:
        _plans.emulate(text, views, 1)
    return d


def _fake(x, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), epilogue="none"):
    return torch.empty(_sizes_of(x, weight, stride, padding, dilation), dtype=x.dtype, device=x.device,
                       memory_format=torch.channels_last)


define(
    "conv2d(Tensor x, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] dilation=1, "
    "str epilogue='none') -> Tensor", conv2d, _fake)


def _context(ctx, inputs, output):
    x, weight, bias, ctx.stride, ctx.padding, ctx.dilation, ctx.epilogue = inputs
    ctx.has_bias = bias is not None
    ctx.save_for_backward(x, weight, bias)


def _backward(context, gradient):
    """Gradients are torch's."""
    x, weight, bias = context.saved_tensors
    places = context.stride, context.padding, context.dilation
    if context.epilogue != "none":
        sums = torch.ops.tc.conv2d(x, weight, bias, *places)
        with torch.enable_grad():
            sums = sums.detach().float().requires_grad_()
            gradient = torch.autograd.grad(torch_activation(context.epilogue)(sums), sums, gradient.float())[0]
    gradient = gradient.to(x.dtype)
    result = torch.ops.aten.convolution_backward(gradient, x, weight, [weight.shape[0]] if context.has_bias else None,
                                                 *places, False, [0, 0], 1,
                                                 [*context.needs_input_grad[:2], context.has_bias])
    return (*result, None, None, None, None)


torch.library.register_autograd("tc::conv2d", _backward, setup_context=_context, lib=library)
