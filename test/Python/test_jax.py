"""tc.jax on the CPU: the emulator, beside jax.numpy in f32. TC_FRAMEWORKS=jax: jax and the extension have to be there."""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
if "jax" in os.environ.get("TC_FRAMEWORKS", "").split():
    import jax
    import tc.jax
else:
    jax = pytest.importorskip("jax")
    pytest.importorskip("tc.jax", exc_type=ImportError)
import jax.numpy as jnp  # noqa: E402
import tc  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

ACTIVATIONS = {
    None: lambda x: x, "relu": jax.nn.relu, "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True), "silu": jax.nn.silu, "tanh": jnp.tanh
}
HIGHEST = {"precision": "highest"}


def random(*shape, kind=jnp.float32, seed=0):
    values = np.random.default_rng([seed, *shape]).standard_normal(shape, "f4")
    return jnp.asarray(values).astype(kind)


def reference(a, b, bias=None, epilogue=None, **_):
    """In f32, of what the kernel is given."""
    sums = jnp.matmul(a.astype(jnp.float32), b.astype(jnp.float32), precision="highest")
    return ACTIVATIONS[epilogue](sums if bias is None else sums + bias)


def attention_reference(q, k, v, causal=False, scale=None, window=None):
    q, k, v = (one.astype(jnp.float32) for one in (q, k, v))
    if q.ndim > 2:
        k, v = (jnp.repeat(one, q.shape[-3] // k.shape[-3], axis=-3) for one in (k, v))
    scores = jnp.matmul(q, jnp.swapaxes(k, -1, -2), precision="highest") * (scale or 1 / math.sqrt(q.shape[-1]))
    row, key = jnp.arange(q.shape[-2])[:, None], jnp.arange(k.shape[-2])
    seen = jnp.ones(scores.shape[-2:], bool)
    if causal:
        seen = (key <= row) & ((key > row - window) if window else True)
    return jnp.matmul(jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1), v, precision="highest")


def compare(got, wanted, relative=4e-6):
    """No element is further off than `relative` of the largest one."""
    for mine, right in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        assert isinstance(mine, jax.Array) and mine.shape == right.shape
        mine, right = np.asarray(mine, "f4"), np.asarray(right, "f4")
        assert np.isfinite(right).all() and np.abs(right).max() > 0.1
        np.testing.assert_allclose(mine, right, rtol=0, atol=relative * np.abs(right).max())


# Products.


@pytest.mark.parametrize("kind, relative", [("bfloat16", 2e-2), ("float16", 2e-3)])
@pytest.mark.parametrize("epilogue", list(ACTIVATIONS))
def test_epilogues(kind, relative, epilogue):
    a, b, bias = random(40, 72, kind=kind), random(72, 56, kind=kind), random(56)
    d = tc.jax.matmul(a, b, bias=bias, epilogue=epilogue)
    assert d.dtype == kind
    compare(d, reference(a, b, bias, epilogue), relative)
    full = jax.jit(lambda *x: tc.jax.matmul(*x, epilogue=epilogue, preferred_element_type=jnp.float32))(a, b)
    compare(full, reference(a, b, None, epilogue), 2e-5)


@pytest.mark.parametrize("kind_a, kind_b", [("float8_e4m3fn", "float8_e4m3fn"), ("float8_e5m2", "float8_e4m3fn")])
def test_fp8(kind_a, kind_b):
    a, b, bias = random(40, 64, kind=kind_a), random(64, 48, kind=kind_b), random(48, kind=jnp.bfloat16)
    d = tc.jax.matmul(a, b, bias=bias, epilogue="silu")
    assert d.dtype == jnp.float32
    compare(d, reference(a, b, bias, "silu"), 1e-5)
    half = tc.jax.matmul(a, b, preferred_element_type=jnp.bfloat16)
    assert half.dtype == jnp.bfloat16
    compare(half, reference(a, b), 1e-2)
    mine = jax.grad(lambda a: tc.jax.matmul(a, b).sum())(a)
    assert mine.dtype == a.dtype
    compare(mine, jax.grad(lambda a: reference(a, b).sum())(a.astype(jnp.float32)), 0.2)


@pytest.mark.parametrize("precision, relative", [("default", 3e-3), ("high", 2e-5), (jax.lax.Precision.HIGHEST, 1e-6),
                                                 (jax.lax.DotAlgorithmPreset.TF32_TF32_F32_X3, 1e-6), ("F32_F32_F32", 1e-6)])
def test_precisions_of_f32(precision, relative):
    a, b, bias = random(40, 72), random(72, 56), random(56)
    got = tc.jax.matmul(a, b, bias=bias, epilogue="tanh", precision=precision)
    sums = np.asarray(a, "f8") @ np.asarray(b, "f8")
    largest = np.abs(sums).max()
    np.testing.assert_allclose(got, np.tanh(sums + np.asarray(bias)), rtol=0, atol=relative * largest + 1e-5)
    compare(tc.jax.matmul(a, b, precision=precision), sums.astype("f4"), relative)
    with jax.default_matmul_precision(precision if isinstance(precision, str) else "highest"):
        compare(tc.jax.matmul(a, b), sums.astype("f4"), relative)


def test_precision_decides():
    a, b = random(40, 72), random(72, 56)
    first, second = (np.asarray(tc.jax.matmul(a, b, precision=one)) for one in ("default", "highest"))
    assert np.abs(first - second).max() > 1e-4


@pytest.mark.parametrize("shape_a, shape_b", [((3, 40, 64), (64, 48)), ((3, 40, 64), (3, 64, 48)), ((40, 64), (3, 64, 48)),
                                              ((2, 1, 40, 64), (3, 64, 48)), ((1, 40, 64), (1, 64, 48))])
@pytest.mark.parametrize("transposed", [(), ("transpose_a", ), ("transpose_b", ), ("transpose_a", "transpose_b")])
def test_batches_and_transpositions(shape_a, shape_b, transposed):
    a, b = random(*shape_a, kind=jnp.bfloat16), random(*shape_b, kind=jnp.bfloat16)
    mine = [jnp.swapaxes(one, -1, -2) if name in transposed else one for one, name in ((a, "transpose_a"), (b, "transpose_b"))]
    got = tc.jax.matmul(*mine, preferred_element_type=jnp.float32, **dict.fromkeys(transposed, True))
    compare(got, reference(a, b))


@pytest.mark.parametrize("options", [{}, {"precision": "highest"}])
def test_accumulate_takes_the_buffer_over(options):
    kind = jnp.float32 if options else jnp.bfloat16
    a, b, d = random(40, 64, kind=kind), random(64, 48, kind=kind), random(40, 48)
    wanted = reference(a, b) + d
    run = jax.jit(lambda a, b, d: tc.jax.matmul(a, b, accumulate=d, **options), donate_argnums=2)
    assert "output_to_operand_aliasing" in run.lower(a, b, d).compile().as_text()
    compare(run(a, b, d), wanted)
    assert d.is_deleted()
    mine = jax.grad(lambda d: (tc.jax.matmul(a, b, accumulate=d, **options)**2).sum())(wanted)
    compare(mine, 2 * (reference(a, b) + wanted))


# Gradients and batches.


@pytest.mark.parametrize("epilogue", list(ACTIVATIONS))
def test_gradients(epilogue):
    a, b, bias, weights = random(40, 72), random(72, 56), random(56), random(40, 56, seed=1)

    def gradients(function):
        loss = lambda a, b, bias: (function(a, b, bias=bias, epilogue=epilogue, **HIGHEST) * weights).sum()  # noqa: E731
        return jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(a, b, bias)

    compare(gradients(tc.jax.matmul), gradients(reference), 4e-6)


@pytest.mark.parametrize("shape_a, shape_b, transposed", [((3, 40, 64), (64, 48), ""), ((40, 64), (3, 64, 48), "a"),
                                                          ((3, 40, 64), (3, 64, 48), "b"), ((3, 40, 64), (64, 48), "ab")])
def test_gradients_of_batches(shape_a, shape_b, transposed):
    a, b = random(*shape_a), random(*shape_b)
    turn = {one: (lambda x: jnp.swapaxes(x, -1, -2)) if one in transposed else (lambda x: x) for one in "ab"}

    def mine(a, b):
        return tc.jax.matmul(turn["a"](a), turn["b"](b), transpose_a="a" in transposed, transpose_b="b" in transposed, **HIGHEST)

    def gradients(function):
        return jax.grad(lambda *x: (function(*x)**2).sum(), argnums=(0, 1))(a, b)

    compare(gradients(mine), gradients(reference), 4e-6)


def test_gradients_of_bf16_and_of_gradients():
    a, b = random(40, 64, kind=jnp.bfloat16), random(64, 48, kind=jnp.bfloat16)
    gradients = [jax.grad(lambda a, b: function(a, b).astype(jnp.float32).sum(), argnums=(0, 1))(a, b)
                 for function in (tc.jax.matmul, lambda a, b: jnp.matmul(a, b))]
    assert gradients[0][0].dtype == jnp.bfloat16
    compare(*gradients, 1e-2)

    def second(function):
        first = jax.grad(lambda a: function(a, random(64, 48), epilogue="gelu", **HIGHEST).sum())
        return jax.grad(lambda a: (first(a)**2).sum())(random(40, 64))

    compare(second(tc.jax.matmul), second(reference), 1e-5)


@pytest.mark.parametrize("axes", [(0, 0, 0), (0, None, None), (None, 1, None), (None, None, 0), (2, 0, None)])
def test_vmap(axes):
    shapes = [(40, 64), (64, 48), (48, )]
    operands = [random(*shape) if axis is None else random(*shape[:axis], 3, *shape[axis:]) for shape, axis in zip(shapes, axes)]
    run = [jax.vmap(lambda a, b, bias: function(a, b, bias=bias, epilogue="silu", **HIGHEST), axes)(*operands)
           for function in (tc.jax.matmul, reference)]
    compare(*run)


def test_vmap_of_gradients_and_of_vmap():
    a, b = random(2, 3, 40, 64), random(3, 64, 48)

    def run(function):
        gradient = jax.grad(lambda a, b: (function(a, b, **HIGHEST)**2).sum(), argnums=(0, 1))
        return jax.vmap(jax.vmap(gradient), (0, None))(a, b)

    compare(run(tc.jax.matmul), run(reference), 4e-6)
    d = random(40, 48)
    run = jax.vmap(lambda a, d: tc.jax.matmul(a, b[0], accumulate=d, **HIGHEST), (0, None))(a[0], d)
    compare(run, reference(a[0], b[0]) + d)


def test_inside_scan_and_checkpoint():
    x, weights = random(24, 32), random(3, 32, 32)

    def run(function):
        layer = jax.checkpoint(lambda x, w: function(x, w, epilogue="tanh", **HIGHEST))
        return jax.grad(lambda x: jax.lax.scan(lambda x, w: (layer(x, w), None), x, weights)[0].sum())(x)

    compare(run(tc.jax.matmul), run(reference), 1e-4)


# Attention.


def heads(*counts, rows=40, keys=56):
    q, k = random(*counts, rows, 32, kind=jnp.bfloat16), random(*counts[:-1], 2, keys, 32, kind=jnp.bfloat16)
    return q, k, random(*counts[:-1], 2, keys, 48, kind=jnp.bfloat16)


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"causal": True, "window": 9, "scale": 0.5}])
def test_attention(options):
    q, k, v = heads(2, 4)
    got = tc.jax.attention(q, k, v, **options)
    assert got.dtype == jnp.bfloat16
    compare(got, attention_reference(q, k, v, **options), 1e-2)


def test_attention_of_other_ranks():
    q, k, v = heads(2, 2)
    wanted = attention_reference(q, k, v)
    compare(tc.jax.attention(q[0, 0], k[0, 0], v[0, 0]), wanted[0, 0], 1e-2)
    compare(jax.vmap(jax.vmap(tc.jax.attention))(q, k, v), wanted, 1e-2)
    compare(jax.vmap(tc.jax.attention, (0, None, None))(q, k[0], v[0]), attention_reference(q, k[:1], v[:1]), 1e-2)
    compare(jax.vmap(tc.jax.attention, (None, 0, None))(q[0], k, v[0]), attention_reference(q[:1], k, v[:1]), 1e-2)


def test_gradients_of_attention():
    q, k, v = heads(2, 4)
    gradients = [jax.grad(lambda *x: function(*x, causal=True).astype(jnp.float32).var() * 1000, argnums=(0, 1, 2))(q, k, v)
                 for function in (tc.jax.attention, attention_reference)]
    compare(*gradients, 5e-2)


# A mesh.


def on_mesh(array, *spec):
    mesh = Mesh(np.asarray(jax.devices()[:8]).reshape(2, 4), ("x", "y"))
    return jax.device_put(array, NamedSharding(mesh, PartitionSpec(*spec)))


@pytest.mark.skipif(len(jax.devices()) < 8, reason="jax was started with fewer than 8 devices")
@pytest.mark.parametrize("spec_a, spec_b, spec_d, sums", [
    (("x", None), (None, "y"), ("x", "y"), 0), (("x", "y"), ("y", None), ("x", ), 1), ((None, "x"), ("x", None), (), 1),
    ((("x", "y"), None), (None, None), (("x", "y"), ), 0)])
def test_products_on_a_mesh(spec_a, spec_b, spec_d, sums):
    a, b, bias = random(64, 96), random(96, 64), random(64)
    wanted = reference(a, b, bias, "gelu")
    run = jax.jit(lambda a, b, bias: tc.jax.matmul(a, b, bias=bias, epilogue="gelu", **HIGHEST))
    operands = on_mesh(a, *spec_a), on_mesh(b, *spec_b), on_mesh(bias)
    got = run(*operands)
    assert got.sharding.spec == PartitionSpec(*spec_d)
    compare(got, wanted)
    compiled = run.lower(*operands).compile().as_text()
    assert compiled.count(" all-reduce(") + compiled.count(" all-reduce-start(") == sums
    assert "all-gather" not in compiled and "tc_call" in compiled


@pytest.mark.skipif(len(jax.devices()) < 8, reason="jax was started with fewer than 8 devices")
def test_gradients_and_batches_on_a_mesh():
    a, b = random(4, 32, 64), random(64, 48)

    def gradients(function, a, b):
        return jax.jit(jax.grad(lambda a, b: (function(a, b, epilogue="silu", **HIGHEST)**2).sum(), argnums=(0, 1)))(a, b)

    mine = gradients(tc.jax.matmul, on_mesh(a, "x", None, "y"), on_mesh(b, "y", None))
    assert mine[0].sharding.spec[0] == "x"
    compare(mine, gradients(reference, a, b), 4e-6)
    compare(jax.jit(jax.vmap(tc.jax.matmul, (0, None)))(on_mesh(a.astype(jnp.bfloat16), "y"), b.astype(jnp.bfloat16)),
            reference(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)), 2e-2)
    # A K that the devices cannot share evenly stays whole.
    a, b = random(32, 66), random(66, 48)
    compare(jax.jit(lambda a, b: tc.jax.matmul(a, b, **HIGHEST))(on_mesh(a, None, "x"), on_mesh(b, "x")), reference(a, b))


@pytest.mark.skipif(len(jax.devices()) < 8, reason="jax was started with fewer than 8 devices")
@pytest.mark.parametrize("spec, keys, options", [
    (("x", None, "y"), ("x", ), {}), (("x", None, "y"), ("x", ), {"causal": True}), ((None, "x"), (None, "x"), {"causal": True}),
    (("x", "y"), ("x", "y"), {})])
def test_attention_on_a_mesh(spec, keys, options):
    """Two heads of K: along y their groups cannot be cut, nor rows under a diagonal."""
    q, k, v = heads(2, 8)
    run = jax.jit(lambda *x: tc.jax.attention(*x, **options))
    operands = [on_mesh(q, *spec)] + [on_mesh(jnp.repeat(one, 2, axis=1) if "y" in keys else one, *keys) for one in (k, v)]
    got = run(*operands)
    assert got.sharding.spec[:len(keys)] == PartitionSpec(*keys)[:len(keys)]
    assert ("all-gather" in run.lower(*operands).compile().as_text()) == (spec[2:] == ("y", ) and bool(options))
    compare(got, attention_reference(q, k, v, **options), 1e-2)


@pytest.mark.skipif(len(jax.devices()) < 8, reason="jax was started with fewer than 8 devices")
def test_shard_map():
    a, b = random(64, 96), random(96, 48)
    mesh = Mesh(np.asarray(jax.devices()[:8]), ("x", ))
    rows = jax.shard_map(lambda a, b: tc.jax.matmul(a, b, **HIGHEST), mesh=mesh, in_specs=(PartitionSpec("x"), PartitionSpec()),
                         out_specs=PartitionSpec("x"))
    compare(jax.jit(rows)(a, b), reference(a, b))
    gradients = [jax.jit(jax.grad(lambda a, b: (run(a, b)**2).sum(), argnums=(0, 1)))(a, b) for run in (rows, reference)]
    compare(*gradients)
    kernel = tc.matmul(8, 48, 96, a="f16")
    each = jax.shard_map(lambda a, b: kernel(a, b), mesh=mesh, in_specs=(PartitionSpec("x"), PartitionSpec()),
                         out_specs=PartitionSpec("x"))
    a, b = a.astype(jnp.float16), b.astype(jnp.float16)
    compare(jax.jit(each)(a, b), reference(a, b))


@pytest.mark.skipif(len(jax.devices()) < 8, reason="jax was started with fewer than 8 devices")
@pytest.mark.parametrize("specs, result", [([("x", None), (None, "y"), ()], ("x", "y")), ([(None, "x"), ("x", None), ()], (None, None)),
                                           ([("x", "y"), ("y", None), ("x", )], ("x", None))])
def test_types_that_say_how_arrays_are_cut(specs, result):
    """The axes of jax.make_mesh are Explicit."""
    mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit, ) * 2)
    whole = random(64, 96), random(96, 64), random(64)

    def run(function):
        return lambda a, b, bias: function(a, b, bias=bias, epilogue="gelu", **HIGHEST)

    def gradients(function):
        return jax.jit(jax.grad(lambda *x: (function(*x)**2).sum(), argnums=(0, 1, 2)))

    wanted, slopes = run(reference)(*whole), gradients(run(reference))(*whole)
    with jax.set_mesh(mesh):
        operands = [jax.device_put(one, NamedSharding(mesh, PartitionSpec(*spec))) for one, spec in zip(whole, specs)]
        got, mine = jax.jit(run(tc.jax.matmul))(*operands), gradients(run(tc.jax.matmul))(*operands)
    assert jax.typeof(got).sharding.spec == PartitionSpec(*result)
    assert [jax.typeof(one).sharding.spec for one in mine] == [jax.typeof(one).sharding.spec for one in operands]
    compare(got, wanted)
    compare(mine, slopes)


@pytest.mark.skipif(len(jax.devices()) < 8, reason="jax was started with fewer than 8 devices")
def test_attention_of_such_types():
    mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit, ) * 2)
    whole = heads(2, 4)

    def gradients(function):
        return jax.jit(jax.value_and_grad(lambda *x: function(*x, causal=True).astype(jnp.float32).var() * 1000, argnums=(0, 1, 2)))

    with jax.set_mesh(mesh):
        operands = [jax.device_put(one, NamedSharding(mesh, PartitionSpec("x"))) for one in whole]
        assert jax.typeof(jax.jit(tc.jax.attention)(*operands)).sharding.spec[0] == "x"
        got = gradients(tc.jax.attention)(*operands)
    compare(got, gradients(attention_reference)(*whole), 5e-2)


# Whole functions, kernels, options.


def test_compile():
    if not shutil.which("iree-compile", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])):
        with pytest.raises(ImportError, match="pip install iree-base-compiler"):
            tc.jax.compile(jnp.sin)(jnp.ones(8))
        pytest.skip("no iree-compile")

    def function(inputs, w):
        hidden = jax.nn.relu(inputs["x"] @ w + inputs["bias"])
        return {"mean": hidden.mean(), "turned": hidden.T}

    inputs, w = {"x": random(40, 64), "bias": random(48)}, random(64, 48)
    compiled = tc.jax.compile(function)
    wanted = jax.jit(function)(inputs, w)
    compare(compiled(inputs, w), wanted, 1e-5)
    compare(jax.jit(lambda w: compiled(inputs, w)["turned"])(w), wanted["turned"], 1e-5)
    lowered = compiled.lower(inputs, w)
    assert lowered is compiled.lower(inputs, w)
    assert "stablehlo.dot_general" in lowered.stablehlo and "linalg." in lowered.text and ".entry" in lowered.kernel.ptx
    with pytest.raises(tc.InputError, match="expected arguments like"):
        lowered(w, inputs)
    # Parts of arguments, of one buffer, of what is not dense.
    parts = lambda x: (x[:20], x.T, x + 1, (x + 1)[3:, :5], x)  # noqa: E731
    compare(tc.jax.compile(parts)(inputs["x"]), parts(inputs["x"]))
    compare(jax.vmap(compiled, ({"x": 0, "bias": None}, None))({**inputs, "x": jnp.stack([inputs["x"]] * 2)}, w)["mean"],
            jnp.stack([wanted["mean"]] * 2), 1e-5)
    with pytest.raises(tc.CompileError) as error:
        tc.jax.compile(lambda x, i: x[i])(w, 3)
    assert error.value.__notes__[0].startswith(f"line {error.value.line} of the module: ")
    with pytest.raises(tc.InputError, match="argument 0: expected one of float32.*got bool"):
        tc.jax.compile(jnp.logical_not)(jnp.ones(8, bool))
    with pytest.raises(tc.TcError, match="iree-compile"):
        tc.jax.compile(lambda x: jax.pure_callback(lambda y: y, jax.ShapeDtypeStruct((8, ), x.dtype), x))(jnp.ones(8))


def test_kernels_take_arrays_of_jax():
    scaled = tc.matmul(40, 48, 64, a="f16", epilogue=lambda acc, bias, alpha: alpha * acc + bias, operands={"alpha": tc.scalar()})
    a, b, bias = random(40, 64, kind=jnp.float16), random(64, 48, kind=jnp.float16), random(48)
    wanted = 2 * reference(a, b) + bias
    compare(scaled.emulate(a, b, bias, alpha=2), wanted)
    compare(tc.jax.call(scaled, a, b, bias, 2), wanted)
    compare(jax.jit(lambda a, b, bias: scaled(a, b, bias=bias, alpha=2.0))(a, b, bias), wanted)
    assert isinstance(scaled.emulate(*map(np.asarray, (a, b, bias)), alpha=2), np.ndarray)
    with pytest.raises(tc.InputError, match="stream: expected arrays that are not of JAX"):
        jax.jit(lambda a, b, bias: scaled(a, b, bias, alpha=2, stream=1))(a, b, bias)
    with pytest.raises(tc.InputError, match="check: expected arrays that are not of JAX"):
        jax.jit(lambda a, b, bias: scaled(a, b, bias, alpha=2, check=True))(a, b, bias)


def test_any_kernel():
    kernel = tc.matmul(None, 48, 64, a="f16", epilogue=lambda acc, bias: tc.relu(acc + bias))
    a, b, bias = random(40, 64, kind=jnp.float16), random(64, 48, kind=jnp.float16), random(48)
    compare(jax.jit(lambda *x: tc.jax.call(kernel, *x))(a, b, bias), reference(a, b, bias, "relu"))
    with pytest.raises(tc.InputError, match=r"bias: expected shape \(48,\), got \(47,\)"):
        tc.jax.call(kernel, a, b, bias[:47])
    with pytest.raises(tc.InputError, match="kernel: expected a tc.Kernel, got str"):
        tc.jax.call("kernel.ptx", a)


def test_options():
    a, b = random(40, 64, kind=jnp.bfloat16), random(64, 48, kind=jnp.bfloat16)
    run = jax.jit(lambda a, b: tc.jax.matmul(a, b, preferred_element_type=jnp.float32))
    wanted = reference(a, b)
    compare(run(a, b), wanted)
    for options in ({"chip": "sm_90a"}, {"schedule": ["eager", "lazy"], "races": "strict", "check": True}, {"config": "stages=2"}):
        with tc.jax.options(**options):
            compare(run(a, b), wanted)
    with tc.jax.options(max_instructions=10), pytest.raises(jax.errors.JaxRuntimeError, match="instruction limit under eager"):
        jax.block_until_ready(run(a, b))
    compare(run(a, b), wanted)


def racing(races):
    """Two threads store to one address."""
    ptx = """.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd1;
  .reg .b32 %r1;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  st.global.u32 [%rd1], %r1;
  ret;
}
"""
    launch = {"entry": "k", "block": [64, 1, 1], "grid": [1, 1, 1], "params": [{"pointer": "out"}],
              "buffers": {"out": {"dtype": "u32", "shape": [1], "role": "out"}}}
    with tc.jax.options(races=races):
        return tc.jax.call(tc.load(ptx, json.dumps(launch)))


def test_races_are_errors_of_jax():
    assert racing("off").shape == (1, )
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"race under eager: .*:9: st\.global"):
        jax.block_until_ready(racing("default"))


# What is refused.


def refused(message, *arguments, function="matmul", **options):
    with pytest.raises(tc.InputError) as error:
        getattr(tc.jax, function)(*arguments, **options)
    assert message in str(error.value)


def test_wrong_products():
    a, b = random(40, 64), random(64, 48)
    refused("a: expected float32, float16, bfloat16, float8_e4m3fn or float8_e5m2, got int32", a.astype(int), b)
    refused("b: expected float32, as a is of float32, got bfloat16", a, b.astype(jnp.bfloat16))
    refused("b: expected an fp8 type, as a is of float8_e5m2, got float32", a.astype(jnp.float8_e5m2), b)
    refused("a: expected 2 or more dimensions, got 1", a[0], b)
    refused("b: expected K = 64, as a has shape (40, 64), got K = 63 of shape (63, 48)", a, b[:63])
    refused("b: expected batches that fit a's (2,), got (3,)", jnp.stack([a] * 2), jnp.stack([b] * 3))
    refused("bias: expected shape (48,), got (1, 48)", a, b, bias=jnp.ones((1, 48)))
    refused("bias: expected float32, float16 or bfloat16, got int32", a, b, bias=jnp.ones(48, int))
    refused("accumulate: expected shape (40, 48), got (48, 40)", a, b, accumulate=jnp.ones((48, 40)))
    refused("accumulate: expected float32, got bfloat16", a, b, accumulate=jnp.ones((40, 48), jnp.bfloat16),
            preferred_element_type=jnp.float32)
    refused("accumulate: expected neither bias nor epilogue beside it", a, b, accumulate=jnp.ones((40, 48)), epilogue="relu")
    refused("epilogue: expected one of relu, gelu, gelu_tanh, silu, tanh, got 'elu'", a, b, epilogue="elu")
    refused("precision: expected one of default", a, b, precision="double")
    refused("preferred_element_type: expected float32, float16 or bfloat16, got int8", a, b, preferred_element_type=jnp.int8)


def test_wrong_attention():
    q, k, v = heads(2, 4)
    for message, operands, options in [
        ("q: expected float16 or bfloat16, got float32", (q.astype(jnp.float32), k, v), {}),
        ("k: expected bfloat16, as q is of it, got float16", (q, k.astype(jnp.float16), v), {}),
        ("k: expected 4 dimensions, got 3", (q, k[0], v), {}),
        ("q: expected rows of a multiple of 8 elements, at most 256, got 31", (q[..., :31], k, v), {}),
        ("k: expected rows of 32 elements, as q has, got 24", (q, k[..., :24], v), {}),
        ("k: expected batches (2,), as q has, got (1,)", (q, k[:1], v), {}),
        ("k: expected heads that divide the 3 of q, got 2", (q[:, :3], k, v), {}),
        ("v: expected shape (2, 2, 56) before its columns, as k has, got (2, 2, 55)", (q, k, v[:, :, :55]), {}),
        ("scale: expected a number above 0 that float32 holds, got -1", (q, k, v), {"scale": -1}),
        ("window: expected causal=True beside it", (q, k, v), {"window": 4}),
        ("window: expected an integer from 1 to 2147483647, got 0", (q, k, v), {"window": 0, "causal": True}),
    ]:
        refused(message, *operands, function="attention", **options)


@pytest.mark.parametrize("options, message", [
    ({"chips": "sm_90a"}, "options: expected chip, config, schedule"), ({"chip": 90}, "chip: expected str, got int"),
    ({"races": "none"}, "races: expected off, default or strict, got 'none'"),
    ({"schedule": []}, "schedule: expected a name, several or 'all'"), ({"threads": -1}, "threads: expected an integer from 0 to 2147483647, got -1")])
def test_wrong_options(options, message):
    with pytest.raises(tc.InputError) as error, tc.jax.options(**options):
        pass
    assert message in str(error.value)


def test_the_handler_checks_what_it_gets():
    """Whatever the traced function said: shapes and types are those of the kernel."""
    from tc.jax import _call
    kernel = tc.matmul(64, 64, 64, a="f16")
    a = jnp.ones((64, 64), jnp.float16)
    tc.jax.call(kernel, a, a)
    key = next(iter(_call._PREPARED[kernel].values())).key

    def call(*operands, results=(jax.ShapeDtypeStruct((64, 64), jnp.float32), ), key=key):
        return jax.block_until_ready(jax.ffi.ffi_call(_call.TARGET, results)(*operands, kernel=key))

    assert call(a, a)[0][0, 0] == 64
    for operands, options, message in [((a, ), {}, "expected 2 operands and 1 results, got 1 and 1"),
                                       ((a, a.astype(jnp.bfloat16)), {}, r"B: expected f16\[64,64\], got bf16\[64,64\]"),
                                       ((a[:32], a), {}, r"A: expected f16\[64,64\], got f16\[32,64\]"),
                                       ((a, a), {"key": "x"}, "expected a kernel that this process has traced, got 'x'")]:
        with pytest.raises(jax.errors.JaxRuntimeError, match=message):
            call(*operands, **options)


@pytest.mark.parametrize("module, message", [("jax", "tc.jax: expected jax: pip install jax"),
                                             ("tc._jax", "pip install jax, then build with `pip install --no-build-isolation .`")])
def test_what_is_missing_is_named(module, message):
    code = f"import sys\nsys.modules[{module!r}] = None\nimport tc\ntry:\n  import tc.jax\nexcept ImportError as error:\n  print(error)"
    assert message in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_handler_of_cuda():
    driver = pathlib.Path(os.environ.get("TC_CUDA_LIBRARIES", ROOT / "build" / "lib" / "cuda"))
    if not (driver / "libcuda.so.1").exists() and "TC_CUDA_LIBRARIES" not in os.environ:
        pytest.skip(f"expected the emulator's driver in {driver} (TC_CUDA_LIBRARIES)")
    path = os.pathsep.join([str(driver), os.environ.get("LD_LIBRARY_PATH", "")])
    done = subprocess.run([sys.executable, pathlib.Path(__file__).parent / "jax_program.py"], capture_output=True,
                          text=True, env={**os.environ, "LD_LIBRARY_PATH": path}, check=False)
    assert done.returncode == 0 and "done" in done.stdout, done.stdout + done.stderr


# Memory, the example.


def test_calls_leave_nothing_behind():
    from tc import _jax
    a, b = random(16, 16, kind=jnp.bfloat16), random(16, 16, kind=jnp.bfloat16)
    run = jax.jit(lambda a, b: tc.jax.matmul(a, b))

    def resident():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    with tc.jax.options(races="off", threads=1):
        for _ in range(100):
            jax.block_until_ready(run(a, b))
        kernels, before = _jax.count(), resident()
        for _ in range(400):
            jax.block_until_ready(run(a, b))
    assert _jax.count() == kernels
    # A session that stayed would take more than 100 KB each.
    assert resident() - before < 400 * 20000


def test_example(examples):
    done = subprocess.run([sys.executable, examples / "jax_mlp.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    losses = [float(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("step")]
    assert len(losses) > 2 and losses[-1] < losses[0]
