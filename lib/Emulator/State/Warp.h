//===- Warp.h - registers and splits of one warp ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp is 32 lanes of registers and the splits they run in: groups of lanes
// with one program counter. Splits that diverged wait for each other at the
// branch's immediate post-dominator (a convergence hint, given up when nothing
// else can run) and at collectives (an obligation).
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_WARP_H
#define TC_EMULATOR_STATE_WARP_H

#include "State/DecodedInst.h"
#include "State/History.h"
#include "State/Undefined.h"

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tc::emu {

class Cta;
struct WgmmaState;
class Cluster;
struct Machine;

/// What a blocked split waits for; `a` and `b` are named per kind in describe.
enum class WaitKind : uint8_t {
  None,
  Mbarrier,     ///< a: shared address, b: parity or token
  NamedBarrier, ///< a: barrier
  ClusterBarrier,
  Register,  ///< tcgen05.ld destination, a: async op id
  BulkGroup, ///< a: groups that may stay pending
  CpAsyncGroup,
  WgmmaGroup, ///< a: groups that may stay pending
  TmemLoads,
  TmemStores,
  TmemAlloc,  ///< a: columns
  PeerCta,    ///< cta_group::2 partner
  Registers,  ///< setmaxnreg.inc, a: registers per thread
  Collective, ///< a: lanes that have to come
  Reconvergence,
  Other
};

struct Split {
  enum class State : uint8_t { Runnable, Blocked, Arrived, Collective };
  uint32_t pc = 0;
  uint32_t mask = 0;
  int region = -1; ///< innermost convergence region, -1: none
  State state = State::Runnable;
  /// A wait was given up by the scheduler (try_wait's time limit).
  bool timedOut = false;
  /// Times that the wait has come back early without success.
  uint8_t vainTries = 0;
  /// A barrier that this split waited for has let it go.
  bool released = false;
  /// Scratch for instructions that block and run again: set by them, cleared
  /// by the interpreter when the pc moves on.
  uint32_t scratch = 0;
  WaitKind wait = WaitKind::None;
  const void *key = nullptr;
  uint64_t a = 0, b = 0;
};

/// Threads that diverged at a branch and are expected at `pc`.
struct Region {
  uint32_t pc = 0;
  uint32_t expected = 0;
  uint32_t arrived = 0;
  int parent = -1;
  bool live = false;
};

/// Bulk async-groups or cp.async groups of one lane.
struct AsyncGroups {
  struct Group {
    std::vector<uint64_t> ids;
    /// How many operations the lane had issued with the youngest of the group;
    /// 0: it has none.
    uint64_t last = 0;
  };
  Group open;
  std::deque<Group> committed; ///< oldest first
  uint64_t issued = 0;

  void add(uint64_t id) {
    open.ids.push_back(id);
    open.last = ++issued;
  }
  void commit() {
    committed.push_back(std::move(open));
    open = {};
  }
};

/// A mask of bits for each lane.
using LaneBits = std::array<uint64_t, 32>;

/// Where a register has a value in some of its bits only.
struct PartialRegister {
  uint32_t lanes = 0;
  LaneBits undefined[2]; ///< by 64-bit word, of these lanes
};

class Warp {
public:
  Warp(Cta &cta, unsigned index, uint32_t lanes);

  Cta &cta;
  Cluster &cluster;
  Machine &machine;
  const unsigned index; ///< in the CTA
  /// barrier.cluster: lanes that have arrived and not waited, and the parity of
  /// the phase they arrived in.
  uint32_t clusterArrived = 0;
  uint32_t clusterParity = 0;
  /// setmaxnreg: registers per thread that the warp owns, and how often it has
  /// changed them.
  unsigned registers = 0, registerChanges = 0;
  int registerLine = 0; ///< of the last one
  /// Instructions since the warp's last effect that others can see, and what it
  /// looked like when it was last found to repeat itself (Sched/Spin.h).
  uint64_t quietInstructions = 0;
  bool spins = false;
  bool isRunning = false; ///< one of its instructions is being executed
  uint32_t carry = 0;     ///< the carry flag, one bit per lane
  uint32_t exited = 0;    ///< lanes that have exited or never existed
  std::vector<Split> splits;
  std::vector<Region> regions;
  unsigned current = 0; ///< the split that runs
  uint32_t liveMask() const { return ~exited; }
  bool done() const { return exited == ~0u; }
  Split &split() { return splits[current]; }

  //===--- registers ------------------------------------------------------===//
  const uint32_t *r32(const Src &s) const { return data[s.bank] + s.offset; }
  const uint64_t *r64(const Src &s) const {
    return reinterpret_cast<const uint64_t *>(data[s.bank] + s.offset);
  }
  uint32_t *w32(const Dst &d) { return data[0] + d.offset; }
  uint64_t *w64(const Dst &d) {
    return reinterpret_cast<uint64_t *>(data[0] + d.offset);
  }
  /// 32 predicate bits, negation applied.
  uint32_t predicate(const Src &s) const {
    return data[s.bank][s.offset] ^ (s.negated ? ~0u : 0u);
  }
  void setPredicate(const Dst &d, uint32_t active, uint32_t bits) {
    uint32_t &word = data[0][d.offset];
    word = (word & ~active) | (bits & active);
    define(d, active);
  }
  void define(const Dst &d, uint32_t active) { defined[0][d.reg] |= active; }
  void undefine(const Dst &d, uint32_t active) {
    defined[0][d.reg] &= ~active;
    if (!partial.empty())
      forgetPartial(d, active);
    forgetPending(d);
  }
  /// Sets in which of the lanes `active` the register is defined.
  void setDefined(const Dst &d, uint32_t active, uint32_t lanes) {
    uint32_t &mask = defined[0][d.reg];
    mask = (mask & ~active) | (lanes & active);
    if (!partial.empty())
      forgetPartial(d, active);
    forgetPending(d);
  }
  uint32_t definedMask(const Src &s) const { return defined[s.bank][s.reg]; }

  //===--- parts of registers ---------------------------------------------===//
  // A vector of small values may have some that nothing ever wrote: the
  // compiler packs, moves and multiplies all of them and uses the others.

  /// Bits of the register, or of a 64-bit word of a wide one, that have no
  /// value in the lane; those above its width may be among them.
  uint64_t undefinedBits(const Src &s, unsigned lane, unsigned word = 0) const {
    if (definedMask(s) >> lane & 1)
      return 0;
    return partial.empty() || s.bank ? ~0ull : partialBits(s.reg, lane, word);
  }
  /// Whether a byte of the register has no value.
  bool undefinedByte(const Src &s, unsigned lane, unsigned byte) const {
    return undefinedBits(s, lane, byte / 8) >> (byte % 8 * 8) & 0xff;
  }
  /// Sets these bits in the lanes `active`: the register is defined where there
  /// are none.
  void setUndefinedBits(const Dst &d, uint32_t active, const LaneBits &low,
                        const LaneBits *high = nullptr);
  /// `to` has the undefined lanes and bits of `from`.
  void copyUndefined(const Dst &to, const Src &from, uint32_t active) {
    if (partial.empty())
      setDefined(to, active, definedMask(from));
    else
      copyPartial(to, from, active);
  }
  /// Lanes in which all of `bits` have a value.
  uint32_t definedLanes(const Src &s, uint64_t bits) const;
  /// The same of the low (0) or high (1) half of a register of `width` bits.
  uint32_t definedHalf(const Src &s, unsigned half, unsigned width) const {
    const uint32_t mask = definedMask(s);
    return mask == ~0u || partial.empty()
               ? mask
               : definedLanes(s, lowBits(width / 2) << (width / 2 * half));
  }
  /// Sets in which lanes the halves are defined.
  void defineHalves(const Dst &d, uint32_t active, uint32_t low, uint32_t high,
                    unsigned width);
  static uint64_t lowBits(unsigned count) {
    return count >= 64 ? ~0ull : (1ull << count) - 1;
  }

  //===--- where undefined values come from (Undefined.h) -----------------===//
  OriginId originOf(uint32_t reg, unsigned lane) const {
    return origins.at(size_t(reg) * 32 + lane);
  }
  OriginId originOf(const Src &s, unsigned lane) const {
    return s.bank ? 0 : originOf(s.reg, lane);
  }
  /// The same, never 0: the instruction reads the register at the latest.
  OriginId originAt(const DecodedInst &inst, const Src &s, unsigned lane) const;
  void setOrigin(const Dst &d, unsigned lane, OriginId origin);
  /// Undefined lanes of `to` come from `from`.
  void copyOrigins(const Dst &to, const Src &from, uint32_t lanes) {
    for (; !origins.empty() && lanes; lanes &= lanes - 1)
      setOrigin(to, unsigned(__builtin_ctz(lanes)),
                originOf(from, unsigned(__builtin_ctz(lanes))));
  }
  /// "in lane 3: <what brought the undefined value in>".
  std::string inLane(const Src &s, unsigned lane) const;
  /// An operand that decides has a value in all of `lanes`; false after a
  /// report, which starts with `what`.
  bool requireDefined(const DecodedInst &inst, const Src &s, uint32_t lanes,
                      std::string_view what = "");
  /// Reports that byte `byte` of the register has no value.
  void failUndefined(const DecodedInst &inst, const Src &s, unsigned lane,
                     unsigned byte, std::string_view what = "");

  //===--- registers that an asynchronous load will write (tcgen05.ld) ---===//
  /// The register's lanes become undefined until op `id` delivers them. Reading
  /// one blocks the reader instead of stopping.
  void beginPending(const Dst &d, uint64_t id);
  /// Delivers 32 lanes to a 32-bit register.
  void completePending(const Dst &d, uint64_t id, const uint32_t *values);
  /// An instruction has written what leaves no lane of it defined, perhaps.
  void forgetPending(const Dst &d) {
    if (!pendingIds.empty())
      pendingIds[d.reg] = 0;
  }
  /// Id of the op that will write the register, 0 if none.
  uint64_t pendingOp(uint32_t reg) const {
    return pendingIds.empty() ? 0 : pendingIds[reg];
  }

  //===--- addresses ------------------------------------------------------===//
  /// Address of a memory operand for one lane, in the operand's space.
  uint64_t address(const MemRef &m, unsigned lane) const {
    uint64_t base = m.base64 ? r64(m.base)[lane] : r32(m.base)[lane];
    return base + uint64_t(m.offset);
  }
  /// The same for all lanes, inactive ones included.
  void addresses(const MemRef &m, uint64_t *out) const {
    uint64_t offset = uint64_t(m.offset);
    if (m.base64) {
      const uint64_t *base = r64(m.base);
      for (unsigned l = 0; l < 32; ++l)
        out[l] = base[l] + offset;
    } else {
      const uint32_t *base = r32(m.base);
      for (unsigned l = 0; l < 32; ++l)
        out[l] = base[l] + offset;
    }
  }
  /// Turns a generic address or one of `space` into a plain shared address
  /// (rank << 24 | offset). False if it is none. An address of a shared space
  /// in a register of 64 bits is truncated (PTX ISA 9.0, "Addresses as
  /// Operands", 6.4.1).
  bool toShared(uint64_t address, Space space, uint32_t &shared) const;

  //===--- outcomes -------------------------------------------------------===//
  /// Reports "<message>" with the instruction's line, text, CTA and warp; the
  /// run stops.
  Step fail(ReportKind kind, const DecodedInst &inst, std::string message);
  /// The running split waits until `key` is woken (Cluster::wake), then runs
  /// the instruction again.
  Step block(WaitKind kind, const void *key, uint64_t a = 0, uint64_t b = 0);

  /// Remembers that `lanes` have executed the instruction at `pc`.
  void remember(uint32_t pc, uint32_t lanes);

  /// "warp 3 of CTA (1,0,0)".
  std::string name() const;

  uint32_t *data[2];
  uint32_t *defined[2];
  std::unique_ptr<uint32_t[]> frame;
  std::unique_ptr<uint32_t[]> frameDefined;
  std::vector<uint64_t> pendingIds; ///< per register, empty until first used
  /// Registers that have a value in some of their bits only. Nearly always
  /// empty; entries of lanes that have been defined since are stale.
  std::unordered_map<uint32_t, PartialRegister> partial;
  std::vector<uint8_t> local;      ///< localBytes per lane, lane-major
  std::vector<uint8_t> localState; ///< 1: initialised
  OriginMap origins, localOrigins; ///< by register and lane, by byte
  std::unique_ptr<std::array<AsyncGroups, 32>> bulkGroups, cpAsyncGroups;
  std::shared_ptr<WgmmaState> wgmma; ///< null until first used

  WarpHistory history;

  AsyncGroups &bulkGroup(unsigned lane) {
    if (!bulkGroups)
      bulkGroups = std::make_unique<std::array<AsyncGroups, 32>>();
    return (*bulkGroups)[lane];
  }
  AsyncGroups &cpAsyncGroup(unsigned lane) {
    if (!cpAsyncGroups)
      cpAsyncGroups = std::make_unique<std::array<AsyncGroups, 32>>();
    return (*cpAsyncGroups)[lane];
  }

private:
  uint64_t partialBits(uint32_t reg, unsigned lane, unsigned word) const;
  void copyPartial(const Dst &to, const Src &from, uint32_t active);
  /// Lanes of the register are defined or not, as a whole.
  void forgetPartial(const Dst &d, uint32_t lanes);
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_WARP_H
