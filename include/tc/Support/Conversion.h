//===- Conversion.h - what the conversions to NVVM share --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Type conversions that more than one dialect needs: mbarriers and tiles in
// shared memory are known to the dialects through interfaces, so both
// conversions make the same addresses of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_CONVERSION_H
#define TC_SUPPORT_CONVERSION_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tc {

/// The pointer type to shared memory of the CTA, `!llvm.ptr<3>`.
mlir::Type getSmemPointer(mlir::MLIRContext *context);

/// Makes the options of a converter for device code: `indexBitwidth` bits for
/// an index, or those of the data layout of `op` where it is 0.
mlir::LowerToLLVMOptions getDeviceOptions(mlir::Operation *op,
                                          unsigned indexBitwidth);

/// GPU address spaces to those of NVPTX; mbarriers, and memrefs with a layout
/// of a tile in shared memory, to their address.
void populateSmemTypeConversions(mlir::LLVMTypeConverter &converter);

/// The address of `value`, whose type was `original` and which has been
/// converted: a memref descriptor's aligned pointer, or the address itself.
mlir::Value getSmemAddress(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Type original, mlir::Value converted);

/// The address of element `own + column` of row `row` (i32) of `tile`, a
/// swizzled tile at `base`. `own` (i32) is null, or stays in the slab of
/// `column`.
mlir::Value emitRowAddress(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::MemRefType tile, mlir::Value base,
                           mlir::Value row, mlir::Value own, int64_t column);

/// `value` of an index or integer type as i32.
mlir::Value getAsI32(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value);

/// The 32-bit registers that a value of `type` has: one for a scalar or an
/// element of 32 bits, one for two elements of 16 bits or four of 8.
unsigned getRegisterCount(mlir::Type type);

/// The registers of `value`, first element first.
llvm::SmallVector<mlir::Value>
getRegisters(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Inline PTX with side effects that changes the registers of `tied` (scalars
/// or vectors of elements of at most 32 bits, narrow ones packed) in place:
/// each is an operand and a result in the same register, so that no pass can
/// move a use of the result before the text. Returns the new values. The text
/// names register i of `tied`, counted through all values, `$i`; with n
/// registers in all, `inputs` are `$(2n)`, `$(2n + 1)` ..., with one constraint
/// each ("l", "r", "b").
llvm::SmallVector<mlir::Value>
emitInPlacePTX(mlir::OpBuilder &builder, mlir::Location loc,
               llvm::StringRef text, mlir::ValueRange tied,
               mlir::ValueRange inputs = {},
               llvm::ArrayRef<llvm::StringRef> constraints = {});

/// Lets `converter` bridge types it converts by unrealized casts, which
/// reconcile-unrealized-casts folds when both sides are converted.
void addCastMaterializations(mlir::TypeConverter &converter);

} // namespace tc

#endif // TC_SUPPORT_CONVERSION_H
