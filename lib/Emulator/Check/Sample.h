//===- Sample.h - the clusters whose accesses are checked -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A large grid takes less time where races are looked for between some of its
// clusters alone. All others synchronise as they would, so that nothing that is
// in order seems to race; their accesses are not kept. Neighbours share more
// than clusters far apart, so that the sample is runs of neighbours, spread
// over the grid, the first cluster and, of several runs, the last among them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_SAMPLE_H
#define TC_EMULATOR_CHECK_SAMPLE_H

#include <algorithm>
#include <cstdint>
#include <string>

namespace tc::emu {

class Sample {
public:
  /// `most` of `clusters`; all of them if it is 0 or leaves out hardly any.
  Sample(uint64_t clusters, uint64_t most)
      : clusters(clusters),
        most(most && (most + kRun - 1) / kRun * kRun < clusters ? most
                                                                : clusters),
        runs((this->most + kRun - 1) / kRun) {}

  bool has(uint64_t cluster) const {
    if (most == clusters)
      return true;
    // The last run that begins at or before it.
    uint64_t run = std::min(runs - 1, cluster / stride());
    while (run + 1 < runs && beginOf(run + 1) <= cluster)
      ++run;
    return cluster >= beginOf(run) && cluster - beginOf(run) < sizeOf(run);
  }

  /// "8 of 4096 clusters (0 to 3, 4092 to 4095)"; empty: all of them.
  std::string describe() const {
    if (most == clusters)
      return "";
    std::string text = std::to_string(most) + " of " +
                       std::to_string(clusters) + " clusters (";
    for (uint64_t run = 0; run < runs; ++run) {
      // The first three and the last one tell where they are.
      if (runs > 5 && run == 3) {
        text += ", ...";
        run = runs - 1;
      }
      const uint64_t begin = beginOf(run), last = begin + sizeOf(run) - 1;
      text += (run ? ", " : "") + std::to_string(begin) +
              (last > begin ? " to " + std::to_string(last) : "");
    }
    return text + ")";
  }

private:
  static constexpr uint64_t kRun = 4;
  /// The remainder goes to the first one.
  uint64_t sizeOf(uint64_t run) const {
    return run || most % kRun == 0 ? kRun : most % kRun;
  }
  uint64_t stride() const {
    return runs > 1 ? (clusters - kRun) / (runs - 1) : clusters;
  }
  uint64_t beginOf(uint64_t run) const {
    if (run + 1 == runs && runs > 1)
      return clusters - kRun;
    return run * stride();
  }

  uint64_t clusters, most, runs;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_SAMPLE_H
