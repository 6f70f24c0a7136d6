//===- TCGen05.td - the tcgen05 dialect, all of it ---------*- tablegen -*-===//
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

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05_TD

include "tc/Dialect/TCGen05/IR/TCGen05Attrs.td"
include "tc/Dialect/TCGen05/IR/TCGen05CopyOps.td"
include "tc/Dialect/TCGen05/IR/TCGen05Dialect.td"
include "tc/Dialect/TCGen05/IR/TCGen05Enums.td"
include "tc/Dialect/TCGen05/IR/TCGen05LdOps.td"
include "tc/Dialect/TCGen05/IR/TCGen05MemOps.td"
include "tc/Dialect/TCGen05/IR/TCGen05MmaOps.td"
include "tc/Dialect/TCGen05/IR/TCGen05MmaScaleOps.td"
include "tc/Dialect/TCGen05/IR/TCGen05MmaWsOps.td"
include "tc/Dialect/TCGen05/IR/TCGen05Types.td"

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05_TD
