//===- KernelParams.cpp - pass tensor maps to kernels by value --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes by which NVPTX makes a 128-byte parameter of a pointer.
// Upstream's conversion of gpu.func drops them, so they are added after it.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/SM90ToNVVM/SM90ToNVVM.h"
#include "tc/Dialect/SM90/IR/SM90.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTSM90KERNELPARAMSPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

/// Gives the arguments of `kernel` that are named in `numbers` (after the
/// number of all arguments) the attributes of a by-value parameter.
static LogicalResult convert(LLVM::LLVMFuncOp kernel,
                             ArrayRef<int64_t> numbers) {
  int64_t count = numbers.empty() ? 0 : numbers.front();
  if (kernel.getNumArguments() != count)
    return kernel.emitError()
           << "expected " << count
           << " arguments, one for each of the kernel before its conversion, "
              "got "
           << kernel.getNumArguments()
           << " (use-bare-ptr-memref-call-conv keeps memrefs to one)";
  MLIRContext *context = kernel.getContext();
  auto bytes = LLVM::LLVMArrayType::get(IntegerType::get(context, 64),
                                        kTensorMapBytes / 8);
  for (int64_t number : numbers.drop_front()) {
    if (number < 0 || number >= count ||
        !isa<LLVM::LLVMPointerType>(kernel.getArgumentTypes()[number]))
      return kernel.emitError()
             << "expected argument " << number << " to be a pointer";
    if (!kernel->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      return kernel.emitError()
             << "expected tensor maps as parameters of a kernel, got another "
                "function";
    kernel.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
    kernel.setArgAttr(
        number, LLVM::LLVMDialect::getAlignAttrName(),
        IntegerAttr::get(IntegerType::get(context, 64), kTensorMapAlignment));
    kernel.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(),
                      UnitAttr::get(context));
  }
  return success();
}

namespace {
struct ConvertSM90KernelParamsPass
    : public tc::impl::ConvertSM90KernelParamsPassBase<
          ConvertSM90KernelParamsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](LLVM::LLVMFuncOp kernel) {
      auto numbers = kernel->getAttrOfType<DenseI64ArrayAttr>(
          SM90Dialect::kTensorMapParamsAttr);
      if (!numbers)
        return WalkResult::advance();
      if (failed(convert(kernel, numbers.asArrayRef())))
        return WalkResult::interrupt();
      kernel->removeAttr(SM90Dialect::kTensorMapParamsAttr);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
