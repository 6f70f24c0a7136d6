//===- PackHeads.h - heads that share keys as rows --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: rows of the heads that share K and V in one tile.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_PACKHEADS_H
#define TC_LIB_KERNELS_ATTENTION_PACKHEADS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc::tmm {

/// Makes the rows of the heads of `op`, on memrefs, that share K and V rows of
/// one head, where tiles become fewer, every row sees all keys and Q, O and lse
/// have views with the rows in that order. Else leaves `op` as it is.
void packHeads(AttentionOp op);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_PACKHEADS_H
