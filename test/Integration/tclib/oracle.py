"""The same linalg IR on the CPU, through upstream's lowering and mlir-runner.

One module holds the functions of all 96 tuples at one shape, exactly as the
compiler gets them, and a main that calls each on constants and writes the bytes
of D to a pipe. Two data sets:

* small: entries of A and B in {-1, 0, 1} and of D in [-4, 4]. Every partial sum
  is an integer below 256, exact in all three output types, so that the unchanged
  IR has to give exactly what this harness expects, although linalg rounds at
  every step.
* random: the function with an f32 output; for the 16-bit outputs it runs on a
  widened D and one arith.truncf follows, since that is what a kernel computes.
  Compared within the bound of a sum in f32, in any order.
"""
import dataclasses
import subprocess
import time

import numpy as np

from . import mlir_text, numerics, problem as problems, runner

PIPELINE = ("builtin.module(one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-loops,"
            "convert-scf-to-cf),expand-strided-metadata,lower-affine,convert-arith-to-llvm,"
            "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)")

# Writing raw bytes keeps every bit and parses at once. The declarations are
# those of the C library; an address travels as an integer of the same size.
HEADER = """
func.func private @write(i32, i64, i64) -> i64
"""


def _generator(problem, kind, operand):
    return np.random.default_rng([problem.m, problem.n, problem.k, ord(operand), kind == "random"])


def _stored(problem, kind, operand):
    """Values as they are in memory; the same for all tuples that store them so."""
    generator, shape = _generator(problem, kind, operand), problem.stored_shape(operand)
    if kind == "random":
        return numerics.round_once(generator.standard_normal(shape), problem.element_type(operand))
    if operand == "D":
        return generator.integers(-4, 5, shape).astype(np.float64)
    return generator.integers(-1, 2, shape).astype(np.float64)


class _Globals:
    """The constants, each once."""

    def __init__(self):
        self.lines, self.raw = {}, {}

    def add(self, problem, kind, operand):
        rows, columns = problem.stored_shape(operand)
        type_name = problem.element_type(operand)
        name = f"{kind}_{operand}_{rows}x{columns}_{type_name}"
        if name not in self.lines:
            raw = numerics.encode(_stored(problem, kind, operand), type_name)
            self.raw[name] = raw
            memref = f"memref<{rows}x{columns}x{type_name}>"
            self.lines[name] = (f"memref.global \"private\" constant @{name} : {memref} = "
                                f"dense<\"0x{raw.hex().upper()}\">", memref)
        return name

    def text(self):
        return "\n".join(line for line, _ in self.lines.values()) + "\n"


def _caller(index, problem, kind, names, constants):
    """A function that runs function @f<index> on constants and writes out D."""
    memrefs = {operand: constants.lines[names[operand]][1] for operand in "ABD"}
    is_widened = kind == "random" and problem.out_type != "f32"
    rows, columns = problem.stored_shape("D")
    work_type = f"memref<{rows}x{columns}xf32>" if is_widened else memrefs["D"]
    callee = dataclasses.replace(problem, out_type="f32") if is_widened else problem
    identity = "affine_map<(i, j) -> (i, j)>"

    def elementwise(operation, source, source_type, target, target_type):
        inner, outer = (memref.rsplit("x", 1)[1][:-1] for memref in (source_type, target_type))
        return [
            f"  linalg.generic {{indexing_maps = [{identity}, {identity}], "
            f"iterator_types = [\"parallel\", \"parallel\"]}} ins({source} : {source_type}) "
            f"outs({target} : {target_type}) {{", f"  ^bb0(%x: {inner}, %y: {outer}):",
            f"    %z = {operation} %x : {inner} to {outer}", f"    linalg.yield %z : {outer}", "  }"
        ]

    lines = [f"func.func @call{index}() {{"]
    for operand in "ABD":
        lines.append(f"  %{operand} = memref.get_global @{names[operand]} : {memrefs[operand]}")
    lines.append(f"  %work = memref.alloc() : {work_type}")
    if is_widened:
        lines += elementwise("arith.extf", "%D", memrefs["D"], "%work", work_type)
    else:
        lines.append(f"  memref.copy %D, %work : {work_type} to {work_type}")
    given = {"A": ("%A", memrefs["A"]), "B": ("%B", memrefs["B"]), "D": ("%work", work_type)}
    types = {operand: mlir_text.type_of(callee, operand, "memref") for operand in "ABD"}
    arguments = []
    for operand, (value, memref) in given.items():
        if memref == types[operand]:
            arguments.append(value)
            continue
        lines.append(f"  %cast_{operand} = memref.cast {value} : {memref} to {types[operand]}")
        arguments.append(f"%cast_{operand}")
    lines.append(f"  func.call @f{index}({', '.join(arguments)}) : ({', '.join(types.values())}) -> ()")
    result, result_type = "%work", work_type
    if is_widened:
        lines.append(f"  %narrow = memref.alloc() : {memrefs['D']}")
        lines += elementwise("arith.truncf", "%work", work_type, "%narrow", memrefs["D"])
        result, result_type = "%narrow", memrefs["D"]
    count = rows * columns * numerics.element_bytes(problem.out_type)
    lines += [
        f"  %address = memref.extract_aligned_pointer_as_index {result} : {result_type} -> index",
        "  %bits = arith.index_cast %address : index to i64", "  %stdout = arith.constant 1 : i32",
        f"  %count = arith.constant {count} : i64",
        "  %written = func.call @write(%stdout, %bits, %count) : (i32, i64, i64) -> i64", "  return", "}"
    ]
    return "\n".join(lines) + "\n", mlir_text.function(callee, f"f{index}")


def _execute(tools, text, name):
    folder = tools.work / "oracle"
    folder.mkdir(parents=True, exist_ok=True)
    source, lowered = folder / f"{name}.mlir", folder / f"{name}.llvm.mlir"
    source.write_text(text)
    command = [tools.llvm / "bin" / "mlir-opt", f"--pass-pipeline={PIPELINE}", source, "-o", lowered]
    done, _ = runner.run(command)
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    libraries = ",".join(str(tools.llvm / "lib" / f"lib{library}.so")
                         for library in ("mlir_c_runner_utils", "mlir_float16_utils"))
    command = [tools.llvm / "bin" / "mlir-runner", lowered, "-O2", "-e", "main", "--entry-point-result=void",
               f"--shared-libs={libraries}"]
    output = folder / f"{name}.bin"
    with open(output, "wb") as stream:
        done = subprocess.run([str(part) for part in command], stdout=stream, stderr=subprocess.PIPE, timeout=600)
    if done.returncode:
        raise runner.Failure(f"exit status {done.returncode} of {' '.join(map(str, command))}\n"
                             f"{done.stderr.decode(errors='replace')[-4000:]}")
    return output.read_bytes()


def _compare(problem, kind, raw, result):
    """`raw`: the bytes of the constants that the function ran on."""
    if kind == "small":
        return problems.Expectation(problem, raw, "integers").compare(result)
    a, b = problems.logical(problem, "A", raw["A"]), problems.logical(problem, "B", raw["B"])
    exact = a @ b
    magnitudes = np.abs(a) @ np.abs(b)
    if problem.accumulate:
        d = problems.logical(problem, "D", raw["D"])
        exact, magnitudes = exact + d, magnitudes + np.abs(d)
    # K additions and K products in f32, each off by half an ulp at most.
    steps = problem.k + 2
    bound = steps * 2.0**-24 / (1 - steps * 2.0**-24) * magnitudes * 2
    if problem.out_type != "f32":
        bound = bound + numerics.ulp(np.abs(exact) + bound, problem.out_type) / 2
    got = numerics.decode(result, problem.out_type).reshape(exact.shape)
    return numerics.compare_within(got, exact, bound, problem.out_type)


def check(tools, tuples, kind):
    """Runs every tuple on the CPU; returns messages of what is wrong and the seconds."""
    start = time.monotonic()
    constants, callers, calls = _Globals(), [], []
    inputs = []
    for index, problem in enumerate(tuples):
        names = {operand: constants.add(problem, kind, operand) for operand in "ABD"}
        caller, callee = _caller(index, problem, kind, names, constants)
        callers += [callee, caller]
        calls.append(f"  func.call @call{index}() : () -> ()")
        inputs.append({operand: constants.raw[name] for operand, name in names.items()})
    main = "func.func @main() attributes {llvm.emit_c_interface} {\n" + "\n".join(calls) + "\n  return\n}\n"
    output = _execute(tools, HEADER + constants.text() + "\n".join(callers) + main, kind)
    errors, at = [], 0
    for problem, raw in zip(tuples, inputs):
        size = len(raw["D"])
        comparison = _compare(problem, kind, raw, output[at:at + size])
        at += size
        if not comparison.ok:
            errors.append(f"mlir-runner, {kind} data, {problem.name}: {comparison}")
    if at != len(output):
        errors.append(f"mlir-runner, {kind} data: expected {at} bytes, got {len(output)}")
    return errors, time.monotonic() - start
