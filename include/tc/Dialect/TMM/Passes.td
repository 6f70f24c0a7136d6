//===- Passes.td - passes on the tmm dialect ---------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only includes; one file per trade, in the order in which they run.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_PASSES_TD
#define TC_DIALECT_TMM_PASSES_TD

include "tc/Dialect/TMM/Configure/Passes.td"
include "tc/Dialect/TMM/Generate/Passes.td"
include "tc/Dialect/TMM/Pipeline/Passes.td"
include "tc/Dialect/TMM/Distribute/Passes.td"

#endif // TC_DIALECT_TMM_PASSES_TD
