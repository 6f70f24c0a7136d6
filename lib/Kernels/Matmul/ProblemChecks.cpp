//===- ProblemChecks.cpp - what must hold of a problem ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of a problem that is about to become a kernel: here what can be known
// of the buffers of its operands, on the host what is known only at run time.
//
//===----------------------------------------------------------------------===//

#include "ProblemChecks.h"

#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/MmaShapes.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

/// Whether two parts of one memref have elements in common, if that is known.
static bool overlap(memref::SubViewOp a, memref::SubViewOp b) {
  auto isUnit = [](OpFoldResult stride) {
    return isConstantIntValue(stride, 1);
  };
  // Of rows that are taken in turns the hulls overlap, not the elements.
  if (!llvm::all_of(a.getMixedStrides(), isUnit) ||
      !llvm::all_of(b.getMixedStrides(), isUnit))
    return false;
  FailureOr<bool> known = ValueBoundsConstraintSet::areOverlappingSlices(
      a.getContext(), HyperrectangularSlice(a), HyperrectangularSlice(b));
  return succeeded(known) && *known;
}

/// Whether `a` and `b` are known to have elements in common. Parts of parts are
/// compared as long as nothing but casts is between them and a common memref.
static bool overlap(Value a, Value b) {
  a = getWhole(a);
  b = getWhole(b);
  if (a == b)
    return true;
  auto partA = a.getDefiningOp<memref::SubViewOp>();
  auto partB = b.getDefiningOp<memref::SubViewOp>();
  // A part of the other one, however it was taken.
  for (auto [part, whole] : {std::pair(partA, b), std::pair(partB, a)})
    while (part) {
      Value source = getWhole(part.getSource());
      if (source == whole)
        return true;
      part = source.getDefiningOp<memref::SubViewOp>();
    }
  return partA && partB &&
         getWhole(partA.getSource()) == getWhole(partB.getSource()) &&
         partA.getSourceType().getRank() == partB.getSourceType().getRank() &&
         overlap(partA, partB);
}

LogicalResult tc::tmm::checkOverlap(MatmulOp op) {
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    if (operand == op.getD() || !isa<BaseMemRefType>(operand.getType()) ||
        !overlap(op.getD(), operand))
      continue;
    InFlightDiagnostic diag =
        op.emitOpError() << "operand D: expected memory of its own, got a "
                            "part of the buffer of operand "
                         << op.getOperandName(number)
                         << " that overlaps it: tiles of D would overwrite it "
                            "while it is read";
    diag.attachNote(operand.getLoc())
        << "operand " << op.getOperandName(number) << " is taken here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {

/// A dimension of an operand, as messages call it.
struct OperandDim {
  std::string name;
  Value operand;
  unsigned dim;

  int64_t getStatic() const {
    return cast<ShapedType>(operand.getType()).getDimSize(dim);
  }
};

/// An operand in blocks: what messages call it and what it holds, and the sizes
/// along which its blocks are, 0: M, 1: N, 2: K, with the elements of a block.
struct BlockedOperand {
  std::string name, things;
  Value value;
  /// Dimensions after those of its batch.
  unsigned rank;
  std::array<std::pair<unsigned, int64_t>, 2> blocks;
};

/// Emits the checks of one problem.
class SizeChecks {
public:
  SizeChecks(OpBuilder &builder, MatmulOp op)
      : b(builder), loc(op.getLoc()), op(op) {}

  void emit();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value extent(const OperandDim &place) {
    return b.createOrFold<memref::DimOp>(loc, place.operand, place.dim);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }
  void require(Value condition, const Twine &message) {
    if (!isConstantIntValue(condition, 1))
      cf::AssertOp::create(b, loc, condition, message.str());
  }
  /// The dimensions of the operands along `loop`: the batch dimensions of D,
  /// then M, N and K. The first one is that of D, or of A along K.
  SmallVector<OperandDim> getDimsAlong(unsigned loop);
  void emitRows();
  SmallVector<BlockedOperand, 3> getBlockedOperands();
  void emitStep();
  void emitBlocks();
  void emitScalesOfD();

  OpBuilder &b;
  Location loc;
  MatmulOp op;
};

} // namespace

SmallVector<OperandDim> SizeChecks::getDimsAlong(unsigned loop) {
  unsigned batchRank = op.getBatchRank();
  SmallVector<OperandDim> dims;
  // A sparse A has half of K.
  if (loop == batchRank + 2 && op.isSparse())
    return {{"B", op.getB(), op.getKDimOfB()}};
  if (loop == batchRank + 2)
    return {{"A", op.getA(), op.getKDimOfA()},
            {"B", op.getB(), op.getKDimOfB()}};
  if (op.getRows() && loop == 0)
    dims.push_back({op.getOperandName(op->getNumOperands() - 1), op.getRows(),
                    /*dim=*/0});
  // Groups are rows of the same D.
  if (loop >= batchRank || !op.isStacked())
    dims.push_back({"D", op.getD(), loop - unsigned(op.isStacked())});
  if (loop == batchRank)
    dims.push_back({"A", op.getA(), op.getMDimOfA()});
  if (loop == batchRank + 1)
    dims.push_back({"B", op.getB(), op.getNDimOfB()});
  auto addBatch = [&](StringRef name, Value operand, unsigned matrixRank) {
    if (loop < batchRank)
      if (std::optional<unsigned> own = op.getBatchDimOf(
              cast<ShapedType>(operand.getType()), matrixRank, loop))
        dims.push_back({name.str(), operand, *own});
  };
  addBatch("A", op.getA(), 2);
  addBatch("B", op.getB(), 2);
  for (const BlockedOperand &operand : getBlockedOperands())
    addBatch(operand.name, operand.value, operand.rank);
  for (auto [index, extra] : llvm::enumerate(op.getExtras())) {
    auto type = dyn_cast<ShapedType>(extra.getType());
    if (!type || extra == op.getD())
      continue;
    std::string name = op.getOperandName(op.getFirstExtra() + index);
    unsigned matrixRank = op.getMatrixRankOf(index);
    addBatch(name, extra, matrixRank);
    std::optional<Along> along = op.getAlongOf(index);
    if (loop >= batchRank && !along)
      dims.push_back(
          {name, extra, unsigned(type.getRank()) - 2 + (loop - batchRank)});
    else if (along && loop - batchRank == static_cast<unsigned>(*along))
      dims.push_back({name, extra, unsigned(type.getRank()) - 1});
  }
  return dims;
}

/// What overlaps in D would be written twice: rows, and of each two leading
/// dimensions the one that steps over less. The verifier checks what is static.
void SizeChecks::emitRows() {
  auto type = cast<MemRefType>(op.getD().getType());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  bool isStatic =
      type.hasStaticShape() && llvm::none_of(strides, ShapedType::isDynamic);
  if (type.getLayout().isIdentity() || isStatic)
    return;
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, op.getD());
  unsigned colDim = type.getRank() - 1;
  Value columns = extent({"D", op.getD(), colDim});
  auto size = [&](unsigned dim) { return extent({"D", op.getD(), dim}); };
  auto stride = [&](unsigned dim) -> Value {
    return ShapedType::isStatic(strides[dim]) ? constant(strides[dim])
                                              : metadata.getStrides()[dim];
  };
  auto either = [&](Value lhs, Value rhs) {
    return b.createOrFold<arith::OrIOp>(loc, lhs, rhs);
  };
  auto isOne = [&](unsigned dim) {
    return compare(arith::CmpIPredicate::ule, size(dim), constant(1));
  };
  // Whether `dim` steps over all rows along `other`.
  auto stepsOver = [&](unsigned dim, unsigned other) {
    Value last = b.createOrFold<arith::SubIOp>(loc, size(other), constant(1));
    Value reach = b.createOrFold<arith::MulIOp>(loc, last, stride(other));
    reach = b.createOrFold<arith::AddIOp>(loc, reach, columns);
    return compare(arith::CmpIPredicate::sge, stride(dim), reach);
  };
  for (unsigned dim = 0; dim < colDim; ++dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    Value apart = compare(arith::CmpIPredicate::sge, stride(dim), columns);
    require(either(apart, isOne(dim)),
            "operand D: the stride of dimension " + Twine(dim) +
                " must be at least the number of columns, so that rows do not "
                "overlap");
    for (unsigned other = dim + 1; other < colDim; ++other) {
      if (type.getDimSize(other) == 1)
        continue;
      Value nested = either(stepsOver(dim, other), stepsOver(other, dim));
      require(either(nested, either(isOne(dim), isOne(other))),
              "operand D: dimension " + Twine(dim) +
                  " must step over all of "
                  "dimension " +
                  Twine(other) +
                  ", or the other way round, so that matrices do not overlap");
    }
  }
}

/// The scale factors of A and B, and the metadata of A.
SmallVector<BlockedOperand, 3> SizeChecks::getBlockedOperands() {
  SmallVector<BlockedOperand, 3> operands;
  if (op.isScaled()) {
    // Of f32 factors there is one for each block, of others a block of them.
    bool isPromoted = op.getPromotedK() != 0;
    std::string things =
        isPromoted ? "scale factors" : "blocks of scale factors";
    int64_t k = (isPromoted ? 1 : kScaleBlocks) * op.getBlockOfScales();
    int64_t rows = isPromoted ? 1 : kScaleRows;
    int64_t columns = isPromoted ? op.getColumnsOfScales() : kScaleRows;
    unsigned rank = op.getScalesRank();
    operands.push_back(
        {"SFA", things, op.getScaleA(), rank, {{{0, rows}, {2, k}}}});
    operands.push_back(
        {"SFB", things, op.getScaleB(), rank, {{{1, columns}, {2, k}}}});
  }
  if (op.isSparse())
    operands.push_back(
        {"metadata",
         "blocks of metadata",
         op.getMetadata(),
         getBlockedRank(getElementTypeOrSelf(op.getMetadata())),
         {{{0, kMetadataTileShape[0]}, {2, getMetadataTileK(op.getKind())}}}});
  return operands;
}

/// K ends where a byte does, and of a sparse A, which has half of it, where a
/// code does.
void SizeChecks::emitStep() {
  unsigned k = op.getBatchRank() + 2;
  auto requireMultiple = [&](int64_t step, const Twine &reason) {
    Value rest = b.createOrFold<arith::RemUIOp>(
        loc, extent(getDimsAlong(k).front()), constant(step));
    require(compare(arith::CmpIPredicate::eq, rest, constant(0)),
            "K must be a multiple of " + Twine(step) + ", " + reason);
  };
  bool isDynamic = ShapedType::isDynamic(op.getStaticK());
  int64_t packed = getMmaPackedElements(op.getKind());
  if (isDynamic && packed != 1)
    requireMultiple(packed, "the elements that share a byte");
  if (!op.isSparse())
    return;
  if (isDynamic)
    requireMultiple(getMmaSparseChunk(op.getKind()),
                    "the elements that share a code of metadata");
  OperandDim ofA{"A", op.getA(), op.getKDimOfA()};
  OperandDim ofB{"B", op.getB(), op.getKDimOfB()};
  if (ShapedType::isStatic(ofA.getStatic()) &&
      ShapedType::isStatic(ofB.getStatic()))
    return;
  Value twice = b.createOrFold<arith::MulIOp>(loc, extent(ofA), constant(2));
  require(compare(arith::CmpIPredicate::eq, extent(ofB), twice),
          llvm::formatv("operand B: dimension {0} must have twice as many "
                        "elements as dimension {1} of operand A, which is "
                        "sparse",
                        ofB.dim, ofA.dim)
              .str());
}

/// There are as many blocks of scale factors and of metadata as the sizes ask
/// for.
void SizeChecks::emitBlocks() {
  for (const BlockedOperand &operand : getBlockedOperands()) {
    unsigned first =
        cast<ShapedType>(operand.value.getType()).getRank() - operand.rank;
    for (auto [dim, entry] : llvm::enumerate(operand.blocks)) {
      auto [size, block] = entry;
      OperandDim place{operand.name, operand.value, first + unsigned(dim)};
      SmallVector<OperandDim> along = getDimsAlong(op.getBatchRank() + size);
      // Two static sizes are compared by the verifier.
      bool isStatic = llvm::any_of(along, [](const OperandDim &other) {
        return ShapedType::isStatic(other.getStatic());
      });
      isStatic |= size == 2 && ShapedType::isStatic(op.getStaticK());
      if (ShapedType::isStatic(place.getStatic()) && isStatic)
        continue;
      Value blocks = b.createOrFold<arith::CeilDivUIOp>(
          loc, extent(along.front()), constant(block));
      require(compare(arith::CmpIPredicate::eq, extent(place), blocks),
              llvm::formatv(
                  "operand {0}: dimension {1} must be ceildiv({2}, {3}) {4}",
                  place.name, place.dim, "MNK"[size], block, operand.things)
                  .str());
    }
  }
}

/// N ends where blocks do, and there are as many blocks of factors of D as its
/// sizes ask for.
void SizeChecks::emitScalesOfD() {
  auto type = cast<ShapedType>(op.getScaleD().getType());
  unsigned m = op.getBatchRank(), n = m + 1;
  int64_t step = getQuantizedColumnStep(getElementTypeOrSelf(op.getD()),
                                        type.getElementType());
  if (ShapedType::isDynamic(op.getStaticN())) {
    Value rest = b.createOrFold<arith::RemUIOp>(
        loc, extent({"D", op.getD(), n}), constant(step));
    require(compare(arith::CmpIPredicate::eq, rest, constant(0)),
            "N must be a multiple of " + Twine(step) +
                ", the K of the next matmul, as D has scale factors");
  }
  int64_t blocks[] = {kScaleRows, kScaleBlocks * op.getScaleBlockOfD()};
  int64_t sizes[] = {op.getStaticM(), op.getStaticN()};
  for (unsigned dim = 0; dim <= n; ++dim) {
    bool isBatch = dim < m;
    int64_t size = isBatch
                       ? cast<ShapedType>(op.getD().getType()).getDimSize(dim)
                       : sizes[dim - m];
    if (ShapedType::isStatic(type.getDimSize(dim)) &&
        ShapedType::isStatic(size))
      continue;
    Value expected = extent({"D", op.getD(), dim});
    if (!isBatch)
      expected = b.createOrFold<arith::CeilDivUIOp>(loc, expected,
                                                    constant(blocks[dim - m]));
    require(compare(arith::CmpIPredicate::eq,
                    extent({"SFD", op.getScaleD(), dim}), expected),
            llvm::formatv("operand SFD: dimension {0} must be {1}", dim,
                          isBatch
                              ? "that of D"
                              : llvm::formatv("ceildiv({0}, {1}) blocks of "
                                              "scale factors",
                                              "MN"[dim - m], blocks[dim - m])
                                    .str())
                .str());
  }
}

void SizeChecks::emit() {
  unsigned batchRank = op.getBatchRank();
  for (unsigned loop = 0; loop < batchRank + 3; ++loop) {
    SmallVector<OperandDim> dims = getDimsAlong(loop);
    const OperandDim &first = dims.front();
    for (const OperandDim &other : ArrayRef(dims).drop_front()) {
      if (ShapedType::isStatic(first.getStatic()) &&
          ShapedType::isStatic(other.getStatic()))
        continue;
      require(compare(arith::CmpIPredicate::eq, extent(other), extent(first)),
              llvm::formatv("operand {0}: dimension {1} must have as many "
                            "elements as dimension {2} of operand {3}",
                            other.name, other.dim, first.dim, first.name)
                  .str());
    }
    // Problems of a batch are no coordinates: their tiles are counted.
    bool isStatic = llvm::any_of(dims, [](const OperandDim &dim) {
      return ShapedType::isStatic(dim.getStatic());
    });
    if (loop >= batchRank && !isStatic)
      require(compare(arith::CmpIPredicate::ule, extent(first),
                      constant(tc::schedule::kMaxSize)),
              llvm::formatv("{0} must be at most {1}, as coordinates have 32 "
                            "bits",
                            "MNK"[loop - batchRank], tc::schedule::kMaxSize)
                  .str());
  }
  emitRows();
  emitStep();
  emitBlocks();
  if (op.getScaleD())
    emitScalesOfD();
}

void tc::tmm::emitSizeChecks(OpBuilder &builder, MatmulOp op) {
  SizeChecks(builder, op).emit();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void tc::tmm::emitStatement(OpBuilder &b, MatmulOp op) {
  auto statement = ProblemOp::create(
      b, op.getLoc(), op.getA(), op.getB(), op.getD(), op.getScaleD(),
      op.getAmax(), op.getExtras(), op.getScaleA(), op.getScaleB(),
      op.getMetadata(), op.getEnds(), op.getCounts(), op.getAccumulateAttr(),
      op.getTransposeAAttr(), op.getTransposeBAttr(), op.getAllowTf32Attr(),
      op.getF16SumAttr(), op.getScaleBlockAttr(), op.getScaleColumnsAttr(),
      op.getAlongAttr(), op.getEpilogues().size());
  for (auto [from, to] :
       llvm::zip_equal(op.getEpilogues(), statement.getEpilogues()))
    to.takeBody(from);
}
