"""Operations of tc on tensors that are spread over two processes, beside the same on whole ones (test_torch.py)."""
import torch
import torch.distributed as dist
import tc.torch.sharding  # noqa: F401
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

dist.init_process_group("gloo")
mesh = dist.device_mesh.init_device_mesh("cpu", (2, ))
torch.manual_seed(0)
a, b, bias = torch.randn(24, 64).bfloat16(), torch.randn(64, 32).bfloat16(), torch.randn(32).bfloat16()
whole = Replicate()


def error(result, exact):
    result = result.full_tensor().double()
    return float((result - exact).abs().max() / exact.abs().max())


exact = torch.nn.functional.relu(a.double() @ b.double() + bias.double())
for cuts, placed in (((Shard(0), whole, whole), Shard(0)), ((whole, Shard(1), Shard(0)), Shard(1)), ((whole, whole, whole), whole)):
    parts = [distribute_tensor(one, mesh, [cut]) for one, cut in zip((a, b, bias), cuts)]
    d = torch.ops.tc.matmul(*parts, "relu")
    assert d.placements == (placed, ), d.placements
    assert error(d, exact) < 2.0**-7
# K is cut: sums are added up, without an epilogue only.
d = torch.ops.tc.matmul(distribute_tensor(a, mesh, [Shard(1)]), distribute_tensor(b, mesh, [Shard(0)]))
assert d.placements[0].is_partial() and error(d, a.double() @ b.double()) < 2.0**-6
parts = [distribute_tensor(a, mesh, [Shard(1)]), distribute_tensor(b, mesh, [Shard(0)]), distribute_tensor(bias, mesh, [whole])]
assert error(torch.ops.tc.matmul(*parts, "relu"), exact) < 2.0**-7
q = torch.randn(2, 4, 20, 16).bfloat16()
for cut in (Shard(0), Shard(1), whole):
    o = torch.ops.tc.attention(*[distribute_tensor(q, mesh, [cut])] * 3, True)[0]
    assert o.placements == (cut, )
    assert error(o, torch.nn.functional.scaled_dot_product_attention(*[q.double()] * 3, is_causal=True)) < 2.0**-7
# A bias that all heads share is whole where heads are cut.
added = torch.randn(2, 1, 20, 20).bfloat16()
for cut in (Shard(0), Shard(1), whole):
    parts = [*[distribute_tensor(q, mesh, [cut])] * 3, False, None, "", None,
             distribute_tensor(added, mesh, [whole if cut == Shard(1) else cut])]
    o = torch.ops.tc.attention(*parts)[0]
    assert o.placements == (cut, )
    assert error(o, torch.nn.functional.scaled_dot_product_attention(*[q.double()] * 3, added.double())) < 2.0**-7
if dist.get_rank() == 0:
    print("done")
dist.destroy_process_group()
