//===- ProblemTypes.cpp - types that a problem can have ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header. Each rule has a label tmm_matmul_cN that its test repeats.
//
//===----------------------------------------------------------------------===//

#include "ProblemTypes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Message.h"
#include "tc/Support/MmaShapes.h"
#include "tc/Support/MmaTypes.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

bool tc::tmm::isGlobalMemory(Attribute space) {
  if (!space)
    return true;
  if (auto number = dyn_cast<IntegerAttr>(space))
    return number.getInt() == 0 || number.getInt() == 1;
  auto gpu = dyn_cast<gpu::AddressSpaceAttr>(space);
  return gpu && gpu.getValue() == gpu::AddressSpace::Global;
}

Error tc::tmm::findGlobalMemoryError(StringRef name, ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || isGlobalMemory(memref.getMemorySpace()))
    return std::nullopt;
  return message("operand ", name,
                 ": expected global memory (no memory space, 0, 1 or "
                 "#gpu.address_space<global>), got ",
                 memref.getMemorySpace());
}

Error tc::tmm::findStridesError(StringRef name, ArrayRef<int64_t> strides) {
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (ShapedType::isStatic(stride) && stride < 0)
      return message("operand ", name, ": expected a stride of dimension ", dim,
                     " of at least 0, got ", stride);
  return std::nullopt;
}

Error tc::tmm::findElementTypeError(const ElementTypes &types) {
  Type scale = types.scale;
  int64_t block = types.scaleBlock;
  // tmm_matmul_c22
  if (scale && block && getMmaInputNames(scale, block).empty())
    return message("scale_block: expected ", getMmaScaleBlockNames(scale),
                   " elements for each factor of ", scale, ", got ", block);
  std::pair<StringRef, Type> inputs[] = {{"A", types.a}, {"B", types.b}};
  for (auto [name, type] : inputs) {
    // Of each kind, A and B may have the same type.
    if (findMmaKind(type, type, scale, block))
      continue;
    // tmm_matmul_c13, tmm_matmul_c6
    std::string with;
    if (scale)
      with = message(" with scale factors of ", scale);
    if (scale && block)
      with += message(" for ", block, " elements");
    return message("operand ", name, ": expected element type ",
                   getMmaInputNames(scale, block), with, ", got ", type);
  }
  // tmm_matmul_c7
  std::optional<MmaKindFacts> kind =
      findMmaKind(types.a, types.b, scale, block);
  if (!kind) {
    MmaKindFacts ofA = *findMmaKind(types.a, types.a, scale, block);
    return message("operand B: expected ",
                   isMmaMix(ofA)
                       ? std::string("element type ") + getMmaInputNames(ofA) +
                             ", of the kind of A"
                       : message("the element type of A, ", types.a),
                   ", got ", types.b);
  }
  // tmm_matmul_c20
  if ((kind == MmaKindFacts::TF32) != types.allowTf32)
    return types.allowTf32
               ? message("allow_tf32: expected element type f32 of A and B, "
                         "got ",
                         types.a)
               : std::string("operand A: f32 is multiplied as tf32, without "
                             "the low 13 bits: expected allow_tf32, got none");
  // tmm_matmul_c23
  if (!types.isAKMajor && !hasMmaTranspose(*kind, types.a))
    return message("operand A: expected no transpose_a: elements of ", types.a,
                   " are adjacent along K");
  if (!types.isBKMajor && !hasMmaTranspose(*kind, types.b))
    return message("operand B: expected transpose_b: elements of ", types.b,
                   " are adjacent along K");
  // tmm_matmul_c8
  Type d = types.d;
  bool isFloat = d.isF32() || d.isBF16() || d.isF16() ||
                 isa<Float8E4M3FNType, Float8E5M2Type>(d);
  if (types.scaleD) {
    if (!isa<Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType>(d))
      return message("operand D: expected element type f8E4M3FN, f8E5M2 or "
                     "f4E2M1FN with scale factors, got ",
                     d);
  } else if (!isFloat &&
             (kind != MmaKindFacts::I8 || !d.isSignlessInteger(32))) {
    return message("operand D: expected element type ",
                   kind == MmaKindFacts::I8 ? "i32, " : "",
                   "f32, bf16, f16, f8E4M3FN or f8E5M2, got ", d,
                   isa<Float4E2M1FNType>(d) ? " without scale_d" : "");
  }
  return std::nullopt;
}

/// A size of a matrix in blocks: its name, and elements of it in a block.
struct BlockedSize {
  StringRef name;
  int64_t extent, block;
};

/// The places of the matrix `shaped`, called `name`, which comes in blocks of
/// `things` along two sizes.
static Error findBlocksError(StringRef name, ShapedType shaped, ShapedType d,
                             std::array<BlockedSize, 2> sizes,
                             StringRef things) {
  ArrayRef<int64_t> block = getBlockShape(shaped.getElementType());
  auto blocks = [](ArrayRef<int64_t> shape) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        shape,
        [&](int64_t extent) {
          if (ShapedType::isDynamic(extent))
            os << "?";
          else
            os << extent;
        },
        [&] { os << "x"; });
    return text;
  };
  // tmm_matmul_c15
  int64_t least = getBlockedRank(shaped.getElementType());
  int64_t most = least + std::min<int64_t>(d.getRank() - 2, 2);
  if (shaped.getRank() < least || shaped.getRank() > most)
    return message("operand ", name, ": expected blocks along ", sizes[0].name,
                   " and K of ", blocks(block), " ", things, ", rank ", least,
                   most > least ? message(" to ", most) : std::string(),
                   ", got rank ", shaped.getRank());
  unsigned first = shaped.getRank() - least;
  ArrayRef<int64_t> tile = shaped.getShape().drop_front(first + 2);
  if (tile != block)
    return message("operand ", name, ": expected blocks of ", blocks(block),
                   " ", things, ", got ", blocks(tile));
  // tmm_matmul_c16
  for (auto [index, size] : llvm::enumerate(sizes)) {
    int64_t got = shaped.getDimSize(first + index);
    if (ShapedType::isDynamic(size.extent) || ShapedType::isDynamic(got))
      continue;
    auto expected = int64_t(llvm::divideCeil(size.extent, size.block));
    if (got == expected)
      continue;
    return message("operand ", name, ": expected ", expected, " blocks of ",
                   size.block, " along ", size.name, " = ", size.extent,
                   " in dimension ", first + index, ", got ", got);
  }
  auto memref = dyn_cast<MemRefType>(shaped);
  if (!memref)
    return std::nullopt;
  // tmm_matmul_c17
  SmallVector<int64_t> strides, dense = {1};
  int64_t offset;
  for (int64_t dim : llvm::reverse(block))
    dense.insert(dense.begin(), dense.front() * dim);
  if (failed(memref.getStridesAndOffset(strides, offset)) ||
      ArrayRef(strides).drop_front(first + 1) != ArrayRef(dense))
    return message("operand ", name,
                   ": expected the blocks of one row of them to be adjacent, "
                   "strides of ",
                   llvm::join(llvm::map_range(ArrayRef(dense).drop_back(),
                                              [](int64_t stride) {
                                                return std::to_string(stride);
                                              }),
                              ", "),
                   " and ", dense.back(), ", got ", memref);
  return findStridesError(name, strides);
}

/// A matrix of factors of `element` called `name`, whatever its shape.
static Error findFactorsError(StringRef name, Type type, ShapedType d,
                              Type element) {
  // tmm_matmul_c14
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() ||
      isa<RankedTensorType>(shaped) != isa<RankedTensorType>(d))
    return message("operand ", name, ": expected a ",
                   isa<RankedTensorType>(d) ? "tensor" : "memref",
                   " like D, got ", type);
  if (!isMmaScale(shaped.getElementType()))
    return message("operand ", name, ": expected element type ",
                   getMmaScaleTypeNames(), ", got ", shaped.getElementType());
  if (shaped.getElementType() != element)
    return message("operand ", name, ": expected the element type of SFA, ",
                   element, ", got ", shaped.getElementType());
  return findGlobalMemoryError(name, shaped);
}

Error tc::tmm::findPromotedScalesError(const ScaledRows &scaled, int64_t k,
                                       ShapedType d, Type element,
                                       int64_t scaleBlock) {
  StringRef name = scaled.name;
  if (Error error = findFactorsError(name, scaled.type, d, element))
    return error;
  // tmm_matmul_c29
  auto shaped = cast<ShapedType>(scaled.type);
  if (shaped.getRank() < 2 || shaped.getRank() > d.getRank())
    return message("operand ", name, ": expected a factor for ",
                   scaled.step == 1 ? std::string("each row")
                                    : message(scaled.step, " rows"),
                   " along ", scaled.rowName, " and each ", scaleBlock,
                   " elements of K, a matrix of rank 2",
                   d.getRank() > 2
                       ? message(" to ", d.getRank(), ", the rank of D")
                       : std::string(),
                   ", got rank ", shaped.getRank());
  // tmm_matmul_c30
  unsigned first = shaped.getRank() - 2;
  std::tuple<StringRef, int64_t, int64_t> sizes[] = {
      {scaled.rowName, scaled.rows, scaled.step}, {"K", k, scaleBlock}};
  for (auto [index, entry] : llvm::enumerate(sizes)) {
    auto [size, extent, step] = entry;
    int64_t got = shaped.getDimSize(first + index);
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(got))
      continue;
    auto factors = int64_t(llvm::divideCeil(extent, step));
    if (got != factors)
      return message("operand ", name, ": expected ", factors,
                     " factors, one for ", step, " along ", size, " = ", extent,
                     ", in dimension ", first + index, ", got ", got);
  }
  // tmm_matmul_c31
  SmallVector<int64_t> strides;
  int64_t offset;
  auto memref = dyn_cast<MemRefType>(shaped);
  if (!memref)
    return std::nullopt;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return message("operand ", name, ": expected a strided layout, got ",
                   memref);
  if (scaled.isRow && strides[first] != 1)
    return message("operand ", name, ": expected factors of neighbouring ",
                   "columns of B next to each other, stride 1 in dimension ",
                   first, " with scale_columns = 1, got ", memref);
  return findStridesError(name, strides);
}

Error tc::tmm::findScalesError(StringRef name, Type type, StringRef rowName,
                               int64_t rows, int64_t k, ShapedType d,
                               Type element, int64_t scaleBlock) {
  if (Error error = findFactorsError(name, type, d, element))
    return error;
  auto shaped = cast<ShapedType>(type);
  return findBlocksError(
      name, shaped, d,
      {{{rowName, rows, kScaleRows}, {"K", k, kScaleBlocks * scaleBlock}}},
      "factors");
}

Error tc::tmm::findMetadataError(Type type, MmaKindFacts kind, int64_t m,
                                 int64_t k, ShapedType d) {
  // tmm_matmul_c33
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() ||
      isa<RankedTensorType>(shaped) != isa<RankedTensorType>(d))
    return message("operand metadata: expected a ",
                   isa<RankedTensorType>(d) ? "tensor" : "memref",
                   " like D, got ", type);
  if (!shaped.getElementType().isSignlessInteger(32))
    return message("operand metadata: expected element type i32, got ",
                   shaped.getElementType());
  if (Error error = findGlobalMemoryError("metadata", shaped))
    return error;
  // tmm_matmul_c34
  int64_t chunk = getMmaSparseChunk(kind);
  if (ShapedType::isStatic(k) && k % chunk != 0)
    return message("expected K of a multiple of ", chunk,
                   ", the elements that share a code of metadata, got ", k,
                   ", the nearest is ", int64_t(llvm::alignTo(k, chunk)));
  return findBlocksError(
      "metadata", shaped, d,
      {{{"M", m, kMetadataTileShape[0]}, {"K", k, getMetadataTileK(kind)}}},
      "words");
}
