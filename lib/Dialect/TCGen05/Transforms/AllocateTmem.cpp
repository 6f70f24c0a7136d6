//===- AllocateTmem.cpp - allocate Tensor Memory ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs the reserved regions of a kernel into one allocation: widest first,
// which keeps regions whose width is a power of two aligned to it, each in the
// first columns that no other region has while it lives. Where that takes too
// many columns, other orders are tried. Of layout F a region has 16 of the 32
// lanes of a window: two of them may share columns.
//
// The hand-over of the address and the end of the kernel follow the PTX ISA,
// "Memory Consistency Model for 5th generation of TensorCore operations": the
// address passes through shared memory and a barrier, between tcgen05.fence
// before and after; deallocation comes after a barrier that every warp reaches
// after its last access.
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"
#include "TmemLives.h"

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TCGen05/Transforms/Passes.h"
#include "tc/Support/ISA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tc::tcgen05 {
#define GEN_PASS_DEF_ALLOCATETMEMPASS
#include "tc/Dialect/TCGen05/Transforms/Passes.h.inc"
} // namespace tc::tcgen05

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

/// Orders of the regions that are tried where they do not fit, all of seven.
constexpr unsigned kOrders = 5040;

/// Whether the executing thread belongs to warp 0: threads are numbered x
/// first, so it has x below 32 and no y or z.
static Value isFirstWarp(OpBuilder &builder, Location loc,
                         gpu::GPUFuncOp kernel) {
  auto threadId = [&](gpu::Dimension dimension) -> Value {
    return gpu::ThreadIdOp::create(builder, loc, builder.getIndexType(),
                                   dimension);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value first =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                            threadId(gpu::Dimension::x), constant(32));
  std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
  for (gpu::Dimension dimension : {gpu::Dimension::y, gpu::Dimension::z}) {
    if (size && (*size)[static_cast<unsigned>(dimension)] == 1)
      continue;
    Value zero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       threadId(dimension), constant(0));
    first = arith::AndIOp::create(builder, loc, first, zero);
  }
  return first;
}

/// A barrier of all threads that order tcgen05 instructions on both sides: of
/// the CTA, or of the cluster for a pair.
static void createBarrier(OpBuilder &builder, Location loc, int ctaGroup) {
  FenceOp::create(builder, loc, FenceKind::Before);
  if (ctaGroup == 2) {
    NVVM::ClusterArriveOp::create(builder, loc, builder.getUnitAttr());
    NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
  } else {
    gpu::BarrierOp::create(builder, loc);
  }
}

namespace {

/// A region, when it is in use, and where it is.
struct Placed {
  ReserveOp reserve;
  TmemLife life;
  int64_t column = 0;
  /// 0, or 16 for the upper half of each window.
  int64_t lane = 0;

  TmemType getType() const { return ReserveOp(reserve).getRegion().getType(); }
  Location getLoc() const { return ReserveOp(reserve).getLoc(); }
  int64_t getEnd() const { return column + getType().getCellColumns(); }
  /// Whether the region has cells that `other` has at the same time.
  bool conflicts(const Placed &other) const {
    if (!life.overlaps(other.life) || column >= other.getEnd() ||
        other.column >= getEnd())
      return false;
    bool halves = life.fitsUpperLanes && other.life.fitsUpperLanes;
    return !halves || lane == other.lane;
  }
};

/// The regions of a kernel as columns of one allocation.
struct Placement {
  /// Widest first, where they fit so; equal widths stay in program order.
  SmallVector<Placed> regions;
  /// Columns that are allocated.
  int64_t allocated = 0;
  bool exclusive = false;
  int ctaGroup = 1;
};

struct AllocateTmemPass
    : public tc::tcgen05::impl::AllocateTmemPassBase<AllocateTmemPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      return failed(allocate(kernel)) ? WalkResult::interrupt()
                                      : WalkResult::skip();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    // What is left is in functions that are no kernels.
    getOperation()->walk([&](ReserveOp reserve) {
      reserve.emitError("expected tcgen05.reserve in a gpu.func kernel");
      signalPassFailure();
    });
  }

  LogicalResult allocate(gpu::GPUFuncOp kernel);
};

} // namespace

/// The cta_group that the layouts of `reserves` say; they have to agree.
static FailureOr<int> getCtaGroup(ArrayRef<ReserveOp> reserves) {
  // Scales go with either group.
  ReserveOp grouped;
  for (ReserveOp reserve : reserves) {
    int group = reserve.getRegion().getType().getCtaGroup();
    if (group == 0)
      continue;
    if (!grouped) {
      grouped = reserve;
      continue;
    }
    int first = grouped.getRegion().getType().getCtaGroup();
    if (group == first)
      continue;
    InFlightDiagnostic diagnostic =
        reserve.emitError()
        << "expected one cta_group in a kernel, got regions of cta_group "
        << first << " and " << group << " " << cite(ISASection::CtaGroup);
    diagnostic.attachNote(grouped.getLoc())
        << "the other region is reserved here";
    return diagnostic;
  }
  return grouped ? grouped.getRegion().getType().getCtaGroup() : 1;
}

/// Of which columns a region may begin in a multiple.
static int64_t getAlignment(Value region) {
  if (cast<TmemType>(region.getType()).isMetadata())
    return kMetadataColumns;
  int64_t alignment = 1;
  for (Operation *user : region.getUsers()) {
    if (isa<SliceOp, WarpWindowOp>(user))
      alignment = std::max(alignment, getAlignment(user->getResult(0)));
    else if (getTable(user) == region)
      alignment = std::max(alignment, kLookupAlignment);
  }
  return alignment;
}

/// Gives `region` the first columns where it is in conflict with none of
/// `placed`.
static void place(Placed &region, ArrayRef<Placed> placed) {
  SmallVector<int64_t> columns{0};
  const int64_t alignment = getAlignment(ReserveOp(region.reserve).getRegion());
  for (const Placed &other : placed)
    columns.push_back(llvm::alignTo(other.getEnd(), alignment));
  llvm::sort(columns);
  // After the last of them there is nothing.
  for (int64_t column : columns)
    for (int64_t lane : {0, 16}) {
      region.column = column;
      region.lane = lane;
      if ((lane == 0 || region.life.fitsUpperLanes) &&
          llvm::none_of(placed, [&](const Placed &other) {
            return region.conflicts(other);
          }))
        return;
    }
}

/// Gives all `regions` columns, in the order that `order` has of them; how many
/// they take.
static int64_t place(ArrayRef<Placed> regions, ArrayRef<unsigned> order,
                     SmallVectorImpl<Placed> &placed) {
  int64_t needed = 0;
  placed.clear();
  for (unsigned index : order) {
    Placed region = regions[index];
    place(region, placed);
    needed = std::max(needed, region.getEnd());
    placed.push_back(region);
  }
  return needed;
}

/// The same in the first of some orders in which they fit into `columns`, their
/// own first.
static int64_t placeBest(ArrayRef<Placed> regions, int64_t columns,
                         SmallVectorImpl<Placed> &placed) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, regions.size()));
  int64_t needed = place(regions, order, placed);
  SmallVector<Placed> other;
  for (unsigned tries = 0; needed > columns && tries < kOrders &&
                           std::next_permutation(order.begin(), order.end());
       ++tries)
    if (int64_t taken = place(regions, order, other); taken <= columns) {
      needed = taken;
      placed = other;
    }
  return needed;
}

/// The regions that are in use where most columns are.
static SmallVector<const Placed *> getPeak(ArrayRef<Placed> regions) {
  SmallVector<const Placed *> peak;
  int64_t most = -1;
  for (const Placed &first : regions) {
    SmallVector<const Placed *> live;
    int64_t columns = 0;
    for (const Placed &other : regions)
      if (other.life.begin <= first.life.begin &&
          first.life.begin <= other.life.end) {
        live.push_back(&other);
        columns += other.getType().getCellColumns();
      }
    if (columns > most) {
      most = columns;
      peak = std::move(live);
    }
  }
  return peak;
}

/// Places the regions `reserves` of `kernel`.
static FailureOr<Placement> place(gpu::GPUFuncOp kernel,
                                  SmallVector<ReserveOp> reserves) {
  llvm::sort(reserves, [](ReserveOp lhs, ReserveOp rhs) {
    int64_t left = lhs.getRegion().getType().getCellColumns();
    int64_t right = rhs.getRegion().getType().getCellColumns();
    return left != right ? left > right : lhs->isBeforeInBlock(rhs);
  });
  FailureOr<int> group = getCtaGroup(reserves);
  if (failed(group))
    return failure();
  Placement allocation;
  allocation.ctaGroup = *group;
  SmallVector<Placed> regions;
  for (auto [reserve, life] : llvm::zip_equal(
           reserves, getTmemLives(kernel, reserves, allocation.ctaGroup)))
    regions.push_back({reserve, life});
  int64_t available = findTmemColumns(kernel).value_or(kTmemColumns);
  int64_t needed = placeBest(regions, available, allocation.regions);
  std::optional<TmemAllocation> allocated =
      findTmemAllocation(needed, available);
  if (!allocated) {
    SmallVector<const Placed *> peak = getPeak(allocation.regions);
    InFlightDiagnostic diagnostic = kernel.emitError()
                                    << "expected at most " << available
                                    << " columns of Tensor Memory, got "
                                    << needed << " with " << peak.size()
                                    << " reserved regions in use at a time "
                                    << cite(ISASection::TmemAllocation);
    for (const Placed *region : peak) {
      Diagnostic &note = diagnostic.attachNote(region->getLoc())
                         << region->getType().getCellColumns()
                         << " columns are reserved here";
      if (auto name = dyn_cast<NameLoc>(region->getLoc()))
        note << " for " << name.getName();
      if (region->life.last)
        diagnostic.attachNote(region->life.last->getLoc())
            << "and used here for the last time";
    }
    return diagnostic;
  }
  allocation.allocated = allocated->columns;
  allocation.exclusive = allocated->exclusive;
  return allocation;
}

/// The start of the kernel: warp 0 allocates, all warps learn the address,
/// which is returned.
static Value emitAllocation(OpBuilder &builder, gpu::GPUFuncOp kernel,
                            const Placement &allocation, Value firstWarp,
                            Value slot) {
  Location loc = kernel.getLoc();
  int ctaGroup = allocation.ctaGroup;
  scf::IfOp::create(builder, loc, firstWarp,
                    [&](OpBuilder &nested, Location loc) {
                      AllocOp::create(nested, loc, slot, allocation.allocated,
                                      ctaGroup, allocation.exclusive);
                      RelinquishAllocPermitOp::create(nested, loc, ctaGroup);
                      scf::YieldOp::create(nested, loc);
                    });
  // For a pair, the peer's columns must be there before the first instruction
  // of the leader writes to them.
  createBarrier(builder, loc, ctaGroup);
  FenceOp::create(builder, loc, FenceKind::After);
  return AddressOp::create(
      builder, loc, TmemType::getRaw(kernel.getContext(), allocation.allocated),
      slot);
}

/// The ends of the kernel: when no warp accesses Tensor Memory any more, warp 0
/// frees it.
static void emitDeallocation(gpu::GPUFuncOp kernel, const Placement &allocation,
                             Value firstWarp, Value address) {
  SmallVector<gpu::ReturnOp> returns;
  kernel.walk([&](gpu::ReturnOp op) { returns.push_back(op); });
  for (gpu::ReturnOp op : returns) {
    OpBuilder builder(op);
    createBarrier(builder, op.getLoc(), allocation.ctaGroup);
    FenceOp::create(builder, op.getLoc(), FenceKind::After);
    scf::IfOp::create(
        builder, op.getLoc(), firstWarp, [&](OpBuilder &nested, Location loc) {
          DeallocOp::create(nested, loc, address, allocation.ctaGroup,
                            allocation.exclusive);
          scf::YieldOp::create(nested, loc);
        });
  }
}

LogicalResult AllocateTmemPass::allocate(gpu::GPUFuncOp kernel) {
  SmallVector<ReserveOp> reserves(kernel.getOps<ReserveOp>());
  if (reserves.empty() || !kernel.isKernel())
    return success();
  FailureOr<Placement> allocation = place(kernel, std::move(reserves));
  if (failed(allocation))
    return failure();

  Location loc = kernel.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto slotType = MemRefType::get(
      {1}, builder.getI32Type(), MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(&getContext(), gpu::AddressSpace::Workgroup));
  Value slot = kernel.addWorkgroupAttribution(slotType, loc);
  // The warp that allocates for a pair makes sure that the peer CTA runs. There
  // is nothing to publish yet.
  if (allocation->ctaGroup == 2) {
    NVVM::ClusterArriveRelaxedOp::create(builder, loc, builder.getUnitAttr());
    NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
  }
  Value firstWarp = isFirstWarp(builder, loc, kernel);
  Value address = emitAllocation(builder, kernel, *allocation, firstWarp, slot);
  for (const Placed &region : allocation->regions) {
    ReserveOp reserve = region.reserve;
    builder.setInsertionPoint(reserve);
    Value slice = SliceOp::create(
        builder, reserve.getLoc(), reserve.getRegion().getType(), address,
        builder.getIndexAttr(region.column), region.lane);
    reserve.replaceAllUsesWith(slice);
    reserve.erase();
  }
  emitDeallocation(kernel, *allocation, firstWarp, address);
  numReserved += allocation->regions.size();
  numColumns += allocation->allocated;
  return success();
}
