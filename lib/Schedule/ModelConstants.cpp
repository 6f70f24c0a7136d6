//===- ModelConstants.cpp - what the model knows of a unit ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   [SA]     SemiAnalysisAI/microbench-blackwell, measured on a B200
//   [GL]     Triton's Gluon tutorials 8 and 11: rates that kernels reached on
//            one
//   [D]      derived from these by arithmetic
//   [H]      benchmarks/device on an H200, November 2026
//   [G]      NVIDIA's peak of a GeForce RTX 5090: 209.5 TFLOP/s of bf16 with
//            sums in f32, 170 multiprocessors, 2.41 GHz
//   [A]      assumed, not measured
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/ModelConstants.h"

#include "llvm/Support/ErrorHandling.h"

#include <limits>

using namespace tc;
using namespace tc::schedule;

static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Of a B200, by others.
static constexpr ModelConstants kTcgen05 = {
    // [SA]: an instruction with M x N takes max(N / 2, bytes / 128) cycles.
    /*cyclesPerColumn=*/0.5, /*columnStep=*/1, /*loneWait=*/0,
    /*fillWait=*/0,
    /*smemBytes=*/128, /*smemWrites=*/0,
    // [GL] [D]: kernels of one CTA with tiles of 128 x 256 end at 62 to 64 for
    // three input formats.
    /*fillBytes=*/64, /*outsideBytes=*/kNoLimit,
    // [SA]: with 16 to 32 KiB in flight on every multiprocessor 1.8 to 2.3 us,
    // at the lower end because the kernel has the loads of several slots on
    // their way.
    /*loadLatency=*/2000, /*fillLag=*/1, /*releaseWait=*/0,
    /*l2Bytes=*/kNoLimit, /*l2Capacity=*/kNoLimit, /*missBytes=*/kNoLimit,
    /*counterMisses=*/1,
    /*shareLatency=*/0, /*shareWait=*/0, /*turn=*/0,
    // [SA]: 7.26 TB/s at 1965 MHz.
    /*dramBytes=*/3695, /*reread=*/0, /*trafficBytes=*/kNoLimit,
    /*nearCapacity=*/0,
    // [A]; a pair of CTAs meets at two barriers of the cluster more.
    /*launch=*/500, /*pairLaunch=*/500,
    // [D]: 4 to read, convert and store 128 rows. A tile of 128 x 256 stored as
    // bf16 takes 2548 cycles, published ones 1500 to 3000.
    /*epilogueLatency=*/500, /*epiloguePerColumn=*/4, /*storeBytes=*/64,
    /*directPerColumn=*/0, /*perStore=*/0, /*oneStoreBuffer=*/0,
    /*blockNorm=*/kNoLimit, /*launchNorm=*/kNoLimit,
    // Large products are limited by power, and the model is not more precise
    // than that: one kernel differs by 15 to 30 % between two hosts.
    /*tolerance=*/0.05, /*fillTolerance=*/0, /*sharesLoads=*/false,
    /*source=*/"published figures of a B200, compared with no device"};

/// Fitted by scripts/calibrate.
static constexpr ModelConstants kWgmma = {
    // [H]: tiles of 8 columns more than a multiple of 16 take the time of the
    // next one.
    /*cyclesPerColumn=*/0.546, /*columnStep=*/16, /*loneWait=*/113,
    /*fillWait=*/0,
    // [D]: the width of shared memory.
    /*smemBytes=*/128, /*smemWrites=*/0.478,
    /*fillBytes=*/103, /*outsideBytes=*/1450,
    /*loadLatency=*/1070, /*fillLag=*/0, /*releaseWait=*/288,
    /*l2Bytes=*/8330, /*l2Capacity=*/21e6, /*missBytes=*/1830,
    /*counterMisses=*/0.402,
    /*shareLatency=*/255, /*shareWait=*/35, /*turn=*/611,
    /*dramBytes=*/2460, /*reread=*/0.361,
    /*trafficBytes=*/79.7, /*nearCapacity=*/25e3,
    /*launch=*/8600, /*pairLaunch=*/778,
    /*epilogueLatency=*/0, /*epiloguePerColumn=*/0, /*storeBytes=*/kNoLimit,
    /*directPerColumn=*/35.3, /*perStore=*/304, /*oneStoreBuffer=*/0.401,
    /*blockNorm=*/6.49, /*launchNorm=*/1.87,
    /*tolerance=*/0.01, /*fillTolerance=*/0.05, /*sharesLoads=*/true,
    /*source=*/"fitted on an NVIDIA H200, 2026-11-26"};

/// Those of tcgen05 but for the unit and its waits.
static constexpr ModelConstants makeMmaSync() {
  ModelConstants constants = kTcgen05;
  // [G]: 1024 operations per cycle and multiprocessor.
  constants.cyclesPerColumn = 0.5;
  // [H]: with wgmma, kernels bound by the fill take 55 to 140 cycles more for
  // each K-block, of 64 or 128 elements, than the fill alone.
  constants.loneWait = 80;
  constants.fillWait = 80;
  constants.source = "the peak of a GeForce RTX 5090, and what is known of "
                     "other units; compared with no device";
  return constants;
}
static constexpr ModelConstants kMmaSync = makeMmaSync();

const ModelConstants &tc::schedule::getModelConstants(MatrixUnit unit) {
  switch (unit) {
  case MatrixUnit::Tcgen05:
    return kTcgen05;
  case MatrixUnit::Wgmma:
    return kWgmma;
  case MatrixUnit::MmaSync:
    return kMmaSync;
  }
  llvm_unreachable("no such unit");
}

llvm::ArrayRef<FittedConstant> tc::schedule::getFittedConstants() {
  static constexpr FittedConstant constants[] = {
      {"cycles-per-column", &ModelConstants::cyclesPerColumn},
      {"lone-wait", &ModelConstants::loneWait},
      {"smem-writes", &ModelConstants::smemWrites},
      {"fill-bytes", &ModelConstants::fillBytes},
      {"outside-bytes", &ModelConstants::outsideBytes},
      {"load-latency", &ModelConstants::loadLatency},
      {"release-wait", &ModelConstants::releaseWait},
      {"l2-bytes", &ModelConstants::l2Bytes},
      {"l2-capacity", &ModelConstants::l2Capacity},
      {"miss-bytes", &ModelConstants::missBytes},
      {"counter-misses", &ModelConstants::counterMisses},
      {"share-latency", &ModelConstants::shareLatency},
      {"share-wait", &ModelConstants::shareWait},
      {"turn", &ModelConstants::turn},
      {"dram-bytes", &ModelConstants::dramBytes},
      {"reread", &ModelConstants::reread},
      {"traffic-bytes", &ModelConstants::trafficBytes},
      {"near-capacity", &ModelConstants::nearCapacity},
      {"launch", &ModelConstants::launch},
      {"pair-launch", &ModelConstants::pairLaunch},
      {"direct-per-column", &ModelConstants::directPerColumn},
      {"per-store", &ModelConstants::perStore},
      {"one-store-buffer", &ModelConstants::oneStoreBuffer},
      {"block-norm", &ModelConstants::blockNorm},
      {"launch-norm", &ModelConstants::launchNorm},
  };
  return constants;
}
