//===- TCGen05MemOps.td - Tensor Memory allocation ---------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation of Tensor Memory, and regions of it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05MEMOPS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05MEMOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TCGen05/IR/TCGen05Dialect.td"
include "tc/Dialect/TCGen05/IR/TCGen05Types.td"

def TCGen05_TensorMemory : Resource<"::tc::tcgen05::TensorMemoryResource">;

// cta_group 1: the CTA alone; 2: the pair of CTAs whose ranks in the cluster
// differ in bit 0.
def TCGen05_CtaGroup : ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<2>]>;

// The word in shared memory through which the address of an allocation
// passes.
def TCGen05_AddressSlot : Type<
    CPred<"::tc::tcgen05::isAddressSlot($_self)">,
    "memref<1xi32> in workgroup memory", "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// ReserveOp
//===----------------------------------------------------------------------===//

def TCGen05_ReserveOp : TCGen05_Op<"reserve"> {
  let summary = "state a need for Tensor Memory";
  let description = [{
    A region of Tensor Memory, in use from its first access to its last.
    `tcgen05-allocate-tmem` packs all reserved regions of a kernel into one
    allocation and replaces each by a slice of it.

    * C1: the region is whole, and not raw.
    * C2: is in the entry block of a function, so that all warps see it.

    Example:

    ```mlir
    %acc = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
    %sfa = tcgen05.reserve : !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
    ```
  }];
  let results = (outs Res<TCGen05_TmemType, "the region",
                          [MemAlloc<TCGen05_TensorMemory>]>:$region);
  let assemblyFormat = "attr-dict `:` qualified(type($region))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// AllocOp
//===----------------------------------------------------------------------===//

def TCGen05_AllocOp : TCGen05_Op<"alloc"> {
  let summary = "allocate columns of Tensor Memory";
  let description = [{
    Allocates `columns` columns (all 128 lanes of each) for the CTA, or with
    `cta_group 2` for both CTAs of the pair, and writes the address to `slot`.
    Blocks until the columns are free. One converged warp executes it, with
    `cta_group 2` one warp in each CTA of the pair. Other warps read the address
    with `tcgen05.address` after a barrier.

    With `exclusive` it is the only allocation of the multiprocessor while it lives:
    it blocks until no other one is left. It may have all columns of the chip, 576
    of sm_107a and sm_107f.

    * C1: `columns` is a power of two from 32 to 512, or with `exclusive` a multiple
      of 32 from 32 to 576.

    Example:

    ```mlir
    tcgen05.alloc %slot, 256 : memref<1xi32, #gpu.address_space<workgroup>>
    tcgen05.alloc %slot, 512 cta_group 2 : memref<1xi32, #gpu.address_space<workgroup>>
    tcgen05.alloc %slot, 576 exclusive : memref<1xi32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
      Arg<TCGen05_AddressSlot, "where the address is written",
          [MemWrite]>:$slot,
      I32Attr:$columns,
      DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group,
      UnitAttr:$exclusive);
  let assemblyFormat = [{
    $slot `,` $columns (`cta_group` $cta_group^)? (`exclusive` $exclusive^)?
    attr-dict `:` type($slot)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// AddressOp
//===----------------------------------------------------------------------===//

def TCGen05_AddressOp : TCGen05_Op<"address"> {
  let summary = "read the address of an allocation from shared memory";
  let description = [{
    The allocation whose address `tcgen05.alloc` wrote to `slot`. There is a barrier
    between the two, with `tcgen05.fence before` ahead of it and `tcgen05.fence
    after` after it.

    Example:

    ```mlir
    %tmem = tcgen05.address %slot
        : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x256xi32, raw>
    ```
  }];
  let arguments = (ins Arg<TCGen05_AddressSlot, "where the address is",
                           [MemRead]>:$slot);
  let results = (outs TCGen05_Raw:$allocation);
  let assemblyFormat = [{
    $slot attr-dict `:` type($slot) `to` qualified(type($allocation))
  }];
}

//===----------------------------------------------------------------------===//
// DeallocOp
//===----------------------------------------------------------------------===//

def TCGen05_DeallocOp : TCGen05_Op<"dealloc"> {
  let summary = "free an allocation of Tensor Memory";
  let description = [{
    Frees the whole allocation, which every kernel must do before it ends. One
    converged warp executes it, with `cta_group 2` one warp in each CTA. No
    thread may still access the allocation: a barrier comes first.

    * C1: `allocation` has a number of columns that `alloc` could have given.

    Example:

    ```mlir
    tcgen05.dealloc %tmem : !tcgen05.tmem<128x256xi32, raw>
    tcgen05.dealloc %all exclusive : !tcgen05.tmem<128x576xi32, raw>
    ```
  }];
  let arguments = (ins
      Arg<TCGen05_Raw, "the allocation",
          [MemFree<TCGen05_TensorMemory>]>:$allocation,
      DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group,
      UnitAttr:$exclusive);
  let assemblyFormat = [{
    $allocation (`cta_group` $cta_group^)? (`exclusive` $exclusive^)? attr-dict
    `:` qualified(type($allocation))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// RelinquishAllocPermitOp
//===----------------------------------------------------------------------===//

def TCGen05_RelinquishAllocPermitOp
    : TCGen05_Op<"relinquish_alloc_permit"> {
  let summary = "give up the right to allocate";
  let description = [{
    After it no warp of the CTA may allocate, and other CTAs of the SM do not
    wait for this one. One converged warp executes it, with `cta_group 2` one
    warp in each CTA.

    Example:

    ```mlir
    tcgen05.relinquish_alloc_permit
    tcgen05.relinquish_alloc_permit cta_group 2
    ```
  }];
  let arguments = (ins DefaultValuedAttr<TCGen05_CtaGroup, "1">:$cta_group);
  let assemblyFormat = "(`cta_group` $cta_group^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

def TCGen05_SliceOp : TCGen05_Op<"slice", [Pure]> {
  let summary = "some columns of a region of Tensor Memory";
  let description = [{
    The region that starts `column` columns of 32-bit cells after the start of
    `source`, and with `lane 16` in the upper half of each window of 32 lanes. The
    column is a number or an index value.

    result = source + column

    * C1: a raw source gives a whole region of any layout, or a raw one.
    * C2: a source with a layout gives a region with the same lanes, element
      type and layout, or, where both are whole and have the rows of one layout along
      lanes, one of other elements: an operand in the cells of an accumulator.
    * C3: the result is within the source.
    * C4: the lane is 0, or 16 for a region of layout C or F of a raw source.

    Example:

    ```mlir
    %d0 = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %d1 = tcgen05.slice %tmem[%n] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
    %part = tcgen05.slice %d0[32] : !tcgen05.tmem<128x128xf32, D> to !tcgen05.tmem<128x32xf32, D>
    ```
  }];
  let arguments = (ins TCGen05_TmemType:$source,
                       Variadic<Index>:$dynamic_column,
                       DenseI64ArrayAttr:$static_column,
                       DefaultValuedAttr<I64Attr, "0">:$lane);
  let results = (outs TCGen05_TmemType:$result);
  let assemblyFormat = [{
    $source `` custom<DynamicIndexList>($dynamic_column, $static_column)
    (`lane` $lane^)? attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let builders = [
    OpBuilder<(ins "TmemType":$result, "::mlir::Value":$source,
                   "::mlir::OpFoldResult":$column,
                   CArg<"int64_t", "0">:$lane)>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The column where the result starts, an attribute where it is static.
    ::mlir::OpFoldResult getColumn();
    /// Checks that the result is within the source if it starts at `column`.
    ::llvm::LogicalResult verifyColumn(int64_t column);
  }];
}

//===----------------------------------------------------------------------===//
// WarpWindowOp
//===----------------------------------------------------------------------===//

def TCGen05_WarpWindowOp : TCGen05_Op<"warp_window",
    [Pure, InferTypeOpAdaptor]> {
  let summary = "the lanes that the executing warp can load and store";
  let description = [{
    `tcgen05.ld` and `tcgen05.st` reach a window of 32 lanes: warp w of the CTA
    those from 32 * (w mod 4). The result is the part of `source` in the window
    of the executing warp.

    * C1: `source` is whole, not raw and not of layout scales or scales_split.

    Example:

    ```mlir
    %mine = tcgen05.warp_window %acc : !tcgen05.tmem<128x128xf32, D>
    // %mine : !tcgen05.tmem<32x128xf32, D>
    ```
  }];
  let arguments = (ins TCGen05_TmemType:$source);
  let results = (outs TCGen05_TmemType:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05MEMOPS_TD
