//===- Members.h - lanes of a warp that act together ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread of a collective waits for the threads of its own membermask that
// execute it with the same qualifiers and membermask (PTX ISA 9.0, "shfl.sync",
// 9.7.9.6, and the like), at one instruction or several. Lanes that come
// together with different masks are groups, each of which acts by itself: the
// tiles of a warp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_EXEC_SYNC_MEMBERS_H
#define TC_EMULATOR_EXEC_SYNC_MEMBERS_H

#include "State/Warp.h"

#include <array>

namespace tc::emu {

class DecodeContext;

/// What the operands of a collective are, for lanes at several instructions.
struct Collective : Payload {
  std::string_view opcode;         ///< its qualifiers have to be the same
  uint8_t mask = 1;                ///< which source has the masks
  uint8_t valueBits = 32;          ///< of the first source; 1: a predicate
  uint8_t resultBits[2] = {32, 0}; ///< 0: there is none
};

/// Lanes that execute a collective with one membermask.
struct MemberGroup {
  uint32_t members, lanes;
};

class MemberGroups {
public:
  const MemberGroup *begin() const { return list.data(); }
  const MemberGroup *end() const { return list.data() + count; }
  void add(MemberGroup group) { list[count++] = group; }

private:
  std::array<MemberGroup, 32> list;
  unsigned count = 0;
};

/// The active lanes by their masks, which all of them have to be in. Anything
/// but Next is to be returned.
Step groupMembers(Warp &warp, const DecodedInst &inst, const Src &mask,
                  uint32_t active, MemberGroups &groups);

/// The same for an instruction with a Collective, and waits until the members
/// of each group have come: those of complete groups go on first. Members at
/// other instructions act with the last one that comes.
Step gatherMembers(Warp &warp, const DecodedInst &inst, const Src &mask,
                   uint32_t active, MemberGroups &groups);

/// `complete` lanes have all of their members, the others miss `awaited`: those
/// who can go on part from the others, or all wait. Next where nobody has to.
Step waitForMembers(Warp &warp, const DecodedInst &inst, uint32_t active,
                    uint32_t complete, uint32_t awaited);

void decodeBarWarpSync(DecodeContext &context);

} // namespace tc::emu

#endif // TC_EMULATOR_EXEC_SYNC_MEMBERS_H
