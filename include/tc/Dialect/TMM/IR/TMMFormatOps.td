//===- TMMFormatOps.td - formats of matrices in memory -----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a chain of layers in low precision begins with: operations that bring matrices in global
// memory into the formats of operands of `tmm.matmul`. Each becomes a kernel of threads alone.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMFORMATOPS_TD
#define TC_DIALECT_TMM_IR_TMMFORMATOPS_TD

include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_EncodeOp : TMM_Op<"encode"> {
  let summary = "quantise a matrix, with scale factors";
  let description = [{
    ```
    y[m, n] = f32(X[m, n]) * f32(factor)                       without `factor`: f32(X[m, n])
    D, SFD = what `tmm.matmul` with `scale_d` makes of y
    ```

    The first layer of a chain: its input becomes A (or B, transposed) and scale factors of a `tmm.matmul`. X and D
    are M x N, and N is K of that product. `factor` is that of a whole tensor, as NVFP4 has it.

    * C1: elements of a row of `x` are adjacent, and D has no layout.
    * C2: D has the sizes of `x`; C2 to C6 of the outputs of `tmm.matmul` hold for D and SFD.
    * C3: all are in global memory.

    `tmm-tile` makes a kernel of it on chips where a thread of the matrix unit's epilogue holds whole rows.

    Example:

    ```mlir
    tmm.encode ins(%half : memref<?x?xbf16>) factor(%scale) outs(%q4 : memref<?x?xf4E2M1FN>)
        scale_d(%sfd : memref<?x?x32x4x4xf8E4M3FN>)
    ```
  }];
  let arguments = (ins
    Arg<StridedMemRefRankOf<[F32, F16, BF16], [2]>, "", [MemRead]>:$x,
    Optional<F32>:$factor,
    Arg<MemRefRankOf<[F8E4M3FN, F8E5M2, F4E2M1FN], [2]>, "", [MemWrite]>:$d,
    Arg<MemRefRankOf<[F8E8M0FNU, F8E4M3FN], [5]>, "", [MemWrite]>:$scale_d);
  let assemblyFormat = [{
    `ins` `(` $x `:` type($x) `)` (`factor` `(` $factor^ `)`)?
    `outs` `(` $d `:` type($d) `)` `scale_d` `(` $scale_d `:` type($scale_d) `)` attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getBatchRank() { return 0; }
    /// M and N from whichever of X and D knows them, or ShapedType::kDynamic.
    int64_t getStaticM() { return detail::getStaticSize(getX(), 0, getD(), 0); }
    int64_t getStaticN() { return detail::getStaticSize(getX(), 1, getD(), 1); }
  }];
}

def TMM_InterleaveOp : TMM_Op<"interleave"> {
  let summary = "put rows of scale factors into the blocks that the matrix unit reads";
  let description = [{
    ```
    blocks[r / 128, j / 4, r mod 32, r mod 128 / 32, j mod 4] = factors[r, j]
    ```

    From the plain matrix that quantisers write, a row of factors for each row of A (or column of B), to
    the operand `scales` of `tmm.matmul`. Padding of the blocks is 0.

    * C1: factors of a row are adjacent, and both have the same element type.
    * C2: `blocks` is ceildiv(R, 128) x ceildiv(J, 4) x 32 x 4 x 4, dense after its
      first dimension, for `factors` of R x J; both are in global memory.

    Example:

    ```mlir
    tmm.interleave ins(%plain : memref<?x?xf8E8M0FNU>) outs(%sf : memref<?x?x32x4x4xf8E8M0FNU>)
    ```
  }];
  let arguments = (ins
    Arg<StridedMemRefRankOf<[F8E8M0FNU, F8E4M3FN], [2]>, "", [MemRead]>:$factors,
    Arg<StridedMemRefRankOf<[F8E8M0FNU, F8E4M3FN], [5]>, "", [MemWrite]>:$blocks);
  let assemblyFormat = [{
    `ins` `(` $factors `:` type($factors) `)` `outs` `(` $blocks `:` type($blocks) `)` attr-dict
  }];
  let hasVerifier = 1;
}

def TMM_ReinterpretOp : TMM_Op<"reinterpret", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "getAliasingValues", "bufferize"]>]> {
  let summary = "the same bits as integers with or without a sign";
  let description = [{
    The elements of `source`, of which nothing is copied, as integers of another type of as many bits:

    result[i] = source[i] modulo 2^bits, in the range of the result's element type

    In linalg an operation says whether integers have a sign (`arith.extui`), in
    `tmm.matmul` it is the element type: `i8` has one, `ui8` has none.

    * C1: source and result are both tensors or both memrefs, alike but for the element type, which is an
      integer of the same number of bits.

    Example:

    ```mlir
    %u = tmm.reinterpret %bytes : memref<?x?xi8> to memref<?x?xui8>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef]>:$source);
  let results = (outs AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TMM_IR_TMMFORMATOPS_TD
