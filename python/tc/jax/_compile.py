"""tc.jax.compile: a whole function, every kernel by tc."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .. import _compile, _iree
from .._errors import CompileError, InputError, TcError
from . import _call, _options

# Types of arguments and results whose memory is alike in XLA and in kernels.
_TYPES = ("float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "uint8", "int16", "uint16", "int32",
          "uint32", "int64", "uint64")


def _iree_compile() -> str:
    """The tool that lowers StableHLO to linalg."""
    beside = os.path.dirname(sys.executable)
    found = shutil.which("iree-compile", path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
    if not found:
        raise ImportError(
            "tc.jax.compile: expected iree-compile beside Python or on PATH: pip install iree-base-compiler")
    return found


def _linalg_of(stablehlo: str) -> str:
    """A module of upstream's dialects for one of StableHLO (docs/FrontEnds.md)."""
    done = subprocess.run([_iree_compile(), "--compile-to=input", "--iree-input-type=stablehlo", "-"], input=stablehlo,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise TcError(f"iree-compile: {done.stderr.strip() or f'exit status {done.returncode}'}")
    try:
        return "\n".join(_iree.Importer(done.stdout.splitlines()).convert()) + "\n"
    except _iree.Refused as refused:
        line, column, message = refused.args
        raise TcError(f"iree-compile's output, line {line}, column {column}: {message}") from None


def _refuse_unsigned(stablehlo, text):
    """Raises for a product of unsigned integers that iree-compile has made one of signed integers: its operations without
    a body widen their operands with a sign."""
    for line in text.splitlines():
        named = re.search(r"linalg\.(?!generic)\w+ .*?\bins\([^:]*: ([^)]*)\) outs\([^:]*: ([^)]*)\)", line)
        narrow, wide = (set(re.findall(r"(i\d+)>", kinds)) for kinds in named.groups()) if named else ((), ())
        for kind in sorted(set(narrow) - set(wide)):
            if f"u{kind}>" in stablehlo:
                raise InputError(f"function: expected products of floats or signed integers, got one of uint{kind[1:]}, which "
                                 f"iree-compile takes for int{kind[1:]}: {line.strip()}")


def _check(what, avals):
    for i, aval in enumerate(avals):
        if aval.dtype.name not in _TYPES:
            raise InputError(f"{what} {i}: expected one of {', '.join(_TYPES)}, got {aval.dtype.name}")


def _signless(dtype):
    """The type that kernels have for elements of a type: integers of MLIR have no sign."""
    return np.dtype(f"int{8 * dtype.itemsize}") if dtype.kind == "u" else dtype


def _bits(array, dtype):
    return array if array.dtype == dtype else lax.bitcast_convert_type(array, dtype)


class Lowered:
    """A function for one class of arguments: `stablehlo` as JAX prints it, `text` in linalg, `kernel` (a tc.Compiled).
    A call takes arguments like those that it was lowered for."""

    def __init__(self, function, tree, avals, f32, options):
        self._tree, self._avals = tree, avals
        arguments = jax.tree.unflatten(tree, avals)
        lowered = jax.jit(function, keep_unused=True).lower(*arguments)
        out = jax.tree.map(lambda info: jax.ShapeDtypeStruct(info.shape, info.dtype), lowered.out_info)
        self._out, self._out_tree = jax.tree.flatten(out)
        _check("argument", avals)
        _check("result", self._out)
        self.stablehlo = lowered.as_text()
        self.text = _linalg_of(self.stablehlo)
        _refuse_unsigned(self.stablehlo, self.text)
        self.kernel = self._compiled(_options.chip_of(options), options.config, f32)
        # Values never change in JAX: what a kernel may write is a copy of an argument.
        for name in self.kernel.arguments:
            self.kernel.description["buffers"][name]["role"] = "in"
        avals = [jax.ShapeDtypeStruct(one.shape, _signless(one.dtype)) for one in avals]
        self._prepared = _call.prepare(self.kernel, avals, options)

    def _compiled(self, chip, config, f32):
        try:
            return _compile.compile(self.text, chip=chip, config=config, f32=f32, name="jax")
        except CompileError as error:
            # The caller has not seen the module.
            if error.line:
                error.add_note(f"line {error.line} of the module: {self.text.splitlines()[error.line - 1].strip()}")
            raise

    def __call__(self, *arguments):
        leaves, tree = jax.tree.flatten(arguments)
        if tree != self._tree:
            raise InputError(f"expected arguments like {self._tree}, got {tree}")
        arrays = [_options.as_array(f"argument {i}", one) for i, one in enumerate(leaves)]
        for i, (array, aval) in enumerate(zip(arrays, self._avals)):
            if array.shape != aval.shape or array.dtype != aval.dtype:
                raise InputError(f"argument {i}: expected {aval.dtype.name} of shape {aval.shape}, as it was lowered for, "
                                 f"got {array.dtype.name} of shape {array.shape}")
        made = self._prepared(*(_bits(array, _signless(array.dtype)) for array in arrays))
        made = [_bits(one.reshape(like.shape), like.dtype) for one, like in zip(made, self._out)]
        return jax.tree.unflatten(self._out_tree, made)


class Function:
    """What tc.jax.compile gives."""

    def __init__(self, function, f32):
        self._function, self._f32, self._lowered = function, f32, {}
        self.__name__ = getattr(function, "__name__", "function")

    def lower(self, *arguments) -> Lowered:
        """The function for arguments of these shapes and types, arrays or jax.ShapeDtypeStruct, under the options that
        hold."""
        leaves, tree = jax.tree.flatten(arguments)
        avals = [leaf if isinstance(leaf, jax.ShapeDtypeStruct) else _options.as_array(f"argument {i}", leaf)
                 for i, leaf in enumerate(leaves)]
        avals = [jax.ShapeDtypeStruct(one.shape, one.dtype) for one in avals]
        options = _options.current()
        key = (options, tree, *((one.shape, one.dtype.name) for one in avals))
        if key not in self._lowered:
            self._lowered[key] = Lowered(self._function, tree, avals, self._f32, options)
        return self._lowered[key]

    def __call__(self, *arguments):
        return self.lower(*arguments)(*arguments)


def compile(function, *, f32: str = "") -> Function:
    """`function` of arrays (or trees of them) with every kernel by tc: JAX lowers it to StableHLO, iree-compile (pip
    install iree-base-compiler) that to linalg, and tc.compile takes the module. `f32` is that of tc.compile: how
    float32 is multiplied.

    Each class of shapes is lowered at its first call, also inside jit. `.lower(*arguments)` gives its `stablehlo`,
    `text` and `kernel`. Not differentiated: compile `jax.grad(f)` instead. vmap runs it once for each element.
    """
    if not callable(function):
        raise InputError(f"function: expected a function, got {type(function).__name__}")
    return Function(function, f32)
