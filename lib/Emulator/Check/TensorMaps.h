//===- TensorMaps.h - the tensormap proxy -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_TENSORMAPS_H
#define TC_EMULATOR_CHECK_TENSORMAPS_H

#include "Check/Accesses.h"

namespace tc::emu {

class TensorMaps {
public:
  TensorMaps(Threads &threads, const Reports &reports, Accesses &accesses)
      : threads(threads), reports(reports), accesses(accesses),
        shared(threads.shared), cluster(threads.cluster) {}

  void releaseMaps(Group &group, const WarpState &warp, const SyncEvent &event);
  void acquireMaps(Group &group, const WarpState &warp, const SyncEvent &event);
  void useMap(WarpState &warp, unsigned lane, uint64_t address,
              const DecodedInst &inst);

private:
  bool seesMap(const Record &before, unsigned lane, const Actor &actor,
               uint64_t address) const;

  Threads &threads;
  const Reports &reports;
  Accesses &accesses;
  RaceChecker &shared;
  Cluster &cluster;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_TENSORMAPS_H
