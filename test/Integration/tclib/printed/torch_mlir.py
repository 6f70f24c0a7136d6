"""As torch-mlir prints `linalg-on-tensors`: transpositions, generics with casts inside, reductions with their own fills."""
import numpy as np

from ..uncertain import Uncertain, einsum, exp, relu, sigmoid, silu, softmax, sqrt, tanh
from . import model
from .text import Function


def linear(f, x, weight, bias=None, out="f32"):
    """torch.nn.functional.linear: the weight is transposed first."""
    rows, columns = f.types[x].split("x")[0], f.types[weight].split("x")[0]
    type_ = f"{rows}x{columns}xf32"
    y = f.op("linalg.matmul", [x, f.transpose(weight, [1, 0])], f.fill(type_))
    if bias:
        y = f.pointwise([(y, "ab"), (bias, "b")], (f.empty(type_), "ab"), ["%r = arith.addf %in0, %in1 : f32"])
    return y if out == "f32" else f.cast(y, out)


def unary(f, value, body, dims="abcd"):
    dims = dims[:f.types[value].count("x")]
    return f.pointwise([(value, dims)], (f.empty(f.types[value]), dims), body)


def row_softmax(f, s):
    """The softmax of the last dimension as four generics."""
    type_ = f.types[s]
    dims = "abcd"[:type_.count("x")]
    kept = "x".join(type_.split("x")[:-2] + ["1", "f32"])
    keep = dims[:-1] + "0"
    largest = f.generic(dims, [(s, dims)], (f.fill(kept, "0xFF800000"), keep),
                        ["%r = arith.maximumf %in0, %out : f32"], dims[-1])
    moved = f.pointwise([(s, dims), (largest, keep)], (f.empty(type_), dims), ["%r = arith.subf %in0, %in1 : f32"])
    weights = unary(f, moved, ["%r = math.exp %in0 : f32"])
    total = f.generic(dims, [(weights, dims)], (f.fill(kept), keep), ["%r = arith.addf %in0, %out : f32"], dims[-1])
    return f.pointwise([(weights, dims), (total, keep)], (f.empty(type_), dims), ["%r = arith.divf %in0, %in1 : f32"])


@model("torch-mlir")
def linear_bias():
    f = Function("x: 72x48xbf16, w: 40x48xbf16, b: 40xf32")
    return f.returns(linear(f, "%x", "%w", "%b")), lambda x, w, b: x @ w.T + b


@model("torch-mlir")
def linear_silu_f16():
    f = Function("x: 72x48xf16, w: 40x48xf16, b: 40xf32")
    y = linear(f, "%x", "%w", "%b")
    y = unary(f, y, ["%c1 = arith.constant 1.0 : f32", "%0 = arith.negf %in0 : f32", "%1 = math.exp %0 : f32",
                     "%2 = arith.addf %1, %c1 : f32", "%3 = arith.divf %c1, %2 : f32", "%r = arith.mulf %3, %in0 : f32"])
    return f.returns(f.cast(y, "f16")), lambda x, w, b: silu(x @ w.T + b)


@model("torch-mlir")
def gelu_tanh():
    f = Function("x: 72x48xbf16, w: 40x48xbf16, b: 40xf32")
    y = linear(f, "%x", "%w", "%b")
    y = unary(f, y, [
        "%c3 = arith.constant 3.0 : f32", "%k = arith.constant 4.471500e-02 : f32", "%s = arith.constant 0.797884583 : f32",
        "%c1 = arith.constant 1.0 : f32", "%h = arith.constant 5.0e-01 : f32", "%0 = math.powf %in0, %c3 : f32",
        "%1 = arith.mulf %0, %k : f32", "%2 = arith.addf %in0, %1 : f32", "%3 = arith.mulf %2, %s : f32",
        "%4 = math.tanh %3 : f32", "%5 = arith.addf %4, %c1 : f32", "%6 = arith.mulf %in0, %h : f32",
        "%r = arith.mulf %6, %5 : f32"
    ])

    def formula(x, w, b):
        y = x @ w.T + b
        return y * 0.5 * (tanh((y + y * y * y * 0.044715) * np.sqrt(2 / np.pi)) + 1)

    return f.returns(y), formula


@model("torch-mlir")
def bmm():
    f = Function("a: 3x72x48xbf16, b: 3x48x40xbf16")
    y = f.op("linalg.batch_matmul", ["%a", "%b"], f.fill("3x72x40xbf16"))
    return f.returns(y), lambda a, b: a @ b


@model("torch-mlir")
def baddbmm():
    f = Function("c: 3x72x40xf32, a: 3x72x48xbf16, b: 3x48x40xbf16")
    y = f.op("linalg.batch_matmul", ["%a", "%b"], f.fill("3x72x40xf32"))
    y = f.pointwise([("%c", "abc"), (y, "abc")], (f.empty("3x72x40xf32"), "abc"), [
        "%k = arith.constant 5.0e-01 : f32", "%0 = arith.mulf %in0, %k : f32", "%r = arith.addf %0, %in1 : f32"])
    return f.returns(y), lambda c, a, b: c * 0.5 + a @ b


@model("torch-mlir")
def matmul_broadcast_weight():
    f = Function("x: 3x40x48xbf16, w: 48x72xbf16")
    w = f.pointwise([("%w", "bc")], (f.empty("3x48x72xbf16"), "abc"), ["%r = arith.addf %in0, %z : bf16"])
    f.lines.insert(0, "%z = arith.constant -0.0 : bf16")
    y = f.op("linalg.batch_matmul", ["%x", w], f.fill("3x40x72xf32"))
    return f.returns(y), lambda x, w: x @ w


@model("torch-mlir")
def broadcast_copy_weight():
    f = Function("x: 3x40x48xbf16, w: 48x72xbf16")
    w = f.generic("abc", [("%w", "bc")], (f.empty("3x48x72xbf16"), "abc"), ["%r = arith.select %true, %in0, %in0 : bf16"])
    f.lines.insert(0, "%true = arith.constant true")
    y = f.op("linalg.batch_matmul", ["%x", w], f.fill("3x40x72xf32"))
    return f.returns(y), lambda x, w: x @ w


@model("torch-mlir")
def mv():
    f = Function("a: 72x48xbf16, x: 48xbf16")
    y = f.op("linalg.matvec", ["%a", "%x"], f.fill("72xf32"))
    return f.returns(y), lambda a, x: einsum("ab,b->a", a, x)


@model("torch-mlir")
def vector_times_matrix():
    f = Function("x: 48xbf16, b: 48x72xbf16, c: 72xf32")
    y = f.op("linalg.vecmat", ["%x", "%b"], f.fill("72xf32"))
    y = f.pointwise([(y, "a"), ("%c", "a")], (f.empty("72xf32"), "a"), ["%r = arith.addf %in0, %in1 : f32"])
    return f.returns(y), lambda x, b, c: einsum("a,ab->b", x, b) + c


@model("torch-mlir")
def vector_dot():
    f = Function("x: 136xbf16, y: 136xbf16")
    f.lines += ["%zero = arith.constant 0.0 : f32"]
    e = f.add("tensor.empty() : tensor<f32>", "f32")
    z = f.add(f"linalg.fill ins(%zero : f32) outs({e} : tensor<f32>) -> tensor<f32>", "f32")
    return f.returns(f.op("linalg.dot", ["%x", "%y"], z)), lambda x, y: einsum("a,a->", x, y)


@model("torch-mlir")
def attention_causal():
    f = Function("q: 2x40x16xbf16, k: 2x40x16xbf16, v: 2x40x24xbf16")
    s = f.op("linalg.batch_matmul", ["%q", f.transpose("%k", [0, 2, 1])], f.fill("2x40x40xf32"))
    s = unary(f, s, [
        "%c = arith.constant 2.5e-01 : f32", "%low = arith.constant 0xFF800000 : f32", "%i = linalg.index 1 : index",
        "%j = linalg.index 2 : index", "%keep = arith.cmpi sle, %j, %i : index", "%0 = arith.mulf %in0, %c : f32",
        "%r = arith.select %keep, %0, %low : f32"])
    o = f.op("linalg.batch_matmul", [f.cast(row_softmax(f, s), "bf16"), "%v"], f.fill("2x40x24xf32"))

    def formula(q, k, v):
        s = einsum("bqc,bkc->bqk", q, k) * 0.25
        hidden = np.triu(np.ones((40, 40), bool), 1)
        s = Uncertain(np.where(hidden, -1e30, s.value), np.where(hidden, 0, s.error))
        return softmax(s).within("bf16") @ v

    return f.returns(o), formula


@model("torch-mlir")
def attention_two_steps():
    f = Function("x: 40x48xbf16, wq: 32x48xbf16, wk: 32x48xbf16, wv: 32x48xbf16")
    q, k, v = (linear(f, "%x", w, out="bf16") for w in ("%wq", "%wk", "%wv"))
    s = f.op("linalg.matmul", [q, f.transpose(k, [1, 0])], f.fill("40x40xf32"))
    o = f.op("linalg.matmul", [f.cast(row_softmax(f, s), "bf16"), v], f.fill("40x32xf32"))

    def formula(x, wq, wk, wv):
        q, k, v = ((x @ w.T).round("bf16") for w in (wq, wk, wv))
        return softmax(q @ k.T).round("bf16") @ v

    return f.returns(o), formula, {"scales": {"wq": 0.2, "wk": 0.2}}


@model("torch-mlir")
def multi_head_views():
    f = Function("x: 80x48xbf16, w: 48x48xbf16")
    y = linear(f, "%x", "%w", out="bf16")
    y = f.expand(y, "[[0, 1], [2, 3]]", "2x40x3x16xbf16")
    heads = f.transpose(y, [0, 2, 1, 3])
    heads = f.collapse(heads, "[[0, 1], [2], [3]]", "6x40x16xbf16")
    s = f.op("linalg.batch_matmul", [heads, f.transpose(heads, [0, 2, 1])], f.fill("6x40x40xf32"))

    def formula(x, w):
        h = (x @ w.T).round("bf16").reshape(2, 40, 3, 16).transpose(0, 2, 1, 3).reshape(6, 40, 16)
        return einsum("hqc,hkc->hqk", h, h)

    return f.returns(s), formula


@model("torch-mlir")
def chunk_of_qkv():
    f = Function("x: 40x48xbf16, w: 96x48xbf16")
    y = linear(f, "%x", "%w", out="bf16")
    q = f.slice(y, [0, 0], [40, 32], "40x32xbf16")
    k = f.slice(y, [0, 32], [40, 32], "40x32xbf16")
    s = f.op("linalg.matmul", [q, f.transpose(k, [1, 0])], f.fill("40x40xf32"))

    def formula(x, w):
        y = (x @ w.T).round("bf16")
        return y[:, :32] @ y[:, 32:64].T

    return f.returns(s), formula


@model("torch-mlir")
def cat_before_linear():
    f = Function("a: 40x16xbf16, b: 40x32xbf16, w: 72x48xbf16")
    x = f.add("tensor.concat dim(1) %a, %b : (tensor<40x16xbf16>, tensor<40x32xbf16>) -> tensor<40x48xbf16>", "40x48xbf16")
    y = linear(f, x, "%w")
    return f.returns(y), lambda a, b, w: a @ w[:, :16].T + b @ w[:, 16:].T


@model("torch-mlir")
def layer_norm_block():
    f = Function("x: 40x48xbf16, w: 48x48xbf16, b: 48xf32, gamma: 48xf32")
    y = linear(f, "%x", "%w", "%b")
    y = f.pointwise([(y, "ab"), ("%x", "ab")], (f.empty("40x48xf32"), "ab"),
                    ["%0 = arith.extf %in1 : bf16 to f32", "%r = arith.addf %in0, %0 : f32"])
    n = "%n = arith.constant 4.8e+01 : f32"
    total = f.generic("ab", [(y, "ab")], (f.fill("40x1xf32"), "a0"), ["%r = arith.addf %in0, %out : f32"], "b")
    mean = f.pointwise([(total, "a0")], (f.empty("40x1xf32"), "ab"), [n, "%r = arith.divf %in0, %n : f32"])
    centred = f.pointwise([(y, "ab"), (mean, "a0")], (f.empty("40x48xf32"), "ab"), ["%r = arith.subf %in0, %in1 : f32"])
    squares = f.pointwise([(centred, "ab"), (centred, "ab")], (f.empty("40x48xf32"), "ab"),
                          ["%r = arith.mulf %in0, %in1 : f32"])
    variance = f.generic("ab", [(squares, "ab")], (f.fill("40x1xf32"), "a0"), ["%r = arith.addf %in0, %out : f32"], "b")
    scale = f.pointwise([(variance, "a0")], (f.empty("40x1xf32"), "ab"), [
        n, "%e = arith.constant 1.0e-05 : f32", "%0 = arith.divf %in0, %n : f32", "%1 = arith.addf %0, %e : f32",
        "%r = math.rsqrt %1 : f32"])
    y = f.pointwise([(centred, "ab"), (scale, "a0"), ("%gamma", "b")], (f.empty("40x48xf32"), "ab"),
                    ["%0 = arith.mulf %in0, %in1 : f32", "%r = arith.mulf %0, %in2 : f32"])

    def formula(x, w, b, gamma):
        y = x @ w.T + b + x
        centred = y - y.mean(1, True)
        return centred / sqrt((centred * centred).mean(1, True) + 1e-5) * gamma

    return f.returns(y), formula


@model("torch-mlir")
def dynamic_batch():
    f = Function("x: ?x40x48xbf16, w: 48x72xbf16")
    f.lines += ["%c0 = arith.constant 0 : index", "%n = tensor.dim %x, %c0 : tensor<?x40x48xbf16>"]
    x = f.add("tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x40x48xbf16> into tensor<?x48xbf16>", "?x48xbf16")
    f.lines += [f"%rows = tensor.dim {x}, %c0 : tensor<?x48xbf16>"]
    e = f.add("tensor.empty(%rows) : tensor<?x72xf32>", "?x72xf32")
    y = f.op("linalg.matmul", [x, "%w"], f.fill("?x72xf32", into=e))
    y = f.add(f"tensor.expand_shape {y} [[0, 1], [2]] output_shape [%n, 40, 72] : tensor<?x72xf32> into "
              "tensor<?x40x72xf32>", "?x40x72xf32")
    return f.returns(y), lambda x, w: x @ w, {"sizes": {"x": (3, 40, 48)}}


@model("torch-mlir")
def softplus_and_sin():
    f = Function("x: 40x48xbf16, w: 48x72xbf16")
    y = f.op("linalg.matmul", ["%x", "%w"], f.fill("40x72xf32"))
    y = unary(f, y, ["%0 = math.exp %in0 : f32", "%1 = math.log1p %0 : f32", "%2 = math.sin %1 : f32",
                     "%3 = math.cos %2 : f32", "%r = math.expm1 %3 : f32"])

    def formula(x, w):
        y = exp(x @ w).apply(np.log1p)
        return y.apply(np.sin).apply(np.cos).apply(np.expm1)

    return f.returns(y), formula, {"scales": {"w": 0.1}}


@model("torch-mlir")
def elementwise_on_tensors():
    f = Function("x: 40x48xf32, w: 48x72xbf16, b: 40x72xf32")
    x = f.add("arith.truncf %x : tensor<40x48xf32> to tensor<40x48xbf16>", "40x48xbf16")
    y = f.op("linalg.matmul", [x, "%w"], f.fill("40x72xf32"))
    y = f.add(f"arith.addf {y}, %b : tensor<40x72xf32>", "40x72xf32")
    y = f.add(f"math.tanh {y} : tensor<40x72xf32>", "40x72xf32")
    return f.returns(y), lambda x, w, b: tanh(x.round("bf16") @ w + b)


@model("torch-mlir")
def leaky_and_where():
    f = Function("x: 72x48xbf16, w: 40x48xbf16")
    y = linear(f, "%x", "%w")
    y = unary(f, y, ["%z = arith.constant 0.0 : f32", "%s = arith.constant 0.01 : f32",
                     "%0 = arith.cmpf ugt, %in0, %z : f32", "%1 = arith.mulf %in0, %s : f32",
                     "%r = arith.select %0, %in0, %1 : f32"])
    return f.returns(y), lambda x, w: (x @ w.T).apply(lambda v: np.where(v > 0, v, v * 0.01), 2.0**-22)


@model("torch-mlir")
def argument_of_the_softmax_loss():
    f = Function("x: 40x48xbf16, w: 72x48xbf16")
    y = linear(f, "%x", "%w")
    largest = f.generic("ab", [(y, "ab")], (f.fill("40xf32", "0xFF800000"), "a"),
                        ["%r = arith.maximumf %in0, %out : f32"], "b")
    moved = f.pointwise([(y, "ab"), (largest, "a")], (f.empty("40x72xf32"), "ab"), ["%r = arith.subf %in0, %in1 : f32"])
    total = f.generic("ab", [(moved, "ab")], (f.fill("40xf32"), "a"),
                      ["%0 = math.exp %in0 : f32", "%r = arith.addf %0, %out : f32"], "b")
    y = f.pointwise([(moved, "ab"), (total, "a")], (f.empty("40x72xf32"), "ab"),
                    ["%0 = math.log %in1 : f32", "%r = arith.subf %in0, %0 : f32"])

    def formula(x, w):
        y = x @ w.T
        moved = y - y.max(1, True)
        return moved - exp(moved).sum(1, True).apply(np.log)

    return f.returns(y), formula


@model("torch-mlir")
def sigmoid_gate_two_inputs():
    f = Function("x: 72x48xbf16, w: 40x48xbf16, v: 40x48xbf16")
    a, b = linear(f, "%x", "%w"), linear(f, "%x", "%v")
    y = f.pointwise([(a, "ab"), (b, "ab")], (f.empty("72x40xbf16"), "ab"), [
        "%c1 = arith.constant 1.0 : f32", "%0 = arith.negf %in1 : f32", "%1 = math.exp %0 : f32",
        "%2 = arith.addf %1, %c1 : f32", "%3 = arith.divf %c1, %2 : f32", "%4 = arith.mulf %in0, %3 : f32",
        "%r = arith.truncf %4 : f32 to bf16"])
    return f.returns(y), lambda x, w, v: (x @ w.T) * sigmoid(x @ v.T)
