//===- Conversion.cpp - what the conversions to NVVM share ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Conversion.h"
#include "tc/Support/Interfaces.h"

#include "mlir/Analysis/DataLayoutAnalysis.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

using namespace mlir;

namespace tc {

Type getSmemPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(
      context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

LowerToLLVMOptions getDeviceOptions(Operation *op, unsigned indexBitwidth) {
  LowerToLLVMOptions options(op->getContext(), DataLayout::closest(op));
  if (indexBitwidth != 0)
    options.overrideIndexBitwidth(indexBitwidth);
  return options;
}

void populateSmemTypeConversions(LLVMTypeConverter &converter) {
  configureGpuToNVVMTypeConverter(converter);
  converter.addConversion([](MBarrierTypeInterface type) -> Type {
    return getSmemPointer(type.getContext());
  });
  converter.addConversion([](MemRefType type) -> std::optional<Type> {
    if (!isa<SmemTileLayoutInterface>(type.getLayout()))
      return std::nullopt;
    return getSmemPointer(type.getContext());
  });
  // LLVMTypeConverter would take the address for a bare pointer and build a
  // strided descriptor around it.
  converter.addSourceMaterialization([](OpBuilder &builder, MemRefType type,
                                        ValueRange inputs,
                                        Location loc) -> Value {
    if (!isa<SmemTileLayoutInterface>(type.getLayout()))
      return {};
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  });
  converter.addTargetMaterialization([](OpBuilder &builder, Type type,
                                        ValueRange inputs, Location loc,
                                        Type original) -> Value {
    auto memref = dyn_cast_or_null<MemRefType>(original);
    if (!memref || !isa<SmemTileLayoutInterface>(memref.getLayout()))
      return {};
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  });
}

void addCastMaterializations(TypeConverter &converter) {
  auto cast = [](OpBuilder &builder, Type type, ValueRange inputs,
                 Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  };
  converter.addSourceMaterialization(cast);
  converter.addTargetMaterialization(cast);
}

Value getSmemAddress(OpBuilder &builder, Location loc, Type original,
                     Value converted) {
  auto memref = dyn_cast<MemRefType>(original);
  if (!memref || isa<SmemTileLayoutInterface>(memref.getLayout()))
    return converted;
  return MemRefDescriptor(converted).alignedPtr(builder, loc);
}

Value getAsI32(OpBuilder &builder, Location loc, Value value) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (bits == 32)
    return value;
  Type i32 = builder.getI32Type();
  if (bits > 32)
    return LLVM::TruncOp::create(builder, loc, i32, value);
  return LLVM::SExtOp::create(builder, loc, i32, value);
}

} // namespace tc
