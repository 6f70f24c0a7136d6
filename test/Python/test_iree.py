"""Kernels for IREE's CUDA target. Programs run where iree.compiler, iree.runtime and tc-emulate are there;
TC_FRAMEWORKS=iree: they have to be."""
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import tc
import tc.iree

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "iree_matmul.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Kernels with static sizes, and with M and K known at run time."""
    folder = tmp_path_factory.mktemp("iree")
    for name, m, k in (("static", 64, 96), ("any", None, 96), ("both", None, None)):
        tc.matmul(m, 128, k, a="bf16", chip="sm_90a", transpose_b=True, config=tc.iree.FIELDS).save(folder / f"{name}.ptx")
    return folder


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "tc.iree", *map(str, arguments)], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(pathlib.Path(tc.__file__).parents[1])))


def blob(text):
    """The PTX in a specification."""
    return bytes.fromhex(re.search(r'dense<"0x([0-9A-F]+)">', text)[1]).decode()


def test_static(folder):
    done = run(folder / "static.ptx", "-o", folder / "static.mlir")
    assert done.returncode == 0 and not done.stdout + done.stderr
    text = (folder / "static.mlir").read_text()
    description = json.loads((folder / "static.json").read_text())
    assert blob(text) == (folder / "static.ptx").read_text() + "\0"
    assert f"workgroup_local_memory = {description['kernels'][0]['dynamic_smem']} : index" in text
    assert "operandSegmentSizes = array<i32: 3, 2, 0, 0>" in text and "constants = 0" in text
    assert "affine_map<(d0, d1, d2) -> (d1, d2)>" in text and "tensor<128x96xbf16>" in text


def test_pointers_come_first(folder):
    """Parameters are in IREE's order, and the body still names each."""
    entry = [one for one in blob(tc.iree.make_spec([folder / "both.ptx"])).split(".entry ")[1].split(")")[0].split(".param ")[1:]]
    before = (folder / "both.ptx").read_text().split(".entry ")[1].split(")")[0].split(".param ")[1:]
    kinds = [one.split()[0] for one in entry]
    assert kinds == sorted(kinds, reverse=True) and kinds.count(".u64") == 3 and len(kinds) > 3
    assert sorted(one.strip(" ,\n\t") for one in entry) == sorted(one.strip(" ,\n\t") for one in before)
    assert [one.split()[0] for one in before] != kinds


def test_several(folder):
    done = run(folder / "static.ptx", folder / "any.ptx")
    assert done.returncode == 0 and not done.stderr
    assert re.search(r"@match_0 -> @replace_0,\s+@match_1 -> @replace_1\n", done.stdout)
    assert 'cf.assert %' in done.stdout and "M must be at most" in done.stdout


REFUSED = {
    "tensor maps": (lambda d, code: d["launches"][0]["params"].append({"tensor_map": {}}),
                    "launch 0, parameter 3: expected a pointer or a number of 32 bits, got a tensor map, which IREE cannot pass; "
                    'compile with --config="load-a=cp-async load-b=cp-async epilogue=direct"'),
    "numbers of 64 bits": (lambda d, code: d["launches"][0]["params"].append({"i64": 1}),
                           "parameter 3: expected a pointer or a number of 32 bits, got i64, which IREE cannot pass"),
    "parts of buffers": (lambda d, code: d["launches"][0]["params"][0].update(offset=16),
                         "parameter 0: expected a whole buffer, got one from byte 16 on"),
    "two launches": (lambda d, code: d["launches"].append({}), "expected one launch, got 2: a dispatch is one"),
    "clusters": (lambda d, code: d["kernels"][0].update(cluster=[2, 1, 1]),
                 "kernel 'matmul_matmul': expected no clusters, got [2, 1, 1]: IREE launches without"),
    "temporaries": (lambda d, code: d["buffers"].update(t={"dtype": "f32", "shape": [1], "role": "temporary"}),
                    "buffer 't': expected arguments alone, got a temporary one, for which a dispatch has no place"),
    "element types": (lambda d, code: d["buffers"]["A"].update(dtype="e2m1"), "buffer 'A': expected elements of f32, f16, "),
    "strides": (lambda d, code: d["buffers"]["D"].update(strides=[256, 1]), "buffer 'D': expected rows that are adjacent, got strides"),
    "results": (lambda d, code: d["buffers"]["D"].update(role="in"), "expected one buffer that is written, got none"),
    "scalars": (lambda d, code: d.update(scalars=[{"name": "alpha", "dtype": "f32"}]),
                "scalar 'alpha': expected buffers alone, as a matmul of linalg has no scalars"),
    "problems": (lambda d, code: d.update(problems=[]), "expected one problem, got 0"),
    "epilogues": (lambda d, code: d["problems"][0].update(epilogue={"steps": []}, formula="D = relu(A * B)"),
                  "expected a matmul without an epilogue, got D = relu(A * B): linalg.matmul has none"),
    "sums": (lambda d, code: d["buffers"]["D"].update(role="inout"), "expected D that is written, not added to, got D = A * B"),
    "functions": (lambda d, code: d.update(functions=[{}]), "expected a description of one function, got several"),
    "sizes": (lambda d, code: d.update(sizes=["Q"]), "size 'Q': expected a dimension of an input"),
    "twice": (lambda d, code: d["launches"][0]["params"].append({"pointer": "A"}), "expected each buffer to be one parameter"),
    "expressions": (lambda d, code: d["launches"][0].update(grid=["3 +", 1, 1]), "expected an expression, got 'max(3 +, 1)'"),
    "inputs": (lambda d, code: d["problems"][0]["b"].update(buffer="A"), "expected A and B as the inputs, got A, B"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, folder, tmp_path):
    change, message = REFUSED[name]
    code, description = (folder / "static.ptx").read_bytes(), json.loads((folder / "static.json").read_text())
    changed = copy.deepcopy(description)
    change(changed, code)
    (tmp_path / "k.ptx").write_bytes(code)
    (tmp_path / "k.json").write_text(json.dumps(changed))
    done = run(tmp_path / "k.ptx", "-o", tmp_path / "spec.mlir")
    assert done.returncode == 2 and not (tmp_path / "spec.mlir").exists()
    assert done.stderr.startswith(f"error: {tmp_path / 'k.ptx'}: ") and message in done.stderr


def test_refused_as_compiled(tmp_path):
    """What the compiler chooses for sm_90a has tensor maps."""
    tc.matmul(64, 128, 96, a="bf16", chip="sm_90a").save(tmp_path / "k.ptx")
    with pytest.raises(tc.InputError, match="got a tensor map, which IREE cannot pass"):
        tc.iree.make_spec([tmp_path / "k.ptx"])
    assert run(tmp_path / "nothing.ptx").returncode == 2


def test_cubin_in_another_order(folder, tmp_path):
    shutil.copy(folder / "both.json", tmp_path / "k.json")
    (tmp_path / "k.ptx").write_bytes(b"\x7fELF")
    with pytest.raises(tc.InputError, match="expected PTX, got a cubin whose parameters are in another order than IREE's"):
        tc.iree.make_spec([tmp_path / "k.ptx"])


def test_cubin(folder, tmp_path):
    shutil.copy(folder / "static.json", tmp_path / "k.json")
    (tmp_path / "k.cubin").write_bytes(b"\x7fELF\x01")
    assert 'data = dense<"0x7F454C460100"> : vector<6xi8>' in tc.iree.make_spec([tmp_path / "k.cubin"])


def needs_iree():
    if "iree" not in os.environ.get("TC_FRAMEWORKS", "").split():
        pytest.importorskip("iree.compiler")
        pytest.importorskip("iree.runtime")
        if not shutil.which("tc-emulate"):
            pytest.skip("tc-emulate is not on PATH")


def emulate(*command):
    return subprocess.run(["tc-emulate", "--device=h200", "--races=strict", *map(str, command)], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(pathlib.Path(tc.__file__).parents[1])))


def test_example():
    needs_iree()
    done = emulate(sys.executable, EXAMPLE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 rows" in done.stdout and "all as numpy has it" in done.stdout
    assert "2 kernels, 6 launches" in done.stderr and "no reports" in done.stderr


PROGRAM = """
import sys
import iree.compiler, iree.runtime, ml_dtypes, numpy as np
module, spec = open(sys.argv[1]).read(), sys.argv[2]
binary = iree.compiler.compile_str(module, target_backends=["cuda"], extra_args=[
    "--iree-cuda-target=sm_80", "--iree-preprocessing-transform-spec-filename=" + spec])
context = iree.runtime.SystemContext(config=iree.runtime.Config("cuda"))
context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, binary))
random = np.random.default_rng(0)
for m, n, k in [tuple(map(int, one.split("x"))) for one in sys.argv[3:]]:
    a, b = (random.integers(-8, 8, shape).astype(kind) for shape, kind in zip(((m, k), SHAPE), KINDS))
    d = context.modules.module.f(a, b).to_host()
    right = a.astype("f8") @ (b.astype("f8").T if TRANSPOSED else b.astype("f8"))
    np.testing.assert_array_equal(d.astype("f8"), right)
print("right")
"""
TENSORS = {"f16": "f16", "i8": "i8", "f32": "f32", "i32": "i32"}


@pytest.mark.parametrize("chip, a, d, transposed, m, n, k", [
    ("sm_90a", "f16", "f32", True, None, 128, 96), ("sm_90a", "f16", "f16", False, 200, 136, 64),
    ("sm_80", "f16", "f32", False, None, None, None), ("sm_80", "i8", "i32", True, 72, 64, 128)])
def test_numbers(chip, a, d, transposed, m, n, k, tmp_path):
    """Types, layouts and sizes, each kernel beside numpy."""
    needs_iree()
    config = tc.iree.FIELDS if chip == "sm_90a" else ""
    tc.matmul(m, n, k, a=a, d=d, chip=chip, transpose_b=transposed, config=config).save(tmp_path / "k.ptx")
    (tmp_path / "spec.mlir").write_text(tc.iree.make_spec([tmp_path / "k.ptx"]))

    def tensor(kind, *shape):
        return f"tensor<{''.join(f'{size or chr(63)}x' for size in shape)}{kind}>"

    types = tensor(a, m, k), tensor(a, *((n, k) if transposed else (k, n))), tensor(d, m, n)
    zero = "arith.constant 0 : i32" if d == "i32" else f"arith.constant 0.0 : {d}"
    maps = ("indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]"
            if transposed else "")
    dims = ", ".join(name for name, size in (("%m", m), ("%n", n)) if size is None)
    (tmp_path / "module.mlir").write_text(f"""func.func @f(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = {zero}
  %m = tensor.dim %a, %c0 : {types[0]}
  %n = tensor.dim %b, %c{0 if transposed else 1} : {types[1]}
  %e = tensor.empty({dims}) : {types[2]}
  %f = linalg.fill ins(%zero : {d}) outs(%e : {types[2]}) -> {types[2]}
  %r = linalg.matmul {maps} ins(%a, %b : {types[0]}, {types[1]}) outs(%f : {types[2]}) -> {types[2]}
  return %r : {types[2]}
}}
""")
    numpy_type = {"f16": '"f2"', "i8": '"i1"'}[a]
    program = PROGRAM.replace("KINDS", f"({numpy_type}, {numpy_type})").replace("TRANSPOSED", str(transposed)).replace(
        "SHAPE", "(n, k)" if transposed else "(k, n)")
    (tmp_path / "program.py").write_text(program)
    shapes = [f"{m or one[0]}x{n or one[1]}x{k or one[2]}" for one in ((1, 64, 64), (130, 72, 48))]
    done = emulate(f"--dump-ptx={tmp_path}", sys.executable, tmp_path / "program.py", tmp_path / "module.mlir",
                   tmp_path / "spec.mlir", *shapes)
    assert done.returncode == 0 and done.stdout == "right\n", done.stdout + done.stderr
    assert "1 kernel, 2 launches" in done.stderr and "no reports" in done.stderr
    assert any("matmul_matmul" in one.read_text() for one in tmp_path.glob("module*.ptx"))
