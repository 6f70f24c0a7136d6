"""Kernels as objects: what they show, files that they are saved to, copies; and every name of the package."""
import copy
import inspect
import json
import pathlib
import pickle
import shutil
import sys

import numpy as np
import pytest
import tc

A = np.ones((64, 64), "f2")


@pytest.fixture
def kernel():
    return tc.matmul(None, 64, 64, a="f16", epilogue=lambda acc, bias, alpha=tc.scalar(): alpha * acc + bias)


def right(kernel):
    np.testing.assert_array_equal(kernel.emulate(A, A, np.ones(64, "f4"), 2), np.full((64, 64), 129))


def test_repr(kernel, inputs):
    text = "sm_100a, matmul(A f16[M, 64], B f16[64, 64], bias f32[64], alpha f32) -> D f32[M, 64]>"
    assert repr(kernel) == "<tc.Compiled " + text
    assert repr(tc.load(kernel.ptx, kernel.description)) == "<tc.Kernel " + text
    assert repr(tc.load(inputs / "scale.ptx")) == "<tc.Kernel kernel(X f32[N], alpha f32) -> Y f32[N]>"
    assert repr(tc.Kernel(b"", {"buffers": 3})) == "<tc.Kernel of a description that does not fit>"


def test_repr_of_several_functions():
    text = "".join(f"func.func @{name}(%a: memref<64x64xf16>, %d: memref<64x64x{kind}>) {{\n"
                   f"  tmm.matmul ins(%a, %a : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64x{kind}>)\n"
                   "  return\n}\n" for name, kind in (("f", "f32"), ("g", "f16")))
    kernel = tc.compile(text)
    assert repr(kernel) == "<tc.Compiled sm_100a, f(B f16[64, 64]) -> D f32[64, 64], g(B f16[64, 64]) -> D f16[64, 64]>"
    chosen = tc.load(kernel.ptx, kernel.description, function="g")
    assert repr(chosen) == "<tc.Kernel sm_100a, g(B f16[64, 64]) -> D f16[64, 64]>"


def test_saved_and_loaded(kernel, tmp_path):
    kernel.save(tmp_path / "k.ptx")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["k.json", "k.ptx"]
    for path in (tmp_path / "k.ptx", str(tmp_path / "k.ptx")):
        loaded = tc.load(path)
        assert loaded.code == kernel.code and loaded.description == kernel.description
        right(loaded)
    loaded.save(tmp_path / "again.ptx")
    right(tc.load(tmp_path / "again.ptx"))


@pytest.mark.skipif(not shutil.which("ptxas"), reason="no ptxas on PATH")
def test_saved_as_a_cubin(kernel, tmp_path):
    kernel.save(str(tmp_path / "k.cubin"))
    loaded = tc.load(tmp_path / "k.cubin")
    assert loaded.is_cubin and loaded.code == kernel.cubin and loaded.description == kernel.description
    loaded.save(tmp_path / "again.cubin")
    with pytest.raises(tc.InputError, match=r"path: expected one that ends in .cubin, as the kernel is a cubin, got '.*k.ptx'"):
        loaded.save(tmp_path / "k.ptx")


def test_files_of_contents_are_found_from_elsewhere(inputs, tmp_path):
    (tmp_path / "here").mkdir()
    description = json.loads((inputs / "scale.json").read_text())
    description["buffers"]["X"]["file"] = "x.bin"
    np.arange(8, dtype="f4").tofile(tmp_path / "here" / "x.bin")
    (tmp_path / "here" / "scale.json").write_text(json.dumps(description))
    tc.load(inputs / "scale.ptx", tmp_path / "here" / "scale.json").save(tmp_path / "moved.ptx")
    got = tc.load(tmp_path / "moved.ptx").emulate(alpha=2, N=8)
    np.testing.assert_array_equal(got, 2 * np.arange(8))


@pytest.mark.parametrize("call, message", [
    (lambda k, folder: k.save(folder / "k.txt"), "path: expected one that ends in .ptx, as the kernel is PTX, got"),
    (lambda k, folder: k.save(folder / "nowhere" / "k.ptx"), "path: .*No such file"),
    (lambda k, folder: tc.load(k.ptx), "description: expected one beside code that is no path, got none"),
    (lambda k, folder: tc.load(folder / "k.ptx"), "code: .*No such file"),
    (lambda k, folder: ((folder / "k.ptx").write_text(k.ptx), tc.load(folder / "k.ptx")), "description: .*No such file"),
])
def test_refused(kernel, tmp_path, call, message):
    with pytest.raises(tc.InputError, match=message):
        call(kernel, tmp_path)


def test_copies(kernel):
    for made in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel), copy.copy(kernel)):
        assert type(made) is tc.Compiled and repr(made) == repr(kernel)
        right(made)
    assert "tile" in pickle.loads(pickle.dumps(kernel)).explain()
    right(pickle.loads(pickle.dumps(tc.load(kernel.ptx, kernel.description))))


def test_a_module_in_a_file(examples, tmp_path):
    path = examples / "matmul_bf16.mlir"
    for given in (path, str(path)):
        kernel = tc.compile(given)
        assert kernel.ptx == tc.compile(path.read_text(), name=str(path)).ptx and kernel.name == str(path)[:-5] + ".ptx"
    wrong = tmp_path / "wrong one.mlir"
    wrong.write_text("func.func @f(\n")
    with pytest.raises(tc.CompileError, match=r"wrong one.mlir:1:14: error: expected"):
        tc.compile(str(wrong))


@pytest.mark.parametrize("contents, given, error, message", [
    (None, "module.mlir", tc.InputError, "text: .*No such file.*module.mlir"),
    (b"ML\xefR\xff", "code.mlirbc", tc.InputError, "text: expected a file with MLIR as text, got other bytes in .*mlir-opt prints"),
    (b"", 3, TypeError, "expected MLIR as text, the path of a file or a module"),
])
def test_a_file_that_is_no_module(contents, given, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if contents is not None and isinstance(given, str):
        pathlib.Path(given).write_bytes(contents)
    with pytest.raises(error, match=message):
        tc.compile(given)


def test_every_name_is_documented():
    assert sorted(tc.__all__) == sorted(set(tc.__all__))
    for name in tc.__all__:
        one = getattr(tc, name)
        assert one.__doc__, name
        for method, function in inspect.getmembers(one, inspect.isfunction) if inspect.isclass(one) else []:
            assert function.__doc__ or method.startswith("_") or function.__module__.split(".")[0] != "tc", f"{name}.{method}"


def test_types(tmp_path):
    """A type checker refuses what the package would, and knows what comes back."""
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text("""import numpy as np
import tc

x = np.ones((64, 64), np.float16)
kernel = tc.matmul(64, None, 64, a="bfloat16", b=np.float16, d=np.dtype("float32"), batch=(2, None),
                   epilogue=lambda acc, alpha=2.0: tc.where(acc > 0, acc, alpha * abs(acc) ** 0.5),
                   operands={"bias": tc.vector("m", element="f16")})
reveal_type(kernel.emulate(x, x, 2.0, schedule=["eager"], check=True, alpha=3, races="strict"))
reveal_type(tc.load("k.ptx"))
tc.pack_scales(x).dtype
tc.matmul(64, 64, 64, a="banana")
tc.matmul("64", 64, 64)
tc.vector("k")
kernel.emulate(x, races="loud")
kernel.emulate(x, schedule=3)
tc.compile(3)
tc.matrix("i8")
""")
    out, errors, _ = api.run([str(program), "--follow-imports=silent", "--no-error-summary", "--cache-dir", str(tmp_path / "cache")])
    lines = {int(line.split(":")[1]) for line in out.splitlines() if ": error:" in line}
    assert lines == set(range(11, 18)), out + errors
    assert 'note: Revealed type is "numpy.ndarray[Any, Any]"' in out and 'Revealed type is "tc._kernel.Kernel"' in out
    assert "tc" in sys.modules
