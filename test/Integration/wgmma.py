#!/usr/bin/env python3
"""Kernels with wgmma (sm_90a) on the emulator.

bf16 and f16, all four orders of the operands, fp8, tf32 and integers of 8 bits, sums
in f16, tails in M, N and K, one to four warpgroups, two that take turns, batches and fused epilogues. Each kernel is assembled without spills,
runs under every schedule and some seeds with the strict race policy, and is compared
with float64. test/Device/gemm_replay.py compares the same kernels with an H200.
"""
import dataclasses
import sys

sys.dont_write_bytecode = True
from tclib import strict  # noqa: E402

TEXT = """func.func @f(%a: memref<{a}x{t}>, %b: memref<{b}x{u}>, %d: memref<{d}x{o}>{extra}) {{
  tmm.matmul {accumulate}{ta}{tb}{flags}ins(%a, %b : memref<{a}x{t}>, memref<{b}x{u}>)
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
    """One matmul and its configuration."""
    shape: tuple  # M, N, K
    config: str = ""
    transpose_a: bool = False  # A is stored K x M
    transpose_b: bool = False  # B is stored N x K
    in_type: str = "bf16"
    out_type: str = "f32"
    batch: int = 0
    accumulate: bool = False
    fused: bool = False
    b_type: str = ""  # that of A
    half: bool = False  # the sum is kept in f16

    @property
    def name(self):
        parts = ["x".join(map(str, ((self.batch,) if self.batch else ()) + self.shape)),
                 ("at" if self.transpose_a else "an") + ("bt" if self.transpose_b else "bn"), self.in_type,
                 self.b_type, self.out_type, "acc" * self.accumulate + "fused" * self.fused + "half" * self.half,
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
        flags = "allow_tf32 " * (self.in_type == "f32") + "f16_sum " * self.half
        return TEXT.format(a=a, b=b, d=d, t=self.in_type, u=self.b_type or self.in_type, o=self.out_type, extra=extra,
                           epilogue=EPILOGUE.format(m=m, n=n) if self.fused else "",
                           accumulate="accumulate " * self.accumulate, flags=flags, ta="transpose_a " * self.transpose_a,
                           tb="transpose_b " * self.transpose_b)


def make_points():
    """Matmuls that an H200 has computed: shapes, orders, types, tails, tiles."""
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
        # Matrices of the epilogue in the layout of memory, ahead of the columns that need them and not, and in the accumulator's.
        Case((256, 512, 72), "tile=128x256x64 sms=2", out_type="bf16", fused=True, transpose_b=True),
        Case((200, 328, 72), "tile=128x256x64 sms=2", out_type="bf16", fused=True, transpose_b=True),
        Case((150, 200, 72), "tile=64x128x64 epilogue-subtile=32 store-stages=2", out_type="bf16", fused=True),
        Case((150, 200, 72), "tile=128x64x64 epilogue=direct", out_type="bf16", fused=True),
    ]
    cases += make_kinds() + make_turns()
    # Store rings, by stmatrix (16 bits) and by the threads' own stores, wide and narrow, in slabs without a swizzle; and none.
    for out_type, in_type in (("bf16", "bf16"), ("f16", "f16"), ("f32", "bf16")):
        cases += [
            Case((150, 136, 72), "tile=128x128x64 epilogue=tma-store epilogue-subtile=128 store-stages=1",
                 in_type=in_type, out_type=out_type, transpose_b=True),
            Case((150, 120, 72), "tile=128x48x64 epilogue=tma-store epilogue-subtile=16 store-stages=3",
                 in_type=in_type, out_type=out_type, transpose_b=True),
            Case((150, 120, 72), "tile=64x48x64 epilogue=tma-store epilogue-subtile=8 sms=2",
                 in_type=in_type, out_type=out_type, transpose_b=True),
            Case((150, 120, 72), "tile=192x48x64 epilogue=direct epilogue-subtile=16",
                 in_type=in_type, out_type=out_type, transpose_b=True),
        ]
    return cases


def make_turns():
    """Two warpgroups that take turns: 0, 1, an odd and an even number of tiles for a CTA."""
    turns = "roles=ping-pong"
    cases = [
        Case((392, 328, 200), f"tile=128x128x64 sms=2 stages=3 {turns}", out_type="bf16", transpose_b=True),
        Case((392, 328, 200), f"tile=64x256x64 sms=3 stages=5 {turns}", transpose_b=True),
        Case((200, 600, 264), f"tile=192x88x64 sms=1 {turns}", in_type="f16", out_type="f16", transpose_b=True),
        Case((520, 136, 392), f"tile=256x64x64 stages=2 epilogue=direct sms=3 {turns}", transpose_a=True),
        Case((150, 136, 0), f"tile=64x64x64 sms=2 {turns}"),
        Case((64, 64, 64), f"tile=64x64x64 {turns}", out_type="bf16"),
        Case((128, 520, 136), f"tile=128x64x128 stages=1 sms=2 store-stages=1 {turns}", out_type="bf16"),
        Case((392, 200, 136), f"tile=128x64x64 sms=2 epilogue-registers=160 {turns}", transpose_b=True),
        Case((392, 328, 136), f"tile=128x160x64 sms=2 epilogue-registers=224 {turns}", out_type="bf16", transpose_b=True),
        Case((70, 72, 136), f"tile=64x32x64 sms=5 {turns}", batch=3, out_type="bf16", transpose_b=True),
        Case((300, 136, 136), f"tile=64x64x64 cluster=1x2 sms=4 {turns}", transpose_b=True, in_type="f16"),
        Case((600, 264, 72), f"tile=128x64x64 cluster=2x2 sms=4 stages=3 {turns}", out_type="bf16"),
        Case((150, 88, 200), f"tile=128x88x64 sms=1 {turns}", out_type="bf16", accumulate=True, transpose_b=True),
        Case((520, 88, 200), f"tile=128x88x64 sms=2 {turns}", out_type="bf16", fused=True, transpose_b=True),
        Case((331, 83, 80), f"tile=64x64x64 sms=3 pdl=on {turns}", out_type="bf16", fused=True, transpose_b=True),
        Case((392, 136, 101), f"tile=128x64x64 sms=2 {turns}", transpose_b=True),
        Case((392, 328, 200), f"tile=128x128x64 sms=2 stages=3 late-release=off {turns}", out_type="bf16"),
        Case((392, 520, 200), "tile=128x256x64 sms=2 stages=3 late-release=on", out_type="bf16", transpose_b=True),
        Case((300, 136, 136), "tile=64x64x64 cluster=2x1 stages=2 sms=4 late-release=on", in_type="f16",
             out_type="bf16", fused=True),
        Case((392, 136, 104), f"tile=128x64x64 sms=2 load-a=cp-async load-b=cp-async {turns}", transpose_b=True),
    ]
    for in_type, out_type, depth in (("f8E4M3FN", "bf16", 128), ("f32", "f32", 32), ("i8", "i32", 128)):
        cases.append(Case((392, 264, 528), f"tile=128x128x{depth} sms=2 {turns}", in_type=in_type, out_type=out_type,
                          transpose_b=True))
    for in_type, depth in (("f16", 64), ("f8E4M3FN", 128)):
        cases.append(Case((392, 264, 272), f"tile=128x128x{depth} sms=2 {turns}", in_type=in_type, out_type="f16",
                          transpose_b=True, half=True))
    return cases


def make_kinds():
    """The other kinds, whose operands are adjacent along K, and sums in f16."""
    rows = [
        ((200, 136, 80), "tile=128x64x128 stages=2"),
        ((72, 33, 208), "tile=64x32x128 epilogue=direct"),
        ((330, 264, 528), ""),
        ((150, 72, 16), "tile=64x48x64 swizzle=64B sms=2"),
        ((136, 200, 144), "tile=64x64x128 cluster=2x1 stages=2"),
    ]
    types = [("f8E4M3FN", "f8E4M3FN", "f32"), ("f8E4M3FN", "f8E5M2", "bf16"), ("f8E5M2", "f8E4M3FN", "f16"),
             ("f8E5M2", "f8E5M2", "f8E4M3FN"), ("f32", "f32", "f32"), ("f32", "f32", "bf16"), ("i8", "i8", "i32"),
             ("i8", "ui8", "i32"), ("ui8", "i8", "i32"), ("ui8", "ui8", "i32")]
    cases = []
    for a, b, d in types:
        for shape, config in rows:
            if a == "f32":  # 32 elements are 128 bytes.
                config = config.replace("x128 ", "x32 ").replace("x64 swizzle", "x16 swizzle")
            cases.append(Case(shape, config, transpose_b=True, in_type=a, b_type=b, out_type=d,
                              accumulate=d in ("f32", "i32") and len(cases) % 4 == 0))
    for in_type, out_type in (("f16", "f16"), ("f16", "f32"), ("f8E4M3FN", "f16"), ("f8E5M2", "bf16"),
                              ("f8E4M3FN", "f8E5M2")):
        for shape, config in rows[:3]:
            config = config if in_type != "f16" else config.replace("x128 ", "x64 ")
            cases.append(Case(shape, config, transpose_b=True, in_type=in_type, out_type=out_type, half=True))
    return cases


def compile_case(case, build, folder, chip="sm_90a"):
    """The PTX of a case; its description is beside it."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--chip={chip}", f"--config={case.config}")
    return ptx


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = compile_case(case, build, folder)
    if case.shape[2] and "wgmma.mma_async" not in ptx.read_text():
        raise strict.Failure(f"{ptx}: no wgmma")
    said = strict.assemble(ptx, "sm_90a")
    if "C75" in said:
        raise strict.Failure(f"{ptx}: wgmma is serialised\n{said}")
    strict.emulate(ptx, build, "--check", f"--seeds={seeds}")
    return len(strict.SCHEDULES) + seeds


def main():
    options = strict.parse(__doc__, seeds=3)
    return strict.run_cases(options, "integration-wgmma", "kernels with wgmma", make_cases(), run, chip="sm_90a")


if __name__ == "__main__":
    sys.exit(main())
