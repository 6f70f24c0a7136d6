//===- AttentionShape.cpp - tiles of attention ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accumulators in registers: each warpgroup holds 64 queries, their scores,
// what the second product reads of them and the sums, so keys are as many as
// fit beside the sums. In memory: a role has 128 queries, and two roles fit
// with up to 128 columns of sums. What the second product reads has its own
// columns: over those of the scores the first product of the next block would
// wait for it.
//
//===----------------------------------------------------------------------===//

#include "AttentionShape.h"

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/PtxVersion.h"
#include "tc/Support/Target.h"

#include <utility>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

static_assert(kAttentionRows == 2 * kWgmmaM && kAttentionRows == kTmemLanes);
/// Registers of a thread of the roles of the softmax, and of others: where
/// those multiply themselves, where two CTAs do so side by side, and where
/// another role multiplies.
static constexpr int64_t kMultiplying[] = {kMultiplyingRegisters,
                                           kLoadingRegisters},
                         kSharing[] = {208, 40}, kReading[] = {208, 88};
/// Weights of 2 to this power at most, in which all types of P have all bits.
static constexpr double kSlack = 8;
/// The keys of a block, the most first, and more where the products take longer
/// than the softmax and the last block is not much larger than what is left.
static constexpr int64_t kKeys[] = {128, 96, 80, 64, 48, 32, 16};
static constexpr int64_t kKeyStep = 16;
static constexpr int64_t kManyKeys = 176, kManyColumns = 128;
static constexpr double kPadding = 1.02;
/// 32-bit registers of a thread beside those of scores, what is read of them
/// and sums.
static constexpr int64_t kOwnRegisters = 40;
/// Keys of a block at most where two CTAs share a multiprocessor.
static constexpr int64_t kSharedKeys = 64;
/// Columns of Q, K, V and O at most.
static constexpr int64_t kMaxColumns = 256;
/// Batches whose tiles are mixed, at most.
static constexpr int64_t kMaxGroup = 16;
/// Bytes of K and V that are kept in the L2 cache.
static constexpr int64_t kCachedBytes = 64 << 20;

int64_t tc::tmm::getAttentionSwizzle(int64_t columns) {
  for (int64_t bytes : {128, 64})
    if (columns * 2 % bytes == 0)
      return bytes;
  return 32;
}

int64_t tc::tmm::chooseAttentionGroup(int64_t batches, int64_t bytes) {
  int64_t group = 1;
  for (int64_t size = 1; size <= std::min(batches, kMaxGroup); ++size)
    if (batches % size == 0 && size * bytes <= kCachedBytes)
      group = size;
  return group;
}

/// Those of several batches, as far as K and V of these stay in the cache.
static int64_t chooseGroup(AttentionOp op) {
  unsigned rank = op.getBatchRank();
  int64_t batches = 1, shared = 1;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t size = op.getSizeOf(0, dim), part = op.getSizeOf(1, dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(part))
      return 1;
    batches *= size;
    shared *= part;
  }
  int64_t keys = op.getSizeOf(1, rank);
  if (ShapedType::isDynamic(keys) || batches == 0 || shared == 0)
    return 1;
  int64_t bytes =
      2 * keys * (op.getColumnsOfQ() + op.getColumnsOfV()) * shared / batches;
  return chooseAttentionGroup(batches, bytes);
}

/// Bytes of shared memory of a CTA with `shape`.
static int64_t getBytes(const AttentionShape &shape, int64_t outBytes) {
  int64_t block = shape.keys * (shape.columns + shape.outColumns);
  return 2 * (shape.getRows() * shape.columns + shape.stages * block) +
         shape.storeStages * shape.getRows() * shape.storeColumns * outBytes +
         kAttentionBarrierBytes;
}

bool tc::tmm::chooseAttentionStages(int64_t &stages,
                                    function_ref<bool()> fits) {
  stages = 2;
  if (!fits())
    return false;
  while (stages < kMaxAttentionStages && fits())
    ++stages;
  stages -= !fits();
  return true;
}

/// Chooses the parts and the keys of a block with accumulators in memory.
static bool chooseParts(AttentionShape &shape, int64_t queries, int64_t keys,
                        int64_t outBytes, int64_t bytes) {
  bool isShort = !ShapedType::isDynamic(queries) && queries <= kAttentionRows;
  shape.storeStages = 1;
  for (int64_t parts : {2, 1}) {
    shape.parts = parts;
    if (parts == 2 && isShort)
      continue;
    for (int64_t count : kKeys) {
      shape.keys = count;
      // No more than there are.
      bool isPadded = !ShapedType::isDynamic(keys) && count > kKeyStep &&
                      int64_t(llvm::alignTo(keys, kKeyStep)) < count;
      // Of the scores, of half as many of P, and of the sums.
      auto fits = [&] {
        return parts * (shape.keys * 3 / 2 + shape.outColumns) <=
                   kTmemColumns &&
               getBytes(shape, outBytes) <= bytes;
      };
      if (!isPadded && chooseAttentionStages(shape.stages, fits))
        return true;
    }
  }
  return false;
}

/// Whether tiles fit into registers and `bytes` of shared memory.
static bool fitsThreads(const AttentionShape &shape, int64_t outBytes,
                        int64_t bytes) {
  return shape.keys / 2 + shape.keys / 4 + shape.outColumns / 2 <=
             shape.ownRegisters - kOwnRegisters &&
         getBytes(shape, outBytes) <= bytes;
}

/// Chooses a tile of one warpgroup for few queries, whose time is that of the
/// loads: two CTAs share a multiprocessor, so that it loads while one starts
/// or ends. False where two do not fit.
static bool chooseSharing(AttentionShape &shape, int64_t outBytes,
                          int64_t bytes) {
  int64_t rows = std::exchange(shape.rows, kWgmmaM);
  std::tie(shape.ownRegisters, shape.otherRegisters) =
      std::pair(kSharing[0], kSharing[1]);
  shape.storeStages = 1;
  // The system has 1 KiB of each CTA.
  constexpr int64_t kReserved = 1024;
  int64_t half = (bytes + kReserved) / 2 - kReserved;
  for (int64_t count : kKeys) {
    shape.keys = count;
    if (count <= kSharedKeys && chooseAttentionStages(shape.stages, [&] {
          return fitsThreads(shape, outBytes, half);
        })) {
      shape.ctas *= 2;
      return true;
    }
  }
  shape.rows = rows;
  return false;
}

/// Chooses the keys of a block, the most that fit into registers and `bytes` of
/// shared memory, and how many blocks there are; false where none fit.
static bool chooseBlocks(AttentionShape &shape, int64_t queries, int64_t keys,
                         int64_t outBytes, int64_t bytes) {
  bool isShort = !ShapedType::isDynamic(queries) && queries <= kWgmmaM;
  if (isShort && chooseSharing(shape, outBytes, bytes))
    return true;
  std::tie(shape.ownRegisters, shape.otherRegisters) =
      std::pair(kMultiplying[0], kMultiplying[1]);
  auto fits = [&] { return fitsThreads(shape, outBytes, bytes); };
  shape.stages = 2;
  shape.storeStages = 1;
  shape.keys = kManyKeys;
  bool isLong = !ShapedType::isDynamic(keys) && !shape.counts &&
                shape.columns >= kManyColumns &&
                llvm::alignTo(keys, kManyKeys) <= kPadding * keys;
  if (isLong && fits())
    return true;
  shape.storeStages = shape.outColumns > shape.storeColumns ? 2 : 1;
  for (int64_t count : kKeys) {
    shape.keys = count;
    if (chooseAttentionStages(shape.stages, fits))
      return true;
  }
  return false;
}

FailureOr<TileParts> tc::tmm::getAttentionParts(Operation *op,
                                                const MatrixUnitModel &unit,
                                                const AttentionProduct &product,
                                                Type element, Type out) {
  TileRequest request{};
  request.tileM = product.m;
  request.tileN = product.n;
  request.tileK = product.k;
  request.spanCtas = 1;
  request.a = request.b = element;
  request.d = out;
  request.aKMajor = true;
  request.bKMajor = product.isBKMajor;
  request.swizzle = getAttentionSwizzle(product.columns);
  request.subtile = product.stored;
  request.storeSwizzle =
      schedule::getStoreSwizzle(product.stored, out.getIntOrFloatBitWidth());
  request.sum = Float32Type::get(op->getContext());
  return unit.getParts(op->getContext(), request,
                       [&] { return op->emitOpError(); });
}

/// The parts of both products of `op`. Emits an error where the unit has none.
static LogicalResult getParts(AttentionOp op, const MatrixUnitModel &unit,
                              AttentionShape &shape, StringRef chip) {
  auto get = [&](int64_t n, int64_t k, int64_t columns, bool isBKMajor) {
    return getAttentionParts(
        op, unit, {shape.rows, n, k, columns, shape.storeColumns, isBKMajor},
        op.getTypeOf(0).getElementType(), op.getTypeOf(3).getElementType());
  };
  FailureOr<TileParts> scores =
      get(shape.keys, shape.columns, shape.columns, true);
  if (failed(scores))
    return failure();
  if (!unit.readsResults())
    return op.emitOpError() << "expected a chip whose matrix unit reads A "
                               "where threads write it "
                               "(sm_90a, sm_100a, sm_103a), got "
                            << chip;
  FailureOr<TileParts> sums =
      get(shape.outColumns, shape.keys, shape.outColumns, false);
  if (failed(sums))
    return failure();
  shape.scores = std::move(*scores);
  shape.sums = std::move(*sums);
  return success();
}

FailureOr<AttentionShape> tc::tmm::chooseAttentionShape(AttentionOp op,
                                                        StringRef chip) {
  const MatrixUnits &units = MatrixUnits::get(op.getContext());
  auto known = units.getUnitsOf(op, chip);
  if (failed(known))
    return failure();
  const TargetFacts *target = getTarget(chip);
  for (int64_t columns : {op.getColumnsOfQ(), op.getColumnsOfV()})
    if (ShapedType::isDynamic(columns) || columns > kMaxColumns || columns == 0)
      return op.emitOpError()
             << "expected q and v of 1 to " << kMaxColumns
             << " columns, known when compiling, got "
             << (ShapedType::isDynamic(columns) ? std::string("?")
                                                : std::to_string(columns));
  AttentionShape shape{};
  shape.rows = kAttentionRows;
  shape.columns = llvm::alignTo(op.getColumnsOfQ(), kAttentionColumnStep);
  shape.outColumns = llvm::alignTo(op.getColumnsOfV(), kAttentionColumnStep);
  shape.storeColumns = getAttentionSwizzle(shape.outColumns) / 2;
  shape.ctas = target->multiprocessors;
  shape.counts = op.getDiagonal().has_value();
  shape.group = shape.counts ? chooseGroup(op) : 1;
  int64_t outBytes =
      op.getTypeOf(3).getElementType().getIntOrFloatBitWidth() / 8;
  // Of the smallest tiles: where the unit has its accumulators.
  const MatrixUnitModel &unit = units.getModel(known->front());
  shape.keys = kKeyStep;
  shape.parts = 1;
  if (failed(getParts(op, unit, shape, chip)))
    return failure();
  bool isInMemory = bool(shape.scores.accumulator);
  shape.slack = isInMemory ? kSlack : 0;
  std::tie(shape.ownRegisters, shape.otherRegisters) =
      std::pair(kReading[0], kReading[1]);
  unsigned rank = op.getBatchRank();
  int64_t queries = op.getSizeOf(0, rank);
  int64_t keys = op.getSizeOf(1, rank), bytes = target->maxDynamicSmem;
  [[maybe_unused]] bool fits =
      isInMemory ? chooseParts(shape, queries, keys, outBytes, bytes)
                 : chooseBlocks(shape, queries, keys, outBytes, bytes);
  assert(fits && "chips with such a unit have room for the smallest tiles");
  if (failed(getParts(op, unit, shape, chip)))
    return failure();
  if (isInMemory)
    shape.scores.ptxVersion =
        std::max(shape.scores.ptxVersion, kMaxOfThreePtxVersion);
  return shape;
}
