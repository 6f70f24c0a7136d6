//===- Parser.h - PTX text to ast::Module -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads PTX ISA 8.6 to 9.0 as LLVM's NVPTX back end and nvcc print it. Fails
// closed: a directive or construct that it does not know is an error with its
// line. Of debug information .loc and .file are read for reports, leniently;
// .section is skipped knowingly, but for names of functions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TEXT_PARSER_H
#define TC_EMULATOR_TEXT_PARSER_H

#include "Text/Ast.h"
#include "tc/Emulator/Error.h"

namespace tc::emu {

/// The result holds views into `text`, which must outlive it.
Expected<std::unique_ptr<ast::Module>> parseModule(std::string_view text);

} // namespace tc::emu

#endif // TC_EMULATOR_TEXT_PARSER_H
