//===- UnrollHostLoops.cpp - launches are a list ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel descriptions have no loops, so those around products are unrolled.
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Passes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace tc {
#define GEN_PASS_DEF_UNROLLHOSTLOOPSPASS
#include "tc/Compiler/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

/// Operations that one loop may become: what that many kernels take to compile
/// is a minute.
static constexpr uint64_t kMaxOperations = 1024;

namespace {

struct UnrollHostLoopsPass
    : tc::impl::UnrollHostLoopsPassBase<UnrollHostLoopsPass> {
  void runOnOperation() override;
};

} // namespace

void UnrollHostLoopsPass::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  // Innermost first: copies of an outer one have nothing to unroll.
  getOperation()->walk([&](scf::ForOp loop) {
    if (loop->getParentOfType<gpu::GPUModuleOp>())
      return;
    WalkResult work = loop.walk([](Operation *op) {
      return isa<linalg::LinalgOp, tmm::MatmulOp, tmm::EncodeOp,
                 tmm::InterleaveOp>(op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (work.wasInterrupted())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    uint64_t inside = 0;
    loop.walk([&](Operation *op) {
      inside += isa<linalg::LinalgOp, tmm::MatmulOp, tmm::EncodeOp,
                    tmm::InterleaveOp>(op);
    });
    if (!trips || trips->ugt(kMaxOperations / std::max<uint64_t>(inside, 1)))
      continue;
    if (trips->isZero()) {
      loop.replaceAllUsesWith(loop.getInitArgs());
      loop.erase();
      continue;
    }
    (void)loopUnrollFull(loop);
  }
}
