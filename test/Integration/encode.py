#!/usr/bin/env python3
"""Kernels that bring matrices into the formats of block-scaled products, on the emulator, bit for bit.

    encode.py --build build [--short] [--filter TEXT]

`tmm.encode` makes mxfp8, mxfp4 and nvfp4 of f32, bf16 and f16, with NaN, infinity, zeros and subnormal numbers;
`tmm.interleave` puts plain rows of factors into blocks. Each kernel is assembled without spills and runs at sizes with
tails under every schedule and some seeds with the strict race policy; elements and factors have to have the bits of
tclib/quantize.py, and factors the places of test/Formats/scales.txt.
"""
import dataclasses
import sys

import numpy as np

sys.dont_write_bytecode = True
from tclib import quantize, strict  # noqa: E402
from quantized import describe  # noqa: E402

ENCODE = """func.func @f(%x: {x}, %d: memref<?x?x{d}>, %s: memref<?x?x32x4x4x{scale}>{parameter}) {{
  tmm.encode ins(%x : {x}){factor} outs(%d : memref<?x?x{d}>) scale_d(%s : memref<?x?x32x4x4x{scale}>)
  return
}}
"""
INTERLEAVE = """func.func @f(%p: {x}, %s: memref<?x?x32x4x4x{scale}>) {{
  tmm.interleave ins(%p : {x}) outs(%s : memref<?x?x32x4x4x{scale}>)
  return
}}
"""
FACTOR = np.float32(0.0171)
STRIDED = "memref<?x?x{}, strided<[?, 1]>>"
EXTRA = 5  # elements between the rows of a strided matrix


@dataclasses.dataclass(frozen=True)
class Case:
    """One kernel and the shapes that it runs on."""
    x: str
    scale: str
    shapes: tuple
    d: str = ""  # "": factors are interleaved
    factor: bool = False
    strided: bool = False
    is_short: bool = False

    @property
    def name(self):
        parts = [self.d or "interleave", self.x, self.scale, "factor" * self.factor, "strided" * self.strided]
        return "-".join(part for part in parts if part)

    def text(self):
        x = STRIDED.format(self.x) if self.strided else f"memref<?x?x{self.x}>"
        return (ENCODE if self.d else INTERLEAVE).format(
            x=x, d=self.d, scale=self.scale, parameter=", %factor: f32" * self.factor, factor=" factor(%factor)" * self.factor)


def make_cases():
    rows = ((200, 64), (128, 320), (1, 128), (261, 192))
    bytes_ = ((200, 96), (128, 320), (1, 32), (261, 160))
    factors = ((200, 6), (128, 8), (1, 1), (300, 13), (64, 4))
    return [
        Case("f32", "f8E4M3FN", rows, d="f4E2M1FN", factor=True, is_short=True),
        Case("bf16", "f8E4M3FN", rows, d="f4E2M1FN"), Case("f16", "f8E8M0FNU", rows, d="f4E2M1FN", factor=True),
        Case("bf16", "f8E8M0FNU", bytes_, d="f8E4M3FN", is_short=True),
        Case("f32", "f8E8M0FNU", bytes_, d="f8E5M2", strided=True),
        Case("f16", "f8E4M3FN", rows, d="f4E2M1FN", strided=True),
        Case("f8E8M0FNU", "f8E8M0FNU", factors, is_short=True), Case("f8E4M3FN", "f8E4M3FN", factors),
        Case("f8E8M0FNU", "f8E8M0FNU", factors, strided=True),
    ]


# -- Data ----------------------------------------------------------------------

def make_values(case, shape):
    """A matrix whose rows differ by powers of two, as f32 that the type has."""
    m, n = shape
    generator = np.random.default_rng([m, n, len(case.name)])
    values = generator.standard_normal(shape) * np.ldexp(1.0, generator.integers(-12, 12, (m, 1)))
    values[m // 5] = np.ldexp(values[m // 5], -140)
    values[m // 7] = 0
    values[m // 3, n // 2], values[m - 1, 0], values[m // 2, n - 1] = np.inf, -np.inf, np.nan
    with np.errstate(over="ignore"):
        values = values.astype(np.float16 if case.x == "f16" else np.float32).astype(np.float32)
    if case.x == "bf16":
        values = (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
    return values


def to_bytes(case, values):
    if not case.d:
        return values
    if case.x == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(np.float16 if case.x == "f16" else np.float32)


def check(case, shape, folder, values):
    """What is wrong with the outputs, or nothing."""
    m, n = shape
    raw = np.frombuffer((folder / "blocks").read_bytes(), np.uint8)
    if not case.d:
        got = quantize.deinterleave(raw, m, n)
        wrong = got != values
        return f"blocks: {describe(wrong, got, values)}" if wrong.any() else None
    with np.errstate(all="ignore"):
        want, factors = quantize.quantize(values * FACTOR if case.factor else values, case.d, case.scale)
    got = quantize.deinterleave(raw, m, factors.shape[1])
    if (wrong := got != factors).any():
        return f"SFD: {describe(wrong, got, factors)}"
    codes = quantize.unpack((folder / "D").read_bytes(), case.d, shape)
    wrong = codes != want
    return f"D: {describe(wrong, codes, want)}" if wrong.any() else None


def run_shape(case, shape, ptx, build, seeds):
    m, n = shape
    if case.d:
        values = make_values(case, shape)
    else:
        values = np.random.default_rng([m, n]).integers(0, 256, shape).astype(np.uint8)
    columns = n // (16 if case.scale == "f8E4M3FN" else 32) if case.d else n
    folder = ptx.with_suffix("") / "x".join(map(str, shape))
    folder.mkdir(parents=True, exist_ok=True)
    stored = to_bytes(case, values)
    sizes = {"arg0": shape, "arg1": shape, "arg2": (-(-m // 128), -(-columns // 4))}
    if not case.d:
        sizes = {"arg0": shape, "arg1": sizes["arg2"]}
    options = ["--size=" + ",".join(f"{name}_dim{i}={extent}" for name, extents in sizes.items()
                                    for i, extent in enumerate(extents))]
    if case.strided:
        stored = np.concatenate([stored, np.ones((m, EXTRA), stored.dtype)], axis=1).reshape(-1)[:-EXTRA]
        options.append(f"--size=arg0_stride0={n + EXTRA}")
    (folder / "x").write_bytes(np.ascontiguousarray(stored).tobytes())
    options += [f"--buffer=arg0={folder / 'x'}", f"--seeds={seeds}", f"--out={list(sizes)[-1]}={folder / 'blocks'}"]
    if case.d:
        options.append(f"--out=arg1={folder / 'D'}")
    if case.factor:
        options.append(f"--scalar=arg3={float(FACTOR)!r}")
    strict.emulate(ptx, build, *options)
    if error := check(case, shape, folder, values):
        raise strict.Failure(f"{ptx} {' '.join(options)}\n{error}")


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build)
    strict.assemble(ptx, "sm_100a")
    for shape in case.shapes:
        run_shape(case, shape, ptx, build, seeds)
    return len(case.shapes) * (len(strict.SCHEDULES) + seeds)


def main():
    return strict.main(__doc__, "integration-encode", "kernels of formats", make_cases(), run, short=lambda shapes: shapes[:1])


if __name__ == "__main__":
    sys.exit(main())
