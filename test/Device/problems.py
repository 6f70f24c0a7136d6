#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random matmuls for sm_90a on a GPU: against float64, and bit for bit against the emulator.

usage: problems.py --prepare FOLDER --build BUILD [--count N] [--seed S] [--unaligned | --mma-sync | --rows]   compiles them
       problems.py --record FOLDER --tc-run BIN [--sanitizer N]     where the GPU is
       problems.py --replay FOLDER --tc-run BIN [--json FILE]       on the emulator

The steps may be on different machines: the folder travels. Shapes, orders of the
operands, types, accumulation, fused epilogues, batches and configurations are drawn
from the seed; a configuration that the compiler refuses is drawn again. Each kernel runs
once on the GPU with --check, which leaves the hash of its D in the folder, and then under three
schedules of the emulator with the strict race checker, which have to give that hash; what has one
and was replayed is not run again. N kernels run under each tool of compute-sanitizer.

With --mma-sync the kernels are those of sm_80 and sm_89, whose PTX is assembled for the
GPU, and those of sm_90a whose unit is mma.sync. With --rows they are the functions of
Integration/rows.py from number SEED on, with its inputs and its bounds.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Integration"))

# Rows and columns; bytes of a K-block.
TILES = ((64, 64, 128), (64, 128, 128), (64, 256, 128), (128, 64, 128), (128, 128, 128), (128, 256, 128), (128, 96, 128),
         (256, 128, 128), (128, 128, 256), (64, 40, 128))
# Types of A and B, bits of an element, types of D; whether sums can be f16.
BYTES = ("f8E4M3FN", "f8E5M2")
KINDS = [(("bf16",), 16, ("f32", "bf16", "f16"), False), (("f16",), 16, ("f32", "bf16", "f16"), True),
         (BYTES, 8, ("f32", "bf16", "f16", "f8E4M3FN", "f8E5M2"), True), (("f32",), 32, ("f32", "bf16", "f16"), False),
         (("i8", "ui8"), 8, ("i32",), False)]
OPTIONS = ("", "", "stages=2", "stages=3", "epilogue=direct", "cluster=2x1", "cluster=1x2", "cluster=2x2", "raster=2", "sms=4",
           "store-stages=1", "roles=ping-pong", "roles=ping-pong cluster=2x1 sms=4", "roles=ping-pong late-release=off",
           "late-release=on", "late-release=on cluster=2x1", "split-k=2", "split-k=4 sms=8", "scheduler=counter",
           "scheduler=counter cluster=2x1 sms=8", "scheduler=counter roles=ping-pong sms=4", "pdl=on", "split-k=2 pdl=on")
# What a kernel with mma.sync has: no clusters, and without TMA no stores by it.
MMA_SYNC_OPTIONS = ("", "stages=1", "stages=2", "stages=3", "raster=2", "sms=4")
MMA_SYNC_TILES = ((64, 64, 128), (128, 64, 128), (64, 128, 128), (128, 128, 128), (64, 64, 64), (64, 256, 128))
SANITIZERS = ("memcheck", "racecheck", "synccheck")


def draw(generator, most, tiles=TILES, options=OPTIONS):
    import wgmma

    def extent(low, high, step):
        size = generator.randrange(low, high)
        return size if step == 1 else -(-size // step) * step

    types, bits, outputs, has_half = generator.choices(KINDS, (3, 3, 3, 2, 2))[0]
    # Only elements of 16 bits are read along M or N.
    transpose_a = bits == 16 and generator.random() < 0.5
    transpose_b = bits != 16 or generator.random() < 0.5
    fused = outputs != ("i32",) and generator.random() < 0.2
    accumulate = not fused and generator.random() < 0.3
    # The contiguous dimension of an operand is a multiple of 16 bytes.
    step = 128 // bits
    m = extent(1, most, step if transpose_a else 1)
    n = extent(1, most, 1 if transpose_b else step)
    k = extent(1, most * 9 // 7, step if transpose_b or not transpose_a else 1)
    tile = generator.choice((None, *tiles))
    config = f"tile={tile[0]}x{tile[1]}x{tile[2] * 8 // bits}" if tile else ""
    option = generator.choice(options)
    b_type = generator.choice(types)
    return wgmma.Case((m, n, k), " ".join(filter(None, (config, option))), transpose_a, transpose_b,
                      generator.choice(types), "bf16" if fused else generator.choice(outputs),
                      generator.choice((0, 0, 0, 2, 3)) if not fused else 0, accumulate, fused,
                      b_type=b_type if len(types) > 1 else "", half=has_half and generator.random() < 0.25)


def draw_mma_sync(generator, most):
    """A chip and a matmul for it."""
    case = draw(generator, most, MMA_SYNC_TILES, MMA_SYNC_OPTIONS)
    if generator.random() < 0.3:
        return "sm_90a", dataclasses.replace(case, config=f"unit=mma-sync {case.config}".strip())
    return ("sm_89" if case.in_type in BYTES else generator.choice(("sm_80", "sm_86"))), case


@dataclasses.dataclass(frozen=True)
class RowFunction:
    """Function `seed` of rows.py."""
    seed: int
    config: str = ""

    @property
    def name(self):
        return f"rows {self.seed}"

    def text(self):
        return rows_module().draw(self.seed).text()


def rows_module():
    import rows  # It needs numpy.
    return rows


def find_row_function(ptx):
    """The function of rows.py that the kernel is of, or None."""
    found = re.match(r"// rows (\d+)$", ptx.with_suffix(".mlir").read_text().split("\n")[0])
    return found and rows_module().draw(int(found[1]))


def compile_one(tools, source, chip, case):
    """Why the compiler refuses the case, or nothing."""
    source.write_text(f"// {case.name}\n{case.text()}")
    config = [f"--config={case.config}"] if case.config else []
    ptx, cubin = source.with_suffix(".ptx"), source.with_suffix(".cubin")
    command = [tools / "tc-compile", source, f"--chip={chip}", *config]
    done = subprocess.run([*command, "-o", ptx], capture_output=True, text=True)
    if done.returncode:
        found = re.search(r"error: (.*)", done.stderr)
        if not found:
            sys.exit(f"{case.name}: no message: {done.stderr}")
        source.unlink()
        return re.sub(r"\d+", "N", found[1])[:100]
    # PTX for an older chip is assembled for the GPU.
    subprocess.run(["ptxas", f"-arch={'sm_90a' if chip == 'sm_90a' else 'sm_90'}", ptx, "-o", cubin], check=True)
    return ""


def prepare(arguments):
    folder = arguments.prepare
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.unaligned:
        import unaligned
    generator = random.Random(arguments.seed)
    refused = collections.Counter()
    names, count, number, start = set(), 0, 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while count < arguments.count:
            work = []
            while len(work) < arguments.count - count:
                if arguments.mma_sync:
                    chip, case = draw_mma_sync(generator, arguments.most)
                elif arguments.rows:
                    chip, case = "sm_90a", RowFunction(arguments.seed + len(names))
                else:
                    chip = "sm_90a"
                    case = unaligned.draw(generator, chip) if arguments.unaligned else draw(generator, arguments.most)
                if (chip, case.name) not in names:
                    names.add((chip, case.name))
                    work.append((folder / f"{number:04d}.mlir", chip, case))
                    number += 1
            for reason in pool.map(lambda item: compile_one(arguments.build / "bin", *item), work):
                count += not reason
                refused[reason] += bool(reason)
    del refused[""]
    print(f"{count} kernels in {folder}, {time.monotonic() - start:.0f} s; refused {sum(refused.values())}:")
    for text, times in refused.most_common():
        print(f"  {times} {text}")


def outputs_of(ptx):
    """Buffers that are written, and results that are arguments as they are."""
    description = json.loads(ptx.with_suffix(".json").read_text())
    written = [name for name, buffer in description["buffers"].items() if buffer["role"] in ("out", "inout")]
    return list(dict.fromkeys([*written, *(part["buffer"] for part in description.get("results", []))]))


def as_on_gpu(ptx):
    """The same PTX for sm_90: its mma.sync of 8-bit floats has no instruction on Hopper, and other bits than on sm_89."""
    copy = ptx.with_suffix(".sm_90")
    copy.write_text(re.sub(r"^\.target sm_8\d$", ".target sm_90", ptx.read_text(), flags=re.MULTILINE))
    return copy


def run_tool(ptx, tc_run, text, options, compares=False):
    """What is wrong, the hash of what the kernel writes, and what was printed. A function of rows has inputs of its own,
    and `compares` its results with float64."""
    with tempfile.TemporaryDirectory() as folder:
        stem = pathlib.Path(folder) / ptx.stem
        files = {name: stem.with_suffix(f".{name}.out") for name in outputs_of(ptx)}
        command = [tc_run, text, *options]
        description, sizes = json.loads(ptx.with_suffix(".json").read_text()), {}
        if function := find_row_function(ptx):
            more, sizes = rows_module().write_inputs(function, description, stem)
            command += more
        for name, path in files.items():
            command += ["--out", f"{name}={path}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"exit {done.returncode}: {done.stdout[-1500:]}{done.stderr[-1500:]}", "", done.stdout
        problem = ""
        if function and compares:
            rows_module().evaluate(function, description)
            try:
                rows_module().compare_all(function, rows_module().read_results(function, description, stem, sizes))
            except rows_module().runner.Failure as failure:
                problem = str(failure)
        parts = [path.read_bytes() for path in files.values()]
        if function:
            # Which NaN an instruction gives is unspecified. The inputs of two machines are the same, too.
            parts = [rows_module().with_one_nan(raw, description["buffers"][name]["dtype"]) for name, raw in zip(files, parts)]
            parts += [path.read_bytes() for path in sorted(stem.parent.glob("*.in"))]
        return problem, hashlib.sha256(b"".join(parts)).hexdigest(), done.stdout


def record_one(ptx, tc_run):
    """What is wrong, and the largest error over its bound. Where tc-run refuses to run, with status 2, no GPU has: that
    is no result, and ends everything."""
    # There a product of 8-bit floats summed in f16 is rounded three times for each instruction, the bound is for one.
    checked = not re.search(r"mma\.sync\.aligned\.m16n8k32\.row\.col\.f16\.e", ptx.read_text())
    if find_row_function(ptx):
        # Of plain kernels alone tc-run has nothing to check.
        checked = bool(json.loads(ptx.with_suffix(".json").read_text()).get("rows"))
    problem, digest, printed = run_tool(ptx, tc_run, ptx, ["--device=cuda", "--cubin", ptx.with_suffix(".cubin"),
                                                           *["--check"] * checked], compares=True)
    if problem.startswith("exit 2: "):
        sys.exit(f"problems.py: {ptx}: {problem.strip()}")
    error = max(map(float, re.findall(r"maximum error/bound ([0-9.e+-]+)", printed)), default=0.0)
    return {"problem": problem, "sha256": digest, "error": error}


def replay_one(ptx, tc_run):
    problem, digest, _ = run_tool(ptx, tc_run, as_on_gpu(ptx), ["--launch", ptx.with_suffix(".json"), "--races=strict", "--threads", "1",
                                                                "--schedule=eager,lazy,random:1"])
    recorded = json.loads(ptx.with_suffix(".cuda").read_text())
    # Of approximations alone a GPU has other bits; what it computed was compared with float64.
    is_exact = not (find_row_function(ptx) and re.search(r"\.approx|div\.full", ptx.read_text()))
    if is_exact and not problem and not recorded["problem"] and digest != recorded["sha256"]:
        problem = "other bits than on the GPU"
    return {"problem": problem, "sha256": digest}


def sanitize(ptx, tc_run, tool):
    done = subprocess.run(["compute-sanitizer", "--tool", tool, "--report-api-errors", "no", "--error-exitcode", "9", tc_run, ptx, "--device=cuda",
                           "--cubin", ptx.with_suffix(".cubin")], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{tool}: exit {done.returncode}: {done.stdout[-1500:]}"


def tools_for(ptx):
    """Tools whose reports count. memcheck takes a cp.async that reads fewer bytes than it writes (its fourth operand)
    for one that reads them all, so that the last row of a matrix seems to end after its allocation."""
    is_partial = re.search(r"cp\.async\.c[ag]\.shared\.global \[[^]]*\], \[[^]]*\], \d+, %", ptx.read_text())
    return SANITIZERS[1:] if is_partial else SANITIZERS


def list_kernels(folder):
    kernels = sorted(folder.glob("*.ptx"))
    return kernels or sys.exit(f"problems.py: expected kernels of --prepare in {folder}, got none")


def run_all(arguments, kernels, one, suffix):
    """Runs what has no result yet; all results there are."""
    start = time.monotonic()

    def work(ptx):
        # What is not begun when the time is over is not run, and not counted.
        if time.monotonic() - start < arguments.max_seconds and not ptx.with_suffix(suffix).exists():
            result = one(ptx, arguments.tc_run)
            # Whole, or not there.
            part = ptx.with_suffix(suffix + ".part")
            part.write_text(json.dumps(result))
            part.rename(ptx.with_suffix(suffix))

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(work, kernels))
    results = {ptx.stem: json.loads(path.read_text()) for ptx in kernels if (path := ptx.with_suffix(suffix)).exists()}
    for stem, result in results.items():
        if result["problem"]:
            case = (kernels[0].parent / f"{stem}.mlir").read_text().splitlines()[0]
            print(f"FAILED {stem} {case}: {result['problem']}", flush=True)
    return results, time.monotonic() - start


def record(arguments):
    kernels = list_kernels(arguments.record)
    results, seconds = run_all(arguments, kernels, record_one, ".cuda")
    failures = sum(bool(result["problem"]) for result in results.values())
    print(f"{len(results)} of {len(kernels)} kernels on the GPU, {failures} failures, largest error over bound "
          f"{max((result['error'] for result in results.values()), default=0.0):.3f}, {seconds:.0f} s", flush=True)
    start = time.monotonic()
    step = max(1, len(kernels) // max(1, arguments.sanitizer))
    chosen = [(ptx, tool) for ptx in kernels[::step][:arguments.sanitizer] for tool in tools_for(ptx)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(lambda pair: sanitize(pair[0], arguments.tc_run, pair[1]), chosen))
    for (ptx, tool), problem in zip(chosen, found):
        if problem:
            print(f"FAILED {ptx.stem} {tool}: {problem}", flush=True)
    if chosen:
        print(f"compute-sanitizer: {len(chosen)} runs, {sum(map(bool, found))} with reports, "
              f"{time.monotonic() - start:.0f} s", flush=True)
    return failures > 0 or any(found) or not results


def replay(arguments):
    every = list_kernels(arguments.replay)
    kernels = [ptx for ptx in every if ptx.with_suffix(".cuda").exists()]
    if not kernels:
        sys.exit(f"problems.py: expected results of --record in {arguments.replay}, got none")
    results, seconds = run_all(arguments, kernels, replay_one, ".emulator")
    recorded = {ptx.stem: json.loads(ptx.with_suffix(".cuda").read_text()) for ptx in kernels}
    failures = [[stem, result["problem"]] for found in (recorded, results) for stem, result in found.items() if result["problem"]]
    for stem, result in recorded.items():
        if result["problem"]:
            print(f"FAILED {stem} on the GPU: {result['problem']}")
    print(f"{len(results)} of {len(every)} kernels on the emulator, {len(failures)} failures there or on the GPU, {seconds:.0f} s")
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "recorded": len(recorded), "replayed": len(results), "failures": failures,
            "worst": max(result["error"] for result in recorded.values())}, indent=1) + "\n")
    return bool(failures) or not results


def number(least):
    def read(text):
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a number of at least {least}, got '{text}'")
        return int(text)
    return read


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[4])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--prepare", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--record", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--replay", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--count", type=number(1), default=500)
    parser.add_argument("--seed", type=int, default=1)
    drawn = parser.add_mutually_exclusive_group()
    drawn.add_argument("--mma-sync", action="store_true", help="the unit mma.sync, also as PTX for sm_80 and sm_89")
    drawn.add_argument("--unaligned", action="store_true", help="operands that TMA cannot address (Integration/unaligned.py)")
    drawn.add_argument("--rows", action="store_true", help="functions on rows (Integration/rows.py)")
    parser.add_argument("--most", type=number(2), default=700, help="rows and columns are fewer (but for --unaligned)")
    parser.add_argument("--tc-run", type=pathlib.Path)
    parser.add_argument("--sanitizer", type=number(0), default=0, metavar="N")
    parser.add_argument("--jobs", type=number(1), default=12)
    parser.add_argument("--max-seconds", type=float, default=1e9, help="begin no kernel after that")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.prepare and not arguments.tc_run:
        parser.error("expected --tc-run")
    programs = ([arguments.build / "bin/tc-compile", "ptxas"] if arguments.prepare else
                [arguments.tc_run, *["compute-sanitizer"] * (arguments.sanitizer > 0)])
    for program in programs:
        if not shutil.which(program):
            parser.error(f"expected the program {program}, which is not there or not executable")
    if arguments.prepare:
        return prepare(arguments)
    return record(arguments) if arguments.record else replay(arguments)


if __name__ == "__main__":
    sys.exit(main())
