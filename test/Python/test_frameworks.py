"""Results beside those of frameworks on the CPU. TC_FRAMEWORKS names those that have to be there (jax, torch)."""
import importlib
import os

import numpy as np
import pytest
import tc

WANTED = os.environ.get("TC_FRAMEWORKS", "").split()


def framework(name):
    if name in WANTED:
        return importlib.import_module(name)
    return pytest.importorskip(name)


CASES = [("bf16", "gelu"), ("f16", "silu"), ("e4m3", "relu"), ("bf16", "tanh")]


def operands(m, n, k):
    rng = np.random.default_rng(11)
    return rng.standard_normal((m, k), "f4"), rng.standard_normal((n, k), "f4"), rng.standard_normal(n, "f4")


def compiled(element, activation, m, n, k):
    return tc.matmul(m, n, k, a=element, transpose_b=True, epilogue=lambda acc, bias: getattr(tc, activation)(acc + bias))


def compare(d, wanted):
    """f32 sums in any order, of products that are exact."""
    assert d.dtype == np.float32 and np.isfinite(wanted).all()
    np.testing.assert_allclose(d, wanted, rtol=1e-4, atol=1e-3)
    assert np.abs(wanted).max() > 0.9


@pytest.mark.parametrize("element, activation", CASES)
def test_jax(element, activation):
    jax = framework("jax")
    import jax.numpy as jnp
    kind = {"bf16": jnp.bfloat16, "f16": jnp.float16, "e4m3": jnp.float8_e4m3fn}[element]
    a, b, bias = operands(72, 64, 128)
    a, b = jnp.asarray(a).astype(kind), jnp.asarray(b).astype(kind)
    sums = jnp.matmul(a.astype("float32"), b.astype("float32").T, precision="highest") + bias
    function = {"gelu": lambda x: jax.nn.gelu(x, approximate=False), "tanh": jnp.tanh}.get(activation) or getattr(
        jax.nn, activation)
    compare(compiled(element, activation, 72, 64, 128).emulate(a, b, bias), np.asarray(function(sums)))


@pytest.mark.parametrize("element, activation", CASES)
def test_torch(element, activation):
    torch = framework("torch")
    kind = {"bf16": "bfloat16", "f16": "float16", "e4m3": "float8_e4m3fn"}[element]
    if not hasattr(torch, kind):
        pytest.skip(f"torch {torch.__version__} has no {kind}")
    a, b, bias = (torch.from_numpy(array) for array in operands(72, 64, 128))
    a, b = a.to(getattr(torch, kind)), b.to(getattr(torch, kind))
    sums = a.double() @ b.double().T + bias
    function = torch.tanh if activation == "tanh" else getattr(torch.nn.functional, activation)
    compare(compiled(element, activation, 72, 64, 128).emulate(a, b, bias).numpy(), function(sums).numpy())
