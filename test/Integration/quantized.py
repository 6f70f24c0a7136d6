#!/usr/bin/env python3
"""Matmuls whose epilogue quantises, on the emulator, bit for bit.

    quantized.py --build build [--short] [--filter TEXT]

D in fp8, mxfp8, mxfp4 and nvfp4, with its scale factors in blocks and amax, under every schedule and some seeds
with the strict race policy. Inputs are such that sums are exact, so that D, its factors and amax have to have the bits
that a model of the conversions gives (tclib/quantize.py). Some rows hold an infinity or NaN. The same
kernels are compared with float64 by tc-run --check, and assembled without spills.
"""
import dataclasses
import sys

import numpy as np

sys.dont_write_bytecode = True
from tclib import mma, numerics, quantize, strict  # noqa: E402

TEXT = """func.func @f(%a: memref<{batch}?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<{batch}?x?x{d}>{parameters}) {{
  tmm.matmul ins(%a, %b : memref<{batch}?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<{batch}?x?x{d}>){outputs}{epilogue}
  return
}}
"""
EPILOGUE = """
    epilogue(%acc, %s = %scale : f32, %x = %bias along n : memref<?xf32>) {{
      %0 = arith.addf %acc, %x : f32
      %1 = arith.mulf %0, %s : f32
      tmm.yield {values}
    }}"""
ALPHA = np.float32(0.0171)


@dataclasses.dataclass(frozen=True)
class Case:
    """One kernel and the shapes that it runs on."""
    config: str
    shapes: tuple  # of M, N, K
    d: str = "f8E4M3FN"
    scale: str = ""
    amax: bool = False
    epilogue: bool = True
    batch: int = 0
    chip: str = "sm_100a"
    is_short: bool = False

    @property
    def name(self):
        parts = [self.d, self.scale, "amax" * self.amax, "plain" * (not self.epilogue), f"batch{self.batch}" * bool(self.batch),
                 self.chip * (self.chip != "sm_100a"), self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    def text(self):
        parameters = outputs = ""
        batch = f"{self.batch}x" * bool(self.batch)
        if self.scale:
            parameters += f", %sfd: memref<{batch}?x?x32x4x4x{self.scale}>"
            outputs += f" scale_d(%sfd : memref<{batch}?x?x32x4x4x{self.scale}>)"
        if self.amax:
            parameters += ", %amax: memref<f32>"
            outputs += " amax(%amax : memref<f32>)"
        if self.epilogue:
            parameters += ", %scale: f32, %bias: memref<?xf32>"
        # amax is of what alpha has not scaled.
        values = "%1, %0 : f32, f32" if self.amax else "%1 : f32"
        if self.d == "bf16":
            values = values.replace("%1", "%2").replace(": f32", ": bf16", 1)
        epilogue = EPILOGUE.format(values=values) * self.epilogue
        if self.d == "bf16":
            epilogue = epilogue.replace("      tmm.yield", "      %2 = arith.truncf %1 : f32 to bf16\n      tmm.yield")
        return TEXT.format(d=self.d, batch=batch, parameters=parameters, outputs=outputs, epilogue=epilogue)


def make_cases():
    single, pair = "cta-group=1 tile=128x128x64", "cta-group=2 tile=256x128x64"
    tails = ((200, 136, 72), (128, 128, 64), (72, 264, 40))
    even = ((200, 144, 72), (136, 272, 136))  # rows of fp8 that TMA stores
    blocks = ((200, 160, 72), (128, 128, 64), (264, 96, 40), (72, 32, 8))
    wide = ((200, 192, 72), (136, 320, 136), (264, 64, 40))
    nvfp4 = {"d": "f4E2M1FN", "scale": "f8E4M3FN"}
    mx = {"scale": "f8E8M0FNU"}
    return [
        Case("cta-group=1 tile=128x128x64 epilogue=direct", tails, amax=True, is_short=True),
        Case("cta-group=2 tile=256x128x64 epilogue=direct", tails, d="f8E5M2", amax=True),
        Case("cta-group=1 tile=128x128x64 epilogue=tma-store", even, amax=True, is_short=True),
        Case("cta-group=2 tile=256x256x64 epilogue=tma-store", even, d="f8E5M2"),
        Case("cta-group=1 tile=64x128x64 epilogue=direct", tails, amax=True, is_short=True),
        Case("cta-group=1 tile=128x128x64 roles=none epilogue=direct", tails, amax=True),
        Case("cta-group=2 tile=256x128x64 scheduler=clc", ((1100, 400, 72), ), amax=True),
        Case("", tails, amax=True, epilogue=False),
        Case("", tails, epilogue=False, d="f8E5M2"),
        Case("", tails, amax=True, d="bf16"),
        Case(single, tails, amax=True, batch=3),
        Case("", tails, amax=True, chip="sm_90a"), Case("tile=128x128x64", tails, amax=True, chip="sm_90a"),
        Case(single, blocks, **mx, amax=True, is_short=True), Case(pair, blocks, **mx, d="f8E5M2"),
        Case("cta-group=1 tile=64x128x64", blocks, **mx),
        Case("cta-group=2 tile=256x128x64 epilogue=tma-store", blocks, **mx, amax=True),
        Case("cta-group=1 tile=128x128x64 epilogue=tma-store epilogue-subtile=64", blocks, **mx),
        Case(single, wide, d="f4E2M1FN", **mx, is_short=True), Case(pair, wide, d="f4E2M1FN", **mx, amax=True),
        Case(single, wide, **nvfp4, is_short=True), Case(pair, wide, **nvfp4, amax=True),
        Case("cta-group=1 tile=128x256x64 epilogue-subtile=64", wide, **nvfp4),
        Case("cta-group=1 tile=64x128x64 epilogue-subtile=64", wide, **nvfp4),
        Case("cta-group=1 tile=128x128x64 roles=none", wide, **nvfp4, amax=True),
        Case("cta-group=2 tile=256x128x64 cluster=4x2", ((600, 448, 72), ), **nvfp4),
        Case("cta-group=2 tile=256x128x64 scheduler=clc", ((1100, 448, 72), ), **nvfp4, amax=True),
        Case(single, blocks, **mx, batch=3), Case(pair, wide, **nvfp4, batch=2),
        Case("", wide, **nvfp4, epilogue=False), Case("", blocks, **mx, epilogue=False, amax=True),
    ]


# -- Data ----------------------------------------------------------------------

def to_bf16(values):
    """Values that bf16 has, as its bits."""
    bits = values.astype(np.float32).view(np.uint32)
    return (bits >> 16).astype(np.uint16)


def make_data(case, shape):
    """A and B of small integers, times powers of two that differ by row and by block of columns."""
    m, n, k = shape
    generator = np.random.default_rng([m, n, k, len(case.name)])
    batch = case.batch or 1
    a = generator.integers(-8, 9, (batch, m, k)).astype(np.float64)
    b = generator.integers(-8, 9, (k, n)).astype(np.float64)
    if case.scale:
        a *= np.ldexp(1.0, generator.integers(-9, 10, (batch, m, 1)))
        # Some rows are below every factor, or above.
        a[:, m // 5] = np.ldexp(a[:, m // 5], -150 if case.scale == "f8E8M0FNU" else -40)
        a[:, m // 7] = 0
    # Within a block elements differ, and become subnormal or 0.
    b *= np.ldexp(1.0, generator.integers(-8, 1, n))
    a = np.where(np.abs(a) < 2.0**-126, 0, a)
    if m > 8:
        a[-1, m // 2, k // 2] = np.nan
        a[0, m - 1, 0] = np.inf
        b[0, :] = np.where(b[0] == 0, 1, b[0])
    bias = np.where(generator.integers(0, 2, n), generator.integers(-500, 501, n), 0).astype(np.float32)
    return a, b, bias


def expected(case, shape, a, b, bias):
    """What D is made of, and what amax is of, in f32."""
    m, n, k = shape
    with np.errstate(all="ignore"):
        total = (a.reshape(-1, k) @ b).astype(np.float32)
        if not case.epilogue:
            return total, total
        plain = total + bias[None, :]
        return plain * ALPHA, plain


def describe(wrong, got, want):
    place = tuple(map(int, np.argwhere(wrong)[0]))
    return (f"{np.count_nonzero(wrong)} of {wrong.size} differ, the first at {place}: expected {want[place]!r}, "
            f"got {got[place]!r}")


def compare(case, shape, folder, values, largest_of):
    """What is wrong with the outputs, or nothing."""
    raw = (folder / "D").read_bytes()
    if case.amax:
        got = np.frombuffer((folder / "amax").read_bytes(), np.float32)[0]
        want = np.float32(np.nan) if np.isnan(largest_of).any() else np.abs(largest_of).max()
        if not (got == want or (np.isnan(got) and np.isnan(want))):
            return f"amax: expected {want!r}, got {got!r}"
    if case.d == "bf16":
        got = numerics.decode(raw, "bf16").reshape(values.shape)
        want = numerics.decode(to_bf16(numerics.round_once(values, "bf16")).tobytes(), "bf16").reshape(values.shape)
        wrong = ~((got == want) | (np.isnan(got) & np.isnan(want)))
        return f"D: {describe(wrong, got, want)}" if wrong.any() else None
    codes = quantize.unpack(raw, case.d, values.shape)
    if not case.scale:
        want = quantize.encode(values, case.d)
        nan = mma.is_nan(codes, case.d) & mma.is_nan(want, case.d)
        wrong = (codes != want) & ~nan
        return f"D: {describe(wrong, codes, want)}" if wrong.any() else None
    want, factors = quantize.quantize(values, case.d, case.scale)
    blocks = np.frombuffer((folder / "SFD").read_bytes(), np.uint8)
    got = np.concatenate([quantize.deinterleave(part, shape[0], factors.shape[1])
                          for part in blocks.reshape(case.batch or 1, -1)])
    if (wrong := got != factors).any():
        return f"SFD: {describe(wrong, got, factors)}"
    if (wrong := codes != want).any():
        return f"D: {describe(wrong, codes, want)}"
    return None


def run_shape(case, shape, ptx, build, seeds):
    m, n, k = shape
    a, b, bias = make_data(case, shape)
    folder = ptx.with_suffix("") / "x".join(map(str, shape))
    folder.mkdir(parents=True, exist_ok=True)
    files = {"A": to_bf16(a), "B": to_bf16(b)}
    options = [f"--size=M={m},N={n},K={k}", f"--seeds={seeds}"]
    if case.epilogue:
        place = 3 + bool(case.scale) + case.amax
        options.append(f"--scalar=arg{place}={float(ALPHA)!r}")
        files[f"arg{place + 1}"] = bias
    for name, array in files.items():
        (folder / name).write_bytes(np.ascontiguousarray(array).tobytes())
        options.append(f"--buffer={name}={folder / name}")
    options += [f"--out={name}={folder / name}" for name in ["D"] + ["SFD"] * bool(case.scale) + ["amax"] * case.amax]
    strict.emulate(ptx, build, *options)
    values, largest_of = expected(case, shape, a, b, bias)
    if error := compare(case, shape, folder, values, largest_of):
        raise strict.Failure(f"{ptx} {' '.join(options)}\n{error}")


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--config={case.config}", f"--chip={case.chip}")
    strict.assemble(ptx, case.chip)
    m, n, k = case.shapes[0]
    place = 3 + bool(case.scale) + case.amax
    strict.step([build / "bin/tc-run", ptx, f"--size=M={m},N={n},K={k}", "--check", "--races=strict", "--threads=1",
                 "--schedule=eager"] + [f"--scalar=arg{place}=0.375"] * case.epilogue)
    for shape in case.shapes:
        run_shape(case, shape, ptx, build, seeds)
    return 1 + len(case.shapes) * (len(strict.SCHEDULES) + seeds)


def main():
    return strict.main(__doc__, "integration-quantized", "quantising kernels", make_cases(), run, short=lambda shapes: shapes[:1])


if __name__ == "__main__":
    sys.exit(main())
