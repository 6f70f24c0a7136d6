//===- AwaitWork.h - work that is pending at return -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TMMTOSM90_AWAITWORK_H
#define TC_LIB_CONVERSION_TMMTOSM90_AWAITWORK_H

#include "tc/Dialect/TMM/IR/PipelineEnds.h"

namespace tc {

/// Waits for the work in flight of `end` before its slots are released and
/// before what it computes is used; with `isLate`, where it can be, when the
/// work of the next transaction is issued.
void awaitWork(const tmm::PipelineEnd &end, bool isLate);

} // namespace tc

#endif // TC_LIB_CONVERSION_TMMTOSM90_AWAITWORK_H
