#!/usr/bin/env python3
"""Kernels with wgmma (sm_90a) on the emulator.

bf16 and f16, all four orders of the operands, tails in M, N and K, one to four
warpgroups, batches and fused epilogues. Each kernel is assembled without spills,
runs under every schedule and some seeds with the strict race policy, and is compared
with float64. test/Device/gemm_replay.py compares the same kernels with an H200.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

SCHEDULES = "eager,lazy,reverse,starvation,skew,late-reads"
TEXT = """func.func @f(%a: memref<{a}x{t}>, %b: memref<{b}x{t}>, %d: memref<{d}x{o}>{extra}) {{
  tmm.matmul {accumulate}{ta}{tb}ins(%a, %b : memref<{a}x{t}>, memref<{b}x{t}>)
             outs(%d : memref<{d}x{o}>){epilogue}
  return
}}
"""
# A bias for each column, one for each row, and a residual; relu of the sum.
EPILOGUE = """
      epilogue(%acc, %x = %bias along n : memref<{n}xf32>, %y = %scale along m : memref<{m}xf32>,
               %z = %rest : memref<{m}x{n}xf16>) {{
    %zero = arith.constant 0.0 : f32
    %wide = arith.extf %z : f16 to f32
    %0 = arith.mulf %acc, %y : f32
    %1 = arith.addf %0, %x : f32
    %2 = arith.addf %1, %wide : f32
    %3 = arith.maximumf %2, %zero : f32
    %4 = arith.truncf %3 : f32 to bf16
    tmm.yield %4 : bf16
  }}"""


@dataclasses.dataclass(frozen=True)
class Case:
    """One product and its configuration."""
    shape: tuple  # M, N, K
    config: str = ""
    transpose_a: bool = False  # A is stored K x M
    transpose_b: bool = False  # B is stored N x K
    in_type: str = "bf16"
    out_type: str = "f32"
    batch: int = 0
    accumulate: bool = False
    fused: bool = False

    @property
    def name(self):
        parts = ["x".join(map(str, ((self.batch,) if self.batch else ()) + self.shape)),
                 ("at" if self.transpose_a else "an") + ("bt" if self.transpose_b else "bn"), self.in_type,
                 self.out_type, "acc" * self.accumulate + "fused" * self.fused,
                 self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    def stored_shape(self, operand):
        m, n, k = self.shape
        shape = {"A": (k, m) if self.transpose_a else (m, k), "B": (n, k) if self.transpose_b else (k, n),
                 "D": (m, n)}[operand]
        return ((self.batch,) if self.batch else ()) + shape

    def text(self):
        m, n, _ = self.shape
        a, b, d = ("x".join(map(str, self.stored_shape(operand))) for operand in "ABD")
        extra = f", %bias: memref<{n}xf32>, %scale: memref<{m}xf32>, %rest: memref<{m}x{n}xf16>" * self.fused
        return TEXT.format(a=a, b=b, d=d, t=self.in_type, o=self.out_type, extra=extra,
                           epilogue=EPILOGUE.format(m=m, n=n) if self.fused else "",
                           accumulate="accumulate " * self.accumulate, ta="transpose_a " * self.transpose_a,
                           tb="transpose_b " * self.transpose_b)


def make_points():
    """Products that an H200 has computed: shapes, orders, types, tails, tiles."""
    points = []
    # M, N and K, output type, configuration. In a stored order the contiguous dimension is rounded up to what
    # TMA can address; the others keep their tails.
    rows = [
        ((64, 64, 64), "f32", "tile=64x64x64"),
        ((150, 83, 72), "f32", "tile=128x64x64"),
        ((97, 130, 200), "bf16", "tile=64x128x64 stages=2"),
        ((300, 264, 136), "f16", "tile=128x256x64"),
        ((201, 72, 328), "f32", "tile=192x64x64"),
        ((70, 190, 100), "bf16", "tile=256x64x64 stages=3"),
        ((129, 257, 33), "f32", ""),
        ((136, 200, 520), "f16", "tile=128x128x128 stages=2 sms=3"),
    ]

    def rounded(size):
        return -(-size // 8) * 8

    for in_type in ("bf16", "f16"):
        for transpose_a in (False, True):
            for transpose_b in (False, True):
                for (m, n, k), out_type, config in rows:
                    m = rounded(m) if transpose_a else m
                    n = n if transpose_b else rounded(n)
                    k = rounded(k) if not transpose_a or transpose_b else k
                    points.append(Case((m, n, k), config, transpose_a, transpose_b, in_type, out_type))
    # Narrow tiles, other swizzles, one K-block, no K.
    points += [
        Case((65, 21, 80), "tile=64x24x64", transpose_b=True),
        Case((200, 8, 40), "tile=64x8x64", transpose_b=True, in_type="f16"),
        Case((100, 96, 48), "tile=128x32x32 swizzle=64B"),
        Case((104, 48, 96), "tile=64x16x16 swizzle=32B", transpose_a=True, in_type="f16"),
        Case((40, 64, 16), "tile=64x64x64", out_type="bf16"),
        # A shared along a row of CTAs and B along a column, whose tails leave CTAs without a tile.
        Case((150, 136, 200), "tile=128x64x64 cluster=2x1 stages=2"),
        Case((300, 136, 136), "tile=64x64x64 cluster=1x2", transpose_a=False, transpose_b=True, in_type="f16"),
        Case((328, 200, 264), "tile=128x64x64 cluster=2x2 stages=3", transpose_a=True, out_type="bf16"),
        Case((600, 264, 72), "tile=64x64x64 cluster=4x2 sms=8", transpose_b=True),
    ]
    return points


def make_cases():
    cases = make_points()
    cases += [
        Case((70, 72, 136), "tile=64x64x64", batch=3),
        Case((200, 136, 72), "", batch=2, transpose_a=True, transpose_b=True, in_type="f16", out_type="bf16"),
        Case((150, 88, 200), "tile=128x64x64", out_type="bf16", accumulate=True),
        Case((130, 88, 200), "tile=64x64x64", out_type="f32", accumulate=True, transpose_b=True),
        Case((150, 88, 200), "tile=128x64x64", out_type="bf16", fused=True),
        Case((67, 83, 80), "tile=64x64x64", out_type="bf16", fused=True, transpose_b=True),
        Case((130, 72, 0), "tile=64x64x64"),
    ]
    return cases


def find_ptxas():
    cuda = os.environ.get("CUDA_HOME")
    path = os.pathsep.join(([os.path.join(cuda, "bin")] if cuda else []) + [os.environ.get("PATH", "")])
    return shutil.which("ptxas", path=path)


def compile_case(case, build, folder):
    """The PTX of a case; its description is beside it."""
    source = folder / f"{case.name}.mlir"
    source.write_text(case.text())
    ptx = source.with_suffix(".ptx")
    step([build / "bin/tc-compile", source, "-o", ptx, "--chip=sm_90a", f"--config={case.config}"])
    return ptx


class Failure(Exception):
    """What went wrong, to print."""


def step(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout + done.stderr


def run(case, build, folder, seeds, ptxas):
    """Returns what went wrong, or nothing, and the runs made."""
    try:
        ptx = compile_case(case, build, folder)
        text = ptx.read_text()
        if case.shape[2] and "wgmma.mma_async" not in text:
            return f"{ptx}: no wgmma", 0
        if ptxas:
            said = step([ptxas, "-arch=sm_90a", "-v", ptx, "-o", ptx.with_suffix(".cubin")])
            if re.search(r"[1-9]\d* bytes spill", said) or "C75" in said:
                return f"{ptx}: spills, or wgmma is serialised\n{said}", 0
        step([build / "bin/tc-run", ptx, "--check", "--races=strict", "--threads=1", f"--schedule={SCHEDULES}",
              f"--seeds={seeds}"])
    except Failure as error:
        return str(error), 6 + seeds
    return None, 6 + seeds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3, help="random schedules for each kernel")
    parser.add_argument("--filter", default="", help="only cases whose name matches this regular expression")
    parser.add_argument("--every", type=int, default=1, help="one in this many cases")
    options = parser.parse_args()
    folder = options.build / "integration-wgmma"
    folder.mkdir(parents=True, exist_ok=True)
    cases = [case for case in make_cases() if re.search(options.filter, case.name)][::options.every]
    ptxas = find_ptxas()
    failures = total = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda c: run(c, options.build, folder, options.seeds, ptxas), cases)
        for case, (error, runs) in zip(cases, results):
            total += runs
            if error:
                failures += 1
                print(f"FAILED: {case.name}\n{error}", flush=True)
    print(f"{len(cases)} kernels with wgmma in {total} runs, {failures} failures")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
