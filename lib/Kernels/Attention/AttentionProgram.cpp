//===- AttentionProgram.cpp - the kernel of attention -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread of control: a loop over tiles of queries, and in it one over the
// blocks of keys that they see. The softmax is that of the blocks so far. The
// second product of a block is deferred, so that it is computed beside the
// softmax of the next one.
//
//===----------------------------------------------------------------------===//

#include "AttentionProgram.h"

#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Registers of a thread that multiplies, and of one that does not.
static constexpr int64_t kOwnRegisters = 240, kOtherRegisters = 24;
static constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.6931471805599453;

namespace {

/// Emits the body of a kernel. Member functions follow the nesting.
class AttentionProgram {
public:
  AttentionProgram(OpBuilder &b, AttentionOp op, const AttentionForm &form,
                   gpu::GPUFuncOp kernel);

  void emit();

private:
  /// What the loop over keys carries: the largest score of a row in units of
  /// log2, the sum of
  /// its exponentials, and the sums of the second product.
  struct State {
    Value largest, total, sums;
  };

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  VectorType tileType(int64_t columns, Type element) {
    return VectorType::get({shape.rows, columns}, element);
  }
  Value splat(VectorType type, double value) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type,
                               b.getFloatAttr(type.getElementType(), value)));
  }
  RegisterLayoutAttrInterface getLayout() { return shape.scores.registers; }
  RegisterLayoutAttrInterface getValuesLayout(int64_t columns) {
    return RowValuesAttr::get(b.getContext(), getLayout(), columns);
  }
  Value emitBroadcast(Value values, int64_t columns);
  void emitRoles();
  void emitIndices(Value number);
  Value emitPlace(Value inGroup, Value number);
  void emitRequest(Value scheduler);
  void emitAnswer();
  Value emitNext(Value scheduler, Value work);
  SmallVector<Value> getIndices(unsigned operand);
  void emitTile(Value row);
  std::pair<Value, Value> emitBlocks(Value row);
  State emitBlock(Value row, Value block, Value queries, const State &state);
  Value emitMask(Value scores, Value row, Value first);
  Value emitMasked(Value scores, Value row, Value first);
  void emitOutput(const State &state, Value row);
  void emitLse(const State &state, Value row);
  Value emitLoad(Value source, Value at, ArrayRef<Value> indices,
                 BufferType type, uint64_t stages, const TileParts &parts,
                 bool transposed);

  OpBuilder &b;
  AttentionOp op;
  Location loc;
  const AttentionForm &form;
  const AttentionShape &shape;
  Value q, k, v, o, lse, queries, keys;
  /// Tiles of queries. The counter of work, the request of the current tile, of
  /// how many, and the answer; null where nobody counts.
  Value tiles, counter, request, count, answer;
  SmallVector<Value> batch, shares;
  /// Of the current tile.
  SmallVector<Value> indices, sharedIndices;
  Type f32;
  /// A tile of scores, of sums, and of one value for each row.
  VectorType scoresType, sumsType, valuesType;
};

} // namespace

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

/// Declares the roles: those of the unit that this kernel needs, and warps that
/// complete the last warpgroup, which moves its registers as one.
void AttentionProgram::emitRoles() {
  const TileParts &parts = shape.scores;
  int64_t warps = 0;
  for (const RoleRequest &role : parts.roles) {
    bool loads = llvm::is_contained(role.drives, Attribute(parts.load));
    if (!role.stores && !loads)
      continue;
    warps += role.warps;
    SmallVector<Attribute> drives(ArrayRef<Attribute>(role.drives));
    // It is one thread that knows first which tile is next.
    if (loads && counter)
      drives.push_back(parts.workCounter);
    RoleOp::create(b, loc, b.getStringAttr(role.name), uint64_t(role.warps),
                   /*turns=*/uint64_t(1), /*loop=*/StringAttr(),
                   uint64_t(role.stores ? kOwnRegisters : kOtherRegisters),
                   b.getArrayAttr(drives));
  }
  int64_t idle = llvm::alignTo(warps, kWarpgroupThreads / kWarpThreads) - warps;
  if (idle)
    RoleOp::create(b, loc, b.getStringAttr("idle"), uint64_t(idle),
                   /*turns=*/uint64_t(1), /*loop=*/StringAttr(),
                   uint64_t(kOtherRegisters), b.getArrayAttr({}));
}

void AttentionProgram::emit() {
  emitRoles();
  // A work item is a batch in a group; the groups and their tiles are problems.
  Value total = constant(1);
  for (Value size : batch)
    total = b.createOrFold<arith::MulIOp>(loc, total, size);
  tiles =
      b.createOrFold<arith::CeilDivUIOp>(loc, queries, constant(shape.rows));
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
  return arith::MulIOp::create(b, loc, at, constant(shape.rows));
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
    Value last =
        arith::AddIOp::create(b, loc, row, constant(*diagonal + shape.rows));
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

void AttentionProgram::emitTile(Value row) {
  auto [first, blocks] = emitBlocks(row);
  Type element = op.getTypeOf(0).getElementType();
  Value tile = emitLoad(
      q, row, indices,
      BufferType::get({shape.rows, shape.columns}, element, shape.scores.a),
      /*stages=*/1, shape.scores, /*transposed=*/false);
  double infinity = std::numeric_limits<double>::infinity();
  SmallVector<Value> inits = {splat(valuesType, -infinity),
                              splat(valuesType, 0), splat(sumsType, 0)};
  auto loop = scf::ForOp::create(
      b, loc, constant(0), blocks, constant(1), inits,
      [&](OpBuilder &, Location, Value number, ValueRange carried) {
        Value block = arith::AddIOp::create(b, loc, first, number);
        State next =
            emitBlock(row, block, tile, {carried[0], carried[1], carried[2]});
        scf::YieldOp::create(b, loc,
                             ValueRange{next.largest, next.total, next.sums});
      });
  State state{loop.getResult(0), loop.getResult(1), loop.getResult(2)};
  emitAnswer();
  emitOutput(state, row);
  if (lse)
    emitLse(state, row);
}

/// The value of each row in all of `columns` columns.
Value AttentionProgram::emitBroadcast(Value values, int64_t columns) {
  if (columns != shape.keys)
    values = ConvertLayoutOp::create(b, loc, values.getType(), values,
                                     getValuesLayout(shape.keys),
                                     getValuesLayout(columns));
  return BroadcastOp::create(b, loc, tileType(columns, f32), values,
                             getLayout());
}

/// `scores` of the keys from `first` on, -infinity where a row does not see
/// the key.
Value AttentionProgram::emitMasked(Value scores, Value row, Value first) {
  Value minus = splat(scoresType, -std::numeric_limits<double>::infinity());
  auto places = VectorType::get(scoresType.getShape(), b.getIndexType());
  auto numbers = VectorType::get(scoresType.getShape(), b.getI32Type());
  auto emitPlaces = [&](Value start, Along along) -> Value {
    Value at =
        PositionsOp::create(b, loc, places, start,
                            AlongAttr::get(b.getContext(), along), getLayout());
    return arith::IndexCastOp::create(b, loc, numbers, at);
  };
  auto require = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    Value sees = arith::CmpIOp::create(b, loc, predicate, left, right);
    scores = arith::SelectOp::create(b, loc, sees, scores, minus);
  };
  Value key = emitPlaces(first, Along::n);
  if (form.keys % shape.keys != 0 || ShapedType::isDynamic(form.keys))
    require(arith::CmpIPredicate::slt, key,
            vector::BroadcastOp::create(b, loc, numbers, keys));
  std::optional<int64_t> diagonal = form.diagonal;
  if (!diagonal)
    return scores;
  Value start = arith::AddIOp::create(b, loc, row, constant(*diagonal));
  Value last = emitPlaces(start, Along::m);
  require(arith::CmpIPredicate::sle, key, last);
  if (std::optional<int64_t> after = form.after) {
    start = arith::AddIOp::create(b, loc, row, constant(*after));
    require(arith::CmpIPredicate::sgt, key, emitPlaces(start, Along::m));
  }
  return scores;
}

/// The same, without work where all rows of the tile see all keys of the block.
Value AttentionProgram::emitMask(Value scores, Value row, Value first) {
  Value end = arith::AddIOp::create(b, loc, first, constant(shape.keys));
  Value hides;
  auto add = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    Value other = arith::CmpIOp::create(b, loc, predicate, left, right);
    hides = hides ? arith::OrIOp::create(b, loc, hides, other) : other;
  };
  if (form.keys % shape.keys != 0 || ShapedType::isDynamic(form.keys))
    add(arith::CmpIPredicate::sgt, end, keys);
  if (std::optional<int64_t> diagonal = form.diagonal) {
    // The first row sees the fewest keys.
    Value seen = arith::AddIOp::create(b, loc, row, constant(*diagonal + 1));
    add(arith::CmpIPredicate::sgt, end, seen);
    if (std::optional<int64_t> after = form.after) {
      Value before =
          arith::AddIOp::create(b, loc, row, constant(*after + shape.rows - 1));
      add(arith::CmpIPredicate::sle, first, before);
    }
  }
  if (!hides)
    return scores;
  auto branch = scf::IfOp::create(
      b, loc, hides,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc, emitMasked(scores, row, first));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, scores); });
  return branch.getResult(0);
}

/// One block of keys; `tile` has the queries.
AttentionProgram::State AttentionProgram::emitBlock(Value row, Value block,
                                                    Value tile,
                                                    const State &state) {
  Type element = op.getTypeOf(0).getElementType();
  Value first = arith::MulIOp::create(b, loc, block, constant(shape.keys));
  Value no = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 0);
  Value yes = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  auto multiply = [&](Value a, Value buffer, Value acc, Value accumulate,
                      const TileParts &parts) -> Value {
    return MmaOp::create(b, loc, TypeRange(acc), a, buffer, acc,
                         /*scale_a=*/Value(), /*scale_b=*/Value(),
                         /*metadata=*/Value(), /*extent=*/Value(), accumulate,
                         /*over=*/AgentSetAttrInterface(), parts.multiply,
                         parts.registers, /*role=*/StringAttr())
        .getResult();
  };
  Value keysTile = emitLoad(
      k, first, sharedIndices,
      BufferType::get({shape.keys, shape.columns}, element, shape.scores.b),
      uint64_t(shape.stages), shape.scores, /*transposed=*/false);
  Value scores =
      multiply(tile, keysTile, splat(scoresType, 0), no, shape.scores);
  ResumeOp::create(b, loc);
  scores = emitMask(scores, row, first);

  // In units of log2: one instruction is the exponential then.
  double scale = op.getScale().convertToFloat() * kLog2E;
  Value block0 = ReduceOp::create(
      b, loc, valuesType, vector::CombiningKind::MAXNUMF, scores, getLayout());
  // Of scores times the scale, which is above 0.
  block0 = arith::MulFOp::create(b, loc, block0, splat(valuesType, scale));
  Value largest = arith::MaxNumFOp::create(b, loc, state.largest, block0);
  // Rows that have seen no key yet subtract nothing.
  Value lowest = splat(valuesType, -std::numeric_limits<double>::infinity());
  Value none =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest, lowest);
  Value base =
      arith::SelectOp::create(b, loc, none, splat(valuesType, 0), largest);
  auto emitExp = [&](Value x) -> Value {
    return math::Exp2Op::create(b, loc, x, arith::FastMathFlags::afn);
  };
  Value minus = arith::NegFOp::create(b, loc, base);
  Value weights =
      emitExp(math::FmaOp::create(b, loc, scores, splat(scoresType, scale),
                                  emitBroadcast(minus, shape.keys)));
  // By what was subtracted: weights of all blocks have the same factor.
  Value rescale = emitExp(arith::SubFOp::create(b, loc, state.largest, base));
  Value sum = ReduceOp::create(b, loc, valuesType, vector::CombiningKind::ADD,
                               weights, getLayout());
  Value total = math::FmaOp::create(b, loc, state.total, rescale, sum);
  Value operand =
      arith::TruncFOp::create(b, loc, tileType(shape.keys, element), weights);
  DeferOp::create(b, loc);

  Value valuesTile = emitLoad(
      v, first, sharedIndices,
      BufferType::get({shape.outColumns, shape.keys}, element, shape.sums.b),
      uint64_t(shape.stages), shape.sums, /*transposed=*/true);
  Value sums = arith::MulFOp::create(b, loc, state.sums,
                                     emitBroadcast(rescale, shape.outColumns));
  sums = multiply(operand, valuesTile, sums, yes, shape.sums);
  return {largest, total, sums};
}

/// Divides by the sums of the rows, and stores.
void AttentionProgram::emitOutput(const State &state, Value row) {
  Value zeros = splat(valuesType, 0), ones = splat(valuesType, 1);
  Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                     state.total, zeros);
  Value inverse = arith::DivFOp::create(b, loc, ones, state.total);
  inverse = arith::SelectOp::create(b, loc, none, zeros, inverse);
  Value scaled = arith::MulFOp::create(
      b, loc, state.sums, emitBroadcast(inverse, shape.outColumns));
  Type element = op.getTypeOf(3).getElementType();
  scf::ForOp::create(
      b, loc, constant(0), constant(shape.outColumns),
      constant(shape.storeColumns), ValueRange(),
      [&](OpBuilder &, Location, Value column, ValueRange) {
        Value part = ExtractColumnsOp::create(
            b, loc, tileType(shape.storeColumns, f32), scaled, column);
        auto type = tileType(shape.storeColumns, element);
        if (part.getType() != type)
          part = arith::TruncFOp::create(b, loc, type, part);
        Value buffer = AllocOp::create(
            b, loc,
            BufferType::get(type.getShape(), element, shape.scores.staging),
            uint64_t(shape.storeStages));
        StageOp::create(b, loc, part, buffer, getLayout(),
                        /*role=*/StringAttr());
        UnloadOp::create(b, loc, buffer, o, row, column, indices,
                         shape.scores.store, /*role=*/StringAttr());
        scf::YieldOp::create(b, loc);
      });
}

/// Stores the logarithm of the sum of each row.
void AttentionProgram::emitLse(const State &state, Value row) {
  Value factor = splat(valuesType, kLn2);
  Value log = math::LogOp::create(b, loc, state.total);
  Value value = math::FmaOp::create(b, loc, state.largest, factor, log);
  StoreOp::create(b, loc, value, lse, row, constant(0), indices,
                  /*blocked=*/false, b.getDenseBoolArrayAttr({false, true}),
                  getValuesLayout(shape.keys), /*role=*/StringAttr());
}

void tc::tmm::emitAttentionProgram(OpBuilder &builder, AttentionOp op,
                                   const AttentionForm &form,
                                   gpu::GPUFuncOp kernel) {
  AttentionProgram(builder, op, form, kernel).emit();
}
