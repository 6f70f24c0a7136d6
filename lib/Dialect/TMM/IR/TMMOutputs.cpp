//===- TMMOutputs.cpp - quantised outputs of tmm.matmul ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of D in floats of 8 bits or fewer, of its scale factors and of amax.
// Each rule has a label tmm_outputs_cN that its test repeats.
//
//===----------------------------------------------------------------------===//

#include "ProblemTypes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Message.h"
#include "tc/Support/Target.h"

#include "llvm/ADT/ArrayRef.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool tc::tmm::isQuantizedType(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

int64_t tc::tmm::getQuantizedBlock(Type scale) {
  return isa<Float8E8M0FNUType>(scale) ? 32 : 16;
}

int64_t tc::tmm::getLargestExponent(Type type) {
  return llvm::APFloat::semanticsMaxExponent(
      cast<FloatType>(type).getFloatSemantics());
}

bool tc::tmm::isQuantizedPair(Type type, Type scale) {
  if (isa<Float4E2M1FNType>(type))
    return isa<Float8E8M0FNUType, Float8E4M3FNType>(scale);
  return isa<Float8E4M3FNType, Float8E5M2Type>(type) &&
         isa<Float8E8M0FNUType>(scale);
}

int64_t tc::tmm::getQuantizedColumnStep(Type type, Type scale) {
  return isa<Float4E2M1FNType>(type) ? getMmaK(MmaKindFacts::MXF4)
                                     : getQuantizedBlock(scale);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// A memref or tensor like D, of its memory space, called `name`.
static Error findPlaceError(StringRef name, Type type, ShapedType d) {
  // tmm_outputs_c3
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() ||
      isa<RankedTensorType>(shaped) != isa<RankedTensorType>(d))
    return message("operand ", name, ": expected a ",
                   isa<RankedTensorType>(d) ? "tensor" : "memref",
                   " like D, got ", type);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return std::nullopt;
  if (memref.getMemorySpace() != cast<MemRefType>(d).getMemorySpace())
    return message("operand ", name, ": expected the memory space of D, got ",
                   type);
  if (!memref.getLayout().isIdentity())
    return message("operand ", name,
                   ": expected no layout, all elements next to each other, "
                   "got ",
                   type);
  return std::nullopt;
}

/// Blocks along M and N for the elements of D, matrix by matrix.
template <typename Op>
static Error findScaleShapeError(Op op, ShapedType scales, int64_t block) {
  // tmm_outputs_c4
  auto d = cast<ShapedType>(op.getD().getType());
  int64_t batch = op.getBatchRank();
  if (scales.getRank() != kScalesRank + batch ||
      scales.getShape().drop_front(batch + 2) != ArrayRef(kScaleTileShape))
    return message("operand SFD: expected rank ", kScalesRank + batch,
                   ", blocks along M and N of ", kScaleTileShape[0], "x",
                   kScaleTileShape[1], "x", kScaleTileShape[2],
                   " factors, got ", scales);
  SmallVector<std::pair<int64_t, std::string>> sizes;
  for (int64_t dim = 0; dim < batch; ++dim)
    sizes.push_back({d.getDimSize(dim), message("dimension ", dim, " of D")});
  int64_t m = op.getStaticM(), n = op.getStaticN(),
          columns = kScaleBlocks * block;
  auto blocks = [](int64_t size, int64_t extent) -> int64_t {
    return ShapedType::isDynamic(size) ? size : llvm::divideCeil(size, extent);
  };
  sizes.push_back({blocks(m, kScaleRows), message("M = ", m)});
  sizes.push_back({blocks(n, columns), message("N = ", n)});
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t got = scales.getDimSize(dim);
    if (ShapedType::isStatic(got) && ShapedType::isStatic(size.first) &&
        got != size.first)
      return message("operand SFD: expected ", size.first, " in dimension ",
                     dim, " for ", size.second, ", got ", got);
  }
  return std::nullopt;
}

template <typename Op>
static Error findScaleError(Op op) {
  auto d = cast<ShapedType>(op.getD().getType());
  Type element = d.getElementType();
  Type scale = getElementTypeOrSelf(op.getScaleD());
  // tmm_outputs_c2
  if (!isQuantizedPair(element, scale))
    return message("operand SFD: expected element type ",
                   isa<Float4E2M1FNType>(element) ? "f8E8M0FNU or f8E4M3FN"
                                                  : "f8E8M0FNU",
                   " for D of ", element, ", got ", scale);
  if (Error error = findPlaceError("SFD", op.getScaleD().getType(), d))
    return error;
  auto scales = cast<ShapedType>(op.getScaleD().getType());
  if (Error error = findScaleShapeError(op, scales, getQuantizedBlock(scale)))
    return error;
  // tmm_outputs_c5
  int64_t n = op.getStaticN(), step = getQuantizedColumnStep(element, scale);
  if (ShapedType::isStatic(n) && n % step != 0)
    return message("expected N of a multiple of ", step, " for D of ", element,
                   " with scale factors, the K of the next matmul, got ", n,
                   ", the nearest is ", int64_t(llvm::alignTo(n, step)));
  // tmm_outputs_c6
  auto memref = dyn_cast<MemRefType>(op.getD().getType());
  if (!memref || element.getIntOrFloatBitWidth() >= 8 ||
      memref.getLayout().isIdentity())
    return std::nullopt;
  auto [strides, offset] = memref.getStridesAndOffset();
  auto isWhole = [](int64_t value) {
    return ShapedType::isStatic(value) && value % 2 == 0;
  };
  if (isWhole(offset) && llvm::all_of(ArrayRef(strides).drop_back(), isWhole))
    return std::nullopt;
  return message("operand D: expected rows that start at whole bytes, even "
                 "strides and offset that are known, got ",
                 memref);
}

template <typename Op>
static Error findAmaxError(Op op) {
  // tmm_outputs_c7
  Type type = op.getAmax().getType();
  if (Error error =
          findPlaceError("amax", type, cast<ShapedType>(op.getD().getType())))
    return error;
  auto shaped = cast<ShapedType>(type);
  if (shaped.getRank() != 0 || !shaped.getElementType().isF32())
    return message("operand amax: expected an f32 of rank 0, got ", type);
  // tmm_outputs_c8
  if (!op.hasEpilogue() && !op.getSumType().isF32())
    return message("operand amax: expected an epilogue that yields the f32 "
                   "that it is of, as sums are ",
                   op.getSumType());
  return std::nullopt;
}

template <typename Op>
static LogicalResult verify(Op op) {
  // tmm_outputs_c1
  if (op.isQuantized() && op.getAccumulate())
    return op.emitOpError()
           << "accumulate: expected D of f32, bf16 or f16, got "
           << getElementTypeOrSelf(op.getD())
           << "; read the old values as an operand of the epilogue";
  if (op.getScaleD())
    if (Error error = findScaleError(op))
      return op.emitOpError() << *error;
  if (op.getAmax())
    if (Error error = findAmaxError(op))
      return op.emitOpError() << *error;
  return success();
}

LogicalResult tc::tmm::detail::verifyOutputs(MatmulOp op) { return verify(op); }

LogicalResult tc::tmm::detail::verifyOutputs(ProblemOp op) {
  return verify(op);
}

LogicalResult tc::tmm::detail::verifyOutputs(EncodeOp op) {
  if (Error error = findScaleError(op))
    return op.emitOpError() << *error;
  return success();
}
