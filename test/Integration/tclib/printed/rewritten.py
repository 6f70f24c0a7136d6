"""What becomes products only after a rewriting: sums over one operand alone, zero points in a body, gathers, loops whose
iterations are launches."""
import numpy as np

from ..uncertain import Uncertain, einsum, lift
from . import MODELS, Model
from .upstream import without_sign


def add(name, text, shapes, formula, out_type="f32", in_place=None, scales=None, options=()):
    MODELS.append(
        Model("upstream", name, text, shapes, formula, out_type, in_place, {}, scales or [1.0] * len(shapes), options))


LONE_SUM = """#a = affine_map<(i, l, j, k) -> (i, j, k)>
#b = affine_map<(i, l, j, k) -> (k, l)>
#d = affine_map<(i, l, j, k) -> (i, l)>
func.func @lone_sum(%a: tensor<53x3x40xELEMENT>, %b: tensor<40x44xELEMENT>) -> tensor<53x44xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<53x44xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<53x44xf32>) -> tensor<53x44xf32>
  %d = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<53x3x40xELEMENT>, tensor<40x44xELEMENT>) outs(%init : tensor<53x44xf32>) {
  ^bb0(%x: ELEMENT, %y: ELEMENT, %z: f32):
    BODY
    %3 = arith.addf %z, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<53x44xf32>
  return %d : tensor<53x44xf32>
}
"""
WIDE = """%0 = arith.extf %x : bf16 to f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.mulf %0, %1 : f32"""
add("einsum_lone_sum", LONE_SUM.replace("BODY", WIDE).replace("ELEMENT", "bf16"), [((53, 3, 40), "bf16"), ((40, 44), "bf16")],
    lambda a, b: einsum("ijk,kl->il", a, b))
add("einsum_lone_sum_f32", LONE_SUM.replace("BODY", "%2 = arith.mulf %x, %y : f32").replace("ELEMENT", "f32"),
    [((53, 3, 40), "f32"), ((40, 44), "f32")], lambda a, b: einsum("ijk,kl->il", a, b), options=("--f32=bf16x9", ))

# Both operands have one: j of A and p of B.
add(
    "einsum_lone_sums_memref", """#a = affine_map<(i, l, j, k, p) -> (j, i, k)>
#b = affine_map<(i, l, j, k, p) -> (k, p, l)>
#d = affine_map<(i, l, j, k, p) -> (i, l)>
func.func @lone_sums(%a: memref<2x53x40xi8>, %b: memref<40x3x44xi8>, %d: memref<53x44xi32>) {
  linalg.generic {indexing_maps = [#a, #b, #d],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : memref<2x53x40xi8>, memref<40x3x44xi8>) outs(%d : memref<53x44xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  }
  return
}
""", [((2, 53, 40), "i8"), ((40, 3, 44), "i8"), ((53, 44), "i32")], lambda a, b, d: einsum("jik,kpl->il", a, b) + d, "i32", 2,
    [127.0, 127.0, 1000.0])

ZERO_POINTS = """#a = affine_map<(b, m, n, k) -> (b, m, k)>
#w = affine_map<(b, m, n, k) -> (b, k, n)>
#d = affine_map<(b, m, n, k) -> (b, m, n)>
#s = affine_map<(b, m, n, k) -> ()>
func.func @zero_points(%a: TYPE<2x53x72xi8>, %w: TYPE<2x72x44xi8>, %d: TYPE<2x53x44xi32>)RESULT {
  %za = arith.constant 128 : i32
  %r = linalg.generic {indexing_maps = [#a, #w, #s, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %w, %za : TYPE<2x53x72xi8>, TYPE<2x72x44xi8>, i32) outs(%d : TYPE<2x53x44xi32>) {
  ^bb0(%x: i8, %y: i8, %p: i32, %z: i32):
    %c = arith.constant -3 : i32
    %0 = arith.extui %x : i8 to i32
    %1 = arith.subi %0, %p : i32
    %2 = arith.extsi %y : i8 to i32
    %3 = arith.subi %2, %c : i32
    %4 = arith.muli %3, %1 : i32
    %5 = arith.addi %4, %z : i32
    linalg.yield %5 : i32
  }RETURN
}
"""
for kind, result, returned, in_place in (("tensor", " -> tensor<2x53x44xi32>",
                                          " -> tensor<2x53x44xi32>\n  return %r : tensor<2x53x44xi32>", None),
                                         ("memref", "", "\n  return", 2)):
    text = ZERO_POINTS.replace("TYPE", kind).replace("RESULT", result).replace("RETURN", returned)
    add(f"zero_points_in_body_{kind}", text if kind == "tensor" else text.replace("%r = ", ""),
        [((2, 53, 72), "i8"), ((2, 72, 44), "i8"), ((2, 53, 44), "i32")],
        lambda a, w, d: einsum("bmk,bkn->bmn", without_sign(a) - 128.0, w + 3.0) + d, "i32", 2, [127.0, 127.0, 1000.0])

# One of the two alone has a zero point, by two dimensions along K.
add(
    "zero_point_of_one", """#a = affine_map<(m, n, p, q) -> (p, m, q)>
#w = affine_map<(m, n, p, q) -> (q, p, n)>
#d = affine_map<(m, n, p, q) -> (m, n)>
func.func @zero_point(%a: tensor<3x53x40xi8>, %w: tensor<40x3x44xi8>) -> tensor<53x44xi32> {
  %zero = arith.constant 0 : i32
  %point = arith.constant 117 : i32
  %empty = tensor.empty() : tensor<53x44xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<53x44xi32>) -> tensor<53x44xi32>
  %r = linalg.generic {indexing_maps = [#a, #w, #d], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %w : tensor<3x53x40xi8>, tensor<40x3x44xi8>) outs(%init : tensor<53x44xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.subi %1, %point : i32
    %3 = arith.muli %0, %2 : i32
    %4 = arith.addi %z, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<53x44xi32>
  return %r : tensor<53x44xi32>
}
""", [((3, 53, 40), "i8"), ((40, 3, 44), "i8")], lambda a, w: einsum("pmq,qpn->mn", a,
                                                                     without_sign(w) - 117.0), "i32", None, [127.0, 127.0])

# Zero points and a sum over one operand alone.
add(
    "zero_points_lone_sum", """#a = affine_map<(m, n, j, k) -> (k, j, m)>
#w = affine_map<(m, n, j, k) -> (n, k)>
#d = affine_map<(m, n, j, k) -> (m, n)>
func.func @zero_points(%a: memref<40x3x53xi8>, %w: memref<44x40xi8>, %d: memref<53x44xi32>) {
  %za = arith.constant 7 : i32
  %zw = arith.constant 128 : i32
  linalg.generic {indexing_maps = [#a, #w, #d], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %w : memref<40x3x53xi8>, memref<44x40xi8>) outs(%d : memref<53x44xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.subi %0, %za : i32
    %2 = arith.extui %y : i8 to i32
    %3 = arith.subi %2, %zw : i32
    %4 = arith.muli %1, %3 : i32
    %5 = arith.addi %z, %4 : i32
    linalg.yield %5 : i32
  }
  return
}
""", [((40, 3, 53), "i8"), ((44, 40), "i8"), ((53, 44), "i32")],
    lambda a, w, d: einsum("kjm,nk->mn", a - 7.0,
                           without_sign(w) - 128.0) + d, "i32", 2, [127.0, 127.0, 1000.0])


def gathered(table, rows, weights):
    return lift(table)[np.asarray(rows.value, int)[:, 0]] @ weights


# Places are numbers of 0 to 3 only after absf and remainders: drawn numbers are any.
PLACES = """%four = arith.constant dense<4> : tensor<33x1xi32>
  %places = arith.remui %rows, %four : tensor<33x1xi32>"""
for name, result, reshape in (("", "33x40", ""), ("_with_unit", "33x1x40", """
  %flat = tensor.collapse_shape %g [[0, 1], [2]] : tensor<33x1x40xbf16> into tensor<33x40xbf16>""")):
    add(
        f"gather{name}", f"""func.func @gather(%t: tensor<4x40xbf16>, %rows: tensor<33x1xi32>, %w: tensor<40x24xbf16>) -> tensor<33x24xf32> {{
  {PLACES}
  %g = tensor.gather %t[%places] gather_dims([0]) : (tensor<4x40xbf16>, tensor<33x1xi32>) -> tensor<{result}xbf16>{reshape}
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<33x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<33x24xf32>) -> tensor<33x24xf32>
  %r = linalg.matmul ins({"%flat" if reshape else "%g"}, %w : tensor<33x40xbf16>, tensor<40x24xbf16>)
      outs(%init : tensor<33x24xf32>) -> tensor<33x24xf32>
  return %r : tensor<33x24xf32>
}}
""", [((4, 40), "bf16"), ((33, 1), "i32"), ((40, 24), "bf16")], lambda t, rows, w: gathered(t, Uncertain(
            np.mod(np.mod(rows.value, 2**32), 4)), w), "f32", None, [1.0, 1000.0, 1.0])

# The column, out of the middle, for each of 2 x 3 points.
add(
    "gather_middle", """func.func @gather(%t: tensor<5x4x16xbf16>, %rows: tensor<2x3x1xi32>, %w: tensor<16x24xbf16>) -> tensor<30x24xf32> {
  %four = arith.constant dense<4> : tensor<2x3x1xi32>
  %places = arith.remui %rows, %four : tensor<2x3x1xi32>
  %g = tensor.gather %t[%places] gather_dims([1]) : (tensor<5x4x16xbf16>, tensor<2x3x1xi32>) -> tensor<2x3x5x16xbf16>
  %flat = tensor.collapse_shape %g [[0, 1, 2], [3]] : tensor<2x3x5x16xbf16> into tensor<30x16xbf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<30x24xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<30x24xf32>) -> tensor<30x24xf32>
  %r = linalg.matmul ins(%flat, %w : tensor<30x16xbf16>, tensor<16x24xbf16>) outs(%init : tensor<30x24xf32>) -> tensor<30x24xf32>
  return %r : tensor<30x24xf32>
}
""", [((5, 4, 16), "bf16"), ((2, 3, 1), "i32"), ((16, 24), "bf16")],
    lambda t, rows, w: Uncertain(t.value.transpose(1, 0, 2)[np.mod(np.mod(rows.value, 2**32), 4).astype(int)[..., 0]].reshape(
        30, 16)) @ w, "f32", None, [1.0, 1000.0, 1.0])

add(
    "forall_tiles", """#rows = affine_map<(x) -> (x * 24)>
func.func @forall(%a: tensor<48x40xbf16>, %b: tensor<40x64xbf16>, %d: tensor<48x64xf32>) -> tensor<48x64xf32> {
  %r = scf.forall (%i, %j) = (0, 0) to (2, 64) step (1, 32) shared_outs(%o = %d) -> (tensor<48x64xf32>) {
    %row = affine.apply #rows(%i)
    %as = tensor.extract_slice %a[%row, 0] [24, 40] [1, 1] : tensor<48x40xbf16> to tensor<24x40xbf16>
    %bs = tensor.extract_slice %b[0, %j] [40, 32] [1, 1] : tensor<40x64xbf16> to tensor<40x32xbf16>
    %os = tensor.extract_slice %o[%row, %j] [24, 32] [1, 1] : tensor<48x64xf32> to tensor<24x32xf32>
    %t = linalg.matmul ins(%as, %bs : tensor<24x40xbf16>, tensor<40x32xbf16>) outs(%os : tensor<24x32xf32>) -> tensor<24x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%row, %j] [24, 32] [1, 1] : tensor<24x32xf32> into tensor<48x64xf32>
    }
  }
  return %r : tensor<48x64xf32>
}
""", [((48, 40), "bf16"), ((40, 64), "bf16"), ((48, 64), "f32")], lambda a, b, d: a @ b + d, "f32", 2)

add(
    "parallel_tiles_memref", """func.func @parallel(%a: memref<48x40xbf16>, %b: memref<40x64xbf16>, %d: memref<48x64xf32>) {
  %c0 = arith.constant 0 : index
  %c24 = arith.constant 24 : index
  %c48 = arith.constant 48 : index
  scf.parallel (%i) = (%c0) to (%c48) step (%c24) {
    %as = memref.subview %a[%i, 0] [24, 40] [1, 1] : memref<48x40xbf16> to memref<24x40xbf16, strided<[40, 1], offset: ?>>
    %ds = memref.subview %d[%i, 0] [24, 64] [1, 1] : memref<48x64xf32> to memref<24x64xf32, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%as, %b : memref<24x40xbf16, strided<[40, 1], offset: ?>>, memref<40x64xbf16>)
        outs(%ds : memref<24x64xf32, strided<[64, 1], offset: ?>>)
    scf.reduce
  }
  return
}
""", [((48, 40), "bf16"), ((40, 64), "bf16"), ((48, 64), "f32")], lambda a, b, d: a @ b + d, "f32", 2)

add(
    "loop_of_elementwise", """func.func @loop(%a: tensor<33x40xbf16>, %b: tensor<40x24xbf16>, %d: tensor<33x24xf32>) -> tensor<33x24xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<33x40xbf16>, tensor<40x24xbf16>) outs(%d : tensor<33x24xf32>) -> tensor<33x24xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %0) -> tensor<33x24xf32> {
    %y = math.tanh %x : tensor<33x24xf32>
    %z = arith.addf %y, %d : tensor<33x24xf32>
    scf.yield %z : tensor<33x24xf32>
  }
  return %r : tensor<33x24xf32>
}
""", [((33, 40), "bf16"), ((40, 24), "bf16"), ((33, 24), "f32")],
    lambda a, b, d: (((a @ b + d).apply(np.tanh) + d).apply(np.tanh) + d).apply(np.tanh) + d)
