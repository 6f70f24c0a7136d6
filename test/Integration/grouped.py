#!/usr/bin/env python3
"""Products of groups whose rows the device alone knows (tmm.matmul with ends or counts), on the emulator.

Each kernel is compiled once, assembled without spills, and run on several vectors of ends or counts: none, one, 127, 128
and 129 rows, all rows in one group, random ones with empty groups, Zipf's, and such that are not consistent: negative,
falling, past the last row. It runs under every schedule and some seeds with the strict race policy. Compared are all
elements with float64 and, apart from tc-run, D's bits with what numpy says of which rows may be written.
"""
import dataclasses
import os
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

sys.dont_write_bytecode = True
from tclib import strict  # noqa: E402

TEXT = """func.func @f(%a: memref<{a}x{t}>, %b: memref<{b}x{t}>, %rows: memref<{groups}xi32>, %d: memref<{d}x{o}>{more}) {{
  tmm.matmul {ta}{tb}ins(%a, %b : memref<{a}x{t}>, memref<{b}x{t}>){scales} {rows}(%rows : memref<{groups}xi32>)
    outs(%d : memref<{d}x{o}>){epilogue}
  return
}}
"""
# Bias of the group, weight of the row.
EPILOGUE = """
    epilogue(%acc, %x = %bias along n : memref<{groups}x{n}xf32>, %w = %weight along m : memref<{weight}xf32>) {{
    %0 = arith.addf %acc, %x : f32
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.mulf %1, %w : f32
    {convert}
  }}"""
BYTES = {"f32": 4, "bf16": 2, "f16": 2}
DEFAULT = ("even", "random", "one")


def zipf(groups, total):
    """Rows of each group, the first one has the most."""
    weights = 1 / np.arange(1, groups + 1)
    return np.floor(weights / weights.sum() * total).astype(int)


@dataclasses.dataclass(frozen=True)
class Case:
    """A product of groups; `rows` names the vectors of ends or counts that it runs on."""
    shape: tuple  # rows of all groups, or of each with counts; N, K
    groups: int
    config: str = ""
    chip: str = "sm_90a"
    counts: bool = False
    transpose_a: bool = False
    transpose_b: bool = True
    in_type: str = "bf16"
    out_type: str = "bf16"
    fused: bool = False
    scales: bool = False  # f32 factors, 1 x 128 and 128 x 128
    dynamic: bool = False
    rows: tuple = DEFAULT

    @property
    def name(self):
        parts = [self.chip, "counts" if self.counts else "ends", "x".join(map(str, self.shape)), f"{self.groups}groups",
                 "at" if self.transpose_a else "an", "bt" if self.transpose_b else "bn", self.in_type, self.out_type,
                 "fused" * self.fused, "scales" * self.scales, "dynamic" * self.dynamic,
                 self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    def text(self):
        m, n, k = ("?",) * 3 if self.dynamic else self.shape
        groups = "?" if self.dynamic else self.groups
        batch = (groups,) if self.counts else ()
        shapes = {"a": (*batch, k, m) if self.transpose_a else (*batch, m, k),
                  "b": (groups, n, k) if self.transpose_b else (groups, k, n), "d": (*batch, m, n)}
        more = scales = epilogue = ""
        if self.scales:
            blocks = [-(-size // 128) for size in self.shape[1:]]
            sfa, sfb = (f"memref<{'x'.join(map(str, shape))}xf32>"
                        for shape in ((*batch, m, blocks[1]), (groups, *blocks)))
            more += f", %sfa: {sfa}, %sfb: {sfb}"
            scales = f" scales(%sfa, %sfb : {sfa}, {sfb})"
        if self.fused:
            weight = "x".join(map(str, (*batch, m)))
            more += f", %bias: memref<{groups}x{n}xf32>, %weight: memref<{weight}xf32>"
            convert = "tmm.yield %2 : f32"
            if self.out_type != "f32":
                convert = f"%3 = arith.truncf %2 : f32 to {self.out_type}\n    tmm.yield %3 : {self.out_type}"
            epilogue = EPILOGUE.format(groups=groups, n=n, weight=weight, convert=convert)
        return TEXT.format(**{name: "x".join(map(str, shape)) for name, shape in shapes.items()}, groups=groups,
                           t=self.in_type, o=self.out_type, ta="transpose_a " * self.transpose_a,
                           tb="transpose_b " * self.transpose_b, rows="counts" if self.counts else "ends", more=more,
                           scales=scales, epilogue=epilogue)

    def vector(self, kind):
        """The numbers that the kernel reads."""
        total, groups = self.shape[0], self.groups
        random = np.random.default_rng(len(kind) + groups + total)
        if kind == "wild":
            return random.choice([-(2 ** 31), -7, 0, 5, total // 2, total, total + 1, 2 ** 31 - 1], groups)
        if self.counts:
            of = {"even": np.full(groups, total), "one": np.arange(groups) == 1,
                  "random": random.integers(0, total + 1, groups) * (random.random(groups) < 0.7),
                  "edges": np.resize([0, 1, 127, 128, 129], groups), "none": np.zeros(groups), "zipf": zipf(groups, total)}
            return np.minimum(of[kind], total)
        sizes = {"even": lambda: np.full(groups, total // groups), "one": lambda: total * (np.arange(groups) == groups // 2),
                 "random": lambda: random.multinomial(total - 3, random.dirichlet(np.full(groups, 0.5))),
                 "edges": lambda: np.resize([127, 0, 1, 128, 129, 0], groups), "none": lambda: np.zeros(groups),
                 "zipf": lambda: zipf(groups, total)}
        return np.minimum(np.cumsum(sizes[kind]()), total)

    def written(self, vector):
        """Which rows of D may be written."""
        total = self.shape[0]
        if self.counts:
            return (np.arange(total) < np.clip(vector, 0, total)[:, None]).reshape(-1)
        return np.arange(total) < max(0, *(min(int(end), total) for end in vector))


def make_cases():
    turns, pair = "roles=ping-pong", "cta-group=2"
    everything = ("none", "one", "edges", "random", "zipf", "wild", "even")
    cases = [
        # The configuration that the model chooses; then of each what a field changes.
        Case((520, 136, 136), 5, rows=everything),
        Case((520, 136, 136), 5, chip="sm_100a", rows=everything),
        Case((700, 264, 72), 9, "tile=128x128x64 sms=4", rows=everything),
        Case((700, 264, 72), 9, "tile=128x128x64 cta-group=1 sms=4", chip="sm_100a", rows=everything),
        Case((304, 200, 200), 3, "tile=64x64x64 sms=5 raster=2", transpose_a=True, counts=True, out_type="f32"),
        Case((300, 200, 72), 4, "tile=64x64x64 sms=5", transpose_b=False, in_type="f16", out_type="f16"),
        Case((304, 200, 72), 4, "tile=64x64x64 sms=3", transpose_a=True, transpose_b=False, counts=True, in_type="f16", out_type="f32"),
        Case((300, 200, 136), 3, "tile=128x64x64 cta-group=1 sms=5 raster=3", chip="sm_100a", transpose_b=False, out_type="f32"),
        Case((304, 200, 136), 3, "tile=128x64x64 cta-group=1 sms=5", chip="sm_100a", transpose_a=True, counts=True, in_type="f16"),
        Case((300, 200, 136), 3, "tile=128x64x64 cta-group=1 sms=5", chip="sm_100a", in_type="f16", out_type="f16"),
        # Rows of D that TMA cannot store; a tile that ends past N; one column.
        Case((260, 133, 72), 4, "tile=64x64x64 sms=4"),
        Case((260, 133, 72), 4, "tile=128x64x64 cta-group=1 sms=4", chip="sm_100a"),
        Case((260, 136, 72), 4, "tile=64x64x64 epilogue=direct sms=4", out_type="f32"),
        # Sizes that are known when it runs; no K; more groups than rows; one group.
        Case((300, 136, 72), 6, "tile=64x64x64 sms=4", dynamic=True, rows=everything),
        Case((300, 136, 72), 6, "tile=128x64x64 cta-group=1 sms=4", chip="sm_100a", dynamic=True),
        Case((260, 72, 0), 3, "tile=64x64x64"),
        Case((40, 72, 72), 70, "tile=64x64x64 sms=7", rows=("random", "one", "wild", "zipf")),
        Case((200, 72, 72), 1, "tile=64x64x64", rows=("even", "none", "wild")),
        # Two warpgroups that take turns; clusters; threads that load.
        Case((700, 328, 200), 7, f"tile=128x128x64 sms=3 {turns}", rows=everything),
        Case((300, 264, 72), 4, f"tile=64x64x64 sms=3 {turns}", transpose_b=False, out_type="f32"),
        Case((600, 264, 136), 5, "tile=64x64x64 cluster=1x2 sms=4", rows=("edges", "random", "wild")),
        Case((600, 264, 136), 5, "tile=64x64x64 cluster=2x1 sms=4 stages=2", rows=("edges", "random", "wild")),
        Case((600, 264, 72), 5, f"tile=64x64x64 cluster=1x2 sms=4 {turns}"),
        Case((300, 136, 104), 4, "tile=128x64x64 sms=3 load-a=cp-async load-b=threads"),
        Case((600, 264, 136), 5, f"tile=256x128x64 {pair} sms=4", chip="sm_100a", rows=everything),
        Case((700, 264, 72), 5, f"tile=256x64x64 {pair} cluster=4x1 sms=8", chip="sm_100a"),
        Case((300, 264, 72), 4, "tile=128x64x64 cta-group=1 roles=none sms=3", chip="sm_100a"),
        Case((300, 264, 72), 4, "tile=128x64x64 unit=mma-sync sms=3", chip="sm_120a"),
        # Work that a counter or the chip hands out.
        Case((700, 264, 72), 9, "tile=64x64x64 scheduler=counter sms=4", rows=everything),
        Case((700, 264, 72), 9, f"tile=128x128x64 scheduler=counter sms=4 {turns}"),
        Case((700, 264, 72), 9, "tile=128x128x64 cta-group=1 scheduler=clc", chip="sm_100a", rows=everything),
        Case((700, 264, 72), 5, f"tile=256x128x64 {pair} scheduler=clc", chip="sm_100a"),
        # What experts have besides: a bias, an activation, weights of rows, factors.
        Case((520, 136, 136), 5, "tile=64x64x64 sms=5", fused=True, rows=everything),
        Case((520, 136, 136), 5, "tile=128x64x64 cta-group=1 sms=5", chip="sm_100a", fused=True, out_type="f32"),
        Case((520, 136, 136), 5, f"tile=128x128x64 sms=3 {turns}", fused=True, dynamic=True),
        Case((520, 136, 272), 5, in_type="f8E4M3FN", scales=True, rows=("edges", "random", "wild")),
        Case((520, 136, 272), 5, chip="sm_100a", in_type="f8E4M3FN", scales=True, rows=("edges", "random")),
        Case((520, 136, 272), 5, "tile=64x64x128 sms=4", in_type="f8E5M2", fused=True),
        # A capacity for each group.
        Case((150, 136, 72), 6, "tile=64x64x64 sms=5", counts=True, rows=everything),
        Case((150, 136, 72), 6, "tile=128x64x64 cta-group=1 sms=5", chip="sm_100a", counts=True, rows=everything),
        Case((128, 136, 72), 6, f"tile=128x128x64 sms=3 {turns}", counts=True, out_type="f32", transpose_b=False),
        Case((300, 136, 72), 4, f"tile=256x64x64 {pair} sms=4", chip="sm_100a", counts=True),
        Case((150, 136, 72), 6, "tile=64x64x64 scheduler=counter sms=4", counts=True, dynamic=True),
        Case((150, 136, 136), 6, "tile=64x64x64 sms=5", counts=True, fused=True),
        Case((150, 136, 272), 6, counts=True, in_type="f8E4M3FN", scales=True),
    ]
    return cases


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--chip={case.chip}", f"--config={case.config}")
    strict.assemble(ptx, case.chip)
    operand = "counts" if case.counts else "ends"
    sizes = dict(zip("MNK", case.shape), groups=case.groups) if case.dynamic else {}
    options = ["--size=" + ",".join(f"{name}={size}" for name, size in sizes.items())] if sizes else []
    # Of its own accord it makes up rows.
    strict.emulate(ptx, build, "--check", *options)
    before = folder / f"{case.name}.before.bin"
    batch = case.groups if case.counts else 1
    elements = batch * case.shape[0] * case.shape[1]
    pattern = np.random.default_rng(1).integers(0, 64, elements * BYTES[case.out_type], dtype=np.uint8)
    pattern.tofile(before)
    for kind in case.rows:
        vector = np.asarray(case.vector(kind), np.int64).astype(np.int32)
        file, after = (folder / f"{case.name}.{kind}.{what}.bin" for what in ("rows", "after"))
        vector.tofile(file)
        strict.emulate(ptx, build, "--check", f"--seeds={seeds}", f"--buffer={operand}={file}", f"--buffer=D={before}",
                       f"--out=D={after}", *options)
        rows = np.fromfile(after, np.uint8).reshape(batch * case.shape[0], -1)
        same = (rows == pattern.reshape(rows.shape)).all(axis=1)
        written = case.written(vector)
        if not same[~written].all():
            raise strict.Failure(f"{ptx}: {kind}: rows of no group were written: {np.flatnonzero(~same & ~written)[:8]}")
        if same[written].any() and not case.fused:
            raise strict.Failure(f"{ptx}: {kind}: rows of a group were not written: {np.flatnonzero(same & written)[:8]}")
        after.unlink()
    return (1 + len(case.rows)) * len(strict.SCHEDULES) + seeds * len(case.rows)


def main():
    options = strict.parse(__doc__, seeds=2)
    return strict.run_cases(options, "integration-grouped", "kernels of groups", make_cases(), run)


if __name__ == "__main__":
    sys.exit(main())
