//===- Assumptions.cpp - the table of named assumptions -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is what the command line, its help and docs/Emulator.md are made
// from. Sections are those of PTX ISA 9.0.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Assumptions.h"

#include <algorithm>
#include <iterator>

namespace tc::emu {

namespace {
constexpr bool kChangesRun = true, kHoldsBack = false;
constexpr bool kDefault = true, kOnRequest = false;
/// No policy takes it away, as there is no run without it.
constexpr bool kAlways = true;
/// tcgen05 needs a Blackwell GPU, which this project has not run on.
constexpr const char *kNoDevice = "none";
} // namespace

/// In the order of the enumerators.
static constexpr AssumptionInfo kTable[] = {
    {Assumption::FirstLaneElect, "first-lane-elect", kChangesRun, kDefault,
     "elect.sync takes the first member",
     "\"elect.sync\", 9.7.13.13: any thread of the mask",
     "CUTLASS (example 78)", "not compared"},
    {Assumption::AllocFromColumn0, "alloc-from-column-0", kChangesRun, kDefault,
     "tcgen05.alloc returns the lowest free columns",
     "\"tcgen05.alloc\", 9.7.16.7.1: no address is promised",
     "DeepGEMM (traps otherwise)", kNoDevice},
    {Assumption::CommitsInOrder, "commits-in-order", kChangesRun, kDefault,
     "the tcgen05.commits of one thread arrive in order of issue",
     "\"tcgen05.commit\", 9.7.16.12.1: each tracks what was issued before it",
     "Triton (persistent kernels exit with an earlier commit pending), "
     "CUTLASS, DeepGEMM",
     kNoDevice},
    {Assumption::CoResidentGrid, "co-resident-grid", kChangesRun, kOnRequest,
     "all clusters of the launch run at once, so that "
     "clusterlaunchcontrol.try_cancel finds none",
     "\"Grid of Clusters\", 2.2.2: clusters run independently, in any order",
     "CUTLASS stream-K (a property of its launch: the grid fits on the GPU)",
     "not compared"},
    {Assumption::AcquireOrdersTcgen05, "acquire-orders-tcgen05", kHoldsBack,
     kDefault, "release and acquire order tcgen05 work without tcgen05.fence",
     "\"Memory Consistency Model for 5th generation of TensorCore "
     "operations\", 9.7.16.6: tcgen05.fence orders it",
     "CUTLASS, Triton", kNoDevice},
    {Assumption::UsedLoadComplete, "used-load-complete", kHoldsBack, kDefault,
     "a tcgen05.ld that has completed when its warp synchronises needs no "
     "tcgen05.wait::ld",
     "\"tcgen05.wait\", 9.7.16.8.5: it is what ends a load",
     "CUTLASS (tutorials, 72, stream-K)", kNoDevice},
    {Assumption::LoadStoreInOrder, "ld-st-in-order", kHoldsBack, kDefault,
     "tcgen05.st and tcgen05.ld of the same cells are done in order within "
     "a warp, and across warps after release and acquire, without "
     "tcgen05.wait",
     "\"Pipelined tcgen05 Instructions\", 9.7.16.6.2: no such pair",
     "CUTLASS (stream-K, attention)", kNoDevice},
    {Assumption::PipeInOrder, "pipe-in-order", kHoldsBack, kDefault,
     "tcgen05.mma and cp of one CTA group, issued in order, respect what an "
     "earlier mma reads in Tensor Memory, and a cp an earlier cp",
     "\"Pipelined tcgen05 Instructions\", 9.7.16.6.2: no such pairs",
     "CUTLASS (attention), DeepGEMM", kNoDevice},
    {Assumption::DeallocWithoutFence, "dealloc-without-fence", kHoldsBack,
     kDefault, "tcgen05.dealloc needs no tcgen05.fence::after_thread_sync",
     "\"tcgen05.fence\", 9.7.16.11.1: it orders later tcgen05 instructions",
     "CUTLASS", kNoDevice},
    {Assumption::WarpLanesImplied, "warp-lanes-implied", kHoldsBack, kDefault,
     "a tcgen05.ld or st address with a lane below 32 names the lanes of "
     "its own warp",
     "\"Access Restrictions\", 9.7.16.2.3.1: a warp accesses its 32 lanes",
     "DeepGEMM", kNoDevice},
    {Assumption::LaneBitsWrap, "lane-bits-wrap", kHoldsBack, kDefault,
     "of the lane of a tcgen05.ld or st address only the low 7 bits count",
     "\"Tensor Memory Addressing\", 9.7.16.1.1: there are 128 lanes",
     "kernels that give lane 128 in the odd CTA of a pair", kNoDevice},
    {Assumption::SharedAddressAsGeneric, "shared-address-as-generic",
     kHoldsBack, kDefault,
     "tcgen05.commit without a state space takes a shared address",
     "\"tcgen05.commit\", 9.7.16.12.1: without one the address is generic, "
     "and outside of the shared window the behaviour is undefined",
     "kernels that pass the 32 bits of cvta.to.shared", kNoDevice},
    {Assumption::CtaArrivalEndsReads, "cta-arrival-ends-reads", kHoldsBack,
     kDefault,
     "an mbarrier.arrive of .cta scope on another CTA's barrier counts, and "
     "orders the earlier reads of its thread",
     "\"Scope\", 8.5: .cta scope is the threads of one CTA",
     "CUTLASS (its arrivals on peers have no scope)", "not compared"},
    {Assumption::CtaArrivalHandsToAsync, "cta-arrival-hands-to-async",
     kHoldsBack, kDefault,
     "such an arrival orders what precedes a fence.proxy.async before the "
     "other CTA's tcgen05.mma and cp",
     "\"Scope\", 8.5, and \"Causality order\", 8.9.5", "DeepGEMM (scales)",
     kNoDevice},
    {Assumption::ProxyFenceInAnyCta, "proxy-fence-in-any-cta", kHoldsBack,
     kDefault, "a fence.proxy.async of another CTA on the way counts",
     "\"Causality order\", 8.9.5: proxies are not said to be one across "
     "CTAs",
     "CUTLASS, DeepGEMM", "not compared"},
    {Assumption::CommitCarriesCauses, "commit-carries-causes", kHoldsBack,
     kDefault,
     "a tcgen05.commit publishes the generic accesses that its thread had "
     "observed when it issued the work",
     "\"tcgen05.commit\", 9.7.16.12.1: it tracks tcgen05 work",
     "CUTLASS, DeepGEMM", kNoDevice},
    {Assumption::LateMbarrierInit, "late-mbarrier-init", kHoldsBack, kDefault,
     "mbarrier.init after the CTA's fence.mbarrier_init is visible after a "
     "relaxed cluster barrier",
     "\"membar/fence\", 9.7.13.4: the fence orders prior mbarrier.init",
     "CUTLASS (pairs)", "not compared"},
    {Assumption::AllocWordByClusterBarrier, "alloc-word-by-cluster-barrier",
     kHoldsBack, kDefault,
     "the word of tcgen05.alloc is there after a relaxed cluster barrier",
     "\"barrier.cluster\", 9.7.13.3: .relaxed orders no memory accesses",
     "DeepGEMM", kNoDevice},
    {Assumption::AllocWordToAsync, "alloc-word-to-async", kHoldsBack, kDefault,
     "the word of tcgen05.alloc, once read, may be overwritten by a bulk "
     "copy without fence.proxy.async",
     "\"Async proxy\", 8.6: a proxy fence orders the two proxies", "Triton",
     kNoDevice},
    {Assumption::CpAsyncToTensorCore, "cp-async-to-tensor-core", kHoldsBack,
     kDefault,
     "tcgen05.mma reads what a completed cp.async wrote without "
     "fence.proxy.async",
     "\"Async proxy\", 8.6: a proxy fence orders the two proxies",
     "CUTLASS (cp.async main loops)", kNoDevice},
    {Assumption::SameValueStores, "same-value-stores", kHoldsBack, kDefault,
     "lanes that store the same value by one instruction do no harm, nor "
     "does the same tensor store from several lanes",
     "\"Conflict and Data-races\", 8.7.1: the result of a race is undefined",
     "CUTLASS (epilogue), Triton", "not compared"},
    {Assumption::ExitByAnySign, "exit-by-any-sign", kHoldsBack, kDefault,
     "a CTA may exit once any signal, of whatever order and scope, shows "
     "that "
     "the thread that accessed it has gone on",
     "\"Cluster of Cooperative Thread Arrays\", 2.2.2, and \"Scope\", 8.5",
     "DeepGEMM (relaxed cluster barrier), CUTLASS", "not compared"},
    {Assumption::ExitWithPendingStores, "exit-with-pending-stores", kHoldsBack,
     kDefault,
     "bulk stores read shared memory before a CTA that exits without "
     "wait_group.read loses it",
     "\"cp.async.bulk.wait_group\", 9.7.9.25.3.3: it is what waits",
     "CUTLASS (epilogue)", "not compared"},
    {Assumption::InvalDropsCommits, "inval-drops-commits", kHoldsBack, kDefault,
     "the arrival of a tcgen05.commit on an mbarrier that has been "
     "invalidated is dropped",
     "\"mbarrier.inval\", 9.7.13.15.10: operations on an invalidated "
     "mbarrier but init are undefined",
     "Triton (ends of loops with warp roles, 3.7 and 3.8)", kNoDevice},
    {Assumption::PairAllocStartsPeer, "pair-alloc-starts-peer", kHoldsBack,
     kDefault, "tcgen05.alloc for a pair needs no sign that the peer CTA runs",
     "\"tcgen05.alloc\", 9.7.16.7.1: the issuing warp makes sure of it",
     "CUTLASS, DeepGEMM", kNoDevice},
    {Assumption::PairDeallocWaits, "pair-dealloc-waits", kHoldsBack, kDefault,
     "tcgen05.dealloc for a pair waits for the peer's accesses",
     "\"tcgen05.dealloc\", 9.7.16.7.1: it is not said to wait",
     "CUTLASS, DeepGEMM", kNoDevice},
    {Assumption::UnevenSetmaxnreg, "uneven-setmaxnreg", kHoldsBack, kDefault,
     "setmaxnreg.dec may give different numbers back in the warps of a "
     "warpgroup",
     "\"setmaxnreg\", 9.7.19.5: all warps execute the same instruction",
     "CUTLASS (attention)", "not compared"},
    {Assumption::ZeroSparseMetadata, "zero-sparse-metadata", kHoldsBack,
     kDefault, "sparse metadata 0000 is legal for a chunk of zeros",
     "\"Sparse matrices\", 9.7.16.10.8: the indices are ascending",
     "CUTLASS (its compressor)", kNoDevice},
    {Assumption::WmmaRowsOf16Bytes, "wmma-rows-of-16-bytes", kHoldsBack,
     kDefault,
     "wmma.load and store may have rows at any multiple of 16 bytes, as the "
     "CUDA C++ guide says",
     "\"Matrix Storage for WMMA\", 9.7.14.4.2: each row is aligned with the "
     "size "
     "of the fragment",
     "kernels that pad rows of shared memory by 8 elements of f16",
     "not compared"},
    {Assumption::RubinWideKHalves, "rubin-wide-k-halves", kChangesRun, kAlways,
     "tcgen05.mma with a K of 64 bytes (sm_107) adds the products of the lower "
     "half of K and then of the upper one, each as an instruction of half the "
     "K does",
     "PTX ISA 9.4, \"Matrix Shape\", 9.7.18.2.1: no order or rounding is "
     "stated",
     "inferred", kNoDevice},
    {Assumption::RubinK128ScaleOrder, "rubin-k128-scale-order", kChangesRun,
     kAlways,
     "with K of 128 and blocks of 16 (sm_107) the scales of the upper half of "
     "K follow in Tensor Memory after those of all rows, rounded up to 128",
     "PTX ISA 9.4, \"Block Scaling\", 9.7.18.10.7: in a figure",
     "FlashInfer's kernels for sm_107 (TIRx)", kNoDevice},
    {Assumption::RubinMxf8TwoScales, "rubin-mxf8-two-scales", kChangesRun,
     kAlways,
     "kind mxf8f6f4 with K of 64 (sm_107) reads two scales of each row, one "
     "for 32 elements",
     "PTX ISA 9.4, \"Block Scaling\", 9.7.18.10.7: its table has one at every "
     "K",
     "Triton, FlashInfer's kernels for sm_107 (TIRx)", kNoDevice},
    {Assumption::RubinUE5M3Bias, "rubin-ue5m3-bias", kChangesRun, kAlways,
     "the exponent of ue5m3 (sm_107) has a bias of 15",
     "PTX ISA 9.4, \"Alternate Floating-Point Data Formats\", 5.2.3: it gives "
     "the bits and the NaN",
     "inferred", kNoDevice},
    {Assumption::RubinCompressOrder, "rubin-compress-order", kChangesRun,
     kAlways,
     "spcompress (sm_107), tcgen05.ld's too, keeps elements in the order in "
     "which they come, the indices of the first of them in the lowest bits, "
     "and of equal ones those that come first",
     "PTX ISA 9.4, \"spcompress\", 9.7.10.30: in a figure; which of equal ones "
     "is left open",
     "inferred", kNoDevice},
    {Assumption::RubinNarrowFtz, "rubin-narrow-ftz", kChangesRun, kAlways,
     "add, sub and mul .rz.ftz of .f32x2 to .f16x2 (sm_107) flush subnormal "
     "sources of binary32 and subnormal results of f16",
     "PTX ISA 9.4, \"Mixed Precision Floating Point Instructions: add\", "
     "9.7.5.1: .ftz is in the syntax alone",
     "inferred", kNoDevice},
    {Assumption::RubinPackedRows, "rubin-packed-rows", kChangesRun, kAlways,
     "the 64 elements of 4 or 6 bits of a row that an instruction with a K of "
     "64 (kind mxf8f6f4, sm_107) reads are adjacent bits, from the start of "
     "the row on",
     "PTX ISA 9.4, \"Packing formats\", 9.7.18.10.4: in figures",
     "TIRx's simulator (A of 6 bits in Tensor Memory)", kNoDevice},
    {Assumption::RubinLookupLayout, "rubin-lookup-layout", kChangesRun, kAlways,
     ".decompress::lut::b (sm_107): the table of 8 columns of N is in one lane "
     "and two columns of Tensor Memory of the CTA that has those columns of B, "
     "indices of 3 bits are adjacent, 128 of them in 48 bytes of a row, all of "
     "which are read",
     "PTX ISA 9.4, \"Decompression of input matrices\", 9.7.18.10.8: in "
     "figures",
     "TIRx's simulator", kNoDevice},
    {Assumption::RubinScales128Lanes, "rubin-scales-128-lanes", kChangesRun,
     kAlways,
     "scale factors of A in 128 lanes (sm_107) are in the lane of their row, "
     "four in a column",
     "PTX ISA 9.4, \"Block Scaling\", 9.7.18.10.7: in figures",
     "TIRx's simulator", kNoDevice},
    {Assumption::StochasticBits, "stochastic-bits", kChangesRun, kAlways,
     "cvt.rs adds its random bits to the discarded ones from the highest of "
     "them on; both elements of a pair take the same 16 bits, those of "
     ".e2m1x4 the two high or the two low bytes of the halves",
     "PTX ISA 9.4, \"cvt\", 9.7.10.24: where they go is in figures", "inferred",
     kNoDevice},
    {Assumption::S2F6Least, "s2f6-least", kChangesRun, kAlways,
     "cvt to .s2f6x2 takes numbers below -2 to -2",
     "PTX ISA 9.4, \"Fixed-point Data format\", 5.2.4, and \"cvt\", 9.7.10.24: "
     "the negative MAX_NORM is -2, or the opposite of the positive one",
     "inferred", kNoDevice},
};

constexpr bool isComplete() {
  for (unsigned i = 0; i < std::size(kTable); ++i)
    if (unsigned(kTable[i].assumption) != i)
      return false;
  return std::size(kTable) == unsigned(Assumption::Count);
}
static_assert(isComplete(), "expected a row for each assumption, in order");

const std::vector<AssumptionInfo> &assumptions() {
  static const std::vector<AssumptionInfo> table(std::begin(kTable),
                                                 std::end(kTable));
  return table;
}

const AssumptionInfo &infoOf(Assumption assumption) {
  return assumptions()[unsigned(assumption)];
}

AssumptionSet AssumptionSet::defaults() {
  AssumptionSet set;
  for (const AssumptionInfo &info : assumptions())
    if (info.byDefault)
      set.add(info.assumption);
  return set;
}

std::vector<Assumption> AssumptionSet::list() const {
  std::vector<Assumption> result;
  for (const AssumptionInfo &info : assumptions())
    if (has(info.assumption))
      result.push_back(info.assumption);
  return result;
}

Status AssumptionSet::apply(std::string_view changes) {
  AssumptionSet changed = *this;
  for (size_t at = 0; at <= changes.size();) {
    size_t end = std::min(changes.find(',', at), changes.size());
    std::string_view name = changes.substr(at, end - at);
    at = end + 1;
    bool removes = !name.empty() && name[0] == '-';
    if (removes || (!name.empty() && name[0] == '+'))
      name.remove_prefix(1);
    const AssumptionInfo *found = nullptr;
    std::string names;
    for (const AssumptionInfo &info : assumptions()) {
      if (name == info.name)
        found = &info;
      names += (names.empty() ? "" : ", ") + std::string(info.name);
    }
    if (!found)
      return Error{"expected +NAME or -NAME with a NAME out of " + names +
                   ", got '" + std::string(name) + "'"};
    removes ? changed.remove(found->assumption)
            : changed.add(found->assumption);
  }
  *this = changed;
  return {};
}

std::string AssumptionSet::str() const {
  std::string text;
  for (Assumption assumption : list())
    text += (text.empty() ? "" : ",") + std::string(infoOf(assumption).name);
  return text.empty() ? "none" : text;
}

std::string AssumptionUse::str() const {
  return std::string(infoOf(assumption).name) + ": " + std::to_string(places) +
         (places == 1 ? " place, lines " : " places, first lines ") +
         std::to_string(before) + " -> " + std::to_string(after);
}

void mergeUses(std::vector<AssumptionUse> &into,
               const std::vector<AssumptionUse> &from) {
  for (const AssumptionUse &use : from) {
    auto same = [&](const AssumptionUse &known) {
      return known.assumption == use.assumption;
    };
    auto known = std::find_if(into.begin(), into.end(), same);
    if (known == into.end())
      into.push_back(use);
    else if (known->places < use.places)
      *known = use;
  }
  std::sort(into.begin(), into.end(), [](const auto &a, const auto &b) {
    return a.assumption < b.assumption;
  });
}

} // namespace tc::emu
