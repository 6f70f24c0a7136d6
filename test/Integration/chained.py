#!/usr/bin/env python3
"""Two products in one kernel on the emulator: what the first gives stays in Tensor Memory and is A of the second.

The tile programs of Chained/ compute D = P * C^T with P = relu(A * B^T), rounded to bf16: A is M x K, B is H x K and C
is N x H. Each is compiled from its IR, with one stage and more, assembled without spills, and runs at sizes with tails in every dimension,
several tiles for a CTA and no term at all, under every schedule and some seeds with the strict race policy. D has to
have the bits that a model of the matrix unit in integers gives (tclib/mma.py) for both products in ascending K.
"""
import dataclasses
import pathlib
import re
import sys

import numpy as np

sys.dont_write_bytecode = True
from tclib import mma, numerics, strict  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "Chained"
# M, N, K, H: whole tiles; tails; tiles of a CTA that wait for each other; a narrow one; no term.
SIZES = ((128, 128, 128, 128), (200, 136, 200, 104), (520, 264, 72, 128), (40, 24, 320, 8), (136, 72, 0, 64))


@dataclasses.dataclass(frozen=True)
class Case:
    """One program, some of whose pipelines have another depth."""
    program: str
    stages: int  # of the ring of A and B
    double: bool  # the accumulators and P have two slots
    config: str = ""

    @property
    def name(self):
        return f"{self.program}-{self.stages}{'-double' * self.double}"

    def text(self):
        text = (FOLDER / f"{self.program}.mlir").read_text()
        text = text.replace("stages(3)", f"stages({self.stages})")
        # Of the last accumulator: its tile is stored while the next one is multiplied.
        return re.sub(r"(%(?:acc|p) = tmm.alloc) :", r"\1 stages(2) :", text) if self.double else text


CASES = [Case(program.stem, stages, double) for program in sorted(FOLDER.glob("*.mlir"))
         for stages, double in ((1, False), (3, False), (4, True))]


def bf16(values):
    """Codes of bf16."""
    return (numerics.round_once(values, "bf16").astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def run_size(size, ptx, build, seeds):
    m, n, k, h = size
    generator = np.random.default_rng(size)
    a, b, c = (mma.random_codes(generator, shape, "bf16") for shape in ((m, k), (h, k), (n, h)))
    folder = ptx.with_suffix("") / "x".join(map(str, size))
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {"arg0": (m, k), "arg1": (h, k), "arg2": (n, h), "arg3": (m, n)}
    options = ["--size=" + ",".join(f"{name}_dim{i}={extent}" for name, shape in sizes.items() for i, extent in enumerate(shape))]
    for name, codes in zip(sizes, (a, b, c)):
        (folder / name).write_bytes(codes.tobytes())
        options.append(f"--buffer={name}={folder / name}")
    out = folder / "D"
    strict.emulate(ptx, build, f"--seeds={seeds}", f"--out=arg3={out}", *options)
    p = bf16(np.maximum(mma.product(a, b, "bf16", "bf16"), 0))
    expected = mma.product(p, c, "bf16", "bf16")
    got = numerics.decode(out.read_bytes(), "f32").reshape(m, n)
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
    if not re.search(r"tcgen05\.mma\.cta_group::1\.kind::f16\S* \[%\w+\], \[%\w+", text) or "tcgen05.st." not in text:
        raise strict.Failure(f"{ptx}: expected an A that is stored to Tensor Memory")
    for size in SIZES:
        run_size(size, ptx, build, seeds)
    return len(SIZES) * (len(strict.SCHEDULES) + seeds)


def main():
    options = strict.parse(__doc__, seeds=2)
    return strict.run_cases(options, "integration-chained", "kernels of two products", CASES, run)


if __name__ == "__main__":
    sys.exit(main())
