//===- AllocateSmem.cpp - place shared memory -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places the allocations of a kernel in its dynamic shared memory. No two of
// them share bytes: program order says nothing, as roles and asynchronous
// engines run beside each other.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/SM90/Transforms/Passes.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

namespace tc::sm90 {
#define GEN_PASS_DEF_ALLOCATESMEMPASS
#include "tc/Dialect/SM90/Transforms/Passes.h.inc"
} // namespace tc::sm90

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

namespace {

/// An allocation and its place.
struct Allocation {
  SmemAllocOp op;
  int64_t bytes, alignment, offset = 0;
  int64_t end() const { return offset + bytes; }
};

/// The allocations of a kernel.
class Placement {
public:
  explicit Placement(gpu::GPUFuncOp kernel) {
    kernel.walk([&](SmemAllocOp op) {
      allocations.push_back({op, op.getResult().getType().getDimSize(0),
                             static_cast<int64_t>(op.getAlignment())});
    });
  }

  void place();
  /// One past the last byte.
  int64_t getBytes() const;
  int64_t getAlignment() const;

  SmallVector<Allocation> allocations;
};

struct AllocateSmemPass
    : tc::sm90::impl::AllocateSmemPassBase<AllocateSmemPass> {
  void runOnOperation() override;
  LogicalResult allocate(gpu::GPUFuncOp kernel,
                         ArrayRef<gpu::LaunchFuncOp> launches);
};

} // namespace

void Placement::place() {
  SmallVector<Allocation *> order;
  for (Allocation &allocation : allocations)
    order.push_back(&allocation);
  llvm::stable_sort(order, [&](Allocation *x, Allocation *y) {
    return std::pair(x->alignment, x->bytes) >
           std::pair(y->alignment, y->bytes);
  });
  // By their offsets.
  SmallVector<Allocation *> placed;
  for (Allocation *allocation : order) {
    auto *next = placed.begin();
    for (; next != placed.end() && allocation->end() > (*next)->offset; ++next)
      allocation->offset = llvm::alignTo((*next)->end(), allocation->alignment);
    placed.insert(next, allocation);
  }
}

int64_t Placement::getBytes() const {
  int64_t bytes = 0;
  for (const Allocation &allocation : allocations)
    bytes = std::max(bytes, allocation.end());
  return bytes;
}

int64_t Placement::getAlignment() const {
  int64_t alignment = kDynamicSmemAlignment;
  for (const Allocation &allocation : allocations)
    alignment = std::max(alignment, allocation.alignment);
  return alignment;
}

/// What the target of `kernel` has, or an error.
static FailureOr<int64_t> getAvailableBytes(gpu::GPUFuncOp kernel) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module.getTargetsAttr();
  std::optional<int64_t> available;
  if (targets)
    for (auto attr : targets.getAsRange<NVVM::NVVMTargetAttr>())
      if (const TargetFacts *target = getTarget(attr.getChip()))
        available = std::min(available.value_or(target->maxDynamicSmem),
                             target->maxDynamicSmem);
  if (!available)
    return module.emitOpError()
           << "expected a target whose shared memory is known (as "
              "#nvvm.target<chip = \"sm_100a\">), got "
           << (targets ? "another" : "none");
  return *available;
}

/// Bytes of the static shared memory of `kernel`, padded to where dynamic
/// shared memory starts.
static int64_t getStaticBytes(gpu::GPUFuncOp kernel) {
  int64_t bytes = 0;
  for (BlockArgument argument : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(argument.getType());
    int64_t element = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    bytes = llvm::alignTo(bytes, element) + type.getNumElements() * element;
  }
  return llvm::alignTo(bytes, kDynamicSmemAlignment);
}

LogicalResult AllocateSmemPass::allocate(gpu::GPUFuncOp kernel,
                                         ArrayRef<gpu::LaunchFuncOp> launches) {
  Placement placement(kernel);
  if (placement.allocations.empty())
    return success();
  FailureOr<int64_t> available = getAvailableBytes(kernel);
  if (failed(available))
    return failure();
  placement.place();
  int64_t bytes = placement.getBytes(), alignment = placement.getAlignment();
  int64_t needed = getDynamicSmemBytes(bytes, alignment);
  int64_t fixed = getStaticBytes(kernel);
  if (needed + fixed > *available) {
    InFlightDiagnostic diag =
        kernel.emitOpError()
        << "expected at most " << *available << " bytes of shared memory, got "
        << needed + fixed << " (" << bytes << " of allocations, "
        << needed - bytes << " of alignment, " << fixed
        << " of static shared memory): choose a smaller tile or fewer stages";
    for (Allocation &allocation : placement.allocations)
      diag.attachNote(allocation.op.getLoc())
          << allocation.bytes << " bytes here";
    return diag;
  }

  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto bytesType = MemRefType::get(
      {bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup));
  Value smem =
      DynamicSmemOp::create(b, kernel.getLoc(), bytesType, uint64_t(alignment));
  for (Allocation &allocation : placement.allocations) {
    b.setInsertionPoint(allocation.op);
    Value view = SmemViewOp::create(b, allocation.op.getLoc(),
                                    allocation.op.getResult().getType(), smem,
                                    b.getIndexAttr(allocation.offset));
    allocation.op.getResult().replaceAllUsesWith(view);
    allocation.op.erase();
  }
  for (gpu::LaunchFuncOp launch : launches) {
    OpBuilder host(launch);
    launch.getDynamicSharedMemorySizeMutable().assign(
        arith::ConstantIntOp::create(host, launch.getLoc(), host.getI32Type(),
                                     needed));
  }
  numAllocated += placement.allocations.size();
  numBytes += bytes;
  return success();
}

void AllocateSmemPass::runOnOperation() {
  DenseMap<Operation *, SmallVector<gpu::LaunchFuncOp>> launches;
  SymbolTableCollection symbols;
  getOperation().walk([&](gpu::LaunchFuncOp launch) {
    launches[symbols.lookupNearestSymbolFrom(launch, launch.getKernel())]
        .push_back(launch);
  });
  SmallVector<gpu::GPUFuncOp> kernels;
  getOperation().walk(
      [&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
  for (gpu::GPUFuncOp kernel : kernels)
    if (failed(allocate(kernel, launches.lookup(kernel))))
      return signalPassFailure();
}
