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
#include "tc/Support/MatrixDescriptor.h"

#include <cstdint>

namespace tc {

/// What the bits of a matrix descriptor of tcgen05 say, apart from the start
/// address.
struct MatrixDescriptor {
  MatrixStrides strides;
  Swizzle swizzle;
  /// Of a row of indices into a table: its second half is read.
  bool secondHalf = false;

  /// The 64 bits with start address 0.
  uint64_t encode() const;
};

/// The descriptor of a tile with `layout`.
MatrixDescriptor getMatrixDescriptor(SmemTileLayoutInterface layout);

/// The fields of the 32-bit instruction descriptor of the kinds f16, tf32,
/// f8f6f4 and i8.
struct InstructionDescriptor {
  unsigned selector = 0;
  bool sparse = false;
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
  /// Of a weight-stationary instruction: 0, 8, 16 or 32 columns.
  int64_t maxShift = 0;
  /// K is twice that of the kind, f8f6f4.
  bool wide = false;

  uint32_t encode() const;
};

/// The fields of the 32-bit instruction descriptor of the kinds with scale
/// factors. The codes of types in mxf4 and mxf4nvf4 have no more bits than
/// there is room for in theirs.
struct BlockScaleDescriptor {
  bool sparse = false;
  unsigned aType = 0;
  unsigned bType = 0;
  bool negateA = false;
  bool negateB = false;
  bool aMajorMN = false;
  bool bMajorMN = false;
  unsigned scaleType = 0;
  /// The byte of a cell that holds the first factor.
  unsigned scaleA = 0;
  unsigned scaleB = 0;
  int64_t n = 0;
  int64_t m = 0;
  /// K is twice that of the kind, whose code is in one bit, or in the upper one
  /// of two that are apart.
  bool wide = false;
  bool isFourBits = false;
  /// The factors of A have a lane for each row.
  bool hasLaneScales = false;

  uint32_t encode() const;
};

/// The code of the ISA's table for the type of D, which has been verified.
unsigned getSumCode(mlir::Type type);

/// The instruction descriptor of `op`.
InstructionDescriptor getInstructionDescriptor(tcgen05::MmaOp op);
InstructionDescriptor getInstructionDescriptor(tcgen05::MmaWsOp op);
BlockScaleDescriptor getInstructionDescriptor(tcgen05::MmaBlockScaleOp op);

/// What the bits of the descriptor say with which tcgen05.cp reads a dense tile
/// of rows of 16 bytes.
MatrixDescriptor getScaleTileDescriptor();

} // namespace tc

#endif // TC_LIB_CONVERSION_TCGEN05TONVVM_DESCRIPTORS_H
