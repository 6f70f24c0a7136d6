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
    and writes follows from its memory effects; this interface says which engine
    does it, for which CTAs, and in which role. The completion of both ends of a
    pipeline is derived from that.
  }];
  let cppNamespace = "::tc::tmm";
  let methods = [
    InterfaceMethod<"The engine that executes the op.",
                    "::tc::EngineAttrInterface", "getEngine">,
    InterfaceMethod<"The CTAs that execute the op as one, on the buffers of each, "
                    "issued by the first of them; null: each CTA its own.",
                    "::tc::AgentSetAttrInterface", "getSpan", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"The CTAs whose buffers the op writes, at the place of its "
                    "own; null: its own alone.",
                    "::tc::AgentSetAttrInterface", "getTargets", (ins),
                    /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<"The name of the role that the op is part of; null: none "
                    "yet.", "::mlir::StringAttr", "getRoleName", (ins),
                    /*methodBody=*/[{ return $_op.getRoleAttr(); }]>,
    InterfaceMethod<"Makes the op part of the role `name`, or of none.", "void",
                    "setRoleName", (ins "::mlir::StringAttr":$name),
                    /*methodBody=*/[{ $_op.setRoleAttr(name); }]>,
    InterfaceMethod<"Makes the op count its bytes on `barrier`; for ops whose "
                    "engine completes with bytes.", "void", "setSignal",
                    (ins "::mlir::Value":$barrier), /*methodBody=*/"",
                    /*defaultImplementation=*/[{
      llvm_unreachable("the engine of the op does not count bytes");
    }]>,
    InterfaceMethod<"Whether the op is part of every role.", "bool",
                    "isOfEveryRole", (ins), /*methodBody=*/"",
                    /*defaultImplementation=*/"return false;">
  ];
}

#endif // TC_DIALECT_TMM_IR_TMMINTERFACES_TD
