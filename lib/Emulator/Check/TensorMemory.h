//===- TensorMemory.h - accesses to Tensor Memory ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_TENSORMEMORY_H
#define TC_EMULATOR_CHECK_TENSORMEMORY_H

#include "Check/Accesses.h"
#include "Check/Order.h"

namespace tc::emu {

class TensorMemory {
public:
  TensorMemory(Threads &threads, const Order &order, const Reports &reports,
               Accesses &accesses)
      : threads(threads), order(order), reports(reports), accesses(accesses),
        cluster(threads.cluster) {}

  bool has(unsigned rank) const { return rank < accesses.tmem.size(); }
  void accessCells(const TmemFootprint &cells, Actor actor, bool write);
  void allocTmem(const SyncEvent &event);
  void freeTmem(const SyncEvent &event);

private:
  bool checkTmemCell(Shadow &shadow, Cell &cell, unsigned rank, unsigned lane,
                     unsigned column, const Actor &actor, bool write);
  static std::unique_ptr<Shadow> newTmemShadow();
  void dropPeerFrees(unsigned rank, unsigned begin, unsigned end);
  void notePeerFrees(const TmemFootprint &cells, const Actor &actor);

  Threads &threads;
  const Order &order;
  const Reports &reports;
  Accesses &accesses;
  Cluster &cluster;
  /// Assumptions that turn a report about Tensor Memory into a note.
  AssumptionMask tolerated = 0;
  /// Columns of a CTA that its peer's tcgen05.dealloc has freed, as
  /// Assumption::PairDeallocWaits allows, and the CTA's own has not.
  struct PeerFree {
    unsigned rank, begin, end;
    Record record;
  };
  std::vector<PeerFree> peerFrees;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_TENSORMEMORY_H
