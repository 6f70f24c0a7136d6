"""Tensors of torch on the emulator: torch in, torch out."""
import json
import sys

import numpy as np
import pytest
import tc
from test_frameworks import framework

torch = framework("torch")
if not hasattr(torch, "float8_e8m0fnu"):
    pytest.skip(f"torch {torch.__version__} lacks types", allow_module_level=True)

FLOATS = [("f32", torch.float32), ("f16", torch.float16), ("bf16", torch.bfloat16), ("e4m3", torch.float8_e4m3fn),
          ("e5m2", torch.float8_e5m2)]


def integers(*shape, dtype=torch.float32):
    """Small integers: products and sums are exact in every type."""
    return torch.randint(-3, 4, shape, generator=torch.Generator().manual_seed(7 + len(shape))).to(dtype)


def same(got, wanted):
    assert isinstance(got, torch.Tensor) and got.dtype == wanted.dtype
    assert torch.equal(got.float(), wanted.float())


@pytest.mark.parametrize("name, dtype", FLOATS)
def test_every_type_of_the_operands(name, dtype):
    a, b = integers(40, 64, dtype=dtype), integers(32, 64, dtype=dtype)
    same(tc.matmul(40, 32, 64, a=name, transpose_b=True).emulate(a, b, check=True), a.float() @ b.float().T)


@pytest.mark.parametrize("name, dtype", FLOATS)
def test_every_type_of_the_result(name, dtype):
    a, b = torch.eye(64, dtype=torch.float16), integers(64, 32, dtype=torch.float16)
    same(tc.matmul(64, 32, 64, a="f16", d=name).emulate(a, b), b.to(dtype))


def test_integers():
    a, b = integers(64, 64, dtype=torch.int8), integers(64, 64, dtype=torch.uint8)
    same(tc.matmul(64, 64, 64, a="i8", b="u8").emulate(a, b), a.int() @ b.int())


def test_strides():
    """The emulator copies; on a GPU strides have to be those of the kernel."""
    a, b = integers(64, 40, dtype=torch.bfloat16).T, integers(64, 64, dtype=torch.bfloat16)[:, ::2]
    kernel = tc.matmul(40, 32, 64, a="bf16", d="bf16")
    wanted = (a.float() @ b.float()).bfloat16()
    same(kernel.emulate(a, b), wanted)
    same(kernel.emulate(a.expand(40, 64), B=b), wanted)
    d = torch.zeros(32, 80, dtype=torch.bfloat16).T[::2]
    assert kernel.emulate(a, b, d) is d
    same(d, wanted)


@pytest.mark.parametrize("make", [lambda *shape: np.zeros(shape, "f4"), torch.zeros])
def test_a_result_that_is_given_is_written(make):
    a, b = integers(64, 64, dtype=torch.float16), integers(64, 32, dtype=torch.float16)
    d = make(64, 32)
    d += 5
    kernel = tc.matmul(64, 32, 64, a="f16", accumulate=True)
    assert kernel.emulate(a, b, d, schedule=["eager", "lazy"]) is d
    wanted = a.float() @ b.float() + 5
    assert (torch.as_tensor(d) == wanted).all()
    assert kernel.emulate(a.numpy(), b.numpy(), D=d) is d
    assert (torch.as_tensor(d) == 2 * wanted - 5).all()


def test_a_run_that_fails_leaves_the_result():
    a, d = torch.ones(64, 64, dtype=torch.float16), torch.zeros(64, 64)
    with pytest.raises(tc.KernelError):
        tc.matmul(64, 64, 64, a="f16").emulate(a, a, d, max_instructions=1)
    assert not d.any()


def test_results_without_dimensions():
    """The largest element, an argument that is raised, beside D."""
    kernel = tc.compile("""func.func @f(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %q: memref<64x64xf8E4M3FN>, %m: memref<f32>) {
  tmm.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%q : memref<64x64xf8E4M3FN>) amax(%m : memref<f32>)
  return
}
""")
    a, amax = torch.ones(64, 64, dtype=torch.bfloat16), torch.tensor(3.0)
    q, m = kernel.emulate(a, a, amax)
    assert m is amax and amax == 64 and q.dtype == torch.float8_e4m3fn and (q.float() == 64).all()
    # A number of numpy is an array without dimensions where the kernel has one.
    assert kernel.emulate(a, a, np.float32(100))[1] == 100


def test_torch_is_told_of_the_write():
    d = torch.zeros(64, 64)
    before = d._version
    a = torch.ones(64, 64, dtype=torch.float16)
    tc.matmul(64, 64, 64, a="f16").emulate(a, a, d)
    assert d._version > before


def packed(codes):
    return codes[:, ::2] | codes[:, 1::2] << 4


@pytest.mark.parametrize("view", [torch.uint8, getattr(torch, "float4_e2m1fn_x2", torch.uint8)])
def test_elements_of_four_bits_are_bytes(view):
    """As on a GPU."""
    codes = torch.randint(0, 16, (128, 128), dtype=torch.uint8, generator=torch.Generator().manual_seed(3))
    values = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])[codes.int()]
    factors = torch.ones(1, 1, 32, 4, 4).to(torch.float8_e8m0fnu)
    a = packed(codes).view(view)
    kernel = tc.matmul(None, 128, None, a="mxfp4")
    same(kernel.emulate(a, a, factors, factors), values @ values.T)
    # Rows that are not adjacent; bytes as torchao has factors.
    wide = torch.zeros(128, 80, dtype=torch.uint8)
    wide[:, :64] = a.view(torch.uint8)
    same(kernel.emulate(wide[:, :64], a, factors.view(torch.uint8), factors), values @ values.T)


def test_a_result_of_four_bits():
    kernel = tc.compile("""func.func @f(%a: memref<128x128xbf16>, %b: memref<64x128xbf16>, %q: memref<128x64xf4E2M1FN>,
                                         %s: memref<1x1x32x4x4xf8E4M3FN>) {
  tmm.matmul transpose_b ins(%a, %b : memref<128x128xbf16>, memref<64x128xbf16>) outs(%q : memref<128x64xf4E2M1FN>)
      scale_d(%s : memref<1x1x32x4x4xf8E4M3FN>)
  return
}
""")
    a, b = integers(128, 128, dtype=torch.bfloat16), integers(64, 128, dtype=torch.bfloat16)
    q, s = kernel.emulate(a, b)
    assert q.dtype == getattr(torch, "float4_e2m1fn_x2", torch.uint8) and tuple(q.shape) == (128, 32)
    assert s.dtype == torch.float8_e4m3fn and tuple(s.shape) == (1, 1, 32, 4, 4)
    import ml_dtypes
    codes, factors = kernel.emulate(*(x.float().numpy().astype(ml_dtypes.bfloat16) for x in (a, b)))
    assert (packed(codes.view("u1")) == q.view(torch.uint8).numpy()).all()
    assert (factors.view("u1") == s.view(torch.uint8).numpy()).all()
    given = torch.zeros_like(q)
    assert kernel.emulate(a, b, given, s.clone())[0] is given
    assert torch.equal(given.view(torch.uint8), q.view(torch.uint8))


def test_a_gradient_is_not_lost():
    a = torch.ones(64, 64, dtype=torch.float16, requires_grad=True)
    kernel = tc.matmul(64, 64, 64, a="f16")
    with pytest.raises(tc.InputError, match=r"A: expected a tensor without a gradient, .* \.detach\(\), or call under torch.no_grad"):
        kernel.emulate(a, a)
    with torch.no_grad():
        same(kernel.emulate(a, a), torch.full((64, 64), 64.))
    same(kernel.emulate(a.detach(), a.detach()), torch.full((64, 64), 64.))
    same(kernel.emulate(*[torch.nn.Parameter(a, requires_grad=False)] * 2), torch.full((64, 64), 64.))


def test_a_gradient_is_not_lost_on_a_gpu():
    class Tensor:
        is_cuda, requires_grad = True, True

    with pytest.raises(tc.InputError, match="A: expected a tensor without a gradient"):
        tc.matmul(64, 64, 64, a="f16")(Tensor(), Tensor(), stream=0)


A = torch.ones(64, 64, dtype=torch.float16)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("call, message", [
    (lambda k: k.emulate(A.bfloat16(), A), r"A: expected torch.float16 \(f16\), got torch.bfloat16"),
    (lambda k: k.emulate(A[:32], A), r"A: expected shape \(64, 64\), got \(32, 64\)"),
    (lambda k: k.emulate(A.to("meta"), A), "A: expected a tensor on the CPU, got one on meta"),
    (lambda k: k.emulate(A.float().to_sparse(), A), "A: expected a dense tensor, got one with the layout torch.sparse_coo"),
    (lambda k: k.emulate(torch.nested.nested_tensor([A, A]), A), "A: expected a dense tensor, got a nested one"),
    (lambda k: k.emulate(A, A, torch.zeros(64).expand(64, 64)), r"D: expected elements with memory of their own, .* got strides \(0, 1\)"),
    (lambda k: k.emulate(A, A, torch.zeros(200).as_strided((64, 64), (2, 1))), r"D: expected elements with memory of their own, .* got strides \(2, 1\)"),
    (lambda k: k.emulate(A.numpy(), A.numpy(), np.lib.stride_tricks.as_strided(np.zeros(200, "f4"), (64, 64), (4, 8))),
     r"D: expected elements with memory of their own, .* got strides \(4, 8\)"),
    (lambda k: k.emulate(A, A, np.broadcast_to(np.float32(0), (64, 64))), "D: expected an array that can be written, got one that is read-only"),
    (lambda k: k.emulate(A, A, torch.zeros(64, 64).double()), r"D: expected torch.float32 \(f32\), got torch.float64"),
    (lambda k: torch.vmap(lambda x: k.emulate(x, A))(A[None]), "A: expected a tensor with its elements in memory"),
])
def test_refused(call, message):
    with pytest.raises(tc.InputError, match=message):
        call(tc.matmul(64, 64, 64, a="f16"))


def test_bytes_of_the_wrong_length():
    kernel = tc.matmul(128, 128, 128, a="nvfp4")
    one = torch.ones(1, 2, 32, 4, 4).to(torch.float8_e4m3fn)
    codes = torch.zeros(128, 128, dtype=torch.uint8)
    with pytest.raises(tc.InputError, match=r"A: expected shape \(128, 128\), got \(128, 256\)"):
        kernel.emulate(codes, codes, one, one)


def test_third_party_ptx(inputs):
    """Arrays stay as they are."""
    launch = json.loads((inputs / "scale.json").read_text())
    launch["buffers"]["Y"]["role"] = "inout"
    x, y = torch.arange(100.), torch.zeros(100)
    got = tc.run_ptx(inputs / "scale.ptx", launch, {"X": x, "Y": y}, alpha=2)
    same(got["Y"], 2 * x)
    assert not y.any()


def test_numpy_stays_numpy():
    a = np.ones((64, 64), "f2")
    assert isinstance(tc.matmul(64, 64, 64, a="f16").emulate(a, a), np.ndarray) and "torch" in sys.modules
