"""tc.matmul: the text that it makes, and what it refuses."""
import json

import ml_dtypes
import numpy as np
import pytest
import tc
from test_frameworks import framework


@pytest.mark.parametrize("options, parts", [
    ({}, ["ins(%A, %B : memref<64x96xbf16>, memref<96x32xbf16>)", "outs(%D : memref<64x32xf32>)"]),
    ({"transpose_a": True}, ["transpose_a", "memref<96x64xbf16>"]),
    ({"a": "f32"}, ["allow_tf32", "memref<64x96xf32>"]),
    ({"a": "i8", "b": "u8"}, ["memref<96x32xui8>", "memref<64x32xi32>"]),
    ({"a": "mxfp8", "b": "mxfp8_e5m2"}, ["transpose_b", "scales(%SFA, %SFB : memref<1x1x32x4x4xf8E8M0FNU>"]),
    ({"d": "f16", "epilogue": lambda acc, bias: acc + bias}, ["along n : memref<32xf32>", "arith.truncf", "tmm.yield"]),
    ({"d": "e4m3", "epilogue": lambda acc, s: acc * s, "operands": {"s": tc.scalar()}}, ["%x_s = %p.s : f32"]),
])
def test_text(options, parts):
    kernel = tc.matmul(64, 32, 96, **options)
    for part in parts:
        assert part in kernel.text
    assert ".entry" in kernel.ptx


def test_parameters_of_the_epilogue_are_arguments():
    kernel = tc.matmul(64, 32, 64, a="f16", epilogue=lambda acc, bias, residual, alpha: acc * alpha + bias + residual,
                       operands={"residual": tc.matrix(), "alpha": tc.scalar()})
    assert kernel.arguments == ["A", "B", "bias", "residual", "D"]
    assert [one["name"] for one in kernel.description["scalars"]] == ["alpha"]
    a, b = np.ones((64, 64), "f2"), np.ones((64, 32), "f2")
    d = kernel.emulate(A=a, B=b, bias=np.arange(32, dtype="f4"), residual=np.ones((64, 32), "f4"), alpha=2, check=True)
    np.testing.assert_array_equal(d, np.ones((64, 1)) * (129 + np.arange(32)))


@pytest.mark.parametrize("epilogue, wanted", [
    (lambda acc: tc.minimum(acc, float("inf")), 64),
    (lambda acc: tc.maximum(acc, float("-inf")), 64),
    (lambda acc: acc + np.float32("inf"), np.inf),
    (lambda acc: acc - float("inf"), -np.inf),
    (lambda acc: acc * 0 + float("nan"), np.nan),
])
def test_numbers_that_are_not_finite(epilogue, wanted, tmp_path):
    kernel = tc.matmul(64, 32, 64, a="f16", epilogue=epilogue)
    a, b = np.ones((64, 64), "f2"), np.ones((64, 32), "f2")
    text = json.dumps(kernel.description, allow_nan=False)
    for one in (kernel, tc.load(kernel.ptx, text)):
        np.testing.assert_array_equal(one.emulate(a, b, check=True), np.full((64, 32), wanted, "f4"))


@pytest.mark.parametrize("name", ["relu", "gelu", "silu", "sigmoid", "tanh", "exp", "abs_"])
def test_functions(name):
    assert ".entry" in tc.matmul(64, 32, 64, epilogue=lambda acc: getattr(tc, name)(2 - acc / 3)).ptx


def test_functions_of_two():
    kernel = tc.matmul(64, 32, 64, epilogue=lambda acc: tc.minimum(tc.maximum(-acc, 0), 6))
    assert "arith.minimumf" in kernel.text


TYPES = {
    "f32": [np.float32, np.dtype("f4"), "float32", "fp32"], "f16": [np.float16, np.dtype("f2"), "float16", "half"],
    "bf16": [ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16), "bfloat16"],
    "e4m3": [ml_dtypes.float8_e4m3fn, "fp8", "float8_e4m3fn", "f8E4M3FN"], "e5m2": [ml_dtypes.float8_e5m2, "float8_e5m2"],
    "e2m1": [ml_dtypes.float4_e2m1fn, "fp4"], "e3m2": [ml_dtypes.float6_e3m2fn], "i8": [np.int8, np.dtype("i1"), "int8"],
    "u8": [np.uint8, "uint8"], "i32": [np.int32, "int32"],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in TYPES.items() for value in values])
def test_types(name, value):
    if name == "i32":
        assert tc.matmul(64, 32, 128, a="i8", d=value).text == tc.matmul(64, 32, 128, a="i8", d="i32").text
        return
    assert tc.matmul(64, 32, 128, a=value).text == tc.matmul(64, 32, 128, a=name).text
    if name in ("f32", "f16", "bf16"):
        assert tc.vector(element=value) == tc.vector(element=name) and tc.matrix(value) == tc.matrix(name)
        assert tc.matmul(64, 32, 128, d=value).text == tc.matmul(64, 32, 128, d=name).text


def test_types_of_torch_and_jax():
    torch = framework("torch")
    kinds = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "i8": "int8",
             "u8": "uint8"}
    for name, kind in kinds.items():
        assert tc.matmul(64, 32, 128, a=getattr(torch, kind)).text == tc.matmul(64, 32, 128, a=name).text
    class Scalar:  # as jax.numpy.bfloat16 is
        __name__ = "bfloat16"
    assert tc.matmul(64, 32, 128, a=Scalar()).text == tc.matmul(64, 32, 128, a="bf16").text


@pytest.mark.parametrize("batches, shapes", [
    ({"batch": 3}, ["3x64x96", "3x96x32", "3x64x32"]),
    ({"batch": (2, 3)}, ["2x3x64x96", "2x3x96x32", "2x3x64x32"]),
    ({"batch": None}, ["?x64x96", "?x96x32", "?x64x32"]),
    ({"batch": 3, "batch_b": ()}, ["3x64x96", "96x32", "3x64x32"]),
    ({"batch": (2, 3), "batch_a": (1, 3), "batch_b": 3}, ["1x3x64x96", "3x96x32", "2x3x64x32"]),
])
def test_batches(batches, shapes):
    text = tc.matmul(64, 32, 96, a="f16", **batches).text
    a, b, d = shapes
    assert f"ins(%A, %B : memref<{a}xf16>, memref<{b}xf16>) outs(%D : memref<{d}xf32>)" in text


def test_a_batch_is_multiplied():
    def epilogue(acc, bias, gain=tc.vector("m", batch=True), residual=tc.matrix("f16"), mask=tc.matrix(batch=False)):
        return tc.where(mask > 0, acc * gain + bias, residual)

    kernel = tc.matmul(40, 32, 64, a="f16", batch=None, batch_b=(), epilogue=epilogue)
    rng = np.random.default_rng(3)
    shapes = {"A": (5, 40, 64), "B": (64, 32), "bias": (32, ), "gain": (5, 40), "residual": (5, 40, 32), "mask": (40, 32)}
    kinds = {"A": "f2", "B": "f2", "residual": "f2"}
    x = {name: rng.integers(-3, 4, shape).astype(kinds.get(name, "f4")) for name, shape in shapes.items()}
    assert kernel.arguments == [*shapes, "D"]
    wanted = x["A"].astype("f4") @ x["B"].astype("f4") * x["gain"][:, :, None] + x["bias"]
    np.testing.assert_array_equal(kernel.emulate(*x.values(), check=True), np.where(x["mask"] > 0, wanted, x["residual"]))


def test_a_batch_with_factors():
    kernel = tc.matmul(136, 64, 128, a="mxfp8", batch=2)
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-3, 4, (2, rows, 128)).astype(ml_dtypes.float8_e4m3fn) for rows in (136, 64))
    factors = 2.0**rng.integers(-1, 2, (2, 200, 4))
    whole = [x.astype("f8") * np.repeat(s, 32, axis=2) for x, s in ((a, factors[:, :136]), (b, factors[:, 136:]))]
    packed = [tc.pack_scales(s.astype(ml_dtypes.float8_e8m0fnu)) for s in (factors[:, :136], factors[:, 136:])]
    np.testing.assert_array_equal(kernel.emulate(a, b, *packed), whole[0] @ whole[1].transpose(0, 2, 1))


@pytest.mark.parametrize("arguments, options, error, message", [
    ((64, 64, "x"), {}, ValueError, "k: expected a size or None"),
    ((-1, 64, 64), {}, ValueError, "m: expected a size or None"),
    ((64, 64, 64), {"batch": (1, 2, 3, 4)}, ValueError, "batch: expected at most 3 dimensions, got 4"),
    ((64, 64, 64), {"batch": "3"}, ValueError, "batch: expected a size or None"),
    ((64, 64, 64), {"batch": 3, "batch_b": -1}, ValueError, "batch_b: expected a size or None"),
    ((64, 64, 64), {"batch": 3, "batch_a": 2}, tc.CompileError, "batch"),
    ((64, 64, 64), {"a": float}, ValueError, "a: expected one of f32, .* got <class 'float'>"),
    ((64, 64, 64), {"a": np.float64}, ValueError, "a: expected one of f32, .* got <class 'numpy.float64'>"),
    ((64, 64, 64), {"d": np.dtype("i2")}, ValueError, r"d: expected one of f32, .* got dtype\('int16'\)"),
    ((64, 64, 64), {"a": "bf17"}, ValueError, "a: expected one of f32, .* got 'bf17'"),
    ((64, 64, 64), {"d": "nvfp4"}, ValueError, "d: expected one of"),
    ((64, 64, 64), {"b": "nvfp4"}, ValueError, "scale factors of both operands or of none, got a='bf16', b='nvfp4'"),
    ((64, 64, 64), {"epilogue": lambda acc, D: acc + D}, ValueError, "another name for the parameter 'D'"),
    ((64, 64, 64), {"epilogue": lambda acc, arg2: acc + arg2}, ValueError, "another name for the parameter 'arg2'"),
    ((64, 64, 64), {"epilogue": lambda acc: 1}, TypeError, "expected a value of the epilogue, got int"),
    ((64, 64, 64), {"epilogue": lambda acc: acc + "1"}, TypeError, "or a number, got str"),
    ((64, 64, 64), {"epilogue": lambda acc: acc if acc else 0}, TypeError, "cannot branch"),
    ((64, 64, 64), {"epilogue": lambda acc: acc, "operands": {"x": tc.scalar()}}, ValueError, "'x' is no parameter"),
    ((64, 64, 64), {"epilogue": lambda acc: acc + 10**400}, tc.InputError, "that f32 can hold, got one that is larger"),
    ((64, 64, 64), {"epilogue": lambda acc: acc + 1e39}, tc.InputError, "that f32 can hold"),
    ((64, 64, 64), {"epilogue": lambda acc, inf: acc + inf}, ValueError, "expected another name for the parameter 'inf'"),
    ((64, 64, 64), {"epilogue": lambda acc: tc.relu(-1.0)}, tc.InputError, "relu: expected a value of the epilogue, got float"),
    ((64, 64, 64), {"epilogue": lambda acc: tc.exp(1.0)}, tc.InputError, "exp: expected a value of the epilogue, got float"),
    ((64, 64, 64), {"epilogue": lambda acc: tc.gelu(1)}, tc.InputError, "gelu: expected a value of the epilogue, got int"),
    ((64, 64, 64), {"epilogue": lambda acc: tc.minimum(1, 2.0)}, tc.InputError, "minimum: expected a value of the epilogue"),
    ((64, 64, 64), {"a": "i8", "d": "i32", "epilogue": lambda acc: acc}, tc.InputError, "d: expected f32, .* got 'i32'"),
    ((np.float32(64), 64, 64), {}, ValueError, "m: expected a size or None"),
    ((64, 64, 64), {"a": "bf16", "b": "e4m3"}, tc.CompileError, "bf16"),
    ((64, 64, 99), {"a": "nvfp4"}, tc.CompileError, "multiple of 2"),
])
def test_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        tc.matmul(*arguments, **options)


@pytest.mark.parametrize("make", [lambda: tc.vector("k"), lambda: tc.vector(element="i8"), lambda: tc.matrix("e4m3")])
def test_operands_refused(make):
    with pytest.raises(ValueError, match="expected"):
        make()


@pytest.mark.parametrize("number", [1e-5, 1e16, -1e-7, 1e-50, 3, np.float32(2), np.int64(-3), np.float16(0.5), True])
def test_constants(number):
    a = np.full((64, 64), 0.125, "f2")
    d = tc.matmul(64, 64, 64, a="f16", epilogue=lambda acc: number * acc).emulate(a, a, check=True)
    np.testing.assert_array_equal(d, np.float32(number) * np.ones((64, 64), "f4"))


def test_numbers_of_numpy():
    a = np.ones((64, 64), "f2")
    kernel = tc.matmul(np.int64(64), np.uint8(64), 64, a="f16",
                       epilogue=lambda acc: tc.maximum(0.0, acc) * np.float32(2) - tc.minimum(np.float32(3), acc))
    np.testing.assert_array_equal(kernel.emulate(a, a, check=True), np.full((64, 64), 125))


@pytest.mark.parametrize("chip", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("ends", [[3, 3, 70, 90], [0, 0, 0, 0], [90, 90, 90, 90], [-5, 40, 20, 1000]])
def test_groups(chip, ends):
    kernel = tc.grouped_matmul(90, 40, 64, 4, a="f16", transpose_b=True, chip=chip, config="sms=3",
                               epilogue=lambda acc, bias=tc.vector(batch=True), weight=tc.vector("m"): (acc + bias) * weight)
    assert kernel.arguments == ["A", "B", "ends", "bias", "weight", "D"]
    random = np.random.default_rng(1)
    a, b = (random.integers(-3, 4, shape).astype("f2") for shape in ((90, 64), (4, 40, 64)))
    bias, weight = (random.integers(-3, 4, shape).astype("f4") for shape in ((4, 40), 90))
    d = np.full((90, 40), 77, "f4")
    kernel.emulate(a, b, np.array(ends, "i4"), bias, weight, d, check=True)
    wanted, begin = np.full((90, 40), 77, "f4"), 0
    for group, told in enumerate(ends):
        end = min(max(told, begin), 90)
        wanted[begin:end] = (a[begin:end].astype("f4") @ b[group].T.astype("f4") + bias[group]) * weight[begin:end, None]
        begin = end
    np.testing.assert_array_equal(d, wanted)


def test_groups_with_a_capacity():
    kernel = tc.grouped_matmul(None, 40, 64, None, layout="counts", d="bf16", chip="sm_90a")
    assert kernel.arguments == ["A", "B", "counts", "D"]
    a, b = (np.ones(shape, ml_dtypes.bfloat16) for shape in ((3, 20, 64), (3, 64, 40)))
    d = np.zeros((3, 20, 40), ml_dtypes.bfloat16)
    kernel.emulate(a, b, np.array([20, 0, 7], "i4"), d, check=True)
    np.testing.assert_array_equal(d.astype("f4").sum(axis=(1, 2)), 64 * 40 * np.array([20, 0, 7]))


@pytest.mark.parametrize("options, message", [
    ({"layout": "pointers"}, "layout: expected ends or counts, got 'pointers'"),
    ({"groups": -1}, "groups: expected a size or None (known at run time), got -1"),
    ({"epilogue": lambda acc, ends: acc + ends}, "expected another name for the parameter 'ends', which the kernel description has"),
])
def test_groups_refused(options, message):
    with pytest.raises(ValueError) as caught:
        tc.grouped_matmul(64, 32, 64, options.pop("groups", 4), **options)
    assert message in str(caught.value)
