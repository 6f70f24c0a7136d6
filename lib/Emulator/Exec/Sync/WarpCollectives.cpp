//===- WarpCollectives.cpp - shfl, vote, match, redux, elect --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0: shfl.sync, vote.sync, match.sync, redux.sync, elect.sync,
// activemask. Groups of lanes (Members.h) act one by one. What is made of lanes
// without a value has none either, unless the others settle it.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/FunctionDecoder.h"
#include "Exec/Decode/Lanes.h"
#include "Exec/Decode/Modifiers.h"
#include "Exec/Sync/Members.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

namespace {
enum class Shuffle : uint8_t { Up, Down, Bfly, Idx };

/// Waits for the members of `mask`, which have to be known.
Step gatherKnown(Warp &w, const DecodedInst &i, const Src &mask,
                 uint32_t active, MemberGroups &groups) {
  return w.requireDefined(i, mask, active)
             ? gatherMembers(w, i, mask, active, groups)
             : Step::Stop;
}

/// What a group makes of the sources of `undefined` lanes: `d` has a value in
/// none of its lanes.
void undefineGroup(Warp &w, const Dst &d, const Src &source, uint32_t lanes,
                   uint32_t undefined) {
  const OriginId origin =
      w.originOf(source, unsigned(__builtin_ctz(undefined)));
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    w.setOrigin(d, unsigned(__builtin_ctz(rest)), origin);
  w.undefine(d, lanes);
}

Step execShuffle(Warp &w, const DecodedInst &i, uint32_t active) {
  MemberGroups groups;
  for (unsigned k = 1; k < 4; ++k)
    if (!w.requireDefined(i, i.s[k], active))
      return Step::Stop;
  if (Step step = gatherMembers(w, i, i.s[3], active, groups);
      step != Step::Next)
    return step;
  // Whom a lane may read from.
  uint32_t group[32];
  for (const MemberGroup &g : groups)
    forLanes(g.lanes, [&](unsigned l) { group[l] = g.lanes; });
  const uint32_t *a = w.r32(i.s[0]), *b = w.r32(i.s[1]), *c = w.r32(i.s[2]);
  uint32_t result[32], valid = 0, outside = 0; ///< outside of their groups
  uint8_t from[32];
  LaneBits bits;
  uint32_t undefined = 0;
  OriginId origins[32];
  const bool knows = !w.origins.empty();
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    int lane = int(l), bval = int(b[l] & 31);
    int cval = int(c[l] & 31), segmask = int((c[l] >> 8) & 31);
    int maxLane = (lane & segmask) | (cval & ~segmask);
    int minLane = lane & segmask;
    int j = 0;
    bool p = false;
    switch (Shuffle(i.aux)) {
    case Shuffle::Up:
      j = lane - bval;
      p = j >= maxLane;
      break;
    case Shuffle::Down:
      j = lane + bval;
      p = j <= maxLane;
      break;
    case Shuffle::Bfly:
      j = lane ^ bval;
      p = j <= maxLane;
      break;
    case Shuffle::Idx:
      j = minLane | (bval & ~segmask);
      p = j <= maxLane;
      break;
    }
    if (!p)
      j = lane;
    result[l] = a[j];
    valid |= uint32_t(p) << l;
    const bool takesPart = group[l] >> j & 1;
    if (!takesPart)
      outside |= 1u << l;
    else if (knows)
      origins[l] = w.originOf(i.s[0], unsigned(j));
    bits[l] = takesPart ? w.undefinedBits(i.s[0], unsigned(j)) : ~0ull;
    undefined |= uint32_t(bits[l] != 0) << l;
    from[l] = uint8_t(j);
  }
  if (i.d[0].valid) {
    uint32_t *d = w.w32(i.d[0]);
    for (uint32_t rest = active; rest; rest &= rest - 1) {
      unsigned l = unsigned(__builtin_ctz(rest));
      d[l] = result[l];
    }
    w.setDefined(i.d[0], active, ~undefined);
    if (undefined)
      w.setUndefinedBits(i.d[0], undefined, bits);
    for (uint32_t rest = knows ? active & ~outside : 0; rest; rest &= rest - 1)
      w.setOrigin(i.d[0], unsigned(__builtin_ctz(rest)),
                  origins[__builtin_ctz(rest)]);
    for (uint32_t rest = outside; rest; rest &= rest - 1) {
      unsigned l = unsigned(__builtin_ctz(rest));
      w.setOrigin(i.d[0], l,
                  w.cluster.undefined.note(i.line, i.text,
                                           UndefinedOrigin::Lane, 0, from[l]));
    }
  }
  if (i.d[1].valid)
    w.setPredicate(i.d[1], active, valid);
  return Step::Next;
}

enum class Vote : uint8_t { All, Any, Uni, Ballot };

Step execVote(Warp &w, const DecodedInst &i, uint32_t active) {
  MemberGroups groups;
  if (Step step = gatherKnown(w, i, i.s[1], active, groups); step != Step::Next)
    return step;
  const uint32_t predicate = w.predicate(i.s[0]);
  const uint32_t defined = w.definedMask(i.s[0]);
  for (const MemberGroup &group : groups) {
    const uint32_t known = group.lanes & defined,
                   undefined = group.lanes & ~known;
    const uint32_t yes = predicate & known, no = ~predicate & known;
    bool isTrue = false, isSettled = !undefined;
    switch (Vote(i.aux)) {
    case Vote::All:
      isTrue = !no;
      isSettled |= no != 0;
      break;
    case Vote::Any:
      isTrue = yes != 0;
      isSettled |= isTrue;
      break;
    case Vote::Uni:
      isTrue = !yes || !no;
      isSettled |= !isTrue;
      break;
    case Vote::Ballot: {
      uint32_t *d = w.w32(i.d[0]);
      forLanes(group.lanes, [=](unsigned l) { d[l] = yes; });
      w.define(i.d[0], group.lanes);
      break;
    }
    }
    if (Vote(i.aux) != Vote::Ballot)
      w.setPredicate(i.d[0], group.lanes, isTrue ? ~0u : 0);
    if (!isSettled)
      undefineGroup(w, i.d[0], i.s[0], group.lanes, undefined);
  }
  return Step::Next;
}

template <class Word>
void matchGroup(Warp &w, const DecodedInst &i, uint32_t lanes) {
  const Word *a = Slot<Word>::src(w, i.s[0]);
  const uint32_t known = lanes & w.definedMask(i.s[0]);
  uint32_t result[32] = {}, same = 0;
  for (uint32_t rest = known; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    for (uint32_t other = known; other; other &= other - 1) {
      unsigned k = unsigned(__builtin_ctz(other));
      result[l] |= uint32_t(a[k] == a[l]) << k;
    }
    same |= uint32_t(result[l] == known) << l;
  }
  const bool areEqual = same == known;
  uint32_t *d = i.d[0].valid ? w.w32(i.d[0]) : nullptr;
  for (uint32_t rest = lanes; d && rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    // match.all: the mask, or 0 if the values differ.
    d[l] = i.aux ? (areEqual ? lanes : 0) : result[l];
  }
  if (d)
    w.define(i.d[0], lanes);
  if (i.d[1].valid)
    w.setPredicate(i.d[1], lanes, areEqual ? ~0u : 0);
  // Two that differ settle match.all.
  if (known == lanes || (i.aux && !areEqual))
    return;
  for (const Dst &result : i.d)
    if (result.valid)
      undefineGroup(w, result, i.s[0], lanes, lanes & ~known);
}

template <class Word>
Step execMatch(Warp &w, const DecodedInst &i, uint32_t active) {
  MemberGroups groups;
  if (Step step = gatherKnown(w, i, i.s[1], active, groups); step != Step::Next)
    return step;
  for (const MemberGroup &group : groups)
    matchGroup<Word>(w, i, group.lanes);
  return Step::Next;
}

enum class Redux : uint8_t { Add, Min, Max, And, Or, Xor };
struct ReduxInfo : Collective {
  Redux op;
  Type type;
  bool absolute = false, propagateNaN = false;
};

uint32_t reduceLanes(const Warp &w, const DecodedInst &i, uint32_t active) {
  const ReduxInfo &info = i.as<ReduxInfo>();
  const uint32_t *a = w.r32(i.s[0]);
  uint32_t result = 0;
  bool first = true, sawNaN = false;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    uint32_t x = a[__builtin_ctz(rest)];
    if (info.type == Type::F32) {
      if (info.absolute)
        x &= 0x7fffffffu;
      if ((x & 0x7fffffffu) > 0x7f800000u) {
        sawNaN = true;
        continue;
      }
      // Sign-magnitude order as integers.
      x = x & 0x80000000u ? ~x : x | 0x80000000u;
    }
    if (first) {
      result = x;
      first = false;
      continue;
    }
    bool isSignedType = info.type == Type::S32;
    auto less = [&](uint32_t p, uint32_t q) {
      return isSignedType ? int32_t(p) < int32_t(q) : p < q;
    };
    switch (info.op) {
    case Redux::Add:
      result += x;
      break;
    case Redux::Min:
      result = less(x, result) ? x : result;
      break;
    case Redux::Max:
      result = less(result, x) ? x : result;
      break;
    case Redux::And:
      result &= x;
      break;
    case Redux::Or:
      result |= x;
      break;
    case Redux::Xor:
      result ^= x;
      break;
    }
  }
  if (info.type == Type::F32) {
    if (first || (sawNaN && info.propagateNaN))
      result = 0x7fffffffu;
    else
      result = result & 0x80000000u ? result & 0x7fffffffu : ~result;
  }
  return result;
}

Step execRedux(Warp &w, const DecodedInst &i, uint32_t active) {
  MemberGroups groups;
  if (Step step = gatherKnown(w, i, i.s[1], active, groups); step != Step::Next)
    return step;
  for (const MemberGroup &group : groups) {
    const uint32_t result = reduceLanes(w, i, group.lanes);
    const uint32_t undefined = group.lanes & ~w.definedMask(i.s[0]);
    uint32_t *d = w.w32(i.d[0]);
    forLanes(group.lanes, [=](unsigned l) { d[l] = result; });
    w.define(i.d[0], group.lanes);
    if (undefined)
      undefineGroup(w, i.d[0], i.s[0], group.lanes, undefined);
  }
  return Step::Next;
}

/// Any member may be elected; the choice is the same for the same members.
Step execElect(Warp &w, const DecodedInst &i, uint32_t active) {
  MemberGroups groups;
  if (Step step = gatherMembers(w, i, i.s[0], active, groups);
      step != Step::Next)
    return step;
  for (const MemberGroup &group : groups) {
    const unsigned leader =
        w.machine.assumes(Assumption::FirstLaneElect)
            ? unsigned(__builtin_ctz(group.lanes))
        : w.machine.options.certificate
            ? w.machine.options.certificate->lane(group.lanes)
            : w.cluster.policy.electLane(group.lanes);
    if (i.d[0].valid) {
      uint32_t *d = w.w32(i.d[0]);
      forLanes(group.lanes, [=](unsigned l) { d[l] = leader; });
      w.define(i.d[0], group.lanes);
    }
    w.setPredicate(i.d[1], group.lanes, 1u << leader);
  }
  return Step::Next;
}

Step execActivemask(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t *d = w.w32(i.d[0]);
  forLanes(active, [=](unsigned l) { d[l] = active; });
  w.define(i.d[0], active);
  return Step::Next;
}

} // namespace

/// The lanes may come at several instructions. `info`: what else it has.
static void setCollective(DecodeContext &c, unsigned mask, unsigned valueBits,
                          unsigned first, unsigned second,
                          std::shared_ptr<Collective> info = nullptr) {
  if (!info)
    info = std::make_shared<Collective>();
  info->opcode = c.source.opcode;
  info->mask = uint8_t(mask);
  info->valueBits = uint8_t(valueBits);
  info->resultBits[0] = uint8_t(first);
  info->resultBits[1] = uint8_t(second);
  c.inst.payload = std::move(info);
  c.decoder.allocateMeeting();
}

static void decodeShuffle(DecodeContext &c) {
  if (!c.take("sync"))
    return c.fail("expected .sync");
  std::string_view mode = c.takeOneOf({"up", "down", "bfly", "idx"});
  Type type = c.takeType();
  if (!c.expectOperands(5, 5))
    return;
  if (mode.empty() || bitsOf(type) != 32)
    return c.fail("expected .up, .down, .bfly or .idx, and .b32");
  const ast::Operand &first = c.operand(0);
  if (first.kind == ast::Operand::Kind::Pair) {
    c.inst.d[0] = c.dst(first.elems[0], type);
    c.inst.d[1] = c.predicateDst(first.elems[1]);
  } else {
    c.inst.d[0] = c.dst(first, type);
  }
  c.inst.s[0] = c.src(1, type);
  for (unsigned k = 1; k < 4; ++k)
    c.inst.s[k] = c.src(k + 1, Type::B32);
  c.inst.aux = uint32_t(mode == "up"     ? Shuffle::Up
                        : mode == "down" ? Shuffle::Down
                        : mode == "bfly" ? Shuffle::Bfly
                                         : Shuffle::Idx);
  c.inst.tracksUndefined = true;
  c.isData(c.inst.s[0]);
  setCollective(c, 3, 32, 32, 1);
  c.inst.fn = execShuffle;
}

static void decodeVote(DecodeContext &c) {
  if (!c.take("sync"))
    return c.fail("expected .sync");
  std::string_view mode = c.takeOneOf({"all", "any", "uni", "ballot"});
  Type type = c.takeType();
  if (!c.expectOperands(3, 3))
    return;
  bool ballot = mode == "ballot";
  if (mode.empty() || type != (ballot ? Type::B32 : Type::Pred))
    return c.fail("expected .all, .any, .uni with .pred or .ballot with .b32");
  c.inst.d[0] = ballot ? c.dst(0, Type::B32) : c.predicateDst(c.operand(0));
  c.inst.s[0] = c.predicate(c.operand(1));
  c.inst.s[1] = c.src(2, Type::B32);
  c.inst.aux = uint32_t(mode == "all"   ? Vote::All
                        : mode == "any" ? Vote::Any
                        : mode == "uni" ? Vote::Uni
                                        : Vote::Ballot);
  c.inst.tracksUndefined = true;
  c.isData(c.inst.s[0]);
  setCollective(c, 1, 1, ballot ? 32 : 1, 0);
  c.inst.fn = execVote;
}

static void decodeMatch(DecodeContext &c) {
  std::string_view mode = c.takeOneOf({"any", "all"});
  if (!c.take("sync") || mode.empty())
    return c.fail("expected .any.sync or .all.sync");
  Type type = c.takeType();
  if (!c.expectOperands(3, 3))
    return;
  const ast::Operand &first = c.operand(0);
  if (first.kind == ast::Operand::Kind::Pair) {
    c.inst.d[0] = c.dst(first.elems[0], Type::B32);
    c.inst.d[1] = c.predicateDst(first.elems[1]);
  } else {
    c.inst.d[0] = c.dst(first, Type::B32);
  }
  c.inst.s[0] = c.src(1, type);
  c.inst.s[1] = c.src(2, Type::B32);
  c.inst.aux = mode == "all";
  c.inst.tracksUndefined = true;
  c.isData(c.inst.s[0]);
  setCollective(c, 1, bitsOf(type), 32, 1);
  c.inst.fn = type == Type::B64 ? execMatch<uint64_t> : execMatch<uint32_t>;
}

static void decodeRedux(DecodeContext &c) {
  if (!c.take("sync"))
    return c.fail("expected .sync");
  auto info = std::make_shared<ReduxInfo>();
  std::string_view op = c.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  info->op = op == "add"   ? Redux::Add
             : op == "min" ? Redux::Min
             : op == "max" ? Redux::Max
             : op == "and" ? Redux::And
             : op == "or"  ? Redux::Or
                           : Redux::Xor;
  info->absolute = c.take("abs");
  info->propagateNaN = c.take("NaN");
  info->type = c.takeType();
  if (!c.expectOperands(3, 3))
    return;
  bool isBitOp = op == "and" || op == "or" || op == "xor";
  bool legal = isBitOp ? info->type == Type::B32
               : info->type == Type::F32
                   ? op != "add"
                   : info->type == Type::U32 || info->type == Type::S32;
  if (op.empty() || !legal)
    return c.fail("the operation is not legal for the type");
  c.inst.d[0] = c.dst(0, info->type);
  c.inst.s[0] = c.src(1, info->type);
  c.inst.s[1] = c.src(2, Type::B32);
  c.isData(c.inst.s[0]);
  setCollective(c, 1, 32, 32, 0, std::move(info));
  c.inst.tracksUndefined = true;
  c.inst.fn = execRedux;
}

static void decodeElect(DecodeContext &c) {
  if (!c.take("sync"))
    return c.fail("expected .sync");
  if (!c.expectOperands(2, 2))
    return;
  const ast::Operand &first = c.operand(0);
  if (first.kind != ast::Operand::Kind::Pair)
    return c.fail("expected d|p");
  c.inst.d[0] = c.dst(first.elems[0], Type::B32);
  c.inst.d[1] = c.predicateDst(first.elems[1]);
  c.inst.s[0] = c.src(1, Type::B32);
  c.inst.choice = Choice::ElectedLane;
  setCollective(c, 0, 32, 32, 1);
  c.inst.fn = execElect;
  if (!c.failed() && !c.inst.d[1].valid)
    c.fail("expected a predicate as second destination");
}

static void decodeActivemask(DecodeContext &c) {
  if (c.takeType() != Type::B32)
    return c.fail("expected .b32");
  if (!c.expectOperands(1, 1))
    return;
  c.inst.d[0] = c.dst(0, Type::B32);
  c.inst.choice = Choice::ActiveLanes;
  c.inst.fn = execActivemask;
}

void registerWarpInstructions(InstructionTable &table) {
  table.add("shfl", decodeShuffle);
  table.add("vote", decodeVote);
  table.add("match", decodeMatch);
  table.add("redux", decodeRedux);
  table.add("elect", decodeElect);
  table.add("activemask", decodeActivemask);
  table.add("bar.warp.sync", decodeBarWarpSync);
}

} // namespace tc::emu
