//===- Passes.td - passes between upstream dialects --------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_PASSES_TD
#define TC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DropForeignPass : Pass<"tc-drop-foreign"> {
  let summary = "Drop attributes of dialects that are not known here";
  let description = [{
    Front ends leave notes of their own on functions, arguments and operations. Those of unknown
    dialects are dropped with a remark, one for each name. An operation or an argument of an
    unknown dialect is refused. So is a tensor whose encoding a dialect defines, because its elements
    may be elsewhere (`#sparse_tensor.encoding`); encodings that are strings, numbers or
    dictionaries are dropped, with one remark.

    Before:

    ```mlir
    func.func @f(%x: tensor<8x8xf32> {jax.buffer_donor = true}) attributes {torch.assume_strict_symbolic_shapes}
    ```

    After:

    ```mlir
    func.func @f(%x: tensor<8x8xf32>)
    ```
  }];
}

def InlineCallsPass : Pass<"tc-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Make functions of the module part of their callers";
  let description = [{
    Launches are a list, so calls of functions of the module are inlined, by upstream's inliner
    and without simplifying anything. A private function that is inlined everywhere goes away. One
    without callers is left out, with a remark, if the module has a public function; else it is an
    entry, and public from here where there are calls.

    Before:

    ```mlir
    func.func private @relu(%x: tensor<8x8xf32>) -> tensor<8x8xf32> { ... }
    func.func @f(...) { ... %r = call @relu(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32> ... }
    ```

    After:

    ```mlir
    func.func @f(...) { ... %r = arith.maximumf %y, %zero : tensor<8x8xf32> ... }
    ```
  }];
}

def MergeTilesPass : Pass<"tc-merge-tiles"> {
  let summary = "Make the tiles of an operation that a loop computes one operation";
  let description = [{
    A loop (`scf.for`, `scf.forall`, `scf.parallel`, constant bounds) that applies operations of
    linalg to slices, which follow each other along a dimension and cover what the loop counts,
    becomes the operations on what the slices are together: one launch instead of one for each
    tile. Slices that are written are read nowhere else. Along K an `scf.for` is merged where the output
    keeps sums as they are (f32, f64, i32); the parts are then summed in the order of a kernel. Other loops stay,
    for `tc-unroll-host-loops`.

    Before:

    ```mlir
    scf.parallel (%i, %j) = (%c0, %c0) to (%c1024, %c1024) step (%c128, %c128) {
      %x = memref.subview %a[%i, 0] [128, 64] [1, 1] : memref<1024x64xf16> to !x
      %y = memref.subview %b[0, %j] [64, 128] [1, 1] : memref<64x1024xf16> to !y
      %z = memref.subview %d[%i, %j] [128, 128] [1, 1] : memref<1024x1024xf16> to !z
      linalg.matmul ins(%x, %y : !x, !y) outs(%z : !z)
    }
    ```

    After:

    ```mlir
    linalg.matmul ins(%a, %b : memref<1024x64xf16>, memref<64x1024xf16>) outs(%d : memref<1024x1024xf16>)
    ```
  }];
  let statistics = [Statistic<"numMerged", "merged", "Loops that became what their tiles are together">];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

def UnrollHostLoopsPass : Pass<"tc-unroll-host-loops"> {
  let summary = "Unroll loops around products";
  let description = [{
    Launches are a list. `scf.for`, `scf.forall` and `scf.parallel` on the host with work inside
    (operations of linalg, on tensors, or `tmm.matmul`) and constant bounds become their iterations,
    the innermost loop first, as long as that makes at most 1024 of these operations. What
    `tensor.parallel_insert_slice` writes is inserted in the order of the iterations. Other
    loops stay, and cannot be described.

    Before:

    ```mlir
    scf.for %i = %c0 to %c2 step %c1 {
      linalg.matmul ins(%a, %b : !a, !b) outs(%d : !d)
    }
    ```

    After:

    ```mlir
    linalg.matmul ins(%a, %b : !a, !b) outs(%d : !d)
    linalg.matmul ins(%a, %b : !a, !b) outs(%d : !d)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PrepareProductsPass : Pass<"tc-prepare-products"> {
  let summary = "Multiply operands as they are before front ends widen, scale or bias them";
  let description = [{
    A product or convolution in f32 whose operands are both widened from f16, bf16 or floats of 8 bits, in linalg or
    by `arith.extf`, before reshapes and transpositions or after, multiplies what is widened: units multiply that with
    sums in f32, and the products are the same. Where an operand was multiplied by a number from 2^-32 to 2^32, the
    sum is. With `round-mixed` an operand of f32 beside one that is widened from 16 bits is rounded to these.
    A product whose sums begin with a broadcast begins with zeros, and the
    broadcast is added after it, as an epilogue can.

    Before:

    ```mlir
    %x = linalg.generic ... ins(%a : tensor<24x64xf16>) outs(%e : tensor<24x64xf32>) { arith.extf }
    %y = linalg.generic ... ins(%b : tensor<64x48xf16>) outs(%f : tensor<64x48xf32>) { arith.extf }
    %d = linalg.matmul ins(%x, %y : tensor<24x64xf32>, tensor<64x48xf32>) outs(%o : tensor<24x48xf32>)
    ```

    After:

    ```mlir
    %d = linalg.generic ... ins(%a, %b : tensor<24x64xf16>, tensor<64x48xf16>) outs(%o : tensor<24x48xf32>)
        { arith.extf, arith.extf, arith.mulf, arith.addf }
    ```
  }];
  let options = [
    Option<"roundMixed", "round-mixed", "bool", "false",
           "Round operands of f32 beside widened ones of 16 bits">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def ConvolutionsToProductsPass : Pass<"tc-convolutions-to-products"> {
  let summary = "Write convolutions as products of matrices";
  let description = [{
    A convolution, named or `linalg.generic`, of any number of image dimensions, with
    any strides and dilations, becomes a product (`linalg.generic`, with its body) of its filter and of a matrix with
    a row for each element of the output image (im2col):

      out[m, f] += sum over k of windows[m, k] * filter[k, f]

    where k counts the elements of a window and the input channels in the order of the filter.
    Where the channels are the last dimension of images and of windows, and an image has one to three dimensions
    of static sizes, the matrix is a view of the images (`tmm.windows`), from which TMA loads its tiles. A
    `tensor.pad` of the images with zeros is part of the view. Channels of tensors whose bytes are no multiple of 16
    are padded with zeros first, those of the filter, too, where they become at most eight times as many. Else the matrix is gathered by a
    `linalg.generic` before the product, the padding with it; a window of one element without
    strides needs none, the input is the matrix. Where the image follows the channels (NCHW),
    the dimensions before these are a batch. Elementwise operations after it are collapsed
    with the product, so that they can become its epilogue; what they broadcast to the image they
    read as it is. A filter before its images in a `linalg.generic` is put after them. Zero points (`linalg.conv_2d_nhwc_hwcf_q`)
    stay in the body of the product; windows that are summed for the zero point of a filter are gathered.

    A convolution whose groups of channels have filters of their own (grouped, depthwise) stays.

    Before:

    ```mlir
    %r = linalg.conv_2d_nhwc_hwcf ins(%i, %f : tensor<2x10x11x64xbf16>, tensor<3x3x64x136xbf16>)
        outs(%o : tensor<2x8x9x136xf32>) -> tensor<2x8x9x136xf32>
    ```

    After:

    ```mlir
    %windows = tmm.windows %i as <output = [8, 9], window = [3, 3], channels = 64,
        strides = [1, 1], dilations = [1, 1], padding = [0, 0]> : tensor<2x10x11x64xbf16> to tensor<144x576xbf16>
    %filter = tensor.collapse_shape %f [[0, 1, 2], [3]] : ... into tensor<576x136xbf16>
    %d = linalg.generic ... ins(%windows, %filter : tensor<144x576xbf16>, tensor<576x136xbf16>)
        outs(%sum : tensor<144x136xf32>) -> tensor<144x136xf32>
    %r = tensor.expand_shape %d [[0, 1, 2], [3]] : ... into tensor<2x8x9x136xf32>
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", /*default=*/"false",
           "Say at each convolution why its windows are gathered">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect", "::tc::tmm::TMMDialect"];
}

def FoldConstantsPass : Pass<"tc-fold-constants"> {
  let summary = "Compute vectors of constants when compiling";
  let description = [{
    An elementwise operation of linalg whose inputs are constants, and whose result has at most one
    dimension that is longer than 1 and at most 65536 elements, becomes its result, as a reshape of
    a constant does: else each run would launch a kernel for the conversion of a bias. Matrices stay, because they may be
    operands of products, and so does what upstream does not fold.

    Before:

    ```mlir
    %b = arith.constant dense<[1.0, 2.0]> : tensor<2xbf16>
    %f = linalg.generic ... ins(%b : tensor<2xbf16>) outs(%e : tensor<2xf32>) { arith.extf }
    ```

    After:

    ```mlir
    %f = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FuseElementwisePass : Pass<"tc-fuse-elementwise"> {
  let summary = "Fuse elementwise operations of linalg";
  let description = [{
    Upstream's `linalg-fuse-elementwise-ops`, which makes one operation of elementwise ones that
    follow each other, but for the expansion of what `tensor.pad` pads: upstream moves that before
    the padding, where its sizes may not be known yet. Results that nobody reads are dropped.

    Integers that are computed of `linalg.index` alone are computed in each operation that reads them, after new
    dimensions of 1, too (a mask of places), and that all elements of a row are -infinity is that its largest is, where that is computed.

    Before:

    ```mlir
    %y = linalg.generic ... ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) { arith.mulf }
    %z = linalg.generic ... ins(%y, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) { arith.addf }
    ```

    After:

    ```mlir
    %z = linalg.generic ... ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) { arith.mulf, arith.addf }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def CheckShapesPass : Pass<"tc-check-shapes"> {
  let summary = "Check on the host that operands have the sizes that operations take for equal";
  let description = [{
    Dimensions that one loop of a linalg operation walks have to be equal, the windows of a
    convolution have to be in its images, slices in what they are of, and the sizes to which `expand_shape` splits a
    dimension have to multiply to it. Where that is not known, a `cf.assert` states it before the
    operation, which becomes a constraint of the description.

    Before:

    ```mlir
    %r = tensor.expand_shape %p [[0, 1]] output_shape [2, %n] : tensor<?xf32> into tensor<2x?xf32>
    ```

    After:

    ```mlir
    %m = tensor.dim %p, %c0 : tensor<?xf32>
    %size = arith.muli %n, %c2 : index
    %holds = arith.cmpi eq, %size, %m : index
    cf.assert %holds, "tensor.expand_shape: dimensions 0 to 1 of its result must multiply to dimension 0 of its operand"
    %r = tensor.expand_shape %p [[0, 1]] output_shape [2, %n] : tensor<?xf32> into tensor<2x?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"];
}

def DecomposeAggregatesPass : Pass<"tc-decompose-aggregates"> {
  let summary = "Decompose aggregate operations on tensors";
  let description = [{
    `linalg.softmax` becomes its reductions and elementwise operations, `tensor.concat` the
    insertion of its parts, `linalg.pack` a padding, a reshape and a transposition, and
    `linalg.unpack` the way back, as upstream's patterns have them, so that kernels can be made of them.
    `tensor.reshape` to a static shape becomes a collapse and an expansion, which are views, and
    `tensor.gather` a `linalg.generic` with `tensor.extract`. What a `tensor.pad` with a negative
    padding leaves out is cut off before it.

    Before:

    ```mlir
    %s = linalg.softmax dimension(1) ins(%x : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) -> tensor<64x100xf32>
    ```

    After:

    ```mlir
    %max = linalg.generic ... ins(%x) outs(%lowest)      // the largest of each row
    %exp = linalg.generic ... ins(%x, %max) outs(%e)     // exp(x - max)
    %sum = linalg.generic ... ins(%exp) outs(%zero)
    %s = linalg.generic ... ins(%exp, %sum) outs(%e)     // exp / sum
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def SinkScalarsPass : Pass<"tc-sink-scalars"> {
  let summary = "Read and compute scalars in the operations that use them";
  let description = [{
    The host of a launch reads no memory and computes no floats. A `linalg.generic` on tensors
    that takes from outside what `tensor.extract` reads, or a float that is computed, gets the
    tensor as an input, if it has no dimensions, and the operations into its body. So does what
    reads the result of a `linalg.generic` without loops. Constants are folded on the way.

    Before:

    ```mlir
    %v = tensor.extract %s[] : tensor<f32>
    %h = arith.truncf %v : f32 to f16
    %r = linalg.generic ... ins(%x : tensor<64x32xf16>) outs(%e : tensor<64x32xf16>) {
    ^bb0(%a: f16, %o: f16):
      %1 = arith.mulf %a, %h : f16
    ```

    After:

    ```mlir
    %r = linalg.generic ... ins(%x, %s : tensor<64x32xf16>, tensor<f32>) outs(%e : tensor<64x32xf16>) {
    ^bb0(%a: f16, %v: f32, %o: f16):
      %h = arith.truncf %v : f32 to f16
      %1 = arith.mulf %a, %h : f16
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandConversionsPass : Pass<"tc-expand-conversions"> {
  let summary = "Convert floats of 8 bits and fewer with instructions";
  let description = [{
    Upstream has no lowering of `arith` on floats of 8 bits or fewer for a GPU. This pass
    converts vectors of rank 1 in pairs:

    | operation | computed as |
    |---|---|
    | `arith.truncf` of f32, f16 or bf16 to f8E4M3FN or f8E5M2 | as f32, `cvt.rn.satfinite`: to nearest even; what is too large, infinity included, becomes the largest number |
    | the same to f4E2M1FN, then `vector.bitcast` to bytes | `cvt.rn.satfinite`, NaN becomes the largest number |
    | `arith.extf` of f8E4M3FN or f8E5M2 | `cvt.rn.f16x2` and `cvt.f32.f16`, then to the type, exact |
    | `arith.extf` of f8E8M0FNU, `arith.scaling_extf` | as upstream expands them |

    In a module for sm_107 `cvt` takes f16x2 and bf16x2 themselves, and makes bf16x2 of 8 bits.
    Other operations stay.

    Before:

    ```mlir
    %0 = arith.truncf %x : vector<2xf32> to vector<2xf8E4M3FN>
    ```

    After:

    ```mlir
    %low = vector.extract %x[0] : f32 from vector<2xf32>
    %high = vector.extract %x[1] : f32 from vector<2xf32>
    %pair = nvvm.convert.f32x2.to.f8x2 %high, %low {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>}
        : i16(f8E4M3FN)
    %1 = vector.from_elements %pair : vector<1xi16>
    %2 = vector.bitcast %1 : vector<1xi16> to vector<2xi8>
    %0 = arith.bitcast %2 : vector<2xi8> to vector<2xf8E4M3FN>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMathPass : Pass<"tc-expand-math"> {
  let summary = "Compute functions with instructions instead of libdevice";
  let description = [{
    `convert-gpu-to-nvvm` turns operations of `math` into calls of libdevice, which is
    not linked. This pass computes them from the instructions of the hardware.
    Errors, with those that the PTX ISA states for the instructions:

    | operation | computed as | error |
    |---|---|---|
    | `arith.divf` | `div.full` | 2 ulp |
    | `arith.divf` of 1 | `rcp.approx` | 1 ulp |
    | `arith.divf` by a power of 2, or whose result becomes an integer that is not the nearest one | `mul`, `div.rn` | 0.5 ulp |
    | `math.exp2` | `ex2.approx` | relative 2^-22 |
    | `math.exp2` with `afn` | `ex2.approx.ftz` | the same, subnormal numbers are 0 |
    | `math.exp` | `ex2.approx.ftz(x log2 e)` | relative 2^-22 + 2^-23 times the absolute value of x, subnormal results are 0 |
    | `math.log2`, `math.log`, `math.log10` | `lg2.approx` (times ln 2 or log10(2)) | absolute 2^-22 for x in (0.5, 2), relative 2^-22 elsewhere |
    | `math.tanh` with `afn` | `tanh.approx` | relative 2^-11 |
    | `math.tanh` | `1 - 2 rcp.approx(1 + ex2.approx(2 x log2 e))` | absolute 2^-21 |
    | `math.erf` | x P(x^2) / Q(x^2), degrees 6 and 4, on [-4, 4] | absolute 2^-21 |
    | `math.sqrt`, `math.fma` | `sqrt.rn`, `fma.rn` | 0.5 ulp |
    | `math.rsqrt` | `rsqrt.approx` | relative 2^-22 |
    | `math.powf`, `fpowi`, exponent -1, -0.5, 0.5, 0.75 or a small integer | square roots, products, a quotient | 1 ulp for each |
    | `math.powf`, `fpowi` else | `ex2.approx(y lg2.approx(x))`, with the sign of an odd power | relative 2^-21 + 2^-22 times the larger of the absolute values of y and y log2(x) |
    | `math.sin`, `math.cos` | a polynomial after reduction to a quadrant | absolute 2^-22 + 2^-23 times the absolute value of x (measured to 10^4) |
    | `math.log1p` | `log(1 + x)`, the rounding of 1 + x taken back | absolute 2^-19 for x in (-0.9, 10) (measured) |
    | `math.expm1` | `exp(x) - 1`, the rounding taken back | absolute 2^-19 times exp(x), at least 2^-19 (measured in (-10, 10)) |
    | `math.erfc` | a polynomial | relative 2^-20 in (-3, 3) (measured) |
    | `math.sinh`, `cosh`, `tan`, `asinh`, `acosh`, `atanh`, `asin`, `acos`, `atan`, `atan2`, `cbrt`, `round` | upstream's expansions and polynomials, on the functions above | absolute 2^-16 in (-1.5, 1.5) (measured) |
    | `math.absf`, `ceil`, `floor`, `trunc`, `roundeven`, `copysign`, `clampf`, `arith.maxnumf`, `arith.minnumf` | `abs`, `cvt`, `copysign`, `min`, `max` | exact |

    f16 and bf16 are computed in f32 and rounded. Intrinsics take scalars and
    vectors of one dimension: other vectors are flattened. Other operations stay, and those
    in the epilogue of a `tmm.matmul`.

    Before:

    ```mlir
    %0 = math.exp %x : vector<32xf32>
    ```

    After:

    ```mlir
    %0 = arith.mulf %x, %log2e : vector<32xf32>
    %1 = vector.extract %0[0] : f32 from vector<32xf32>
    %2 = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%1) : (f32) -> f32
    %3 = vector.insert %2, %zeros[0] : f32 into vector<32xf32>
    ...  // 31 more
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def LowerVectorsPass : Pass<"tc-lower-vectors"> {
  let summary = "Rewrite vector operations to those with an LLVM counterpart";
  let description = [{
    `convert-gpu-to-nvvm` converts the vector operations that have a counterpart
    in LLVM. This pass rewrites the others with upstream's patterns, as
    upstream's `convert-vector-to-llvm` does before it converts: slices become
    shuffles, broadcasts, shape casts and steps become inserts and extracts.

    Elementwise operations on vectors of small integers that do not fill registers of 32 bits are
    unrolled: LLVM would pack them, with bits that nothing defines. Slices of a rounded vector whose length is no
    power of two are rounded by themselves: LLVM would round the whole element by element.

    Before:

    ```mlir
    %s = vector.extract_strided_slice %v {offsets = [4], sizes = [4], strides = [1]}
        : vector<32xf32> to vector<4xf32>
    ```

    After:

    ```mlir
    %s = vector.shuffle %v, %v [4, 5, 6, 7] : vector<32xf32>, vector<32xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def SimplifyLoopStatePass : Pass<"tc-simplify-loop-state"> {
  let summary = "Carry each state once, and only where it is read";
  let description = [{
    Pipeline states are values that loops carry. Where two are always equal (both
    ends of a pipeline in one role advance together), all uses go to the first;
    what is never read (the parity of a pipeline without mbarriers) stays as it
    starts. Canonicalization removes such values from the loops.

    Looks at the `scf` loops of each `gpu.func` together: a state goes through
    nested loops.

    Before:

    ```mlir
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c0_i32, %q = %c0_i32) -> (i32, i32) {
      "use"(%p, %q) : (i32, i32) -> ()
      %p1 = arith.addi %p, %c1_i32 : i32
      %q1 = arith.addi %q, %c1_i32 : i32
      scf.yield %p1, %q1 : i32, i32
    }
    ```

    After, canonicalized:

    ```mlir
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c0_i32) -> (i32) {
      "use"(%p, %p) : (i32, i32) -> ()
      %p1 = arith.addi %p, %c1_i32 : i32
      scf.yield %p1 : i32
    }
    ```
  }];
}

def ShareKernelsPass : Pass<"tc-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Make one kernel of equal ones";
  let description = [{
    Kernels of a `gpu.module` whose bodies and attributes are equal, names and locations
    apart, are replaced by the first of them, also in their launches. Runs after the interfaces
    of the kernels are lowered, because kernels with equal bodies may differ in their arguments.

    Before:

    ```mlir
    gpu.launch_func @kernels::@f_matmul blocks in (%n, %c1, %c1) threads in (%c192, %c1, %c1) args(%a : !map)
    gpu.launch_func @kernels::@f_matmul_0 blocks in (%n, %c1, %c1) threads in (%c192, %c1, %c1) args(%b : !map)
    ```

    After:

    ```mlir
    gpu.launch_func @kernels::@f_matmul blocks in (%n, %c1, %c1) threads in (%c192, %c1, %c1) args(%a : !map)
    gpu.launch_func @kernels::@f_matmul blocks in (%n, %c1, %c1) threads in (%c192, %c1, %c1) args(%b : !map)
    ```
  }];
  let statistics = [
    Statistic<"numShared", "num-shared", "Kernels that are another one now">,
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def LowerPrefetchesPass : Pass<"tc-lower-prefetches"> {
  let summary = "Make prefetches instructions of PTX";
  let description = [{
    `memref.prefetch` becomes `llvm.intr.prefetch`, for which LLVM 22 has no
    instruction of PTX. This pass makes `nvvm.prefetch` of those in kernels, of global memory
    and of generic pointers: into the L1 cache with locality 3, else into the L2
    cache. PTX tells no reads from writes. What would go to the cache of instructions,
    or is in shared or other memory, is dropped: it is a hint.

    Before:

    ```mlir
    "llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}> : (!llvm.ptr<1>) -> ()
    ```

    After:

    ```mlir
    nvvm.prefetch level = L2, %p : !llvm.ptr<1>
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def RequireBlockSizePass : Pass<"tc-require-block-size"> {
  let summary = "Make the block size of kernels binding";
  let description = [{
    `convert-gpu-to-nvvm` turns `known_block_size` of a `gpu.func` into the
    bound `nvvm.maxntid`. The size is known, not bounded: this pass turns it
    into `nvvm.reqntid`, with which the driver refuses any other launch.

    Unless the kernel says otherwise, the pass also requests one CTA per SM: shared
    memory limits these kernels, not registers, and without that ptxas 13.0 aims at
    a higher occupancy and spills.

    Before:

    ```mlir
    llvm.func @k() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>}
    ```

    After:

    ```mlir
    llvm.func @k() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 128, 1, 1>}
    ```
  }];
}

#endif // TC_TRANSFORMS_PASSES_TD
