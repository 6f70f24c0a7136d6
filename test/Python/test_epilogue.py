"""What an epilogue may compute: operators, conditions, functions of tc, numpy and torch, defaults of parameters."""
import functools
import math

import numpy as np
import pytest
import tc
from test_frameworks import framework

A = np.eye(64, dtype="f2")
X = np.linspace(-4, 4, 64 * 64).reshape(64, 64).astype("f2")
XF = X.astype("f4")


def computed(epilogue, *arrays, **operands):
    """What it makes of X; the emulator compares with float64, too."""
    return tc.matmul(64, 64, 64, a="f16", epilogue=epilogue).emulate(A, X, *arrays, check=True, **operands)


def close(got, wanted):
    np.testing.assert_allclose(got, np.asarray(wanted, "f4"), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("epilogue, wanted", [
    (lambda acc: tc.where(acc > 0, acc, 0.1 * acc), np.where(XF > 0, XF, np.float32(0.1) * XF)),
    (lambda acc: tc.where(acc >= 1, 1, tc.where(acc < -1, -1.0, 2)), np.where(XF >= 1, 1, np.where(XF < -1, -1, 2))),
    (lambda acc: tc.where((acc > 0) & (acc <= 2) | ~(acc != -1), acc, 5), np.where((XF > 0) & (XF <= 2) | (XF == -1), XF, 5)),
    (lambda acc: tc.where((acc > 0) ^ True, acc, 5), np.where(XF > 0, 5, XF)),
    (lambda acc: tc.where(1 > acc, acc, -acc), np.where(1 > XF, XF, -XF)),
    (lambda acc: tc.where(acc == acc, 1, 0) * acc, XF),
    (lambda acc: abs(acc) + tc.abs_(acc) - +acc, 2 * abs(XF) - XF),
    (lambda acc: round(acc) + math.floor(acc) + math.ceil(acc) + math.trunc(acc),
     np.rint(XF) + np.floor(XF) + np.ceil(XF) + np.trunc(XF)),
    (lambda acc: tc.clip(acc, -1, 2), np.clip(XF, -1, 2)),
    (lambda acc: tc.clip(acc, high=0.5), np.minimum(XF, 0.5)),
])
def test_conditions_and_operators(epilogue, wanted):
    np.testing.assert_array_equal(computed(epilogue), wanted)


@pytest.mark.parametrize("power", [1, 2, 3, 7, -1, -2, 0.5, 1.5, -0.5, 2.3, -0.3, np.float32(2), True])
def test_powers(power):
    close(computed(lambda acc: (abs(acc) + 0.5)**power), (abs(XF) + 0.5)**float(power))


@pytest.mark.parametrize("power", [65, 101, -65, 1.0e3 + 1])
def test_large_odd_powers_keep_the_sign(power):
    shape = 1 + 0.001 * abs(XF) / abs(XF).max()
    sign = np.where(XF < 0, -1, 1)
    got = computed(lambda acc: (tc.where(acc < 0, -1.0, 1.0) * (1 + 0.001 * abs(acc) / float(abs(XF).max())))**power)
    np.testing.assert_allclose(got, sign * shape**power, rtol=2e-4)


def test_powers_of_values():
    close(computed(lambda acc: (abs(acc) + 0.5)**acc), (abs(XF) + 0.5)**XF)
    close(computed(lambda acc: 3.5**acc), 3.5**XF)
    close(computed(lambda acc: acc**3), XF**3)
    close(computed(lambda acc: acc + acc**0), XF + 1)
    # Above 2^24 all powers are even.
    np.testing.assert_array_equal(computed(lambda acc: (acc / acc * tc.where(acc < 0, -1.0, 1.0))**2.0**30), np.ones((64, 64)))
    with np.errstate(invalid="ignore"):
        close(computed(lambda acc: acc**0.3), XF**np.float32(0.3))


@pytest.mark.parametrize("name", ["exp", "tanh", "erf", "sqrt", "rsqrt", "log"])
def test_functions(name):
    wanted = {"erf": np.vectorize(math.erf), "rsqrt": lambda x: 1 / np.sqrt(x)}.get(name) or getattr(np, name)
    close(computed(lambda acc: getattr(tc, name)(abs(acc) / 4 + 0.5)), wanted(abs(XF) / 4 + 0.5))


@pytest.mark.parametrize("name", ["exp", "exp2", "tanh", "absolute", "fabs", "square", "floor", "ceil", "trunc", "rint", "negative",
                                  "round", "positive"])
def test_functions_of_numpy(name):
    function = getattr(np, name)
    assert name in ("round", ) or isinstance(function, np.ufunc)
    close(computed(function), function(XF))
    close(computed(lambda acc: function(acc)), function(XF))


@pytest.mark.parametrize("function", [
    lambda x: np.maximum(np.minimum(x, np.float32(2)), -1) + np.fmax(x, 0) * np.fmin(1, x),
    lambda x: np.where(np.logical_and(x > 0, np.less(x, np.array(2.0))), x, np.float32(-2) * x),
    lambda x: np.clip(x, -1, 1) + np.clip(x, 0, None),
    lambda x: np.add(x, 1) - np.subtract(2, x) + np.multiply(3, x) * np.divide(x, 7),
    lambda x: np.log(np.abs(x) + 1) + np.sqrt(np.power(np.abs(x), 2) + 1) + np.log2(x * x + 2) + np.reciprocal(x * x + 1),
    lambda x: np.float32(2) * x + np.float64(3) - x / np.int64(4) + np.array(0.5),
    lambda x: np.where(np.isnan(x) | ~(x >= 0), 1.0, x),
])
def test_formulas_of_numpy(function):
    close(computed(function), function(XF))


def test_functions_of_torch():
    torch = framework("torch")
    of = torch.nn.functional
    x = torch.from_numpy(XF)
    for function in [
            torch.exp, torch.tanh, torch.sigmoid, torch.relu, torch.abs, torch.square, torch.erf, torch.floor, torch.round,
            torch.neg, of.gelu, of.silu, of.relu, of.relu6, of.leaky_relu, of.tanh, of.sigmoid,
            lambda x: of.gelu(x, approximate="tanh"), lambda x: torch.clamp(x, min=-1, max=2), lambda x: torch.clamp(x, -1),
            lambda x: torch.where((x > 0) & torch.lt(x, 2), x, -2 * x), lambda x: torch.add(x, x, alpha=3) - torch.tensor(2.0),
            lambda x: torch.tensor(2.0) - x * torch.tensor(3), lambda x: torch.pow(x, 3), lambda x: torch.rsqrt(x * x + 1),
            torch.nn.GELU("tanh"), torch.nn.LeakyReLU(0.2), torch.nn.SiLU(inplace=True), torch.nn.Identity(),
            lambda x: torch.maximum(x, torch.tensor(0.5)), lambda x: torch.where(torch.isnan(x), torch.tensor(0.0), x),
    ]:
        close(computed(function), function(x.clone()))


def test_bounds_by_the_names_of_the_library():
    torch = framework("torch")
    for function, wanted in [(lambda acc: np.clip(acc, a_min=-1, a_max=2), np.clip(XF, -1, 2)),
                             (lambda acc: np.clip(acc, max=2), np.minimum(XF, 2)),
                             (lambda acc: torch.clip(acc, min=-1), np.maximum(XF, -1)),
                             (lambda acc: torch.clamp(acc, max=2), np.minimum(XF, 2))]:
        np.testing.assert_array_equal(computed(function), wanted)


def test_any_name_of_an_operand():
    """Those of values of the trace and of operands of the region, too."""
    kernel = tc.matmul(64, 64, 64, a="f16", epilogue=lambda acc, v0, b, x_b, v1: acc * v0 + b * x_b - v1)
    two, three, four, five = (np.full(64, number, "f4") for number in (2, 3, 4, 5))
    np.testing.assert_array_equal(kernel.emulate(A, X, two, three, x_b=four, v1=five), 2 * XF + 7)


def test_a_default_is_a_constant():
    np.testing.assert_array_equal(computed(lambda acc, alpha=2.0: alpha * acc), 2 * XF)
    np.testing.assert_array_equal(computed(functools.partial(lambda acc, alpha: alpha * acc, alpha=3)), 3 * XF)

    def scaled(acc, bias, /, alpha=0.5, *, mode="half"):
        return alpha * acc + bias if mode == "half" else acc
    bias = np.arange(64, dtype="f4")
    kernel = tc.matmul(64, 64, 64, a="f16", epilogue=scaled)
    assert kernel.arguments == ["A", "B", "bias", "D"] and "scalars" not in kernel.description
    np.testing.assert_array_equal(kernel.emulate(A, X, bias), 0.5 * XF + bias)
    # What is left of a partial function goes by name.
    rest = functools.partial(lambda acc, alpha, bias: alpha * acc + bias, alpha=3)
    np.testing.assert_array_equal(tc.matmul(64, 64, 64, a="f16", epilogue=rest).emulate(A, X, bias=bias), 3 * XF + bias)


def test_a_default_declares_an_operand():
    kernel = tc.matmul(64, 64, 64, a="f16",
                       epilogue=lambda acc, residual=tc.matrix("f16"), bias=tc.vector("m"), alpha=tc.scalar(): alpha * acc + residual + bias)
    assert kernel.arguments == ["A", "B", "residual", "bias", "D"]
    bias = np.arange(64, dtype="f4")
    np.testing.assert_array_equal(kernel.emulate(A, X, X, bias, alpha=2), 3 * XF + bias[:, None])


@pytest.mark.parametrize("epilogue, options, error, message", [
    (lambda acc: max(acc, 0), {}, TypeError, "cannot branch on a value: use tc.where, tc.maximum and tc.minimum"),
    (lambda acc: acc if 0 < acc < 3 else 0, {}, TypeError, "cannot branch"),
    (lambda acc: math.exp(acc), {}, TypeError, "use functions of tc, numpy or torch, not those of math"),
    (lambda acc: acc > 0, {}, TypeError, "expected a value of the epilogue, got Condition"),
    (lambda acc: tc.where(True, acc, 0), {}, tc.InputError, "where: expected a comparison of values of the epilogue, got bool"),
    (lambda acc: (acc > 0) & 1.5, {}, TypeError, "unsupported operand"),
    (lambda acc: np.sin(acc), {}, TypeError, r"one of numpy that epilogues compute \(absolute, .*\), got numpy.sin"),
    (lambda acc: np.sum(acc), {}, TypeError, "got numpy.sum"),
    (lambda acc: np.add.reduce(acc), {}, TypeError, "expected add of elements, got add.reduce"),
    (lambda acc: np.exp(acc, out=np.zeros(3)), {}, TypeError, "expected no 'out' for numpy.exp"),
    (lambda acc: np.ones(3) * acc, {}, TypeError, r"got ndarray of shape \(3,\); arrays are parameters of the epilogue"),
    (lambda acc: acc + np.ones(3), {}, TypeError, r"got ndarray of shape \(3,\)"),
    (lambda acc: (-2.0)**acc, {}, TypeError, "expected a power of a value or of a positive number, got one of -2.0"),
    (lambda acc: math.inf**acc, {}, TypeError, "expected a power of a value or of a positive number, got one of inf"),
    (lambda acc: acc**math.inf, {}, TypeError, "expected a power that is a value or a finite number, got inf"),
    (lambda acc: acc.clamp(min=0), {}, AttributeError, "epilogue: expected operators and functions of tc, .* got the attribute 'clamp'"),
    (lambda acc: tc.gelu(acc, approximate="erf"), {}, tc.InputError, "approximate: expected none or tanh, got 'erf'"),
    (lambda acc: round(acc, 2), {}, TypeError, "round: expected no digits, got 2"),
    (lambda acc, alpha=2.0: alpha * acc, {"operands": {"alpha": tc.scalar()}}, ValueError,
     "expected 'alpha' there or a default of the parameter, which makes it a constant, got both"),
    (lambda acc: acc, {"operands": {"bias": tc.vector()}}, ValueError,
     "'bias' is no parameter of the epilogue, expected none, as it has the sum alone"),
    (lambda acc, check: acc + check, {}, ValueError, "expected another name for the parameter 'check', which calls of kernels have"),
    (lambda acc, self: acc + self, {}, ValueError, "expected another name for the parameter 'self'"),
    (lambda *, acc: acc, {}, TypeError, "each a plain parameter"),
    (lambda acc, **more: acc, {}, TypeError, "each a plain parameter"),
])
def test_refused(epilogue, options, error, message):
    with pytest.raises(error, match=message):
        tc.matmul(64, 64, 64, epilogue=epilogue, **options)


def test_refused_of_torch():
    torch = framework("torch")
    for function, message in [(lambda x: torch.softmax(x, -1), r"one of torch that epilogues compute \(abs, .*\), got torch.softmax"),
                              (lambda x: x + torch.ones(3), r"got Tensor of shape \(3,\)"),
                              (lambda x: torch.ones(3) * x, r"got Tensor of shape \(3,\)"),
                              (lambda x: torch.div(x, 2, rounding_mode="floor"), "expected arguments of torch.div that epilogues "
                               "compute, got others: got an unexpected keyword argument 'rounding_mode'")]:
        with pytest.raises(TypeError, match=message):
            tc.matmul(64, 64, 64, epilogue=function)


def test_integers():
    """The sum of integers is an f32 there."""
    a = np.arange(-32, 32, dtype=np.int8) * np.eye(64, dtype=np.int8)
    b = np.ones((64, 64), np.int8)
    d = tc.matmul(64, 64, 64, a=np.int8, d="f16", epilogue=lambda acc: tc.where(acc < 0, np.sqrt(-acc), acc)).emulate(a, b)
    wanted = np.arange(-32, 32)[:, None] * np.ones((1, 64))
    np.testing.assert_allclose(d, np.where(wanted < 0, np.sqrt(abs(wanted)), wanted), rtol=1e-3)


def test_scalars_by_position():
    kernel = tc.matmul(64, 64, 64, a="f16", epilogue=lambda acc, bias, alpha=tc.scalar(), beta=tc.scalar(): alpha * acc + beta * bias)
    bias = np.arange(64, dtype="f4")
    wanted = 2 * XF + 3 * bias
    for arguments, named in [((A, X, bias, 2, 3.0), {}), ((A, X, bias, np.float32(3)), {"alpha": 2}), ((A, 2, X, 3, bias), {}),
                             ((A, X, 2.0, 3.0), {"bias": bias})]:
        np.testing.assert_array_equal(kernel.emulate(*arguments, **named), wanted)
    with pytest.raises(tc.InputError, match=r"expected 2 numbers \(alpha, beta\), got 3"):
        kernel.emulate(A, X, bias, 1, 2, 3)
    with pytest.raises(tc.InputError, match=r"expected 1 number \(beta\), got 2"):
        kernel.emulate(A, X, bias, 1, 2, alpha=3)
    with pytest.raises(tc.InputError, match="scalar 'beta' has no value"):
        kernel.emulate(A, X, bias, 1)
    with pytest.raises(tc.InputError, match=r"D: expected shape \(64, 64\), got \(\)"):
        tc.matmul(64, 64, 64, a="f16").emulate(A, X, 3.0)
