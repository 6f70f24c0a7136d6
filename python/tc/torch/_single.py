"""Operations of a graph that become one of tc each: attention, products with scale factors, convolutions."""
from __future__ import annotations

import math

import torch

from ._nodes import is_same, is_static, value_of
from ._ops import order_of
from ._pointwise import FLOATS

aten = torch.ops.aten

# Attention as torch's dispatcher has chosen a kernel of it; which of the outputs hold something that tc's operation
# has, too.
ATTENTION = {
    aten._scaled_dot_product_flash_attention.default: {0, 1},
    aten._scaled_dot_product_flash_attention_for_cpu.default: {0, 1},
    aten._scaled_dot_product_cudnn_attention.default: {0, 1},
    aten._scaled_dot_product_efficient_attention.default: {0}
}
CHIPS_WITH_ATTENTION = ("sm_90a", "sm_100a", "sm_103a")


def attention_refusal(q, k, v, scale, chip) -> str:
    """Why tc has no kernel for attention of such tensors; "" where it has one."""
    if q.dim() != 4:
        return f"attention of {q.dim()} dimensions, expected 4"
    if q.dtype not in (torch.bfloat16, torch.float16):
        return f"attention of {str(q.dtype).rpartition('.')[2]}, expected bfloat16 or float16"
    columns = [q.shape[-1], v.shape[-1]]
    if not all(is_static(size) and size % 8 == 0 and 0 < size <= 256 for size in columns):
        return f"attention of {columns[0]} and {columns[1]} columns, expected multiples of 8 to 256"
    shapes = [tuple(one.shape) for one in (q, k, v)]
    heads, groups = q.shape[1], k.shape[1]
    fit = all(is_same(one, other) for one, other in zip((*k.shape[:3], k.shape[0]), (*v.shape[:3], q.shape[0])))
    if not fit or not (is_same(heads, groups) or is_static(heads) and is_static(groups) and groups
                       and heads % groups == 0):
        return f"attention of shapes {', '.join(map(str, shapes))}, expected one batch and heads of k that divide q's"
    if not isinstance(scale, (int, float, type(None))):
        return "attention with a scale that only the run knows"
    if scale is not None and not 0 < scale < math.inf:
        return f"attention with a scale of {scale}, expected a finite number above 0"
    if chip not in CHIPS_WITH_ATTENTION:
        return f"attention on {chip}, expected one of {', '.join(CHIPS_WITH_ATTENTION)}"
    return ""


def attention_letters(q, k) -> str:
    """The sizes that only the run knows, as tc.attention has them."""
    sizes = (*zip("bhm", q.shape), ("g", k.shape[1]), ("n", k.shape[2]))
    return "".join(letter for letter, size in sizes if not is_static(size))


def _arguments_of(node):
    """The arguments of an operation by name, defaults included."""
    schema = node.target._schema.arguments
    given = {one.name: one.default_value for one in schema if one.has_default_value()}
    return {**given, **dict(zip((one.name for one in schema), node.args)), **node.kwargs}


def take_attention(graph, node, chip) -> str:
    """Replaces a kernel of torch for attention, or says why not."""
    given = _arguments_of(node)
    tensors = [given[name] for name in ("query", "key", "value")]
    q, k, v = map(value_of, tensors)
    if given.get("dropout_p"):
        return "attention with dropout"
    bias = given.get("attn_mask") if given.get("attn_mask") is not None else given.get("attn_bias")
    if bias is not None and value_of(bias).dtype not in (torch.float32, torch.bfloat16, torch.float16):
        return f"attention with a mask of {str(value_of(bias).dtype).rpartition('.')[2]}"
    if reason := attention_refusal(q, k, v, given.get("scale"), chip):
        return reason
    # Seeds of dropout are read by torch's backward pass, which without dropout ignores them.
    seeds = {one for one in node.users if one.args[1] not in ATTENTION[node.target]}
    if any(value_of(one) is None or one.args[1] not in (6, 7) or 1 not in ATTENTION[node.target] for one in seeds):
        return f"{node.target}: outputs {', '.join(sorted(str(one.args[1]) for one in seeds))} are used"
    # Views of the result were made for the strides that torch's kernel gives it.
    order = order_of(value_of(node)[0])
    with graph.inserting_before(node):
        call = graph.call_function(
            torch.ops.tc.attention.default,
            (*tensors, bool(given.get("is_causal", False)), given.get("scale"), attention_letters(q, k), order, bias))
        call.meta = {**node.meta, "val": tuple(node.meta["val"][:2])}
    for one in list(node.users):
        if one in seeds:
            with graph.inserting_before(one):
                value = value_of(one)
                made = graph.call_function(aten.full.default, (list(value.shape), 0), {
                    "dtype": value.dtype,
                    "device": value.device
                })
                made.meta = dict(one.meta)
            one.replace_all_uses_with(made)
            graph.erase_node(one)
            continue
        one.args = (call, one.args[1])
        if one.args[1] == 1 and value_of(one).dim() == 4:  # cuDNN has a dimension more
            sums = value_of(one)
            with graph.inserting_after(one):
                made = graph.call_function(aten.unsqueeze.default, (one, 3))
            made.meta = {**one.meta, "val": sums}
            one.replace_all_uses_with(made, lambda user: user is not made)
            one.meta = {**one.meta, "val": sums.squeeze(3)}
    graph.erase_node(node)
    return ""


def take_scaled(graph, node, chip) -> str:
    """Replaces a product with scale factors, or says why not."""
    given = _arguments_of(node)
    if value_of(node).dtype not in FLOATS or given["scale_result"] is not None:
        return "a product with a factor of its result"
    if chip == "sm_90a" and not given["use_fast_accum"]:
        return "fp8 without use_fast_accum, which wgmma sums in fewer bits than f32"
    if any(not is_static(size) for one in (given["self"], given["mat2"]) for size in value_of(one).shape):
        return "a product with scale factors of sizes that only the run knows"
    with graph.inserting_before(node):
        made = graph.call_function(torch.ops.tc.scaled_matmul.default,
                                   (*(given[name] for name in ("self", "mat2", "scale_a", "scale_b", "bias")),
                                    value_of(node).dtype))
    made.meta = dict(node.meta)
    node.replace_all_uses_with(made)
    graph.erase_node(node)
    return ""


def take_convolution(graph, node, chip) -> str:
    """Replaces a convolution, or says why not."""
    given = _arguments_of(node)
    tensors = [given[name] for name in ("input", "weight", "bias")]
    x, d = value_of(tensors[0]), value_of(node)
    if d.dim() != 4 or given["transposed"] or given["groups"] != 1 or any(given["output_padding"]):
        return "a convolution that is transposed, in groups or not of images"
    if x.dtype not in (torch.bfloat16, torch.float16):
        return f"a convolution of {str(x.dtype).rpartition('.')[2]}"
    if not all(is_static(size) for size in (*x.shape, *d.shape)):
        return "a convolution of sizes that only the run knows"
    if not d.is_contiguous(memory_format=torch.channels_last):
        return "a convolution that is not in torch.channels_last"
    with graph.inserting_before(node):
        made = graph.call_function(torch.ops.tc.conv2d.default,
                                   (*tensors, *(given[name] for name in ("stride", "padding", "dilation"))))
    made.meta = dict(node.meta)
    node.replace_all_uses_with(made)
    graph.erase_node(node)
    return ""
