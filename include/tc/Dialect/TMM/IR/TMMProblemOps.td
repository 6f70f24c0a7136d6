//===- TMMProblemOps.td - problem form operations ----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix multiplication as other compilers state it: operands in global
// memory, sizes static or dynamic, and nothing about how it is computed but a
// configuration.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMPROBLEMOPS_TD
#define TC_DIALECT_TMM_IR_TMMPROBLEMOPS_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "tc/Dialect/TMM/IR/TMMProblemForm.td"

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

def TMM_MatmulOp : TMM_ProblemFormOp<"matmul", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
        ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "bufferizesToElementwiseAccess", "getAliasingValues", "bufferize"]>,
    DeclareOpInterfaceMethods<TilingInterface,
        ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
         "getResultTilePosition", "generateResultTileValue",
         "getIterationDomainTileFromResultTile",
         "generateScalarImplementation"]>,
  ]> {
  let summary = "multiply two matrices into a third";
  let description = [{
    ```
    acc[m, n] = sum over k of f32(A[m, k]) * f32(B[k, n])  (+ f32(D[m, n]) with `accumulate`)
    D[m, n] = round(acc[m, n])
    D[m, n] = epilogue(acc[m, n], X[m, n] or X[m] or X[n] or X, ...)    with an epilogue
    ```

    A is M x K (K x M with `transpose_a`), B is K x N (N x K with `transpose_b`)
    and D is M x N. Sizes may be dynamic and may be 0; with K = 0 the sum is zero.

    | A and B | products and sums | D |
    |---|---|---|
    | both bf16 or both f16 | exact; f32 | f32, f16, bf16 |
    | f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN or f4E2M1FN, in any mix | exact; f32 | f32, f16, bf16 |
    | f32 with `allow_tf32` | of tf32: the low 13 bits of an element are ignored; f32 | f32, f16, bf16 |
    | i8 (with a sign) or ui8, in any mix | exact; i32, modulo 2^32 | i32, or what an epilogue makes of it |

    Of floats D may also be quantised: f8E4M3FN or f8E5M2, or with `scale_d` one of these or
    f4E2M1FN with a factor for each block of V columns of a row. The epilogue yields f32 there,
    or the sum is y, and the operation converts it, to nearest even, saturating: what is too
    large, infinity included, becomes the largest number, NaN stays NaN. Without `accumulate`.

    ```
    D[m, n] = sat(y[m, n])                                     without scale_d
    amax = max over n of |y[m, n]|                             with it, n in a block of V
    SFD = 2^(floor(log2(amax)) - emax), at least 2^-127        f8E8M0FNU, V = 32
    SFD = sat(amax * (1 / 6))                                  f8E4M3FN, V = 16
    D[m, n] = sat(y[m, n] * (1 / SFD))
    ```

    | D | SFD | V | emax | N of a multiple of |
    |---|---|---|---|---|
    | f8E4M3FN | f8E8M0FNU | 32 | 8 | 32 |
    | f8E5M2 | f8E8M0FNU | 32 | 15 | 32 |
    | f4E2M1FN | f8E8M0FNU | 32 | 2 | 64 |
    | f4E2M1FN | f8E4M3FN | 16 | | 64 |

    The first three are the conversion of the OCP Microscaling Formats (MX) Specification 1.0, 6.3; the
    exponent is cut, not rounded. A per-tensor factor, as NVFP4 has it, is a multiplication of the epilogue.
    An infinity or NaN in a block makes its f8E8M0FNU 255, NaN; of f8E4M3FN
    an infinity saturates and a NaN is NaN. Where SFD is 0 the block of D is 0. Elements are packed and SFD has the blocks of `scales` below,
    with M and N for its rows and columns (and the batch dimensions of D before them), so
    that D and SFD are A and SFA of a next product; what fills up the blocks is not specified.

    `amax`, an f32 of rank 0, is raised to the largest |x|: `amax = max(amax, max over m, n of |x[m, n]|)`
    (NaN where there is one). x is y without an epilogue, else the second value that it yields, an f32. What `amax` holds
    before, 0 for one launch alone, is the caller's; several launches may raise one.

    With `f16_sum` the sum of products is kept in f16, which each addition of a step along K
    rounds to, and becomes f32 for what follows: for both f16, or floats of 8 bits or fewer
    without scale factors.

    With `scales` each block of V elements of K of a row of A or a column of B has a
    factor (MX formats and NVFP4):

    ```
    acc[m, n] = sum over k of (A[m, k] * SFA(m, k / V)) * (B[k, n] * SFB(n, k / V))
    ```

    | A and B | factors | V |
    |---|---|---|
    | f8E4M3FN, f8E5M2, f6E2M3FN, f6E3M2FN or f4E2M1FN, in any mix but f4E2M1FN twice | f8E8M0FNU | 32 |
    | both f4E2M1FN | f8E8M0FNU | 32, or 16 with `scale_block = 16` |
    | both f4E2M1FN | f8E4M3FN | 16 |

    f8E8M0FNU: e means 2^(e - 127), 255 NaN; of f8E4M3FN the sign is not read. A second factor for all elements, as NVFP4 has it, is an epilogue. Factors are stored in blocks of 128
    rows and 4 columns, as cuBLAS and CUTLASS have them: with R = M for SFA and R = N
    for SFB, the operand is ceildiv(R, 128) x ceildiv(K, 4 V) x 32 x 4 x 4, dense after its
    first dimension, and

    ```
    SF(r, j) = scales[r / 128, j / 4, r mod 32, r mod 128 / 32, j mod 4]
    ```

    which is byte (r mod 32) * 16 + (r mod 128 / 32) * 4 + j mod 4 of a block of 512. Factors of
    rows and blocks of K that A and B do not have fill up the blocks: they are not
    used, whatever they are, NaN included. But where both operands are f4E2M1FN and K is no multiple of
    64, the factors of their rows up to the next multiple of 64 are multiplied by zeros, and must not be NaN.

    No matrix unit takes factors of f32, which DeepSeek and DeepGEMM use: threads
    multiply the sum of each 128 elements of K by the factors of the block, and add it to
    sums of their own, while the unit multiplies the next block:

    ```
    P(m, n, j) = sum over k in block j of A[m, k] * B[k, n]                      in the unit, f32
    acc[m, n] = sum over j of P(m, n, j) * f32(SFA[m, j] * SFB[n / C, j])        each j one fma in f32, j ascending
    ```

    A and B are floats of 8 bits or fewer, in any mix. SFA is M x ceildiv(K, 128), SFB is
    ceildiv(N, C) x ceildiv(K, 128) whether B is transposed or not, C = 128 or 1 by
    `scale_columns`; both have batch dimensions like A and B, and on memrefs any strides, but with C = 1
    the factors of neighbouring columns are next to each other (stride 1 in that dimension). What a
    factor makes of a block, infinity and NaN included, is what the formula says.

    With `metadata` A is sparse: of each chunk of its row only half of the elements is
    stored, in ascending k. The other half is not part of the sum, whatever B has there.
    A is M x K/2 (K/2 x M with `transpose_a`), and four bits of metadata for each chunk say
    which elements they are. Without scale factors.

    | A | chunk | kept | code | K of a block, T | place of the code of the chunk at (m, k) |
    |---|---|---|---|---|---|
    | f32 (tf32) | 2 | 1 | 0100: the first, 1110: the second | 64 | lane m mod 8 + 8 (k mod 16 / 8) + 16 (m / 16), cell k / 16, bit 2 (k mod 8) + 16 (m / 8 mod 2) |
    | f16, bf16 | 4 | 2 | i0 + 4 i1, their indices, i0 < i1 | 128 | lane m mod 8 + 8 (k mod 32 / 16) + 16 (m / 16), cell k / 32, bit k mod 16 + 16 (m / 8 mod 2) |
    | 8 bits and fewer | 4 | 2 | the same | 128 | lane m, cell k / 32, bit k mod 32 |

    The operand is ceildiv(M, 128) x ceildiv(K, T) x 128 x 4 of i32, dense after its first dimension: `metadata[m / 128,
    k / T, lane, cell]` has the code from `bit` on, with m mod 128 and k mod T in the table. These are
    the words that the matrix unit reads in Tensor Memory (PTX ISA, "Sparse matrices"), which
    `tcgen05.cp` copies there. K is a multiple of the chunk. Padding of the blocks must be codes of the table, too:
    it is read and multiplied by zeros; other codes are undefined.

    Elements of 4 and 6 bits follow each other without gaps, the first one in the lowest
    bits, and are adjacent along K: A is M x K and B is N x K. Where both operands of a
    product with scale factors are f4E2M1FN, K is even; else it is a multiple of
    128 if one of them has such elements, which TMA unpacks as a whole, and of 256 if
    that is a sparse A, whose rows have half of K.

    With `ends`, a vector of G elements of i32 on the device, the rows of A and D are those of G groups, one below the
    other, and each group has a matrix of its own in B (G x K x N), as experts have. Row m is multiplied by the B of
    the group g that it is in:

    ```
    begin(g) <= m < end(g)     end(g) = min(max(ends[g], begin(g)), M)     begin(0) = 0, begin(g) = end(g - 1)
    ```

    So `ends` are the offsets of `torch._grouped_mm`: where each group ends, in rows of A, rising. Only the device reads
    them, and they may change from launch to launch; what else they hold has the meaning above: a group whose end is not
    above that of the group before is empty, one past M ends at M. Rows of D that are in no group, those
    from end(G - 1) on, are not written. A and D have rank 2; B, `scale_b` and epilogue operands
    may have the groups as a batch dimension.

    With `counts`, a vector of as many elements of i32 as the batch has problems, problem g has the first
    min(max(counts[g], 0), M) of its M rows: experts with a fixed capacity. The other rows of D are not written. D has rank 3.

    Both come without `accumulate`, `scale_d`, `metadata`, and operands that are D; `ends` also without scale factors
    in blocks of rows and without `transpose_a`. No thread touches rows outside of A and D, whatever `ends` and `counts` hold.

    Up to three dimensions before these two are a batch: the formula holds for each
    index of the batch dimensions of D. Batch dimensions of the other operands are matched
    with those of D from the last one on, as in `numpy.matmul`: one that is missing, or
    that is known to be 1, is read with index 0 for every index of D. So weights of rank
    2 serve every matrix of the batch. Scale factors have two batch dimensions at most.

    Products of floats are exact, their sum is kept in f32 and rounded to the element type
    of D once. The order of the sum is not specified, and each addition may round
    toward zero or to nearest. `accumulate` adds the old value of D once; without
    it D is only written.

    This refines `linalg.matmul` where D is f16 or bf16: there every product and every
    partial sum is rounded to the type of D. A program that needs exactly those
    roundings must not use this operation.

    A may be the matrix of the windows of images (`tmm.windows`), on memrefs with the layout `#tmm.windows`: a
    convolution. It is neither transposed nor sparse.

    On memrefs D is updated in place; A, B and D are in global memory, rows may have
    any constant or dynamic stride, as may the matrices of a batch, and the elements of a
    row are adjacent (innermost stride 1). A and B may repeat themselves: with a stride of 0 all
    rows, or all matrices of a batch, are the same elements. Rows of D must not overlap.

    D must not overlap A or B: a tile of D would overwrite elements that other tiles still
    read. An overlap that the IR shows (the same memref, or parts of one with elements in
    common) is refused. For buffers that are arguments of the function, the caller must
    ensure it.

    Sizes are at most 2^31 - 4096: coordinates have 32 bits. A dynamic size is checked by the
    host, as is that dynamic sizes of the operands agree.

    The epilogue is a region that computes an element of D from the accumulator (f32, or
    `%acc : i32` of integers, which `arith.sitofp` converts) and
    one element of each extra operand, in registers, before D is written: alpha and beta,
    bias, activation, residual, conversion. Its operations are those of `arith` and `math`
    that `isEpilogueOp` lists (`tmm-tile` makes them operations on register tiles); it
    yields the element type of D. An extra operand is

    | operand | element |
    |---|---|
    | matrix, M x N | `X[m, n]` |
    | vector `along m` (a column), M elements | `X[m]` |
    | vector `along n` (a row, a bias), N elements | `X[n]` |
    | scalar: a float | `X` |

    with batch dimensions before those of the matrix or vector like A and B, of type f32, f16 or bf16. On memrefs its elements are adjacent, as in D. It must not
    overlap D, but a matrix may be D itself: each element is read before it is written.
    `accumulate` is `acc + f32(X[m, n])` with X = D. It is kept beside the
    region because it is what linalg states and what a reader looks for, and it does not
    make an epilogue of a plain sum.

    `config` says how the matmul is computed; see `#tmm.config`.

    Example:

    ```mlir
    tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
    %r = tmm.matmul accumulate transpose_b config <tile = <shape = 128x128x64>>
           ins(%ta, %tb : tensor<200x72xf16>, tensor<136x72xf16>)
           outs(%td : tensor<200x136xf16>) -> tensor<200x136xf16>
    tmm.matmul transpose_b ins(%tokens, %experts : memref<4096x7168xbf16>, memref<64x2048x7168xbf16>)
        ends(%offs : memref<64xi32>) outs(%chosen : memref<4096x2048xbf16>)
    tmm.matmul transpose_b ins(%slots, %experts : memref<64x128x7168xbf16>, memref<64x2048x7168xbf16>)
        counts(%used : memref<64xi32>) outs(%capped : memref<64x128x2048xbf16>)
    tmm.matmul ins(%heads, %weights : memref<4x200x72xbf16>, memref<72x136xbf16>) outs(%each : memref<4x200x136xf32>)
    tmm.matmul transpose_b ins(%a8, %b8 : memref<200x160xf8E4M3FN>, memref<136x160xf8E4M3FN>)
        scales(%sfa, %sfb : memref<2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>)
        outs(%d8 : memref<200x136xf32>)
    tmm.matmul transpose_b ins(%a8, %b8 : memref<200x160xf8E4M3FN>, memref<136x160xf8E4M3FN>)
        scales(%rows, %blocks : memref<200x2xf32>, memref<2x2xf32>) outs(%d8 : memref<200x136xf32>)
    tmm.matmul transpose_b ins(%kept, %all : memref<200x80xbf16>, memref<136x160xbf16>)
        metadata(%which : memref<2x2x128x4xi32>) outs(%d8 : memref<200x136xf32>)
    tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%half : memref<?x?xbf16>)
        epilogue(%acc, %x = %bias along n : memref<?xf32>, %s = %scale : f32) {
      %0 = arith.mulf %acc, %s : f32
      %1 = arith.addf %0, %x : f32
      %zero = arith.constant 0.0 : f32
      %2 = arith.maximumf %1, %zero : f32
      %3 = arith.truncf %2 : f32 to bf16
      tmm.yield %3 : bf16
    }
    tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%q : memref<?x?xf8E4M3FN>)
        amax(%amax : memref<f32>) epilogue(%acc, %s = %scale : f32) {
      %0 = arith.mulf %acc, %s : f32
      tmm.yield %0, %acc : f32, f32
    }
    tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%q4 : memref<?x?xf4E2M1FN>)
        scale_d(%sfd : memref<?x?x32x4x4xf8E4M3FN>)
    ```
  }];
  let arguments = !con(problemArguments, (ins OptionalAttr<TMM_ConfigAttr>:$config));
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? (`transpose_a` $transpose_a^)?
    (`transpose_b` $transpose_b^)? (`allow_tf32` $allow_tf32^)? (`f16_sum` $f16_sum^)?
    (`config` $config^)?
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    (`scales` `(` $scale_a^ `,` $scale_b `:` type($scale_a) `,` type($scale_b) `)`)?
    (`scale_block` `=` $scale_block^)? (`scale_columns` `=` $scale_columns^)?
    (`metadata` `(` $metadata^ `:` type($metadata) `)`)?
    (`ends` `(` $ends^ `:` type($ends) `)`)? (`counts` `(` $counts^ `:` type($counts) `)`)?
    `outs` `(` $d `:` type($d) `)` (`scale_d` `(` $scale_d^ `:` type($scale_d) `)`)?
    (`amax` `(` $amax^ `:` type($amax) `)`)? attr-dict (`->` type($outputs)^)?
    (`epilogue` `` custom<Epilogue>($extras, type($extras), $along, $epilogues)^)?
  }];
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$d,
                   "bool":$accumulate, "bool":$transposeA, "bool":$transposeB,
                   CArg<"::tc::tmm::ConfigAttr", "nullptr">:$config)>,
    // With an epilogue: `along` has an element for each extra operand (-1: no
    // vector); the region takes over the blocks of `epilogue`. Null: none.
    // `scales` are those of A and B, or nothing; `outputs` are SFD and amax,
    // each may be null; so may `metadata`.
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$d,
                   "::mlir::ValueRange":$extras, "::llvm::ArrayRef<int32_t>":$along,
                   "::mlir::Region *":$epilogue, "bool":$accumulate,
                   "bool":$transposeA, "bool":$transposeB,
                   "::tc::tmm::ConfigAttr":$config,
                   CArg<"::mlir::ValueRange", "{}">:$scales,
                   CArg<"bool", "false">:$allowTf32,
                   CArg<"::tc::tmm::ScaleBlocks", "{}">:$scaleBlocks,
                   CArg<"bool", "false">:$f16Sum,
                   CArg<"::tc::tmm::OtherOutputs", "{}">:$outputs,
                   CArg<"::mlir::Value", "{}">:$metadata,
                   CArg<"::tc::tmm::ProblemRows", "{}">:$rows)>
  ];
  let extraClassDeclaration = problemDeclaration # [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return {getOperation(), /*start=*/2,
              static_cast<unsigned>(1 + getOtherOutputs().size())};
    }
    /// The value of D on tensors; null on memrefs.
    ::mlir::Value getResult() {
      return getOutputs().empty() ? ::mlir::Value() : getOutputs().front();
    }

    /// Most dimensions of a batch: a tensor map has 5.
    static constexpr unsigned kMaxBatchRank = 3;

    /// What the verifier would say of operands of these types, or nothing, so
    /// that a conversion can ask before it builds the operation.
    static ::std::optional<::std::string>
    findTypeError(::mlir::Type a, ::mlir::Type b, ::mlir::Type d,
                  bool transposeA, bool transposeB, bool allowTf32,
                  ::mlir::Type scaleA = {}, ::mlir::Type scaleB = {},
                  int64_t scaleBlock = 0, ::mlir::Type scaleD = {},
                  int64_t scaleColumns = kPromotedColumns,
                  ::mlir::Type metadata = {});
    /// The same of the batch dimensions of one operand.
    static ::std::optional<::std::string>
    findBatchError(::llvm::StringRef name, ::mlir::ShapedType type,
                   unsigned matrixRank, ::mlir::ShapedType d);
  }];
}

//===----------------------------------------------------------------------===//
// ProblemOp
//===----------------------------------------------------------------------===//

def TMM_ProblemOp : TMM_ProblemFormOp<"problem", []> {
  let summary = "what the next launch computes";
  let description = [{
    Says on the host that the next `gpu.launch_func` of its block, which may have a condition
    (`scf.if`), computes what
    `tmm.matmul` with the same operands and epilogue computes, or completes it. It has no effect of
    its own: the kernel description is made from it, which gives `tc-run --check`
    its reference, and diagnostics take the names of operands from it.

    `tmm-tile` writes it in place of the `tmm.matmul`. Its operands are the
    matrices of the host, on memrefs, whatever a launch passes for them later (a
    tensor map, a pointer). Where the type of D has no elements there is no launch. `tmm-drop-problems` removes it where no pass asks for
    the description, before host code is lowered.

    Example:

    ```mlir
    tmm.problem accumulate transpose_b
        ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
    // gpu.launch_func @kernels::@host_matmul ... args(%a, %b, %d)
    ```
  }];
  let arguments = problemArguments;
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? (`transpose_a` $transpose_a^)?
    (`transpose_b` $transpose_b^)? (`allow_tf32` $allow_tf32^)? (`f16_sum` $f16_sum^)?
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    (`scales` `(` $scale_a^ `,` $scale_b `:` type($scale_a) `,` type($scale_b) `)`)?
    (`scale_block` `=` $scale_block^)? (`scale_columns` `=` $scale_columns^)?
    (`metadata` `(` $metadata^ `:` type($metadata) `)`)?
    (`ends` `(` $ends^ `:` type($ends) `)`)? (`counts` `(` $counts^ `:` type($counts) `)`)?
    `outs` `(` $d `:` type($d) `)` (`scale_d` `(` $scale_d^ `:` type($scale_d) `)`)?
    (`amax` `(` $amax^ `:` type($amax) `)`)? attr-dict
    (`epilogue` `` custom<Epilogue>($extras, type($extras), $along, $epilogues)^)?
  }];
  let extraClassDeclaration = problemDeclaration # [{
    /// The launch that this problem is of: the next one of the block, with a
    /// condition or without, or null where there is none or D has no elements.
    ::mlir::gpu::LaunchFuncOp getLaunch();
    /// The problem of `launch`, or null.
    static ProblemOp getOf(::mlir::gpu::LaunchFuncOp launch);
  }];
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

def TMM_YieldOp : TMM_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["IssueOp", "MatmulOp", "ProblemOp", "RowProblemOp", "RowsOp"]>]> {
  let summary = "the element of D that an epilogue computes";
  let description = [{
    With `amax` a second value, an f32, is what the largest absolute value is of. Of
    `tmm.issue` the results, of `tmm.rows` the elements of its outputs.

    Example:

    ```mlir
    tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>) epilogue(%acc) {
      %half = arith.truncf %acc : f32 to bf16
      tmm.yield %half : bf16
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[AnyFloat, AnySignlessInteger]>>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let extraClassDeclaration = [{
    /// The element of D.
    ::mlir::Value getValue() { return getValues().front(); }
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMPROBLEMOPS_TD
