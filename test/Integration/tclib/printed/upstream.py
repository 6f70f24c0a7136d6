"""As upstream's own tests: every named contraction, its generic form with loops in another order, memrefs with layouts."""
import numpy as np

from ..uncertain import Uncertain, einsum, exp, relu, softmax
from . import MODELS, Model, model
from .text import Function, map_of


def contract(f, form, a, b, into, name="linalg.contract"):
    left, out = form.split("->")
    left, right = left.split(",")
    letters = out + "".join(dict.fromkeys(x for x in left + right if x not in out))
    maps = ", ".join(map_of(dims, letters) for dims in (left, right, out))
    return f.op(name, [a, b], into, f"indexing_maps = [{maps}] ")


def simple(form, arguments, name="linalg.contract", out="f32", memrefs=False):
    """One contraction of `arguments` into zeros, or into the last argument."""
    shapes = [part.split(": ")[1] for part in arguments.split(", ")]
    f = Function(arguments, memrefs=memrefs)
    if memrefs:
        return f.into(contract(f, form, "%a", "%b", "%d", name)), lambda a, b, d: d + einsum(form, a, b)
    sizes = {}
    for dims, shape in zip(form.split("->")[0].split(","), shapes):
        sizes.update(zip(dims, shape.split("x")))
    type_ = "x".join([sizes[x] for x in form.split("->")[1]] + [out])
    return f.returns(contract(f, form, "%a", "%b", f.fill(type_), name)), lambda a, b: einsum(form, a, b)


@model("upstream")
def matmul_transpose_a():
    return simple("ki,kj->ij", "a: 48x72xbf16, b: 48x40xbf16", "linalg.matmul")


@model("upstream")
def matmul_transpose_b():
    return simple("ik,jk->ij", "a: 72x48xf16, b: 40x48xf16", "linalg.matmul")


@model("upstream")
def matmul_transpose_both_memref():
    return simple("ki,jk->ij", "a: 48x72xbf16, b: 40x48xbf16, d: 72x40xf32", "linalg.matmul", memrefs=True)


@model("upstream")
def batch_matmul_transpose_a():
    return simple("bki,bkj->bij", "a: 3x48x72xbf16, b: 3x48x40xbf16", "linalg.batch_matmul")


@model("upstream")
def batch_matmul_transpose_b():
    return simple("bik,bjk->bij", "a: 3x72x48xbf16, b: 3x40x48xbf16", "linalg.batch_matmul", out="bf16")


@model("upstream")
def contract_batch_innermost_outer():
    return simple("ibk,bkj->bij", "a: 72x3x48xbf16, b: 3x48x40xbf16")


@model("upstream")
def contract_batch_in_the_middle_of_all():
    return simple("ibk,jbk->ibj", "a: 72x3x16xbf16, b: 40x3x16xbf16")


@model("upstream")
def contract_result_transposed():
    return simple("ik,kj->ji", "a: 72x48xbf16, b: 48x40xbf16")


@model("upstream")
def contract_result_transposed_memref():
    return simple("ik,kj->ji", "a: 72x48xbf16, b: 48x40xbf16, d: 40x72xf32", memrefs=True)


@model("upstream")
def contract_two_reductions_apart():
    return simple("kil,jkl->ij", "a: 4x72x16xbf16, b: 40x4x16xbf16")


@model("upstream")
def contract_two_reductions_memref():
    return simple("kil,jkl->ij", "a: 4x72x16xbf16, b: 40x4x16xbf16, d: 72x40xf32", memrefs=True)


@model("upstream")
def contract_reductions_in_other_order():
    return simple("ikl,lkj->ij", "a: 72x4x16xbf16, b: 16x4x40xbf16")


@model("upstream")
def contract_four_batches():
    return simple("abcdik,abcdkj->abcdij", "a: 2x2x2x2x40x16xbf16, b: 2x2x2x2x16x24xbf16")


@model("upstream")
def contract_outer_dims_split():
    return simple("iak,kjb->iajb", "a: 24x3x16xbf16, b: 16x5x8xbf16")


@model("upstream")
def contract_batch_memref_bqhd():
    return simple("bqhc,bkhc->bhqk", "a: 2x72x3x16xbf16, b: 2x40x3x16xbf16, d: 2x3x72x40xf32", memrefs=True)


@model("upstream")
def contract_values_memref_bqhd():
    return simple("bhqk,bkhd->bqhd", "a: 2x3x72x40xbf16, b: 2x40x3x16xbf16, d: 2x72x3x16xf32", memrefs=True)


@model("upstream")
def batch_reduce():
    f = Function("a: 3x72x16xbf16, b: 3x16x40xbf16")
    y = f.op("linalg.batch_reduce_matmul", ["%a", "%b"], f.fill("72x40xf32"))
    return f.returns(y), lambda a, b: einsum("rij,rjk->ik", a, b)


@model("upstream")
def batch_vecmat():
    f = Function("a: 3x48xbf16, b: 3x48x72xbf16")
    y = f.op("linalg.batch_vecmat", ["%a", "%b"], f.fill("3x72xf32"))
    return f.returns(y), lambda a, b: einsum("bk,bkj->bj", a, b)


@model("upstream")
def batch_matvec():
    f = Function("a: 3x72x48xbf16, b: 3x48xbf16")
    y = f.op("linalg.batch_matvec", ["%a", "%b"], f.fill("3x72xf32"))
    return f.returns(y), lambda a, b: einsum("bik,bk->bi", a, b)


@model("upstream")
def matvec_memref():
    f = Function("a: 72x48xbf16, b: 48xbf16, d: 72xf32", memrefs=True)
    return f.into(f.op("linalg.matvec", ["%a", "%b"], "%d")), lambda a, b, d: d + einsum("ik,k->i", a, b)


@model("upstream")
def vecmat_memref():
    f = Function("a: 48xbf16, b: 48x72xbf16, d: 72xf32", memrefs=True)
    return f.into(f.op("linalg.vecmat", ["%a", "%b"], "%d")), lambda a, b, d: d + einsum("k,kj->j", a, b)


@model("upstream")
def mmt4d():
    f = Function("a: 3x6x16x8xbf16, b: 5x6x8x8xbf16")
    y = f.op("linalg.mmt4d", ["%a", "%b"], f.fill("3x5x16x8xf32"))
    return f.returns(y), lambda a, b: einsum("mkic,nkjc->mnij", a, b)


@model("upstream")
def mmt4d_memref():
    f = Function("a: 3x6x16x8xbf16, b: 5x6x8x8xbf16, d: 3x5x16x8xf32", memrefs=True)
    y = f.op("linalg.mmt4d", ["%a", "%b"], "%d")
    return f.into(y), lambda a, b, d: d + einsum("mkic,nkjc->mnij", a, b)


@model("upstream")
def batch_mmt4d():
    f = Function("a: 2x3x6x16x8xbf16, b: 2x5x6x8x8xbf16")
    y = f.op("linalg.batch_mmt4d", ["%a", "%b"], f.fill("2x3x5x16x8xf32"))
    return f.returns(y), lambda a, b: einsum("zmkic,znkjc->zmnij", a, b)


@model("upstream")
def column_major_memref():
    f = Function("a: 72x48xbf16, b: 48x40xbf16, d: 72x40xf32", memrefs=True)
    turned = f.add("memref.transpose %a (d0, d1) -> (d1, d0) : memref<72x48xbf16> to memref<48x72xbf16, strided<[1, 48]>>",
               "48x72xbf16, strided<[1, 48]>")
    f.lines.append(f"linalg.matmul indexing_maps = [{map_of('ki', 'ijk')}, {map_of('kj', 'ijk')}, {map_of('ij', 'ijk')}] "
                   f"ins({turned}, %b : memref<48x72xbf16, strided<[1, 48]>>, memref<48x40xbf16>) outs(%d : memref<72x40xf32>)")
    return f.into("%d"), lambda a, b, d: d + a @ b


@model("upstream")
def every_other_row_memref():
    f = Function("a: 144x48xbf16, b: 48x80xbf16, d: 72x40xf32", memrefs=True)
    f.lines += [
        "%a2 = memref.subview %a[0, 0] [72, 48] [2, 1] : memref<144x48xbf16> to memref<72x48xbf16, strided<[96, 1]>>",
        "%b2 = memref.subview %b[0, 0] [48, 40] [1, 2] : memref<48x80xbf16> to memref<48x40xbf16, strided<[80, 2]>>",
        "linalg.matmul ins(%a2, %b2 : memref<72x48xbf16, strided<[96, 1]>>, memref<48x40xbf16, strided<[80, 2]>>) "
        "outs(%d : memref<72x40xf32>)"]
    return f.into("%d"), lambda a, b, d: d + a[::2] @ b[:, ::2]


@model("upstream")
def reinterpreted_memref():
    f = Function("a: 3456xbf16, b: 48x40xbf16, d: 72x40xf32", memrefs=True)
    f.lines += [
        "%a2 = memref.reinterpret_cast %a to offset: [0], sizes: [72, 48], strides: [48, 1] : memref<3456xbf16> to "
        "memref<72x48xbf16, strided<[48, 1]>>",
        "linalg.matmul ins(%a2, %b : memref<72x48xbf16, strided<[48, 1]>>, memref<48x40xbf16>) outs(%d : memref<72x40xf32>)"]
    return f.into("%d"), lambda a, b, d: d + a.reshape(72, 48) @ b


@model("upstream")
def two_products_into_one():
    f = Function("a: 72x48xbf16, b: 48x40xbf16, c: 72x16xbf16, e: 16x40xbf16")
    y = f.op("linalg.matmul", ["%a", "%b"], f.fill("72x40xf32"))
    y = f.op("linalg.matmul", ["%c", "%e"], y)
    return f.returns(y), lambda a, b, c, e: a @ b + c @ e


@model("upstream")
def two_products_into_one_memref():
    f = Function("a: 72x48xbf16, b: 48x40xbf16, c: 72x16xbf16, e: 16x40xbf16, d: 72x40xf32", memrefs=True)
    f.fill("72x40xf32", into="%d")
    f.op("linalg.matmul", ["%a", "%b"], "%d")
    y = f.op("linalg.matmul", ["%c", "%e"], "%d")
    return f.into(y), lambda a, b, c, e, d: a @ b + c @ e


@model("upstream")
def named_elementwise():
    f = Function("a: 72x48xbf16, b: 48x40xbf16, c: 72x40xf32")
    y = f.op("linalg.matmul", ["%a", "%b"], f.fill("72x40xf32"))
    y = f.op("linalg.sub", [y, "%c"], f.empty("72x40xf32"))
    y = f.op("linalg.square", [y], f.empty("72x40xf32"))
    y = f.op("linalg.negf", [y], f.empty("72x40xf32"))
    return f.returns(y), lambda a, b, c: -((a @ b - c) * (a @ b - c))


@model("upstream")
def elementwise_kind():
    f = Function("a: 72x48xbf16, b: 48x40xbf16, c: 72x40xf32")
    y = f.op("linalg.matmul", ["%a", "%b"], f.fill("72x40xf32"))
    y = f.op("linalg.elementwise", [y, "%c"], f.empty("72x40xf32"), "kind=#linalg.elementwise_kind<mul> ")
    y = f.op("linalg.elementwise", [y], f.empty("72x40xf32"), "kind=#linalg.elementwise_kind<exp> ")
    return f.returns(y), lambda a, b, c: exp(a @ b * c)


@model("upstream")
def mapped_and_reduced():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    y = f.op("linalg.matmul", ["%a", "%b"], f.fill("72x40xf32"))
    y = f.add(f"linalg.map {{ math.absf }} ins({y} : tensor<72x40xf32>) outs({f.empty('72x40xf32')} : tensor<72x40xf32>)",
              "72x40xf32")
    y = f.add(f"linalg.reduce {{ arith.addf }} ins({y} : tensor<72x40xf32>) outs({f.fill('72xf32')} : tensor<72xf32>) "
              "dimensions = [1]", "72xf32")
    return f.returns(y), lambda a, b: (a @ b).apply(abs, 0).sum(1)


@model("upstream")
def softmax_of_a_product():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    y = f.op("linalg.matmul", ["%a", "%b"], f.fill("72x40xf32"))
    y = f.op("linalg.softmax dimension(0)", [y], f.empty("72x40xf32"))
    return f.returns(y), lambda a, b: softmax(a @ b, 0)


@model("upstream")
def transposed_result_named():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    y = f.op("linalg.matmul", ["%a", "%b"], f.fill("72x40xf32"))
    return f.returns(f.transpose(y, [1, 0])), lambda a, b: (a @ b).T


@model("upstream")
def generic_permuted_loops():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    y = f.generic("kji", [("%a", "ik"), ("%b", "kj")], (f.fill("72x40xf32"), "ij"), [
        "%x = arith.extf %in0 : bf16 to f32", "%y = arith.extf %in1 : bf16 to f32", "%m = arith.mulf %x, %y : f32",
        "%r = arith.addf %m, %out : f32"], "k")
    return f.returns(y), lambda a, b: a @ b


@model("upstream")
def dynamic_everything():
    f = Function("a: ?x?xbf16, b: ?x?xbf16, d: ?x?xf32", memrefs=True)
    y = f.op("linalg.matmul", ["%a", "%b"], "%d")
    return f.into(y), lambda a, b, d: d + a @ b, {"sizes": {"a": (72, 48), "b": (48, 40), "d": (72, 40)}}


@model("upstream")
def dynamic_batch_inside():
    f = Function("a: ?x?x?xbf16, b: ?x?x?xbf16, d: ?x?x?xf32", memrefs=True)
    y = contract(f, "ibk,bkj->bij", "%a", "%b", "%d")
    return f.into(y), lambda a, b, d: d + einsum("ibk,bkj->bij", a, b), {
        "sizes": {"a": (72, 3, 48), "b": (3, 48, 40), "d": (3, 72, 40)}}


@model("upstream")
def dynamic_batch_reduce():
    f = Function("a: ?x72x16xbf16, b: ?x16x40xbf16, d: 72x40xf32")
    y = f.op("linalg.batch_reduce_matmul", ["%a", "%b"], "%d")
    return f.returns(y), lambda a, b, d: d + einsum("rij,rjk->ik", a, b), {
        "sizes": {"a": (3, 72, 16), "b": (3, 16, 40)}}


@model("upstream")
def relu_then_product():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    a = f.pointwise([("%a", "ab")], (f.empty("72x48xbf16"), "ab"), [
        "%z = arith.constant 0.0 : bf16", "%r = arith.maximumf %in0, %z : bf16"])
    y = f.op("linalg.matmul", [a, "%b"], f.fill("72x40xf32"))
    return f.returns(y), lambda a, b: relu(a) @ b


@model("upstream")
def foreign_attributes():
    f = Function("a: 72x48xbf16, b: 48x40xbf16")
    z = f.fill("72x40xf32")
    y = f.op("linalg.matmul {lowering_config = \"tile\", foo.bar = 3 : i32}", ["%a", "%b"], z)
    return f.returns(y), lambda a, b: a @ b


# -- Integers without a sign, on every unit -------------------------------------

UNSIGNED = """func.func @matmul_unsigned(%a: tensor<53x77xi8>, %b: tensor<77x41xi8>) -> tensor<53x41xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<53x41xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<53x41xi32>) -> tensor<53x41xi32>
  %d = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<53x77xi8>, tensor<77x41xi8>)
      outs(%init : tensor<53x41xi32>) -> tensor<53x41xi32>
  return %d : tensor<53x41xi32>
}
"""
MIXED = """#a = affine_map<(b, m, n, k) -> (b, m, k)>
#w = affine_map<(b, m, n, k) -> (n, k)>
#d = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @unsigned_activations(%a: memref<2x48x80xi8>, %w: memref<32x80xi8>, %d: memref<2x48x32xi32>) {
  linalg.generic {indexing_maps = [#a, #w, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<2x48x80xi8>, memref<32x80xi8>) outs(%d : memref<2x48x32xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  }
  return
}
"""


def without_sign(x):
    """Integers of 8 bits as arith.extui reads them."""
    return Uncertain(np.mod(x.value, 256))


for chip in ("sm_100a", "sm_90a", "sm_80"):
    MODELS.append(
        Model("upstream", f"matmul_unsigned-{chip}", UNSIGNED, [((53, 77), "i8"), ((77, 41), "i8")],
              lambda a, b: einsum("mk,kn->mn", without_sign(a), without_sign(b)), "i32", None, {}, [127.0, 127.0],
              (f"--chip={chip}", )))
    MODELS.append(
        Model("upstream", f"unsigned_activations-{chip}", MIXED, [((2, 48, 80), "i8"), ((32, 80), "i8"), ((2, 48, 32), "i32")],
              lambda a, w, c: einsum("bmk,nk->bmn", without_sign(a), w) + c, "i32", 2, {}, [127.0, 127.0, 1000.0],
              (f"--chip={chip}", )))
