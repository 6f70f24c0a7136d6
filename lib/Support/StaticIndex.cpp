//===- StaticIndex.cpp - indices that are static or a value -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/StaticIndex.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace tc {

LogicalResult verifyOneIndex(Operation *op, StringRef what,
                             ArrayRef<int64_t> fixed, ValueRange dynamic) {
  if (fixed.size() != 1)
    return op->emitOpError()
           << "expected one " << what << ", got " << fixed.size();
  bool isDynamic = ShapedType::isDynamic(fixed.front());
  if (dynamic.size() != (isDynamic ? 1 : 0))
    return op->emitOpError()
           << "expected " << (isDynamic ? 1 : 0) << " values for the " << what
           << ", got " << dynamic.size();
  return success();
}

OpFoldResult getStaticOrDynamic(ArrayRef<int64_t> fixed, ValueRange dynamic,
                                MLIRContext *context) {
  return getAllStaticOrDynamic(fixed, dynamic, context).front();
}

SmallVector<OpFoldResult> getAllStaticOrDynamic(ArrayRef<int64_t> fixed,
                                                ValueRange dynamic,
                                                MLIRContext *context) {
  Builder builder(context);
  SmallVector<OpFoldResult> result;
  unsigned next = 0;
  for (int64_t index : fixed) {
    if (ShapedType::isDynamic(index))
      result.push_back(dynamic[next++]);
    else
      result.push_back(builder.getIndexAttr(index));
  }
  return result;
}

bool foldIndexOperand(Operation *op, ArrayRef<Attribute> constants,
                      MutableOperandRange operand,
                      function_ref<bool(int64_t)> isLegal,
                      function_ref<void(int64_t)> set) {
  if (constants.size() != 1)
    return false;
  auto value = dyn_cast_or_null<IntegerAttr>(constants.front());
  if (!value || !isLegal(value.getInt()))
    return false;
  operand.clear();
  set(value.getInt());
  return true;
}

} // namespace tc
