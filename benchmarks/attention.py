# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The set attention of benchmarks/device: softmax(Q K^T) V of bf16, heads before rows, beside cuDNN and flash attention.

Peers are what torch.nn.functional.scaled_dot_product_attention calls, and FlashAttention 4 where it can be imported
(flash_attn.cute). TFLOP/s count half of the products with a causal mask. A result is compared with cuDNN's.
"""
import dataclasses
import json
import math
import statistics
import subprocess
import sys
import tempfile
import pathlib


@dataclasses.dataclass(frozen=True)
class Problem:
    batch: int
    heads: int
    shared: int  # heads of K and V
    rows: int
    columns: int
    is_causal: bool
    queries: int = 0  # rows of Q where they are not as many as the keys

    @property
    def name(self):
        return (f"attention-{self.batch}x{self.heads}x{self.rows}x{self.columns}" + f"-kv{self.shared}" * (self.shared != self.heads)
                + f"-q{self.queries}" * bool(self.queries) + "-causal" * self.is_causal)

    @property
    def flops(self):
        return 4 * self.batch * self.heads * (self.queries or self.rows) * self.rows * self.columns / (2 if self.is_causal else 1)

    @property
    def shapes(self):
        """Of Q and O, and of K and V."""
        return ((self.batch, self.heads, self.queries or self.rows, self.columns), (self.batch, self.shared, self.rows, self.columns))

    def text(self):
        q, k = (f"memref<{'x'.join(map(str, shape))}xbf16>" for shape in self.shapes)
        return (f"func.func @attention(%q: {q}, %k: {k}, %v: {k}, %o: {q}) {{\n"
                f"  tmm.attention %q, %k, %v scale({self.columns ** -0.5:e}){' diagonal(0)' * self.is_causal} outs(%o : {q})"
                f" : {q}, {k}, {k}\n  return\n}}\n")

    def inputs(self):
        import torch
        generator = torch.Generator("cuda").manual_seed(1)
        q, k = self.shapes
        return [torch.randn(*shape, generator=generator, device="cuda", dtype=torch.bfloat16) for shape in (q, k, k)]


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
# One row of Q against the keys so far.
DECODE = Problem(32, 32, 8, 8192, 128, False, 1)
# What a row has of a peer.
KEYS = {"cuDNN": "cudnn_us", "FlashAttention 4": "fa4_us", "torch flash": "flash_us"}
# Of the largest element of the result: what two ways to round the weights differ by.
TOLERANCE = 2 ** -6


def peers_of(problem, q, k, v):
    """Each peer's name and a call of it."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def call(backend):
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=problem.is_causal,
                                                                    enable_gqa=problem.shared != problem.heads)

    peers = {"cuDNN": lambda: call(SDPBackend.CUDNN_ATTENTION), "torch flash": lambda: call(SDPBackend.FLASH_ATTENTION)}
    try:
        from flash_attn.cute import flash_attn_func
    except ImportError:
        return peers
    # It takes rows before heads.
    turned = [tensor.transpose(1, 2).contiguous() for tensor in (q, k, v)]
    peers["FlashAttention 4"] = lambda: flash_attn_func(*turned, causal=problem.is_causal)
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
    return raw.view(torch.bfloat16).reshape(inputs[0].shape), done.stdout


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
        want = peers["cuDNN"]().float()
        row["error"] = ((got.to("cuda").float() - want).abs().max() / want.abs().max()).item() / TOLERANCE
        for name, call in peers.items():
            row[KEYS[name]] = measure_calls([call])
        del inputs, peers, want
        torch.cuda.empty_cache()
        print_row(problem, [row])
        yield row, torch.cuda.get_device_name()


def print_header():
    print("| attention | tc, us | tc, TFLOP/s | " + " | ".join(f"{name}, TFLOP/s" for name in KEYS) + " | best peer / tc |\n"
          + "|---" * (4 + len(KEYS)) + "|")


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
