//===- Sources.h - what a line of PTX was made of ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_SOURCES_H
#define TC_EMULATOR_STATE_SOURCES_H

#include "Text/Ast.h"

namespace tc::emu {

struct Report;

/// "add.cu:3", or nothing.
std::string sourceOf(const ast::Module &module, int line);

/// A line of text for each line of PTX that the report names and that has a
/// place in the source: file, line and column, and through which calls it was
/// inlined. Nothing without .loc.
std::string describeSources(const ast::Module &module, const Report &report);

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_SOURCES_H
