//===- SM90Attrs.cpp - attributes of the sm90 dialect -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the middle of the compiler asks shared memory and the copy engines.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"

#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/SM90/IR/SM90Attrs.cpp.inc"

void SM90Dialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/Dialect/SM90/IR/SM90Attrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// SmemAttr
//===----------------------------------------------------------------------===//

LogicalResult SmemAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape,
                                   Type elementType) const {
  if (shape.size() != 2)
    return emitError() << "expected rows x columns in shared memory, got "
                       << shape.size() << " dimensions";
  if (getOrder() == Order::Blocked &&
      (shape[0] % kScaleRows != 0 || shape[1] % kScaleBlocks != 0 ||
       elementType.getIntOrFloatBitWidth() != 8 ||
       getSwizzle() != Swizzle::None))
    return emitError() << "expected a multiple of " << kScaleRows << "x"
                       << kScaleBlocks
                       << " elements of 8 bits, not swizzled, in blocks, got "
                       << shape[0] << "x" << shape[1] << " of " << elementType
                       << " " << cite(ISASection::ScaleFactorA);
  return success();
}

bool SmemAttr::emitFenceBefore(OpBuilder &builder, Location loc,
                               Proxy other) const {
  if (other == Proxy::Async)
    FenceProxyAsyncOp::create(builder, loc, FenceSpace::SharedCTA);
  return false;
}

void SmemAttr::emitFenceAfter(OpBuilder &builder, Location loc, Proxy other,
                              Proxy own, bool crosses) const {
  // A fence in one CTA is about the accesses of that CTA.
  if (other == Proxy::Generic && own == Proxy::Async && crosses)
    FenceProxyAsyncOp::create(builder, loc, FenceSpace::SharedCluster);
}

//===----------------------------------------------------------------------===//
// Copy engines
//===----------------------------------------------------------------------===//

Proxy TmaAttr::getProxy() const { return Proxy::Async; }
Issue TmaAttr::getIssue() const { return Issue::Thread; }
Completion TmaAttr::getCompletion() const { return Completion::Bytes; }

Proxy ClcAttr::getProxy() const { return Proxy::Async; }
Issue ClcAttr::getIssue() const { return Issue::Thread; }
Completion ClcAttr::getCompletion() const { return Completion::Bytes; }

Proxy TmaStoreAttr::getProxy() const { return Proxy::Async; }
Issue TmaStoreAttr::getIssue() const { return Issue::Thread; }
Completion TmaStoreAttr::getCompletion() const { return Completion::Group; }

void TmaStoreAttr::emitGroupCommit(OpBuilder &builder, Location loc) const {
  BulkCommitGroupOp::create(builder, loc);
}

void TmaStoreAttr::emitGroupWait(OpBuilder &builder, Location loc,
                                 int64_t pending, bool written) const {
  BulkWaitGroupOp::create(builder, loc, uint32_t(pending), /*read=*/!written);
}
