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
// are moved. Recursion is refused. IndirectCalls.cpp has calls through
// pointers. The device functions that nvcc calls without defining them are
// executed here.
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
  inst.flow = Flow::Pure;
  inst.sum = Sum::Move;
  inst.d[0] = to;
  inst.s[0] = from;
  inst.line = line;
  inst.text = text;
  inst.propagatesUndefined = true;
  kernel.code.push_back(std::move(inst));
}

void FunctionDecoder::failCall(const ast::Instruction &source,
                               const std::string &why) {
  fail("unsupported instruction '" + std::string(source.text) + "': " + why,
       source.line);
}

/// The operands of a call: results and arguments as lists, around the name.
bool FunctionDecoder::readCall(const ast::Instruction &source, CallSite &call) {
  size_t i = 0;
  const std::vector<Operand> &operands = source.operands;
  auto list = [&](std::vector<const Operand *> &out) {
    if (i < operands.size() && operands[i].kind == Operand::Kind::List)
      for (const Operand &element : operands[i++].elems)
        out.push_back(&element);
  };
  list(call.results);
  if (i >= operands.size() || !operands[i].isName()) {
    failCall(source, "expected a function name");
    return false;
  }
  call.target = &operands[i++];
  list(call.arguments);
  if (i < operands.size() && operands[i].isName())
    call.list = operands[i].name;
  call.callee = module.findFunction(call.target->name);
  if (!call.callee) {
    Type type = Type::None;
    if (findRegister(call.target->name, type))
      return true;
    failCall(source, "unknown function");
    return false;
  }
  if (call.results.size() != call.callee->results.size() ||
      call.arguments.size() != call.callee->params.size()) {
    failCall(source, "arguments do not match the function");
    return false;
  }
  return true;
}

/// A guarded call jumps around the body.
void FunctionDecoder::emitGuard(const ast::Instruction &source,
                                const Src &guard, uint32_t endLabel) {
  DecodedInst inst;
  inst.fn = execBranch;
  inst.line = source.line;
  inst.text = source.text;
  inst.guarded = true;
  inst.guard = guard;
  inst.guardNegated = !source.guardNegated;
  addBranch(here(), endLabel);
  kernel.code.push_back(std::move(inst));
}

/// A function without a body, which is executed here.
void FunctionDecoder::decodeDeviceCall(const ast::Instruction &source,
                                       const CallSite &call) {
  DecodedInst inst;
  inst.line = source.line;
  inst.text = source.text;
  std::vector<uint64_t> places;
  for (const std::vector<const Operand *> *side :
       {&call.arguments, &call.results})
    for (const Operand *operand : *side) {
      Symbol *symbol = operand->isName() ? lookup(operand->name) : nullptr;
      if (!symbol || !symbol->functionParam)
        return failCall(source, "expected .param variables as arguments");
      places.push_back(symbol->address);
    }
  makeDeviceCall(call.callee->name, std::move(places), inst);
  kernel.code.push_back(std::move(inst));
}

bool FunctionDecoder::checkDepth(const ast::Instruction &source,
                                 const ast::Function &callee) {
  for (const Call &call : callStack)
    if (call.function == &callee) {
      failCall(source, "recursion");
      return false;
    }
  if (callStack.size() >= maxCallDepth) {
    failCall(source, "expected at most " + std::to_string(maxCallDepth) +
                         " nested calls");
    return false;
  }
  if (++inlinedCalls > maxInlinedCalls) {
    failCall(source, "expected at most " + std::to_string(maxInlinedCalls) +
                         " calls in a kernel and its functions");
    return false;
  }
  return true;
}

/// Binds the names of the callee's parameters in `bound`, and moves arguments
/// into registers; results in registers are to be moved after the body.
bool FunctionDecoder::bindParameters(const ast::Instruction &source,
                                     const CallSite &call, Scope &bound,
                                     std::vector<ResultMove> &resultMoves) {
  for (bool isResult : {false, true}) {
    const auto &formals = isResult ? call.callee->results : call.callee->params;
    const auto &actuals = isResult ? call.results : call.arguments;
    for (size_t k = 0; k < formals.size(); ++k) {
      const ast::Variable &formal = formals[k];
      const Operand &actual = *actuals[k];
      Symbol symbol;
      if (formal.space == VarSpace::Param) {
        Symbol *given = actual.isName() ? lookup(actual.name) : nullptr;
        if (!given || !given->functionParam) {
          failCall(source, "expected .param variables as arguments");
          return false;
        }
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
            return false;
          emitMove(slot, value, bitsOf(formal.type), source.line, source.text);
        }
      }
      bound[formal.name] = std::move(symbol);
    }
  }
  return true;
}

/// The body of a function, whose parameters have a scope of their own above
/// the module's; the caller's scopes are out of sight meanwhile.
void FunctionDecoder::inlineBody(const ast::Function &callee, Scope bound) {
  std::vector<Scope> hidden(std::make_move_iterator(scopes.begin() + 1),
                            std::make_move_iterator(scopes.end()));
  scopes.resize(1);
  scopes.push_back(std::move(bound));
  uint32_t returnLabel = newLabel();
  callStack.push_back({&callee, returnLabel});
  decodeBody(callee);
  callStack.pop_back();
  scopes.resize(1);
  for (Scope &scope : hidden)
    scopes.push_back(std::move(scope));
  labelTargets[returnLabel] = here();
}

void FunctionDecoder::decodeDirectCall(const ast::Instruction &source,
                                       const CallSite &call) {
  if (call.callee->isDeclaration)
    return decodeDeviceCall(source, call);
  Scope bound;
  std::vector<ResultMove> resultMoves;
  if (!checkDepth(source, *call.callee) ||
      !bindParameters(source, call, bound, resultMoves))
    return;
  inlineBody(*call.callee, std::move(bound));
  if (failed())
    return;
  for (auto &[slot, actual] : resultMoves) {
    Type type = Type::None;
    std::optional<Dst> to = findRegister(actual->name, type);
    if (!to)
      return failCall(source, "expected registers as results");
    emitMove(*to, valueOf(slot), bitsOf(type), source.line, source.text);
  }
}

void FunctionDecoder::decodeCall(const ast::Instruction &source,
                                 const Src *guard) {
  CallSite call{};
  if (!readCall(source, call))
    return;
  uint32_t endLabel = newLabel();
  if (guard)
    emitGuard(source, *guard, endLabel);
  if (call.callee)
    decodeDirectCall(source, call);
  else
    decodeIndirectCall(source, call, endLabel);
  labelTargets[endLabel] = here();
}

} // namespace tc::emu
