//===- FunctionDecoder.h - names, registers and control flow ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the body of an entry, inlines the functions it calls, gives registers
// and variables their places, decodes instructions through the
// InstructionTable and finds the reconvergence point of every branch.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_DECODE_FUNCTIONDECODER_H
#define TC_EMULATOR_EXEC_DECODE_FUNCTIONDECODER_H

#include "Exec/Decode/InstructionTable.h"
#include "State/Module.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tc::emu {

/// The first multiple of `alignment` from `value` on.
inline uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// A name in scope.
struct Symbol {
  enum class Kind : uint8_t {
    Register,
    Variable,
    Label,
    Table,
    Targets,
    Prototype
  };
  Kind kind = Kind::Register;
  // Register, or a family of them: %r<10>.
  Type type = Type::None;
  unsigned count = 0;                      ///< 0: a single register
  std::unordered_map<unsigned, Dst> slots; ///< of the members in use
  // Variable. Shared: offset after kSmemReserved; local: in the thread's
  // local memory; param: in the parameter block; global, const: generic
  // address.
  Space space = Space::Generic;
  uint64_t address = 0;
  bool functionParam = false; ///< lives in local memory
  // Label.
  uint32_t label = 0;
  const ast::Statement *table = nullptr; ///< also of targets
  const ast::Prototype *prototype = nullptr;
};

class FunctionDecoder {
public:
  FunctionDecoder(const Module &module, const ast::Function &entry);
  KernelCode decode();

  //===--- for DecodeContext ----------------------------------------------===//
  Symbol *lookup(std::string_view name);
  /// The slot of a register name; nothing if it names none.
  std::optional<Dst> findRegister(std::string_view name, Type &type);
  /// The frame slot of a special register; nothing if it names none that lives
  /// in the frame.
  std::optional<Dst> findSpecial(std::string_view name, unsigned &bits);
  Src constant32(uint32_t value);
  Src constant64(uint64_t value);
  Dst special(SpecialReg which);
  /// The kernel has a collective: where its lanes meet.
  void allocateMeeting();
  /// The address of the CTA's own shared byte `offset` (after kSmemReserved);
  /// emits an instruction that computes it.
  Src sharedAddress(uint32_t offset, unsigned bits,
                    const ast::Instruction &source);
  /// Label of the current scope; ~0 if there is none.
  uint32_t findLabel(std::string_view name);
  /// Labels of a .branchtargets table; null if there is none.
  const std::vector<std::string_view> *findTable(std::string_view name);
  void addBranch(uint32_t instruction, uint32_t label) {
    branches.push_back({instruction, label});
  }
  /// Where a label leads; valid for instructions' exec data only after decode.
  void addIndirect(uint32_t instruction, std::vector<uint32_t> labels) {
    indirect.push_back({instruction, std::move(labels)});
  }
  uint32_t here() const { return uint32_t(kernel.code.size()); }
  unsigned paramBytes() const { return kernel.info.paramBytes; }
  const ast::Instruction *currentInstruction = nullptr;
  const Module &module;

  void fail(std::string message, int line);
  bool failed() const { return !kernel.unsupported.empty(); }
  /// Whether decoding is inside an inlined function, and where its ret goes.
  bool inlined() const { return !callStack.empty(); }
  uint32_t returnLabel() const { return callStack.back().returnLabel; }

private:
  struct Call {
    const ast::Function *function;
    uint32_t returnLabel;
  };
  struct CallSite {
    const ast::Operand *target; ///< a function, or a register with a pointer
    std::string_view list;      ///< of a call through a pointer: the last word
    const ast::Function *callee;
    std::vector<const ast::Operand *> results, arguments;
  };
  using ResultMove = std::pair<Dst, const ast::Operand *>;
  using Scope = std::unordered_map<std::string_view, Symbol>;

  void layoutParams();
  void layoutShared();
  void decodeBody(const ast::Function &function);
  void enterScope(const ast::Function &function, size_t firstStatement);
  /// A variable of the module, which becomes a symbol of the outermost scope.
  Symbol *lookupModule(std::string_view name);
  void declare(const ast::Variable &variable);
  void decodeInstruction(const ast::Instruction &source);
  void decodeCall(const ast::Instruction &source, const Src *guard);
  void failCall(const ast::Instruction &source, const std::string &why);
  bool readCall(const ast::Instruction &source, CallSite &call);
  void emitGuard(const ast::Instruction &source, const Src &guard,
                 uint32_t endLabel);
  void decodeDeviceCall(const ast::Instruction &source, const CallSite &call);
  void decodeDirectCall(const ast::Instruction &source, const CallSite &call);
  void decodeIndirectCall(const ast::Instruction &source, const CallSite &call,
                          uint32_t endLabel);
  bool findTargets(const ast::Instruction &source, const CallSite &call,
                   std::vector<const ast::Function *> &targets);
  void decodeTarget(const ast::Instruction &source, CallSite call);
  void emitRefusal(const ast::Instruction &source, std::string why);
  const std::set<const ast::Function *> &functionsWithAddress();
  bool checkDepth(const ast::Instruction &source, const ast::Function &callee);
  bool bindParameters(const ast::Instruction &source, const CallSite &call,
                      Scope &bound, std::vector<ResultMove> &resultMoves);
  void inlineBody(const ast::Function &callee, Scope bound);
  bool decodeGuard(const ast::Instruction &source, DecodedInst &inst);
  Dst allocate(Type type);
  uint32_t newLabel() {
    labelTargets.push_back(~0u);
    return uint32_t(labelTargets.size() - 1);
  }
  void emitJump(uint32_t label, int line, std::string_view text);
  void emitMove(const Dst &to, const Src &from, unsigned bits, int line,
                std::string_view text);
  uint64_t allocateLocal(uint64_t bytes, uint64_t align);
  void finishBranches();

  const ast::Function &entry;
  KernelCode kernel;
  std::vector<Scope> scopes;
  std::vector<Call> callStack;
  /// Calls inlined so far. Functions that call each other twice grow without
  /// bound when inlined, so that calls and instructions are limited.
  unsigned inlinedCalls = 0;
  static constexpr unsigned maxCallDepth = 128, maxInlinedCalls = 1u << 16;
  static constexpr size_t maxInstructions = 1u << 21;
  /// A call through a pointer has a body for every function that it may reach:
  /// how many bodies there are of this one, in calls inside of calls.
  uint64_t indirectWays = 1;
  static constexpr uint64_t maxIndirectWays = 1u << 12;
  std::optional<std::set<const ast::Function *>> addressTaken;
  std::vector<uint32_t> labelTargets;
  struct Branch {
    uint32_t instruction, label;
  };
  std::vector<Branch> branches;
  struct Indirect {
    uint32_t instruction;
    std::vector<uint32_t> labels;
  };
  std::vector<Indirect> indirect;
  std::map<std::pair<uint64_t, bool>, Src> constants;
  std::map<SpecialReg, Dst> specials;
  std::map<const ast::Variable *, uint64_t> sharedOffsets;
};

/// Decodes one entry with everything that it calls inlined. Never fails: what
/// cannot be decoded is noted in KernelCode::unsupported.
KernelCode decodeKernel(const Module &module, const ast::Function &entry);

/// Fills in DecodedInst::reconverge of every branch of `code`: the first
/// instruction of the branch's immediate post-dominator. `targets` lists the
/// targets of indirect branches by instruction.
void findReconvergence(
    std::vector<DecodedInst> &code,
    const std::unordered_map<uint32_t, std::vector<uint32_t>> &targets);

// The execution functions that control flow is recognised by.
Step execBranch(Warp &warp, const DecodedInst &inst, uint32_t active);
Step execIndirectBranch(Warp &warp, const DecodedInst &inst, uint32_t active);
Step execExit(Warp &warp, const DecodedInst &inst, uint32_t active);
Step execTrap(Warp &warp, const DecodedInst &inst, uint32_t active);

/// brx.idx: where each index leads.
struct BranchTable : Payload {
  std::vector<uint32_t> targets;
};

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_DECODE_FUNCTIONDECODER_H
