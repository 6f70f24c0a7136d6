//===- KernelLayout.cpp - where parameters and shared variables are -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameter block of an entry, and the shared memory of all that it calls.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/FunctionDecoder.h"

#include <algorithm>
#include <set>

namespace tc::emu {

using ast::Operand;
using ast::VarSpace;

void FunctionDecoder::layoutParams() {
  uint64_t offset = 0;
  for (const ast::Variable &param : entry.params) {
    unsigned align = std::max(param.alignment(), 1u);
    offset = alignTo(offset, align);
    kernel.info.params.push_back({std::string(param.name), unsigned(offset),
                                  unsigned(param.bytes()), align});
    Symbol symbol;
    symbol.kind = Symbol::Kind::Variable;
    symbol.space = Space::Param;
    symbol.address = offset;
    scopes.back()[param.name] = std::move(symbol);
    offset += param.bytes();
  }
  kernel.info.paramBytes = unsigned(offset);
  // PTX ISA 9.0, "Kernel Function Parameters": 32764 bytes from PTX 8.1 on.
  if (offset > 32764)
    fail("expected at most 32764 bytes of parameters, got " +
             std::to_string(offset),
         entry.line);
}

static void collectNames(const Operand &operand,
                         std::set<std::string_view> &names) {
  if (operand.kind == Operand::Kind::Name)
    names.insert(operand.name);
  for (const Operand &element : operand.elems)
    collectNames(element, names);
}

/// Static shared memory holds the variables that the entry and the functions
/// it reaches name; extern arrays all start after them.
void FunctionDecoder::layoutShared() {
  std::vector<const ast::Function *> reachable{&entry};
  std::set<std::string_view> names;
  for (size_t i = 0; i < reachable.size(); ++i)
    for (const ast::Instruction &inst : reachable[i]->instructions) {
      for (const Operand &operand : inst.operands)
        collectNames(operand, names);
      if (inst.opcode.substr(0, 4) != "call")
        continue;
      auto reach = [&](const ast::Function *f) {
        if (std::find(reachable.begin(), reachable.end(), f) == reachable.end())
          reachable.push_back(f);
      };
      const auto target =
          std::find_if(inst.operands.begin(), inst.operands.end(),
                       [](const Operand &operand) { return operand.isName(); });
      if (target == inst.operands.end())
        continue;
      if (const ast::Function *f = module.findFunction(target->name))
        reach(f);
      else
        for (const ast::Function *any : functionsWithAddress())
          reach(any);
    }
  std::vector<const ast::Variable *> variables;
  for (const ast::Variable &v : module.source->variables)
    if (v.space == VarSpace::Shared && names.count(v.name))
      variables.push_back(&v);
  for (const ast::Function *function : reachable)
    for (const ast::Variable &v : function->variables)
      if (v.space == VarSpace::Shared)
        variables.push_back(&v);
  uint64_t offset = 0;
  unsigned dynamicAlign = 16;
  for (const ast::Variable *v : variables) {
    if (v->isExtern) {
      dynamicAlign = std::max(dynamicAlign, v->alignment());
      continue;
    }
    offset = alignTo(offset, std::max(v->alignment(), 1u));
    sharedOffsets[v] = offset;
    if (offset < kSmemMost)
      kernel.sharedVariables.push_back(
          {uint32_t(offset),
           uint32_t(std::min<uint64_t>(v->bytes(), kSmemMost)), v->name});
    offset += v->bytes();
  }
  // A launch refuses what is too large; the limit is far below 32 bits.
  offset = std::min<uint64_t>(offset, ~0u >> 1);
  kernel.info.staticSmem = unsigned(offset);
  kernel.dynamicSmemOffset = uint32_t(alignTo(offset, dynamicAlign));
  for (const ast::Variable *v : variables)
    if (v->isExtern)
      sharedOffsets[v] = kernel.dynamicSmemOffset;
}

} // namespace tc::emu
