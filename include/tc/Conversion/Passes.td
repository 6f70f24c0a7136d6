//===- Passes.td - conversions between dialects -*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass per conversion, from the top level to the bottom.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_PASSES_TD
#define TC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// LinalgToTMM
//===----------------------------------------------------------------------===//

def ConvertLinalgToTMMPass : Pass<"convert-linalg-to-tmm"> {
  let summary = "Convert contractions of two matrices to tmm.matmul";
  let description = [{
    Converts `linalg.matmul`, `linalg.contract` and `linalg.generic` that multiply two
    matrices, on memrefs or tensors, whatever their indexing maps transpose. A
    transposed output makes the inputs change places. The inputs are bf16 or f16, the
    output is f32, bf16 or f16.

    `linalg` adds to its output. A `linalg.fill` with zero that is the last write before
    is folded, and the matmul only writes; after any other value it keeps
    `accumulate`. For memrefs the fill must be in the same block, with nothing
    between that may touch the output.

    For bf16 and f16 outputs `linalg` rounds each product and each partial sum; `tmm.matmul`
    keeps the sum in f32 and rounds once. The conversion is a refinement.

    A contraction that cannot be converted (batch and broadcast dimensions, integers, f32
    or f64 inputs, strides that are not innermost 1) is an error that names it
    and the reason. Everything else stays as it is, in the function it was in.

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
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

#endif // TC_CONVERSION_PASSES_TD
