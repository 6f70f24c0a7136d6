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
//   [A]      assumed, not measured
//
//===----------------------------------------------------------------------===//

#include "tc/Schedule/ModelConstants.h"

using namespace tc;
using namespace tc::schedule;

static constexpr double kNoLimit = ModelConstants::kNoLimit;

/// Of a B200, by others.
const ModelConstants &tc::schedule::getPublishedConstants() {
  static constexpr ModelConstants constants = {
      // [SA]: an instruction with M x N takes max(N / 2, bytes / 128) cycles.
      /*cyclesPerColumn=*/0.5, /*columnStep=*/1, /*loneWait=*/0,
      /*fillWait=*/0,
      /*smemBytes=*/128, /*smemWrites=*/0,
      // [GL] [D]: kernels of one CTA with tiles of 128 x 256 end at 62 to 64
      // for three input formats.
      /*fillBytes=*/64, /*outsideBytes=*/kNoLimit,
      // [SA]: with 16 to 32 KiB in flight on every multiprocessor 1.8 to 2.3
      // us, at the lower end because the kernel has the loads of several slots
      // on their way.
      /*loadLatency=*/2000, /*fillLag=*/1, /*releaseWait=*/0,
      /*l2Bytes=*/kNoLimit, /*l2Capacity=*/kNoLimit, /*missBytes=*/kNoLimit,
      /*counterMisses=*/1,
      /*shareLatency=*/0, /*shareWait=*/0, /*turn=*/0,
      // [SA]: 7.26 TB/s at 1965 MHz.
      /*dramBytes=*/3695, /*reread=*/0, /*trafficBytes=*/kNoLimit,
      /*nearCapacity=*/0,
      // [A]; a pair of CTAs meets at two barriers of the cluster more.
      /*launch=*/500, /*pairLaunch=*/500,
      // [D]: 4 to read, convert and store 128 rows. A tile of 128 x 256 stored
      // as bf16 takes 2548 cycles, published ones 1500 to 3000.
      /*epilogueLatency=*/500, /*epiloguePerColumn=*/4, /*storeBytes=*/64,
      /*directPerColumn=*/0, /*perStore=*/0, /*oneStoreBuffer=*/0,
      /*blockNorm=*/kNoLimit, /*launchNorm=*/kNoLimit,
      // Large products are limited by power, and the model is not more precise
      // than that: one kernel differs by 15 to 30 % between two hosts.
      /*tolerance=*/0.05, /*fillTolerance=*/0, /*sharesLoads=*/false,
      /*source=*/"published figures of a B200, compared with no device"};
  return constants;
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
