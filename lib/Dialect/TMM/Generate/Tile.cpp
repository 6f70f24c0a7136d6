//===- Tile.cpp - ops become kernels and their launches ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Outlines every op of a family of kernels into a kernel that holds its tile
// program, and replaces it by the launch. Both sides are ordinary IR: the host
// computes the grid from the sizes and launches nothing where there is no work.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Generate/Tile.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"
#include "tc/Support/PTXName.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace tc::tmm {
#define GEN_PASS_DEF_TILEPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// The function of `tile`, which `op` asks for, with its body.
static gpu::GPUFuncOp createKernel(Operation *op, TileKernel &tile,
                                   SymbolTable &symbols) {
  OpBuilder b(op->getContext());
  auto function = op->getParentOfType<FunctionOpInterface>();
  std::string name =
      makePTXName((function.getName() + "_" + tile.getName()).str());
  auto kernel = gpu::GPUFuncOp::create(
      b, op->getLoc(), name, b.getFunctionType(tile.getArgumentTypes(), {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(tile.getThreads()), 1, 1}));
  auto ctas = static_cast<int32_t>(tile.getClusterCtas());
  if (ctas > 1)
    kernel.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr({ctas, 1, 1}));
  symbols.insert(kernel);
  b.setInsertionPointToStart(&kernel.getBody().front());
  tile.emitProgram(b, kernel);
  return kernel;
}

/// The host's side.
static FailureOr<gpu::LaunchFuncOp> emitLaunch(OpBuilder &b,
                                               KernelFamilyOpInterface op,
                                               TileKernel &tile,
                                               gpu::GPUFuncOp kernel) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value work = tile.emitWork(b);
  Value some = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                             work, constant(0));
  auto guard = scf::IfOp::create(b, loc, some);
  b.setInsertionPointToStart(guard.thenBlock());
  if (failed(tile.emitChecks(b)))
    return failure();
  SmallVector<Value> operands = tile.emitOperands(b, kernel);
  Value one = constant(1);
  SmallVector<Value> grid = tile.emitGrid(b);
  grid.resize(3, one);
  gpu::KernelDim3 blocks{grid[0], grid[1], grid[2]},
      threads{constant(tile.getThreads()), one, one};
  std::optional<gpu::KernelDim3> cluster;
  if (tile.getClusterCtas() > 1)
    cluster = gpu::KernelDim3{constant(tile.getClusterCtas()), one, one};
  op.emitStatement(b);
  return gpu::LaunchFuncOp::create(b, loc, kernel, blocks, threads,
                                   /*dynamicSharedMemorySize=*/Value(),
                                   operands, /*asyncTokenType=*/Type(),
                                   /*asyncDependencies=*/ValueRange(), cluster);
}

/// Replaces `op` by the launch of a kernel for `chip` among `symbols`, if it
/// needs one, and raises `ptxVersion` to what that asks for.
static FailureOr<TiledKernel> outline(RewriterBase &rewriter,
                                      KernelFamilyOpInterface op,
                                      SymbolTable &symbols, StringRef chip,
                                      unsigned &ptxVersion) {
  rewriter.setInsertionPoint(op);
  FailureOr<std::unique_ptr<TileKernel>> tile = op.getKernel(rewriter, chip);
  if (failed(tile))
    return failure();
  TiledKernel tiled;
  if (*tile) {
    ptxVersion = std::max(ptxVersion, (*tile)->getPTXVersion());
    tiled.kernel = createKernel(op, **tile, symbols);
    FailureOr<gpu::LaunchFuncOp> launch =
        emitLaunch(rewriter, op, **tile, tiled.kernel);
    if (failed(launch))
      return failure();
    tiled.launch = *launch;
  } else {
    // Emit the statement anyway: it names the operands.
    op.emitStatement(rewriter);
  }
  rewriter.eraseOp(op);
  return tiled;
}

/// `features` with a PTX version of at least `least`: "+ptx86" becomes
/// "+ptx88". Where they are empty the version is the one of `chip`.
static std::string raisePtxVersion(StringRef features, StringRef chip,
                                   unsigned least) {
  if (features.empty())
    if (const TargetFacts *target = getTarget(chip))
      return "+ptx" + std::to_string(std::max(target->ptxVersion, least));
  StringRef version = features;
  unsigned number;
  if (least == 0 || !version.consume_front("+ptx") ||
      version.getAsInteger(10, number) || number >= least)
    return features.str();
  return "+ptx" + std::to_string(least);
}

/// The target of the kernels of `module`, as tmm-tile gives it; null where it
/// is another one.
static NVVM::NVVMTargetAttr getTargetAttr(gpu::GPUModuleOp module) {
  ArrayAttr targets = module.getTargetsAttr();
  if (!targets || targets.size() != 1)
    return {};
  return dyn_cast<NVVM::NVVMTargetAttr>(targets[0]);
}

/// The `gpu.module` that earlier kernels for `target` are in: one module
/// becomes one file, and a program is to have one. Null where there is none.
static gpu::GPUModuleOp findKernels(ModuleOp module, const TileTarget &target) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    if (NVVM::NVVMTargetAttr of = getTargetAttr(kernels);
        of && of.getChip() == target.chip &&
        (target.features.empty() || of.getFeatures() == target.features))
      return kernels;
  return {};
}

/// Whether `op` is in host code, which launches kernels. Emits an error.
static LogicalResult checkOnHost(Operation *op) {
  for (Operation *around = op->getParentOp(); around;
       around = around->getParentOp())
    if (isa<gpu::LaunchOp, gpu::GPUFuncOp, gpu::GPUModuleOp>(around)) {
      InFlightDiagnostic diag =
          op->emitOpError("expected host code around it, which launches its "
                          "kernel, got '")
          << around->getName() << "'";
      diag.attachNote(around->getLoc()) << "device code here";
      return diag;
    }
  if (!op->getParentOfType<FunctionOpInterface>())
    return op->emitOpError("expected a function around it, after which its "
                           "kernel is named, got none");
  return success();
}

FailureOr<SmallVector<TiledKernel>>
tc::tmm::tileOps(RewriterBase &rewriter, ModuleOp module,
                 ArrayRef<KernelFamilyOpInterface> ops,
                 const TileTarget &target) {
  for (KernelFamilyOpInterface op : ops)
    if (failed(checkOnHost(op)))
      return failure();
  gpu::GPUModuleOp kernels = findKernels(module, target);
  // What the target of a module says besides is kept.
  auto base =
      kernels ? getTargetAttr(kernels)
              : NVVM::NVVMTargetAttr::get(rewriter.getContext(), /*optLevel=*/2,
                                          "nvptx64-nvidia-cuda", target.chip,
                                          target.features);
  auto getTargets = [&](unsigned ptxVersion) {
    auto attr = NVVM::NVVMTargetAttr::get(
        rewriter.getContext(), base.getO(), base.getTriple(), base.getChip(),
        raisePtxVersion(base.getFeatures(), base.getChip(), ptxVersion),
        base.getFlags(), base.getLink(), base.getVerifyTarget());
    return rewriter.getArrayAttr({attr});
  };
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  rewriter.getUnitAttr());
  if (!kernels) {
    rewriter.setInsertionPointToEnd(module.getBody());
    kernels = gpu::GPUModuleOp::create(rewriter, module.getLoc(), "kernels",
                                       getTargets(/*ptxVersion=*/0));
    SymbolTable(module).insert(kernels);
  }
  SymbolTable symbols(kernels);
  unsigned ptxVersion = 0;
  SmallVector<TiledKernel> all;
  for (KernelFamilyOpInterface op : ops) {
    FailureOr<TiledKernel> tiled =
        outline(rewriter, op, symbols, target.chip, ptxVersion);
    if (failed(tiled))
      return failure();
    if (tiled->kernel)
      all.push_back(*tiled);
  }
  kernels.setTargetsAttr(getTargets(ptxVersion));
  return all;
}

namespace {

struct TilePass : tc::tmm::impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkFamilies(module)))
      return signalPassFailure();
    SmallVector<KernelFamilyOpInterface> ops;
    module.walk([&](KernelFamilyOpInterface op) { ops.push_back(op); });
    if (ops.empty())
      return;
    IRRewriter rewriter(&getContext());
    if (failed(tileOps(rewriter, module, ops,
                       {chip.getValue(), features.getValue()})))
      signalPassFailure();
  }
};

} // namespace
