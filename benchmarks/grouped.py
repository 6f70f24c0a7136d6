# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The set grouped of benchmarks/device: products of groups of rows (tmm.matmul with ends), beside torch._grouped_mm.

bf16, both operands K-major. DeepGEMM's contiguous form is timed, too, where it can be imported and each group has a multiple of
128 rows, as it asks for. A result is compared with torch's. What the ends are the kernel learns on the device.
"""
import dataclasses

from table import Table


@dataclasses.dataclass(frozen=True)
class Problem:
    groups: int
    rows: int  # of all groups
    n: int
    k: int
    kind: str = "even"

    @property
    def name(self):
        return f"grouped-{self.groups}x{self.rows}x{self.n}x{self.k}" + f"-{self.kind}" * (self.kind != "even")

    @property
    def flops(self):
        return 2 * self.rows * self.n * self.k

    def sizes(self):
        """Rows of each group, all of them together."""
        groups, rows = self.groups, self.rows
        weights = {"even": [1] * groups, "zipf": [1 / (group + 1) for group in range(groups)],
                   # Every other group has none.
                   "empty": [group % 2 for group in range(groups)]}[self.kind]
        total, ends, sum_ = sum(weights), [], 0
        for weight in weights:
            sum_ += weight
            ends.append(round(rows * sum_ / total))
        return [end - begin for begin, end in zip([0, *ends], ends)]

    def text(self):
        a, b, d = (f"memref<{shape}xbf16>" for shape in (f"{self.rows}x{self.k}", f"{self.groups}x{self.n}x{self.k}",
                                                          f"{self.rows}x{self.n}"))
        ends = f"memref<{self.groups}xi32>"
        return (f"func.func @grouped(%a: {a}, %b: {b}, %ends: {ends}, %d: {d}) {{\n"
                f"  tmm.matmul transpose_b ins(%a, %b : {a}, {b}) ends(%ends : {ends}) outs(%d : {d})\n  return\n}}\n")

    @property
    def result(self):
        return self.rows, self.n

    def expect(self, *inputs):
        peers = peers_of(self, *inputs)
        return peers["torch._grouped_mm"]().float(), peers

    def inputs(self):
        """A, B and the ends."""
        import torch
        generator = torch.Generator("cuda").manual_seed(1)
        a, b = (torch.randn(shape, generator=generator, device="cuda", dtype=torch.bfloat16)
                for shape in ((self.rows, self.k), (self.groups, self.n, self.k)))
        return [a, b, torch.tensor(self.sizes(), device="cuda").cumsum(0).to(torch.int32)]


PROBLEMS = [Problem(*sizes) for sizes in (
    (8, 8192, 4096, 7168),
    (64, 8192, 4096, 7168),
    (8, 8192, 7168, 2048),
    (128, 4096, 1536, 4096),
    (8, 8192, 4096, 7168, "zipf"),
    (64, 8192, 4096, 7168, "zipf"),
    (8, 8192, 7168, 2048, "zipf"),
    (128, 4096, 1536, 4096, "zipf"),
    (64, 8192, 4096, 7168, "empty"),
    (32, 8192, 7168, 2048),
    (32, 16384, 4096, 2048, "zipf"),
    (256, 8192, 1536, 4096, "zipf"),
    (8, 64, 4096, 7168),
    (64, 512, 4096, 7168, "zipf"),
    (128, 256, 1536, 4096, "zipf"),
    (256, 512, 1536, 4096, "empty"),
)]
# What a row has of a peer.
# Tolerated are one rounding to bf16 and another order of sums.
TABLE = Table("groups x rows x N x K", {"torch._grouped_mm": "grouped_mm_us", "DeepGEMM": "deep_gemm_us"}, 2**-7)


def peers_of(problem, a, b, ends):
    """Each peer's name and a call of it."""
    import torch
    peers = {"torch._grouped_mm": lambda: torch._grouped_mm(a, b.transpose(1, 2), offs=ends)}
    if any(size % 128 for size in problem.sizes()):
        return peers
    try:
        import deep_gemm
        kernel = deep_gemm.m_grouped_bf16_gemm_nt_contiguous
    except (ImportError, AttributeError):
        return peers
    group = torch.repeat_interleave(torch.arange(problem.groups, device="cuda", dtype=torch.int32),
                                    torch.tensor(problem.sizes(), device="cuda"))
    d = torch.empty(problem.rows, problem.n, device="cuda", dtype=torch.bfloat16)
    peers["DeepGEMM"] = lambda: kernel(a, b, d, group)
    return peers
