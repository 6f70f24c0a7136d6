//===- TMMAttrs.td - attributes of the tmm dialect ---------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of the dialect; those of configurations are included.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMATTRS_TD
#define TC_DIALECT_TMM_IR_TMMATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TMM/IR/TMMConfigAttrs.td"
include "tc/Dialect/TMM/IR/TMMEnums.td"

#endif // TC_DIALECT_TMM_IR_TMMATTRS_TD
