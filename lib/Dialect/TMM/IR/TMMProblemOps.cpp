//===- TMMProblemOps.cpp - problem form operations -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification of tmm.matmul, its memory effects and its folds. Each rule of
// the verifier has a label tmm_matmul_cN that its test repeats.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace tc::tmm;

void MatmulOp::build(OpBuilder &builder, OperationState &state, Value a,
                     Value b, Value d, bool accumulate, bool transposeA,
                     bool transposeB, ConfigAttr config) {
  SmallVector<Type, 1> results;
  if (isa<RankedTensorType>(d.getType()))
    results.push_back(d.getType());
  auto unit = [&](bool set) {
    return set ? builder.getUnitAttr() : UnitAttr();
  };
  build(builder, state, results, a, b, d, unit(accumulate), unit(transposeA),
        unit(transposeB), config);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

static int64_t staticSize(Value first, unsigned firstDim, Value second,
                          unsigned secondDim) {
  int64_t size = cast<ShapedType>(first.getType()).getDimSize(firstDim);
  if (ShapedType::isStatic(size))
    return size;
  return cast<ShapedType>(second.getType()).getDimSize(secondDim);
}

int64_t MatmulOp::getStaticM() {
  return staticSize(getA(), getMDimOfA(), getD(), 0);
}
int64_t MatmulOp::getStaticN() {
  return staticSize(getB(), getNDimOfB(), getD(), 1);
}
int64_t MatmulOp::getStaticK() {
  return staticSize(getA(), getKDimOfA(), getB(), getKDimOfB());
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

/// Rank, memory space and strides of the operand called `name`.
static LogicalResult verifyOperand(MatmulOp op, StringRef name, Value value,
                                   bool isDestination) {
  auto type = dyn_cast<ShapedType>(value.getType());
  // tmm_matmul_c1
  if (!type.hasRank() || type.getRank() != 2) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "operand " << name
                              << ": expected a matrix of rank 2, got ";
    if (type.hasRank())
      return diag << "rank " << type.getRank();
    return diag << "an unranked memref";
  }
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return success();

  // tmm_matmul_c2: the operands are those of a host function; tiles in other
  // memories belong to the tile program.
  Attribute space = memref.getMemorySpace();
  bool isGlobal = !space;
  if (auto number = dyn_cast_or_null<IntegerAttr>(space))
    isGlobal = number.getInt() == 0 || number.getInt() == 1;
  if (auto gpu = dyn_cast_or_null<gpu::AddressSpaceAttr>(space))
    isGlobal = gpu.getValue() == gpu::AddressSpace::Global;
  if (!isGlobal)
    return op.emitOpError() << "operand " << name
                            << ": expected global memory (no memory space, 0, "
                               "1 or #gpu.address_space<global>), got "
                            << space;

  // tmm_matmul_c3
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return op.emitOpError()
           << "operand " << name << ": expected a strided layout, got "
           << memref.getLayout();
  if (strides[1] != 1) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "operand " << name
                              << ": expected innermost stride 1, got ";
    if (ShapedType::isDynamic(strides[1]))
      return diag << "a dynamic one; cast to a layout with innermost stride 1";
    diag << strides[1];
    // A column-major matrix is the transpose of a row-major one.
    if (strides[0] == 1 && !isDestination)
      diag << "; transpose the memref and use transpose_" << name.lower();
    return diag;
  }

  // tmm_matmul_c4
  int64_t columns = memref.getDimSize(1);
  if (isDestination && ShapedType::isStatic(strides[0]) &&
      ShapedType::isStatic(columns) && memref.getDimSize(0) != 1 &&
      strides[0] < columns)
    return op.emitOpError() << "operand " << name
                            << ": expected rows that do not overlap, a row "
                               "stride of at least "
                            << columns << ", got " << strides[0];
  // tmm_matmul_c5
  if (ShapedType::isStatic(strides[0]) && strides[0] < 0)
    return op.emitOpError()
           << "operand " << name
           << ": expected a row stride of at least 0, got " << strides[0];
  return success();
}

static bool isInputType(Type type) { return type.isBF16() || type.isF16(); }

/// The types of the elements: one type for A and B, one for D.
static LogicalResult verifyElementTypes(MatmulOp op, Type a, Type b, Type d) {
  // tmm_matmul_c6
  std::pair<StringRef, Type> inputs[] = {{"A", a}, {"B", b}};
  for (auto [name, type] : inputs)
    if (!isInputType(type))
      return op.emitOpError()
             << "operand " << name
             << ": expected element type bf16 or f16, got " << type;
  // tmm_matmul_c7
  if (a != b)
    return op.emitOpError() << "operand B: expected the element type of A, "
                            << a << ", got " << b;
  // tmm_matmul_c8
  if (!d.isF32() && !isInputType(d))
    return op.emitOpError()
           << "operand D: expected element type f32, bf16 or f16, got " << d;
  return success();
}

/// One size that two operands share.
static LogicalResult verifySize(MatmulOp op, StringRef size, StringRef name,
                                ShapedType type, unsigned dim,
                                StringRef otherName, ShapedType other,
                                unsigned otherDim) {
  int64_t expected = other.getDimSize(otherDim), got = type.getDimSize(dim);
  if (ShapedType::isDynamic(expected) || ShapedType::isDynamic(got) ||
      expected == got)
    return success();
  return op.emitOpError() << "operand " << name << ": expected " << size
                          << " = " << expected << " as in " << otherName
                          << " (dimension " << dim << "), got " << got;
}

LogicalResult MatmulOp::verify() {
  Type types[] = {getA().getType(), getB().getType(), getD().getType()};
  // tmm_matmul_c9
  bool onTensors = isa<RankedTensorType>(getD().getType());
  for (Type type : types)
    if (isa<RankedTensorType>(type) != onTensors)
      return emitOpError() << "expected operands that are all memrefs or all "
                              "tensors, got "
                           << types[0] << ", " << types[1] << " and "
                           << types[2];

  if (failed(verifyOperand(*this, "A", getA(), /*isDestination=*/false)) ||
      failed(verifyOperand(*this, "B", getB(), /*isDestination=*/false)) ||
      failed(verifyOperand(*this, "D", getD(), /*isDestination=*/true)))
    return failure();

  auto a = cast<ShapedType>(types[0]), b = cast<ShapedType>(types[1]),
       d = cast<ShapedType>(types[2]);
  if (failed(verifyElementTypes(*this, a.getElementType(), b.getElementType(),
                                d.getElementType())))
    return failure();

  // tmm_matmul_c10
  if (failed(
          verifySize(*this, "K", "B", b, getKDimOfB(), "A", a, getKDimOfA())) ||
      failed(verifySize(*this, "M", "D", d, 0, "A", a, getMDimOfA())) ||
      failed(verifySize(*this, "N", "D", d, 1, "B", b, getNDimOfB())))
    return failure();

  // tmm_matmul_c11
  if (onTensors != static_cast<bool>(getResult())) {
    InFlightDiagnostic diag = emitOpError();
    if (onTensors)
      return diag << "expected a result of type " << d
                  << " with tensor operands, got none";
    return diag << "expected no result with memref operands, got one";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

void MatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!isa<BaseMemRefType>(getD().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getAMutable(),
                       SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable(),
                       SideEffects::DefaultResource::get());
  if (getAccumulate())
    effects.emplace_back(MemoryEffects::Read::get(), &getDMutable(),
                         SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getDMutable(),
                       SideEffects::DefaultResource::get());
}

LogicalResult MatmulOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  if (!getResult())
    return failure();
  shapes.push_back(tensor::getMixedSizes(builder, getLoc(), getD()));
  return success();
}

LogicalResult MatmulOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  // A cast that only forgets a static size or stride hides what the choice of
  // the configuration wants to know. Tensor casts are folded by a pattern of
  // the tensor dialect for every destination style operation.
  return memref::foldMemRefCast(*this);
}
