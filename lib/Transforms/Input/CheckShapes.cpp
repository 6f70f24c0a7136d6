//===- CheckShapes.cpp - sizes that the input takes for equal ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation whose operands disagree has no meaning, and its kernel would
// read past the end of a buffer. What is not known when compiling is a
// condition that the host checks before the launches. Products and rows check
// what they access themselves.
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace tc {
#define GEN_PASS_DEF_CHECKSHAPESPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct CheckShapesPass : tc::impl::CheckShapesPassBase<CheckShapesPass> {
  void runOnOperation() override;
};

/// Emits the conditions of one operation before it.
class ShapeChecks {
public:
  explicit ShapeChecks(Operation *op) : b(op), loc(op->getLoc()), op(op) {}

  /// What the sizes of each group of `expanded` multiply to is a size of
  /// `source`.
  void checkReshape(Value source, ArrayRef<OpFoldResult> expanded,
                    ArrayRef<ReassociationIndices> groups);
  /// The slice `op` is in `whole`.
  void checkSlice(OffsetSizeAndStrideOpInterface op, Value whole);
  /// Dimensions that one loop walks are equal, and what an index can be is less
  /// than the dimension.
  void checkLoops(linalg::LinalgOp linalg);

private:
  /// Dimension `dim` of `value`, from what is known without computing it; null
  /// where that is nothing.
  OpFoldResult getSize(Value value, int64_t dim) {
    return findSize(b, loc, value, dim);
  }
  Value multiply(Value lhs, OpFoldResult rhs);
  void require(arith::CmpIPredicate predicate, OpFoldResult lhs,
               OpFoldResult rhs, const Twine &message);
  std::string name() { return op->getName().getStringRef().str(); }

  OpBuilder b;
  Location loc;
  Operation *op;
};

} // namespace

Value ShapeChecks::multiply(Value lhs, OpFoldResult rhs) {
  return b.createOrFold<arith::MulIOp>(
      loc, lhs, getValueOrCreateConstantIndexOp(b, loc, rhs));
}

void ShapeChecks::require(arith::CmpIPredicate predicate, OpFoldResult lhs,
                          OpFoldResult rhs, const Twine &message) {
  ValueBoundsConstraintSet::ComparisonOperator comparison =
      predicate == arith::CmpIPredicate::eq ? ValueBoundsConstraintSet::EQ
                                            : ValueBoundsConstraintSet::LE;
  if (ValueBoundsConstraintSet::compare(lhs, comparison, rhs))
    return;
  Value holds = b.createOrFold<arith::CmpIOp>(
      loc, predicate, getValueOrCreateConstantIndexOp(b, loc, lhs),
      getValueOrCreateConstantIndexOp(b, loc, rhs));
  // Verifiers refuse what is static and wrong.
  if (!getConstantIntValue(holds))
    cf::AssertOp::create(b, loc, holds, message.str());
}

void ShapeChecks::checkReshape(Value source, ArrayRef<OpFoldResult> expanded,
                               ArrayRef<ReassociationIndices> groups) {
  for (auto [dim, group] : llvm::enumerate(groups)) {
    if (llvm::all_of(group, [&](int64_t part) {
          return getConstantIntValue(expanded[part]).has_value();
        }))
      continue;
    OpFoldResult size = getSize(source, dim);
    if (!size)
      continue;
    Value product = getValueOrCreateConstantIndexOp(b, loc, expanded[group[0]]);
    for (int64_t part : ArrayRef(group).drop_front())
      product = multiply(product, expanded[part]);
    require(arith::CmpIPredicate::eq, product, size,
            name() + ": dimensions " + Twine(group.front()) + " to " +
                Twine(group.back()) +
                " of its result must multiply to dimension " + Twine(dim) +
                " of its operand");
  }
}

void ShapeChecks::checkSlice(OffsetSizeAndStrideOpInterface slice,
                             Value whole) {
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  AffineExpr offset = b.getAffineSymbolExpr(0), size = b.getAffineSymbolExpr(1);
  for (unsigned dim = 0, rank = offsets.size(); dim < rank; ++dim) {
    // The end of rows that are taken in turns is no affine expression.
    if (!getConstantIntValue(strides[dim]))
      continue;
    auto of = [&](StringRef what) {
      return name() + ": dimension " + Twine(dim).str() + " of the slice " +
             what.str();
    };
    require(arith::CmpIPredicate::sle, b.getIndexAttr(0), offsets[dim],
            of("must start at 0 or later"));
    OpFoldResult extent = getSize(whole, dim);
    if (!extent)
      continue;
    int64_t stride = *getConstantIntValue(strides[dim]);
    OpFoldResult end = affine::makeComposedFoldedAffineApply(
        b, loc, offset + (size - 1) * stride + 1, {offsets[dim], sizes[dim]});
    require(arith::CmpIPredicate::sle, end, extent,
            of("must end in what it is a slice of"));
  }
}

void ShapeChecks::checkLoops(linalg::LinalgOp linalg) {
  MLIRContext *context = op->getContext();
  struct Place {
    unsigned operand, dim;
    OpFoldResult size;
  };
  // Of each loop the first dimension that it walks.
  SmallVector<std::optional<Place>> loops(linalg.getNumLoops());
  auto visit = [&](bool isSimple) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<ShapedType>(operand.get().getType()))
        continue;
      for (auto [dim, index] : llvm::enumerate(
               linalg.getMatchingIndexingMap(&operand).getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(index);
        if (bool(loop) != isSimple || isa<AffineConstantExpr>(index))
          continue;
        OpFoldResult size = getSize(operand.get(), dim);
        if (!size)
          continue;
        unsigned number = operand.getOperandNumber();
        if (loop) {
          std::optional<Place> &first = loops[loop.getPosition()];
          if (!first)
            first = Place{number, unsigned(dim), size};
          else
            require(arith::CmpIPredicate::eq, size, first->size,
                    name() + ": dimension " + Twine(dim) + " of operand " +
                        Twine(number) +
                        " must have as many elements as dimension " +
                        Twine(first->dim) + " of operand " +
                        Twine(first->operand));
          continue;
        }
        // The greatest index, of loops that are walked upwards.
        SmallVector<OpFoldResult> last;
        for (std::optional<Place> &place : loops) {
          if (!place)
            break;
          last.push_back(affine::makeComposedFoldedAffineApply(
              b, loc, getAffineSymbolExpr(0, context) - 1, place->size));
        }
        bool isUpwards = !index
                              .walk([](AffineExpr part) {
                                auto factor =
                                    dyn_cast<AffineConstantExpr>(part);
                                return factor && factor.getValue() < 0
                                           ? WalkResult::interrupt()
                                           : WalkResult::advance();
                              })
                              .wasInterrupted();
        if (last.size() != loops.size() || !isUpwards)
          continue;
        OpFoldResult needed = affine::makeComposedFoldedAffineApply(
            b, loc, AffineMap::get(loops.size(), 0, index + 1), last);
        require(arith::CmpIPredicate::sle, needed, size,
                name() + ": dimension " + Twine(dim) + " of operand " +
                    Twine(number) + " must be at least what its windows cover");
      }
    }
  };
  visit(/*isSimple=*/true);
  visit(/*isSimple=*/false);
}

void CheckShapesPass::runOnOperation() {
  SmallVector<Operation *> checked;
  getOperation()->walk([&](Operation *op) {
    // What is in a kernel was checked before.
    if (isa<linalg::LinalgOp, tensor::ExpandShapeOp, memref::ExpandShapeOp,
            tensor::ExtractSliceOp, tensor::InsertSliceOp, memref::SubViewOp>(
            op) &&
        op->getParentOfType<func::FuncOp>())
      checked.push_back(op);
  });
  for (Operation *op : checked) {
    ShapeChecks checks(op);
    if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
      checks.checkLoops(linalg);
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      checks.checkSlice(slice, slice.getSource());
    else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      checks.checkSlice(slice, slice.getDest());
    else if (auto view = dyn_cast<memref::SubViewOp>(op))
      checks.checkSlice(view, view.getSource());
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      OpBuilder b(op);
      checks.checkReshape(expand.getSrc(),
                          getMixedValues(expand.getStaticOutputShape(),
                                         expand.getOutputShape(), b),
                          expand.getReassociationIndices());
    } else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      OpBuilder b(op);
      checks.checkReshape(expand.getSrc(), expand.getMixedOutputShape(),
                          expand.getReassociationIndices());
    }
  }
}
