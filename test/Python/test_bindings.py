"""Modules of MLIR's own Python bindings. Which distribution does not matter: a stand-in with their names passes text, and
TC_MLIR_BINDINGS (as iree.compiler.ir) names a real one, which scripts/test-install --full installs."""
import importlib
import os
import sys
import types

import pytest
import tc

MATMUL = """
func.func @f(%a: memref<128x64xbf16>, %b: memref<64x64xbf16>, %d: memref<128x64xf32>) {
  linalg.matmul ins(%a, %b : memref<128x64xbf16>, memref<64x64xbf16>) outs(%d : memref<128x64xf32>)
  return
}
"""


class Operation:
    def __init__(self, text):
        self.text = text

    def get_asm(self, *, print_generic_op_form, enable_debug_info):
        assert print_generic_op_form and enable_debug_info
        return self.text


class Context:
    allow_unregistered_dialects = False


class Module:
    def __init__(self, text):
        self.operation = Operation(text)

    @staticmethod
    def parse(text, context):
        assert context.allow_unregistered_dialects
        return Module(text)


@pytest.fixture
def ir():
    """Bindings of MLIR."""
    name = os.environ.get("TC_MLIR_BINDINGS")
    return importlib.import_module(name) if name else types.SimpleNamespace(Module=Module, Context=Context)


# Bindings of another LLVM have other versions of gpu and nvvm: of their levels the first one passes for sure.
@pytest.mark.parametrize("level", ["tmm"] if "TC_MLIR_BINDINGS" in os.environ else ["tmm", "tiles", "roles", "tcgen05", "nvvm"])
def test_there_and_back(ir, level):
    kernel = tc.compile(MATMUL)
    module = kernel.module(level, ir)
    again = tc.compile(module)
    assert again.ptx == kernel.ptx and again.description == kernel.description
    assert tc.compile(module.operation).ptx == kernel.ptx
    if level in ("tmm", "tiles"):
        assert f'"tmm.{"matmul" if level == "tmm" else "mma"}"(' in module.operation.get_asm(
            print_generic_op_form=True, enable_debug_info=True)


def test_mlir_ir_is_taken(ir, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlir", types.ModuleType("mlir"))
    monkeypatch.setitem(sys.modules, "mlir.ir", ir)
    assert isinstance(tc.compile(MATMUL).module(), ir.Module)


def test_without_bindings(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlir", None)
    with pytest.raises(ImportError, match="expected MLIR's Python bindings as mlir.ir"):
        tc.compile(MATMUL).module()


def test_refused(ir):
    with pytest.raises(ValueError, match="level: expected one of MLIR, tmm to nvvm, got 'ptx'"):
        tc.compile(MATMUL).module("ptx", ir)
    for wrong in (7, None, b"module {}", object()):
        with pytest.raises(TypeError, match="expected MLIR as text, the path of a file or a module of MLIR's Python bindings, got"):
            tc.compile(wrong)
