"""tc.torch: operations and the backend of torch.compile, on tensors of the CPU, which the emulator computes."""
import copy
import logging
import os
import subprocess
import sys

import pytest
import tc
from conftest import ROOT

if "torch" not in os.environ.get("TC_FRAMEWORKS", "").split():
    pytest.importorskip("torch")
import torch  # noqa: E402
import tc.torch  # noqa: E402
from tc.torch import _backend, _ops, _plans  # noqa: E402

functional = torch.nn.functional
BOUNDS = {torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10, torch.float32: 2.0**-9}


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(7)
    torch._dynamo.reset()
    tc.torch.report(reset=True)


def error(result, exact):
    """The largest difference, relative to the largest element."""
    assert result.shape == exact.shape and torch.isfinite(exact).all()
    return float((result.detach().double() - exact.detach()).abs().max() / exact.detach().abs().max())


def operands(m, n, k, dtype, batch=()):
    return torch.randn(*batch, m, k).to(dtype), torch.randn(*batch, k, n).to(dtype), torch.randn(n).to(dtype)


ACTIVATIONS = {
    "none": lambda x: x,
    "relu": functional.relu,
    "gelu": functional.gelu,
    "silu": functional.silu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh
}


@pytest.mark.parametrize("chip", ["sm_100a", "sm_90a", "sm_120a"])
@pytest.mark.parametrize("epilogue", ACTIVATIONS)
def test_matmul(epilogue, chip):
    a, b, bias = operands(37, 72, 40, torch.bfloat16)
    with tc.torch.options(chip=chip, races="strict"):
        d = tc.torch.matmul(a, b, bias, epilogue=epilogue)
    assert d.dtype == torch.bfloat16
    assert error(d, ACTIVATIONS[epilogue](a.double() @ b.double() + bias.double())) < BOUNDS[d.dtype]


@pytest.mark.parametrize("a_layout, b_layout", [("rows", "columns"), ("columns", "rows"), ("columns", "columns"),
                                                ("slice", "rows"), ("spread", "rows"), ("rows", "broadcast")])
def test_strides(a_layout, b_layout):

    def laid_out(tensor, layout):
        if layout == "columns":
            return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
        if layout == "slice":
            return torch.cat([tensor, tensor, tensor], -1)[..., tensor.shape[-1]:2 * tensor.shape[-1]]
        if layout == "spread":  # no dimension is contiguous
            return torch.stack([tensor, tensor], -1)[..., 0]
        return tensor[:1].expand(tensor.shape) if layout == "broadcast" else tensor

    a, b, _ = operands(24, 40, 48, torch.float16, (3, ))
    a, b = laid_out(a, a_layout), laid_out(b, b_layout)
    assert error(tc.torch.matmul(a, b), a.double() @ b.double()) < BOUNDS[torch.float16]


def test_types():
    a, b, bias = operands(32, 16, 64, torch.bfloat16)
    exact = a.double() @ b.double()
    d = tc.torch.matmul(a, b, dtype=torch.float32)
    assert d.dtype == torch.float32 and error(d, exact) < 1e-6
    out = torch.full((32, 16), float("nan"))
    assert tc.torch.matmul(a, b, bias, out=out) is out and error(out, exact + bias.double()) < 1e-6
    with tc.torch.options(f32="tf32"):
        assert error(tc.torch.matmul(a.float(), b.float(), dtype=torch.float32), exact) < BOUNDS[torch.float32]
    f8 = torch.float8_e4m3fn
    a, b = a.to(f8), b.to(f8).t().contiguous().t()
    assert error(tc.torch.matmul(a, b, dtype=torch.float32), a.double() @ b.double()) < 1e-6
    assert tc.torch.matmul(torch.zeros(0, 16).half(), torch.zeros(16, 8).half()).shape == (0, 8)


def test_many_numbers_of_rows():
    """After some, one kernel for all."""
    before = None
    b = torch.randn(32, 24).half()
    for rows in range(1, 16):
        a = torch.randn(rows, 32).half()
        assert error(tc.torch.matmul(a, b), a.double() @ b.double()) < BOUNDS[torch.float16]
        if rows == 10:
            before = _plans.kernel_for.cache_info().misses
    assert _plans.kernel_for.cache_info().misses == before


@pytest.mark.parametrize("call, message", [
    (lambda a, b: tc.torch.matmul(a, b[:-1]), "b: expected 32 rows"),
    (lambda a, b: tc.torch.matmul(a, b.float()), "b: expected torch.bfloat16"),
    (lambda a, b: tc.torch.matmul(a.float(), b.float()), "a: expected f16, bf16, fp8, or f32 that may be rounded"),
    (lambda a, b: tc.torch.matmul(a, b, epilogue="swish"), "epilogue: expected one of none, relu"),
    (lambda a, b: tc.torch.matmul(a, b, b), "bias: expected a vector of 16"),
    (lambda a, b: tc.torch.matmul(a, b, b[:, 0]), r"extras\[0\]: expected shape \(16,\)"),
    (lambda a, b: tc.torch.matmul(a[0], b), "a, b: expected two matrices"),
    (lambda a, b: tc.torch.matmul([[1.0]], b), "a: expected a tensor, got list"),
    (lambda a, b: tc.torch.matmul(a, b, out=b), r"out: expected shape \(24, 16\)"),
    (lambda a, b: tc.torch.matmul(a.double(), b.double()), "a: expected one of float32"),
    (lambda a, b: tc.torch.attention(a, b, b), "q: expected batch x heads"),
    (lambda a, b: tc.torch.attention(*[a.float()[None, None]] * 3), "q: expected bfloat16 or float16"),
    (lambda a, b: tc.torch.attention(a[None, None], b[None, None], b[None, None]), "k: expected 32 columns"),
])
def test_refusals(call, message):
    a, b, _ = operands(24, 16, 32, torch.bfloat16)
    with pytest.raises(tc.InputError, match=message):
        call(a, b)


def test_unknown_options():
    with pytest.raises(tc.InputError, match="options: expected one of chip, schedule"):
        with tc.torch.options(speed=1):
            pass
    with pytest.raises(tc.InputError, match="rest: expected one of inductor, eager"):
        _backend.backend(None, [], options={"rest": "none"})


@pytest.mark.parametrize("epilogue", ACTIVATIONS)
def test_gradients(epilogue):
    a, b, bias = (one.requires_grad_() for one in operands(40, 24, 32, torch.bfloat16))
    wide = [one.detach().double().requires_grad_() for one in (a, b, bias)]
    gradient = torch.randn(40, 24).bfloat16()
    results = torch.autograd.grad(tc.torch.matmul(a, b, bias, epilogue=epilogue), (a, b, bias), gradient)
    exact = torch.autograd.grad(ACTIVATIONS[epilogue](wide[0] @ wide[1] + wide[2]), wide, gradient.double())
    assert all(error(one, other) < 2 * BOUNDS[torch.bfloat16] for one, other in zip(results, exact))


@pytest.mark.parametrize("chip", ["sm_100a", "sm_90a"])
@pytest.mark.parametrize("heads, groups, rows, keys, columns, causal", [(4, 4, 40, 40, 64, True),
                                                                        (4, 2, 70, 33, 128, False),
                                                                        (2, 1, 20, 50, 32, True)])
def test_attention(heads, groups, rows, keys, columns, causal, chip):
    q = torch.randn(2, rows, heads, columns).bfloat16().transpose(1, 2).requires_grad_()
    k, v = (torch.randn(2, groups, keys, columns).bfloat16().requires_grad_() for _ in range(2))
    wide = [one.detach().double().requires_grad_() for one in (q, k, v)]
    with tc.torch.options(chip=chip, races="strict"):
        o = tc.torch.attention(q, k, v, causal=causal)
        gradient = torch.randn(o.shape).bfloat16()
        results = torch.autograd.grad(o, (q, k, v), gradient)
    exact = functional.scaled_dot_product_attention(wide[0],
                                                    *(one.repeat_interleave(heads // groups, 1) for one in wide[1:]),
                                                    is_causal=causal)
    assert error(o, exact) < BOUNDS[torch.bfloat16] and o.stride() == q.stride()
    for one, other in zip(results, torch.autograd.grad(exact, wide, gradient.double())):
        assert error(one, other) < 2 * BOUNDS[torch.bfloat16]


@pytest.mark.parametrize("chip", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("dtype, heads, groups, rows, keys, columns, wide, causal", [
    (torch.float16, 4, 2, 100, 70, 64, 128, False), (torch.bfloat16, 2, 2, 65, 130, 128, 128, True),
    (torch.bfloat16, 2, 2, 3, 17, 256, 128, True), (torch.bfloat16, 6, 2, 40, 2, 192, 192, False)])
def test_attention_gradients_by_tc(dtype, heads, groups, rows, keys, columns, wide, causal, chip, monkeypatch):
    """Operands and gradients in any order in memory."""
    monkeypatch.setattr(_ops, "_backward_by_torch", None)
    q = torch.randn(2, rows, heads, columns).to(dtype).transpose(1, 2).requires_grad_()
    k = torch.randn(2, groups, keys, columns).to(dtype).requires_grad_()
    v = torch.randn(2, keys, groups, wide).to(dtype).transpose(1, 2).requires_grad_()
    exact = [one.detach().double().requires_grad_() for one in (q, k, v)]
    gradient = torch.randn(rows, heads, wide, 2).permute(3, 1, 0, 2).to(dtype)
    with tc.torch.options(chip=chip, races="strict", schedule=["eager", "lazy", "random:1"]):
        results = torch.autograd.grad(tc.torch.attention(q, k, v, causal=causal), (q, k, v), gradient)
    o = functional.scaled_dot_product_attention(exact[0],
                                                *(one.repeat_interleave(heads // groups, 1) for one in exact[1:]),
                                                is_causal=causal)
    for one, other, like in zip(results, torch.autograd.grad(o, exact, gradient.double()), (q, k, v)):
        assert error(one, other) < 2 * BOUNDS[dtype] and one.stride() == like.stride()


def test_attention_gradients_by_torch(monkeypatch):
    """Of more columns than registers hold sums for."""
    seen = []
    by_torch = _ops._backward_by_torch
    monkeypatch.setattr(_ops, "_backward_by_torch", lambda *given: seen.append(1) or by_torch(*given))
    q = torch.randn(1, 2, 20, 256).bfloat16().requires_grad_()
    with tc.torch.options(chip="sm_90a"):
        torch.autograd.grad(tc.torch.attention(q, q, q).sum(), q)
    assert seen


def test_opcheck():
    a, b, bias = (one.requires_grad_() for one in operands(24, 16, 32, torch.bfloat16))
    plain = [one.detach() for one in (a, b, bias)]
    q, k, v = (torch.randn(2, 4, 20, 16).bfloat16().requires_grad_() for _ in range(3))
    o, lse = torch.ops.tc.attention(q, k, v, True)
    ops = torch.ops.tc
    for op, arguments in ((ops.matmul, (a, b, bias, "gelu")), (ops.matmul, (plain[0], plain[1])),
                          (ops.matmul_out, (plain[0], plain[1], None, "none", torch.empty(24, 16).bfloat16())),
                          (ops.product, (plain[0], plain[1], [plain[2]
                                                              ], "n", "%v0 = arith.addf %acc, %x0 : f32; yield %v0",
                                         torch.float32, "m")), (ops.attention, (q, k, v, True)),
                          (ops.attention_backward, (o.detach(), *(one.detach()
                                                                  for one in (q, k, v, o, lse)), True, None))):
        found = torch.library.opcheck(op.default, arguments)
        assert set(found.values()) == {"SUCCESS"}, (op, found)


def test_races_are_reported():
    """Options reach the emulator."""
    a, b, _ = operands(16, 16, 16, torch.bfloat16)
    with pytest.raises(tc.InputError, match="races: expected off, default or strict"):
        with tc.torch.options(races="loud"):
            tc.torch.matmul(a, b)
    with tc.torch.options(schedule=["lazy", "random:3"]):
        assert error(tc.torch.matmul(a, b), a.double() @ b.double()) < BOUNDS[torch.bfloat16]


class Block(torch.nn.Module):
    """A transformer block: norms, attention, a gated MLP."""

    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList([torch.nn.RMSNorm(width), torch.nn.LayerNorm(width)])
        self.qkv, self.out = torch.nn.Linear(width, 3 * width, bias=False), torch.nn.Linear(width, width)
        self.gate, self.up, self.down = (torch.nn.Linear(one, other, bias=False)
                                         for one, other in ((width, 160), (width, 160), (160, width)))

    def forward(self, x):
        batch, rows, width = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(batch, rows, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        o = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(o.transpose(1, 2).reshape(batch, rows, width))
        y = self.norms[1](x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


def compiled(module, rest="eager", **options):
    return torch.compile(module, backend="tc", options={"rest": rest}, **options)


def test_backend():
    module = Block().bfloat16()
    exact = copy.deepcopy(module).double()
    x = torch.randn(2, 24, 64).bfloat16()
    with torch.no_grad(), tc.torch.options(races="strict"):
        assert error(compiled(module)(x), exact(x.double())) < 2 * BOUNDS[torch.bfloat16]
    # Bias, residuals and the gate are in the kernels: what is left of elementwise work is the norms'.
    assert tc.torch.report().startswith("100.0 % of")
    assert "12 elementwise operations fused" in tc.torch.report()


def test_backend_trains():
    module = Block().bfloat16()
    exact = copy.deepcopy(module).double()
    x = torch.randn(2, 24, 64).bfloat16().requires_grad_()
    wide = x.detach().double().requires_grad_()
    results, wanted = compiled(module)(x), exact(wide)
    results.float().square().mean().backward()
    wanted.square().mean().backward()
    pairs = [(x.grad, wide.grad),
             *((one.grad, other.grad) for one, other in zip(module.parameters(), exact.parameters()))]
    assert all(error(one, other) < 4 * BOUNDS[torch.bfloat16] for one, other in pairs)
    assert tc.torch.report().startswith("100.0 % of")


def test_backend_is_dynamic():
    module = Block().bfloat16()
    exact = copy.deepcopy(module).double()
    function = compiled(module, dynamic=True)
    torch._dynamo.config.error_on_recompile = True
    try:
        with torch.no_grad():
            for batch, rows in ((2, 24), (3, 17), (5, 40)):
                x = torch.randn(batch, rows, 64).bfloat16()
                assert error(function(x), exact(x.double())) < 2 * BOUNDS[torch.bfloat16]
    finally:
        torch._dynamo.config.error_on_recompile = False
    assert "in 1 graphs" in tc.torch.report()


def run_one(function, *inputs, **options):
    torch._dynamo.reset()
    tc.torch.report(reset=True)
    with torch.no_grad():
        result = compiled(function, **options)(*inputs)
        exact = function(*[one.double() if one.is_floating_point() else one for one in inputs])
    assert error(result, exact) < 2 * BOUNDS[torch.bfloat16]
    return tc.torch.report()


EPILOGUES = {
    "hardswish": lambda s: functional.hardswish(s),
    "mish": lambda s: s * torch.tanh(functional.softplus(s)),
    "leaky": lambda s: functional.leaky_relu(s, 0.1),
    "clamp": lambda s: s.clamp(-0.5, 2.0),
    "power": lambda s: (s * s + 1.0)**-0.5,
    "where": lambda s: torch.where((s > 0) & (s <= 4), s, s * 0.25),
    "squared": lambda s: functional.relu(s)**2,
    "exponent": lambda s: torch.exp2(-s.abs()).sqrt(),
    "reversed": lambda s: 1 - 2 / (3 + s.abs()),
    "float": lambda s: (s.float() * 1.5).to(s.dtype) if s.dtype != torch.float64 else s * 1.5,
}


@pytest.mark.parametrize("name", EPILOGUES)
def test_epilogues(name):
    a, b, bias = operands(33, 40, 32, torch.bfloat16)
    report = run_one(lambda a, b, bias: EPILOGUES[name](a @ b + bias), a, b, bias)
    assert report.startswith("100.0 %") and " 0 elementwise" not in report


def test_what_surrounds_a_product():
    a, b, bias = operands(33, 40, 32, torch.bfloat16)
    rows, whole = torch.randn(33, 1).bfloat16(), torch.randn(33, 40).bfloat16()
    # A vector of rows, one of columns and a matrix; the same product twice in its epilogue.
    assert "3 elementwise" in run_one(lambda a, b, r, n, w: (a @ b * r + n) * w, a, b, rows, bias, whole)
    # What others need of the middle stays outside.
    assert "0 elementwise" in run_one(lambda a, b: (lambda s: torch.cat([s, functional.relu(s)]))(a @ b), a, b)
    # Matrices beyond the limit stay outside; what one of them becomes is computed in the kernel.
    more = [torch.randn(33, 40).bfloat16() for _ in range(3)]
    assert "2 elementwise" in run_one(lambda a, b, x, y, z: a @ b + x + y + z, a, b, *more)
    assert "3 elementwise" in run_one(lambda a, b, w: a @ b + w + torch.tanh(w) + (w + 2).float(), a, b, whole)
    # Views that are none of D's rows, and rows that are one in memory.
    assert "0 elementwise" in run_one(lambda a, b, w: a @ b + w.t().contiguous().t(), a, b, whole)
    run_one(lambda a, b, n: a @ b + n.expand(33, 40), a, b, bias)
    # Something computed from the product by other means.
    assert "0 elementwise" in run_one(lambda a, b: (lambda s: s - s.mean(-1, keepdim=True))(a @ b), a, b)
    # Batches, transposed and sliced.
    x, y = torch.randn(3, 40, 48).half(), torch.randn(3, 72, 40).half()
    assert "100.0 %" in run_one(
        lambda x, y: functional.relu(torch.bmm(x.transpose(1, 2), y[:, :40, :].transpose(1, 2))), x, y)
    assert "100.0 %" in run_one(lambda x, w: torch.baddbmm(w, x, x.transpose(1, 2), beta=0.5, alpha=2), x,
                                torch.randn(3, 40, 40).half())


LUT = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)


def wide4(packed):
    """The elements of bytes that hold two each."""
    return torch.stack([LUT[(packed & 15).long()], LUT[(packed >> 4).long()]], -1).view(packed.shape[0], -1)


def with_factors(matrix, factors, block):
    """Rows times the factors of their blocks."""
    return (matrix.double().unflatten(1, (-1, block)) * factors.double()[..., None]).flatten(1)


@pytest.mark.parametrize("chip, bound", [("sm_100a", 1e-6), ("sm_90a", 1e-3)])  # wgmma sums fp8 in fewer bits
def test_scaled(chip, bound):
    m, n, k = 72, 48, 256
    a, b = torch.randn(m, k).to(torch.float8_e4m3fn), torch.randn(n, k).to(torch.float8_e4m3fn).t()
    bias, exact = torch.randn(n).bfloat16(), a.double() @ b.double()
    rows, columns, blocks = torch.rand(m, 1) + 0.5, torch.rand(1, n) + 0.5, torch.rand(m, 2) + 0.5
    scaled = with_factors(a, blocks, 128)
    with tc.torch.options(chip=chip, races="strict"):
        for arguments, wanted in (
            ((a, b, rows, columns, bias), exact * rows * columns + bias),
            ((a, b.contiguous(), rows, columns), exact * rows * columns),
            ((a, b, torch.tensor(2.0), torch.tensor([0.25])), exact * 0.5),
            ((a, b, blocks, torch.tensor([[0.5], [3.0]]), bias), scaled @ with_factors(b.t(), torch.tensor([[0.5, 3.0]] * n), 128).t() + bias),
            ((a, b, blocks, blocks[:n].t()), scaled @ with_factors(b.t(), blocks[:n], 128).t())):
            assert error(tc.torch.scaled_matmul(*arguments, dtype=torch.float32), wanted.double()) < bound
    assert tc.torch.scaled_matmul(a, b, rows, columns).dtype == torch.bfloat16


def test_scaled_in_blocks():
    m, n, k = 72, 48, 256
    a, b = torch.randn(m, k).to(torch.float8_e4m3fn), torch.randn(n, k).to(torch.float8_e5m2)
    codes = [torch.randint(120, 132, (rows, k // 32), dtype=torch.uint8).view(torch.float8_e8m0fnu) for rows in (m, n)]
    exact = with_factors(a, codes[0], 32) @ with_factors(b, codes[1], 32).t()
    factors = [tc.pack_scales(one) for one in codes]
    assert error(tc.torch.scaled_matmul(a, b.t(), *factors, dtype=torch.float32), exact) < 1e-6
    a, b = (torch.randint(0, 256, (rows, k // 2), dtype=torch.uint8) for rows in (m, n))
    for block, kind in ((16, torch.float8_e4m3fn), (32, torch.float8_e8m0fnu)):
        codes = [torch.rand(rows, k // block).to(kind) for rows in (m, n)]
        exact = with_factors(wide4(a), codes[0], block) @ with_factors(wide4(b), codes[1], block).t()
        x, y = (one.view(torch.float4_e2m1fn_x2) for one in (a, b)) if hasattr(torch, "float4_e2m1fn_x2") else (a, b)
        d = tc.torch.scaled_matmul(x, y.t(), *(tc.pack_scales(one) for one in codes), dtype=torch.float32)
        assert error(d, exact) < 1e-6


@pytest.mark.parametrize("chip", ["sm_100a", "sm_90a"])
@pytest.mark.parametrize("channels, filters, size, stride, padding, dilation, bias, epilogue", [
    (16, 24, (3, 3), 1, 1, 1, True, "relu"), (32, 8, (1, 1), 1, 0, 1, False, "none"), (8, 40, (3, 2), 2, (1, 0), 1, True, "silu"),
    (16, 16, (3, 3), 1, 2, 2, False, "none"), (3, 16, (7, 7), 2, 3, 1, True, "none")])
def test_convolutions(channels, filters, size, stride, padding, dilation, bias, epilogue, chip):
    x, weight = torch.randn(2, channels, 13, 11).bfloat16().requires_grad_(), torch.randn(filters, channels, *size).bfloat16()
    weight, bias = weight.requires_grad_(), torch.randn(filters).bfloat16().requires_grad_() if bias else None
    leaves = [one for one in (x, weight, bias) if one is not None]
    wide = [one.detach().double().requires_grad_() for one in leaves]
    with tc.torch.options(chip=chip, races="strict"):
        d = tc.torch.conv2d(x, weight, bias, stride=stride, padding=padding, dilation=dilation, epilogue=epilogue)
        gradients = torch.autograd.grad(d, leaves, torch.ones_like(d))
    exact = ACTIVATIONS[epilogue](functional.conv2d(*wide, stride=stride, padding=padding, dilation=dilation))
    assert error(d, exact) < BOUNDS[torch.bfloat16] and d.is_contiguous(memory_format=torch.channels_last)
    for one, other in zip(gradients, torch.autograd.grad(exact, wide, torch.ones_like(exact))):
        assert error(one, other) < 2 * BOUNDS[torch.bfloat16]


def test_convolutions_refused():
    x, w = torch.randn(1, 8, 5, 5).half(), torch.randn(4, 8, 3, 3).half()
    for arguments, named, message in (((x, w[:, :4]), {}, "weight: expected 8 channels"), ((x[0], w), {}, "x, weight: expected 4 dim"),
                                      ((x, w), {"stride": 0}, "stride: expected two numbers of at least 1"),
                                      ((x.float(), w.float()), {}, "x, weight: expected bfloat16 or float16"),
                                      ((x, w, w[0, 0, 0]), {}, "bias: expected a vector of 4"), ((x, w), {"dilation": 3}, "inside of x"),
                                      ((x, w), {"epilogue": "swish"}, "epilogue: expected one of none")):
        with pytest.raises(tc.InputError, match=message):
            tc.torch.conv2d(*arguments, **named)
    found = torch.library.opcheck(torch.ops.tc.conv2d.default, (x.requires_grad_(), w, None, [1, 1], [1, 1], [1, 1], "relu"))
    assert set(found.values()) == {"SUCCESS"}


def test_backend_takes_convolutions():
    model = torch.nn.Sequential(torch.nn.Conv2d(8, 16, 3, padding=1), torch.nn.BatchNorm2d(16), torch.nn.ReLU(),
                                torch.nn.Conv2d(16, 8, 1, stride=2)).bfloat16().eval().to(memory_format=torch.channels_last)
    x = torch.randn(2, 8, 10, 10).bfloat16().to(memory_format=torch.channels_last)
    exact = copy.deepcopy(model).double()(x.double())
    for asked, share in ((True, "100.0 %"), (False, "0.0 %")):
        torch._dynamo.reset()
        tc.torch.report(reset=True)
        with torch.no_grad():
            d = torch.compile(model, backend="tc", options={"rest": "eager", "convolutions": asked})(x)
        assert error(d, exact) < 2 * BOUNDS[torch.bfloat16] and tc.torch.report().startswith(share)


def test_scaled_refusals():
    a, b = torch.zeros(24, 64).to(torch.float8_e4m3fn), torch.zeros(64, 16).to(torch.float8_e4m3fn)
    one = torch.ones(1)
    for arguments, message in (((a, b, torch.ones(5), one), "scale_a, scale_b: expected 1 or 24 and 1 or 16 factors"),
                               ((a, b, one, one.double()), "scale_b: expected torch.float32"),
                               ((a, b, one.half(), one.half()), "scale_a: expected factors of float32"),
                               ((a, b[:8], one, one), "b: expected 64 rows"), ((a.float(), b.float(), one, one), "a, b: expected float8"),
                               ((a, b, one, one, one), "bias: expected a vector of 16"),
                               ((a, b, *[torch.ones(3, dtype=torch.uint8).view(torch.float8_e8m0fnu)] * 2), "scale_a: expected 512 factors")):
        with pytest.raises(tc.InputError, match=message):
            tc.torch.scaled_matmul(*arguments)


def test_backend_takes_scaled():
    a, b = torch.randn(64, 128).to(torch.float8_e4m3fn), torch.randn(64, 128).to(torch.float8_e4m3fn).t()
    one = torch.tensor(0.5)

    def function(a, b):
        return torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16)
    for chip, share in (("sm_100a", "100.0 %"), ("sm_90a", "0.0 %")):
        torch._dynamo.reset()
        tc.torch.report(reset=True)
        with torch.no_grad(), tc.torch.options(chip=chip):
            d = compiled(function)(a, b)
        assert error(d, a.double() @ b.double() * 0.25) < BOUNDS[torch.bfloat16] and tc.torch.report().startswith(share)


def test_reasons(caplog):
    a, b, _ = operands(64, 64, 64, torch.float32)
    with caplog.at_level(logging.INFO, "tc.torch"):
        report = run_one(lambda a, b: a @ b, a, b)
    assert 'left' in caplog.text and 'torch.set_float32_matmul_precision("high")' in report and report.startswith(
        "0.0 %")
    with tc.torch.options(f32="tf32"):
        assert run_one(lambda a, b: a @ b, a, b).startswith("100.0 %")
    assert "fewer than 65536 operations" in run_one(lambda a, b: a @ b, a[:8, :8].half(), b[:8, :8].half())
    x, w = torch.randn(1, 4, 9, 9).half(), torch.randn(6, 4, 3, 3).half()
    assert "aten.convolution.default: not a product" in run_one(functional.conv2d, x, w)
    q = torch.randn(1, 2, 16, 20).half()
    assert "20 and 20 columns, expected multiples of 8" in run_one(
        lambda q: functional.scaled_dot_product_attention(q, q, q), q)


def test_autocast():
    a, b, bias = operands(32, 24, 40, torch.float32)
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        result = compiled(lambda a, b, bias: functional.linear(a, b.t(), bias))(a, b, bias)
        d = tc.torch.matmul(a, b, bias)
    assert result.dtype == d.dtype == torch.bfloat16
    exact = a.double() @ b.double() + bias.double()
    assert error(result, exact) < 2 * BOUNDS[torch.bfloat16] and error(d, exact) < 2 * BOUNDS[torch.bfloat16]


def test_with_inductor():
    module = Block().bfloat16()
    exact = copy.deepcopy(module).double()
    x = torch.randn(2, 24, 64).bfloat16()
    with torch.no_grad():
        assert error(compiled(module, "inductor")(x), exact(x.double())) < 2 * BOUNDS[torch.bfloat16]


def test_export():
    """The operations are part of an exported program."""

    class Layer(torch.nn.Module):

        def forward(self, a, b, bias):
            return tc.torch.matmul(a, b, bias, epilogue="silu")

    a, b, bias = operands(32, 24, 40, torch.bfloat16)
    program = torch.export.export(Layer(), (a, b, bias))
    assert "torch.ops.tc.matmul.default" in program.graph_module.code
    exact = functional.silu(a.double() @ b.double() + bias.double())
    assert error(program.module()(a, b, bias), exact) < BOUNDS[torch.bfloat16]


def run_program(*command):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(one for one in sys.path if one), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without torch.distributed")
@pytest.mark.parametrize("program, printed", [("test/Python/torch_sharding.py", "done"),
                                              ("examples/torch_tensor_parallel.py", "2 processes")])
def test_several_processes(program, printed):
    assert printed in run_program("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", ROOT / program)


def test_example():
    assert "100.0 % of" in run_program(ROOT / "examples" / "torch_compile.py")


class FakeKernel:
    """A kernel with one argument read and one written, and as many temporaries as asked for; its sessions record launches."""
    arguments = ["A", "D"]
    _described = {"buffers": {"A": {"shape": []}, "D": {"shape": []}}}

    def __init__(self, temporaries):
        self.layouts = {"A": (0, ), **{f"T{i}": (1 + i, ) for i in range(temporaries)}, "D": (1 + temporaries, )}
        self.sessions = []

    def _session(self, *arguments, **named):
        session = FakeSession()
        self.sessions.append(session)
        return session

    def _layouts(self, session):
        return self.layouts


class FakeSession:

    def __init__(self):
        self.launches = []

    def launch(self, addresses, stream):
        self.launches.append((list(addresses), stream))


@pytest.mark.parametrize("temporaries", [0, 1])
def test_streams(temporaries, monkeypatch):
    """Each stream has its own temporaries, but for a graph that is captured, when nothing can be allocated."""
    kernel, now = FakeKernel(temporaries), {"stream": 1, "captures": False}
    monkeypatch.setattr(_plans, "kernel_for", lambda text, chip: kernel)
    monkeypatch.setattr(_plans, "chip_of", lambda device: "sm_90a")
    monkeypatch.setattr(_plans, "_current_stream", lambda gpu: now["stream"])
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: now["captures"])
    x = torch.zeros(4)
    prepared = _plans.Prepared("text", [(x, [0]), (x, [0])])
    assert not prepared.launch([16, 8])  # TMA cannot read it
    for stream, captures in ((1, False), (2, True), (2, False), (2, False), (1, False)):
        now.update(stream=stream, captures=captures)
        assert prepared.launch([16, 32])
    addresses = [16, *[0] * temporaries, 32]
    calls = [[(addresses, stream) for stream in (1, 2, 1)], [(addresses, 2)] * 2]
    assert [one.launches for one in kernel.sessions] == (calls if temporaries else [[(addresses, one)
                                                                                     for one in (1, 2, 2, 2, 1)]])
