//===- Warp.cpp - registers and splits of one warp ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Set-up of a warp (frame, special registers), pending registers and the
// wording of its reports.
//
//===----------------------------------------------------------------------===//

#include "State/Warp.h"

#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

/// The value of a special register in one lane.
static uint64_t specialValue(Warp &w, SpecialReg which, unsigned lane) {
  const Machine &m = w.machine;
  Cta &cta = w.cta;
  const auto &block = m.config.block;
  const auto &grid = m.config.grid;
  const auto &cluster = m.config.cluster;
  unsigned thread = w.index * 32 + lane;
  auto rankOf = [&](unsigned i) {
    unsigned rank = cta.rank;
    return i == 0   ? rank % cluster[0]
           : i == 1 ? rank / cluster[0] % cluster[1]
                    : rank / (cluster[0] * cluster[1]);
  };
  switch (which) {
  case SpecialReg::TidX:
    return thread % block[0];
  case SpecialReg::TidY:
    return thread / block[0] % block[1];
  case SpecialReg::TidZ:
    return thread / (block[0] * block[1]);
  case SpecialReg::NtidX:
  case SpecialReg::NtidY:
  case SpecialReg::NtidZ:
    return block[unsigned(which) - unsigned(SpecialReg::NtidX)];
  case SpecialReg::CtaidX:
  case SpecialReg::CtaidY:
  case SpecialReg::CtaidZ:
    return cta.ctaid[unsigned(which) - unsigned(SpecialReg::CtaidX)];
  case SpecialReg::NctaidX:
  case SpecialReg::NctaidY:
  case SpecialReg::NctaidZ:
    return grid[unsigned(which) - unsigned(SpecialReg::NctaidX)];
  case SpecialReg::LaneId:
    return lane;
  case SpecialReg::WarpId:
    return w.index;
  case SpecialReg::NwarpId:
    return 64;
  case SpecialReg::SmId: {
    // One CTA per SM, in order of the grid.
    uint64_t linear =
        cta.ctaid[0] +
        uint64_t(grid[0]) * (cta.ctaid[1] + uint64_t(grid[1]) * cta.ctaid[2]);
    return linear % w.machine.options.multiprocessors;
  }
  case SpecialReg::NsmId:
    return w.machine.options.multiprocessors;
  case SpecialReg::GridId:
    return 1;
  case SpecialReg::LanemaskEq:
    return 1u << lane;
  case SpecialReg::LanemaskLe:
    return (2ull << lane) - 1;
  case SpecialReg::LanemaskLt:
    return (1u << lane) - 1;
  case SpecialReg::LanemaskGe:
    return uint32_t(~0u << lane);
  case SpecialReg::LanemaskGt:
    return uint32_t(~0ull << (lane + 1));
  case SpecialReg::ClusterIdX:
  case SpecialReg::ClusterIdY:
  case SpecialReg::ClusterIdZ:
    return w.cluster
        .clusterid[unsigned(which) - unsigned(SpecialReg::ClusterIdX)];
  case SpecialReg::NclusterIdX:
  case SpecialReg::NclusterIdY:
  case SpecialReg::NclusterIdZ: {
    unsigned i = unsigned(which) - unsigned(SpecialReg::NclusterIdX);
    return grid[i] / cluster[i];
  }
  case SpecialReg::ClusterCtaidX:
  case SpecialReg::ClusterCtaidY:
  case SpecialReg::ClusterCtaidZ:
    return rankOf(unsigned(which) - unsigned(SpecialReg::ClusterCtaidX));
  case SpecialReg::ClusterNctaidX:
  case SpecialReg::ClusterNctaidY:
  case SpecialReg::ClusterNctaidZ:
    return cluster[unsigned(which) - unsigned(SpecialReg::ClusterNctaidX)];
  case SpecialReg::ClusterCtarank:
    return cta.rank;
  case SpecialReg::ClusterNctarank:
    return m.ctasPerCluster;
  case SpecialReg::IsExplicitCluster:
    return m.explicitCluster;
  case SpecialReg::TotalSmemSize:
  case SpecialReg::AggrSmemSize:
    return m.smemBytes + kSmemReserved;
  case SpecialReg::DynamicSmemSize:
    return m.config.dynamicSmem;
  case SpecialReg::ReservedSmemBegin:
    return 0;
  case SpecialReg::ReservedSmemEnd:
  case SpecialReg::ReservedSmemCap:
    return kSmemReserved;
  case SpecialReg::ReservedSmem0:
    return cta.smem.lendReserved(0);
  case SpecialReg::ReservedSmem1:
    return cta.smem.lendReserved(1);
  // The chip here is one domain, whose SMs are all its own.
  case SpecialReg::LocalityDomainId:
  case SpecialReg::LocalityDomainSupplementalSm:
    return 0;
  case SpecialReg::SmemBase:
    return smemAddress(cta.rank, kSmemReserved);
  case SpecialReg::EnvReg0:
  case SpecialReg::EnvReg31:
    break;
  }
  // PTX ISA 9.0, "Special Registers: %envreg<32>": set by the driver.
  if (which >= SpecialReg::EnvReg0 && which <= SpecialReg::EnvReg31)
    return m.config.envregs[unsigned(which) - unsigned(SpecialReg::EnvReg0)];
  return 0;
}

Warp::Warp(Cta &cta, unsigned index, uint32_t lanes)
    : cta(cta), cluster(cta.cluster), machine(cta.machine), index(index),
      exited(~lanes) {
  const KernelCode &kernel = machine.kernel;
  // 64-byte alignment keeps slots within cache lines.
  frame.reset(new uint32_t[kernel.frameWords + 16]());
  frameDefined.reset(new uint32_t[kernel.numRegs + 1]());
  uintptr_t start = (reinterpret_cast<uintptr_t>(frame.get()) + 63) & ~63ull;
  data[0] = reinterpret_cast<uint32_t *>(start);
  data[1] = const_cast<uint32_t *>(machine.constants);
  defined[0] = frameDefined.get();
  defined[1] = const_cast<uint32_t *>(machine.constantsDefined.data());
  for (const KernelCode::Special &special : kernel.specials) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint64_t value = specialValue(*this, special.which, lane);
      if (special.which == SpecialReg::GridId)
        w64(special.dst)[lane] = value;
      else
        w32(special.dst)[lane] = uint32_t(value);
    }
    define(special.dst, ~0u);
  }
  if (kernel.localBytes) {
    local.resize(size_t(kernel.localBytes) * 32);
    localState.resize(size_t(kernel.localBytes) * 32);
  }
  Split split;
  split.mask = lanes;
  splits.push_back(split);
}

void Warp::beginPending(const Dst &d, uint64_t id) {
  if (!d.valid)
    return;
  if (pendingIds.empty())
    pendingIds.resize(machine.kernel.numRegs + 1);
  undefine(d, ~0u);
  pendingIds[d.reg] = id;
}

void Warp::completePending(const Dst &d, uint64_t id, const uint32_t *values) {
  if (!d.valid || pendingIds.empty() || pendingIds[d.reg] != id)
    return;
  pendingIds[d.reg] = 0;
  std::copy_n(values, 32, w32(d));
  defined[0][d.reg] = ~0u;
}

bool Warp::toShared(uint64_t address, Space space, uint32_t &shared) const {
  if (space == Space::Generic) {
    if (!inWindow(address, kSharedWindow))
      return false;
    address -= kSharedWindow;
  }
  shared = uint32_t(address);
  return true;
}

uint64_t Warp::partialBits(uint32_t reg, unsigned lane, unsigned word) const {
  auto found = partial.find(reg);
  return found != partial.end() && found->second.lanes >> lane & 1
             ? found->second.undefined[word][lane]
             : ~0ull;
}

uint32_t Warp::definedLanes(const Src &s, uint64_t bits) const {
  uint32_t mask = definedMask(s);
  auto found = s.bank ? partial.end() : partial.find(s.reg);
  if (found == partial.end())
    return mask;
  for (uint32_t rest = found->second.lanes & ~mask; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    mask |= uint32_t(!(found->second.undefined[0][lane] & bits)) << lane;
  }
  return mask;
}

void Warp::setUndefinedBits(const Dst &d, uint32_t active, const LaneBits &low,
                            const LaneBits *high) {
  uint32_t whole = 0, parts = 0;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    const uint64_t any = low[lane] | (high ? (*high)[lane] : 0),
                   all = low[lane] & (high ? (*high)[lane] : ~0ull);
    whole |= uint32_t(!any) << lane;
    parts |= uint32_t(any && ~all) << lane;
  }
  if (!parts)
    return setDefined(d, active, whole);
  uint32_t &mask = defined[0][d.reg];
  mask = (mask & ~active) | whole;
  forgetPending(d);
  PartialRegister &known = partial[d.reg];
  known.lanes = (known.lanes & ~active) | parts;
  for (uint32_t rest = parts; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    known.undefined[0][lane] = low[lane];
    known.undefined[1][lane] = high ? (*high)[lane] : ~0ull;
  }
}

void Warp::copyPartial(const Dst &to, const Src &from, uint32_t active) {
  LaneBits bits[2];
  const uint32_t undefined = active & ~definedMask(from);
  for (uint32_t rest = undefined; rest; rest &= rest - 1)
    for (unsigned word = 0; word < 2; ++word)
      bits[word][__builtin_ctz(rest)] =
          undefinedBits(from, unsigned(__builtin_ctz(rest)), word);
  setDefined(to, active, ~undefined);
  if (undefined)
    setUndefinedBits(to, undefined, bits[0], &bits[1]);
}

void Warp::defineHalves(const Dst &d, uint32_t active, uint32_t low,
                        uint32_t high, unsigned width) {
  setDefined(d, active, low & high);
  const uint32_t parts = active & (low ^ high);
  if (!parts)
    return;
  const uint64_t half = lowBits(width / 2);
  LaneBits bits;
  for (uint32_t rest = parts; rest; rest &= rest - 1)
    bits[__builtin_ctz(rest)] =
        low >> __builtin_ctz(rest) & 1 ? half << (width / 2) : half;
  setUndefinedBits(d, parts, bits);
}

void Warp::forgetPartial(const Dst &d, uint32_t lanes) {
  auto found = partial.find(d.reg);
  if (found != partial.end() && !(found->second.lanes &= ~lanes))
    partial.erase(found);
}

void Warp::setOrigin(const Dst &d, unsigned lane, OriginId origin) {
  origins.set(size_t(d.reg) * 32 + lane, origin,
              (size_t(machine.kernel.numRegs) + 1) * 32);
}

OriginId Warp::originAt(const DecodedInst &inst, const Src &s,
                        unsigned lane) const {
  const OriginId known = originOf(s, lane);
  return known ? known
               : cluster.undefined.note(inst.line, inst.text,
                                        UndefinedOrigin::Register);
}

std::string Warp::inLane(const Src &s, unsigned lane) const {
  return "in lane " + std::to_string(lane) +
         cluster.undefined.describe(originOf(s, lane), cluster);
}

bool Warp::requireDefined(const DecodedInst &inst, const Src &s, uint32_t lanes,
                          std::string_view what) {
  const uint32_t bad = lanes & ~definedMask(s);
  if (!bad)
    return true;
  const auto lane = unsigned(__builtin_ctz(bad));
  unsigned byte = 0;
  while (byte < 7 && !undefinedByte(s, lane, byte))
    ++byte;
  failUndefined(inst, s, lane, byte, what);
  return false;
}

void Warp::failUndefined(const DecodedInst &inst, const Src &s, unsigned lane,
                         unsigned byte, std::string_view what) {
  const bool isWhole = !~(undefinedBits(s, lane) & undefinedBits(s, lane, 1));
  fail(ReportKind::Undefined, inst,
       std::string(what) + "read of a register whose " +
           (isWhole ? "value" : "byte " + std::to_string(byte)) +
           " was never written, " + inLane(s, lane));
}

std::string Warp::name() const {
  return "warp " + std::to_string(index) + " of " + cta.name();
}

void Warp::remember(uint32_t pc, uint32_t lanes) {
  uint64_t moment = cluster.nextMoment();
  WarpEvent *last = history.last();
  if (last && last->pc == pc && last->lanes == lanes) {
    ++last->times;
    last->moment = moment;
    return;
  }
  history.push({pc, lanes, 1, moment});
}

Step Warp::fail(ReportKind kind, const DecodedInst &inst, std::string message) {
  cluster.involved.addWarp(cta.rank, index);
  cluster.fail(kind,
               message + "\n  in '" + cleanText(inst.text) + "', " + name(),
               inst.line);
  return Step::Stop;
}

Step Warp::block(WaitKind kind, const void *key, uint64_t a, uint64_t b) {
  Split &s = split();
  s.state = Split::State::Blocked;
  s.wait = kind;
  s.key = key;
  s.a = a;
  s.b = b;
  return Step::Block;
}

} // namespace tc::emu
