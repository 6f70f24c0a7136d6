//===- Module.h - a parsed and decoded module -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Program hides: the text, its syntax tree, the memory images of
// module-scope variables and one KernelCode per entry.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_MODULE_H
#define TC_EMULATOR_STATE_MODULE_H

#include "State/DecodedInst.h"
#include "Text/Ast.h"
#include "tc/Emulator/Emulator.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tc::emu {

struct Module {
  std::string text;
  std::unique_ptr<ast::Module> source;
  std::vector<KernelCode> kernels; ///< in the order of Program::kernels

  std::unordered_map<std::string_view, const ast::Function *> functions;
  std::unordered_map<std::string_view, const ast::Variable *> variables;

  /// Generic addresses of module-scope .global and .const variables.
  std::map<std::string_view, uint64_t> addresses;
  std::vector<uint8_t> moduleData; ///< image of the module window
  std::vector<uint8_t> constData;  ///< image of the constant window
  /// Where constData has been copied to in device memory; 0: nowhere.
  uint64_t constStorage = 0;
  std::vector<VariableInfo> placed; ///< what is in device memory
  uint64_t codeBase = 0;            ///< address of the first function

  const ast::Function *findFunction(std::string_view name) const;
  const ast::Variable *findVariable(std::string_view name) const;
  /// What a pointer to the function holds.
  uint64_t addressOf(const ast::Function &function) const;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_MODULE_H
