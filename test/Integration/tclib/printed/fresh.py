"""Functions written by hand in the manner of each project, before they were compiled: the text of one is in FrontEnds.

What a product of 16-bit floats rounds before the next operation the compiler may leave out (docs/FrontEnds.md): formulas
round once.
"""
import math
import pathlib
import sys

import numpy as np

from ..uncertain import Uncertain, einsum, relu, sigmoid, silu, softmax, sqrt, tanh
from . import MODELS, Model

TEXTS = pathlib.Path(__file__).parents[2] / "FrontEnds"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "python"))
from tc._iree import Importer  # noqa: E402
erf = np.vectorize(math.erf)


def add(project, name, shapes, formula, out_type="f32", scales=None, in_place=None, options=()):
    name = f"{project}-{name}"
    text = (TEXTS / f"{name}.mlir").read_text()
    # What upstream's parser does not know is converted, as scripts/import-iree does.
    if "util.func" in text:
        text = "\n".join(Importer(text.splitlines()).convert()) + "\n"
    MODELS.append(Model("fresh", name, text, list(shapes), formula, out_type, in_place, {},
                        list(scales or [1.0] * len(shapes)), options))


def windows(x, kh, kw, stride=1, dilation=1):
    """NHWC images as (n, oh, ow, kh, kw, c)."""
    n, h, w, c = x.shape
    oh = (h - (kh - 1) * dilation - 1) // stride + 1
    ow = (w - (kw - 1) * dilation - 1) // stride + 1
    rows = np.arange(oh)[:, None] * stride + np.arange(kh)[None] * dilation
    cols = np.arange(ow)[:, None] * stride + np.arange(kw)[None] * dilation
    return x[:, rows[:, None, :, None], cols[None, :, None, :], :]


def windows_1d(x, k, dilation):
    n, w, c = x.shape
    cols = np.arange(w - (k - 1) * dilation)[:, None] + np.arange(k)[None] * dilation
    return x[:, cols, :]


def windows_3d(x, a, b, c):
    n, d, h, w, _ = x.shape
    z = np.arange(d - a + 1)[:, None] + np.arange(a)[None]
    y = np.arange(h - b + 1)[:, None] + np.arange(b)[None]
    v = np.arange(w - c + 1)[:, None] + np.arange(c)[None]
    return x[:, z[:, None, None, :, None, None], y[None, :, None, None, :, None], v[None, None, :, None, None, :], :]


def gelu(x):
    return x * 0.5 * ((x * 0.70710678118654757).apply(erf) + 1)


def with_block(c, block):
    value, error = np.array(c.value), np.array(c.error)
    value[10:43, 7:32], error[10:43, 7:32] = block.value, block.error
    return Uncertain(value, error)


# IREE ----------------------------------------------------------------------------------------------------------------

add("iree", "matmul_odd_everything", (((77, 131), "bf16"), ((131, 45), "bf16")), lambda a, b: einsum("mk,kn->mn", a, b))

add("iree", "mmt_bias_gelu_erf", (((97, 203), "f16"), ((121, 203), "f16"), ((121,), "f32")),
    lambda x, w, b: gelu(einsum("mk,nk->mn", x, w) + b).round("f16"), out_type="f16")

add("iree", "attention_decomposed", (((3, 33, 40), "f16"), ((3, 51, 40), "f16"), ((3, 51, 40), "f16")),
    lambda q, k, v: einsum("bmn,bnd->bmd", softmax(einsum("bmd,bnd->bmn", q, k) * 0.158113882).within("f16"), v))

add("iree", "attention_op", (((2, 3, 41, 64), "f16"), ((2, 3, 33, 64), "f16"), ((2, 3, 33, 32), "f16")),
    lambda q, k, v: einsum("bhml,bhln->bhmn", softmax(einsum("bhmk,bhlk->bhml", q, k) * 0.125).within("f16"), v).round("f16"),
    out_type="f16")

add("iree", "attention_op_mask", (((4, 65, 32), "bf16"), ((4, 47, 32), "bf16"), ((4, 24, 47), "bf16"), ((65, 47), "bf16")),
    lambda q, k, v, m: einsum("bml,bnl->bmn", softmax(tanh(einsum("bmk,blk->bml", q, k) * 0.125) + m).within("bf16"), v))

add("iree", "i8_dequantized", (((50, 71), "i8"), ((71, 90), "i8"), ((90,), "f32")),
    lambda a, b, s: einsum("mk,kn->mn", a, b) * s, scales=(100.0, 100.0, 1.0))

add("iree", "conv_stem_stride_2", (((1, 17, 17, 3), "f16"), ((3, 3, 3, 40), "f16")),
    lambda x, f: relu(einsum("nhwabc,abco->nhwo", windows(x.pad(((0, 0), (1, 1), (1, 1), (0, 0))), 3, 3, 2), f)).round("f16"),
    out_type="f16")

add("iree", "dynamic_batch_matmul", (((3, 37, 64), "f16"), ((3, 64, 48), "f16")), lambda a, b: einsum("bmk,bkn->bmn", a, b))

# torch-mlir ----------------------------------------------------------------------------------------------------------

def sdpa_causal(q, k, v):
    s = einsum("bhme,bhne->bhmn", q, k) * (1 / math.sqrt(32))
    hidden = np.triu(np.ones((48, 48), bool), 1)
    s = Uncertain(np.where(hidden, -1e30, s.value), np.where(hidden, 0, s.error))
    return einsum("bhmn,bhnf->bhmf", softmax(s).within("bf16"), v).round("bf16")


add("torch-mlir", "sdpa_causal", (((2, 3, 48, 32), "bf16"),) * 3, sdpa_causal, out_type="bf16", options=("--f32=narrow",))

add("torch-mlir", "linear_f16", (((41, 51), "f16"), ((30, 51), "f16"), ((30,), "f16")),
    lambda x, w, b: einsum("mk,nk->mn", x, w) + b, out_type="f16")

add("torch-mlir", "mm_dynamic_asserted", (((24, 40), "bf16"), ((40, 56), "bf16")),
    lambda a, b: einsum("mk,kn->mn", a, b).round("bf16"), out_type="bf16")

add("torch-mlir", "conv2d_nchw_bias", (((1, 5, 15, 13), "bf16"), ((32, 5, 3, 3), "bf16"), ((32,), "f32")),
    lambda x, f, b: einsum("nhwabc,abco->nohw", windows(x.pad(((0, 0), (0, 0), (1, 1), (1, 1))).transpose(0, 2, 3, 1), 3, 3),
                           f.transpose(2, 3, 1, 0)) + b.reshape(1, 32, 1, 1))


def _layer_norm(x, g, b):
    mean = x.sum(1, keepdims=True) / 50.0
    d = x - mean
    var = (d * d).sum(1, keepdims=True) / 50.0
    return d * (1 / sqrt(var + 1e-5)) * g + b


add("torch-mlir", "layer_norm_linear", (((21, 50), "f32"), ((50,), "f32"), ((50,), "f32"), ((50, 34), "bf16")),
    lambda x, g, b, w: einsum("mk,kn->mn", _layer_norm(x, g, b).round("bf16"), w))

add("torch-mlir", "addmm_alpha_beta", (((65, 33), "f32"), ((65, 47), "f16"), ((47, 33), "f16")),
    lambda c, a, b: c * 0.25 + einsum("mk,kn->mn", a, b) * 2.5)

add("torch-mlir", "swiglu_block", (((19, 37), "bf16"), ((66, 37), "bf16"), ((66, 37), "bf16"), ((37, 66), "bf16")),
    lambda x, g, u, d: einsum("mk,nk->mn", (silu(einsum("mk,nk->mn", x, g)) * einsum("mk,nk->mn", x, u)).round("bf16"), d))

# TPP-MLIR ------------------------------------------------------------------------------------------------------------

add("tpp-mlir", "brgemm_memref", (((4, 33, 42), "bf16"), ((4, 42, 50), "bf16"), ((33, 50), "f32")),
    lambda a, b, c: einsum("bmk,bkn->mn", a, b) + c, in_place=2)

add("tpp-mlir", "vnni_matmul", (((45, 20, 2), "bf16"), ((20, 35, 2), "bf16"), ((45, 35), "f32")),
    lambda a, b, c: einsum("mkv,knv->mn", a, b) + c)

add("tpp-mlir", "packed_mlp_layer", (((2, 3, 16, 24), "bf16"), ((4, 3, 24, 16), "bf16"), ((4, 16), "f32")),
    lambda x, w, b: relu(einsum("abmk,nbkj->anmj", x, w) + b.reshape(1, 4, 1, 16)).round("bf16"), out_type="bf16")

add("tpp-mlir", "bias_relu_in_place", (((31, 29), "bf16"), ((29, 27), "bf16"), ((27,), "f32"), ((31, 27), "f32")),
    lambda a, b, bias, c: relu(einsum("mk,kn->mn", a, b) + bias), in_place=3)

# buddy-mlir ----------------------------------------------------------------------------------------------------------

add("buddy-mlir", "matmul_f32_dynamic", (((23, 31), "f32"), ((31, 45), "f32"), ((23, 45), "f32")),
    lambda a, b, c: Uncertain(a.value @ b.value + c.value, 2.0**-16 * (np.abs(a.value) @ np.abs(b.value) + 1)), in_place=2,
    options=("--f32=bf16x9", "--config=load-a=threads load-b=threads cta-group=1"))

add("buddy-mlir", "batch_matmul_dynamic", (((3, 40, 48), "bf16"), ((3, 48, 56), "bf16"), ((3, 40, 56), "f32")),
    lambda a, b, c: einsum("bmk,bkn->bmn", a, b) + c, in_place=2)

add("buddy-mlir", "conv2d_nhwc_fhwc", (((2, 9, 11, 7), "f16"), ((21, 3, 2, 7), "f16"), ((2, 7, 10, 21), "f32")),
    lambda x, f, o: einsum("nhwabc,oabc->nhwo", windows(x, 3, 2), f) + o, in_place=2)

add("buddy-mlir", "llama_q_projection", (((1, 40, 96), "f16"), ((96, 96), "f16")),
    lambda x, w: einsum("mk,nk->mn", x.reshape(40, 96), w).round("f16").reshape(1, 40, 4, 24).transpose(0, 2, 1, 3),
    out_type="f16")

add("buddy-mlir", "matmul_i8", (((35, 61), "i8"), ((61, 19), "i8"), ((35, 19), "i32")),
    lambda a, b, c: einsum("mk,kn->mn", a, b) + c, in_place=2, out_type="i32", scales=(100.0, 100.0, 1000.0))

# JAX, StableHLO ------------------------------------------------------------------------------------------------------

add("jax", "dot_general_bqhd_bkhd", (((2, 17, 3, 20), "bf16"), ((2, 23, 3, 20), "bf16")),
    lambda q, k: einsum("bqhd,bkhd->bhqk", q, k))

add("jax", "einsum_abc_cbd", (((21, 5, 18), "f16"), ((18, 5, 33), "f16")), lambda a, b: einsum("abc,cbd->ad", a, b))

add("stablehlo", "logistic_layer", (((26, 30), "bf16"), ((30, 22), "bf16"), ((22,), "f32")),
    lambda x, w, b: sigmoid(einsum("mk,kn->mn", x, w) + b))

add("jax", "dense_vjp", (((45, 30), "f16"), ((30, 21), "f16"), ((45, 21), "f16")),
    lambda x, w, dy: (einsum("mk,mn->kn", x, dy), einsum("mn,kn->mk", dy, w)), out_type=("f32", "f16"))

add("jax", "conv_1d_dilated", (((2, 31, 6), "bf16"), ((3, 6, 20), "bf16")),
    lambda x, f: einsum("nwac,aco->nwo", windows_1d(x, 3, 2), f))


add("jax", "matvec", (((67, 45), "bf16"), ((45,), "bf16")), lambda a, x: einsum("mk,k->m", a, x))

add("jax", "fp8_dot", (((33, 65), "f8E4M3FN"), ((65, 39), "f8E5M2")), lambda a, b: einsum("mk,kn->mn", a, b) * 0.125)

# mlir-air ------------------------------------------------------------------------------------------------------------

add("mlir-air", "matmul_alloc", (((48, 27), "bf16"), ((27, 51), "bf16")), lambda a, b: einsum("mk,kn->mn", a, b))

add("mlir-air", "tiled_rows", (((96, 40), "bf16"), ((40, 56), "bf16"), ((96, 56), "f32")),
    lambda a, b, c: einsum("mk,kn->mn", a, b) + c, in_place=2)

add("mlir-air", "relu_then_matmul", (((34, 46), "f32"), ((46, 18), "bf16"), ((34, 18), "f32")),
    lambda x, w, y: einsum("mk,kn->mn", relu(x).round("bf16"), w), in_place=2)

add("mlir-air", "conv_nchw_memref", (((1, 8, 12, 10), "f16"), ((24, 8, 3, 3), "f16"), ((1, 24, 10, 8), "f32")),
    lambda x, f, y: einsum("nhwabc,abco->nohw", windows(x.transpose(0, 2, 3, 1), 3, 3), f.transpose(2, 3, 1, 0)), in_place=2)

# upstream ------------------------------------------------------------------------------------------------------------

add("upstream", "fp8_weights", (((37, 64), "bf16"), ((64, 56), "f8E4M3FN"), ((56,), "f32")),
    lambda x, w, s: einsum("mk,kn->mn", x, w) * s)

add("upstream", "contract_result_transposed", (((3, 22, 34), "bf16"), ((3, 18, 34), "bf16"), ((3, 18, 22), "f32")),
    lambda a, b, c: einsum("bmk,bnk->bnm", a, b) + c)

add("upstream", "matmul_transpose_both_memref", (((26, 58), "f16"), ((74, 26), "f16"), ((58, 74), "f32")),
    lambda a, b, c: einsum("km,nk->mn", a, b) + c, in_place=2)

add("upstream", "mmt4d_i8", (((3, 5, 8, 4), "i8"), ((2, 5, 8, 4), "i8"), ((3, 2, 8, 8), "i32")),
    lambda a, b, c: einsum("mkij,nklj->mnil", a, b) + c, out_type="i32", scales=(100.0, 100.0, 1000.0))

add("upstream", "quantized_matmul_zero_points", (((29, 43), "i8"), ((43, 37), "i8")),
    lambda a, b: einsum("mk,kn->mn", a - 3.0, b + 7.0), out_type="i32", scales=(100.0, 100.0))

add("upstream", "conv_3d", (((1, 6, 7, 8, 5), "f16"), ((2, 3, 3, 5, 14), "f16")),
    lambda x, f: einsum("nzyxabcd,abcdo->nzyxo", windows_3d(x, 2, 3, 3), f))


add("upstream", "conv_then_max_pool", (((1, 10, 10, 4), "bf16"), ((3, 3, 4, 12), "bf16")),
    lambda x, f: windows(einsum("nhwabc,abco->nhwo", windows(x, 3, 3), f), 2, 2, 2).max(3).max(3))

add("upstream", "raw_and_activated", (((39, 25), "bf16"), ((25, 43), "bf16")),
    lambda a, b: (lambda p: (p, tanh(p)))(einsum("mk,kn->mn", a, b)), out_type=("f32", "bf16"))

add("upstream", "slices_and_calls", (((50, 61), "bf16"), ((61, 40), "bf16"), ((50, 40), "f32")),
    lambda a, b, c: with_block(c, einsum("mk,kn->mn", a[3:36, 1:60], b[1:60, 5:30])))
