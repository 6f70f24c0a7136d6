"""Operations of the package with input that they do not take: (name, what is called, exception, its text).

test_misuse.py expects the exceptions; leaks.py repeats the calls and looks for memory that they keep.
"""
import functools
import json
import pathlib

import numpy as np
import tc
from tc import pictures

INPUTS = pathlib.Path(__file__).resolve().parents[1] / "CAPI" / "Inputs"
TEXT = """func.func @f(%a: memref<64x64xf16>, %b: memref<64x32xf16>, %d: memref<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<64x32xf32>)
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x32xf16>) outs(%d : memref<64x32xf32>)
  return
}
"""
A, B = np.ones((64, 64), "f2"), np.ones((64, 32), "f2")
X = np.ones(100, "f4")
NOTHING = ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry f() { ret; }\n"


@functools.cache
def kernel():
    return tc.compile(TEXT)


@functools.cache
def dynamic():
    return tc.matmul(None, 32, None, a="f16")


@functools.cache
def bias():
    return tc.matmul(64, 32, 64, a="f16", epilogue=lambda acc, bias, alpha: acc * alpha + bias, operands={"alpha": tc.scalar()})


@functools.cache
def scale():
    return (INPUTS / "scale.ptx").read_text(), json.loads((INPUTS / "scale.json").read_text())


def launched(**changes):
    code, launch = scale()
    return tc.run_ptx(code, {**launch, **changes}, {"X": X}, alpha=1)


def emulated(*arrays, **named):
    return kernel().emulate(*arrays, **named)


CALLS = [
    # Shapes, types and counts of arrays.
    ("too few", lambda: emulated(A), tc.InputError, "expected arrays for A, B, or all of A, B, D, got 1"),
    ("too many", lambda: emulated(A, B, A, B), tc.InputError, "expected arrays for A, B"),
    ("shape", lambda: emulated(A, A), tc.InputError, r"B: expected shape \(64, 32\), got \(64, 64\)"),
    ("rank", lambda: emulated(A[0], B), tc.InputError, r"A: expected shape \(64, 64\), got \(64,\)"),
    ("a number", lambda: emulated(7, B), tc.InputError, r"A: expected shape"),
    ("none", lambda: emulated(None, B), tc.InputError, "A: expected"),
    ("a string", lambda: emulated("A", B), tc.InputError, "A: expected"),
    ("a ragged list", lambda: emulated([[1], [1, 2]], B), tc.InputError, "A: expected an array"),
    ("a set", lambda: emulated({1, 2}, B), tc.InputError, "A: expected"),
    ("dtype", lambda: emulated(A.astype("f4"), B), tc.InputError, r"A: expected float16 \(f16\), got float32"),
    ("complex", lambda: emulated(A.astype("c8"), B), tc.InputError, "A: expected float16"),
    ("objects", lambda: emulated(A.astype(object), B), tc.InputError, "A: expected float16"),
    ("byte order", lambda: emulated(A.astype(">f2"), B), tc.InputError, "A: expected float16"),
    ("masked structure", lambda: emulated(np.zeros((64, 64), [("x", "f2")]), B), tc.InputError, "A: expected float16"),
    ("empty", lambda: emulated(A[:0], B), tc.InputError, "A: expected shape"),
    # Names, sizes, scalars.
    ("unknown name", lambda: emulated(A, B, C=A), tc.InputError, "unknown argument 'C', expected one of: A, B, D"),
    ("sizes differ", lambda: dynamic().emulate(A, np.ones((48, 32), "f2")), tc.InputError, "B: expected K = 64, got 48"),
    ("size as text", lambda: dynamic().emulate(A, B, M="many"), tc.InputError, "M: expected an integer, got 'many'"),
    ("size as float", lambda: dynamic().emulate(A, B, M=1.5), tc.InputError, "M: expected an integer, got 1.5"),
    ("size without an end", lambda: dynamic().emulate(A, B, M=2**70), tc.InputError, "M: expected at least 0 and less than"),
    ("negative size", lambda: dynamic().emulate(A, B, M=-1), tc.InputError, "M"),
    ("no sizes", lambda: dynamic().emulate(), tc.InputError, "expected arrays for A, B, got none"),
    ("huge size", lambda: dynamic().emulate(np.broadcast_to(A[0, 0], (2**40, 2**20)), np.broadcast_to(A[0, 0], (2**20, 32))),
     tc.InputError, "M must be at most"),
    ("no scalar", lambda: bias().emulate(A, B, X[:32]), tc.InputError, "alpha"),
    ("scalar as text", lambda: bias().emulate(A, B, X[:32], alpha="x"), tc.InputError, "alpha: expected a number, got 'x'"),
    ("scalar as array", lambda: bias().emulate(A, B, X[:32], alpha=A), tc.InputError, "alpha: expected a number"),
    # Options of a run.
    ("schedule", lambda: emulated(A, B, schedule="sideways"), tc.InputError, "expected eager, lazy"),
    ("schedule of a number", lambda: emulated(A, B, schedule=3), tc.InputError, "schedule: expected"),
    ("no schedule", lambda: emulated(A, B, schedule=[]), tc.InputError, "schedule: expected"),
    ("seed", lambda: emulated(A, B, schedule="random:x"), tc.InputError, "random"),
    ("races", lambda: emulated(A, B, races="loud"), tc.InputError, "expected off, default or strict"),
    ("races around", lambda: raced("loud"), tc.InputError, "races: expected off, default or strict, got 'loud'"),
    ("assume", lambda: emulated(A, B, assume="nonsense"), tc.InputError, "nonsense"),
    ("threads", lambda: emulated(A, B, threads=-1), tc.InputError, "threads: expected"),
    ("limit", lambda: emulated(A, B, max_instructions="1"), tc.InputError, "max_instructions: expected"),
    ("stream of the host", lambda: kernel()(A, B, stream=3), tc.InputError, "stream: expected arrays on a GPU"),
    # Kernels of others.
    ("code is no path", lambda: tc.load("/nowhere.ptx", {}), tc.InputError, "nowhere.ptx"),
    ("description is no path", lambda: tc.load(b"", "/nowhere.json"), tc.InputError, "nowhere.json"),
    ("description is no JSON", lambda: tc.load(b"x", "{"), tc.InputError, "description: expected JSON"),
    ("description is a list", lambda: tc.load(b"x", [1]), tc.InputError, "description: expected"),
    ("code is a number", lambda: tc.load(7, {}), tc.InputError, "code: expected"),
    ("no PTX", lambda: tc.run_ptx(b"\0\1\2", scale()[1], {"X": X}, alpha=1), tc.InputError, "unexpected character"),
    ("empty description", lambda: tc.load(scale()[0], {}), tc.InputError, "expected 4 parameters, got 0"),
    ("a kernel that is not there", lambda: tc.load(scale()[0], {**scale()[1], "kernels": [{"entry": "q"}]}), tc.InputError,
     "unknown kernel 'q', expected one of: scale"),
    ("a kernel without its block", lambda: tc.load(kernel().ptx, {"kernels": [{}], "launches": [{"kernel": 0}]}), tc.InputError,
     r"expected block \d+ x 1 x 1 \(.reqntid\), got 1 x 1 x 1"),
    ("a launch without its kernel", lambda: tc.load(b"", {"launches": [{"kernel": 0}]}), tc.InputError, "index of one of 0 kernels, got 0"),
    ("a misspelt key", lambda: tc.load(scale()[0], {**scale()[1], "sizs": 1}), tc.InputError, "unknown key 'sizs', the nearest known one is 'sizes'"),
    ("an infinite number", lambda: launched(params=[{"f32": float("inf")}]), tc.InputError, "description: expected what JSON can hold"),
    ("a NaN of no JSON", lambda: tc.load(scale()[0], '{"params": [{"f32": NaN}]}'), tc.InputError, "NaN is no number of JSON: a description holds"),
    ("launch without kernels", lambda: launched(kernels=[]), tc.InputError, "expected the index of one of 0 kernels, got 0"),
    ("launch of a number", lambda: launched(launches=7), tc.InputError, "launches"),
    ("buffers of a number", lambda: launched(buffers=7), tc.InputError, "buffers"),
    ("dtype of a buffer", lambda: launched(buffers={"X": {"dtype": "f33", "shape": [1]}}), tc.InputError, "f33"),
    ("a function that is not there", lambda: tc.load(*scale(), function="f"), tc.InputError, "function"),
    ("arguments without buffers", lambda: launched(arguments=["Q"]), tc.InputError, "arguments: expected names of buffers"),
    ("arguments of a number", lambda: launched(arguments=3), tc.InputError, "arguments: expected an array of names, got 3"),
    ("arguments of arrays", lambda: launched(arguments=[["X"]]), tc.InputError, "arguments: expected an array of names"),
    ("sizes of a number", lambda: launched(sizes=3), tc.InputError, "sizes: expected an array of names, got 3"),
    ("scalars of a number", lambda: launched(scalars=3), tc.InputError, "scalars: expected an array of objects, got 3"),
    ("scalars of numbers", lambda: launched(scalars=[1]), tc.InputError, "scalars: expected an array of objects"),
    ("scalars without names", lambda: launched(scalars=[{}]), tc.InputError, "scalars: expected objects with a name"),
    ("functions of a number", lambda: launched(functions=3), tc.InputError, "functions: expected an array of objects, got 3"),
    ("functions of numbers", lambda: launched(functions=[1]), tc.InputError, "functions: expected an array of objects"),
    ("functions without names", lambda: launched(functions=[{}, {}]), tc.InputError, "function: expected one of"),
    ("a buffer of a number", lambda: launched(buffers={"X": 3}), tc.InputError, "buffers.X: expected an object, got 3"),
    ("a buffer named by a number", lambda: launched(buffers={3: {}}), tc.InputError, "buffers: expected names of buffers"),
    ("a buffer without shape", lambda: launched(buffers={"X": {"dtype": "f32"}}), tc.InputError, "X.shape: expected an array"),
    ("results of a number", lambda: launched(results=3), tc.InputError, "results: expected an array of objects, got 3"),
    ("results without buffers", lambda: launched(results=[{"buffer": "Q"}]), tc.InputError, "results: expected names of buffers"),
    ("half of a view", lambda: launched(results=[{"buffer": "X", "shape": [1]}]), tc.InputError, "results: expected shape and"),
    ("a view beyond its buffer", lambda: launched(results=[{"buffer": "X", "offset": 99, "shape": [2], "strides": [1]}]),
     tc.InputError, "results: expected a part of X, which has shape"),
    ("a set in a description", lambda: launched(chip={1}), tc.InputError, "description: expected what JSON can hold: .*set"),
    ("a deep description", lambda: launched(chip=deep()), tc.InputError, "description: expected what JSON can hold"),
    ("deep JSON", lambda: tc.load(b"x", '{"chip": ' + "[" * 100000), tc.InputError, "description: expected JSON"),
    ("arrays for an empty description", lambda: tc.load(NOTHING, {}).emulate(X), tc.InputError, "expected no arrays, got 1"),
    # Compilation.
    ("text is bytes", lambda: tc.compile(b"module {}"), TypeError, "expected MLIR as text"),
    ("chip is a number", lambda: tc.compile(TEXT, chip=90), TypeError, "chip: expected str, got int"),
    ("config is a list", lambda: tc.compile(TEXT, config=["stages=1"]), TypeError, "config: expected str"),
    ("config of nonsense", lambda: tc.compile(TEXT, config={"stages": "many"}), tc.CompileError, "stages"),
    ("f32", lambda: tc.compile(TEXT, f32="exact"), tc.CompileError, "exact"),
    ("level", lambda: kernel().ir(3), TypeError, "level: expected str, got int"),
    ("half a character", lambda: tc.compile("\ud800"), tc.InputError, r"text: expected text that UTF-8 can hold, got '\\ud800'"),
    ("chip with NUL", lambda: tc.compile(TEXT, chip="sm_100a\0"), tc.InputError, "chip: expected text without NUL"),
    ("schedule with NUL", lambda: emulated(A, B, schedule="eager\0x"), tc.InputError, "schedule: expected text without NUL"),
    ("races with NUL", lambda: emulated(A, B, races="off\0x"), tc.InputError, "races: expected text without NUL"),
    ("assume with NUL", lambda: emulated(A, B, assume="\0"), tc.InputError, "assume: expected text without NUL"),
    ("half a schedule", lambda: emulated(A, B, schedule=["\ud800"]), tc.InputError, "schedule: expected text that UTF-8 can hold"),
    ("no array", lambda: emulated(object(), B), tc.InputError, r"A: expected an array of float16 \(f16\), got object"),
    ("a name", lambda: emulated("A", B), tc.InputError, r"A: expected an array of float16 \(f16\), got str"),
    ("operands alone", lambda: tc.matmul(8, 8, 8, operands={"x": tc.scalar()}), ValueError, "'x' is no parameter of the epilogue, which is not"),
    ("operands in a list", lambda: tc.matmul(8, 8, 8, operands=[1]), TypeError, "operands: expected a dict, got list"),
    ("arrays in a list", lambda: tc.run_ptx(scale()[0], scale()[1], [X]), tc.InputError, "buffers: expected a dict of arrays by name, got list"),
    ("no table", lambda: tc.compile(TEXT, tuned="/nowhere/tuned.txt"), tc.CompileError, "tuned: cannot read '/nowhere/tuned.txt'"),
    ("table of bytes", lambda: tc.compile(TEXT, tuned=b"tuned.txt"), TypeError, "tuned: expected str or os.PathLike, got bytes"),
    ("table of 3", lambda: tc.compile(TEXT, tuned=3), TypeError, "tuned: expected str or os.PathLike, got int"),
    ("f32 twice", lambda: tc.compile(TEXT, f32="bf16x3", allow_tf32=True), tc.CompileError, "expected tf32 beside allow-tf32, got 'bf16x3'"),
    ("no module", lambda: tc.compile("\0"), tc.CompileError, "nothing to compile: expected operations of linalg"),
    ("level", lambda: kernel().ir("ptax"), ValueError, "expected tmm"),
    # The builder.
    ("size of a bool", lambda: tc.matmul(True, 32, 64), ValueError, "m: expected a size or None"),
    ("element of None", lambda: tc.matmul(64, 32, 64, a=None), ValueError, "a: expected one of"),
    ("epilogue of text", lambda: tc.matmul(64, 32, 64, epilogue="gelu"), TypeError, "epilogue: expected a function"),
    ("epilogue without arguments", lambda: tc.matmul(64, 32, 64, epilogue=lambda: 0), TypeError, "epilogue: expected"),
    ("epilogue of many", lambda: tc.matmul(64, 32, 64, epilogue=lambda acc, *more: acc), TypeError, "epilogue: expected"),
    ("a value of another epilogue", lambda: tc.matmul(64, 32, 64, epilogue=lambda acc: acc + stolen()), TypeError, "another"),
    ("operands of text", lambda: tc.matmul(64, 32, 64, epilogue=lambda acc, x: acc + x, operands={"x": "f32"}), TypeError,
     "operands: expected tc.vector"),
    ("huge product", lambda: tc.matmul(2**40, 2**40, 2**40), tc.CompileError, "expected M of at most 2147479552"),
    ("batch of text", lambda: tc.matmul(64, 32, 64, batch="2"), ValueError, "batch: expected a size or None"),
    ("a type of Python", lambda: tc.matmul(64, 32, 64, a=float), ValueError, "a: expected one of f32"),
    ("a branch", lambda: tc.matmul(64, 32, 64, epilogue=lambda acc: max(acc, 0)), TypeError, "cannot branch on a value"),
    ("an unknown function", lambda: tc.matmul(64, 32, 64, epilogue=np.sin), TypeError, "got numpy.sin"),
    # Layouts and files.
    ("factors of f32", lambda: tc.pack_scales(X.reshape(10, 10)), tc.InputError, "scales: expected factors of one byte"),
    ("half a chunk", lambda: tc.pack_sparse(A[:, :6]), tc.InputError, "a: expected K to be a multiple of 4, got 6"),
    ("a module that is no file", lambda: tc.compile("nowhere.mlir"), tc.InputError, "nowhere.mlir"),
    ("a folder that is not there", lambda: kernel().save("/nowhere/k.ptx"), tc.InputError, "nowhere"),
    ("a result that is read-only", lambda: emulated(A, B, np.broadcast_to(X[0], (64, 32))), tc.InputError, "D: expected an array that can be written"),
    ("too many numbers", lambda: bias().emulate(A, B, X[:32], 1, 2), tc.InputError, r"expected 1 number \(alpha\), got 2"),
    # Pictures.
    ("a trace of a number", lambda: pictures.timeline(7), tc.InputError, "expected a trace"),
    ("a trace that is no file", lambda: pictures.timeline("7"), tc.InputError, "expected a file"),
    ("a broken trace", lambda: pictures.timeline("{"), tc.InputError, "expected a trace as JSON"),
    ("pipelines of nothing", lambda: pictures.pipelines("module {}"), tc.InputError, "expected"),
]


def deep():
    value = []
    for _ in range(100000):
        value = [value]
    return value


def raced(mode):
    with tc.races(mode):
        return emulated(A, B)


def stolen():
    """A value that outlives the epilogue it is of."""
    kept = []
    tc.matmul(64, 32, 64, epilogue=lambda acc: kept.append(acc * 2) or acc)
    return kept[0]
