//===- SM90Dialect.td - the sm90 dialect -------------------*- tablegen -*-===//
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

#ifndef TC_DIALECT_SM90_IR_SM90DIALECT_TD
#define TC_DIALECT_SM90_IR_SM90DIALECT_TD

include "mlir/IR/OpBase.td"

def SM90_Dialect : Dialect {
  let name = "sm90";
  let summary = "mbarriers, TMA and shared memory of sm_90 and later, typed";
  let description = [{
    What kernels for `tcgen05` share with kernels for Hopper: mbarriers, tensor
    memory accelerator (TMA) copies, elections, proxy fences and typed views of
    dynamic shared memory; and what only one of them has: `wgmma` (sm_90a) and
    `clusterlaunchcontrol` (sm_100 and later), refused for other targets when they
    are converted.

    A tile in shared memory is a memref with a `#sm90.smem_layout`, which TMA
    writes and both matrix units read.

    An mbarrier is an SSA value (`!sm90.mbarrier`), so that analyses know which
    barrier an operation uses, and a tensor map carries the box and the swizzle
    in its type (`!sm90.tensor_map`), so that a copy can be checked against the
    tile it writes. (nvgpu's descriptor type has no room for the swizzles with
    other atoms than 16 bytes that sm_100 adds.)
  }];
  let cppNamespace = "::tc::sm90";
  // Register tiles and completions of its own units are those of sm_80.
  let dependentDialects = ["::tc::sm80::SM80Dialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();

    /// Function attribute, set while kernels are converted: the numbers of the
    /// arguments that are tensor maps, after the number of all arguments.
    static constexpr ::llvm::StringLiteral kTensorMapParamsAttr =
        "sm90.tensor_map_params";
  }];
}

class SM90_Op<string mnemonic, list<Trait> traits = []>
    : Op<SM90_Dialect, mnemonic, traits>;

#endif // TC_DIALECT_SM90_IR_SM90DIALECT_TD
