"""As iree-compile prints what it takes in: named operations and generics on tensors, `collapse_shape` and `expand_shape`."""
from ..gemm import vector_erf
from ..uncertain import einsum, relu, silu, softmax, sqrt, tanh
from . import model
from .text import Function


@model("iree")
def mlp_two_layers():
    f = Function("x: 72x48xbf16, w1: 48x136xbf16, b1: 136xf32, w2: 136x40xbf16, b2: 40xf32")
    h = f.op("linalg.matmul", ["%x", "%w1"], f.fill("72x136xf32"))
    h = f.pointwise([(h, "ab"), ("%b1", "b")], (f.empty("72x136xbf16"), "ab"), [
        "%0 = arith.addf %in0, %in1 : f32", "%z = arith.constant 0.0 : f32", "%1 = arith.maximumf %0, %z : f32",
        "%r = arith.truncf %1 : f32 to bf16"
    ])
    y = f.op("linalg.matmul", [h, "%w2"], f.fill("72x40xf32"))
    y = f.pointwise([(y, "ab"), ("%b2", "b")], (f.empty("72x40xf32"), "ab"), ["%r = arith.addf %in0, %in1 : f32"])
    return f.returns(y), lambda x, w1, b1, w2, b2: relu(x @ w1 + b1).round("bf16") @ w2 + b2


@model("iree")
def attention_bhqd_mask():
    f = Function("q: 2x3x72x16xbf16, k: 2x3x40x16xbf16, v: 2x3x40x24xbf16, mask: 2x1x72x40xf32")
    s = f.einsum("bhqc,bhkc->bhqk", "%q", "%k")
    s = f.pointwise([(s, "abcd"), ("%mask", "a0cd")], (f.empty("2x3x72x40xf32"), "abcd"), [
        "%c = arith.constant 2.5e-01 : f32", "%0 = arith.mulf %in0, %c : f32", "%r = arith.addf %0, %in1 : f32"
    ])
    p = f.add(f"linalg.softmax dimension(3) ins({s} : tensor<2x3x72x40xf32>) outs({f.empty('2x3x72x40xf32')} : "
              "tensor<2x3x72x40xf32>) -> tensor<2x3x72x40xf32>", "2x3x72x40xf32")
    o = f.einsum("bhqk,bhkd->bhqd", f.cast(p, "bf16"), "%v")
    return f.returns(o), lambda q, k, v, mask: einsum(
        "bhqk,bhkd->bhqd", softmax(einsum("bhqc,bhkc->bhqk", q, k) * 0.25 + mask).round("bf16"), v)


@model("iree")
def attention_scores_bqhd():
    f = Function("q: 2x72x3x16xbf16, k: 2x40x3x16xbf16")
    s = f.einsum("bqhc,bkhc->bhqk", "%q", "%k")
    return f.returns(s), lambda q, k: einsum("bqhc,bkhc->bhqk", q, k)


@model("iree")
def attention_values_bqhd():
    f = Function("p: 2x3x72x40xbf16, v: 2x40x3x16xbf16")
    o = f.einsum("bhqk,bkhd->bqhd", "%p", "%v")
    return f.returns(o), lambda p, v: einsum("bhqk,bkhd->bqhd", p, v)


@model("iree")
def grouped_query_scores():
    f = Function("q: 2x3x4x40x16xbf16, k: 2x3x72x16xbf16")
    s = f.einsum("bghqc,bgkc->bghqk", "%q", "%k")
    return f.returns(s), lambda q, k: einsum("bghqc,bgkc->bghqk", q, k)


@model("iree")
def output_projection_heads():
    f = Function("o: 2x40x3x16xbf16, w: 3x16x72xbf16")
    s = f.einsum("bqhd,hde->bqe", "%o", "%w")
    return f.returns(s), lambda o, w: einsum("bqhd,hde->bqe", o, w)


@model("iree")
def query_projection_heads():
    f = Function("x: 2x40x48xbf16, w: 48x3x16xbf16")
    s = f.einsum("bqe,ehd->bqhd", "%x", "%w")
    return f.returns(s), lambda x, w: einsum("bqe,ehd->bqhd", x, w)


@model("iree")
def query_projection_to_bhqd():
    f = Function("x: 2x40x48xbf16, w: 48x3x16xbf16")
    s = f.einsum("bqe,ehd->bhqd", "%x", "%w")
    return f.returns(s), lambda x, w: einsum("bqe,ehd->bhqd", x, w)


@model("iree")
def tokens_collapsed_gelu():
    f = Function("x: 2x36x48xbf16, w: 48x72xbf16, b: 72xf32")
    x = f.collapse("%x", "[[0, 1], [2]]", "72x48xbf16")
    y = f.op("linalg.matmul", [x, "%w"], f.fill("72x72xf32"))
    y = f.pointwise([(y, "ab"), ("%b", "b")], (f.empty("72x72xf32"), "ab"), [
        "%0 = arith.addf %in0, %in1 : f32", "%h = arith.constant 5.0e-01 : f32", "%o = arith.constant 1.0 : f32",
        "%s = arith.constant 0.707106769 : f32", "%1 = arith.mulf %0, %s : f32", "%2 = math.erf %1 : f32",
        "%3 = arith.addf %2, %o : f32", "%4 = arith.mulf %0, %3 : f32", "%r = arith.mulf %4, %h : f32"
    ])
    y = f.expand(y, "[[0, 1], [2]]", "2x36x72xf32")

    def gelu(x, w, b):
        y = x.reshape(72, 48) @ w + b
        return (y * 0.5 * ((y * 0.5**0.5).apply(vector_erf) + 1)).reshape(2, 36, 72)

    return f.returns(y), gelu


@model("iree")
def swiglu():
    f = Function("x: 72x48xbf16, g: 48x136xbf16, u: 48x136xbf16, d: 136x40xbf16")
    gate = f.op("linalg.matmul", ["%x", "%g"], f.fill("72x136xf32"))
    up = f.op("linalg.matmul", ["%x", "%u"], f.fill("72x136xf32"))
    h = f.pointwise([(gate, "ab"), (up, "ab")], (f.empty("72x136xbf16"), "ab"), [
        "%one = arith.constant 1.0 : f32", "%0 = arith.negf %in0 : f32", "%1 = math.exp %0 : f32",
        "%2 = arith.addf %1, %one : f32", "%3 = arith.divf %in0, %2 : f32", "%4 = arith.mulf %3, %in1 : f32",
        "%r = arith.truncf %4 : f32 to bf16"
    ])
    y = f.op("linalg.matmul", [h, "%d"], f.fill("72x40xf32"))
    return f.returns(y), lambda x, g, u, d: (silu(x @ g) * (x @ u)).round("bf16") @ d


@model("iree")
def layernorm_linear():
    f = Function("x: 72x48xf32, gamma: 48xf32, beta: 48xf32, w: 48x40xbf16")
    total = f.generic("ab", [("%x", "ab")], (f.fill("72xf32"), "a"), ["%r = arith.addf %out, %in0 : f32"], "b")
    inv = "%n = arith.constant 4.8e+01 : f32"
    mean = f.pointwise([(total, "a")], (f.empty("72xf32"), "a"), [inv, "%r = arith.divf %in0, %n : f32"])
    squares = f.generic("ab", [("%x", "ab"), (mean, "a")], (f.fill("72xf32"), "a"), [
        "%0 = arith.subf %in0, %in1 : f32", "%1 = arith.mulf %0, %0 : f32", "%r = arith.addf %out, %1 : f32"
    ], "b")
    h = f.pointwise([("%x", "ab"), (mean, "a"), (squares, "a"), ("%gamma", "b"), ("%beta", "b")],
                    (f.empty("72x48xbf16"), "ab"), [
                        inv, "%eps = arith.constant 9.99999974E-6 : f32", "%0 = arith.subf %in0, %in1 : f32",
                        "%1 = arith.divf %in2, %n : f32", "%2 = arith.addf %1, %eps : f32", "%3 = math.rsqrt %2 : f32",
                        "%4 = arith.mulf %0, %3 : f32", "%5 = arith.mulf %4, %in3 : f32",
                        "%6 = arith.addf %5, %in4 : f32", "%r = arith.truncf %6 : f32 to bf16"
                    ])
    y = f.op("linalg.matmul", [h, "%w"], f.fill("72x40xf32"))

    def formula(x, gamma, beta, w):
        centred = x - x.mean(1, True)
        variance = (centred * centred).mean(1, True)
        return (centred / sqrt(variance + 1e-5) * gamma + beta).round("bf16") @ w

    return f.returns(y), formula


@model("iree")
def rmsnorm_linear():
    f = Function("x: 72x48xbf16, gamma: 48xbf16, w: 40x48xbf16")
    squares = f.generic("ab", [("%x", "ab")], (f.fill("72xf32"), "a"), [
        "%0 = arith.extf %in0 : bf16 to f32", "%1 = math.powf %0, %two : f32", "%r = arith.addf %out, %1 : f32"
    ], "b")
    f.lines.insert(0, "%two = arith.constant 2.0 : f32")
    h = f.pointwise([("%x", "ab"), (squares, "a"), ("%gamma", "b")], (f.empty("72x48xbf16"), "ab"), [
        "%n = arith.constant 4.8e+01 : f32", "%eps = arith.constant 9.99999974E-6 : f32",
        "%0 = arith.divf %in1, %n : f32", "%1 = arith.addf %0, %eps : f32", "%2 = math.rsqrt %1 : f32",
        "%3 = arith.extf %in0 : bf16 to f32", "%4 = arith.mulf %3, %2 : f32", "%5 = arith.extf %in2 : bf16 to f32",
        "%6 = arith.mulf %4, %5 : f32", "%r = arith.truncf %6 : f32 to bf16"
    ])
    y = f.einsum("ac,bc->ab", h, "%w")
    return f.returns(y), lambda x, gamma, w: (x / sqrt((x * x).mean(1, True) + 1e-5) * gamma).round("bf16") @ w.T


@model("iree")
def batch_matmul_f16():
    f = Function("a: 3x72x48xf16, b: 3x48x40xf16")
    y = f.op("linalg.batch_matmul", ["%a", "%b"], f.fill("3x72x40xf32"))
    return f.returns(y), lambda a, b: a @ b


@model("iree")
def extended_before_product():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    y = f.op("linalg.matmul", [f.cast("%a", "f32"), f.cast("%b", "f32")], f.fill("72x40xf32"))
    return f.returns(y), lambda a, b: a @ b


@model("iree")
def narrowed_before_product():
    f = Function("a: 72x48xf32, b: 48x40xf32")
    y = f.op("linalg.matmul", [f.cast("%a", "bf16"), f.cast("%b", "bf16")], f.fill("72x40xf32"))
    return f.returns(y), lambda a, b: a.round("bf16") @ b.round("bf16")


@model("iree")
def reduced_after_product():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    y = f.op("linalg.matmul", ["%a", "%b"], f.fill("72x40xf32"))
    y = f.generic("ab", [(y, "ab")], (f.fill("72xf32"), "a"), ["%r = arith.addf %out, %in0 : f32"], "b")
    return f.returns(y), lambda a, b: (a @ b).sum(1)


@model("iree")
def largest_after_product():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    y = f.op("linalg.matmul", ["%a", "%b"], f.fill("72x40xf32"))
    y = f.generic("ab", [(y, "ab")], (f.fill("40xf32", "0xFF800000"), "b"),
                  ["%r = arith.maximumf %out, %in0 : f32"], "a")
    return f.returns(y), lambda a, b: (a @ b).max(0)


@model("iree")
def padded_operands():
    f = Function("a: 70x44xbf16, b: 44x40xbf16")
    zero = f.constant("0.000000e+00", "bf16")
    a = f.add(f"tensor.pad %a low[0, 0] high[2, 4] {{\n    ^bb0(%i: index, %j: index):\n      tensor.yield {zero} : bf16\n"
              "  } : tensor<70x44xbf16> to tensor<72x48xbf16>", "72x48xbf16")
    b = f.add(f"tensor.pad %b low[0, 0] high[4, 0] {{\n    ^bb0(%i: index, %j: index):\n      tensor.yield {zero} : bf16\n"
              "  } : tensor<44x40xbf16> to tensor<48x40xbf16>", "48x40xbf16")
    y = f.op("linalg.matmul", [a, b], f.fill("72x40xf32"))
    y = f.slice(y, [0, 0], [70, 40], "70x40xf32")
    return f.returns(y), lambda a, b: a @ b


@model("iree")
def dynamic_rows():
    f = Function("x: ?x48xbf16, w: 48x72xbf16")
    f.lines += ["%c0 = arith.constant 0 : index", "%n = tensor.dim %x, %c0 : tensor<?x48xbf16>"]
    e = f.add("tensor.empty(%n) : tensor<?x72xf32>", "?x72xf32")
    y = f.op("linalg.matmul", ["%x", "%w"], f.fill("?x72xf32", into=e))
    y = f.pointwise([(y, "ab")], (e, "ab"), ["%r = math.tanh %in0 : f32"])
    return f.returns(y), lambda x, w: tanh(x @ w), {"sizes": {"x": (130, 48)}}
