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

#include "Exec/Access.h"
#include "Exec/Half.h"
#include "Exec/LoadStore.h"

#include <cmath>

namespace tc::emu {

namespace {
enum class Op : uint8_t { Add, Min, Max, And, Or, Xor, Exch, Cas, Inc, Dec };

struct Atomic : Payload {
  Op op = Op::Add;
  Type type = Type::B32;
  bool isRed = false;
  unsigned count = 1; ///< vector elements
  std::vector<Dst> results;
  std::vector<Src> values;
  Src swap; ///< cas: the new value
};

template <class H>
uint32_t halfOp(Op op, uint32_t a, uint32_t b, bool pair) {
  auto one = [&](uint16_t x, uint16_t y) -> uint32_t {
    if (op == Op::Add)
      return halfFma<H>(x, H::kOne, y);
    float p = halfToFloat<H>(x), q = halfToFloat<H>(y);
    if (p != p || q != q)
      return p != p ? (q != q ? kHalfNaN : y) : x;
    return (p < q) == (op == Op::Min) ? x : y;
  };
  uint32_t low = one(uint16_t(a), uint16_t(b));
  return pair ? low | one(uint16_t(a >> 16), uint16_t(b >> 16)) << 16 : low;
}

/// The value that replaces `old`.
uint64_t apply(const Atomic &a, uint64_t old, uint64_t value, uint64_t swap) {
  switch (a.op) {
  case Op::Exch:
    return value;
  case Op::Cas:
    return old == value ? swap : old;
  case Op::And:
    return old & value;
  case Op::Or:
    return old | value;
  case Op::Xor:
    return old ^ value;
  case Op::Inc:
    return uint32_t(old) >= uint32_t(value) ? 0 : uint32_t(old) + 1;
  case Op::Dec:
    return uint32_t(old) == 0 || uint32_t(old) > uint32_t(value)
               ? uint32_t(value)
               : uint32_t(old) - 1;
  default:
    break;
  }
  switch (a.type) {
  case Type::F32: {
    float x = bitCast<float>(uint32_t(old)),
          y = bitCast<float>(uint32_t(value));
    if (a.op != Op::Add)
      return bitCast<uint32_t>(a.op == Op::Min ? std::fmin(x, y)
                                               : std::fmax(x, y));
    float sum = x + y;
    return sum != sum ? 0x7fffffffu : bitCast<uint32_t>(sum);
  }
  case Type::F64:
    return bitCast<uint64_t>(bitCast<double>(old) + bitCast<double>(value));
  case Type::F16:
    return halfOp<F16>(a.op, uint32_t(old), uint32_t(value), false);
  case Type::F16x2:
    return halfOp<F16>(a.op, uint32_t(old), uint32_t(value), true);
  case Type::BF16:
    return halfOp<BF16>(a.op, uint32_t(old), uint32_t(value), false);
  case Type::BF16x2:
    return halfOp<BF16>(a.op, uint32_t(old), uint32_t(value), true);
  case Type::S32:
    if (a.op == Op::Add)
      return uint32_t(old + value);
    return (int32_t(old) < int32_t(value)) == (a.op == Op::Min) ? old : value;
  case Type::S64:
    if (a.op == Op::Add)
      return old + value;
    return (int64_t(old) < int64_t(value)) == (a.op == Op::Min) ? old : value;
  case Type::U32:
    if (a.op == Op::Add)
      return uint32_t(old + value);
    return (old < value) == (a.op == Op::Min) ? old : value;
  default:
    if (a.op == Op::Add)
      return old + value;
    return (old < value) == (a.op == Op::Min) ? old : value;
  }
}

/// Replaces *at by f(*at) as one action; gives the old value.
template <class Word, class F>
uint64_t exchange(uint8_t *at, F f, bool &changed) {
  Word *word = reinterpret_cast<Word *>(at);
  Word old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  Word next = Word(f(old));
  while (!__atomic_compare_exchange_n(word, &old, next, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST))
    next = Word(f(old));
  changed |= next != old;
  return old;
}

uint64_t valueOf(const Warp &w, const Src &s, unsigned bits, unsigned lane) {
  return bits == 64 ? w.r64(s)[lane] : uint64_t(w.r32(s)[lane]);
}

Step execAtomic(Warp &w, const DecodedInst &i, uint32_t active) {
  const Atomic &a = i.as<Atomic>();
  const unsigned bits = bitsOf(a.type), bytes = bits / 8;
  Accessor accessor(w, i, AccessKind::Atomic);
  bool changed = false;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint8_t *at =
        accessor.resolve(w.address(i.mem, l), i.mem.space, l, bytes * a.count);
    if (!at)
      return Step::Stop;
    for (unsigned e = 0; e < a.count; ++e, at += bytes) {
      uint64_t value = valueOf(w, a.values[e], bits, l);
      uint64_t swap = a.swap.valid ? valueOf(w, a.swap, bits, l) : 0;
      auto next = [&](uint64_t old) { return apply(a, old, value, swap); };
      uint64_t old = bits == 64   ? exchange<uint64_t>(at, next, changed)
                     : bits == 32 ? exchange<uint32_t>(at, next, changed)
                                  : exchange<uint16_t>(at, next, changed);
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
  // An atomic that changes nothing is a poll: let others run.
  if (changed)
    ++w.cluster.effects;
  return changed ? Step::Next : Step::Yield;
}

/// 128-bit exch and cas: no other cluster may come between.
Step execAtomic128(Warp &w, const DecodedInst &i, uint32_t active) {
  const Atomic &a = i.as<Atomic>();
  Accessor accessor(w, i, AccessKind::Atomic);
  static std::mutex mutex;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint8_t *at = accessor.resolve(w.address(i.mem, l), i.mem.space, l, 16);
    if (!at)
      return Step::Stop;
    std::lock_guard<std::mutex> lock(mutex);
    uint64_t old[2];
    memcpy(old, at, 16);
    const uint64_t *value = w.r64(a.values[0]) + 2 * l;
    if (a.op == Op::Exch)
      memcpy(at, value, 16);
    else if (!memcmp(old, value, 16))
      memcpy(at, w.r64(a.swap) + 2 * l, 16);
    if (a.results[0].valid)
      memcpy(w.w64(a.results[0]) + 2 * l, old, 16);
  }
  if (a.results[0].valid)
    w.define(a.results[0], active);
  ++w.cluster.effects;
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
  }
  return false;
}

static void decodeAtomic(DecodeContext &c) {
  auto atomic = std::make_shared<Atomic>();
  atomic->isRed = c.base == "red";
  if (c.take("async"))
    return c.fail("red.async is not modelled");
  c.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  c.takeOneOf({"cta", "cluster", "gpu", "sys"});
  Space space = c.takeSpace();
  static const std::pair<std::string_view, Op> kOps[] = {
      {"add", Op::Add}, {"min", Op::Min}, {"max", Op::Max},   {"and", Op::And},
      {"or", Op::Or},   {"xor", Op::Xor}, {"exch", Op::Exch}, {"cas", Op::Cas},
      {"inc", Op::Inc}, {"dec", Op::Dec}};
  bool known = false;
  for (const auto &row : kOps)
    if (!known && c.take(row.first)) {
      atomic->op = row.second;
      known = true;
    }
  if (!known)
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
  if (c.numOperands() > least)
    c.src(least, Type::B64); // cache policy
  c.inst.fn = type == Type::B128 ? execAtomic128 : execAtomic;
  c.inst.payload = std::move(atomic);
}

void registerAtomicInstructions(InstructionTable &table) {
  table.add("atom", decodeAtomic);
  table.add("red", decodeAtomic);
}

} // namespace tc::emu
