//===- Targets.h - which chips and versions have a form ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms that few chips have, and those of PTX ISA 9.1 and later, are refused
// where the .target or the .version of a module does not have them, as ptxas
// refuses them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_DECODE_TARGETS_H
#define TC_EMULATOR_EXEC_DECODE_TARGETS_H

#include "Exec/Decode/InstructionTable.h"
#include "tc/Emulator/Version.h"

namespace tc::emu {

/// What ptxas 13.5 takes a form on.
enum class Targets : uint8_t {
  From80, ///< and later, of any suffix
  From90,
  From100,
  Rubin,       ///< sm_107f, sm_107a
  RubinA,      ///< sm_107a alone
  PackedBytes, ///< those and the family of sm_120
  Stochastic,  ///< the data-centre chips with .rs
  Fixed,       ///< .s2f6x2
  DataCenter,  ///< those with Tensor Memory or wgmma, by an a or f name
  Specific,    ///< these and the family of sm_120
  SmallFloats, ///< those without sm_90a
  IntegerMma   ///< tcgen05.mma of .kind::i8
};

/// Why the module, for lack of one of `targets` or of `version` or later, does
/// not have `form`; empty if it has.
std::string missingTarget(const ast::Module &module, std::string_view form,
                          Targets targets, PtxVersion version);

/// Fails with that.
void expectTarget(DecodeContext &context, std::string_view form,
                  Targets targets, PtxVersion version);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_DECODE_TARGETS_H
