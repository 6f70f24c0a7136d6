//===- SM90CounterOps.cpp - work by a counter -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The type constraint and the verifier of SM90CounterOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

bool tc::sm90::isSmemWord(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity() &&
         memref.getShape() == ArrayRef<int64_t>{1} &&
         memref.getElementType().isSignlessInteger(32) && isSmemMemRef(memref);
}

LogicalResult StAsyncOp::verify() {
  // sm90_st_async_c1
  constexpr int64_t kMaxClusterCtas = 16;
  std::optional<int64_t> rank =
      getRank() ? getConstantIntValue(getRank()) : std::nullopt;
  if (rank && (*rank < 0 || *rank >= kMaxClusterCtas))
    return emitOpError() << "expected a rank from 0 to " << kMaxClusterCtas - 1
                         << ", got " << *rank << " "
                         << cite(ISASection::StAsync);
  return success();
}
