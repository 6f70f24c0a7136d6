# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The set blocks of benchmarks/device: e4m3 with f32 factors, one for 1 x 128 elements of A and one for 128 x 128 of B.

The layers of DeepSeek-V3, beside torch._scaled_mm and, where sgl-deep-gemm can be imported (deep_gemm), DeepGEMM. D is bf16. A result
is compared with the product of the widened operands in f32.
"""
import dataclasses

from table import Table

BLOCK = 128


@dataclasses.dataclass(frozen=True)
class Problem:
    m: int
    n: int
    k: int

    @property
    def name(self):
        return f"blocks-{self.m}x{self.n}x{self.k}"

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    @property
    def scales(self):
        """The shapes of A's and B's factors."""
        depth = -(-self.k // BLOCK)
        return (self.m, depth), (-(-self.n // BLOCK), depth)

    def text(self):
        a, b = f"memref<{self.m}x{self.k}xf8E4M3FN>", f"memref<{self.n}x{self.k}xf8E4M3FN>"
        scale_a, scale_b = (f"memref<{rows}x{columns}xf32>" for rows, columns in self.scales)
        d = f"memref<{self.m}x{self.n}xbf16>"
        return (f"func.func @matmul(%a: {a}, %b: {b}, %sa: {scale_a}, %sb: {scale_b}, %d: {d}) {{\n"
                f"  tmm.matmul transpose_b ins(%a, %b : {a}, {b}) scales(%sa, %sb : {scale_a}, {scale_b}) outs(%d : {d})\n"
                "  return\n}\n")

    @property
    def result(self):
        return self.m, self.n

    def expect(self, *inputs):
        return want_of(*inputs), peers_of(*inputs)

    def inputs(self):
        """A, B and their factors, in the order of the function's arguments."""
        import torch
        generator = torch.Generator("cuda").manual_seed(1)

        def normal(*shape):
            return torch.randn(*shape, generator=generator, device="cuda")

        operands = [normal(rows, self.k).to(torch.float8_e4m3fn) for rows in (self.m, self.n)]
        return operands + [normal(*shape).abs() / 8 + 0.01 for shape in self.scales]


PROBLEMS = [
    Problem(*sizes)
    for sizes in ((4096, 2112, 7168), (4096, 24576, 1536), (4096, 32768, 512), (4096, 7168, 16384), (4096, 4096, 7168),
                  (4096, 7168, 2048), (128, 2112, 7168), (128, 24576, 1536), (128, 7168, 16384), (128, 7168, 2048))
]
# Tolerated are one rounding to bf16, and sums of fp8 that the matrix unit keeps in fewer bits.
TABLE = Table("product", {"torch._scaled_mm": "scaled_mm_us", "DeepGEMM": "deep_gemm_us"}, 2**-7, is_tflops=False)


def want_of(a, b, scale_a, scale_b):
    """The product of the widened operands."""
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    wide_a = a.float() * scale_a.repeat_interleave(BLOCK, 1)[:, :a.shape[1]]
    wide_b = b.float() * scale_b.repeat_interleave(BLOCK, 0)[:b.shape[0]].repeat_interleave(BLOCK, 1)[:, :b.shape[1]]
    return wide_a @ wide_b.t()


def peers_of(a, b, scale_a, scale_b):
    """Each peer's name and a call of it."""
    import torch
    # Factors of A lie along M there; those of B along K, whose stride is a multiple of 4.
    turned = scale_a.t().contiguous().t()
    out = torch.empty(a.shape[0], b.shape[0], device="cuda", dtype=torch.bfloat16)
    peers = {
        "torch._scaled_mm":
        lambda: torch._scaled_mm(a, b.t(), scale_a=turned, scale_b=scale_b.t(), out_dtype=torch.bfloat16, out=out)
    }
    try:
        import deep_gemm
    except ImportError:
        return peers
    peers["DeepGEMM"] = lambda: deep_gemm.fp8_gemm_nt((a, turned), (b, scale_b), out)
    return peers
