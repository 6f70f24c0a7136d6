//===- InstructionTable.h - how opcode families register --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family registers the first parts of its opcodes ("ld", "tcgen05.mma") with
// a decode function. That function reads modifiers and operands through a
// DecodeContext and fills in a DecodedInst. Errors are sticky: after the first
// one every accessor gives harmless defaults, so decoders need no checks.
// A modifier that no decoder has taken is an error too.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_DECODE_INSTRUCTIONTABLE_H
#define TC_EMULATOR_EXEC_DECODE_INSTRUCTIONTABLE_H

#include "State/DecodedInst.h"
#include "Text/Ast.h"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tc::emu {

class FunctionDecoder;

class DecodeContext {
public:
  DecodeContext(FunctionDecoder &decoder, const ast::Instruction &source,
                DecodedInst &inst, std::vector<std::string_view> modifiers,
                std::string_view base);

  /// The registered part of the opcode ("cp.async.bulk.tensor").
  const std::string_view base;
  const ast::Instruction &source;
  DecodedInst &inst;

  /// The module's first target: "sm_100a".
  std::string_view target() const;

  //===--- modifiers, in order, without dots ("shared::cta") --------------===//
  /// Takes the modifier if it occurs.
  bool take(std::string_view modifier);
  /// Takes the first one that occurs; empty if none does.
  std::string_view takeOneOf(std::initializer_list<std::string_view> choices);
  /// Takes the one that starts with `prefix` ("L2::"); empty if none does.
  std::string_view takePrefix(std::string_view prefix);
  /// Takes the next modifier whatever it is; empty at the end.
  std::string_view takeNext();
  /// The next modifier without taking it.
  std::string_view peek() const;
  /// Takes the next modifier, which must be a type.
  Type takeType();
  /// Takes a state space modifier (global, shared, shared::cta,
  /// shared::cluster, local, param, const); Generic if there is none.
  Space takeSpace();

  //===--- operands -------------------------------------------------------===//
  unsigned numOperands() const { return unsigned(source.operands.size()); }
  const ast::Operand &operand(unsigned i) const;
  /// Fails unless the number of operands is in [min, max].
  bool expectOperands(unsigned min, unsigned max);

  /// A value of `type` to read: a register of fitting width, or an immediate,
  /// or the address of a variable. Registers are added to inst.reads.
  Src src(const ast::Operand &operand, Type type);
  Src src(unsigned i, Type type) { return src(operand(i), type); }
  /// A predicate to read, `!p` included.
  Src predicate(const ast::Operand &operand);
  /// A register to write; `_` gives an invalid Dst.
  Dst dst(const ast::Operand &operand, Type type);
  Dst dst(unsigned i, Type type) { return dst(operand(i), type); }
  Dst predicateDst(const ast::Operand &operand);
  /// The elements of { ... }; a single operand counts as a vector of one.
  std::vector<Src> srcVector(const ast::Operand &operand, Type type);
  std::vector<Dst> dstVector(const ast::Operand &operand, Type type);
  /// [base + offset] in `space`. The coordinate vector, if any, is in
  /// operand.elems[1].
  MemRef memRef(const ast::Operand &operand, Space space);
  MemRef memRef(unsigned i, Space space) { return memRef(operand(i), space); }
  /// The value that `source` has goes on, and decides nothing
  /// (DecodedInst::values).
  void isData(const Src &source) {
    if (source.valid && !source.bank)
      inst.values.push_back(source.reg);
  }
  void areData(const std::vector<Src> &sources) {
    for (const Src &source : sources)
      isData(source);
  }
  /// An integer literal.
  int64_t immediate(const ast::Operand &operand);
  bool isImmediate(const ast::Operand &operand) const {
    return operand.kind == ast::Operand::Kind::Int;
  }
  /// Bits of the register that `operand` names, 0 if it is not a register
  /// (1 for a predicate).
  unsigned registerBits(const ast::Operand &operand) const;

  //===--- errors ---------------------------------------------------------===//
  /// "unsupported instruction '<text>': <message>"; the first one counts.
  void fail(std::string message);
  bool failed() const;

  FunctionDecoder &decoder;

private:
  friend class FunctionDecoder;
  Src literal(const ast::Operand &operand, Type type);
  Src registerValue(const ast::Operand &operand, unsigned bits, const Dst &slot,
                    Type registerType);
  Src addressOf(const ast::Operand &operand, unsigned bits);

  std::vector<std::string_view> modifiers; ///< taken ones are empty
};

using DecodeFn = void (*)(DecodeContext &context);

class InstructionTable {
public:
  /// All families, built at first use.
  static const InstructionTable &get();

  /// `base` is the dotted start of the opcode; the longest match wins.
  void add(std::string_view base, DecodeFn decode) {
    entries.emplace(
        std::string(base),
        Entry{decode, addsComputations,
              addsComputations || addsMoves ? Flow::Pure : Flow::Effect});
  }
  struct Entry {
    DecodeFn decode;
    bool computes; ///< from registers to registers, nothing else
    Flow flow;     ///< of its instructions, unless their decoder says
  };
  /// `parts` is the opcode split at dots; `used` becomes the number of parts
  /// that the entry covers. Null if there is none.
  const Entry *find(const std::vector<std::string_view> &parts,
                    unsigned &used) const;

private:
  std::map<std::string, Entry, std::less<>> entries;
  bool addsComputations = false;
  bool addsMoves = false; ///< pure, though not computations
};

// One registration function per family.
void registerMoveInstructions(InstructionTable &table);
void registerMemoryInstructions(InstructionTable &table);
void registerIntegerInstructions(InstructionTable &table);
void registerCarryInstructions(InstructionTable &table);
void registerCarrylessInstructions(InstructionTable &table);
void registerMatrixInstructions(InstructionTable &table);
void registerMmaSyncInstructions(InstructionTable &table);
/// wmma.load, wmma.store; wmma.mma.
void registerWmmaTransfers(InstructionTable &table);
void registerWmmaProducts(InstructionTable &table);
void registerWgmmaInstructions(InstructionTable &table);
void registerBitInstructions(InstructionTable &table);
void registerFloatInstructions(InstructionTable &table);
void registerHalfInstructions(InstructionTable &table);
void registerCompareInstructions(InstructionTable &table);
void registerConvertInstructions(InstructionTable &table);
void registerControlInstructions(InstructionTable &table);
void registerWarpInstructions(InstructionTable &table);
void registerBarrierInstructions(InstructionTable &table);
void registerMbarrierInstructions(InstructionTable &table);
void registerAtomicInstructions(InstructionTable &table);
void registerFenceInstructions(InstructionTable &table);
/// setmaxnreg.
void registerRegisterPool(InstructionTable &table);
void registerLaunchControlInstructions(InstructionTable &table);
void registerBulkInstructions(InstructionTable &table);
/// st.bulk, discard.
void registerStoreBulkInstructions(InstructionTable &table);
void registerConvertPackInstructions(InstructionTable &table);
/// spcompress, spdecompress.
void registerSparsityInstructions(InstructionTable &table);
void registerStoreAsyncInstructions(InstructionTable &table);
/// cp.async.bulk.tensor, cp.async.bulk.prefetch.tensor and their kin.
void registerTmaInstructions(InstructionTable &table);
void registerTensorMapInstructions(InstructionTable &table);
/// tcgen05.*
void registerTcgen05Instructions(InstructionTable &table);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_DECODE_INSTRUCTIONTABLE_H
