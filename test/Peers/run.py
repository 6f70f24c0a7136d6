#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of CUTLASS, DeepGEMM and FlashAttention 4 on the emulator.

Fetches the headers (and CUTLASS's examples) from PyPI, compiles the programs
with nvcc as anybody would and runs each with tc-emulate under every schedule
that is asked for. A program checks its own results; the schedules have to agree
bit for bit. FlashAttention 4 runs from its wheel. --list=FILE takes programs of
yours instead: a line for each, with tabs between its name, the source files,
arguments of nvcc (files and -I seen from FILE's folder), those of the program,
the device, what it prints on success (a regular expression), the report that
is expected, if one is, and "apart" if results depend on time. --samples=CHECKOUT runs those of samples.tsv, a list
of programs of cuda-samples. Called by scripts/peers."""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = {"nvidia-cutlass": "4.2.0.0", "sgl-deep-gemm": "0.2.5"}
# Sources without a wheel: Marlin's kernel.
SOURCES = {"auto-gptq": "0.7.1"}
# With all that they need, some 4 GB, and only where a case asks for them.
ATTENTION = ["flash-attn-4==4.0.0b36", "nvidia-cutlass-dsl[cu13]==4.8.1", "torch==2.15.0"]

# The message that is expected where the kernel breaks a rule that the default
# policy insists on; docs/Peers.md says why. Its numbers are right all the same
# where the checker does not stop it, and that is asked for: under the schedules
# of the row, or under those that its deadlock leaves.
NO_PROXY_FENCE = "no fence.proxy.async"
# DeepGEMM's clusters for sm_90: a consumer arrives on the ring of both CTAs.
ARRIVAL_OF_CTA = "has .cta scope and orders nothing for another CTA"
PHASE_NOT_SEEN = "its thread has not observed that the previous phase is complete"
# Marlin fetches fragments once more than it uses them.
NO_WARP_SYNC = "no bar.warp.sync between lane"

# What the programs print about their results.
RIGHT = ["Disposition: Passed", "[OK]", "Execution is successful", ": equal"]
WRONG = ["Failed", "[FAIL]", "Execution is failed", "elements differ"]

# Parts of the names of the kernels that the cases are about; kernels that only
# fill buffers or compute the expected result run once.
SELECT = "device_kernel,gemm_device,sm100_,sm90_,Marlin"
TARGETS = {"b200": "100a", "h100": "90a"}

BUILDER = "cutlass/dense.cu"
BLACKWELL = "cute/tutorial/blackwell/"


# Stream-K waits for other clusters: its launch fits on the GPU as a whole.
CO_RESIDENT = "+co-resident-grid"


def case(source, arguments="", flags=(), features="", finding=None, assume="", numbers=None, apart=False,
         device="b200", right=None):
    """`right`: an expression that the output matches where the program says it in words of its own; all its kernels are
    checked. `apart`: a run of the program for each schedule. Its workspace keeps what follows from the tiles that a CTA
    happened to get, so that only the results are the same; the program checks those."""
    return {"source": source, "arguments": arguments.split(), "flags": list(flags), "features": features,
            "finding": finding, "assume": assume, "numbers": numbers, "apart": apart, "device": device, "right": right}


def builder(group, name, features, assume=""):
    return case(BUILDER, name, [f"-DPEERS_GROUP={group}"], features, assume=assume)


CASES = {
    "bf16_tn": builder(1, "bf16_tn", "1 CTA, K-major, CLC"),
    "f16_nt_2sm": builder(1, "f16_nt_2sm", "pair, MN-major, alpha and beta"),
    "f16_nn_2sm": builder(1, "f16_nn_2sm", "pair in 2x2, batch, bias and ReLU"),
    "bf16_m64": builder(1, "bf16_m64", "64 rows, multicast of A"),
    "bf16_streamk": builder(2, "bf16_streamk", "pair, stream-K", CO_RESIDENT),
    "f16_acc_f16": builder(2, "f16_accumulate", "accumulator f16"),
    "bf16_cp_async": builder(2, "bf16_cp_async", "cp.async instead of TMA"),
    "tf32_tn": builder(3, "tf32_tn", "tf32"),
    "tf32_nt_2sm": builder(3, "tf32_nt_2sm", "tf32 MN-major, pair"),
    "s8_tn": builder(3, "s8_tn", "int8"),
    "s8_nt_2sm": builder(3, "s8_nt_2sm", "int8 MN-major, pair"),
    "fp8_tn_2sm": builder(4, "e4m3_e5m2_tn", "e4m3 x e5m2, pair"),
    "fp8_nn_2sm": builder(4, "e4m3_e5m2_nn", "fp8 A MN-major, pair"),
    "fp8_tt": builder(4, "e4m3_e5m2_tt", "fp8 B MN-major"),
    "tutorial_01": case(BLACKWELL + "01_mma_sm100.cu", "512 1024 256", [], "no TMA", NO_PROXY_FENCE),
    "tutorial_02": case(BLACKWELL + "02_mma_tma_sm100.cu", "512 1024 256", [], "TMA",
                        "no warp can go on", numbers="eager"),
    "tutorial_03": case(BLACKWELL + "03_mma_tma_multicast_sm100.cu", "512 1024 256", [], "multicast, cluster of 16"),
    "tutorial_04": case(BLACKWELL + "04_mma_tma_2sm_sm100.cu", "512 1024 256", [], "pairs, cluster of 16"),
    "tutorial_05": case(BLACKWELL + "05_mma_tma_epi_sm100.cu", "512 1024 256", [], "pairs, TMA epilogue"),
    "example_70": case("70_blackwell_gemm/70_blackwell_fp16_gemm.cu", "--m=512 --n=384 --k=320 --iterations=0", [],
                       "pair in 2x2, CLC"),
    "example_72a": case("72_blackwell_narrow_precision_gemm/72a_blackwell_nvfp4_bf16_gemm.cu",
                        "--m=256 --n=256 --k=512 --iterations=0", [], "nvf4, cluster 2x4, tcgen05.cp"),
    "example_72c": case("72_blackwell_narrow_precision_gemm/72c_blackwell_mixed_mxfp8_bf16_gemm.cu",
                        "--m=256 --n=256 --k=512 --iterations=0", [], "mxf8 x mxf4, cluster 2x4"),
    "example_74": case("74_blackwell_gemm_streamk/blackwell_gemm_streamk.cu",
                       "--m=512 --n=256 --k=1024 --iterations=0", [], "stream-K, preferred cluster",
                       assume=CO_RESIDENT),
    "example_75": case("75_blackwell_grouped_gemm/75_blackwell_grouped_gemm.cu",
                       "--m=256 --n=192 --k=320 --groups=3 --iterations=0", [],
                       "grouped, tensormap.replace, 1 CTA and pair", apart=True),
    "example_76": case("76_blackwell_conv/76_blackwell_conv_fprop.cu",
                       "--n=1 --h=8 --w=8 --c=64 --k=64 --r=3 --s=3 --iterations=0", [], "im2col"),
    "example_77": case("77_blackwell_fmha/77_blackwell_fmha.cu",
                       "--b=1 --h=1 --q=256 --k=256 --d=128 --verify --iterations=0", [], "attention"),
    "example_77_mla": case("77_blackwell_fmha/77_blackwell_mla.cu", "--b=1 --k=256 --verify --iterations=0",
                           ["-DFP16"], "latent attention, pair"),
    "example_78": case("78_blackwell_emulated_bf16x9_gemm/78_blackwell_emulated_bf16x9_gemm.cu",
                       "--m=256 --n=256 --k=256 --iterations=0", [], "f32 as three bf16, A in Tensor Memory",
                       NO_PROXY_FENCE),
    "example_81": case("81_blackwell_gemm_blockwise/81_blackwell_gemm_blockwise.cu",
                       "--m=256 --n=256 --k=512 --iterations=0", [], "fp8, scales of blocks in the epilogue"),
    "example_83": case("83_blackwell_sparse_gemm/83_blackwell_sparse_gemm.cu",
                       "--m=256 --n=256 --k=512 --iterations=0", [], "sparse f16, pair"),
    "example_84a": case("84_blackwell_narrow_precision_sparse_gemm/84a_blackwell_nvfp4_bf16_sparse_gemm.cu",
                        "--m=256 --n=256 --k=512 --iterations=0", [], "sparse nvf4, pair"),
    "example_92": case("92_blackwell_moe_gemm/92_blackwell_moe_gemm_regular.cu",
                       "--m=256 --n=128 --k=256 --iterations=0", [], "fp8, TMA and cp.async"),
    "deepgemm_bf16": case("deepgemm/gemm.cu", "bf16", [],
                          "bf16: 1 CTA, pair, pair with A and B swapped; stmatrix"),
    "deepgemm_mxf8": case("deepgemm/gemm.cu", "mxf8", [],
                          "fp8 with scales transposed by a warp: 1 CTA, pair, swapped"),
    **{f"deepgemm_sm90_{name}": case("deepgemm/hopper.cu", name, [], f"wgmma, {features}", finding, device="h100")
       for name, features, finding in (
           ("bf16_plain", "bf16", None),
           ("bf16_multicast", "bf16, multicast of B", (PHASE_NOT_SEEN,)),
           ("fp8_blockwise128", "fp8, scales of blocks of B", (NO_PROXY_FENCE,)),
           ("fp8_blockwise112", "fp8, 64 x 112, two scales of B", (NO_PROXY_FENCE,)),
           ("fp8_blockwise_multicast", "fp8, 128 x 160, multicast of B", (NO_PROXY_FENCE, ARRIVAL_OF_CTA, PHASE_NOT_SEEN)),
           ("fp8_blockwise_on_a", "fp8, 64 rows, multicast of A", (NO_PROXY_FENCE,)),
           ("fp8_rowwise128", "fp8, scales of rows, D added to", (NO_PROXY_FENCE,)),
           ("fp8_rowwise_multicast", "fp8, scales of rows, multicast of A", (ARRIVAL_OF_CTA, NO_PROXY_FENCE)))},
    "marlin": case("marlin/gemm.cu", "", [], "f16 x int4, mma.sync, cp.async, locks between CTAs", NO_WARP_SYNC),
    "fa4_plain": case("fa4", "plain", [], "attention, 4 problems with tails"),
    "fa4_causal": case("fa4", "causal", [], "causal attention, 4 problems with tails"),
}


def listed(path, root=None):
    """The programs of a list, by name; files are seen from `root`, or the list's own folder."""
    cases, root = {}, root or path.parent
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, sources, flags, arguments, device, right, finding, how = [*line.split("\t"), *[""] * 7][:8]
        files = [str((root / source).resolve()) for source in sources.split()]
        flags = [flag.replace("-I", f"-I{root}/", 1) for flag in shlex.split(flags)]
        cases[name] = case(files, arguments, flags, "", finding or None, device=device or "b200", right=right or ".*",
                           apart=how == "apart")
    return cases


def environment(work):
    """The Python that has FlashAttention 4."""
    venv = work / "packages" / ATTENTION[0]
    stamp = venv / "wheels"
    if not stamp.exists() or stamp.read_text() != " ".join(ATTENTION):
        print("installing FlashAttention 4 and torch", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "-q", "--no-compile", *ATTENTION], check=True)
        stamp.write_text(" ".join(ATTENTION))
    return venv / "bin/python"


def fetch(work):
    """Unpacks the wheels; returns their folders by name."""
    folders = {}
    for name, version in PACKAGES.items():
        folders[name] = work / "packages" / f"{name}-{version}"
        if not folders[name].exists():
            subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target",
                            folders[name], f"{name}=={version}"], check=True)
    for name, version in SOURCES.items():
        folders[name] = work / "packages" / f"{name}-{version}"
        if not folders[name].exists():
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d",
                                folder, f"{name}=={version}"], env=dict(os.environ, BUILD_CUDA_EXT="0"), check=True)
                for archive in pathlib.Path(folder).glob("*.tar.gz"):
                    shutil.unpack_archive(archive, folders[name])
    return folders


def compile_command(spec, folders):
    target = f"arch=compute_{TARGETS[spec['device']]},code=compute_{TARGETS[spec['device']]}"
    if isinstance(spec["source"], list):
        return ["nvcc", "-gencode", target, *spec["flags"], *spec["source"]]
    cutlass = folders["nvidia-cutlass"] / "cutlass_library/source"
    own = HERE / spec["source"]
    source = own if own.exists() else cutlass / "examples" / spec["source"]
    standard, include = "-std=c++17", [cutlass / "include"]
    if spec["source"].startswith("deepgemm"):
        standard, include = "-std=c++20", [folders["sgl-deep-gemm"] / "deep_gemm/include"]
    if spec["source"].startswith("marlin"):
        include += folders["auto-gptq"].glob("*/autogptq_extension/marlin")
    include += [cutlass / "tools/util/include", cutlass / "examples/common", source.parent]
    return ["nvcc", standard, "-gencode", target, "--expt-relaxed-constexpr", "-DNDEBUG",
            "-DCUTLASS_ENABLE_GDC_FOR_SM100=1", "-w", *[f"-I{path}" for path in include], *spec["flags"], "-c", str(source)]


def build(name, spec, folders, options):
    """The words that start a case; programs are shared by those that differ in arguments only."""
    program = options.work / "programs" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    libraries = options.build / "lib/cuda"
    if isinstance(spec["source"], list):
        if not program.exists():
            print(f"compiling {name}", file=sys.stderr, flush=True)
            subprocess.run([*compile_command(spec, folders), f"-L{libraries}", "-o", program], check=True)
        return [program]
    own = HERE / spec["source"]
    key = spec["source"].replace("/", "_").removesuffix(".cu") + "".join(spec["flags"]).replace("=", "")
    program = program.with_name(key)
    changed = max(file.stat().st_mtime for file in own.parent.glob("*")) if own.exists() else 0
    if not program.with_suffix(".o").exists() or changed > program.with_suffix(".o").stat().st_mtime:
        print(f"compiling {key}", file=sys.stderr, flush=True)
        subprocess.run([*compile_command(spec, folders), "-o", program.with_suffix(".o")], check=True)
    subprocess.run(["nvcc", "-cudart", options.cudart, program.with_suffix(".o"), "-o", program,
                    libraries / "libcuda.so"], check=True)
    return [program]


class Outcome:
    """What a program did under some schedules."""

    def __init__(self, name, spec, program, options, schedules, races, more=()):
        log = options.work / "logs" / f"{name}.jsonl"
        log.parent.mkdir(exist_ok=True)
        log.unlink(missing_ok=True)
        self.status, self.found, text = 0, {}, ""
        for part in schedules.split(",") if spec["apart"] else [schedules]:
            command = [options.build / "bin/tc-emulate", f"--schedule={part}", f"--races={races}", f"--log={log}",
                       f"--device={spec['device']}", *more]
            if not spec["right"]:
                command.append(f"--select={SELECT}")
            if spec["assume"]:
                command.append(f"--assume={spec['assume']}")
            try:
                result = subprocess.run([*command, *program, *spec["arguments"]], capture_output=True, text=True,
                                        timeout=options.timeout, cwd=self.folder(spec))
                self.status, text = self.status or result.returncode, text + result.stdout
                self.summarize((result.stderr.splitlines() or [""])[-1])
            except subprocess.TimeoutExpired:
                self.status = "timeout"
        launches = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        self.kernels = [launch for launch in launches if launch["races"].split()[0] == races and
                        (launch["macs"] or spec["right"] or not launch["ok"])]
        self.bad = [launch for launch in self.kernels if not launch["ok"] or not launch["same"]]
        self.reports = [report for launch in self.bad for report in launch["reports"]]
        # Not every program says by its exit status that the numbers are wrong.
        self.right = bool(self.status == 0 and not any(word in text for word in WRONG) and
                          (re.search(spec["right"], text) if spec["right"] else any(word in text for word in RIGHT)) and
                          self.kernels and not self.bad)

    @staticmethod
    def folder(spec):
        """Programs of a list find their data beside their sources."""
        return pathlib.Path(spec["source"][0]).parent if isinstance(spec["source"], list) else None

    def summarize(self, line):
        """The assumptions that held back a report, and the choices that were needed, of tc-emulate's last line."""
        for part in line.split("; "):
            for start in ("assumed ", "needed "):
                if part.startswith(start):
                    names = part.removeprefix(start).replace("no choice", "none").split(", ")
                    old = self.found.setdefault(start, [])
                    old += [name for name in names if name not in old]

    def said(self, start, default):
        names = self.found.get(start, [default])
        return ", ".join([name for name in names if name != "none"] or ["none"])


def is_as_found(name, spec, program, options, outcome):
    """A finding: nothing but its reports, the first of them at least, as a run tells eight races and no more; the same
    bits where there is none, and the right numbers."""
    texts = [spec["finding"]] if isinstance(spec["finding"], str) else spec["finding"]
    if not any(texts[0] in report for report in outcome.reports):
        return False
    if not all(any(text in report for text in texts) for report in outcome.reports):
        return False
    if any(launch["ok"] and not launch["same"] for launch in outcome.kernels):
        return False
    numbers = Outcome(f"{name}.numbers", spec, program, options, spec["numbers"] or options.schedules, "off")
    if not numbers.right:
        print(f"  numbers of {name} are wrong (exit status {numbers.status})", file=sys.stderr)
    return numbers.right


def run_attention(name, spec, options):
    """FlashAttention 4: its wheel's PTX, and launches as its host code makes them."""
    sys.path.insert(0, str(HERE / "fa4"))
    import attention
    start = time.monotonic()
    runs, wrong = attention.run(options.work / "fa4", environment(options.work), options.build,
                                spec["arguments"] == ["causal"], options.schedules, options.races)
    print(f"| `{name}` | {spec['features']} | {runs} | {'FAILED' if wrong else 'right, no report'} | "
          f"{time.monotonic() - start:.1f} s in all | not asked | not asked |", flush=True)
    for text in wrong:
        print(f"  {text[:300]}", file=sys.stderr)
    return not wrong


def run(name, spec, program, options):
    """True if the case came out as it should; prints a row of the table."""
    outcome = Outcome(name, spec, program, options, options.schedules, options.races,
                      ["--minimize-assumptions"] if options.minimize else [])
    kernels = outcome.kernels
    longest = max((launch["seconds"] for launch in kernels), default=0)
    if outcome.right:
        verdict = "right, no report"
    elif spec["finding"] and is_as_found(name, spec, program, options, outcome):
        verdict = f"{len(kernels) - len(outcome.bad)} of {len(kernels)} runs without report; finding, numbers right"
    else:
        verdict = f"FAILED ({outcome.status})"
    assumed, needed = outcome.said("assumed ", "none"), outcome.said("needed ", "not asked")
    if spec["assume"]:
        needed += f" ({spec['assume'].removeprefix('+')} given)"
    print(f"| `{name}` | {spec['features']} | {len(kernels)} | {verdict} | {longest:.1f} s | {assumed} | {needed} |",
          flush=True)
    if not verdict.startswith("right"):
        for report in sorted({report.split("\n")[0][:150] for report in outcome.reports})[:3]:
            print(f"  {report}", file=sys.stderr)
    return not verdict.startswith("FAILED")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=lambda path: pathlib.Path(path).resolve(), required=True)
    parser.add_argument("--build", type=lambda path: pathlib.Path(path).resolve(), required=True,
                        help="build folder with bin/tc-emulate")
    parser.add_argument("--cudart", default="shared", choices=["shared", "static"], help="as nvcc's -cudart")
    parser.add_argument("--minimize", action="store_true",
                        help="also say which assumptions that change the run are needed")
    parser.add_argument("--schedules", default="eager,lazy,random:1,random:2")
    parser.add_argument("--seeds", type=int, help="eager, lazy and this many random ones")
    parser.add_argument("--races", default="default", choices=["off", "default", "strict"])
    parser.add_argument("--timeout", type=int, default=900, help="seconds for one program")
    parser.add_argument("--list", type=lambda path: pathlib.Path(path).resolve(), help="programs of yours; see above")
    parser.add_argument("--samples", type=lambda path: pathlib.Path(path).resolve(), help="a checkout of cuda-samples")
    parser.add_argument("names", nargs="*", help="cases, or their beginnings; default: all")
    options = parser.parse_args()
    if options.seeds is not None:
        options.schedules = ",".join(["eager", "lazy"] + [f"random:{seed + 1}" for seed in range(options.seeds)])
    cases = (listed(options.list) if options.list else
             listed(HERE / "samples.tsv", options.samples) if options.samples else CASES)
    chosen = [name for name in cases
              if not options.names or any(name.startswith(begin) for begin in options.names)]
    if not chosen:
        sys.exit("no such case; there are " + " ".join(cases))
    own = options.list or options.samples or all(cases[name]["source"] == "fa4" for name in chosen)
    folders = {} if own else fetch(options.work)
    print("| case | features | runs | result | longest run | assumptions that held back reports | choices needed |\n"
          "|---|---|---|---|---|---|---|")
    failed = [name for name in chosen
              if not (run_attention(name, cases[name], options) if cases[name]["source"] == "fa4" else
                      run(name, cases[name], build(name, cases[name], folders, options), options))]
    print(f"{len(chosen) - len(failed)} of {len(chosen)} as expected under {options.schedules}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
