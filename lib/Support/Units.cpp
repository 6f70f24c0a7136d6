//===- Units.cpp - facts about matrix units ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of Units.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Units.h"

namespace tc {

const MatrixUnitFacts &getFacts(MatrixUnit unit) {
  // By number.
  static const MatrixUnitFacts table[] = {
      // name, Tensor Memory, CTAs, bits transposed, unpacked
      {"tcgen05", true, 2, 0, true},
      // PTX ISA, "wgmma.mma_async": imm-trans of 16-bit types alone.
      {"wgmma", false, 1, 16, false},
      // PTX ISA, "ldmatrix": .trans of 16-bit elements alone.
      {"mma_sync", false, 1, 16, false},
  };
  return table[static_cast<uint32_t>(unit)];
}

llvm::ArrayRef<llvm::StringRef> getMatrixUnitNames() {
  static const llvm::StringRef names[] = {getFacts(MatrixUnit::Tcgen05).name,
                                          getFacts(MatrixUnit::Wgmma).name,
                                          getFacts(MatrixUnit::MmaSync).name};
  return names;
}

llvm::SmallVector<MatrixUnit, 2> getMatrixUnits(const TargetFacts &target) {
  llvm::SmallVector<MatrixUnit, 2> units;
  if (target.hasTcgen05)
    units.push_back(MatrixUnit::Tcgen05);
  if (target.hasWgmma)
    units.push_back(MatrixUnit::Wgmma);
  // Every target has it.
  units.push_back(MatrixUnit::MmaSync);
  return units;
}

llvm::ArrayRef<int64_t> getTileRows(MatrixUnit unit, int ctaGroup) {
  static constexpr int64_t single[] = {64, 128};
  static constexpr int64_t pair[] = {256};
  static constexpr int64_t warpgroups[] = {kWgmmaM, 2 * kWgmmaM, 3 * kWgmmaM,
                                           4 * kWgmmaM};
  if (!getFacts(unit).hasTensorMemory)
    return warpgroups;
  return ctaGroup == 2 ? llvm::ArrayRef<int64_t>(pair)
                       : llvm::ArrayRef<int64_t>(single);
}

int64_t getWarpRows(MatrixUnit unit, int64_t tileM, int64_t tileN) {
  // Beside more columns ptxas 13.0 spills; warps come in whole warpgroups.
  constexpr int64_t kMostColumns = 96;
  constexpr int64_t kWarps = kWarpgroupThreads / kWarpThreads;
  bool isWide = unit == MatrixUnit::MmaSync && tileN <= kMostColumns &&
                tileM % (2 * kMmaSyncM * kWarps) == 0;
  return isWide ? 2 * kMmaSyncM : kMmaSyncM;
}

ExtentRange getInstructionN(MatrixUnit unit, MmaKindFacts kind, int ctaGroup) {
  // A row of instructions with N of 8 each.
  if (unit == MatrixUnit::MmaSync)
    return kWgmmaN;
  if (unit == MatrixUnit::Wgmma)
    return kind == MmaKindFacts::I8 ? kWgmmaIntegerN : kWgmmaN;
  return getMmaN(kind, ctaGroup);
}

int64_t getSumFractionBits(MatrixUnit unit, MmaKindFacts kind) {
  // Measured on an H200, and of tcgen05 what its recorded bits agree with:
  // neither is in the PTX ISA.
  if (unit == MatrixUnit::Wgmma && kind == MmaKindFacts::F8F6F4)
    return 13;
  return kSumFractionBits;
}

int64_t getScaleBlock(MmaKindFacts kind) {
  switch (kind) {
  case MmaKindFacts::MXF8F6F4:
  case MmaKindFacts::MXF4:
    return 32;
  case MmaKindFacts::MXF4NVF4:
    return 16;
  default:
    return 0;
  }
}

} // namespace tc
