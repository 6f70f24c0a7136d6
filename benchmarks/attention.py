# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The set attention of benchmarks/device: softmax(Q K^T) V of bf16, heads before rows, beside cuDNN and flash attention.

Peers are what torch.nn.functional.scaled_dot_product_attention calls, and FlashAttention 4 where it can be imported
(flash_attn.cute). TFLOP/s count half of the products with a causal mask. A result is compared with cuDNN's.
"""
import dataclasses

from table import Table


@dataclasses.dataclass(frozen=True)
class Problem:
    batch: int
    heads: int
    shared: int  # heads of K and V
    rows: int
    columns: int
    is_causal: bool
    queries: int = 0  # rows of Q where they are not as many as the keys
    bias: int = 0  # heads of what is added to the scores, bf16; 0: nothing is

    @property
    def name(self):
        return (f"attention-{self.batch}x{self.heads}x{self.rows}x{self.columns}" + f"-kv{self.shared}" * (self.shared != self.heads)
                + f"-q{self.queries}" * bool(self.queries) + f"-bias{self.bias}" * bool(self.bias) + "-causal" * self.is_causal)

    @property
    def flops(self):
        return 4 * self.batch * self.heads * (self.queries or self.rows) * self.rows * self.columns / (2 if self.is_causal else 1)

    @property
    def shapes(self):
        """Of Q and O, and of K and V."""
        return ((self.batch, self.heads, self.queries or self.rows, self.columns), (self.batch, self.shared, self.rows, self.columns))

    def text(self):
        q, k = (f"memref<{'x'.join(map(str, shape))}xbf16>" for shape in self.shapes)
        b = f"memref<{'x'.join(map(str, self.bias_shape))}xbf16>"
        return (f"func.func @attention(%q: {q}, %k: {k}, %v: {k}{f', %b: {b}' * bool(self.bias)}, %o: {q}) {{\n"
                f"  tmm.attention %q, %k, %v scale({self.columns ** -0.5:e}){' diagonal(0)' * self.is_causal}"
                f"{f' bias(%b : {b})' * bool(self.bias)} outs(%o : {q}) : {q}, {k}, {k}\n  return\n}}\n")

    @property
    def bias_shape(self):
        return (1, self.bias, self.queries or self.rows, self.rows)

    @property
    def result(self):
        return self.shapes[0]

    def expect(self, *inputs):
        peers = peers_of(self, *inputs)
        return peers["cuDNN"]().float(), peers

    def inputs(self):
        import torch
        generator = torch.Generator("cuda").manual_seed(1)
        q, k = self.shapes
        return [torch.randn(*shape, generator=generator, device="cuda", dtype=torch.bfloat16)
                for shape in (q, k, k, *[self.bias_shape] * bool(self.bias))]


PROBLEMS = [Problem(*sizes) for sizes in (
    (1, 32, 32, 2048, 128, False),
    (1, 32, 32, 4096, 128, False),
    (1, 32, 32, 4096, 128, True),
    (1, 32, 32, 8192, 128, False),
    (1, 32, 32, 8192, 128, True),
    (1, 32, 8, 8192, 128, True),
    (4, 16, 16, 2048, 64, False),
    (1, 16, 16, 4096, 256, False),
)]
# What is added to the scores, one for all heads or one for each.
BIASED = [Problem(*sizes, bias=bias) for sizes, bias in (
    ((1, 32, 32, 4096, 128, False), 1),
    ((1, 32, 32, 4096, 128, False), 32),
    ((4, 16, 16, 2048, 64, False), 1),
    ((4, 16, 16, 2048, 64, False), 16),
)]
# One row of Q against the keys so far.
DECODE = Problem(32, 32, 8, 8192, 128, False, 1)


@dataclasses.dataclass(frozen=True)
class Gradients:
    """What the backward pass of a problem computes of the forward pass's operands, log-sum-exp and delta."""
    forward: Problem

    @property
    def name(self):
        return self.forward.name.replace("attention", "backward", 1)

    @property
    def flops(self):
        """Of the five products that have to be; the kernels compute two of them again."""
        return 2.5 * self.forward.flops

    def text(self):
        forward = self.forward
        q, k = (f"memref<{'x'.join(map(str, shape))}xbf16>" for shape in forward.shapes)
        rows = f"memref<{'x'.join(map(str, forward.shapes[0][:-1]))}xf32>"
        return (f"func.func @backward(%q: {q}, %k: {k}, %v: {k}, %g: {q}, %lse: {rows}, %delta: {rows}, %dq: {q}, %dk: {k}, "
                f"%dv: {k}) {{\n  tmm.attention_backward %q, %k, %v, %g, %lse, %delta scale({forward.columns ** -0.5:e})"
                f"{' diagonal(0)' * forward.is_causal} dq(%dq : {q}) dk_dv(%dk, %dv : {k}, {k})"
                f" : {q}, {k}, {k}, {q}, {rows}, {rows}\n  return\n}}\n")

    @property
    def result(self):
        q, k = self.forward.shapes
        return [q, k, k]

    def inputs(self):
        import torch
        q, k, v = self.forward.inputs()
        generator = torch.Generator("cuda").manual_seed(2)
        g = torch.randn(*q.shape, generator=generator, device="cuda", dtype=torch.bfloat16)
        o, lse = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, is_causal=self.forward.is_causal)[:2]
        return [q, k, v, g, lse, (g.float() * o.float()).sum(-1)]

    def expect(self, q, k, v, g, lse, delta):
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        operands = [tensor.requires_grad_() for tensor in (q, k, v)]

        def differentiate(backend):
            with sdpa_kernel(backend):
                out = torch.nn.functional.scaled_dot_product_attention(*operands, is_causal=self.forward.is_causal)
            return lambda: torch.autograd.grad(out, operands, g, retain_graph=True)

        peers = {"cuDNN": differentiate(SDPBackend.CUDNN_ATTENTION), "torch flash": differentiate(SDPBackend.FLASH_ATTENTION)}
        try:
            from flash_attn.cute import flash_attn_func
        except ImportError:
            pass
        else:
            turned = [tensor.detach().transpose(1, 2).contiguous().requires_grad_() for tensor in (q, k, v)]
            out = flash_attn_func(*turned, causal=self.forward.is_causal)
            out = out[0] if isinstance(out, tuple) else out
            peers["FlashAttention 4"] = lambda: torch.autograd.grad(out, turned, g.transpose(1, 2), retain_graph=True)
        return [gradient.float() for gradient in peers["cuDNN"]()], peers


BACKWARD = [Gradients(Problem(1, 32, 32, rows, 128, is_causal)) for rows in (4096, 8192) for is_causal in (False, True)]
# Tolerated is what two ways to round the weights differ by.
BIASED_TABLE = Table("attention with a bias", {"torch efficient": "efficient_us", "cuDNN": "cudnn_us"}, 2**-6)
TABLE = Table("attention", {"cuDNN": "cudnn_us", "FlashAttention 4": "fa4_us", "torch flash": "flash_us"}, 2**-6)


def peers_of(problem, q, k, v, bias=None):
    """Each peer's name and a call of it."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def call(backend):
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias, is_causal=problem.is_causal,
                                                                    enable_gqa=problem.shared != problem.heads)

    if bias is not None:
        return {"cuDNN": lambda: call(SDPBackend.CUDNN_ATTENTION), "torch efficient": lambda: call(SDPBackend.EFFICIENT_ATTENTION)}
    peers = {"cuDNN": lambda: call(SDPBackend.CUDNN_ATTENTION), "torch flash": lambda: call(SDPBackend.FLASH_ATTENTION)}
    try:
        from flash_attn.cute import flash_attn_func
    except ImportError:
        return peers
    # It takes rows before heads.
    turned = [tensor.transpose(1, 2).contiguous() for tensor in (q, k, v)]
    peers["FlashAttention 4"] = lambda: flash_attn_func(*turned, causal=problem.is_causal)
    return peers
