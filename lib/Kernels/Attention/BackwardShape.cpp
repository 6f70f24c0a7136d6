//===- BackwardShape.cpp - tiles of the gradients ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accumulators in registers: each warpgroup holds 64 rows, the sums of what it
// computes, two tiles of scores, and what the products of these read. Blocks
// are as large as fits beside the sums. In memory: a role has 128 rows, a
// thread each.
//
//===----------------------------------------------------------------------===//

#include "BackwardShape.h"

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/Target.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Rows of a block, the most first.
static constexpr int64_t kBlocks[] = {128, 96, 80, 64, 48, 32, 16};
/// 32-bit registers of a thread for sums and scores: of dq; and of dk and dv,
/// whose columns have values of their own.
static constexpr int64_t kRowRegisters = 208, kColumnRegisters = 224;

int64_t tc::tmm::getStoredColumns(int64_t columns) {
  return getAttentionSwizzle(columns) / 2;
}

/// Registers of a thread for a block of `shape` of a kernel for dk and dv, or
/// for dq, and those that there are.
static std::pair<int64_t, int64_t> getRegisters(const BackwardShape &shape,
                                                bool isOfKeys) {
  int64_t scores = 2 * (shape.block / 2) + shape.block / 4;
  if (!isOfKeys)
    return {shape.columns / 2 + scores, kRowRegisters};
  return {(shape.columns + shape.outColumns) / 2 + scores + shape.block / 4,
          kColumnRegisters};
}

/// Rows of a block at most, where a thread reads a row of scores from memory:
/// for dq; and for dk and dv.
static constexpr int64_t kMostOfRow = 64, kMostOfColumn = 32;

/// Registers of a thread of roles that load and multiply for that role.
static constexpr int64_t kOtherRegisters = 152;

/// Whether the accumulators of `shape` fit beside each other, and what the
/// threads of a role read of them into registers.
static bool fitsAccumulators(const BackwardShape &shape, bool isOfKeys) {
  if (!shape.scores.accumulator) {
    auto [needed, available] = getRegisters(shape, isOfKeys);
    return needed <= available;
  }
  int64_t sums = shape.columns + (isOfKeys ? shape.outColumns : 0);
  int64_t operands = (isOfKeys ? 2 : 1) * shape.block / 2;
  return shape.block <= (isOfKeys ? kMostOfColumn : kMostOfRow) &&
         sums + 2 * shape.block + operands <= kTmemColumns;
}

/// Bytes of shared memory of a CTA with `shape`.
static int64_t getSharedBytes(const BackwardShape &shape, bool isOfKeys,
                              int64_t outBytes) {
  int64_t stored = getStoredColumns(shape.columns);
  if (isOfKeys)
    stored += getStoredColumns(shape.outColumns);
  return 2 * (shape.rows + shape.stages * shape.block) *
             (shape.columns + shape.outColumns) +
         shape.rows * stored * outBytes + kAttentionBarrierBytes;
}

/// Chooses the rows of a block and how many blocks there are; false where none
/// fit.
static bool chooseBlock(BackwardShape &shape, bool isOfKeys, int64_t outBytes,
                        int64_t bytes) {
  auto fits = [&] {
    return fitsAccumulators(shape, isOfKeys) &&
           getSharedBytes(shape, isOfKeys, outBytes) <= bytes;
  };
  for (int64_t count : kBlocks) {
    shape.block = count;
    if (chooseAttentionStages(shape.stages, fits))
      return true;
  }
  return false;
}

/// The parts of the products of `op`. Emits an error where the unit has none.
static LogicalResult getGradientParts(AttentionBackwardOp op,
                                      const MatrixUnitModel &unit,
                                      BackwardShape &shape) {
  Type element = AttentionBackwardOp::getTypeOf(op.getQ()).getElementType(),
       out = op.getOutType();
  auto get = [&](int64_t n, int64_t k, int64_t columns, bool isBKMajor) {
    return getAttentionParts(
        op, unit,
        {shape.rows, n, k, columns, getStoredColumns(columns), isBKMajor},
        element, out);
  };
  auto set = [&](TileParts &parts, bool isScores, int64_t columns) {
    FailureOr<TileParts> found =
        isScores ? get(shape.block, columns, columns, true)
                 : get(columns, shape.block, columns, false);
    if (succeeded(found))
      parts = std::move(*found);
    return LogicalResult(found);
  };
  return failure(failed(set(shape.scores, true, shape.columns)) ||
                 failed(set(shape.products, true, shape.outColumns)) ||
                 failed(set(shape.byQ, false, shape.columns)) ||
                 failed(set(shape.byV, false, shape.outColumns)));
}

/// How many batches of the tiles of `op` are mixed.
static int64_t chooseGradientGroup(AttentionBackwardOp op, bool isOfKeys) {
  ShapedType q = AttentionBackwardOp::getTypeOf(op.getQ()),
             k = AttentionBackwardOp::getTypeOf(op.getK());
  unsigned rank = op.getBatchRank();
  int64_t batches = 1, shared = 1;
  for (unsigned dim = 0; dim <= rank; ++dim)
    if (q.isDynamicDim(dim) || k.isDynamicDim(dim))
      return 1;
  for (unsigned dim = 0; dim < rank; ++dim) {
    batches *= q.getDimSize(dim);
    shared *= k.getDimSize(dim);
  }
  if (batches == 0 || shared == 0)
    return 1;
  int64_t bytes = 2 * (op.getColumnsOfQ() + op.getColumnsOfV());
  return isOfKeys ? chooseAttentionGroup(shared, bytes * q.getDimSize(rank) *
                                                     batches / shared)
                  : chooseAttentionGroup(batches, bytes * k.getDimSize(rank) *
                                                      shared / batches);
}

FailureOr<BackwardShape> tc::tmm::chooseBackwardShape(AttentionBackwardOp op,
                                                      StringRef chip) {
  const MatrixUnits &units = MatrixUnits::get(op.getContext());
  auto known = units.getUnitsOf(op, chip);
  if (failed(known))
    return failure();
  const TargetFacts *target = getTarget(chip);
  for (int64_t columns : {op.getColumnsOfQ(), op.getColumnsOfV()})
    if (ShapedType::isDynamic(columns) || columns == 0)
      return op.emitOpError()
             << "expected q and v of at least 1 column, known when compiling, "
                "got "
             << (columns == 0 ? "0" : "?");
  bool isOfKeys = bool(op.getDk());
  BackwardShape shape{};
  shape.rows = kAttentionRows;
  shape.parts = 1;
  shape.columns = llvm::alignTo(op.getColumnsOfQ(), kAttentionColumnStep);
  shape.outColumns = llvm::alignTo(op.getColumnsOfV(), kAttentionColumnStep);
  shape.ctas = target->multiprocessors;
  shape.counts = op.getDiagonal().has_value();
  shape.group = shape.counts ? chooseGradientGroup(op, isOfKeys) : 1;
  // Of the smallest tiles: whether the unit reads A from registers.
  const MatrixUnitModel &unit = units.getModel(known->front());
  BackwardShape least = shape;
  least.block = least.columns = least.outColumns = kAttentionColumnStep;
  if (failed(getGradientParts(op, unit, least)))
    return failure();
  if (!unit.readsResults())
    return op.emitOpError() << "expected a chip whose matrix unit reads A "
                               "where threads write it "
                               "(sm_90a, sm_100a, sm_103a), got "
                            << chip;
  shape.scores = least.scores;
  bool isInMemory = bool(least.scores.accumulator);
  shape.ownRegisters = kMultiplyingRegisters;
  shape.otherRegisters = isInMemory ? kOtherRegisters : kLoadingRegisters;
  int64_t outBytes = op.getOutType().getIntOrFloatBitWidth() / 8;
  if (!chooseBlock(shape, isOfKeys, outBytes, target->maxDynamicSmem))
    return op.emitOpError()
           << "expected q and v of fewer columns, whose "
           << (isOfKeys ? "dk and dv fit" : "dq fits")
           << " beside scores and whose tiles fit into the shared memory of a "
              "CTA, got "
           << op.getColumnsOfQ() << " and " << op.getColumnsOfV();
  if (failed(getGradientParts(op, unit, shape)))
    return failure();
  return shape;
}
