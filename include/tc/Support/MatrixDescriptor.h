//===- MatrixDescriptor.h - what matrix descriptors share -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 64-bit descriptors with which wgmma (PTX ISA 9.0, 9.7.15.5.1.2.2 "Matrix
// Descriptor Format") and tcgen05 (9.7.16.4.1 "Shared memory descriptor") read
// a tile in shared memory. The two strides, their meaning and the address field
// are the same; where the swizzle and the constants go is not, so that each
// conversion encodes its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MATRIXDESCRIPTOR_H
#define TC_SUPPORT_MATRIXDESCRIPTOR_H

#include "tc/Support/Interfaces.h"

#include "mlir/IR/Builders.h"

#include <cstdint>

namespace tc {

/// The strides of a matrix descriptor in bytes.
struct MatrixStrides {
  /// "Leading dimension byte offset".
  int64_t leading;
  /// "Stride dimension byte offset".
  int64_t stride;

  /// The two fields, in bits 16 to 29 and 32 to 45: bytes / 16.
  uint64_t encode() const;
};

/// The strides of a tile with `layout`. The leading offset separates:
/// - no swizzle, K-major: 16-byte columns along K; MN-major: groups of 8 k;
/// - swizzle, MN-major: spans along MN; K-major: it is not used (1 encoded);
/// the stride offset:
/// - K-major: groups of 8 rows; MN-major with swizzle: groups of 8 k (4 with
///   the 32-byte atom), without: 16-byte columns along MN.
MatrixStrides getMatrixStrides(SmemTileLayoutInterface layout);

/// What is added to a descriptor so that the instruction starts at row `mn` and
/// column `k` of the tile: bytes / 16.
int64_t getDescriptorStep(SmemTileLayoutInterface layout, int64_t mn,
                          int64_t k);

/// The descriptor of a tile at `address` (a pointer to shared memory) with the
/// constant fields `bits`, `step` further: the constant bits and the base
/// address joined, the same for all instructions that read the operand (so that
/// common subexpressions fold), then one addition. The sum cannot carry out of
/// the address bits: shared memory ends below 2^`addressBits` bytes.
mlir::Value emitMatrixDescriptor(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value address, uint64_t bits,
                                 int64_t step, unsigned addressBits = 18);

} // namespace tc

#endif // TC_SUPPORT_MATRIXDESCRIPTOR_H
