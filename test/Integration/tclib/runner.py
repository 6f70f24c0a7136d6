"""Runs the tools: one kernel compiled and assembled, one problem emulated."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from . import mlir_text, problem as problems

SCHEDULES = ("eager", "lazy", "random:1", "random:2", "random:3")
# What else one kernel per shape runs under, besides random seeds.
POLICIES = ("reverse", "starvation:0", "starvation:2", "skew:0", "skew:1", "late-reads:1")


class Failure(Exception):
    """A test that failed, with the text to print."""


@dataclasses.dataclass
class Tools:
    build: pathlib.Path
    work: pathlib.Path  # kept after a failure
    llvm: pathlib.Path
    ptxas: str
    nvcc: str

    def path(self, name):
        return str(self.build / "bin" / name)


@dataclasses.dataclass
class Seconds:
    """Where the time went, and what was counted, summed over the processes."""
    compiling: float = 0.0
    assembling: float = 0.0
    emulating: float = 0.0
    comparing: float = 0.0
    runs: int = 0
    spilling: int = 0  # kernels of which ptxas spills some with any number of registers
    counts_spills = False  # else such a kernel is a failure, too

    def add(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def find_cuda(name):
    """Where `ptxas` (that of TC_PTXAS, as the tools have it) or `nvcc` is: in CUDA_HOME or on PATH; None where it is not."""
    if name == "ptxas" and (named := os.environ.get("TC_PTXAS")):
        return shutil.which(named)
    cuda = os.environ.get("CUDA_HOME")
    return shutil.which(name, path=os.pathsep.join(([os.path.join(cuda, "bin")] if cuda else []) + [os.environ.get("PATH", "")]))


def find_tools(build, work):
    found = {name: find_cuda(name) for name in ("ptxas", "nvcc")}
    for name, where in found.items():
        if not where:
            raise Failure(f"no {name} on PATH or in CUDA_HOME: the tests need it")
    llvm = pathlib.Path(os.environ.get("TC_LLVM", "/usr/lib/llvm-22"))
    tools = Tools(pathlib.Path(build).resolve(), pathlib.Path(work).resolve(), llvm, **found)
    needed = [tools.path(name) for name in ("tc-opt", "tc-compile", "tc-run")]
    needed += [str(llvm / "bin" / name) for name in ("mlir-opt", "mlir-runner")]
    for path in needed:
        if not os.access(path, os.X_OK):
            raise Failure(f"no {path}: build it first")
    return tools


def run(command, timeout=600, **options):
    """The finished process with its output as text, and the seconds it took."""
    start = time.monotonic()
    try:
        done = subprocess.run([str(part) for part in command], text=True, capture_output=True,
                              timeout=timeout, **options)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"did not end within {timeout} s: {' '.join(map(str, command))}") from error
    return done, time.monotonic() - start


def describe(command, done):
    text = (done.stdout[-2000:] + done.stderr[-4000:]).strip()
    return f"exit status {done.returncode} of\n    {' '.join(map(str, command))}\n{text}"


def find_spills(tools, ptx, seconds, chip):
    """What ptxas says of each kernel: bytes of stack, of spill stores and of spill loads."""
    cubin = ptx.with_suffix(".assembled")
    command = [tools.ptxas, f"-arch={chip}", "-v", ptx, "-o", cubin]
    done, taken = run(command)
    seconds.assembling += taken
    cubin.unlink(missing_ok=True)
    if done.returncode:
        raise Failure(describe(command, done))
    found = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads",
                       done.stdout + done.stderr)
    # Where all outputs are empty there is no kernel.
    if not found and ".entry" in ptx.read_text():
        raise Failure("ptxas -v said nothing about spills: " + describe(command, done))
    return [tuple(map(int, numbers)) for numbers in found]


def with_more_registers(text):
    """The PTX of a kernel whose epilogue threads ask for as many registers as setmaxnreg gives."""
    return re.sub(r"(setmaxnreg\.inc\S+\s+)\d+", r"\g<1>248", text)


def assemble(tools, ptx, seconds, chip="sm_100a"):
    """ptxas for `chip`: no spill, no stack. With setmaxnreg ptxas 13.0 spills a word of a few random kernels whatever it
    is asked for, as much of it with 248 registers; where `seconds` counts those, they are no failure."""
    found = find_spills(tools, ptx, seconds, chip)
    if not any(stores or loads for _, stores, loads in found):
        return
    text = ptx.read_text()
    if seconds.counts_spills and "setmaxnreg" in text:
        relaxed = ptx.with_suffix(".relaxed.ptx")
        relaxed.write_text(with_more_registers(text))
        if find_spills(tools, relaxed, seconds, chip) == found:
            seconds.spilling += 1
            return
    for stack, stores, loads in found:
        if stores or loads:
            raise Failure(f"{ptx}: {stores} bytes of spill stores and {loads} of spill loads "
                          f"({stack} bytes of stack), expected 0")


def kernel_name(problem):
    """One kernel for all sizes of a dynamic problem."""
    return problem.name.split("-", 1)[1] if problem.dynamic else problem.name


def compile_kernel(tools, problem, seconds, source=None, extra=()):
    """The PTX of a problem, with its kernel description beside it."""
    folder = tools.work / "kernels"
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / kernel_name(problem)
    mlir, ptx = stem.with_suffix(".mlir"), stem.with_suffix(".ptx")
    mlir.write_text(source or mlir_text.function(problem))
    config = [f"--config={problem.config}"] if problem.config else []
    command = [tools.path("tc-compile"), mlir, "-o", ptx, *config, *extra]
    done, taken = run(command)
    seconds.compiling += taken
    if done.returncode:
        raise Failure(describe(command, done))
    if not ptx.exists() or not stem.with_suffix(".json").exists():
        raise Failure(f"no {ptx} or no .json beside it after\n    {' '.join(map(str, command))}")
    return ptx


def size_options(problem):
    if not problem.dynamic:
        return []
    return ["--size", f"M={problem.m},N={problem.n},K={problem.k}"]


class Runs:
    """The runs of one compiled problem, over files in a folder that goes away."""

    def __init__(self, tools, problem, ptx, seconds, launch=None, options=None):
        self.tools, self.problem, self.ptx, self.seconds = tools, problem, ptx, seconds
        self.options = size_options(problem) if options is None else options
        self.launch = ["--launch", launch] if launch else []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tc-", dir=tools.work))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def write_inputs(self, raw):
        for operand, data in raw.items():
            (self.folder / f"{operand}.bin").write_bytes(data)

    def command(self, schedules):
        names = dict(zip("ABD", "ABD"))
        description = pathlib.Path(self.ptx).with_suffix(".json")
        if not self.launch and "A" not in json.loads(description.read_text())["buffers"]:
            # Where nothing is launched, or an operand is copied first, nothing says which argument is which.
            names = {"A": "arg0", "B": "arg1", "D": "arg2"}
        files = [part for operand, name in names.items()
                 for part in ("--buffer", f"{name}={self.folder}/{operand}.bin")]
        return [self.tools.path("tc-run"), self.ptx, *self.launch, *self.options, *files,
                "--out", f"{names['D']}={self.folder}/out.bin", f"--schedule={','.join(schedules)}", "--races=strict",
                "--threads", "1"]

    def emulate(self, schedules):
        """The raw bytes of D; with several schedules tc-run compares them bit by bit."""
        out = self.folder / "out.bin"
        out.unlink(missing_ok=True)
        command = self.command(schedules)
        done, taken = run(command)
        self.seconds.emulating += taken
        self.seconds.runs += len(schedules)
        if done.returncode:
            raise Failure(f"{self.problem.name}: " + describe(command, done))
        if not out.exists():
            raise Failure(f"{self.problem.name}: tc-run wrote no output")
        return out.read_bytes()


def run_problem(tools, problem, ptx, seconds, schedules=SCHEDULES, seeds=0):
    """Every schedule on random data, compared bit by bit and with the bound; then integers."""
    with Runs(tools, problem, ptx, seconds) as runs:
        raw = problems.make_inputs(problem, "random")
        runs.write_inputs(raw)
        # One process: tc-run compares the outputs of all schedules with those of the first.
        more = [f"random:{seed}" for seed in range(1, seeds + 1)] + list(POLICIES) if seeds else []
        first = runs.emulate([*schedules, *more])
        start = time.monotonic()
        comparison = problems.Expectation(problem, raw, "random").compare(first)
        seconds.comparing += time.monotonic() - start
        if not comparison.ok:
            raise Failure(f"{problem.name}, random data: {comparison}")

        raw = problems.make_inputs(problem, "integers")
        runs.write_inputs(raw)
        result = runs.emulate(list(schedules))
        exactly = problems.Expectation(problem, raw, "integers").compare(result)
        if not exactly.ok:
            raise Failure(f"{problem.name}, integer data: {exactly}")
        # A 16-bit output is half an ulp off at places: only f32 tells how near
        # the sums come to their bound.
        return comparison.ratio if problem.out_type == "f32" else 0.0
