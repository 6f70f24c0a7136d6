#!/usr/bin/env python3
"""Clusters of any shape and work stealing on the emulator.

Kernels whose clusters share tiles by multicast, with one CTA and pairs for each
matrix instruction, and kernels that take over the work of clusters that have not
started. M and N have tails that leave CTAs of a cluster without a tile. Each runs
under every schedule and some seeds with the strict race policy, and is compared with
float64; what a CTA can take over is varied from nothing (all clusters run at once) to
everything that the schedule leaves.
"""
import dataclasses
import sys

sys.dont_write_bytecode = True
from tclib import strict  # noqa: E402

TEXT = """func.func @f(%a: memref<{am}x{ak}x{t}>, %b: memref<{bk}x{bn}x{t}>, %d: memref<{m}x{n}x{o}>) {{
  tmm.matmul {ta}{tb}ins(%a, %b : memref<{am}x{ak}x{t}>, memref<{bk}x{bn}x{t}>)
             outs(%d : memref<{m}x{n}x{o}>)
  return
}}
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """One matmul and its configuration."""
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
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--config={case.config}")
    text = ptx.read_text()
    if "cluster=1x1" not in case.config and "multicast::cluster" not in text:
        raise strict.Failure(f"{ptx}: no multicast")
    if case.steals and "clusterlaunchcontrol.try_cancel" not in text:
        raise strict.Failure(f"{ptx}: takes over no work")
    strict.emulate(ptx, build, "--check", f"--seeds={seeds}")
    if not case.steals:
        return len(strict.SCHEDULES) + seeds
    strict.emulate(ptx, build, "--check", "--assume=+co-resident-grid")
    return 2 * len(strict.SCHEDULES) + seeds


def main():
    options = strict.parse(__doc__, seeds=3)
    return strict.run_cases(options, "integration-clusters", "kernels of clusters", make_cases(), run)


if __name__ == "__main__":
    sys.exit(main())
