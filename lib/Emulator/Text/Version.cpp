//===- Version.cpp - versions of what is read -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TC_VERSION is defined for this file alone: a new version rebuilds no other.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Version.h"

using namespace tc;

const char *const emu::kProjectVersion = TC_VERSION;

static std::string toText(emu::PtxVersion version) {
  return std::to_string(version.first) + "." + std::to_string(version.second);
}

std::string emu::ptxVersions() {
  return toText(kFirstPtxVersion) + " to " + toText(kLastPtxVersion);
}

std::string emu::describeVersion(const std::string &tool) {
  return tool + " " + kProjectVersion + "\n  LLVM: none\n  PTX: reads " +
         ptxVersions() + "\n  kernel descriptions: version " +
         std::to_string(kDescriptionVersion) + "\n";
}
