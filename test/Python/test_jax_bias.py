"""tc.jax.attention with a bias, on the emulator, beside XLA in f32."""
import math
import os

import numpy as np
import pytest

if "jax" in os.environ.get("TC_FRAMEWORKS", "").split():
    import jax
    import tc.jax
else:
    jax = pytest.importorskip("jax")
    pytest.importorskip("tc.jax", exc_type=ImportError)
import jax.numpy as jnp  # noqa: E402
import tc  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

BATCH, HEADS, ROWS, KEYS, COLUMNS = 2, 8, 20, 57, 32


def random(*shape, kind=jnp.bfloat16, seed=0):
    return jnp.asarray(np.random.default_rng([seed, *shape]).standard_normal(shape, "f4")).astype(kind)


def operands(heads=HEADS):
    return (random(BATCH, HEADS, ROWS, COLUMNS, seed=1), random(BATCH, heads, KEYS, COLUMNS, seed=2),
            random(BATCH, heads, KEYS, COLUMNS, seed=3))


def reference(q, k, v, bias, causal=False):
    """0 for rows that see no key."""
    q, k, v, bias = (one.astype(jnp.float32) for one in (q, k, v, bias))
    k, v = (jnp.repeat(one, q.shape[-3] // one.shape[-3], axis=-3) for one in (k, v))
    scores = jnp.matmul(q, jnp.swapaxes(k, -1, -2), precision="highest") / math.sqrt(COLUMNS) + bias
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((ROWS, KEYS), bool)), scores, -jnp.inf)
    sees = (scores > -jnp.inf).any(axis=-1, keepdims=True)
    p = jnp.where(sees, jax.nn.softmax(jnp.where(sees, scores, 0), axis=-1), 0)
    return jnp.matmul(p, v, precision="highest")


def compare(got, wanted, relative=2e-2):
    for mine, right in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        assert mine.shape == right.shape
        mine, right = np.asarray(mine, "f4"), np.asarray(right, "f4")
        assert np.isfinite(right).all() and np.abs(right).max() > 0
        assert np.abs(mine - right).max() <= relative * np.abs(right).max()


def padding(kind=jnp.float32):
    """Keys that are not seen, and rows that see none."""
    bias = random(BATCH, 1, ROWS, KEYS, kind=kind)
    return bias.at[..., 50:].set(-jnp.inf).at[1, :, :3].set(-jnp.inf)


BIASES = {
    "whole": lambda: random(BATCH, HEADS, ROWS, KEYS, kind=jnp.float16),
    "of the heads": lambda: random(HEADS, ROWS, KEYS),
    "matrix": lambda: random(ROWS, KEYS, kind=jnp.float32),
    "of the keys": lambda: random(BATCH, 1, 1, KEYS),
    "vector": lambda: random(KEYS, kind=jnp.float32),
    "of the rows": lambda: random(HEADS, ROWS, 1),
    "padding": padding,
}


@pytest.mark.parametrize("name", BIASES)
def test_bias(name):
    given = (*operands(heads=2), BIASES[name]())
    compare(tc.jax.attention(*given[:3], bias=given[3]), reference(*given))


def test_under_a_diagonal():
    given = (*operands(), padding())
    compare(jax.jit(lambda q, k, v, b: tc.jax.attention(q, k, v, causal=True, bias=b))(*given), reference(*given, True))


def test_batches():
    q, k, v = operands(heads=2)
    whole, matrix = random(BATCH, HEADS, ROWS, KEYS), random(ROWS, KEYS)
    run = lambda q, k, v, b: tc.jax.attention(q, k, v, bias=b)  # noqa: E731
    compare(jax.vmap(run)(q, k, v, whole), reference(q, k, v, whole))
    compare(jax.vmap(run, (0, 0, 0, None))(q, k, v, matrix), reference(q, k, v, matrix))
    compare(jax.vmap(run, (None, None, None, 0))(q[0], k[0], v[0], whole), reference(q[:1], k[:1], v[:1], whole))
    compare(jax.vmap(run, (0, None, None, 0))(q, k[0], v[0], whole), reference(q, k[:1], v[:1], whole))
    compare(run(q[0, 0], k[0, 0], v[0, 0], matrix), reference(q[:1, :1], k[:1, :1], v[:1, :1], matrix)[0, 0])


@pytest.mark.parametrize("name", ["of the heads", "of the keys", "padding"])
def test_gradients(name):
    given = (*operands(heads=2), BIASES[name]())

    def gradients(function):
        return jax.grad(lambda *x: (function(*x).astype(jnp.float32)**2).sum(), argnums=(0, 1, 2, 3))(*given)

    compare(gradients(lambda q, k, v, b: tc.jax.attention(q, k, v, bias=b)), gradients(reference), 5e-2)


@pytest.mark.skipif(len(jax.devices()) < 8, reason="jax was started with fewer than 8 devices")
@pytest.mark.parametrize("name, heads", [("whole", 8), ("of the heads", 2), ("of the keys", 8), ("matrix", 2)])
@pytest.mark.parametrize("spec", [("x", ), (None, "x"), (None, None, "y")])
def test_on_a_mesh(name, heads, spec):
    """What operands and the result are cut along needs no other device's part."""
    mesh = Mesh(np.asarray(jax.devices()[:8]).reshape(2, 4), ("x", "y"))

    def put(array, *spec):
        return jax.device_put(array, NamedSharding(mesh, PartitionSpec(*spec)))

    q, k, v = operands(heads)
    bias = BIASES[name]()
    run = jax.jit(lambda q, k, v, b: tc.jax.attention(q, k, v, bias=b))
    given = put(q, *spec), put(k, *spec[:2]), put(v, *spec[:2]), put(bias)
    got = run(*given)
    assert got.sharding.spec[len(spec) - 1] == spec[-1]
    assert "all-gather" not in run.lower(*given).compile().as_text()
    compare(got, reference(q, k, v, bias))


@pytest.mark.parametrize("bias, message", [
    (np.zeros((ROWS, KEYS), "i4"), "bias: expected float32, float16 or bfloat16, got int32"),
    (np.zeros((ROWS, KEYS - 1), "f4"), r"bias: expected a shape that broadcasts to \(2, 8, 20, 57\), got \(20, 56\)"),
    (np.zeros((1, BATCH, HEADS, ROWS, KEYS), "f4"), "bias: expected a shape that broadcasts to"),
])
def test_refusals(bias, message):
    with pytest.raises(tc.InputError, match=message):
        tc.jax.attention(*operands(), bias=bias)
