#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The set rows of benchmarks/device: functions without a product, as torch-mlir prints them, and what torch calls them.

    benchmarks/rows.py --self-test [--build DIR] [--only NAME,...] [--keep FOLDER]
    benchmarks/rows.py --print NAME

The first compiles a small variant of each, runs it on the emulator and compares it with torch on the CPU.
"""
import argparse
import dataclasses
import fnmatch
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "Integration"))
from tclib.printed.text import Function, element, shape, with_element  # noqa: E402

BYTES = {"f32": 4, "bf16": 2, "f8E4M3FN": 1, "i64": 8, "i1": 1}
# Of a result, relative to its size and to the mean size of all: roundings in another order, one of the last place.
TOLERANCES = {"f32": 1e-4, "bf16": 2**-7, "f8E4M3FN": 2**-3, "i64": 0}


@dataclasses.dataclass(frozen=True)
class Problem:
    name: str
    function: Function
    call: typing.Callable  # of torch's tensors
    # Of arguments that are not normal: "causal", or how many places there are for an index.
    kinds: dict = dataclasses.field(default_factory=dict)
    unread: int = 0  # bytes of arguments that no result needs

    def text(self):
        return self.function.text()

    @property
    def arguments(self):
        return list(self.function.arguments.values())

    @property
    def results(self):
        return [part.removeprefix("tensor<").removesuffix(">") for part in self.function.result.split(", ")]

    @property
    def bytes(self):
        """What a call has to move."""
        return sum(math.prod(shape(t)) * BYTES[element(t)] for t in self.arguments + self.results) - self.unread

    def inputs(self, device):
        import torch
        generator = torch.Generator(device).manual_seed(1)
        tensors = []
        for name, type_ in self.function.arguments.items():
            sizes, dtype, kind = shape(type_), torch_type(element(type_)), self.kinds.get(name)
            if kind == "causal":
                hidden = torch.ones(sizes, dtype=torch.bool, device=device).triu(1)
                added = torch.zeros(sizes, device=device).masked_fill(hidden, -math.inf).to(dtype)
                tensors.append(hidden if dtype == torch.bool else added)
            elif kind:
                tensors.append(torch.randperm(kind, generator=generator, device=device)[:sizes[0]])
            else:
                tensors.append(torch.randn(sizes, generator=generator, device=device).to(dtype))
        return tensors


def torch_type(name):
    import torch
    return {"f32": torch.float32, "bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn, "i64": torch.int64,
            "i1": torch.bool}[name]


# What torch-mlir prints for an operation of torch --------------------------------------------------------------------


def each(f, values, *body, to=None):
    """An elementwise operation with torch's broadcasting; the type of its elements is `to`, else that of the first."""
    sizes = [shape(f.types[value]) for value in values]
    rank = max(map(len, sizes))
    out = [max(s[i - rank] for s in sizes if len(s) >= rank - i) for i in range(rank)]
    letters = "abcd"[:rank]
    dims = ["".join(x if size == whole else "0" for x, size, whole in zip(letters[-len(s):], s, out[-len(s):]))
            for s in sizes]
    type_ = "x".join([*map(str, out), to or element(f.types[values[0]])])
    return f.pointwise(list(zip(values, dims)), (f.empty(type_), letters), list(body))


def binary(f, op, a, b):
    return each(f, [a, b], f"%r = {op} %in0, %in1 : {element(f.types[a])}")


def scaled(f, op, value, number):
    return each(f, [value], f"%c = arith.constant {number:e} : f32", f"%r = {op} %in0, %c : f32")


def unary(f, op, value):
    return each(f, [value], f"%r = {op} %in0 : {element(f.types[value])}")


def cast(f, value, to):
    return value if element(f.types[value]) == to else f.cast(value, to)


def reduce(f, value, op, start="0.000000e+00", keep=True):
    """Along the last dimension, which the result keeps with one element."""
    *sizes, last, type_ = f.types[value].split("x")
    dims = "abcd"[:len(sizes) + 1]
    into = f.fill("x".join([*sizes, *["1"] * keep, type_]), start)
    body = [f"%r = {op} %in0, %out : {type_}"]
    return f.generic(dims, [(value, dims)], (into, dims[:-1] + "0" * keep), body, dims[-1])


def largest(f, value, keep=True):
    return reduce(f, value, "arith.maximumf", "0xFF800000", keep)


def total(f, value):
    return reduce(f, value, "arith.addf")


def largest_with_index(f, value, keep):
    """max.dim of a matrix of f32: two results."""
    rows, columns, _ = f.types[value].split("x")
    types = [f"{rows}x{'1x' * keep}{t}" for t in ("f32", "i64")]
    starts = [f.fill(types[0], "0xFF800000"), f.fill(types[1], "0")]
    name = f.add("""linalg.generic {{indexing_maps = [{0}, {1}, {1}], iterator_types = ["parallel", "reduction"]}} \
ins({2} : {3}) outs({4} : {5}) {{
  ^bb0(%in: f32, %out: f32, %out_0: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %out : f32
    %g = arith.cmpf ogt, %in, %out : f32
    %s = arith.select %g, %j, %out_0 : i64
    linalg.yield %m, %s : f32, i64
  }} -> ({5})""".format("affine_map<(d0, d1) -> (d0, d1)>", f"affine_map<(d0, d1) -> (d0{', 0' * keep})>", value,
                        f.type(f.types[value]), ", ".join(starts), ", ".join(map(f.type, types))), "")
    f.lines[-1] = f.lines[-1].replace(f"{name} =", f"{name}:2 =", 1)
    f.types.update({f"{name}#{i}": type_ for i, type_ in enumerate(types)})
    return f"{name}#0", f"{name}#1"


def concat(f, dim, a, b, to):
    parts = ", ".join(f.type(f.types[value]) for value in (a, b))
    return f.add(f"tensor.concat dim({dim}) {a}, {b} : ({parts}) -> {f.type(to)}", to)


def moved(f, x, most=None):
    """x less its largest of the row."""
    return binary(f, "arith.subf", x, most or largest(f, x))


def row_softmax(f, x, most=None):
    weights = unary(f, "math.exp", moved(f, x, most))
    return binary(f, "arith.divf", weights, total(f, weights))


def extract(f, table, index, position, dims, to, checks=()):
    """Elements of `table` at the places `position`, where %i is what `index` has and %j0 and %j1 count loops."""
    type_ = f.types[table]
    return f.pointwise([(index, "a")], (f.empty(to), dims), [
        *checks, "%i = arith.index_cast %in0 : i64 to index",
        *(f"%j{i} = linalg.index {i} : index" for i in range(len(dims))),
        f"%r = tensor.extract {table}[{position}] : {f.type(type_)}"])


# The functions -------------------------------------------------------------------------------------------------------


def softmax(rows, columns, type_, log=False, index=False):
    called = "log_softmax" if log else "softmax"
    f = Function(f"x: {rows}x{columns}x{type_}")
    x = cast(f, "%x", "f32")
    if log:
        x = moved(f, x)
        y = binary(f, "arith.subf", x, unary(f, "math.log", total(f, unary(f, "math.exp", x))))
    else:
        y = row_softmax(f, x, largest_with_index(f, x, True)[0] if index else None)
    name = f"{called}{'_index' * index}-{rows}x{columns}-{type_}"
    return Problem(name, f.returns(cast(f, y, type_)), lambda x: getattr(functional(), called)(x, -1))


def log_softmax(rows, columns, type_):
    return softmax(rows, columns, type_, log=True)


def softmax_index(rows, columns, type_):
    """max.dim has an index, which torch-mlir leaves in place."""
    return softmax(rows, columns, type_, index=True)


def functional():
    import torch
    return torch.nn.functional


def norm(rows, columns, kind, residual=False):
    """RMS or layer norm in bf16, with statistics in f32; with a residual of the sum, which is a result, too."""
    type_, row = f"{rows}x{columns}xbf16", f"{columns}xbf16"
    is_layer = kind == "layer"
    f = Function(", ".join([f"x: {type_}", *[f"rest: {type_}"] * residual, f"w: {row}", *[f"b: {row}"] * is_layer]))
    h = binary(f, "arith.addf", "%x", "%rest") if residual else "%x"
    x = cast(f, h, "f32")
    if is_layer:
        x = binary(f, "arith.subf", x, scaled(f, "arith.divf", total(f, x), columns))
        squares = binary(f, "arith.mulf", x, x)
    else:
        squares = scaled(f, "math.powf", x, 2)
    variance = scaled(f, "arith.addf", scaled(f, "arith.divf", total(f, squares), columns), 1e-5)
    y = binary(f, "arith.mulf", x, unary(f, "math.rsqrt", variance))
    y = each(f, [y, "%w"], "%0 = arith.extf %in1 : bf16 to f32", "%r = arith.mulf %in0, %0 : f32")
    if is_layer:
        y = each(f, [y, "%b"], "%0 = arith.extf %in1 : bf16 to f32", "%r = arith.addf %in0, %0 : f32")
    y = cast(f, y, "bf16")

    def call(x, *others):
        *rest, w, b = others if is_layer else (*others, None)
        x = x + rest[0] if rest else x
        norms = functional()
        y = norms.layer_norm(x, (columns,), w, b, 1e-5) if is_layer else norms.rms_norm(x, (columns,), w, 1e-5)
        return (x, y) if rest else y

    name = f"{kind}_norm{'_residual' * residual}-{rows}x{columns}-bf16"
    return Problem(name, f.returns(h, y) if residual else f.returns(y), call)


def column_sum(rows, columns):
    f = Function(f"x: {rows}x{columns}xf32")
    y = f.generic("ab", [("%x", "ab")], (f.fill(f"{columns}xf32"), "b"), ["%r = arith.addf %in0, %out : f32"], "a")
    return Problem(f"column_sum-{rows}x{columns}-f32", f.returns(y), lambda x: x.sum(0))


def row_sum(rows, columns):
    f = Function(f"x: {rows}x{columns}xf32")
    y = reduce(f, "%x", "arith.addf", keep=False)
    return Problem(f"row_sum-{rows}x{columns}-f32", f.returns(y), lambda x: x.sum(1))


def row_max(rows, columns):
    f = Function(f"x: {rows}x{columns}xf32")
    y = largest(f, "%x", keep=False)
    return Problem(f"row_max-{rows}x{columns}-f32", f.returns(y), lambda x: x.amax(1))


def argmax(rows, columns):
    f = Function(f"x: {rows}x{columns}xf32")
    y = largest_with_index(f, "%x", False)
    return Problem(f"argmax-{rows}x{columns}-f32", f.returns(*y), lambda x: tuple(x.max(1)))


def transpose(sizes, permutation, type_, name="transpose"):
    text = "x".join(map(str, sizes))
    f = Function(f"x: {text}x{type_}")
    y = f.transpose("%x", permutation)
    return Problem(f"{name}-{text}-{type_}", f.returns(y), lambda x: x.permute(permutation).contiguous())


def bshd_to_bhsd(*sizes):
    return transpose(sizes, [0, 2, 1, 3], "bf16", "bshd_to_bhsd")


def rotary(batch, heads, length, size):
    type_, half = f"{batch}x{heads}x{length}x{size}xbf16", size // 2
    part = f"{batch}x{heads}x{length}x{half}xbf16"
    f = Function(f"x: {type_}, cos: {length}x{size}xbf16, sin: {length}x{size}xbf16")
    first, second = (f.slice("%x", [0, 0, 0, start], [batch, heads, length, half], part) for start in (0, half))
    second = unary(f, "arith.negf", second)
    turned = concat(f, 3, second, first, type_)
    y = binary(f, "arith.addf", binary(f, "arith.mulf", "%x", "%cos"), binary(f, "arith.mulf", turned, "%sin"))

    def call(x, cos, sin):
        import torch
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin

    return Problem(f"rotary-{batch}x{heads}x{length}x{size}-bf16", f.returns(y), call)


def masked_softmax(batch, heads, length, type_):
    """Of f32 with a mask of i1; of bf16 with one that is added."""
    size = f"{batch}x{heads}x{length}x{length}x{type_}"
    f = Function(f"x: {size}, mask: {length}x{length}x{'i1' if type_ == 'f32' else type_}")
    if type_ == "f32":
        x = each(f, ["%x", "%mask"], "%low = arith.constant 0xFF800000 : f32",
                 "%r = arith.select %in1, %low, %in0 : f32")
    else:
        x = cast(f, binary(f, "arith.addf", "%x", "%mask"), "f32")

    def call(x, mask):
        import torch
        x = x.masked_fill(mask, -math.inf) if type_ == "f32" else x + mask
        return torch.softmax(x, -1)

    y = cast(f, row_softmax(f, x), type_)
    return Problem(f"masked_softmax-{size[:-len(type_) - 1]}-{type_}", f.returns(y), call, {"mask": "causal"})


def gelu(rows, columns):
    f = Function(f"x: {rows}x{columns}xbf16")
    numbers = [f"%c{i} = arith.constant {c:e} : f32" for i, c in enumerate((3, 0.044715, 0.7978845608, 1, 0.5))]
    y = each(f, [cast(f, "%x", "f32")], *numbers, "%0 = math.powf %in0, %c0 : f32", "%1 = arith.mulf %0, %c1 : f32",
             "%2 = arith.addf %in0, %1 : f32", "%3 = arith.mulf %2, %c2 : f32", "%4 = math.tanh %3 : f32",
             "%5 = arith.addf %4, %c3 : f32", "%6 = arith.mulf %in0, %c4 : f32", "%r = arith.mulf %6, %5 : f32")
    return Problem(f"gelu-{rows}x{columns}-bf16", f.returns(cast(f, y, "bf16")),
                   lambda x: functional().gelu(x, approximate="tanh"))


def silu_mul(rows, columns):
    f = Function(f"x: {rows}x{columns}xbf16, y: {rows}x{columns}xbf16")
    y = each(f, [cast(f, "%x", "f32")], "%c1 = arith.constant 1.0 : f32",
             "%0 = arith.negf %in0 : f32", "%1 = math.exp %0 : f32", "%2 = arith.addf %1, %c1 : f32",
             "%3 = arith.divf %c1, %2 : f32", "%r = arith.mulf %3, %in0 : f32")
    return Problem(f"silu_mul-{rows}x{columns}-bf16", f.returns(binary(f, "arith.mulf", cast(f, y, "bf16"), "%y")),
                   lambda x, y: functional().silu(x) * y)


def add_three(rows, columns):
    f = Function(", ".join(f"{name}: {rows}x{columns}xbf16" for name in "xyz"))
    y = binary(f, "arith.addf", binary(f, "arith.addf", "%x", "%y"), "%z")
    return Problem(f"add_three-{rows}x{columns}-bf16", f.returns(y), lambda x, y, z: x + y + z)


def to_fp8(rows, columns, group):
    """e4m3 with a factor per row, or per row and `group` columns."""
    f = Function(f"x: {rows}x{columns}xbf16")
    x, groups = "%x", columns // group
    if groups > 1:
        x = f.expand(x, "[[0], [1, 2]]", f"{rows}x{groups}x{group}xbf16")
    x = cast(f, x, "f32")
    most = scaled(f, "arith.maximumf", largest(f, unary(f, "math.absf", x)), 1e-4)
    factor = scaled(f, "arith.divf", most, 448)
    y = cast(f, binary(f, "arith.divf", x, factor), "f8E4M3FN")
    if groups > 1:
        y = f.collapse(y, "[[0], [1, 2]]", f"{rows}x{columns}xf8E4M3FN")
        factor = f.collapse(factor, "[[0], [1, 2]]", f"{rows}x{groups}xf32")

    def call(x):
        import torch
        x = x.float().view(rows, groups, group)
        factor = x.abs().amax(-1, keepdim=True).clamp(min=1e-4) / 448
        return (x / factor).to(torch.float8_e4m3fn).view(rows, columns), factor.view(rows, groups)

    return Problem(f"to_fp8-{rows}x{columns}-{'row' if groups == 1 else group}", f.returns(y, factor), call)


def embedding(words, columns, rows):
    f = Function(f"w: {words}x{columns}xbf16, i: {rows}xi64")
    y = extract(f, "%w", "%i", "%i, %j1", "ab", f"{rows}x{columns}xbf16", [
        f"%end = arith.constant {words} : i64", "%k0 = arith.cmpi slt, %in0, %end : i64",
        'cf.assert %k0, "index must be smaller than dim size"', "%zero = arith.constant 0 : i64",
        "%k1 = arith.cmpi sge, %in0, %zero : i64", 'cf.assert %k1, "index must be larger or equal to 0"'])
    return Problem(f"embedding-{words}x{columns}-{rows}", f.returns(y), lambda w, i: functional().embedding(i, w),
                   {"i": words}, (words - rows) * columns * BYTES["bf16"])


def concatenate(rows, columns):
    part, whole = f"{rows}x{columns}xbf16", f"{rows}x{2 * columns}xbf16"
    f = Function(f"x: {part}, y: {part}")
    y = concat(f, 1, "%x", "%y", whole)

    def call(x, y):
        import torch
        return torch.cat((x, y), 1)

    return Problem(f"concatenate-{rows}x{columns}-bf16", f.returns(y), call)


def cross_entropy(rows, columns, type_, printed=False):
    """The logarithm of the sum less the logit of the label; `printed`: nll_loss of log_softmax, as torch-mlir has."""
    f = Function(f"x: {rows}x{columns}x{type_}, label: {rows}xi64")
    x, out = cast(f, "%x", "f32"), f"{rows}xf32"
    if printed:
        x = moved(f, x)
        logarithm = unary(f, "math.log", total(f, unary(f, "math.exp", x)))
        y = unary(f, "arith.negf", extract(f, binary(f, "arith.subf", x, logarithm), "%label", "%j0, %i", "a", out))
    else:
        most = largest(f, x)
        sums = total(f, unary(f, "math.exp", moved(f, x, most)))
        y = binary(f, "arith.addf", unary(f, "math.log", sums), most)
        y = f.collapse(y, "[[0, 1]]", out)
        y = binary(f, "arith.subf", y, cast(f, extract(f, "%x", "%label", "%j0, %i", "a", f"{rows}x{type_}"), "f32"))
    return Problem(f"cross_entropy{'_nll' * printed}-{rows}x{columns}-{type_}", f.returns(y),
                   lambda x, label: functional().cross_entropy(x.float(), label, reduction="none"), {"label": columns})


# Each with its sizes, and smaller ones for the emulator. Large: 64 to 256 MiB of input.
CASES = (
    *((kind, (rows * (4 // BYTES[type_]), columns, type_), (70 if columns < 1000 else 9, columns, type_))
      for kind in (softmax, log_softmax)
      for columns, rows in ((128, 262144), (4096, 8192), (32768, 1024)) for type_ in ("f32", "bf16")),
    (softmax, (64, 4096, "f32"), (5, 4096, "f32")),
    (softmax_index, (8192, 4096, "f32"), (9, 4096, "f32")),
    *((norm, (rows, columns, kind, residual), (70 if columns < 1000 else 9, columns, kind, residual))
      for kind in ("rms", "layer") for residual in (False, True)
      for columns, rows in ((768, 65536), (4096, 16384), (16384, 4096))),
    (norm, (64, 4096, "rms"), (5, 4096, "rms")),
    (column_sum, (8192, 4096), (70, 300)),
    (row_sum, (8192, 4096), (9, 4096)),
    (row_max, (8192, 4096), (9, 4096)),
    (argmax, (8192, 4096), (9, 4096)),
    (transpose, ((8192, 8192), [1, 0], "bf16"), ((70, 264), [1, 0], "bf16")),
    (transpose, ((64, 1024, 1024), [0, 2, 1], "bf16"), ((3, 72, 40), [0, 2, 1], "bf16")),
    (bshd_to_bhsd, (4, 4096, 32, 128), (2, 24, 3, 128)),
    (rotary, (4, 32, 4096, 128), (2, 3, 12, 128)),
    (masked_softmax, (1, 16, 2048, "f32"), (1, 3, 40, "f32")),
    (masked_softmax, (1, 32, 2048, "bf16"), (2, 2, 40, "bf16")),
    (gelu, (8192, 8192), (9, 1000)),
    (silu_mul, (4096, 14336), (9, 1000)),
    (add_three, (8192, 8192), (9, 1000)),
    (to_fp8, (16384, 4096, 4096), (9, 4096, 4096)),
    (to_fp8, (16384, 4096, 128), (9, 1024, 128)),
    (embedding, (32000, 4096, 16384), (50, 520, 9)),
    (concatenate, (8192, 4096), (9, 520)),
    (cross_entropy, (4096, 32768, "bf16"), (3, 32768, "bf16")),
    (cross_entropy, (2048, 32768, "f32", True), (3, 32768, "f32", True)),
)
PROBLEMS = [build(*sizes) for build, sizes, _ in CASES]


def run(problem, tc_run, ptx, inputs, options=()):
    """Runs what was compiled from `problem`: the results as tensors on the CPU, and what tc-run printed."""
    import torch
    description = json.loads(ptx.with_suffix(".json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = [tc_run, ptx, *options]
        for name, tensor in zip(description["arguments"], inputs):
            tensor.cpu().contiguous().view(torch.uint8).numpy().tofile(folder / f"{name}.in")
            command.append(f"--buffer={name}={folder / name}.in")
        names = [result["buffer"] for result in description["results"]]
        command += [f"--out={name}={folder / name}.out" for name in names]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"tc-run: {done.stdout}{done.stderr}")
        results = []
        for name, type_ in zip(names, problem.results):
            raw = torch.frombuffer(bytearray((folder / f"{name}.out").read_bytes()), dtype=torch.uint8)
            results.append(raw.view(torch_type(element(type_))).reshape(shape(type_)))
        return results, done.stdout


def error_of(problem, got, want):
    """The largest deviation, in units of what is tolerated."""
    worst = 0.0
    for type_, a, b in zip(problem.results, got, want if isinstance(want, tuple) else (want,)):
        a, tolerance = a.to(b.device).reshape(b.shape), TOLERANCES[element(type_)]
        if not tolerance:
            worst = max(worst, 0.0 if (a == b).all() else math.inf)
            continue
        a, b = a.float(), b.float()
        error = ((a - b).abs() / (b.abs() + b.square().mean().sqrt())).max().item() / tolerance
        worst = max(worst, math.inf if math.isnan(error) else error)
    return worst


def compile_one(tc_compile, source, outputs, options=()):
    """Compiles `source` to each of `outputs`; what was refused, or nothing."""
    for output in outputs:
        done = subprocess.run([tc_compile, source, *options, "-o", output], capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip() or f"tc-compile ended with status {done.returncode}"
    return ""


def launched(ptx):
    """The kernel of each launch."""
    description = json.loads(ptx.with_suffix(".json").read_text())
    return [description["kernels"][launch["kernel"]]["entry"] for launch in description["launches"]]


def self_test(arguments):
    bad = []
    for build, _, sizes in CASES:
        problem = build(*sizes)
        if not any(fnmatch.fnmatchcase(problem.name, pattern) for pattern in arguments.only.split(",")):
            continue
        source = arguments.keep / f"{problem.name}.mlir"
        source.write_text(problem.text())
        ptx = source.with_suffix(".ptx")
        line = f"{problem.name}: "
        if refused := compile_one(arguments.build / "bin/tc-compile", source, [ptx], ["--chip=sm_90a"]):
            bad.append(problem.name)
            print(f"{line}refused: {refused}", flush=True)
            continue
        line += f"{len(launched(ptx))} launches, "
        inputs = problem.inputs("cpu")
        try:
            got, _ = run(problem, arguments.build / "bin/tc-run", ptx, inputs)
        except RuntimeError as failure:
            bad.append(problem.name)
            print(f"{line}failed: {failure}", flush=True)
            continue
        error = error_of(problem, got, problem.call(*inputs))
        if error > 1:
            bad.append(problem.name)
        print(f"{line}{'WRONG' if error > 1 else 'right'}: {error:.3f} of what is tolerated", flush=True)
    sys.exit(f"not right: {', '.join(bad)}" if bad else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--self-test", action="store_true")
    what.add_argument("--print", metavar="NAME", help="the text of a function; patterns")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", default="*", help="the functions of these names alone, separated by commas; patterns")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="where texts and kernels stay")
    arguments = parser.parse_args()
    if arguments.print:
        print("".join(p.text() for p in PROBLEMS if fnmatch.fnmatchcase(p.name, arguments.print)), end="")
    elif arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        self_test(arguments)
    else:
        with tempfile.TemporaryDirectory() as folder:
            arguments.keep = pathlib.Path(folder)
            self_test(arguments)


if __name__ == "__main__":
    main()
