//===- TMMLoweredOps.cpp - what pipelines leave -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and names of the ops between tile programs and instructions.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

LogicalResult StorageOp::verify() {
  // tmm_storage_c1
  if (!getOver())
    return success();
  StorageType type = getStorage().getType();
  auto shared = cast<StorageType>(getOver().getType());
  if (type.getDepth() != shared.getDepth())
    return emitOpError() << "expected as many slots as the shared storage has, "
                         << shared.getDepth() << ", got " << type.getDepth();
  MemorySpaceAttrInterface space = type.getBuffer().getSpace(),
                           base = shared.getBuffer().getSpace();
  if (base.sharesWith(space))
    return success();
  return emitOpError() << "expected slots in one memory, got " << space
                       << " over " << base;
}

LogicalResult TileSlotOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           ValueRange operands, DictionaryAttr,
                                           OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return failure();
  auto storage = dyn_cast<StorageType>(operands[0].getType());
  if (!storage)
    return failure();
  types.push_back(storage.getBuffer());
  return success();
}

LogicalResult IssueOp::verify() {
  // tmm_issue_c1
  Block &body = getBody().front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  TypeRange yielded;
  if (yield)
    yielded = yield.getValues().getTypes();
  if (yielded == getResultTypes())
    return success();
  return emitOpError() << "expected the region to yield " << getResultTypes()
                       << ", the types of the results, got " << yielded;
}

LogicalResult AwaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

LogicalResult AwaitOp::verify() {
  EngineAttrInterface engine = getBy();
  // tmm_await_c1
  if (!engine.isPendingAtReturn())
    return emitOpError() << "expected by to be an engine whose work is pending "
                            "at return, got "
                         << engine << ", whose ops need no tmm.await";
  // tmm_await_c2
  if (getPending() > uint64_t(engine.getMaxLag()))
    return emitOpError() << "expected from 0 to " << engine.getMaxLag()
                         << " pending transactions of " << engine << ", got "
                         << getPending();
  return success();
}
