#!/usr/bin/env python3
"""Kernels with mma.sync on the emulator: sm_120a, sm_80 and sm_89, and sm_90a where the unit is asked for.

The matmuls of wgmma.py but those with what mma.sync has not (clusters, roles that take turns, products in flight): bf16 and f16, all four orders of the
operands, fp8, tf32 and integers of 8 bits, sums in f16, tails in M, N and K, batches,
fused epilogues, store rings, and warps with 16 and with 32 rows. On sm_80 and sm_89
threads load all operands. Each kernel is assembled without spills, runs under every schedule and some seeds with the strict race
policy, and is compared with float64.
"""
import dataclasses
import re
import sys

sys.dont_write_bytecode = True
import wgmma  # noqa: E402
from tclib import strict  # noqa: E402

# Operands that TMA does not load: rows of 2 and of 4 bytes, and elements of 8 bits that threads turn.
UNALIGNED = [
    wgmma.Case((130, 70, 75), "tile=128x64x64 stages=2"),
    wgmma.Case((66, 130, 90), "tile=64x64x64 load-a=cp-async stages=2", transpose_b=True),
    wgmma.Case((70, 66, 150), "tile=64x128x128 stages=1", in_type="f8E4M3FN", transpose_a=True),
    wgmma.Case((72, 80, 144), "tile=64x128x128 stages=2", in_type="i8", out_type="i32"),
]
# What only wgmma has.
WGMMA_ALONE = ("cluster", "roles=ping-pong", "late-release")
TILE = re.compile(r"tile=(\d+)x(\d+)x(\d+)")


def fitted(config):
    """`config` with rings that 101,376 bytes of shared memory have room for, and with accumulators of half a
    thread's registers."""
    config = config.replace("tile=128x256", "tile=64x256")
    tile = TILE.match(config)
    large = tile and (int(tile[1]) + int(tile[2])) * int(tile[3]) > 128 * 128
    return re.sub(r"stages=\d", "stages=1", config, count=1) if large else config


def make_cases():
    """Each with the chip that it is compiled for."""
    cases = [(dataclasses.replace(case, config=fitted(case.config)), "sm_120a")
             for case in wgmma.make_cases() + UNALIGNED if not any(word in case.config for word in WGMMA_ALONE)]
    # The same PTX but for the target, so that a GPU with TMA can run it: wider tiles, deeper rings.
    rows = [
        wgmma.Case((300, 264, 136), "unit=mma-sync tile=64x256x64", out_type="f16", transpose_b=True),
        wgmma.Case((150, 136, 520), "unit=mma-sync", in_type="f16", transpose_a=True),
        wgmma.Case((136, 200, 144), "unit=mma-sync tile=128x128x128", in_type="f8E4M3FN", b_type="f8E5M2",
                   out_type="bf16", transpose_b=True),
        wgmma.Case((136, 200, 144), "unit=mma-sync tile=128x64x32", in_type="f32", transpose_b=True),
        wgmma.Case((136, 200, 144), "unit=mma-sync", in_type="i8", b_type="ui8", out_type="i32", transpose_b=True),
        wgmma.Case((150, 88, 200), "unit=mma-sync", out_type="bf16", fused=True),
    ]
    return cases + [(case, "sm_90a") for case in rows] + make_old()


def make_old():
    """Without TMA: cp.async of 16 and of 4 bytes, elements by threads, dynamic order of the operands, all types."""
    return [
        (wgmma.Case((200, 136, 264), "", transpose_b=True), "sm_80"),
        (wgmma.Case((150, 136, 72), "tile=128x64x64 stages=3", in_type="f16", out_type="f16"), "sm_80"),
        (wgmma.Case((136, 72, 200), "tile=64x64x64", transpose_a=True, in_type="f16", half=True), "sm_80"),
        (wgmma.Case((130, 70, 75), "tile=128x64x64 stages=2", out_type="bf16"), "sm_80"),
        (wgmma.Case((130, 66, 90), "tile=64x64x64 stages=2", transpose_b=True, fused=True, out_type="bf16"), "sm_80"),
        (wgmma.Case((136, 200, 144), "tile=128x64x32", in_type="f32", transpose_b=True), "sm_80"),
        (wgmma.Case((136, 200, 144), "tile=64x64x128", in_type="i8", b_type="ui8", out_type="i32", transpose_b=True,
                    accumulate=True), "sm_80"),
        (wgmma.Case((70, 72, 136), "tile=64x64x64", batch=3, transpose_b=True), "sm_86"),
        (wgmma.Case((136, 200, 144), "tile=128x64x128 stages=2", in_type="f8E4M3FN", b_type="f8E5M2", out_type="bf16",
                    transpose_b=True), "sm_89"),
        (wgmma.Case((72, 80, 144), "tile=64x128x128 stages=1", in_type="f8E5M2", out_type="f8E4M3FN"), "sm_89"),
    ]


@dataclasses.dataclass(frozen=True)
class Case:
    """One matmul for one chip."""
    matmul: wgmma.Case
    chip: str

    @property
    def name(self):
        return f"{self.chip}-{self.matmul.name}"


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    (folder / case.chip).mkdir(exist_ok=True)
    ptx = wgmma.compile_case(case.matmul, build, folder / case.chip, case.chip)
    text = ptx.read_text()
    if case.matmul.shape[2] and ("mma.sync" not in text or "wgmma" in text):
        raise strict.Failure(f"{ptx}: no mma.sync")
    strict.assemble(ptx, case.chip)
    if case.chip in ("sm_80", "sm_86", "sm_89"):  # What a GPU of today runs of it.
        strict.assemble(ptx, "sm_90")
    strict.emulate(ptx, build, "--check", f"--seeds={seeds}")
    return len(strict.SCHEDULES) + seeds


def main():
    options = strict.parse(__doc__, seeds=3)
    cases = [Case(matmul, chip) for matmul, chip in make_cases()]
    return strict.run_cases(options, "integration-mma-sync", "kernels with mma.sync", cases, run)


if __name__ == "__main__":
    sys.exit(main())
