# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The set blocks of benchmarks/device: e4m3 with f32 factors, one for 1 x 128 elements of A and one for 128 x 128 of B.

The layers of DeepSeek-V3, beside torch._scaled_mm and, where sgl-deep-gemm can be imported (deep_gemm), DeepGEMM. D is bf16. A result
is compared with the product of the widened operands in f32.
"""
import dataclasses
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

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
KEYS = {"torch._scaled_mm": "scaled_mm_us", "DeepGEMM": "deep_gemm_us"}
# Of the largest element of the result: one rounding to bf16, and sums of fp8 that the matrix unit keeps in fewer bits.
TOLERANCE = 2**-7


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


def run(problem, folder, inputs, options):
    """The result as a tensor, and what tc-run printed."""
    import torch
    ptx = folder / f"{problem.name}.ptx"
    arguments = json.loads(ptx.with_suffix(".json").read_text())["arguments"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        command = [folder / "tc-run", ptx, *options, f"--out={arguments[-1]}={scratch / 'out'}"]
        for name, tensor in zip(arguments, inputs):
            tensor.cpu().view(torch.uint8).numpy().tofile(scratch / name)
            command.append(f"--buffer={name}={scratch / name}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"tc-run: {done.stdout}{done.stderr}")
        raw = torch.frombuffer(bytearray((scratch / "out").read_bytes()), dtype=torch.uint8)
    return raw.view(torch.bfloat16).reshape(problem.m, problem.n), done.stdout


def measure(arguments, bench_options, read_bench, measure_calls):
    """One row for each problem and the device, printed as it is measured."""
    import torch
    print_header()
    for problem in arguments.problems:
        ptx = arguments.measure / f"{problem.name}.ptx"
        inputs = problem.inputs()
        got, printed = run(problem, arguments.measure, inputs, bench_options(ptx))
        row = {"problem": problem.name, "tc_us": read_bench(ptx, printed)[0]}
        want = want_of(*inputs)
        row["error"] = ((got.to("cuda").float() - want).abs().max() / want.abs().max()).item() / TOLERANCE
        for name, call in peers_of(*inputs).items():
            try:
                row[KEYS[name]] = measure_calls([call])
            except RuntimeError as failure:  # A shape that the peer refuses is worth measuring here.
                print(f"{name} {problem.name}: {failure}", file=sys.stderr)
        del inputs, want, got
        torch.cuda.empty_cache()
        print_row(problem, [row])
        yield row, torch.cuda.get_device_name()


def print_header():
    print("| product | tc, us | tc, TFLOP/s | " + " | ".join(f"{name}, us" for name in KEYS) + " | best peer / tc |\n" +
          "|---" * (4 + len(KEYS)) + "|")


def gain(row):
    """The best peer's time over ours."""
    return min((row[key][0] for key in KEYS.values() if key in row), default=math.nan) / row["tc_us"][0]


def print_row(problem, runs):
    """The medians of what `runs` measured, of ratios those within a run."""

    def median(key):
        times = [row[key][0] for row in runs if key in row]
        return f"{statistics.median(times):.1f}" if times else ""

    wrong = f" WRONG: {max(row['error'] for row in runs):.3g} of what is tolerated" * any(not row["error"] <= 1 for row in runs)
    ours = statistics.median(row["tc_us"][0] for row in runs)
    print(f"| {problem.name}{wrong} | {ours:.1f} | {problem.flops / ours / 1e6:.0f} | " +
          " | ".join(median(key) for key in KEYS.values()) + f" | {statistics.median(map(gain, runs)):.3f} |", flush=True)


def print_runs(runs, problems):
    """The medians over `runs`, each the rows of all problems."""
    if len(runs) > 1:
        print(f"medians of {len(runs)} runs:")
        print_header()
        for index, problem in enumerate(problems):
            print_row(problem, [found[index] for found in runs])
    gains = [statistics.median(map(gain, found)) for found in zip(*runs)]
    gains = [found for found in gains if not math.isnan(found)]
    if gains:
        print(f"geometric mean of best peer / tc {math.prod(gains)**(1 / len(gains)):.3f}, least {min(gains):.3f}")
