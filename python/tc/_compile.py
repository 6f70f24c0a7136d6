"""MLIR text to PTX."""
from __future__ import annotations

import functools
import importlib
import os
import re
from collections.abc import Mapping

from ._description import read_file
from ._errors import CompileError, Diagnostic, InputError, check_text
from ._kernel import Kernel
from ._types import Operation

# What is a path and no module: that would have an operation, with quotes, brackets or a space.
_PATH = re.compile(r"[^\n\"(){}=%]*\.(mlir|mlirbc)")


def _compiler():
    try:
        from . import _compiler as module
    except ImportError as error:
        raise ImportError("tc.compile: this installation has no compiler (TC_PYTHON_COMPILER=OFF), or LLVM 22 is not "
                          f"there: {error}") from None
    return module


def version() -> dict[str, str]:
    """The versions of the project, of LLVM (empty where there is no compiler) and of the PTX that is read."""
    from . import _runtime
    try:
        llvm = _compiler().llvm_version()
    except ImportError:
        llvm = ""
    return {"tc": _runtime.version(), "llvm": llvm, "ptx": _runtime.ptx_versions()}


class Compiled(Kernel):
    """What `tc.compile` gives: a Kernel that can show how it was made."""

    def __init__(self, text, name, options, ptx, description, diagnostics):
        super().__init__(ptx, description, name=name.removesuffix(".mlir") + ".ptx")
        self.text, self.diagnostics = text, diagnostics
        self._name, self._options = name, options

    def _code_for(self, path):
        return self.cubin if isinstance(path, str) and path.endswith(".cubin") else super()._code_for(path)

    @property
    def ptx(self) -> str:
        """The PTX text."""
        return self.code.decode()

    @functools.cached_property
    def cubin(self) -> bytes:
        """What ptxas makes of it: that of CUDA_HOME or of PATH, or the one given to `tc.compile`."""
        return self._at("cubin")[0]

    def ir(self, level: str) -> str:
        """The module at a level: "tmm", "tiles", "roles", "tcgen05", "nvvm", "llvm" or "ptx"."""
        return self._at(level)[0].decode()

    def module(self, level: str = "tmm", ir=None):
        """The module at a level of IR ("tmm" to "nvvm") in MLIR's own Python bindings, in a context of its own. `ir` is
        their module `ir`: `mlir.ir` by default, or that of another distribution (`iree.compiler.ir`, `jaxlib.mlir.ir`).
        tc's dialects are unregistered there: their operations keep the generic form, and `tc.compile` takes them back."""
        if level in ("llvm", "ptx", "cubin"):
            raise ValueError(f"level: expected one of MLIR, tmm to nvvm, got '{level}'")
        if ir is None:
            try:
                ir = importlib.import_module("mlir.ir")
            except ImportError as error:
                raise ImportError("Compiled.module: expected MLIR's Python bindings as mlir.ir, or a module with them for "
                                  f"`ir`: {error}") from None
        context = ir.Context()
        context.allow_unregistered_dialects = True
        return ir.Module.parse(self._at(level, generic=True)[0].decode(), context=context)

    def explain(self) -> str:
        """How each matmul is configured, and why."""
        remarks = self._at("tmm", explain=True)[2]
        return "\n".join(one.message for one in remarks if one.severity == "remark")

    def _repr_html_(self) -> str:
        """For notebooks: the pipelines of each kernel, and how it is configured."""
        import html
        from ._graph import draw_graph, read_graphs
        try:
            pictures = "".join(draw_graph(graph).svg for graph in read_graphs(self.ir("roles")))
        except InputError:
            # Plain kernels alone, or an input of a lower level.
            pictures = ""
        return f"{pictures}<pre>{html.escape(self.explain())}</pre>"

    def _at(self, level, explain=False, generic=False):
        if not isinstance(level, str):
            raise TypeError(f"level: expected str, got {type(level).__name__}")
        check_text("level", level)
        return _compile_to(level, self.text, self._name, *self._options, _stamp(self._options[-1]), explain, generic)


@functools.lru_cache(maxsize=256)
def _compile_to(level, text, name, chip, config, allow_tf32, ptxas, f32, tuned, stamp, explain=False, generic=False):
    """(output, description, diagnostics) of a compilation that succeeded."""
    ok, output, description, messages = _compiler().compile(text, name, level, chip, config, allow_tf32, explain, ptxas, f32,
                                                         generic, tuned)
    diagnostics = [Diagnostic(*one) for one in messages]
    if not ok:
        raise CompileError(diagnostics)
    return output, description, diagnostics


def _stamp(file):
    """What tells two contents of a file apart; None where the compiler will say that it cannot read it."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def _text_of(module):
    """(MLIR text, the name of its file or "") of text, a path, or a module or operation of MLIR's Python bindings, whichever
    distribution they are of."""
    if isinstance(module, os.PathLike) or isinstance(module, str) and _PATH.fullmatch(module):
        path = os.fsdecode(module)
        try:
            return read_file("text", path).decode(), path
        except UnicodeDecodeError:
            raise InputError(f"text: expected a file with MLIR as text, got other bytes in '{path}'; mlir-opt prints "
                             "bytecode as text") from None
    if isinstance(module, str):
        return module, ""
    operation = getattr(module, "operation", module)
    if not callable(getattr(operation, "get_asm", None)):
        raise TypeError("expected MLIR as text, the path of a file or a module of MLIR's Python bindings, got "
                        f"{type(module).__name__}")
    # The generic form is read whatever the dialects' own forms are in that version; locations lead to its sources.
    return operation.get_asm(print_generic_op_form=True, enable_debug_info=True), ""


def compile(text: str | os.PathLike[str] | Operation, *, chip: str = "", config: str | Mapping[str, object] = "",
            allow_tf32: bool = False, f32: str = "", name: str = "", ptxas: str = "",
            tuned: str | os.PathLike[str] = "") -> Compiled:
    """Compiles a module of any level to PTX: MLIR text, the path of a file with it, or a module of MLIR's Python bindings.

    `chip` is "sm_100a" (default) or another of `tc-compile --chip`; `config` fields of the configuration of every
    matmul, as text ("tile=128x128x64 stages=4") or as a dict; `f32` how matrices of f32 in linalg are multiplied
    ("tf32", as with `allow_tf32`, "tf32x3", "bf16x3", "bf16x9", "narrow", "fma", "refuse"; else as bf16x9); `tuned` a file
    of measured configurations, as `tc-tune` writes. The same text with the same options is compiled once.
    Raises CompileError with every diagnostic.
    """
    if isinstance(config, Mapping):
        config = " ".join(f"{key}={value}" for key, value in config.items())
    for what, value in (("chip", chip), ("config", config), ("f32", f32), ("name", name), ("ptxas", ptxas)):
        if not isinstance(value, str):
            raise TypeError(f"{what}: expected str, got {type(value).__name__}")
        check_text(what, value)
    text, file = _text_of(text)
    check_text("text", text, nul=True)
    name = name or file or "module"
    if not isinstance(tuned, (str, os.PathLike)):
        raise TypeError(f"tuned: expected str or os.PathLike, got {type(tuned).__name__}")
    tuned = os.fsdecode(tuned)
    check_text("tuned", tuned)
    options = (chip, config, bool(allow_tf32), ptxas, f32, tuned)
    import json
    ptx, description, diagnostics = _compile_to("ptx", text, name, *options, _stamp(tuned))
    return Compiled(text, name, options, ptx, json.loads(description or "{}"), diagnostics)
