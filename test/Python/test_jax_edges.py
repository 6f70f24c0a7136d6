"""tc.jax at the edges: arrays without elements, batches of what is added to alone, unsigned integers, other processes."""
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
jax = pytest.importorskip("jax")
pytest.importorskip("tc.jax", exc_type=ImportError)
import jax.numpy as jnp  # noqa: E402
import tc  # noqa: E402

HAS_IREE = shutil.which("iree-compile", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))


def random(*shape, kind=jnp.float32, seed=0):
    return jnp.asarray(np.random.default_rng([seed, *shape]).standard_normal(shape, "f4")).astype(kind)


def product(a, b):
    return jnp.matmul(a, b, precision="highest")


def compare(got, wanted, relative=2e-5):
    for mine, right in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        assert mine.shape == right.shape and mine.dtype == right.dtype
        if mine.size:
            np.testing.assert_allclose(np.asarray(mine, "f4"), np.asarray(right, "f4"), relative, relative * 10)


@pytest.mark.parametrize("precision", ["highest", "default"])
@pytest.mark.parametrize("shape_a, shape_b", [((0, 16), (16, 24)), ((8, 16), (16, 0)), ((8, 0), (0, 24)), ((0, 8, 16), (0, 16, 24)),
                                              ((0, 8, 16), (16, 24)), ((3, 8, 0), (0, 24))])
def test_without_elements(shape_a, shape_b, precision):
    a, b = random(*shape_a), random(*shape_b)

    def loss(multiply):
        return lambda a, b: multiply(a, b).sum()

    def mine(a, b):
        return tc.jax.matmul(a, b, bias=jnp.ones(b.shape[-1]), epilogue="relu", precision=precision)

    def right(a, b):
        return jax.nn.relu(product(a, b) + 1)

    compare(mine(a, b), right(a, b))
    compare(jax.grad(loss(mine), (0, 1))(a, b), jax.grad(loss(right), (0, 1))(a, b))


def test_batches_of_what_is_added_to_alone():
    a, b, c = random(8, 16), random(16, 24), random(2, 3, 8, 24)

    def add(c):
        return tc.jax.matmul(a, b, accumulate=c, precision="highest")

    compare(jax.vmap(add)(c[0]), product(a, b) + c[0])
    compare(jax.vmap(jax.vmap(add))(c), product(a, b) + c)


def test_entries_are_of_a_process(tmp_path):
    kernel = tc.matmul(16, 16, 32, a="f16")
    a, b = random(16, 32, kind=jnp.float16), random(32, 16, kind=jnp.float16)
    wanted = tc.jax.call(kernel, a, b)
    (tmp_path / "kernel").write_bytes(pickle.dumps(kernel))
    np.save(tmp_path / "a.npy", a), np.save(tmp_path / "b.npy", b)
    program = "import sys, pickle, numpy, tc.jax; k = pickle.load(open('kernel', 'rb')); " \
              "numpy.save('d.npy', tc.jax.call(k, numpy.load('a.npy'), numpy.load('b.npy')))"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "d.npy"), wanted)


@pytest.mark.parametrize("name, value, message", [
    ("a", None, "a: expected an array, got NoneType"),
    ("bias", 1.0, "bias: expected 1 or more dimensions, got 0"),
    ("epilogue", ["relu"], r"epilogue: expected one of relu, .*, got \['relu'\]"),
    ("preferred_element_type", "half float", "preferred_element_type: expected float32, float16 or bfloat16, got 'half float'")])
def test_wrong_arguments_of_matmul(name, value, message):
    with pytest.raises(tc.InputError, match=message):
        tc.jax.matmul(**{"a": random(8, 16), "b": random(16, 24), name: value})


@pytest.mark.parametrize("options, message", [
    ({"scale": 1e60}, "scale: expected a number above 0 that float32 holds, got 1e"),
    ({"scale": True}, "scale: expected a number above 0 that float32 holds, got True"),
    ({"window": 2.5}, "window: expected an integer from 1 to 2147483647, got 2.5"),
    ({"window": 2**40}, "window: expected an integer from 1 to 2147483647, got 1099511627776")])
def test_wrong_arguments_of_attention(options, message):
    q = random(2, 16, 16, kind=jnp.float16)
    with pytest.raises(tc.InputError, match=message):
        tc.jax.attention(q, q, q, causal=True, **options)


@pytest.mark.skipif(not HAS_IREE, reason="no iree-compile")
@pytest.mark.parametrize("kind", ["uint8", "uint16", "uint32"])
def test_compile_unsigned(kind):
    x = jnp.asarray(np.arange(256).reshape(16, 16) * (np.iinfo(kind).max // 255)).astype(kind)

    def function(x):
        return x // 3, x.astype("float32"), jnp.maximum(x, 7)

    for mine, right in zip(tc.jax.compile(function)(x), function(x), strict=True):
        assert mine.dtype == right.dtype
        np.testing.assert_array_equal(mine, right)


@pytest.mark.skipif(not HAS_IREE, reason="no iree-compile")
def test_compile_refuses_what_loses_a_sign():
    """iree-compile 3.13 widens unsigned operands of linalg.matmul with a sign, those of inner values, too."""
    b = random(16, 16)
    for function in (lambda x: jnp.abs(x).astype("uint8").astype("float32") @ b, lambda x: jnp.matmul(
            x.astype("uint8"), x.astype("uint8"), preferred_element_type="int32")):
        with pytest.raises(tc.InputError, match="function: expected products of floats or signed integers, got one of uint8"):
            tc.jax.compile(function)(random(16, 16))
    # Those of one type wrap around, with a sign or without.
    x = jnp.asarray(np.arange(256).reshape(16, 16)).astype("uint8")
    np.testing.assert_array_equal(tc.jax.compile(lambda x: x @ x)(x), np.asarray(x) @ np.asarray(x))


@pytest.mark.skipif(not HAS_IREE, reason="no iree-compile")
def test_compile_names_the_argument():
    lowered = tc.jax.compile(lambda x, y: x @ y).lower(random(8, 16), random(16, 8))
    with pytest.raises(tc.InputError, match=r"argument 1: expected float32 of shape \(16, 8\), as it was lowered for, got bfloat16"):
        lowered(random(8, 16), random(16, 8, kind=jnp.bfloat16))
    with pytest.raises(tc.InputError, match="argument 1: expected an array, got str"):
        tc.jax.compile(lambda x, y: x)(random(8, 16), "y")
