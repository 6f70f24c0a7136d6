//===- LinalgPasses.td - conversions of linalg -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where programs come in: products become tmm.matmul, the rest kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_LINALGPASSES_TD
#define TC_CONVERSION_LINALGPASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// LinalgToRows
//===----------------------------------------------------------------------===//

def ConvertLinalgToRowsPass : Pass<"convert-linalg-to-rows"> {
  let summary = "Convert operations on rows, with reductions along them, to tmm.rows";
  let description = [{
    Operations on tensors that share their rows become one `tmm.rows`. A group starts at a reduction along
    one dimension, the column, wherever that is in memory; elementwise operations on the same rows and columns,
    or on one value for each row, and further reductions along the same dimension join it over the tensors that
    they share, also through views that add or drop dimensions of one element. Elementwise operations that
    transpose, and share no tensor with a reduction, are groups of their own. What is read outside of the
    group becomes an output. No operation outside may lie between two of the group.

    What an output starts from is combined with it last. Values of fewer than 32 bits are reduced in f32 or
    i32 and rounded once: `linalg` rounds after each step. The order of a reduction is that of `tmm.reduce`;
    `linalg` has none.

    A maximum or minimum with its place (argmax) becomes reductions of the values, then of the places.
    Reductions of static length to few values are made in two steps, each an operation of its own.

    Left alone: reductions along several dimensions, with a body that is no arithmetic reduction, other
    elementwise operations, indexing maps that are no projected permutation, memrefs.

    Before:

    ```mlir
    %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %1 = linalg.reduce ins(%x : tensor<?x4096xf32>) outs(%0 : tensor<?xf32>) dimensions = [1]
      (%in: f32, %acc: f32) {
        %2 = arith.addf %in, %acc : f32
        linalg.yield %2 : f32
      }
    ```

    After:

    ```mlir
    %1 = tmm.rows ins(%x : tensor<?x4096xf32>) outs(%e : tensor<?xf32>)
        maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>] {
    ^bb0(%in: f32):
      %2 = tmm.row_reduce <add> %in : f32
      tmm.yield %2 : f32
    } -> tensor<?xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::tc::tmm::TMMDialect"];
}

//===----------------------------------------------------------------------===//
// RowsToAttention
//===----------------------------------------------------------------------===//

def ConvertRowsToAttentionPass : Pass<"convert-rows-to-attention"> {
  let summary = "Convert a softmax between two products to tmm.attention";
  let description = [{
    A `tmm.rows` that computes softmax of the result of a `tmm.matmul` with `transpose_b`, and is A of another one,
    becomes one `tmm.attention` with both, on chips that have a kernel for it. Scores may be multiplied or divided
    by a constant, and hidden by -infinity, or a number below -1e30, where the column is above a diagonal or
    below a window. What is rounded between the products is no longer, but for the operand of the second one.
    Transpositions of batches and rows, and a conversion of the result, become `maps` and the type of `o`.

    A remark says why a softmax between products stays: another mask, rows that see no key, a second use, heads of
    more than 256 elements.

    Before:

    ```mlir
    %s = tmm.matmul transpose_b ins(%q, %k : tensor<8x?x64xbf16>, tensor<8x?x64xbf16>) outs(%0 : tensor<8x?x?xf32>)
    %p = tmm.rows ins(%s : tensor<8x?x?xf32>) outs(%1 : tensor<8x?x?xbf16>) maps [#e, #e] { softmax }
    %o = tmm.matmul ins(%p, %v : tensor<8x?x?xbf16>, tensor<8x?x64xbf16>) outs(%2 : tensor<8x?x64xf32>)
    ```

    After:

    ```mlir
    %o = tmm.attention %q, %k, %v scale(1.0) outs(%2 : tensor<8x?x64xf32>)
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "The chip that kernels are made for">,
  ];
  let statistics = [
    Statistic<"numConverted", "kernels", "Number of attention kernels">,
  ];
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

//===----------------------------------------------------------------------===//
// LinalgToTMM
//===----------------------------------------------------------------------===//

def ConvertLinalgToTMMPass : Pass<"convert-linalg-to-tmm"> {
  let summary = "Convert contractions and elementwise operations on them to tmm.matmul";
  let description = [{
    Converts `linalg.matmul`, `linalg.contract` and `linalg.generic` that multiply two
    matrices, on memrefs or tensors, whatever their indexing maps transpose. A
    `linalg.transpose` of an input tensor is folded, a transposed output exchanges
    the inputs. The element types are those of `tmm.matmul`: bf16, f16,
    f8E4M3FN, f8E5M2, i8 with a sign, and with `allow-tf32` f32, whose products leave
    out the low 13 bits of each element.

    `linalg` adds to its output. A `linalg.fill` with zero that is the last write before
    is folded, and the matmul only writes; after any other value it keeps
    `accumulate`. For memrefs the fill must be in the same block, with nothing
    between that may touch the output.

    For bf16 and f16 outputs `linalg` rounds each product and each partial sum; `tmm.matmul`
    keeps the sum in f32 and rounds once. The conversion is a refinement.

    Elementwise operations, named or `linalg.generic`, around a contraction become its epilogue.
    On tensors: those that compute its initial value for it alone (a broadcast bias,
    beta * C), and those that are the only user of its result (alpha, bias along rows or
    columns, activations, residuals, conversions), one after the other. On memrefs: those that
    follow the contraction directly and update its output in place. They read
    matrices, rows, columns and floats of f32, f16 or bf16 and consist of what
    an epilogue can compute. The epilogue is computed in f32: tensors of f16 and bf16 between
    fused operations are not rounded, `arith.truncf` inside a body is. What cannot be
    fused stays outside the kernel; a remark on it says why.

    An epilogue of integers starts with `arith.sitofp`; nothing is added to them
    but the output.

    Dimensions of a batch, M, N and K may be several each and in any order, or M or N missing
    (`linalg.matvec`, `linalg.dot`, `linalg.batch_reduce_matmul`, `linalg.mmt4d`): operands are brought into
    the order batch, M, K first, adjacent dimensions become one and missing ones one of size 1.
    Memrefs are seen through views where their strides allow, and copied where not; tensors are
    transposed by `linalg.transpose`. Sums of products of each row for itself are no contraction.

    Low precision, on tensors (`docs/LowPrecision.md`):

    * An input that is `arith.extf` of f8 is read as f8. One that is a matrix of elements times a
      factor of each block of 16 or 32 along K, on rows and columns that are expanded into the parts by which
      `tmm.matmul` stores factors, gives the operand and its scale factors. Where columns alone are expanded, in
      blocks, factors are a plain row for each row; an elementwise operation puts them into those parts.
    * A last `arith.truncf` to f8E4M3FN or f8E5M2 becomes the conversion of D, which saturates.
    * A reduction to the largest absolute value (`arith.maximumf`, `math.absf`) becomes `amax`.
    * Blocks of a result divided by factors of their largest absolute values become `scale_d`:
      `arith.truncf toward_zero` of the largest times 2^-emax to f8E8M0FNU and `arith.scaling_truncf`, or
      `arith.truncf` of the largest times 1 / 6 to f8E4M3FN and `arith.truncf` of the product with 1 / factor.
    * Integers that the body makes floats of are converted before, by an elementwise operation.
    * `linalg.quantized_matmul` is the product of i8; for zero points that are not the constant 0,
      sums of the rows of A and of the columns of B, times them, are subtracted from it.

    Products of f32 as sums of products of parts, with `f32` (`docs/LowPrecision.md` has the bounds): an
    elementwise operation splits each operand into parts, in a dimension before K; K is 3 or 9 times as long,
    and 2 or 3 times where the other operand is bf16. Where `f32` is empty, that is bf16x9, and a remark says so.

    Elementwise operations that all read one product become one, so that it is an epilogue, where
    nothing is computed twice by that (x * sigmoid(x)).

    A contraction of types that no matrix unit has (f64, i16, i32, i64, f32 with `f32=fma`) stays, and so
    does what sums products but is no contraction; a remark says why. Others that cannot be converted (broadcast
    dimensions, unsigned casts) are errors that name the reason. Everything else stays as it is, in the
    function it was in.

    Before:

    ```mlir
    linalg.fill ins(%zero : f32) outs(%d : memref<?x?xf32>)
    linalg.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
    ```

    After:

    ```mlir
    tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
    ```
  }];
  let options = [
    Option<"allowTf32", "allow-tf32", "bool", /*default=*/"false",
           "Multiply f32 as tf32, without the low 13 bits of each element">,
    Option<"f32", "f32", "std::string", /*default=*/"",
           "How f32 is multiplied: tf32 as with allow-tf32, or as sums of products of parts, tf32x3, bf16x3 or bf16x9, or not by a matrix unit, fma or refuse; bf16x9 where empty">,
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::tc::tmm::TMMDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

//===----------------------------------------------------------------------===//
// LinalgToGPU
//===----------------------------------------------------------------------===//

def ConvertLinalgToGPUPass : Pass<"convert-linalg-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Make plain kernels of the remaining operations of linalg";
  let description = [{
    Each operation of linalg on memrefs and each `memref.copy` becomes a kernel of the module
    that the first launch names, and its launch: a thread for each point of the parallel loops,
    which runs the reductions. Functions that launch nothing yet are left alone, unless `chip`
    says for which target they are: then a module without kernels gets a `gpu.module`. A memref
    is passed as its base and those of offset, sizes and strides that its type leaves open.
    Nothing is launched where there are no points.

    In an elementwise operation whose operands have adjacent elements along the last loop, of a
    static size, with rows that start at multiples of 16 bytes, a thread computes as many points
    as 16 bytes of the widest elements hold, or a smaller power of two that divides the size. A
    kernel after one that lets dependents start (`pdl` of a matmul) waits for its end
    (`griddepcontrol.wait`), so it may be launched before.

    Other kernels are correct but unoptimised: they make functions with transpositions and
    normalisations around matmuls compile. Operations of other dialects stay.

    Before:

    ```mlir
    gpu.launch_func @kernels::@f_matmul blocks in (%n, %c1, %c1) threads in (%c192, %c1, %c1) args(%d : memref<64x64xf32>)
    linalg.exp ins(%d : memref<64x64xf32>) outs(%e : memref<64x64xf32>)
    ```

    After:

    ```mlir
    gpu.launch_func @kernels::@f_matmul blocks in (%n, %c1, %c1) threads in (%c192, %c1, %c1) args(%d : memref<64x64xf32>)
    %from, %o0, %s0:2, %t0:2 = memref.extract_strided_metadata %d : memref<64x64xf32> -> memref<f32>, index, index, index, index, index
    %to, %o1, %s1:2, %t1:2 = memref.extract_strided_metadata %e : memref<64x64xf32> -> memref<f32>, index, index, index, index, index
    gpu.launch_func @kernels::@f_exp blocks in (%c16, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%from : memref<f32>, %to : memref<f32>)
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "The target of functions that launch nothing yet, sm_100a and so on; they are left alone where empty">];
}

#endif // TC_CONVERSION_LINALGPASSES_TD
