"""Functions of rows: `torch.ops.tc.rms_norm`, `.add_rms_norm`, `.layer_norm`, `.softmax`. A row is the last dimension;
each call is one kernel, compiled for the length of a row and any number of them."""
from __future__ import annotations

import math

import torch

from .._errors import InputError
from .._types import ELEMENTS
from . import _plans
from ._ops import define, library
from ._text import element_of

_FLOATS = (torch.float32, torch.float16, torch.bfloat16)
_ROWS = "affine_map<(m, n) -> (m, n)>"
_ROW = "affine_map<(m, n) -> (n)>"  # one row for all
_EACH = "affine_map<(m, n) -> (m)>"  # one value of a row


class _Module:
    """A function of tensors of rows, as MLIR."""

    def __init__(self, columns, arguments):
        self.columns, self.lines, self.count = columns, [], 0
        self.kinds = {name: ELEMENTS[element_of(name, tensor)] for name, tensor in arguments.items()}
        self.places = {name: _ROW if tensor.dim() == 1 else _ROWS for name, tensor in arguments.items()}
        self.lines += [
            "%at = arith.constant 0 : index", f"%m = tensor.dim %x, %at : {self.type_of('x')}",
            "%zero = arith.constant 0.0 : f32"
        ]

    def type_of(self, name):
        sizes = {_ROWS: f"?x{self.columns}x", _ROW: f"{self.columns}x", _EACH: "?x"}[self.places[name]]
        return f"tensor<{sizes}{self.kinds[name]}>"

    def empty(self, place, kind):
        name = f"v{self.count}"
        self.count += 1
        self.places[name], self.kinds[name] = place, kind
        self.lines.append(f"%{name}_ = tensor.empty({'' if place is _ROW else '%m'}) : {self.type_of(name)}")
        return name

    def generic(self, operands, place, kind, body, first=None):
        """`body`: operations on the operands in f32 by their names and, of a sum, on %old; the last one defines %r."""
        name = self.empty(place, kind)
        out = f"%{name}_"
        if first:
            self.lines.append(f"%{name}i = linalg.fill ins({first} : f32) outs({out} : {self.type_of(name)}) -> "
                              f"{self.type_of(name)}")
            out = f"%{name}i"
        maps = ", ".join(self.places[one] for one in (*operands, name))
        last = "reduction" if place is _EACH else "parallel"
        heads = ", ".join(f"%{one}_in: {self.kinds[one]}" for one in operands)
        lines = [
            f"%{one}e = arith.extf %{one}_in : {self.kinds[one]} to f32" for one in operands if self.kinds[one] != "f32"
        ]
        for line in body:
            for one in operands:
                line = line.replace(f"<{one}>", f"%{one}_in" if self.kinds[one] == "f32" else f"%{one}e")
            lines.append(line)
        lines += [f"%t = arith.truncf %r : f32 to {kind}", f"linalg.yield %t : {kind}"
                  ] if kind != "f32" else ["linalg.yield %r : f32"]
        self.lines += [
            f'%{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "{last}"]}}',
            f"  ins({', '.join('%' + one for one in operands)} : {', '.join(map(self.type_of, operands))}) "
            f"outs({out} : {self.type_of(name)}) {{", f"^bb0({heads}, %old: {kind}):", *("  " + one for one in lines),
            f"}} -> {self.type_of(name)}"
        ]
        return name

    def mean(self, operands, body):
        """The mean of what `body` computes along a row, as %mean: for the operations that are added to a body."""
        total = self.generic(operands, _EACH, "f32", [*body, "%r = arith.addf %old, %p : f32"], "%zero")
        return total, [
            f"%len = arith.constant {float(self.columns):e} : f32", f"%mean = arith.divf <{total}>, %len : f32"
        ]

    def text(self, arguments, results):
        head = ", ".join(f'%{name}: {self.type_of(name)} loc("{name}")' for name in arguments)
        types = ", ".join(map(self.type_of, results))
        lines = "".join(f"  {line}\n" for line in self.lines)
        return (f"func.func @rows({head}) -> ({types}) {{\n{lines}"
                f"  return {', '.join('%' + one for one in results)} : {types}\n}}\n")


def _affine(operands, weight, bias):
    """The lines that multiply %u by the weight and add the bias, and their operands."""
    lines = [f"%w = arith.mulf %u, <{'weight'}> : f32"
             ] if weight else ["%one = arith.constant 1.0 : f32", "%w = arith.mulf %u, %one : f32"]
    lines.append("%r = arith.addf %w, <bias> : f32" if bias else "%r = arith.addf %w, %none : f32")
    return [*operands, *["weight"] * weight, *["bias"] * bias], lines


def _rms_text(arguments, eps):
    module = _Module(arguments["x"].shape[1], arguments)
    kind, x, results = module.kinds["x"], "x", []
    if "residual" in arguments:
        x = module.generic(["x", "residual"], _ROWS, kind, ["%r = arith.addf <x>, <residual> : f32"])
        results = [x]
    total, mean = module.mean([x], [f"%p = arith.mulf <{x}>, <{x}> : f32"])
    operands, lines = _affine([x, total], "weight" in arguments, False)
    y = module.generic(operands, _ROWS, kind, [
        *mean, f"%eps = arith.constant {eps:e} : f32", "%none = arith.constant 0.0 : f32",
        "%v = arith.addf %mean, %eps : f32", "%s = math.rsqrt %v : f32", f"%u = arith.mulf <{x}>, %s : f32", *lines
    ])
    return module.text(arguments, [y, *results])


def _layer_text(arguments, eps):
    module = _Module(arguments["x"].shape[1], arguments)
    total, mean = module.mean(["x"], ["%zero_ = arith.constant 0.0 : f32", "%p = arith.addf <x>, %zero_ : f32"])
    centred = module.generic(["x", total], _ROWS, "f32", [*mean, "%r = arith.subf <x>, %mean : f32"])
    squares, variance = module.mean([centred], [f"%p = arith.mulf <{centred}>, <{centred}> : f32"])
    operands, lines = _affine([centred, squares], "weight" in arguments, "bias" in arguments)
    y = module.generic(operands, _ROWS, module.kinds["x"], [
        *variance, f"%eps = arith.constant {eps:e} : f32", "%none = arith.constant 0.0 : f32",
        "%v = arith.addf %mean, %eps : f32", "%s = math.rsqrt %v : f32", f"%u = arith.mulf <{centred}>, %s : f32",
        *lines
    ])
    return module.text(arguments, [y])


def _softmax_text(arguments, _):
    module = _Module(arguments["x"].shape[1], arguments)
    wide = module.generic(["x"], _ROWS, "f32", ["%c = arith.constant 0.0 : f32", "%r = arith.addf <x>, %c : f32"])
    into = module.empty(_ROWS, "f32")
    type_ = module.type_of(into)
    module.lines.append(
        f"%{into} = linalg.softmax dimension(1) ins(%{wide} : {type_}) outs(%{into}_ : {type_}) -> {type_}")
    y = module.generic([into], _ROWS, module.kinds["x"],
                       ["%c = arith.constant 1.0 : f32", f"%r = arith.mulf <{into}>, %c : f32"])
    return module.text(arguments, [y])


def _run(make, results, eps, **given):
    """The results, each of the sizes of x."""
    x = given["x"]
    if x.dtype not in _FLOATS:
        raise InputError(f"x: expected float32, float16 or bfloat16, got {x.dtype}")
    if not x.dim():
        raise InputError("x: expected at least one dimension, got none")
    if eps is not None and not 0 <= eps < math.inf:
        raise InputError(f"eps: expected a finite number of at least 0, got {eps}")
    arguments = {name: tensor for name, tensor in given.items() if tensor is not None}
    for name, tensor in arguments.items():
        wanted = x.shape[-1:] if name in ("weight", "bias") else x.shape
        if tensor.shape != wanted:
            raise InputError(f"{name}: expected shape {tuple(wanted)}, got {tuple(tensor.shape)}")
        if tensor.dtype not in _FLOATS or name == "residual" and tensor.dtype != x.dtype:
            raise InputError(
                f"{name}: expected {x.dtype if name == 'residual' else 'float32, float16 or bfloat16'}, got "
                f"{tensor.dtype}")
        if tensor.device != x.device:
            raise InputError(f"{name}: expected a tensor on {x.device}, as x is, got one on {tensor.device}")
    out = [torch.empty(x.shape, dtype=x.dtype, device=x.device) for _ in range(results)]
    if not x.numel():
        return out
    arguments = {
        name:
        _plans.aligned(tensor.contiguous().view(-1, x.shape[-1]) if name not in ("weight",
                                                                                 "bias") else tensor.contiguous())
        for name, tensor in arguments.items()
    }
    views = [(tensor, list(range(tensor.dim())))
             for tensor in (*arguments.values(), *(one.view(-1, x.shape[-1]) for one in out))]
    text = make(arguments, eps)
    if x.is_cuda:
        _plans.launch(text, views)
    else:
        _plans.emulate(text, views, results)
    return out


def rms_norm(x, weight=None, eps=1e-6):
    return _run(_rms_text, 1, eps, x=x, weight=weight)[0]


def add_rms_norm(x, residual, weight=None, eps=1e-6):
    return tuple(_run(_rms_text, 2, eps, x=x, residual=residual, weight=weight))


def layer_norm(x, weight=None, bias=None, eps=1e-5):
    return _run(_layer_text, 1, eps, x=x, weight=weight, bias=bias)[0]


def softmax(x):
    return _run(_softmax_text, 1, None, x=x)[0]


def _like(x, *_):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


define("rms_norm(Tensor x, Tensor? weight=None, float eps=1e-06) -> Tensor", rms_norm, _like)
define("add_rms_norm(Tensor x, Tensor residual, Tensor? weight=None, float eps=1e-06) -> (Tensor, Tensor)",
       add_rms_norm, lambda x, *_: (_like(x), _like(x)))
define("layer_norm(Tensor x, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor", layer_norm, _like)
define("softmax(Tensor x) -> Tensor", softmax, _like)

# Gradients, by torch's own kernels, in f32.


def _rows_sum(values, like):
    return values.reshape(-1, values.shape[-1]).sum(0).to(like.dtype)


def _norm_gradients(x, weight, gradient, eps, centred):
    """Of x, and the normalised x and the gradient in f32."""
    wide, gradient = x.float(), gradient.float()
    if centred:
        wide = wide - wide.mean(-1, keepdim=True)
    size = torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    normal = wide * size
    scaled = gradient if weight is None else gradient * weight.float()
    inner = scaled - normal * (scaled * normal).mean(-1, keepdim=True)
    if centred:
        inner = inner - scaled.mean(-1, keepdim=True)
    return inner * size, normal, gradient


def _save_rms(ctx, inputs, output):
    x, weight, ctx.eps = inputs
    ctx.save_for_backward(x, weight)


def _rms_backward(ctx, gradient):
    x, weight = ctx.saved_tensors
    result, normal, gradient = _norm_gradients(x, weight, gradient, ctx.eps, False)
    return result.to(x.dtype), None if weight is None else _rows_sum(gradient * normal, weight), None


def _save_add_rms(ctx, inputs, output):
    _, _, weight, ctx.eps = inputs
    ctx.save_for_backward(output[1], weight)


def _add_rms_backward(ctx, gradient, of_sum):
    x, weight = ctx.saved_tensors
    result, normal, gradient = _norm_gradients(x, weight, gradient, ctx.eps, False)
    result = (result + of_sum.float()).to(x.dtype)
    return result, result, None if weight is None else _rows_sum(gradient * normal, weight), None


def _save_layer(ctx, inputs, output):
    x, weight, bias, ctx.eps = inputs
    ctx.save_for_backward(x, weight, bias)


def _layer_backward(ctx, gradient):
    x, weight, bias = ctx.saved_tensors
    result, normal, gradient = _norm_gradients(x, weight, gradient, ctx.eps, True)
    return (result.to(x.dtype), None if weight is None else _rows_sum(gradient * normal, weight),
            None if bias is None else _rows_sum(gradient, bias), None)


def _save_softmax(ctx, inputs, output):
    ctx.save_for_backward(output)


def _softmax_backward(ctx, gradient):
    y, = ctx.saved_tensors
    wide, gradient = y.float(), gradient.float()
    return (wide * (gradient - (gradient * wide).sum(-1, keepdim=True))).to(y.dtype)


for _name, _backward, _save in (("rms_norm", _rms_backward, _save_rms), ("add_rms_norm", _add_rms_backward,
                                                                         _save_add_rms),
                                ("layer_norm", _layer_backward, _save_layer), ("softmax", _softmax_backward,
                                                                               _save_softmax)):
    torch.library.register_autograd(f"tc::{_name}", _backward, setup_context=_save, lib=library)
