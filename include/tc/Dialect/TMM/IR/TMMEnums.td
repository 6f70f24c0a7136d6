//===- TMMEnums.td - enumerations of the tmm dialect -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dimension that a vector runs along.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMENUMS_TD
#define TC_DIALECT_TMM_IR_TMMENUMS_TD

include "mlir/IR/EnumAttr.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_Along : I32EnumAttr<"Along", "the dimension of D that a vector runs along", [
  I32EnumAttrCase<"m", 0>,
  I32EnumAttrCase<"n", 1>,
]> {
  let description = [{
    `m`: one element for each row of D, used in every column. `n`: one element for
    each column of D, used in every row.
  }];
  let cppNamespace = "::tc::tmm";
}

#endif // TC_DIALECT_TMM_IR_TMMENUMS_TD
