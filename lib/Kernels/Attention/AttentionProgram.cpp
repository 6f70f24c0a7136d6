//===- AttentionProgram.cpp - the kernel of attention -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of queries: a loop over the blocks of keys that they see. The softmax
// is that of the blocks so far. A tile has a part for each role that has rows
// of it.
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

static SmallVector<StringRef> getNames(AttentionOp op) {
  SmallVector<StringRef> names = {"q", "k", "v", "o"};
  if (op.getLse())
    names.push_back("lse");
  if (op.getBias())
    names.push_back("bias");
  return names;
}

AttentionProgram::AttentionProgram(OpBuilder &b, AttentionOp op,
                                   const AttentionForm &form,
                                   gpu::GPUFuncOp kernel)
    : AttentionGrid(b, op.getLoc(), form.shape, form, kernel, getNames(op)),
      op(op), shape(form.shape), q(matrices[0]), k(matrices[1]), v(matrices[2]),
      o(matrices[3]) {
  if (op.getLse())
    lse = matrices[4];
  if (op.getBias())
    bias = matrices.back();
  scoresType = tileType(shape.keys, f32);
  sumsType = tileType(shape.outColumns, f32);
  valuesType = tileType(1, f32);
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
  std::tie(first, blocks) = emitKeyBlocks(row, shape.keys);
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
  Value inverse = arith::DivFOp::create(b, loc, ones, state.total);
  // Else infinity, times sums of zeros.
  if (!op.getNanIfHidden()) {
    Value none = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                       state.total, zeros);
    inverse = arith::SelectOp::create(b, loc, none, zeros, inverse);
  }
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
  Value factor = splat(valuesType, 1 / getUnit());
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
