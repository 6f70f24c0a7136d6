//===- SM90ToNVVM.cpp - convert sm90 to NVVM --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: type conversions, conversion target, and the op families' patterns,
// which live in the other files. The interface tells upstream's conversion of
// kernels what the dialect's types become.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/SM90ToNVVM/SM90ToNVVM.h"
#include "Patterns.h"
#include "tc/Support/Conversion.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTSM90TONVVMPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

/// Types that are converted, also where they pass through scf operations.
static void addOwnConversions(TypeConverter &converter) {
  converter.addConversion([](MBarrierType type) -> Type {
    return getSmemPointer(type.getContext());
  });
  converter.addConversion([](MBarrierArrayType type) -> Type {
    return getSmemPointer(type.getContext());
  });
  auto getClusterPointer = [](MLIRContext *context) -> Type {
    return LLVM::LLVMPointerType::get(
        context, static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  };
  converter.addConversion([=](ClusterMBarrierType type) -> Type {
    return getClusterPointer(type.getContext());
  });
  converter.addConversion([=](ClusterMBarrierArrayType type) -> Type {
    return getClusterPointer(type.getContext());
  });
  converter.addConversion([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
}

void tc::populateSM90ToNVVMTypeConversions(LLVMTypeConverter &converter) {
  populateSmemTypeConversions(converter);
  addOwnConversions(converter);
}

void tc::populateSM90ToNVVMPatterns(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  populateSmemPatterns(converter, patterns);
  populateMBarrierPatterns(converter, patterns);
  populateSyncPatterns(converter, patterns);
  populateTmaPatterns(converter, patterns);
  populateWgmmaPatterns(converter, patterns);
  populateClusterLaunchControlPatterns(converter, patterns);
  populateCounterPatterns(converter, patterns);
}

namespace {
struct SM90ToLLVMInterface : public ConvertToLLVMPatternInterface {
  using ConvertToLLVMPatternInterface::ConvertToLLVMPatternInterface;

  void populateConvertToLLVMConversionPatterns(
      ConversionTarget &target, LLVMTypeConverter &converter,
      RewritePatternSet &patterns) const final {
    addOwnConversions(converter);
  }
};
} // namespace

void tc::registerConvertSM90ToNVVMInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SM90Dialect *dialect) {
    dialect->addInterfaces<SM90ToLLVMInterface>();
  });
}

/// Remembers which arguments of `kernel` are tensor maps, because nothing else
/// tells their pointers from others once the signature is converted.
static void markTensorMaps(gpu::GPUFuncOp kernel) {
  SmallVector<int64_t> numbers{static_cast<int64_t>(kernel.getNumArguments())};
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<TensorMapType>(type))
      numbers.push_back(number);
  if (numbers.size() > 1)
    kernel->setAttr(SM90Dialect::kTensorMapParamsAttr,
                    DenseI64ArrayAttr::get(kernel.getContext(), numbers));
}

namespace {
struct ConvertSM90ToNVVMPass
    : public tc::impl::ConvertSM90ToNVVMPassBase<ConvertSM90ToNVVMPass> {
  using ConvertSM90ToNVVMPassBase::ConvertSM90ToNVVMPassBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(verifySM90Preconditions(root)))
      return signalPassFailure();
    root->walk(markTensorMaps);

    LLVMTypeConverter converter(&getContext(),
                                getDeviceOptions(root, indexBitwidth));
    populateSM90ToNVVMTypeConversions(converter);
    TypeConverter structural;
    structural.addConversion([](Type type) { return type; });
    addOwnConversions(structural);
    addCastMaterializations(structural);

    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                           arith::ArithDialect>();
    target.addIllegalDialect<SM90Dialect>();
    // The host's: the kernel description and the host code are made of it.
    target.addLegalOp<TensorMapEncodeOp>();
    target.addLegalOp<UnrealizedConversionCastOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(&getContext());
    populateSM90ToNVVMPatterns(converter, patterns);
    scf::populateSCFStructuralTypeConversionsAndLegality(structural, patterns,
                                                         target);
    if (failed(applyPartialConversion(root, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
