#!/usr/bin/env python3
"""fp8 matmuls with f32 factors for blocks of 128 on the emulator, bit for bit.

A has a factor for each row and 128 elements of K, B one for 128 x 128 or for each
column. The matrix unit multiplies a K-block, threads multiply its sum by the factors
and add it up in f32. Kernels with one CTA and pairs run under every schedule and some
seeds with the strict race policy, and are assembled without spills. D has to have the
bits of a model: the products of a K-block in integers (tclib/mma.py), then one fused
multiplication and addition for each K-block, in ascending K. Of the factors some are
NaN, infinite, zero and negative. The same kernels are compared with float64 by tc-run
--check, on inputs of its own.
"""
import dataclasses
import sys

import numpy as np

sys.dont_write_bytecode = True
import block_scaled  # noqa: E402
from tclib import mma, strict  # noqa: E402

BLOCK = 128
TEXT = """func.func @f(%a: memref<?x?x{a}>, %b: memref<?x?x{b}>, %sa: {sa}, %sb: {sb},
             %d: memref<?x?x{d}>{parameters}) {{
  tmm.matmul {flags}ins(%a, %b : memref<?x?x{a}>, memref<?x?x{b}>)
             scales(%sa, %sb : {sa}, {sb}) {columns}
             outs(%d : memref<?x?x{d}>){epilogue}
  return
}}
"""
PAIR, SINGLE = "cta-group=2 tile=256x128x128", "cta-group=1 tile=128x128x128"

# Epilogues that come after the sums, batches, parts of buffers: compared with float64 alone.
CHECKED = [
    block_scaled.Checked("gelu", SINGLE, """
func.func @f(%a: memref<200x336xf8E4M3FN>, %b: memref<272x336xf8E4M3FN>, %sa: memref<200x3xf32>, %sb: memref<3x3xf32>,
             %bias: memref<272xf32>, %d: memref<200x272xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<200x336xf8E4M3FN>, memref<272x336xf8E4M3FN>)
    scales(%sa, %sb : memref<200x3xf32>, memref<3x3xf32>) outs(%d : memref<200x272xbf16>)
    epilogue(%acc, %x = %bias along n : memref<272xf32>) {
      %h = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %c = arith.constant 0.7071067811865476 : f32
      %y = arith.addf %acc, %x : f32
      %s = arith.mulf %y, %c : f32
      %e = math.erf %s : f32
      %t = arith.addf %e, %one : f32
      %p = arith.mulf %y, %h : f32
      %g = arith.mulf %p, %t : f32
      %r = arith.truncf %g : f32 to bf16
      tmm.yield %r : bf16
    }
  return
}
"""),
    block_scaled.Checked("quantized", PAIR, """
func.func @f(%a: memref<264x256xf8E4M3FN>, %b: memref<160x256xf8E4M3FN>, %sa: memref<264x2xf32>, %sb: memref<2x2xf32>,
             %sd: memref<3x2x32x4x4xf8E8M0FNU>, %amax: memref<f32>, %d: memref<264x160xf8E4M3FN>) {
  tmm.matmul transpose_b ins(%a, %b : memref<264x256xf8E4M3FN>, memref<160x256xf8E4M3FN>)
    scales(%sa, %sb : memref<264x2xf32>, memref<2x2xf32>) outs(%d : memref<264x160xf8E4M3FN>)
    scale_d(%sd : memref<3x2x32x4x4xf8E8M0FNU>) amax(%amax : memref<f32>)
  return
}
"""),
    block_scaled.Checked("accumulate", SINGLE, """
func.func @f(%a: memref<136x400xf8E5M2>, %b: memref<144x400xf8E4M3FN>, %sa: memref<136x4xf32>, %sb: memref<2x4xf32>,
             %d: memref<136x144xf32>) {
  tmm.matmul accumulate transpose_b ins(%a, %b : memref<136x400xf8E5M2>, memref<144x400xf8E4M3FN>)
    scales(%sa, %sb : memref<136x4xf32>, memref<2x4xf32>) outs(%d : memref<136x144xf32>)
  return
}
"""),
    block_scaled.Checked("batch", PAIR, """
func.func @f(%a: memref<3x200x160xf8E4M3FN>, %b: memref<144x160xf8E5M2>, %sa: memref<3x200x2xf32>,
             %sb: memref<1x2x2xf32>, %d: memref<3x200x144xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<3x200x160xf8E4M3FN>, memref<144x160xf8E5M2>)
    scales(%sa, %sb : memref<3x200x2xf32>, memref<1x2x2xf32>) outs(%d : memref<3x200x144xbf16>)
  return
}
"""),
    block_scaled.Checked("batches", "cta-group=1 tile=128x64x128", """
func.func @f(%a: memref<2x?x136x?xf8E4M3FN>, %b: memref<?x144x?xf8E4M3FN>, %sa: memref<2x?x136x?xf32>,
             %sb: memref<?x2x?xf32>, %d: memref<2x?x136x144xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<2x?x136x?xf8E4M3FN>, memref<?x144x?xf8E4M3FN>)
    scales(%sa, %sb : memref<2x?x136x?xf32>, memref<?x2x?xf32>)
    outs(%d : memref<2x?x136x144xf32>)
  return
}
""", ("--size=batch1=2,K=288",)),
    # Factors in the columns of a larger buffer, those of A one after the other along M.
    block_scaled.Checked("views", SINGLE, """
func.func @f(%a: memref<136x288xf8E4M3FN>, %b: memref<144x288xf8E4M3FN>, %all: memref<5x160xf32>,
             %sb: memref<4x6xf32>, %d: memref<136x144xf32>) {
  %t = memref.transpose %all (i, j) -> (j, i) : memref<5x160xf32> to memref<160x5xf32, strided<[1, 160]>>
  %sa = memref.subview %t[16, 1] [136, 3] [1, 1]
    : memref<160x5xf32, strided<[1, 160]>> to memref<136x3xf32, strided<[1, 160], offset: 176>>
  %part = memref.subview %sb[1, 2] [2, 3] [1, 1] : memref<4x6xf32> to memref<2x3xf32, strided<[6, 1], offset: 8>>
  tmm.matmul transpose_b ins(%a, %b : memref<136x288xf8E4M3FN>, memref<144x288xf8E4M3FN>)
    scales(%sa, %part : memref<136x3xf32, strided<[1, 160], offset: 176>>, memref<2x3xf32, strided<[6, 1], offset: 8>>)
    outs(%d : memref<136x144xf32>)
  return
}
"""),
    block_scaled.Checked("nibbles", SINGLE, """
func.func @f(%a: memref<136x384xf4E2M1FN>, %b: memref<144x384xf6E3M2FN>, %sa: memref<136x3xf32>, %sb: memref<2x3xf32>,
             %d: memref<136x144xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<136x384xf4E2M1FN>, memref<144x384xf6E3M2FN>)
    scales(%sa, %sb : memref<136x3xf32>, memref<2x3xf32>) outs(%d : memref<136x144xf32>)
  return
}
"""),
    block_scaled.Checked("empty", SINGLE, """
func.func @f(%a: memref<136x?xf8E4M3FN>, %b: memref<144x?xf8E4M3FN>, %sa: memref<136x?xf32>, %sb: memref<2x?xf32>,
             %d: memref<136x144xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<136x?xf8E4M3FN>, memref<144x?xf8E4M3FN>)
    scales(%sa, %sb : memref<136x?xf32>, memref<2x?xf32>) outs(%d : memref<136x144xf32>)
  return
}
""", ("--size=K=0",)),
]


@dataclasses.dataclass(frozen=True)
class Hopper(block_scaled.Checked):
    """The same form for sm_90a, where the product of a K-block is in registers."""


def make_hopper():
    """Tails in M, N and K; one to three warpgroups; factors of columns, and stored along M."""
    def case(config, shape, columns=BLOCK, a="f8E4M3FN", b="f8E4M3FN", d="f32", by_columns=False):
        m, n, k = shape
        kernel = Case(config, (), a=a, b=b, d=d, columns=columns, by_columns=by_columns)
        name = f"sm_90a-{kernel.name}-{m}x{n}x{k}"
        return Hopper(name, config, kernel.text(), (kernel.sizes(shape),))

    return [
        case("tile=128x128x128", (200, 208, 336)), case("tile=64x128x128 stages=1", (72, 48, 160), b="f8E5M2"),
        case("tile=192x64x128", (392, 272, 400), d="bf16"),
        case("tile=128x64x128 epilogue=direct stages=2", (136, 144, 512), a="f8E5M2", by_columns=True),
        case("tile=64x64x128", (136, 80, 272), columns=1), case("tile=128x128x128 cluster=2x1", (300, 144, 256), d="bf16"),
        case("load-a=threads load-b=threads", (137, 79, 353)), case("", (136, 144, 352)),
    ]


@dataclasses.dataclass(frozen=True)
class Case:
    """One kernel and the shapes that it runs on."""
    config: str
    shapes: tuple  # of M, N, K
    a: str = "f8E4M3FN"
    b: str = "f8E4M3FN"
    d: str = "f32"
    transpose_a: bool = False  # A is stored K x M
    transpose_b: bool = True  # B is stored N x K
    columns: int = BLOCK  # of B that share a factor
    by_columns: bool = False  # factors of A are stored one after the other along M
    bias: bool = False
    is_short: bool = False  # one of the few that --short runs

    @property
    def name(self):
        parts = [self.a, self.b, self.d, "at" * self.transpose_a + "bt" * self.transpose_b, f"x{self.columns}",
                 "columns" * self.by_columns, "bias" * self.bias, self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    def sizes(self, shape):
        """What tc-run is told of them. Factors of columns are stored one after the other along N."""
        m, n, k = shape
        return f"--size=M={m},N={n},K={k}" + f",SFA_stride1={m}" * self.by_columns + f",SFB_stride1={n}" * (self.columns == 1)

    def text(self):
        flags = "transpose_a " * self.transpose_a + "transpose_b " * self.transpose_b
        sa, sb = ("memref<?x?xf32, strided<[1, ?]>>" if by_columns else "memref<?x?xf32>"
                  for by_columns in (self.by_columns, self.columns == 1))
        return TEXT.format(a=self.a, b=self.b, d=self.d, flags=flags, sa=sa, sb=sb,
                           columns="scale_columns = 1" * (self.columns == 1),
                           parameters=", %bias: memref<?xf32>" * self.bias,
                           epilogue=block_scaled.BIAS.format(d=self.d) * self.bias)


def make_cases():
    # No tail; tails in M, N and K; one K-block and part of one; one row and few columns.
    shapes = ((256, 384, 512), (200, 144, 416), (392, 272, 144), (72, 48, 32), (1, 16, 784))
    ladder = [f"tile=128x64x128 {rung}" for rung in (
        "roles=none stages=1 accumulator-stages=1 epilogue=direct", "roles=none stages=2 accumulator-stages=1",
        "stages=1 accumulator-stages=1", "stages=4 accumulator-stages=1 epilogue=direct",
        "stages=4 accumulator-stages=3 epilogue=direct sms=2", "stages=4 accumulator-stages=4 sms=3 raster=2")]
    return [
        Case(SINGLE, shapes, is_short=True), Case(PAIR, shapes, is_short=True),
        Case("cta-group=1 tile=128x96x128 accumulator-stages=5", ((136, 400, 656),), b="f8E5M2"),
        Case("cta-group=1 tile=128x16x128", ((136, 144, 400),), a="f8E5M2", d="f16"),
        Case("cta-group=1 tile=64x128x128", ((56, 272, 400), (200, 144, 144)), is_short=True),
        Case("cta-group=1 tile=64x48x128", ((56, 144, 400),), d="bf16"),
        Case("cta-group=2 tile=256x96x128 stages=2", ((520, 208, 800),), a="f8E5M2", b="f8E5M2"),
        Case("cta-group=2 tile=256x128x128 stages=1 accumulator-stages=1", ((264, 144, 400),), is_short=True),
        Case("cta-group=2 tile=256x64x128 roles=none", ((264, 144, 352),), d="f16"),
        Case("cta-group=2 tile=256x128x128 scheduler=clc", ((1100, 400, 288),), is_short=True),
        Case("cta-group=1 tile=128x64x128 scheduler=clc accumulator-stages=4", ((600, 208, 160),)),
        Case("cta-group=1 tile=128x64x128 cluster=2x2", ((600, 400, 288),), d="bf16", is_short=True),
        Case("cta-group=2 tile=256x128x128 cluster=4x2", ((600, 400, 416),)),
        Case("cta-group=1 tile=128x128x128 epilogue=tma-store swizzle=64B", ((136, 144, 352),), d="bf16", bias=True,
             is_short=True),
        Case(SINGLE, ((144, 272, 336),), transpose_a=True, transpose_b=False),
        Case("cta-group=2 tile=256x128x128 swizzle=64B", ((272, 272, 336),), transpose_a=True, transpose_b=False),
        Case(SINGLE, ((200, 144, 416),), by_columns=True, is_short=True),
        Case("cta-group=1 tile=128x64x128", ((200, 144, 416), (136, 80, 144)), columns=1, is_short=True),
        Case("cta-group=2 tile=256x64x128", ((392, 272, 144),), columns=1, by_columns=True),
        Case("", ((136, 144, 352),)),
        # A and B by threads, both or one.
        Case("cta-group=1 tile=128x64x128 load-a=threads load-b=threads", ((137, 143, 353),), is_short=True),
        Case("cta-group=1 tile=128x64x128 load-b=cp-async", ((136, 143, 400),)),
    ] + [Case(config, ((200, 144, 416),)) for config in ladder]


# -- The model -------------------------------------------------------------------

def fused(part, factor, total):
    """part * factor + total of f32 values, rounded to f32 once."""
    with np.errstate(invalid="ignore", over="ignore"):
        product = part.astype(np.float64) * factor.astype(np.float64)  # exact: 48 bits
        addend = total.astype(np.float64)
        sums = product + addend
        # What the sum lost; to an odd last bit where there is something: the
        # rounding that follows is then that of the exact sum.
        back = sums - product
        lost = (product - (sums - back)) + (addend - back)
        bits = sums.view(np.int64)
        sticky = np.isfinite(sums) & (lost != 0) & (bits & 1 == 0)
        away = (lost > 0) == (sums > 0)
        odd = np.where(sticky, np.where(away, bits + 1, bits - 1), bits).view(np.float64)
        return odd.astype(np.float32)


def model(a, b, scales_a, scales_b, case):
    """D in f32: A (M x K), B (N x K) as codes, factors of rows and of columns x blocks of K."""
    total = np.zeros((a.shape[0], b.shape[0]), np.float32)
    for number in range(-(-a.shape[1] // BLOCK)):
        columns = slice(number * BLOCK, (number + 1) * BLOCK)
        part = mma.product(a[:, columns], b[:, columns], case.a, case.b).astype(np.float32)
        with np.errstate(invalid="ignore", over="ignore", under="ignore"):
            factor = scales_a[:, number, None] * np.repeat(scales_b[:, number], case.columns)[None, :b.shape[0]]
        total = fused(part, factor, total)
    return total


def make_data(case, shape):
    m, n, k = shape
    generator = np.random.default_rng([m, n, k, len(case.name)])
    a = mma.random_codes(generator, (m, k), case.a)
    b = mma.random_codes(generator, (n, k), case.b)
    blocks, rows = -(-k // BLOCK), -(-n // case.columns)
    scales_a, scales_b = (np.exp2(generator.uniform(-12, 4, (count, blocks))).astype(np.float32)
                          * generator.choice(np.float32([1, 1, 1, -1]), (count, blocks)) for count in (m, rows))
    # NaN, infinity, zero, a number that only f32 holds; an element that is NaN.
    scales_a[m // 3, blocks // 2] = np.nan
    scales_a[m // 2, blocks - 1] = np.inf
    scales_a[m // 4, 0] = 0
    scales_a[m - 1, 0] = np.float32(2**100)
    if rows > 1:
        scales_b[rows - 1, blocks - 1] = -np.inf
    a[m - 1, k - 1] = 0x7F
    return a, b, scales_a, scales_b, generator


def run_shape(case, shape, ptx, build, seeds):
    a, b, scales_a, scales_b, generator = make_data(case, shape)
    folder = ptx.with_suffix("") / "x".join(map(str, shape))
    folder.mkdir(parents=True, exist_ok=True)
    files = {"A": a.T if case.transpose_a else a, "B": b if case.transpose_b else b.T,
             "SFA": scales_a.T if case.by_columns else scales_a,
             "SFB": scales_b.T if case.columns == 1 else scales_b}
    total = model(a, b, scales_a, scales_b, case)
    if case.bias:
        files["arg5"] = generator.integers(-8, 9, shape[1]).astype(np.float32)
        total = total + files["arg5"][None, :]
    options = [case.sizes(shape), f"--seeds={seeds}"]
    for name, values in files.items():
        (folder / name).write_bytes(np.ascontiguousarray(values).tobytes())
        options.append(f"--buffer={name}={folder / name}")
    out = folder / "D"
    strict.emulate(ptx, build, f"--out=D={out}", *options)
    if error := block_scaled.compare(case, out.read_bytes(), block_scaled.round_to(total.astype(np.float64), case.d)):
        raise strict.Failure(f"{ptx} {' '.join(options)}\n{error}")


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    chip = "sm_90a" if isinstance(case, Hopper) else "sm_100a"
    strict.compile_text(case.text(), ptx, build, f"--config={case.config}", f"--chip={chip}")
    said = strict.assemble(ptx, chip)
    if "C75" in said:
        raise strict.Failure(f"{ptx}: wgmma is serialised\n{said}")
    text = ptx.read_text()
    for wanted in ("wgmma.mma_async" if chip == "sm_90a" else ".kind::f8f6f4", "fma.rn.f32"):
        if wanted not in text:
            raise strict.Failure(f"{ptx}: no {wanted}")
    if isinstance(case, block_scaled.Checked):
        strict.emulate(ptx, build, "--check", f"--seeds={seeds}", *case.options)
        return len(strict.SCHEDULES) + seeds
    strict.step([build / "bin/tc-run", ptx, case.sizes(case.shapes[0]), "--check", "--races=strict", "--threads=1", "--schedule=eager"])
    for shape in case.shapes:
        run_shape(case, shape, ptx, build, seeds)
    return 1 + len(case.shapes) * (len(strict.SCHEDULES) + seeds)


def main():
    hopper = make_hopper()
    short = [case for case in CHECKED if case.name in ("gelu", "quantized", "views")] + hopper[:4]
    return strict.main(__doc__, "integration-large-blocks", "kernels with factors of large blocks", make_cases(), run,
                       lambda case: "wgmma f8f6f4-f32" if isinstance(case, Hopper) else "f8f6f4-f32", CHECKED + hopper, short)


if __name__ == "__main__":
    sys.exit(main())
