//===- Variables.h - Where module variables are -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_VARIABLES_H
#define TC_EMULATOR_VARIABLES_H

#include "tc/Emulator/Emulator.h"

#include <map>

namespace tc::emu {

/// Addresses that .global variables have to have, by name.
using VariablePlaces = std::map<std::string, uint64_t, std::less<>>;

/// As parsePTX, with variables in `memory` and some of them at given addresses:
/// pointers that a recorded launch holds keep their meaning. Fails where an
/// address is taken or a name is not that of a .global variable.
Expected<std::shared_ptr<const Program>>
parsePTXAt(std::string_view text, std::string_view fileName,
           DeviceMemory &memory, const VariablePlaces &places);

} // namespace tc::emu

#endif // TC_EMULATOR_VARIABLES_H
