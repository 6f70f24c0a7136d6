//===- SM90HostToLLVM.cpp - the host's side of kernels ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map is 128 bytes that the runtime library has the driver encode. The
// operands of a launch are what the kernel's parameters are: tensor maps by
// value, bare pointers and numbers. The rest is upstream's.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/SM90HostToLLVM/SM90HostToLLVM.h"

#include "tc/Dialect/SM90/IR/SM90.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTSM90HOSTTOLLVMPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

/// The runtime library's functions, for boxes and for im2col.
static constexpr StringLiteral kEncode = "tcTensorMapEncode",
                               kEncodeIm2col = "tcTensorMapEncodeIm2col";

namespace {

struct ConvertSM90HostToLLVMPass
    : tc::impl::ConvertSM90HostToLLVMPassBase<ConvertSM90HostToLLVMPass> {
  void runOnOperation() override;
};

/// What is made for one operation, before it.
class HostBuilder {
public:
  HostBuilder(RewriterBase &b, Operation *op)
      : b(b), loc(op->getLoc()),
        pointer(LLVM::LLVMPointerType::get(op->getContext())) {
    b.setInsertionPoint(op);
  }

  Value constant(int64_t value, unsigned bits = 64) {
    return LLVM::ConstantOp::create(b, loc, b.getIntegerType(bits), value);
  }
  Value toI64(OpFoldResult value) {
    if (auto attribute = dyn_cast<Attribute>(value))
      return constant(cast<IntegerAttr>(attribute).getInt());
    return arith::IndexCastUIOp::create(b, loc, b.getI64Type(),
                                        cast<Value>(value));
  }
  /// Memory on the stack for `count` elements, at a multiple of `align` bytes.
  Value allocate(Type element, int64_t count, unsigned align) {
    return LLVM::AllocaOp::create(b, loc, pointer, element, constant(count),
                                  align);
  }
  /// The numbers one after the other in memory, as integers of `bits`.
  Value store(ArrayRef<Value> values, unsigned bits) {
    Type element = b.getIntegerType(bits);
    Value memory = allocate(element, std::max<size_t>(values.size(), 1), 8);
    for (auto [i, value] : llvm::enumerate(values)) {
      Value place =
          LLVM::GEPOp::create(b, loc, pointer, element, memory,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, loc, value, place);
    }
    return memory;
  }
  /// The aligned pointer of a memref, as an integer.
  Value address(Value memref) {
    // Memory spaces of the kernel mean nothing on the host.
    while (auto cast = memref.getDefiningOp<memref::MemorySpaceCastOp>())
      memref = cast.getSource();
    Value index =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
    return arith::IndexCastUIOp::create(b, loc, b.getI64Type(), index);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value toPointer(Value address) {
    return LLVM::IntToPtrOp::create(b, loc, pointer, address);
  }

  RewriterBase &b;
  Location loc;
  Type pointer;
};

} // namespace

/// The driver's CUtensorMapDataType of the elements of `type`.
static int64_t getDriverType(sm90::TensorMapType type) {
  Type element = type.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits == 4)
    return type.getUnpacked() ? 14 : 13; // 16U4_ALIGN16B, 16U4_ALIGN8B
  if (bits == 6)
    return 15; // 16U6_ALIGN16B
  if (element.isF16())
    return 6;
  if (element.isBF16())
    return 9;
  if (element.isF32())
    return 7;
  if (element.isF64())
    return 8;
  switch (bits) {
  case 8:
    return 0; // UINT8
  case 16:
    return 1; // UINT16
  case 32:
    return element.isUnsignedInteger() ? 2 : 3; // UINT32, INT32
  default:
    return element.isUnsignedInteger() ? 4 : 5; // UINT64, INT64
  }
}

/// Bytes from the aligned pointer of `map`'s buffer to its first element and to
/// the tensor.
static Value getStart(HostBuilder &host, sm90::TensorMapEncodeOp map) {
  Value address = host.address(map.getBuffer());
  if (auto type = dyn_cast<MemRefType>(map.getBuffer().getType())) {
    auto [strides, offset] = type.getStridesAndOffset();
    OpFoldResult elements = host.b.getIndexAttr(offset);
    if (ShapedType::isDynamic(offset))
      elements = memref::ExtractStridedMetadataOp::create(host.b, host.loc,
                                                          map.getBuffer())
                     .getOffset();
    if (offset != 0) {
      // Elements of less than a byte start at whole bytes.
      Value bits =
          arith::MulIOp::create(host.b, host.loc, host.toI64(elements),
                                host.constant(type.getElementTypeBitWidth()));
      address = host.add(address, arith::ShRUIOp::create(host.b, host.loc, bits,
                                                         host.constant(3)));
    }
  }
  if (OpFoldResult own = map.getMixedOffset())
    address = host.add(address, host.toI64(own));
  return host.toPointer(address);
}

/// The runtime library's function that encodes `map`.
static FailureOr<LLVM::LLVMFuncOp> getEncode(RewriterBase &rewriter,
                                             ModuleOp module,
                                             sm90::TensorMapEncodeOp map) {
  Type pointer = LLVM::LLVMPointerType::get(module.getContext());
  Type number = rewriter.getI32Type();
  SmallVector<Type> types = {pointer, number,  number,
                             pointer, pointer, pointer};
  bool isIm2col = map.getResult().getType().isIm2col();
  if (isIm2col)
    types.append({pointer, pointer, number, number, pointer});
  else
    types.append({pointer, pointer});
  types.append({number, number, number});
  return LLVM::lookupOrCreateFn(rewriter, module,
                                isIm2col ? kEncodeIm2col : kEncode, types,
                                LLVM::LLVMVoidType::get(module.getContext()));
}

/// The 128 bytes of `map`: a call of the runtime library.
static Value encode(RewriterBase &rewriter, sm90::TensorMapEncodeOp map,
                    LLVM::LLVMFuncOp function) {
  HostBuilder host(rewriter, map);
  sm90::TensorMapType type = map.getResult().getType();
  // The op lists the slowest dimension first, the driver the fastest. The
  // driver refuses a size of 0: an empty dimension is encoded as one element,
  // which the kernel never loads.
  SmallVector<Value> dims, strides, box, steps;
  SmallVector<OpFoldResult> sizes = map.getMixedDims();
  SmallVector<OpFoldResult> pitches = map.getMixedStrides();
  for (OpFoldResult size : llvm::reverse(sizes))
    dims.push_back(arith::MaxUIOp::create(rewriter, host.loc, host.toI64(size),
                                          host.constant(1)));
  for (OpFoldResult stride : llvm::reverse(pitches))
    strides.push_back(host.toI64(stride));
  for (int64_t extent : llvm::reverse(type.getBox()))
    box.push_back(host.constant(extent, 32));
  std::optional<ArrayRef<int64_t>> own = map.getElementStrides();
  for (size_t i = 0, rank = dims.size(); i < rank; ++i)
    steps.push_back(host.constant(own ? (*own)[rank - 1 - i] : 1, 32));
  Type bytes = LLVM::LLVMArrayType::get(rewriter.getI64Type(), 16);
  Value result = host.allocate(bytes, 1, 64);
  auto number = [&](auto value) {
    return host.constant(static_cast<int64_t>(value), 32);
  };
  auto corner = [&](ArrayRef<int64_t> values) {
    SmallVector<Value> corner;
    for (int64_t value : llvm::reverse(values))
      corner.push_back(host.constant(value, 32));
    return host.store(corner, 32);
  };
  SmallVector<Value> arguments = {result,
                                  number(getDriverType(type)),
                                  number(dims.size()),
                                  getStart(host, map),
                                  host.store(dims, 64),
                                  host.store(strides, 64)};
  // An im2col map has corners, channels and pixels in place of a box.
  if (type.isIm2col())
    arguments.append(
        {corner(*map.getLower()), corner(*map.getUpper()), box[0], box[1]});
  else
    arguments.push_back(host.store(box, 32));
  arguments.append({host.store(steps, 32), number(type.getSwizzle()),
                    number(map.getL2Promotion()), number(map.getOobFill())});
  LLVM::CallOp::create(rewriter, host.loc, function, arguments);
  return LLVM::LoadOp::create(rewriter, host.loc, bytes, result, 64);
}

/// Replaces the memrefs among the kernel operands of `launch` by bare pointers.
static void passPointers(RewriterBase &rewriter, gpu::LaunchFuncOp launch) {
  HostBuilder host(rewriter, launch);
  for (OpOperand &operand : launch.getKernelOperandsMutable())
    if (isa<MemRefType>(operand.get().getType())) {
      Value pointer = host.toPointer(host.address(operand.get()));
      rewriter.modifyOpInPlace(launch, [&] { operand.set(pointer); });
    }
}

void ConvertSM90HostToLLVMPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<sm90::TensorMapEncodeOp> maps;
  SmallVector<gpu::LaunchFuncOp> launches;
  module->walk([&](Operation *op) {
    if (auto map = dyn_cast<sm90::TensorMapEncodeOp>(op))
      maps.push_back(map);
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      launches.push_back(launch);
  });
  for (sm90::TensorMapEncodeOp map : maps)
    for (Operation *user : map->getUsers())
      if (!isa<gpu::LaunchFuncOp>(user)) {
        map->emitOpError() << "expected launches as its only users, got '"
                           << user->getName() << "'";
        return signalPassFailure();
      }
  // The operands change to what a lowered kernel takes; the others of a
  // gpu.func would no longer fit it.
  SymbolTableCollection symbols;
  for (gpu::LaunchFuncOp launch : launches)
    if (auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
            launch, launch.getKernelAttr())) {
      InFlightDiagnostic diag = launch.emitOpError()
                                << "expected a kernel that is lowered, got '"
                                << kernel->getName() << "'";
      diag.attachNote(kernel.getLoc()) << "defined here";
      return signalPassFailure();
    }
  IRRewriter rewriter(&getContext());
  for (sm90::TensorMapEncodeOp map : maps) {
    FailureOr<LLVM::LLVMFuncOp> function = getEncode(rewriter, module, map);
    if (failed(function))
      return signalPassFailure();
    rewriter.replaceOp(map, encode(rewriter, map, *function));
  }
  for (gpu::LaunchFuncOp launch : launches)
    passPointers(rewriter, launch);
  // Their types would not be converted.
  module->walk([&](memref::MemorySpaceCastOp cast) {
    if (cast->use_empty())
      rewriter.eraseOp(cast);
  });
}
