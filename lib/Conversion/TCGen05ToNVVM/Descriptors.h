//===- Descriptors.h - descriptors of tcgen05.mma ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of the two descriptors of tcgen05.mma, as pure functions of types
// and attributes (PTX ISA, "Shared memory descriptor" and "Instruction
// descriptor").
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCGEN05TONVVM_DESCRIPTORS_H
#define TC_LIB_CONVERSION_TCGEN05TONVVM_DESCRIPTORS_H

#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include <cstdint>

namespace tc {

/// What the bits of a matrix descriptor say, apart from the start address.
struct MatrixDescriptor {
  /// Bytes; what they separate depends on the major dimension and the swizzle.
  int64_t leadingOffset;
  int64_t strideOffset;
  Swizzle swizzle;

  /// The 64 bits with start address 0.
  uint64_t encode() const;
};

/// The descriptor of a tile of `shape` (MN, K) with `layout`. The leading
/// offset separates:
/// - no swizzle, K-major: 16-byte columns along K; MN-major: groups of 8 k;
/// - swizzle, MN-major: spans along MN; K-major: it is not used (1 encoded);
/// the stride offset:
/// - K-major: groups of 8 rows; MN-major with swizzle: groups of 8 k (4 with
///   the 32-byte atom), without: 16-byte columns along MN.
MatrixDescriptor getMatrixDescriptor(tcgen05::SmemLayoutAttr layout);

/// What is added to a descriptor so that the instruction starts at column `k`
/// of the tile: bytes / 16.
int64_t getDescriptorStep(tcgen05::SmemLayoutAttr layout, int64_t k);

/// The fields of the 32-bit instruction descriptor of the kinds f16, tf32,
/// f8f6f4 and i8.
struct InstructionDescriptor {
  bool saturate = false;
  unsigned dType = 0;
  unsigned aType = 0;
  unsigned bType = 0;
  bool negateA = false;
  bool negateB = false;
  bool aMajorMN = false;
  bool bMajorMN = false;
  int64_t n = 0;
  int64_t m = 0;

  uint32_t encode() const;
};

/// The codes of the ISA's table for the types of `kind`. The types have been
/// verified.
unsigned getInputCode(tcgen05::MmaKind kind, mlir::Type type);
unsigned getSumCode(mlir::Type type);

/// The instruction descriptor of `op`.
InstructionDescriptor getInstructionDescriptor(tcgen05::MmaOp op);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCGEN05TONVVM_DESCRIPTORS_H
