//===- Version.h - what --version prints ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_VERSION_H
#define TC_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tc {

/// As "0.1.0": the version of the top CMakeLists.txt.
extern const llvm::StringLiteral kProjectVersion;
/// The PTX ISA whose sections diagnostics cite.
constexpr llvm::StringLiteral kISAVersion{"9.0"};

/// Names the project, LLVM, the PTX of each target and the PTX ISA whose rules
/// the verifiers hold.
void printVersion(llvm::raw_ostream &os, llvm::StringRef tool);

/// Makes --version of LLVM's command line print that.
void setVersionPrinter(llvm::StringLiteral tool);

} // namespace tc

#endif // TC_SUPPORT_VERSION_H
