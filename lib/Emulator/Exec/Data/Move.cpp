//===- Move.cpp - mov, pack and unpack, cvta, mapa, selp ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions": mov, cvta, mapa,
// getctarank, isspacep; "Comparison and Selection Instructions": selp.
// A copy of an undefined register is undefined, not an error.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/DeviceCalls.h"
#include "Exec/Decode/FunctionDecoder.h"
#include "State/Machine.h"

#include <chrono>

namespace tc::emu {

using ast::Operand;

template <class Word>
static Step execMove(Warp &w, const DecodedInst &i, uint32_t active) {
  const Word *a = Slot<Word>::src(w, i.s[0]);
  Word *d = Slot<Word>::dst(w, i.d[0]);
  forLanes(active, [=](unsigned l) { d[l] = a[l]; });
  w.copyUndefined(i.d[0], i.s[0], active);
  return Step::Next;
}

static Step execMove128(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint64_t *a = w.r64(i.s[0]);
  uint64_t *d = w.w64(i.d[0]);
  forLanes(active, [=](unsigned l) {
    uint64_t lo = a[2 * l], hi = a[2 * l + 1];
    d[2 * l] = lo;
    d[2 * l + 1] = hi;
  });
  w.copyUndefined(i.d[0], i.s[0], active);
  return Step::Next;
}

static Step execMovePredicate(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t value = w.predicate(i.s[0]);
  w.setPredicate(i.d[0], active, value);
  w.copyUndefined(i.d[0], i.s[0], active);
  return Step::Next;
}

static Step execSetPredicate(Warp &w, const DecodedInst &i, uint32_t active) {
  w.setPredicate(i.d[0], active, i.imm ? ~0u : 0u);
  return Step::Next;
}

ExecFn moveFunction(unsigned bits) {
  return bits <= 1     ? execMovePredicate
         : bits == 128 ? execMove128
         : bits == 64  ? execMove<uint64_t>
                       : execMove<uint32_t>;
}

/// The CTA's own shared byte imm as a 32-bit address, in a slot of aux bits.
static Step execSharedAddress(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t *base = w.r32(i.s[0]);
  if (i.aux == 64) {
    uint64_t *d = w.w64(i.d[0]);
    forLanes(active, [&](unsigned l) { d[l] = uint32_t(base[l] + i.imm); });
  } else {
    uint32_t *d = w.w32(i.d[0]);
    forLanes(active, [&](unsigned l) { d[l] = uint32_t(base[l] + i.imm); });
  }
  w.define(i.d[0], active);
  return Step::Next;
}

Src FunctionDecoder::sharedAddress(uint32_t offset, unsigned bits,
                                   const ast::Instruction &source) {
  DecodedInst inst;
  inst.fn = execSharedAddress;
  inst.line = source.line;
  inst.text = source.text;
  inst.aux = bits;
  inst.imm = offset;
  Dst base = special(SpecialReg::SmemBase);
  inst.s[0].offset = base.offset;
  inst.s[0].reg = base.reg;
  inst.s[0].valid = true;
  inst.d[0] = allocate(bits == 64 ? Type::B64 : Type::B32);
  Src result;
  result.offset = inst.d[0].offset;
  result.reg = inst.d[0].reg;
  result.valid = true;
  inst.flow = Flow::Pure;
  kernel.code.push_back(std::move(inst));
  return result;
}

//===----------------------------------------------------------------------===//
// Vectors: mov.b64 {lo, hi}, x and back
//===----------------------------------------------------------------------===//

namespace {
struct Parts : Payload {
  std::vector<Src> sources;
  std::vector<Dst> destinations;
  unsigned bits = 0; ///< of one part
};
} // namespace

/// Bytes of one lane in a slot whose value has `bits` bits.
template <class Data>
static auto laneBytes(Data *slot, unsigned bits, unsigned lane) {
  using Byte =
      std::conditional_t<std::is_const_v<Data>, const uint8_t, uint8_t>;
  unsigned stride = bits <= 32 ? 4 : bits / 8;
  return reinterpret_cast<Byte *>(slot) + size_t(stride) * lane;
}

/// The marks of the parts, as those of what is packed of them.
static void packUndefined(Warp &w, const DecodedInst &i, uint32_t active) {
  const Parts &parts = i.as<Parts>();
  const uint64_t all = Warp::lowBits(parts.bits);
  LaneBits bits[2] = {};
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const auto l = unsigned(__builtin_ctz(rest));
    bool isAny = false; // of them has a value
    for (size_t p = 0; p < parts.sources.size(); ++p) {
      const uint64_t marks = w.undefinedBits(parts.sources[p], l) & all;
      const size_t at = p * parts.bits;
      bits[at / 64][l] |= marks << (at % 64);
      isAny |= marks != all;
    }
    if (!isAny)
      bits[0][l] = bits[1][l] = ~0ull;
  }
  const bool isWide = parts.bits * parts.sources.size() > 64;
  w.setUndefinedBits(i.d[0], active, bits[0], isWide ? &bits[1] : nullptr);
}

static void definePacked(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t defined = active;
  for (const Src &source : i.as<Parts>().sources)
    defined &= w.definedMask(source);
  if (defined == active)
    w.setDefined(i.d[0], active, active);
  else
    packUndefined(w, i, active);
}

/// Part p of the source's marks. A destination is none of the sources.
static void defineUnpacked(Warp &w, const DecodedInst &i, size_t p,
                           uint32_t active) {
  const Parts &parts = i.as<Parts>();
  const Dst &dst = parts.destinations[p];
  const uint32_t undefined = active & ~w.definedMask(i.s[0]);
  w.setDefined(dst, active, ~undefined);
  if (!undefined)
    return;
  LaneBits bits;
  const size_t at = p * parts.bits;
  for (uint32_t rest = undefined; rest; rest &= rest - 1) {
    const auto l = unsigned(__builtin_ctz(rest));
    bits[l] = marksOf(
        w.undefinedBits(i.s[0], l, unsigned(at / 64)) >> (at % 64), parts.bits);
  }
  w.setUndefinedBits(dst, undefined, bits);
  w.copyOrigins(dst, i.s[0], active);
}

/// execPack of two halves of 64 bits, by far the most frequent one.
static Step execPackPair(Warp &w, const DecodedInst &i, uint32_t active) {
  const Parts &parts = i.as<Parts>();
  const uint32_t *low = w.r32(parts.sources[0]),
                 *high = w.r32(parts.sources[1]);
  uint64_t *d = w.w64(i.d[0]);
  forLanes(active,
           [=](unsigned l) { d[l] = low[l] | uint64_t(high[l]) << 32; });
  definePacked(w, i, active);
  return Step::Next;
}

/// execUnpack into two halves of 64 bits.
static Step execUnpackPair(Warp &w, const DecodedInst &i, uint32_t active) {
  const Parts &parts = i.as<Parts>();
  const uint64_t *s = w.r64(i.s[0]);
  for (unsigned half = 0; half < 2; ++half) {
    const Dst &dst = parts.destinations[half];
    if (!dst.valid)
      continue;
    uint32_t *d = w.w32(dst);
    unsigned shift = 32 * half;
    forLanes(active, [=](unsigned l) { d[l] = uint32_t(s[l] >> shift); });
    defineUnpacked(w, i, half, active);
  }
  return Step::Next;
}

static Step execPack(Warp &w, const DecodedInst &i, uint32_t active) {
  const Parts &parts = i.as<Parts>();
  unsigned whole = unsigned(parts.bits * parts.sources.size());
  unsigned bytes = parts.bits / 8;
  // The destination may be one of the sources.
  uint8_t packed[32][16] = {};
  for (size_t p = 0; p < parts.sources.size(); ++p) {
    const uint32_t *s = w.r32(parts.sources[p]);
    forLanes(active, [&](unsigned l) {
      memcpy(&packed[l][p * bytes], laneBytes(s, parts.bits, l), bytes);
    });
  }
  uint32_t *d = w.w32(i.d[0]);
  forLanes(active, [&](unsigned l) {
    memcpy(laneBytes(d, whole, l), packed[l], std::max(whole, 32u) / 8);
  });
  definePacked(w, i, active);
  return Step::Next;
}

static Step execUnpack(Warp &w, const DecodedInst &i, uint32_t active) {
  const Parts &parts = i.as<Parts>();
  unsigned whole = unsigned(parts.bits * parts.destinations.size());
  unsigned bytes = parts.bits / 8;
  uint8_t value[32][16];
  const uint32_t *s = w.r32(i.s[0]);
  forLanes(active, [&](unsigned l) {
    memcpy(value[l], laneBytes(s, whole, l), whole / 8);
  });
  for (size_t p = 0; p < parts.destinations.size(); ++p) {
    const Dst &dst = parts.destinations[p];
    if (!dst.valid)
      continue;
    uint32_t *d = w.w32(dst);
    forLanes(active, [&](unsigned l) {
      uint64_t part = 0;
      memcpy(&part, &value[l][p * bytes], bytes);
      memcpy(laneBytes(d, parts.bits, l), &part, std::max(parts.bits, 32u) / 8);
    });
    defineUnpacked(w, i, p, active);
  }
  return Step::Next;
}

static Type bitsType(unsigned bits) {
  switch (bits) {
  case 8:
    return Type::B8;
  case 16:
    return Type::B16;
  case 32:
    return Type::B32;
  case 64:
    return Type::B64;
  case 128:
    return Type::B128;
  }
  return Type::None;
}

static void decodePack(DecodeContext &c, Type type, bool pack) {
  const Operand &vector = c.operand(pack ? 1 : 0);
  size_t n = vector.elems.size();
  unsigned bits = n ? unsigned(bitsOf(type) / n) : 0;
  Type part = bitsType(bits);
  if ((n != 2 && n != 4) || part == Type::None)
    return c.fail("expected a vector of 2 or 4 parts of 8 to 64 bits");
  auto parts = std::make_shared<Parts>();
  parts->bits = bits;
  if (pack) {
    parts->sources = c.srcVector(vector, part);
    c.inst.d[0] = c.dst(0, type);
  } else {
    parts->destinations = c.dstVector(vector, part);
    c.inst.s[0] = c.src(1, type);
  }
  bool pair = n == 2 && bits == 32;
  c.inst.fn = pack ? (pair ? execPackPair : execPack)
                   : (pair ? execUnpackPair : execUnpack);
  c.inst.payload = std::move(parts);
}

//===----------------------------------------------------------------------===//
// Special registers that change while a warp runs
//===----------------------------------------------------------------------===//

/// %clock counts the warp's instructions; %globaltimer the cluster's, in ns.
static Step execClock(Warp &w, const DecodedInst &i, uint32_t active) {
  uint64_t now = w.cluster.instructions;
  if (i.aux == 1)
    now >>= 32;
  if (i.aux == 2)
    now = now * 1000 + 1'000'000'000ull;
  if (i.imm == 64) {
    uint64_t *d = w.w64(i.d[0]);
    forLanes(active, [=](unsigned l) { d[l] = now; });
  } else {
    uint32_t *d = w.w32(i.d[0]);
    forLanes(active, [=](unsigned l) { d[l] = uint32_t(now); });
  }
  w.define(i.d[0], active);
  return Step::Next;
}

static bool decodeClock(DecodeContext &c, Type type) {
  const Operand &source = c.operand(1);
  if (!source.isName())
    return false;
  unsigned bits = 0;
  if (source.name == "%clock64") {
    bits = 64;
  } else if (source.name == "%clock") {
    bits = 32;
  } else if (source.name == "%clock_hi") {
    bits = 32;
    c.inst.aux = 1;
  } else if (source.name == "%globaltimer") {
    bits = 64;
    c.inst.aux = 2;
  } else if (source.name == "%globaltimer_lo") {
    bits = 32;
    c.inst.aux = 2;
  } else {
    return false;
  }
  if (bitsOf(type) != bits)
    c.fail("expected a " + std::to_string(bits) + "-bit type for " +
           std::string(source.name));
  c.inst.d[0] = c.dst(0, type);
  c.inst.imm = bits;
  c.inst.choice = Choice::Clock;
  c.inst.fn = execClock;
  return true;
}

/// %is_explicit_cluster: a predicate register.
static Step execIsExplicitCluster(Warp &w, const DecodedInst &i,
                                  uint32_t active) {
  w.setPredicate(i.d[0], active, w.machine.explicitCluster ? ~0u : 0u);
  return Step::Next;
}

static void decodeMov(DecodeContext &c) {
  Type type = c.takeType();
  if (!c.expectOperands(2, 2))
    return;
  c.inst.propagatesUndefined = true;
  if (type == Type::Pred) {
    c.inst.d[0] = c.predicateDst(c.operand(0));
    if (c.isImmediate(c.operand(1))) {
      c.inst.imm = c.operand(1).bits;
      c.inst.fn = execSetPredicate;
    } else if (c.operand(1).isName() &&
               c.operand(1).name == "%is_explicit_cluster") {
      c.inst.fn = execIsExplicitCluster;
    } else {
      c.inst.s[0] = c.predicate(c.operand(1));
      c.inst.fn = execMovePredicate;
    }
    return;
  }
  if (c.operand(1).kind == Operand::Kind::Vector)
    return decodePack(c, type, true);
  if (c.operand(0).kind == Operand::Kind::Vector)
    return decodePack(c, type, false);
  if (decodeClock(c, type))
    return;
  c.inst.s[0] = c.src(1, type);
  c.inst.d[0] = c.dst(0, type);
  c.inst.sum = Sum::Move;
  c.inst.fn = moveFunction(bitsOf(type));
}

//===----------------------------------------------------------------------===//
// cvta, isspacep, mapa
//===----------------------------------------------------------------------===//

static uint64_t windowOf(Space space) {
  switch (space) {
  case Space::SharedCta:
  case Space::SharedCluster:
    return kSharedWindow;
  case Space::Local:
    return kLocalWindow;
  case Space::Param:
    return kParamWindow;
  case Space::Const:
    return kConstWindow;
  default:
    return 0;
  }
}

template <class A, class R>
static Step execAddWindow(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto *a = Slot<A>::src(w, i.s[0]);
  auto *d = Slot<R>::dst(w, i.d[0]);
  uint64_t window = i.imm;
  forLanes(active, [=](unsigned l) { d[l] = R(a[l] + window); });
  w.define(i.d[0], active);
  return Step::Next;
}

static void decodeCvta(DecodeContext &c) {
  bool to = c.take("to");
  Space space = c.takeSpace();
  Type type = c.takeType();
  if (!c.expectOperands(2, 2))
    return;
  if (bitsOf(type) != 64)
    return c.fail("expected .u64: addresses have 64 bits");
  uint64_t window = windowOf(space);
  // A named variable is converted in place.
  c.inst.s[0] = c.src(1, type);
  c.inst.d[0] = c.dst(0, type);
  c.inst.imm = to ? 0 - window : window;
  c.inst.fn = execAddWindow<uint64_t, uint64_t>;
}

static Step execIsspacep(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint64_t *a = w.r64(i.s[0]);
  uint32_t bits = 0;
  forLanes(active, [&](unsigned l) {
    bool is = false;
    uint32_t shared;
    switch (Space(i.aux)) {
    case Space::Global:
      is = isDeviceAddress(a[l]) || inWindow(a[l], kModuleWindow) ||
           inWindow(a[l], kConstWindow) || inWindow(a[l], kParamWindow);
      break;
    case Space::SharedCta:
      is = w.toShared(a[l], Space::Generic, shared) &&
           smemRank(shared) == w.cta.rank;
      break;
    case Space::SharedCluster:
      is = w.toShared(a[l], Space::Generic, shared);
      break;
    default:
      is = inWindow(a[l], windowOf(Space(i.aux)));
    }
    bits |= uint32_t(is) << l;
  });
  w.setPredicate(i.d[0], active, bits);
  return Step::Next;
}

static void decodeIsspacep(DecodeContext &c) {
  Space space = c.takeSpace();
  if (!c.expectOperands(2, 2))
    return;
  c.inst.d[0] = c.predicateDst(c.operand(0));
  c.inst.s[0] = c.src(1, Type::B64);
  c.inst.aux = uint32_t(space);
  c.inst.fn = execIsspacep;
}

/// Replaces the rank in a shared address. aux: the address is generic.
template <class Word>
static Step execMapa(Warp &w, const DecodedInst &i, uint32_t active) {
  const Word *a = Slot<Word>::src(w, i.s[0]);
  const uint32_t *rank = w.r32(i.s[1]);
  Word *d = Slot<Word>::dst(w, i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t shared;
    if (!w.toShared(a[l], i.aux ? Space::Generic : Space::SharedCluster,
                    shared))
      return w.fail(ReportKind::Memory, i,
                    "mapa: expected an address in shared memory");
    if (rank[l] >= w.cluster.ctas.size())
      return w.fail(ReportKind::Memory, i,
                    "mapa: expected a rank below the cluster's " +
                        std::to_string(w.cluster.ctas.size()) + " CTAs, got " +
                        std::to_string(rank[l]));
    uint32_t mapped = smemAddress(rank[l], smemOffset(shared));
    d[l] = Word(mapped + (i.aux ? kSharedWindow : 0));
  }
  w.define(i.d[0], active);
  return Step::Next;
}

static void decodeMapa(DecodeContext &c) {
  Space space = c.takeSpace();
  Type type = c.takeType();
  if (!c.expectOperands(3, 3))
    return;
  if (space != Space::Generic && space != Space::SharedCluster)
    return c.fail("expected .shared::cluster or no state space");
  c.inst.aux = space == Space::Generic;
  c.inst.d[0] = c.dst(0, type);
  c.inst.s[0] = c.src(1, type);
  c.inst.s[1] = c.src(2, Type::B32);
  c.inst.fn = bitsOf(type) == 64 ? execMapa<uint64_t> : execMapa<uint32_t>;
}

template <class Word>
static Step execGetCtarank(Warp &w, const DecodedInst &i, uint32_t active) {
  const Word *a = Slot<Word>::src(w, i.s[0]);
  uint32_t *d = w.w32(i.d[0]);
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t shared;
    if (!w.toShared(a[l], i.aux ? Space::Generic : Space::SharedCluster,
                    shared))
      return w.fail(ReportKind::Memory, i,
                    "getctarank: expected an address in shared memory");
    d[l] = smemRank(shared);
  }
  w.define(i.d[0], active);
  return Step::Next;
}

static void decodeGetCtarank(DecodeContext &c) {
  Space space = c.takeSpace();
  Type type = c.takeType();
  if (!c.expectOperands(2, 2))
    return;
  c.inst.aux = space == Space::Generic;
  c.inst.d[0] = c.dst(0, Type::B32);
  c.inst.s[0] = c.src(1, type);
  c.inst.fn =
      bitsOf(type) == 64 ? execGetCtarank<uint64_t> : execGetCtarank<uint32_t>;
}

//===----------------------------------------------------------------------===//
// selp
//===----------------------------------------------------------------------===//

/// selp of registers that have a value in part, or by no predicate.
template <class Word>
static Step selectUndefined(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t p = w.predicate(i.s[2]), known = w.definedMask(i.s[2]);
  // Before the destination, which may be a source, is written.
  LaneBits bits;
  forLanes(active, [&](unsigned l) {
    bits[l] =
        chosenBits<Word>(w, i.s[0], i.s[1], l, known >> l & 1, p >> l & 1);
  });
  const Word *a = Slot<Word>::src(w, i.s[0]);
  const Word *b = Slot<Word>::src(w, i.s[1]);
  Word *d = Slot<Word>::dst(w, i.d[0]);
  forLanes(active, [=](unsigned l) { d[l] = (p >> l) & 1 ? a[l] : b[l]; });
  w.setUndefinedBits(i.d[0], active, bits);
  return Step::Next;
}

template <class Word>
static Step execSelect(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t open = active & ~w.definedMask(i.s[2]);
  const uint32_t both = w.definedMask(i.s[0]) & w.definedMask(i.s[1]);
  if (open || (!w.partial.empty() && active & ~both))
    return selectUndefined<Word>(w, i, active);
  const Word *a = Slot<Word>::src(w, i.s[0]);
  const Word *b = Slot<Word>::src(w, i.s[1]);
  uint32_t p = w.predicate(i.s[2]);
  Word *d = Slot<Word>::dst(w, i.d[0]);
  // Only the chosen side has to be defined.
  uint32_t chosen = (p & w.definedMask(i.s[0])) | (~p & w.definedMask(i.s[1]));
  forLanes(active, [=](unsigned l) { d[l] = (p >> l) & 1 ? a[l] : b[l]; });
  w.setDefined(i.d[0], active, chosen);
  return Step::Next;
}

static void decodeSelp(DecodeContext &c) {
  Type type = c.takeType();
  if (!c.expectOperands(4, 4))
    return;
  if (bitsOf(type) < 16 || bitsOf(type) > 64)
    return c.fail("expected a type of 16, 32 or 64 bits");
  c.inst.d[0] = c.dst(0, type);
  c.inst.s[0] = c.src(1, type);
  c.inst.s[1] = c.src(2, type);
  c.inst.s[2] = c.predicate(c.operand(3));
  c.inst.propagatesUndefined = true;
  c.inst.fn = bitsOf(type) == 64 ? execSelect<uint64_t> : execSelect<uint32_t>;
}

void registerMoveInstructions(InstructionTable &table) {
  table.add("mov", decodeMov);
  table.add("cvta", decodeCvta);
  table.add("isspacep", decodeIsspacep);
  table.add("mapa", decodeMapa);
  table.add("getctarank", decodeGetCtarank);
  table.add("selp", decodeSelp);
}

} // namespace tc::emu
