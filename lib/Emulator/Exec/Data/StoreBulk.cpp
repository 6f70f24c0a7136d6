//===- StoreBulk.cpp - st.bulk and discard --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions: st.bulk", 9.7.9.13:
// zeros in a range of shared memory; "... discard", 9.7.9.17: the 128 bytes of
// global memory hold anything afterwards, here ones.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Modifiers.h"
#include "State/Access.h"

#include <cstring>

namespace tc::emu {

/// Bytes of one access: both instructions are aligned to at least as much.
constexpr uint32_t chunk = 8;
/// What discard and st.bulk fill a range with.
constexpr int discarded = 0xff, zero = 0;

static bool fillRange(Warp &w, const DecodedInst &i, unsigned lane,
                      uint64_t bytes, int value) {
  Accessor accessor(w, i, AccessKind::Write);
  const uint64_t address = w.address(i.mem, lane);
  for (uint64_t at = 0; at < bytes; at += chunk) {
    uint8_t *to = accessor.resolve(address + at, i.mem.space, lane, chunk);
    if (!to)
      return false;
    memset(to, value, chunk);
  }
  ++w.cluster.effects;
  return true;
}

static Step execStoreBulk(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t size = i.aux == 64 ? w.r64(i.s[0])[l] : w.r32(i.s[0])[l];
    if (size % chunk)
      return w.fail(ReportKind::Memory, i,
                    "size: expected a multiple of 8, got " +
                        std::to_string(size));
    if (!fillRange(w, i, l, size, zero))
      return Step::Stop;
  }
  return Step::Next;
}

static Step execDiscard(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    if (uint64_t address = w.address(i.mem, l); address % i.imm)
      return w.fail(ReportKind::Memory, i,
                    "expected an address that is a multiple of 128");
    if (!fillRange(w, i, l, i.imm, discarded))
      return Step::Stop;
  }
  return Step::Next;
}

static void decodeStoreBulk(DecodeContext &c) {
  c.take("weak");
  Space space = c.takeSpace();
  if (space != Space::Generic && space != Space::SharedCta)
    return c.fail("expected .shared::cta or no state space");
  if (!c.expectOperands(3, 3))
    return;
  c.inst.mem = c.memRef(0, space);
  // 32 bits from PTX 9.0 on; an immediate may be either.
  c.inst.aux = c.registerBits(c.operand(1)) == 32 ? 32 : 64;
  c.inst.s[0] = c.src(1, c.inst.aux == 32 ? Type::U32 : Type::U64);
  if (c.immediate(c.operand(2)) != 0)
    return c.fail("expected the initial value 0");
  c.inst.fn = execStoreBulk;
}

static void decodeDiscard(DecodeContext &c) {
  Space space = c.takeSpace();
  if (space != Space::Generic && space != Space::Global)
    return c.fail("expected .global or no state space");
  if (!c.take("L2"))
    return c.fail("expected .L2");
  if (!c.expectOperands(2, 2))
    return;
  c.inst.mem = c.memRef(0, space);
  if (c.immediate(c.operand(1)) != 128)
    return c.fail("expected the size 128");
  c.inst.imm = 128;
  c.inst.fn = execDiscard;
}

void registerStoreBulkInstructions(InstructionTable &table) {
  table.add("st.bulk", decodeStoreBulk);
  table.add("discard", decodeDiscard);
}

} // namespace tc::emu
