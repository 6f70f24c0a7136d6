//===- SM80Dialect.td - the sm80 dialect -------------------*- tablegen -*-===//
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

#ifndef TC_DIALECT_SM80_IR_SM80DIALECT_TD
#define TC_DIALECT_SM80_IR_SM80DIALECT_TD

include "mlir/IR/OpBase.td"

def SM80_Dialect : Dialect {
  let name = "sm80";
  let summary = "mma.sync and cp.async of sm_80 and later, typed";
  let description = [{
    What kernels for all chips can do: `mma.sync`, the matrix unit of a warp, and
    `cp.async`, the asynchronous copies of a thread; and what they need of later chips
    (fp8, scale factors), refused for other targets when they are converted.

    Tiles and mbarriers are those of any dialect: a memref whose layout is a
    SmemTileLayoutInterface (`#sm90.smem_layout`), a type that is an
    MBarrierTypeInterface (`!sm90.mbarrier`).

    There is no op for `ldmatrix`: `sm80.mma_sync` names tiles, and its lowering
    loads their fragments with upstream's `nvvm.ldmatrix`.
  }];
  let cppNamespace = "::tc::sm80";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class SM80_Op<string mnemonic, list<Trait> traits = []>
    : Op<SM80_Dialect, mnemonic, traits>;

#endif // TC_DIALECT_SM80_IR_SM80DIALECT_TD
