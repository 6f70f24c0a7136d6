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
using namespace tc::tmm;

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

LogicalResult AwaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}
