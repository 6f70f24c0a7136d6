# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sets of benchmarks/device share that have peers of their own: attention, blocks, convolutions, grouped.

A problem of such a set has

    name, flops           of one call
    text()                the function to compile: bf16 out, the last argument or the result
    result                the shape of what it computes; of several of bf16, the last arguments, a list of shapes
    inputs()              tensors on the GPU, in the order of the function's arguments
    expect(*inputs)       what it has to compute, in f32 (a list of several), and a dictionary of the peers' names and calls
"""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile


def run(problem, folder, inputs, options):
    """What `folder`'s kernel of `problem` computes, tensors of bf16, and what tc-run printed."""
    import torch
    ptx = folder / f"{problem.name}.ptx"
    description = json.loads(ptx.with_suffix(".json").read_text())
    results = description.get("results")
    shapes = problem.result if isinstance(problem.result, list) else [problem.result]
    outs = [results[0]["buffer"]] if results else description["arguments"][-len(shapes):]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        command = [folder / "tc-run", ptx, *options, *(f"--out={out}={scratch / out}.out" for out in outs)]
        for name, tensor in zip(description["arguments"], inputs):
            tensor.cpu().view(torch.uint8).numpy().tofile(scratch / name)
            command.append(f"--buffer={name}={scratch / name}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"tc-run: {done.stdout}{done.stderr}")
        raw = [torch.frombuffer(bytearray((scratch / f"{out}.out").read_bytes()), dtype=torch.uint8) for out in outs]
    return [each.view(torch.bfloat16).reshape(shape) for each, shape in zip(raw, shapes)], done.stdout


class Table:
    """The rows of one set: `keys` has what a row calls the time of each peer, the first of which no other set has."""

    def __init__(self, what, keys, tolerance, is_tflops=True):
        self.what, self.keys, self.tolerance = what, keys, tolerance
        # Peers in TFLOP/s, else in us.
        self.is_tflops = is_tflops

    def measure(self, arguments, bench_options, read_bench, measure_calls):
        """One row for each problem and the device, printed as it is measured."""
        import torch
        self.print_header()
        for problem in arguments.problems:
            ptx = arguments.measure / f"{problem.name}.ptx"
            inputs = problem.inputs()
            got, printed = run(problem, arguments.measure, inputs, bench_options(ptx))
            row = {"problem": problem.name, "tc_us": read_bench(ptx, printed)[0]}
            want, peers = problem.expect(*inputs)
            # Of the largest element of each result.
            wants = want if isinstance(want, list) else [want]
            row["error"] = max(((ours.to("cuda").float() - each).abs().max() / each.abs().max()).item()
                               for ours, each in zip(got, wants)) / self.tolerance
            for name, call in peers.items():
                try:
                    row[self.keys[name]] = measure_calls([call])
                except RuntimeError as failure:  # A problem that a peer refuses is worth measuring here.
                    print(f"{name} {problem.name}: {failure}", file=sys.stderr)
            del inputs, peers, want, wants, got
            torch.cuda.empty_cache()
            self.print_row(problem, [row])
            yield row, torch.cuda.get_device_name()

    def print_header(self):
        unit = "TFLOP/s" if self.is_tflops else "us"
        print(f"| {self.what} | tc, us | tc, TFLOP/s | " + " | ".join(f"{name}, {unit}" for name in self.keys) +
              " | best peer / tc |\n" + "|---" * (4 + len(self.keys)) + "|")

    def gain(self, row):
        """The best peer's time over ours; NaN where no peer ran."""
        return min((row[key][0] for key in self.keys.values() if key in row), default=math.nan) / row["tc_us"][0]

    def print_row(self, problem, runs):
        """The medians of what `runs` measured, of ratios those within a run."""

        def column(key):
            times = [row[key][0] for row in runs if key in row]
            if not times:
                return ""
            time = statistics.median(times)
            return f"{problem.flops / time / 1e6:.0f}" if self.is_tflops else f"{time:.1f}"

        error = max(row["error"] for row in runs)
        wrong = f" WRONG: {error:.3g} of what is tolerated" * any(not row["error"] <= 1 for row in runs)
        ours = statistics.median(row["tc_us"][0] for row in runs)
        print(
            f"| {problem.name}{wrong} | {ours:.1f} | {problem.flops / ours / 1e6:.0f} | " +
            " | ".join(column(key)
                       for key in self.keys.values()) + f" | {statistics.median(map(self.gain, runs)):.3f} |",
            flush=True)

    def print_runs(self, runs, problems):
        """The medians over `runs`, each the rows of all problems."""
        if len(runs) > 1:
            print(f"medians of {len(runs)} runs:")
            self.print_header()
            for index, problem in enumerate(problems):
                self.print_row(problem, [found[index] for found in runs])
        gains = [statistics.median(map(self.gain, found)) for found in zip(*runs)]
        gains = [found for found in gains if not math.isnan(found)]
        if gains:
            print(f"geometric mean of best peer / tc {math.prod(gains)**(1 / len(gains)):.3f}, least {min(gains):.3f}")
