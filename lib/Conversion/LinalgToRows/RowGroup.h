//===- RowGroup.h - operations on the same rows -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What becomes one kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOROWS_ROWGROUP_H
#define TC_LIB_CONVERSION_LINALGTOROWS_ROWGROUP_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

#include <optional>

namespace tc {

/// The dimensions of a group that those of a tensor are; nothing where the
/// tensor has one element.
using TensorDims = llvm::SmallVector<std::optional<unsigned>>;

struct ExtractPlace;
class RowsBody;

/// Linalg operations on tensors that share rows and columns: its dimensions are
/// those of rows and, the last one, the column, along which reductions run.
class RowGroup {
public:
  /// The group of `seed` alone; nothing where that has neither rows with a
  /// reduction along them nor a tensor with columns along memory.
  /// Without `usesPieces` tensors that are put together of parts are read as
  /// they are, and who reads parts does not join.
  static std::optional<RowGroup> start(mlir::linalg::GenericOp seed,
                                       bool usesPieces);

  /// Adds what the members read from and what reads from them, as far as one
  /// kernel can compute it.
  void grow();

  llvm::SmallVector<mlir::Operation *> getMembers() const {
    return llvm::to_vector(llvm::make_first_range(members));
  }

  /// Replaces the members by a tmm.rows, whose operation it returns; null, with
  /// nothing changed, where operands cannot be computed before it.
  mlir::Operation *replace(mlir::RewriterBase &rewriter);

private:
  /// Those of the loops of an operation; nothing of one that runs once.
  using LoopDims = TensorDims;

  unsigned getColumn() const { return sizes.size() - 1; }
  bool isMember(mlir::Operation *op) const { return members.contains(op); }
  /// The dimensions of `operand`, of which the loops are dimensions `loops`.
  static TensorDims getDims(mlir::linalg::GenericOp op,
                            mlir::OpOperand &operand, const LoopDims &loops);
  bool tryAdd(mlir::Operation *op);
  std::optional<LoopDims> matchLoops(mlir::linalg::GenericOp op);
  TensorDims getExtractDims(mlir::linalg::GenericOp op,
                            llvm::ArrayRef<ExtractPlace> places,
                            const LoopDims &loops) const;
  bool picksFit(mlir::linalg::GenericOp op, const LoopDims &loops) const;
  bool hasFittingPieces(const RowsBody &rows) const;
  void matchSizes(mlir::linalg::GenericOp op, LoopDims &loops) const;
  bool fits(mlir::linalg::GenericOp op, const LoopDims &loops) const;
  bool noteOrder(const TensorDims &dims, std::optional<unsigned> &row) const;
  bool isConsistentWith(mlir::linalg::GenericOp added,
                        const LoopDims &addedLoops) const;
  bool isConvexWith(mlir::Operation *op) const;
  void add(mlir::linalg::GenericOp op, LoopDims loops);
  void note(mlir::Value value, const TensorDims &dims);
  bool escapes(mlir::Value result) const;

  bool usesPieces = true;
  llvm::SmallVector<int64_t> sizes;
  /// The row that is last in tensors where the column is not; nothing where
  /// the column is last everywhere.
  std::optional<unsigned> tileRow;
  /// The dimension of each loop of each member.
  llvm::MapVector<mlir::Operation *, LoopDims> members;
  /// Those of the tensors that members read and write.
  llvm::DenseMap<mlir::Value, TensorDims> known;
};

/// The tensor that `op` shows with dimensions of one element more or less; null
/// where it does something else.
mlir::Value getUnitSource(mlir::Operation *op);

/// The dimensions of the other side of the view `op` of those, `dims`, of its
/// source, or of its result.
TensorDims convertDims(mlir::Operation *op, const TensorDims &dims,
                       bool toResult);

/// What `value` is a view of that only adds or drops dimensions of one element,
/// with the dimensions of that; itself where it is none.
std::pair<mlir::Value, TensorDims> traceUnits(mlir::Value value,
                                              TensorDims dims);

/// Whether the tensors of `op` are seen along its loops, each at most once, and
/// at 0 of one element.
bool hasPlainMaps(mlir::linalg::GenericOp op);

/// Whether the body of `op` can become a part of that of tmm.rows.
bool canBeRows(mlir::linalg::GenericOp op);

/// The number that all elements of `value` are: of a fill, or of a constant;
/// null: it is none.
mlir::TypedAttr getSplat(mlir::Value value);

/// Whether `value` is put together of parts that a kernel can read where they
/// are.
bool isOfPieces(mlir::Value value);

/// Whether `op` reads such a tensor, or makes one by where it reads.
bool readsPieces(mlir::linalg::GenericOp op);

/// Makes operations of which each copies a tensor in `root` that is put
/// together of parts, where all of them would be copied one by one.
llvm::SmallVector<mlir::linalg::GenericOp>
copyPieces(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// Where tensor.extract reads along a dimension: at a loop with a number added,
/// of which not all may be inside (`isMoved`), at what something else says
/// (`isPick`), or at 0 of one element.
struct ExtractPlace {
  std::optional<unsigned> loop;
  int64_t offset = 0;
  bool isMoved = false, isPick = false;
};

/// The places of `extract` in the body of `op`; nothing where a kernel of rows
/// has no such place.
std::optional<llvm::SmallVector<ExtractPlace>>
matchExtract(mlir::tensor::ExtractOp extract, mlir::linalg::GenericOp op);

/// Makes two reductions of each in `root` that gives few values of many.
void splitReductions(mlir::RewriterBase &rewriter, mlir::Operation *root);

/// How an output is reduced: its kind, the operation that does it, and what
/// that combines the output with.
struct Reduction {
  mlir::vector::CombiningKind kind;
  mlir::Operation *combiner;
  mlir::Value value;
};

/// Builds the body of tmm.rows.
class RowsBody {
public:
  /// Of rows and columns of `sizes`. Without `usesPieces` a tensor is read
  /// where it is put together.
  RowsBody(mlir::RewriterBase &rewriter, mlir::Block &body,
           llvm::ArrayRef<int64_t> sizes, bool usesPieces);

  /// The element of `value`, of which the dimensions are `dims`: a new operand
  /// where no member computed it.
  mlir::Value get(mlir::Value value, const TensorDims &dims);
  /// Computes the results of `op`, of which the dimensions of loops are `loops`
  /// and those of operand number i are operandDims[i].
  void add(mlir::linalg::GenericOp op, const TensorDims &loops,
           llvm::ArrayRef<TensorDims> operandDims);

  /// Operands, with their maps and the dimensions along which they are parts,
  /// in the order of the arguments of the body.
  llvm::SmallVector<mlir::Value> ins;
  llvm::SmallVector<mlir::AffineMap> maps;
  llvm::SmallVector<llvm::SmallVector<int64_t>> pieces;

  mlir::AffineMap getMap(const TensorDims &dims) const;
  /// The attribute of `pieces`; null: there are none.
  mlir::ArrayAttr getPieces() const;

private:
  mlir::Value getIndex(mlir::Location loc, std::optional<unsigned> number);
  /// The dimension of a number of TensorDims, and what is added to its place:
  /// numbers of further ones are those of `moved`.
  std::pair<unsigned, int64_t> getPlaceOf(unsigned number) const;
  std::optional<unsigned> move(std::optional<unsigned> number, int64_t by);
  mlir::Value emitInside(mlir::Location loc, std::optional<unsigned> number,
                         int64_t first, int64_t size);
  void requireInside(mlir::Location loc, mlir::Value &inside,
                     std::optional<unsigned> number, int64_t first,
                     int64_t size);
  mlir::Value getPiece(mlir::Value value, const TensorDims &dims);
  mlir::Value getInserted(mlir::tensor::InsertSliceOp op,
                          const TensorDims &dims);
  mlir::Value getPadded(mlir::tensor::PadOp op, const TensorDims &dims);
  mlir::Value getComputed(mlir::linalg::GenericOp op, const TensorDims &dims);
  mlir::Value emitExtract(mlir::tensor::ExtractOp extract,
                          const TensorDims &loops, mlir::IRMapping &mapping);
  /// Makes a constant of another body one of this body.
  void own(mlir::Value value, mlir::IRMapping &mapping);
  void emitBody(mlir::Block &block, const TensorDims &loops,
                mlir::IRMapping &mapping,
                llvm::ArrayRef<mlir::Operation *> skipped);
  mlir::Value getStart(mlir::linalg::GenericOp op, unsigned output,
                       const TensorDims &initDims);
  mlir::Value emitPlace(mlir::Location loc, mlir::vector::CombiningKind kind,
                        mlir::Value value, mlir::Value from, mlir::Value start);
  mlir::Value reduce(mlir::linalg::GenericOp op, const Reduction &reduction,
                     unsigned output, mlir::IRMapping &mapping,
                     const TensorDims &initDims);

  mlir::RewriterBase &rewriter;
  mlir::Block &body;
  llvm::ArrayRef<int64_t> sizes;
  bool usesPieces;
  llvm::DenseMap<mlir::Value, mlir::Value> elements;
  /// Dimensions whose places are moved.
  llvm::SmallVector<std::pair<unsigned, int64_t>> moved;
  /// Elements of tensors that are put together, where their dimensions are so.
  llvm::SmallVector<std::tuple<mlir::Value, TensorDims, mlir::Value>> parts;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOROWS_ROWGROUP_H
