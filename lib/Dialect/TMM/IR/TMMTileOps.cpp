//===- TMMTileOps.cpp - tile program ops of the TMM dialect -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, effects and engines of the ops on tiles. The rules are those that
// hold for every matrix unit; what a particular unit can do is checked where
// the program is lowered to it.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/TMMInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Checks that `buffer` lives in `space`.
static LogicalResult checkSpace(Operation *op, StringRef operand,
                                BufferType buffer, MemorySpace space) {
  if (buffer.getSpace() == space)
    return success();
  return op->emitOpError() << "expected operand " << operand << " in "
                           << stringifyMemorySpace(space) << ", got "
                           << stringifyMemorySpace(buffer.getSpace());
}

/// Checks that `memref` is a matrix whose innermost dimension is contiguous,
/// with an index in `batch` for each dimension in front.
static LogicalResult checkMatrix(Operation *op, StringRef operand,
                                 MemRefType memref, Type elementType,
                                 ValueRange batch) {
  int64_t rank = 2 + batch.size();
  if (memref.getRank() != rank)
    return op->emitOpError() << "expected operand " << operand << " of rank "
                             << rank << (batch.empty() ? "" : " with its batch")
                             << ", got rank " << memref.getRank();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return op->emitOpError() << "expected operand " << operand
                             << " with unit innermost stride, got " << memref;
  if (memref.getElementType() != elementType)
    return op->emitOpError()
           << "expected operand " << operand << " of element type "
           << elementType << ", got " << memref.getElementType();
  return success();
}

template <typename Effect>
static void
addEffect(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
              &effects,
          OpOperand &operand) {
  effects.emplace_back(Effect::get(), &operand);
}

//===----------------------------------------------------------------------===//
// SchedulerOp and work items
//===----------------------------------------------------------------------===//

LogicalResult SchedulerOp::verify() {
  if (getTile().size() != 3 ||
      llvm::any_of(getTile(), [](int64_t size) { return size <= 0; }))
    return emitOpError() << "expected tile to be three positive sizes M, N, K, "
                            "got ["
                         << getTile() << "]";
  return success();
}

void SchedulerOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getScheduler(), "sched");
}

void FirstWorkOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getWork(), "first");
}

void NextWorkOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNext(), "next");
}

void WorkValidOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValid(), "valid");
}

void WorkBatchOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBatch(), "batch");
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (failed(checkSpace(*this, "buffer", buffer, MemorySpace::smem)))
    return failure();
  if (LayoutAttr layout = buffer.getLayout();
      layout && layout.getOrder() == Order::n_major)
    return emitOpError()
           << "expected operand buffer with a k_major or mn_major "
              "layout, got "
           << buffer;
  return checkMatrix(*this, "source", cast<MemRefType>(getSource().getType()),
                     buffer.getElementType(), getBatch());
}

Engine LoadOp::getEngine() { return Engine::tma; }

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffect<MemoryEffects::Read>(effects, getSourceMutable());
  addEffect<MemoryEffects::Write>(effects, getBufferMutable());
}

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  BufferType a = getA().getType(), b = getB().getType(),
             acc = getAcc().getType();
  if (failed(checkSpace(*this, "a", a, MemorySpace::smem)) ||
      failed(checkSpace(*this, "b", b, MemorySpace::smem)) ||
      failed(checkSpace(*this, "acc", acc, MemorySpace::tmem)))
    return failure();
  if (a.getShape()[1] != b.getShape()[1])
    return emitOpError()
           << "expected a (M x K) and b (N x K) with the same K, got "
           << a.getShape()[1] << " and " << b.getShape()[1];
  int64_t n = b.getRows() * (getPair() ? 2 : 1);
  if (acc.getRows() != a.getRows() || acc.getColumns() != n)
    return emitOpError() << "expected acc of shape " << a.getRows() << "x" << n
                         << " (M of a, N of b"
                         << (getPair() ? " in both CTAs" : "") << "), got "
                         << acc.getRows() << "x" << acc.getColumns();
  return success();
}

/// The engine whose work it ends: the last load is on its way.
Engine LaunchDependentsOp::getEngine() { return Engine::tma; }

Engine MmaOp::getEngine() { return Engine::tensor_core; }

Scope MmaOp::getScope() { return getPair() ? Scope::pair : Scope::cta; }

void MmaOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffect<MemoryEffects::Read>(effects, getAMutable());
  addEffect<MemoryEffects::Read>(effects, getBMutable());
  addEffect<MemoryEffects::Read>(effects, getAccMutable());
  addEffect<MemoryEffects::Write>(effects, getAccMutable());
}

//===----------------------------------------------------------------------===//
// ReadOp
//===----------------------------------------------------------------------===//

LogicalResult ReadOp::verify() {
  BufferType acc = getAcc().getType();
  auto result = cast<VectorType>(getResult().getType());
  if (failed(checkSpace(*this, "acc", acc, MemorySpace::tmem)))
    return failure();
  if (result.getDimSize(0) != acc.getShape()[0])
    return emitOpError() << "expected a result of " << acc.getShape()[0]
                         << " rows like acc, got " << result.getDimSize(0);
  if (acc.getShape()[1] % result.getDimSize(1) != 0)
    return emitOpError() << "expected a result width that divides the "
                         << acc.getShape()[1] << " columns of acc, got "
                         << result.getDimSize(1);
  if (result.getElementType() != acc.getElementType())
    return emitOpError() << "expected a result of element type "
                         << acc.getElementType() << " like acc, got "
                         << result.getElementType();
  return success();
}

Engine ReadOp::getEngine() { return Engine::threads; }

void ReadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffect<MemoryEffects::Read>(effects, getAccMutable());
}

//===----------------------------------------------------------------------===//
// FetchOp
//===----------------------------------------------------------------------===//

LogicalResult FetchOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  Type element = cast<VectorType>(getResult().getType()).getElementType();
  if (getAlong()) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (source.getRank() != 1 + int64_t(getBatch().size()) ||
        failed(source.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1 || source.getElementType() != element)
      return emitOpError() << "expected operand source, along "
                           << stringifyAlong(*getAlong())
                           << ", to be a vector of element type " << element
                           << " with unit stride, got " << source;
    return success();
  }
  return checkMatrix(*this, "source", cast<MemRefType>(getSource().getType()),
                     cast<VectorType>(getResult().getType()).getElementType(),
                     getBatch());
}

Engine FetchOp::getEngine() { return Engine::threads; }

void FetchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffect<MemoryEffects::Read>(effects, getSourceMutable());
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

LogicalResult StoreOp::verify() {
  return checkMatrix(*this, "target", cast<MemRefType>(getTarget().getType()),
                     cast<VectorType>(getValue().getType()).getElementType(),
                     getBatch());
}

Engine StoreOp::getEngine() { return Engine::threads; }

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffect<MemoryEffects::Write>(effects, getTargetMutable());
}

//===----------------------------------------------------------------------===//
// StageOp
//===----------------------------------------------------------------------===//

LogicalResult StageOp::verify() {
  BufferType buffer = getBuffer().getType();
  VectorType value = cast<VectorType>(getValue().getType());
  if (failed(checkSpace(*this, "buffer", buffer, MemorySpace::smem)))
    return failure();
  if (value.getShape() != buffer.getShape() ||
      value.getElementType() != buffer.getElementType())
    return emitOpError()
           << "expected a buffer of the value's shape and element "
              "type, got "
           << value << " and " << buffer;
  return success();
}

Engine StageOp::getEngine() { return Engine::threads; }

void StageOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffect<MemoryEffects::Write>(effects, getBufferMutable());
}

//===----------------------------------------------------------------------===//
// UnloadOp
//===----------------------------------------------------------------------===//

LogicalResult UnloadOp::verify() {
  BufferType buffer = getBuffer().getType();
  if (failed(checkSpace(*this, "buffer", buffer, MemorySpace::smem)))
    return failure();
  LayoutAttr layout = buffer.getLayout();
  if (!layout || layout.getOrder() != Order::n_major)
    return emitOpError() << "expected operand buffer with an n_major layout, "
                            "got "
                         << buffer;
  return checkMatrix(*this, "target", cast<MemRefType>(getTarget().getType()),
                     buffer.getElementType(), getBatch());
}

Engine UnloadOp::getEngine() { return Engine::tma_store; }

void UnloadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffect<MemoryEffects::Read>(effects, getBufferMutable());
  addEffect<MemoryEffects::Write>(effects, getTargetMutable());
}
