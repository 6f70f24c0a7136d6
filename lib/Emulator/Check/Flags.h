//===- Flags.h - synchronisation through memory -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_FLAGS_H
#define TC_EMULATOR_CHECK_FLAGS_H

#include "Check/Threads.h"

#include <bitset>

namespace tc::emu {

class Flags {
public:
  explicit Flags(Threads &threads)
      : threads(threads), shared(threads.shared), cluster(threads.cluster) {}

  /// A read takes over what it has seen when the next instruction announces
  /// something: `next`, or null for anything but an access.
  void settleReads(const DecodedInst *next) {
    // All of them are of one instruction.
    if (!strongReads.empty() && strongReads.front().inst != next)
      takeReads();
  }
  /// By each of the lanes, in order, at its address.
  void strongAccess(WarpState &warp, uint32_t lanes, Space space,
                    const uint64_t *addresses, Observer::Access access,
                    const DecodedInst &inst);
  void fenceSc(Group &group, const WarpState &warp, Reach reach, int line);

private:
  static constexpr uint64_t kShared = uint64_t(1) << 63;
  /// A strong read that takes over what has been published at its address.
  struct StrongRead {
    WarpState *warp;
    uint32_t lanes;
    uint64_t key; ///< an address, with kShared if it is of shared memory
    /// That of the address, which stays where it is; null if there was none.
    const Flag *flag;
    bool acquires;
    bool waits; ///< it only reads
    const DecodedInst *inst;
    Reach reach;
    int line;
  };
  void learns(const Group &group, const Message &told, Choice choice, int line);
  void strongWrite(WarpState &warp, Group &group, unsigned lane, Flag &flag,
                   bool ends, bool releases, Reach reach);
  bool tellsNothing(const Group &group, const OwnKnowledge &own,
                    unsigned lane) const;
  bool mayTell(const Flag &flag, Reach reach) const;
  void takeNothing(const StrongRead &read);
  void takeReads();
  void takeRead(const StrongRead &read, const Flag &flag, Group &group);
  size_t addRead(const StrongRead &read);
  void publish(Flag &flag, const WarpState &warp, uint32_t thread,
               std::shared_ptr<const Message> out, Reach far);
  void meetFences(Group &group, const WarpState &warp, unsigned lane,
                  Flag &flag, bool write, Reach reach);
  bool checkSharedSm(const WarpState &warp, const ForeignMap &flags, int line);

  Threads &threads;
  RaceChecker &shared;
  Cluster &cluster;
  /// Those at shared memory, by address; others are the launch's.
  std::unordered_map<uint64_t, Flag> ofShared;
  std::vector<StrongRead> strongReads; ///< of one instruction
  std::bitset<1024> seen;              ///< of their hashes
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_FLAGS_H
