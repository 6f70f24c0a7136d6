//===- Names.h - symbols for people -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NAMES_H
#define TC_EMULATOR_NAMES_H

#include <string>
#include <string_view>

namespace tc::emu {

/// What a C++ symbol stands for, with its types; the symbol itself if it is
/// none.
std::string fullName(std::string_view symbol);

/// The same without return type and parameters, long lists of template
/// arguments as "<...>": "cutlass::device_kernel<...>".
std::string shortName(std::string_view symbol);

} // namespace tc::emu

#endif // TC_EMULATOR_NAMES_H
