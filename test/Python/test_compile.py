"""tc.compile: what it gives, and what it refuses."""
import shutil
import subprocess
import time

import pytest
import tc

MATMUL = """
func.func @f(%a: memref<128x64xbf16>, %b: memref<64x64xbf16>, %d: memref<128x64xf32>) {
  linalg.matmul ins(%a, %b : memref<128x64xbf16>, memref<64x64xbf16>) outs(%d : memref<128x64xf32>)
  return
}
"""


def test_outputs():
    kernel = tc.compile(MATMUL)
    assert ".visible .entry" in kernel.ptx and "tcgen05.mma" in kernel.ptx
    assert kernel.description["chip"] == "sm_100a"
    assert kernel.arguments == ["A", "B", "D"]
    assert "tile" in kernel.explain()


@pytest.mark.parametrize("level, part", [("tmm", "tmm.matmul"), ("tiles", "tmm.load"), ("roles", "tmm.producer_acquire"),
                                         ("tcgen05", "tcgen05.mma"), ("nvvm", "nvvm."), ("llvm", "define ptx_kernel"),
                                         ("ptx", ".version")])
def test_levels(level, part):
    assert part in tc.compile(MATMUL).ir(level)


def test_options():
    assert "wgmma" in tc.compile(MATMUL, chip="sm_90a").ptx
    text = "128x64x64, unit = tcgen05"
    assert text in tc.compile(MATMUL, config="tile=128x64x64").ir("tmm")
    assert text in tc.compile(MATMUL, config={"tile": "128x64x64"}).ir("tmm")


def test_tuned(tmp_path):
    tool = shutil.which("tc-tune")
    if not tool:
        pytest.skip("no tc-tune on PATH")
    module, table = tmp_path / "module.mlir", tmp_path / "tuned.txt"
    module.write_text(MATMUL)
    listed = subprocess.run([tool, module, "--candidates=1", "--list"], capture_output=True, text=True, check=True)
    line = listed.stdout.splitlines()[0] + "\tsm_100a\t0.1.0\tNVIDIA B200\t2026-11-23\t12.345\t9876\t-\ttile={}\n"
    for tile in ("64x64x64", "128x64x128"):
        # The file is read again where it has changed.
        table.write_text(line.format(tile) + "#" * len(tile))
        for path in (table, str(table)):
            kernel = tc.compile(MATMUL, tuned=path)
            assert f"shape = {tile}" in kernel.ir("tmm") and "by the measured configuration" in kernel.explain()


def test_levels_can_be_entered():
    tiles = tc.compile(MATMUL).ir("tiles")
    assert "tcgen05.mma" in tc.compile(tiles).ptx


def test_the_same_is_compiled_once():
    tc.compile(MATMUL, config="stages=2")
    start = time.perf_counter()
    tc.compile(MATMUL, config="stages=2")
    assert time.perf_counter() - start < 0.02


def test_version():
    versions = tc.version()
    assert versions["tc"] == "0.1.0" and versions["llvm"].startswith("22.") and "6.0" in versions["ptx"]


@pytest.mark.parametrize("text, options, line, message", [
    ("func.func @f(", {}, 1, "expected"),
    ("module {}", {}, 1, "nothing to compile"),
    (MATMUL, {"chip": "sm_42"}, 0, "'sm_42' is not known, expected one of sm_100a"),
    (MATMUL, {"config": "tile=1000x64x64"}, 3, "nearest 128"),
    (MATMUL, {"config": {"speed": 9}}, None, "speed"),
])
def test_refused(text, options, line, message):
    with pytest.raises(tc.CompileError, match=message) as caught:
        tc.compile(text, **options)
    assert any(one.severity == "error" for one in caught.value.diagnostics)
    if line is not None:
        assert caught.value.line == line


@pytest.mark.parametrize("operation", ["stablehlo.add %a, %a : tensor<4xf32>",
                                       '"stablehlo.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>'])
def test_the_route_of_a_foreign_dialect(operation):
    """In its own form and in the generic one."""
    with pytest.raises(tc.CompileError, match="'stablehlo-opt --stablehlo-legalize-to-linalg' lowers stablehlo"):
        tc.compile(f"func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{\n  %0 = {operation}\n  return %0 : tensor<4xf32>\n}}\n")


def test_unknown_level():
    with pytest.raises(ValueError, match="expected tmm, .* got 'hlo'"):
        tc.compile(MATMUL).ir("hlo")


def test_ptxas_that_is_not_there():
    with pytest.raises(tc.CompileError, match="expected a program, got '/nowhere/ptxas'"):
        tc.compile(MATMUL, ptxas="/nowhere/ptxas").cubin
