"""tc.torch: norms and softmax of rows, beside torch."""
import os

import pytest

if "torch" not in os.environ.get("TC_FRAMEWORKS", "").split():
    pytest.importorskip("torch")
import torch  # noqa: E402
import tc.torch  # noqa: E402
from tc import InputError  # noqa: E402
from tc.torch import _norms, _plans  # noqa: E402

F = torch.nn.functional
BITS = {torch.float32: 2.0**-20, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}


def drawn(*shapes, dtype=torch.float32, grad=False):
    torch.manual_seed(sum(map(sum, shapes)))
    return [torch.randn(shape, dtype=torch.float64).to(dtype).requires_grad_(grad) for shape in shapes]


def near(got, wanted, dtype):
    wanted = wanted.double()
    assert got.dtype == dtype and got.shape == wanted.shape
    torch.testing.assert_close(got.double(), wanted, rtol=BITS[dtype], atol=4 * BITS[dtype])


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("shape", [(3, 5, 100), (1, 1), (7, 1031), (4096, )])
def test_results(dtype, shape):
    x, residual, weight, bias = drawn(shape, shape, shape[-1:], shape[-1:], dtype=dtype)
    wide = x.double()
    near(tc.torch.rms_norm(x, weight, eps=1e-5), F.rms_norm(wide, shape[-1:], weight.double(), 1e-5), dtype)
    near(tc.torch.rms_norm(x), F.rms_norm(wide, shape[-1:], None, 1e-6), dtype)
    near(tc.torch.layer_norm(x, weight, bias), F.layer_norm(wide, shape[-1:], weight.double(), bias.double()), dtype)
    near(tc.torch.layer_norm(x, None, bias), F.layer_norm(wide, shape[-1:], None, bias.double()), dtype)
    near(tc.torch.layer_norm(x), F.layer_norm(wide, shape[-1:]), dtype)
    near(tc.torch.softmax(x), wide.softmax(-1), dtype)
    y, total = tc.torch.rms_norm(x, weight, residual=residual)
    assert torch.equal(total, x + residual)
    near(y, F.rms_norm(total.double(), shape[-1:], weight.double(), 1e-6), dtype)


def test_weights_of_another_type_and_strides():
    x, weight = drawn((40, 6), (40, ), dtype=torch.bfloat16)
    near(tc.torch.rms_norm(x.t(), weight.float()), F.rms_norm(x.t().double(), (40, ), weight.double(), 1e-6),
         torch.bfloat16)
    assert tc.torch.softmax(torch.empty(0, 5)).shape == (0, 5)


def test_one_kernel_for_any_rows():
    x, weight = drawn((3, 100), (100, ))
    for text in (_norms._rms_text({
            "x": x,
            "weight": weight
    }, 1e-5), _norms._layer_text({
            "x": x,
            "weight": weight
    }, 1e-5), _norms._softmax_text({"x": x}, None)):
        for chip in ("sm_80", "sm_90a", "sm_100a"):
            assert len(_plans.kernel_for(text, chip)._described["launches"]) == 1
    before = _plans.kernel_for.cache_info().misses
    for rows in (2, 9, 300):
        tc.torch.softmax(drawn((rows, 77))[0])
    assert _plans.kernel_for.cache_info().misses == before + 1


CALLS = {
    "rms_norm": (tc.torch.rms_norm, lambda x, w: F.rms_norm(x, w.shape, w, 1e-6), 1),
    "rms_norm_alone": (tc.torch.rms_norm, lambda x: F.rms_norm(x, x.shape[-1:], None, 1e-6), 0),
    "layer_norm": (tc.torch.layer_norm, lambda x, w, b: F.layer_norm(x, w.shape, w, b), 2),
    "softmax": (tc.torch.softmax, lambda x: x.softmax(-1), 0),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradients(name):
    ours, torchs, rows = CALLS[name]
    inputs = drawn((3, 4, 24), *[(24, )] * rows, grad=True)
    wide = [one.detach().double().requires_grad_() for one in inputs]
    result, wanted = ours(*inputs), torchs(*wide)
    gradient, = drawn(tuple(result.shape))
    for got, exact in zip(torch.autograd.grad(result, inputs, gradient),
                          torch.autograd.grad(wanted, wide, gradient.double())):
        torch.testing.assert_close(got.double(), exact, rtol=1e-4, atol=1e-5)


def test_gradients_with_a_residual():
    inputs = drawn((3, 24), (3, 24), (24, ), grad=True)
    wide = [one.detach().double().requires_grad_() for one in inputs]
    of_y, of_sum = drawn((3, 24), (3, 24))
    y, total = tc.torch.rms_norm(inputs[0], inputs[2], residual=inputs[1])
    exact = wide[0] + wide[1]
    wanted = torch.autograd.grad([F.rms_norm(exact, (24, ), wide[2], 1e-6), exact], wide,
                                 [of_y.double(), of_sum.double()])
    for got, one in zip(torch.autograd.grad([y, total], inputs, [of_y, of_sum]), wanted):
        torch.testing.assert_close(got.double(), one, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("op, shapes", [("rms_norm", [(3, 24), (24, )]), ("rms_norm", [(3, 24)]),
                                        ("add_rms_norm", [(3, 24), (3, 24), (24, )]),
                                        ("layer_norm", [(3, 24), (24, ), (24, )]), ("softmax", [(2, 3, 24)])])
def test_opcheck(op, shapes):
    torch.library.opcheck(getattr(torch.ops.tc, op).default, tuple(drawn(*shapes, grad=True)))


def test_compiled_and_exported():

    class Block(torch.nn.Module):

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(drawn((24, ))[0])

        def forward(self, x):
            y, total = tc.torch.rms_norm(x, self.weight, residual=x * 2)
            return tc.torch.softmax(tc.torch.layer_norm(y)) + total

    module, (x, ) = Block(), drawn((5, 24))
    wanted = module(x)
    torch.testing.assert_close(torch.compile(module, backend="aot_eager", fullgraph=True)(x), wanted)
    rows = torch.export.Dim("rows", min=2, max=100)
    program = torch.export.export(module, (x, ), dynamic_shapes=({0: rows}, ))
    x, = drawn((9, 24))
    torch.testing.assert_close(program.module()(x), module(x))


def test_refusals():
    x, weight = drawn((3, 24), (24, ))
    for text, call in {
            "x: expected float32, float16 or bfloat16, got torch.int32": lambda: tc.torch.softmax(x.int()),
            "x: expected at least one dimension, got none": lambda: tc.torch.softmax(x[0, 0]),
            r"weight: expected shape \(24,\), got \(3,\)": lambda: tc.torch.rms_norm(x, weight[:3]),
            r"bias: expected shape \(24,\), got \(3,\)": lambda: tc.torch.layer_norm(x, weight, weight[:3]),
            r"residual: expected shape \(3, 24\), got \(24,\)": lambda: tc.torch.rms_norm(x, residual=weight),
            "residual: expected torch.float32, got torch.float16": lambda: tc.torch.rms_norm(x, residual=x.half()),
            "weight: expected float32, float16 or bfloat16, got torch.int32":
            lambda: tc.torch.rms_norm(x, weight.int()),
            "eps: expected a finite number of at least 0, got -1": lambda: tc.torch.rms_norm(x, eps=-1.0),
            "eps: expected a finite number of at least 0, got inf": lambda: tc.torch.layer_norm(x, eps=float("inf")),
            "weight: expected a tensor, got list": lambda: tc.torch.rms_norm(x, [1.0] * 24),
    }.items():
        with pytest.raises(InputError, match=text):
            call()


def test_ahead_of_time(tmp_path):
    """A package of AOTInductor calls the operations, with another number of rows too."""

    class Block(torch.nn.Module):

        def __init__(self):
            super().__init__()
            self.a, self.weight = (torch.nn.Parameter(one) for one in drawn((64, 96), (96, ), dtype=torch.bfloat16))

        def forward(self, x):
            return tc.torch.rms_norm(tc.torch.matmul(x, self.a, epilogue="gelu"), self.weight)

    module, (x, ) = Block(), drawn((48, 64), dtype=torch.bfloat16)
    program = torch.export.export(module, (x, ), dynamic_shapes=({0: torch.export.Dim("rows", min=2, max=512)}, ))
    package = torch._inductor.aoti_compile_and_package(program, package_path=str(tmp_path / "block.pt2"))
    compiled = torch._inductor.aoti_load_package(package)
    for rows in (48, 100):
        x, = drawn((rows, 64), dtype=torch.bfloat16)
        assert torch.equal(compiled(x), module(x))
