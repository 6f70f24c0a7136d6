//===- TMMInterfaces.td - op interfaces of the TMM dialect -*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes ask of the ops of a tile program instead of listing op classes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMINTERFACES_TD
#define TC_DIALECT_TMM_IR_TMMINTERFACES_TD

include "mlir/IR/OpBase.td"

def TMM_EngineOpInterface : OpInterface<"EngineOpInterface"> {
  let description = [{
    An op of a tile program that moves or combines tiles. Which buffers it reads
    and writes is told by its memory effects; this interface tells which engine
    does it, from which the completion of both ends of a pipeline is derived
    (`tma` completes with bytes, `tensor_core` with a commit, `threads` with the
    arrival of the threads, `tma_store` with a bulk group).
  }];
  let cppNamespace = "::tc::tmm";
  let methods = [
    InterfaceMethod<"The engine that executes the op.", "::tc::tmm::Engine",
                    "getEngine">,
    InterfaceMethod<"The CTAs that execute the op as one.", "::tc::tmm::Scope",
                    "getScope", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::tc::tmm::Scope::cta;">
  ];
}

#endif // TC_DIALECT_TMM_IR_TMMINTERFACES_TD
