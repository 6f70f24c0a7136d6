//===- TCGen05ToNVVM.cpp - convert tcgen05 to NVVM --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: type conversions, conversion target, and the op families' patterns,
// which live in the other files.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCGen05ToNVVM/TCGen05ToNVVM.h"
#include "Patterns.h"
#include "tc/Support/Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTTCGEN05TONVVMPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

void tc::populateTCGen05ToNVVMTypeConversions(LLVMTypeConverter &converter) {
  populateSmemTypeConversions(converter);
  converter.addConversion(
      [](TmemType type) -> Type { return getTmemPointer(type.getContext()); });
}

void tc::populateTCGen05ToNVVMPatterns(const LLVMTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  populateMemPatterns(converter, patterns);
  populateCopyPatterns(converter, patterns);
  populateMmaPatterns(converter, patterns);
  populateMmaScalePatterns(converter, patterns);
  populateLdPatterns(converter, patterns);
}

namespace {
struct ConvertTCGen05ToNVVMPass
    : public tc::impl::ConvertTCGen05ToNVVMPassBase<ConvertTCGen05ToNVVMPass> {
  using ConvertTCGen05ToNVVMPassBase::ConvertTCGen05ToNVVMPassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(verifyPreconditions(root)))
      return signalPassFailure();
    passTargetGate(root);

    LLVMTypeConverter converter(&getContext(),
                                getDeviceOptions(root, indexBitwidth));
    populateTCGen05ToNVVMTypeConversions(converter);
    // Regions that pass through loops and conditions become addresses there
    // too; every other type stays for the passes that follow.
    TypeConverter structural;
    structural.addConversion([](Type type) { return type; });
    structural.addConversion([](TmemType type) -> Type {
      return getTmemPointer(type.getContext());
    });
    addCastMaterializations(structural);

    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                           arith::ArithDialect>();
    target.addIllegalDialect<TCGen05Dialect>();
    target.addLegalOp<UnrealizedConversionCastOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateTCGen05ToNVVMPatterns(converter, patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(structural, patterns,
                                                         target);
    if (failed(applyPartialConversion(root, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
