//===- ModelConstants.h - what the model knows of a unit --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of the model (MatmulModel.h), of which each matrix unit has a
// set, with where they are from.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_MODELCONSTANTS_H
#define TC_SCHEDULE_MODELCONSTANTS_H

#include "tc/Schedule/MatmulConfig.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <limits>

namespace tc::schedule {

/// Cycles, and bytes per cycle, of one multiprocessor unless said otherwise. A
/// rate of infinity limits nothing.
struct ModelConstants {
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// Of the matrix unit, for each column of a K step: of 64 rows with wgmma, of
  /// 16 with mma.sync, of those of the tile with tcgen05.
  double cyclesPerColumn;
  /// Column granularity of the cost.
  int64_t columnStep;
  /// Of a K-block more, where its products are in registers and one warpgroup
  /// has all rows: no other multiplies while it waits for the last one.
  double loneWait;
  /// Of a K-block more, in which all warps wait for the slot.
  double fillWait;
  /// Bytes that the matrix unit reads from shared memory, and how much of those
  /// that arrive there take its time as well.
  double smemBytes, smemWrites;
  /// Bytes from the L2 cache into shared memory.
  double fillBytes;
  /// Bytes outside of A and B that TMA fills with zeros, of all multiprocessors
  /// together.
  double outsideBytes;
  /// From the issue of a load to its arrival, and how much of the fill of a
  /// slot comes after that: 0 where all of its bytes are on their way together.
  double loadLatency, fillLag;
  /// On the way through the ring more, where a slot is released as soon as its
  /// products are ready: threads wait for these before they issue the next.
  double releaseWait;
  /// Bytes of the L2 cache, of all multiprocessors together, in one K-block.
  double l2Bytes;
  /// Bytes of the L2 cache: of operands that are larger, waves read rows and
  /// columns again from global memory, at `missBytes`, of all multiprocessors.
  double l2Capacity, missBytes;
  /// What is left of these bytes where a counter hands out tiles: in their
  /// order, whatever CTA is late.
  double counterMisses;
  /// Of a slot that several CTAs fill and release, more than that.
  double shareLatency;
  /// Of a K-block more, where such a slot is released as soon as its products
  /// are ready: warpgroups wait for them.
  double shareWait;
  /// Of a tile more, where warpgroups take turns.
  double turn;
  /// Bytes of global memory, of all multiprocessors. What more than one row or
  /// column of tiles reads counts again, `reread` of it.
  double dramBytes, reread;
  /// Bytes that multiprocessors load in the whole launch: what the power and
  /// the way from the cache cost beside all else. An operand of `nearCapacity`
  /// bytes counts half, a small one less.
  double trafficBytes, nearCapacity;
  /// Until the first load is issued, and in clusters.
  double launch, pairLaunch;
  /// Of the epilogue of a tile; for each column of it; bytes that it stores;
  /// for each column of 128 rows that is stored without TMA; for each store of
  /// TMA; and how many times of that more where there is one store buffer.
  double epilogueLatency, epiloguePerColumn, storeBytes, directPerColumn,
      perStore, oneStoreBuffer;
  /// What limits a K-block beside its products, and a launch, in what norm:
  /// parts add up with 1, and the largest decides with infinity.
  double blockNorm, launchNorm;
  /// Predictions that differ by less count as equally fast.
  double tolerance;
  /// Among those within this of the fastest the most CTAs win: their loads are
  /// on the way together, which the model does not know.
  double fillTolerance;
  /// Whether clusters are chosen, which was measured.
  bool sharesLoads;
  /// Where they are from.
  llvm::StringLiteral source;
};

/// Published figures of a B200, from which units start of which less is known.
const ModelConstants &getPublishedConstants();

/// A constant that scripts/calibrate fits, by its name.
struct FittedConstant {
  llvm::StringLiteral name;
  double ModelConstants::*member;
};

/// All of them.
llvm::ArrayRef<FittedConstant> getFittedConstants();

} // namespace tc::schedule

#endif // TC_SCHEDULE_MODELCONSTANTS_H
