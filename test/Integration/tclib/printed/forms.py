"""The same computation in forms that pipelines print less often: filters before images, biases that are broadcast to
images, zero points of convolutions, tiles in loops, constants that are converted, paddings that are reshaped."""
import numpy as np

from ..uncertain import Uncertain, einsum, relu
from . import MODELS, Model
from .fresh import windows


def add(name, text, shapes, formula, out_type="f32", scales=None, scalars=None, in_place=None):
    MODELS.append(Model("forms", name, text, shapes, formula, out_type, in_place, scalars or {},
                        scales or [1.0] * len(shapes)))


def maps(*all_maps):
    return "indexing_maps = [" + ", ".join(f"affine_map<{text}>" for text in all_maps) + "]"


def kinds(parallel, reduction=0):
    return "iterator_types = [" + ", ".join(['"parallel"'] * parallel + ['"reduction"'] * reduction) + "]"


MULTIPLY_ADD = """  ^bb0(%i: bf16, %f: bf16, %b: f32):
    %1 = arith.extf %i : bf16 to f32
    %2 = arith.extf %f : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %b, %3 : f32
    linalg.yield %4 : f32
  }"""


def conv(x, w, kh, kw, stride=1, dilation=1):
    return einsum("nhwabc,abco->nhwo", windows(x, kh, kw, stride, dilation), w)


# Filters before images ------------------------------------------------------------------------------------------------

add("filter_first", f"""func.func @main(%w: tensor<16x3x3x24xbf16>, %x: tensor<2x10x12x16xbf16>, %o: tensor<2x8x10x24xf32>) -> tensor<2x8x10x24xf32> {{
  %r = linalg.generic {{{maps("(n,y,x,c,a,b,z)->(z,a,b,c)", "(n,y,x,c,a,b,z)->(n,y+a,x+b,z)", "(n,y,x,c,a,b,z)->(n,y,x,c)")}, {kinds(4, 3)}}}
      ins(%w, %x : tensor<16x3x3x24xbf16>, tensor<2x10x12x16xbf16>) outs(%o : tensor<2x8x10x24xf32>) {{
{MULTIPLY_ADD} -> tensor<2x8x10x24xf32>
  return %r : tensor<2x8x10x24xf32>
}}
""", [((16, 3, 3, 24), "bf16"), ((2, 10, 12, 16), "bf16"), ((2, 8, 10, 24), "f32")],
    lambda w, x, o: conv(x, w.transpose(1, 2, 0, 3), 3, 3) + o)

add("filter_first_nchw", f"""func.func @main(%w: tensor<24x5x3x2xbf16>, %x: tensor<2x5x11x13xbf16>) -> tensor<2x24x5x12xf32> {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x24x5x12xf32>
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<2x24x5x12xf32>) -> tensor<2x24x5x12xf32>
  %r = linalg.generic {{{maps("(n,c,y,x,z,a,b)->(c,z,a,b)", "(n,c,y,x,z,a,b)->(n,z,y*2+a,x+b)", "(n,c,y,x,z,a,b)->(n,c,y,x)")}, {kinds(4, 3)}}}
      ins(%w, %x : tensor<24x5x3x2xbf16>, tensor<2x5x11x13xbf16>) outs(%o : tensor<2x24x5x12xf32>) {{
{MULTIPLY_ADD} -> tensor<2x24x5x12xf32>
  return %r : tensor<2x24x5x12xf32>
}}
""", [((24, 5, 3, 2), "bf16"), ((2, 5, 11, 13), "bf16")],
    lambda w, x: einsum("nhwabc,ocab->nohw", np_windows(x.transpose(0, 2, 3, 1), 3, 2, 2, 1), w))

add("filter_first_1d_memref", f"""func.func @main(%w: memref<3x8x20xbf16>, %x: memref<2x17x8xbf16>, %o: memref<2x13x20xf32>) {{
  linalg.generic {{{maps("(n,x,c,b,z)->(b,z,c)", "(n,x,c,b,z)->(n,x+b*2,z)", "(n,x,c,b,z)->(n,x,c)")}, {kinds(3, 2)}}}
      ins(%w, %x : memref<3x8x20xbf16>, memref<2x17x8xbf16>) outs(%o : memref<2x13x20xf32>) {{
{MULTIPLY_ADD}
  return
}}
""", [((3, 8, 20), "bf16"), ((2, 17, 8), "bf16"), ((2, 13, 20), "f32")],
    lambda w, x, o: einsum("nxbz,bzc->nxc", x[:, np.arange(13)[:, None] + 2 * np.arange(3)[None], :], w) + o, in_place=2)


def np_windows(x, kh, kw, sy, sx):
    n, h, w, c = x.shape
    rows = np.arange((h - kh) // sy + 1)[:, None] * sy + np.arange(kh)[None]
    cols = np.arange((w - kw) // sx + 1)[:, None] * sx + np.arange(kw)[None]
    return x[:, rows[:, None, :, None], cols[None, :, None, :], :]


# Biases that are broadcast to images ----------------------------------------------------------------------------------

def biased(name, conv_op, x, w, out, bias, broadcast, combine, shapes, formula, out_type="f32"):
    add(name, f"""func.func @main(%x: tensor<{x}>, %w: tensor<{w}>, %b: tensor<{bias}>) -> tensor<{out}> {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{out}>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<{out}>) -> tensor<{out}>
  %c = {conv_op} ins(%x, %w : tensor<{x}>, tensor<{w}>) outs(%f : tensor<{out}>) -> tensor<{out}>
  {broadcast}
  {combine}
  return %r : tensor<{out}>
}}
""", shapes, formula, out_type)


NHWC = dict(conv_op="linalg.conv_2d_nhwc_hwcf", x="2x10x9x16xbf16", w="3x2x16x24xbf16", out="2x8x8x24xf32",
            shapes=[((2, 10, 9, 16), "bf16"), ((3, 2, 16, 24), "bf16"), ((24,), "f32")])
OUT = "tensor<2x8x8x24xf32>"
BROADCAST = f"%bb = linalg.broadcast ins(%b : tensor<24xf32>) outs(%e : {OUT}) dimensions = [0, 1, 2]"

biased("bias_broadcast", bias="24xf32", broadcast=BROADCAST,
       combine=f"%r = linalg.add ins(%c, %bb : {OUT}, {OUT}) outs(%e : {OUT}) -> {OUT}",
       formula=lambda x, w, b: conv(x, w, 3, 2) + b, **NHWC)
biased("bias_broadcast_first_and_relu", bias="24xf32", broadcast=BROADCAST,
       combine=f"""%s = linalg.add ins(%bb, %c : {OUT}, {OUT}) outs(%e : {OUT}) -> {OUT}
  %r = linalg.max ins(%s, %f : {OUT}, {OUT}) outs(%e : {OUT}) -> {OUT}""",
       formula=lambda x, w, b: relu(conv(x, w, 3, 2) + b), **NHWC)
biased("scale_broadcast_generic", bias="24xf32",
       broadcast=f"""%bb = linalg.generic {{{maps("(n,h,w,c)->(c)", "(n,h,w,c)->(n,h,w,c)")}, {kinds(4)}}} ins(%b : tensor<24xf32>) outs(%e : {OUT}) {{
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  }} -> {OUT}""",
       combine=f"%r = linalg.mul ins(%c, %bb : {OUT}, {OUT}) outs(%e : {OUT}) -> {OUT}",
       formula=lambda x, w, b: conv(x, w, 3, 2) * b, **NHWC)
biased("rows_broadcast", bias="2x8x24xf32",
       broadcast=f"%bb = linalg.broadcast ins(%b : tensor<2x8x24xf32>) outs(%e : {OUT}) dimensions = [2]",
       combine=f"%r = linalg.sub ins(%c, %bb : {OUT}, {OUT}) outs(%e : {OUT}) -> {OUT}",
       formula=lambda x, w, b: conv(x, w, 3, 2) - b.reshape(2, 8, 1, 24),
       **{**NHWC, "shapes": NHWC["shapes"][:2] + [((2, 8, 24), "f32")]})
NCHW = "tensor<2x24x8x8xf32>"
biased("bias_broadcast_nchw", conv_op="linalg.conv_2d_nchw_fchw", x="2x16x10x9xbf16", w="24x16x3x2xbf16", out="2x24x8x8xf32",
       bias="24xf32", broadcast=f"%bb = linalg.broadcast ins(%b : tensor<24xf32>) outs(%e : {NCHW}) dimensions = [0, 2, 3]",
       combine=f"%r = linalg.add ins(%c, %bb : {NCHW}, {NCHW}) outs(%e : {NCHW}) -> {NCHW}",
       shapes=[((2, 16, 10, 9), "bf16"), ((24, 16, 3, 2), "bf16"), ((24,), "f32")],
       formula=lambda x, w, b: einsum("nhwabc,ocab->nohw", np_windows(x.transpose(0, 2, 3, 1), 3, 2, 1, 1), w)
       + b.reshape(1, 24, 1, 1))


# Zero points of convolutions ------------------------------------------------------------------------------------------

def quantised(name, op, x, w, out, points, formula, stride=1, arguments=""):
    def shape(text):
        return tuple(map(int, text.split("x")))

    named = [f"%{key}: i32" for key in points if points[key] is None]
    lines = [f"  %{key} = arith.constant {value} : i32" for key, value in points.items() if value is not None]
    add(name, f"""func.func @main(%x: tensor<{x}xi8>, %w: tensor<{w}xi8>, %o: tensor<{out}xi32>{''.join(', ' + n for n in named)}) -> tensor<{out}xi32> {{
{chr(10).join(lines)}
  %r = {op} {{dilations = dense<1> : tensor<2xi64>, strides = dense<{stride}> : tensor<2xi64>}}
      ins(%x, %w, %zx, %zw : tensor<{x}xi8>, tensor<{w}xi8>, i32, i32) outs(%o : tensor<{out}xi32>) -> tensor<{out}xi32>
  return %r : tensor<{out}xi32>
}}
""", [(shape(x), "i8"), (shape(w), "i8"), (shape(out), "i32")] + [None] * len(named), formula, "i32", [100.0, 100.0, 1000.0] + [1.0] * len(named),
        {f"arg{3 + i}": value for i, value in enumerate((7, -5)[:len(named)])})


def exact(x, w, form, zx, zw, kh, kw, stride=1, axes=None):
    image = np.asarray(x.value) if axes is None else np.asarray(x.value).transpose(axes)
    view = np_windows(image - zx, kh, kw, stride, stride)
    return Uncertain(np.einsum(form, view, np.asarray(w.value) - zw))


quantised("conv_q", "linalg.conv_2d_nhwc_hwcf_q", "1x8x8x16", "3x3x16x32", "1x6x6x32", {"zx": 3, "zw": 0},
          lambda x, w, o: exact(x, w, "nhwabc,abco->nhwo", 3, 0, 3, 3) + o)
quantised("conv_q_both_points", "linalg.conv_2d_nhwc_hwcf_q", "2x9x7x16", "2x3x16x24", "2x8x5x24", {"zx": -11, "zw": 6},
          lambda x, w, o: exact(x, w, "nhwabc,abco->nhwo", -11, 6, 2, 3) + o)
quantised("conv_q_arguments", "linalg.conv_2d_nhwc_hwcf_q", "1x8x8x16", "3x3x16x32", "1x6x6x32", {"zx": None, "zw": None},
          lambda x, w, o: exact(x, w, "nhwabc,abco->nhwo", 7, -5, 3, 3) + o)
quantised("conv_q_fhwc_stride_2", "linalg.conv_2d_nhwc_fhwc_q", "1x9x9x16", "32x3x3x16", "1x4x4x32", {"zx": -128, "zw": 0},
          lambda x, w, o: exact(x, w, "nhwabc,oabc->nhwo", -128, 0, 3, 3, 2) + o, stride=2)
quantised("conv_q_nchw", "linalg.conv_2d_nchw_fchw_q", "2x5x8x9", "24x5x3x2", "2x24x6x8", {"zx": 17, "zw": 0},
          lambda x, w, o: exact(x, w, "nhwabc,ocab->nohw", 17, 0, 3, 2, axes=(0, 2, 3, 1)) + o)
quantised("conv_q_no_points", "linalg.conv_2d_nhwc_hwcf_q", "1x8x8x16", "1x1x16x32", "1x8x8x32", {"zx": 0, "zw": 0},
          lambda x, w, o: exact(x, w, "nhwabc,abco->nhwo", 0, 0, 1, 1) + o)

# Tiles in loops -------------------------------------------------------------------------------------------------------

add("tiles_parallel", """!x = memref<64x48xf16, strided<[48, 1], offset: ?>>
!y = memref<48x64xf16, strided<[192, 1], offset: ?>>
!z = memref<64x64xf32, strided<[192, 1], offset: ?>>
func.func @main(%a: memref<128x48xf16>, %b: memref<48x192xf16>, %d: memref<128x192xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c128, %c192) step (%c64, %c64) {
    %x = memref.subview %a[%i, 0] [64, 48] [1, 1] : memref<128x48xf16> to !x
    %y = memref.subview %b[0, %j] [48, 64] [1, 1] : memref<48x192xf16> to !y
    %z = memref.subview %d[%i, %j] [64, 64] [1, 1] : memref<128x192xf32> to !z
    linalg.fill ins(%zero : f32) outs(%z : !z)
    linalg.matmul ins(%x, %y : !x, !y) outs(%z : !z)
    linalg.exp ins(%z : !z) outs(%z : !z)
    scf.reduce
  }
  return
}
""", [((128, 48), "f16"), ((48, 192), "f16"), ((128, 192), "f32")],
    lambda a, b, d: einsum("mk,kn->mn", a, b).apply(np.exp), scales=[0.3, 0.3, 1.0], in_place=2)

add("tiles_part_of_d", """func.func @main(%a: tensor<90x48xbf16>, %b: tensor<48x72xbf16>, %d: tensor<120x72xf32>) -> tensor<120x72xf32> {
  %r = scf.forall (%i) in (3) shared_outs(%o = %d) -> (tensor<120x72xf32>) {
    %at = affine.apply affine_map<(i) -> (i * 30)>(%i)
    %x = tensor.extract_slice %a[%at, 0] [30, 48] [1, 1] : tensor<90x48xbf16> to tensor<30x48xbf16>
    %z = tensor.extract_slice %o[%at, 0] [30, 72] [1, 1] : tensor<120x72xf32> to tensor<30x72xf32>
    %m = linalg.matmul ins(%x, %b : tensor<30x48xbf16>, tensor<48x72xbf16>) outs(%z : tensor<30x72xf32>) -> tensor<30x72xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%at, 0] [30, 72] [1, 1] : tensor<30x72xf32> into tensor<120x72xf32>
    }
  }
  return %r : tensor<120x72xf32>
}
""", [((90, 48), "bf16"), ((48, 72), "bf16"), ((120, 72), "f32")],
    lambda a, b, d: Uncertain(*(np.concatenate([top, rest], 0) for top, rest in
                                zip(parts(einsum("mk,kn->mn", a, b) + d[:90]), parts(d[90:])))))


def parts(x):
    return np.asarray(x.value), np.asarray(x.error)


add("tiles_of_k", """func.func @main(%a: tensor<72x128xbf16>, %b: tensor<40x128xbf16>, %d: tensor<72x40xf32>) -> tensor<72x40xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c72 = arith.constant 72 : index
  %c128 = arith.constant 128 : index
  %r = scf.for %i = %c0 to %c72 step %c8 iter_args(%o = %d) -> tensor<72x40xf32> {
    %z = tensor.extract_slice %o[%i, 0] [8, 40] [1, 1] : tensor<72x40xf32> to tensor<8x40xf32>
    %s = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %z) -> tensor<8x40xf32> {
      %x = tensor.extract_slice %a[%i, %k] [8, 32] [1, 1] : tensor<72x128xbf16> to tensor<8x32xbf16>
      %y = tensor.extract_slice %b[0, %k] [40, 32] [1, 1] : tensor<40x128xbf16> to tensor<40x32xbf16>
      %n = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %y : tensor<8x32xbf16>, tensor<40x32xbf16>) outs(%acc : tensor<8x40xf32>) -> tensor<8x40xf32>
      scf.yield %n : tensor<8x40xf32>
    }
    %into = tensor.insert_slice %s into %o[%i, 0] [8, 40] [1, 1] : tensor<8x40xf32> into tensor<72x40xf32>
    scf.yield %into : tensor<72x40xf32>
  }
  return %r : tensor<72x40xf32>
}
""", [((72, 128), "bf16"), ((40, 128), "bf16"), ((72, 40), "f32")], lambda a, b, d: einsum("mk,nk->mn", a, b) + d)

# Constants ------------------------------------------------------------------------------------------------------------

add("constant_bias_converted", f"""func.func @main(%x: tensor<32x64xbf16>, %w: tensor<64x4xbf16>) -> tensor<32x4xf32> {{
  %z = arith.constant 0.0 : f32
  %b = arith.constant dense<[1.0, 2.0, 3.0, -4.5]> : tensor<4xbf16>
  %s = arith.constant dense<[3.0, 0.25, 1.0, 2.0]> : tensor<4xf32>
  %ev = tensor.empty() : tensor<4xf32>
  %bf = linalg.generic {{{maps("(j)->(j)", "(j)->(j)", "(j)->(j)")}, {kinds(1)}}} ins(%b, %s : tensor<4xbf16>, tensor<4xf32>) outs(%ev : tensor<4xf32>) {{
  ^bb0(%a: bf16, %c: f32, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.mulf %1, %c : f32
    linalg.yield %2 : f32
  }} -> tensor<4xf32>
  %e = tensor.empty() : tensor<32x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x4xf32>) -> tensor<32x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<32x64xbf16>, tensor<64x4xbf16>) outs(%f : tensor<32x4xf32>) -> tensor<32x4xf32>
  %r = linalg.generic {{{maps("(i,j)->(i,j)", "(i,j)->(j)", "(i,j)->(i,j)")}, {kinds(2)}}} ins(%p, %bf : tensor<32x4xf32>, tensor<4xf32>) outs(%e : tensor<32x4xf32>) {{
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  }} -> tensor<32x4xf32>
  return %r : tensor<32x4xf32>
}}
""", [((32, 64), "bf16"), ((64, 4), "bf16")],
    lambda x, w: einsum("mk,kn->mn", x, w) + np.array([3.0, 0.5, 3.0, -9.0]))

# A padding that is reshaped -------------------------------------------------------------------------------------------

add("padded_then_expanded", """func.func @main(%x: tensor<?x?xf16>, %w: tensor<?x32xf16>) -> tensor<?x2x32xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f16
  %n = tensor.dim %x, %c0 : tensor<?x?xf16>
  %k = tensor.dim %x, %c1 : tensor<?x?xf16>
  %p = tensor.pad %x low[0, 2] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f16
  } : tensor<?x?xf16> to tensor<?x?xf16>
  %k4 = affine.apply affine_map<()[s0] -> (s0 + 4)>()[%k]
  %h = arith.divsi %n, %c2 : index
  %x3 = tensor.expand_shape %p [[0, 1], [2]] output_shape [%h, 2, %k4] : tensor<?x?xf16> into tensor<?x2x?xf16>
  %e = tensor.empty(%h) : tensor<?x2x32xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<?x2x32xf16>) -> tensor<?x2x32xf16>
  %r = linalg.contract indexing_maps = [affine_map<(a, b, n, k) -> (a, b, k)>, affine_map<(a, b, n, k) -> (k, n)>, affine_map<(a, b, n, k) -> (a, b, n)>]
    ins(%x3, %w : tensor<?x2x?xf16>, tensor<?x32xf16>) outs(%f : tensor<?x2x32xf16>) -> tensor<?x2x32xf16>
  return %r : tensor<?x2x32xf16>
}
""", [((46, 60), "f16"), ((64, 32), "f16")],
    lambda x, w: einsum("mk,kn->mn", x.pad(((0, 0), (2, 2))), w).reshape(23, 2, 32).round("f16"), "f16")

# Places that the caller says --------------------------------------------------------------------------------------------


def written(cache, new, at):
    value = np.array(cache.value)
    value[at:at + new.shape[0]] = new.value
    return Uncertain(value)


add("cache_update", """func.func @main(%cache: tensor<64x128xf16>, %new: tensor<3x128xf16>, %q: tensor<16x128xf16>, %pos: index) -> (tensor<16x64xf32>, tensor<64x128xf16>) {
  %z = arith.constant 0.0 : f32
  %c = tensor.insert_slice %new into %cache[%pos, 0] [3, 128] [1, 1] : tensor<3x128xf16> into tensor<64x128xf16>
  %e = tensor.empty() : tensor<16x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%q, %c : tensor<16x128xf16>, tensor<64x128xf16>) outs(%f : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %s, %c : tensor<16x64xf32>, tensor<64x128xf16>
}
""", [((64, 128), "f16"), ((3, 128), "f16"), ((16, 128), "f16"), None],
    lambda cache, new, q: (einsum("mk,nk->mn", q, written(cache, new, 42)), written(cache, new, 42)), ("f32", "f16"),
    scalars={"arg3": 42})

add("rows_from_argument", """func.func @main(%x: tensor<?x96xbf16>, %w: tensor<96x40xbf16>, %at: i64, %count: i32) -> tensor<?x40xf32> {
  %z = arith.constant 0.0 : f32
  %c8 = arith.constant 8 : index
  %i = arith.index_cast %at : i64 to index
  %start = arith.muli %i, %c8 : index
  %n = arith.index_cast %count : i32 to index
  %rows = tensor.extract_slice %x[%start, 0] [%n, 96] [1, 1] : tensor<?x96xbf16> to tensor<?x96xbf16>
  %e = tensor.empty(%n) : tensor<?x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = linalg.matmul ins(%rows, %w : tensor<?x96xbf16>, tensor<96x40xbf16>) outs(%f : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}
""", [((90, 96), "bf16"), ((96, 40), "bf16"), None, None], lambda x, w: einsum("mk,kn->mn", x[16:16 + 37], w),
    scalars={"arg2": 2, "arg3": 37})

# As torch-mlir prints what torch computes in f32 between narrow tensors -----------------------------------------------

WIDEN = f"{{{maps('(i,j)->(i,j)', '(i,j)->(i,j)')}, {kinds(2)}}}"

add("widened_linear", f"""func.func @main(%x: tensor<24x64xf16>, %w: tensor<48x64xf16>, %b: tensor<48xf16>) -> tensor<24x48xf16> {{
  %z = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %ex = tensor.empty() : tensor<24x64xf32>
  %xw = linalg.generic {WIDEN} ins(%x : tensor<24x64xf16>) outs(%ex : tensor<24x64xf32>) {{
  ^bb0(%a: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    linalg.yield %1 : f32
  }} -> tensor<24x64xf32>
  %xf = linalg.generic {WIDEN} ins(%xw : tensor<24x64xf32>) outs(%ex : tensor<24x64xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %half : f32
    linalg.yield %1 : f32
  }} -> tensor<24x64xf32>
  %et = tensor.empty() : tensor<64x48xf16>
  %t = linalg.transpose ins(%w : tensor<48x64xf16>) outs(%et : tensor<64x48xf16>) permutation = [1, 0]
  %wf = arith.extf %t : tensor<64x48xf16> to tensor<64x48xf32>
  %bf = arith.extf %b : tensor<48xf16> to tensor<48xf32>
  %e = tensor.empty() : tensor<24x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<24x48xf32>) -> tensor<24x48xf32>
  %p = linalg.matmul ins(%xf, %wf : tensor<24x64xf32>, tensor<64x48xf32>) outs(%f : tensor<24x48xf32>) -> tensor<24x48xf32>
  %s = linalg.generic {{{maps("(i,j)->(i,j)", "(i,j)->(j)", "(i,j)->(i,j)")}, {kinds(2)}}} ins(%p, %bf : tensor<24x48xf32>, tensor<48xf32>) outs(%e : tensor<24x48xf32>) {{
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  }} -> tensor<24x48xf32>
  %r = arith.truncf %s : tensor<24x48xf32> to tensor<24x48xf16>
  return %r : tensor<24x48xf16>
}}
""", [((24, 64), "f16"), ((48, 64), "f16"), ((48,), "f16")],
    lambda x, w, b: (einsum("mk,nk->mn", x, w) * 0.5 + b).round("f16"), "f16")

add("bias_as_first_sum", """func.func @main(%x: tensor<2x8x10x9xf16>, %w: tensor<24x8x3x2xf16>, %b: tensor<24xf16>) -> tensor<2x24x8x8xf32> {
  %bf = arith.extf %b : tensor<24xf16> to tensor<24xf32>
  %e = tensor.empty() : tensor<2x24x8x8xf32>
  %bb = linalg.broadcast ins(%bf : tensor<24xf32>) outs(%e : tensor<2x24x8x8xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x8x10x9xf16>, tensor<24x8x3x2xf16>) outs(%bb : tensor<2x24x8x8xf32>) -> tensor<2x24x8x8xf32>
  return %r : tensor<2x24x8x8xf32>
}
""", [((2, 8, 10, 9), "f16"), ((24, 8, 3, 2), "f16"), ((24,), "f16")],
    lambda x, w, b: einsum("nhwabc,ocab->nohw", np_windows(x.transpose(0, 2, 3, 1), 3, 2, 1, 1), w) + b.reshape(1, 24, 1, 1))

# A place that is a quotient: the nearest pixel of an image that becomes three times as large.
add("places_are_quotients", f"""func.func @main(%x: tensor<5x7xf32>) -> tensor<15x21xf32> {{
  %e = tensor.empty() : tensor<15x21xf32>
  %three = arith.constant 3.0 : f32
  %r = linalg.generic {{{maps("(i,j)->(i,j)")}, {kinds(2)}}} outs(%e : tensor<15x21xf32>) {{
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ii = arith.index_cast %i : index to i32
    %ji = arith.index_cast %j : index to i32
    %if = arith.sitofp %ii : i32 to f32
    %jf = arith.sitofp %ji : i32 to f32
    %iq = arith.divf %if, %three : f32
    %jq = arith.divf %jf, %three : f32
    %il = math.floor %iq : f32
    %ip = arith.fptosi %il : f32 to i32
    %jp = arith.fptosi %jq : f32 to i32
    %ix = arith.index_cast %ip : i32 to index
    %jx = arith.index_cast %jp : i32 to index
    %v = tensor.extract %x[%ix, %jx] : tensor<5x7xf32>
    linalg.yield %v : f32
  }} -> tensor<15x21xf32>
  return %r : tensor<15x21xf32>
}}
""", [((5, 7), "f32")], lambda x: x.repeat(3, 0).repeat(3, 1))

add("reshaped_by_sizes", """func.func @main(%x: tensor<6x?x64xbf16>, %w: tensor<2x3x64x?xbf16>) -> tensor<2x3x?x?xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %six = arith.constant 6 : i64
  %k = arith.constant 64 : i64
  %m = tensor.dim %x, %c1 : tensor<6x?x64xbf16>
  %n = tensor.dim %w, %c3 : tensor<2x3x64x?xbf16>
  %mi = arith.index_cast %m : index to i64
  %ni = arith.index_cast %n : index to i64
  %ws = tensor.from_elements %six, %k, %ni : tensor<3xi64>
  %wr = tensor.reshape %w(%ws) : (tensor<2x3x64x?xbf16>, tensor<3xi64>) -> tensor<6x64x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<6x?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x?x?xf32>) -> tensor<6x?x?xf32>
  %p = linalg.batch_matmul ins(%x, %wr : tensor<6x?x64xbf16>, tensor<6x64x?xbf16>) outs(%f : tensor<6x?x?xf32>) -> tensor<6x?x?xf32>
  %s = tensor.from_elements %two, %three, %mi, %ni : tensor<4xi64>
  %r = tensor.reshape %p(%s) : (tensor<6x?x?xf32>, tensor<4xi64>) -> tensor<2x3x?x?xf32>
  return %r : tensor<2x3x?x?xf32>
}
""", [((6, 20, 64), "bf16"), ((2, 3, 64, 24), "bf16")],
    lambda x, w: einsum("bmk,bkn->bmn", x, w.reshape(6, 64, 24)).reshape(2, 3, 20, 24))
