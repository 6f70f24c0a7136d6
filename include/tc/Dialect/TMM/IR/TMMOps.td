//===- TMMOps.td - all operations of the tmm dialect -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only includes; one file per form of the program.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMOPS_TD
#define TC_DIALECT_TMM_IR_TMMOPS_TD

include "tc/Dialect/TMM/IR/TMMAgents.td"
include "tc/Dialect/TMM/IR/TMMProblemOps.td"
include "tc/Dialect/TMM/IR/TMMFormatOps.td"
include "tc/Dialect/TMM/IR/TMMRowOps.td"
include "tc/Dialect/TMM/IR/TMMAttentionOp.td"
include "tc/Dialect/TMM/IR/TMMWindows.td"
include "tc/Dialect/TMM/IR/TMMWorkOps.td"
include "tc/Dialect/TMM/IR/TMMTileOps.td"
include "tc/Dialect/TMM/IR/TMMRegisterLayouts.td"
include "tc/Dialect/TMM/IR/TMMRegisterOps.td"
include "tc/Dialect/TMM/IR/TMMReduceOps.td"
include "tc/Dialect/TMM/IR/TMMLoweredOps.td"
include "tc/Dialect/TMM/IR/TMMPipelineOps.td"
include "tc/Dialect/TMM/IR/TMMRoleOps.td"

#endif // TC_DIALECT_TMM_IR_TMMOPS_TD
