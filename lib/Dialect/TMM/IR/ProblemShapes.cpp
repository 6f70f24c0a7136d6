//===- ProblemShapes.cpp - shapes of the operands of a matmul ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of tmm.matmul for ranks, strides and sizes, part of its verifier. Each
// has a label tmm_matmul_cN that its test repeats.
//
//===----------------------------------------------------------------------===//

#include "ProblemTypes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Message.h"
#include "tc/Support/MmaShapes.h"
#include "tc/Support/Target.h"

#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Whether matrices of a batch of D have elements in common, as far as sizes
/// and strides are static. From the smallest stride on, each dimension has to
/// step over what the dimensions before it reach.
static Error findBatchOverlap(StringRef name, MemRefType type,
                              ArrayRef<int64_t> strides) {
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  SmallVector<int64_t> dims;
  for (int64_t dim = type.getRank() - 2; dim >= 0; --dim)
    if (type.getDimSize(dim) != 1)
      dims.push_back(dim);
  // Of equal strides the outer one is reported.
  llvm::sort(dims, [&](int64_t a, int64_t b) {
    return std::pair(strides[a], b) < std::pair(strides[b], a);
  });
  int64_t reach = type.getShape().back();
  for (int64_t dim : dims) {
    // tmm_matmul_c19
    if (strides[dim] < reach)
      return message("operand ", name,
                     ": expected matrices that do not overlap, a stride of "
                     "dimension ",
                     dim, " of at least ", reach, ", got ", strides[dim]);
    reach += (type.getDimSize(dim) - 1) * strides[dim];
  }
  return std::nullopt;
}

/// Memory space and strides of the memref called `name`.
static Error findLayoutError(StringRef name, MemRefType type,
                             bool isDestination) {
  // tmm_matmul_c2
  if (Error error = findGlobalMemoryError(name, type))
    return error;

  // The windows of images are read only, and as A alone.
  if (name == "A" && getWindowsLayout(type))
    return std::nullopt;

  // tmm_matmul_c3
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return message("operand ", name, ": expected a strided layout, got ",
                   type.getLayout());
  if (ShapedType::isDynamic(strides.back()))
    return message("operand ", name,
                   ": expected innermost stride 1, got a dynamic one; cast to "
                   "a layout with innermost stride 1");
  unsigned rows = type.getRank() - 2;
  if (strides.back() != 1) {
    // A column-major matrix is the transpose of a row-major one.
    std::string hint;
    if (strides[rows] == 1 && !isDestination)
      hint = "; transpose the memref and change transpose_" + name.lower();
    else if (strides.back() == 0 && !isDestination)
      hint = ", as the elements of a row are copied from next to each other; "
             "of rows that are equal, nearest a row stride of 0";
    return message("operand ", name, ": expected innermost stride 1, got ",
                   strides.back(), hint);
  }

  for (auto [dim, stride] :
       llvm::enumerate(ArrayRef<int64_t>(strides).drop_back())) {
    if (ShapedType::isDynamic(stride))
      continue;
    std::string kind =
        dim == rows ? "row stride" : message("stride of dimension ", dim);
    // tmm_matmul_c4
    if (stride < 0)
      return message("operand ", name, ": expected a ", kind,
                     " of at least 0, got ", stride);
    // tmm_matmul_c5
    int64_t columns = std::max<int64_t>(type.getDimSize(rows + 1), 1);
    if (isDestination && type.getDimSize(dim) != 1 && stride < columns)
      return message("operand ", name,
                     ": expected rows that do not overlap, a ", kind,
                     " of at least ", columns, ", got ", stride);
  }
  return isDestination ? findBatchOverlap(name, type, strides) : std::nullopt;
}

/// Rank of the operand called `name`, and what only memrefs have. `most` is the
/// largest rank.
static Error findOperandError(StringRef name, Type type, bool isDestination,
                              int64_t most) {
  auto shaped = cast<ShapedType>(type);
  // tmm_matmul_c1
  if (!shaped.hasRank())
    return message("operand ", name,
                   ": expected a matrix of rank 2, got an unranked memref");
  if (isDestination && (shaped.getRank() < 2 || shaped.getRank() > most))
    return message(
        "operand ", name,
        ": expected a matrix of rank 2, or a batch of them of rank "
        "3 to ",
        most, " (a tensor map has 5 dimensions), got rank ", shaped.getRank(),
        shaped.getRank() > most ? "; collapse batch dimensions" : "");
  if (!isDestination && (shaped.getRank() < 2 || shaped.getRank() > most))
    return message("operand ", name, ": expected a matrix of rank 2",
                   most > 2 ? message(" to ", most, ", the rank of D")
                            : std::string(),
                   ", got rank ", shaped.getRank());
  if (auto memref = dyn_cast<MemRefType>(type))
    return findLayoutError(name, memref, isDestination);
  return std::nullopt;
}

std::optional<std::string> MatmulOp::findBatchError(StringRef name,
                                                    ShapedType type,
                                                    unsigned matrixRank,
                                                    ShapedType d) {
  // tmm_matmul_c11
  unsigned batchRank = d.getRank() - 2;
  for (unsigned dim = 0; dim < batchRank; ++dim) {
    std::optional<unsigned> own =
        matchBatchDim(type, matrixRank, dim, batchRank);
    if (!own)
      continue;
    int64_t expected = d.getDimSize(dim), got = type.getDimSize(*own);
    if (ShapedType::isStatic(expected) && ShapedType::isStatic(got) &&
        got != 1 && got != expected)
      return message("operand ", name, ": expected batch dimension ", *own,
                     " of size ", expected, " as in dimension ", dim,
                     " of D, or 1, got ", got);
  }
  return std::nullopt;
}

namespace {
/// The types of the matrices of a product, and where they have M, N and K.
struct MatrixTypes {
  ShapedType a, b, d;
  bool transposeA, transposeB;

  unsigned getMDimOfA() const { return a.getRank() - (transposeA ? 1 : 2); }
  unsigned getKDimOfA() const { return a.getRank() - (transposeA ? 2 : 1); }
  unsigned getKDimOfB() const { return b.getRank() - (transposeB ? 1 : 2); }
  unsigned getNDimOfB() const { return b.getRank() - (transposeB ? 2 : 1); }
  unsigned getMDimOfD() const { return d.getRank() - 2; }
  unsigned getNDimOfD() const { return d.getRank() - 1; }
};
} // namespace

/// Sizes of A, B and D along M, N, K and the batch; a sparse A has half of K.
static Error findSizesError(const MatrixTypes &types, bool isSparse) {
  // tmm_matmul_c10
  auto findSizeError = [](StringRef size, StringRef name, ShapedType type,
                          unsigned dim, StringRef otherName, ShapedType other,
                          unsigned otherDim, int64_t times = 1) -> Error {
    int64_t expected = other.getDimSize(otherDim);
    int64_t got = type.getDimSize(dim);
    if (ShapedType::isDynamic(expected) || ShapedType::isDynamic(got) ||
        expected * times == got)
      return std::nullopt;
    return message("operand ", name, ": expected ", size, " = ",
                   expected * times,
                   times == 1 ? " as in " : ", twice as many as in ", otherName,
                   " in dimension ", dim, ", got ", got);
  };
  const auto &[a, b, d, transposeA, transposeB] = types;
  // tmm_matmul_c34
  unsigned kDimOfA = types.getKDimOfA();
  int64_t kOfA = a.getDimSize(kDimOfA);
  constexpr int64_t most = std::numeric_limits<int64_t>::max() / 2;
  if (isSparse && ShapedType::isStatic(kOfA) && kOfA > most)
    return message("operand A: expected at most ", most,
                   " elements along K, half of them, in dimension ", kDimOfA,
                   ", got ", kOfA);
  if (Error error = findSizeError("K", "B", b, types.getKDimOfB(), "A", a,
                                  kDimOfA, isSparse ? 2 : 1))
    return error;
  if (Error error = findSizeError("M", "D", d, types.getMDimOfD(), "A", a,
                                  types.getMDimOfA()))
    return error;
  if (Error error = findSizeError("N", "D", d, types.getNDimOfD(), "B", b,
                                  types.getNDimOfB()))
    return error;
  std::pair<StringRef, ShapedType> operands[] = {{"A", a}, {"B", b}};
  for (auto [name, type] : operands)
    if (Error error = MatmulOp::findBatchError(name, type, 2, d))
      return error;
  return std::nullopt;
}

/// The scale factors of A and B, of elements of `scale`, for the sizes of the
/// matrices.
static Error findFactorsError(ScaledRows scalesA, ScaledRows scalesB, int64_t k,
                              ShapedType d, MmaKindFacts kind, Type scale,
                              int64_t scaleColumns) {
  // tmm_matmul_c24
  int64_t step = getMmaPackedElements(kind);
  int64_t block = getMmaScaleBlock(kind, scale);
  if (ShapedType::isStatic(k) && k % step != 0)
    return message("expected K of a multiple of ", step,
                   ", the elements that share a byte, got ", k,
                   ", the nearest is ", int64_t(llvm::alignTo(k, step)));
  bool isPromoted = !isBlockScaled(kind);
  // tmm_matmul_c27
  if (isPromoted && scaleColumns != 1 && scaleColumns != kPromotedColumns)
    return message("scale_columns: expected 1 or ", kPromotedColumns,
                   " columns of B for each factor, got ", scaleColumns);
  for (const ScaledRows &rows : {scalesA, scalesB}) {
    Error error = isPromoted
                      ? findPromotedScalesError(rows, k, d, scale, block)
                      : findScalesError(rows.name, rows.type, rows.rowName,
                                        rows.rows, k, d, scale, block);
    if (error)
      return error;
    if (Error error =
            MatmulOp::findBatchError(rows.name, cast<ShapedType>(rows.type),
                                     isPromoted ? 2 : kScalesRank, d))
      return error;
  }
  return std::nullopt;
}

std::optional<std::string>
MatmulOp::findTypeError(Type a, Type b, Type d, bool transposeA,
                        bool transposeB, bool allowTf32, Type scaleA,
                        Type scaleB, int64_t scaleBlock, Type scaleD,
                        int64_t scaleColumns, Type metadata) {
  // tmm_matmul_c9
  bool onTensors = isa<RankedTensorType>(d);
  if (isa<RankedTensorType>(a) != onTensors ||
      isa<RankedTensorType>(b) != onTensors)
    return message("expected operands that are all memrefs or all tensors, "
                   "got ",
                   a, ", ", b, " and ", d);

  if (Error error = findOperandError("D", d, /*isDestination=*/true,
                                     2 + MatmulOp::kMaxBatchRank))
    return error;
  int64_t rank = cast<ShapedType>(d).getRank();
  if (Error error = findOperandError("A", a, /*isDestination=*/false, rank))
    return error;
  if (Error error = findOperandError("B", b, /*isDestination=*/false, rank))
    return error;
  // tmm_matmul_c35
  if (getWindowsLayout(a) && (transposeA || metadata))
    return message("operand A: expected windows of images that are not ",
                   transposeA ? "transposed" : "sparse", ", got ", a);
  Type scale;
  if (scaleA)
    scale = getElementTypeOrSelf(scaleA);
  // Factors of another type are refused as such.
  if (scale && !isMmaScale(scale))
    scale = Float8E8M0FNUType::get(d.getContext());
  if (Error error = findElementTypeError(
          {getElementTypeOrSelf(a), getElementTypeOrSelf(b),
           getElementTypeOrSelf(d), scale, scaleBlock, !transposeA, transposeB,
           allowTf32, scaleD ? getElementTypeOrSelf(scaleD) : Type()}))
    return error;
  MmaKindFacts kind = *findMmaKind(getElementTypeOrSelf(a),
                                   getElementTypeOrSelf(b), scale, scaleBlock);

  const MatrixTypes types = {cast<ShapedType>(a), cast<ShapedType>(b),
                             cast<ShapedType>(d), transposeA, transposeB};
  if (Error error = findSizesError(types, bool(metadata)))
    return error;
  if (!scaleA && !metadata)
    return std::nullopt;
  auto either = [](int64_t one, int64_t other) {
    return ShapedType::isStatic(one) ? one : other;
  };
  int64_t m = either(types.a.getDimSize(types.getMDimOfA()),
                     types.d.getDimSize(types.getMDimOfD()));
  int64_t n = either(types.b.getDimSize(types.getNDimOfB()),
                     types.d.getDimSize(types.getNDimOfD()));
  int64_t kOfA = types.a.getDimSize(types.getKDimOfA());
  if (metadata && ShapedType::isStatic(kOfA))
    kOfA *= 2;
  int64_t k = either(kOfA, types.b.getDimSize(types.getKDimOfB()));
  if (metadata) {
    if (Error error = findMetadataError(metadata, kind, m, k, types.d))
      return error;
    return findBatchError("metadata", cast<ShapedType>(metadata),
                          2 + std::size(kMetadataTileShape), types.d);
  }
  return findFactorsError(
      {"SFA", scaleA, "M", m, 1, /*isRow=*/false},
      {"SFB", scaleB, "N", n, scaleColumns, /*isRow=*/scaleColumns == 1}, k,
      types.d, kind, scale, scaleColumns);
}
