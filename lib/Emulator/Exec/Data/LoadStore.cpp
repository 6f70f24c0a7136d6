//===- LoadStore.cpp - ld, ldu, st and their vectors ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Data Movement and Conversion Instructions": ld, ld.global.nc,
// ldu, st. Caching and eviction modifiers change nothing that a program can
// see; they are checked for their names and dropped.
//
//===----------------------------------------------------------------------===//

#include "Exec/Data/Convert.h"
#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/FunctionDecoder.h"
#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"
#include "State/Access.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

namespace {
struct Elements : Payload {
  std::vector<Dst> destinations;
  std::vector<Src> sources;
  unsigned bytes = 4; ///< of one element in memory
  unsigned slot = 32; ///< bits of the registers' slots
  unsigned registerBits = 32;
  bool isSigned = false;
  bool polls = false; ///< volatile, relaxed, acquire: others should run
};

/// The value of an element as its register holds it.
inline uint64_t extend(const uint8_t *from, const Elements &e) {
  uint64_t value = 0;
  switch (e.bytes) {
  case 1:
    value = *from;
    break;
  case 2: {
    uint16_t v;
    memcpy(&v, from, 2);
    value = v;
    break;
  }
  case 4: {
    uint32_t v;
    memcpy(&v, from, 4);
    value = v;
    break;
  }
  default:
    memcpy(&value, from, 8);
  }
  if (e.isSigned && e.bytes < 8) {
    uint64_t sign = 1ull << (8 * e.bytes - 1);
    value = (value ^ sign) - sign;
  }
  if (e.registerBits < 64)
    value &= (1ull << e.registerBits) - 1;
  return value;
}

/// Strong vectors of 8 and 16 bytes are read and written as one, as devices do
/// and decoupled look-back relies on, though the ISA has its elements apart
/// (PTX ISA 9.0, "Memory Operations on Vector Data Types", 8.2.4): clusters run
/// on threads of the host.
inline void copyWhole(void *to, const void *from, uint32_t bytes) {
  if (bytes == 8)
    memcpy(to, from, 8);
  else if (bytes == 16)
    memcpy(to, from, 16);
  else
    memcpy(to, from, bytes);
}
constexpr uint32_t maxVectorBytes = 32;

/// The bytes that were never written leave those of their registers undefined,
/// and what is an extension of them.
void undefineLoaded(Warp &w, const Elements &e, const Accessor &accessor,
                    uint8_t *const *pointers) {
  for (unsigned k = 0; k < e.destinations.size(); ++k) {
    const Dst &d = e.destinations[k];
    if (!d.valid)
      continue;
    LaneBits bits[2];
    for (uint32_t rest = accessor.undefinedLanes; rest; rest &= rest - 1) {
      unsigned lane = unsigned(__builtin_ctz(rest));
      const uint8_t *states = accessor.statesOf(pointers[lane]);
      const uint8_t *element = states + k * e.bytes, *end = element + e.bytes;
      uint8_t marks[16];
      for (unsigned b = 0; b < e.bytes; ++b)
        marks[b] = element[b] ? 0 : 0xff;
      if (e.bytes == 16)
        for (unsigned word = 0; word < 2; ++word)
          memcpy(&bits[word][lane], marks + 8 * word, 8);
      else
        bits[0][lane] = marksOf(extend(marks, e), e.registerBits);
      if (const uint8_t *first = std::find(element, end, 0); first != end)
        w.setOrigin(d, lane,
                    accessor.originOf(pointers[lane] + (first - states)));
    }
    w.setUndefinedBits(d, accessor.undefinedLanes, bits[0],
                       e.bytes == 16 ? &bits[1] : nullptr);
  }
}

Step execLoad(Warp &w, const DecodedInst &i, uint32_t active) {
  const Elements &e = i.as<Elements>();
  Accessor accessor(w, i, AccessKind::Read);
  accessor.mayBeUndefined = true;
  const unsigned n = unsigned(e.destinations.size());
  const uint32_t total = e.bytes * n;
  uint8_t *pointers[32];
  uint64_t addresses[32];
  w.addresses(i.mem, addresses);
  // All addresses first: a destination may be the address register.
  if (!accessor.resolveAll(addresses, i.mem.space, total, pointers, active))
    for (uint32_t rest = active; rest; rest &= rest - 1) {
      unsigned l = unsigned(__builtin_ctz(rest));
      pointers[l] = accessor.resolve(addresses[l], i.mem.space, l, total);
      if (!pointers[l])
        return Step::Stop;
    }
  uint8_t whole[32][maxVectorBytes];
  if (e.polls && n > 1 && !accessor.undefinedLanes)
    for (uint32_t rest = active; rest; rest &= rest - 1) {
      unsigned l = unsigned(__builtin_ctz(rest));
      copyWhole(whole[l], pointers[l], total);
      pointers[l] = whole[l];
    }
  for (unsigned k = 0; k < n; ++k) {
    const Dst &d = e.destinations[k];
    if (!d.valid)
      continue;
    const unsigned at = k * e.bytes;
    if (e.bytes == 4 && e.slot == 32) {
      uint32_t *slot = w.w32(d);
      if (active == ~0u) {
        for (unsigned l = 0; l < 32; ++l)
          memcpy(&slot[l], pointers[l] + at, 4);
        w.define(d, active);
        continue;
      }
      for (uint32_t rest = active; rest; rest &= rest - 1) {
        unsigned l = unsigned(__builtin_ctz(rest));
        memcpy(&slot[l], pointers[l] + at, 4);
      }
    } else if (e.slot == 128) {
      uint64_t *slot = w.w64(d);
      for (uint32_t rest = active; rest; rest &= rest - 1) {
        unsigned l = unsigned(__builtin_ctz(rest));
        memcpy(&slot[2 * l], pointers[l] + at, 16);
      }
    } else if (e.slot == 64) {
      uint64_t *slot = w.w64(d);
      for (uint32_t rest = active; rest; rest &= rest - 1) {
        unsigned l = unsigned(__builtin_ctz(rest));
        slot[l] = extend(pointers[l] + at, e);
      }
    } else {
      uint32_t *slot = w.w32(d);
      for (uint32_t rest = active; rest; rest &= rest - 1) {
        unsigned l = unsigned(__builtin_ctz(rest));
        slot[l] = uint32_t(extend(pointers[l] + at, e));
      }
    }
    w.define(d, active);
  }
  if (accessor.undefinedLanes)
    undefineLoaded(w, e, accessor, pointers);
  if (!e.polls)
    return Step::Next;
  w.cluster.polls += i.mem.space <= Space::Global;
  return Step::Yield;
}

/// The stored bytes of undefined sources are as undefined. What leaves for
/// memory that others can see for good must have a value.
Step storeUndefined(Warp &w, const Elements &e, const Accessor &accessor,
                    uint32_t active, uint8_t *const *pointers) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    for (unsigned k = 0; k < e.sources.size(); ++k)
      for (unsigned b = 0; b < e.bytes; ++b)
        if (!accessor.storeByte(e.sources[k], l, b,
                                pointers[l] + k * e.bytes + b))
          return Step::Stop;
  }
  return Step::Next;
}

Step execStore(Warp &w, const DecodedInst &i, uint32_t active) {
  const Elements &e = i.as<Elements>();
  Accessor accessor(w, i, AccessKind::Write);
  uint32_t undefined = 0;
  for (const Src &s : e.sources)
    undefined |= active & ~w.definedMask(s);
  if (!w.requireDefined(i, i.mem.base, active, "address: "))
    return Step::Stop;
  const unsigned n = unsigned(e.sources.size());
  const uint32_t total = e.bytes * n;
  uint64_t addresses[32];
  uint8_t *pointers[32];
  w.addresses(i.mem, addresses);
  const bool watches = w.cluster.watchesStores;
  bool changes = !watches || undefined;
  const bool isWhole = n > 1 && i.order != MemoryOrder::Weak;
  uint8_t whole[maxVectorBytes];
  bool all =
      !undefined && !watches &&
      accessor.resolveAll(addresses, i.mem.space, total, pointers, active);
  if (all && active == ~0u && n == 1 && e.bytes == 4 && e.slot == 32) {
    const uint32_t *slot = w.r32(e.sources[0]);
    for (unsigned l = 0; l < 32; ++l)
      memcpy(pointers[l], &slot[l], 4);
    ++w.cluster.effects;
    return Step::Next;
  }
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint8_t *to = all ? pointers[l]
                      : accessor.resolve(addresses[l], i.mem.space, l, total);
    if (!to)
      return Step::Stop;
    pointers[l] = to;
    if (isWhole)
      to = whole;
    for (unsigned k = 0; k < n; ++k, to += e.bytes) {
      const Src &s = e.sources[k];
      changes =
          changes || memcmp(pointers[l] + k * e.bytes,
                            e.slot == 32   ? (const void *)&w.r32(s)[l]
                            : e.slot == 64 ? (const void *)&w.r64(s)[l]
                                           : (const void *)&w.r64(s)[2 * l],
                            e.slot == 128 ? 16 : e.bytes) != 0;
      if (e.slot == 32)
        memcpy(to, &w.r32(s)[l], e.bytes);
      else if (e.slot == 64)
        memcpy(to, &w.r64(s)[l], e.bytes);
      else
        memcpy(to, &w.r64(s)[2 * l], 16);
    }
    if (isWhole)
      copyWhole(pointers[l], whole, total);
  }
  ++w.cluster.effects;
  w.cluster.harmless += !changes;
  return undefined ? storeUndefined(w, e, accessor, undefined, pointers)
                   : Step::Next;
}

/// ld.proxy::readonly with a generic address, which is undefined outside of
/// .global and .const (PTX ISA 9.4, 9.7.10.8).
Step execReadOnlyLoad(Warp &w, const DecodedInst &i, uint32_t active) {
  if (!w.requireDefined(i, i.mem.base, active, "address: "))
    return Step::Stop;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    const uint64_t address = w.address(i.mem, lane);
    for (const auto &[window, space] : {std::pair{kSharedWindow, "shared"},
                                        {kLocalWindow, "local"},
                                        {kParamWindow, "param"}})
      if (inWindow(address, window))
        return w.fail(ReportKind::Memory, i,
                      std::string("the address is in the ") + space +
                          " window, where .proxy::readonly expects one of "
                          ".global or .const, lane " +
                          std::to_string(lane));
  }
  return execLoad(w, i, active);
}

/// ld.param of a kernel parameter: the same value for all lanes.
Step execLoadParam(Warp &w, const DecodedInst &i, uint32_t active) {
  const Elements &e = i.as<Elements>();
  const uint8_t *from = w.machine.params.data() + i.imm;
  for (const Dst &d : e.destinations) {
    if (d.valid) {
      uint64_t value = extend(from, e);
      if (e.slot == 64) {
        uint64_t *slot = w.w64(d);
        forLanes(active, [=](unsigned l) { slot[l] = value; });
      } else {
        uint32_t *slot = w.w32(d);
        forLanes(active, [=](unsigned l) { slot[l] = uint32_t(value); });
      }
      w.define(d, active);
    }
    from += e.bytes;
  }
  return Step::Next;
}
} // namespace

/// Takes .weak .volatile .relaxed .acquire .release .mmio and the scope; true
/// if the access is of a kind that programs poll with.
static bool takeSemantics(DecodeContext &c) {
  std::string_view order = c.takeOneOf(
      {"weak", "volatile", "relaxed", "acquire", "release", "mmio"});
  if (order == "mmio")
    c.take("relaxed");
  c.inst.order = order == "acquire"                 ? MemoryOrder::Acquire
                 : order == "release"               ? MemoryOrder::Release
                 : order.empty() || order == "weak" ? MemoryOrder::Weak
                                                    : MemoryOrder::Relaxed;
  // Volatile and .mmio accesses are those of system scope.
  c.inst.scope = takeScope(c, Scope::Sys);
  return !order.empty() && order != "weak" && order != "release";
}

static unsigned takeVector(DecodeContext &c) {
  std::string_view vector = c.takeOneOf({"v2", "v4", "v8"});
  return vector.empty() ? 1 : unsigned(vector[1] - '0');
}

static bool checkElements(DecodeContext &c, const ast::Operand &operand,
                          unsigned count, Type type) {
  bool isVector = operand.kind == ast::Operand::Kind::Vector;
  size_t have = isVector ? operand.elems.size() : 1;
  if (have != count || isVector != (count > 1 || isVector)) {
    c.fail("expected " + std::to_string(count) + " elements, got " +
           std::to_string(have));
    return false;
  }
  if (type == Type::Pred || sizeOf(type) == 0) {
    c.fail("expected a type of 8 to 128 bits");
    return false;
  }
  if (sizeOf(type) * count > 32 || (sizeOf(type) == 16 && count > 1)) {
    c.fail("expected at most 256 bits");
    return false;
  }
  return true;
}

static const ast::Operand &elementOf(const ast::Operand &operand, unsigned i) {
  return operand.kind == ast::Operand::Kind::Vector ? operand.elems[i]
                                                    : operand;
}

/// ld.proxy::readonly, which has no order and reads global memory alone. It is
/// checked like other loads, as .nc is: an ordered write goes unreported.
static void takeReadOnly(DecodeContext &c, Space space) {
  expectTarget(c, "ld.proxy::readonly", Targets::From90, {9, 4});
  const std::string_view opcode = c.source.opcode;
  for (const char *order : {".weak", ".volatile", ".relaxed", ".acquire"})
    if (opcode.find(order) != opcode.npos)
      c.fail(std::string("expected no ") + order + " with .proxy::readonly");
  if (space != Space::Generic && space != Space::Global)
    c.fail("expected .global, or no state space, with .proxy::readonly");
}

static void decodeLoad(DecodeContext &c) {
  auto elements = std::make_shared<Elements>();
  elements->polls = takeSemantics(c);
  if (c.inst.order != MemoryOrder::Weak)
    c.inst.choice = Choice::StrongAccess;
  Space space = c.takeSpace();
  c.take("nc");
  const bool isReadOnly = c.take("proxy::readonly");
  if (isReadOnly)
    takeReadOnly(c, space);
  takeCacheModifiers(c);
  c.take("unified");
  unsigned count = takeVector(c);
  Type type = c.takeType();
  bool hint = c.numOperands() == 3;
  if (!c.expectOperands(2, 3) || !checkElements(c, c.operand(0), count, type))
    return;
  if (hint)
    c.src(2, Type::B64); // the cache policy
  elements->bytes = sizeOf(type);
  c.inst.element = uint8_t(elements->bytes);
  elements->isSigned = isSigned(type);
  for (unsigned k = 0; k < count; ++k) {
    const ast::Operand &operand = elementOf(c.operand(0), k);
    unsigned slot = 32, registerBits = 32;
    if (type == Type::B128) {
      elements->destinations.push_back(c.dst(operand, type));
      slot = registerBits = 128;
    } else {
      elements->destinations.push_back(
          wideDestination(c, operand, type, slot, registerBits));
    }
    if (operand.isSink())
      continue;
    elements->slot = slot;
    elements->registerBits = registerBits;
  }
  c.inst.mem = c.memRef(1, space);
  if (c.failed())
    return;
  c.inst.fn =
      isReadOnly && space == Space::Generic ? execReadOnlyLoad : execLoad;
  // A named kernel parameter sits at a known place.
  if (c.inst.mem.space == Space::Param && c.inst.mem.base.bank == 1 &&
      type != Type::B128) {
    const ast::Operand &base = c.operand(1).elems[0];
    Symbol *symbol = base.isName() ? c.decoder.lookup(base.name) : nullptr;
    if (symbol && symbol->space == Space::Param && !symbol->functionParam) {
      int64_t at = int64_t(symbol->address) + c.inst.mem.offset;
      if (at < 0 || at % elements->bytes ||
          uint64_t(at) + elements->bytes * count > c.decoder.paramBytes())
        return c.fail("misaligned or out of bounds of the parameters");
      c.inst.imm = uint64_t(at);
      c.inst.fn = execLoadParam;
    }
  }
  c.inst.payload = std::move(elements);
}

static void decodeStore(DecodeContext &c) {
  auto elements = std::make_shared<Elements>();
  takeSemantics(c);
  if (c.inst.order != MemoryOrder::Weak)
    c.inst.choice = Choice::StrongAccess;
  Space space = c.takeSpace();
  takeCacheModifiers(c);
  unsigned count = takeVector(c);
  Type type = c.takeType();
  bool hint = c.numOperands() == 3;
  if (!c.expectOperands(2, 3) || !checkElements(c, c.operand(1), count, type))
    return;
  if (hint)
    c.src(2, Type::B64);
  elements->bytes = sizeOf(type);
  c.inst.element = uint8_t(elements->bytes);
  for (unsigned k = 0; k < count; ++k) {
    const ast::Operand &operand = elementOf(c.operand(1), k);
    unsigned slot = 32;
    if (type == Type::B128) {
      elements->sources.push_back(c.src(operand, type));
      slot = 128;
    } else {
      elements->sources.push_back(wideSource(c, operand, type, slot));
    }
    // Registers of one vector may have different widths only if none is a
    // literal; the slot of each decides how it is read.
    if (k && slot != elements->slot)
      return c.fail("expected registers of one width");
    elements->slot = slot;
  }
  c.areData(elements->sources);
  c.inst.mem = c.memRef(0, space);
  c.inst.fn = execStore;
  c.inst.tracksUndefined = true;
  c.inst.payload = std::move(elements);
}

/// multimem.ld_reduce: with one device behind the multicast address there is
/// nothing to reduce, it is a load.
static void decodeLoadReduce(DecodeContext &c) {
  if (c.takeOneOf({"add", "min", "max", "and", "or", "xor"}).empty())
    return c.fail("expected .add, .min, .max, .and, .or or .xor");
  c.takeOneOf({"acc::f32", "acc::f16"});
  decodeLoad(c);
}

void registerMemoryInstructions(InstructionTable &table) {
  table.add("ld", decodeLoad);
  table.add("ldu", decodeLoad);
  table.add("st", decodeStore);
  table.add("multimem.ld_reduce", decodeLoadReduce);
  table.add("multimem.st", decodeStore);
}

} // namespace tc::emu
