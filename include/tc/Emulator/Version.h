//===- Version.h - versions of what is read ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The version of the project, and the versions of the PTX ISA and of kernel
// descriptions that the emulator and the runtime read.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_VERSION_H
#define TC_EMULATOR_VERSION_H

#include <string>
#include <utility>

namespace tc::emu {

/// As "0.1.0": the version of the top CMakeLists.txt.
extern const char *const kProjectVersion;

/// Major and minor of the `.version` directives that are read. 9.1 to 9.5 add
/// instructions and change the meaning of none ("Release Notes", "Semantic
/// Changes and Clarifications").
using PtxVersion = std::pair<unsigned, unsigned>;
constexpr PtxVersion kFirstPtxVersion{6, 0}, kLastPtxVersion{9, 5};
/// As "6.0 to 9.5".
std::string ptxVersions();

/// Of kernel descriptions and launch files.
constexpr unsigned kDescriptionVersion = 1;

/// What --version prints: project, LLVM, PTX ISA and descriptions.
std::string describeVersion(const std::string &tool);

} // namespace tc::emu

#endif // TC_EMULATOR_VERSION_H
