//===- Compare.cpp - setp, set, slct --------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Comparison and Selection Instructions". setp may combine its
// result with a predicate and give the negated comparison as a second result.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/BitRules.h"
#include "Exec/Logic/ComparePacked.h"
#include "Numerics/Half.h"

namespace tc::emu {

namespace {
enum class Cmp : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge, // ordered for floats
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu, // true if unordered
  Num,
  Nan
};
enum class Bool : uint8_t { None, And, Or, Xor };

template <class T, Cmp C>
bool compare(T a, T b) {
  bool unordered = false;
  if constexpr (std::is_floating_point_v<T>)
    unordered = a != a || b != b;
  switch (C) {
  case Cmp::Eq:
    return a == b;
  case Cmp::Ne:
    return a != b && !unordered;
  case Cmp::Lt:
    return a < b;
  case Cmp::Le:
    return a <= b;
  case Cmp::Gt:
    return a > b;
  case Cmp::Ge:
    return a >= b;
  case Cmp::Equ:
    return a == b || unordered;
  case Cmp::Neu:
    return a != b;
  case Cmp::Ltu:
    return a < b || unordered;
  case Cmp::Leu:
    return a <= b || unordered;
  case Cmp::Gtu:
    return a > b || unordered;
  case Cmp::Geu:
    return a >= b || unordered;
  case Cmp::Num:
    return !unordered;
  case Cmp::Nan:
    return unordered;
  }
  return false;
}

/// How a slot's value becomes comparable.
template <class T>
struct Plain {
  using Word = typename Slot<T>::Word;
  static constexpr bool isFloat = std::is_floating_point_v<T>;
  static T load(Word word) { return Slot<T>::load(word); }
};
struct Flushed {
  using Word = uint32_t;
  static constexpr bool isFloat = true;
  static float load(Word word) { return flush(bitCast<float>(word)); }
};
template <class H>
struct HalfValue {
  using Word = uint32_t;
  static constexpr bool isFloat = true;
  static float load(Word word) { return halfToFloat<H>(uint16_t(word)); }
};
struct FlushedHalf {
  using Word = uint32_t;
  static constexpr bool isFloat = true;
  static float load(Word word) {
    return halfToFloat<F16>(flushHalf<F16>(uint16_t(word)));
  }
};

template <class L, Cmp C>
uint32_t compareLanes(const Warp &w, const DecodedInst &i, uint32_t active) {
  using Word = typename L::Word;
  const Word *a = reinterpret_cast<const Word *>(w.r32(i.s[0]));
  const Word *b = reinterpret_cast<const Word *>(w.r32(i.s[1]));
  using T = decltype(L::load(Word()));
  uint32_t bits = 0;
  if (active == ~0u) {
    uint8_t result[32];
    TC_VECTORIZE
    for (unsigned l = 0; l < 32; ++l)
      result[l] = compare<T, C>(L::load(a[l]), L::load(b[l]));
    // Eight bytes of 0 or 1 become eight bits by one multiplication.
    for (unsigned k = 0; k < 4; ++k) {
      uint64_t eight;
      memcpy(&eight, result + 8 * k, 8);
      bits |= uint32_t((eight * 0x0102040810204080ull) >> 56) << (8 * k);
    }
    return bits;
  }
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    bits |= uint32_t(compare<T, C>(L::load(a[l]), L::load(b[l]))) << l;
  }
  return bits;
}

uint32_t combine(Bool op, uint32_t bits, uint32_t with) {
  switch (op) {
  case Bool::None:
    return bits;
  case Bool::And:
    return bits & with;
  case Bool::Or:
    return bits | with;
  case Bool::Xor:
    return bits ^ with;
  }
  return bits;
}

/// aux: the Bool. s[2] is the predicate to combine with.
template <class L, Cmp C>
Step execSetp(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t bits = compareLanes<L, C>(w, i, active);
  Bool op = Bool(i.aux & 255);
  uint32_t with = op == Bool::None ? 0 : w.predicate(i.s[2]);
  if (i.d[1].valid)
    w.setPredicate(i.d[1], active, combine(op, ~bits, with));
  if (i.d[0].valid)
    w.setPredicate(i.d[0], active, combine(op, bits, with));
  return Step::Next;
}

/// set: imm where the comparison holds, else 0.
template <class L, Cmp C>
Step execSet(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t bits = compareLanes<L, C>(w, i, active);
  Bool op = Bool(i.aux & 255);
  bits = combine(op, bits, op == Bool::None ? 0 : w.predicate(i.s[2]));
  const uint32_t yes = uint32_t(i.imm);
  uint32_t *d = w.w32(i.d[0]);
  forLanes(active, [=](unsigned l) { d[l] = (bits >> l) & 1 ? yes : 0; });
  w.define(i.d[0], active);
  return Step::Next;
}

template <class L, Cmp C>
ExecFn pick(bool isSet) {
  return isSet ? execSet<L, C> : execSetp<L, C>;
}

template <class L>
ExecFn pickCompare(Cmp cmp, bool isSet) {
  switch (cmp) {
  case Cmp::Eq:
    return pick<L, Cmp::Eq>(isSet);
  case Cmp::Ne:
    return pick<L, Cmp::Ne>(isSet);
  case Cmp::Lt:
    return pick<L, Cmp::Lt>(isSet);
  case Cmp::Le:
    return pick<L, Cmp::Le>(isSet);
  case Cmp::Gt:
    return pick<L, Cmp::Gt>(isSet);
  case Cmp::Ge:
    return pick<L, Cmp::Ge>(isSet);
  default:
    break;
  }
  if constexpr (L::isFloat)
    switch (cmp) {
    case Cmp::Equ:
      return pick<L, Cmp::Equ>(isSet);
    case Cmp::Neu:
      return pick<L, Cmp::Neu>(isSet);
    case Cmp::Ltu:
      return pick<L, Cmp::Ltu>(isSet);
    case Cmp::Leu:
      return pick<L, Cmp::Leu>(isSet);
    case Cmp::Gtu:
      return pick<L, Cmp::Gtu>(isSet);
    case Cmp::Geu:
      return pick<L, Cmp::Geu>(isSet);
    case Cmp::Num:
      return pick<L, Cmp::Num>(isSet);
    case Cmp::Nan:
      return pick<L, Cmp::Nan>(isSet);
    default:
      break;
    }
  return nullptr;
}

ExecFn pickFunction(Type type, Cmp cmp, bool ftz, bool isSet) {
  bool equality = cmp == Cmp::Eq || cmp == Cmp::Ne;
  switch (type) {
  case Type::B16:
    return equality ? pickCompare<Plain<uint16_t>>(cmp, isSet) : nullptr;
  case Type::B32:
    return equality ? pickCompare<Plain<uint32_t>>(cmp, isSet) : nullptr;
  case Type::B64:
    return equality ? pickCompare<Plain<uint64_t>>(cmp, isSet) : nullptr;
  case Type::U16:
    return pickCompare<Plain<uint16_t>>(cmp, isSet);
  case Type::S16:
    return pickCompare<Plain<int16_t>>(cmp, isSet);
  case Type::U32:
    return pickCompare<Plain<uint32_t>>(cmp, isSet);
  case Type::S32:
    return pickCompare<Plain<int32_t>>(cmp, isSet);
  case Type::U64:
    return pickCompare<Plain<uint64_t>>(cmp, isSet);
  case Type::S64:
    return pickCompare<Plain<int64_t>>(cmp, isSet);
  case Type::F32:
    return ftz ? pickCompare<Flushed>(cmp, isSet)
               : pickCompare<Plain<float>>(cmp, isSet);
  case Type::F64:
    return pickCompare<Plain<double>>(cmp, isSet);
  case Type::F16:
    return ftz ? pickCompare<FlushedHalf>(cmp, isSet)
               : pickCompare<HalfValue<F16>>(cmp, isSet);
  case Type::BF16:
    return ftz ? nullptr : pickCompare<HalfValue<BF16>>(cmp, isSet);
  default:
    return nullptr;
  }
}

/// f16x2 and bf16x2: the comparisons of one half. aux bits 8 to 15 are the
/// comparison, bit 16 .ftz.
template <class H>
uint32_t compareHalves(const Warp &w, const DecodedInst &i, uint32_t active,
                       unsigned h) {
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]);
  uint32_t bits = 0;
  auto test = [&](float x, float y) {
    switch (Cmp(i.aux >> 8 & 255)) {
#define TC_CASE(C)                                                             \
  case Cmp::C:                                                                 \
    return compare<float, Cmp::C>(x, y);
      TC_CASE(Eq)
      TC_CASE(Ne)
      TC_CASE(Lt)
      TC_CASE(Le)
      TC_CASE(Gt)
      TC_CASE(Ge)
      TC_CASE(Equ)
      TC_CASE(Neu)
      TC_CASE(Ltu)
      TC_CASE(Leu)
      TC_CASE(Gtu)
      TC_CASE(Geu)
      TC_CASE(Num)
      TC_CASE(Nan)
#undef TC_CASE
    }
    return false;
  };
  auto half = [&](uint32_t word) {
    uint16_t value = uint16_t(word >> (16 * h));
    return halfToFloat<H>(i.aux >> 16 & 1 ? flushHalf<H>(value) : value);
  };
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    bits |= uint32_t(test(half(a[l]), half(b[l]))) << l;
  }
  Bool op = Bool(i.aux & 255);
  return combine(op, bits, op == Bool::None ? 0 : w.predicate(i.s[2]));
}

/// One predicate per half.
template <class H>
Step execSetpPair(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t low = compareHalves<H>(w, i, active, 0),
                 high = compareHalves<H>(w, i, active, 1);
  if (i.d[0].valid)
    w.setPredicate(i.d[0], active, low);
  if (i.d[1].valid)
    w.setPredicate(i.d[1], active, high);
  return Step::Next;
}

/// imm, 16 bits, in each half whose comparison holds.
template <class H>
Step execSetPair(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t low = compareHalves<H>(w, i, active, 0),
                 high = compareHalves<H>(w, i, active, 1),
                 yes = uint32_t(i.imm);
  uint32_t *d = w.w32(i.d[0]);
  forLanes(active, [=](unsigned l) {
    d[l] = ((low >> l) & 1 ? yes : 0) | ((high >> l) & 1 ? yes << 16 : 0);
  });
  w.define(i.d[0], active);
  return Step::Next;
}

/// What is known of a condition.
enum class Known : uint8_t { False, True, Nothing };
Known invert(Known known) {
  return known == Known::Nothing ? known
         : known == Known::True  ? Known::False
                                 : Known::True;
}

/// A comparison of integers, by the values that its operands may have.
template <class T>
Known knownOfCompare(const Warp &w, const DecodedInst &i, unsigned lane) {
  const Src &a = i.s[0], &b = i.s[1];
  const T undefined = undefinedIn<T>(w, a, lane) | undefinedIn<T>(w, b, lane);
  const T differ = valueIn<T>(w, a, lane) ^ valueIn<T>(w, b, lane);
  auto less = [&](const Src &x, const Src &y) {
    return greatestOf<T>(w, x, lane) < leastOf<T>(w, y, lane) ? Known::True
           : leastOf<T>(w, x, lane) >= greatestOf<T>(w, y, lane)
               ? Known::False
               : Known::Nothing;
  };
  const Known same = differ & ~undefined ? Known::False
                     : undefined         ? Known::Nothing
                                         : Known::True;
  switch (Cmp(i.aux >> 8 & 255)) {
  case Cmp::Eq:
    return same;
  case Cmp::Ne:
    return invert(same);
  case Cmp::Lt:
    return less(a, b);
  case Cmp::Gt:
    return less(b, a);
  case Cmp::Le:
    return invert(less(b, a));
  case Cmp::Ge:
    return invert(less(a, b));
  default:
    return Known::Nothing;
  }
}

/// Whether the condition and the predicate, combined, have no value.
bool isUnsettled(const Warp &w, const DecodedInst &i, unsigned lane,
                 Known condition) {
  const Bool op = Bool(i.aux & 255);
  if (op == Bool::None)
    return condition == Known::Nothing;
  const Known predicate = w.undefinedBits(i.s[2], lane)     ? Known::Nothing
                          : w.predicate(i.s[2]) >> lane & 1 ? Known::True
                                                            : Known::False;
  const Known settles = op == Bool::And  ? Known::False
                        : op == Bool::Or ? Known::True
                                         : Known::Nothing;
  if (settles != Known::Nothing &&
      (condition == settles || predicate == settles))
    return false;
  return condition == Known::Nothing || predicate == Known::Nothing;
}

template <class T>
uint64_t setpBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const Known known = knownOfCompare<T>(w, i, lane);
  return (isUnsettled(w, i, lane, known) ? 1 : 0) |
         (isUnsettled(w, i, lane, invert(known)) ? 2 : 0);
}
template <class T>
uint64_t setBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  return isUnsettled(w, i, lane, knownOfCompare<T>(w, i, lane)) ? ~0ull : 0;
}

/// The rule for integers, null for other types.
BitRule pickRule(Type type, bool isSet) {
  switch (type) {
#define TC_RULE(T) isSet ? setBits<T> : setpBits<T>
  case Type::B16:
  case Type::U16:
    return TC_RULE(uint16_t);
  case Type::S16:
    return TC_RULE(int16_t);
  case Type::B32:
  case Type::U32:
    return TC_RULE(uint32_t);
  case Type::S32:
    return TC_RULE(int32_t);
  case Type::B64:
  case Type::U64:
    return TC_RULE(uint64_t);
  case Type::S64:
    return TC_RULE(int64_t);
#undef TC_RULE
  default:
    return nullptr;
  }
}
} // namespace

static bool takeComparison(DecodeContext &c, Cmp &cmp, bool isUnsigned) {
  static const std::pair<std::string_view, Cmp> kNames[] = {
      {"eq", Cmp::Eq},
      {"ne", Cmp::Ne},
      {"lt", Cmp::Lt},
      {"le", Cmp::Le},
      {"gt", Cmp::Gt},
      {"ge", Cmp::Ge},
      {"equ", Cmp::Equ},
      {"neu", Cmp::Neu},
      {"ltu", Cmp::Ltu},
      {"leu", Cmp::Leu},
      {"gtu", Cmp::Gtu},
      {"geu", Cmp::Geu},
      {"num", Cmp::Num},
      {"nan", Cmp::Nan},
      // Unsigned integers.
      {"lo", Cmp::Lt},
      {"ls", Cmp::Le},
      {"hi", Cmp::Gt},
      {"hs", Cmp::Ge}};
  std::string_view name = c.takeNext();
  for (const auto &row : kNames)
    if (row.first == name) {
      cmp = row.second;
      return true;
    }
  c.fail("expected a comparison, got ." + std::string(name));
  return false;
}

/// What set gives where the comparison holds: 1.0 or all ones; per half for
/// pairs. 0 for types that it cannot give.
static uint64_t trueOf(Type result, bool pair) {
  switch (result) {
  case Type::U32:
  case Type::S32:
    return pair ? 0xffff : 0xffffffff;
  case Type::F32:
    return pair ? 0 : 0x3f800000;
  case Type::U16:
  case Type::S16:
    return pair ? 0 : 0xffff;
  case Type::F16:
    return pair ? 0 : F16::kOne;
  case Type::BF16:
    return pair ? 0 : BF16::kOne;
  case Type::F16x2:
    return pair ? F16::kOne : 0;
  case Type::BF16x2:
    return pair ? BF16::kOne : 0;
  default:
    return 0;
  }
}

static void decodeCompare(DecodeContext &c) {
  bool isSet = c.base == "set";
  if (isSet && decodePackedSet(c))
    return;
  Cmp cmp = Cmp::Eq;
  if (!takeComparison(c, cmp, false))
    return;
  std::string_view combineName = c.takeOneOf({"and", "or", "xor"});
  Bool op = combineName == "and"   ? Bool::And
            : combineName == "or"  ? Bool::Or
            : combineName == "xor" ? Bool::Xor
                                   : Bool::None;
  bool ftz = c.take("ftz");
  Type resultType = isSet ? c.takeType() : Type::Pred;
  Type type = c.takeType();
  unsigned operands = op == Bool::None ? 3 : 4;
  if (!c.expectOperands(operands, operands))
    return;
  const ast::Operand &first = c.operand(0);
  const bool pair = type == Type::F16x2 || type == Type::BF16x2;
  if (isSet) {
    c.inst.d[0] = c.dst(first, resultType);
    c.inst.imm = trueOf(resultType, pair);
    if (!c.inst.imm)
      return c.fail("no comparison of ." + std::string(toString(type)) +
                    " gives a result of type ." + toString(resultType));
  } else if (first.kind == ast::Operand::Kind::Pair) {
    c.inst.d[0] = c.predicateDst(first.elems[0]);
    c.inst.d[1] = c.predicateDst(first.elems[1]);
  } else {
    c.inst.d[0] = c.predicateDst(first);
  }
  c.inst.s[0] = c.src(1, type);
  c.inst.s[1] = c.src(2, type);
  if (op != Bool::None)
    c.inst.s[2] = c.predicate(c.operand(3));
  c.inst.aux = unsigned(op) | unsigned(cmp) << 8 | (ftz ? 1u << 16 : 0u);
  c.inst.givesPredicates = !isSet;
  if (pair && !(ftz && type == Type::BF16x2)) {
    c.inst.bitRule = isSet ? pairBits : pairPredicateBits;
    if (type == Type::F16x2)
      c.inst.fn = isSet ? execSetPair<F16> : execSetpPair<F16>;
    else
      c.inst.fn = isSet ? execSetPair<BF16> : execSetpPair<BF16>;
    return;
  }
  c.inst.bitRule = pickRule(type, isSet);
  if (!c.inst.bitRule && !isSet && (op == Bool::And || op == Bool::Or)) {
    c.inst.bitRule = op == Bool::And ? allOfBits : anyOfBits;
    c.inst.ruleBits = 1 << 2;
  }
  c.inst.fn = pickFunction(type, cmp, ftz, isSet);
  if (!c.inst.fn)
    c.fail(std::string("the comparison is not legal for type .") +
           toString(type));
}

enum class Selector : uint8_t { Integer, Float, FlushedFloat };

/// slct: a if c >= 0, else b; .ftz flushes c, so that a subnormal number below
/// zero selects a. NaN selects b.
template <class Word, Selector Kind>
static Step execSlct(Warp &w, const DecodedInst &i, uint32_t active) {
  const Word *a = Slot<Word>::src(w, i.s[0]);
  const Word *b = Slot<Word>::src(w, i.s[1]);
  const uint32_t *c = w.r32(i.s[2]);
  Word *d = Slot<Word>::dst(w, i.d[0]);
  forLanes(active, [=](unsigned l) {
    bool first = Kind == Selector::Integer ? int32_t(c[l]) >= 0
                 : Kind == Selector::Float ? bitCast<float>(c[l]) >= 0
                                           : flush(bitCast<float>(c[l])) >= 0;
    d[l] = first ? a[l] : b[l];
  });
  w.define(i.d[0], active);
  return Step::Next;
}

template <class Word, Selector Kind>
static uint64_t slctBits(const Warp &w, const DecodedInst &i, unsigned lane) {
  const uint32_t unknown = undefinedIn<uint32_t>(w, i.s[2], lane),
                 c = w.r32(i.s[2])[lane];
  if (Kind == Selector::Integer)
    return chosenBits<Word>(w, i.s[0], i.s[1], lane, !(unknown >> 31),
                            int32_t(c) >= 0);
  const float number = bitCast<float>(c);
  return chosenBits<Word>(w, i.s[0], i.s[1], lane, !unknown,
                          (Kind == Selector::Float ? number : flush(number)) >=
                              0);
}

template <Selector Kind>
static void pickSlct(DecodeContext &c, Type type) {
  const bool isWide = bitsOf(type) == 64;
  c.inst.fn = isWide ? execSlct<uint64_t, Kind> : execSlct<uint32_t, Kind>;
  c.inst.bitRule = isWide ? slctBits<uint64_t, Kind> : slctBits<uint32_t, Kind>;
}

static void decodeSlct(DecodeContext &c) {
  const bool ftz = c.take("ftz");
  Type type = c.takeType();
  Type selector = c.takeType();
  if (!c.expectOperands(4, 4))
    return;
  c.inst.d[0] = c.dst(0, type);
  c.inst.s[0] = c.src(1, type);
  c.inst.s[1] = c.src(2, type);
  c.inst.s[2] = c.src(3, selector);
  if (selector == Type::F32 && ftz)
    pickSlct<Selector::FlushedFloat>(c, type);
  else if (selector == Type::F32)
    pickSlct<Selector::Float>(c, type);
  else if (selector == Type::S32 && !ftz)
    pickSlct<Selector::Integer>(c, type);
  else
    c.fail("expected .f32, or .s32 without .ftz, as the type of the selector");
}

void registerCompareInstructions(InstructionTable &table) {
  table.add("setp", decodeCompare);
  table.add("set", decodeCompare);
  table.add("slct", decodeSlct);
}

} // namespace tc::emu
