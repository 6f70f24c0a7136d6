#!/usr/bin/env python3
"""Kernels whose tiles a counter in global memory hands out (scheduler=counter), on the emulator.

Of each unit: a tile for each CTA, fewer tiles than CTAs, many tiles for each, none;
batches, clusters, roles that take turns, operands that threads load. Each kernel is
assembled without spills, runs under every schedule and some seeds with the strict race
policy, and is compared with float64; then three launches follow each other, each of
which adds to what the one before has left: all of them must find the counter at 0.
"""
import dataclasses
import json
import math
import sys

sys.dont_write_bytecode = True
from tclib import strict  # noqa: E402

TEXT = """func.func @f(%a: memref<{a}x{t}>, %b: memref<{b}x{t}>, %d: memref<{d}x{o}>) {{
  tmm.matmul accumulate {ta}{tb}ins(%a, %b : memref<{a}x{t}>, memref<{b}x{t}>) outs(%d : memref<{d}x{o}>)
  return
}}
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """One matmul and its configuration, without the scheduler."""
    shape: tuple  # M, N, K
    config: str
    chip: str = "sm_90a"
    transpose_a: bool = False  # A is stored K x M
    transpose_b: bool = True  # B is stored N x K
    in_type: str = "bf16"
    out_type: str = "f32"
    batch: int = 0
    sizes: tuple = ()  # dynamic M, N and K: those that run

    @property
    def name(self):
        parts = [self.chip, "x".join(map(str, ((self.batch,) if self.batch else ()) + self.shape)),
                 "x".join(map(str, self.sizes)), ("at" if self.transpose_a else "an") + ("bt" if self.transpose_b else "bn"),
                 self.in_type, self.out_type, self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    def text(self):
        m, n, k = ("?", "?", "?") if self.sizes else self.shape
        shapes = {"a": (k, m) if self.transpose_a else (m, k), "b": (n, k) if self.transpose_b else (k, n), "d": (m, n)}
        batch = (self.batch,) if self.batch else ()
        return TEXT.format(**{name: "x".join(map(str, batch + shape)) for name, shape in shapes.items()}, t=self.in_type,
                           o=self.out_type, ta="transpose_a " * self.transpose_a, tb="transpose_b " * self.transpose_b)


def make_cases():
    turns = "roles=ping-pong"
    cases = [
        # One tile; fewer than CTAs; as many; one more; many.
        Case((40, 48, 72), "tile=64x64x64"),
        Case((150, 83, 72), "tile=64x64x64 sms=8"),
        Case((200, 136, 72), "tile=128x64x64 sms=6", out_type="bf16", transpose_b=False),
        Case((200, 136, 72), "tile=128x64x64 sms=5", in_type="f16", transpose_a=True),
        Case((520, 328, 136), "tile=128x64x64 sms=4 stages=2", out_type="bf16"),
        Case((392, 264, 40), "tile=64x64x64 sms=1"),
        Case((130, 136, 0), "tile=64x64x64 sms=3"),
        # Sizes that are known when it runs: none, one tile, many.
        Case((0, 48, 72), "tile=64x64x64 sms=3", sizes=(0, 48, 72)),
        Case((40, 48, 72), "tile=64x64x64 sms=3", sizes=(40, 48, 72)),
        Case((300, 200, 72), "tile=64x64x64 sms=3", sizes=(300, 200, 72)),
        # A batch, other stores, a kernel that starts while the one before ends.
        Case((70, 72, 136), "tile=64x64x64 sms=4", batch=3, out_type="bf16"),
        Case((200, 328, 72), "tile=128x64x64 sms=3 epilogue=direct pdl=on late-release=on", out_type="bf16"),
        # Threads load: the role of TMA only counts.
        Case((200, 136, 104), "tile=128x64x64 sms=3 load-a=cp-async load-b=threads"),
        # Clusters, whose CTAs get each tile together.
        Case((300, 136, 136), "tile=64x64x64 cluster=1x2 sms=4", in_type="f16"),
        Case((300, 136, 136), "tile=64x64x64 cluster=2x1 sms=2 stages=2", out_type="bf16"),
        Case((600, 264, 72), "tile=64x64x64 cluster=2x2 sms=8 stages=3"),
        Case((200, 72, 72), "tile=64x64x64 cluster=2x2 sms=16", batch=2),
        # Two warpgroups that take turns.
        Case((392, 328, 200), f"tile=128x128x64 sms=2 stages=3 {turns}", out_type="bf16"),
        Case((392, 200, 72), f"tile=64x64x64 sms=3 {turns}", transpose_b=False),
        Case((64, 64, 64), f"tile=64x64x64 {turns}", out_type="bf16"),
        Case((300, 264, 136), f"tile=64x64x64 cluster=1x2 sms=4 {turns}", in_type="f16"),
        Case((600, 264, 72), f"tile=128x64x64 cluster=2x2 sms=4 stages=3 {turns}", out_type="bf16"),
        # The other units.
        Case((520, 264, 136), "tile=128x64x64 cta-group=1 sms=4", chip="sm_100a", out_type="bf16"),
        Case((600, 264, 72), "tile=256x64x64 cta-group=2 sms=4", chip="sm_100a"),
        Case((1100, 264, 72), "tile=256x64x64 cta-group=2 cluster=4x1 sms=8", chip="sm_100a", out_type="bf16"),
        Case((300, 264, 72), "tile=128x64x64 cta-group=1 roles=none sms=3", chip="sm_100a"),
        Case((300, 264, 72), "tile=128x64x64 unit=mma-sync sms=3", chip="sm_120a", out_type="bf16"),
    ]
    return cases


def repeat(description, count):
    """Has the launch follow itself: each is a problem of its own, which adds to D."""
    launch, problem = description["launches"][0], description["problems"][0]
    description["launches"] = [launch] * count
    description["problems"] = [{**problem, "launch": number} for number in range(count)]


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--chip={case.chip}", f"--config={case.config} scheduler=counter")
    path = ptx.with_suffix(".json")
    description = json.loads(path.read_text())
    if not any(buffer.get("role") == "temporary" and buffer.get("fill") == "00000000"
               for buffer in description["buffers"].values()):
        raise strict.Failure(f"{path}: no counter that starts at 0")
    # Only CTAs of a cluster hand answers on.
    shares = any(math.prod(kernel["cluster"]) > 1 for kernel in description["kernels"])
    for instruction in ("atom.global.inc.u32", "st.async" if shares else "mbarrier.complete_tx.relaxed"):
        if instruction not in ptx.read_text():
            raise strict.Failure(f"{ptx}: no {instruction}")
    strict.assemble(ptx, case.chip)
    sizes = ["--size=" + ",".join(f"{name}={size}" for name, size in zip("MNK", case.sizes))] if case.sizes else []
    strict.emulate(ptx, build, "--check", f"--seeds={seeds}", *sizes)
    repeat(description, 3)
    path.write_text(json.dumps(description))
    strict.emulate(ptx, build, "--check", *sizes)
    return 2 * len(strict.SCHEDULES) + seeds


def main():
    options = strict.parse(__doc__, seeds=2)
    return strict.run_cases(options, "integration-counter", "kernels with a counter", make_cases(), run,
                            more=("tiles by a counter",))


if __name__ == "__main__":
    sys.exit(main())
