//===- Atomics.cpp - atom and red -----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "atom", "red", and their vector forms. Lanes act one after the
// other. Clusters run on different threads of the host, so that every access to
// global memory is a compare-and-swap loop on the host's atomics.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Modifiers.h"
#include "State/Access.h"
#include "State/AtomicOps.h"

namespace tc::emu {

namespace {
using Op = AtomicOp;

struct Atomic : Payload {
  Op op = Op::Add;
  Type type = Type::B32;
  bool isRed = false;
  unsigned count = 1; ///< vector elements
  std::vector<Dst> results;
  std::vector<Src> values;
  Src swap; ///< cas: the new value
};

uint64_t valueOf(const Warp &w, const Src &s, unsigned bits, unsigned lane) {
  return bits == 64 ? w.r64(s)[lane] : uint64_t(w.r32(s)[lane]);
}

/// Lanes of which an operand has no value.
uint32_t undefinedOperands(const Warp &w, const Atomic &a, uint32_t active) {
  uint32_t undefined = a.swap.valid ? active & ~w.definedMask(a.swap) : 0;
  for (const Src &value : a.values)
    undefined |= active & ~w.definedMask(value);
  return undefined;
}

/// The origin of a byte of an element without a value, 0: it has one.
OriginId originOfElement(const Accessor &accessor, const uint8_t *at,
                         unsigned bytes) {
  const uint8_t *states = accessor.statesOf(at);
  for (unsigned b = 0; states && b < bytes; ++b)
    if (!states[b])
      return accessor.originOf(at + b);
  return 0;
}

/// After an operation on element `e`, whose operands or old value, which came
/// from `before`, are undefined. False after a report.
bool settleUndefined(Warp &w, const DecodedInst &i, const Accessor &accessor,
                     unsigned lane, unsigned e, uint8_t *at, unsigned bytes,
                     OriginId before, bool swapped) {
  const Atomic &a = i.as<Atomic>();
  auto isUndefined = [&](const Src &s) {
    return s.valid && !(w.definedMask(s) >> lane & 1);
  };
  // What an exchange leaves is the new value alone; a comparison decides.
  const Src *source = isUndefined(a.values[e])         ? &a.values[e]
                      : swapped && isUndefined(a.swap) ? &a.swap
                                                       : nullptr;
  if (before && a.op != Op::Exch)
    return accessor.undefine(at, bytes, before);
  if (source)
    return accessor.storeUndefined(*source, lane, at, bytes);
  if (before)
    memset(accessor.statesOf(at), 1, bytes);
  return true;
}

/// Keeps the atomic operations of other clusters away while those of a warp are
/// announced and done.
std::unique_lock<std::mutex> holdAtomics(Warp &w, const DecodedInst &i) {
  if (!w.cluster.events || i.mem.space > Space::Global)
    return {};
  return std::unique_lock<std::mutex>(w.machine.atomicsMutex);
}

Step execAtomic(Warp &w, const DecodedInst &i, uint32_t active) {
  const Atomic &a = i.as<Atomic>();
  if (!w.requireDefined(i, i.mem.base, active, "address: "))
    return Step::Stop;
  const auto held = holdAtomics(w, i);
  const uint32_t undefined = undefinedOperands(w, a, active);
  const unsigned bits = bitsOf(a.type), bytes = bits / 8;
  Accessor accessor(w, i, a.isRed ? AccessKind::Reduction : AccessKind::Atomic);
  accessor.mayBeUndefined = true;
  bool changed = false;
  struct Result {
    unsigned lane, e;
    OriginId origin;
  };
  std::vector<Result> undefinedResults;
  const bool adds = a.op == Op::Add && a.type == Type::F32;
  uint64_t addresses[32];
  uint8_t *pointers[32];
  w.addresses(i.mem, addresses);
  const bool all = accessor.resolveAll(addresses, i.mem.space, bytes * a.count,
                                       pointers, active);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint8_t *at =
        all ? pointers[l]
            : accessor.resolve(addresses[l], i.mem.space, l, bytes * a.count);
    if (!at)
      return Step::Stop;
    uint32_t shared;
    bool global = i.mem.space == Space::Global ||
                  (i.mem.space == Space::Generic &&
                   !w.toShared(addresses[l], i.mem.space, shared));
    Op op = adds && global ? Op::AddFlushed : a.op;
    for (unsigned e = 0; e < a.count; ++e, at += bytes) {
      uint64_t value = valueOf(w, a.values[e], bits, l);
      uint64_t swap = a.swap.valid ? valueOf(w, a.swap, bits, l) : 0;
      OriginId before = accessor.undefinedLanes >> l & 1
                            ? originOfElement(accessor, at, bytes)
                            : 0;
      uint64_t old = atomicUpdate(op, a.type, at, value, swap, changed);
      if (before || undefined >> l & 1) {
        if (!settleUndefined(w, i, accessor, l, e, at, bytes, before,
                             old == value))
          return Step::Stop;
        if (before)
          undefinedResults.push_back({l, e, before});
      }
      if (a.isRed || !a.results[e].valid)
        continue;
      if (bits == 64)
        w.w64(a.results[e])[l] = old;
      else
        w.w32(a.results[e])[l] = uint32_t(old);
    }
  }
  for (const Dst &d : a.results)
    if (d.valid)
      w.define(d, active);
  for (const Result &result : undefinedResults)
    if (!a.isRed && a.results[result.e].valid) {
      w.undefine(a.results[result.e], 1u << result.lane);
      w.setOrigin(a.results[result.e], result.lane, result.origin);
    }
  // An atomic that changes nothing is a poll: let others run.
  if (changed)
    ++w.cluster.effects;
  else
    w.cluster.polls += i.mem.space <= Space::Global;
  return changed ? Step::Next : Step::Yield;
}

/// 128-bit exch and cas: no other cluster may come between.
Step execAtomic128(Warp &w, const DecodedInst &i, uint32_t active) {
  const Atomic &a = i.as<Atomic>();
  if (!w.requireDefined(i, i.mem.base, active, "address: "))
    return Step::Stop;
  const auto held = holdAtomics(w, i);
  const uint32_t undefined = undefinedOperands(w, a, active);
  Accessor accessor(w, i, AccessKind::Atomic);
  accessor.mayBeUndefined = true;
  uint32_t undefinedResults = 0;
  OriginId origins[32];
  static std::mutex mutex;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint8_t *at = accessor.resolve(w.address(i.mem, l), i.mem.space, l, 16);
    if (!at)
      return Step::Stop;
    std::lock_guard<std::mutex> lock(mutex);
    OriginId before = accessor.undefinedLanes >> l & 1
                          ? originOfElement(accessor, at, 16)
                          : 0;
    undefinedResults |= uint32_t(before != 0) << l;
    origins[l] = before;
    uint64_t old[2];
    memcpy(old, at, 16);
    const uint64_t *value = w.r64(a.values[0]) + 2 * l;
    const bool isEqual = !memcmp(old, value, 16);
    if (a.op == Op::Exch)
      memcpy(at, value, 16);
    else if (isEqual)
      memcpy(at, w.r64(a.swap) + 2 * l, 16);
    if (a.results[0].valid)
      memcpy(w.w64(a.results[0]) + 2 * l, old, 16);
    if ((before || undefined >> l & 1) &&
        !settleUndefined(w, i, accessor, l, 0, at, 16, before, isEqual))
      return Step::Stop;
  }
  if (a.results[0].valid)
    w.setDefined(a.results[0], active, ~undefinedResults);
  for (uint32_t rest = a.results[0].valid ? undefinedResults : 0; rest;
       rest &= rest - 1)
    w.setOrigin(a.results[0], unsigned(__builtin_ctz(rest)),
                origins[__builtin_ctz(rest)]);
  ++w.cluster.effects;
  ++w.cluster.polls;
  return Step::Yield;
}
} // namespace

static bool legalType(Op op, Type type, unsigned count) {
  if (count > 1)
    return type == Type::F32 || type == Type::F16 || type == Type::F16x2 ||
           type == Type::BF16 || type == Type::BF16x2;
  switch (op) {
  case Op::Add:
    return type == Type::U32 || type == Type::S32 || type == Type::U64 ||
           type == Type::F32 || type == Type::F64 || type == Type::F16 ||
           type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2;
  case Op::Min:
  case Op::Max:
    return type == Type::U32 || type == Type::S32 || type == Type::U64 ||
           type == Type::S64;
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return type == Type::B32 || type == Type::B64;
  case Op::Exch:
    return type == Type::B32 || type == Type::B64 || type == Type::B128;
  case Op::Cas:
    return type == Type::B16 || type == Type::B32 || type == Type::B64 ||
           type == Type::B128;
  case Op::Inc:
  case Op::Dec:
    return type == Type::U32;
  case Op::AddFlushed:
    break; // no operation of the ISA
  }
  return false;
}

static void decodeAtomic(DecodeContext &c) {
  auto atomic = std::make_shared<Atomic>();
  atomic->isRed = c.base != "atom";
  std::string_view order =
      c.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  c.inst.order = order == "acquire"   ? MemoryOrder::Acquire
                 : order == "release" ? MemoryOrder::Release
                 : order == "acq_rel" ? MemoryOrder::AcqRel
                                      : MemoryOrder::Relaxed;
  c.inst.scope = takeScope(c, Scope::Gpu);
  Space space = c.takeSpace();
  if (!takeAtomicOp(c, atomic->op))
    return c.fail("expected an operation");
  c.take("noftz");
  takeCacheModifiers(c);
  for (unsigned n : {2u, 4u, 8u})
    if (c.take("v" + std::to_string(n)))
      atomic->count = n;
  Type type = atomic->type = c.takeType();
  if (!legalType(atomic->op, type, atomic->count) ||
      (atomic->isRed && (atomic->op == Op::Exch || atomic->op == Op::Cas)))
    return c.fail(std::string("the operation is not legal for type .") +
                  toString(type));
  // Two operations, as the elements of a vector are (PTX ISA 9.0, "Memory
  // Operations on Packed Data Types", 8.2.5).
  const bool packed = type == Type::F16x2 || type == Type::BF16x2;
  c.inst.element = uint8_t(sizeOf(type) / (packed ? 2 : 1));
  bool cas = atomic->op == Op::Cas;
  unsigned first = atomic->isRed ? 0 : 1;
  unsigned least = first + (cas ? 3 : 2);
  if (!c.expectOperands(least, least + 1))
    return;
  if (!atomic->isRed)
    atomic->results = c.dstVector(c.operand(0), type);
  c.inst.mem = c.memRef(first, space);
  atomic->values = c.srcVector(c.operand(first + 1), type);
  if (atomic->values.size() != atomic->count ||
      (!atomic->isRed && atomic->results.size() != atomic->count))
    return c.fail("expected " + std::to_string(atomic->count) + " elements");
  if (cas)
    atomic->swap = c.src(first + 2, type);
  c.areData(atomic->values);
  c.isData(atomic->swap);
  c.inst.choice = Choice::AtomicResult;
  if (c.numOperands() > least)
    c.src(least, Type::B64); // cache policy
  c.inst.tracksUndefined = true;
  c.inst.fn = type == Type::B128 ? execAtomic128 : execAtomic;
  c.inst.payload = std::move(atomic);
}

void registerAtomicInstructions(InstructionTable &table) {
  table.add("atom", decodeAtomic);
  table.add("red", decodeAtomic);
  // A multicast object of one device: its address is that of the memory.
  table.add("multimem.red", decodeAtomic);
}

} // namespace tc::emu
