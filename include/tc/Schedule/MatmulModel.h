//===- MatmulModel.h - the time of a configuration --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the cycles of a configuration from the resources that it uses, and
// chooses the fields that are left open. The model, with its constants and
// their sources, is described in docs/Configuration.md.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_MATMULMODEL_H
#define TC_SCHEDULE_MATMULMODEL_H

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Schedule/ModelConstants.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tc::schedule {

/// What an unknown size counts as.
constexpr int64_t kTypicalSize = 4096;

/// Slots beyond these hide no more latency: 8 slots of the smallest tile are
/// some 2000 cycles of fill.
constexpr int64_t kMaxStages = 8;

/// What decides the time.
enum class Bound {
  /// The multiplications of tcgen05.mma.
  MatrixUnit,
  /// The operands that tcgen05.mma reads from shared memory.
  SmemRead,
  /// The bytes from the L2 cache into shared memory.
  Fill,
  /// The time from a load to its arrival, spread over the slots of the ring.
  LoadLatency,
  /// What all multiprocessors load from the L2 cache at a time.
  L2,
  /// Reading the accumulator of each K-block and adding it up.
  Promotion,
  /// Reading and storing the accumulator.
  Epilogue,
  /// What has to come from and go to global memory.
  Dram,
  /// The bytes that the launch loads into shared memory.
  Traffic,
};

/// The name of `bound` in words, as "matrix unit".
llvm::StringRef getBoundName(Bound bound);

/// Cycles of one K-block in one multiprocessor, by what could limit it.
struct BlockCycles {
  double mma, smemRead, fill, loadLatency, l2, release, promotion;

  /// Cycles of the block: those of the slowest, or more (blockNorm).
  double total;
  /// The slowest.
  Bound bound;
};

/// What is predicted of one launch.
struct Estimate {
  /// Tiles of D along M and N, and K-blocks of each.
  int64_t tilesM, tilesN, blocks;
  /// Problems of the batch; one of unknown size counts as 1.
  int64_t batch;
  int64_t tiles() const { return batch * tilesM * tilesN; }
  /// CTAs, or pairs of them, that the device holds, and that are launched.
  int64_t groups, launched;
  /// Tiles of the busiest group.
  int64_t waves;
  /// Groups that have a tile, or one outside of D, in the mean over the waves.
  double working;
  /// Tiles, of those that `groups` could compute in `waves`.
  double busy;
  /// Elements of D, of those of its tiles.
  double inside;
  BlockCycles block;
  /// Cycles until the first bytes have arrived.
  double setup;
  /// Cycles of the main loop of one tile, in the mean over the waves, and of
  /// the epilogue of one.
  double mainloop, epilogue;
  /// Cycles in which global memory can move A, B and D, and those that loaded
  /// bytes cost (trafficBytes).
  double dram, traffic;
  /// Bytes that all CTAs load into shared memory.
  double loadedBytes;
  /// Cycles of the kernel that adds the sums of parts of K; 0 without.
  double sum = 0;
  /// Cycles of the launch, of both where there are two.
  double cycles;
  Bound bound;
};

/// `cycles`, or as many bytes, in words: whole, with commas, or with an
/// exponent where they are more than an integer of 64 bits.
std::string formatCycles(double cycles);

/// The estimate for `config`, every field set. Unknown sizes count as
/// kTypicalSize.
Estimate estimate(const MatmulConfig &config, const MatmulProblem &problem,
                  const Machine &machine);

/// The same with other constants than the unit's.
Estimate estimate(const MatmulConfig &config, const MatmulProblem &problem,
                  const Machine &machine, const ModelConstants &constants);

/// Cycles of a plain kernel that copies `elements` elements of `bits` bits, and
/// until the next kernel starts.
double estimateCopy(int64_t elements, int64_t bits, const Machine &machine);

/// A complete configuration and its estimate.
struct Candidate {
  MatmulConfig config;
  Estimate estimate;
};

/// CTAs that are launched, as far as the device holds them at a time.
int64_t countBusyCtas(const Candidate &candidate);

/// Whether there is a legal tile, fitting or not, with the fields of `config`
/// that are set.
bool hasLegalTile(const MatmulConfig &config, const MatmulProblem &problem,
                  const Machine &machine);

/// Part of the cycles of the best configuration that parts of K must save to be
/// chosen: the kernel that adds their sums is one more that can be late, and a
/// tenth is within the model's error ([H]: four parts of 128 x 7168 x 16384
/// were predicted to save 10 %, and saved none).
constexpr double kSplitGain = 0.15;

/// The configurations that complete `config` and fit the machine, the choice
/// first, the others by predicted cycles. `config` must be free of field
/// errors. Empty if nothing fits.
std::vector<Candidate> rankCandidates(const MatmulConfig &config,
                                      const MatmulProblem &problem,
                                      const Machine &machine);

/// `config` with every open field chosen: the first of the candidates. Where
/// nothing fits, the smallest one, whose resource error says what is missing.
MatmulConfig completeConfig(const MatmulConfig &config,
                            const MatmulProblem &problem,
                            const Machine &machine);

} // namespace tc::schedule

#endif // TC_SCHEDULE_MATMULMODEL_H
