//===- SM90SyncOps.cpp - barriers, fences, elections ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of the operations of SM90SyncOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/Target.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

LogicalResult SetMaxRegistersOp::verify() {
  // sm90_set_max_registers_c1
  constexpr ExtentRange range{24, 256, 8};
  int64_t count = getCount();
  if (!range.contains(count))
    return emitOpError() << "expected a multiple of 8 registers from 24 to "
                            "256, got "
                         << count << "; nearest " << range.nearest(count);
  return success();
}

LogicalResult NamedBarrierOp::verify() {
  int64_t id = getId(), threads = getThreads();
  // sm90_named_barrier_c1
  if (id < 1 || id > 15)
    return emitOpError() << "expected a number from 1 to 15, got " << id
                         << " (0 is the barrier of all threads)";
  // sm90_named_barrier_c2
  constexpr int64_t kWarp = 32, kMaxThreads = 1024;
  if (threads < kWarp || threads > kMaxThreads || threads % kWarp != 0)
    return emitOpError() << "expected threads to be a multiple of " << kWarp
                         << " up to " << kMaxThreads << ", got " << threads
                         << ", the nearest is "
                         << std::clamp<int64_t>(
                                llvm::alignTo(std::max<int64_t>(threads, 1),
                                              kWarp),
                                kWarp, kMaxThreads);
  return success();
}
