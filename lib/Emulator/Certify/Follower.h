//===- Follower.h - what choices decide in a cluster ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows values that depend on choices through registers and memory, and tells
// the certificate where one decides something that others can see: whether an
// instruction is executed, on which address, barrier or count.
//
// Why one run then stands for all. Take any other schedule, and the first
// effect in it that differs from the run's: another one, or on another object,
// or one that meets its object in another state.
//
// - It is no other one and on no other object: what decides that carries no
//   mark, so it comes from effects before it, which are alike.
// - A wait meets the phase that it met in the run. Its thread knows that the
//   phase before is over, and that phase's arrivals are alike; the phase after
//   cannot end before the wait, since one of its arrivals comes after it in the
//   causality of the run, which has the same edges up to here (Check/Pins.h).
//   Arrivals, expected bytes, named barriers, allocations and setmaxnreg are
//   pinned the same way; cluster barriers are by what they are.
// - A weak read reads the last write before it in happens-before, since there
// is
//   no race. A strong one that is unordered with a write is a choice, and so is
//   the order that it makes.
//
// So all schedules have the graph of the run, cut short where one gets stuck.
// An operation that waits goes on once what it waits for has happened, whatever
// else happens, so none gets stuck, because the run did not. And the reports of
// the checker are about the graph.
//
// A failed try_wait or test_wait is nothing if registers alone lead back to it,
// and the same registers (failureLeadsBack): only the last try counts, and what
// the failed ones leave in counters is marked. Where something else follows,
// the run takes the failure, which teaches a thread the least, and what follows
// may be no more than another wait for the same phase.
//
// elect.sync gives one lane for the same members. In the elected lane's work
// all members have the same in the registers that it reads, or it has written
// them itself, so it is alike whichever lane does it. Whether other lanes'
// accesses are in order with it may depend on the lane: so it is run with two
// of each class of lanes that do alike otherwise. An access of a lane that is
// not elected is in order with the elected lane's work by a path that does not
// use that they are one thread; one of the two runs has that path, and all of
// the class do.
//
// Columns of Tensor Memory are used through the base of their allocation and
// inside of it, so that another base renames cells.
//
// Answers to try_cancel: each cluster that is launched gets a list of others,
// of any length and order, and where a launch has few clusters all ways to do
// so are run one by one; in each, the answers are no choice. Otherwise, and for
// results of atomic operations, a choice is not looked into: what it decides is
// incomplete.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CERTIFY_FOLLOWER_H
#define TC_EMULATOR_CERTIFY_FOLLOWER_H

#include "Certify/WarpFlow.h"
#include "State/Machine.h"

namespace tc::emu {

/// What the clusters of a launch share.
struct LaunchFlow {
  LaunchFlow(Certificate &certificate, Machine &machine)
      : certificate(certificate), kernel(machine.kernel) {}
  Certificate &certificate;
  const KernelFlow kernel;
  MarkedGlobal global;
};

class Follower final : public Observer, public WaitOracle {
public:
  Follower(LaunchFlow &launch, Cluster &cluster);
  ~Follower() override;

  unsigned subjects() const override { return Accesses | Instructions; }
  void comesTo(Warp &warp, uint32_t pc, uint32_t lanes) override;
  void executed(const Warp &warp, uint32_t pc) override;
  void access(const Warp &warp, unsigned lane, Space space, uint64_t address,
              uint32_t bytes, Access access, const DecodedInst &inst) override;
  void sync(const SyncEvent &event) override;
  void tensorMap(const Warp &warp, unsigned lane, uint64_t address,
                 const DecodedInst &inst) override;
  void issued(const AsyncOp &op) override;
  Outcome outcome(Warp &warp, const DecodedInst &inst, uint32_t lanes) override;

private:
  WarpFlow &flowOf(const Warp &warp);
  const DecodedInst &inst(uint32_t pc) const {
    return launch.kernel.kernel.code[pc];
  }

  //===--- before an instruction ------------------------------------------===//
  void leaveDetours(WarpFlow &flow, const Warp &warp, uint32_t pc,
                    uint32_t lanes);
  void takeBranch(WarpFlow &flow, const Warp &warp, OriginNumber guard);
  void takeControl(WarpFlow &flow, const Warp &warp, OriginNumber origin,
                   uint32_t lanes);
  void readOperands(WarpFlow &flow, const Warp &warp);
  OriginNumber sourceOf(WarpFlow &flow, const Warp &warp, uint32_t reg,
                        uint32_t lanes);
  void makeResult(WarpFlow &flow, const Warp &warp);
  OriginNumber sumOf(const WarpFlow &flow, const Warp &warp,
                     OriginNumber columns) const;
  void skipped(WarpFlow &flow, OriginNumber guard);
  void checkOwned(WarpFlow &flow, Warp &warp);

  //===--- after it -------------------------------------------------------===//
  void makeChoice(WarpFlow &flow, const Warp &warp);
  void elect(WarpFlow &flow, const Warp &warp);
  void setResults(WarpFlow &flow, const Warp &warp);

  void checkColumns(WarpFlow &flow, const AsyncOp &op,
                    const std::vector<const TmemFootprint *> &cells);
  uint64_t placeOf(const Warp &warp, const DecodedInst &wait, uint32_t lanes);
  bool mayWaitIn(const WarpFlow &flow, OriginNumber control,
                 uint64_t place) const;
  void decides(OriginNumber origin, const std::string &what, int line);
  OriginNumber base(Choice choice, int line) {
    return origins.opaque(Certificate::Source{choice, line});
  }
  OriginNumber globalAt(uint64_t address, uint64_t bytes);

  LaunchFlow &launch;
  Cluster &cluster;
  const bool lanesAreChosen, columnsAreChosen, answersAreChosen;
  Origins origins;
  std::vector<WarpFlow> flows;     ///< by rank and warp
  std::vector<MarkedWords> shared; ///< by rank
  std::vector<OriginNumber> tmem;  ///< by rank, of all cells together
  std::set<std::pair<OriginNumber, std::pair<int, std::string>>> told;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CERTIFY_FOLLOWER_H
