//===- Assumptions.h - what a run takes for granted -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A policy is a set of named assumptions, each of which goes beyond the text of
// the PTX ISA where kernels that ship do. The empty set is the strict policy.
// Nothing is inferred from a kernel: the set is part of the run. An assumption
// of the checker holds back reports and says where it did; an assumption that
// changes the run takes a choice away from the schedule.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ASSUMPTIONS_H
#define TC_EMULATOR_ASSUMPTIONS_H

#include "tc/Emulator/Error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tc::emu {

/// In the order of assumptions(), which says what each of them means.
enum class Assumption : uint8_t {
  // They change the run.
  FirstLaneElect,
  AllocFromColumn0,
  CommitsInOrder,
  CoResidentGrid,
  // They hold back reports.
  AcquireOrdersTcgen05,
  UsedLoadComplete,
  LoadStoreInOrder,
  PipeInOrder,
  DeallocWithoutFence,
  WarpLanesImplied,
  LaneBitsWrap,
  SharedAddressAsGeneric,
  CtaArrivalEndsReads,
  CtaArrivalHandsToAsync,
  ProxyFenceInAnyCta,
  CommitCarriesCauses,
  LateMbarrierInit,
  AllocWordByClusterBarrier,
  AllocWordToAsync,
  CpAsyncToTensorCore,
  SameValueStores,
  ExitByAnySign,
  ExitWithPendingStores,
  InvalDropsCommits,
  PairAllocStartsPeer,
  PairDeallocWaits,
  UnevenSetmaxnreg,
  ZeroSparseMetadata,
  WmmaRowsOf16Bytes,
  // They are what this project takes of a chip that it has not run on for what
  // no text says: a run that needs them says so under every policy.
  RubinWideKHalves,
  RubinK128ScaleOrder,
  RubinMxf8TwoScales,
  RubinUE5M3Bias,
  RubinCompressOrder,
  RubinNarrowFtz,
  RubinPackedRows,
  RubinLookupLayout,
  RubinScales128Lanes,
  StochasticBits,
  S2F6Least,
  Count
};

/// A set of assumptions, a bit each.
using AssumptionMask = uint64_t;
static_assert(unsigned(Assumption::Count) <= 64);
constexpr AssumptionMask maskOf(Assumption assumption) {
  return AssumptionMask(1) << unsigned(assumption);
}

/// One row of the table in docs/Emulator.md.
struct AssumptionInfo {
  Assumption assumption;
  const char *name;
  bool changesRun; ///< it makes a choice; else it holds back reports
  bool byDefault;
  const char *meaning; ///< what it takes for granted
  const char *text;    ///< the text that it goes beyond, by title and number
  const char *users;   ///< who relies on it
  const char *device;  ///< what a device showed
};
const std::vector<AssumptionInfo> &assumptions();
const AssumptionInfo &infoOf(Assumption assumption);

class AssumptionSet {
public:
  /// The strict policy: the text and nothing else. What is inferred of a chip
  /// belongs to no policy.
  static AssumptionSet none() { return {}; }
  static AssumptionSet defaults();

  bool has(Assumption assumption) const { return mask & maskOf(assumption); }
  void add(Assumption assumption) { mask |= maskOf(assumption); }
  void remove(Assumption assumption) { mask &= ~maskOf(assumption); }
  bool operator==(AssumptionSet other) const { return mask == other.mask; }
  std::vector<Assumption> list() const;

  /// Adds and removes: "+NAME,-NAME"; a name without a sign is added.
  Status apply(std::string_view changes);
  /// Names, separated by commas; "none" for the empty set.
  std::string str() const;

private:
  AssumptionMask mask = 0;
};

/// Where an assumption held back a report.
struct AssumptionUse {
  Assumption assumption = Assumption::Count;
  unsigned places = 0;       ///< pairs of PTX lines
  int before = 0, after = 0; ///< lines of the first of them

  /// "acquire-orders-tcgen05: 12 places, first lines 210 -> 216".
  std::string str() const;
};

/// Adds the uses of one run to those of others: the larger number of places.
void mergeUses(std::vector<AssumptionUse> &into,
               const std::vector<AssumptionUse> &from);

} // namespace tc::emu

#endif // TC_EMULATOR_ASSUMPTIONS_H
