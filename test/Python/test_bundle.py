"""Kernels of a bundle, by name and chip."""
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
import tc

LIST = """32 48 64 f16 f16 f32 nt name=second
? 48 64 f16 f16 f32 nn name=first
16 48 64 f16 f16 f32 nt name=third
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle")
    (folder / "list.txt").write_text(LIST)
    compiler = shutil.which("tc-compile")
    if not compiler:
        pytest.skip("tc-compile is not on PATH")
    subprocess.run([compiler, "--bundle", folder / "list.txt", "-o", folder / "list.tcb", "--chip=sm_90a,sm_100a"], check=True)
    return folder


@pytest.fixture
def path(folder):
    return folder / "list.tcb"


def test_kernels_by_name(path):
    bundle = tc.load_bundle(path, chip="sm_90a")
    assert list(bundle) == ["first", "second", "third"] and len(bundle) == 3 and "second" in bundle
    assert bundle.chips["second"] == {"sm_100a": "M=32", "sm_90a": "M=32"}
    assert set(bundle.chips["first"].values()) == {""}
    assert repr(bundle) == f"<tc.Bundle {path}: 3 kernels for sm_100a, sm_90a>"
    generator = np.random.default_rng(1)
    for name, m, transposed in (("first", 7, False), ("second", 32, True), ("third", 5, True)):
        a, b = generator.integers(-4, 4, (m, 64)).astype("f2"), generator.integers(-4, 4, (64, 48)).astype("f2")
        kernel = bundle[name]
        assert kernel.description["chip"] == "sm_90a" and b"sm_90a" in kernel.code
        d = kernel.emulate(a, np.ascontiguousarray(b.T) if transposed else b, check=True)
        np.testing.assert_array_equal(d, a.astype("f4") @ b.astype("f4"))


def test_chips(path):
    bundle = tc.load_bundle(path)
    assert bundle.kernel("first", "sm_100a").description["chip"] == "sm_100a"
    with pytest.raises(tc.InputError, match="kernel 'first': expected a chip that is one of sm_100a, sm_90a, got none"):
        bundle["first"]
    with pytest.raises(tc.InputError, match="expected a chip that is one of sm_100a, sm_90a, got 'sm_80'"):
        bundle.kernel("first", "sm_80")
    try:
        assert bundle.kernel("first", "native").description["chip"] in bundle.chips["first"]
    except tc.InputError as error:
        assert "expected a GPU" in str(error)


def test_errors(path, folder):
    bundle = tc.load_bundle(str(path), chip="sm_90a")
    with pytest.raises(KeyError):
        bundle["fourth"]
    with pytest.raises(tc.InputError, match="expected a kernel that is 'first', 'second', 'third', got 'fourth'"):
        bundle.kernel("fourth")
    with pytest.raises(tc.InputError, match="expected the name of a kernel, 'first', 'second', 'third', got none"):
        bundle.kernel()
    for wrong, text in ((7, "path: expected str or os.PathLike, got int"), ("/nowhere.tcb", "cannot open"),
                        (folder / "list.txt", "expected a bundle of tc-compile --bundle, got another file")):
        with pytest.raises(tc.InputError, match=text):
            tc.load_bundle(wrong)
    with pytest.raises(tc.InputError, match="chip: expected str, got int"):
        tc.load_bundle(path, chip=9)
    cut = folder / "cut.tcb"
    cut.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(tc.InputError, match="expected [0-9]+ bytes, as its header says, got 2000"):
        tc.load_bundle(cut)
    with pytest.raises(tc.InputError, match="code: expected PTX or a cubin, got a bundle, which tc.load_bundle reads"):
        tc.load(path)


def test_no_llvm(path):
    """Neither the compiler nor LLVM is loaded."""
    program = f"""
import sys, tc
tc.load_bundle({str(path)!r}, chip="sm_90a")["first"]
assert "tc._compiler" not in sys.modules
assert "libLLVM" not in open("/proc/self/maps").read()
"""
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": str(pathlib.Path(tc.__file__).parents[1])})
