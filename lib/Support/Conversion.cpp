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
#include "llvm/ADT/StringExtras.h"

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

// The bytes of a column are exchanged for each other and never carry, so they
// join the address of the row by an XOR; where the column is known when
// compiling, nothing but the row is computed.
Value emitRowAddress(OpBuilder &builder, Location loc, MemRefType tile,
                     Value base, Value row, Value own, int64_t column) {
  auto layout = cast<SmemTileLayoutInterface>(tile.getLayout());
  SwizzleFacts facts = getSwizzleFacts(layout.getTileSwizzle());
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getIntegerAttr(type, value));
  };
  auto offsetBy = [&](Value pointer, LLVM::GEPArg bytes) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                               builder.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
  };
  Value place =
      LLVM::MulOp::create(builder, loc, row, constant(i32, facts.spanBytes));
  if (facts.bits != 0) {
    Value line = LLVM::LShrOp::create(builder, loc, place, constant(i32, 7));
    line = LLVM::AndOp::create(builder, loc, line,
                               constant(i32, (1 << facts.bits) - 1));
    line = LLVM::ShlOp::create(builder, loc, line, constant(i32, facts.shift));
    place = LLVM::XOrOp::create(builder, loc, place, line);
  }
  Value address = offsetBy(base, place);
  int64_t elementBytes = tile.getElementTypeBitWidth() / 8;
  int64_t bytes = column * elementBytes;
  int64_t within = bytes % facts.spanBytes;
  Value exchanged;
  if (own) {
    exchanged =
        LLVM::MulOp::create(builder, loc, own, constant(i32, elementBytes));
    if (within)
      exchanged =
          LLVM::AddOp::create(builder, loc, exchanged, constant(i32, within));
    exchanged = LLVM::ZExtOp::create(builder, loc, i64, exchanged);
  } else if (within) {
    exchanged = constant(i64, within);
  }
  if (exchanged) {
    Value bits = LLVM::PtrToIntOp::create(builder, loc, i64, address);
    bits = LLVM::XOrOp::create(builder, loc, bits, exchanged);
    address = LLVM::IntToPtrOp::create(builder, loc, address.getType(), bits);
  }
  if (int64_t slab = bytes / facts.spanBytes)
    address =
        offsetBy(address, static_cast<int32_t>(slab * layout.getSlabBytes()));
  return address;
}

//===----------------------------------------------------------------------===//
// Inline PTX
//===----------------------------------------------------------------------===//

unsigned getRegisterCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return 1;
  return vector.getNumElements() *
         vector.getElementType().getIntOrFloatBitWidth() / 32;
}

SmallVector<Value> getRegisters(OpBuilder &b, Location loc, Value value) {
  SmallVector<Value> registers;
  auto vector = dyn_cast<VectorType>(value.getType());
  // Integers whatever the type: with f32, LLVM packs pairs on sm_100 and reads
  // the registers before the text.
  Type element = b.getI32Type();
  unsigned count = getRegisterCount(value.getType());
  Type whole = vector ? Type(VectorType::get(count, element)) : element;
  if (value.getType() != whole)
    value = LLVM::BitcastOp::create(b, loc, whole, value);
  if (!vector) {
    registers.push_back(value);
    return registers;
  }
  for (unsigned i = 0; i < count; ++i) {
    Value index = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i));
    registers.push_back(LLVM::ExtractElementOp::create(b, loc, value, index));
  }
  return registers;
}

/// The value of `type` made of the first of `registers`, which are dropped.
static Value packRegisters(OpBuilder &b, Location loc, Type type,
                           ArrayRef<Value> &registers) {
  unsigned count = getRegisterCount(type);
  Type element = b.getI32Type();
  Value value;
  if (isa<VectorType>(type)) {
    value = LLVM::PoisonOp::create(b, loc, VectorType::get(count, element));
    for (unsigned i = 0; i < count; ++i) {
      Value index = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i));
      value = LLVM::InsertElementOp::create(b, loc, value, registers[i], index);
    }
  } else {
    value = registers.front();
  }
  registers = registers.drop_front(count);
  if (value.getType() != type)
    value = LLVM::BitcastOp::create(b, loc, type, value);
  return value;
}

SmallVector<Value> emitInPlacePTX(OpBuilder &b, Location loc, StringRef text,
                                  ValueRange tied, ValueRange inputs,
                                  ArrayRef<StringRef> constraints) {
  SmallVector<Value> operands;
  for (Value value : tied)
    llvm::append_range(operands, getRegisters(b, loc, value));
  size_t count = operands.size();
  SmallVector<Type> types = llvm::map_to_vector(
      operands, [](Value value) { return value.getType(); });
  SmallVector<std::string> parts;
  for (size_t i = 0; i < count; ++i)
    parts.push_back("=r");
  for (size_t i = 0; i < count; ++i)
    parts.push_back(std::to_string(i));
  for (StringRef constraint : constraints)
    parts.push_back(constraint.str());
  llvm::append_range(operands, inputs);

  SmallVector<Type> results;
  if (count == 1)
    results = types;
  else if (count > 1)
    results.push_back(LLVM::LLVMStructType::getLiteral(b.getContext(), types));
  auto ptx = LLVM::InlineAsmOp::create(
      b, loc, results, operands, text, llvm::join(parts, ","),
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());

  SmallVector<Value> registers;
  if (count == 1)
    registers.push_back(ptx.getResult(0));
  for (size_t i = 0; count > 1 && i < count; ++i)
    registers.push_back(
        LLVM::ExtractValueOp::create(b, loc, ptx.getResult(0), i));
  SmallVector<Value> values;
  ArrayRef<Value> left = registers;
  for (Value value : tied)
    values.push_back(packRegisters(b, loc, value.getType(), left));
  return values;
}

} // namespace tc
