//===- SmemParts.td - parts of shared memory ---------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an analysis of one dialect may know of the places in shared memory that
// another dialect's operations name.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SMEMPARTS_TD
#define TC_SUPPORT_SMEMPARTS_TD

include "mlir/IR/OpBase.td"

def TC_SmemPartOpInterface : OpInterface<"SmemPartOpInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    An operation whose result is a part of the bytes of its operand.
  }];
  let methods = [
    InterfaceMethod<"The bytes.", "::mlir::Value", "getWhole">,
    InterfaceMethod<"The bytes before the part.", "::mlir::OpFoldResult",
                    "getByteOffset">
  ];
}

#endif // TC_SUPPORT_SMEMPARTS_TD
