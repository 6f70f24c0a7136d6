#!/usr/bin/env python3
"""Matmuls of every plain kind of tcgen05.mma on the emulator.

fp8, fp6 and fp4 in every mix, tf32, sums in f16, and integers of 8 bits with and without a
sign; all four orders of the operands, one CTA and pairs, one stage without roles and
the whole ladder, tails in M, N and K. Each kernel is assembled without spills and runs
under every schedule and some seeds with the strict race policy. tc-run compares with
float64; sums of integers have to be exact. Of floats D has to have the bits of a model
of the matrix unit in integers (tclib/mma.py), with NaN, infinity and subnormal numbers.
"""
import dataclasses
import itertools
import sys

import numpy as np

sys.dont_write_bytecode = True
from tclib import mma, numerics, strict  # noqa: E402

TEXT = """func.func @f(%a: memref<{a}x{ta}>, %b: memref<{b}x{tb}>, %d: memref<{d}x{td}>{extra}) {{
  tmm.matmul {flags}ins(%a, %b : memref<{a}x{ta}>, memref<{b}x{tb}>) outs(%d : memref<{d}x{td}>){epilogue}
  return
}}
"""
# Integers become numbers: a factor for each column, then a rounding.
DEQUANTISE = """
      epilogue(%acc : i32, %x = %scale along n : memref<{n}xf32>) {{
    %0 = arith.sitofp %acc : i32 to f32
    %1 = arith.mulf %0, %x : f32
    %2 = arith.truncf %1 : f32 to {td}
    tmm.yield %2 : {td}
  }}"""
# The same without a factor, after a lower bound: folding makes operations on i32 of it.
CLAMP = """
      epilogue(%acc : i32) {{
    %low = arith.constant -100.0 : f32
    %0 = arith.sitofp %acc : i32 to f32
    %c = arith.cmpf ogt, %0, %low : f32
    %1 = arith.select %c, %0, %low : f32
    %2 = arith.truncf %1 : f32 to {td}
    tmm.yield %2 : {td}
  }}"""
# A, B, D; bits of an element of A.
TYPES = [
    ("f8E4M3FN", "f8E4M3FN", "f32", 8), ("f8E4M3FN", "f8E5M2", "bf16", 8), ("f8E5M2", "f8E4M3FN", "f16", 8),
    ("f8E5M2", "f8E5M2", "f32", 8), ("f32", "f32", "f32", 32), ("f32", "f32", "bf16", 32),
    ("i8", "i8", "i32", 8), ("i8", "ui8", "i32", 8), ("ui8", "i8", "i32", 8), ("ui8", "ui8", "i32", 8),
    ("i8", "i8", "bf16", 8), ("ui8", "i8", "f16", 8),
]
# Bits -> configurations: one stage without roles, the choice of the model, pairs, half tiles, direct stores,
# clusters that share operands.
CONFIGS = {
    8: ("roles=none stages=1 tile=128x128x128", "", "cta-group=2 tile=256x256x128 epilogue=direct", "tile=64x128x64 sms=2 swizzle=64B",
        "cta-group=1 tile=128x256x128 epilogue=direct", "cta-group=2 tile=256x256x128 scheduler=clc sms=4",
        "cluster=2x2 tile=128x128x128"),
    32: ("roles=none stages=1 tile=128x128x32", "", "cta-group=2 tile=256x256x32", "tile=64x64x32 sms=2",
         "cta-group=1 tile=128x256x32 epilogue=direct", "cta-group=2 tile=256x128x32 scheduler=clc",
         "cluster=2x2 tile=128x64x32"),
}
# Elements of 4 and 6 bits, of which TMA unpacks 128: K-major, the other operand in either order.
NARROW = ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN")
NARROW_CONFIGS = ("roles=none stages=1 tile=128x128x128", "", "cta-group=2 tile=256x256x128 epilogue=direct",
                  "tile=64x128x128 sms=2", "cta-group=2 tile=256x128x256 scheduler=clc sms=4",
                  "cluster=2x2 tile=128x128x128")
# Sums in f16: A, B, D.
HALVES = [("f16", "f16", "f32", 16), ("f16", "f16", "f16", 16), ("f8E4M3FN", "f8E5M2", "f32", 8),
          ("f8E5M2", "f8E4M3FN", "bf16", 8), ("f6E3M2FN", "f4E2M1FN", "f32", 8)]
HALF_CONFIGS = ("", "roles=none stages=1 tile=128x128x128", "cta-group=2 tile=256x128x128 scheduler=clc sms=4",
                "tile=64x128x128 sms=2", "cta-group=2 tile=256x256x128 epilogue=direct")
SHAPES = [(200, 136, 72), (72, 24, 200), (328, 264, 40), (130, 520, 300), (70, 56, 0)]


@dataclasses.dataclass(frozen=True)
class Case:
    """One matmul and its configuration."""
    shape: tuple  # M, N, K
    types: tuple
    config: str
    transpose_a: bool
    transpose_b: bool
    accumulate: bool = False
    half: bool = False  # the sum is kept in f16

    @property
    def name(self):
        a, b, d, _ = self.types
        parts = ["x".join(map(str, self.shape)), a, b, d, ("at" if self.transpose_a else "an") +
                 ("bt" if self.transpose_b else "bn"), "acc" * self.accumulate, "half" * self.half,
                 self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    def text(self):
        m, n, k = self.shape
        ta, tb, td, _ = self.types
        dims = {"a": (k, m) if self.transpose_a else (m, k), "b": (n, k) if self.transpose_b else (k, n), "d": (m, n)}
        flags = "accumulate " * self.accumulate + "transpose_a " * self.transpose_a
        flags += "transpose_b " * self.transpose_b + "allow_tf32 " * (ta == "f32") + "f16_sum " * self.half
        fused = ta == "i8" and td != "i32"
        clamped = ta == "ui8" and td != "i32"
        return TEXT.format(ta=ta, tb=tb, td=td, flags=flags, extra=f", %scale: memref<{n}xf32>" * fused,
                           epilogue=DEQUANTISE.format(n=n, td=td) if fused else CLAMP.format(td=td) if clamped else "",
                           **{name: "x".join(map(str, shape)) for name, shape in dims.items()})


def make_cases():
    """Every types x order x configuration, with shapes in turns."""
    cases = []
    shapes = itertools.cycle(SHAPES)
    for types in TYPES:
        bits = types[3]
        for config, transpose_a, transpose_b in itertools.product(CONFIGS[bits], (False, True), (False, True)):
            m, n, k = next(shapes)
            # What TMA can address: rows of whole multiples of 16 bytes.
            step = 128 // bits
            m = -(-m // step) * step if transpose_a else m
            n = n if transpose_b else -(-n // step) * step
            k = -(-k // step) * step if not transpose_a or transpose_b else k
            plain = types[2] in ("f32", "i32")
            cases.append(Case((m, n, k), types, config, transpose_a, transpose_b,
                              accumulate=plain and len(cases) % 5 == 0))
    return cases + make_narrow_cases(shapes) + make_half_cases(shapes)


def make_narrow_cases(shapes):
    """Every pair of types with elements of 4 or 6 bits in every configuration."""
    cases = []
    outputs = itertools.cycle(("f32", "bf16", "f32", "f16"))
    for a, b in itertools.product(("f8E4M3FN", "f8E5M2", *NARROW), repeat=2):
        if a not in NARROW and b not in NARROW:
            continue
        for config in NARROW_CONFIGS:
            # An operand of 8 bits is transposed once.
            is_turned = config == "" and not (a in NARROW and b in NARROW)
            m, n, k = next(shapes)
            m, n = (-(-extent // 16) * 16 if is_turned else extent for extent in (m, n))
            cases.append(Case((m, n, -(-k // 128) * 128), (a, b, next(outputs), 8), config,
                              is_turned and a not in NARROW, not (is_turned and b not in NARROW)))
    return cases


def make_half_cases(shapes):
    """Sums in f16 of every kind that has them."""
    cases = []
    for types, config in itertools.product(HALVES, HALF_CONFIGS):
        m, n, k = next(shapes)
        step = 128 if types[0] in NARROW else 16
        cases.append(Case((m, n, -(-k // step) * step), types, config, False, True, half=True,
                          accumulate=types[2] == "f32" and "sms=2" in config))
    return cases


def compile_case(case, build, folder):
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--config={case.config}")
    return ptx


def make_data(case):
    """Codes of A (M x K) and B (N x K), some of them NaN, infinite, zero or the smallest."""
    m, n, k = case.shape
    generator = np.random.default_rng([m, n, k, len(case.name)])
    data = []
    for rows, kind in ((m, case.types[0]), (n, case.types[1])):
        codes = mma.random_codes(generator, (rows, k), kind)
        form = mma.FORMATS[kind]
        if case.half and kind != "f16":
            # Below 2, so that sums stay within f16.
            codes &= ~codes.dtype.type(1 << (form.fraction + form.exponent - 1))
        one = codes.dtype.type(1)
        codes[:, ::3] = np.where(generator.integers(0, 4, codes[:, ::3].shape) == 0, 0, codes[:, ::3])
        # The smallest number, and of f32 bits that are not read.
        codes[rows // 2, ::2] = (one << form.unread) | ((one << form.unread) - one)
        top = codes.dtype.type(((1 << form.exponent) - 1) << form.fraction) << form.unread
        if form.has_infinity:
            codes[rows // 3, k // 2] = top
            codes[rows // 5, k - 1] = top | (one << (form.fraction + form.exponent + form.unread))
        # The largest number where there is no NaN.
        codes[rows - 1, k // 3] = top | (((one << form.fraction) - one) << form.unread)
        data.append(codes)
    return data


def compare_bits(case, ptx, build, seeds):
    """Raises Failure unless D has the bits of the model."""
    a, b = make_data(case)
    expected = mma.product(a, b, *case.types[:2], half=case.half)
    # The sum is rounded to the type of D once.
    with np.errstate(over="ignore", invalid="ignore"):
        if case.types[2] == "f16":
            expected = expected.astype(np.float16).astype(np.float64)
        elif case.types[2] == "bf16":
            expected = np.where(np.isfinite(expected), numerics.round_once(expected, "bf16"), expected)
    out = ptx.with_suffix(".D")
    buffers = []
    for name, codes, transposed in (("A", a, case.transpose_a), ("B", b, not case.transpose_b)):
        file = ptx.with_suffix(f".{name}")
        codes = mma.pack(codes.T if transposed else codes, case.types["AB".index(name)])
        file.write_bytes(np.ascontiguousarray(codes).tobytes())
        buffers.append(f"--buffer={name}={file}")
    strict.emulate(ptx, build, f"--seeds={seeds}", f"--out=D={out}", *buffers)
    got = numerics.decode(out.read_bytes(), case.types[2]).reshape(expected.shape)
    wrong = ~((got == expected) | (np.isnan(got) & np.isnan(expected)))
    if not wrong.any():
        return
    row, column = np.argwhere(wrong)[0]
    raise strict.Failure(
        f"{ptx}: {np.count_nonzero(wrong)} of {wrong.size} elements of D differ from the model, the first at "
        f"({row}, {column}): expected {expected[row, column]!r}, got {got[row, column]!r}")


def kind_of(case):
    return {"f32": "tf32", "i8": "i8", "ui8": "i8", "f16": "f16"}.get(case.types[0], "f8f6f4")


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = compile_case(case, build, folder)
    has_terms = case.shape[2] > 0
    kind = kind_of(case)
    if has_terms and f".kind::{kind}" not in ptx.read_text():
        raise strict.Failure(f"{ptx}: expected kind {kind}")
    strict.assemble(ptx, "sm_100a")
    said = strict.emulate(ptx, build, "--check", f"--seeds={seeds}")
    expected = "every element has to be exact" if has_terms and case.types[2] == "i32" else "check D"
    if expected not in said:
        raise strict.Failure(f"{ptx}: expected '{expected}' in\n{said}")
    runs = len(strict.SCHEDULES) + seeds
    if case.types[0] not in mma.FORMATS or not has_terms or case.accumulate:
        return runs
    compare_bits(case, ptx, build, seeds)
    return 2 * runs


def main():
    options = strict.parse(__doc__, seeds=2)
    return strict.run_cases(options, "integration-kinds", "kernels of plain kinds", make_cases(), run, kind_of)


if __name__ == "__main__":
    sys.exit(main())
