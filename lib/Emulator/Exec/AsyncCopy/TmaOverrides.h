//===- TmaOverrides.h - what stands instead of a tensor map -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of a tensor map that an instruction overrides (PTX ISA 9.4,
// "Overriding tensor property value", 9.7.10.28.5.2), and what a load reports.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_ASYNCCOPY_TMAOVERRIDES_H
#define TC_EMULATOR_EXEC_ASYNCCOPY_TMAOVERRIDES_H

#include "Engines/TMA/TmaOps.h"
#include "Exec/Decode/InstructionTable.h"
#include "State/Machine.h"

#include <string>
#include <vector>

namespace tc::emu {

/// Which of them the modifiers name.
struct GivenOverrides {
  bool address = false, extents = false, strides = false;

  /// Operands between the tensor map and the coordinates.
  unsigned countOperands() const { return address + extents + 3 * strides; }
};

/// The address of the tensor; then, of tiles, its extents, and the lower 32
/// bits of strides in 16 bytes, with 4 more bits of each in one word.
struct MapOverrides {
  Src address;
  std::vector<Src> extents, strides;
  Src upperStrides;
};

/// The modifiers of a copy of a tensor of that rank, which fails in `context`
/// where they are illegal.
GivenOverrides takeOverrides(DecodeContext &context, unsigned rank,
                             bool isTile);
/// The operands in [map, address, {extents}, {strides}, upper strides,
/// {coordinates}].
MapOverrides decodeOverrides(DecodeContext &context,
                             const ast::Operand &operand, unsigned rank,
                             const GivenOverrides &given);
/// Puts the values of `lane` into `map`; why they are illegal, or empty.
std::string overrideMap(const Warp &warp, const MapOverrides &overrides,
                        const std::vector<Src> &coordinates, unsigned lane,
                        TensorMapDesc &map);

/// ".mbarrier::report::...", if there is one.
ReportPattern takeReport(DecodeContext &context);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_ASYNCCOPY_TMAOVERRIDES_H
