#!/usr/bin/env python3
"""Operands that TMA cannot address, on the emulator.

Rows that are no multiple of 16 bytes, offsets inside of 16 bytes, every transposition and
element type, batches, tails: A and B each loaded by TMA, by cp.async or by threads, on both
chips. The cases are drawn from a seed. Each kernel is assembled without spills, runs under every
schedule and some random ones with the strict race policy, and is compared with float64.
test/Device/problems.py runs the same cases for sm_90a on a GPU.
"""
import dataclasses
import random
import re
import sys

sys.dont_write_bytecode = True
from tclib import strict  # noqa: E402

BYTES = {"bf16": 2, "f16": 2, "f32": 4, "f8E4M3FN": 1, "f8E5M2": 1, "i8": 1}
ENGINES = ("tma", "cp-async", "threads")


@dataclasses.dataclass(frozen=True)
class Operand:
    """A matrix in memory: its rows, the elements from one to the next, where it starts."""
    shape: tuple
    pitch: int = 0  # elements from row to row; 0: as many as a row has
    offset: int = 0

    def type(self, element):
        text = "x".join(map(str, self.shape))
        if not self.pitch and not self.offset:
            return f"memref<{text}x{element}>"
        strides = [self.pitch or self.shape[-1], 1]
        for size in reversed(self.shape[1:-1]):
            strides.insert(0, strides[0] * size)
        offset = f", offset: {self.offset}" if self.offset else ""
        return f"memref<{text}x{element}, strided<[{', '.join(map(str, strides))}]{offset}>>"

    def alignment(self, element):
        """Bytes of which all rows start at multiples, up to 16."""
        bytes_ = 16
        pitch = self.pitch or self.shape[-1]
        for distance in (self.offset, pitch, *([pitch * self.shape[-2]] if len(self.shape) > 2 else [])):
            while distance * BYTES[element] % bytes_:
                bytes_ //= 2
        return bytes_


@dataclasses.dataclass(frozen=True)
class Case:
    """One matmul and its configuration."""
    chip: str
    a: Operand
    b: Operand
    d: Operand
    in_type: str = "bf16"
    out_type: str = "f32"
    transpose_a: bool = False
    transpose_b: bool = False
    config: str = ""

    @property
    def name(self):
        def spell(operand):
            text = "x".join(map(str, operand.shape))
            return text + (f"p{operand.pitch}" if operand.pitch else "") + (f"o{operand.offset}" if operand.offset else "")
        parts = [self.chip, spell(self.a) + "t" * self.transpose_a, spell(self.b) + "t" * self.transpose_b,
                 spell(self.d), self.in_type, self.out_type, self.config.replace("=", "").replace(" ", "-")]
        return "-".join(part for part in parts if part)

    def engines(self):
        """What loads A and B where the configuration does not say: TMA, else cp.async, else threads."""
        found = []
        for key, operand in (("load-a", self.a), ("load-b", self.b)):
            given = re.search(f"{key}=([a-z-]+)", self.config)
            alignment = operand.alignment(self.in_type)
            # wgmma reads other elements than of 16 bits along K alone: tiles are turned, by copies of one element.
            turned = self.chip == "sm_90a" and BYTES[self.in_type] != 2 and (
                self.transpose_a if key == "load-a" else not self.transpose_b)
            if turned:
                alignment = BYTES[self.in_type]
            found.append(given[1] if given else "tma" if alignment == 16 else "cp-async" if alignment >= 4 else "threads")
        return found

    def loads(self):
        """The configuration, which says what loads A and B: the compiler might copy them first."""
        given = [f"{key}={engine}" for key, engine in zip(("load-a", "load-b"), self.engines()) if key not in self.config]
        return " ".join(filter(None, [self.config, *given]))

    def text(self):
        a, b, d = self.a.type(self.in_type), self.b.type(self.in_type), self.d.type(self.out_type)
        flags = "transpose_a " * self.transpose_a + "transpose_b " * self.transpose_b + "allow_tf32 " * (self.in_type == "f32")
        return (f"func.func @f(%a: {a}, %b: {b}, %d: {d}) {{\n"
                f"  tmm.matmul {flags}ins(%a, %b : {a}, {b})\n             outs(%d : {d})\n  return\n}}\n")


def shapes(m, n, k, transpose_a, transpose_b, batch=()):
    return ((*batch, *((k, m) if transpose_a else (m, k))), (*batch, *((n, k) if transpose_b else (k, n))), (*batch, m, n))


def make(chip, m, n, k, ta=False, tb=False, batch=(), pitches=(0, 0, 0), offsets=(0, 0, 0), **rest):
    a, b, d = (Operand(*what) for what in zip(shapes(m, n, k, ta, tb, batch), pitches, offsets))
    return Case(chip, a, b, d, transpose_a=ta, transpose_b=tb, **rest)


def draw(generator, chip):
    """A random case; some are refused by the compiler."""
    in_type = generator.choice(("bf16", "f16", "f32", "f8E4M3FN", "f8E5M2", "i8"))
    out_type = "i32" if in_type == "i8" else generator.choice(("f32", "bf16", "f16"))
    m, n, k = (generator.randrange(1, 300) for _ in range(3))
    ta, tb = generator.random() < 0.5, generator.random() < 0.5
    batch = (generator.randrange(2, 4),) if generator.random() < 0.15 else ()
    all_shapes = shapes(m, n, k, ta, tb, batch)
    pitches, offsets = [], []
    for shape, element in zip(all_shapes, (in_type, in_type, out_type)):
        size = BYTES.get(element, 4)
        step = generator.choice((1, 1, 4 // min(size, 4), max(8 // size, 1), 16 // size))
        gap = generator.randrange(0, 3) if generator.random() < 0.5 else 0
        pitch = -(-(shape[-1] + gap) // step) * step
        pitches.append(0 if pitch == shape[-1] else pitch)
        offsets.append(generator.choice((0, 0, 0, step, 3 * step)))
    options = []
    tiles = {"sm_90a": ("64x64x64", "128x64x64", "64x128x64", "128x128x64"),
             "sm_100a": ("128x64x64", "128x128x64", "128x32x64")}[chip] if in_type in ("bf16", "f16") else ()
    if tiles and generator.random() < 0.5:
        options.append(f"tile={generator.choice(tiles)}")
    if generator.random() < 0.3:
        options.append(f"stages={generator.choice((1, 2, 3))}")
    if generator.random() < 0.2:
        options.append(f"load-{generator.choice('ab')}={generator.choice(ENGINES)}")
    if generator.random() < 0.15:
        options.append(generator.choice(("cluster=2x1", "cluster=1x2", "cluster=2x2", "sms=4", "pdl=on", "roles=none",
                                         "scheduler=clc", "epilogue-registers=128", "swizzle=64B")))
    return make(chip, m, n, k, ta, tb, batch, pitches, offsets, in_type=in_type, out_type=out_type,
                config=" ".join(options))


def fixed(chip):
    """Every class of alignment and transposition, small, and each pair of engines."""
    cases = []
    for ta in (False, True):
        for tb in (False, True):
            # Rows of 42 and 66 bytes; of 44 and 68; of 40 and 72; and one operand by TMA.
            for sizes in ((17, 33, 21), (18, 34, 22), (20, 36, 20), (24, 33, 32), (150, 77, 203)):
                cases.append(make(chip, *sizes, ta, tb))
    cases += [
        # Offsets alone, and rows with gaps.
        make(chip, 70, 40, 72, pitches=(80, 48, 40), offsets=(2, 0, 1)),
        make(chip, 70, 40, 72, pitches=(80, 48, 45), offsets=(1, 4, 0), out_type="bf16"),
        # One stage, deep rings, each with more K-blocks than slots; no K.
        make(chip, 130, 70, 330, tb=True, config="stages=1"),
        make(chip, 130, 70, 523, config="stages=2"),
        make(chip, 130, 70, 522, tb=True, pitches=(524, 526, 0)),
        # One operand by TMA, the other by cp.async or threads: rings of their own, whose slots come again.
        make(chip, 130, 66, 520, config="stages=2"),
        make(chip, 130, 64, 522, config="stages=2"),
        make(chip, 130, 64, 523, config="stages=1"),
        make(chip, 33, 35, 0),
        make(chip, 1, 1, 1),
        # Batches whose matrices are no multiple of 16 bytes apart.
        make(chip, 33, 24, 7, batch=(3,)),
        make(chip, 24, 32, 40, batch=(2,), ta=True, pitches=(26, 0, 0)),
        # What is asked for, where TMA would do.
        make(chip, 128, 64, 128, config="load-a=cp-async load-b=threads"),
        make(chip, 130, 72, 136, tb=True, config="load-a=threads load-b=tma"),
        make(chip, 130, 72, 136, ta=True, config="load-a=cp-async load-b=cp-async sms=2"),
        make(chip, 300, 200, 130, config="cluster=2x1 load-a=cp-async"),
        make(chip, 300, 200, 136, tb=True, config="cluster=2x2 load-b=threads"),
        make(chip, 260, 130, 70, config="pdl=on"),
        make(chip, 260, 131, 70, config="tile=128x64x64 swizzle=64B"),
    ]
    for in_type in ("f32", "f8E4M3FN", "i8"):
        out_type = "i32" if in_type == "i8" else "f32"
        for ta in (False, True):
            for tb in (False, True):
                # Rows that TMA cannot address, and such that it can, which are turned for wgmma.
                for sizes in ((37, 45, 51), (36, 44, 52), (144, 80, 96)):
                    cases.append(make(chip, *sizes, ta, tb, in_type=in_type, out_type=out_type))
    if chip == "sm_100a":
        cases += [
            make(chip, 300, 131, 70, config="scheduler=clc tile=128x64x64"),
            make(chip, 130, 131, 70, config="roles=none stages=2"),
            make(chip, 130, 131, 70, tb=True, config="roles=none stages=1"),
        ]
    return cases


def make_cases(seed, count):
    cases = [case for chip in ("sm_100a", "sm_90a") for case in fixed(chip)]
    generator = random.Random(seed)
    for number in range(count):
        cases.append(draw(generator, ("sm_100a", "sm_90a")[number % 2]))
    return list(dict.fromkeys(cases))


# What a random configuration may be refused for.
REFUSED = re.compile(r"configuration: (load-[ab] of|cta-group of|epilogue-registers of|cluster of|tile [MNK] of|swizzle of|cache-hint|"
                     r"expected at most|roles of|scheduler of)")


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    try:
        strict.compile_text(case.text(), ptx, build, f"--chip={case.chip}",
                            f"--config={case.loads()}")
    except strict.Failure as failure:
        if case.config and REFUSED.search(str(failure)):
            return 0
        raise
    text = ptx.read_text()
    engines = case.engines()
    found = {"tma": "cp.async.bulk.tensor" in text, "cp-async": re.search(r"cp\.async\.c[ag]\.", text) is not None}
    k = case.a.shape[-2 if case.transpose_a else -1]
    for engine, has in found.items():
        # TMA may store D, too.
        if k and (has < (engine in engines) or (engine != "tma" and has > (engine in engines))):
            raise strict.Failure(f"{ptx}: engines {engines}, but {engine} is {'there' if has else 'not there'}")
    strict.assemble(ptx, case.chip)
    strict.emulate(ptx, build, "--check", f"--seeds={seeds}")
    return len(strict.SCHEDULES) + seeds


def main():
    options = strict.parse(__doc__, seeds=2, count=(20, "random matmuls"),
                           seed=(1, "where they are drawn from"))
    return strict.run_cases(options, "integration-unaligned", "kernels whose operands TMA cannot address",
                            make_cases(options.seed, options.count), run, more=("operands without TMA",))


if __name__ == "__main__":
    sys.exit(main())
