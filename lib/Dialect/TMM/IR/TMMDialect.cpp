//===- TMMDialect.cpp - the tmm dialect -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the types, attributes and operations of the dialect, and the short
// names of its types in printed IR.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMDialect.h"

#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Support/BytecodeVersion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/TMMDialect.cpp.inc"

LogicalResult TMMDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  return op->emitError() << "expected no discardable attribute of dialect tmm, "
                            "got '"
                         << attribute.getName().strref()
                         << "': the operations of tmm carry what decides";
}

namespace {

/// The names that printed IR gives to the types that a kernel repeats. They say
/// what the type is: `!bf16_128x64_smem` is a tile in `smem`,
/// `!bf16_4x128x64_smem` the storage of four of them, `!ring_4_smem` a pipeline
/// of four slots. (A name must not end with a digit.)
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<ConfigAttr>(attr))
      return AliasResult::NoAlias;
    os << "config";
    return AliasResult::FinalAlias;
  }

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    return TypeSwitch<Type, AliasResult>(type)
        .Case([&](BufferType buffer) {
          return nameTile(buffer, /*depth=*/0, os);
        })
        .Case([&](StorageType storage) {
          return nameTile(storage.getBuffer(), storage.getDepth(), os);
        })
        .Case([&](PipelineType pipeline) {
          os << "ring_" << pipeline.getDepth() << "_"
             << getSpaceName(pipeline.getBuffers().front());
          return AliasResult::FinalAlias;
        })
        .Case([&](PipelineStateType) {
          os << "state";
          return AliasResult::FinalAlias;
        })
        .Default(AliasResult::NoAlias);
  }

private:
  /// The memory space of a tile as its back end calls it: `smem` of
  /// `sm90.smem`.
  static StringRef getSpaceName(BufferType buffer) {
    return buffer.getSpace()
        .getAbstractAttribute()
        .getName()
        .rsplit('.')
        .second;
  }

  static AliasResult nameTile(BufferType buffer, int64_t depth,
                              raw_ostream &os) {
    os << buffer.getElementType() << "_";
    if (depth)
      os << depth << "x";
    os << buffer.getRows() << "x" << buffer.getColumns() << "_"
       << getSpaceName(buffer);
    return AliasResult::FinalAlias;
  }
};

} // namespace

void TMMDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/TMM/IR/TMMOps.cpp.inc"
      >();
  addInterfaces<Aliases, tc::MatrixUnits, VersionedBytecode>();
  // Their families (lib/Kernels) are registered apart.
  declarePromisedInterfaces<KernelFamilyOpInterface, MatmulOp, EncodeOp,
                            InterleaveOp, RowsOp, AttentionOp,
                            AttentionBackwardOp>();
}
