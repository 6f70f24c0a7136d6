"""Kernels on arrays."""
import json
import re
import sys

import ml_dtypes
import numpy as np
import pytest
import tc

RNG = np.random.default_rng(7)


def integers(*shape, dtype):
    """Small integers: products and sums are exact in every type."""
    return RNG.integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_matmul(dtype):
    name = {"bfloat16": "bf16", "float16": "f16", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}[np.dtype(dtype).name]
    a, b = integers(72, 128, dtype=dtype), integers(64, 128, dtype=dtype)
    kernel = tc.matmul(72, 64, 128, a=name, transpose_b=True)
    d = kernel.emulate(a, b, check=True)
    assert d.dtype == np.float32
    np.testing.assert_array_equal(d, a.astype("f4") @ b.astype("f4").T)


def test_every_schedule_and_strict_races():
    a, b = integers(64, 64, dtype=np.float16), integers(64, 64, dtype=np.float16)
    kernel = tc.matmul(64, 64, 64, a="f16")
    with tc.races("strict"):
        d = kernel.emulate(a, b, schedule=["eager", "lazy", "random:3"])
    np.testing.assert_array_equal(d, a.astype("f4") @ b.astype("f4"))
    assert "eager" in tc.schedules() and "lazy" in tc.schedules()


def test_sizes_come_from_shapes():
    kernel = tc.matmul(None, None, None, a="f16", transpose_b=True)
    for m, n, k in ((64, 32, 64), (130, 40, 72)):
        a, b = integers(m, k, dtype=np.float16), integers(n, k, dtype=np.float16)
        np.testing.assert_array_equal(kernel.emulate(a, b), a.astype("f4") @ b.astype("f4").T)
    with pytest.raises(tc.InputError, match="B: expected K = 72, got 64"):
        kernel.emulate(integers(64, 72, dtype=np.float16), integers(64, 64, dtype=np.float16))
    with pytest.raises(tc.InputError, match="multiple of 16 bytes .* got 146, nearest legal 160|nearest legal"):
        kernel.emulate(integers(64, 73, dtype=np.float16), integers(64, 73, dtype=np.float16))


@pytest.mark.parametrize("options, place", [({}, 0), ({"chip": "sm_90a", "config": "load-a=cp-async"}, 0), ({"chip": "sm_90a", "config": "load-b=cp-async"}, 1)])
def test_advice_is_what_config_takes(options, place):
    """Which operand is to be loaded otherwise, until none is left."""
    a, b = integers(64, 73, dtype=np.float16), integers(64, 73, dtype=np.float16)
    config, given = options.get("config", ""), []
    for _ in range(3):
        try:
            got = tc.matmul(64, 64, None, a="f16", transpose_b=True, **{**options, "config": config}).emulate(a, b)
            break
        except tc.InputError as error:
            given.append(re.search(r", or (load-[ab]=threads)", str(error))[1])
            fields = dict(one.split("=") for one in (config.split() + [given[-1]]))
            config = " ".join(f"{key}={value}" for key, value in fields.items())
    assert given == ["load-a=threads", "load-b=threads"]
    np.testing.assert_array_equal(got, a.astype("f4") @ b.astype("f4").T)


def test_epilogue_and_operands():
    kernel = tc.matmul(64, 32, 64, a="bf16", d="bf16",
                       epilogue=lambda acc, bias, residual, alpha: tc.relu(alpha * acc + bias) + residual,
                       operands={"residual": tc.matrix("bf16"), "alpha": tc.scalar()})
    a, b = integers(64, 64, dtype=ml_dtypes.bfloat16), integers(64, 32, dtype=ml_dtypes.bfloat16)
    bias, residual = integers(32, dtype=np.float32), integers(64, 32, dtype=ml_dtypes.bfloat16)
    scalar = kernel.description["scalars"][0]["name"]
    d = kernel.emulate(a, b, bias, residual, check=True, **{scalar: 0.5})
    expected = np.maximum(0.5 * (a.astype("f4") @ b.astype("f4")) + bias, 0) + residual.astype("f4")
    np.testing.assert_array_equal(d, expected.astype(ml_dtypes.bfloat16))


def test_accumulate():
    a, b = integers(64, 64, dtype=np.float16), integers(64, 32, dtype=np.float16)
    d = integers(64, 32, dtype=np.float32)
    kernel = tc.matmul(64, 32, 64, a="f16", accumulate=True)
    wanted = a.astype("f4") @ b.astype("f4") + d
    assert kernel.emulate(a, b, d) is d
    np.testing.assert_array_equal(d, wanted)


def test_elements_of_four_bits_with_scale_factors():
    codes = RNG.integers(0, 16, (128, 128), dtype=np.uint8)
    values = codes.view(ml_dtypes.float4_e2m1fn)
    one = np.full((1, 2, 32, 4, 4), 1, ml_dtypes.float8_e4m3fn)
    kernel = tc.matmul(128, 128, 128, a="nvfp4")
    d = kernel.emulate(values, values, one, one, check=True)
    np.testing.assert_array_equal(d, values.astype("f4") @ values.astype("f4").T)
    with pytest.raises(tc.InputError, match=r"A: expected float4_e2m1fn \(e2m1\), got uint8"):
        kernel.emulate(codes, values, one, one)


def test_integers():
    a, b = RNG.integers(-128, 128, (64, 64)).astype(np.int8), RNG.integers(-128, 128, (64, 64)).astype(np.int8)
    d = tc.matmul(64, 64, 64, a="i8").emulate(a, b)
    np.testing.assert_array_equal(d, a.astype("i4") @ b.astype("i4"))


def test_a_compiled_kernel_is_loaded(tmp_path):
    kernel = tc.matmul(64, 64, 64, a="f16")
    (tmp_path / "k.ptx").write_text(kernel.ptx)
    (tmp_path / "k.json").write_text(json.dumps(kernel.description))
    a, b = integers(64, 64, dtype=np.float16), integers(64, 64, dtype=np.float16)
    loaded = tc.load(tmp_path / "k.ptx", tmp_path / "k.json")
    np.testing.assert_array_equal(loaded.emulate(a, b), kernel.emulate(a, b))


def test_one_of_several_functions(examples):
    text = "".join(
        f"func.func @{name}(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64x{kind}>) {{\n"
        f"  tmm.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64x{kind}>)\n"
        "  return\n}\n" for name, kind in (("f", "f32"), ("g", "f16")))
    kernel = tc.compile(text)
    a = integers(64, 64, dtype=np.float16)
    for function, dtype in (("f", np.float32), ("g", np.float16)):
        chosen = tc.load(kernel.ptx, kernel.description, function=function)
        assert chosen.emulate(a, a).dtype == dtype
    with pytest.raises(tc.InputError, match="expected one of f, g, got ''"):
        kernel.emulate(a, a)


@pytest.mark.parametrize("call, message", [
    (lambda k, a: k.emulate(a), "expected arrays for A, B, or all of A, B, D, got 1"),
    (lambda k, a: k.emulate(a, a[:, :32]), r"B: expected shape \(64, 64\), got \(64, 32\)"),
    (lambda k, a: k.emulate(a, a.view("u2")), r"B: expected float16 \(f16\), got uint16"),
    (lambda k, a: k.emulate(A=a), "expected arrays for B, got none"),
    (lambda k, a: k.emulate(), "expected arrays for A, B, got none"),
    (lambda k, a: k.trace(B=a), "expected arrays for A, got none"),
    (lambda k, a: k(), "expected arrays for A, B, got none"),
    (lambda k, a: k.emulate(a, a.astype("f8")), r"B: expected float16 \(f16\), got float64"),
    (lambda k, a: k.emulate(a, a, E=a), "unknown argument 'E', expected one of: A, B, D"),
    (lambda k, a: k.emulate(a, a, schedule="sideways"), "expected eager, lazy.* got 'sideways'"),
    (lambda k, a: k.emulate(a, a, races="maybe"), "expected off, default or strict, got 'maybe'"),
    (lambda k, a: k.emulate(a, a, assume="+nonsense"), "got 'nonsense'"),
    (lambda k, a: k.emulate(a, [[1]]), "B: expected shape"),
    (lambda k, a: tc.load("no ptx\n", k.description).emulate(a, a), "expected .version"),
    (lambda k, a: tc.load(b"\x7fELF", k.description).emulate(a, a), "expected"),
    (lambda k, a: tc.load(k.ptx, {"version": 1}).emulate(), "expected"),
])
def test_bad_input(call, message):
    kernel = tc.matmul(64, 64, 64, a="f16")
    with pytest.raises(tc.InputError, match=message):
        call(kernel, integers(64, 64, dtype=np.float16))


def test_no_gpu_is_said():
    kernel = tc.matmul(64, 64, 64, a="f16")
    a = integers(64, 64, dtype=np.float16)
    try:
        d = kernel(a, a)
    except tc.InputError as error:
        assert "cuda" in str(error)
    else:
        np.testing.assert_array_equal(d, a.astype("f4") @ a.astype("f4"))


def test_arrays_by_name_and_by_position():
    kernel = tc.matmul(64, 32, 64, a="f16", epilogue=lambda acc, bias: acc + bias)
    a, b, bias = integers(64, 64, dtype=np.float16), integers(64, 32, dtype=np.float16), integers(32, dtype=np.float32)
    wanted = a.astype("f4") @ b.astype("f4") + bias
    np.testing.assert_array_equal(kernel.emulate(a, b, bias=bias), wanted)
    np.testing.assert_array_equal(kernel.emulate(b, bias, A=a), wanted)
    with pytest.raises(tc.InputError, match="expected arrays for B, bias, or all of B, bias, D, got 1"):
        kernel.emulate(b, A=a)


@pytest.mark.parametrize("element, kind", [("i8", "u1"), ("u8", "i1"), ("f32", "u4"), ("bf16", "u2"), ("e4m3", "u1")])
def test_bits_are_no_numbers(element, kind):
    array = np.ones((64, 64), kind)
    with pytest.raises(tc.InputError, match=rf"A: expected \w+ \({element}\), got {array.dtype}"):
        tc.matmul(64, 64, 64, a=element).emulate(array, array)


def test_bits_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    one = np.full((64, 64), 0x3f80, "u2")
    np.testing.assert_array_equal(tc.matmul(64, 64, 64, a="bf16").emulate(one, one), np.full((64, 64), 64))


MATRIX, VIEW, INPUT = "tensor<8x8xf32>", "tensor<2x4x8xf32>", "tensor<8x8xf16>"


def returning(values, types, argument=""):
    return tc.compile(f"""func.func @f(%x: {INPUT}, %w: {INPUT}{argument}) -> ({types}) {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {MATRIX}
  %f = linalg.fill ins(%z : f32) outs(%e : {MATRIX}) -> {MATRIX}
  %r = linalg.matmul ins(%x, %w : {INPUT}, {INPUT}) outs(%f : {MATRIX}) -> {MATRIX}
  %v = tensor.expand_shape %r [[0, 1], [2]] output_shape [2, 4, 8] : {MATRIX} into {VIEW}
  return {values} : {types}
}}
""")


@pytest.mark.parametrize("values, types", [
    ("%r", [MATRIX]), ("%v", [VIEW]), ("%r, %r", [MATRIX, MATRIX]), ("%r, %v", [MATRIX, VIEW]),
    ("%v, %x, %x", [VIEW, INPUT, INPUT]),
])
def test_results(values, types):
    kernel = returning(values, ", ".join(types))
    x, w = integers(8, 8, dtype=np.float16), integers(8, 8, dtype=np.float16)
    product = x.astype("f4") @ w.astype("f4")
    right = {"%r": product, "%v": product.reshape(2, 4, 8), "%x": x}
    got = kernel.emulate(x, w)
    got = got if isinstance(got, tuple) else (got, )
    assert len(got) == len(types)
    for array, name in zip(got, values.split(", ")):
        assert array.shape == right[name].shape and array.dtype == right[name].dtype
        np.testing.assert_array_equal(array, right[name])


def test_an_unused_argument_is_no_result():
    x = integers(8, 8, dtype=np.float16)
    got = returning("%r", MATRIX, f", %u: {MATRIX}").emulate(x, x, np.ones((8, 8), "f4"))
    np.testing.assert_array_equal(got, x.astype("f4") @ x.astype("f4"))


def test_results_of_sizes():
    kernel = tc.compile("""func.func @f(%x: tensor<?x8xf16>, %w: tensor<8x8xf16>) -> tensor<?x4x8xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf16>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x8xf16>, tensor<8x8xf16>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %q = arith.divsi %m, %c4 : index
  %v = tensor.expand_shape %r [[0, 1], [2]] output_shape [%q, 4, 8] : tensor<?x8xf32> into tensor<?x4x8xf32>
  return %v : tensor<?x4x8xf32>
}
""")
    x = integers(12, 8, dtype=np.float16)
    got = kernel.emulate(x, np.eye(8, dtype="f2"))
    np.testing.assert_array_equal(got, x.astype("f4").reshape(3, 4, 8))


def test_integers_with_an_epilogue():
    a, b = RNG.integers(-128, 128, (64, 64)).astype(np.int8), RNG.integers(-128, 128, (64, 64)).astype(np.int8)
    kernel = tc.matmul(64, 64, 64, a="i8", epilogue=lambda acc, bias: acc * 0.5 + bias)
    bias = integers(64, dtype=np.float32)
    np.testing.assert_array_equal(kernel.emulate(a, b, bias, check=True), (a.astype("i4") @ b.astype("i4")) * 0.5 + bias)


@pytest.mark.parametrize("m, k", [(0, 64), (64, 0), (None, 64)])
def test_no_elements(m, k):
    """D has none, or is a sum of none."""
    a = np.ones((m or 0, k), "f2")
    d = tc.matmul(m, 64, k, a="f16").emulate(a, np.ones((k, 64), "f2"), schedule="all", check=True)
    assert d.shape == (a.shape[0], 64) and (d == 0).all()


def test_wrong_problem():
    """What the reference finds wrong in a description is an InputError, too."""
    kernel = tc.matmul(64, 64, 64, a="f16")
    description = json.loads(json.dumps(kernel.description))
    description["problems"][0]["m"] = 1
    a = np.ones((64, 64), "f2")
    with pytest.raises(tc.InputError, match="problems\\[0\\]: operand A: expected a buffer of 1x64, got 64x64"):
        tc.load(kernel.code, description).emulate(a, a, check=True)


@pytest.mark.parametrize("operation", ["addi", "shli"])
def test_check_of_rows(operation):
    """What has no reference is an error that names it, never a result that passed."""
    same = "affine_map<(r, c) -> (r, c)>"
    kernel = tc.compile(
        f"""func.func @f(%x: memref<5x16xi32>, %o: memref<5x16xi32>) {{
          tmm.rows ins(%x : memref<5x16xi32>) outs(%o : memref<5x16xi32>) maps [{same}, {same}] {{
          ^bb0(%in: i32):
            %two = arith.constant 2 : i32
            %out = arith.{operation} %in, %two : i32
            tmm.yield %out : i32
          }}
          return
        }}""",
        chip="sm_90a")
    x = np.arange(80, dtype=np.int32).reshape(5, 16)
    if operation == "shli":
        with pytest.raises(tc.InputError, match="operation 'shli' of integers has no reference"):
            kernel.emulate(x, np.zeros_like(x), check=True)
    else:
        kernel.emulate(x, np.zeros_like(x), check=True)
