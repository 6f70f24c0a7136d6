"""MLIR text to PTX."""
from __future__ import annotations

import functools
import html
import json

from ._errors import CompileError, Diagnostic, InputError
from ._kernel import Kernel


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
        super().__init__(ptx, description, name=name + ".ptx")
        self.text, self.diagnostics = text, diagnostics
        self._name, self._options = name, options

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

    def explain(self) -> str:
        """How each matmul is configured, and why."""
        remarks = self._at("tmm", explain=True)[2]
        return "\n".join(one.message for one in remarks if one.severity == "remark")

    def _repr_html_(self) -> str:
        """For notebooks: the pipelines of each kernel, and how it is configured."""
        from ._graph import draw_graph, read_graphs
        try:
            pictures = "".join(draw_graph(graph).svg for graph in read_graphs(self.ir("roles")))
        except InputError:
            # Plain kernels alone, or an input of a lower level.
            pictures = ""
        return f"{pictures}<pre>{html.escape(self.explain())}</pre>"

    def _at(self, level, explain=False):
        return _compile_to(level, self.text, self._name, *self._options, explain)

    def __call__(self, *arrays, **options):
        """On the first GPU: the driver assembles the PTX. See Kernel."""
        return super().__call__(*arrays, **options)


@functools.lru_cache(maxsize=256)
def _compile_to(level, text, name, chip, config, allow_tf32, ptxas, explain=False):
    """(output, description, diagnostics) of a compilation that succeeded."""
    ok, output, description, messages = _compiler().compile(text, name, level, chip, config, allow_tf32, explain, ptxas)
    diagnostics = [Diagnostic(*one) for one in messages]
    if not ok:
        raise CompileError(diagnostics)
    return output, description, diagnostics


def compile(text: str, *, chip: str = "", config: str | dict = "", allow_tf32: bool = False, name: str = "module",
            ptxas: str = "") -> Compiled:
    """Compiles a module of any level to PTX.

    `chip` is "sm_100a" (default) or another of `tc-compile --chip`; `config` fields of the configuration of every
    matmul, as text ("tile=128x128x64 stages=4") or as a dict. The same text with the same options is compiled once.
    Raises CompileError with every diagnostic.
    """
    if isinstance(config, dict):
        config = " ".join(f"{key}={value}" for key, value in config.items())
    options = (chip, config, allow_tf32, ptxas)
    ptx, description, diagnostics = _compile_to("ptx", text, name, *options)
    return Compiled(text, name, options, ptx, json.loads(description or "{}"), diagnostics)
