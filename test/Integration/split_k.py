#!/usr/bin/env python3
"""Products whose K is cut into parts (split-k), on the emulator.

    split_k.py --build build [--filter TEXT] [--seeds 2]

With tcgen05 (sm_100a), wgmma (sm_90a) and mma.sync (sm_120a, sm_80): all orders of the operands, element types, tails in M
and N, batches, accumulation, epilogues, kernels that start while others end, more parts than stages. Each kernel is
assembled without spills, runs under every schedule and some seeds with the strict race policy, and tc-run compares
the sums of the parts and D with float64. Some run as modules of linalg on tensors besides, which numpy computes.
"""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

sys.dont_write_bytecode = True
import wgmma  # noqa: E402
from tclib import gemm, runner, strict  # noqa: E402
from tclib.gemm import Gemm  # noqa: E402

CHIPS = ("sm_100a", "sm_90a", "sm_120a")


def make_products():
    """Products with the chips that they are compiled for."""
    cases = []
    for transpose_a in (False, True):
        for transpose_b in (False, True):
            cases.append((wgmma.Case((72, 88, 256), "split-k=2", transpose_a, transpose_b, out_type="bf16"), CHIPS))
    cases += [
        # Tails, rows of the sums that are no multiple of 16 bytes, one row, more parts than stages.
        (wgmma.Case((130, 70, 512), "split-k=4", transpose_b=True), CHIPS),
        (wgmma.Case((65, 33, 384), "split-k=3", transpose_b=True, in_type="f16", out_type="f16"), CHIPS),
        (wgmma.Case((1, 264, 512), "split-k=8 stages=2", out_type="bf16"), CHIPS),
        # What comes after the sum: what is accumulated, factors and a bias, a residual, relu.
        (wgmma.Case((70, 80, 256), "split-k=2", out_type="bf16", accumulate=True), CHIPS),
        (wgmma.Case((70, 80, 256), "split-k=4", out_type="bf16", fused=True, transpose_b=True), CHIPS),
        (wgmma.Case((70, 83, 256), "split-k=2", out_type="bf16", fused=True, transpose_b=True), CHIPS[:2]),
        # Batches, other types.
        (wgmma.Case((72, 48, 256), "split-k=2", batch=3), CHIPS),
        (wgmma.Case((72, 48, 256), "split-k=2", batch=2, transpose_a=True, out_type="f16", accumulate=True), CHIPS[:2]),
        (wgmma.Case((72, 80, 512), "split-k=4", in_type="i8", out_type="i32", transpose_b=True, accumulate=True), CHIPS),
        (wgmma.Case((72, 80, 512), "split-k=2", in_type="f8E4M3FN", b_type="f8E5M2", out_type="bf16", transpose_b=True), CHIPS),
        (wgmma.Case((72, 80, 128), "split-k=4", in_type="f32", transpose_b=True), CHIPS),
        (wgmma.Case((72, 80, 256), "split-k=2", in_type="f16", half=True), CHIPS),
        # Both kernels may start while the one before them ends.
        (wgmma.Case((72, 88, 256), "split-k=2 pdl=on", out_type="bf16", fused=True), CHIPS),
        # Other configurations of the kernel that multiplies.
        (wgmma.Case((150, 136, 512), "split-k=4 cta-group=2", out_type="bf16"), ("sm_100a", )),
        (wgmma.Case((72, 88, 256), "split-k=2 scheduler=clc", out_type="bf16"), ("sm_100a", )),
        (wgmma.Case((150, 136, 256), "split-k=2 cluster=2x1 tile=128x64x64", out_type="bf16"), CHIPS[:2]),
        (wgmma.Case((150, 136, 256), "split-k=2 roles=ping-pong tile=64x64x64 sms=2", out_type="bf16"), ("sm_90a", )),
        (wgmma.Case((150, 136, 256), "split-k=2 load-a=cp-async load-b=threads tile=64x64x64 stages=2", out_type="bf16"), ("sm_90a", )),
        (wgmma.Case((70, 66, 256), "split-k=2", out_type="bf16", transpose_b=True, fused=True), ("sm_80", )),
        (wgmma.Case((72, 80, 256), "split-k=2", in_type="i8", out_type="i32", transpose_b=True, batch=2), ("sm_80", )),
    ]
    return cases


GEMMS = [
    Gemm((200, 136, 512), (("add", "row", "f32"), "gelu_erf", ("add", "full", "bf16")), out_type="bf16", config="split-k=4"),
    Gemm((70, 72, 256), (("mul", "column", "f32"), "silu"), batch=2, transpose_b=False, config="split-k=2"),
    Gemm((66, 40, 256), transpose_a=True, accumulate=True, config="split-k=2 pdl=on"),
]


@dataclasses.dataclass(frozen=True)
class Case:
    """One product for one chip, or one module."""
    product: object
    chip: str

    @property
    def name(self):
        return f"{self.chip}-{self.product.name}"


def check_launches(ptx, config):
    """Two kernels, one after the other; both wait for others where that was asked for."""
    description = json.loads(ptx.with_suffix(".json").read_text())
    launches = [launch["kernel"] for launch in description["launches"]]
    waits = [kernel.get("programmatic_launch", False) for kernel in description["kernels"]]
    if launches != [0, 1] or waits != 2 * ["pdl=on" in config]:
        raise strict.Failure(f"{ptx}: launches {launches} of kernels that wait for others: {waits}")


def run_module(case, build, folder):
    """A module of linalg, whose results numpy knows."""
    work = folder / re.sub(r"\W", "_", case.name)
    work.mkdir(exist_ok=True)
    tools = runner.find_tools(build, work)
    gemm.check(tools, case.product, runner.Seconds())
    ptx, = work.rglob("*.ptx")
    check_launches(ptx, case.product.config)
    return len(runner.SCHEDULES)


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    if isinstance(case.product, Gemm):
        return run_module(case, build, folder)
    (folder / case.chip).mkdir(exist_ok=True)
    ptx = wgmma.compile_case(case.product, build, folder / case.chip, case.chip)
    check_launches(ptx, case.product.config)
    strict.assemble(ptx, case.chip)
    strict.emulate(ptx, build, "--check", f"--seeds={seeds}")
    return len(strict.SCHEDULES) + seeds


def main():
    options = strict.parse(__doc__, seeds=2)
    shutil.rmtree(pathlib.Path(options.build) / "integration-split-k", ignore_errors=True)
    cases = [Case(product, chip) for product, chips in make_products() for chip in chips]
    cases += [Case(product, "sm_100a") for product in GEMMS]
    return strict.run_cases(options, "integration-split-k", "products with parts of K", cases, run, more=("parts of K",))


if __name__ == "__main__":
    sys.exit(main())
