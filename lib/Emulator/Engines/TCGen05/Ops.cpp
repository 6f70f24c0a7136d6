//===- Ops.cpp - asynchronous work on Tensor Memory -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of pipelined pairs, as a function of two operations.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Ops.h"

#include "State/Machine.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

TmemOp::TmemOp(AsyncClass asyncClass, const Warp &warp, unsigned lane,
               const DecodedInst &inst)
    : AsyncOp(asyncClass, warp, lane, inst.line) {
  // The opcode comes after a guard, if there is one.
  std::string_view text = inst.text;
  size_t begin = text.find("tcgen05.");
  if (begin != text.npos)
    text.remove_prefix(begin);
  what = std::string(text.substr(0, text.find_first_of(" \t\n")));
}

void TmemOp::announce(Cluster &, Observer &events) const {
  for (const TmemFootprint &f : writes)
    events.asyncTmem(f, true);
  // What is written as well has been checked with the writes.
  for (const TmemFootprint &f : reads)
    if (std::none_of(writes.begin(), writes.end(), [&](const auto &g) {
          return f.rank == g.rank && f.column == g.column &&
                 f.columns == g.columns && f.lanes == g.lanes;
        }))
      events.asyncTmem(f, false);
}

bool TmemOp::touchesCta(unsigned rank) const {
  auto inCta = [&](const TmemFootprint &f) { return f.rank == rank; };
  return std::any_of(reads.begin(), reads.end(), inCta) ||
         std::any_of(writes.begin(), writes.end(), inCta);
}

/// Applies `change` to the state of every cell of the footprint.
template <class Change>
static void changeStates(Cluster &cluster, const TmemFootprint &f,
                         const Change &change) {
  Tmem &tmem = cluster.cta(f.rank)->tmem;
  for (unsigned lane = 0; lane < tmemLanes; ++lane)
    if (f.lanes[lane]) {
      uint8_t *states = tmem.states(lane, f.column);
      for (unsigned c = 0; c < f.columns; ++c)
        states[c] = change(states[c]);
    }
}

static void setStates(Cluster &cluster, const TmemFootprint &f, uint8_t state) {
  Tmem &tmem = cluster.cta(f.rank)->tmem;
  for (unsigned lane = 0; lane < tmemLanes; ++lane)
    if (f.lanes[lane])
      memset(tmem.states(lane, f.column), state, f.columns);
}

void TmemOp::onIssue(Cluster &cluster) {
  if (!cluster.engine.poisons())
    return;
  for (const TmemFootprint &f : writes)
    changeStates(cluster, f, [](uint8_t state) {
      return static_cast<uint8_t>(state | cellLimbo);
    });
}

void TmemOp::finishWrites(Cluster &cluster) {
  bool limbo = cluster.engine.poisons();
  for (const TmemFootprint &f : writes) {
    Tmem &tmem = cluster.cta(f.rank)->tmem;
    if (!limbo && tmem.isWritten(f.lanes, f.column, f.columns))
      continue;
    // Most often the next MMA into the same accumulator.
    bool isTaken = limbo && cluster.engine.findIf([&](const AsyncOp &other) {
      const auto *op = dynamic_cast<const TmemOp *>(&other);
      return op && op != this &&
             std::any_of(op->writes.begin(), op->writes.end(),
                         [&](const auto &g) { return g.covers(f); });
    });
    setStates(cluster, f,
              static_cast<uint8_t>(isTaken ? cellInit | cellLimbo : cellInit));
    tmem.noteWritten(f.lanes, f.column, f.columns);
    if (!limbo || isTaken)
      continue;
    // A pipelined successor keeps its part in limbo.
    cluster.engine.findIf([&](const AsyncOp &other) {
      const auto *op = dynamic_cast<const TmemOp *>(&other);
      if (!op || op == this)
        return false;
      for (const TmemFootprint &g : op->writes)
        if (f.overlaps(g)) {
          TmemFootprint both = f;
          both.lanes &= g.lanes;
          both.column = std::max(f.column, g.column);
          both.columns = std::min(f.column + f.columns, g.column + g.columns) -
                         both.column;
          changeStates(cluster, both, [](uint8_t state) {
            return static_cast<uint8_t>(state | cellLimbo);
          });
        }
      return false;
    });
  }
  for (const UndefinedCell &cell : undefined)
    cluster.cta(cell.rank)->tmem.undefine(cell.lane, cell.column, cell.origin);
  undefined = {};
}

static bool overlap(const std::vector<TmemFootprint> &x,
                    const std::vector<TmemFootprint> &y) {
  for (const TmemFootprint &f : x)
    for (const TmemFootprint &g : y)
      if (f.overlaps(g))
        return true;
  return false;
}

static bool isPipe(AsyncClass c) {
  return c == AsyncClass::Mma || c == AsyncClass::TmemCopy ||
         c == AsyncClass::TmemShift;
}

/// What the program should have done between the two.
static std::string missingSync(AsyncClass pending) {
  switch (pending) {
  case AsyncClass::TmemLoad:
    return "expected tcgen05.wait::ld before";
  case AsyncClass::TmemStore:
    return "expected tcgen05.wait::st before";
  default:
    return "expected tcgen05.commit and a wait on its mbarrier before";
  }
}

/// Whether `op` comes after `other` without a wait: through one of `before`,
/// which come before `op`, or by an assumption.
static bool isOrderedAnyway(Cluster &cluster, const TmemOp &other,
                            const TmemOp &op,
                            const std::vector<const TmemOp *> &before) {
  // Assumption::PipeInOrder: scales and A (attention's P below the next S) are
  // overwritten after the mma that reads them without a commit in between.
  bool pipedOverRead = other.asyncClass == AsyncClass::Mma &&
                       (op.asyncClass == AsyncClass::TmemCopy ||
                        op.asyncClass == AsyncClass::Mma) &&
                       !overlap(other.writes, op.writes) &&
                       !overlap(other.writes, op.reads) &&
                       other.ctaGroup == op.ctaGroup;
  bool copyOverCopy = other.asyncClass == AsyncClass::TmemCopy &&
                      op.asyncClass == AsyncClass::TmemCopy &&
                      other.ctaGroup == op.ctaGroup;
  // cp, mma that reads it, cp: ordered through the mma.
  bool through =
      std::any_of(before.begin(), before.end(), [&](const TmemOp *between) {
        return isPipe(other.asyncClass) && isPipe(op.asyncClass) &&
               between->id > other.id &&
               isPipelined(other.piped(), between->piped());
      });
  // Assumption::LoadStoreInOrder; the race checker asks for an order between
  // warps.
  auto movesData = [](const TmemOp &op) {
    return op.asyncClass == AsyncClass::TmemLoad ||
           op.asyncClass == AsyncClass::TmemStore;
  };
  auto assumed = [&](bool applies, Assumption assumption) {
    applies &= cluster.machine.assumes(assumption);
    if (applies)
      cluster.machine.noteUse(assumption, other.line, op.line);
    return applies;
  };
  return through ||
         assumed(pipedOverRead || copyOverCopy, Assumption::PipeInOrder) ||
         assumed(movesData(other) && movesData(op),
                 Assumption::LoadStoreInOrder);
}

Expected<std::vector<uint64_t>> orderTmemOp(Cluster &cluster,
                                            const TmemOp &op) {
  std::vector<const TmemOp *> pending;
  cluster.engine.findIf([&](const AsyncOp &other) {
    if (const auto *tmemOp = dynamic_cast<const TmemOp *>(&other))
      pending.push_back(tmemOp);
    return false;
  });
  std::sort(pending.begin(), pending.end(),
            [](const TmemOp *x, const TmemOp *y) { return x->id < y->id; });

  std::vector<uint64_t> after;
  std::vector<const TmemOp *> before;
  // From the youngest on, so that an ordering through another op is found.
  for (size_t i = pending.size(); i-- > 0;) {
    const TmemOp &other = *pending[i];
    bool writeAfterRead = overlap(other.reads, op.writes);
    bool clash = writeAfterRead || overlap(other.writes, op.writes) ||
                 overlap(other.writes, op.reads);
    if (isPipelined(other.piped(), op.piped())) {
      // Only pairs that meet, or belong to one thread, need to be held back.
      bool sameThread = other.issuerRank == op.issuerRank &&
                        other.issuerWarp == op.issuerWarp &&
                        other.issuerLane == op.issuerLane;
      if (clash || sameThread) {
        after.push_back(other.id);
        before.push_back(&other);
      }
      continue;
    }
    if (!clash)
      continue;
    if (isOrderedAnyway(cluster, other, op, before)) {
      after.push_back(other.id);
      before.push_back(&other);
      continue;
    }
    return Error{
        "accesses Tensor Memory that pending work still " +
        std::string(overlap(other.writes, op.reads) ||
                            overlap(other.writes, op.writes)
                        ? "writes"
                        : "reads") +
        ": " + other.describe() + "; " + missingSync(other.asyncClass) +
        " (PTX ISA 9.0, \"Memory Consistency Model for 5th generation of "
        "TensorCore operations\", 9.7.16.6)"};
  }
  return after;
}

std::string checkTmemColumns(Cluster &cluster, unsigned rank, unsigned column,
                             unsigned columns, std::string_view operand) {
  Cta *cta = cluster.cta(rank);
  std::string where = std::string(operand) + ": ";
  if (!cta)
    return where + "expected a CTA pair, got a cluster of " +
           std::to_string(cluster.ctas.size());
  const unsigned all = cluster.machine.chip.tmemColumns;
  if (column + columns > all)
    return where + "expected columns below " + std::to_string(all) + ", got " +
           std::to_string(column) + " to " +
           std::to_string(column + columns - 1);
  if (cta->tmem.isAllocated(column, columns))
    return "";
  for (unsigned c = column; c < column + columns; ++c)
    if (!cta->tmem.isAllocated(c))
      return where + "expected allocated columns, got column " +
             std::to_string(c) + " of " + cta->name() +
             ", which is not allocated (PTX ISA 9.0, \"Tensor Memory "
             "Allocation\", 9.7.16.1.2)";
  return "";
}

} // namespace tc::emu
