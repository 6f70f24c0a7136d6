"""Operations of torch's dispatcher: `torch.ops.tc.product`, `.matmul`, `.attention`. CUDA tensors are computed on the
GPU, CPU tensors on the emulator."""
from __future__ import annotations

import math

import torch

from .._errors import InputError
from . import _plans, _text
from ._pointwise import Lines

library = torch.library.Library("tc", "DEF")
# Strides are part of what a kernel is compiled for.
_TAGS = (torch.Tag.needs_exact_strides, torch.Tag.pt2_compliant_tag)

# Products without D's letters in `dynamic` become kernels for any M when they came with this many.
MOST_ROWS = 8
_ROWS_SEEN: dict = {}


def define(schema, function, fake):
    name = schema.partition("(")[0]
    library.define(schema, tags=_TAGS)
    for device in ("CUDA", "CPU"):
        library.impl(name, function, device)
    torch.library.register_fake(f"tc::{name}", fake, lib=library)


# Products.


def _check_product(a, b, extras, along):
    if a.dim() not in (2, 3) or a.dim() != b.dim():
        raise InputError(
            f"a, b: expected two matrices or two batches of matrices, got {a.dim()} and {b.dim()} dimensions")
    if a.shape[-1] != b.shape[-2]:
        raise InputError(f"b: expected {a.shape[-1]} rows, as many as a has columns, got {b.shape[-2]}")
    if a.dim() == 3 and a.shape[0] != b.shape[0]:
        raise InputError(f"b: expected a batch of {a.shape[0]}, as a has, got {b.shape[0]}")
    if a.dtype != b.dtype:
        raise InputError(f"b: expected {a.dtype}, as a has, got {b.dtype}")
    if len(extras) != len(along):
        raise InputError(f"along: expected a letter for each of {len(extras)} extras, got '{along}'")
    sizes = [*a.shape[:-1], b.shape[-1]]
    for number, (tensor, place) in enumerate(zip(extras, along)):
        wanted = {"m": sizes[:-1], "n": sizes[-1:], "e": sizes}.get(place)
        if wanted is None:
            raise InputError(f"along: expected m, n or e, got '{place}'")
        if list(tensor.shape) != wanted:
            raise InputError(f"extras[{number}]: expected shape {tuple(wanted)}, got {tuple(tensor.shape)}")
    for tensor in (b, *extras):
        if tensor.device != a.device:
            raise InputError(f"expected tensors on {a.device}, as a is, got one on {tensor.device}")
    return sizes


def _order(tensor):
    """The dimensions of an operand so that the last one is contiguous, or None, and whether that swaps the last two."""
    rank = tensor.dim()
    strides = _text.strides_of(tensor)
    batch = list(range(rank - 2))
    if strides[-1] == 1:
        return [*batch, rank - 2, rank - 1], False
    if strides[-2] == 1:
        return [*batch, rank - 1, rank - 2], True
    return None, False


def operand(tensor, inner):
    """As a kernel can read it: with a contiguous dimension, in aligned memory, each matrix at a place of its own. That
    of elements of a byte, `inner`, is K."""
    if tensor.element_size() == 1 and _text.strides_of(tensor)[inner] != 1:
        tensor = tensor.transpose(-1, inner).contiguous().transpose(-1, inner)
    if _order(tensor)[0] is None or tensor.dim() == 3 and tensor.stride(0) == 0 and tensor.shape[0] > 1:
        tensor = tensor.contiguous()
    return _plans.aligned(tensor)


def _extra(tensor, place):
    dense = tensor.stride(-1) == 1 if place == "e" else tensor.is_contiguous()
    return _plans.aligned(tensor if dense else tensor.contiguous())


def _product_views(a, b, extras, along, d, dynamic):
    """(text, (tensor, order) of each argument)."""
    batch = [0] * (a.dim() - 2)
    letters_of = {"a": "mk", "b": "kn", "m": "m", "n": "n", "e": "mn"}

    def dims(kind):
        letters = ("b" if batch and kind != "n" else "") + letters_of[kind]
        return {dim for dim, letter in enumerate(letters) if letter in dynamic}

    (a_order, a_swapped), (b_order, b_swapped) = _order(a), _order(b)
    plain = [list(range(one.dim())) for one in extras]
    layouts = [_text.layout_of("a", a, a_order, dims("a")), _text.layout_of("b", b, b_order, dims("b"))]
    more = [
        _text.layout_of(f"extras[{number}]", one, order, dims(place))
        for number, (one, order, place) in enumerate(zip(extras, plain, along))
    ]
    d_order = list(range(d.dim()))
    d_layout = _text.layout_of("dtype", d, d_order, dims("e"))
    views = [(a, a_order), (b, b_order), *zip(extras, plain), (d, d_order)]
    return layouts, (a_swapped, b_swapped), more, d_layout, views


def _letters_for(a, b, dynamic):
    """`dynamic`, or m where a product came with many numbers of rows."""
    if dynamic:
        return dynamic
    seen = _ROWS_SEEN.setdefault((a.shape[:-2], a.shape[-1], b.shape[-1], a.dtype, a.stride(-1) == 1), set())
    if len(seen) < MOST_ROWS:
        seen.add(a.shape[-2])
        return ""
    # A kernel for any M needs rows at multiples of 16 bytes.
    fits = a.stride(-1) == 1 and a.shape[-1] * a.element_size() % 16 == 0
    return "m" if a.shape[-2] not in seen and fits else ""


def product(a, b, extras, along, body, dtype, dynamic, out=None):
    if not a.is_cuda:
        return _product_slowly(None, a, b, extras, along, body, dtype, dynamic, out)
    # The usual case, which launches what was prepared for tensors like these; what they are is part of the key.
    device = a.get_device()
    key = (device, b.get_device(), a.shape, a.stride(), b.shape, b.stride(), a.dtype, b.dtype, dtype, body, along)
    for one in extras:
        key += one.shape, one.stride(), one.dtype, one.get_device()
    if out is not None:
        key += out.shape, out.stride(), out.dtype, out.get_device()
    prepared = _plans.PREPARED.get(key)
    if prepared is not None:
        d = a.new_empty(prepared.sizes, dtype=dtype) if out is None else out
        addresses = [a.data_ptr(), b.data_ptr()]
        for one in extras:
            addresses.append(one.data_ptr())
        addresses.append(d.data_ptr())
        if prepared.launch(addresses):
            return d
    return _product_slowly(key, a, b, extras, along, body, dtype, dynamic, out)


def _product_slowly(key, a, b, extras, along, body, dtype, dynamic, out):
    """Checks and prepares; copies operands that no kernel can read."""
    sizes = _check_product(a, b, extras, along)
    d = torch.empty(sizes, dtype=dtype, device=a.device) if out is None else out
    if list(d.shape) != sizes or d.dtype != dtype or d.device != a.device or d.stride(-1) != 1:
        raise InputError(
            f"out: expected shape {tuple(sizes)} of {dtype} on {a.device} with rows of contiguous elements, got "
            f"{tuple(d.shape)} of {d.dtype} on {d.device} with strides {d.stride()}")
    if not d.numel():
        return d
    given = [a, b, *extras]
    a, b = operand(a, -1), operand(b, -2)
    extras = [_extra(tensor, place) for tensor, place in zip(extras, along)]
    layouts, swapped, more, d_layout, views = _product_views(a, b, extras, along, d, _letters_for(a, b, dynamic))
    text = _text.product_text(*layouts, swapped, more, along, body, d_layout)
    if d.is_cuda:
        read = [a, b, *extras]
        unchanged = all(one is other for one, other in zip(read, given))
        _plans.launch(text, views, key if unchanged else None)
    else:
        _plans.emulate(text, views, 1)
    return d


def _product_fake(a, b, extras, along, body, dtype, dynamic):
    return a.new_empty([*a.shape[:-1], b.shape[-1]], dtype=dtype)


define("product(Tensor a, Tensor b, Tensor[] extras, str along, str body, ScalarType dtype, str dynamic) -> Tensor",
        product, _product_fake)

# Products with an epilogue that has a name.

# Name -> (on lines of an epilogue, on tensors).
EPILOGUES = {
    "none": (lambda lines, x: x, lambda x: x),
    "relu": (lambda lines, x: lines.clamp(x, 0.0), torch.nn.functional.relu),
    "gelu": (lambda lines, x: lines.gelu(x), torch.nn.functional.gelu),
    "gelu_tanh": (lambda lines, x: lines.gelu(x, "tanh"), lambda x: torch.nn.functional.gelu(x, approximate="tanh")),
    "silu": (lambda lines, x: lines.mul(x, lines.sigmoid(x)), torch.nn.functional.silu),
    "sigmoid": (lambda lines, x: lines.sigmoid(x), torch.sigmoid),
    "tanh": (lambda lines, x: lines.unary("math.tanh", x), torch.tanh),
}


def torch_activation(name: str):
    return EPILOGUES[name][1]


_BODIES: dict = {}


def body_of(epilogue: str, has_bias: bool) -> str:
    if epilogue not in EPILOGUES:
        raise InputError(f"epilogue: expected one of {', '.join(EPILOGUES)}, got '{epilogue}'")
    lines = Lines()
    value = lines.add("%acc", "%x0") if has_bias else "%acc"
    value = EPILOGUES[epilogue][0](lines, value)
    return "; ".join([*lines.lines, f"yield {value}"]) if lines.lines else ""


def matmul(a, b, bias=None, epilogue="none", dtype=None, out=None):
    """What `torch.ops.tc.matmul` does, without the dispatcher."""
    body = _BODIES.get((epilogue, bias is None))
    if body is None:
        body = _BODIES[epilogue, bias is None] = body_of(epilogue, bias is not None)
    if a.dtype is torch.float32 and not _plans.takes_f32():
        raise InputError("a: expected f16, bf16, fp8, or f32 that may be rounded to tf32 "
                         '(torch.set_float32_matmul_precision("high"), or tc.torch.options(f32="tf32")), got f32')
    if bias is None:
        return product(a, b, (), "", body, dtype or a.dtype, "", out)
    if bias.dim() != 1:
        raise InputError(f"bias: expected a vector of {b.shape[-1]} elements, got {bias.dim()} dimensions")
    return product(a, b, (bias, ), "n", body, dtype or a.dtype, "", out)


def _shares_memory(tensor, other) -> bool:
    """Whether dense tensors overlap; rows between those of another are not looked for."""
    ends = [one.data_ptr() + one.numel() * one.element_size() for one in (tensor, other)]
    return (tensor.data_ptr() < ends[1] and other.data_ptr() < ends[0]
            and all(torch.ops.aten.is_non_overlapping_and_dense(one) for one in (tensor, other)))


def _matmul_out(a, b, bias, epilogue, out):
    fits = out.shape[-2:] == (*a.shape[-2:-1], b.shape[-1])
    if fits and any(_shares_memory(out, one) for one in (a, b, bias) if one is not None):
        raise InputError("out: expected memory that no operand has")
    matmul(a, b, bias, epilogue, out.dtype, out)


def _matmul_fake(a, b, bias=None, epilogue="none", dtype=None):
    return a.new_empty([*a.shape[:-1], b.shape[-1]], dtype=dtype or a.dtype)


define('matmul(Tensor a, Tensor b, Tensor? bias=None, str epilogue="none", ScalarType? dtype=None) -> Tensor', matmul,
        _matmul_fake)
define('matmul_out(Tensor a, Tensor b, Tensor? bias, str epilogue, Tensor(a!) out) -> ()', _matmul_out,
        lambda *_: None)


def _matmul_context(ctx, inputs, output):
    a, b, bias, epilogue, _ = inputs
    ctx.epilogue, ctx.has_bias = epilogue, bias is not None
    ctx.bias_dtype = bias.dtype if bias is not None else None
    ctx.save_for_backward(a, b, bias)


def _matmul_backward(context, gradient):
    a, b, bias = context.saved_tensors
    if context.epilogue != "none":
        # The sums are computed again rather than kept.
        sums = _differentiable_matmul(a, b, bias, "none", torch.float32)
        again = torch.is_grad_enabled() and sums.requires_grad  # derivatives of these gradients are asked for
        with torch.enable_grad():
            sums = sums if again else sums.detach().requires_grad_()
            gradient = torch.autograd.grad(torch_activation(context.epilogue)(sums), sums,
                                           gradient.to(torch.float32), create_graph=again)[0]
    gradient = gradient.to(a.dtype)
    needs = context.needs_input_grad
    d_a = _differentiable_matmul(gradient, b.transpose(-1, -2)) if needs[0] else None
    d_b = _differentiable_matmul(a.transpose(-1, -2), gradient) if needs[1] else None
    d_bias = None
    if context.has_bias and needs[2]:
        d_bias = gradient.sum(tuple(range(gradient.dim() - 1)), dtype=torch.float32).to(context.bias_dtype)
    return d_a, d_b, d_bias, None, None


torch.library.register_autograd("tc::matmul", _matmul_backward, setup_context=_matmul_context, lib=library)


def is_transformed() -> bool:
    """Whether torch.func or forward-mode derivatives are at work, which know functions, not operations."""
    return torch._C._functorch.peek_interpreter_stack() is not None or torch.autograd.forward_ad._current_level >= 0


class MatmulFunction(torch.autograd.Function):
    generate_vmap_rule = True
    forward, setup_context = staticmethod(torch.ops.tc.matmul), staticmethod(_matmul_context)
    backward = staticmethod(_matmul_backward)


def _differentiable_matmul(a, b, bias=None, epilogue="none", dtype=None):
    call = MatmulFunction.apply if is_transformed() else torch.ops.tc.matmul
    return call(a, b, bias, epilogue, dtype)

# Attention.


def _check_attention(q, k, v, scale, bias):
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        if tensor.dim() != 4:
            raise InputError(f"{name}: expected batch x heads x rows x columns, got {tensor.dim()} dimensions")
        if tensor.dtype not in (torch.bfloat16, torch.float16) or tensor.dtype != q.dtype:
            raise InputError(f"{name}: expected bfloat16 or float16, all the same, got {tensor.dtype}")
        if tensor.device != q.device:
            raise InputError(f"{name}: expected a tensor on {q.device}, as q is, got one on {tensor.device}")
    if k.shape[-1] != q.shape[-1]:
        raise InputError(f"k: expected {q.shape[-1]} columns, as q has, got {k.shape[-1]}")
    if v.shape[:3] != k.shape[:3] or k.shape[0] != q.shape[0]:
        raise InputError(
            f"v: expected batch, heads and rows of k, and the batch of q, got {tuple(v.shape)} beside {tuple(k.shape)}")
    if not k.shape[1] or q.shape[1] % k.shape[1]:
        raise InputError(f"k: expected heads that divide the {q.shape[1]} of q, got {k.shape[1]}")
    for name, tensor in (("q", q), ("v", v)):
        if tensor.shape[-1] % 8 or not 0 < tensor.shape[-1] <= 256:
            raise InputError(f"{name}: expected columns in multiples of 8 to 256, got {tensor.shape[-1]}")
    if scale is not None and not 0 < scale < math.inf:
        raise InputError(f"scale: expected a finite number above 0, got {scale}")
    if bias is not None:
        _check_bias(bias, q, (*q.shape[:3], k.shape[2]))


def _check_bias(bias, q, sizes):
    if bias.dtype not in (torch.float32, torch.bfloat16, torch.float16):
        raise InputError(f"bias: expected float32, bfloat16 or float16, got {bias.dtype}")
    if bias.device != q.device:
        raise InputError(f"bias: expected a tensor on {q.device}, as q is, got one on {bias.device}")
    if bias.dim() > 4 or any(size not in (1, whole) for size, whole in zip(reversed(bias.shape), reversed(sizes))):
        raise InputError(f"bias: expected a shape that broadcasts to {tuple(sizes)}, got {tuple(bias.shape)}")


def order_of(tensor) -> list[int]:
    """The dimensions of a tensor in memory, outermost first, the last one last."""
    strides = tensor.stride()
    return [*sorted(range(tensor.dim() - 1), key=lambda dim: strides[dim], reverse=True), tensor.dim() - 1]


def _attention_outputs(q, v, order):
    """O has its dimensions in memory in `order`, by default that of Q's."""
    sizes = [*q.shape[:3], v.shape[-1]]
    order = order or order_of(q)
    o = q.new_empty([sizes[dim] for dim in order]).permute([order.index(dim) for dim in range(4)])
    return o, q.new_empty(sizes[:3], dtype=torch.float32)


def _attention_operand(tensor):
    """As TMA can read it: contiguous rows at multiples of 16 bytes, each at a place of its own."""
    steps = [stride for stride, size in zip(tensor.stride()[:-1], tensor.shape) if size > 1]
    fits = tensor.stride(-1) == 1 and all(step and step * tensor.element_size() % 16 == 0 for step in steps)
    return _plans.aligned(tensor if fits else tensor.contiguous())


def _bias_operand(bias, keys):
    """With four dimensions, of one element where all have the same, and contiguous rows of all keys."""
    bias = bias[(None, ) * (4 - bias.dim())]
    for dim in range(3):
        if not bias.stride(dim) and bias.shape[dim] > 1:
            bias = bias.narrow(dim, 0, 1)
    if bias.shape[-1] != keys or bias.stride(-1) != 1:
        bias = bias.expand(*bias.shape[:3], keys).contiguous()
    return _plans.aligned(bias)


def _attention(q, k, v, causal=False, scale=None, dynamic="", order=None, bias=None):
    biases = [] if bias is None else [bias]
    key = ("attention", q.shape, q.stride(), k.shape, k.stride(), v.shape, v.stride(), q.dtype, k.dtype, v.dtype,
           q.device, k.device, v.device, causal, scale, tuple(order or ()),
           *((one.shape, one.stride(), one.dtype, one.device) for one in biases))
    prepared = _plans.PREPARED.get(key) if q.is_cuda else None
    if prepared is not None:
        o, lse = _attention_outputs(q, v, order)
        if prepared.launch([one.data_ptr() for one in (q, k, v, *biases, o, lse)]):
            return o, lse
    _check_attention(q, k, v, scale, bias)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    o, lse = _attention_outputs(q, v, order)
    given = q, k, v, *biases
    if not o.numel():
        return o, lse
    if not k.shape[2]:
        return o.zero_(), lse.fill_(-math.inf)
    if k.stride(1) == v.stride(1) == 0 and "g" not in dynamic:
        k, v = k[:, :1], v[:, :1]  # heads that are one
    q, k, v = map(_attention_operand, (q, k, v))
    biases = [_bias_operand(one, k.shape[2]) for one in biases]

    letters = {"q": "bhme", "k": "bgne", "v": "bgnf", **({"bias": "bhmn"} if biases else {}), "o": "bhmf", "lse": "bhm"}
    views = [(one, list(range(one.dim()))) for one in (q, k, v, *biases, o, lse)]
    layouts = {
        name:
        _text.layout_of(
            name, tensor, order, {
                dim
                for dim, letter in enumerate(letters[name])
                if letter in dynamic and not (name == "bias" and dim < 3 and tensor.shape[dim] == 1)
            })
        for name, (tensor, order) in zip(letters, views)
    }
    text = _text.attention_text(**{"bias": None, **layouts}, scale=scale, causal=causal)
    if q.is_cuda:
        _plans.launch(text, views, key if all(one is other for one, other in zip(given, (q, k, v, *biases))) else None)
    else:
        _plans.emulate(text, views, 2)
    return o, lse


def _attention_fake(q, k, v, causal=False, scale=None, dynamic="", order=None, bias=None):
    return _attention_outputs(q, v, order)


define(
    "attention(Tensor q, Tensor k, Tensor v, bool causal=False, float? scale=None, str dynamic='', "
    "int[]? order=None, Tensor? bias=None) -> (Tensor, Tensor)", _attention, _attention_fake)


def _attention_context(ctx, inputs, output):
    q, k, v, ctx.causal, ctx.scale, ctx.dynamic, _, bias = inputs
    ctx.biased = bias is not None
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(q, k, v, *output)


def _attention_backward(context, gradient, _):
    if context.biased:
        raise InputError("bias: attention has no gradients with a bias")
    return (*torch.ops.tc.attention_backward(gradient, *context.saved_tensors, context.causal, context.scale,
                                             context.dynamic), None, None, None, None, None)


def _as_ordered(tensor, like):
    """`tensor` with its dimensions in memory in the order of those of `like`."""
    order = order_of(like)
    if order_of(tensor) == order and tensor.permute(order).is_contiguous():
        return tensor
    return tensor.permute(order).contiguous().permute([order.index(dim) for dim in range(4)])


def _has_cudnn(q) -> bool:
    return (hasattr(torch.ops.aten, "_scaled_dot_product_cudnn_attention_backward")
            and torch.backends.cuda.cudnn_sdp_enabled() and torch.backends.cudnn.is_available() and q.shape[-1] <= 128
            and torch.cuda.get_device_capability(q.device)[0] >= 9)


# Chips with kernels for the gradients, and how many columns of Q and V together registers hold sums for.
CHIPS_WITH_GRADIENTS = ("sm_90a", "sm_100a", "sm_103a")
MOST_GRADIENT_COLUMNS = 384


def _gradients(q, k, v):
    """Tensors of the gradients of Q, K and V, with their dimensions in memory in the order of those of theirs."""

    def like(tensor):
        order = order_of(tensor)
        return tensor.new_empty([tensor.shape[dim] for dim in order]).permute([order.index(dim) for dim in range(4)])

    return like(q), like(k), like(v)


def _has_gradients(q, v) -> bool:
    """Whether tc has kernels for the gradients of attention of such tensors."""
    return (_plans.target(q.device) in CHIPS_WITH_GRADIENTS
            and q.shape[-1] + v.shape[-1] <= MOST_GRADIENT_COLUMNS)


def _backward(gradient, q, k, v, o, lse, causal, scale, dynamic=""):
    """By tc's kernels where it has them, else by torch's own."""
    if not _has_gradients(q, v):
        return _backward_by_torch(gradient, q, k, v, o, lse, causal, scale)
    results = d_q, d_k, d_v = _gradients(q, k, v)
    if not q.numel() or not k.numel():
        return d_q.zero_(), d_k.zero_(), d_v.zero_()
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    operands = [*map(_attention_operand, (gradient, q, k, v, o)), lse, torch.empty_like(lse), *results]
    letters = dict(gradient="bhmf", q="bhme", k="bgne", v="bgnf", o="bhmf", lse="bhm", delta="bhm", dq="bhme", dk="bgne",
                   dv="bgnf")
    views = [(one, list(range(one.dim()))) for one in operands]
    layouts = [
        _text.layout_of(name, tensor, order, {dim
                                              for dim, letter in enumerate(letters[name]) if letter in dynamic})
        for name, (tensor, order) in zip(letters, views)
    ]
    text = _text.attention_backward_text(*layouts, scale, causal)
    if q.is_cuda:
        _plans.launch(text, views)
    else:
        _plans.emulate(text, views, 4)
    return results


def _backward_by_torch(gradient, q, k, v, o, lse, causal, scale):
    """From the sums that the forward pass kept. Torch's kernels want as many columns of V as of Q (zeros change nothing),
    in contiguous rows."""
    given, scale = (q, k, v), 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    columns = max(q.shape[-1], v.shape[-1])
    gradient, q, k, v, o = (torch.nn.functional.pad(one, (0, columns - one.shape[-1])) if one.shape[-1] < columns else
                            one if one.stride(-1) == 1 else one.contiguous() for one in (gradient, q, k, v, o))
    groups = q.shape[1] // k.shape[1]
    uses_cudnn = q.is_cuda and _has_cudnn(q)
    if uses_cudnn:
        groups = 1  # it knows about heads that share keys
    wide_k, wide_v = (k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)) if groups > 1 else (k, v)
    sizes = q.shape[2], k.shape[2]
    if not q.is_cuda:
        result = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
            gradient, q, wide_k, wide_v, o, lse, 0.0, causal, scale=scale)
    else:
        seed = torch.zeros(2, dtype=torch.int64, device=q.device)
        if uses_cudnn:
            result = torch.ops.aten._scaled_dot_product_cudnn_attention_backward(gradient, q, k, v, o,
                                                                                 lse.unsqueeze(-1), seed[0], seed[1],
                                                                                 None, None, None, *sizes, 0.0, causal,
                                                                                 scale=scale)
        else:
            result = torch.ops.aten._scaled_dot_product_flash_attention_backward(gradient, q, wide_k, wide_v, o, lse,
                                                                                 None, None, *sizes, 0.0, causal,
                                                                                 seed.to(torch.uint64), seed,
                                                                                 scale=scale)
    d_q, d_k, d_v = result
    if groups > 1:
        d_k, d_v = (one.unflatten(1, (-1, groups)).sum(2) for one in (d_k, d_v))
    return tuple(_as_ordered(one[..., :like.shape[-1]], like) for one, like in zip((d_q, d_k, d_v), given))


def _backward_fake(gradient, q, k, v, *_):
    return _gradients(q, k, v)


define(
    "attention_backward(Tensor gradient, Tensor q, Tensor k, Tensor v, Tensor o, Tensor lse, bool causal, "
    "float? scale, str dynamic='') -> (Tensor, Tensor, Tensor)", _backward, _backward_fake)
torch.library.register_autograd("tc::attention", _attention_backward, setup_context=_attention_context, lib=library)


class AttentionFunction(torch.autograd.Function):
    generate_vmap_rule = True
    forward, setup_context = staticmethod(torch.ops.tc.attention), staticmethod(_attention_context)
    backward = staticmethod(_attention_backward)

# Autocast: as torch.matmul and scaled_dot_product_attention.


def _autocast(op, device: str, tensors: int):
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, f"Autocast{device}"))

    def run(*arguments, **named):
        dtype = torch.get_autocast_dtype(device.lower())
        wide = (torch.float32, torch.float16, torch.bfloat16)
        cast = [
            one.to(dtype) if place < tensors and isinstance(one, torch.Tensor) and one.dtype in wide else one
            for place, one in enumerate(arguments)
        ]
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return op(*cast, **named)

    return run


for _device in ("CUDA", "CPU"):
    library.impl("matmul", _autocast(torch.ops.tc.matmul, _device, 3), f"Autocast{_device}")
    library.impl("attention", _autocast(torch.ops.tc.attention, _device, 3), f"Autocast{_device}")
