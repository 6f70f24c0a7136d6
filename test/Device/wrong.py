#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong kernels for sm_90a: what the emulator reports, and what a GPU shows.

usage: wrong.py --prepare FOLDER --build BUILD                  makes and judges them
       wrong.py --run FOLDER --tc-run BIN --json FILE           where the GPU is
       wrong.py --table FILE                                    docs/data/wrong.tsv, the table of docs/Device.md

The two steps may be on different machines: the folder travels. Right matmul kernels get one
bug each: those classes of test/Mutation that have a place in them, and a few of wgmma. The emulator
judges under eight schedules with the strict race checker; what ptxas does not assemble is dropped.
On the GPU each kernel runs 8 times, once where it does not end; its bits are compared with those of the right kernel.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]

TEXT = """func.func @f(%a: memref<{m}x{k}xbf16>, %b: memref<{n}x{k}xbf16>, %d: memref<{m}x{n}xbf16>) {{
  tmm.matmul transpose_b ins(%a, %b : memref<{m}x{k}xbf16>, memref<{n}x{k}xbf16>) outs(%d : memref<{m}x{n}xbf16>)
  return
}}
"""
# Every CTA has several tiles, so that rings and stores of one tile meet those of the next.
SHAPE = {"m": 1000, "n": 776, "k": 1096}
KERNELS = {
    "two-warpgroups": "tile=128x128x64 stages=3 sms=8",
    "cluster": "tile=128x128x64 stages=3 cluster=2x1 sms=8",
    "one-warpgroup": "tile=64x256x64 stages=2 sms=8",
}
SCHEDULES = ("eager", "lazy", "reverse", "random:1", "random:2", "skew:1", "late-reads", "starvation")
REPEATS, LIMIT = 8, 6
VERDICT = re.compile(r"tc-run: (?:.*: )?([\w ]+?) under (\S+?)[,:]")


def wgmma_bugs(kernel):
    """Class, variant and edit of each bug that test/Mutation has no class for."""
    from ptx import Edit
    from bugs.pipelines import without_wait
    for i in kernel.find("mbarrier.try_wait"):
        product, wait = kernel.next_of(i, "wgmma.mma_async"), kernel.next_of(i, "mbarrier.try_wait")
        if product is not None and (wait is None or product < wait):
            yield "products do not wait for the copied bytes", i, "drop", without_wait(kernel, i)
    for i in kernel.find("wgmma.wait_group"):
        yield "wgmma.wait_group missing or too weak", i, "drop", Edit().delete(i)
        yield "wgmma.wait_group missing or too weak", i, "one pending", Edit().with_operand(kernel, i, 0, "1")
        arrive = kernel.next_of(i, "mbarrier.arrive")
        label = next((j for j in range(arrive or len(kernel.body), len(kernel.body))
                      if kernel.body[j].kind == "label"), None)
        if label is not None:
            yield "slot released before the products have read it", i, "arrive first", \
                Edit().delete(i).after(label, kernel.body[i].text + ";")
    for name in ("wgmma.fence", "wgmma.commit_group"):
        for i in kernel.find(name):
            yield f"no {name}", i, "drop", Edit().delete(i)
    for i in kernel.find("bar.sync"):
        yield "no barrier among the warps of a store", i, "drop", Edit().delete(i)


def mutants_of(kernel):
    """The first place of each bug and variant."""
    import bugs
    found = [(bug.title, *mutant) for bug in bugs.ALL for mutant in bug.find(kernel)] + list(wgmma_bugs(kernel))
    seen = set()
    for title, site, variant, edit in found:
        if (title, variant) not in seen:
            seen.add((title, variant))
            yield title, kernel.body[site].line, variant, edit.apply(kernel)


def judge(tools, ptx, launch, expected):
    """What the emulator says: kind and schedule; nothing when it is content."""
    out = ptx.with_suffix(".emulator")
    for schedule in SCHEDULES:
        done = subprocess.run([tools / "tc-run", ptx, f"--launch={launch}", f"--schedule={schedule}", "--races=strict",
                               "--threads=1", "--max-instructions=3000000", f"--out=D={out}"], capture_output=True, text=True)
        if done.returncode:
            found = VERDICT.search(done.stderr)
            if not found:
                sys.exit(f"{ptx}: exit {done.returncode}: {done.stderr}")
            return found[1], schedule
        if expected is not None and out.read_bytes() != expected:
            return "other bits", schedule
    return "", ""


def prepare(arguments):
    sys.path.insert(0, str(ROOT / "test" / "Mutation"))
    from ptx import Kernel
    folder, tools = arguments.prepare, arguments.build / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    rows, work, dropped = [], [], 0
    for name, config in KERNELS.items():
        if arguments.only and name != arguments.only:
            continue
        source, ptx = folder / f"{name}.mlir", folder / f"{name}.ptx"
        source.write_text(TEXT.format(**SHAPE))
        subprocess.run([tools / "tc-compile", source, "--chip=sm_90a", f"--config={config}", "-o", ptx], check=True)
        subprocess.run(["ptxas", "-arch=sm_90a", ptx, "-o", ptx.with_suffix(".cubin")], check=True)
        launch = ptx.with_suffix(".json")
        if judge(tools, ptx, launch, None)[0]:
            sys.exit(f"the right kernel {name} is not silent")
        expected = ptx.with_suffix(".emulator").read_bytes()
        for title, line, variant, text in mutants_of(Kernel(ptx.read_text())):
            if arguments.bugs and title not in arguments.bugs.split(","):
                continue
            wrong = folder / f"{name}-{len(work):03d}.ptx"
            wrong.write_text(text)
            work.append((wrong, launch, expected, {"kernel": name, "bug": title, "line": line, "variant": variant}))

    def one(item):
        wrong, launch, expected, row = item
        done = subprocess.run(["ptxas", "-arch=sm_90a", wrong, "-o", wrong.with_suffix(".cubin")], capture_output=True)
        if done.returncode:
            return None
        kind, schedule = judge(tools, wrong, launch, expected)
        return {**row, "file": wrong.stem, "verdict": kind, "schedule": schedule}

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(one, work):
            rows += [row] if row else []
            dropped += not row
    (folder / "wrong.json").write_text(json.dumps({"repeats": REPEATS, "kernels": KERNELS, "shape": SHAPE, "rows": rows}, indent=1))
    counts = collections.Counter(row["verdict"] or "nothing" for row in rows)
    print(f"{len(rows)} wrong kernels in {folder}, {dropped} that ptxas refuses; the emulator: {dict(counts)}")


def run_on_gpu(tc_run, ptx, launch):
    """Bits of D, or why there are none."""
    out = ptx.with_suffix(".gpu")
    try:
        done = subprocess.run([tc_run, ptx, f"--launch={launch}", "--device=cuda", "--cubin", ptx.with_suffix(".cubin"),
                               f"--out=D={out}"], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode:
        found = re.search(r"CUDA_ERROR_\w+", done.stderr + done.stdout)
        return found[0] if found else f"exit {done.returncode}"
    return out.read_bytes()


def run(arguments):
    folder = arguments.run
    data = json.loads((folder / "wrong.json").read_text())
    expected = {}
    for name in data["kernels"]:
        found = {run_on_gpu(arguments.tc_run, folder / f"{name}.ptx", folder / f"{name}.json") for _ in range(REPEATS)}
        if len(found) != 1 or not isinstance(next(iter(found)), bytes):
            sys.exit(f"the right kernel {name}: {len(found)} results")
        expected[name] = found.pop()

    def one(row):
        counts = collections.Counter()
        for _ in range(REPEATS):
            bits = run_on_gpu(arguments.tc_run, folder / f"{row['file']}.ptx", folder / f"{row['kernel']}.json")
            counts[bits if isinstance(bits, str) else "right" if bits == expected[row["kernel"]] else "other bits"] += 1
            if counts["no end"]:
                break
        return {**row, "gpu": dict(counts)}

    # Processes of their own: what hangs or faults in one stays there.
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        data["rows"] = list(pool.map(one, data["rows"]))
    data["device"] = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True,
                                    text=True).stdout.strip()
    arguments.json.write_text(json.dumps(data, indent=1) + "\n")
    print_table(data)


def print_table(data):
    """Rows: bugs; of the kernels that have one, how many the emulator reports and how many the GPU shows."""
    groups = collections.defaultdict(list)
    for row in data["rows"]:
        groups[row["bug"]].append(row)
    columns = ("kernels", "reported", "always", "sometimes", "never")
    print("bug", "kernels", "reported by the emulator", "shown by the GPU, always", "sometimes", "never", sep="\t")
    total = collections.Counter()
    for bug, rows in groups.items():
        counts = collections.Counter()
        for row in rows:
            counts["kernels"] += 1
            counts["reported"] += bool(row["verdict"])
            right, runs = row["gpu"].get("right", 0), sum(row["gpu"].values())
            counts["never" if right == runs else "always" if not right else "sometimes"] += 1
        total += counts
        print(bug, *(counts[key] for key in columns), sep="\t")
    print("all", *(total[key] for key in columns), sep="\t")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[4])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--prepare", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--run", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--table", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--tc-run", type=pathlib.Path)
    parser.add_argument("--only", help="one of the kernels")
    parser.add_argument("--bugs", help="titles, separated by commas; else all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.prepare:
        return prepare(arguments)
    if arguments.table:
        return print_table(json.loads(arguments.table.read_text()))
    if not arguments.tc_run or not arguments.json:
        parser.error("--run: expected --tc-run and --json")
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
