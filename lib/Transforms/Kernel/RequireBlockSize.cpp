//===- RequireBlockSize.cpp - known block sizes are binding -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces the bound that upstream derives from a known block size.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tc {
#define GEN_PASS_DEF_REQUIREBLOCKSIZEPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using NVVM::NVVMDialect;

namespace {

struct RequireBlockSize
    : public tc::impl::RequireBlockSizePassBase<RequireBlockSize> {
  void runOnOperation() override {
    getOperation()->walk([&](LLVM::LLVMFuncOp kernel) {
      Attribute bound = kernel->getAttr(NVVMDialect::getMaxntidAttrName());
      // Only where the bound is a known size.
      if (!bound || !kernel->hasAttr("gpu.known_block_size"))
        return;
      kernel->removeAttr(NVVMDialect::getMaxntidAttrName());
      kernel->setAttr(NVVMDialect::getReqntidAttrName(), bound);
      StringRef resident = NVVMDialect::getMinctasmAttrName();
      if (!kernel->hasAttr(resident))
        kernel->setAttr(
            resident, IntegerAttr::get(IntegerType::get(&getContext(), 32), 1));
    });
  }
};

} // namespace
