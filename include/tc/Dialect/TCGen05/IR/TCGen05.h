//===- TCGen05.h - operations, types and attributes of tcgen05 --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything of the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05_H
#define TC_DIALECT_TCGEN05_IR_TCGEN05_H

#include "tc/Dialect/TCGen05/IR/TCGen05Dialect.h"
#include "tc/Support/Interfaces.h"
#include "tc/Support/MmaShapes.h"
#include "tc/Support/Pipelining.h"
#include "tc/Support/RegisterLayout.h"
#include "tc/Support/Target.h"
#include "tc/Support/TmemShapes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tc/Dialect/TCGen05/IR/TCGen05Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/TCGen05/IR/TCGen05Attrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tc/Dialect/TCGen05/IR/TCGen05Types.h.inc"

namespace tc::tcgen05 {

/// The resource that tcgen05 operations read and write: the Tensor Memory of
/// the CTA (of the pair).
struct TensorMemoryResource
    : public mlir::SideEffects::Resource::Base<TensorMemoryResource> {
  llvm::StringRef getName() final { return "TensorMemory"; }
};

namespace detail {
mlir::LogicalResult verifyKnownModifiers(mlir::Operation *op);
} // namespace detail

/// Attributes are the operation's, or a dialect's (with a dot in the name).
template <typename ConcreteType>
class KnownModifiers
    : public mlir::OpTrait::TraitBase<ConcreteType, KnownModifiers> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyKnownModifiers(op);
  }
};

/// Whether `type` is a memref in workgroup memory with the layout of a tile
/// (SmemTileLayoutInterface).
bool isSmemOperand(mlir::Type type);

/// Whether `type` is a vector of `words` i32, a bit for each lane.
bool isLaneMask(mlir::Type type, int64_t words);

/// Whether `type` is the word in workgroup memory for an address.
bool isAddressSlot(mlir::Type type);

/// The shapes as Support's tables know them.
inline const TmemAccessFacts &getFacts(AccessShape shape) {
  return getTmemAccess(static_cast<TmemAccessShape>(shape));
}
inline const TmemCopyFacts &getFacts(CopyShape shape) {
  return getTmemCopy(static_cast<TmemCopyShape>(shape));
}

/// The kind as Support's tables know it.
inline MmaKindFacts getFacts(MmaKind kind) {
  return static_cast<MmaKindFacts>(kind);
}
inline MmaKind getKind(MmaKindFacts facts) {
  return static_cast<MmaKind>(facts);
}

} // namespace tc::tcgen05

#define GET_OP_CLASSES
#include "tc/Dialect/TCGen05/IR/TCGen05Ops.h.inc"

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05_H
