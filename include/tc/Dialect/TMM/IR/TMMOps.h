//===- TMMOps.h - operations of the tmm dialect -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that users of the dialect include: operations, types, attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMOPS_H
#define TC_DIALECT_TMM_IR_TMMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tc/Dialect/TMM/IR/TMMAttrs.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "tc/Dialect/TMM/IR/TMMTypes.h"
#include "tc/Support/Interfaces.h"
#include "tc/Support/LaunchOrder.h"
#include "tc/Support/MmaTypes.h"
#include "tc/Support/RegisterLayout.h"

#include "tc/Dialect/TMM/IR/TMMInterfaces.h.inc"

namespace mlir::gpu {
class LaunchFuncOp;
} // namespace mlir::gpu

namespace tc::tmm::detail {

/// The size of dimension `firstDim` of `first`, or of `secondDim` of `second`
/// where that one is dynamic.
int64_t getStaticSize(mlir::Value first, unsigned firstDim, mlir::Value second,
                      unsigned secondDim);
/// See getBatchDimOf and getStaticBatch of tmm.matmul; D has `batchRank`
/// dimensions before M and N.
std::optional<unsigned> getBatchDimOf(mlir::ShapedType type,
                                      unsigned matrixRank, unsigned dim,
                                      unsigned batchRank);
int64_t getStaticBatch(mlir::Value a, mlir::Value b, mlir::ShapedType d,
                       unsigned dim);
/// `type`, a matrix whose rows those of all groups are, with a dimension before
/// it, the groups: as many as `ends` has elements.
mlir::ShapedType addGroups(mlir::ShapedType type, mlir::ShapedType ends);
/// The kind of products of elements of `a` and `b` with factors of `scale`,
/// null without, for `scaleBlock` elements each, 0 where that is not given.
std::optional<MmaKindFacts> getKind(mlir::Value a, mlir::Value b,
                                    mlir::Value scale, int64_t scaleBlock);
/// See getOperandName of tmm.matmul; there are `extras` extra operands.
std::string getOperandName(unsigned number, bool hasScaleD, bool hasAmax,
                           unsigned extras, bool isScaled);
/// `buffer`, operand `operand` of `op`, where elements along its last dimension
/// are adjacent, or a copy with its elements one after the other, with contents
/// where `isRead`. Emits an error where a stride is known in the run alone.
llvm::FailureOr<mlir::Value>
makeAdjacent(mlir::RewriterBase &rewriter, mlir::Operation *op,
             const llvm::Twine &operand, mlir::Value buffer, bool isRead,
             const mlir::bufferization::BufferizationOptions &options);
/// Whether numbers of `type` can be reduced by `kind`.
bool hasKind(mlir::vector::CombiningKind kind, mlir::Type type);

} // namespace tc::tmm::detail

namespace tc::tmm {

/// What a tmm.matmul writes beside D; null: it does not.
struct OtherOutputs {
  mlir::Value scaleD, amax;
};

/// Where the rows of the groups of a tmm.matmul end, or how many those of the
/// problems of its batch are; null: all.
struct ProblemRows {
  mlir::Value ends, counts;
};

/// Dimensions of a matrix of scale factors in blocks after those of its batch:
/// blocks along M or N, blocks along K, and three of a block.
constexpr unsigned kScalesRank = 5;
/// Columns of B that share a factor of f32 where nothing else is said.
constexpr int64_t kPromotedColumns = 128;

/// What of A and B has a scale factor of its own: elements of K, and columns of
/// B. Null: as many as the types of the operands say.
struct ScaleBlocks {
  mlir::IntegerAttr k, columns;
};

/// Whether D of `type` is a float of 8 bits or fewer, to which tmm.matmul
/// converts what its epilogue computes.
bool isQuantizedType(mlir::Type type);
/// Elements that share a factor of type `scale`, and the largest power of two
/// that an element of type `type` is: what quantised rows are made with.
int64_t getQuantizedBlock(mlir::Type scale);
int64_t getLargestExponent(mlir::Type type);
/// N of which D of `type` with factors of `scale` must be a multiple: whole
/// blocks, and of elements of 4 bits the K of an instruction.
int64_t getQuantizedColumnStep(mlir::Type type, mlir::Type scale);
/// Whether D of `type` may have factors of type `scale`.
bool isQuantizedPair(mlir::Type type, mlir::Type scale);

} // namespace tc::tmm

namespace tc::tmm {

namespace detail {
mlir::LogicalResult verifyUsesPipeline(mlir::Operation *op);
} // namespace detail

/// The first operand is the result of a tmm.pipeline: passes find all ops of a
/// pipeline among its users.
template <typename ConcreteType>
class UsesPipeline
    : public mlir::OpTrait::TraitBase<ConcreteType, UsesPipeline> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyUsesPipeline(op);
  }
};

} // namespace tc::tmm

namespace tc::tmm {

/// The layout of `type` if it is a memref of the windows of images, else null.
inline WindowsAttr getWindowsLayout(mlir::Type type) {
  auto memref = mlir::dyn_cast<mlir::MemRefType>(type);
  return memref ? mlir::dyn_cast<WindowsAttr>(memref.getLayout())
                : WindowsAttr();
}

} // namespace tc::tmm

#define GET_OP_CLASSES
#include "tc/Dialect/TMM/IR/TMMOps.h.inc"

namespace tc::tmm {

/// The dimensions of one block of a matrix of `element`s in blocks: scale
/// factors of 8 bits, metadata of 32.
llvm::ArrayRef<int64_t> getBlockShape(mlir::Type element);
/// Dimensions of such a matrix after those of its batch: blocks along M or N,
/// blocks along K, and those of a block.
inline unsigned getBlockedRank(mlir::Type element) {
  return 2 + getBlockShape(element).size();
}

/// The memref that `value` is, seen in another shape or through casts. Parts of
/// a memref are compared where the problem becomes a kernel.
mlir::Value getWhole(mlir::Value value);

/// Whether tmm.rows has elements of `type`, which threads move one by one.
bool isRowElement(mlir::Type type);

/// The launch that `problem` says of what it computes: the next one of the
/// block, with a condition or without; null where another problem or none is
/// next.
mlir::gpu::LaunchFuncOp findLaunchAfter(mlir::Operation *problem);
/// A dimension of rows has fewer elements, and numbers that are added to places
/// are smaller: both fit into coordinates.
constexpr int64_t kMostRowElements = int64_t(1) << 30;

/// The dimension that a result of a map of tmm.rows follows, and what is added
/// to it; nothing for 0.
std::optional<std::pair<unsigned, int64_t>> getPlace(mlir::AffineExpr expr);

/// Whether an epilogue can compute `op`: one of the operations of arith and
/// math that every lowering supports, on f32, f16, bf16 or i1 elements.
bool isEpilogueOp(mlir::Operation *op);

namespace detail {
/// The rules of the epilogue and its operands, part of the verifiers.
mlir::LogicalResult verifyEpilogue(MatmulOp op);
mlir::LogicalResult verifyEpilogue(ProblemOp op);
/// The rules of quantised outputs and amax.
mlir::LogicalResult verifyOutputs(MatmulOp op);
mlir::LogicalResult verifyOutputs(ProblemOp op);
mlir::LogicalResult verifyOutputs(EncodeOp op);
} // namespace detail

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_IR_TMMOPS_H
