"""Functions without a product of a matrix unit, or with more beside one: plain kernels, scalars in memory, truth values and
f64 between kernels, products of types that no unit has, f32 without an option."""
import numpy as np

from ..uncertain import Uncertain, einsum, exp, relu, silu, softmax
from . import MODELS, Model

MATRIX = "affine_map<(i, j) -> (i, j)>"
ROW = "affine_map<(i, j) -> (i)>"
POINT = "affine_map<(i, j) -> ()>"
ELEMENTWISE = 'iterator_types = ["parallel", "parallel"]'
REDUCTION = 'iterator_types = ["parallel", "reduction"]'


def add(name, text, shapes, formula, out_type="f32", scales=None, scalars=None, options=()):
    MODELS.append(
        Model("plain", name, text, shapes, formula, out_type, None, scalars or {}, scales or [1.0] * len(shapes), options))


def product(m, n, k, element="bf16", out="f32", zero="0.0"):
    return f"""  %zero = arith.constant {zero} : {out}
  %e = tensor.empty() : tensor<{m}x{n}x{out}>
  %f = linalg.fill ins(%zero : {out}) outs(%e : tensor<{m}x{n}x{out}>) -> tensor<{m}x{n}x{out}>
  %p = linalg.matmul ins(%x, %w : tensor<{m}x{k}x{element}>, tensor<{k}x{n}x{element}>)
                     outs(%f : tensor<{m}x{n}x{out}>) -> tensor<{m}x{n}x{out}>
"""


def function(arguments, result, body):
    return f"func.func @f({arguments}) -> {result} {{\n{body}}}\n"


add("f32_product",
    function("%x: tensor<37x61xf32>, %w: tensor<61x43xf32>", "tensor<37x43xf32>",
             product(37, 43, 61, "f32") + "  return %p : tensor<37x43xf32>\n"),
    [((37, 61), "f32"), ((61, 43), "f32")], lambda x, w: einsum("mk,kn->mn", x, w))

add("f32_product_fma",
    function("%x: tensor<37x61xf32>, %w: tensor<61x43xf32>", "tensor<37x43xf32>",
             product(37, 43, 61, "f32") + "  return %p : tensor<37x43xf32>\n"),
    [((37, 61), "f32"), ((61, 43), "f32")], lambda x, w: einsum("mk,kn->mn", x, w), options=("--f32=fma",))

add("i32_product",
    function("%x: tensor<21x35xi32>, %w: tensor<35x19xi32>", "tensor<21x19xi32>",
             product(21, 19, 35, "i32", "i32", "0") + "  return %p : tensor<21x19xi32>\n"),
    [((21, 35), "i32"), ((35, 19), "i32")], lambda x, w: einsum("mk,kn->mn", x, w), "i32", [1000.0, 1000.0])

add("silu_by_parts",
    function(
        "%x: tensor<70x40xbf16>, %w: tensor<40x54xbf16>", "tensor<70x54xf32>",
        product(70, 54, 40) + f"""  %one = arith.constant 1.0 : f32
  %s = linalg.generic {{indexing_maps = [{MATRIX}, {MATRIX}], {ELEMENTWISE}}}
      ins(%p : tensor<70x54xf32>) outs(%e : tensor<70x54xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %1 = arith.negf %a : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.divf %one, %3 : f32
    linalg.yield %4 : f32
  }} -> tensor<70x54xf32>
  %r = linalg.mul ins(%p, %s : tensor<70x54xf32>, tensor<70x54xf32>) outs(%e : tensor<70x54xf32>) -> tensor<70x54xf32>
  return %r : tensor<70x54xf32>
"""), [((70, 40), "bf16"), ((40, 54), "bf16")], lambda x, w: silu(einsum("mk,kn->mn", x, w)))

# Rows that are masked whole, as torch prints scaled_dot_product_attention.
add("mask_between_kernels",
    function(
        "%x: tensor<33x40xbf16>, %w: tensor<40x29xbf16>", "tensor<33xf32>",
        product(33, 29, 40) + f"""  %true = arith.constant true
  %one = arith.constant 1.0 : f32
  %bits = tensor.empty() : tensor<33x29xi1>
  %mask = linalg.generic {{indexing_maps = [{MATRIX}, {MATRIX}], {ELEMENTWISE}}}
      ins(%p : tensor<33x29xf32>) outs(%bits : tensor<33x29xi1>) {{
  ^bb0(%a: f32, %o: i1):
    %1 = arith.cmpf olt, %a, %zero : f32
    linalg.yield %1 : i1
  }} -> tensor<33x29xi1>
  %rows = tensor.empty() : tensor<33xi1>
  %all = linalg.fill ins(%true : i1) outs(%rows : tensor<33xi1>) -> tensor<33xi1>
  %each = linalg.generic {{indexing_maps = [{MATRIX}, {ROW}], {REDUCTION}}}
      ins(%mask : tensor<33x29xi1>) outs(%all : tensor<33xi1>) {{
  ^bb0(%a: i1, %o: i1):
    %1 = arith.andi %a, %o : i1
    linalg.yield %1 : i1
  }} -> tensor<33xi1>
  %sums = tensor.empty() : tensor<33xf32>
  %none = linalg.fill ins(%zero : f32) outs(%sums : tensor<33xf32>) -> tensor<33xf32>
  %r = linalg.generic {{indexing_maps = [{MATRIX}, {MATRIX}, {ROW}, {ROW}], {REDUCTION}}}
      ins(%p, %mask, %each : tensor<33x29xf32>, tensor<33x29xi1>, tensor<33xi1>) outs(%none : tensor<33xf32>) {{
  ^bb0(%a: f32, %m: i1, %t: i1, %o: f32):
    %1 = arith.select %m, %zero, %a : f32
    %2 = arith.select %t, %one, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  }} -> tensor<33xf32>
  return %r : tensor<33xf32>
"""), [((33, 40), "bf16"), ((40, 29), "bf16")], lambda x, w: relu(einsum("mk,kn->mn", x, w)).sum(1))

# The variance in f64, as torch computes that of a layer norm.
add("f64_statistics",
    function(
        "%x: tensor<23x50xf32>", "tensor<23xf32>", f"""  %zero = arith.constant 0.0 : f64
  %n = arith.constant 50.0 : f64
  %wide = tensor.empty() : tensor<23xf64>
  %none = linalg.fill ins(%zero : f64) outs(%wide : tensor<23xf64>) -> tensor<23xf64>
  %s = linalg.generic {{indexing_maps = [{MATRIX}, {ROW}], {REDUCTION}}}
      ins(%x : tensor<23x50xf32>) outs(%none : tensor<23xf64>) {{
  ^bb0(%a: f32, %o: f64):
    %1 = arith.extf %a : f32 to f64
    %2 = arith.mulf %1, %1 : f64
    %3 = arith.addf %o, %2 : f64
    linalg.yield %3 : f64
  }} -> tensor<23xf64>
  %e = tensor.empty() : tensor<23xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%s : tensor<23xf64>) outs(%e : tensor<23xf32>) {{
  ^bb0(%a: f64, %o: f32):
    %1 = arith.divf %a, %n : f64
    %2 = arith.truncf %1 : f64 to f32
    linalg.yield %2 : f32
  }} -> tensor<23xf32>
  return %r : tensor<23xf32>
"""), [((23, 50), "f32")], lambda x: (x * x).sum(1) / 50.0)

# Is the count above 0? jnp.var prints that of constants.
add("scalars_of_constants",
    function(
        "%x: tensor<32x64xbf16>, %w: tensor<64x32xbf16>", "tensor<32x32xf32>",
        product(32, 32, 64) + f"""  %nan = arith.constant 0x7FC00000 : f32
  %n = arith.constant dense<64.0> : tensor<f32>
  %bit = tensor.empty() : tensor<i1>
  %c = linalg.generic {{indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}}
      ins(%n : tensor<f32>) outs(%bit : tensor<i1>) {{
  ^bb0(%a: f32, %o: i1):
    %1 = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %1 : i1
  }} -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %r = linalg.generic {{indexing_maps = [{MATRIX}, {MATRIX}], {ELEMENTWISE}}}
      ins(%p : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %1 = arith.select %b, %a, %nan : f32
    linalg.yield %1 : f32
  }} -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
"""), [((32, 64), "bf16"), ((64, 32), "bf16")], lambda x, w: einsum("mk,kn->mn", x, w))

# A factor in memory, and what is computed of it; a float argument that is converted.
add("scalar_in_memory",
    function(
        "%x: tensor<24x40xbf16>, %w: tensor<40x31xbf16>, %s: tensor<f32>", "tensor<24x31xf32>",
        product(24, 31, 40) + f"""  %v = tensor.extract %s[] : tensor<f32>
  %v2 = arith.mulf %v, %v : f32
  %r = linalg.generic {{indexing_maps = [{MATRIX}, {MATRIX}], {ELEMENTWISE}}}
      ins(%p : tensor<24x31xf32>) outs(%e : tensor<24x31xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %v2 : f32
    linalg.yield %1 : f32
  }} -> tensor<24x31xf32>
  return %r : tensor<24x31xf32>
"""), [((24, 40), "bf16"), ((40, 31), "bf16"), ((), "f32")], lambda x, w, s: einsum("mk,kn->mn", x, w) * (s * s))

add("scalar_converted",
    function(
        "%x: tensor<45x32xf16>, %w: tensor<32x27xf16>, %s: f32", "tensor<45x27xf32>", f"""  %h = arith.truncf %s : f32 to f16
  %ex = tensor.empty() : tensor<45x32xf16>
  %y = linalg.generic {{indexing_maps = [{MATRIX}, {MATRIX}], {ELEMENTWISE}}}
      ins(%x : tensor<45x32xf16>) outs(%ex : tensor<45x32xf16>) {{
  ^bb0(%a: f16, %o: f16):
    %1 = arith.mulf %a, %h : f16
    linalg.yield %1 : f16
  }} -> tensor<45x32xf16>
""" + product(45, 27, 32, "f16").replace("%x,", "%y,") + "  return %p : tensor<45x27xf32>\n"),
    [((45, 32), "f16"), ((32, 27), "f16"), None],
    lambda x, w: einsum("mk,kn->mn", (x * 0.75).round("f16"), w), scalars={"arg2": 0.75})

# No product at all.
add("softmax_alone",
    function(
        "%x: tensor<19x130xf32>", "tensor<19x130xf32>", """  %e = tensor.empty() : tensor<19x130xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<19x130xf32>) outs(%e : tensor<19x130xf32>) -> tensor<19x130xf32>
  return %r : tensor<19x130xf32>
"""), [((19, 130), "f32")], softmax)

add("exp_of_sums",
    function(
        "%x: tensor<37x23xbf16>", "tensor<37xf32>", f"""  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  %s = linalg.generic {{indexing_maps = [{MATRIX}, {ROW}], {REDUCTION}}}
      ins(%x : tensor<37x23xbf16>) outs(%f : tensor<37xf32>) {{
  ^bb0(%a: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  }} -> tensor<37xf32>
  %r = linalg.exp ins(%s : tensor<37xf32>) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  return %r : tensor<37xf32>
"""), [((37, 23), "bf16")], lambda x: exp(x.sum(1)), scales=[0.25])

add("transpose_alone",
    function(
        "%x: tensor<37x53xbf16>", "tensor<53x37xbf16>", """  %e = tensor.empty() : tensor<53x37xbf16>
  %r = linalg.transpose ins(%x : tensor<37x53xbf16>) outs(%e : tensor<53x37xbf16>) permutation = [1, 0]
  return %r : tensor<53x37xbf16>
"""), [((37, 53), "bf16")], lambda x: Uncertain(np.array(x.value).T), "bf16")

# A factor of the sum in memory: no product of a matrix unit.
add("scaled_sums",
    function(
        "%x: tensor<29x41xf32>, %s: tensor<f32>", "tensor<29xf32>", f"""  %zero = arith.constant 0.0 : f32
  %v = tensor.extract %s[] : tensor<f32>
  %e = tensor.empty() : tensor<29xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<29xf32>) -> tensor<29xf32>
  %r = linalg.generic {{indexing_maps = [{MATRIX}, {ROW}], {REDUCTION}}}
      ins(%x : tensor<29x41xf32>) outs(%f : tensor<29xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %v : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  }} -> tensor<29xf32>
  return %r : tensor<29xf32>
"""), [((29, 41), "f32"), ((), "f32")], lambda x, s: (x * s).sum(1))

add("i32_convolution",
    function(
        "%x: tensor<2x9x4xi32>, %w: tensor<3x4x5xi32>", "tensor<2x7x5xi32>", """  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x7x5xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2x7x5xi32>) -> tensor<2x7x5xi32>
  %r = linalg.conv_1d_nwc_wcf {strides = dense<1> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<2x9x4xi32>, tensor<3x4x5xi32>) outs(%f : tensor<2x7x5xi32>) -> tensor<2x7x5xi32>
  return %r : tensor<2x7x5xi32>
"""), [((2, 9, 4), "i32"), ((3, 4, 5), "i32")],
    lambda x, w: einsum("bwkc,kcf->bwf", x[:, np.arange(7)[:, None] + np.arange(3)[None], :], w), "i32", [1000.0, 1000.0])
