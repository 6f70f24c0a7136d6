//===- SerializeGPUModules.cpp - gpu.module to gpu.binary -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass that embeds compiled kernels in the module as gpu.binary.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/Passes.h"

#include "tc/Target/PTX/PTX.h"
#include "tc/Target/PTX/Ptxas.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tc {
#define GEN_PASS_DEF_SERIALIZEGPUMODULESPASS
#include "tc/Target/PTX/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct SerializeGPUModules
    : public tc::impl::SerializeGPUModulesPassBase<SerializeGPUModules> {
  using SerializeGPUModulesPassBase::SerializeGPUModulesPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeGPUModulesPassBase::getDependentDialects(registry);
    registerPTXTranslation(registry);
  }

  void runOnOperation() override {
    if (format != "ptx" && format != "cubin") {
      getOperation().emitError("format: expected 'ptx' or 'cubin', got '")
          << format << "'";
      return signalPassFailure();
    }
    auto modules = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules)
      if (failed(serialize(module)))
        return signalPassFailure();
  }

  LogicalResult serialize(gpu::GPUModuleOp module) {
    auto emitError = [&] { return module.emitError(); };
    FailureOr<std::string> object = translateToPTX(module);
    if (failed(object))
      return failure();
    // translateToPTX has checked that there is one.
    auto target = *llvm::find_if(module.getTargetsAttr(),
                                 llvm::IsaPred<NVVM::NVVMTargetAttr>);
    gpu::CompilationTarget kind = gpu::CompilationTarget::Assembly;
    if (format == "cubin") {
      kind = gpu::CompilationTarget::Binary;
      FailureOr<std::string> program = findPtxas(ptxas, "", emitError);
      if (failed(program))
        return failure();
      FailureOr<Cubin> cubin =
          assemblePTX(*object, cast<NVVM::NVVMTargetAttr>(target).getChip(),
                      *program, emitError);
      if (failed(cubin))
        return failure();
      for (const KernelResources &kernel : cubin->kernels)
        if (std::string loss = describeLoss(kernel); !loss.empty())
          module.emitWarning(loss);
      object = std::move(cubin->binary);
    }
    OpBuilder builder(module);
    auto attribute = gpu::ObjectAttr::get(
        module.getContext(), target, kind, builder.getStringAttr(*object),
        /*properties=*/nullptr, /*kernels=*/nullptr);
    gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                          /*offloadingHandler=*/nullptr,
                          builder.getArrayAttr({attribute}));
    module.erase();
    return success();
  }
};

} // namespace
