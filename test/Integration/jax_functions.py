"""Functions of jax.numpy that jax_models.py prints, compiles and runs: (name, function, arguments, roundings, options
of tc-compile).

`roundings` is how many times a value on its way to the result is rounded to the narrowest type in the function, at most;
what jit makes of the function on the CPU and what our kernels compute may each be off by that.
"""
import jax
import jax.numpy as jnp
from jax import lax

BF, HALF, F32, I8, I32 = jnp.bfloat16, jnp.float16, jnp.float32, jnp.int8, jnp.int32
FUNCTIONS = []


def add(*arguments, roundings=4, name=None, options=()):

    def register(function):
        FUNCTIONS.append((name or function.__name__, function, arguments, roundings, options))
        return function

    return register


def f32_product(a, b):
    return jnp.matmul(a, b, preferred_element_type=F32)


# Layers.


@add(((40, 64), BF), ((64, 72), BF), ((72, ), F32))
def linear_bias_relu(x, w, b):
    return jax.nn.relu(f32_product(x, w) + b)


@add(((40, 64), BF), ((64, 96), BF), ((96, ), BF), ((96, 24), BF), ((24, ), BF), roundings=8)
def mlp_relu(x, w1, b1, w2, b2):
    return jax.nn.relu(x @ w1 + b1) @ w2 + b2


@add(((40, 64), BF), ((64, 96), BF), ((96, 24), BF), roundings=16)
def mlp_gelu_tanh(x, w1, w2):
    return jax.nn.gelu(x @ w1) @ w2


@add(((40, 64), BF), ((64, 96), BF), ((96, 24), BF), roundings=16)
def mlp_gelu_erf(x, w1, w2):
    return jax.nn.gelu(x @ w1, approximate=False) @ w2


@add(((40, 64), BF), ((64, 96), BF), ((64, 96), BF), ((96, 64), BF), roundings=16)
def swiglu_block(x, gate, up, down):
    return (jax.nn.silu(x @ gate) * (x @ up)) @ down


@add(((40, 64), BF), ((64, 96), BF), ((64, 96), BF), roundings=4)
def geglu_in_f32(x, gate, up):
    return (jax.nn.gelu(f32_product(x, gate)) * f32_product(x, up)).astype(BF)


@add(((40, 64), HALF), ((64, 96), HALF), ((96, 24), HALF), roundings=12)
def mlp_half(x, w1, w2):
    return jnp.tanh(x @ w1) @ w2


@add(((3, 20, 64), BF), ((64, 72), BF), ((72, ), BF))
def dense_on_tokens(x, w, b):
    return x @ w + b


@add(((40, 64), BF), ((64, 64), BF), ((64, 64), BF), roundings=16)
def residual_blocks(x, w1, w2):
    x = x + jax.nn.relu(x @ w1)
    return x + jax.nn.relu(x @ w2)


@add(((40, 64), BF), ((4, 64, 64), BF), roundings=24)
def layers_by_scan(x, w):
    return lax.scan(lambda carry, layer: (jnp.tanh(carry @ layer), None), x, w)[0]


@add(((40, 64), BF), ((64, 8), BF), ((8, 72), BF), ((64, 72), BF), roundings=8)
def lora(x, down, up, w):
    return x @ w + (x @ down) @ up * BF(0.5)


# Normalisation.


@add(((40, 64), BF), ((64, ), F32), ((64, ), F32), ((64, 72), BF), roundings=8)
def layer_norm_linear(x, scale, shift, w):
    x = x.astype(F32)
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean)**2).mean(-1, keepdims=True)
    return ((x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift).astype(BF) @ w


@add(((40, 64), BF), ((64, ), F32), ((64, 72), BF), roundings=8)
def rms_norm_linear(x, scale, w):
    x = x.astype(F32)
    return (x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale).astype(BF) @ w


@add(((40, 64), BF), ((64, 24), BF))
def log_softmax_of_logits(x, w):
    return jax.nn.log_softmax(f32_product(x, w), axis=-1)


@add(((40, 64), BF), ((64, 24), BF), ((40, 24), F32))
def cross_entropy(x, w, targets):
    return -(jax.nn.log_softmax(f32_product(x, w)) * targets).sum(-1).mean()


# Attention.


@add(((2, 3, 40, 16), BF), ((2, 3, 24, 16), BF), ((2, 3, 24, 32), BF), roundings=8)
def attention_bhqd(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k, preferred_element_type=F32) * 0.25
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1).astype(BF), v)


@add(((2, 40, 3, 16), BF), ((2, 24, 3, 16), BF), ((2, 24, 3, 32), BF), roundings=8)
def attention_bqhd(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=F32) * 0.25
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1).astype(BF), v)


@add(((2, 40, 16), BF), ((2, 40, 16), BF), ((2, 40, 16), BF), roundings=8)
def attention_causal(q, k, v):
    scores = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=F32) * 0.25
    mask = jnp.tril(jnp.ones((40, 40), bool))
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1).astype(BF), v)


@add(((2, 24, 64), BF), ((64, 4, 16), BF), ((64, 4, 16), BF), ((64, 4, 16), BF), ((4, 16, 64), BF), roundings=24)
def multi_head_attention(x, wq, wk, wv, wo):
    q, k, v = (jnp.einsum("bte,ehd->bthd", x, w) for w in (wq, wk, wv))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=F32) * 0.25
    out = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1).astype(BF), v)
    return jnp.einsum("bqhd,hde->bqe", out, wo)


@add(((2, 24, 2, 3, 16), BF), ((2, 24, 2, 16), BF), ((2, 24, 2, 16), BF), roundings=8)
def grouped_query_attention(q, k, v):
    scores = jnp.einsum("bqgrd,bkgd->bgrqk", q, k, preferred_element_type=F32) * 0.25
    return jnp.einsum("bgrqk,bkgd->bqgrd", jax.nn.softmax(scores, axis=-1).astype(BF), v)


@add(((2, 24, 16), BF), ((24, 8), F32), ((24, 8), F32), ((2, 24, 16), BF), roundings=8)
def rotary_scores(q, cosine, sine, k):

    def rotate(x):
        a, b = x[..., :8].astype(F32), x[..., 8:].astype(F32)
        return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1).astype(BF)

    return jnp.einsum("bqd,bkd->bqk", rotate(q), rotate(k), preferred_element_type=F32)


# Convolutions.


def conv(x, w, strides, padding, layouts, dilation=None, groups=1):
    return lax.conv_general_dilated(x, w, strides, padding, rhs_dilation=dilation, dimension_numbers=layouts,
                                    feature_group_count=groups)


@add(((2, 10, 10, 16), BF), ((3, 3, 16, 32), BF))
def conv_same(x, w):
    return conv(x, w, (1, 1), "SAME", ("NHWC", "HWIO", "NHWC"))


@add(((2, 16, 12, 12), BF), ((32, 16, 3, 3), BF))
def conv_nchw(x, w):
    return conv(x, w, (1, 1), "VALID", ("NCHW", "OIHW", "NCHW"))


@add(((2, 11, 13, 8), BF), ((3, 2, 8, 24), BF), ((24, ), BF), roundings=6)
def conv_strided_bias_relu(x, w, b):
    return jax.nn.relu(conv(x, w, (2, 3), "VALID", ("NHWC", "HWIO", "NHWC")) + b)


@add(((1, 12, 12, 16), BF), ((3, 3, 16, 16), BF))
def conv_dilated(x, w):
    return conv(x, w, (1, 1), "VALID", ("NHWC", "HWIO", "NHWC"), (2, 2))


@add(((2, 40, 16), BF), ((3, 16, 32), BF))
def conv_1d(x, w):
    return conv(x, w, (1, ), "SAME", ("NWC", "WIO", "NWC"))


@add(((2, 9, 9, 16), BF), ((3, 3, 16, 24), BF), ((1, 1, 24, 16), BF), ((24, ), BF), ((16, ), BF), roundings=16)
def conv_net(x, w1, w2, b1, b2):
    layouts = ("NHWC", "HWIO", "NHWC")
    x = jax.nn.relu(conv(x, w1, (1, 1), "SAME", layouts) + b1)
    x = jax.nn.relu(conv(x, w2, (1, 1), "SAME", layouts) + b2)
    return x.mean((1, 2), dtype=F32)


@add(((2, 8, 8, 16), BF), ((3, 3, 1, 16), BF), ((1, 1, 16, 24), BF), roundings=8)
def conv_depthwise_separable(x, w1, w2):
    layouts = ("NHWC", "HWIO", "NHWC")
    return conv(conv(x, w1, (1, 1), "SAME", layouts, None, 16), w2, (1, 1), "SAME", layouts)


@add(((2, 8, 8, 16), BF), ((3, 3, 16, 32), BF), ((512, 24), BF), roundings=8)
def conv_pool_dense(x, w, dense):
    x = jax.nn.relu(conv(x, w, (1, 1), "SAME", ("NHWC", "HWIO", "NHWC")))
    x = lax.reduce_window(x, BF(-jnp.inf), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(2, -1) @ dense


# Forms of products.

SIZES = {"b": 2, "h": 3, "q": 40, "k": 24, "c": 16, "d": 32, "e": 48, "f": 72, "g": 4}
for _form in ("qe,ef->qf", "eq,ef->qf", "qe,fe->qf", "qe,ef->fq", "bqe,ef->bqf", "bqe,bef->bqf", "beq,bef->bqf", "bqe,bfe->bfq",
              "bqhc,bkhc->bhqk", "bhqk,bkhd->bqhd", "bqhc,hce->bqe", "bqe,ehc->bhqc", "gbqc,bkc->gbqk", "bqe,bqf->ef",
              "e,ef->f", "qe,e->q", "be,bef->bf", "bqc,hcd->qbhd"):
    add(*[(tuple(SIZES[x] for x in dims), BF) for dims in _form.split("->")[0].split(",")], name="einsum_" + "".join(
        x if x.isalpha() else "_" for x in _form.replace("->", "_to_")))(
            lambda x, y, form=_form: jnp.einsum(form, x, y, preferred_element_type=F32))


@add(((5, 24, 32), BF), ((5, 32, 40), BF))
def batched_by_vmap(x, y):
    return jax.vmap(lambda a, b: jax.nn.relu(a @ b))(x, y)


@add(((40, 64), I8), ((64, 80), I8))
def integers(x, w):
    return lax.dot_general(x, w, (((1, ), (0, )), ((), ())), preferred_element_type=I32)


@add(((40, 64), I8), ((64, 80), I8), ((80, ), F32), roundings=2)
def integers_dequantised(x, w, scale):
    total = lax.dot_general(x, w, (((1, ), (0, )), ((), ())), preferred_element_type=I32)
    return (total.astype(F32) * scale).astype(BF)


@add(((40, 64), BF), ((64, 72), I8), ((72, ), BF), roundings=4)
def weights_of_8_bits(x, w, scale):
    return (x @ w.astype(BF)) * scale


@add(((40, 64), F32), ((64, 72), F32), ((72, ), F32), options=["--f32=bf16x9"])
def single_precision_layer(x, w, b):
    return jax.nn.relu(jnp.matmul(x, w, precision="highest") + b)


@add(((40, 64), F32), ((64, 72), F32), ((72, 24), F32), roundings=16, options=["--f32=bf16x3"])
def single_precision_mlp(x, w1, w2):
    return jnp.matmul(jnp.tanh(jnp.matmul(x, w1, precision="highest")), w2, precision="highest")


@add(((40, 64), F32), ((64, 72), BF))
def narrowed_operand(x, w):
    return f32_product(x.astype(BF), w)


@add(((40, 64), BF), ((64, 72), BF), ((40, 72), F32), roundings=8, options=["--f32=bf16x3"])
def gradient_of_weights(x, w, target):
    return jax.grad(lambda w: ((f32_product(x, w) - target)**2).sum() * 0.01)(w)


@add(((40, 64), BF), ((64, 32), BF), ((32, 24), BF), roundings=12, options=["--f32=bf16x3"])
def gradient_of_mlp(x, w1, w2):
    return jax.grad(lambda w1: f32_product(jax.nn.relu(x @ w1), w2).sum() * 0.1)(w1)


@add(((40, 64), BF), ((64, 8), BF), ((8, 64, 24), BF), roundings=12)
def mixture_of_experts(x, router, experts):
    weights = jax.nn.softmax(f32_product(x, router), axis=-1).astype(BF)
    return jnp.einsum("te,tef->tf", weights, jnp.einsum("td,edf->tef", x, experts))


@add(((40, 64), BF), ((24, 64), BF))
def cosine_similarity(x, y):

    def norm(v):
        return lax.rsqrt((v.astype(F32)**2).sum(-1))

    return f32_product(x, y.T) * norm(x)[:, None] * norm(y)[None, :]


@add(((40, ), I32), ((64, 32), BF), ((32, 24), BF))
def embedding_linear(tokens, table, w):
    return jnp.take(table, jnp.clip(tokens, 0, 63), axis=0, mode="clip") @ w


@add(((40, 64), BF), ((64, 72), BF), ((64, 72), BF))
def two_results(x, w1, w2):
    return x @ w1, jnp.tanh(f32_product(x, w2))
