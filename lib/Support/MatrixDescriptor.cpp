//===- MatrixDescriptor.cpp - what matrix descriptors share -----*- C++ -*-===//
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

#include "tc/Support/MatrixDescriptor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tc {

/// Offsets are 18 bits, of which a descriptor has the upper 14.
static constexpr int64_t kAddressMask = 0x3FFFF;
static constexpr unsigned kAddressShift = 4;

uint64_t MatrixStrides::encode() const {
  auto field = [](int64_t bytes) -> uint64_t {
    return (bytes & kAddressMask) >> kAddressShift;
  };
  return field(leading) << 16 | field(stride) << 32;
}

MatrixStrides getMatrixStrides(SmemTileLayoutInterface layout) {
  Swizzle swizzle = layout.getTileSwizzle();
  int64_t span = getSwizzleFacts(swizzle).spanBytes;
  // Eight lines of the pattern are one core matrix; four with the wider atom.
  int64_t group = (swizzle == Swizzle::B128Atom32 ? 4 : 8) * span;
  int64_t slab = layout.getSlabBytes();
  if (layout.getTileMajor() == Major::K) {
    if (swizzle == Swizzle::None)
      return {slab, group};
    constexpr int64_t kUnused = 16;
    return {kUnused, group};
  }
  // Without swizzle the two offsets change places.
  if (swizzle == Swizzle::None)
    return {group, slab};
  return {slab, group};
}

int64_t getDescriptorStep(SmemTileLayoutInterface layout, int64_t mn,
                          int64_t k) {
  return layout.getLinearByteOffset(mn, k) >> kAddressShift;
}

Value emitMatrixDescriptor(OpBuilder &builder, Location loc, Value address,
                           uint64_t bits, int64_t step, unsigned addressBits) {
  Type i32 = builder.getI32Type();
  Type i64 = builder.getI64Type();
  auto constant = [&](IntegerAttr value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, value);
  };
  Value bytes = LLVM::PtrToIntOp::create(builder, loc, i32, address);
  // In a cluster the address carries the CTA's rank above the bits.
  Value masked = LLVM::AndOp::create(
      builder, loc, bytes,
      constant(builder.getI32IntegerAttr((1 << addressBits) - 1)));
  Value encoded = LLVM::LShrOp::create(
      builder, loc, masked, constant(builder.getI32IntegerAttr(kAddressShift)));
  Value wide = LLVM::ZExtOp::create(builder, loc, i64, encoded);
  // The address bits of `bits` are 0. A sum, because what is invariant of sums
  // leaves loops.
  Value base = LLVM::AddOp::create(
      builder, loc, wide,
      constant(builder.getI64IntegerAttr(static_cast<int64_t>(bits))),
      LLVM::IntegerOverflowFlags::nuw);
  if (step == 0)
    return base;
  return LLVM::AddOp::create(builder, loc, base,
                             constant(builder.getI64IntegerAttr(step)));
}

} // namespace tc
