//===- MmaSync.h - mma.sync with a kind -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_MMA_MMASYNC_H
#define TC_EMULATOR_EXEC_MMA_MMASYNC_H

#include "Exec/Mma/MatrixTile.h"

#include <optional>

namespace tc::emu {

/// Where the values of registers are, those of all lanes for each.
std::vector<const uint32_t *> lanes(const Warp &w,
                                    const std::vector<Src> &sources);

/// What of A, B and C has no value in the lanes, if anything.
std::optional<UndefinedTile>
findUndefined(const Warp &w, const DecodedInst &inst, const TileForm &form,
              const std::vector<Src> &a, const std::vector<Src> &b,
              const std::vector<Src> &c, uint32_t lanes);
/// D is made of it.
void undefineD(Warp &w, const TileForm &form, const UndefinedTile &undefined,
               const std::vector<Dst> &d);

/// Decodes mma.sync with the modifier `kind` ("kind::mxf4"), which is taken.
void decodeMmaSyncKind(DecodeContext &context, std::string_view kind);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_MMA_MMASYNC_H
