//===- Units.h - facts about matrix units -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which matrix units a chip has, what they are, and what threads and registers
// there are around them, as data.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_UNITS_H
#define TC_SUPPORT_UNITS_H

#include "tc/Support/Target.h"

#include "llvm/ADT/SmallVector.h"

namespace tc {

/// What multiplies matrices, by the instructions that drive it.
enum class MatrixUnit : uint32_t { Tcgen05, Wgmma, MmaSync };

struct MatrixUnitFacts {
  llvm::StringRef name;
  /// Whether its accumulators are in Tensor Memory, else in registers.
  bool hasTensorMemory;
  /// CTAs that one instruction can span.
  int64_t maxCtaGroup;
  /// Bits of the elements that it reads adjacent along M or N, too; 0: of all
  /// that its kinds do (hasMmaTranspose of MmaTypes.h).
  int64_t transposedBits;
  /// Whether it reads elements of 4 and 6 bits, which TMA unpacks to 8.
  bool takesUnpacked;
};

const MatrixUnitFacts &getFacts(MatrixUnit unit);
/// The names of all units, by number.
llvm::ArrayRef<llvm::StringRef> getMatrixUnitNames();
/// The matrix units of `target`, the fastest first.
llvm::SmallVector<MatrixUnit, 2> getMatrixUnits(const TargetFacts &target);

/// Rows of an accumulator that the CTAs of a tile with `ctaGroup` CTAs to an
/// instruction can hold, the smallest first. One instruction writes all of them
/// with tcgen05, and 64 with wgmma, each warpgroup its own. With mma.sync each
/// warp has its own, too (getWarpRows).
llvm::ArrayRef<int64_t> getTileRows(MatrixUnit unit, int ctaGroup);

/// Rows of an accumulator of `tileM` x `tileN` in registers that each warp
/// holds: 16 as wgmma has them; with mma.sync two times as many where registers
/// and four warps allow it, as a warp reads all of B for them.
int64_t getWarpRows(MatrixUnit unit, int64_t tileM, int64_t tileN);

/// N of an instruction of `unit` that spans `ctaGroup` CTAs, without the
/// exceptions that integers have. Its K is 32 bytes of a row with every unit
/// (getMmaK).
ExtentRange getInstructionN(MatrixUnit unit, MmaKindFacts kind, int ctaGroup);

/// Fraction bits, below that of the largest one, with which `unit` adds the
/// products of a step and the sum so far. Where they are fewer than f32 has,
/// the sum is truncated to as many.
constexpr int64_t kSumFractionBits = 25;
int64_t getSumFractionBits(MatrixUnit unit, MmaKindFacts kind);

/// Elements of a row that share a scale factor; 0 where the kind has none. Of
/// mxf4nvf4 those that mxf4 does not have (findMmaKind of MmaTypes.h).
int64_t getScaleBlock(MmaKindFacts kind);
/// Bytes of scale factors in a column of Tensor Memory: of 32 lanes, which
/// tcgen05.cp copies to the other 96.
constexpr int64_t kScaleColumnBytes = 128;

/// CTAs of the largest cluster that every device of a family can hold (PTX ISA,
/// "Cluster of Cooperative Thread Arrays"; CUDA C++ programming guide, "Thread
/// Block Clusters").
constexpr int64_t kPortableClusterCtas = 8;
/// 32-bit registers of a multiprocessor, and the most of a thread (CUDA C++
/// programming guide, "Compute Capabilities").
constexpr int64_t kRegisters = 65536;
constexpr int64_t kMaxThreadRegisters = 255;

/// Bytes of the smallest copy of cp.async.
constexpr int64_t kMinCopyBytes = 4;

/// Warps of the role whose threads load what TMA does not, and the elements
/// that each has on their way at a time.
constexpr int64_t kGatherWarps = 4;
constexpr int64_t kElementsInFlight = 8;

} // namespace tc

#endif // TC_SUPPORT_UNITS_H
