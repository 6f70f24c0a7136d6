//===- Destinations.cpp - ops that write their outputs ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Destinations.h.
//
//===----------------------------------------------------------------------===//

#include "Destinations.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tc::tmm;

void tc::tmm::addDestinationEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

AliasingValueList tc::tmm::getDestinationAliases(DestinationStyleOpInterface op,
                                                 OpOperand &operand) {
  if (op.isDpsInit(&operand) && isa<TensorType>(operand.get().getType()))
    return {{op.getTiedOpResult(&operand), BufferRelation::Equivalent}};
  return {};
}

LogicalResult tc::tmm::bufferizeDestinations(
    RewriterBase &rewriter, DestinationStyleOpInterface op,
    const BufferizationOptions &options, BufferizationState &state,
    function_ref<Operation *(ValueRange)> create) {
  SmallVector<Value> operands, results;
  SmallVector<std::pair<Value, Value>> copies;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isTensor = isa<TensorType>(operand.get().getType());
    bool isOutput = op.isDpsInit(&operand);
    FailureOr<Value> own =
        isTensor ? getBuffer(rewriter, operand.get(), options, state)
                 : FailureOr<Value>(operand.get());
    if (failed(own))
      return failure();
    FailureOr<Value> adjacent = tc::tmm::detail::makeAdjacent(
        rewriter, op, Twine(operand.getOperandNumber()), *own,
        /*isRead=*/!isOutput, options);
    if (failed(adjacent))
      return failure();
    operands.push_back(*adjacent);
    if (isOutput && isTensor)
      results.push_back(*own);
    if (isOutput && *own != *adjacent)
      copies.push_back({*adjacent, *own});
  }
  Operation *buffered = create(operands);
  buffered->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : copies)
    if (failed(options.createMemCpy(rewriter, op->getLoc(), from, to)))
      return failure();
  replaceOpWithBufferizedValues(rewriter, op, results);
  return success();
}
