//===- AtomicOps.cpp - operations of atomics and reductions ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic by type, then the loop around it.
//
//===----------------------------------------------------------------------===//

#include "State/AtomicOps.h"

#include "Numerics/Half.h"

#include <cmath>
#include <cstring>

namespace tc::emu {

namespace {
using Op = AtomicOp;

template <class H>
uint32_t halfOp(Op op, uint32_t a, uint32_t b, bool pair) {
  auto one = [&](uint16_t x, uint16_t y) -> uint32_t {
    if (op == Op::Add)
      return halfFma<H>(x, H::kOne, y);
    float p = halfToFloat<H>(x), q = halfToFloat<H>(y);
    if (p != p || q != q)
      return p != p ? (q != q ? kHalfNaN : y) : x;
    if (p == q) // -0 is below +0
      return ((x & 0x8000) != 0) == (op == Op::Min) ? x : y;
    return (p < q) == (op == Op::Min) ? x : y;
  };
  uint32_t low = one(uint16_t(a), uint16_t(b));
  return pair ? low | one(uint16_t(a >> 16), uint16_t(b >> 16)) << 16 : low;
}

float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

/// The value that replaces `old`.
uint64_t apply(Op op, Type type, uint64_t old, uint64_t value, uint64_t swap) {
  switch (op) {
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
  switch (type) {
  case Type::F32: {
    float x = bitCast<float>(uint32_t(old)),
          y = bitCast<float>(uint32_t(value));
    if (op == Op::AddFlushed) {
      float sum = flushed(flushed(x) + flushed(y));
      return sum != sum ? 0x7fffffffu : bitCast<uint32_t>(sum);
    }
    if (op != Op::Add)
      return bitCast<uint32_t>(op == Op::Min ? std::fmin(x, y)
                                             : std::fmax(x, y));
    float sum = x + y;
    return sum != sum ? 0x7fffffffu : bitCast<uint32_t>(sum);
  }
  case Type::F64:
    return bitCast<uint64_t>(bitCast<double>(old) + bitCast<double>(value));
  case Type::F16:
    return halfOp<F16>(op, uint32_t(old), uint32_t(value), false);
  case Type::F16x2:
    return halfOp<F16>(op, uint32_t(old), uint32_t(value), true);
  case Type::BF16:
    return halfOp<BF16>(op, uint32_t(old), uint32_t(value), false);
  case Type::BF16x2:
    return halfOp<BF16>(op, uint32_t(old), uint32_t(value), true);
  case Type::S32:
    if (op == Op::Add)
      return uint32_t(old + value);
    return (int32_t(old) < int32_t(value)) == (op == Op::Min) ? old : value;
  case Type::S64:
    if (op == Op::Add)
      return old + value;
    return (int64_t(old) < int64_t(value)) == (op == Op::Min) ? old : value;
  case Type::U32:
    if (op == Op::Add)
      return uint32_t(old + value);
    return (old < value) == (op == Op::Min) ? old : value;
  default:
    if (op == Op::Add)
      return old + value;
    return (old < value) == (op == Op::Min) ? old : value;
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

} // namespace

bool isBulkReduction(AtomicOp op, Type type, bool toGlobal) {
  bool word = type == Type::U32 || type == Type::S32;
  bool half = type == Type::F16 || type == Type::BF16;
  switch (op) {
  case Op::Add:
    return word || type == Type::U64 ||
           (toGlobal && (half || type == Type::F32 || type == Type::F64));
  case Op::Min:
  case Op::Max:
    return word ||
           (toGlobal && (half || type == Type::U64 || type == Type::S64));
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return type == Type::B32 || (toGlobal && type == Type::B64);
  case Op::Inc:
  case Op::Dec:
    return type == Type::U32;
  default:
    return false;
  }
}

uint64_t atomicUpdate(AtomicOp op, Type type, uint8_t *at, uint64_t value,
                      uint64_t swap, bool &changed) {
  auto next = [&](uint64_t old) { return apply(op, type, old, value, swap); };
  switch (sizeOf(type)) {
  case 8:
    return exchange<uint64_t>(at, next, changed);
  case 4:
    return exchange<uint32_t>(at, next, changed);
  default:
    return exchange<uint16_t>(at, next, changed);
  }
}

void reduceRange(AtomicOp op, Type type, uint8_t *to, const uint8_t *from,
                 uint32_t bytes) {
  const unsigned size = sizeOf(type);
  bool changed = false;
  for (uint32_t i = 0; i + size <= bytes; i += size) {
    uint64_t value = 0;
    memcpy(&value, from + i, size);
    atomicUpdate(op, type, to + i, value, 0, changed);
  }
}

} // namespace tc::emu
