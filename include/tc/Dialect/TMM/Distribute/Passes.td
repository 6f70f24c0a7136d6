//===- Passes.td - register tiles of threads ---------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that give register tiles to threads.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_DISTRIBUTE_PASSES_TD
#define TC_DIALECT_TMM_DISTRIBUTE_PASSES_TD

include "mlir/Pass/PassBase.td"

def UnrollColumnsPass : Pass<"tmm-unroll-columns"> {
  let summary = "Unroll the loops over the columns of a register tile";
  let description = [{
    Registers have no addresses: where the column of a `tmm.extract_columns` depends on the
    induction variable of a loop with constant bounds, the loop is unrolled, and the
    column becomes a constant. Loops that never run stay, those of more iterations than
    the tile has columns are refused.

    Runs when pipelines are lowered: before, the slots that the loop goes through would
    become as many pipelines.

    Before:

    ```mlir
    scf.for %column = %c0 to %c64 step %c32 : i32 {
      %r = tmm.extract_columns %sum[%column] : vector<128x64xf32> -> vector<128x32xf32>
      "use"(%r) : (vector<128x32xf32>) -> ()
    }
    ```

    After:

    ```mlir
    %r0 = vector.extract_strided_slice %sum {offsets = [0, 0], sizes = [128, 32], strides = [1, 1]}
      : vector<128x64xf32> to vector<128x32xf32>
    "use"(%r0) : (vector<128x32xf32>) -> ()
    %r1 = vector.extract_strided_slice %sum {offsets = [0, 32], sizes = [128, 32], strides = [1, 1]}
      : vector<128x64xf32> to vector<128x32xf32>
    "use"(%r1) : (vector<128x32xf32>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def DistributePass : Pass<"tmm-distribute"> {
  let summary = "Deal register tiles to the threads";
  let description = [{
    A register tile of the CTA becomes what one thread holds of it, a vector of
    rank 1. Which elements that are says the layout that the ops name which make or take
    the tile (any attribute with `RegisterLayoutAttrInterface`, as
    `#tcgen05.rows`); elementwise ops, splats, slices and control flow have the layout of
    the tiles around them. `tmm.fetch` and `tmm.store` become the accesses of a thread:
    16 bytes wide, or as wide as what it holds of a row, where rows are aligned and
    inside the matrix, else in the largest chunks that are inside or outside as a whole.
    `tmm.read`, `tmm.mma` and `tmm.stage` stay for the matrix unit's conversion.

    Runs when roles are cut and the kernel's interface is lowered: a thread has a number
    in its role, and a matrix a memref in global memory.

    Before:

    ```mlir
    %r = tmm.read %acc[%column] if %written layout(#tcgen05.rows)
      : !acc -> vector<128x32xf32>
    %h = arith.truncf %r : vector<128x32xf32> to vector<128x32xbf16>
    tmm.store %h, %d[%row, %col] layout(#tcgen05.rows)
      : vector<128x32xbf16>, memref<?x256xbf16, #gpu.address_space<global>>
    ```

    After:

    ```mlir
    %r = tmm.read %acc[%column] if %written layout(#tcgen05.rows)
      : !acc -> vector<32xf32>
    %h = arith.truncf %r : vector<32xf32> to vector<32xbf16>
    %own = arith.addi %row, %thread : i32
    %inside = arith.cmpi slt, %own, %rows : i32
    scf.if %inside {
      // four stores of vector<8xbf16>, or what is inside
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // TC_DIALECT_TMM_DISTRIBUTE_PASSES_TD
