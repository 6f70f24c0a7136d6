"""Kernels on arrays."""
import json

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
    np.testing.assert_array_equal(kernel.emulate(a, b, d), a.astype("f4") @ b.astype("f4") + d)


def test_elements_of_four_bits_with_scale_factors():
    codes = RNG.integers(0, 16, (128, 128), dtype=np.uint8)
    values = codes.view(ml_dtypes.float4_e2m1fn)
    one = np.full((1, 2, 32, 4, 4), 1, ml_dtypes.float8_e4m3fn)
    kernel = tc.matmul(128, 128, 128, a="nvfp4")
    d = kernel.emulate(values, values, one, one, check=True)
    np.testing.assert_array_equal(d, values.astype("f4") @ values.astype("f4").T)
    # Bits are taken, too.
    np.testing.assert_array_equal(kernel.emulate(codes, codes, one, one), d)


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
