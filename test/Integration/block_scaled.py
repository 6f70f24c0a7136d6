#!/usr/bin/env python3
"""Block-scaled matmuls on the emulator, bit for bit: mxf8, mxf4 and nvfp4.

Kernels of `tmm.matmul` with scale factors, with one CTA and pairs, and with mma.sync
for sm_120a, run under every schedule and some seeds with the strict race policy, and are assembled without spills.
D has to have the bits that a model of the matrix unit in integers gives (tclib/mma.py),
in ascending K. What fills up the blocks of factors is random and holds NaN; some
factors in use are NaN, too, and make their rows or columns NaN. The same kernels are
compared with float64 by tc-run --check, on inputs of its own. Some come from linalg, with plain rows of
factors.
"""
import dataclasses
import sys

import numpy as np

sys.dont_write_bytecode = True
from tclib import features, mma, numerics, strict  # noqa: E402

TEXT = """func.func @f(%a: memref<?x?x{a}>, %b: memref<?x?x{b}>, %sa: memref<?x?x32x4x4x{scale}>,
             %sb: memref<?x?x32x4x4x{scale}>, %d: memref<?x?x{d}>{parameters}) {{
  tmm.matmul {flags}ins(%a, %b : memref<?x?x{a}>, memref<?x?x{b}>)
             scales(%sa, %sb : memref<?x?x32x4x4x{scale}>, memref<?x?x32x4x4x{scale}>)
             {scale_block}outs(%d : memref<?x?x{d}>){epilogue}
  return
}}
"""
BIAS = """
    epilogue(%acc, %x = %bias along n : memref<?xf32>) {{
      %0 = arith.addf %acc, %x : f32
      %1 = arith.truncf %0 : f32 to {d}
      tmm.yield %1 : {d}
    }}"""
BLOCK = 32


@dataclasses.dataclass(frozen=True)
class Checked:
    """A kernel that is compared with float64 alone."""
    name: str
    config: str
    module: str
    options: tuple = ()  # for tc-run
    chip: str = "sm_100a"

    def text(self):
        return self.module


# Batches, one with factors that all problems share, and parts of buffers.
CHECKED = [
    Checked("batch", "cta-group=2 tile=256x128x128", """
func.func @f(%a: memref<3x200x160xf8E4M3FN>, %b: memref<144x160xf8E5M2>, %sa: memref<3x2x2x32x4x4xf8E8M0FNU>,
             %sb: memref<1x2x2x32x4x4xf8E8M0FNU>, %d: memref<3x200x144xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<3x200x160xf8E4M3FN>, memref<144x160xf8E5M2>)
    scales(%sa, %sb : memref<3x2x2x32x4x4xf8E8M0FNU>, memref<1x2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<3x200x144xbf16>)
  return
}
"""),
    Checked("batches", "cta-group=1 tile=128x128x128", """
func.func @f(%a: memref<2x?x136x?xf8E4M3FN>, %b: memref<?x144x?xf8E4M3FN>, %sa: memref<2x?x2x?x32x4x4xf8E8M0FNU>,
             %sb: memref<?x2x?x32x4x4xf8E8M0FNU>, %d: memref<2x?x136x144xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<2x?x136x?xf8E4M3FN>, memref<?x144x?xf8E4M3FN>)
    scales(%sa, %sb : memref<2x?x2x?x32x4x4xf8E8M0FNU>, memref<?x2x?x32x4x4xf8E8M0FNU>) outs(%d : memref<2x?x136x144xf32>)
  return
}
""", ("--size=batch1=2,K=160",)),
    Checked("views", "cta-group=1 tile=128x128x128", """
func.func @f(%a: memref<136x288xf8E4M3FN>, %b: memref<144x288xf8E4M3FN>, %sa: memref<4x8x32x4x4xf8E8M0FNU>,
             %sb: memref<2x3x32x4x4xf8E8M0FNU>, %d: memref<136x144xf32>) {
  %part = memref.subview %sa[1, 2, 0, 0, 0] [2, 3, 32, 4, 4] [1, 1, 1, 1, 1]
    : memref<4x8x32x4x4xf8E8M0FNU> to memref<2x3x32x4x4xf8E8M0FNU, strided<[4096, 512, 16, 4, 1], offset: 5120>>
  tmm.matmul transpose_b ins(%a, %b : memref<136x288xf8E4M3FN>, memref<144x288xf8E4M3FN>)
    scales(%part, %sb : memref<2x3x32x4x4xf8E8M0FNU, strided<[4096, 512, 16, 4, 1], offset: 5120>>, memref<2x3x32x4x4xf8E8M0FNU>)
    outs(%d : memref<136x144xf32>)
  return
}
"""),
    Checked("nibbles", "cta-group=2 tile=256x128x256", """
func.func @f(%a: memref<3x200x320xf4E2M1FN>, %b: memref<144x320xf4E2M1FN>, %sa: memref<3x2x5x32x4x4xf8E4M3FN>,
             %sb: memref<1x2x5x32x4x4xf8E4M3FN>, %d: memref<3x200x144xbf16>, %scale: f32) {
  tmm.matmul transpose_b ins(%a, %b : memref<3x200x320xf4E2M1FN>, memref<144x320xf4E2M1FN>)
    scales(%sa, %sb : memref<3x2x5x32x4x4xf8E4M3FN>, memref<1x2x5x32x4x4xf8E4M3FN>) outs(%d : memref<3x200x144xbf16>)
    epilogue(%acc, %s = %scale : f32) {
      %0 = arith.mulf %acc, %s : f32
      %1 = arith.truncf %0 : f32 to bf16
      tmm.yield %1 : bf16
    }
  return
}
""", ("--scalar=arg5=0.375",)),
    Checked("part", "cta-group=1 tile=128x128x256", """
func.func @f(%a: memref<136x512xf4E2M1FN>, %b: memref<144x192xf4E2M1FN>, %sa: memref<2x3x32x4x4xf8E4M3FN>,
             %sb: memref<2x3x32x4x4xf8E4M3FN>, %d: memref<136x144xf32>) {
  %part = memref.subview %a[0, 64] [136, 192] [1, 1]
    : memref<136x512xf4E2M1FN> to memref<136x192xf4E2M1FN, strided<[512, 1], offset: 64>>
  tmm.matmul transpose_b ins(%part, %b : memref<136x192xf4E2M1FN, strided<[512, 1], offset: 64>>, memref<144x192xf4E2M1FN>)
    scales(%sa, %sb : memref<2x3x32x4x4xf8E4M3FN>, memref<2x3x32x4x4xf8E4M3FN>) outs(%d : memref<136x144xf32>)
  return
}
"""),
]

# With mma.sync these are copied first: warps that gather leave too few registers.
for name, a, b in ("odd", "137x353", "143x353"), ("turned", "353x137", "353x143"):
    CHECKED.append(Checked(f"mma-sync-{name}", "", f"""
func.func @f(%a: memref<{a}xf8E4M3FN>, %b: memref<{b}xf8E5M2>, %sa: memref<2x3x32x4x4xf8E8M0FNU>,
             %sb: memref<2x3x32x4x4xf8E8M0FNU>, %d: memref<137x143xf32>) {{
  tmm.matmul {"transpose_b" if name == "odd" else "transpose_a"} ins(%a, %b : memref<{a}xf8E4M3FN>, memref<{b}xf8E5M2>)
    scales(%sa, %sb : memref<2x3x32x4x4xf8E8M0FNU>, memref<2x3x32x4x4xf8E8M0FNU>) outs(%d : memref<137x143xf32>)
  return
}}
""", chip="sm_120a"))


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
    bias: bool = False
    scale: str = "f8E8M0FNU"
    scale_block: int = 0  # 0: not given
    is_short: bool = False  # one of the few that --short runs
    chip: str = "sm_100a"

    @property
    def name(self):
        parts = [self.chip * (self.chip != "sm_100a"), self.a, self.b, self.scale * (self.scale != "f8E8M0FNU"), str(self.scale_block or ""), self.d, "at" * self.transpose_a + "bt" * self.transpose_b, "bias" * self.bias,
                 self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    @property
    def is_narrow(self):
        return self.a == self.b == "f4E2M1FN"

    @property
    def block(self):
        """Elements of K that share a factor."""
        return self.scale_block or (16 if self.scale == "f8E4M3FN" else 32)

    def sizes(self, shape):
        """The options of tc-run."""
        m, n, k = shape
        return [f"--size=M={m},N={n},K={k}"]

    def text(self):
        flags = "transpose_a " * self.transpose_a + "transpose_b " * self.transpose_b
        return TEXT.format(a=self.a, b=self.b, d=self.d, flags=flags, scale=self.scale,
                           scale_block=f"scale_block = {self.scale_block} " if self.scale_block else "",
                           parameters=", %bias: memref<?xf32>" * self.bias,
                           epilogue=BIAS.format(d=self.d) * self.bias)


PLAIN = """#x = affine_map<(m, j, k) -> (m, j, k)>
#s = affine_map<(m, j, k) -> (m, j)>
func.func @f(%a: tensor<{m}x{k}x{a}>, %sa: tensor<{m}x{j}x{scale}>, %b: tensor<{n}x{k}x{b}>, %sb: tensor<{n}x{j}x{scale}>,
             %d: tensor<{m}x{n}xf32>{parameter}) -> tensor<{m}x{n}xf32> {{
{operands}
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a_f, %b_f : tensor<{m}x{k}xf32>, tensor<{n}x{k}xf32>) outs(%z : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %0 : tensor<{m}x{n}xf32>
}}
"""
PLAIN_OPERAND = """  %{x}_x = tensor.expand_shape %{x} [[0], [1, 2]] output_shape [{extent}, {j}, {block}] : tensor<{rows}x{k}x{type}> into tensor<{rows}x{j}x{block}x{type}>
  %{x}_e = tensor.empty({size}) : tensor<{rows}x{j}x{block}xf32>
  %{x}_p = linalg.generic {{indexing_maps = [#x, #s, #x], iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%{x}_x, %s{x} : tensor<{rows}x{j}x{block}x{type}>, tensor<{rows}x{j}x{scale}>) outs(%{x}_e : tensor<{rows}x{j}x{block}xf32>) {{
  ^bb0(%element: {type}, %factor: {scale}, %out: f32):
    %0 = arith.extf %element : {type} to f32
    %1 = arith.extf %factor : {scale} to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  }} -> tensor<{rows}x{j}x{block}xf32>
  %{x}_f = tensor.collapse_shape %{x}_p [[0], [1, 2]] : tensor<{rows}x{j}x{block}xf32> into tensor<{rows}x{k}xf32>"""


@dataclasses.dataclass(frozen=True)
class Plain(Case):
    """From linalg, with a plain row of factors for each row, which a kernel puts into blocks."""
    dynamic: bool = False  # M is known in the run

    @property
    def name(self):
        return super().name + "-plain" + "-dynamic" * self.dynamic

    def sizes(self, shape):
        return [f"--size=M={shape[0]},arg1_dim0={shape[0]}"] * self.dynamic

    def text(self):
        (m, n, k), = self.shapes
        m, j = "?" if self.dynamic else m, k // self.block
        operands = [PLAIN_OPERAND.format(x=x, type=kind, rows=rows, extent="%m" if rows == "?" else rows, size="%m" if rows == "?" else "",
                                         j=j, k=k, block=self.block, scale=self.scale) for x, kind, rows in (("a", self.a, m), ("b", self.b, n))]
        return PLAIN.format(m=m, n=n, k=k, j=j, a=self.a, b=self.b, scale=self.scale, operands="\n".join(operands),
                            parameter=", %m: index" * self.dynamic)


def make_plain_cases():
    single = "cta-group=1 tile=128x128x128"
    return [
        Plain(single, ((200, 136, 224),), is_short=True), Plain("cta-group=2 tile=256x128x128", ((136, 272, 416),), dynamic=True),
        Plain("", ((40, 24, 32),), b="f8E5M2"),
        Plain("cta-group=1 tile=128x128x256", ((200, 144, 352),), a="f4E2M1FN", b="f4E2M1FN"),
        Plain("cta-group=2 tile=256x128x256", ((300, 160, 448),), a="f4E2M1FN", b="f4E2M1FN", scale="f8E4M3FN", dynamic=True, is_short=True),
    ]


def make_cases():
    single, pair = "cta-group=1 tile=128x128x128", "cta-group=2 tile=256x128x128"
    # No tail; tails in M, N and K; a K that ends within a block of factors; less than one block.
    shapes = ((256, 384, 256), (200, 144, 416), (392, 272, 144), (72, 48, 32), (136, 16, 16))
    return [
        Case(single, shapes, is_short=True), Case(pair, shapes, is_short=True),
        Case("cta-group=1 tile=128x256x128", ((136, 528, 288),)),
        Case("cta-group=2 tile=256x256x128", ((392, 272, 672),)),
        Case("cta-group=2 tile=256x256x128 scale-stages=1 stages=2", ((264, 304, 544),), b="f8E5M2",
             is_short=True),
        Case("cta-group=1 tile=128x128x256 scale-stages=3", ((136, 144, 800), (128, 128, 96)), a="f8E5M2"),
        Case("cta-group=1 tile=128x128x128 accumulator-stages=1 sms=3", ((400, 400, 288),), d="bf16"),
        Case("cta-group=2 tile=256x128x128 roles=none", ((264, 144, 352),), d="f16", is_short=True),
        Case("cta-group=1 tile=128x128x128 roles=none epilogue=direct", ((136, 144, 352),)),
        Case(single, ((144, 272, 336),), transpose_a=True, transpose_b=False, is_short=True),
        Case("cta-group=2 tile=256x256x128", ((272, 272, 336),), transpose_a=True, transpose_b=False, a="f8E5M2",
             b="f8E5M2"),
        Case("cta-group=2 tile=256x128x128 scheduler=clc", ((1100, 400, 160),)),
        Case("cta-group=1 tile=128x128x128 cluster=2x2", ((600, 400, 160),), d="bf16"),
        Case("cta-group=2 tile=256x128x128 cluster=4x2", ((600, 400, 160),)),
        Case("cta-group=1 tile=128x128x128 epilogue=tma-store", ((136, 144, 352),), d="bf16", bias=True),
        Case("", ((136, 144, 352),)),
        # A and B by threads, both or one; factors by TMA all the same.
        Case("cta-group=1 tile=128x128x128 load-a=threads load-b=threads", ((137, 143, 353),), is_short=True),
        Case("cta-group=1 tile=128x128x128 load-a=threads", ((137, 144, 352),), transpose_a=True),
        Case("cta-group=1 tile=128x128x128 load-a=cp-async load-b=threads stages=2", ((137, 143, 356),)),
    ] + make_mixed_cases() + make_narrow_cases() + make_plain_cases() + make_mma_sync_cases()


def make_mixed_cases():
    """mxf8f6f4 with elements of 4 and 6 bits, of which TMA unpacks 128."""
    single, pair = "cta-group=1 tile=128x128x128", "cta-group=2 tile=256x128x128"
    shapes = ((256, 384, 256), (200, 144, 384), (72, 48, 128))
    return [
        Case(single, shapes, a="f4E2M1FN", is_short=True), Case(pair, shapes, b="f4E2M1FN", is_short=True),
        Case(pair, shapes, a="f6E3M2FN", b="f6E2M3FN", is_short=True),
        Case("cta-group=2 tile=256x256x256 stages=2", ((392, 272, 640),), a="f6E2M3FN", b="f8E5M2"),
        Case("cta-group=1 tile=128x256x128", ((136, 528, 384),), a="f8E5M2", b="f6E3M2FN", d="bf16"),
        Case("cta-group=2 tile=256x128x128 cluster=4x2", ((600, 400, 256),), a="f4E2M1FN", b="f6E2M3FN"),
        Case("", ((136, 144, 384),), a="f6E3M2FN", b="f4E2M1FN"),
        Case("", ((144, 144, 384),), b="f6E3M2FN", transpose_a=True),
    ]


def make_narrow_cases():
    """Elements of 4 bits, factors of both types, for 16 and 32 elements."""
    single, pair = "cta-group=1 tile=128x128x256", "cta-group=2 tile=256x128x256"
    # No tail; tails in M, N and K, after one instruction and after three; less than one block.
    shapes = ((256, 384, 512), (200, 144, 448), (392, 272, 320), (72, 48, 64))
    cases = []
    for scale, block in ("f8E8M0FNU", 0), ("f8E8M0FNU", 16), ("f8E4M3FN", 0):
        def case(config, shapes, s=scale, block=block, **more):
            return Case(config, shapes, a="f4E2M1FN", b="f4E2M1FN", scale=s, scale_block=block, **more)
        cases += [
            case(single, shapes, is_short=True), case(pair, shapes, is_short=True),
            case("cta-group=1 tile=128x256x256 stages=2", ((136, 528, 576),)),
            case("cta-group=2 tile=256x256x256", ((392, 272, 704),)),
            case("cta-group=1 tile=128x128x128 swizzle=64B scale-stages=3", ((136, 144, 448),), d="bf16"),
            case("cta-group=2 tile=256x128x256 roles=none", ((264, 144, 320),), d="f16"),
            case("cta-group=1 tile=128x128x256 roles=none epilogue=direct stages=1 scale-stages=1", ((136, 144, 448),)),
            case("cta-group=2 tile=256x128x256 cluster=4x2", ((600, 400, 320),)),
            case("cta-group=2 tile=256x128x256 scheduler=clc", ((1100, 400, 320),), d="bf16", bias=True),
            case("", ((136, 144, 320),)),
            # K ends within an instruction.
            case(single, ((200, 144, 96), (136, 40, 480), (72, 48, 32)), d="bf16", is_short=True),
            case(f"{pair} stages=2", ((392, 272, 352),)),
        ]
    return cases


def make_mma_sync_cases():
    """With mma.sync, whose warps read the factors where they arrive."""
    def case(config, shapes, **more):
        return Case(config, shapes, chip="sm_120a", **more)
    byte_shapes = ((256, 384, 256), (200, 144, 416), (392, 272, 144), (72, 48, 32), (136, 16, 16))
    cases = [
        case("", byte_shapes, b="f8E5M2", is_short=True),
        case("tile=128x128x128 stages=1", ((392, 272, 672),), a="f8E5M2", d="bf16", bias=True),
        case("tile=128x128x128 swizzle=64B", ((136, 528, 288),), d="f16"),
        case("tile=128x128x256 stages=1", ((136, 144, 800), (128, 128, 96))),
        case("epilogue=direct sms=3", ((400, 400, 288),)),
        Plain("", ((200, 136, 224),), chip="sm_120a"),
        Plain("tile=128x128x256", ((300, 160, 448),), a="f4E2M1FN", b="f4E2M1FN", scale="f8E4M3FN", dynamic=True, chip="sm_120a"),
    ]
    shapes = ((256, 384, 512), (200, 144, 448), (392, 272, 320), (72, 48, 64))
    for scale in "f8E8M0FNU", "f8E4M3FN":
        def narrow(config, shapes, scale=scale, **more):
            return case(config, shapes, a="f4E2M1FN", b="f4E2M1FN", scale=scale, **more)
        cases += [
            narrow("", shapes, is_short=scale == "f8E4M3FN"),
            narrow("tile=128x128x256 stages=1", ((392, 272, 704),), d="bf16", bias=True),
            narrow("tile=128x128x128 swizzle=64B", ((136, 528, 576),)),
            # K ends within an instruction.
            narrow("tile=128x128x256", ((200, 144, 96), (136, 40, 480), (72, 48, 32)), d="bf16"),
        ]
    return cases


# -- The matrix unit in integers -----------------------------------------------

def model(a, b, scales_a, scales_b, case):
    """D in f64: A (M x K), B (N x K) as codes, factors (M or N) x ceil(K / block) as bytes."""
    m, n, k = a.shape[0], b.shape[0], a.shape[1]
    total = np.zeros((m, n))
    bad = np.zeros((m, n), bool)
    if case.is_narrow:
        return narrow_model(a, b, scales_a, scales_b, case)
    block = case.block
    for start in range(0, k, block):
        column, stop = start // block, min(start + block, k)
        parts = [mma.split(codes[:, start:stop], kind) for codes, kind in ((a, case.a), (b, case.b))]
        nan_a = mma.is_nan(a[:, start:stop], case.a).any(axis=1) | (scales_a[:, column] == 255)
        nan_b = mma.is_nan(b[:, start:stop], case.b).any(axis=1) | (scales_b[:, column] == 255)
        bad |= nan_a[:, None] | nan_b[None, :]
        exponents = (scales_a[:, column].astype(np.int64)[:, None] - 127
                     + scales_b[:, column].astype(np.int64)[None, :] - 127)
        total = mma.step(total, parts[0], parts[1], exponents)
    return np.where(bad, np.nan, total)


def narrow_model(a, b, scales_a, scales_b, case):
    """The same of elements of 4 bits, of which an instruction multiplies 64."""
    total = np.zeros((a.shape[0], b.shape[0]))
    # What an instruction reads past K multiplies zeros.
    pad = -a.shape[1] % 64
    a, b = (np.pad(codes, ((0, 0), (0, pad))) for codes in (a, b))
    used = scales_a, scales_b
    scales_a, scales_b = (np.pad(factors, ((0, 0), (0, a.shape[1] // case.block - factors.shape[1])))
                          for factors in (scales_a, scales_b))
    for start in range(0, a.shape[1], 64):
        columns = slice(start, start + 64)
        groups = np.arange(start, start + 64, mma.GROUP) // case.block
        total = mma.grouped_step(total, a[:, columns], b[:, columns], scales_a[:, groups], scales_b[:, groups], case.scale)
    bad_a, bad_b = (mma.is_nan_scale(factors, case.scale).any(axis=1) for factors in used)
    return np.where(bad_a[:, None] | bad_b[None, :], np.nan, total)


# -- Data and runs -------------------------------------------------------------

def blocked(factors, generator, step=1):
    """The factors (rows x columns) in blocks of 128 x 4, what fills them up random: NaN, too, but where an instruction
    reads `step` columns."""
    rows, columns = factors.shape
    blocks = (-(-rows // 128), -(-columns // 4))
    whole = generator.integers(0, 256, (blocks[0] * 128, blocks[1] * 4)).astype(np.uint8)
    whole[rows:, ::2] = 255
    whole[:, columns:] = np.where(generator.integers(0, 2, whole[:, columns:].shape), 255, whole[:, columns:])
    read = -(-columns // step) * step
    whole[:rows, columns:read] = generator.integers(0, 127, (rows, read - columns))
    whole[:rows, :columns] = factors
    # Row 128 * i + 32 * q + r, column 4 * j + c.
    return whole.reshape(blocks[0], 4, 32, blocks[1], 4).transpose(0, 3, 2, 1, 4).copy()


def make_data(case, shape):
    m, n, k = shape
    generator = np.random.default_rng([m, n, k, len(case.name)])
    a = mma.random_codes(generator, (m, k), case.a)
    b = mma.random_codes(generator, (n, k), case.b)
    blocks = -(-k // case.block)
    if case.scale == "f8E8M0FNU":
        scales_a = generator.integers(119, 133, (m, blocks)).astype(np.uint8)
        scales_b = generator.integers(121, 135, (n, blocks)).astype(np.uint8)
    else:
        # Zero, subnormal and large ones; of some the sign is set.
        scales_a, scales_b = (mma.random_codes(generator, (rows, blocks), case.scale) for rows in (m, n))
    # NaN: a factor of a row, one of a column, the last factor in use, an element.
    scales_a[m // 3, blocks // 2] = 255
    scales_b[n - 2, blocks - 1] = 255
    scales_b[n // 2, 0] = 255
    if mma.FORMATS[case.a].has_nan:
        a[m - 1, k - 1] = 0x7F
    return a, b, scales_a, scales_b, generator


def round_to(value, name):
    """The last rounding, which the model leaves out: f32 to the type of D."""
    if name == "f32":
        return value.astype(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        if name == "f16":
            return value.astype(np.float32).astype(np.float16)
        return numerics.round_once(value, "bf16").astype(np.float32)


def compare(case, raw, expected):
    """What is wrong with the bytes of D, or nothing."""
    got = numerics.decode(raw, case.d).reshape(expected.shape)
    expected = expected.astype(np.float64)
    wrong = ~((got == expected) | (np.isnan(got) & np.isnan(expected)))
    if not wrong.any():
        return None
    row, column = np.argwhere(wrong)[0]
    return (f"{np.count_nonzero(wrong)} of {wrong.size} elements of D differ, the first at ({row}, {column}): "
            f"expected {expected[row, column]!r}, got {got[row, column]!r}")


def run_shape(case, shape, ptx, build, seeds):
    m, n, k = shape
    a, b, scales_a, scales_b, generator = make_data(case, shape)
    folder = ptx.with_suffix("") / "x".join(map(str, shape))
    folder.mkdir(parents=True, exist_ok=True)
    step = 64 // case.block if case.is_narrow else 1
    files = {"A": mma.pack(a.T if case.transpose_a else a, case.a),
             "B": mma.pack(b if case.transpose_b else b.T, case.b),
             "SFA": blocked(scales_a, generator, step), "SFB": blocked(scales_b, generator, step)}
    if isinstance(case, Plain):
        del files["SFA"], files["SFB"]
        files |= {"arg1": scales_a, "arg3": scales_b}
    total = model(a, b, scales_a, scales_b, case)
    if case.bias:
        bias = generator.integers(-8, 9, n).astype(np.float32)
        files["arg5"] = bias
        total = (total.astype(np.float32) + bias[None, :]).astype(np.float64)
    options = case.sizes(shape) + [f"--seeds={seeds}"]
    for name, values in files.items():
        (folder / name).write_bytes(np.ascontiguousarray(values).tobytes())
        options.append(f"--buffer={name}={folder / name}")
    out = folder / "D"
    strict.emulate(ptx, build, f"--out=D={out}", *options)
    if error := compare(case, out.read_bytes(), round_to(total, case.d)):
        raise strict.Failure(f"{ptx} {' '.join(options)}\n{error}")


def kind_of(case):
    unit = "" if features.unit_of(case.chip, case.config) == "tcgen05" else "mma.sync "
    if isinstance(case, Checked):
        return unit + ("mxf4nvf4" if "f4E2M1FN" in case.module else "mxf8f6f4")
    return unit + ("mxf8f6f4" if not case.is_narrow else "mxf4nvf4" if case.block == 16 else "mxf4")


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--config={case.config}", f"--chip={case.chip}")
    strict.assemble(ptx, case.chip)
    if isinstance(case, Checked):
        strict.emulate(ptx, build, "--check", f"--seeds={seeds}", *case.options)
        return len(strict.SCHEDULES) + seeds
    strict.step([build / "bin/tc-run", ptx, *case.sizes(case.shapes[0]), "--check", "--races=strict", "--threads=1", "--schedule=eager"])
    text = ptx.read_text()
    block = "block16." if case.chip == "sm_100a" else "scale_vec::4X."
    mnemonic = "mxf8f6f4.block_scale." if not case.is_narrow else (
        f"mxf4nvf4.block_scale.{block}" if case.block == 16 else "mxf4.block_scale.")
    if f".kind::{mnemonic}" not in text:
        raise strict.Failure(f"{ptx}: no .kind::{mnemonic}")
    for instruction in ("tcgen05.mma", "tcgen05.cp") if case.chip == "sm_100a" else ():
        group = "cta_group::2" if "cta-group=2" in case.config else "cta_group::"
        if f"{instruction}.{group}" not in text:
            raise strict.Failure(f"{ptx}: no {instruction}.{group}")
    for shape in case.shapes:
        run_shape(case, shape, ptx, build, seeds)
    return 1 + len(case.shapes) * (len(strict.SCHEDULES) + seeds)


def main():
    return strict.main(__doc__, "integration-block-scaled", "block-scaled kernels", make_cases(), run, kind_of, CHECKED)


if __name__ == "__main__":
    sys.exit(main())
