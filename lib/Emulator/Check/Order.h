//===- Order.h - which accesses are ordered ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_ORDER_H
#define TC_EMULATOR_CHECK_ORDER_H

#include "Check/Actor.h"

namespace tc::emu {

class Order {
public:
  explicit Order(const Threads &threads)
      : threads(threads), shared(threads.shared), cluster(threads.cluster) {}

  bool morallyStrong(const Record &before, const Record &now) const;
  /// These two add the assumptions that the order takes to `used`.
  bool ordered(const Record &before, unsigned lane, const Actor &actor,
               bool global, AssumptionMask &used) const;
  bool orderedTmem(const Record &before, const Actor &actor, const Group &group,
                   AssumptionMask &used) const;

private:
  bool orderedGeneric(const Record &before, uint32_t thread, const Actor &actor,
                      bool global, const Foreign *theirs,
                      AssumptionMask &used) const;

  const Threads &threads;
  RaceChecker &shared;
  Cluster &cluster;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_ORDER_H
