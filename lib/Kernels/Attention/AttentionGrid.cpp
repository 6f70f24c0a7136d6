//===- AttentionGrid.cpp - tiles of kernels of attention --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread of control: a loop over tiles.
//
//===----------------------------------------------------------------------===//

#include "AttentionGrid.h"

#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

AttentionGrid::AttentionGrid(OpBuilder &b, Location loc, const GridShape &grid,
                             const GridForm &form, gpu::GPUFuncOp kernel,
                             ArrayRef<StringRef> names)
    : b(b), loc(loc), grid(grid), form(form), f32(b.getF32Type()) {
  unsigned next = 0;
  auto take = [&](StringRef name) {
    Value argument = kernel.getArgument(next++);
    argument.setLoc(NameLoc::get(b.getStringAttr(name), argument.getLoc()));
    return argument;
  };
  auto size = [&](int64_t known) {
    return ShapedType::isDynamic(known) ? Value(kernel.getArgument(next++))
                                        : constant(known);
  };
  for (StringRef name : names)
    matrices.push_back(take(name));
  queries = size(form.queries);
  keys = size(form.keys);
  for (int64_t known : form.batch)
    batch.push_back(size(known));
  for (int64_t known : form.shares)
    shares.push_back(size(known));
  if (grid.counts)
    counter = take("counter");
}

/// Declares the roles: those of the unit that this kernel needs, one that
/// stores for each part, and warps that complete the last warpgroup, which
/// moves its registers as one.
void AttentionGrid::emitRoles() {
  const TileParts &parts = grid.scores;
  int64_t warps = 0;
  auto add = [&](const Twine &name, int64_t number, int64_t registers,
                 ArrayRef<Attribute> drives) {
    RoleOp::create(b, loc, b.getStringAttr(name), uint64_t(number),
                   /*turns=*/uint64_t(1), /*loop=*/StringAttr(),
                   uint64_t(registers), b.getArrayAttr(drives));
    warps += number;
  };
  for (const RoleRequest &role : parts.roles) {
    bool loads = llvm::is_contained(role.drives, Attribute(parts.load));
    bool multiplies =
        llvm::is_contained(role.drives, Attribute(parts.multiply));
    if (role.stores && grid.parts > 1)
      for (int64_t part = 0; part < grid.parts; ++part)
        add(role.name + Twine(part), role.warps, grid.ownRegisters,
            role.drives);
    else if (role.stores)
      add(role.name, role.warps, grid.ownRegisters, role.drives);
    if (role.stores || (!loads && !multiplies))
      continue;
    SmallVector<Attribute> drives(ArrayRef<Attribute>(role.drives));
    // It is one thread that knows first which tile is next.
    if (loads && counter)
      drives.push_back(parts.workCounter);
    add(role.name, role.warps, grid.otherRegisters, drives);
  }
  if (int64_t idle =
          llvm::alignTo(warps, kWarpgroupThreads / kWarpThreads) - warps)
    add("idle", idle, grid.otherRegisters, {});
}

void AttentionGrid::emit() {
  emitRoles();
  // A work item is a batch in a group; the groups and their tiles are problems.
  Value total = constant(1);
  for (Value size : batch)
    total = b.createOrFold<arith::MulIOp>(loc, total, size);
  tiles = b.createOrFold<arith::CeilDivUIOp>(loc, getRows(),
                                             constant(grid.getRows()));
  Value problems =
      b.createOrFold<arith::DivUIOp>(loc, total, constant(grid.group));
  problems = b.createOrFold<arith::MulIOp>(loc, problems, tiles);
  auto [columns, block] = getExtents();
  SmallVector<int64_t> tile = {1, columns, block};
  auto rule = StaticSchedulerAttr::get(b.getContext(), /*raster=*/0);
  Value scheduler =
      SchedulerOp::create(b, loc, rule, constant(grid.group), constant(columns),
                          keys, problems, tile, /*ctas=*/1);
  Value first = FirstWorkOp::create(b, loc, scheduler);
  scf::WhileOp::create(
      b, loc, TypeRange{first.getType()}, ValueRange{first},
      [&](OpBuilder &, Location, ValueRange args) {
        Value valid = WorkValidOp::create(b, loc, scheduler, args[0]);
        scf::ConditionOp::create(b, loc, valid, args);
      },
      [&](OpBuilder &, Location, ValueRange args) {
        emitRequest(scheduler);
        auto place = WorkTileOp::create(b, loc, scheduler, args[0]);
        Value number = WorkBatchOp::create(b, loc, scheduler, args[0]);
        emitTile(emitPlace(place.getRow(), number));
        scf::YieldOp::create(b, loc, emitNext(scheduler, args[0]));
      });
  gpu::ReturnOp::create(b, loc);
}

/// The first row of the tile of problem `number`, and the indices of its batch.
Value AttentionGrid::emitPlace(Value inGroup, Value number) {
  Value at = arith::RemUIOp::create(b, loc, number, tiles);
  Value group = arith::DivUIOp::create(b, loc, number, tiles);
  if (hasMostLast()) {
    // The tiles with the most work first: others fill what they leave.
    Value last = arith::SubIOp::create(b, loc, tiles, constant(1));
    at = arith::SubIOp::create(b, loc, last, at);
  }
  if (!batch.empty()) {
    Value first = arith::MulIOp::create(b, loc, group, constant(grid.group));
    emitIndices(arith::AddIOp::create(b, loc, first, inGroup));
  }
  return arith::MulIOp::create(b, loc, at, constant(grid.getRows()));
}

/// Asks for the next tile, where CTAs count them.
void AttentionGrid::emitRequest(Value scheduler) {
  if (!counter)
    return;
  count = WorkCountOp::create(b, loc, b.getI32Type(), scheduler);
  request = CountRequestOp::create(b, loc, b.getI32Type(), counter, count,
                                   /*over=*/AgentSetAttrInterface(),
                                   grid.scores.workCounter,
                                   /*role=*/StringAttr());
}

/// Hands the answer to all roles when the loads of the tile are on their way.
void AttentionGrid::emitAnswer() {
  if (!counter)
    return;
  answer = AllocOp::create(
      b, loc, BufferType::get({1, 1}, b.getI32Type(), grid.scores.answer),
      /*stages=*/uint64_t(2));
  AnswerRequestOp::create(b, loc, request, count, answer,
                          /*over=*/AgentSetAttrInterface(),
                          grid.scores.workCounter, /*role=*/StringAttr(),
                          /*signal=*/Value());
}

Value AttentionGrid::emitNext(Value scheduler, Value work) {
  if (!counter)
    return NextWorkOp::create(b, loc, scheduler, work);
  Value number = QueryWorkOp::create(b, loc, answer, grid.scores.workCounter,
                                     /*role=*/StringAttr());
  return WorkAtOp::create(b, loc, scheduler, number);
}

/// The indices of batch `number`, the last dimension fastest.
void AttentionGrid::emitIndices(Value number) {
  indices.assign(batch.size(), Value());
  for (unsigned dim = batch.size() - 1; dim > 0; --dim) {
    indices[dim] = b.createOrFold<arith::RemUIOp>(loc, number, batch[dim]);
    number = b.createOrFold<arith::DivUIOp>(loc, number, batch[dim]);
  }
  indices[0] = number;
  emitBatch();
}

/// The indices of the batch of K that the tile shares.
void AttentionGrid::emitSharedIndices() {
  sharedIndices.clear();
  for (auto [index, share] : llvm::zip_equal(indices, shares))
    sharedIndices.push_back(b.createOrFold<arith::DivUIOp>(loc, index, share));
}

/// The first block of `size` keys that a tile of queries from `row` on sees,
/// and how many.
std::pair<Value, Value> AttentionGrid::emitKeyBlocks(Value row, int64_t size) {
  Value zero = constant(0), block = constant(size);
  Value end = keys, first = zero;
  if (std::optional<int64_t> diagonal = form.diagonal) {
    // The last row sees the most keys, the first one those before others.
    Value last = arith::AddIOp::create(b, loc, row,
                                       constant(*diagonal + grid.getRows()));
    end = arith::MaxSIOp::create(
        b, loc, arith::MinSIOp::create(b, loc, keys, last), zero);
    if (std::optional<int64_t> after = form.after) {
      first = arith::AddIOp::create(b, loc, row, constant(*after + 1));
      first = arith::MaxSIOp::create(b, loc, first, zero);
      first = arith::DivUIOp::create(b, loc, first, block);
      // Rows whose keys would come after all others see none of the last block.
      Value some = b.createOrFold<arith::MaxSIOp>(loc, keys, constant(1));
      Value lastBlock = b.createOrFold<arith::SubIOp>(loc, some, constant(1));
      lastBlock = b.createOrFold<arith::DivUIOp>(loc, lastBlock, block);
      first = arith::MinSIOp::create(b, loc, first, lastBlock);
    }
  }
  Value count = b.createOrFold<arith::CeilDivUIOp>(loc, end, block);
  count = arith::SubIOp::create(b, loc, count, first);
  // A tile that sees no key hides a block: there are rows to write.
  Value least = b.createOrFold<arith::MinUIOp>(loc, keys, constant(1));
  return {first, b.createOrFold<arith::MaxSIOp>(loc, count, least)};
}

/// Loads a tile of `source` whose first row is `at`.
Value AttentionGrid::emitLoad(Value source, Value at, ArrayRef<Value> indices,
                              BufferType type, uint64_t stages,
                              const TileParts &parts, bool transposed) {
  Value buffer =
      AllocOp::create(b, loc, type, stages, /*lateRelease=*/stages > 1);
  // A transposed tile has its rows along columns of the source.
  Value zero = constant(0);
  LoadOp::create(b, loc, source, transposed ? zero : at, transposed ? at : zero,
                 buffer, indices, transposed, /*blocked=*/false,
                 /*windows=*/WindowsAttr(), CacheHint::none,
                 /*to=*/AgentSetAttrInterface(), parts.load,
                 /*role=*/StringAttr(), /*signal=*/Value());
  return buffer;
}
