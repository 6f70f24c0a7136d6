//===- ClusterTables.cpp - what depends on the rank of a CTA ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table is a shift where each entry is the first one moved by a number of
// bits that is the rank without some of its bits, as the masks of rows and
// columns are; else a chain of selects: one for each entry, or, where there are
// far fewer of them, for each run of ranks whose entries are equal or count up.
// So a grid of many CTAs that signal their neighbours has short code.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/ClusterTables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc;

Value tc::emitClusterRank(OpBuilder &builder, Location loc) {
  Value rank = gpu::ClusterBlockIdOp::create(builder, loc, gpu::Dimension::x);
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), rank);
}

/// The rank of the executing CTA in the grid, i32: its x coordinate runs
/// fastest.
static Value emitGridRank(OpBuilder &builder, Location loc) {
  Value rank;
  for (gpu::Dimension dim :
       {gpu::Dimension::z, gpu::Dimension::y, gpu::Dimension::x}) {
    Value id = gpu::BlockIdOp::create(builder, loc, dim);
    if (rank) {
      Value size = gpu::GridDimOp::create(builder, loc, dim);
      rank = arith::MulIOp::create(builder, loc, rank, size);
      id = arith::AddIOp::create(builder, loc, rank, id);
    }
    rank = id;
  }
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), rank);
}

Value tc::emitRank(OpBuilder &builder, Location loc, Scope scope) {
  return scope == Scope::Grid ? emitGridRank(builder, loc)
                              : emitClusterRank(builder, loc);
}

namespace {

/// A run takes up to three instructions, an entry two; a table of a cluster is
/// short either way.
constexpr size_t kEntriesOfRun = 4;

/// Entries of a table from one rank up to that of the next run: `base`, plus
/// the rank where they count up.
struct Run {
  int64_t start, base;
  bool counts;
};

} // namespace

/// The fewest runs that `table` has; negative entries are whatever fits.
static SmallVector<Run> findRuns(ArrayRef<int64_t> table) {
  SmallVector<Run> runs;
  // Whether the last run is of equal entries, and whether of ones that count
  // up: both of one entry.
  bool equal = false, counts = false;
  int64_t first = 0, distance = 0;
  for (auto [rank, entry] : llvm::enumerate(table)) {
    if (entry < 0)
      continue;
    int64_t away = entry - int64_t(rank);
    equal &= entry == first;
    counts &= away == distance;
    if (!equal && !counts) {
      first = entry;
      distance = away;
      equal = counts = true;
      runs.push_back({int64_t(rank), 0, false});
    }
    runs.back().counts = !equal;
    runs.back().base = equal ? first : distance;
  }
  return runs;
}

Value tc::emitRankTable(OpBuilder &builder, Location loc,
                        ArrayRef<int64_t> table, Type type, Scope scope) {
  auto constant = [&](int64_t value, Type type) -> Value {
    return arith::ConstantIntOp::create(builder, loc, type, value);
  };
  Type i32 = builder.getI32Type();
  std::optional<int64_t> first;
  bool same = true, isRank = true;
  for (auto [cta, entry] : llvm::enumerate(table)) {
    if (entry < 0)
      continue;
    first = first.value_or(entry);
    same &= entry == *first;
    isRank &= entry == int64_t(cta);
  }
  if (same)
    return constant(first.value_or(0), type);
  Value rank = emitRank(builder, loc, scope);
  auto resize = [&](Value value) -> Value {
    if (value.getType() == type)
      return value;
    return arith::TruncIOp::create(builder, loc, type, value);
  };
  if (isRank)
    return resize(rank);
  // table[rank] = table[0] << (rank & bits), or rank & bits.
  for (int64_t bits = 0; bits < 16; ++bits) {
    bool shifts = table[0] > 0, masks = true;
    for (auto [cta, entry] : llvm::enumerate(table)) {
      if (entry < 0)
        continue;
      shifts &= entry == table[0] << (int64_t(cta) & bits);
      masks &= entry == (int64_t(cta) & bits);
    }
    if (!shifts && !masks)
      continue;
    Value part = arith::AndIOp::create(builder, loc, rank, constant(bits, i32));
    if (shifts)
      part = arith::ShLIOp::create(builder, loc, constant(table[0], i32), part);
    return resize(part);
  }
  SmallVector<Run> runs = findRuns(table);
  auto differs = [&](int64_t entry) { return entry >= 0 && entry != *first; };
  if (runs.size() * kEntriesOfRun < size_t(llvm::count_if(table, differs))) {
    Value result;
    for (const Run &run : runs) {
      Value value = constant(run.base, run.counts ? i32 : type);
      if (run.counts)
        value = resize(arith::AddIOp::create(builder, loc, rank, value));
      if (result) {
        Value isLater =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, rank,
                                  constant(run.start, i32));
        value = arith::SelectOp::create(builder, loc, isLater, value, result);
      }
      result = value;
    }
    return result;
  }
  Value result = constant(*first, type);
  for (auto [cta, entry] : llvm::enumerate(table)) {
    if (entry < 0 || entry == *first)
      continue;
    Value here = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       rank, constant(cta, i32));
    result = arith::SelectOp::create(builder, loc, here, constant(entry, type),
                                     result);
  }
  return result;
}

Value tc::emitMembersMask(OpBuilder &builder, Location loc,
                          AgentSetAttrInterface set) {
  SmallVector<int64_t> masks(set.getNumCtas(), 0);
  for (int64_t cta = 0; cta < set.getNumCtas(); ++cta)
    for (int64_t member : set.getMembers(cta))
      masks[cta] |= int64_t(1) << member;
  return emitRankTable(builder, loc, masks, builder.getI16Type(),
                       set.getScope());
}

Value tc::emitPosition(OpBuilder &builder, Location loc,
                       AgentSetAttrInterface set) {
  SmallVector<int64_t> positions;
  for (int64_t cta = 0; cta < set.getNumCtas(); ++cta) {
    SmallVector<int64_t> members = set.getMembers(cta);
    positions.push_back(llvm::find(members, cta) - members.begin());
  }
  return emitRankTable(builder, loc, positions, builder.getI32Type(),
                       set.getScope());
}
