//===- SM80CpAsyncOps.td - asynchronous copies of threads --*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async: copies of a thread from global to shared memory, and the arrival on
// an mbarrier that they make.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM80_IR_SM80CPASYNCOPS_TD
#define TC_DIALECT_SM80_IR_SM80CPASYNCOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/SM80/IR/SM80Dialect.td"
include "tc/Support/Interfaces.td"
include "tc/Support/SmemTiles.td"

//===----------------------------------------------------------------------===//
// CpAsyncOp, CpAsyncArriveOp
//===----------------------------------------------------------------------===//

def SM80_CpAsyncOp : SM80_Op<"cp_async", [AttrSizedOperandSegments]> {
  let summary = "copy up to 16 bytes from global memory to a row of a swizzled tile";
  let description = [{
    One `cp.async` of one thread (generic proxy), of `bytes` bytes, which are n elements, to
    a tile in workgroup memory:

    tile[row, own + column + i] = source[indices + i], i from 0 to n - 1

    `indices + i` is i elements further along the last dimension, `own` is 0 where it is
    not given. Of the source only the first `valid` (`i32`) bytes are read, and zeros stand
    for the others; with `valid` 0 its address is an address of the matrix all the same. Of
    an MN-major tile rows run along dimension 0: `tile[own + column + i, row]`.

    The copy is complete for others with `sm80.cp_async_arrive`.

    * C1: the tile has a layout in slabs, with the bits of its elements.
    * C2: `bytes` is 4, 8 or 16 and whole elements of the tile.
    * C3: `column` is a multiple of the elements of the copy, within the tile. So is
      `own + column`, in the slab of `column`.
    * C4: `source` is in global memory, with the element type of the tile, and has an
      index for each dimension, of which it has one at least.
    * C5: `source` is strided, with a last stride of 1; its other strides and its
      offset are multiples of `bytes`, as far as they are static.

    Example:

    ```mlir
    sm80.cp_async %a[%i, %j], %tile[%row, %own + 0] bytes 4 valid %valid
        : memref<?x42xbf16, #gpu.address_space<global>>,
          memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>,
                 #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "the matrix", [MemRead]>:$source,
                       Variadic<Index>:$indices,
                       Arg<TC_SmemMemRef, "the tile", [MemWrite]>:$tile,
                       I32:$row, Optional<I32>:$own,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$column,
                       I64Attr:$bytes, I32:$valid);
  let assemblyFormat = [{
    $source `[` $indices `]` `,` $tile `[` $row `,` ($own^ `+`)? $column `]`
    `bytes` $bytes `valid` $valid attr-dict `:` type($source) `,` type($tile)
  }];
  let hasVerifier = 1;
}

def SM80_CpAsyncArriveOp : SM80_Op<"cp_async_arrive"> {
  let summary = "arrive on an mbarrier when earlier copies of the thread are done";
  let description = [{
    `cp.async.mbarrier.arrive.noinc`: counts one arrival of the current phase, for each
    thread that executes it, once all its earlier `sm80.cp_async` are complete. Who
    waits for the phase sees what they wrote; before work of the async proxy it
    executes `fence.proxy.async`.

    Example:

    ```mlir
    sm80.cp_async_arrive %full : !sm90.mbarrier
    ```
  }];
  let arguments = (ins TC_MBarrierType:$mbarrier);
  let assemblyFormat = "$mbarrier attr-dict `:` qualified(type($mbarrier))";
}

#endif // TC_DIALECT_SM80_IR_SM80CPASYNCOPS_TD
