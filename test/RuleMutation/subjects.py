# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels whose rules are broken: two that Triton printed, one of DeepGEMM
(compiled from PyPI's headers), two of the compiler and the repaired ones of
test/Reports. Each knows how it is launched and what has to come out."""

import json
import pathlib
import re
import subprocess
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent
TEST = HERE.parent
sys.path.insert(0, str(TEST / "Reports"))
import run as reports  # noqa: E402

PACKAGES = {"nvidia-cutlass": "4.2.0.0", "sgl-deep-gemm": "0.2.5"}
OWN = ["peer_scales", "cancel_for_the_cluster", "mailbox", "operand_without_proxy_fence", "aliased_columns",
       "expect_for_the_cluster", "dependent_launch"]
COMPILED = {"pair_store": "tile=256x64x64 cta-group=2 cluster=2x1 stages=2 accumulator-stages=2 epilogue=tma-store sms=2",
            "single_store": "tile=128x32x64 cta-group=1 stages=2 epilogue=tma-store sms=2"}


class Kernel:
    breaks_text = False
    cap = 100  # mutants of an operator at most

    def __init__(self, name, ptx, entry=None):
        self.name, self.ptx = name, ptx
        lines = ptx.split("\n")
        begin = next(n for n, line in enumerate(lines) if ".entry" in line and (entry is None or entry in line))
        end = next((n for n in range(begin + 1, len(lines)) if ".entry" in lines[n]), len(lines)) if entry else len(lines)
        self.range = (begin, end)


class Launched(Kernel):
    """A kernel with a launch file and numpy's result."""

    def __init__(self, program, entry=None):
        super().__init__(program.stem.split(".")[0], program.ptx, entry)
        self.program = program
        self.output, self.expected = next(iter(program.outputs.items()))

    def prepare(self, folder, text):
        folder.mkdir(parents=True, exist_ok=True)
        self.program.write(folder)
        path = folder / f"{self.program.stem}.ptx"
        path.write_text(text)
        return path

    def command(self, tc_run, path, schedules):
        extra = [f"--buffer={key}={path.with_suffix('')}.{key}.bin" for key in self.program.inputs] \
            if "kernels" in self.program.launch else []
        return [tc_run, path, f"--launch={path.with_suffix('.json')}", f"--schedule={schedules}", "--threads=1",
                f"--out={self.output}={path.with_suffix('.out')}", *extra]

    def wrong(self, path):
        got = numpy.frombuffer(path.with_suffix(".out").read_bytes(), self.expected.dtype)
        count = int((got != self.expected.ravel()).sum())
        return f"{count} of {self.expected.size} wrong" if count else ""


class Compiled(Kernel):
    """A kernel of the compiler; tc-run checks the numbers by its description."""

    def __init__(self, name, folder, build):
        source = HERE / "matmul.mlir"
        self.path = folder / f"{name}.ptx"
        subprocess.run([build / "bin" / "tc-compile", source, f"--config={COMPILED[name]}", "-o", self.path], check=True,
                       capture_output=True)
        super().__init__(name, self.path.read_text())

    def prepare(self, folder, text):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.ptx"
        path.write_text(text)
        path.with_suffix(".json").write_text(self.path.with_suffix(".json").read_text())
        return path

    def command(self, tc_run, path, schedules):
        return [tc_run, path, "--check", f"--schedule={schedules}", "--threads=1"]

    def wrong(self, path):
        return ""


def bf16(values):
    return (values.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def tensor_map(buffer, dtype, columns, rows, stride, box):
    return {"tensor_map": {"buffer": buffer, "dtype": dtype, "dims": [columns, rows], "strides": [stride], "box": box,
                           "element_strides": [1, 1], "swizzle": "128B"}}


def launched(stem, ptx, launch, inputs, expected, params):
    """D of bf16; what is in it before must not matter."""
    launch["buffers"] = {key: {"dtype": "u8", "shape": [data.nbytes], "role": "in", "file": f"{stem}.{key}.bin"}
                         for key, data in inputs.items()}
    launch["buffers"]["d"] = {"dtype": "u8", "shape": [expected.nbytes], "role": "out"}
    launch["params"] = params
    return reports.Program(stem, ptx, launch, inputs, {"d": expected})


def triton(name):
    """C = A * B^T in two programs that share four tiles (test/Emulator/triton)."""
    data = TEST / "Emulator" / "triton" / "data"
    meta = json.loads((data / f"{name}.meta.json").read_text())
    m, n, k = 256, 256, 320
    random = numpy.random.default_rng(3)
    a, b = random.integers(-2, 3, (m, k)), random.integers(-2, 3, (n, k))
    params = []
    for buffer, rows, columns, info in zip("abd", (m, n, m), (k, k, n), meta["tensordesc_meta"]):
        params += [tensor_map(buffer, "bf16", columns, rows, 2 * columns, info["block_size"][::-1]), {"i32": rows},
                   {"i32": columns}, {"i64": columns}, {"i64": 1}]
    params += [{"i32": m}, {"i32": n}, {"i32": k}, {"i64": 0}, {"i64": 0}]
    launch = {"entry": meta["name"], "grid": [2, 1, 1], "block": [32 * meta["num_warps"], 1, 1],
              "dynamic_smem": meta["shared"]}
    return Launched(launched(name, (data / f"{name}.ptx").read_text(), launch, {"a": bf16(a), "b": bf16(b)},
                             bf16(a @ b.T), params))


def deepgemm(options):
    """DeepGEMM's bf16 kernel for pairs of CTAs: 128 x 256 tiles, six stages."""
    work = options.work or pathlib.Path("build-peers").resolve()
    folders = {}
    for name, version in PACKAGES.items():
        folders[name] = work / "packages" / f"{name}-{version}"
        if not folders[name].exists():
            subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folders[name],
                            f"{name}=={version}"], check=True)
    path = work / "deepgemm.ptx"
    if not path.exists():
        source = folders["nvidia-cutlass"] / "cutlass_library/source"
        subprocess.run(["nvcc", "-std=c++20", "-arch=compute_100a", "-ptx", "--expt-relaxed-constexpr", "-DNDEBUG", "-w",
                        f"-I{folders['sgl-deep-gemm'] / 'deep_gemm/include'}", f"-I{source / 'tools/util/include'}",
                        f"-I{source / 'include'}", TEST / "Peers/deepgemm/gemm.cu", "-o", path], check=True)
    text = path.read_text()
    entry = next(name for name in re.findall(r"\.entry (\w+)", text) if "bf16_gemm" in name and "Lj128ELj256E" in name)
    m, n, k = 200, 1536, 448
    random = numpy.random.default_rng(4)
    a, b = random.integers(-2, 3, (m, k)), random.integers(-2, 3, (n, k))
    launch = {"entry": entry, "grid": [4, 1, 1], "cluster": [2, 1, 1], "block": [256, 1, 1], "dynamic_smem": 232448}
    params = [{"i64": 0}, {"i32": m}, {"i32": n}, {"i32": k}, {"struct": {"size": 48, "fields": []}},
              tensor_map("a", "bf16", k, m, 2 * k, [64, 128]), tensor_map("b", "bf16", k, n, 2 * k, [64, 128]),
              tensor_map("d", "bf16", n, m, 2 * n, [64, 128])]
    kernel = Launched(launched("deepgemm", text, launch, {"a": bf16(a), "b": bf16(b)}, bf16(a @ b.T), params), entry)
    kernel.cap = 2  # its runs take a second each
    return kernel


def load(options, work):
    makers = {name: lambda name=name: Launched(reports.own(name, "fixed")) for name in OWN}
    for name in ("persistent_bf16", "persistent_bf16_specialized"):
        makers[name] = lambda name=name: triton(name)
    if not options.fast:
        for name in COMPILED:
            makers[name] = lambda name=name: Compiled(name, work, options.build)
        makers["deepgemm"] = lambda: deepgemm(options)
    unknown = [name for name in options.names if name not in makers]
    if unknown:
        sys.exit(f"no kernel {', '.join(unknown)}; there are {', '.join(makers)}")
    return [make() for name, make in makers.items() if not options.names or name in options.names]
