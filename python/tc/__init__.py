"""Compile matrix multiplications to PTX, run PTX on an emulator or a GPU.

    import numpy, tc

    kernel = tc.matmul(256, 128, 64, a="f16", b="f16", epilogue=lambda acc, bias: tc.gelu(acc + bias))
    d = kernel.emulate(a, b, bias)              # numpy arrays, on the CPU
    print(kernel.ptx, kernel.explain())

`tc.compile` takes MLIR text, `tc.load` and `tc.run_ptx` kernels that are compiled already. Importing
the package loads nothing else: numpy and the emulator are loaded at the first run, LLVM at the first
compilation.
"""
from ._builder import Operand, grouped_matmul, matmul, matrix, scalar, vector
from ._bundle import Bundle, load_bundle
from ._compile import Compiled, compile, version
from ._errors import CompileError, DeadlockError, Diagnostic, InputError, KernelError, MismatchError, RaceError, TcError
from ._formats import pack_scales, pack_sparse, unpack_scales, unpack_sparse
from ._functions import (abs_, clip, erf, exp, gelu, log, maximum, minimum, relu, rsqrt, sigmoid, silu, sqrt, tanh,
                         where)
from ._kernel import Kernel, load, races, run_ptx, schedules
from ._progress import Progress, progress
from ._triton import run_triton

__all__ = [
    "Bundle", "Compiled", "CompileError", "DeadlockError", "Diagnostic", "InputError", "Kernel", "KernelError", "Operand",
    "MismatchError", "Progress", "RaceError", "TcError", "abs_", "clip", "compile", "erf", "exp", "gelu", "grouped_matmul",
    "load", "load_bundle", "log", "matmul", "matrix", "maximum", "minimum", "pack_scales", "pack_sparse", "progress", "races",
    "relu", "rsqrt", "run_ptx", "run_triton", "scalar", "schedules", "sigmoid", "silu", "sqrt", "tanh", "unpack_scales",
    "unpack_sparse", "vector", "version", "where"
]
