//===- SM90Dialect.cpp - the sm90 dialect -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of operations and types, and the short names of types in printed
// IR.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/BytecodeVersion.h"
#include "tc/Support/SmemParts.h"
#include "tc/Support/Synchronization.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc::sm90;

#include "tc/Dialect/SM90/IR/SM90Dialect.cpp.inc"
#include "tc/Dialect/SM90/IR/SM90Enums.cpp.inc"

namespace {

/// The names that printed IR gives to the types that a kernel repeats:
///
///   !bf16_128x64_map       a tensor map with this box
///   !bf16_128x64_k_major   an operand tile in shared memory
///   !i8_65536_smem         other shared memory
///   !bf16_nx256_global     a matrix in global memory, n a dynamic size
///   !i32_32_struct         the registers of one instruction, once lowered
///
/// (A name must not end with a digit.)
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    return TypeSwitch<Type, AliasResult>(type)
        .Case([&](TensorMapType map) {
          printShape(map.getElementType(), map.getBox(), os);
          os << "_map";
          return AliasResult::FinalAlias;
        })
        .Case([&](MemRefType memref) { return nameMemory(memref, os); })
        .Case([&](LLVM::LLVMStructType registers) {
          return nameRegisters(registers, os);
        })
        .Default(AliasResult::NoAlias);
  }

private:
  static void printShape(Type elementType, ArrayRef<int64_t> shape,
                         raw_ostream &os) {
    os << elementType;
    for (auto [index, size] : llvm::enumerate(shape)) {
      os << (index == 0 ? '_' : 'x');
      if (ShapedType::isDynamic(size))
        os << 'n';
      else
        os << size;
    }
  }

  static AliasResult nameMemory(MemRefType type, raw_ostream &os) {
    auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
    if (!space || space.getValue() == gpu::AddressSpace::Private)
      return AliasResult::NoAlias;
    printShape(type.getElementType(), type.getShape(), os);
    if (space.getValue() == gpu::AddressSpace::Global)
      os << "_global";
    else if (auto layout = dyn_cast<SmemLayoutAttr>(type.getLayout()))
      os << "_" << stringifyMajor(layout.getMajor());
    else
      os << "_smem";
    return AliasResult::FinalAlias;
  }

  static AliasResult nameRegisters(LLVM::LLVMStructType type, raw_ostream &os) {
    // Shorter ones are as easy to read as a name.
    constexpr size_t kFewest = 8;
    if (type.isIdentified() || type.getBody().size() < kFewest ||
        !llvm::all_equal(type.getBody()))
      return AliasResult::NoAlias;
    os << type.getBody().front() << "_" << type.getBody().size() << "_struct";
    return AliasResult::FinalAlias;
  }
};

// What an analysis of Tensor Memory asks of the synchronisation around it.

struct AwaitsMBarrier
    : tc::SynchronizationOpInterface::ExternalModel<AwaitsMBarrier,
                                                    MBarrierWaitParityOp> {
  Value getAwaited(Operation *op) const {
    // Of a new mbarrier the phase of parity 1 is over.
    auto wait = cast<MBarrierWaitParityOp>(op);
    return matchPattern(wait.getParity(), m_One()) ? Value()
                                                   : wait.getMbarrier();
  }
};

struct ArrivesAtCluster
    : tc::SynchronizationOpInterface::ExternalModel<ArrivesAtCluster,
                                                    ClusterArriveOp> {
  bool arrivesAtCluster(Operation *) const { return true; }
};

struct WaitsForCluster
    : tc::SynchronizationOpInterface::ExternalModel<WaitsForCluster,
                                                    ClusterWaitOp> {
  bool waitsForCluster(Operation *) const { return true; }
};

// And of the places of operands.

struct ViewIsPart
    : tc::SmemPartOpInterface::ExternalModel<ViewIsPart, SmemViewOp> {
  Value getWhole(Operation *op) const {
    return cast<SmemViewOp>(op).getSource();
  }
  OpFoldResult getByteOffset(Operation *op) const {
    return cast<SmemViewOp>(op).getOffset();
  }
};

} // namespace

void SM90Dialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/SM90/IR/SM90Ops.cpp.inc"
      >();
  addInterfaces<Aliases, VersionedBytecode>();
  MBarrierWaitParityOp::attachInterface<AwaitsMBarrier>(*getContext());
  ClusterArriveOp::attachInterface<ArrivesAtCluster>(*getContext());
  ClusterWaitOp::attachInterface<WaitsForCluster>(*getContext());
  SmemViewOp::attachInterface<ViewIsPart>(*getContext());
}
