"""Attention with a bias or a mask by tc.torch. Tensors of the CPU, which the emulator computes."""
import math
import os

import pytest
import tc

if "torch" not in os.environ.get("TC_FRAMEWORKS", "").split():
    pytest.importorskip("torch")
import torch  # noqa: E402
import tc.torch  # noqa: E402

functional = torch.nn.functional
BOUND = 2.0**-6
BATCH, HEADS, ROWS, KEYS, COLUMNS = 2, 4, 20, 57, 32


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(5)
    torch._dynamo.reset()
    tc.torch.report(reset=True)


def operands(heads=HEADS, dtype=torch.bfloat16):
    return (torch.randn(BATCH, HEADS, ROWS, COLUMNS).to(dtype), torch.randn(BATCH, heads, KEYS, COLUMNS).to(dtype),
            torch.randn(BATCH, heads, KEYS, COLUMNS).to(dtype))


def check(result, q, k, v, bias, causal=False):
    """Against float64; a row that sees no key is 0."""
    k, v = (one.repeat_interleave(HEADS // one.shape[1], 1).double() for one in (k, v))
    scores = q.double() @ k.mT / math.sqrt(COLUMNS) + bias.double()
    if causal:
        scores = scores.masked_fill(torch.ones(ROWS, KEYS).tril().logical_not(), -math.inf)
    wanted = scores.softmax(-1).nan_to_num(0) @ v
    assert result.shape == wanted.shape
    assert float((result.double() - wanted).abs().max()) <= BOUND * float(wanted.abs().max())


def padding(dtype):
    """Keys that are not seen: all of them in the second batch's first rows."""
    bias = torch.randn(BATCH, 1, ROWS, KEYS).to(dtype)
    bias[:, :, :, 50:] = -math.inf
    bias[1, :, :3] = -math.inf
    return bias


BIASES = {
    "whole": lambda: torch.randn(BATCH, HEADS, ROWS, KEYS).half(),
    "of the heads": lambda: torch.randn(HEADS, ROWS, KEYS).bfloat16(),
    "matrix": lambda: torch.randn(ROWS, KEYS),
    "of the keys": lambda: torch.randn(BATCH, 1, 1, KEYS).bfloat16(),
    "vector": lambda: torch.randn(KEYS),
    "of the rows": lambda: torch.randn(HEADS, ROWS, 1),
    "expanded": lambda: torch.randn(1, HEADS, 1, KEYS).bfloat16().expand(BATCH, HEADS, ROWS, KEYS),
    "a part": lambda: torch.randn(BATCH, HEADS, ROWS + 3, KEYS + 4).half()[:, :, 2:-1, 3:-1],
    "transposed": lambda: torch.randn(KEYS, ROWS).bfloat16().mT,
    "padding": lambda: padding(torch.bfloat16),
}


@pytest.mark.parametrize("chip", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("name", BIASES)
def test_bias(name, chip):
    q, k, v = operands(heads=2)
    bias = BIASES[name]()
    with tc.torch.options(chip=chip, races="strict"):
        check(tc.torch.attention(q, k, v, bias=bias), q, k, v, bias)


def test_bias_and_causal():
    q, k, v = operands()
    bias = padding(torch.float32)
    check(tc.torch.attention(q, k, v, causal=True, bias=bias), q, k, v, bias, causal=True)


@pytest.mark.parametrize("kind", [torch.bool, torch.float16])
@pytest.mark.parametrize("dynamic", [False, True])
def test_mask_of_torch(kind, dynamic):
    """Truth values say which keys are seen."""
    q, k, v = operands(dtype=torch.float16)
    bias = padding(torch.float16)
    mask = bias if kind != torch.bool else bias > 0
    added = bias if kind != torch.bool else torch.zeros(bias.shape).masked_fill(mask.logical_not(), -math.inf)
    function = torch.compile(lambda q, both, mask: functional.scaled_dot_product_attention(q, *both, attn_mask=mask),
                             backend="tc", options={"rest": "eager"}, dynamic=None if dynamic else False)
    both = torch.stack([k, v])
    if dynamic:
        for one, dims in (q, [2]), (both, [3]), (mask, [2, 3]):
            torch._dynamo.mark_dynamic(one, dims)
    with torch.no_grad():
        result = function(q, both, mask)
    check(result, q, k, v, added)
    assert tc.torch.report().startswith("100.0 %")


def test_gradients_stay_with_torch():
    q, k, v = (one.requires_grad_() for one in operands())
    bias = torch.randn(ROWS, KEYS).bfloat16()
    function = torch.compile(functional.scaled_dot_product_attention, backend="tc", options={"rest": "eager"})
    gradients = torch.autograd.grad(function(q, k, v, bias).sum(), (q, k, v))
    wanted = torch.autograd.grad(functional.scaled_dot_product_attention(q, k, v, bias).sum(), (q, k, v))
    for one, other in zip(gradients, wanted):
        assert float((one - other).abs().max()) <= BOUND * float(other.abs().max())
    with pytest.raises(tc.InputError, match="bias: attention has no gradients with a bias"):
        torch.autograd.grad(tc.torch.attention(q, k, v, bias=bias).sum(), q)


@pytest.mark.parametrize("bias, message", [
    (torch.zeros(ROWS, KEYS, dtype=torch.float64), "bias: expected float32, bfloat16 or float16, got torch.float64"),
    (torch.zeros(ROWS, KEYS - 1), r"bias: expected a shape that broadcasts to \(2, 4, 20, 57\), got \(20, 56\)"),
    (torch.zeros(1, BATCH, HEADS, ROWS, KEYS), "bias: expected a shape that broadcasts to"),
])
def test_refusals(bias, message):
    with pytest.raises(tc.InputError, match=message):
        tc.torch.attention(*operands(), bias=bias)
