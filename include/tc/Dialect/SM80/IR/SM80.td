//===- SM80.td - the sm80 dialect, all of it ---------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Includes every concern of the dialect; the root file for TableGen.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM80_IR_SM80_TD
#define TC_DIALECT_SM80_IR_SM80_TD

include "tc/Dialect/SM80/IR/SM80Attrs.td"
include "tc/Dialect/SM80/IR/SM80CpAsyncOps.td"
include "tc/Dialect/SM80/IR/SM80Dialect.td"
include "tc/Dialect/SM80/IR/SM80MmaSyncOps.td"

#endif // TC_DIALECT_SM80_IR_SM80_TD
