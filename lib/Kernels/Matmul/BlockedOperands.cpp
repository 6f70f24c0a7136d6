//===- BlockedOperands.cpp - factors and metadata of a kernel ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "BlockedOperands.h"

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/MmaShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

Value BlockedOperands::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

SmallVector<BlockedPart> BlockedOperands::getParts(Value row, Value col,
                                                   Value m) {
  SmallVector<BlockedPart> result;
  MmaKindFacts kind = problem.op.getKind();
  const TileParts &parts = problem.parts;
  if (!problem.op.getScales().empty() && !problem.op.getPromotedK()) {
    int64_t columns = problem.tileK / problem.op.getBlockOfScales();
    result.push_back({operands[0], row, problem.rows(), columns, parts.scales,
                      parts.scaleColumnsA});
    result.push_back({operands[1], col, problem.tileN, columns, parts.scales,
                      parts.scaleColumnsB});
  }
  if (problem.op.isSparse()) {
    // A CTA without rows takes part, too, and undefined metadata is not read
    // even where A is zero: it gets that of the last rows.
    int64_t lanes = kMetadataTileShape[0], staticM = problem.op.getStaticM();
    bool isInside =
        !ShapedType::isDynamic(staticM) && staticM % problem.clusterRows() == 0;
    if (problem.clusterRows() > lanes && !isInside) {
      Value last = arith::SubIOp::create(b, loc, m, constant(1));
      last = arith::DivUIOp::create(b, loc, last, constant(lanes));
      last = arith::MulIOp::create(b, loc, last, constant(lanes));
      row = arith::MinUIOp::create(b, loc, row, last);
    }
    int64_t columns = problem.tileK / getMetadataTileK(kind) * kMetadataColumns;
    result.push_back({operands.back(), row, lanes, columns, parts.metadata,
                      parts.metadataColumns});
  }
  return result;
}

SmallVector<Value, 3> BlockedOperands::emitLoads(ArrayRef<BlockedPart> parts,
                                                 Value block, uint64_t stages) {
  SmallVector<Value, 3> loaded;
  Value column;
  int64_t columns = 0;
  for (const BlockedPart &part : parts) {
    if (part.columns != columns)
      column = arith::MulIOp::create(b, loc, block, constant(part.columns));
    columns = part.columns;
    Type element = cast<ShapedType>(part.source.getType()).getElementType();
    Value buffer = AllocOp::create(
        b, loc,
        BufferType::get({part.rows, part.columns}, element, part.arrives),
        stages);
    LoadOp::create(b, loc, part.source, part.first, column, buffer,
                   batchIndicesOf(part.source, getBlockedRank(element)),
                   /*transposed=*/false, /*blocked=*/true,
                   /*windows=*/WindowsAttr(), CacheHint::none,
                   /*to=*/AgentSetAttrInterface(), problem.parts.load,
                   /*role=*/StringAttr(),
                   /*signal=*/Value());
    loaded.push_back(buffer);
  }
  return loaded;
}

SmallVector<Value, 3> BlockedOperands::emitCopies(ArrayRef<BlockedPart> parts,
                                                  ArrayRef<Value> loaded) {
  if (!problem.parts.copy)
    return SmallVector<Value, 3>(loaded);
  SmallVector<Value, 3> copied;
  auto stages = uint64_t(problem.config.getScaleStages().value_or(1));
  for (auto [part, buffer] : llvm::zip_equal(parts, loaded)) {
    auto type = cast<BufferType>(buffer.getType());
    copied.push_back(AllocOp::create(
        b, loc,
        BufferType::get(type.getShape(), type.getElementType(), part.isRead),
        stages));
  }
  for (auto [from, to] : llvm::zip_equal(loaded, copied))
    CopyOp::create(b, loc, from, to, problem.getCtas(/*along=*/0),
                   problem.parts.copy, /*role=*/StringAttr());
  return copied;
}
