"""As TPP-MLIR's tests: packed layouts, batch-reduce products, VNNI, bias and ReLU as generics, tensors and memrefs."""
from ..uncertain import einsum, relu
from . import model
from .text import Function

BIAS_RELU = ["%z = arith.constant 0.0 : f32", "%0 = arith.addf %in0, %in1 : f32", "%r = arith.maximumf %0, %z : f32"]


@model("tpp-mlir")
def brgemm():
    f = Function("a: 4x72x16xbf16, b: 4x16x40xbf16, d: 72x40xf32")
    y = f.op("linalg.batch_reduce_matmul", ["%a", "%b"], "%d")
    return f.returns(y), lambda a, b, d: d + einsum("rij,rjk->ik", a, b)


@model("tpp-mlir")
def brgemm_memref():
    f = Function("a: 4x72x16xbf16, b: 4x16x40xbf16, d: 72x40xf32", memrefs=True)
    y = f.op("linalg.batch_reduce_matmul", ["%a", "%b"], "%d")
    return f.into(y), lambda a, b, d: d + einsum("rij,rjk->ik", a, b)


@model("tpp-mlir")
def gemm_memref_zero():
    f = Function("a: 72x48xbf16, b: 48x40xbf16, d: 72x40xf32", memrefs=True)
    f.fill("72x40xf32", into="%d")
    y = f.op("linalg.matmul", ["%a", "%b"], "%d")
    return f.into(y), lambda a, b, d: a @ b


@model("tpp-mlir")
def packed_matmul():
    f = Function("a: 3x6x16x8xbf16, b: 5x6x8x8xbf16")
    y = f.einsum("mkic,nkcj->mnij", "%a", "%b")
    return f.returns(y), lambda a, b: einsum("mkic,nkcj->mnij", a, b)


@model("tpp-mlir")
def packed_mlp_layer():
    f = Function("a: 3x6x16x8xbf16, b: 5x6x8x8xbf16, bias: 40xf32")
    y = f.einsum("mkic,nkcj->mnij", "%a", "%b")
    bias = f.expand("%bias", "[[0, 1]]", "5x8xf32")
    y = f.pointwise([(y, "abcd"), (bias, "bd")], (f.empty("3x5x16x8xf32"), "abcd"), BIAS_RELU)
    return f.returns(y), lambda a, b, bias: relu(einsum("mkic,nkcj->mnij", a, b) + bias.reshape(1, 5, 1, 8))


@model("tpp-mlir")
def vnni_matmul():
    f = Function("a: 72x24x2xbf16, b: 24x40x2xbf16")
    y = f.einsum("ikv,kjv->ij", "%a", "%b")
    return f.returns(y), lambda a, b: einsum("ikv,kjv->ij", a, b)


@model("tpp-mlir")
def vnni_memref():
    f = Function("a: 72x24x2xbf16, b: 24x40x2xbf16, d: 72x40xf32", memrefs=True)
    y = f.product("ikv,kjv->ij", "%a", "%b", "%d")
    return f.into(y), lambda a, b, d: d + einsum("ikv,kjv->ij", a, b)


@model("tpp-mlir")
def pack_product_unpack():
    f = Function("a: 64x48xbf16, b: 48x40xbf16")
    pa = f.add(f"linalg.pack %a outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 8] into "
               f"{f.empty('4x6x16x8xbf16')} : tensor<64x48xbf16> -> tensor<4x6x16x8xbf16>", "4x6x16x8xbf16")
    pb = f.add(f"linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 8] into "
               f"{f.empty('5x6x8x8xbf16')} : tensor<48x40xbf16> -> tensor<5x6x8x8xbf16>", "5x6x8x8xbf16")
    y = f.einsum("mkic,nkcj->mnij", pa, pb)
    y = f.add(f"linalg.unpack {y} outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 8] into "
              f"{f.empty('64x40xf32')} : tensor<4x5x16x8xf32> -> tensor<64x40xf32>", "64x40xf32")
    return f.returns(y), lambda a, b: a @ b


@model("tpp-mlir")
def pack_with_padding():
    f = Function("a: 60x48xbf16, b: 48x40xbf16")
    zero = f.constant("0.000000e+00", "bf16")
    pa = f.add(f"linalg.pack %a padding_value({zero} : bf16) inner_dims_pos = [0, 1] inner_tiles = [16, 8] into "
               f"{f.empty('4x6x16x8xbf16')} : tensor<60x48xbf16> -> tensor<4x6x16x8xbf16>", "4x6x16x8xbf16")
    pb = f.add(f"linalg.pack %b outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 8] into "
               f"{f.empty('5x6x8x8xbf16')} : tensor<48x40xbf16> -> tensor<5x6x8x8xbf16>", "5x6x8x8xbf16")
    y = f.op("linalg.mmt4d", [pa, pb], f.fill("4x5x16x8xf32"))
    y = f.add(f"linalg.unpack {y} inner_dims_pos = [0, 1] inner_tiles = [16, 8] into "
              f"{f.empty('60x40xf32')} : tensor<4x5x16x8xf32> -> tensor<60x40xf32>", "60x40xf32")
    return f.returns(y), lambda a, b: a @ b


@model("tpp-mlir")
def mlp_three_layers_in_place():
    f = Function("x: 64x48xbf16, w1: 48x72xbf16, b1: 72xf32, w2: 72x40xbf16, b2: 40xf32, d: 64x40xf32", memrefs=True)
    h = f.op("linalg.matmul", ["%x", "%w1"], f.fill("64x72xf32"))
    f.generic("ab", [("%b1", "b")], (h, "ab"), [
        "%z = arith.constant 0.0 : f32", "%0 = arith.addf %in0, %out : f32", "%r = arith.maximumf %0, %z : f32"])
    h = f.cast(h, "bf16")
    f.fill("64x40xf32", into="%d")
    f.op("linalg.matmul", [h, "%w2"], "%d")
    y = f.generic("ab", [("%b2", "b")], ("%d", "ab"), ["%r = arith.addf %in0, %out : f32"])
    return f.into(y), lambda x, w1, b1, w2, b2, d: relu(x @ w1 + b1).round("bf16") @ w2 + b2


@model("tpp-mlir")
def bias_first():
    f = Function("x: 64x48xbf16, w: 48x72xbf16, b: 72xf32")
    bias = f.pointwise([("%b", "b")], (f.empty("64x72xf32"), "ab"), ["%z = arith.constant 0.0 : f32",
                                                                   "%r = arith.addf %in0, %z : f32"])
    y = f.op("linalg.matmul", ["%x", "%w"], bias)
    return f.returns(y), lambda x, w, b: x @ w + b


@model("tpp-mlir")
def broadcast_named_bias():
    f = Function("x: 64x48xbf16, w: 48x72xbf16, b: 72xf32")
    y = f.op("linalg.matmul", ["%x", "%w"], f.fill("64x72xf32"))
    bias = f.add(f"linalg.broadcast ins(%b : tensor<72xf32>) outs({f.empty('64x72xf32')} : tensor<64x72xf32>) dimensions = [0]",
                 "64x72xf32")
    y = f.op("linalg.add", [y, bias], f.empty("64x72xf32"))
    y = f.op("linalg.max", [y, f.fill("64x72xf32")], f.empty("64x72xf32"))
    return f.returns(y), lambda x, w, b: relu(x @ w + b)


@model("tpp-mlir")
def blocked_projection_3d():
    f = Function("x: 8x9x48xbf16, w: 48x72xbf16")
    y = f.einsum("abk,kn->abn", "%x", "%w")
    return f.returns(y), lambda x, w: einsum("abk,kn->abn", x, w)
