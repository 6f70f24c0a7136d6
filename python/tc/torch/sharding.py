"""How tensors that are spread over GPUs (DTensor) go through tc's operations: import this once.

A model that torch parallelises (`parallelize_module`, FSDP) needs none of it under torch.compile: its graphs have local
tensors and collectives of NCCL, and the backend sees products of the parts.
"""
import torch
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from . import _ops  # noqa: F401


@register_sharding(torch.ops.tc.matmul.default)
def _matmul(a, b, bias=None, epilogue="none", dtype=None):
    """Rows of A and D, columns of B and D, or K, whose sums are added up where nothing is done to them."""
    first = len(a.shape) - 2

    def strategy(d, a_place, b_place, bias_place):
        return [d], [a_place, b_place, None if bias is None else bias_place, None, None]
    whole = Replicate()
    found = [strategy(whole, whole, whole, whole), strategy(Shard(first), Shard(first), whole, whole),
             strategy(Shard(first + 1), whole, Shard(first + 1), Shard(0))]
    if first:
        found.append(strategy(Shard(0), Shard(0), Shard(0), whole))
    if bias is None and epilogue == "none":
        found.append(strategy(Partial(), Shard(first + 1), Shard(first), whole))
    return found


@register_sharding(torch.ops.tc.attention.default)
def _attention(q, k, v, causal=False, scale=None, dynamic="", order=None, bias=None):
    """Batches and heads; a bias has either or is whole."""
    cuts = [Replicate(), Shard(0)] + ([Shard(1)] if k.shape[1] == q.shape[1] else [])

    def place(cut):
        if bias is None or cut == Replicate():
            return None if bias is None else cut
        dim = cut.dim + len(bias.shape) - 4
        return Shard(dim) if dim >= 0 and bias.shape[dim] > 1 else Replicate()

    return [([cut, cut], [cut, cut, cut, None, None, None, None, place(cut)]) for cut in cuts]
