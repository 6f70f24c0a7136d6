//===- SM90.td - the sm90 dialect, all of it ---------------*- tablegen -*-===//
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

#ifndef TC_DIALECT_SM90_IR_SM90_TD
#define TC_DIALECT_SM90_IR_SM90_TD

include "tc/Dialect/SM90/IR/SM90Attrs.td"
include "tc/Dialect/SM90/IR/SM90ClusterLaunchControlOps.td"
include "tc/Dialect/SM90/IR/SM90CounterOps.td"
include "tc/Dialect/SM90/IR/SM90Dialect.td"
include "tc/Dialect/SM90/IR/SM90Enums.td"
include "tc/Dialect/SM90/IR/SM90MBarrierOps.td"
include "tc/Dialect/SM90/IR/SM90SmemLayout.td"
include "tc/Dialect/SM90/IR/SM90SmemOps.td"
include "tc/Dialect/SM90/IR/SM90SyncOps.td"
include "tc/Dialect/SM90/IR/SM90TmaOps.td"
include "tc/Dialect/SM90/IR/SM90Types.td"
include "tc/Dialect/SM90/IR/SM90WgmmaOps.td"

#endif // TC_DIALECT_SM90_IR_SM90_TD
