//===- Certificate.h - A verdict for all schedules --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether what one run shows holds under all schedules of the same launches:
// RunOptions::certificate. The run records where it could have gone otherwise
// and what that reaches. lib/Emulator/Certify/README.md has the argument.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CERTIFICATE_H
#define TC_EMULATOR_CERTIFICATE_H

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tc::emu {

/// What another schedule could have made of an instruction; decoders say so.
enum class Choice : uint8_t {
  None,
  WaitOutcome,  ///< mbarrier.test_wait, try_wait: whether the phase is complete
  AtomicResult, ///< atom, red: in which order atomic operations come
  StrongAccess, ///< ld, st that may race: which write is read
  ElectedLane,  ///< elect.sync
  Columns,      ///< tcgen05.alloc: where the columns are
  CancelAnswer, ///< clusterlaunchcontrol.try_cancel
  Clock,        ///< %clock, %globaltimer
  Placement,    ///< %smid
  ActiveLanes,  ///< activemask
  Heap,         ///< malloc in device code
  Phase,        ///< the phase that a wait or an arrival meets
  Registers,    ///< setmaxnreg: who gets registers first
  Count
};
/// "the lane that elect.sync takes".
const char *toString(Choice choice);

enum class Verdict : uint8_t {
  Certified, ///< no schedule of these launches shows what a run would report
  Refuted,   ///< a run has reported something
  Incomplete ///< a choice of the schedule decides something
};
const char *toString(Verdict verdict);

class Certificate {
public:
  //===--- for those who run launches -------------------------------------===//
  /// The launches have to run once more, with the other side of a choice that
  /// symmetry reduces to a few. To be asked after each run of all launches.
  bool needsRun();
  /// A run has made a report.
  void refute() { refuted = true; }
  Verdict verdict() const;
  /// "certified: all schedules", or what is undecided and why, one choice a
  /// line; `fileName` is that of the PTX.
  std::string text(const std::string &fileName) const;
  /// {"verdict", "runs", "undecided": [{"choice", "line", "decides", "at"}]}.
  std::string json() const;
  unsigned runs() const { return numRuns; }

  //===--- for the emulator -----------------------------------------------===//
  /// A choice, and the line of its instruction.
  using Source = std::pair<Choice, int>;
  /// Any of `sources` decides what the instruction of line `at` does: `what`.
  void undecided(const std::set<Source> &sources, const std::string &what,
                 int at);
  /// Two strong accesses of these lines are in no order. Only then strong
  /// accesses and atomic operations are choices.
  void unordered(int before, int now);
  /// elect.sync of one warp has taken `lane` of `members`; of these, the lanes
  /// of each class are alike in all that others can see.
  void elected(uint32_t members, unsigned lane,
               const std::vector<uint32_t> &classes);
  /// The launch has a second cluster size.
  void hasPreferredCluster() { preferredSeen = true; }
  /// What elect.sync takes in the present run.
  unsigned lane(uint32_t members) const;
  bool takesPreferred() const { return preferred; }
  /// Of a launch whose clusters cancel others: in the present run, each cluster
  /// that is launched, followed by those that it cancels. Runs take all ways
  /// one after the other; empty: there are too many.
  using Assignment = std::vector<std::vector<uint64_t>>;
  Assignment assignment(uint64_t clusters);

private:
  struct Entry {
    Source source;
    std::string what;
    int at;
    bool operator<(const Entry &other) const {
      return std::tie(source, at, what) <
             std::tie(other.source, other.at, other.what);
    }
  };
  bool isReal(const Source &source) const;
  std::vector<Entry> findUndecided() const;
  /// The lanes that have yet to be elected so that each class has had two.
  uint32_t missingLanes() const;

  mutable std::mutex lock;
  std::set<Entry> entries;
  std::set<int> unorderedLines;
  /// By members and class: the lanes that have been elected.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> lanesTried;
  bool refuted = false, preferred = false, preferredSeen = false;
  unsigned numRuns = 0;
  /// All ways, by the number of clusters, and the one of the present run.
  std::map<uint64_t, std::vector<Assignment>> assignments;
  size_t present = 0;
  /// The lane that is elected where it is a member; else the first one.
  unsigned wantedLane = 0, numLanes = 0;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CERTIFICATE_H
