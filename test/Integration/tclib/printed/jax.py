"""As JAX prints through StableHLO and iree-compile: dot_general of every form as generics, broadcasts in dimensions."""
import numpy as np

from ..uncertain import einsum, sigmoid, softmax, tanh
from . import MODELS, Model, model
from .text import Function
from .torch_mlir import row_softmax, unary

# Names of jax.numpy.einsum, with sizes.
SIZES = {"b": 2, "h": 3, "q": 40, "k": 24, "c": 16, "d": 32, "e": 48, "f": 72, "g": 4, "i": 40, "j": 24}
EINSUMS = [
    "qe,ef->qf", "eq,ef->qf", "qe,fe->qf", "qe,fe->fq", "bqe,ef->bqf", "bqe,ef->bfq", "bqe,bfe->bqf", "beq,bef->bqf",
    "bqe,bfe->bfq", "bqhc,bkhc->bhqk", "bqhc,bkhc->bqhk", "bhqk,bkhd->bqhd", "bqhc,hce->bqe", "bqe,ehc->bhqc",
    "bqe,hec->bqhc", "hqc,kc->hqk", "gbqc,bkc->gbqk", "bqe,bqf->bef", "bqe,bqf->ef", "hqc,hkc->qhk", "qhc,e->qhce",
    "e,ef->f", "fe,e->f", "be,bef->bf", "qc,hc->qh", "ijc,cde->ijde", "bhqc,bhck->bhqk"
]


def _register(form):
    left, out = form.split("->")
    a, b = left.split(",")
    if not set(a) & set(b) - set(out):
        return  # an outer product has no sum
    f = Function(", ".join(f"{name}: " + "x".join([str(SIZES[x]) for x in dims] + ["bf16"])
                           for name, dims in (("x", a), ("y", b))), name="main")
    f.returns(f.einsum(form, "%x", "%y"))
    name = "einsum_" + form.replace(",", "_").replace("->", "_to_")
    MODELS.append(
        Model("jax", name, f.text(), [(tuple(SIZES[x] for x in dims), "bf16") for dims in (a, b)],
              lambda x, y: einsum(form, x, y), f.out_type, None, {}, [1.0, 1.0]))


for _form in EINSUMS:
    _register(_form)


@model("jax")
def mlp_tanh_gelu():
    f = Function("x: 40x48xbf16, w1: 48x72xbf16, b1: 72xf32, w2: 72x24xbf16, b2: 24xf32")
    h = f.einsum("ik,kj->ij", "%x", "%w1")
    bias = f.pointwise([("%b1", "b")], (f.empty("40x72xf32"), "ab"), ["%r = arith.addf %in0, %z : f32"])
    f.lines.insert(0, "%z = arith.constant 0.0 : f32")
    h = f.pointwise([(h, "ab"), (bias, "ab")], (f.empty("40x72xf32"), "ab"), ["%r = arith.addf %in0, %in1 : f32"])
    h = unary(f, h, ["%0 = arith.mulf %in0, %in0 : f32", "%1 = arith.mulf %in0, %0 : f32",
                     "%k = arith.constant 0.044715 : f32", "%2 = arith.mulf %1, %k : f32", "%3 = arith.addf %in0, %2 : f32",
                     "%s = arith.constant 0.797884583 : f32", "%4 = arith.mulf %3, %s : f32", "%5 = math.tanh %4 : f32",
                     "%one = arith.constant 1.0 : f32", "%6 = arith.addf %5, %one : f32",
                     "%h = arith.constant 0.5 : f32", "%7 = arith.mulf %6, %h : f32", "%r = arith.mulf %in0, %7 : f32"])
    y = f.einsum("ik,kj->ij", f.cast(h, "bf16"), "%w2")
    y = f.pointwise([(y, "ab"), ("%b2", "b")], (f.empty("40x24xf32"), "ab"), ["%r = arith.addf %in0, %in1 : f32"])

    def formula(x, w1, b1, w2, b2):
        y = x @ w1 + b1
        h = y * 0.5 * (tanh((y + y * y * y * 0.044715) * np.sqrt(2 / np.pi)) + 1)
        return h.round("bf16") @ w2 + b2

    return f.returns(y), formula


@model("jax")
def attention_bqhd():
    f = Function("q: 2x40x3x16xbf16, k: 2x24x3x16xbf16, v: 2x24x3x32xbf16")
    s = f.einsum("bqhc,bkhc->bhqk", "%q", "%k")
    s = unary(f, s, ["%c = arith.constant 2.5e-01 : f32", "%r = arith.mulf %in0, %c : f32"])
    o = f.einsum("bhqk,bkhd->bqhd", f.cast(row_softmax(f, s), "bf16"), "%v")
    return f.returns(f.cast(o, "bf16")), lambda q, k, v: einsum(
        "bhqk,bkhd->bqhd", softmax(einsum("bqhc,bkhc->bhqk", q, k) * 0.25).within("bf16"), v)


@model("jax")
def swish_by_logistic():
    f = Function("x: 40x48xbf16, w: 48x72xbf16")
    y = f.einsum("ik,kj->ij", "%x", "%w")
    y = unary(f, y, ["%one = arith.constant 1.0 : f32", "%0 = arith.negf %in0 : f32", "%1 = math.exp %0 : f32",
                     "%2 = arith.addf %1, %one : f32", "%3 = arith.divf %one, %2 : f32", "%r = arith.mulf %in0, %3 : f32"])
    return f.returns(y), lambda x, w: (x @ w) * sigmoid(x @ w)


@model("jax")
def gradient_of_weights_and_bias():
    f = Function("x: 40x48xbf16, dy: 40x72xbf16")
    dw = f.einsum("ki,kj->ij", "%x", "%dy")
    return f.returns(dw), lambda x, dy: x.T @ dy


@model("jax")
def gradient_through_relu():
    f = Function("x: 40x48xbf16, w: 48x72xbf16, dy: 40x72xf32")
    y = f.einsum("ik,kj->ij", "%x", "%w")
    dh = f.pointwise([(y, "ab"), ("%dy", "ab")], (f.empty("40x72xbf16"), "ab"), [
        "%z = arith.constant 0.0 : f32", "%0 = arith.cmpf ogt, %in0, %z : f32", "%1 = arith.select %0, %in1, %z : f32",
        "%r = arith.truncf %1 : f32 to bf16"])
    dx = f.einsum("ik,jk->ij", dh, "%w")

    def formula(x, w, dy):
        # Where a sum may be of either sign, either gradient is right.
        y = x @ w
        near = np.abs(y.value) <= y.error
        dh = (dy * (y.value > 0)).round("bf16")
        dh.error = dh.error + near * np.abs(dy.value)
        return dh @ w.T

    return f.returns(dx), formula


@model("jax")
def log_softmax_cross_entropy():
    f = Function("x: 40x48xbf16, w: 48x72xbf16, labels: 40x72xf32")
    y = f.einsum("ik,kj->ij", "%x", "%w")
    p = row_softmax(f, y)
    y = f.pointwise([(p, "ab"), ("%labels", "ab")], (f.empty("40x72xf32"), "ab"), [
        "%0 = math.log %in0 : f32", "%1 = arith.mulf %0, %in1 : f32", "%r = arith.negf %1 : f32"])
    y = f.generic("ab", [(y, "ab")], (f.fill("40xf32"), "a"), ["%r = arith.addf %out, %in0 : f32"], "b")
    return f.returns(y), lambda x, w, labels: -((softmax(x @ w).apply(np.log, 2.0**-16)) * labels).sum(1)
