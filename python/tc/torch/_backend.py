"""`torch.compile(model, backend="tc")`: what tc takes of a graph becomes its kernels, Inductor compiles the rest."""
from __future__ import annotations

import functools
import logging
import operator

import torch
from torch._inductor.compile_fx import compile_fx, compile_fx_inner

from .._errors import InputError
from . import _ops, _plans, _regions, _single  # noqa: F401  (_ops defines the operations)

log = logging.getLogger("tc.torch")
REST = ("inductor", "eager")
summaries: list = []  # of the graphs that were compiled, see `report`


def _attention_arguments(node):
    """Arguments of scaled_dot_product_attention by name, or the reason why tc does not take it."""
    names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
    given = {
        "attn_mask": None,
        "dropout_p": 0.0,
        "is_causal": False,
        "scale": None,
        **dict(zip(names, node.args)),
        **node.kwargs
    }
    tensors = [given[name].meta.get("example_value") for name in names[:3]]
    if given["dropout_p"] != 0.0:
        return given, "dropout"
    if not isinstance(given["is_causal"], bool) or isinstance(given["scale"], torch.fx.Node):
        return given, "arguments that only the run knows"
    if any(one is None or one.dim() != 4 for one in tensors):
        return given, "expected 4 dimensions"
    q, k, v = tensors
    if torch.is_autocast_enabled(q.device.type):
        return given, "autocast decides about types later"
    mask = given["attn_mask"]
    if mask is not None:
        mask = mask.meta.get("example_value") if isinstance(mask, torch.fx.Node) else None
        if mask is None or mask.dtype not in (torch.bool, q.dtype):
            return given, "a mask of another type"
        if any(one.requires_grad for one in (*tensors, mask)):
            return given, "a mask and gradients"
    return given, _single.attention_refusal(q, k, v, given["scale"], _plans.target(q.device))


def _bias_of(graph, mask, dtype):
    """What is added to the scores where `mask` of truth values is false: -inf."""
    kept = graph.call_method("logical_not", (mask, ))
    zeros = graph.call_function(torch.zeros_like, (mask, ), {"dtype": dtype})
    return graph.call_method("masked_fill", (zeros, kept, float("-inf")))


def take_attention(module):
    """Replaces torch's attention in a graph of Dynamo by tc's, before gradients are made."""
    for node in list(module.graph.nodes):
        if node.op != "call_function" or getattr(node.target, "__name__", "") != "scaled_dot_product_attention":
            continue
        given, reason = _attention_arguments(node)
        if reason:
            log.info("left %s: %s", node.name, reason)
            continue
        tensors = [given[name] for name in ("query", "key", "value")]
        letters = _single.attention_letters(*(one.meta["example_value"] for one in tensors[:2]))
        mask = given["attn_mask"]
        with module.graph.inserting_before(node):
            if mask is not None and mask.meta["example_value"].dtype == torch.bool:
                mask = _bias_of(module.graph, mask, tensors[0].meta["example_value"].dtype)
            made = module.graph.call_function(torch.ops.tc.attention.default,
                                              (*tensors, given["is_causal"], given["scale"], letters, None, mask))
            result = module.graph.call_function(operator.getitem, (made, 0))
        result.meta = dict(node.meta)
        node.replace_all_uses_with(result)
        module.graph.erase_node(node)
        log.info("took %s", node.name)
    module.recompile()


def _device_of(inputs):
    return next((one.device for one in inputs if isinstance(one, torch.Tensor)), torch.device("cpu"))


def _compile_graph(module, inputs, rest, convolutions, **options):
    summary = _regions.rewrite(module.graph, _plans.target(_device_of(inputs)), convolutions)
    module.recompile()
    summaries.append(summary)
    log.info("%.1f %% of %.3g operations, %d others fused", 100 * summary.taken / max(summary.total, 1), summary.total,
             summary.fused)
    if rest == "inductor":
        return compile_fx_inner(module, inputs, **options)

    def run(arguments):
        arguments_list = list(arguments)
        arguments.clear()
        return module(*arguments_list)

    run._boxed_call = True
    return run


def backend(module, inputs, *, options=None, mode=None):
    """The backend "tc" of torch.compile. `options`: "rest", who compiles what tc does not take: "inductor" (default) or
    "eager"; "convolutions", whether tc takes those of images, too (false: cuDNN's are faster); all others are Inductor's
    (torch._inductor.list_options()). `mode` is Inductor's, too."""
    chosen = dict(options or {})
    rest = chosen.pop("rest", "inductor")
    convolutions = chosen.pop("convolutions", False)
    if rest not in REST:
        raise InputError(f"rest: expected one of {', '.join(REST)}, got '{rest}'")
    patches = {**(torch._inductor.list_mode_options().get(mode, {}) if mode else {}), **chosen}
    take_attention(module)
    inner = functools.partial(_compile_graph, rest=rest, convolutions=convolutions)
    # torch's cache of whole graphs knows nothing of the backend: it would give this graph to Inductor, and Inductor's
    # to this one. That of what Inductor compiles, whose key has tc's operations in it, stays.
    with torch._functorch.config.patch(enable_autograd_cache=False):
        return compile_fx(module, inputs, inner_compile=inner, config_patches=patches or None)


def report(reset: bool = False) -> str:
    """What tc took of the graphs that were compiled so far: its share of the operations of products, convolutions and
    attention, and the reasons for the rest, the largest first. `reset` forgets them."""
    taken, total = sum(one.taken for one in summaries), sum(one.total for one in summaries)
    reasons = {}
    for one in summaries:
        for reason, count in one.refused.items():
            reasons[reason] = reasons.get(reason, 0) + count
    lines = [
        f"{100 * taken / max(total, 1):.1f} % of {total:.3g} operations in {len(summaries)} graphs, "
        f"{sum(one.fused for one in summaries)} elementwise operations fused"
    ]
    lines += [
        f"{100 * count / max(total, 1):5.1f} %  {reason}"
        for reason, count in sorted(reasons.items(), key=lambda one: -one[1])
    ]
    if reset:
        summaries.clear()
    return "\n".join(lines)
