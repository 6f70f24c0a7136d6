//===- Calls.cpp - calls, inlined -----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of a defined function is replaced by its body with fresh registers:
// parameters in .param space share the caller's storage, register parameters
// are moved. Recursion and calls through pointers are refused. The device
// functions that nvcc calls without defining them are executed here.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/DeviceCalls.h"
#include "Exec/Decode/FunctionDecoder.h"

namespace tc::emu {

using ast::Operand;
using ast::VarSpace;

void FunctionDecoder::emitMove(const Dst &to, const Src &from, unsigned bits,
                               int line, std::string_view text) {
  DecodedInst inst;
  inst.fn = moveFunction(bits);
  inst.d[0] = to;
  inst.s[0] = from;
  inst.line = line;
  inst.text = text;
  inst.propagatesUndefined = true;
  kernel.code.push_back(std::move(inst));
}

void FunctionDecoder::decodeCall(const ast::Instruction &source,
                                 const Src *guard) {
  auto unsupported = [&](std::string why) {
    fail("unsupported instruction '" + std::string(source.text) + "': " + why,
         source.line);
  };
  std::vector<const Operand *> results, arguments;
  size_t i = 0;
  const std::vector<Operand> &operands = source.operands;
  auto list = [&](std::vector<const Operand *> &out) {
    if (i < operands.size() && operands[i].kind == Operand::Kind::List)
      for (const Operand &element : operands[i++].elems)
        out.push_back(&element);
  };
  list(results);
  if (i >= operands.size() || !operands[i].isName())
    return unsupported("expected a function name");
  std::string_view name = operands[i++].name;
  list(arguments);
  const ast::Function *callee = module.findFunction(name);
  if (!callee)
    return unsupported(i < operands.size() ? "calls through pointers"
                                           : "unknown function");
  if (results.size() != callee->results.size() ||
      arguments.size() != callee->params.size())
    return unsupported("arguments do not match the function");

  // A guarded call jumps around the body.
  uint32_t endLabel = newLabel();
  if (guard) {
    DecodedInst inst;
    inst.fn = execBranch;
    inst.line = source.line;
    inst.text = source.text;
    inst.guarded = true;
    inst.guard = *guard;
    inst.guardNegated = !source.guardNegated;
    addBranch(here(), endLabel);
    kernel.code.push_back(std::move(inst));
  }

  if (callee->isDeclaration) {
    DecodedInst inst;
    inst.line = source.line;
    inst.text = source.text;
    std::vector<uint64_t> places;
    for (const std::vector<const Operand *> *side : {&arguments, &results})
      for (const Operand *operand : *side) {
        Symbol *symbol = operand->isName() ? lookup(operand->name) : nullptr;
        if (!symbol || !symbol->functionParam)
          return unsupported("expected .param variables as arguments");
        places.push_back(symbol->address);
      }
    makeDeviceCall(name, std::move(places), inst);
    kernel.code.push_back(std::move(inst));
    labelTargets[endLabel] = here();
    return;
  }

  for (const Call &call : callStack)
    if (call.function == callee)
      return unsupported("recursion");
  if (callStack.size() >= maxCallDepth)
    return unsupported("expected at most " + std::to_string(maxCallDepth) +
                       " calls inside of each other");
  if (++inlinedCalls > maxInlinedCalls)
    return unsupported("expected at most " + std::to_string(maxInlinedCalls) +
                       " calls in a kernel and its functions");
  // Bind names of the callee's parameters, in a scope of their own above the
  // module's; the caller's scopes are out of sight meanwhile.
  Scope bound;
  std::vector<std::pair<Dst, const Operand *>> resultMoves;
  for (bool isResult : {false, true}) {
    const auto &formals = isResult ? callee->results : callee->params;
    const auto &actuals = isResult ? results : arguments;
    for (size_t k = 0; k < formals.size(); ++k) {
      const ast::Variable &formal = formals[k];
      const Operand &actual = *actuals[k];
      Symbol symbol;
      if (formal.space == VarSpace::Param) {
        Symbol *given = actual.isName() ? lookup(actual.name) : nullptr;
        if (!given || !given->functionParam)
          return unsupported("expected .param variables as arguments");
        symbol = *given;
      } else {
        Dst slot = allocate(formal.type);
        symbol.type = formal.type;
        symbol.slots.emplace(0, slot);
        if (isResult) {
          resultMoves.push_back({slot, &actual});
        } else {
          DecodedInst scratch;
          DecodeContext context(*this, source, scratch, {}, "call");
          Src value = context.src(actual, formal.type);
          if (failed())
            return;
          emitMove(slot, value, bitsOf(formal.type), source.line, source.text);
        }
      }
      bound[formal.name] = std::move(symbol);
    }
  }
  std::vector<Scope> hidden(std::make_move_iterator(scopes.begin() + 1),
                            std::make_move_iterator(scopes.end()));
  scopes.resize(1);
  scopes.push_back(std::move(bound));
  uint32_t returnLabel = newLabel();
  callStack.push_back({callee, returnLabel});
  decodeBody(*callee);
  callStack.pop_back();
  scopes.resize(1);
  for (Scope &scope : hidden)
    scopes.push_back(std::move(scope));
  if (failed())
    return;
  labelTargets[returnLabel] = here();
  for (auto &[slot, actual] : resultMoves) {
    Type type = Type::None;
    std::optional<Dst> to = findRegister(actual->name, type);
    if (!to)
      return unsupported("expected registers as results");
    Src from;
    from.offset = slot.offset;
    from.reg = slot.reg;
    from.valid = true;
    emitMove(*to, from, bitsOf(type), source.line, source.text);
  }
  labelTargets[endLabel] = here();
}

} // namespace tc::emu
