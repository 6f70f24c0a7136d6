//===- RowsShape.cpp - who holds which part of which rows -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is bound by memory wants accesses of 16 bytes, several of them on their
// way in each thread, and each element read once: a row stays in registers
// where it fits.
//
//===----------------------------------------------------------------------===//

#include "RowsShape.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Bytes of an access, and elements of one at most.
static constexpr int64_t kAccessBytes = 16, kMaxChunk = 8;
/// Elements that a thread holds of a row: what is aimed at, which leaves
/// registers for several operands and other CTAs, and what fits.
static constexpr int64_t kElements = 16, kMaxElements = 32;
static constexpr int64_t kMaxRowThreads = 1024;
/// Bytes of a row that each of so many threads has registers for beside another
/// CTA.
static constexpr int64_t kAgainBytes = 64;
/// Threads of a CTA that has several rows, and of one that reads a long row
/// tile by tile.
static constexpr int64_t kThreads = 256, kLoopThreads = 512;
/// Bytes of tiles that are turned in shared memory: ptxas places 48 KiB.
static constexpr int64_t kMaxTurnedBytes = 40 << 10;
/// Bytes of a row below which its threads read less than a line of the cache.
static constexpr int64_t kLineBytes = 128;

/// Bytes of the smallest and of the largest element of a row.
static std::pair<int64_t, int64_t> getElementBytes(RowsOp op) {
  int64_t least = kAccessBytes, most = 1;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!RowsOp::hasColumn(op.getMapOf(operand.getOperandNumber())))
      continue;
    Type type = getElementTypeOrSelf(operand.get().getType());
    int64_t bytes = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
    least = std::min(least, bytes);
    most = std::max(most, bytes);
  }
  return {least, most};
}

/// Whether an output has an element for each column.
static bool writesColumns(RowsOp op) {
  for (unsigned operand = op.getIns().size(); operand < op.getNumOperands();
       ++operand)
    if (RowsOp::hasColumn(op.getMapOf(operand)))
      return true;
  return false;
}

/// How bad it is that `threads` hold `chunks` of `chunk` elements; below 0:
/// they cannot.
static double getCost(int64_t chunks, int64_t chunk, int64_t threads,
                      int64_t bytes) {
  int64_t own = llvm::divideCeil(chunks, threads);
  if (own * chunk > kMaxElements)
    return -1;
  // Lanes without work, then more or fewer elements than aimed at.
  double cost = double(own * threads) / double(chunks);
  cost *= 1 + 0.03 * std::abs(std::log2(double(own * chunk) / kElements));
  if (threads * chunk * bytes < kLineBytes && own > 1)
    cost *= 1.5;
  // Registers of 1,024 threads leave no room for another CTA, which would read
  // while this one reduces.
  if (threads == kMaxRowThreads)
    cost *= 1.2;
  return cost;
}

/// A square of which a row is a line of the cache, of elements of `bytes`.
static RowsShape makeSquare(MLIRContext *context, int64_t bytes) {
  int64_t chunk = kAccessBytes / std::max<int64_t>(bytes, 2);
  int64_t threads = kLineBytes / kAccessBytes, extent = threads * chunk;
  return {extent, extent,
          ThreadRowsAttr::get(
              context, threads, chunk,
              /*rows=*/std::max<int64_t>(1, extent * threads / kThreads))};
}

/// The square of the smallest elements, unless tiles of all operands together
/// are too large for what turns them.
static RowsShape chooseSquare(RowsOp op) {
  auto [least, most] = getElementBytes(op);
  int64_t all = 0, columns = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!RowsOp::hasColumn(op.getMapOf(operand.getOperandNumber())))
      continue;
    Type type = getElementTypeOrSelf(operand.get().getType());
    all += llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
    ++columns;
  }
  for (auto reduction : op.getBody().front().getOps<RowReduceOp>())
    all += reduction.getType().getIntOrFloatBitWidth() / 8;
  RowsShape square = makeSquare(op.getContext(), least);
  while (least < most && square.rows * square.columns * all > kMaxTurnedBytes)
    square = makeSquare(op.getContext(), least *= 2);
  square.readsNontemporal = !writesColumns(op);
  square.onlyReducesOne =
      square.readsNontemporal && columns == 1 && most <= 4 &&
      llvm::hasSingleElement(op.getBody().front().getOps<RowReduceOp>());
  return square;
}

RowsShape tc::tmm::chooseRowsShape(RowsOp op, bool isTransposed) {
  if (isTransposed)
    return chooseSquare(op);
  auto [operand, dim] = op.getSizeSources().back();
  auto type = cast<ShapedType>(op.getOperand(operand).getType());
  int64_t columns = type.getDimSize(dim), bytes = getElementBytes(op).second;
  // Neighbouring threads access neighbouring bytes of the largest elements.
  int64_t chunk = std::min(kMaxChunk, kAccessBytes / bytes);
  int64_t threads = 0, own = std::max<int64_t>(1, kElements / chunk);
  if (!ShapedType::isDynamic(columns) && columns != 0) {
    // Rows of other lengths do not start at multiples of a wider chunk.
    chunk = std::gcd(chunk, columns);
    own = std::max<int64_t>(1, kElements / chunk);
    int64_t chunks = columns / chunk;
    double best = -1;
    for (int64_t some = 1; some <= kMaxRowThreads; some *= 2) {
      double cost = getCost(chunks, chunk, some, bytes);
      if (cost < 0 || (best >= 0 && cost >= best))
        continue;
      best = cost;
      threads = some;
      own = llvm::divideCeil(chunks, some);
    }
  }
  // Nothing connects the columns of a row: CTAs that share a multiprocessor
  // take tiles of it.
  if (threads > kThreads &&
      op.getBody().front().getOps<RowReduceOp>().empty()) {
    threads = kThreads;
    own = std::max<int64_t>(1, kElements / chunk);
  }
  if (threads == 0)
    threads = ShapedType::isDynamic(columns) ? kThreads : kLoopThreads;
  bool fetchesAgain = threads == kMaxRowThreads && !writesColumns(op) &&
                      own * chunk * bytes <= kAgainBytes;
  // Short rows: several for each thread, so that it has more on its way.
  int64_t rows = std::max<int64_t>(1, kThreads / threads), ofThread = 1;
  if (threads < kThreads && own * chunk * 2 <= kElements)
    ofThread = 2;
  return {rows * ofThread, threads * chunk * own,
          ThreadRowsAttr::get(op.getContext(), threads, chunk, ofThread),
          fetchesAgain,
          !fetchesAgain && (threads == kMaxRowThreads || !writesColumns(op))};
}
