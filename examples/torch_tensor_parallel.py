"""An MLP cut over several processes by torch, its products by tc.

    torchrun --nproc-per-node 2 examples/torch_tensor_parallel.py

Each process takes a GPU (NCCL), or without GPUs a part of the CPU (gloo), where the emulator computes. Nothing of tc
knows of the other processes: torch puts its collectives between the parts of products.
"""
import copy
import os

import tc.torch
import torch
import torch.distributed as dist
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

on_gpu = torch.cuda.is_available()
rank, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
width, rows = (8192, 4096) if on_gpu else (64, 24)
device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
if on_gpu:
    torch.cuda.set_device(device)
dist.init_process_group("nccl" if on_gpu else "gloo")
mesh = dist.device_mesh.init_device_mesh(device.type, (count, ))

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(width, 4 * width, bias=False), torch.nn.GELU(),
                            torch.nn.Linear(4 * width, width, bias=False)).to(device, torch.bfloat16)
whole = copy.deepcopy(model)
x = torch.randn(rows, width, device=device, dtype=torch.bfloat16)
parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
options = None if on_gpu else {"rest": "eager"}
fast = torch.compile(model, backend="tc", options=options)

with torch.no_grad():
    d, exact = fast(x), whole(x)
error = ((d - exact).abs().max() / exact.abs().max()).item()
assert error < 0.02, error
if rank == 0:
    print(f"{count} processes: error {error:.2g}; {tc.torch.report().splitlines()[0]}")
dist.destroy_process_group()
