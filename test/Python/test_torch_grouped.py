"""tc.torch.grouped_matmul, on tensors of the CPU, which the emulator computes."""
import os

import pytest
import tc

if "torch" not in os.environ.get("TC_FRAMEWORKS", "").split():
    pytest.importorskip("torch")
import torch  # noqa: E402
import tc.torch  # noqa: E402


def check(a, b, ends, bias=None, dtype=None):
    """All rows of groups, against float64."""
    d = tc.torch.grouped_matmul(a, b, torch.tensor(ends, dtype=torch.int32), bias, dtype=dtype)
    begin = 0
    for group, end in enumerate(ends):
        wanted = a[begin:end].double() @ b[group].double() + (0 if bias is None else bias[group].double())
        assert d[begin:end].shape == wanted.shape
        if end > begin:
            assert (d[begin:end].double() - wanted).abs().max() <= 2**-7 * wanted.abs().max()
        begin = end
    return d


@pytest.mark.parametrize("chip", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_groups(chip, dtype):
    torch.manual_seed(1)
    a, b = torch.randn(150, 72).to(dtype), torch.randn(4, 72, 40).to(dtype)
    with tc.torch.options(chip=chip, races="strict"):
        # The same kernel: only the ends differ.
        for ends in ([40, 40, 149, 150], [150] * 4, [0, 0, 0, 30]):
            assert check(a, b, ends).dtype == dtype
        # B by rows and by columns, an A that is copied, a bias of each group.
        check(a, torch.randn(4, 40, 72).to(dtype).transpose(1, 2), [1, 2, 3, 150], torch.randn(4, 40).to(dtype))
        check(torch.randn(72, 150).to(dtype).t(), b, [70, 80, 90, 150], dtype=torch.float32)


def test_many_numbers_of_rows():
    torch.manual_seed(1)
    b = torch.randn(3, 64, 32).to(torch.bfloat16)
    with tc.torch.options(chip="sm_90a"):
        for rows in range(1, 40, 3):
            check(torch.randn(rows, 64).to(torch.bfloat16), b, [rows // 3, rows // 2, rows])
    assert tc.torch.grouped_matmul(torch.empty(0, 64).to(torch.bfloat16), b, torch.zeros(3, dtype=torch.int32)).shape == (0, 32)


def test_compile():
    a, b = torch.randn(90, 64).to(torch.bfloat16), torch.randn(2, 64, 32).to(torch.bfloat16)
    ends = torch.tensor([50, 90], dtype=torch.int32)

    def function(a, b, ends):
        return torch.relu(tc.torch.grouped_matmul(a, b, ends))

    torch._dynamo.reset()
    with tc.torch.options(chip="sm_90a"):
        assert torch.equal(torch.compile(function, backend="eager", fullgraph=True)(a, b, ends), function(a, b, ends))


@pytest.mark.parametrize("change, message", [
    (lambda a, b, ends: (a[None], b, ends), "a, b: expected a matrix and a batch of matrices, got 3 and 3 dimensions"),
    (lambda a, b, ends: (a.float(), b.float(), ends), "a, b: expected both bfloat16 or both float16, got torch.float32"),
    (lambda a, b, ends: (a[:, :32], b, ends), "b: expected 32 rows of each matrix, as many as a has columns, got 64"),
    (lambda a, b, ends: (a, b, ends.long()), "offs: expected 2 elements of int32, one for each matrix of b, got (2,) of torch.int64"),
    (lambda a, b, ends: (a, b, ends, torch.zeros(32)), "bias: expected shape (2, 32), got (32,)"),
])
def test_refused(change, message):
    a, b = torch.randn(90, 64).to(torch.bfloat16), torch.randn(2, 64, 32).to(torch.bfloat16)
    with pytest.raises(tc.InputError) as caught:
        tc.torch.grouped_matmul(*change(a, b, torch.tensor([50, 90], dtype=torch.int32)))
    assert message in str(caught.value)
