//===- Pipelines.cpp - the passes in their order ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per level, a reason per pass. Host functions stay as they are
// from tmm-tile on (the kernel description is read off them), so every pass
// below that works on gpu.module or gpu.func only.
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Pipelines.h"

#include "tc/Conversion/Passes.h"
#include "tc/Dialect/SM90/Transforms/Passes.h"
#include "tc/Dialect/TCGen05/Transforms/Passes.h"
#include "tc/Dialect/TMM/Passes.h"
#include "tc/Target/PTX/Passes.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tc;

/// Canonicalizes host functions and kernels one by one: on a whole module, one
/// thread would visit all of them again for each that changes.
static void addCleanup(OpPassManager &pm) {
  auto add = [](OpPassManager &functions) {
    functions.addPass(createCanonicalizerPass());
    functions.addPass(createCSEPass());
  };
  add(pm.nest<func::FuncOp>());
  add(pm.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>());
}

void tc::buildOpenProblem(OpPassManager &pm, const PipelineOptions &options) {
  // Later passes cannot interpret foreign attributes.
  pm.addPass(createDropForeignPass());
  // Inline calls: host code must be a flat list of launches.
  pm.addPass(createInlineCallsPass());
  // Tiles of one product are one launch; of the loops that are left, ...
  pm.addPass(createMergeTilesPass());
  // ... each iteration is seen with its own offsets.
  pm.addPass(createUnrollHostLoopsPass());
  // arith on tensors may end a matmul, too.
  pm.addPass(createConvertElementwiseToLinalgPass());
  // Biases that are constants are computed once.
  pm.addPass(createFoldConstantsPass());
  // What front ends widen, scale and add before a product.
  PrepareProductsPassOptions prepare;
  prepare.roundMixed = options.f32 == "narrow";
  pm.addPass(createPrepareProductsPass(prepare));
  // Convolutions are products then, with their fills and epilogues.
  ConvolutionsToProductsPassOptions convolutions;
  convolutions.remarks = options.explain == "words";
  pm.addPass(createConvolutionsToProductsPass(convolutions));
  // Of what packs the operands of a product and unpacks its result only views
  // may be left.
  pm.addPass(createDecomposeAggregatesPass());
  // The host of a launch reads no memory.
  pm.addPass(createSinkScalarsPass());
  // Before tensors are memrefs, while linalg.fill and its matmul are still next
  // to each other: bufferization may put copies between them.
  ConvertLinalgToTMMPassOptions linalg;
  linalg.allowTf32 = options.allowTf32;
  linalg.f32 = options.f32;
  pm.addPass(createConvertLinalgToTMMPass(linalg));
  // What stays beside the products: as few operations as there can be, because
  // each becomes a kernel.
  pm.addPass(createFuseElementwisePass());
  // What is left is what reads memory by the sizes of its operands.
  pm.addPass(createCheckShapesPass());
  // Reductions along rows, with what is computed around them in the same rows.
  pm.addPass(createConvertLinalgToRowsPass());
  // A softmax between two products keeps its scores in registers.
  ConvertRowsToAttentionPassOptions attention;
  attention.chip = options.chip;
  pm.addPass(createConvertRowsToAttentionPass(attention));
  // Kernels read and write memory. The function's own tensors become memrefs
  // with the plain layout, because a launch is described by plain arguments.
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // Loops that could not be unrolled are refused where launches are listed,
  // with the reason.
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // A function that returns its output argument need not return it.
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  // Sizes that became known, and what the earlier steps left. Equal views of
  // one slice are merged first, so that copies between them go.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Copies are described and explained with the products that read them.
  tmm::PackOperandsPassOptions pack;
  pack.config = options.config;
  pack.chip = options.chip;
  pack.remarks = options.explain == "words";
  pm.addPass(tmm::createPackOperandsPass(pack));
}

/// Problem form: from linalg to tmm.matmul on memrefs, configured.
static void buildProblem(OpPassManager &pm, const PipelineOptions &options) {
  buildOpenProblem(pm, options);
  // Before the choice, which does not record what was given.
  if (!options.explain.empty()) {
    tmm::ExplainConfigPassOptions explain;
    explain.config = options.config;
    explain.chip = options.chip;
    explain.tuned = options.tuned;
    explain.format = options.explain;
    pm.addPass(tmm::createExplainConfigPass(explain));
  }
  // Not before: the choice depends on the static sizes.
  tmm::ChooseConfigPassOptions config;
  config.config = options.config;
  config.chip = options.chip;
  config.tuned = options.tuned;
  pm.addPass(tmm::createChooseConfigPass(config));
  // Obeys the choice, parts of K included, which the option would give again.
  tmm::SplitKPassOptions split;
  split.chip = options.chip;
  pm.addPass(tmm::createSplitKPass(split));
}

/// Tile program: kernels and launches.
static void buildTiles(OpPassManager &pm, const PipelineOptions &options) {
  tmm::TilePassOptions tile;
  tile.chip = options.chip;
  pm.addPass(tmm::createTilePass(tile));
  // What is no product and is in no epilogue joins the kernels that exist now.
  ConvertLinalgToGPUPassOptions plain;
  plain.chip = options.chip;
  pm.addPass(createConvertLinalgToGPUPass(plain));
  // Fold what static sizes make constant before the protocol is built on it:
  // a loop that runs once disappears here, later it would hold barriers.
  addCleanup(pm);
}

/// Pipelined program.
static void buildRoles(OpPassManager &pm) {
  // Before pipelines, which tell apart the roles at their ends.
  pm.addPass(tmm::createAssignRolesPass());
  // Depth 1 first: every buffer between two engines gets its protocol.
  pm.addPass(tmm::createMaterializePipelinesPass());
  // Moves releases of that protocol, whatever the depths are ...
  pm.addPass(tmm::createReleaseEarlyPass());
  // ... which are described by types alone.
  pm.addPass(tmm::createPipelinePass());
  // Cuts at the pipelines, so they must exist; depths do not matter to it.
  pm.addPass(tmm::createWarpSpecializePass());
  // Kernels without roles: one thread loads ahead instead.
  pm.addPass(tmm::createSkewPipelinesPass());
  // Loops of one role alone, whose other parts are gone.
  pm.addPass(tmm::createOverlapIterationsPass());
  // Loops of a role that only served other engines are empty now, and states
  // of ends that it does not hold no longer change.
  addCleanup(pm);
}

/// The families of the ISA.
static void buildTCGen05(OpPassManager &pm) {
  // Each role computes its work for itself, so they must be cut; what follows
  // sees numbers alone.
  pm.addPass(tmm::createLowerSchedulerPass());
  // Some engines work on when their ops return.
  pm.addPass(tmm::createAwaitWorkPass());
  // What units share: the protocol, while engines are still attributes ...
  pm.addPass(createConvertTMMPipelinesToSM90Pass());
  // ... then the kernel's parameters, while copies still name their engines and
  // tiles, of which the boxes of tensor maps are ...
  pm.addPass(createConvertTMMKernelInterfaceToSM90Pass());
  // ... and equal kernels are one from here, before each costs time ...
  pm.addPass(createShareKernelsPass());
  // ... then register tiles, whose columns are numbers once loops over them are
  // unrolled, and for whose accesses matrices are pointers now ...
  pm.addPass(tmm::createUnrollColumnsPass());
  pm.addPass(tmm::createDistributePass());
  // ... then the ops on tiles, as the units of the kernels do ...
  pm.addPass(createConvertTMMTilesPass());
  // ... and roles last: until then ops ask which one they are in.
  pm.addPass(createConvertTMMRolesToSM90Pass());
  // Positions and parities are numbers: equal ones are carried once.
  pm.addPass(createSimplifyLoopStatePass());
  // Slots, parities and addresses of depth 1 are constants: fold them before
  // anything looks at the IR.
  addCleanup(pm);
}

/// llvm and nvvm in the kernels.
static void buildNVVM(OpPassManager &pm) {
  // Needs all regions of a kernel at once, so not before they all exist.
  pm.nest<gpu::GPUModuleOp>().addNestedPass<gpu::GPUFuncOp>(
      tcgen05::createAllocateTmemPass());
  // Allocations are explicit now, and nothing has lost its type yet.
  pm.nest<gpu::GPUModuleOp>().addPass(tcgen05::createVerifyKernelsPass());
  // All storages at once, and the static shared memory that Tensor Memory's
  // address needs.
  pm.addPass(sm90::createAllocateSmemPass());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  // Before any type of theirs is converted; waits become loops, so before scf.
  kernels.addPass(createConvertTCGen05ToNVVMPass());
  kernels.addPass(createConvertSM80ToNVVMPass());
  kernels.addPass(createConvertSM90ToNVVMPass());
  // Kernel by kernel from here: rewriters take longer for each operation of a
  // module with many kernels, and there are several threads.
  OpPassManager &device = kernels.nest<gpu::GPUFuncOp>();
  // Upstream has floats of 8 bits as storage alone.
  device.addPass(createExpandConversionsPass());
  // Upstream would call a library.
  device.addPass(createExpandMathPass());
  // Slices of registers become shuffles, which the conversion below supports.
  device.addPass(createLowerVectorsPass());
  // Layouts and subviews become index arithmetic that LLVM can share.
  device.addPass(memref::createExpandStridedMetadataPass());
  device.addPass(createLowerAffinePass());
  // While indices are still `index`: constants fold and equal addresses merge.
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createSCFToControlFlowPass());
  // Everything else at once, with every dialect's own patterns. Memrefs become
  // bare pointers: kernel parameters are what the description lists.
  ConvertGpuOpsToNVVMOpsOptions gpu;
  gpu.useBarePtrCallConv = true;
  gpu.hasRedux = true;
  kernels.addPass(createConvertGpuOpsToNVVMOps(gpu));
  // The signature is final now: tensor maps are passed by value, the block
  // size is not just an upper bound.
  kernels.addPass(createConvertSM90KernelParamsPass());
  OpPassManager &lowered = kernels.nest<LLVM::LLVMFuncOp>();
  lowered.addPass(createRequireBlockSizePass());
  // LLVM has no instruction for its own hint.
  lowered.addPass(createLowerPrefetchesPass());
  // The conversions met in casts; they cancel.
  lowered.addPass(createReconcileUnrealizedCastsPass());
  // Code that can never run goes before LLVM sees it: the asynchronous
  // instructions of the PTX are compared with what is left here, and where LLVM
  // deletes some, a module is compiled twice.
  lowered.addPass(createSCCPPass());
  lowered.addPass(createCanonicalizerPass());
  lowered.addPass(createCSEPass());
  // Nothing of the levels above may be left.
  kernels.addPass(tcgen05::createVerifyLoweredPass());
  kernels.addPass(sm90::createVerifyLoweredPass());
}

void tc::buildPipeline(OpPassManager &pm, Level level,
                       const PipelineOptions &options) {
  buildProblem(pm, options);
  if (level >= Level::Tiles)
    buildTiles(pm, options);
  if (level >= Level::Roles)
    buildRoles(pm);
  if (level >= Level::TCGen05)
    buildTCGen05(pm);
  if (level >= Level::NVVM)
    buildNVVM(pm);
}

void tc::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "tc-lower-to-tcgen05",
      "From linalg or any level of tmm to tcgen05, sm90 and sm80",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, Level::TCGen05, options);
      });
  PassPipelineRegistration<PipelineOptions>(
      "tc-lower-to-nvvm",
      "From linalg or any level below to llvm and nvvm in the kernels",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, Level::NVVM, options);
      });
  PassPipelineRegistration<CompilePipelineOptions>(
      "tc-compile",
      "From linalg or any level below to a gpu.binary and its host function",
      [](OpPassManager &pm, const CompilePipelineOptions &options) {
        buildPipeline(pm, Level::NVVM, options);
        SerializeGPUModulesPassOptions serialize;
        serialize.format = options.format;
        serialize.ptxas = options.ptxas;
        pm.addPass(createSerializeGPUModulesPass(serialize));
        // The host function goes on to upstream's lowerings.
        pm.addPass(tmm::createDropProblemsPass());
      });
}
