//===- HostReader.h - values of a host function -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Target/PTX: reads values of a host function as expressions over
// sizes, and memrefs as views of named buffers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_HOSTREADER_H
#define TC_LIB_TARGET_PTX_HOSTREADER_H

#include "SizeExpression.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

namespace tc {

/// Memory that the caller provides: an argument, an allocation or a constant.
struct HostBuffer {
  std::string name;
  mlir::MemRefType type;
};

/// A part of a buffer. Offset and strides are in elements; the offset counts
/// from the buffer's first element, which is where the caller's memory starts.
struct HostView {
  mlir::Value root;
  mlir::MemRefType type;
  SizeExpression offset;
  llvm::SmallVector<SizeExpression> sizes;
  llvm::SmallVector<SizeExpression> strides;
  /// Of the windows of images, of which sizes are those of the matrix, without
  /// strides: sizes and strides of the images.
  tmm::WindowsAttr windows = {};
  std::vector<SizeExpression> images = {}, pitches = {};
};

/// An error at a value of the host function that names its operation.
mlir::InFlightDiagnostic emitErrorAt(mlir::Value value);
/// An error at a loop of the host function, which a list of launches cannot
/// have.
mlir::InFlightDiagnostic emitLoopError(mlir::Operation *loop);

/// Whether `get` names memory of the module that launches may change.
bool isVariable(mlir::memref::GetGlobalOp get);

class HostReader {
public:
  explicit HostReader(mlir::func::FuncOp function);

  /// The name of an argument of the function: that of its location
  /// (`loc("bias")`) where it has one that is not taken, else argN.
  llvm::StringRef argumentName(mlir::BlockArgument argument) const {
    return argumentNames[argument.getArgNumber()];
  }
  /// Gives a buffer its name before it is read; a name that is taken stays
  /// with its first owner and the buffer keeps its default name.
  void nameBuffer(mlir::Value root, llvm::StringRef name);
  /// States that two dimensions of arguments have the same size, and that it
  /// is called `name` where nothing else named it first (empty: no name).
  void unifyDims(mlir::Value lhs, unsigned lhsDim, mlir::Value rhs,
                 unsigned rhsDim, llvm::StringRef name);
  /// States that a dimension of an argument is that of another buffer divided
  /// by `divisor`, rounded up.
  void defineDim(mlir::Value root, unsigned dim, mlir::Value of, unsigned ofDim,
                 int64_t divisor);

  /// The expression of an integer, index or i1 value.
  llvm::FailureOr<SizeExpression> read(mlir::Value value);
  /// A constant, or the value's expression.
  llvm::FailureOr<SizeExpression> read(mlir::OpFoldResult value);
  /// Integer arguments of the function that were read, by their names.
  const llvm::MapVector<mlir::Value, std::string> &getScalars() const {
    return scalars;
  }
  /// What has to hold of scalars, with a message: what is taken for a size is
  /// not negative, and arithmetic of fewer than 64 bits does not wrap around.
  llvm::ArrayRef<std::pair<SizeExpression, std::string>>
  getScalarChecks() const {
    return scalarChecks;
  }
  /// The view that a memref is of its buffer.
  llvm::FailureOr<HostView> readView(mlir::Value memref);
  /// The argument, allocation or constant that a memref refers to, null where
  /// there is none.
  static mlir::Value findRoot(mlir::Value memref);

  /// The matrix whose base a pointer is, or the memref itself.
  static mlir::Value findMatrix(mlir::Value pointer);

  /// Whether a memref, or the base of one, is a whole buffer and not a part.
  static bool isWholeBuffer(mlir::Value memref);
  /// Whether it has every element of the buffer, maybe in other dimensions.
  static bool coversBuffer(mlir::Value memref);

  /// Elements from the base of a buffer, which kernels and strided metadata
  /// count from, to its first element. A dynamic offset is the caller's choice:
  /// it chooses 0.
  static int64_t baseOffset(mlir::Value root);

  /// Size of a dimension of a buffer.
  llvm::FailureOr<SizeExpression> dim(mlir::Value root, unsigned index);
  /// The strides of a whole buffer, in elements.
  llvm::FailureOr<llvm::SmallVector<SizeExpression>> strides(mlir::Value root);

  /// The memref arguments, then the allocations, then the constants, in order.
  const llvm::MapVector<mlir::Value, HostBuffer> &getBuffers() const {
    return buffers;
  }
  /// Names of the dynamic sizes: those of problems first, then the others in
  /// the order of the arguments.
  llvm::SmallVector<std::string> sizeNames();

private:
  using Dim = std::pair<void *, unsigned>;

  llvm::FailureOr<SizeExpression> readOp(mlir::Operation *op,
                                         mlir::OpResult result);
  /// States that `expression` is not negative, where a scalar might make it so.
  void requireSize(const SizeExpression &expression);
  /// States that `expression` of scalars is a number of `type`.
  void requireNoWrap(const SizeExpression &expression, mlir::Type type);
  void require(const SizeExpression &check, const llvm::Twine &message);
  llvm::FailureOr<SizeExpression> readArith(mlir::Operation *op);
  llvm::FailureOr<SizeExpression>
  readAffine(mlir::AffineExpr expr, unsigned numDims,
             llvm::ArrayRef<SizeExpression> operands, mlir::Operation *op);
  llvm::FailureOr<SizeExpression> readAffineMap(mlir::Operation *op);
  llvm::FailureOr<HostView> wholeView(mlir::Value root);
  /// What the result of such an op is of the buffer of its source.
  llvm::FailureOr<HostView>
  readViewOf(mlir::memref::ExtractStridedMetadataOp metadata);
  llvm::FailureOr<HostView> readViewOf(mlir::memref::ReinterpretCastOp cast);
  llvm::FailureOr<HostView> readViewOf(mlir::memref::SubViewOp subview);
  llvm::FailureOr<HostView> readViewOf(mlir::memref::ExpandShapeOp expand);
  llvm::FailureOr<HostView> readViewOf(mlir::memref::CollapseShapeOp collapse);
  llvm::FailureOr<HostView> readViewOf(mlir::memref::TransposeOp transpose);
  llvm::FailureOr<HostView> readViewOf(tmm::WindowsOp op);
  llvm::FailureOr<llvm::SmallVector<SizeExpression>>
  readAll(llvm::ArrayRef<mlir::OpFoldResult> values);
  std::string defaultDimName(const Dim &dim);

  llvm::MapVector<mlir::Value, HostBuffer> buffers;
  llvm::SmallVector<std::string> argumentNames;
  llvm::StringSet<> usedNames;
  llvm::EquivalenceClasses<Dim> dims;
  /// Names given to classes of dimensions, by any member.
  llvm::MapVector<Dim, std::string> dimNames;
  /// Dimensions that are computed from others: which, and the divisor.
  llvm::DenseMap<Dim, std::pair<Dim, int64_t>> derivedDims;
  llvm::DenseMap<mlir::Value, SizeExpression> cache;
  llvm::MapVector<mlir::Value, std::string> scalars;
  llvm::SmallVector<std::pair<SizeExpression, std::string>> scalarChecks;
};

} // namespace tc

#endif // TC_LIB_TARGET_PTX_HOSTREADER_H
