//===- LowerPrefetches.cpp - hints to the caches ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces LLVM's prefetches, which its backend for PTX does not have.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tc {
#define GEN_PASS_DEF_LOWERPREFETCHESPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;

namespace {

struct LowerPrefetches
    : public tc::impl::LowerPrefetchesPassBase<LowerPrefetches> {
  void runOnOperation() override {
    // The largest locality, of LLVM's LangRef.
    constexpr uint64_t kNearest = 3;
    getOperation()->walk([&](LLVM::Prefetch op) {
      // The host's are LLVM's.
      if (!op->getParentOfType<gpu::GPUModuleOp>())
        return;
      const unsigned space =
          cast<LLVM::LLVMPointerType>(op.getAddr().getType()).getAddressSpace();
      const bool isCached = space == unsigned(NVVM::NVVMMemorySpace::Generic) ||
                            space == unsigned(NVVM::NVVMMemorySpace::Global);
      if (isCached && op.getCache() == 1) {
        OpBuilder b(op);
        auto level = op.getHint() == kNearest ? NVVM::PrefetchCacheLevel::L1
                                              : NVVM::PrefetchCacheLevel::L2;
        NVVM::PrefetchOp::create(
            b, op.getLoc(),
            NVVM::PrefetchCacheLevelAttr::get(&getContext(), level),
            NVVM::CacheEvictionPriorityAttr(), op.getAddr(),
            /*predicate=*/Value(), /*tensormap=*/UnitAttr(),
            /*uniform=*/UnitAttr(), /*in_param_space=*/UnitAttr());
      }
      op.erase();
    });
  }
};

} // namespace
