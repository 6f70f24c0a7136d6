"""tc.torch at its edges: derivatives of derivatives, transforms, attention of any strides and shapes, sizes that only
the run knows. Tensors of the CPU, which the emulator computes."""
import os

import pytest
import tc

if "torch" not in os.environ.get("TC_FRAMEWORKS", "").split():
    pytest.importorskip("torch")
import torch  # noqa: E402
import tc.torch  # noqa: E402

functional = torch.nn.functional
BOUND = 2.0**-6
attend = functional.scaled_dot_product_attention


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(11)
    torch._dynamo.reset()
    tc.torch.report(reset=True)


def random(*shape, grad=False, dtype=torch.bfloat16):
    return torch.randn(shape).to(dtype).requires_grad_(grad)


def wide(tensors):
    return [
        one.detach().double().requires_grad_(one.requires_grad) if one.is_floating_point() else one for one in tensors
    ]


def check(function, *inputs):
    """Compares a compiled function and its gradients with float64; returns the report."""
    compiled = torch.compile(function, backend="tc", options={"rest": "eager"})
    check_equal(compiled(*inputs), inputs, function)
    return tc.torch.report()


def check_equal(result, inputs, exact):
    others = wide(inputs)
    wanted = exact(*others)
    pairs = [(result, wanted)]
    if leaves := [one for one in inputs if one.requires_grad]:
        gradient = torch.randn(result.shape).to(result.dtype)
        pairs += zip(torch.autograd.grad(result, leaves, gradient),
                     torch.autograd.grad(wanted, [one for one in others if one.requires_grad], gradient.double()))
    for one, other in pairs:
        assert one.shape == other.shape
        assert float((one.detach().double() - other.detach()).abs().max()) <= BOUND * float(other.detach().abs().max())


def test_sums_of_conditions():
    """Their sum is true or false, too."""

    def function(a, b):
        s = a @ b
        return ((s > 0) + (s > 3)).to(a.dtype)

    a, b = random(40, 48), random(48, 40)
    result = torch.compile(function, backend="tc", options={"rest": "eager"})(a, b)
    assert torch.equal(result, ((a.float() @ b.float()) > 0).to(a.dtype))


@pytest.mark.parametrize("epilogue, exact", [("none", lambda x: x), ("gelu", functional.gelu), ("tanh", torch.tanh)])
def test_second_derivatives(epilogue, exact):

    def penalty(function, inputs):
        y = function(*inputs)
        gradient, = torch.autograd.grad((y * y).sum() / 64, inputs[0], create_graph=True)
        return torch.autograd.grad((gradient * gradient).sum() / 64, inputs)

    inputs = [random(24, 32, grad=True), random(32, 40, grad=True), random(40, grad=True)]
    results = penalty(lambda a, b, bias: tc.torch.matmul(a, b, bias, epilogue=epilogue), inputs)
    wanted = penalty(lambda a, b, bias: exact(a @ b + bias), wide(inputs))
    for one, other in zip(results, wanted):
        assert float((one.detach().double() - other.detach()).abs().max()) <= BOUND * float(other.detach().abs().max())


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_transforms():
    a, b, many = random(24, 32), random(32, 40), random(3, 24, 32)

    def loss(product, a, b):
        return torch.tanh(product(a, b)).sum()

    for transform, first in ((torch.func.grad, a), (lambda f: torch.vmap(torch.func.grad(f), (0, None)), many)):
        result = transform(lambda a, b: loss(tc.torch.matmul, a, b))(first, b)
        wanted = transform(lambda a, b: loss(torch.matmul, a, b))(first.double(), b.double())
        assert float((result.double() - wanted).abs().max()) <= BOUND * float(wanted.abs().max())
    assert torch.equal(torch.vmap(tc.torch.matmul, (0, None))(many, b)[1], tc.torch.matmul(many[1], b))
    q, k, v = random(3, 1, 2, 24, 32), random(1, 2, 24, 32), random(1, 2, 24, 32)
    result = torch.vmap(torch.func.grad(lambda q: tc.torch.attention(q, k, v).float().sum()))(q)
    wanted = torch.vmap(torch.func.grad(lambda q: attend(q, k.double(), v.double()).sum()))(q.double())
    assert float((result.double() - wanted).abs().max()) <= BOUND * float(wanted.abs().max())


def test_forward_mode_is_refused():
    """Rather than tangents of zero."""
    a, b = random(24, 32), random(32, 40)
    with pytest.raises(NotImplementedError, match="jvp"):
        torch.func.jvp(lambda a: tc.torch.matmul(a, b), (a, ), (a, ))
    with torch.autograd.forward_ad.dual_level(), pytest.raises(NotImplementedError, match="jvp"):
        tc.torch.matmul(torch.autograd.forward_ad.make_dual(a, a), b)


@pytest.mark.parametrize("call, message", [
    (lambda q: tc.torch.attention(q, q, q, scale=0.0), "scale: expected a finite number above 0, got 0.0"),
    (lambda q: tc.torch.attention(q, q, q, scale=float("nan")), "scale: expected a finite number above 0, got nan"),
    (lambda q: tc.torch.attention(q[..., :20], q[..., :20], q), "q: expected columns in multiples of 8 to 256, got 20"),
    (lambda q: tc.torch.attention(q, q, q[..., :20]), "v: expected columns in multiples of 8 to 256, got 20"),
    (lambda q: tc.torch.matmul(q[0, 0], q[0, 0].t(), out=q[0, 0, :, :24]), "out: expected memory that no operand"),
])
def test_refusals(call, message):
    q = random(2, 4, 24, 24)
    with pytest.raises(tc.InputError, match=message):
        call(q)


ATTENTION = {
    "more columns of v": lambda q, k, v: attend(q, k, torch.cat([v, v], -1)),
    "fewer columns of v": lambda q, k, v: attend(q, k, v[..., :16]),
    "columns outside": lambda q, k, v: attend(q.mT, k.mT, v.mT),
    "a gradient of columns": lambda q, k, v: attend(q, k, v).mT * torch.arange(32).to(q.dtype),
    "rows at odd places": lambda q, k, v: attend(*(functional.pad(one, (0, 1))[..., :-1] for one in (q, k, v))),
    "heads that are one": lambda q, k, v: attend(q, k[:, :1].expand(k.shape), v[:, :1].expand(v.shape)),
    "batches that are one": lambda q, k, v: attend(q[:1].expand(q.shape), k, v),
    "rows that are no keys": lambda q, k, v: attend(q, k[:, :, 3:], v[:, :, 3:], is_causal=True),
}


@pytest.mark.parametrize("name", ATTENTION)
def test_attention(name):
    report = check(ATTENTION[name], *(random(2, 4, 32, 32, grad=True) for _ in range(3)))
    assert report.startswith("100.0 %")


@pytest.mark.parametrize("shapes", [(2, 4, 1, 4), (1, 4, 2, 4), (2, 1, 2, 4)])
def test_attention_that_broadcasts(shapes):
    """torch's kernels take it apart."""
    batch, heads, batch_k, heads_k = shapes
    inputs = random(batch, heads, 24, 32), random(batch_k, heads_k, 24, 32), random(batch_k, heads_k, 24, 32)
    check(attend, *inputs)


@pytest.mark.parametrize("scale", [0.0, -0.5])
def test_attention_of_other_scales(scale):
    report = check(lambda q, k, v: attend(q, k, v, scale=scale), *(random(1, 2, 24, 32) for _ in range(3)))
    assert f"a scale of {scale}, expected a finite number above 0" in report


def test_sizes_that_only_the_run_knows():
    """Are taken for large ones."""
    weight = random(48, 40)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        function = torch.compile(lambda x, mask: functional.relu(x[mask] @ weight.to(x.dtype)), backend="tc",
                                 options={"rest": "eager"})
        x = random(80, 48)
        for rows in (80, 17, 0):
            mask = torch.arange(80) < rows
            assert torch.allclose(function(x, mask).float(), functional.relu(x[mask].float() @ weight.float()),
                                  rtol=BOUND, atol=0.05)
    assert tc.torch.report().startswith("100.0 % of")


def test_report_counts_operations_of_its_own_and_grouped_ones():
    a, b = random(64, 64), random(64, 64)
    options = {"backend": "tc", "options": {"rest": "eager"}}
    torch.compile(lambda a, b: tc.torch.matmul(a, b, epilogue="relu"), **options)(a, b)
    assert tc.torch.report(reset=True).startswith("100.0 % of 5.24e+05")
    if not hasattr(torch, "_grouped_mm"):
        pytest.skip("this torch has no grouped products")
    ends = torch.tensor([16, 64], dtype=torch.int32)
    torch.compile(lambda a, b: torch._grouped_mm(a, b.expand(2, 64, 64).contiguous(), ends), **options)(a, b)
    assert "aten._grouped_mm.default: not a product" in tc.torch.report()
    assert tc.torch.report().startswith("0.0 % of 5.24e+05")


def test_operand_of_many_operations():
    """Is read, and needs no deep stack."""

    def function(a, b, c):
        for _ in range(1500):
            c = -c
        return a @ b + c

    check(function, random(24, 48), random(48, 40), random(24, 40))
