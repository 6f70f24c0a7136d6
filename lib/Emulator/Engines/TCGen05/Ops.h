//===- Ops.h - asynchronous work on Tensor Memory ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What mma, cp, shift, ld and st have in common: the cells they read and write,
// the order that the ISA grants between them (PTX ISA 9.0, "Memory Consistency
// Model for 5th generation of TensorCore operations", 9.7.16.6), and the report
// when two of them meet on a cell without it. An operation that is pending when
// a later one is issued has not been waited for, whatever the schedule: every
// wait the ISA offers ends only after the operation has finished.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TCGEN05_OPS_H
#define TC_EMULATOR_ENGINES_TCGEN05_OPS_H

#include "Engines/TCGen05/Layout.h"
#include "Engines/TCGen05/Pipe.h"
#include "State/Engine.h"
#include "State/Undefined.h"

namespace tc::emu {

class Cta;

class TmemOp : public AsyncOp {
public:
  TmemOp(AsyncClass asyncClass, const Warp &warp, unsigned lane,
         const DecodedInst &inst);

  /// Cells read and written between issue and completion.
  std::vector<TmemFootprint> reads, writes;
  unsigned ctaGroup = 1;
  /// mma: two with the same values here may be pipelined on one accumulator.
  uint32_t accumulator = 0, shape = 0;
  /// cp: the 4x256b form, which alone is ordered after a shift.
  bool fourRows = false;
  PipedOp piped() const {
    return {asyncClass, ctaGroup, accumulator, shape, fourRows};
  }

  /// Whether it reads what a commit may wait for alone: A in shared memory.
  virtual bool hasFirstReads() const { return false; }

  /// Marks the written cells as limbo.
  void onIssue(Cluster &cluster) override;
  bool touchesCta(unsigned rank) const override;
  /// The cells; kinds with operands in shared memory add those.
  void announce(Cluster &cluster, Observer &events) const override;

protected:
  /// The written cells become initialised and, unless a pipelined successor
  /// writes them too, readable. Those in `undefined` hold no value.
  void finishWrites(Cluster &cluster);

  /// A cell that is written with something that has no value.
  struct UndefinedCell {
    unsigned rank, lane, column;
    OriginId origin;
  };
  std::vector<UndefinedCell> undefined;
};

/// What `op` has to wait for among the pending work of the cluster, or why it
/// must not be issued now.
Expected<std::vector<uint64_t>> orderTmemOp(Cluster &cluster, const TmemOp &op);

/// Why the columns may not be accessed in that CTA; empty if they may.
std::string checkTmemColumns(Cluster &cluster, unsigned rank, unsigned column,
                             unsigned columns, std::string_view operand);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_OPS_H
