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
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "tc/Dialect/TMM/IR/TMMAttrs.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_MatrixType : AnyTypeOf<[AnyRankedOrUnrankedMemRef, AnyRankedTensor],
                               "matrix: a memref or a ranked tensor">;

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

def TMM_MatmulOp : TMM_Op<"matmul", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
        ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "getAliasingValues", "bufferize"]>,
    DeclareOpInterfaceMethods<TilingInterface,
        ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
         "getResultTilePosition", "generateResultTileValue",
         "getIterationDomainTileFromResultTile",
         "generateScalarImplementation"]>,
  ]> {
  let summary = "multiply two matrices into a third";
  let description = [{
    ```
    D[m, n] = round(sum over k of f32(A[m, k]) * f32(B[k, n])  (+ f32(D[m, n]) with `accumulate`))
    ```

    A is M x K (K x M with `transpose_a`), B is K x N (N x K with `transpose_b`)
    and D is M x N. A and B are both bf16 or both f16, D is f32, f16 or bf16.
    Sizes may be dynamic and may be 0; with K = 0 the sum is zero.

    The products are exact, the sum is kept in f32 and rounded to the element type
    of D once. The order of the sum is not specified, and each addition may round
    toward zero or to nearest. `accumulate` adds the old value of D once; without
    it D is only written.

    This refines `linalg.matmul` where D is f16 or bf16: there every product and every
    partial sum is rounded to the type of D. A program that needs exactly those
    roundings must not use this operation.

    On memrefs D is updated in place; A, B and D lie in global memory, rows may have
    any constant or dynamic stride and the elements of a row are adjacent (innermost
    stride 1). D must not overlap A or B. On tensors the operation has one result of
    the type of D, the initial value.

    `config` says how the product is computed; see `#tmm.config`.

    Example:

    ```mlir
    tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
    %r = tmm.matmul accumulate transpose_b config <tile = [128, 128, 64]>
           ins(%a, %b : tensor<200x72xf16>, tensor<136x72xf16>)
           outs(%d : tensor<200x136xf16>) -> tensor<200x136xf16>
    ```
  }];
  let arguments = (ins
    Arg<TMM_MatrixType, "left matrix, M x K, or K x M with `transpose_a`">:$a,
    Arg<TMM_MatrixType, "right matrix, K x N, or N x K with `transpose_b`">:$b,
    Arg<TMM_MatrixType, "destination, M x N">:$d,
    UnitAttr:$accumulate,
    UnitAttr:$transpose_a,
    UnitAttr:$transpose_b,
    OptionalAttr<TMM_ConfigAttr>:$config);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? (`transpose_a` $transpose_a^)?
    (`transpose_b` $transpose_b^)? (`config` $config^)?
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    `outs` `(` $d `:` type($d) `)` attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$d,
                   "bool":$accumulate, "bool":$transposeA, "bool":$transposeB,
                   CArg<"::tc::tmm::ConfigAttr", "nullptr">:$config)>
  ];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDMutable(); }

    /// Position of M, N or K in the shape of the operand that has it.
    unsigned getMDimOfA() { return getTransposeA() ? 1 : 0; }
    unsigned getKDimOfA() { return getTransposeA() ? 0 : 1; }
    unsigned getKDimOfB() { return getTransposeB() ? 1 : 0; }
    unsigned getNDimOfB() { return getTransposeB() ? 0 : 1; }

    /// Static size of M, N and K from whichever operand knows it, or
    /// ShapedType::kDynamic.
    int64_t getStaticM();
    int64_t getStaticN();
    int64_t getStaticK();

    /// What the verifier would say of operands of these types, or nothing, so
    /// that a conversion can ask before it builds the operation.
    static ::std::optional<::std::string>
    findTypeError(::mlir::Type a, ::mlir::Type b, ::mlir::Type d,
                  bool transposeA, bool transposeB);
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMPROBLEMOPS_TD
