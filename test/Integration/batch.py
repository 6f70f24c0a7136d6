#!/usr/bin/env python3
"""Compiles batched matmuls, runs them on the emulator, checks the numbers.

    batch.py --build build [--filter TEXT]

Two kinds: cases of tclib/gemm.py with a batch, and modules written here, whose
operands have several batch dimensions, share them, repeat rows or matrices
(strides of 0), or are apart in memory. The expected numbers are numpy's, and
tc-run --check has to agree.
"""
import dataclasses
import os
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

from tclib import cases, gemm, modules, numerics, runner  # noqa: E402
from tclib.gemm import Gemm  # noqa: E402

PAIR = "cta-group=2 tile=256x128x64"
GEMMS = [
    Gemm((200, 136, 72), batch=3),
    Gemm((200, 136, 72), batch=3, transpose_a=True, transpose_b=False, in_type="f16"),
    Gemm((200, 136, 72), batch=5, dynamic=True),
    Gemm((130, 72, 200), batch=2, dynamic=True, transpose_b=False, accumulate=True),
    Gemm((200, 136, 72), (("add", "row", "f32"), "relu"), batch=3, out_type="bf16"),
    Gemm((200, 133, 72), (("add", "row", "f32"), "relu", ("add", "full", "bf16")), batch=3, out_type="bf16", dynamic=True),
    Gemm((200, 136, 72), batch=3, config=f"{PAIR} sms=4", accumulate=True),
    Gemm((300, 136, 72), (("add", "full", "f32"), ), batch=2, config=f"{PAIR} sms=148", out_type="f16"),
    Gemm((300, 264, 136), (("add", "column", "f32"), "silu"), batch=2, config="sms=3 raster=2 tile=128x64x64"),
    Gemm((200, 136, 72), batch=3, config="roles=none tile=128x64x64"),
    Gemm((200, 136, 72), batch=0, dynamic=True),
    Gemm((200, 0, 72), batch=2, dynamic=True),
    Gemm((200, 136, 0), batch=2, dynamic=True),
    Gemm((1, 8, 8), batch=7, dynamic=True),
]


@dataclasses.dataclass(frozen=True)
class Contraction:
    """D[...] = sum of A * B by the letters of each operand; k is summed, m and n are the last two of D."""
    name: str
    a: str
    b: str
    sizes: dict
    d: str = ""
    out_type: str = "f32"
    dynamic: bool = False
    bias: str = ""  # letters of a f32 operand that is added
    config: str = ""


CONTRACTIONS = [
    Contraction("weights_shared", "bmk", "kn", dict(b=3, m=136, n=72, k=64)),
    Contraction("weights_shared_transposed", "bmk", "nk", dict(b=3, m=136, n=72, k=64), dynamic=True),
    Contraction("a_shared", "mk", "bkn", dict(b=3, m=136, n=72, k=64)),
    Contraction("two_dimensions", "bhmk", "bhnk", dict(b=2, h=3, m=136, n=72, k=64), dynamic=True),
    Contraction("three_dimensions", "abhmk", "abhkn", dict(a=2, b=1, h=3, m=72, n=136, k=64)),
    # Groups of heads share keys: the batch dimension g of B is missing inside.
    Contraction("grouped_queries", "bhgmk", "bhnk", dict(b=2, h=2, g=3, m=72, n=136, k=64)),
    Contraction("grouped_queries_dynamic", "bhgmk", "bhnk", dict(b=2, h=2, g=3, m=72, n=136, k=64), dynamic=True,
                out_type="bf16"),
    Contraction("outer_missing", "hmk", "bhkn", dict(b=2, h=3, m=136, n=72, k=64)),
    Contraction("bias_per_problem", "bmk", "bnk", dict(b=3, m=136, n=72, k=64), bias="bn", out_type="bf16"),
    Contraction("bias_of_rows", "bhmk", "bhnk", dict(b=2, h=3, m=136, n=72, k=64), bias="bm"),
    Contraction("mask_shared_by_heads", "bhmk", "bhnk", dict(b=2, h=3, m=72, n=136, k=64), bias="bmn", dynamic=True),
    Contraction("mask_shared_by_all", "bhmk", "bhnk", dict(b=2, h=3, m=72, n=136, k=64), bias="mn", config=PAIR),
]


def module_text(case):
    """linalg.generic on tensors, the loops in an order of their own."""
    d = case.d or "".join(letter for letter in "abhg" if letter in case.a + case.b) + "mn"
    loops = "k" + d
    dims = {letter: "?" if case.dynamic else str(size) for letter, size in case.sizes.items()}

    def tensor(letters, element):
        return f"tensor<{'x'.join(dims[letter] for letter in letters)}x{element}>"

    def affine(inner, letters):
        return f"affine_map<({', '.join(inner)}) -> ({', '.join(letters)})>"

    arguments = {"A": (case.a, "bf16"), "B": (case.b, "bf16")}
    if case.bias:
        arguments["X"] = (case.bias, "f32")
    types = {name: tensor(*what) for name, what in arguments.items()}
    wide, out = tensor(d, "f32"), tensor(d, case.out_type)
    text = [f"func.func @f({', '.join(f'%{name}: {types[name]}' for name in arguments)}) -> {out} {{",
            "%zero = arith.constant 0.0 : f32"]
    extents = []
    if case.dynamic:
        for letter in d:
            name = next(name for name, (letters, _) in arguments.items() if letter in letters)
            text += [f"%i{letter} = arith.constant {arguments[name][0].index(letter)} : index",
                     f"%size_{letter} = tensor.dim %{name}, %i{letter} : {types[name]}"]
            extents.append(f"%size_{letter}")
    kinds = ", ".join('"reduction"' if letter == "k" else '"parallel"' for letter in loops)
    maps = ", ".join(affine(loops, letters) for letters in (case.a, case.b, d))
    text += [f"%E = tensor.empty({', '.join(extents)}) : {wide}",
             f"%f = linalg.fill ins(%zero : f32) outs(%E : {wide}) -> {wide}",
             f"%p = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
             f"ins(%A, %B : {types['A']}, {types['B']}) outs(%f : {wide}) {{",
             "^bb0(%a: bf16, %b: bf16, %s: f32):", "  %0 = arith.extf %a : bf16 to f32",
             "  %1 = arith.extf %b : bf16 to f32", "  %2 = arith.mulf %0, %1 : f32", "  %3 = arith.addf %s, %2 : f32",
             "  linalg.yield %3 : f32", f"}} -> {wide}"]
    last = "%p"
    if case.bias or case.out_type != "f32":
        operands = {"%p": (d, wide)} | ({"%X": (case.bias, types["X"])} if case.bias else {})
        maps = ", ".join(affine(d, letters) for letters, _ in (*operands.values(), (d, out)))
        kinds = ", ".join(['"parallel"'] * len(d))
        text += [f"%O = tensor.empty({', '.join(extents)}) : {out}",
                 f"%r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
                 f"ins({', '.join(operands)} : {', '.join(t for _, t in operands.values())}) outs(%O : {out}) {{",
                 f"^bb0(%x: f32, {'%y: f32, ' if case.bias else ''}%o: {case.out_type}):"]
        value = "%x"
        if case.bias:
            text.append("  %0 = arith.addf %x, %y : f32")
            value = "%0"
        if case.out_type != "f32":
            text.append(f"  %1 = arith.truncf {value} : f32 to {case.out_type}")
            value = "%1"
        text += [f"  linalg.yield {value} : {case.out_type}", f"}} -> {out}"]
        last = "%r"
    text.append(f"return {last} : {out}\n}}\n")
    return "\n".join(text), d


# Parts of three buffers: the rest of D stays as it was.
PARTS = """
func.func @f(%a: memref<4x200x72xbf16>, %b: memref<4x72x136xbf16>, %d: memref<4x200x136xf32>) {
  %pa = memref.subview %a[1, 8, 0] [2, 128, 72] [1, 1, 1] : memref<4x200x72xbf16> to memref<2x128x72xbf16, strided<[14400, 72, 1], offset: 14976>>
  %pb = memref.subview %b[1, 0, 8] [2, 72, 96] [1, 1, 1] : memref<4x72x136xbf16> to memref<2x72x96xbf16, strided<[9792, 136, 1], offset: 9800>>
  %pd = memref.subview %d[2, 16, 8] [2, 128, 96] [1, 1, 1] : memref<4x200x136xf32> to memref<2x128x96xf32, strided<[27200, 136, 1], offset: 56584>>
  linalg.batch_matmul ins(%pa, %pb : memref<2x128x72xbf16, strided<[14400, 72, 1], offset: 14976>>, memref<2x72x96xbf16, strided<[9792, 136, 1], offset: 9800>>)
    outs(%pd : memref<2x128x96xf32, strided<[27200, 136, 1], offset: 56584>>)
  return
}
"""


# Rows of D end inside of 16 bytes: what is after them belongs to others.
ROW_END = """
func.func @f(%a: memref<4x200x72xbf16>, %b: memref<4x72x136xbf16>, %d: memref<4x200x136xf32>) {
  %pa = memref.subview %a[1, 8, 0] [2, 128, 72] [1, 1, 1] : memref<4x200x72xbf16> to memref<2x128x72xbf16, strided<[14400, 72, 1], offset: 14976>>
  %pb = memref.subview %b[1, 0, 8] [2, 72, 98] [1, 1, 1] : memref<4x72x136xbf16> to memref<2x72x98xbf16, strided<[9792, 136, 1], offset: 9800>>
  %pd = memref.subview %d[2, 16, 8] [2, 128, 98] [1, 1, 1] : memref<4x200x136xf32> to memref<2x128x98xf32, strided<[27200, 136, 1], offset: 56584>>
  tmm.matmul ins(%pa, %pb : memref<2x128x72xbf16, strided<[14400, 72, 1], offset: 14976>>, memref<2x72x98xbf16, strided<[9792, 136, 1], offset: 9800>>)
    outs(%pd : memref<2x128x98xf32, strided<[27200, 136, 1], offset: 56584>>)
  return
}
"""


@dataclasses.dataclass(frozen=True)
class Parts:
    name: str
    text: str
    columns: int
    accumulate: bool


PARTS_CASES = [Parts("parts_of_buffers", PARTS, 96, True), Parts("row_end_of_a_part", ROW_END, 98, False)]


def check_parts(tools, case, seconds):
    arguments = [modules.random_array((4, 200, 72), "bf16", 1), modules.random_array((4, 72, 136), "bf16", 2),
                 modules.random_array((4, 200, 136), "f32", 3)]
    columns = slice(8, 8 + case.columns)
    a, b = arguments[0].values[1:3, 8:136], arguments[1].values[1:3, :, columns]
    value, bound = arguments[2].values.copy(), np.zeros((4, 200, 136))
    value[2:, 16:144, columns] = a @ b + (value[2:, 16:144, columns] if case.accumulate else 0)
    bound[2:, 16:144, columns] = np.stack([numerics.accumulation_bound(x, y) for x, y in zip(a, b)])
    if case.accumulate:
        bound[2:, 16:144, columns] += 2.0**-23 * np.abs(value[2:, 16:144, columns])
    # What is outside has to be the same to the last bit.
    bound[bound == 0] = 2.0**-149
    ptx = modules.compile_module(tools, case.name, case.text, seconds)
    result, = modules.run_module(tools, case.name, ptx, arguments, seconds, in_place=(2, ))
    done, command = modules.check_module(tools, ptx, arguments)
    if done.returncode or "check " not in done.stdout:
        raise runner.Failure(runner.describe(command, done))
    return modules.compare(case.name, result, value, bound, "f32")


@dataclasses.dataclass(frozen=True)
class Repeated:
    """D[b, m, n] = A * B, where one operand has a stride of 0 along the letters of `zero`."""
    name: str
    a: str  # the letters of the dimensions in memory: mk or km after those of the batch
    b: str
    zero: str
    operand: str = "a"
    dynamic: bool = False
    config: str = ""
    out_type: str = "f32"


REPEATED = [
    Repeated("rows_of_a", "mk", "kn", "m"),
    Repeated("rows_of_a_dynamic", "mk", "nk", "m", dynamic=True),
    Repeated("columns_of_b", "mk", "nk", "n", "b", out_type="bf16"),
    Repeated("columns_of_b_dynamic", "mk", "nk", "n", "b", dynamic=True),
    Repeated("sum_over_b", "mk", "kn", "k", "b"),
    Repeated("sum_over_a_dynamic", "km", "kn", "k", dynamic=True),
    Repeated("batch_of_a", "bmk", "bkn", "b"),
    Repeated("batch_of_b_dynamic", "bmk", "bnk", "b", "b", dynamic=True),
    Repeated("batch_and_rows", "bmk", "bnk", "bm"),
    Repeated("inner_batch", "hbmk", "hbnk", "b", "b"),
    Repeated("rows_in_a_pair", "mk", "kn", "m", config=PAIR),
    Repeated("columns_in_a_cluster", "mk", "nk", "n", "b", config="cluster=2x2"),
]
REPEATED_SIZES = dict(h=2, b=3, m=200, n=136, k=72)


def repeated_text(case):
    """The operand is a view of a buffer that has one element where the view repeats it."""
    sizes = REPEATED_SIZES
    d = case.a[:-2] + "mn"
    stored = {"a": case.a, "b": case.b, "d": d}

    def extent(name, letter, in_buffer=True):
        if case.dynamic:
            return "?"
        return "1" if in_buffer and name == case.operand and letter in case.zero else str(sizes[letter])

    def memref(name, element, in_buffer=True, layout=""):
        return f"memref<{'x'.join(extent(name, x, in_buffer) for x in stored[name])}x{element}{layout}>"

    types = {"a": memref("a", "bf16"), "b": memref("b", "bf16"), "d": memref("d", case.out_type)}
    text = [f"func.func @f({', '.join(f'%{name}: {what}' for name, what in types.items())}) {{"]
    letters, view = stored[case.operand], []
    strides, step = [], 1
    for letter in reversed(letters):
        strides.insert(0, "0" if letter in case.zero else str(step))
        step *= 1 if letter in case.zero else sizes[letter]
    if case.dynamic:
        # One element of a buffer less 1 makes a stride that is 0 in the run.
        text.append("%one = arith.constant 1 : index")
        step = "%one"
        strides = []
        for at, letter in reversed(list(enumerate(letters))):
            other, place = next((name, stored[name].index(letter)) for name in ("d", "a", "b")
                                if name != case.operand and letter in stored[name])
            text += [f"%at{at} = arith.constant {at} : index", f"%in{at} = arith.constant {place} : index",
                     f"%own{at} = memref.dim %{case.operand}, %at{at} : {types[case.operand]}",
                     f"%size{at} = memref.dim %{other}, %in{at} : {types[other]}",
                     f"%zero{at} = arith.subi %own{at}, %one : index",
                     f"%step{at} = arith.muli {step}, %own{at} : index"]
            view.insert(0, f"%size{at}")
            strides.insert(0, f"%zero{at}" if letter in case.zero else step)
            step = f"%step{at}"
        strides[-1] = "1"
    else:
        view = [str(sizes[letter]) for letter in letters]
    layout = f", strided<[{', '.join('?' if x.startswith('%') else x for x in strides)}]>"
    types["view"] = memref(case.operand, "bf16", in_buffer=False, layout=layout)
    text.append(f"%view = memref.reinterpret_cast %{case.operand} to offset: [0], sizes: [{', '.join(view)}], "
                f"strides: [{', '.join(strides)}] : {types[case.operand]} to {types['view']}")
    ins = ["view" if name == case.operand else name for name in ("a", "b")]
    transposed = ("transpose_a " if case.a.endswith("km") else "") + ("transpose_b " if case.b.endswith("nk") else "")
    text += [f"tmm.matmul {transposed}ins({', '.join('%' + name for name in ins)} : "
             f"{', '.join(types[name] for name in ins)}) outs(%d : {types['d']})", "return\n}\n"]
    return "\n".join(text), d


def check_repeated(tools, case, seconds):
    text, d = repeated_text(case)
    sizes = REPEATED_SIZES

    def shape(letters, zero=""):
        return tuple(1 if x in zero else sizes[x] for x in letters)

    zero = {"a": case.zero if case.operand == "a" else "", "b": case.zero if case.operand == "b" else ""}
    arguments = [modules.random_array(shape(case.a, zero["a"]), "bf16", 1),
                 modules.random_array(shape(case.b, zero["b"]), "bf16", 2),
                 modules.random_array(shape(d), case.out_type, 3)]
    a = np.broadcast_to(arguments[0].values, shape(case.a))
    b = np.broadcast_to(arguments[1].values, shape(case.b))
    a = np.einsum(f"{case.a}->{d[:-2]}mk", a)
    b = np.einsum(f"{case.b}->{d[:-2]}kn", b)
    value = a @ b
    pairs = zip(a.reshape((-1, ) + shape("mk")), b.reshape((-1, ) + shape("kn")))
    bound = np.stack([numerics.accumulation_bound(x, y) for x, y in pairs]).reshape(value.shape)
    options = [f"--config={case.config}"] if case.config else []
    ptx = modules.compile_module(tools, case.name, text, seconds, options)
    result, = modules.run_module(tools, case.name, ptx, arguments, seconds, in_place=(2, ))
    done, command = modules.check_module(tools, ptx, arguments)
    if done.returncode or "check " not in done.stdout:
        raise runner.Failure(runner.describe(command, done))
    return modules.compare(case.name, result, value, bound, case.out_type)


def check_contraction(tools, case, seconds):
    text, d = module_text(case)

    def shape(letters):
        return tuple(case.sizes[letter] for letter in letters)

    arguments = [modules.random_array(shape(case.a), "bf16", 1), modules.random_array(shape(case.b), "bf16", 2)]
    a, b = arguments[0].values, arguments[1].values
    value = np.einsum(f"{case.a},{case.b}->{d}", a, b)
    # The bound of each problem, from the matrices that it multiplies.
    wide_a = np.broadcast_to(np.einsum(f"{case.a}->{''.join(x for x in d[:-2] if x in case.a)}mk", a).reshape(
        tuple(case.sizes[x] if x in case.a else 1 for x in d[:-2]) + shape("mk")), shape(d[:-2]) + shape("mk"))
    wide_b = np.broadcast_to(np.einsum(f"{case.b}->{''.join(x for x in d[:-2] if x in case.b)}kn", b).reshape(
        tuple(case.sizes[x] if x in case.b else 1 for x in d[:-2]) + shape("kn")), shape(d[:-2]) + shape("kn"))
    bound = np.stack([numerics.accumulation_bound(x, y) for x, y in zip(wide_a.reshape((-1, ) + shape("mk")),
                                                                      wide_b.reshape((-1, ) + shape("kn")))])
    bound = bound.reshape(value.shape)
    if case.bias:
        arguments.append(modules.random_array(shape(case.bias), "f32", 3, 2.0))
        extra = arguments[2].values.reshape(tuple(case.sizes[x] if x in case.bias else 1 for x in d))
        value = value + extra
        bound = bound + 2.0**-23 * np.abs(value)
    options = [f"--config={case.config}"] if case.config else []
    ptx = modules.compile_module(tools, case.name, text, seconds, options)
    result, = modules.run_module(tools, case.name, ptx, arguments, seconds)
    done, command = modules.check_module(tools, ptx, arguments)
    if done.returncode or "check " not in done.stdout:
        raise runner.Failure(runner.describe(command, done))
    return modules.compare(case.name, result, value, bound, case.out_type)


def main():
    checks = [(case, gemm.check) for case in GEMMS] + [(case, check_contraction) for case in CONTRACTIONS]
    checks += [(case, check_repeated) for case in REPEATED]
    return cases.main(__doc__, "batches", [
        (case.name, lambda tools, seconds, case=case, check=check: check(tools, case, seconds))
        for case, check in checks + [(case, check_parts) for case in PARTS_CASES]
    ], feature="batches")


if __name__ == "__main__":
    sys.exit(main())
