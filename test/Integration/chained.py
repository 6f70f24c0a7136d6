#!/usr/bin/env python3
"""Two products in one kernel on the emulator: what the first gives stays in Tensor Memory and is A of the second.

The tile programs of Chained/ compute D = P * C^T with P = relu(A * B^T), converted to the type of A: A is M x K, B is
H x K and C is N x H. They are of bf16; of other kinds the types are replaced, and the K-block, so that it has the same
bytes. Each is compiled from its IR, with one stage and more, assembled without spills, and runs at sizes with tails in
every dimension, several tiles for a CTA and no term at all, under every schedule and some seeds with the strict race
policy. D has to have the bits that a model of the matrix unit in integers gives (tclib/mma.py) for both products in
ascending K; of i8 P has the low bits of the sums.
"""
import dataclasses
import pathlib
import re
import sys

import numpy as np

sys.dont_write_bytecode = True
from tclib import mma, numerics, quantize, strict  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "Chained"
# M, N, K, H: whole tiles; tails; tiles of a CTA that wait for each other; a narrow one; no term.
SIZES = ((128, 128, 128, 128), (200, 136, 200, 104), (520, 264, 72, 128), (40, 24, 320, 8), (136, 72, 0, 64))


KINDS = {"bf16": "f16", "f16": "f16", "f32": "tf32", "f8E4M3FN": "f8f6f4", "f8E5M2": "f8f6f4", "i8": "i8"}
BITS = {"bf16": 16, "f16": 16, "f32": 32}


@dataclasses.dataclass(frozen=True)
class Case:
    """One program, some of whose pipelines have another depth."""
    program: str
    type: str  # of A, B and C
    stages: int  # of the ring of A and B
    double: bool  # the accumulators and P have two slots
    config: str = ""

    @property
    def name(self):
        return f"{self.program}-{self.type}-{self.stages}{'-double' * self.double}"

    def text(self):
        text = (FOLDER / f"{self.program}.mlir").read_text()
        text = text.replace("stages(3)", f"stages({self.stages})")
        # Of the last accumulator: its tile is stored while the next one is multiplied.
        if self.double:
            text = re.sub(r"(%(?:acc|p) = tmm.alloc) :", r"\1 stages(2) :", text)
        return self.retype(text)

    def retype(self, text):
        """`text`, of which A, B and C are of bf16, for the type of this case."""
        if self.type == "f32":
            text = re.sub(r" *%half = arith.truncf .*\n", "", text).replace("%half", "%positive")
        if self.type == "i8":
            for name, other in ("xf32", "xi32"), ("dense<0.0>", "dense<0>"), ("arith.maximumf", "arith.maxsi"), ("arith.truncf", "arith.trunci"):
                text = text.replace(name, other)
        columns = 128 * 8 // BITS.get(self.type, 8)
        text = text.replace("128x64xbf16", f"128x{columns}xbf16").replace("tile [128, 128, 64]", f"tile [128, 128, {columns}]")
        text = text.replace("%c64 = arith.constant 64", f"%step = arith.constant {columns}").replace("%c64", "%step")
        return text.replace("bf16", self.type)


CASES = [Case(program.stem, kind, stages, double) for program in sorted(FOLDER.glob("*.mlir")) for kind in KINDS
         for stages, double in ((1, False), (3, False), (4, True))
         # Two slots of f32 take more columns than there are.
         if kind == "bf16" or stages == 3 or (kind != "f32" and double)]


def convert(values, kind):
    """The first product as A of the second."""
    values = np.maximum(values, 0)
    if kind == "i8":
        return values.astype(np.int8)  # the low bits
    if kind.startswith("f8"):
        return quantize.encode(values, kind)
    raw = numerics.encode(numerics.round_once(values, kind), kind)
    return np.frombuffer(raw, mma.FORMATS[kind].code).reshape(values.shape)


def make_operand(generator, shape, kind):
    return generator.integers(-128, 128, shape).astype(np.int8) if kind == "i8" else mma.random_codes(generator, shape, kind)


def multiply(a, b, kind):
    """A (M x K) times B (N x K)."""
    return a.astype(np.int64) @ b.astype(np.int64).T if kind == "i8" else mma.product(a, b, kind, kind)


def run_size(case, size, ptx, build, seeds):
    # Rows along K and H are multiples of 16 bytes.
    row = 128 // BITS.get(case.type, 8)
    m, n, k, h = (-(-extent // row) * row if index > 1 else extent for index, extent in enumerate(size))
    generator = np.random.default_rng(size)
    a, b, c = (make_operand(generator, shape, case.type) for shape in ((m, k), (h, k), (n, h)))
    folder = ptx.with_suffix("") / "x".join(map(str, size))
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {"arg0": (m, k), "arg1": (h, k), "arg2": (n, h), "arg3": (m, n)}
    options = ["--size=" + ",".join(f"{name}_dim{i}={extent}" for name, shape in sizes.items() for i, extent in enumerate(shape))]
    for name, codes in zip(sizes, (a, b, c)):
        (folder / name).write_bytes(codes.tobytes())
        options.append(f"--buffer={name}={folder / name}")
    out = folder / "D"
    strict.emulate(ptx, build, f"--seeds={seeds}", f"--out=arg3={out}", *options)
    p = convert(multiply(a, b, case.type), case.type)
    expected = multiply(p, c, case.type)
    got = numerics.decode(out.read_bytes(), "i32" if case.type == "i8" else "f32").reshape(m, n)
    if not (got == expected).all():
        row, column = np.argwhere(got != expected)[0]
        raise strict.Failure(f"{ptx} {' '.join(options)}\n{np.count_nonzero(got != expected)} of {got.size} elements of D differ, the "
                             f"first at ({row}, {column}): expected {expected[row, column]!r}, got {got[row, column]!r}")


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build)
    strict.assemble(ptx, "sm_100a")
    text = ptx.read_text()
    if not re.search(rf"tcgen05\.mma\.cta_group::1\.kind::{KINDS[case.type]}\S* \[%\w+\], \[%\w+", text) or "tcgen05.st." not in text:
        raise strict.Failure(f"{ptx}: expected an A that is stored to Tensor Memory")
    for size in SIZES:
        run_size(case, size, ptx, build, seeds)
    return len(SIZES) * (len(strict.SCHEDULES) + seeds)


def main():
    options = strict.parse(__doc__, seeds=2)
    return strict.run_cases(options, "integration-chained", "kernels of two products", CASES, run,
                            lambda case: KINDS[case.type] + " tmem")


if __name__ == "__main__":
    sys.exit(main())
