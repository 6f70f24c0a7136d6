//===- Sparsity.cpp - spcompress, spdecompress ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "spcompress", 9.7.10.30, and "spdecompress", 9.7.10.31: of each
// four elements of a vector of registers two are kept, with their indices; and
// elements go back to where their indices say, among zeros. Elements and
// indices are packed from the lowest bits of the first register on, which is
// inferred (rubin-compress-order).
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Targets.h"
#include "Numerics/Formats.h"
#include "State/Machine.h"

#include <algorithm>
#include <cmath>

namespace tc::emu {

namespace {
struct Sparsity : Payload {
  unsigned elementBits = 8, indexBits = 2;
  /// Of each sequence: elements that are kept, and all.
  unsigned kept = 2, all = 4;
  unsigned count = 1; ///< .num
  std::vector<Dst> indicesTo, elementsTo;
  std::vector<Src> indices, elements;
  Src descriptor;
};

/// Fields of one width in a vector of 32-bit words, the lowest bits first.
struct Fields {
  unsigned bits;
  std::vector<uint32_t> words;
  uint32_t mask() const { return uint32_t(Warp::lowBits(bits)); }
  uint32_t get(unsigned i) const {
    const unsigned at = i * bits;
    return words[at / 32] >> (at % 32) & mask();
  }
  void set(unsigned i, uint32_t value) {
    const unsigned at = i * bits;
    uint32_t &word = words[at / 32];
    word = (word & ~(mask() << (at % 32))) | value << (at % 32);
  }
};

/// Values and marks of what has no value, of one lane.
struct LaneVector {
  Fields values, marks;
  OriginId origin = 0; ///< of the first mark

  LaneVector(unsigned bits, size_t words)
      : values{bits, std::vector<uint32_t>(words)},
        marks{bits, std::vector<uint32_t>(words)} {}
  bool isUndefined(unsigned i) const { return marks.get(i); }
  void leave(unsigned i, OriginId by) {
    if (!origin)
      origin = by;
    marks.set(i, marks.mask());
  }
};

LaneVector loadVector(Warp &w, const DecodedInst &i,
                      const std::vector<Src> &sources, unsigned bits,
                      unsigned lane) {
  LaneVector vector(bits, sources.size());
  for (size_t r = 0; r < sources.size(); ++r) {
    vector.values.words[r] = w.r32(sources[r])[lane];
    vector.marks.words[r] = uint32_t(w.undefinedBits(sources[r], lane));
    if (vector.marks.words[r] && !vector.origin)
      vector.origin = w.originAt(i, sources[r], lane);
  }
  return vector;
}

/// Writes one lane of each register; `bits` gets the marks.
void storeVector(Warp &w, const std::vector<Dst> &to, const LaneVector &from,
                 unsigned lane, std::vector<LaneBits> &bits) {
  for (size_t r = 0; r < to.size(); ++r) {
    if (!to[r].valid)
      continue;
    w.w32(to[r])[lane] = from.values.words[r];
    bits[r][lane] = marksOf(from.marks.words[r], 32);
    if (from.marks.words[r])
      w.setOrigin(to[r], lane, from.origin);
  }
}

void finishVector(Warp &w, const std::vector<Dst> &to, uint32_t active,
                  const std::vector<LaneBits> &bits) {
  for (size_t r = 0; r < to.size(); ++r)
    if (to[r].valid)
      w.setUndefinedBits(to[r], active, bits[r]);
}

/// What table 38 makes of a descriptor.
struct Selection {
  bool isMin, absolute;
  bool isInteger = false, isSigned = false;
  NumberFormat format = NumberFormat::F16;
};

/// Empty `why`, or what is wrong with the descriptor.
Selection readDescriptor(uint32_t descriptor, unsigned elementBits,
                         std::string &why) {
  Selection choice{(descriptor & 2) != 0, (descriptor & 1) != 0};
  const unsigned type = descriptor >> 2 & 7;
  static constexpr NumberFormat kBytes[] = {
      NumberFormat::E5M2, NumberFormat::E4M3, NumberFormat::E3M2,
      NumberFormat::E2M3};
  if (descriptor >> 5)
    why = "expected zeros in bits 5 to 31 of the descriptor";
  else if (elementBits == 16 ? type > 1 : type > 5)
    why = "expected a type of " + std::to_string(elementBits) +
          " bits in bits 2 to 4 of the descriptor, got " + std::to_string(type);
  else if (elementBits == 16)
    choice.format = type ? NumberFormat::BF16 : NumberFormat::F16;
  else if (type < 2) {
    choice.isInteger = true;
    choice.isSigned = type == 1;
  } else {
    choice.format = kBytes[type - 2];
  }
  return choice;
}

/// What an element is compared by: the greatest is kept first. NaN is above
/// all.
struct Rank {
  bool isNaN;
  double value;
  bool isNegative; ///< tells -0 from +0
  bool operator>(const Rank &other) const {
    if (isNaN || other.isNaN)
      return isNaN && !other.isNaN;
    if (value != other.value)
      return value > other.value;
    return !isNegative && other.isNegative;
  }
};

Rank rankOf(const Selection &choice, uint32_t bits) {
  double value = choice.isSigned    ? int8_t(bits)
                 : choice.isInteger ? double(bits)
                                    : decodeFloat(choice.format, bits);
  if (choice.absolute)
    value = std::fabs(value);
  if (value != value)
    return {true, 0, false};
  // -0 is below +0 for a minimum, too.
  if (choice.isMin)
    value = -value;
  return {false, value, std::signbit(value)};
}

Step execCompress(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto &s = i.as<Sparsity>();
  if (!w.requireDefined(i, s.descriptor, active, "descriptor: "))
    return Step::Stop;
  std::vector<LaneBits> indexBits(s.indicesTo.size()),
      elementBits(s.elementsTo.size());
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    std::string why;
    const Selection choice =
        readDescriptor(w.r32(s.descriptor)[lane], s.elementBits, why);
    if (!why.empty())
      return w.fail(ReportKind::Trap, i,
                    why + ", lane " + std::to_string(lane) +
                        " (PTX ISA 9.4, \"spcompress\", 9.7.10.30)");
    const LaneVector from = loadVector(w, i, s.elements, s.elementBits, lane);
    LaneVector to(s.elementBits, s.elementsTo.size()),
        indices(s.indexBits, s.indicesTo.size());
    const auto groups =
        unsigned(s.elements.size() * 32 / s.elementBits / s.all);
    for (unsigned g = 0; g < groups; ++g) {
      Rank ranks[4];
      bool isUndefined = false;
      for (unsigned e = 0; e < 4; ++e) {
        ranks[e] = rankOf(choice, from.values.get(4 * g + e));
        isUndefined |= from.isUndefined(4 * g + e);
      }
      unsigned order[4] = {0, 1, 2, 3};
      std::sort(order, order + 4, [&](unsigned x, unsigned y) {
        return ranks[x] > ranks[y] || (!(ranks[y] > ranks[x]) && x < y);
      });
      const auto pair = std::minmax(order[0], order[1]);
      for (unsigned k = 0; k < 2; ++k) {
        const unsigned e = k ? pair.second : pair.first;
        to.values.set(2 * g + k, from.values.get(4 * g + e));
        indices.values.set(2 * g + k, e);
        // Any of the four decides.
        if (isUndefined) {
          to.leave(2 * g + k, from.origin);
          indices.leave(2 * g + k, from.origin);
        }
      }
    }
    storeVector(w, s.elementsTo, to, lane, elementBits);
    storeVector(w, s.indicesTo, indices, lane, indexBits);
  }
  finishVector(w, s.elementsTo, active, elementBits);
  finishVector(w, s.indicesTo, active, indexBits);
  w.machine.noteUse(Assumption::RubinCompressOrder, i.line, i.line);
  return Step::Next;
}

Step execDecompress(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto &s = i.as<Sparsity>();
  std::vector<LaneBits> bits(s.elementsTo.size());
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const auto lane = unsigned(__builtin_ctz(rest));
    const LaneVector from = loadVector(w, i, s.elements, s.elementBits, lane),
                     indices = loadVector(w, i, s.indices, s.indexBits, lane);
    LaneVector to(s.elementBits, s.elementsTo.size());
    for (unsigned n = 0; n < s.count; ++n)
      for (unsigned k = 0; k < s.kept; ++k) {
        const unsigned at = n * s.kept + k, index = indices.values.get(at);
        if (indices.isUndefined(at)) {
          for (unsigned e = 0; e < s.all; ++e)
            to.leave(n * s.all + e, indices.origin);
          continue;
        }
        if (index >= s.all)
          return w.fail(ReportKind::Trap, i,
                        "expected indices below " + std::to_string(s.all) +
                            ", got " + std::to_string(index) + ", lane " +
                            std::to_string(lane) +
                            " (PTX ISA 9.4, \"spdecompress\", 9.7.10.31)");
        to.values.set(n * s.all + index, from.values.get(at));
        if (from.isUndefined(at))
          to.leave(n * s.all + index, from.origin);
      }
    storeVector(w, s.elementsTo, to, lane, bits);
  }
  finishVector(w, s.elementsTo, active, bits);
  w.machine.noteUse(Assumption::RubinCompressOrder, i.line, i.line);
  return Step::Next;
}
} // namespace

/// Takes .b8 or .b16, .b2 or .b4, and .x1 to .x64.
static bool takeSizes(DecodeContext &c, Sparsity &s) {
  const std::string_view element = c.takeOneOf({"b8", "b16"}),
                         index = c.takeOneOf({"b2", "b4"});
  const std::string_view count =
      c.takeOneOf({"x1", "x2", "x4", "x8", "x16", "x32", "x64"});
  if (element.empty() || index.empty() || count.empty()) {
    c.fail("expected .b8 or .b16, .b2 or .b4, and .x1 to .x64");
    return false;
  }
  expectTarget(c, c.base, Targets::RubinA, {9, 4});
  s.elementBits = element == "b8" ? 8 : 16;
  s.indexBits = index == "b2" ? 2 : 4;
  s.count = unsigned(std::stoul(std::string(count.substr(1))));
  return true;
}

static unsigned wordsOf(unsigned bits) { return (bits + 31) / 32; }

static void checkCount(DecodeContext &c, const char *what, size_t got,
                       unsigned expected) {
  if (got != expected)
    c.fail(std::string("expected ") + std::to_string(expected) + " " + what +
           ", got " + std::to_string(got));
}

/// The ISA leaves open what happens where vectors share registers.
static void checkApart(DecodeContext &c, const Sparsity &s) {
  std::vector<uint32_t> registers;
  for (const std::vector<Dst> *to : {&s.indicesTo, &s.elementsTo})
    for (const Dst &d : *to)
      if (d.valid)
        registers.push_back(d.reg);
  for (const std::vector<Src> *from : {&s.indices, &s.elements})
    for (const Src &source : *from)
      if (source.valid && !source.bank)
        registers.push_back(source.reg);
  std::sort(registers.begin(), registers.end());
  if (std::adjacent_find(registers.begin(), registers.end()) != registers.end())
    c.fail("expected each register in one place of the vectors");
}

static void decodeCompress(DecodeContext &c) {
  auto s = std::make_shared<Sparsity>();
  if (!takeSizes(c, *s))
    return;
  if (!c.take("sp::2:4"))
    return c.fail("expected .sp::2:4");
  if (!c.expectOperands(4, 4))
    return;
  s->indicesTo = c.dstVector(c.operand(0), Type::B32);
  s->elementsTo = c.dstVector(c.operand(1), Type::B32);
  c.areData(s->elements = c.srcVector(c.operand(2), Type::B32));
  s->descriptor = c.src(3, Type::B32);
  checkCount(c, "registers of metadata", s->indicesTo.size(),
             (s->count * s->indexBits + s->elementBits - 1) / s->elementBits);
  checkCount(c, "compressed registers", s->elementsTo.size(), s->count);
  checkCount(c, "registers of data", s->elements.size(), 2 * s->count);
  checkApart(c, *s);
  c.inst.tracksUndefined = true;
  c.inst.payload = std::move(s);
  c.inst.fn = execCompress;
}

static void decodeDecompress(DecodeContext &c) {
  auto s = std::make_shared<Sparsity>();
  if (!takeSizes(c, *s))
    return;
  const std::string_view factor =
      c.takeOneOf({"sp::1:2", "sp::1:4", "sp::1:8", "sp::1:16", "sp::2:4",
                   "sp::2:8", "sp::2:16", "sp::4:8", "sp::4:16"});
  if (factor.empty())
    return c.fail("expected .sp::1:2 to .sp::4:16");
  s->kept = unsigned(factor[4] - '0');
  s->all = unsigned(std::stoul(std::string(factor.substr(6))));
  const unsigned bits = s->all * s->elementBits * s->count;
  if (s->kept * s->elementBits > 32 || (s->indexBits == 2 && s->all > 4) ||
      bits < 32 || bits > 4096)
    return c.fail("expected at most 32 bits of elements in a sequence, .b4 for "
                  "more than 4 of them, and 1 to 128 registers of data");
  if (!c.expectOperands(3, 3))
    return;
  s->elementsTo = c.dstVector(c.operand(0), Type::B32);
  c.areData(s->indices = c.srcVector(c.operand(1), Type::B32));
  c.areData(s->elements = c.srcVector(c.operand(2), Type::B32));
  checkCount(c, "registers of data", s->elementsTo.size(), wordsOf(bits));
  checkCount(c, "registers of metadata", s->indices.size(),
             wordsOf(s->kept * s->indexBits * s->count));
  checkCount(c, "compressed registers", s->elements.size(),
             wordsOf(s->kept * s->elementBits * s->count));
  checkApart(c, *s);
  c.inst.tracksUndefined = true;
  c.inst.payload = std::move(s);
  c.inst.fn = execDecompress;
}

void registerSparsityInstructions(InstructionTable &table) {
  table.add("spcompress", decodeCompress);
  table.add("spdecompress", decodeDecompress);
}

} // namespace tc::emu
