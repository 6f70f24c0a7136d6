# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The set grouped of benchmarks/device: products of groups of rows (tmm.matmul with ends), beside torch._grouped_mm.

bf16, both operands K-major. DeepGEMM's contiguous form is timed, too, where it can be imported and each group has a multiple of
128 rows, as it asks for. A result is compared with torch's. What the ends are the kernel learns on the device.
"""
import dataclasses
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile


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
KEYS = {"torch._grouped_mm": "grouped_mm_us", "DeepGEMM": "deep_gemm_us"}
# Of the largest element of the result: one rounding to bf16, and another order of sums.
TOLERANCE = 2 ** -7


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


def run(problem, folder, inputs, options):
    """The result as a tensor, and what tc-run printed."""
    import torch
    ptx = folder / f"{problem.name}.ptx"
    arguments = json.loads(ptx.with_suffix(".json").read_text())["arguments"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        command = [folder / "tc-run", ptx, *options, f"--out={arguments[3]}={scratch / 'out'}"]
        for name, tensor in zip(arguments, inputs):
            tensor.cpu().view(torch.uint8).numpy().tofile(scratch / name)
            command.append(f"--buffer={name}={scratch / name}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"tc-run: {done.stdout}{done.stderr}")
        raw = torch.frombuffer(bytearray((scratch / "out").read_bytes()), dtype=torch.uint8)
    return raw.view(torch.bfloat16).reshape(problem.rows, problem.n), done.stdout


def measure(arguments, bench_options, read_bench, measure_calls):
    """One row for each problem and the device, printed as it is measured."""
    import torch
    print_header()
    for problem in arguments.problems:
        ptx = arguments.measure / f"{problem.name}.ptx"
        inputs = problem.inputs()
        peers = peers_of(problem, *inputs)
        got, printed = run(problem, arguments.measure, inputs, bench_options(ptx))
        row = {"problem": problem.name, "tc_us": read_bench(ptx, printed)[0]}
        want = peers["torch._grouped_mm"]().float()
        row["error"] = ((got.to("cuda").float() - want).abs().max() / want.abs().max()).item() / TOLERANCE
        for name, call in peers.items():
            row[KEYS[name]] = measure_calls([call])
        del inputs, peers, want
        torch.cuda.empty_cache()
        print_row(problem, [row])
        yield row, torch.cuda.get_device_name()


def print_header():
    print("| groups x rows x N x K | tc, us | tc, TFLOP/s | " + " | ".join(f"{name}, TFLOP/s" for name in KEYS)
          + " | best peer / tc |\n" + "|---" * (4 + len(KEYS)) + "|")


def gain(row):
    """The best peer's time over ours."""
    return min(row[key][0] for key in KEYS.values() if key in row) / row["tc_us"][0]


def print_row(problem, runs):
    """The medians of what `runs` measured, of ratios those within a run."""

    def tflops(key):
        times = [row[key][0] for row in runs if key in row]
        return f"{problem.flops / statistics.median(times) / 1e6:.0f}" if times else ""

    wrong = f" WRONG: {max(row['error'] for row in runs):.3g} of what is tolerated" * any(not row["error"] <= 1 for row in runs)
    print(f"| {problem.name}{wrong} | {statistics.median(row['tc_us'][0] for row in runs):.1f} | {tflops('tc_us')} | "
          + " | ".join(tflops(key) for key in KEYS.values()) + f" | {statistics.median(map(gain, runs)):.3f} |", flush=True)


def print_runs(runs, problems):
    """The medians over `runs`, each the rows of all problems."""
    if len(runs) > 1:
        print(f"medians of {len(runs)} runs:")
        print_header()
        for index, problem in enumerate(problems):
            print_row(problem, [found[index] for found in runs])
    gains = [statistics.median(map(gain, found)) for found in zip(*runs)]
    print(f"geometric mean of best peer / tc {math.prod(gains) ** (1 / len(gains)):.3f}, least {min(gains):.3f}")
