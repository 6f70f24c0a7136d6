//===- AttentionProgram.cpp - the kernel of attention -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread of control: a loop over tiles of queries, and in it one over the
// blocks of keys that they see. The softmax is that of the blocks so far. A
// tile has a part for each role that has rows of it.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

static constexpr double kLn2 = 0.6931471805599453;

AttentionProgram::AttentionProgram(OpBuilder &b, AttentionOp op,
                                   const AttentionForm &form,
                                   gpu::GPUFuncOp kernel)
    : b(b), op(op), loc(op.getLoc()), form(form), shape(form.shape),
      f32(b.getF32Type()) {
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
  q = take("q");
  k = take("k");
  v = take("v");
  o = take("o");
  if (op.getLse())
    lse = take("lse");
  queries = size(form.queries);
  keys = size(form.keys);
  for (int64_t known : form.batch)
    batch.push_back(size(known));
  for (int64_t known : form.shares)
    shares.push_back(size(known));
  if (shape.counts)
    counter = take("counter");
  scoresType = tileType(shape.keys, f32);
  sumsType = tileType(shape.outColumns, f32);
  valuesType = tileType(1, f32);
}

/// Declares the roles: those of the unit that this kernel needs, one that
/// stores for each part, and warps that complete the last warpgroup, which
/// moves its registers as one.
void AttentionProgram::emitRoles() {
  const TileParts &parts = shape.scores;
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
    if (role.stores && shape.parts > 1)
      for (int64_t part = 0; part < shape.parts; ++part)
        add(role.name + Twine(part), role.warps, shape.ownRegisters,
            role.drives);
    else if (role.stores)
      add(role.name, role.warps, shape.ownRegisters, role.drives);
    if (role.stores || (!loads && !multiplies))
      continue;
    SmallVector<Attribute> drives(ArrayRef<Attribute>(role.drives));
    // It is one thread that knows first which tile is next.
    if (loads && counter)
      drives.push_back(parts.workCounter);
    add(role.name, role.warps, shape.otherRegisters, drives);
  }
  if (int64_t idle =
          llvm::alignTo(warps, kWarpgroupThreads / kWarpThreads) - warps)
    add("idle", idle, shape.otherRegisters, {});
}

void AttentionProgram::emit() {
  emitRoles();
  // A work item is a batch in a group; the groups and their tiles are problems.
  Value total = constant(1);
  for (Value size : batch)
    total = b.createOrFold<arith::MulIOp>(loc, total, size);
  tiles = b.createOrFold<arith::CeilDivUIOp>(loc, queries,
                                             constant(shape.getRows()));
  Value problems =
      b.createOrFold<arith::DivUIOp>(loc, total, constant(shape.group));
  problems = b.createOrFold<arith::MulIOp>(loc, problems, tiles);
  SmallVector<int64_t> tile = {1, shape.outColumns, shape.keys};
  auto rule = StaticSchedulerAttr::get(b.getContext(), /*raster=*/0);
  Value scheduler = SchedulerOp::create(b, loc, rule, constant(shape.group),
                                        constant(shape.outColumns), keys,
                                        problems, tile, /*ctas=*/1);
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
Value AttentionProgram::emitPlace(Value inGroup, Value number) {
  Value at = arith::RemUIOp::create(b, loc, number, tiles);
  Value group = arith::DivUIOp::create(b, loc, number, tiles);
  if (form.diagonal) {
    // The tiles with the most keys first: others fill what they leave.
    Value last = arith::SubIOp::create(b, loc, tiles, constant(1));
    at = arith::SubIOp::create(b, loc, last, at);
  }
  if (!batch.empty()) {
    Value first = arith::MulIOp::create(b, loc, group, constant(shape.group));
    emitIndices(arith::AddIOp::create(b, loc, first, inGroup));
  }
  return arith::MulIOp::create(b, loc, at, constant(shape.getRows()));
}

/// Asks for the next tile, where CTAs count them.
void AttentionProgram::emitRequest(Value scheduler) {
  if (!counter)
    return;
  count = WorkCountOp::create(b, loc, b.getI32Type(), scheduler);
  request = CountRequestOp::create(b, loc, b.getI32Type(), counter, count,
                                   /*over=*/AgentSetAttrInterface(),
                                   shape.scores.workCounter,
                                   /*role=*/StringAttr());
}

/// Hands the answer to all roles when the loads of the tile are on their way.
void AttentionProgram::emitAnswer() {
  if (!counter)
    return;
  answer = AllocOp::create(
      b, loc, BufferType::get({1, 1}, b.getI32Type(), shape.scores.answer),
      /*stages=*/uint64_t(2));
  AnswerRequestOp::create(b, loc, request, count, answer,
                          /*over=*/AgentSetAttrInterface(),
                          shape.scores.workCounter, /*role=*/StringAttr(),
                          /*signal=*/Value());
}

Value AttentionProgram::emitNext(Value scheduler, Value work) {
  if (!counter)
    return NextWorkOp::create(b, loc, scheduler, work);
  Value number = QueryWorkOp::create(b, loc, answer, shape.scores.workCounter,
                                     /*role=*/StringAttr());
  return WorkAtOp::create(b, loc, scheduler, number);
}

/// The indices of batch `number`, the last dimension fastest.
void AttentionProgram::emitIndices(Value number) {
  indices.assign(batch.size(), Value());
  for (unsigned dim = batch.size() - 1; dim > 0; --dim) {
    indices[dim] = b.createOrFold<arith::RemUIOp>(loc, number, batch[dim]);
    number = b.createOrFold<arith::DivUIOp>(loc, number, batch[dim]);
  }
  indices[0] = number;
  sharedIndices.clear();
  for (auto [index, share] : llvm::zip_equal(indices, shares))
    sharedIndices.push_back(b.createOrFold<arith::DivUIOp>(loc, index, share));
}

/// The first block of keys that a tile from `row` on sees, and how many.
std::pair<Value, Value> AttentionProgram::emitBlocks(Value row) {
  Value zero = constant(0), block = constant(shape.keys);
  Value end = keys, first = zero;
  if (std::optional<int64_t> diagonal = form.diagonal) {
    // The last row sees the most keys, the first one those before others.
    Value last = arith::AddIOp::create(b, loc, row,
                                       constant(*diagonal + shape.getRows()));
    end = arith::MaxSIOp::create(
        b, loc, arith::MinSIOp::create(b, loc, keys, last), zero);
    if (std::optional<int64_t> after = form.after) {
      first = arith::AddIOp::create(b, loc, row, constant(*after + 1));
      first = arith::MaxSIOp::create(b, loc, first, zero);
      first = arith::DivUIOp::create(b, loc, first, block);
    }
  }
  Value count = b.createOrFold<arith::CeilDivUIOp>(loc, end, block);
  count = arith::SubIOp::create(b, loc, count, first);
  // A tile that sees no key hides a block: there are rows to write.
  Value least = b.createOrFold<arith::MinUIOp>(loc, keys, constant(1));
  return {first, b.createOrFold<arith::MaxSIOp>(loc, count, least)};
}

/// Loads a tile of `source` whose first row is `at`.
Value AttentionProgram::emitLoad(Value source, Value at,
                                 ArrayRef<Value> indices, BufferType type,
                                 uint64_t stages, const TileParts &parts,
                                 bool transposed) {
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

/// The parts of the tile whose first row is `row`, with their queries.
SmallVector<AttentionProgram::Part> AttentionProgram::emitParts(Value row) {
  Type element = op.getTypeOf(0).getElementType();
  SmallVector<Part> parts(shape.parts);
  StringRef role;
  for (const RoleRequest &request : shape.scores.roles)
    if (request.stores)
      role = request.name;
  for (auto [number, part] : llvm::enumerate(parts)) {
    part.row = row;
    if (number != 0)
      part.row =
          arith::AddIOp::create(b, loc, row, constant(number * shape.rows));
    if (parts.size() > 1)
      part.role = b.getStringAttr(role + Twine(number));
    part.tile = emitLoad(
        q, part.row, indices,
        BufferType::get({shape.rows, shape.columns}, element, shape.scores.a),
        /*stages=*/1, shape.scores, /*transposed=*/false);
    if (isInMemory())
      part.sums = AllocOp::create(
          b, loc,
          BufferType::get(sumsType.getShape(), f32, shape.sums.accumulator));
  }
  return parts;
}

void AttentionProgram::emitTile(Value row) {
  Value first, blocks;
  std::tie(first, blocks) = emitBlocks(row);
  SmallVector<Part> parts = emitParts(row);
  double infinity = std::numeric_limits<double>::infinity();
  SmallVector<Value> inits;
  for (size_t part = 0; part < parts.size(); ++part) {
    inits.append({splat(valuesType, -infinity), splat(valuesType, 0)});
    if (!isInMemory())
      inits.push_back(splat(sumsType, 0));
  }
  auto unpack = [&](ValueRange values) {
    SmallVector<State> states(parts.size());
    for (State &state : states) {
      state.largest = values[0];
      state.total = values[1];
      if (!isInMemory())
        state.sums = values[2];
      values = values.drop_front(isInMemory() ? 2 : 3);
    }
    return states;
  };
  auto loop = scf::ForOp::create(
      b, loc, constant(0), blocks, constant(1), inits,
      [&](OpBuilder &, Location, Value number, ValueRange carried) {
        Value block = arith::AddIOp::create(b, loc, first, number);
        Value more;
        if (isInMemory())
          more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, number,
                                       constant(0));
        SmallVector<Value> results;
        for (const State &next :
             emitBlock(parts, block, more, unpack(carried))) {
          results.append({next.largest, next.total});
          if (!isInMemory())
            results.push_back(next.sums);
        }
        scf::YieldOp::create(b, loc, results);
      });
  emitAnswer();
  Value written;
  if (isInMemory())
    written = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, blocks,
                                    constant(0));
  for (auto [part, state] : llvm::zip_equal(parts, unpack(loop.getResults()))) {
    emitOutput(part, state, written);
    if (lse)
      emitLse(part, state);
  }
}

/// Divides by the sums of the rows, and stores. Sums in memory are `written`,
/// or 0.
void AttentionProgram::emitOutput(const Part &part, const State &state,
                                  Value written) {
  Value zeros = splat(valuesType, 0), ones = splat(valuesType, 1);
  Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                     state.total, zeros);
  Value inverse = arith::DivFOp::create(b, loc, ones, state.total);
  inverse = arith::SelectOp::create(b, loc, none, zeros, inverse);
  Value scaled;
  if (!isInMemory())
    scaled = arith::MulFOp::create(b, loc, state.sums,
                                   emitBroadcast(inverse, shape.outColumns));
  Type element = op.getTypeOf(3).getElementType();
  auto columns = tileType(shape.storeColumns, f32);
  scf::ForOp::create(
      b, loc, constant(0), constant(shape.outColumns),
      constant(shape.storeColumns), ValueRange(),
      [&](OpBuilder &, Location, Value column, ValueRange) {
        Value tile;
        if (isInMemory()) {
          tile = ReadOp::create(b, loc, columns, part.sums, column, written,
                                getLayout(), part.role);
          tile = arith::MulFOp::create(
              b, loc, tile, emitBroadcast(inverse, shape.storeColumns));
        } else {
          tile = ExtractColumnsOp::create(b, loc, columns, scaled, column);
        }
        auto type = tileType(shape.storeColumns, element);
        if (tile.getType() != type)
          tile = arith::TruncFOp::create(b, loc, type, tile);
        Value buffer = AllocOp::create(
            b, loc,
            BufferType::get(type.getShape(), element, shape.scores.staging),
            uint64_t(shape.storeStages));
        StageOp::create(b, loc, tile, buffer, getLayout(), part.role);
        UnloadOp::create(b, loc, buffer, o, part.row, column, indices,
                         shape.scores.store, part.role);
        scf::YieldOp::create(b, loc);
      });
}

/// Stores the logarithm of the sum of each row.
void AttentionProgram::emitLse(const Part &part, const State &state) {
  Value factor = splat(valuesType, kLn2);
  Value log = math::LogOp::create(b, loc, state.total);
  Value value = math::FmaOp::create(b, loc, state.largest, factor, log);
  StoreOp::create(b, loc, value, lse, part.row, constant(0), indices,
                  /*blocked=*/false, b.getDenseBoolArrayAttr({false, true}),
                  getValuesLayout(shape.keys), part.role);
}

void tc::tmm::emitAttentionProgram(OpBuilder &builder, AttentionOp op,
                                   const AttentionForm &form,
                                   gpu::GPUFuncOp kernel) {
  AttentionProgram(builder, op, form, kernel).emit();
}
