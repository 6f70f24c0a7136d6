//===- Passes.td - passes between dialects of others -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_PASSES
#define TC_COMPILER_PASSES

include "mlir/Pass/PassBase.td"

def LowerVectorsPass : Pass<"tc-lower-vectors"> {
  let summary = "Rewrite vector operations to those with an LLVM counterpart";
  let description = [{
    `convert-gpu-to-nvvm` converts the vector operations that have a counterpart
    in LLVM. This pass rewrites the others with upstream's patterns, as
    upstream's `convert-vector-to-llvm` does before it converts: slices become
    shuffles, broadcasts, shape casts and steps become inserts and extracts.

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

def RequireBlockSizePass : Pass<"tc-require-block-size"> {
  let summary = "Make the block size of kernels binding";
  let description = [{
    `convert-gpu-to-nvvm` turns `known_block_size` of a `gpu.func` into the
    bound `nvvm.maxntid`. The size is known, not bounded: this pass turns it
    into `nvvm.reqntid`, with which the driver refuses any other launch.

    Before:

    ```mlir
    llvm.func @k() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>}
    ```

    After:

    ```mlir
    llvm.func @k() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}
    ```
  }];
}

#endif // TC_COMPILER_PASSES
