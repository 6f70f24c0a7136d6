#!/usr/bin/env python3
"""Matmuls of a sparse A on the emulator: half of each row of A and metadata that says which half.

Kinds f16, tf32, f8f6f4 and i8, one CTA, pairs and clusters, one stage without roles and the
whole ladder, tails in M, N and K, batches and parts of buffers. Each kernel is assembled without
spills and runs under every schedule and some seeds with the strict race policy. D has to have the
bits that a model of the matrix unit in integers gives (tclib/sparse.py) in ascending K, with
NaN and infinity, also in rows of B that A does not meet; sums of integers have to be exact.
What fills up the blocks of metadata are random codes. tc-run compares the same kernels with
float64 on inputs of its own.
"""
import dataclasses
import itertools
import sys

import numpy as np

sys.dont_write_bytecode = True
from tclib import mma, numerics, sparse, strict  # noqa: E402

TEXT = """func.func @f(%a: memref<{a}x{ta}>, %b: memref<{b}x{tb}>, %e: memref<{e}x128x4xi32>, %d: memref<{d}x{td}>{extra}) {{
  tmm.matmul {flags}ins(%a, %b : memref<{a}x{ta}>, memref<{b}x{tb}>) metadata(%e : memref<{e}x128x4xi32>)
             outs(%d : memref<{d}x{td}>){epilogue}
  return
}}
"""
BIAS = """
    epilogue(%acc, %x = %bias along n : memref<?xf32>) {{
      %0 = arith.addf %acc, %x : f32
      %1 = arith.truncf %0 : f32 to {td}
      tmm.yield %1 : {td}
    }}"""
BITS = {"f16": 16, "bf16": 16, "f32": 32}


@dataclasses.dataclass(frozen=True)
class Checked:
    """A kernel that is compared with float64 alone."""
    name: str
    config: str
    module: str
    kind: str = "f16"
    options: tuple = ()  # for tc-run

    def text(self):
        return self.module


CHECKED = [
    Checked("batch", "cta-group=2 tile=256x128x128", """
func.func @f(%a: memref<3x200x80xbf16>, %b: memref<144x160xbf16>, %e: memref<3x2x2x128x4xi32>, %d: memref<3x200x144xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<3x200x80xbf16>, memref<144x160xbf16>)
    metadata(%e : memref<3x2x2x128x4xi32>) outs(%d : memref<3x200x144xbf16>)
  return
}
"""),
    Checked("batches", "cta-group=1 tile=128x128x256", """
func.func @f(%a: memref<2x?x136x?xf8E4M3FN>, %b: memref<?x144x?xf8E5M2>, %e: memref<?x2x?x128x4xi32>, %d: memref<2x?x136x144xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<2x?x136x?xf8E4M3FN>, memref<?x144x?xf8E5M2>)
    metadata(%e : memref<?x2x?x128x4xi32>) outs(%d : memref<2x?x136x144xf32>)
  return
}
""", "f8f6f4", ("--size=batch1=2,K=288",)),
    Checked("views", "", """
func.func @f(%a: memref<136x144xf16>, %b: memref<144x288xf16>, %e: memref<4x8x128x4xi32>, %d: memref<136x144xf32>) {
  %part = memref.subview %e[1, 2, 0, 0] [2, 3, 128, 4] [1, 1, 1, 1]
    : memref<4x8x128x4xi32> to memref<2x3x128x4xi32, strided<[4096, 512, 4, 1], offset: 5120>>
  tmm.matmul transpose_b ins(%a, %b : memref<136x144xf16>, memref<144x288xf16>)
    metadata(%part : memref<2x3x128x4xi32, strided<[4096, 512, 4, 1], offset: 5120>>) outs(%d : memref<136x144xf32>)
  return
}
"""),
]


@dataclasses.dataclass(frozen=True)
class Case:
    """One kernel and the shapes that it runs on."""
    types: tuple  # of A, B, D
    config: str
    shapes: tuple  # of M, N, K
    transpose_a: bool = False  # A is stored K / 2 x M
    transpose_b: bool = True  # B is stored N x K
    bias: bool = False
    half: bool = False
    is_short: bool = False  # one of the few that --short runs

    @property
    def name(self):
        parts = [*self.types, ("at" if self.transpose_a else "an") + ("bt" if self.transpose_b else "bn"),
                 "bias" * self.bias, "half" * self.half, self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    @property
    def bits(self):
        return BITS.get(self.types[0], 8)

    def text(self):
        ta, tb, td = self.types
        flags = "transpose_a " * self.transpose_a + "transpose_b " * self.transpose_b
        flags += "allow_tf32 " * (ta == "f32") + "f16_sum " * self.half
        return TEXT.format(ta=ta, tb=tb, td=td, flags=flags, a="?x?", b="?x?", e="?x?", d="?x?",
                           extra=", %bias: memref<?xf32>" * self.bias, epilogue=BIAS.format(td=td) * self.bias)


def make_cases():
    cases = []
    # No tail; tails in M, N and K, with a CTA of a pair that has no rows; a K within one block; a single chunk of it.
    shapes = ((256, 384, 512), (392, 144, 416), (72, 48, 64), (136, 24, 32))
    rows = itertools.cycle(((200, 136, 352), (264, 272, 608), (72, 528, 288)))
    kinds = [(("f16", "f16", "f32"), 128), (("bf16", "bf16", "bf16"), 128), (("f32", "f32", "f32"), 64),
             (("f8E4M3FN", "f8E5M2", "f32"), 256), (("i8", "ui8", "i32"), 256)]
    for types, k in kinds:
        single, pair = f"cta-group=1 tile=128x128x{k}", f"cta-group=2 tile=256x128x{k}"
        cases += [
            Case(types, single, shapes, is_short=True), Case(types, pair, shapes, is_short=True),
            Case(types, f"roles=none stages=1 scale-stages=1 {single}", (next(rows),), is_short=types[0] == "f16"),
            Case(types, f"cta-group=2 tile=256x256x{k} stages=2 epilogue=direct", (next(rows),)),
            Case(types, f"cta-group=1 tile=128x256x{k} stages=2 scale-stages=3", (next(rows),)),
            Case(types, f"{pair} scheduler=clc", ((1100, 400, 320),)),
            Case(types, f"cluster=2x2 tile=128x128x{k} stages=2", ((600, 400, 288),)),
            Case(types, f"{pair} cluster=4x2 stages=2", ((600, 400, 288),)),
            Case(types, "", (next(rows),)),
            # A and B by threads, metadata by TMA all the same.
            Case(types, f"load-a=threads load-b=threads {single}", ((137, 79, 2 * k + 36),), is_short=types[0] in ("f16", "i8")),
        ]
    wide, half = ("f16", "f16", "f32"), ("f8E5M2", "f8E4M3FN", "f32")
    return cases + [
        # A narrower swizzle, none, and a K-block of two blocks of metadata.
        Case(wide, "swizzle=64B tile=128x128x128", ((200, 144, 352),)),
        Case(wide, "swizzle=none tile=128x64x128", ((200, 144, 160),)),
        Case(wide, "tile=128x128x256 stages=2", ((200, 144, 416), (128, 128, 96)), is_short=True),
        Case(("f8E4M3FN", "f8E4M3FN", "bf16"), "swizzle=64B tile=128x128x128 sms=2", ((400, 400, 352),), bias=True),
        # Operands that are adjacent along M and N.
        Case(wide, "", ((144, 272, 352),), transpose_a=True, transpose_b=False, is_short=True),
        Case(wide, "cta-group=2 tile=256x256x128", ((272, 272, 352),), transpose_b=False),
        Case(("f32", "f32", "bf16"), "", ((144, 272, 352),), transpose_a=True, transpose_b=False),
        Case(half, "cta-group=2 tile=256x256x256 stages=2", ((272, 272, 352),), transpose_a=True, transpose_b=False),
        Case(("ui8", "i8", "i32"), "", ((144, 272, 352),), transpose_a=True),
        Case(wide, "load-b=threads tile=128x128x128", ((136, 143, 352),), transpose_a=True, transpose_b=False),
        Case(("f32", "f32", "f32"), "load-a=cp-async tile=128x64x64", ((137, 80, 172),)),
        # Sums in f16; elements of 4 and 6 bits, of which TMA unpacks 128 of A.
        Case(("f16", "f16", "f16"), "", ((200, 136, 352),), half=True),
        Case(half, "cta-group=2 tile=256x128x256", ((200, 136, 352),), half=True),
        Case(("f4E2M1FN", "f6E2M3FN", "f32"), "cta-group=2 tile=256x128x256", ((200, 136, 512),), is_short=True),
        Case(("f6E3M2FN", "f8E4M3FN", "f32"), "", ((200, 136, 512),)),
        Case(("f8E5M2", "f4E2M1FN", "f16"), "tile=128x128x256", ((200, 136, 384),)),
    ]


# -- Data and runs -------------------------------------------------------------

def is_integer(case):
    return case.types[0] in ("i8", "ui8")


def make_data(case, shape):
    m, n, k = shape
    generator = np.random.default_rng([m, n, k, len(case.name)])
    form = sparse.Form(case.bits)
    codes = sparse.random_codes(generator, form, m, k)
    if is_integer(case):
        kept, b = (generator.integers(0, 256, (rows, columns)).astype(np.uint8) for rows, columns in ((m, k // 2), (n, k)))
        return kept, codes, b, generator
    data = []
    for rows, columns, kind in ((m, k // 2, case.types[0]), (n, k, case.types[1])):
        elements = mma.random_codes(generator, (rows, columns), kind)
        form = mma.FORMATS[kind]
        if case.half and kind != "f16":
            elements &= ~elements.dtype.type(1 << (form.fraction + form.exponent - 1))
        elements[:, ::3] = np.where(generator.integers(0, 4, elements[:, ::3].shape) == 0, 0, elements[:, ::3])
        top = elements.dtype.type(((1 << form.exponent) - 1) << form.fraction) << form.unread
        if form.has_infinity:
            elements[rows // 3, columns // 2] = top
        # NaN, or the largest number.
        elements[rows - 1, columns // 3] = top | (((elements.dtype.type(1) << form.fraction) - 1) << form.unread)
        data.append(elements)
    return data[0], codes, data[1], generator


def model(case, kept, codes, b):
    if is_integer(case):
        a = sparse.expand(kept, codes, sparse.Form(8))
        signed = [values.view(np.int8) if kind == "i8" else values for values, kind in zip((a, b), case.types)]
        return (signed[0].astype(np.int64) @ signed[1].astype(np.int64).T).astype(np.float64)
    return sparse.product(kept, codes, b, *case.types[:2], half=case.half)


def run_shape(case, shape, ptx, build, seeds):
    m, n, k = shape
    kept, codes, b, generator = make_data(case, shape)
    folder = ptx.with_suffix("") / "x".join(map(str, shape))
    folder.mkdir(parents=True, exist_ok=True)
    pack = (lambda values, kind: values) if is_integer(case) else mma.pack
    files = {"A": pack(kept.T if case.transpose_a else kept, case.types[0]),
             "B": pack(b if case.transpose_b else b.T, case.types[1]),
             "metadata": sparse.pack(codes, sparse.Form(case.bits), generator)}
    bias = generator.integers(-8, 9, n).astype(np.float32)
    if case.bias:
        files["bias"] = bias
    options = [f"--size=M={m},N={n},K={k}", f"--seeds={seeds}"]
    for name, values in files.items():
        (folder / name).write_bytes(np.ascontiguousarray(values).tobytes())
        buffer = "arg4" if name == "bias" else name
        options.append(f"--buffer={buffer}={folder / name}")
    out = folder / "D"
    strict.emulate(ptx, build, f"--out=D={out}", *options)
    expected = model(case, kept, codes, b)
    if case.bias:
        expected = (expected.astype(np.float32) + bias[None, :]).astype(np.float64)
    kind = case.types[2]
    with np.errstate(over="ignore", invalid="ignore"):
        if kind == "f16":
            expected = expected.astype(np.float16).astype(np.float64)
        elif kind == "bf16":
            expected = np.where(np.isfinite(expected), numerics.round_once(expected, "bf16"), expected)
    raw = out.read_bytes()
    got = np.frombuffer(raw, "<i4").astype(np.float64) if kind == "i32" else numerics.decode(raw, kind)
    got = got.reshape(expected.shape)
    wrong = ~((got == expected) | (np.isnan(got) & np.isnan(expected)))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise strict.Failure(
            f"{ptx} {' '.join(options)}\n{np.count_nonzero(wrong)} of {wrong.size} elements of D differ from the model, "
            f"the first at ({row}, {column}): expected {expected[row, column]!r}, got {got[row, column]!r}")


def kind_of(case):
    if isinstance(case, Checked):
        return case.kind
    return {"f32": "tf32", "i8": "i8", "ui8": "i8", "f16": "f16", "bf16": "f16"}.get(case.types[0], "f8f6f4")


def row_of(case):
    """The row of README's table of kinds."""
    return kind_of(case) + " sparse"


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--config={case.config}")
    strict.assemble(ptx, "sm_100a")
    group = "cta_group::2" if "cta-group=2" in case.config else "cta_group::"
    text = ptx.read_text()
    for instruction in (f"tcgen05.mma.sp.{group}", f"tcgen05.cp.{group}", f".kind::{kind_of(case)}"):
        if instruction not in text:
            raise strict.Failure(f"{ptx}: no {instruction}")
    if isinstance(case, Checked):
        strict.emulate(ptx, build, "--check", f"--seeds={seeds}", *case.options)
        return len(strict.SCHEDULES) + seeds
    m, n, k = case.shapes[0]
    strict.step([build / "bin/tc-run", ptx, f"--size=M={m},N={n},K={k}", "--check", "--races=strict", "--threads=1",
                 "--schedule=eager"])
    for shape in case.shapes:
        run_shape(case, shape, ptx, build, seeds)
    return 1 + len(case.shapes) * (len(strict.SCHEDULES) + seeds)


def main():
    return strict.main(__doc__, "integration-sparse", "kernels of a sparse A", make_cases(), run, row_of, CHECKED)


if __name__ == "__main__":
    sys.exit(main())
