#!/usr/bin/env python3
"""Kernels for sm_107f on the emulator: kinds x one CTA and a pair x one stage and the whole ladder.

    rubin.py --build build [--jobs 2] [--seeds 20] [--filter nvfp4]
    rubin.py --build build --predict > docs/data/rubin.tsv

Each is compiled for sm_107f and, with the same configuration, for sm_100a, assembled without spills where there is a
ptxas of CUDA 13.4 or later (TC_PTXAS, else PATH), and run under every schedule and some seeds with the strict race
policy, with tails and more tiles than CTAs. tc-run compares the result with float64. Of operands of 8 and 4 bits the
kernel has half as many instructions for a K-block as that for sm_100a; the whole ladder of 4-bit operands has two
accumulators of 256 columns beside their factors, and more shared memory than any other chip has. Of a tall tile the
second accumulator takes B from where the first one's instruction kept it; with a ring of its own A is released when it
has been read. What the runs take for granted of the chip is printed and has to be what the kind needs.

--predict prints what is predicted for M = N = K = 4096 on 148 multiprocessors, beside sm_100a; nothing is run.

The block-scaled kernels of block_scaled.py run for sm_107f, too, with the bits of its model of the matrix unit: what
fills up their blocks of factors holds NaN, which no instruction at the end of K may read.
"""
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import block_scaled  # noqa: E402
from tclib import strict  # noqa: E402

PLAIN = """func.func @f(%a: memref<{m}x{k}x{a}>, %b: memref<{n}x{k}x{a}>, %d: memref<{m}x{n}x{d}>) {{
  tmm.matmul transpose_b ins(%a, %b : memref<{m}x{k}x{a}>, memref<{n}x{k}x{a}>) outs(%d : memref<{m}x{n}x{d}>)
  return
}}
"""
SCALED = """func.func @f(%a: memref<{m}x{k}x{a}>, %b: memref<{n}x{k}x{a}>, %sa: memref<{sm}x{sk}x32x4x4x{scale}>,
             %sb: memref<{sn}x{sk}x32x4x4x{scale}>, %d: memref<{m}x{n}x{d}>) {{
  tmm.matmul transpose_b ins(%a, %b : memref<{m}x{k}x{a}>, memref<{n}x{k}x{a}>)
    scales(%sa, %sb : memref<{sm}x{sk}x32x4x4x{scale}>, memref<{sn}x{sk}x32x4x4x{scale}>) outs(%d : memref<{m}x{n}x{d}>)
  return
}}
"""


@dataclasses.dataclass(frozen=True)
class Kind:
    a: str
    tile_k: int
    scale: str = ""
    is_wide: bool = True
    inferred: tuple = ()


HALVES = "rubin-wide-k-halves"
KINDS = {
    "bf16": Kind("bf16", 64, is_wide=False),
    "fp8": Kind("f8E4M3FN", 128, inferred=(HALVES, )),
    "mxfp8": Kind("f8E4M3FN", 128, "f8E8M0FNU", inferred=(HALVES, "rubin-mxf8-two-scales")),
    "mxfp4": Kind("f4E2M1FN", 256, "f8E8M0FNU", inferred=(HALVES, )),
    "nvfp4": Kind("f4E2M1FN", 256, "f8E4M3FN", inferred=(HALVES, "rubin-k128-scale-order")),
}
# One K-block after the other by one thread; and roles, a ring as deep as fits, accumulators that overlap, stolen tiles.
RUNGS = {"one_stage": "roles=none stages=1 accumulator-stages=1", "ladder": "roles=specialized scheduler=clc"}
# What sm_100a has not: two accumulators that share B, A in a ring of its own, and both.
RUNGS |= {"tall": RUNGS["ladder"], "tall_one_stage": RUNGS["one_stage"], "split_ring": f"{RUNGS['ladder']} split-ring=on",
          "tall_split_ring": f"{RUNGS['ladder']} split-ring=on"}


@dataclasses.dataclass(frozen=True)
class Case:
    kind_name: str
    ctas: int
    rung: str
    tile_n: int

    @property
    def name(self):
        return f"{self.kind_name}-{self.ctas}-{self.rung}-{self.tile_n}"

    @property
    def kind(self):
        return KINDS[self.kind_name]

    @property
    def accumulators(self):
        return 2 if self.rung.startswith("tall") else 1

    @property
    def tile_m(self):
        return 128 * self.ctas * self.accumulators

    @property
    def config(self):
        return f"{RUNGS[self.rung]} cta-group={self.ctas} {self.tile(self.tile_m)} sms=4 swizzle=128B"

    @property
    def older_config(self):
        """The same for a chip without the last rungs."""
        rung = RUNGS[self.rung].replace(" split-ring=on", "")
        return f"{rung} cta-group={self.ctas} {self.tile(128 * self.ctas)} sms=4 swizzle=128B"

    def tile(self, rows):
        return f"tile={rows}x{self.tile_n}x{self.kind.tile_k}"

    def text(self, m="?", n="?", k="?"):
        kind = self.kind
        blocks = 4 * (16 if kind.scale == "f8E4M3FN" else 32)
        tiles = {name: size if size == "?" else size // unit
                 for name, size, unit in (("sm", m, 128), ("sn", n, 128), ("sk", k, blocks))}
        return (SCALED if kind.scale else PLAIN).format(a=kind.a, d="bf16" if kind.scale else "f32", scale=kind.scale,
                                                        m=m, n=n, k=k, **tiles)


CASES = [Case(kind, ctas, rung, tile_n) for kind in KINDS for ctas in (1, 2) for rung in RUNGS
         for tile_n in ((128, 256) if rung in ("ladder", "tall") else (128, ))]
SCALED_CASES = [dataclasses.replace(case, chip="sm_107f", config=f"{case.config} sms=8" if "sms=" not in case.config else case.config)
                for case in block_scaled.make_cases() + block_scaled.CHECKED if case.chip == "sm_100a"]


def find_ptxas():
    """A ptxas that takes PTX 9.4, or None."""
    ptxas = strict.find_ptxas()
    if not ptxas:
        return None
    found = re.search(r"release 13\.(\d+)", strict.step([ptxas, "--version"]))
    return ptxas if found and int(found.group(1)) >= 4 else None


def expect(holds, ptx, message):
    if not holds:
        raise strict.Failure(f"{ptx}: {message}")


def count(text):
    return len(re.findall(r"^\s*(?:@%p\d+ )?tcgen05\.mma", text, re.M))


def check_text(case, ptx, folder, build):
    """What the kernel says, of sizes that are whole tiles: the end of K has instructions of its own."""
    text = ptx.read_text()
    k = 4 * case.kind.tile_k
    whole, older = folder / f"{case.name}-whole.ptx", folder / f"{case.name}-100.ptx"
    for path, chip, config in ((whole, "sm_107f", case.config), (older, "sm_100a", case.older_config)):
        strict.compile_text(case.text(512, 512, k), path, build, f"--config={config}", f"--chip={chip}")
    ours, theirs = count(whole.read_text()), count(older.read_text())
    expect(ours * (2 if case.kind.is_wide else 1) == theirs * case.accumulators, ptx,
           f"expected {theirs} instructions of sm_100a for each accumulator to be "
           f"{'twice' if case.kind.is_wide else 'as many as'} the {ours} here for {case.accumulators}")
    kept = [len(re.findall(rf"tcgen05\.mma\S*\.collector::a::discard\.collector::b::{use}", whole.read_text()))
            for use in ("fill", "lastuse")]
    expect(kept == ([ours // 2] * 2 if case.accumulators == 2 else [0, 0]), ptx,
           f"expected B to be kept for every second of {ours} instructions, got {kept}")
    released = "tcgen05.commit.cta_group" in text and "sync_restrict::shared::read::mma::a" in text
    expect(released == ("split_ring" in case.rung), ptx, f"A is {'' if released else 'not '}released when it has been read")
    if case.rung != "ladder" or case.tile_n != 256:
        return
    if case.kind.a == "f4E2M1FN" and case.ctas == 2:
        expect("tcgen05.alloc.exclusive.cta_group::2.sync.aligned.shared::cta.b32" in text, ptx,
               "no exclusive allocation for two accumulators of 256 columns beside scale factors")
    bytes_of = [json.loads(path.with_suffix(".json").read_text())["kernels"][0]["dynamic_smem"] for path in (ptx, older)]
    expect(bytes_of[0] > 227 * 1024 >= bytes_of[1], ptx, f"expected more shared memory than sm_100a has, got {bytes_of}")


def predict(build, folder):
    """Rows of what the model says of each kind: the choice for sm_100a and for sm_107f, there without and with tall tiles."""
    rows = ["operands\tchip\ttile\tstages\taccumulators\tcycles predicted\tbound by\tMMA per K-block of 128 bytes"]
    for name, kind in KINDS.items():
        text = Case(name, 1, "ladder", 256).text(4096, 4096, 4096)
        for chip, tile in (("sm_100a", None), ("sm_107f", f" tile=256x256x{kind.tile_k} cta-group=2"), ("sm_107f", None)):
            source, ptx = folder / "predicted.mlir", folder / "predicted.ptx"
            source.write_text(text)
            said = json.loads(strict.step([build / "bin/tc-compile", source, "-o", ptx, f"--chip={chip}", "--explain=json",
                                           f"--config=sms=148{tile or ''}"]))[0]
            best = said["candidates"][0]
            rows.append("\t".join([name, chip, "x".join(map(str, best["tile"])), str(best["stages"]),
                                   str(best["accumulator_stages"]), f"{best['cycles']:,.0f}", best["bound"],
                                   str(count(ptx.read_text()))]))
    return "\n".join(rows)


def run_scaled(case, ptx, build, seeds):
    if isinstance(case, block_scaled.Checked):
        strict.emulate(ptx, build, "--check", f"--seeds={seeds}", *case.options)
        return len(strict.SCHEDULES) + seeds
    for shape in case.shapes:
        block_scaled.run_shape(case, shape, ptx, build, seeds)
    return len(case.shapes) * (len(strict.SCHEDULES) + seeds)


def run(case, build, folder, seeds):
    """Returns the runs made, or raises Failure."""
    ptx = folder / f"{case.name}.ptx"
    strict.compile_text(case.text(), ptx, build, f"--config={case.config}", "--chip=sm_107f")
    if ptxas := find_ptxas():
        said = strict.step([ptxas, "-arch=sm_107f", "-v", ptx, "-o", ptx.with_suffix(".cubin")])
        expect(not re.search(r"[1-9]\d* bytes (spill|stack)", said), ptx, f"spills: {said}")
    if not isinstance(case, Case):
        return run_scaled(case, ptx, build, min(seeds, 2))
    check_text(case, ptx, folder, build)
    m, n = case.tile_m * 2 + 72, case.tile_n * 2 + 48
    k = case.kind.tile_k * 3 + case.kind.tile_k // 2
    said = strict.emulate(ptx, build, "--check", "--size", f"M={m},N={n},K={k}", f"--seeds={seeds}")
    assumed = tuple(re.findall(r"assumed (rubin-[\w-]+):", said))
    expect(sorted(assumed) == sorted(case.kind.inferred), ptx, f"expected {case.kind.inferred} to be assumed, got {assumed}")
    expect("maximum error" in said, ptx, f"no comparison: {said}")
    return len(strict.SCHEDULES) + seeds


def main():
    options = strict.parse(__doc__, seeds=20, predict="prints what is predicted beside sm_100a, and runs nothing")
    folder = options.build / "integration-rubin"
    folder.mkdir(parents=True, exist_ok=True)
    if options.predict:
        print(predict(options.build, folder))
        return 0
    cases = strict.select(options, CASES + SCALED_CASES, lambda case: case.name)

    def outcome(case):
        try:
            return None, run(case, options.build, folder, options.seeds)
        except strict.Failure as error:
            return error, 0

    failures = total = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (error, runs) in zip(cases, pool.map(outcome, cases)):
            total += runs
            if error:
                failures += 1
                print(f"FAILED: {case.name}\n{error}", flush=True)
    said = "assembled without spills" if find_ptxas() else "no ptxas of CUDA 13.4 or later"
    print(f"{len(cases)} kernels for sm_107f in {total} runs, {said}, {failures} failures")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
