//===- IndirectCalls.cpp - calls through pointers -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "call", 9.7.12.5, ".calltargets", 11.3.2, and ".callprototype",
// 11.3.3. Such a call is an indirect branch to the inlined bodies of all
// functions that its pointer may hold: those that it lists, or those of its
// prototype whose address the module takes. What cannot be decoded of them is
// refused when the pointer leads there.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/FunctionDecoder.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

using ast::Operand;

namespace {
struct CallTargets : Payload {
  std::vector<uint64_t> addresses; ///< ascending
};
struct CallRefusal : Payload {
  std::string why;
};

/// Index of the function that the pointer holds.
Step execFindTarget(Warp &w, const DecodedInst &i, uint32_t active) {
  const std::vector<uint64_t> &all = i.as<CallTargets>().addresses;
  const uint64_t *pointer = w.r64(i.s[0]);
  uint32_t *index = w.w32(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    const auto found = std::lower_bound(all.begin(), all.end(), pointer[l]);
    if (found == all.end() || *found != pointer[l]) {
      char text[20];
      snprintf(text, sizeof(text), "0x%llx", (unsigned long long)pointer[l]);
      return w.fail(ReportKind::Trap, i,
                    "expected a pointer to a function of the module with the "
                    "prototype of the call, got " +
                        std::string(text) + " in lane " + std::to_string(l));
    }
    index[l] = uint32_t(found - all.begin());
  }
  w.define(i.d[0], active);
  return Step::Next;
}

Step execRefusedCall(Warp &w, const DecodedInst &i, uint32_t active) {
  return w.fail(ReportKind::Unsupported, i, i.as<CallRefusal>().why);
}

bool sameTypes(const std::vector<ast::Variable> &a,
               const std::vector<ast::Variable> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ast::Variable &x, const ast::Variable &y) {
                      return x.space == y.space && x.bytes() == y.bytes();
                    });
}

void addFunctions(const Module &module, const Operand &operand,
                  std::set<const ast::Function *> &into) {
  if (operand.isName())
    if (const ast::Function *function = module.findFunction(operand.name))
      into.insert(function);
  for (const Operand &element : operand.elems)
    addFunctions(module, element, into);
}
} // namespace

/// Functions that the module names other than to call them.
const std::set<const ast::Function *> &FunctionDecoder::functionsWithAddress() {
  if (addressTaken)
    return *addressTaken;
  addressTaken.emplace();
  for (const ast::Variable &variable : module.source->variables)
    for (const ast::InitValue &value : variable.init)
      if (const ast::Function *function = module.findFunction(value.symbol))
        addressTaken->insert(function);
  for (const ast::Function &function : module.source->functions)
    for (const ast::Instruction &inst : function.instructions) {
      bool isCallee = inst.opcode.substr(0, 4) == "call";
      for (const Operand &operand : inst.operands) {
        if (!isCallee || !operand.isName())
          addFunctions(module, operand, *addressTaken);
        isCallee &= !operand.isName();
      }
    }
  return *addressTaken;
}

bool FunctionDecoder::findTargets(const ast::Instruction &source,
                                  const CallSite &call,
                                  std::vector<const ast::Function *> &targets) {
  Symbol *list = call.list.empty() ? nullptr : lookup(call.list);
  if (list && list->kind == Symbol::Kind::Targets) {
    for (std::string_view name : list->table->labels) {
      const ast::Function *function = module.findFunction(name);
      if (!function) {
        failCall(source, "unknown function '" + std::string(name) + "'");
        return false;
      }
      if (call.results.size() == function->results.size() &&
          call.arguments.size() == function->params.size())
        targets.push_back(function);
    }
  } else if (list && list->kind == Symbol::Kind::Prototype) {
    const ast::Prototype &prototype = *list->prototype;
    if (call.results.size() != prototype.results.size() ||
        call.arguments.size() != prototype.params.size()) {
      failCall(source, "arguments do not match the prototype");
      return false;
    }
    for (const ast::Function *function : functionsWithAddress())
      if (sameTypes(function->results, prototype.results) &&
          sameTypes(function->params, prototype.params))
        targets.push_back(function);
  } else {
    failCall(source, "expected a .calltargets or .callprototype" +
                         (call.list.empty()
                              ? std::string()
                              : ", got '" + std::string(call.list) + "'"));
    return false;
  }
  // Addresses ascend with the functions, which are in one array.
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return true;
}

void FunctionDecoder::emitRefusal(const ast::Instruction &source,
                                  std::string why) {
  DecodedInst inst;
  inst.fn = execRefusedCall;
  inst.line = source.line;
  inst.text = source.text;
  auto refusal = std::make_shared<CallRefusal>();
  refusal->why = std::move(why);
  inst.payload = std::move(refusal);
  kernel.code.push_back(std::move(inst));
}

/// The body of one function that the pointer may hold.
void FunctionDecoder::decodeTarget(const ast::Instruction &source,
                                   CallSite call) {
  const std::string name = "'" + std::string(call.callee->name) + "'";
  for (const Call &outer : callStack)
    if (outer.function == call.callee)
      return emitRefusal(source, "recursion of " + name);
  if (indirectWays > maxIndirectWays)
    return emitRefusal(source, "call of " + name + ": expected at most " +
                                   std::to_string(maxIndirectWays) +
                                   " ways through nested calls of pointers, "
                                   "got " +
                                   std::to_string(indirectWays));
  const size_t instructions = kernel.code.size(), jumps = branches.size(),
               tables = indirect.size();
  const unsigned calls = inlinedCalls;
  decodeDirectCall(source, call);
  inlinedCalls = calls; // the limit is that of calls by name
  if (!failed())
    return;
  std::string why = std::move(kernel.unsupported);
  kernel.unsupported.clear();
  const int line = kernel.unsupportedLine;
  kernel.code.resize(instructions);
  branches.resize(jumps);
  indirect.resize(tables);
  emitRefusal(source, "call of " + name + ", line " + std::to_string(line) +
                          ": " + why);
}

void FunctionDecoder::decodeIndirectCall(const ast::Instruction &source,
                                         const CallSite &call,
                                         uint32_t endLabel) {
  std::vector<const ast::Function *> targets;
  DecodedInst find;
  DecodeContext context(*this, source, find, {}, "call");
  if (!findTargets(source, call, targets))
    return;
  find.s[0] = context.src(*call.target, Type::B64);
  if (failed())
    return;
  const Dst index = allocate(Type::B32);
  auto known = std::make_shared<CallTargets>();
  for (const ast::Function *function : targets)
    known->addresses.push_back(module.addressOf(*function));
  find.fn = execFindTarget;
  find.line = source.line;
  find.text = source.text;
  find.d[0] = index;
  find.payload = std::move(known);
  kernel.code.push_back(std::move(find));
  if (targets.empty())
    return;
  std::vector<uint32_t> labels;
  for (size_t i = 0; i < targets.size(); ++i)
    labels.push_back(newLabel());
  DecodedInst jump;
  jump.fn = execIndirectBranch;
  jump.line = source.line;
  jump.text = source.text;
  jump.s[0] = valueOf(index);
  addIndirect(here(), labels);
  kernel.code.push_back(std::move(jump));
  const uint64_t ways = indirectWays;
  indirectWays *= targets.size();
  for (size_t i = 0; i < targets.size(); ++i) {
    labelTargets[labels[i]] = here();
    CallSite site = call;
    site.callee = targets[i];
    decodeTarget(source, site);
    emitJump(endLabel, source.line, source.text);
  }
  indirectWays = ways;
}

} // namespace tc::emu
