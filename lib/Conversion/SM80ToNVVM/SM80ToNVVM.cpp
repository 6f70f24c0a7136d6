//===- SM80ToNVVM.cpp - convert sm80 to NVVM --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: what the target must have, conversion target, and the op families'
// patterns, which live in the other files.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/SM80ToNVVM/SM80ToNVVM.h"
#include "Patterns.h"
#include "tc/Support/Conversion.h"
#include "tc/Support/Requirements.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTSM80TONVVMPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;
using namespace tc::sm80;

void tc::populateSM80ToNVVMPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  populateCpAsyncPatterns(converter, patterns);
  populateMmaSyncPatterns(converter, patterns);
}

/// What `op` needs of a target.
static std::optional<Requirement> getRequirement(Operation *op) {
  if (isa<CpAsyncOp, CpAsyncArriveOp>(op))
    return Requirement{nullptr, "cp.async", ISASection::CpAsync};
  auto mma = dyn_cast<MmaSyncOp>(op);
  if (!mma)
    return std::nullopt;
  if (mma.getScaleA())
    return Requirement{&TargetFacts::hasScaledMmaSync,
                       "mma.sync with scale factors",
                       ISASection::MmaSyncBlockScaling};
  if (isa<Float8E4M3FNType, Float8E5M2Type>(
          mma.getA().getType().getElementType()))
    return Requirement{&TargetFacts::hasFloat8, "mma.sync of fp8",
                       ISASection::MmaSync};
  return Requirement{nullptr, "mma.sync of sm_80", ISASection::MmaSync};
}

namespace {
struct ConvertSM80ToNVVMPass
    : public tc::impl::ConvertSM80ToNVVMPassBase<ConvertSM80ToNVVMPass> {
  using ConvertSM80ToNVVMPassBase::ConvertSM80ToNVVMPassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(verifyRequirements(root, getRequirement)))
      return signalPassFailure();

    LLVMTypeConverter converter(&getContext(),
                                getDeviceOptions(root, indexBitwidth));
    populateSmemTypeConversions(converter);

    ConversionTarget target(getContext());
    target.addIllegalDialect<SM80Dialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateSM80ToNVVMPatterns(converter, patterns);
    if (failed(applyPartialConversion(root, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
