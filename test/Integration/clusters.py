#!/usr/bin/env python3
"""Clusters of any shape and work stealing on the emulator.

Kernels whose clusters share tiles by multicast, with one CTA and pairs for each
matrix instruction, and kernels that take over the work of clusters that have not
started. M and N have tails that leave CTAs of a cluster without a tile. Each runs
under every schedule and some seeds with the strict race policy, and is compared with
float64; what a CTA can take over is varied from nothing (all clusters run at once) to
everything that the schedule leaves.
"""
import argparse
import concurrent.futures
import dataclasses
import pathlib
import subprocess
import sys

SCHEDULES = "eager,lazy,reverse,starvation,skew,late-reads"
TEXT = """func.func @f(%a: memref<{am}x{ak}x{t}>, %b: memref<{bk}x{bn}x{t}>, %d: memref<{m}x{n}x{o}>) {{
  tmm.matmul {ta}{tb}ins(%a, %b : memref<{am}x{ak}x{t}>, memref<{bk}x{bn}x{t}>)
             outs(%d : memref<{m}x{n}x{o}>)
  return
}}
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """One product and its configuration."""
    config: str
    shape: tuple = (600, 424, 200)  # M, N, K
    transpose_a: bool = False  # A is stored K x M
    transpose_b: bool = False  # B is stored N x K
    in_type: str = "bf16"
    out_type: str = "f32"

    @property
    def name(self):
        parts = ["x".join(map(str, self.shape)), "at" * self.transpose_a + "bt" * self.transpose_b, self.in_type,
                 self.out_type, self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    @property
    def steals(self):
        return "clc" in self.config

    def text(self):
        m, n, k = self.shape
        am, ak = (k, m) if self.transpose_a else (m, k)
        bk, bn = (n, k) if self.transpose_b else (k, n)
        return TEXT.format(m=m, n=n, am=am, ak=ak, bk=bk, bn=bn, t=self.in_type, o=self.out_type,
                           ta="transpose_a " * self.transpose_a, tb="transpose_b " * self.transpose_b)


def make_cases():
    single, pair = "cta-group=1 tile=128x64x64", "cta-group=2 tile=256x128x64"
    cases = []
    for cluster in ("2x2", "4x1", "2x4", "1x2"):
        cases.append(Case(f"{single} cluster={cluster}"))
    for cluster in ("2x2", "4x1", "2x4", "4x2"):
        cases.append(Case(f"{pair} cluster={cluster}"))
    # Both orders of both operands, other types, a K-block more than the ring has slots, no K at all.
    cases.append(Case(f"{single} cluster=2x2", (264, 200, 584), transpose_a=True, transpose_b=True, in_type="f16"))
    cases.append(Case(f"{pair} cluster=4x2", (520, 264, 584), transpose_a=True, transpose_b=True, out_type="bf16"))
    cases.append(Case(f"{pair} cluster=2x2 stages=2", (130, 72, 0), out_type="f16"))
    cases.append(Case(f"{single} cluster=2x2 epilogue=direct", (600, 424, 136)))
    for cluster in ("1x1", "2x2"):
        cases.append(Case(f"{single} cluster={cluster} scheduler=clc"))
    for cluster in ("2x1", "2x2"):
        cases.append(Case(f"{pair} cluster={cluster} scheduler=clc", (1100, 424, 136)))
    cases.append(Case(f"{single} cluster=1x1 scheduler=clc roles=none"))
    return cases


def run(case, build, folder, seeds):
    """Returns what went wrong, or nothing, and the runs made."""
    source = folder / f"{case.name}.mlir"
    source.write_text(case.text())
    ptx = source.with_suffix(".ptx")
    steps = [[build / "bin/tc-compile", source, "-o", ptx, f"--config={case.config}"]]
    check = [build / "bin/tc-run", ptx, "--check", "--races=strict", "--threads=1"]
    runs = 6 + seeds
    steps.append(check + [f"--schedule={SCHEDULES}", f"--seeds={seeds}"])
    if case.steals:
        steps.append(check + [f"--schedule={SCHEDULES}", "--assume=+co-resident-grid"])
        runs += 6
    for step in steps:
        done = subprocess.run(list(map(str, step)), capture_output=True, text=True)
        if done.returncode:
            return f"{' '.join(map(str, step))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}", runs
    text = ptx.read_text()
    if "cluster=1x1" not in case.config and "multicast::cluster" not in text:
        return f"{ptx}: no multicast", runs
    if case.steals and "clusterlaunchcontrol.try_cancel" not in text:
        return f"{ptx}: takes over no work", runs
    return None, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3, help="random schedules for each kernel")
    options = parser.parse_args()
    folder = options.build / "integration-clusters"
    folder.mkdir(parents=True, exist_ok=True)
    cases = make_cases()
    failures = total = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (error, runs) in zip(cases, pool.map(lambda c: run(c, options.build, folder, options.seeds), cases)):
            total += runs
            if error:
                failures += 1
                print(f"FAILED: {case.name}\n{error}")
    print(f"{len(cases)} kernels of clusters in {total} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
