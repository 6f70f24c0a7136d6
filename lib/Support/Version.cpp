//===- Version.cpp - what --version prints ----------------------*- C++ -*-===//
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

#include "tc/Support/Version.h"

#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

using namespace tc;

constexpr llvm::StringLiteral tc::kProjectVersion{TC_VERSION};

void tc::printVersion(llvm::raw_ostream &os, llvm::StringRef tool) {
  os << tool << " " << kProjectVersion << "\n  LLVM: " << LLVM_VERSION_STRING
     << "\n  PTX:";
  llvm::StringRef separator = " ";
  for (const TargetFacts &target : getTargets()) {
    os << separator << target.ptxVersion / 10 << "." << target.ptxVersion % 10
       << " for " << target.chip;
    separator = ", ";
  }
  os << "\n  PTX ISA: the rules of " << kISAVersion
     << "\n  kernel descriptions: version 1\n";
}

void tc::setVersionPrinter(llvm::StringLiteral tool) {
  llvm::cl::SetVersionPrinter(
      [tool](llvm::raw_ostream &os) { printVersion(os, tool); });
}
