//===- ThreadConvert.cpp - register tiles in other layouts ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout and its memory layout give the elements of a row to the same
// threads, neighbours in a warp: one a run of each group of columns, the other
// a chunk of neighbours. Thread i holds as part j of its chunk what thread j
// holds as run i: a transposition, in as many steps as the number of threads
// has bits. In each a thread gives half of its parts to the one whose number
// differs in that bit.
//
//===----------------------------------------------------------------------===//

#include "ThreadAccess.h"

#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Bits of what a thread gives another at once.
static constexpr int64_t kWordBits = 32;

/// Transposes `words`, `threads` equal parts of each of as many threads.
static void emitTransposition(OpBuilder &b, Location loc, Value thread,
                              int64_t threads, MutableArrayRef<Value> words) {
  int64_t size = words.size(), part = size / threads;
  for (int64_t bit = 1; bit < threads; bit *= 2) {
    Value own = arith::AndIOp::create(b, loc, thread, emitI32(b, loc, bit));
    Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, own,
                                        emitI32(b, loc, 0));
    for (int64_t i = 0; i < size; ++i) {
      if (i / part & bit)
        continue;
      Value &low = words[i], &high = words[i + bit * part];
      Value sent = arith::SelectOp::create(b, loc, isSet, low, high);
      Value got = gpu::ShuffleOp::create(b, loc, sent, bit, kWarpThreads,
                                         gpu::ShuffleMode::XOR)
                      .getShuffleResult();
      low = arith::SelectOp::create(b, loc, isSet, got, low);
      high = arith::SelectOp::create(b, loc, isSet, high, got);
    }
  }
}

Value tc::tmm::emitThreadConvert(OpBuilder &b, ConvertLayoutOp op, Value value,
                                 ArrayRef<int64_t> shape) {
  // Each thread has them.
  if (isa<RowValuesAttr>(op.getFrom()))
    return value;
  Location loc = op.getLoc();
  auto type = cast<VectorType>(value.getType());
  int64_t bits = type.getElementTypeBitWidth();
  auto words =
      VectorType::get({type.getDimSize(0) * bits / kWordBits}, b.getI32Type());
  Value source = vector::BitCastOp::create(b, loc, words, value);
  // The registers of the result, by the row and the column of their run.
  llvm::DenseMap<std::pair<int64_t, int64_t>, RegisterRun> runs;
  for (const RegisterRun &run : op.getTo().getRuns(shape))
    runs[{run.row, run.column}] = run;
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  SmallVector<Value> results(words.getDimSize(0));
  for (const RegisterRun &chunk : op.getFrom().getRuns(shape)) {
    SmallVector<Value> parts;
    for (int64_t at = chunk.first; at < chunk.first + chunk.length;
         at += kWordBits / bits)
      parts.push_back(
          vector::ExtractOp::create(b, loc, source, at * bits / kWordBits));
    int64_t length = runs.at({chunk.row, chunk.column}).length;
    int64_t threads = chunk.length / length;
    emitTransposition(b, loc, thread, threads, parts);
    int64_t size = parts.size() / threads;
    for (auto [i, part] : llvm::enumerate(parts)) {
      // The thread's runs are as far apart as chunks are long.
      const RegisterRun &run =
          runs.at({chunk.row, chunk.column + int64_t(i) / size * chunk.length});
      results[run.first * bits / kWordBits + int64_t(i) % size] = part;
    }
  }
  Value joined = vector::FromElementsOp::create(b, loc, words, results);
  return vector::BitCastOp::create(b, loc, type, joined);
}
