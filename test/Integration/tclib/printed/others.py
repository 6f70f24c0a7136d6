"""As buddy-mlir (tosa lowered, KV caches), mlir-air and mlir-aie (tiles in memrefs, packed layouts), Intel's extensions (VNNI,
packed MLPs) and StableHLO's lowering to linalg print."""
import numpy as np

from ..uncertain import Uncertain, einsum, exp, relu, sigmoid, silu, softmax, sqrt, tanh
from . import model
from .text import Function
from .torch_mlir import row_softmax, unary

ADD = ["%r = arith.addf %in0, %in1 : f32"]


@model("buddy-mlir")
def gemm_dynamic():
    f = Function("a: ?x?xf16, b: ?x?xf16, c: ?x?xf32", memrefs=True)
    return f.into(f.op("linalg.matmul", ["%a", "%b"], "%c")), lambda a, b, c: c + a @ b, {
        "sizes": {"a": (40, 48), "b": (48, 72), "c": (40, 72)}}


@model("buddy-mlir")
def batch_gemm_dynamic():
    f = Function("a: ?x?x?xbf16, b: ?x?x?xbf16, c: ?x?x?xf32", memrefs=True)
    return f.into(f.op("linalg.batch_matmul", ["%a", "%b"], "%c")), lambda a, b, c: c + a @ b, {
        "sizes": {"a": (2, 40, 48), "b": (2, 48, 72), "c": (2, 40, 72)}}


@model("buddy-mlir")
def projection_of_tokens():
    f = Function("x: 1x40x48xbf16, w: 72x48xbf16")
    w = f.transpose("%w", [1, 0])
    x = f.collapse("%x", "[[0, 1], [2]]", "40x48xbf16")
    y = f.op("linalg.matmul", [x, w], f.fill("40x72xf32"))
    return f.returns(f.expand(y, "[[0, 1], [2]]", "1x40x72xf32")), lambda x, w: x @ w.T


@model("buddy-mlir")
def rms_norm_then_gate():
    f = Function("x: 40x48xf32, gamma: 48xf32, g: 48x72xbf16, u: 48x72xbf16")
    squares = f.pointwise([("%x", "ab")], (f.empty("40x48xf32"), "ab"), ["%r = arith.mulf %in0, %in0 : f32"])
    total = f.generic("ab", [(squares, "ab")], (f.fill("40x1xf32"), "a0"), ["%r = arith.addf %in0, %out : f32"], "b")
    scale = f.pointwise([(total, "a0")], (f.empty("40x1xf32"), "ab"), [
        "%n = arith.constant 0.020833334 : f32", "%e = arith.constant 1.0e-06 : f32", "%0 = arith.mulf %in0, %n : f32",
        "%1 = arith.addf %0, %e : f32", "%r = math.rsqrt %1 : f32"])
    h = f.pointwise([("%x", "ab"), (scale, "a0"), ("%gamma", "b")], (f.empty("40x48xbf16"), "ab"), [
        "%0 = arith.mulf %in0, %in1 : f32", "%1 = arith.mulf %0, %in2 : f32", "%r = arith.truncf %1 : f32 to bf16"])
    g = f.op("linalg.matmul", [h, "%g"], f.fill("40x72xf32"))
    u = f.op("linalg.matmul", [h, "%u"], f.fill("40x72xf32"))
    g = unary(f, g, ["%one = arith.constant 1.0 : f32", "%0 = arith.negf %in0 : f32", "%1 = math.exp %0 : f32",
                     "%2 = arith.addf %1, %one : f32", "%3 = arith.divf %one, %2 : f32", "%r = arith.mulf %in0, %3 : f32"])
    y = f.op("linalg.mul", [g, u], f.empty("40x72xf32"))

    def formula(x, gamma, g, u):
        h = (x / sqrt((x * x).mean(1, True) + 1e-6) * gamma).round("bf16")
        return silu(h @ g) * (h @ u)

    return f.returns(y), formula


@model("buddy-mlir")
def rotary_embedding():
    f = Function("x: 40x48xbf16, w: 48x32xbf16, cos: 40x32xf32, sin: 40x32xf32")
    y = f.op("linalg.matmul", ["%x", "%w"], f.fill("40x32xf32"))
    low = f.slice(y, [0, 0], [40, 16], "40x16xf32")
    high = f.slice(y, [0, 16], [40, 16], "40x16xf32")
    high = unary(f, high, ["%r = arith.negf %in0 : f32"])
    turned = f.add(f"tensor.concat dim(1) {high}, {low} : (tensor<40x16xf32>, tensor<40x16xf32>) -> tensor<40x32xf32>",
                   "40x32xf32")
    y = f.pointwise([(y, "ab"), ("%cos", "ab"), (turned, "ab"), ("%sin", "ab")], (f.empty("40x32xf32"), "ab"), [
        "%0 = arith.mulf %in0, %in1 : f32", "%1 = arith.mulf %in2, %in3 : f32", "%r = arith.addf %0, %1 : f32"])

    def formula(x, w, cos, sin):
        y = x @ w
        turned = Uncertain(np.concatenate([-y.value[:, 16:], y.value[:, :16]], 1),
                           np.concatenate([y.error[:, 16:], y.error[:, :16]], 1))
        return y * cos + turned * sin

    return f.returns(y), formula


@model("buddy-mlir")
def decode_one_token():
    f = Function("q: 3x1x16xbf16, k: 3x72x16xbf16, v: 3x72x16xbf16")
    s = f.op("linalg.batch_matmul", ["%q", f.transpose("%k", [0, 2, 1])], f.fill("3x1x72xf32"))
    p = f.cast(row_softmax(f, s), "bf16")
    y = f.op("linalg.batch_matmul", [p, "%v"], f.fill("3x1x16xf32"))
    return f.returns(y), lambda q, k, v: softmax(einsum("hqc,hkc->hqk", q, k)).within("bf16") @ v


@model("buddy-mlir")
def additive_mask_from_index():
    f = Function("q: 3x40x16xbf16, k: 3x40x16xbf16")
    s = f.einsum("hqc,hkc->hqk", "%q", "%k")
    mask = f.generic("ab", [], (f.empty("40x40xf32"), "ab"), [
        "%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%lt = arith.cmpi ult, %i, %j : index",
        "%m = arith.constant -1.0e+04 : f32", "%z = arith.constant 0.0 : f32", "%r = arith.select %lt, %m, %z : f32"])
    s = f.pointwise([(s, "abc"), (mask, "bc")], (f.empty("3x40x40xf32"), "abc"), ADD)

    return f.returns(s), lambda q, k: einsum("hqc,hkc->hqk", q, k) + np.triu(np.full((40, 40), -1e4), 1)


@model("buddy-mlir")
def vector_of_the_last_token():
    f = Function("x: 40x48xbf16, w: 48x72xbf16")
    last = f.slice("%x", [39, 0], [1, 48], "1x48xbf16")
    y = f.op("linalg.matmul", [last, "%w"], f.fill("1x72xf32"))
    return f.returns(y), lambda x, w: x[39:] @ w


@model("mlir-air")
def tile_of_a_matrix():
    f = Function("a: 64x96xbf16, b: 96x80xbf16, d: 64x80xf32", memrefs=True)
    f.lines += [
        "%z = arith.constant 0.0 : f32",
        "%sa = memref.subview %a[16, 32] [32, 64] [1, 1] : memref<64x96xbf16> to memref<32x64xbf16, strided<[96, 1], offset: 1568>>",
        "%sb = memref.subview %b[32, 16] [64, 40] [1, 1] : memref<96x80xbf16> to memref<64x40xbf16, strided<[80, 1], offset: 2576>>",
        "%sd = memref.subview %d[16, 16] [32, 40] [1, 1] : memref<64x80xf32> to memref<32x40xf32, strided<[80, 1], offset: 1296>>",
        "linalg.fill ins(%z : f32) outs(%sd : memref<32x40xf32, strided<[80, 1], offset: 1296>>)",
        "linalg.matmul ins(%sa, %sb : memref<32x64xbf16, strided<[96, 1], offset: 1568>>, memref<64x40xbf16, strided<[80, 1], "
        "offset: 2576>>) outs(%sd : memref<32x40xf32, strided<[80, 1], offset: 1296>>)"]

    def formula(a, b, d):
        part = a[16:48, 32:] @ b[32:, 16:56]
        value, error = d.value.copy(), np.zeros(d.shape)
        value[16:48, 16:56], error[16:48, 16:56] = part.value, part.error
        return Uncertain(value, error)

    return f.into("%d"), formula


@model("mlir-air")
def copied_to_a_local_buffer():
    f = Function("a: 40x48xbf16, b: 48x72xbf16, d: 40x72xf32", memrefs=True)
    local = f.empty("40x48xbf16")
    f.lines.append(f"memref.copy %a, {local} : memref<40x48xbf16> to memref<40x48xbf16>")
    f.fill("40x72xf32", into="%d")
    f.op("linalg.matmul", [local, "%b"], "%d")
    f.lines.append(f"memref.dealloc {local} : memref<40x48xbf16>")
    return f.into("%d"), lambda a, b, d: a @ b


@model("mlir-air")
def matmul_then_relu_in_place():
    f = Function("a: 40x48xbf16, b: 48x72xbf16, d: 40x72xbf16", memrefs=True)
    f.fill("40x72xbf16", into="%d")
    f.op("linalg.matmul", ["%a", "%b"], "%d")
    y = f.generic("ab", [], ("%d", "ab"), ["%z = arith.constant 0.0 : bf16", "%r = arith.maximumf %out, %z : bf16"])
    return f.into(y), lambda a, b, d: relu(a @ b)


@model("mlir-air")
def packed_six_loops():
    f = Function("a: 3x6x16x8xbf16, b: 5x6x8x8xbf16, d: 5x3x16x8xf32", memrefs=True)
    f.fill("5x3x16x8xf32", into="%d")
    y = f.product("mkic,nkcj->nmij", "%a", "%b", "%d")
    return f.into(y), lambda a, b, d: einsum("mkic,nkcj->nmij", a, b)


@model("mlir-air")
def softmax_of_scores():
    f = Function("q: 40x16xbf16, k: 72x16xbf16, d: 40x72xf32", memrefs=True)
    s = f.product("qc,kc->qk", "%q", "%k", f.fill("40x72xf32"))
    largest = f.generic("ab", [(s, "ab")], (f.fill("40xf32", "0xFF800000"), "a"),
                        ["%r = arith.maximumf %in0, %out : f32"], "b")
    f.pointwise([(s, "ab"), (largest, "a")], ("%d", "ab"), ["%0 = arith.subf %in0, %in1 : f32", "%r = math.exp %0 : f32"])
    total = f.generic("ab", [("%d", "ab")], (f.fill("40xf32"), "a"), ["%r = arith.addf %in0, %out : f32"], "b")
    y = f.generic("ab", [(total, "a")], ("%d", "ab"), ["%r = arith.divf %out, %in0 : f32"])
    return f.into(y), lambda q, k, d: softmax(q @ k.T)


@model("mlir-aie")
def packed_core_layout():
    f = Function("a: 6x5x8x8xbf16, b: 9x6x8x8xbf16, d: 9x5x8x8xf32", memrefs=True)
    y = f.product("kmic,nkcj->nmij", "%a", "%b", "%d")
    return f.into(y), lambda a, b, d: d + einsum("kmic,nkcj->nmij", a, b)


@model("mlir-aie")
def bf16_accumulated_in_bf16():
    f = Function("a: 40x48xbf16, b: 48x72xbf16, d: 40x72xbf16", memrefs=True)
    y = f.product("ik,kj->ij", "%a", "%b", "%d")
    return f.into(y), lambda a, b, d: d + a @ b


@model("mlir-aie")
def pack_into_core_tiles():
    f = Function("a: 40x48xbf16, b: 48x72xbf16, d: 40x72xf32")
    pa = f.add(f"linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into "
               f"{f.empty('6x5x8x8xbf16')} : tensor<40x48xbf16> -> tensor<6x5x8x8xbf16>", "6x5x8x8xbf16")
    pb = f.add(f"linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into "
               f"{f.empty('9x6x8x8xbf16')} : tensor<48x72xbf16> -> tensor<9x6x8x8xbf16>", "9x6x8x8xbf16")
    y = f.einsum("kmic,nkcj->nmij", pa, pb)
    y = f.add(f"linalg.unpack {y} outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into "
              f"{f.empty('40x72xf32')} : tensor<9x5x8x8xf32> -> tensor<40x72xf32>", "40x72xf32")
    y = f.op("linalg.add", [y, "%d"], f.empty("40x72xf32"))
    return f.returns(y), lambda a, b, d: a @ b + d


@model("mlir-aie")
def eltwise_and_gemv():
    f = Function("a: 72x48xbf16, x: 48xbf16, c: 72xf32, d: 72xf32", memrefs=True)
    f.fill("72xf32", into="%d")
    f.op("linalg.matvec", ["%a", "%x"], "%d")
    y = f.generic("a", [("%c", "a")], ("%d", "a"), ["%r = arith.addf %in0, %out : f32"])
    return f.into(y), lambda a, x, c, d: einsum("ik,k->i", a, x) + c


@model("intel")
def vnni_packed_mlp():
    f = Function("a: 5x6x8x8xbf16, b: 9x6x4x8x2xbf16, bias: 9x8xf32")
    a = f.expand("%a", "[[0], [1], [2], [3, 4]]", "5x6x8x4x2xbf16")
    y = f.einsum("mkicv,nkcjv->mnij", a, "%b")
    y = f.pointwise([(y, "abcd"), ("%bias", "bd")], (f.empty("5x9x8x8xbf16"), "abcd"), [
        "%z = arith.constant 0.0 : f32", "%0 = arith.addf %in0, %in1 : f32", "%1 = arith.maximumf %0, %z : f32",
        "%r = arith.truncf %1 : f32 to bf16"])

    def formula(a, b, bias):
        y = einsum("mkicv,nkcjv->mnij", a.reshape(5, 6, 8, 4, 2), b)
        return relu(y + bias.reshape(1, 9, 1, 8))

    return f.returns(y), formula


@model("intel")
def two_packed_layers():
    f = Function("a: 5x6x8x8xbf16, b: 9x6x8x8xbf16, c: 3x9x8x8xbf16")
    h = f.einsum("mkic,nkcj->mnij", "%a", "%b")
    h = f.cast(unary(f, h, ["%z = arith.constant 0.0 : f32", "%r = arith.maximumf %in0, %z : f32"]), "bf16")
    y = f.einsum("mkic,nkcj->mnij", h, "%c")
    return f.returns(y), lambda a, b, c: einsum(
        "mkic,nkcj->mnij", relu(einsum("mkic,nkcj->mnij", a, b)).round("bf16"), c)


@model("intel")
def batch_reduce_packed():
    f = Function("a: 5x6x8x8xbf16, b: 9x6x8x8xbf16")
    a = f.slice("%a", [2, 0, 0, 0], [1, 6, 8, 8], "6x8x8xbf16")
    b = f.slice("%b", [4, 0, 0, 0], [1, 6, 8, 8], "6x8x8xbf16")
    y = f.op("linalg.batch_reduce_matmul", [a, b], f.fill("8x8xf32"))
    return f.returns(y), lambda a, b: einsum("kic,kcj->ij", a[2], b[4])


@model("intel")
def mha_with_scale_by_division():
    f = Function("q: 2x3x40x16xbf16, k: 2x3x72x16xbf16, v: 2x3x72x16xbf16")
    s = f.einsum("bhqc,bhkc->bhqk", "%q", "%k")
    s = unary(f, s, ["%c = arith.constant 4.0 : f32", "%r = arith.divf %in0, %c : f32"])
    o = f.einsum("bhqk,bhkd->bhqd", f.cast(row_softmax(f, s), "bf16"), "%v")
    o = f.transpose(f.cast(o, "bf16"), [0, 2, 1, 3])
    return f.returns(f.collapse(o, "[[0], [1], [2, 3]]", "2x40x48xbf16")), lambda q, k, v: einsum(
        "bhqk,bhkd->bqhd", softmax(einsum("bhqc,bhkc->bhqk", q, k) / 4.0).within("bf16"), v).reshape(2, 40, 48)


@model("stablehlo")
def dot_of_vectors_and_matrices():
    f = Function("x: 48xbf16, w: 48x72xbf16")
    return f.returns(f.op("linalg.vecmat", ["%x", "%w"], f.fill("72xf32"))), lambda x, w: einsum("k,kj->j", x, w)


@model("stablehlo")
def broadcast_in_dim_and_add():
    f = Function("x: 40x48xbf16, w: 48x72xbf16, b: 72xf32")
    y = f.op("linalg.matmul", ["%x", "%w"], f.fill("40x72xf32"))
    b = f.add(f"linalg.broadcast ins(%b : tensor<72xf32>) outs({f.empty('40x72xf32')} : tensor<40x72xf32>) dimensions = [0]",
              "40x72xf32")
    y = f.add(f"linalg.map {{ arith.addf }} ins({y}, {b} : tensor<40x72xf32>, tensor<40x72xf32>) "
              f"outs({f.empty('40x72xf32')} : tensor<40x72xf32>)", "40x72xf32")
    y = f.add(f"linalg.map {{ math.tanh }} ins({y} : tensor<40x72xf32>) outs({f.empty('40x72xf32')} : tensor<40x72xf32>)",
              "40x72xf32")
    return f.returns(y), lambda x, w, b: tanh(x @ w + b)


@model("stablehlo")
def dot_general_of_four_dims():
    f = Function("x: 2x40x3x16xbf16, y: 3x24x2x16xbf16")
    return f.returns(f.einsum("bqhc,hkbc->bhqk", "%x", "%y")), lambda x, y: einsum("bqhc,hkbc->bhqk", x, y)


@model("stablehlo")
def clamp_and_compare():
    f = Function("x: 40x48xbf16, w: 48x72xbf16, low: f32")
    y = f.op("linalg.matmul", ["%x", "%w"], f.fill("40x72xf32"))
    y = unary(f, y, ["%six = arith.constant 6.0 : f32", "%0 = arith.minimumf %in0, %six : f32",
                     "%r = arith.maximumf %0, %low : f32"])
    return f.returns(y), lambda x, w: (x @ w).apply(lambda v: np.clip(v, -1.5, 6), 0), {"scalars": {"arg2": -1.5}}


@model("stablehlo")
def pad_before_dot():
    f = Function("x: 36x44xbf16, w: 48x72xbf16")
    zero = f.constant("0.000000e+00", "bf16")
    x = f.add(f"tensor.pad %x low[2, 4] high[2, 0] {{\n    ^bb0(%i: index, %j: index):\n      tensor.yield {zero} : bf16\n"
              "  } : tensor<36x44xbf16> to tensor<40x48xbf16>", "40x48xbf16")
    y = f.op("linalg.matmul", [x, "%w"], f.fill("40x72xf32"))
    return f.returns(y), lambda x, w: x.pad(((2, 2), (4, 0))) @ w


@model("stablehlo")
def logistic_power_and_sqrt():
    f = Function("x: 40x48xbf16, w: 48x72xbf16")
    y = f.op("linalg.matmul", ["%x", "%w"], f.fill("40x72xf32"))
    y = unary(f, y, ["%one = arith.constant 1.0 : f32", "%e = arith.constant 2.5 : f32", "%0 = arith.negf %in0 : f32",
                     "%1 = math.exp %0 : f32", "%2 = arith.addf %1, %one : f32", "%3 = arith.divf %one, %2 : f32",
                     "%4 = math.powf %3, %e : f32", "%r = math.sqrt %4 : f32"])
    return f.returns(y), lambda x, w: sqrt(sigmoid(x @ w).apply(lambda v: v**2.5)), {"scales": {"w": 0.2}}


@model("stablehlo")
def reduce_window_free_mean():
    f = Function("x: 40x48xbf16, w: 48x72xbf16")
    y = f.op("linalg.matmul", ["%x", "%w"], f.fill("40x72xf32"))
    y = f.add(f"linalg.reduce ins({y} : tensor<40x72xf32>) outs({f.fill('72xf32')} : tensor<72xf32>) dimensions = [0]\n"
              "    (%v: f32, %acc: f32) {\n      %s = arith.addf %acc, %v : f32\n      linalg.yield %s : f32\n    }", "72xf32")
    y = unary(f, y, ["%n = arith.constant 4.0e+01 : f32", "%r = arith.divf %in0, %n : f32"])
    return f.returns(y), lambda x, w: (x @ w).sum(0) / 40.0


@model("stablehlo")
def exponential_of_a_transposed_dot():
    f = Function("x: 40x48xbf16, w: 48x72xbf16")
    y = f.transpose(f.op("linalg.matmul", ["%x", "%w"], f.fill("40x72xf32")), [1, 0])
    return f.returns(unary(f, y, ["%r = math.exp %in0 : f32"])), lambda x, w: exp(x @ w).T, {"scales": {"w": 0.3}}
