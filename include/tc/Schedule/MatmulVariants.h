//===- MatmulVariants.h - what tuning tries ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The configurations that are worth measuring: more than the model chooses
// from, because it decides what it cannot tell apart by rules.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_MATMULVARIANTS_H
#define TC_SCHEDULE_MATMULVARIANTS_H

#include "tc/Schedule/MatmulModel.h"

namespace tc::schedule {

/// Part of its time that a configuration counts as slower, in the order of
/// listVariants, for each field in which it differs from what is chosen for its
/// tile: else the variants of one tile would come before all of the next.
constexpr double kVariantCost = 0.02;

/// The best configurations of 1, 2, 4 and 8 parts of K come right after the
/// choice if they are predicted to take at most so many times of its cycles.
constexpr double kPartsWithin = 1.5;

/// The legal configurations that complete `config` and fit the machine, with
/// every tile, and with other depths, stores, clusters, schedulers, bands of
/// tiles and parts of K than those that are chosen for it. The choice first,
/// then the best of each number of parts, then the others by predicted cycles.
/// `config` must be free of field errors. Empty if nothing fits.
std::vector<Candidate> listVariants(const MatmulConfig &config,
                                    const MatmulProblem &problem,
                                    const Machine &machine);

/// How variants are drawn.
enum class Draw {
  /// The first ones are taken.
  None,
  /// At random, any as likely as the others. Most are slow.
  Uniform,
  /// At random, as many from each part of the range of predicted times.
  Even,
};

/// Which of them are measured.
struct VariantChoice {
  /// How many, the choice included.
  size_t count = 16;
  /// How those after the choice are drawn, with `seed`.
  Draw draw = Draw::None;
  uint64_t seed = 1;
  /// Predicted cycles of each, in those of the fastest; 0: any.
  double within = 0;
};

/// `count` of `variants`, the choice first; fewer where there are no more.
std::vector<Candidate> chooseVariants(std::vector<Candidate> variants,
                                      const VariantChoice &choice);

} // namespace tc::schedule

#endif // TC_SCHEDULE_MATMULVARIANTS_H
