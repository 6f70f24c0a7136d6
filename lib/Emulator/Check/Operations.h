//===- Operations.h - what asynchronous work accesses -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_CHECK_OPERATIONS_H
#define TC_EMULATOR_CHECK_OPERATIONS_H

#include "Check/Accesses.h"

namespace tc::emu {

class CtaLives;
class MBarriers;
class TensorMemory;
class TmemOp;

class Operations {
public:
  Operations(Threads &threads, Accesses &accesses, TensorMemory &tensorMemory,
             CtaLives &lives, MBarriers &mbarriers, PendingOps &ops)
      : threads(threads), accesses(accesses), tensorMemory(tensorMemory),
        lives(lives), mbarriers(mbarriers), ops(ops), cluster(threads.cluster) {
  }

  /// Asks `op` to announce its accesses to `observer`, which passes them on.
  void issued(const AsyncOp &op, Observer &observer);
  void arrivesOn(uint32_t barrier);
  void completesOn(uint32_t barrier);
  void asyncShared(uint32_t address, uint32_t bytes, bool write);
  void asyncOperand(unsigned rank, uint32_t base,
                    const std::vector<SmemPiece> &pieces);
  void asyncFirstReads(bool on);
  void asyncGlobal(uint64_t address, uint64_t bytes, bool write);
  void asyncTmem(const TmemFootprint &cells, bool write);

private:
  bool start(OpState &state, const AsyncOp &op, WarpState &warp,
             const Group &group);
  void startBulkStore(OpState &state);
  void startCopy(OpState &state, const AsyncOp &op, WarpState &warp,
                 const Group &group);
  TensorIssuer &issuerOf(uint32_t thread, unsigned ctaGroup);
  void startTensor(OpState &state, const TmemOp &op, const WarpState &warp,
                   const Group &group);
  void startCommit(OpState &state, const AsyncOp &op, const Group &group);
  uint32_t copyRecord(WarpState &warp, bool global, bool write);
  const Actor &asyncActor(bool global, bool write);
  void asyncPieces(unsigned rank, uint32_t base, const SmemPiece *pieces,
                   size_t count, bool write);
  /// The records of the announcing op so far are not those of what follows.
  void forgetActors(bool global);

  Threads &threads;
  Accesses &accesses;
  TensorMemory &tensorMemory;
  CtaLives &lives;
  MBarriers &mbarriers;
  PendingOps &ops;
  Cluster &cluster;

  //===--- the op that announces ------------------------------------------===//
  const AsyncOp *announcing = nullptr;
  OpState *opState = nullptr;
  /// It as an actor, for reads and writes of shared and Tensor Memory, then of
  /// global memory; an entry of 0: to be made.
  Actor asyncActors[2][2];
  ManyAlike alikes[2]; ///< shared memory, reads and writes
  uint32_t opBarrier = 0;
};

} // namespace tc::emu

#endif // TC_EMULATOR_CHECK_OPERATIONS_H
