# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FlashAttention 4 as its wheel has it, from torch tensors to the result, under
tc-emulate: attention.py NAME... (beginnings of problems). The wheel's compiler
makes machine code of a kernel and keeps its PTX, which ptx.cpp hands over."""

import ctypes
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

# Batch, rows of Q, of K and V, heads of Q, of K and V; causal.
PROBLEMS = {
    "plain_tile": (1, 128, 128, 1, 1, False),
    "plain_heads": (2, 256, 256, 2, 2, False),
    "plain_tails": (1, 200, 333, 2, 2, False),
    "plain_long": (1, 512, 640, 1, 1, False),
    "plain_grouped": (1, 192, 256, 4, 2, False),
    "causal_heads": (1, 256, 256, 2, 2, True),
    "causal_tails": (1, 200, 333, 2, 2, True),
    "causal_grouped": (1, 384, 384, 4, 1, True),
}
HEAD = 128

folder = tempfile.mkdtemp(prefix="fa4")
shim = os.path.join(folder, "libptx.so")
libraries = os.environ["TC_EMULATE_LIBRARIES"]
own = pathlib.Path(importlib.util.find_spec("nvidia_cutlass_dsl").submodule_search_locations[0])
subprocess.run(["g++", "-O1", "-fPIC", "-shared", pathlib.Path(__file__).with_name("ptx.cpp"), "-o", shim,
                f"{libraries}/libcudart.so.13"], env=dict(os.environ, LD_AUDIT=""), check=True)
os.environ.update(FLASH_ATTENTION_ARCH="sm_100", FLASH_ATTENTION_NUM_SMS="148", CUTE_DSL_ARCH="sm_100a",
                  CUTE_DSL_KEEP_PTX="1", CUTE_DSL_DUMP_DIR=folder)


def load_ptx():
    """The compiler's library exports a jump to the runtime's call, where tc-emulate has put a jump to its own: that one
    leads to ptx.cpp from here on."""
    call = ctypes.CDLL(str(own / "cu13/lib/libcute_dsl_runtime.so"))._cudaLibraryLoadData
    export = ctypes.cast(call, ctypes.c_void_p).value
    target = export + 5 + int.from_bytes(ctypes.string_at(export + 1, 4), "little", signed=True)
    assert ctypes.string_at(export, 1) == b"\xe9" and ctypes.string_at(target, 6) == b"\xff\x25\0\0\0\0", "not redirected"
    assert not ctypes.CDLL(None).mprotect(ctypes.c_void_p(target & ~4095), 8192, 7)
    to = ctypes.cast(ctypes.CDLL(shim).load, ctypes.c_void_p).value
    ctypes.memmove(target + 6, to.to_bytes(8, "little"), 8)


load_ptx()

import torch  # noqa: E402
from cuda.bindings import runtime  # noqa: E402

# It brings a stripped runtime of its own.
runtime.cudaLibraryUnload = lambda library: (runtime.cudaError_t(0),)
runtime.cudaGetDeviceCount = lambda: (runtime.cudaError_t(0), 1)

from flash_attn.cute import flash_attn_func  # noqa: E402


def reference(q, k, v, causal):
    """In float64, with the last row of Q at the last of K."""
    q, k, v = (tensor.double().transpose(1, 2) for tensor in (q, k, v))
    k, v = (tensor.repeat_interleave(q.shape[1] // k.shape[1], 1) for tensor in (k, v))
    scores = q @ k.transpose(2, 3) / HEAD**0.5
    if causal:
        allowed = torch.ones(scores.shape[2:], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
        scores = scores.masked_fill(~allowed, -torch.inf)
    return (scores.softmax(-1) @ v).transpose(1, 2)


def main():
    failed = 0
    for name, (batch, rows, keys, heads, groups, causal) in PROBLEMS.items():
        if not any(name.startswith(begin) for begin in sys.argv[1:] or [""]):
            continue
        torch.manual_seed(1)
        q, k, v = (torch.randn(batch, length, count, HEAD).bfloat16()
                   for length, count in ((rows, heads), (keys, groups), (keys, groups)))
        result = flash_attn_func(q.cuda(), k.cuda(), v.cuda(), causal=causal)
        result = (result[0] if isinstance(result, tuple) else result).cpu().double()
        exact = reference(q, k, v, causal)
        # P is rounded to bf16 as well as the result: twice the error of rounding that alone.
        error, rounding = ((value - exact).square().mean().sqrt() for value in (result, exact.bfloat16().double()))
        right = bool(error < 2 * rounding)
        failed += not right
        print(f"{name}: error {error / rounding:.2f} of that of rounding: {'[OK]' if right else '[FAIL]'}", flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
