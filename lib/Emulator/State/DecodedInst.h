//===- DecodedInst.h - predecoded instructions ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction as the interpreter runs it: a function, resolved operands and
// what the main loop checks before the call (guard, registers read). Operands
// are offsets into two banks of 32-lane registers: the warp's frame and the
// kernel's constants (immediates, one value for all lanes).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_DECODEDINST_H
#define TC_EMULATOR_STATE_DECODEDINST_H

#include "State/Address.h"
#include "State/Events.h"
#include "Text/Type.h"
#include "tc/Emulator/Certificate.h"
#include "tc/Emulator/Emulator.h"

#include <memory>
#include <string>
#include <vector>

namespace tc::emu {

class Warp;
struct DecodedInst;

/// What the interpreter does after an instruction.
enum class Step : uint8_t {
  Next,  ///< go on after it
  Jump,  ///< the split's pc has been set (branches)
  Block, ///< run the same instruction again when what it waits for may be there
  Yield, ///< done; let others run (polls, nanosleep, issue of async work)
  Resplit, ///< the warp's splits have changed; look again which one runs
  Stop     ///< an error was reported
};

/// What an instruction is for those who follow values and control through a
/// run.
enum class Flow : uint8_t {
  Effect, ///< others may see that it was executed
  Pure,   ///< registers from registers
  Branch, ///< to `target`
  Pause   ///< nanosleep
};

/// Whether the result is the sum of its sources: an address in the same object,
/// where one source is one.
enum class Sum : uint8_t {
  None,
  Add,
  Move,    ///< of one
  Disjoint ///< or: where they have no bit in common
};

/// One function per (operation, type). `active` holds the lanes to execute,
/// never zero. Sources have been checked for undefined lanes.
using ExecFn = Step (*)(Warp &warp, const DecodedInst &inst, uint32_t active);

/// A register or immediate to read. Slots hold 32 lanes: of 32 bits (8 and 16
/// bit registers too, zero-extended), 64 bits, 128 bits, or one word of 32
/// predicate bits.
struct Src {
  uint32_t offset = 0;  ///< in 32-bit words
  uint32_t reg = 0;     ///< index of the register's mask of defined lanes
  uint8_t bank = 0;     ///< 0 frame, 1 constants
  bool negated = false; ///< predicates only
  bool valid = false;
};

/// A register to write; invalid for the sink `_`.
struct Dst {
  uint32_t offset = 0;
  uint32_t reg = 0;
  bool valid = false;
};

/// The register that `slot` writes, to be read.
inline Src valueOf(const Dst &slot) {
  Src value;
  value.offset = slot.offset;
  value.reg = slot.reg;
  value.valid = true;
  return value;
}

/// [base + offset]. Shared variables have the CTA's shared base as base, other
/// variables a constant.
struct MemRef {
  Src base;
  int64_t offset = 0;
  bool base64 = false;
  Space space = Space::Generic;
  explicit operator bool() const { return base.valid; }
};

/// Bits of the result that have no value in a lane of which a source has none
/// or not all (Exec/Decode/BitRules.h); of predicates, bit k stands for d[k].
using BitRule = uint64_t (*)(const Warp &warp, const DecodedInst &inst,
                             unsigned lane);

/// Operands beyond the fixed ones; each family derives its own.
struct Payload {
  virtual ~Payload();
};

struct DecodedInst {
  ExecFn fn = nullptr;
  /// What the interpreter calls: `fn`, or for what a warp's history keeps
  /// (synchronisation and asynchronous work) a function that calls it.
  ExecFn run = nullptr;
  int line = 0;
  bool guarded = false;
  bool guardNegated = false;
  /// All non-exited lanes of the warp have to execute it together.
  bool aligned = false;
  /// Reads of undefined lanes propagate instead of stopping (mov).
  bool propagatesUndefined = false;
  /// Registers from registers: a lane that reads an undefined register gets
  /// undefined results.
  bool computes = false;
  /// Memory, other lanes and matrices hold undefined values, too: the function
  /// passes them on.
  bool tracksUndefined = false;
  BitRule bitRule = nullptr; ///< where it computes; null: all bits
  bool givesPredicates = false;
  uint8_t ruleBits = 0; ///< what the rule wants to know
  Src guard;

  Dst d[2];
  Src s[4];
  MemRef mem;
  uint64_t imm = 0;
  uint32_t aux = 0;                      ///< small per-family field
  MemoryOrder order = MemoryOrder::Weak; ///< of accesses and barrier operations
  Scope scope = Scope::Cta;
  uint8_t element = 0;       ///< bytes of a scalar that it accesses, 0: unknown
  uint32_t target = 0;       ///< branch target
  uint32_t reconverge = ~0u; ///< immediate post-dominator, ~0: none

  /// Mask indices of all frame registers read, for the check before the call.
  std::vector<uint32_t> reads;
  /// The same of those whose value goes to memory, to other lanes or into a
  /// result, and decides nothing.
  std::vector<uint32_t> values;
  /// The same of registers written.
  std::vector<uint32_t> writes;
  Choice choice = Choice::None;
  Flow flow = Flow::Effect;
  Sum sum = Sum::None;
  std::shared_ptr<const Payload> payload;
  std::string_view text; ///< for reports

  template <class T>
  const T &as() const {
    return static_cast<const T &>(*payload);
  }
};

/// Special registers that live in the frame, filled when a warp starts.
enum class SpecialReg : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  TotalSmemSize,
  DynamicSmemSize,
  AggrSmemSize,
  ReservedSmemBegin,
  ReservedSmemEnd,
  ReservedSmemCap,
  ReservedSmem0,
  ReservedSmem1,
  LocalityDomainId,
  LocalityDomainSupplementalSm,
  SmemBase, ///< not PTX: address of the CTA's first own shared byte
  EnvReg0,  ///< %envreg0, and the 31 that follow it
  EnvReg31 = EnvReg0 + 31
};

/// A decoded kernel with its inlined functions.
struct KernelCode {
  KernelInfo info;
  std::vector<DecodedInst> code;
  uint32_t numRegs = 0;                  ///< mask indices in use in the frame
  uint32_t frameWords = 0;               ///< 32-bit words of the frame
  std::vector<uint32_t> registerOffsets; ///< by mask index, ascending, in words
  std::vector<uint32_t> constants;       ///< bank 1
  uint32_t numConstants = 0;             ///< mask indices in use in bank 1
  struct Special {
    SpecialReg which;
    Dst dst;
  };
  std::vector<Special> specials;
  /// The registers that PTX names, in the order of their first use.
  struct Register {
    std::string_view name;
    std::string_view function; ///< where it was inlined from; empty: the entry
    Type type;
    Dst dst;
  };
  std::vector<Register> registers;
  /// Sources and results of collectives whose lanes come at several
  /// instructions; valid in kernels that have collectives.
  struct Meeting {
    Dst sources[4], results[2];
  };
  Meeting meeting;
  uint32_t localBytes = 0; ///< per thread
  /// Where extern .shared arrays start, after kSmemReserved.
  uint32_t dynamicSmemOffset = 0;
  /// Static shared variables, by offset after kSmemReserved.
  struct SharedVariable {
    uint32_t offset, bytes;
    std::string_view name;
  };
  std::vector<SharedVariable> sharedVariables;
  /// " (bar+8)" for what is at an offset of shared memory; nothing if no static
  /// variable is there.
  std::string nameShared(uint32_t offset) const;
  /// Initial contents of module variables do not depend on the kernel; see
  /// Module. Set when decoding failed: why this kernel cannot be launched.
  std::string unsupported;
  int unsupportedLine = 0;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_DECODEDINST_H
