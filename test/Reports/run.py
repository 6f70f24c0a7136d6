#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the public reports and findings of reports.py on the emulator, as reported
and as fixed, and fails where a verdict is not the one of docs/Reports.md.

A kernel of our own (kernels/NAME.ptx) holds both versions: a line that ends in
`// reported` belongs to the one, `// fixed` to the other. PTX that Triton printed
(triton/data) is recorded by triton/compile.py."""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "triton"))

import cases  # noqa: E402
from reports import FOUND, REPORTS, SCHEDULES  # noqa: E402


class Program:
    """PTX with a launch file, what is in its buffers and what has to come out."""

    def __init__(self, stem, ptx, launch, inputs, outputs):
        self.stem, self.ptx, self.launch, self.inputs, self.outputs = stem, ptx, launch, inputs, outputs

    def write(self, folder):
        (folder / f"{self.stem}.ptx").write_text(self.ptx)
        for name, data in self.inputs.items():
            (folder / f"{self.stem}.{name}.bin").write_bytes(data.tobytes())
        (folder / f"{self.stem}.json").write_text(json.dumps(self.launch, indent=1))


def header(text, key):
    match = re.search(rf"^// {key}: (.*)$", text, re.M)
    return match and match.group(1)


def product(words):
    """A (128 x 16) times the transpose of B (16 x 16), bf16 in core matrices of
    8 x 16 bytes; two numbers per word."""
    numbers = (words.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)

    def matrix(part, rows):
        return part.reshape(rows // 8, 2, 8, 8).transpose(0, 2, 1, 3).reshape(rows, 16)
    return (matrix(numbers[:2048], 128) @ matrix(numbers[2048:], 16).T).astype(numpy.float32).view(numpy.uint32).ravel()


def own(name, version):
    """The kernel of kernels/NAME.ptx, as reported or as fixed."""
    text = (HERE / "kernels" / f"{name}.ptx").read_text()
    other = {"reported": "fixed", "fixed": "reported"}[version]
    ptx = "\n".join(line for line in text.split("\n") if not line.endswith(f"// {other}"))
    sizes = json.loads(header(text, "buffers"))
    random = numpy.random.default_rng(5)
    inputs = {"in": random.integers(1, 1000, sizes["in"]).astype(numpy.uint32)}
    rule = header(text, "right")
    if rule.startswith("product"):
        small = random.integers(-2, 3, 2 * sizes["in"]).astype(numpy.float32)
        inputs["in"] = (small.view(numpy.uint32) >> 16).astype(numpy.uint16).view(numpy.uint32)
        expected = product(inputs["in"])
    else:
        value, count = re.fullmatch(r"out\[i\] = (.*) for i in range\((\d+)\)", rule).groups()
        expected = numpy.array([eval(value, {"i": i, "in_": inputs["in"]}) for i in range(int(count))], numpy.uint32) \
            if (value := value.replace("in[", "in_[")) else None
    maps = json.loads(header(text, "maps") or "{}")
    stem = f"{name}.{version}"
    buffers = {key: {"dtype": "u32", "shape": [size], "role": "in" if key == "in" else "inout",
                     **({"file": f"{stem}.in.bin"} if key == "in" else {"init": "zeros"})}
               for key, size in sizes.items()}
    params = [{"tensor_map": {"buffer": key, "dtype": "u32", "strides": [], "element_strides": [1], **maps[key]}}
              if key in maps else {"pointer": key} for key in sizes]
    if header(text, "launches"):
        return Program(stem, ptx, description(json.loads(header(text, "launches")), sizes, params, stem), inputs,
                       {"out": expected})
    launch = dict(json.loads(header(text, "launch")), entry=re.search(r"\.entry (\w+)", ptx).group(1),
                  buffers=buffers, params=params)
    return Program(stem, ptx, launch, inputs, {"out": expected})


def description(launches, sizes, params, stem):
    """A kernel description (docs/KernelDescription.md) of launches in a row."""
    return {"version": 1, "chip": "sm_90a", "function": stem, "sizes": [], "arguments": list(sizes), "constraints": [],
            "buffers": {key: {"dtype": "i32", "shape": [size], "role": "in" if key == "in" else "inout"}
                        for key, size in sizes.items()},
            "kernels": [{"entry": one["entry"], "block": one["block"], "cluster": [1, 1, 1], "dynamic_smem": 0,
                         "programmatic_launch": one.get("programmatic", False)} for one in launches],
            "launches": [{"kernel": index, "grid": one["grid"],
                          "params": [{"pointer": param["pointer"], "offset": 0} for param in params]}
                         for index, one in enumerate(launches)], "problems": []}


def spell_out(ptx):
    """What Triton up to 3.6 left to the hardware's goodwill and the ISA asks for:
    bits 46 to 48 of a shared memory descriptor, and the state space of an mbarrier
    whose address is one of shared memory."""
    ptx = re.sub(r"\b46116862933\d{8}\b", lambda found: str(int(found.group(0)) | 1 << 46), ptx)
    return ptx.replace("mbarrier::arrive::one.b64", "mbarrier::arrive::one.shared::cluster.b64")


def triton(name, version):
    """Recorded PTX; parameters after the kernel's own are scratch memory."""
    data = HERE / "triton" / "data"
    case = name.split(":")
    stem = f"{case[0]}-{version}"
    ptx = spell_out((data / f"{stem}.ptx").read_text())
    meta = json.loads((data / f"{stem}.json").read_text())
    inputs, outputs, params, grid = cases.CASES[case[-1]](numpy.random.default_rng(7), meta)
    key = f"{case[-1]}-{version}"
    buffers = {"scratch": {"dtype": "u8", "shape": [65536], "role": "inout", "init": "zeros"}}
    for buffer, array in outputs.items():
        buffers[buffer] = {"dtype": "u8", "shape": [array.nbytes], "role": "inout", "init": "zeros"}
    for buffer, array in inputs.items():
        buffers[buffer] = {"dtype": "u8", "shape": [array.nbytes], "role": "inout", "file": f"{key}.{buffer}.bin"}
    params = [{"pointer": param} if isinstance(param, str) else param for param in params]
    signature = ptx.split(".visible .entry")[1].split(")")[0]
    for index in range(len(re.findall(r"_param_\d+", signature)) - len(params)):
        params.append({"i64": 0} if index else {"pointer": "scratch"})
    launch = {"entry": meta["name"], "grid": grid, "block": [32 * meta["num_warps"], 1, 1],
              "dynamic_smem": meta["shared"], "buffers": buffers, "params": params}
    if meta.get("num_ctas", 1) > 1:
        launch["cluster"] = [meta["num_ctas"], 1, 1]
    return Program(key, ptx, launch, inputs, outputs)


def outcome(program, folder, schedule, races, options):
    """'right', 'N of M wrong', or the first line of the report."""
    name, expected = next(iter(program.outputs.items()))
    out = folder / f"{program.stem}.{schedule}.{races}.out".replace(":", "-")
    command = [options.tc_run, folder / f"{program.stem}.ptx", f"--launch={folder / program.stem}.json",
               f"--schedule={schedule}", f"--races={races}", f"--out={name}={out}", "--threads=1",
               "--max-instructions=3000000"]
    if "kernels" in program.launch:
        command += [f"--buffer={key}={folder / program.stem}.{key}.bin" for key in program.inputs]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        text = result.stdout + result.stderr
        found = re.search(r"^tc-run: (.*?) under \S+: \S+?:(\d+): (.*)$", text, re.M)
        return "{0}: line {1}: {2}".format(*found.groups()) if found else text[-400:]
    got = numpy.frombuffer(out.read_bytes(), expected.dtype).reshape(expected.shape)
    wrong = int((got != expected).sum())
    return f"{wrong} of {expected.size} wrong" if wrong else "right"


def check(report, run, folder, options):
    """One run of a report: rows for the table, and whether all came out as expected."""
    kind = triton if run["triton"] else own
    program = kind(run["kernel"], run["version"])
    program.write(folder)
    rows, good = [], True
    for races, expected in run["expect"].items():
        texts = [outcome(program, folder, schedule, races, options) for schedule in SCHEDULES]
        kinds = {}
        for schedule, text in zip(SCHEDULES, texts):
            kinds.setdefault(text.split(":")[0], ([], text))[0].append(schedule)
        for schedules, text in kinds.values():
            rows.append((report["id"], run["kernel"], run["version"], races, ", ".join(schedules), text[:options.width]))
        if expected == "right":
            fine = set(texts) == {"right"}
        elif expected.startswith("some: "):
            fine = any(expected[6:] in text for text in texts)
        else:
            fine = all(expected in text for text in texts)
        if not fine:
            rows.append((report["id"], run["kernel"], run["version"], races, "expected", expected))
        good &= fine
    return rows, good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--tc-run", help="run the reports with this program")
    todo.add_argument("--write", type=pathlib.Path, metavar="FOLDER", help="write PTX, launch files and inputs instead")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--width", type=int, default=160, help="of a report's text in the table")
    parser.add_argument("names", nargs="*", help="parts of the reports' names; default: all")
    options = parser.parse_args()
    known = REPORTS + FOUND
    chosen = [report for report in known
              if not options.names or any(name in report["id"] for name in options.names)]
    if not chosen:
        sys.exit("no such report; there are " + ", ".join(report["id"] for report in known))
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        for run in (run for report in chosen for run in report["runs"]):
            (triton if run["triton"] else own)(run["kernel"], run["version"]).write(options.write)
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [(report, pool.submit(check, report, run, pathlib.Path(work), options))
                 for report in chosen for run in report["runs"]]
        for report, task in tasks:
            rows, good = task.result()
            failed += not good
            for row in rows:
                print(" | ".join(row))
            if not good:
                print(f"{report['id']}: NOT AS DOCUMENTED")
    runs = sum(len(report["runs"]) for report in chosen)
    print(f"{len(chosen)} reports and findings, {runs - failed} of {runs} runs as documented under "
          f"{', '.join(SCHEDULES)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
