//===- TCGen05Dialect.td - the tcgen05 dialect -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect and the base class of its operations.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05DIALECT_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05DIALECT_TD

include "mlir/IR/OpBase.td"

def TCGen05_Dialect : Dialect {
  let name = "tcgen05";
  let summary = "Fifth generation tensor core instructions, typed and verified";
  let description = [{
    One operation for each family of `tcgen05` instructions of the PTX ISA, with
    the modifiers as attributes. What PTX and NVVM pass as bare integers has a
    type here:

    * Tensor Memory is `!tcgen05.tmem`, with its extent, element type and data
      path layout, which says in what lane and column a matrix element sits.
    * A tile in shared memory is a memref with a `#sm90.smem_layout`. The
      64-bit matrix descriptor is computed from it.
    * The 32-bit instruction descriptor is computed from types and attributes.

    The verifiers hold the rules of the ISA that can be seen on one operation.
    No tool after them checks this: neither NVVM nor ptxas looks into a descriptor.

    Who executes an operation is not expressed by the dialect. `mma`, `cp` and
    `commit` act once for each thread that executes them and belong in a region
    that one thread enters (`scf.if` on an elected thread); `alloc`, `dealloc`,
    `relinquish_alloc_permit`, `ld` and `wait` are executed by whole warps.
  }];
  let cppNamespace = "::tc::tcgen05";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

// A modifier that an operation does not have is an error, as it is in PTX.
def TCGen05_KnownModifiers : NativeOpTrait<"KnownModifiers"> {
  let cppNamespace = "::tc::tcgen05";
}

class TCGen05_Op<string mnemonic, list<Trait> traits = []>
    : Op<TCGen05_Dialect, mnemonic,
         !listconcat(traits, [TCGen05_KnownModifiers])>;

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05DIALECT_TD
